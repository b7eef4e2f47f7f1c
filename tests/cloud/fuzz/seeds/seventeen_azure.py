"""Seeded differences of Azure's services, the seventeenth group, written without knowledge of the fuzzer.

What is kept of an earlier write, receipts that are no longer valid, answers about what was never set, names
and values beyond their limits. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from likewise.cloud.rewriting.states import container_of
from seeds.authorisation import _anonymous, _lets_in, _sas, _years
from seeds.azure import _changed, _fails_over
from seeds.further import _json, _longer
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.seventeen_aws import in_known
from seeds.sixteen_azure import _typed, being_deleted, in_table, messages_in, told_otherwise
from seeds.thirteen_aws import without_query
from seeds.twelve_azure import CONTENT_HEADERS

META = "x-ms-meta-"
VERSION = re.compile(rb"<DefaultServiceVersion>(?!20\d\d-\d\d-\d\d<)[^<]+<")
TABLE_MESSAGE = "message.value"


def _metadata(request: Request) -> dict[str, str]:
    """The metadata that a request gives, by the names of its headers."""
    return {name: text for name, text in request.headers if name.lower().startswith(META)}


def _headers(request: Request) -> dict[str, str]:
    """The headers that a blob is to be given out with, except for a sum, which would soon be wrong."""
    names = [name for name in CONTENT_HEADERS if name != "x-ms-blob-content-md5"]
    return {name: request.header(name) for name in names if request.header(name)}


def _much_metadata(request: Request) -> bool:
    """Whether the metadata is more than it may be."""
    return sum(len(name) - len(META) + len(text) for name, text in _metadata(request).items()) > 8192


def in_container(operation: str, when: Callable[[Request], bool], status: int, code: str, told: str) -> Rule:
    """A call about a container that is there is refused."""

    def meant(request: Request) -> bool:
        return request.operation == operation and when(request)

    return in_known("blob", "blob.Container_Create", "blob.Container_Delete", meant, (status, code, told))


def _adds_up(sets: str, makes: str, ends: str, given: Callable[[Request], dict[str, str]]) -> Rule:
    """What is set is added to what there is already, where it should take its place."""
    known: dict[tuple[str, ...], dict[str, str]] = {}
    is_made, is_ended = r.matching(makes), r.matching(ends)

    def old(request: Request) -> dict[str, str]:
        fresh = {name.lower() for name in given(request)}
        there = known.get(request.names, {})
        return {name: text for name, text in there.items() if name.lower() not in fresh}

    def keep(request: Request) -> Request:
        kept = request
        for name, text in old(request).items() if request.operation == sets else ():
            kept = kept.with_header(name, text)
        return kept

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if is_made(request):
            known[request.names] = given(request)
        elif request.operation == sets:
            known[request.names] = old(request) | given(request)
        elif is_ended(request):
            for each in [each for each in known if each[: len(request.names)] == request.names]:
                del known[each]
        return response

    which = r.matching(f"{sets}, {makes}, {ends}")
    return Rule(name="adds up", matches=which, on_request=keep, on_response=note)


def _any_receipt() -> Rule:
    """A message is deleted with any receipt that was ever given for it."""
    given: dict[str, list[str]] = {}

    def accept(request: Request) -> Request:
        receipts = given.get(request.names[-1] if request.names else "", [])
        old = request.query.get("popreceipt", "")
        if request.operation != "queue.MessageId_Delete" or old not in receipts[:-1]:
            return request
        return with_query(request, "popreceipt", receipts[-1])

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation in ("queue.Messages_Enqueue", "queue.Messages_Dequeue"):
            for told in messages_in(response):
                given.setdefault(told["MessageId"], []).append(told["PopReceipt"])
        elif request.operation == "queue.MessageId_Update" and response.header("x-ms-popreceipt"):
            given.setdefault(request.names[-1], []).append(response.header("x-ms-popreceipt"))
        elif request.operation == "queue.MessageId_Delete":
            given.pop(request.names[-1], None)
        return response

    return Rule(name="any receipt", matches=r.matching("queue.*"), on_request=accept, on_response=note)


def _listed_after_deletion(seconds: float) -> Rule:
    """A deleted queue is listed for a while."""
    deleted: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "queue.Queue_Delete":
            deleted[container_of(request)] = time.monotonic()
        elif request.operation == "queue.Queue_Create":
            deleted.pop(container_of(request), None)
        elif not {"maxresults", "marker"} & set(request.query):
            late = sorted(name for name, when in deleted.items() if time.monotonic() - when < seconds)
            more = "".join(
                f"<Queue><Name>{name}</Name></Queue>"
                for name in late
                if name.startswith(request.query.get("prefix", ""))
            )
            body = response.body.replace(b"<Queues/>", b"<Queues></Queues>")
            body = body.replace(b"</Queues>", more.encode() + b"</Queues>")
            return response.with_body(body) if more else response
        return response

    which = r.matching("queue.Queue_Create, queue.Queue_Delete, queue.Service_ListQueuesSegment")
    return Rule(name="listed after", matches=which, on_response=note)


def _long_property(request: Request) -> bool:
    """Whether a property of an entity has a longer name than it may."""
    return any(len(name.partition("@")[0]) > 255 for name in _json(request))


def _inserted_over() -> Rule:
    """An entity that is inserted takes the place of one that is there."""
    known: set[tuple[str, ...]] = set()

    def place_of(request: Request) -> tuple[str, ...]:
        fields = _json(request)
        return (*request.names[:1], str(fields.get("PartitionKey")), str(fields.get("RowKey")))

    def take(request: Request) -> Request:
        if request.operation != "table.Table_InsertEntity" or place_of(request) not in known:
            return request
        partition, row = (quote(key.replace("'", "''"), safe="") for key in place_of(request)[1:])
        path, _, query = request.target.partition("?")
        target = f"{path}(PartitionKey='{partition}',RowKey='{row}')?{query}"
        return replace(request, method="PUT", target=target.rstrip("?"))

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "table.Table_InsertEntity":
            known.add(place_of(request))
        elif request.operation == "table.Table_DeleteEntity":
            known.discard(request.names)
        elif request.operation == "table.Table_Delete":
            known.difference_update([each for each in known if each[0] == request.names[0]])
        return response

    which = "table.Table_InsertEntity, table.Table_DeleteEntity, table.Table_Delete"
    return Rule(name="inserted over", matches=r.matching(which), on_request=take, on_response=note)


def _guids_as_texts(request: Request) -> Request:
    """An entity whose identifiers are texts."""
    gone = {f"{name}@odata.type" for name in _typed(request, "Edm.Guid")}
    kept = {name: value for name, value in _json(request).items() if name not in gone}
    return request.with_body(json.dumps(kept).encode()) if gone else request


def _last_partition_first(body: bytes) -> bytes:
    """The entities of a list by their partitions, the last one first, and their rows as they were."""
    fields = json.loads(body)
    rows = fields.get("value", [])
    turned = sorted(rows, key=lambda row: str(row.get("PartitionKey", "")), reverse=True)
    return body if turned == rows else json.dumps({**fields, "value": turned}).encode()


def _has_no_policy(body: bytes) -> bool:
    return b"<SignedIdentifier>" not in body


MADE = "blob.BlockBlob_Upload, blob.PageBlob_Create, blob.AppendBlob_Create, blob.BlockBlob_CommitBlockList"
ENDED = "blob.Blob_Delete, blob.Container_Delete, blob.Blob_StartCopyFromURL, blob.Blob_CopyFromURL"
OUT_OF_RANGE = "The value for one of the XML nodes is not in the correct format."

ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "BlockBlob_Upload", in_container("blob.BlockBlob_Upload", _much_metadata, 400, "MetadataTooLarge", "The size of the specified metadata exceeds the maximum size permitted."), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "BlockBlob_StageBlock", in_container("blob.BlockBlob_StageBlock", lambda request: not request.body, 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Service_SetProperties", r.reject("blob.Service_SetProperties", 400, "InvalidXmlNodeValue", OUT_OF_RANGE, when=lambda request: bool(VERSION.search(request.body))), UNSAFE, CONSTRAINT, ""),
    ("blob", "code", "Blob_Delete", r.change_code("blob.Blob_Delete", "SnapshotsPresent", "BlobHasSnapshots"), MISLEADING, ERROR, "response"),
    ("blob", "message", "Blob_BreakLease", told_otherwise("blob.Blob_BreakLease", b"LeaseNotPresentWithLeaseOperation", "Message", "The blob is not leased."), MISLEADING, ERROR, "response"),
    ("blob", "null reference", "BlockBlob_GetBlockList", r.change_status("blob.BlockBlob_GetBlockList", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "failure", "PageBlob_GetPageRanges PageBlob_GetPageRangesDiff", _fails_over("blob.PageBlob_GetPageRanges", lambda body: b"<PageRange>" not in body), UNSAFE, NULL, "response"),
    ("blob", "field", "Blob_GetProperties", r.drop_field("blob.Blob_GetProperties", "header:x-ms-blob-committed-block-count"), WRONG, OTHER, ""),
    ("blob", "state", "Blob_SetMetadata", _adds_up("blob.Blob_SetMetadata", MADE, ENDED, _metadata), "", OTHER, "state"),
    ("blob", "state", "Blob_SetHTTPHeaders", _adds_up("blob.Blob_SetHTTPHeaders", MADE, ENDED, _headers), "", OTHER, "state"),
    ("blob", "authorisation", "Container_GetProperties", _lets_in("blob.Container_GetProperties", _anonymous), ALARM, AUTH, "response"),
    ("blob", "asynchronous", "Container_SetAccessPolicy Container_GetAccessPolicy", lagging("blob.Container_SetAccessPolicy", "blob.Container_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    ("blob", "ordering", "Service_GetProperties", r.reverse_list("blob.Service_GetProperties", "CorsRule"), WRONG, OTHER, ""),
    ("blob", "paging", "Service_ListContainersSegment", r.change_field("blob.Service_ListContainersSegment", "NextMarker", ""), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "Service_SetProperties", r.reject("queue.Service_SetProperties", 400, "InvalidXmlNodeValue", OUT_OF_RANGE, when=_longer("AllowedOrigins", 256)), UNSAFE, CONSTRAINT, ""),
    ("queue", "alarm", "MessageId_Delete", _any_receipt(), ALARM, "", ""),
    ("queue", "code", "Messages_Enqueue", r.change_code("queue.Messages_Enqueue", "QueueNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("queue", "message", "Queue_SetAccessPolicy", told_otherwise("queue.Queue_SetAccessPolicy", b"QueueNotFound", "Message", "There is no queue of that name."), MISLEADING, ERROR, "response"),
    ("queue", "failure", "Queue_GetAccessPolicy", _fails_over("queue.Queue_GetAccessPolicy", _has_no_policy), UNSAFE, NULL, "response"),
    ("queue", "field", "MessageId_Update", r.drop_field("queue.MessageId_Update", "header:x-ms-popreceipt"), WRONG, OTHER, "response"),
    ("queue", "state", "Queue_SetMetadata", _adds_up("queue.Queue_SetMetadata", "queue.Queue_Create", "queue.Queue_Delete", _metadata), "", OTHER, "state"),
    ("queue", "state", "Service_SetProperties Service_GetProperties", r.change_argument("queue.Service_SetProperties", "ExposedHeaders", lambda _: ""), "", OTHER, ""),
    ("queue", "authorisation", "Queue_SetMetadata", _lets_in("queue.Queue_SetMetadata", _sas("account", _years("2020"))), ALARM, AUTH, ""),
    ("queue", "asynchronous", "Queue_Delete Service_ListQueuesSegment", _listed_after_deletion(0.8), "", ASYNC, ""),
    ("queue", "paging", "Service_ListQueuesSegment", without_query("queue.Service_ListQueuesSegment", "prefix"), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_SetAccessPolicy", in_table("table.Table_SetAccessPolicy", _longer("Id", 64), "InvalidXmlNodeValue", OUT_OF_RANGE), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_InsertEntity", in_table("table.Table_InsertEntity", _long_property, "PropertyNameTooLong", "The property name exceeds the maximum allowed length (255)."), UNSAFE, CONSTRAINT, ""),
    ("table", "alarm", "Table_InsertEntity", _inserted_over(), ALARM, "", ""),
    ("table", "code", "Table_MergeEntity", r.change_code("table.Table_MergeEntity", "ResourceNotFound", "EntityNotFound"), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_UpdateEntity", told_otherwise("table.Table_UpdateEntity", b"UpdateConditionNotSatisfied", TABLE_MESSAGE, "The entity has been changed since."), MISLEADING, ERROR, "response"),
    ("table", "failure", "Table_GetAccessPolicy", _fails_over("table.Table_GetAccessPolicy", _has_no_policy), UNSAFE, NULL, "response"),
    ("table", "field", "Table_InsertEntity", r.drop_field("table.Table_InsertEntity", "Timestamp"), WRONG, OTHER, "response"),
    ("table", "state", "Table_MergeEntity", _changed("table.Table_MergeEntity", _guids_as_texts), "", OTHER, "state"),
    ("table", "authorisation", "Table_MergeEntity", _lets_in("table.Table_MergeEntity", _sas("service", _years("2020"))), ALARM, AUTH, ""),
    ("table", "asynchronous", "Table_Create Table_Delete", being_deleted("Table", 0.8), UNSAFE, ASYNC, ""),
    ("table", "ordering", "Table_QueryEntities", r.change_body("table.Table_QueryEntities", _last_partition_first), WRONG, OTHER, ""),
    ("table", "paging", "Table_Query", r.drop_field("table.Table_Query", "header:x-ms-continuation-NextTableName"), WRONG, OTHER, ""),
]  # fmt: skip

SEVENTEEN_AZURE: tuple[Seed, ...] = tuple(seed(*row, group=17) for row in ROWS)
