"""Azure Queue Storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from likewise.cloud.ages import moment
from likewise.cloud.bodies import Mask, Shape
from likewise.cloud.services import generated
from likewise.cloud.services.azure import BINDING, reads_of_policy, service_of, split_account
from likewise.cloud.services.call import Call, decode
from likewise.cloud.services.flow import Sources
from likewise.cloud.services.masks import constant
from likewise.cloud.services.service import Found, Rule, Service, match, patterns, rules
from likewise.model import Resource, Touch, Value
from likewise.model.interaction import FOREVER

NAMES = {
    "Queue_SendMessage": "Messages_Enqueue",
    "Queue_ReceiveMessages": "Messages_Dequeue",
    "Queue_PeekMessages": "Messages_Peek",
    "Queue_Clear": "Messages_Clear",
    "Queue_UpdateMessage": "MessageId_Update",
    "Queue_DeleteMessage": "MessageId_Delete",
    "Service_GetQueues": "Service_ListQueuesSegment",
}
"""The names of the REST specification, where the Python SDK has its own."""

WITH_HEAD = {
    "Queue_GetPropertiesWithHead": "HEAD queue ?comp=metadata",
    "Queue_GetAccessPolicyWithHead": "HEAD queue ?comp=acl",
}

OPERATIONS = rules(
    {
        "Service_SetProperties": "write account timed",
        "Service_GetProperties": "read account",
        "Service_GetStatistics": "read account",
        "Service_GetUserDelegationKey": "read account",
        "Service_ListQueuesSegment": "read queues/**",
        "Queue_Create": "absorb queue/*; absorb listed; read metadata",
        "Queue_Delete": "absorb queue/* timed; absorb listed",
        "Queue_SetMetadata": "absorb metadata; write listed",
        "Queue_GetProperties": "read metadata; read messages/**",
        "Queue_GetPropertiesWithHead": "read metadata; read messages/**",
        "Queue_SetAccessPolicy": "absorb policy",
        "Queue_GetAccessPolicy": "read policy",
        "Queue_GetAccessPolicyWithHead": "read policy",
        # who gets which message depends on everything that happened to those that are there
        "Messages_Enqueue": "read messages/**; absorb message",
        "Messages_Dequeue": "read messages/**; write message timed",
        "Messages_Peek": "probe messages/**",
        "Messages_Clear": "absorb messages/**",
        "MessageId_Update": "write message timed",
        "MessageId_Delete": "remove message",
    }
)

PATTERNS = patterns(
    [
        *((NAMES.get(name, name), pattern) for name, pattern in generated.QUEUE.items()),
        *WITH_HEAD.items(),
    ]
)

MASKS: dict[tuple[str, str], Mask] = {
    ("EnumerationResults", "@ServiceEndpoint"): constant("endpoint"),
    ("Error", "AuthenticationErrorDetail"): constant("signature"),
}

HIDDEN = "30"
"""For how many seconds a message is hidden from others where its receiver says nothing of that."""

_GIVING = ("Messages_Dequeue", "Messages_Peek")
_NODES = {"messages": "messages", "metadata": "?metadata", "policy": "?policy"}


class Queue(Service):
    """Queues, each of their messages, and configuration as nodes of its own."""

    name = "queue"
    shows_reason = True
    tells_request = True
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]] = OPERATIONS
    shape = Shape(lists=frozenset({"Queue", "QueueMessage", "SignedIdentifier"}), masks=MASKS)

    def recognises(self, call: Call) -> bool:
        return service_of(call) == self.name

    def place(self, call: Call) -> None:
        call.account, rest = split_account(call)
        names = [decode(name) for name in rest.split("/") if name]
        call.names = names[:1] + names[2:] if names[1:2] == ["messages"] else names
        if not names:
            level = "service"
        elif len(names) == 1:
            level = "queue"
        elif names[1] == "messages" and len(names) < 4:
            level = "messages" if len(names) == 2 else "messages/*"
        else:
            level = ""
        call.operation = match(PATTERNS, level, call, binding=BINDING)

    def find(self, node: str, call: Call) -> Iterable[Found]:
        account = (self.name, call.account)
        if node == "account":
            return [(account, True)]
        if node == "queues":
            return [((*account, "?queues"), True)]
        if node == "listed":
            return [((*account, "?queues", call.names[0]), True)]
        queue = (*account, call.names[0])
        if node == "message":
            messages = (*queue, "messages")
            known = () if call.is_refused else _messages(call)
            return [((*messages, name), True) for name in known] or [(messages, False)]
        return [(queue if node == "queue" else (*queue, _NODES[node]), True)]

    def _touches(self, call: Call, sources: Sources) -> Iterable[Touch]:
        yield from super()._touches(call, sources)
        if call.names:
            yield from reads_of_policy(call, self.find("policy", call))

    def is_timed(self, call: Call) -> bool:
        if call.operation != "Messages_Enqueue":
            return False
        hidden, kept = call.query.get("visibilitytimeout", "0"), call.query.get("messagettl", "-1")
        return hidden != "0" or kept != "-1"

    def lasts(self, call: Call, resource: Resource) -> float | None:
        """Until a message is visible again, or gone: whichever comes first."""
        default = HIDDEN if call.operation == "Messages_Dequeue" else "0"
        stated = (call.query.get("visibilitytimeout", default), call.query.get("messagettl", "0"))
        periods = [float(text) for text in stated if text.isdecimal() and int(text) > 0]
        return min(periods, default=None)

    def mask(self, call: Call) -> None:
        """Say how long a message is kept and, to its sender, hidden: the dates themselves vary."""
        for entry in _entries(call):
            if isinstance(entry, dict):
                entry |= _spans(entry, is_sent=call.operation == "Messages_Enqueue")

    def is_empty(self, call: Call) -> bool:
        if call.operation == "Queue_Create":
            return call.status == 204  # it was there already, just so
        if call.operation not in _GIVING or call.status is None:
            return False
        return isinstance(call.response, dict) and not _messages(call)


def _messages(call: Call) -> list[str]:
    """The ids of the messages that a call names, or else that its answer does."""
    if len(call.names) > 1:
        return call.names[1:2]
    return [
        name
        for entry in _entries(call)
        if isinstance(entry, dict) and isinstance(name := entry.get("MessageId"), str)
    ]


def _entries(call: Call) -> list[Value]:
    answer = call.response.get("QueueMessagesList") if isinstance(call.response, dict) else None
    entries = answer.get("QueueMessage") if isinstance(answer, dict) else None
    return entries if isinstance(entries, list) else []


def _spans(entry: Mapping[str, Value], *, is_sent: bool) -> dict[str, Value]:
    """How many seconds after its insertion a message expires, and appears; later it was hidden since."""
    since = _moment(entry, "InsertionTime")
    found: dict[str, Value] = {}
    for name, date in (("keptFor", "ExpirationTime"), ("hiddenFor", "TimeNextVisible")):
        until = _moment(entry, date)
        if since is None or until is None or (date == "TimeNextVisible" and not is_sent):
            continue
        found[name] = int(until - since) if until - since < FOREVER else "ever"
    return found


def _moment(entry: Mapping[str, Value], name: str) -> float | None:
    text = entry.get(name)
    return moment(text) if isinstance(text, str) else None
