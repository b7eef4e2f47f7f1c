"""What Azure's documentation says of calls to Queue Storage that are right in each part: states, limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref
from likewise.cloud.fuzz.hints.rules_azure import PROPERTIES, policies

QUEUE = Name("queue")
MESSAGE = ("Messages_Enqueue", "body", "QueueMessagesList", "QueueMessage", 0)
WEEK = 604_800


def _says(text: str) -> dict[str, Any]:
    return {"body": {"QueueMessage": {"MessageText": text}}}


WAYS: dict[str, Mapping[str, Any]] = {
    **PROPERTIES,
    **policies("Queue", "raup"),
    "Queue_Create:named": {"metadata": {"Camel": "Value With  Spaces", "under_score": "x"}},
    "Queue_Create:alike": {"metadata": {"colour": "blue"}},
    "Queue_Create:cased": {"metadata": {"Colour": "blue"}},
    "Queue_Create:valued": {"metadata": {"colour": "Blue"}},
    "Queue_Create:less": {"queue": QUEUE},
    "Queue_SetMetadata:named": {"metadata": {"Camel": "Value With  Spaces", "under_score": "x"}},
    "Queue_GetProperties:none": {"queue": QUEUE},
    "Queue_GetProperties:hidden": {"queue": QUEUE},
    "Queue_GetProperties:several": {"queue": QUEUE},
    "Queue_GetProperties:cleared-metadata": {"queue": QUEUE},
    "Queue_GetAccessPolicy:never": {"queue": QUEUE},
    "Service_ListQueuesSegment:lost": {"marker": "not-a-marker"},
    "Service_ListQueuesSegment:nothing": {"prefix": "nowhere"},
    "Service_ListQueuesSegment:own": {"prefix": QUEUE, "include": ["metadata"]},
    "Service_ListQueuesSegment:capital": {"prefix": "LW"},
    "Messages_Enqueue:empty": _says(""),
    "Messages_Enqueue:marks": _says("<a href='x'>&amp; \"quoted\" 100%</a>"),
    "Messages_Enqueue:spaced": _says("  two  spaces\nand a line\t"),
    "Messages_Enqueue:foreign": _says("ünï-ⓒode 日本"),
    "Messages_Enqueue:encoded": _says("aGVsbG8="),
    "Messages_Enqueue:json": _says('{"a": [1, null]}'),
    "Messages_Enqueue:nothing": {"body": {"QueueMessage": {}}},
    "Messages_Enqueue:other": {"body": {"Message": {"Text": "hello"}}},
    "Messages_Enqueue:equal": {"message_time_to_live": 60, "visibility_timeout": 60},
    "Messages_Enqueue:zero": {"message_time_to_live": 0},
    "Messages_Enqueue:least": {"message_time_to_live": 1},
    "Messages_Enqueue:week": {"message_time_to_live": WEEK},
    "Messages_Enqueue:longer": {"message_time_to_live": WEEK + 1},
    "Messages_Enqueue:far": {"visibility_timeout": WEEK, "message_time_to_live": -1},
    "Messages_Enqueue:farther": {"visibility_timeout": WEEK + 1, "message_time_to_live": -1},
    "Messages_Enqueue:until-end": {"visibility_timeout": WEEK},
    "Messages_Peek:none": {"queue": QUEUE},
    "Messages_Peek:emptied": {"queue": QUEUE},
    "Messages_Peek:behind": {"number_of_messages": 32},
    "Messages_Peek:first": {"queue": QUEUE},
    "Messages_Peek:again": {"queue": QUEUE},
    "Messages_Peek:marks": {"queue": QUEUE},
    "Messages_Peek:shown": {"number_of_messages": 32},
    "Messages_Dequeue:none": {"queue": QUEUE},
    "Messages_Dequeue:behind": {"number_of_messages": 32},
    "Messages_Dequeue:next": {"queue": QUEUE},
    "Messages_Dequeue:zero": {"visibility_timeout": 0},
    "Messages_Dequeue:week": {"visibility_timeout": WEEK},
    "Messages_Dequeue:longer": {"visibility_timeout": WEEK + 1},
    "Messages_Dequeue:shown": {"number_of_messages": 32},
    "Messages_Clear:none": {"queue": QUEUE},
    "Messages_Clear:several": {"queue": QUEUE},
    "MessageId_Update:crossed": {"pop_receipt": Ref(-1, ("Messages_Dequeue", *MESSAGE[1:], "PopReceipt"))},
    "MessageId_Update:week": {"visibility_timeout": WEEK},
    "MessageId_Update:longer": {"visibility_timeout": WEEK + 1},
    "MessageId_Update:empty": _says(""),
    "MessageId_Update:marks": _says("<a> & 'b'"),
    "MessageId_Update:gone": {"queue": QUEUE},
    "MessageId_Delete:crossed": {"pop_receipt": Ref(-1, ("Messages_Dequeue", *MESSAGE[1:], "PopReceipt"))},
    "MessageId_Delete:hidden": {"queue": QUEUE},
    "MessageId_Delete:gone": {"queue": QUEUE},
}
"""A message is crossed with another's receipt, gone once deleted, behind one that is hidden or was taken."""

