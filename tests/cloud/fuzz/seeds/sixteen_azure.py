"""Seeded differences of Azure's services, the sixteenth group, written without knowledge of the fuzzer.

What earlier groups left alone: leases, typed values, sums and conditions on pages, tokens of lists, messages
that outlive themselves, queues made anew at once. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import parsedate_to_datetime

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.rules import with_query
from likewise.cloud.rewriting.states import container_of
from seeds.authorisation import _anonymous, _lets_in, _sas, _years
from seeds.azure import _changed
from seeds.eleven_azure import _dropping
from seeds.fourteen_aws import failed
from seeds.further import _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.thirteen_aws import on_answers, reworded, without_query
from seeds.unseen import _without_metadata

GUID = re.compile(r"[({]?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}[)}]?", re.IGNORECASE)
TAKES_LEASE = ("blob.Blob_AcquireLease", "blob.Blob_ChangeLease", "blob.Blob_RenewLease")
ENDS_LEASE = ("blob.Blob_ReleaseLease", "blob.Blob_BreakLease", "blob.Blob_Delete")
UNFIT = "The value for one of the HTTP headers is not in the correct format."

Note = Callable[[Request, Response], Response]


def _leases() -> tuple[Callable[[Request], str], Note]:
    """The lease that a blob has now, and what to note for that."""
    held: dict[tuple[str, ...], tuple[str, float]] = {}

    def current(request: Request) -> str:
        lease, until = held.get(request.names, ("", 0.0))
        return lease if time.monotonic() < until else ""

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation in TAKES_LEASE:
            asked = request.header("x-ms-lease-duration")
            # How long a changed or renewed one goes on is not said again; the shortest will do.
            lasts = 1e9 if asked == "-1" else int(asked or 15)
            held[request.names] = (response.header("x-ms-lease-id"), time.monotonic() + lasts - 2)
        elif request.operation in ENDS_LEASE:
            held.pop(request.names, None)
        elif request.operation == "blob.Container_Delete":
            for place in [each for each in held if each[0] == container_of(request)]:
                del held[place]
        return response

    return current, note


def _broken_soon() -> Rule:
    """A lease is broken within a minute."""
    current, note = _leases()

    def refuse(request: Request) -> Request | Response:
        asked = request.header("x-ms-lease-break-period")
        is_long = asked.isdecimal() and int(asked) > 60
        if request.operation != "blob.Blob_BreakLease" or not is_long or not current(request):
            return request
        return r.error(request, 400, "InvalidHeaderValue", UNFIT)

    return Rule(name="broken soon", matches=r.matching("blob.*"), on_request=refuse, on_response=note)


def _tier_whoever_leases() -> Rule:
    """The tier of a blob is changed whoever has the lease."""
    current, note = _leases()

    def allow(request: Request) -> Request:
        lease = current(request)
        is_meant = request.operation == "blob.Blob_SetTier" and "snapshot" not in request.query
        if not is_meant or not lease or request.header("x-ms-lease-id"):
            return request
        return request.with_header("x-ms-lease-id", lease)

    return Rule(name="whoever leases", matches=r.matching("blob.*"), on_request=allow, on_response=note)


def _odd_lease() -> Rule:
    """A lease on a container that has none is proposed as what leases are."""
    free: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        asked = request.header("x-ms-proposed-lease-id")
        is_meant = request.operation == "blob.Container_AcquireLease" and container_of(request) in free
        if not is_meant or not asked or GUID.fullmatch(asked):
            return request
        return r.error(request, 400, "InvalidHeaderValue", UNFIT)

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation in ("blob.Container_Create", "blob.Container_ReleaseLease"):
            free.add(container_of(request))
        elif request.operation in ("blob.Container_AcquireLease", "blob.Container_Delete"):
            free.discard(container_of(request))
        return response

    return Rule(name="odd lease", matches=r.matching("blob.*"), on_request=refuse, on_response=note)


def told_otherwise(which: str, mark: bytes, field: str, text: str) -> Rule:
    """One kind of error is worded otherwise."""

    def tell(_: Request, response: Response) -> Response:
        if response.status < 400 or mark not in response.body:
            return response
        return trees.change_response(response, field, lambda _: text)

    return on_answers(which, tell)


def _hidden_too_long() -> Rule:
    """A message is not hidden for longer than it lives."""
    known: dict[str, tuple[float, str]] = {}

    def refuse(request: Request) -> Request | Response:
        expires, receipt = known.get(request.names[-1] if request.names else "", (1e12, ""))
        asked = request.query.get("visibilitytimeout", "")
        is_fine = asked.isdecimal() and int(asked) <= 604_800 and request.query.get("popreceipt") == receipt
        if (
            request.operation != "queue.MessageId_Update"
            or not is_fine
            or time.time() + int(asked) <= expires
        ):
            return request
        told = "One of the query parameters specified in the request URI is outside the permissible range."
        return r.error(request, 400, "OutOfRangeQueryParameterValue", told)

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation in ("queue.Messages_Enqueue", "queue.Messages_Dequeue"):
            for told in messages_in(response):
                expires = parsedate_to_datetime(told["ExpirationTime"]).timestamp()
                known[told["MessageId"]] = (expires, told["PopReceipt"])
        elif request.operation in ("queue.MessageId_Update", "queue.MessageId_Delete"):
            known.pop(request.names[-1], None)
        return response

    return Rule(name="hidden too long", matches=r.matching("queue.*"), on_request=refuse, on_response=note)


def _much_metadata() -> Rule:
    """The metadata of a queue that is there is not more than it may be."""
    known: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        given = [
            (name[10:], value) for name, value in request.headers if name.lower().startswith("x-ms-meta-")
        ]
        is_meant = request.operation == "queue.Queue_SetMetadata" and container_of(request) in known
        if not is_meant or sum(len(name) + len(value) for name, value in given) <= 8192:
            return request
        told = "The size of the specified metadata exceeds the maximum size permitted."
        return r.error(request, 400, "MetadataTooLarge", told)

    def note(request: Request, response: Response) -> Response:
        if response.status < 300 and request.operation == "queue.Queue_Create":
            known.add(container_of(request))
        elif response.status < 300 and request.operation == "queue.Queue_Delete":
            known.discard(container_of(request))
        return response

    return Rule(name="much metadata", matches=r.matching("queue.*"), on_request=refuse, on_response=note)


def _comes_back() -> Rule:
    """A message that is deleted is only shown again."""

    def show(request: Request) -> Request:
        return with_query(replace(request.with_body(b""), method="PUT"), "visibilitytimeout", "0")

    def report(_: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        return response.with_header("x-ms-popreceipt", None).with_header("x-ms-time-next-visible", None)

    which = r.matching("queue.MessageId_Delete")
    return Rule(name="comes back", matches=which, on_request=show, on_response=report)


def messages_in(response: Response) -> list[dict[str, str]]:
    """What an answer says of each message, by name."""
    found = re.findall(r"<QueueMessage>.*?</QueueMessage>", response.body.decode(), re.DOTALL)
    return [dict(re.findall(r"<(\w+)>([^<]*)</\1>", each)) for each in found]


def being_deleted(kind: str, seconds: float) -> Rule:
    """A queue or table is being deleted for a while, and cannot be made anew."""
    service = kind.lower()
    deleted: dict[str, float] = {}

    def refuse(request: Request) -> Request | Response:
        is_late = time.monotonic() - deleted.get(container_of(request), -1e9) < seconds
        if request.operation != f"{service}.{kind}_Create" or not is_late:
            return request
        return r.error(request, 409, f"{kind}BeingDeleted", f"The specified {service} is being deleted.")

    def note(request: Request, response: Response) -> Response:
        if request.operation == f"{service}.{kind}_Delete" and response.status < 300:
            deleted[container_of(request)] = time.monotonic()
        return response

    which = r.matching(f"{service}.*")
    return Rule(name="being deleted", matches=which, on_request=refuse, on_response=note)


def _typed(request: Request, kind: str) -> dict[str, str]:
    """The values of an entity that are said to be of a kind, by their names."""
    fields, mark = _json(request), "@odata.type"
    names = [name.removesuffix(mark) for name, told in fields.items() if name.endswith(mark) and told == kind]
    return {name: str(fields[name]) for name in names if fields.get(name) is not None}


def _is_long(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?\d+", text)) and -(2**63) <= int(text) < 2**63


def in_table(operation: str, when: Callable[[Request], bool], code: str, told: str) -> Rule:
    """A call about a table that is there is refused."""
    known: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        table = request.names[0] if request.names else ""
        if request.operation != operation or table not in known or not when(request):
            return request
        return r.error(request, 400, code, told)

    def note(request: Request, response: Response) -> Response:
        if response.status < 300 and request.operation == "table.Table_Create":
            known.add(container_of(request))
        elif response.status < 300 and request.operation == "table.Table_Delete":
            known.discard(request.names[0])
        return response

    return Rule(name="in table", matches=r.matching("table.*"), on_request=refuse, on_response=note)


def _unfit(operation: str, kind: str, fits: Callable[[str], object]) -> Rule:
    """A value of an entity, in a table that is there, is what it is said to be."""
    told = "An error occurred while processing this request."
    return in_table(
        operation, lambda request: not all(map(fits, _typed(request, kind).values())), "InvalidInput", told
    )


def _whole_seconds(request: Request) -> Request:
    """An entity with its dates cut to seconds."""
    fields = _json(request)
    dates = _typed(request, "Edm.DateTime")
    cut = {name: re.sub(r"(:\d\d)\.\d+", r"\1", text) for name, text in dates.items()}
    return request if cut == dates else request.with_body(json.dumps(fields | cut).encode())


def _whatever_tag(request: Request) -> Request:
    """A request that is about an entity whichever it is by now."""
    is_tag = re.fullmatch(r"W/\"datetime'[^']+'\"", request.header("If-Match"))
    return request.with_header("If-Match", "*") if is_tag else request


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "Blob_BreakLease", _broken_soon(), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Container_AcquireLease", _odd_lease(), UNSAFE, CONSTRAINT, ""),
    ("blob", "alarm", "Blob_SetTier", _tier_whoever_leases(), ALARM, "", ""),
    ("blob", "code", "BlockBlob_StageBlock", r.change_code("blob.BlockBlob_StageBlock", "InvalidOperation", "Md5Mismatch"), MISLEADING, ERROR, "response"),
    ("blob", "message", "PageBlob_ClearPages", told_otherwise("blob.PageBlob_ClearPages", b"SequenceNumberConditionNotMet", "Message", "The sequence number condition specified was not met."), MISLEADING, ERROR, "response"),
    ("blob", "null reference", "PageBlob_Resize", r.change_status("blob.PageBlob_Resize", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "field", "AppendBlob_AppendBlock", r.drop_field("blob.AppendBlob_AppendBlock", "header:x-ms-blob-committed-block-count"), WRONG, OTHER, "response"),
    ("blob", "state", "AppendBlob_Create", _changed("blob.AppendBlob_Create", _dropping("x-ms-blob-content-type")), "", OTHER, "state"),
    ("blob", "state", "Container_Create", _changed("blob.Container_Create", _dropping("x-ms-meta-")), "", OTHER, "state"),
    ("blob", "authorisation", "Blob_GetProperties", _lets_in("blob.Blob_GetProperties", _sas("service", _years("2020"))), ALARM, AUTH, "response"),
    ("blob", "asynchronous", "Container_SetMetadata Container_GetProperties", lagging("blob.Container_SetMetadata", "blob.Container_GetProperties", 0.8, _without_metadata), "", ASYNC, ""),
    ("blob", "ordering", "Container_ListBlobHierarchySegment", r.reverse_list("blob.Container_ListBlobHierarchySegment", "BlobPrefix"), WRONG, OTHER, ""),
    ("blob", "paging", "Container_ListBlobHierarchySegment", without_query("blob.Container_ListBlobHierarchySegment", "maxresults", 5000), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "MessageId_Update", _hidden_too_long(), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Queue_SetMetadata", _much_metadata(), UNSAFE, CONSTRAINT, ""),
    ("queue", "code", "Queue_Create", r.change_code("queue.Queue_Create", "InvalidResourceName", "InvalidInput"), MISLEADING, ERROR, "response"),
    ("queue", "message", "Messages_Enqueue", told_otherwise("queue.Messages_Enqueue", b"messagettl must be greater", "Message", "The visibility timeout has to be less than the time to live."), MISLEADING, ERROR, "response"),
    ("queue", "null reference", "MessageId_Update", r.change_status("queue.MessageId_Update", 404, 500), MISLEADING, NULL, "response"),
    ("queue", "field", "Messages_Enqueue", r.drop_field("queue.Messages_Enqueue", "TimeNextVisible"), WRONG, OTHER, "response"),
    ("queue", "state", "MessageId_Delete", _comes_back(), "", OTHER, "state"),
    ("queue", "authorisation", "Queue_GetProperties", _lets_in("queue.Queue_GetProperties", _sas("account", _years("2020"))), ALARM, AUTH, "response"),
    ("queue", "asynchronous", "Queue_Create Queue_Delete", being_deleted("Queue", 0.8), UNSAFE, ASYNC, ""),
    ("queue", "ordering", "Service_GetProperties", r.reverse_list("queue.Service_GetProperties", "CorsRule"), WRONG, OTHER, ""),
    ("queue", "paging", "Messages_Dequeue", without_query("queue.Messages_Dequeue", "numofmessages", 32), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_InsertEntity", _unfit("table.Table_InsertEntity", "Edm.Int64", _is_long), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_UpdateEntity", _unfit("table.Table_UpdateEntity", "Edm.Guid", GUID.fullmatch), UNSAFE, CONSTRAINT, ""),
    ("table", "alarm", "Table_MergeEntity", _changed("table.Table_MergeEntity", _whatever_tag), ALARM, "", ""),
    ("table", "code", "Table_Create", reworded("table.Table_Create", b"contains invalid characters", 400, "InvalidResourceName", "The specified resource name contains invalid characters."), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_InsertEntity", told_otherwise("table.Table_InsertEntity", b"EntityAlreadyExists", "message.value", "There is an entity of that key in the table."), MISLEADING, ERROR, "response"),
    ("table", "null reference", "Table_InsertEntity", failed("table.Table_InsertEntity", 400, "InvalidInput", "An error occurred while processing this request."), MISLEADING, NULL, "response"),
    ("table", "field", "Table_QueryEntitiesWithPartitionAndRowKey", r.drop_field("table.Table_QueryEntitiesWithPartitionAndRowKey", "header:ETag"), WRONG, OTHER, ""),
    ("table", "state", "Table_UpdateEntity", _changed("table.Table_UpdateEntity", _whole_seconds), "", OTHER, "state"),
    ("table", "authorisation", "Table_DeleteEntity", _lets_in("table.Table_DeleteEntity", _anonymous), ALARM, AUTH, ""),
    ("table", "asynchronous", "Table_InsertEntity Table_QueryEntities", lagging("table.Table_InsertEntity", "table.Table_QueryEntities", 0.8, _hidden("value")), "", ASYNC, ""),
    ("table", "ordering", "Table_GetAccessPolicy", r.reverse_list("table.Table_GetAccessPolicy", "SignedIdentifier"), WRONG, OTHER, ""),
    ("table", "paging", "Table_Query", without_query("table.Table_Query", "NextTableName"), WRONG, OTHER, ""),
]  # fmt: skip

SIXTEEN_AZURE: tuple[Seed, ...] = tuple(seed(*row, group=16) for row in ROWS)
