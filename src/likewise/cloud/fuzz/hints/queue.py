"""Azure Queue Storage."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Name, Ref
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.hints import rules_queue
from likewise.cloud.fuzz.hints.blob import ACL, SERVICE
from likewise.cloud.fuzz.hints.ways_blob import BULKY, MORE
from likewise.cloud.fuzz.hints.ways_queue import NEEDS, RELATED, WAYS
from likewise.cloud.services.call import words

MESSAGE = ("Messages_Enqueue", "body", "QueueMessagesList", "QueueMessage", 0)

VALUES = {
    "Messages_Enqueue.body": {"QueueMessage": {"MessageText": "hello"}},
    "MessageId_Update.body": {"QueueMessage": {"MessageText": "changed"}},
    "Queue_SetAccessPolicy.body": ACL,
    "Service_SetProperties.body": SERVICE,
    "Service_GetUserDelegationKey.body": {
        "KeyInfo": {"Start": "2031-01-01T00:00:00Z", "Expiry": "2031-01-02T00:00:00Z"}
    },
    "message_id": Ref(-1, (*MESSAGE, "MessageId")),
    "pop_receipt": Ref(-1, (*MESSAGE, "PopReceipt")),
    "MessageId_Update.visibility_timeout": 0,
    "visibility_timeout": 0,
    "Messages_Dequeue?visibility_timeout": 30,
    "message_time_to_live": 3600,
    "number_of_messages": 2,
    "metadata": {"colour": "blue"},
    "Queue_SetMetadata.metadata": {"colour": "blue"},
    "Service_ListQueuesSegment.prefix": Name("prefix"),
    "maxresults": 2,
    "max_results": 2,
    "marker": None,
    "include": ["metadata"],
    "timeout": 30,
    "content_type": None,
}

HINTS = Hints(
    names={"queue": "queue"},
    makers={"queue": "Queue_Create"},
    values=VALUES,
    further={"metadata": (MORE, BULKY)},
    wrong={"metadata": ({"not-valid": "blue"},)},
    creates={"Queue_Create": words("queue")},
    needs={
        "Service_GetProperties": ("Service_SetProperties",),
        "Messages_Dequeue": ("Messages_Enqueue",),
        "Messages_Peek": ("Messages_Enqueue",),
        "Messages_Clear": ("Messages_Enqueue",),
        "MessageId_Update": ("Messages_Enqueue",),
        "MessageId_Delete": ("Messages_Enqueue",),
        "Queue_GetAccessPolicy": ("Queue_SetAccessPolicy",),
        "Service_ListQueuesSegment": ("Queue_Create",),
        **NEEDS,
        **rules_queue.NEEDS,
    },
    ways={**WAYS, **rules_queue.WAYS},
    related={**RELATED, **rules_queue.RELATED},
    observers={
        "Queue_Create": ("Queue_GetProperties", "Service_ListQueuesSegment:metadata"),
        "Queue_Delete": ("Queue_GetProperties", "Service_ListQueuesSegment"),
        "Queue_SetMetadata": ("Queue_GetProperties", "Service_ListQueuesSegment:metadata"),
        "Queue_SetAccessPolicy": ("Queue_GetAccessPolicy",),
        "Messages_Enqueue": ("Messages_Peek", "Queue_GetProperties", "Messages_Dequeue"),
        "MessageId_Update": ("Messages_Peek", "Queue_GetProperties", "Messages_Dequeue"),
        "Messages_*": ("Messages_Peek", "Queue_GetProperties", "Messages_Dequeue"),
        "MessageId_*": ("Messages_Peek", "Queue_GetProperties", "Messages_Dequeue"),
        "Service_SetProperties": ("Service_GetProperties",),
    },
    account=words("Service_SetProperties Service_GetProperties"),
    removers={"queue": "Queue_Delete"},
    lists=words("Messages_Peek Messages_Dequeue Service_ListQueuesSegment"),
)