RELATED: dict[str, tuple[Any, ...]] = {
    "Messages_Enqueue:ahead": ({**_says("ahead")},),
    "Messages_Enqueue:after": ({**_says("after")},),
    "Messages_Enqueue:late": ({**_says("late"), "visibility_timeout": 60},),
    "Messages_Enqueue:odd": ({**_says("<a> & 'b' ü")},),
    "MessageId_Update:front": (
        {"pop_receipt": Ref(-1, ("Messages_Enqueue", *MESSAGE[1:], "PopReceipt")), "visibility_timeout": 0},
    ),
    "Queue_Create:described": ({"metadata": {"colour": "blue"}},),
}

_BEHIND = ("Messages_Enqueue:late", "Messages_Enqueue:after")
_TWO = ("Messages_Enqueue:ahead", "Messages_Enqueue:after")
_GONE = ("Messages_Enqueue", "MessageId_Delete")

NEEDS: dict[str, tuple[str, ...]] = {
    **{f"Queue_Create:{way}": ("Queue_Create:described",) for way in ("alike", "cased", "valued", "less")},
    "Queue_GetProperties:none": ("Queue_Create",),
    "Queue_GetProperties:hidden": ("Messages_Enqueue:late",),
    "Queue_GetProperties:several": _TWO,
    "Queue_GetProperties:cleared-metadata": ("Queue_Create:described", "Queue_SetMetadata:none"),
    "Queue_GetAccessPolicy:never": ("Queue_Create",),
    "Service_ListQueuesSegment:own": ("Queue_Create:described",),
    "Messages_Peek:none": ("Queue_Create",),
    "Messages_Dequeue:none": ("Queue_Create",),
    "Messages_Clear:none": ("Queue_Create",),
    "Messages_Clear:several": _TWO,
    "Messages_Peek:emptied": ("Messages_Enqueue", "Messages_Clear"),
    "Messages_Peek:behind": _BEHIND,
    "Messages_Dequeue:behind": _BEHIND,
    "Messages_Peek:first": _TWO,
    "Messages_Peek:again": (*_TWO, "Messages_Dequeue"),
    "Messages_Dequeue:next": (*_TWO, "Messages_Dequeue"),
    "Messages_Peek:marks": ("Messages_Enqueue:odd",),
    "Messages_Peek:shown": (*_TWO, "MessageId_Update:front"),
    "Messages_Dequeue:shown": (*_TWO, "MessageId_Update:front"),
    "MessageId_Update:crossed": (*_TWO, "Messages_Dequeue"),
    "MessageId_Delete:crossed": (*_TWO, "Messages_Dequeue"),
    "MessageId_Update:gone": _GONE,
    "MessageId_Delete:gone": _GONE,
    "MessageId_Delete:hidden": ("Messages_Enqueue:late",),
}
