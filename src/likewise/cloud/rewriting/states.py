"""Rules with a memory: eventual consistency, lost writes, throttling, servers that die."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

from likewise.cloud.rewriting.messages import Request, Response, answer, error, success
from likewise.cloud.rewriting.rules import Action, Drop, Hang, Matcher, Raw, Rule, Twice, matching
from likewise.cloud.rewriting.signature import is_signed_with

BEING_DELETED = {
    "s3": (409, "OperationAborted"),
    "dynamodb": (400, "ResourceInUseException"),
    "blob": (409, "ContainerBeingDeleted"),
    "queue": (409, "QueueBeingDeleted"),
    "table": (409, "TableBeingDeleted"),
}
CREATES = (
    "s3.CreateBucket",
    "dynamodb.CreateTable",
    "blob.Container_Create",
    "queue.Queue_Create",
    "table.Table_Create",
)
DELETES = (
    "s3.DeleteBucket",
    "dynamodb.DeleteTable",
    "blob.Container_Delete",
    "queue.Queue_Delete",
    "table.Table_Delete",
)
ABSENT = {"s3": "NoSuchKey", "blob": "BlobNotFound", "table": "ResourceNotFound"}
THROTTLED = {
    "s3": (503, "SlowDown"),
    "dynamodb": (400, "ProvisionedThroughputExceededException"),
}


def delay_recreation(attempts: int) -> Rule:
    """A deleted bucket, table, container or queue cannot be created again for so many attempts."""
    waiting: dict[tuple[str, str], int] = {}

    def hold(request: Request) -> Action:
        place = (request.service, container_of(request))
        if request.operation in CREATES and waiting.get(place, 0) > 0:
            waiting[place] -= 1
            status, code = BEING_DELETED[request.service]
            return error(request, status, code, "The resource is being deleted. Try again later.")
        return request

    def note(request: Request, response: Response) -> Response:
        if request.operation in DELETES and response.status < 300:
            waiting[request.service, container_of(request)] = attempts
        return response

    return Rule(
        name="delay_recreation",
        matches=lambda request: request.operation in CREATES + DELETES,
        on_request=hold,
        on_response=note,
    )


def delay_visibility(reads: int) -> Rule:
    """A new object, item, entity or message is not to be seen by the first so many reads."""
    writes = (
        "s3.PutObject, blob.BlockBlob_Upload, dynamodb.PutItem, table.Table_InsertEntity, "
        "queue.Messages_Enqueue"
    )
    looks = (
        "s3.GetObject, s3.HeadObject, blob.Blob_Download, blob.Blob_GetProperties, dynamodb.GetItem, "
        "table.Table_QueryEntitiesWithPartitionAndRowKey, queue.Messages_Dequeue, queue.Messages_Peek"
    )
    is_write, is_look = matching(writes), matching(looks)
    hidden: dict[frozenset[str], int] = {}

    def hide(request: Request) -> Action:
        if not is_look(request):
            return request
        place = identity(request)
        for written, left in hidden.items():
            if left > 0 and place <= written:
                hidden[written] = left - 1
                return _absent(request)
        return request

    def note(request: Request, response: Response) -> Response:
        if is_write(request) and response.status < 300:
            hidden[identity(request)] = reads
        return response

    return Rule(
        name="delay_visibility",
        matches=lambda request: is_write(request) or is_look(request),
        on_request=hide,
        on_response=note,
    )


def stale_read(reads: int, which: Matcher) -> Rule:
    """After a write the first so many reads give what was there before it."""
    is_read = matching(which)
    known: dict[str, Response] = {}
    stale: dict[str, int] = {}

    def key(request: Request) -> str:
        return "/".join(request.names) if request.service != "dynamodb" else container_of(request)

    def recall(request: Request) -> Action:
        place = key(request)
        if is_read(request) and stale.get(place, 0) > 0 and place in known:
            stale[place] -= 1
            return known[place]
        return request

    def note(request: Request, response: Response) -> Response:
        if is_read(request):
            known[key(request)] = response
        elif response.status < 300 and is_change(request):
            stale[key(request)] = reads
        return response

    return Rule(name="stale_read", matches=lambda _: True, on_request=recall, on_response=note)


def swallow_write(which: Matcher) -> Rule:
    """Report success and do nothing."""
    return Rule(name="swallow_write", matches=matching(which), on_request=success)


def repeat_write(which: Matcher) -> Rule:
    """Do everything twice and report it once."""
    return Rule(name="repeat_write", matches=matching(which), on_request=lambda _: Twice())


def lose_answer(which: Matcher) -> Rule:
    """Do what is asked, then close the connection without a word."""
    return Rule(name="lose_answer", matches=matching(which), on_request=lambda _: Drop(forward=True))


def throttle(every: int, which: Matcher = "*") -> Rule:
    """Refuse every n-th call because there are too many."""

    def refuse(request: Request) -> Response:
        status, code = THROTTLED.get(request.service, (503, "ServerBusy"))
        return error(request, status, code, "Reduce your request rate.")

    return Rule(name="throttle", matches=matching(which), on_request=_from_time_to_time(every, refuse))


def die_after(requests: int, which: Matcher = "*") -> Rule:
    """Serve so many requests of a kind, and at the next one only close connections, whatever is asked."""
    counts = matching(which)
    seen = 0

    def serve(request: Request) -> Action:
        nonlocal seen
        seen += seen > requests or counts(request)
        return Drop() if seen > requests else request

    return Rule(name="die_after", matches=lambda _: True, on_request=serve)


def hang(which: Matcher = "*", *, seconds: float = 3600.0) -> Rule:
    """Take the request and do not answer."""
    return Rule(name="hang", matches=matching(which), on_request=lambda _: Hang(seconds=seconds))


def garbage(which: Matcher = "*", data: bytes = b"\x16\x03\x01 not HTTP at all\r\n\r\n") -> Rule:
    """Answer with bytes that are no HTTP."""
    return Rule(name="garbage", matches=matching(which), on_request=lambda _: Raw(data=data))


def require_signature(secret: str, *, access_key: str = "") -> Rule:
    """Refuse AWS calls that are not signed with this secret; Azurite verifies Azure's by itself."""

    def verify(request: Request) -> Action:
        if is_signed_with(request, secret=secret, access_key=access_key):
            return request
        if request.service == "dynamodb":
            return error(
                request, 400, "UnrecognizedClientException", "The security token in the request is invalid."
            )
        return error(request, 403, "SignatureDoesNotMatch", "The request signature does not match the key.")

    return Rule(
        name="require_signature",
        matches=lambda request: request.service in ("s3", "dynamodb"),
        on_request=verify,
    )


