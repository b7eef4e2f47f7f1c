"""How else Queue Storage is called: messages that were taken, changed or hidden; what is set once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref
from likewise.cloud.fuzz.hints.ways_blob import MORE, SHARED, identifiers

QUEUE = Name("queue")
TAKEN = ("Messages_Dequeue", "body", "QueueMessagesList", "QueueMessage", 0)
RECEIPT: dict[str, Any] = {"pop_receipt": Ref(-1, (*TAKEN, "PopReceipt"))}
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
    "Messages_Enqueue:hidden": {"visibility_timeout": 60},
    "Messages_Enqueue:forever": {"message_time_to_live": -1},
    "Messages_Enqueue:brief": {"message_time_to_live": 30, "visibility_timeout": 60},
    "Messages_Peek:taken": {"queue": QUEUE},
    "Messages_Peek:changed": {"queue": QUEUE},
    "Messages_Dequeue:changed": {"visibility_timeout": 60},
    "Messages_Clear:taken": {"queue": QUEUE},
    "MessageId_Delete:taken": RECEIPT,
    "MessageId_Delete:stale": {"queue": QUEUE},
    "MessageId_Delete:changed": {"pop_receipt": Ref(-1, ("MessageId_Update", "headers", "x-ms-popreceipt"))},
    "MessageId_Delete:outdated": {"queue": QUEUE},
    "MessageId_Update:taken": RECEIPT,
    "MessageId_Update:stale": {"queue": QUEUE},
    "MessageId_Update:hidden": {"visibility_timeout": 60},
    "MessageId_Update:bare": {"body": None},
}

_TAKEN = ("Messages_Enqueue", "Messages_Dequeue")
_CHANGED = ("Messages_Enqueue", "MessageId_Update")

NEEDS: dict[str, tuple[str, ...]] = {
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
