"""How else Queue Storage is called: messages that were taken, changed or hidden; what is set once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.ways_blob import MORE, SHARED, identifiers

QUEUE = Name("queue")
TAKEN = ("Messages_Dequeue", "body", "QueueMessagesList", "QueueMessage", 0)
RECEIPT: dict[str, Any] = {"pop_receipt": Ref(-1, (*TAKEN, "PopReceipt"))}
CHANGED = Ref(-1, ("MessageId_Update", "headers", "x-ms-popreceipt"))
ENDS = ("-b", "9", "10")
"""Ends of names that come in another order for who counts."""
POLICIES = {"body": identifiers("raup")}

WAYS: dict[str, Mapping[str, Any]] = {
    **SHARED,
    "Queue_Create:metadata": {"metadata": MORE},
    "Queue_SetMetadata:other": {"metadata": MORE},
    "Queue_SetMetadata:none": {"metadata": {}},
    "Queue_SetAccessPolicy:two": POLICIES,
    "Queue_SetAccessPolicy:none": {"body": None},
    "Queue_GetAccessPolicy:two": {"queue": QUEUE},
    "Queue_GetProperties:full": {"queue": QUEUE},
    "Service_ListQueuesSegment:described": {"include": ["metadata"]},
    "Service_ListQueuesSegment:all": {"prefix": None},
    "Service_ListQueuesSegment:few": {"prefix": None, "maxresults": 1},
    "Service_ListQueuesSegment:spelled": {"include": []},
    "Queue_GetProperties:taken": {"queue": QUEUE},
    "Queue_GetProperties:cleared": {"queue": QUEUE},
    "Queue_GetProperties:emptied": {"queue": QUEUE},
    "Queue_Delete:full": {"queue": QUEUE},
    "Queue_Create:otherwise": {"metadata": MORE},
    "Messages_Enqueue:hidden": {"visibility_timeout": 60},
    "Messages_Enqueue:forever": {"message_time_to_live": -1},
    "Messages_Enqueue:brief": {"message_time_to_live": 30, "visibility_timeout": 60},
    "Messages_Peek:taken": {"queue": QUEUE},
    "Messages_Peek:hidden": {"queue": QUEUE},
    "Messages_Peek:several": {"number_of_messages": 32},
    "Messages_Dequeue:several": {"number_of_messages": 32},
    "Messages_Dequeue:taken": {"queue": QUEUE},
    "Messages_Dequeue:hidden": {"queue": QUEUE},
    "Messages_Dequeue:again": {"queue": QUEUE},
    "Messages_Dequeue:brief": {"visibility_timeout": 1},
    "Messages_Clear:hidden": {"queue": QUEUE},
    "Messages_Peek:changed": {"queue": QUEUE},
    "Messages_Dequeue:changed": {"visibility_timeout": 60},
    "Messages_Clear:taken": {"queue": QUEUE},
    "MessageId_Delete:taken": RECEIPT,
    "MessageId_Delete:stale": {"queue": QUEUE},
    "MessageId_Delete:changed": {"pop_receipt": CHANGED},
    "MessageId_Delete:outdated": {"queue": QUEUE},
    "MessageId_Update:taken": RECEIPT,
    "MessageId_Update:stale": {"queue": QUEUE},
    "MessageId_Update:hidden": {"visibility_timeout": 60},
    "MessageId_Update:bare": {"body": None},
    "MessageId_Update:changed": {"pop_receipt": CHANGED},
    "MessageId_Update:outdated": {"queue": QUEUE},
    "MessageId_Update:cleared": {"queue": QUEUE},
    "MessageId_Delete:cleared": {"queue": QUEUE},
}

_TAKEN = ("Messages_Enqueue", "Messages_Dequeue")
_CHANGED = ("Messages_Enqueue", "MessageId_Update")
_TWO = ("Messages_Enqueue:first", "Messages_Enqueue:second")

RELATED: dict[str, tuple[Any, ...]] = {
    "Service_ListQueuesSegment:metadata": ({"include": ["metadata"]},),
    "Messages_Enqueue:first": ({"body": {"QueueMessage": {"MessageText": "hello"}}},),
    "Messages_Enqueue:second": ({"body": {"QueueMessage": {"MessageText": "second"}}},),
    "Messages_Dequeue:first": ({"visibility_timeout": 30},),
    "MessageId_Update:back": ({**RECEIPT, "visibility_timeout": 0},),
    **{f"Queue_Create:{end}": ({"queue": Text((QUEUE, end))},) for end in ENDS},
}

NEEDS: dict[str, tuple[str, ...]] = {
    "Service_ListQueuesSegment:spelled": tuple(f"Queue_Create:{end}" for end in ENDS),
    "Queue_GetProperties:taken": _TAKEN,
    "Queue_GetProperties:cleared": ("Messages_Enqueue", "Messages_Clear"),
    "Queue_GetProperties:emptied": ("Messages_Enqueue", "MessageId_Delete"),
    "Queue_Delete:full": ("Messages_Enqueue",),
    "Queue_Create:otherwise": ("Queue_SetMetadata",),
    "Messages_Peek:hidden": ("Messages_Enqueue:hidden",),
    "Messages_Peek:several": _TWO,
    "Messages_Dequeue:several": _TWO,
    "Messages_Dequeue:taken": _TAKEN,
    "Messages_Dequeue:hidden": ("Messages_Enqueue:hidden",),
    "Messages_Dequeue:again": ("Messages_Enqueue:first", "Messages_Dequeue:first", "MessageId_Update:back"),
    "Messages_Clear:hidden": ("Messages_Enqueue:hidden",),
    "MessageId_Update:changed": _CHANGED,
    "MessageId_Update:outdated": _CHANGED,
    "MessageId_Update:cleared": ("Messages_Enqueue", "Messages_Clear"),
    "MessageId_Delete:cleared": ("Messages_Enqueue", "Messages_Clear"),
    "Queue_SetMetadata:other": ("Queue_SetMetadata",),
    "Queue_SetMetadata:none": ("Queue_SetMetadata",),
    "Queue_SetAccessPolicy:two": ("Queue_SetAccessPolicy",),
    "Queue_SetAccessPolicy:none": ("Queue_SetAccessPolicy",),
    "Queue_GetAccessPolicy:two": ("Queue_SetAccessPolicy:two",),
    "Queue_GetProperties:full": ("Queue_Create:metadata", "Messages_Enqueue"),
    "Service_ListQueuesSegment:described": ("Queue_Create:metadata",),
    "Messages_Peek:taken": _TAKEN,
    "Messages_Peek:changed": _CHANGED,
    "Messages_Dequeue:changed": _CHANGED,
    "Messages_Clear:taken": _TAKEN,
    "MessageId_Delete:taken": _TAKEN,
    "MessageId_Delete:stale": _TAKEN,
    "MessageId_Delete:changed": _CHANGED,
    "MessageId_Delete:outdated": _CHANGED,
    "MessageId_Update:taken": _TAKEN,
    "MessageId_Update:stale": _TAKEN,
}