def container_of(request: Request) -> str:
    """The bucket, table, container or queue that a request is about."""
    if request.service in ("dynamodb", "table"):
        name = _object(request).get("TableName")
        if isinstance(name, str):
            return name
    return request.names[0] if request.names else request.path


def identity(request: Request) -> frozenset[str]:
    """What a call is about, such that a read's is part of that of the write it would see."""
    if request.service == "dynamodb":
        body = _object(request)
        pairs = body.get("Item") or body.get("Key")
        items = pairs.items() if isinstance(pairs, dict) else ()
        return frozenset({str(body.get("TableName", "")), *(json.dumps(pair) for pair in items)})
    if request.service == "table" and (body := _object(request)):
        keys = (str(body.get(name, "")) for name in ("PartitionKey", "RowKey"))
        return frozenset({*request.names[:1], *keys})
    if request.service == "queue":
        return frozenset(request.names[:1])
    return frozenset({"/".join(request.names)}) if request.service != "table" else frozenset(request.names)


def _object(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries; an empty one where it carries something else."""
    try:
        found = json.loads(request.body) if request.body[:1] == b"{" else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_change(request: Request) -> bool:
    """Whether a call may change something, by its name and method."""
    if request.service == "dynamodb":
        name = request.operation.partition(".")[2]
        return name.startswith(("Put", "Update", "Delete", "BatchWrite", "TransactWrite", "Create"))
    return request.method not in ("GET", "HEAD", "OPTIONS")


def _absent(request: Request) -> Response:
    if request.service == "dynamodb":
        return answer(200, b"{}", (("Content-Type", "application/x-amz-json-1.0"),))
    if request.service == "queue":
        empty = b'<?xml version="1.0" encoding="utf-8"?><QueueMessagesList />'
        return answer(200, empty, (("Content-Type", "application/xml"),))
    return error(request, 404, ABSENT[request.service], "There is nothing of this name.")


def _from_time_to_time(every: int, how: Callable[[Request], Response]) -> Callable[[Request], Action]:
    seen = count(1)
    return lambda request: request if next(seen) % every else how(request)
