"""Seeded differences of Azure's services as somebody would write them who has never seen the fuzzer.

Simple and typical ones, over many operations. Those of a service and group are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.messages import answer
from seeds.azure import _changed, _is
from seeds.eleven_azure import _dropping
from seeds.further import _fails, _json, _more, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed
from seeds.unseen import _without_metadata

CONTENT_HEADERS = tuple(
    f"x-ms-blob-{name}"
    for name in (
        "cache-control",
        "content-type",
        "content-md5",
        "content-encoding",
        "content-language",
        "content-disposition",
    )
)


UNMET = (
    "The condition specified using HTTP conditional header(s) is not met.\n"
    "RequestId:00000000-0000-0000-0000-000000000000\nTime:2026-01-01T00:00:00.000Z"
)


def _sets_nothing(request: Request) -> bool:
    """Whether no property of a blob is given."""
    return not any(request.header(name) for name in CONTENT_HEADERS)


def _long_name(limit: int) -> Callable[[Request], bool]:
    """Whether the container or queue has a name longer than that."""
    return lambda request: len(request.names[0]) > limit


def _long_value(limit: int) -> Callable[[Request], bool]:
    """Whether one value of the metadata is longer than that."""
    return lambda request: any(
        len(text) > limit for name, text in request.headers if name.lower().startswith("x-ms-meta-")
    )


def _never_expires(request: Request) -> bool:
    """Whether there are policies, and fewer of them expire."""
    return request.body.count(b"<SignedIdentifier>") > request.body.count(b"<Expiry>")


def _without_cache_control(request: Request) -> Request:
    name = "x-ms-blob-cache-control"
    return request.with_header(name, None) if request.header(name) else request


def _without_text(request: Request) -> Request:
    """An update of a message that leaves its text alone."""
    return request.with_body(b"") if request.body else request


def _long_property(limit: int) -> Callable[[Request], bool]:
    """Whether a property of an entity has a name longer than that."""
    return lambda request: any(len(name.partition("@")[0]) > limit for name in _json(request))


def _newest_first(body: bytes) -> bytes:
    """The entities of a list by the time of their latest change, the latest first."""
    fields = json.loads(body)
    rows = fields.get("value", [])
    by_time = sorted(rows, key=lambda row: str(row.get("Timestamp", "")), reverse=True)
    return body if by_time == rows else json.dumps({**fields, "value": by_time}).encode()


def _undeleted() -> Rule:
    """A blob that is deleted is only looked for, and stays."""

    def tell(request: Request, response: Response) -> Response:
        if response.status == 304:  # what a look says where a deletion is refused
            return r.error(request, 412, "ConditionNotMet", UNMET)
        if response.status >= 300:
            return response
        return answer(202, headers=(("x-ms-delete-type-permanent", "true"),))

    return Rule(
        name="undeleted",
        matches=r.matching("blob.Blob_Delete"),
        on_request=lambda request: replace(_dropping("if-")(_dropping("x-ms-if-")(request)), method="GET"),
        on_response=tell,
    )


def _lingering(seconds: float) -> Rule:
    """A deleted entity can be read for a while as it was inserted."""
    kept: dict[tuple[str, ...], bytes] = {}
    deleted: dict[tuple[str, ...], float] = {}

    def note(request: Request, response: Response) -> Response:
        name, place = request.operation.partition(".")[2], request.names
        if name == "Table_InsertEntity" and response.status < 300:
            fields = _json(request)
            place = (*place[:1], str(fields.get("PartitionKey")), str(fields.get("RowKey")))
            kept[place] = response.body or request.body
            deleted.pop(place, None)
        elif name in ("Table_UpdateEntity", "Table_MergeEntity"):
            kept.pop(place, None)
        elif name == "Table_DeleteEntity" and response.status < 300:
            deleted[place] = time.monotonic()
        elif response.status == 404 and place in kept:
            is_late = time.monotonic() - deleted.get(place, -1e9) < seconds
            kind = ("Content-Type", "application/json;odata=minimalmetadata")
            return answer(200, kept[place], (kind,)) if is_late else response
        return response

    which = "table.Table_*Entity, table.Table_QueryEntitiesWithPartitionAndRowKey"
    return Rule(name="lingering", matches=r.matching(which), on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "Container_Create", r.reject("blob.Container_Create", 400, "OutOfRangeInput", when=_long_name(40)), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "BlockBlob_Upload", r.limit_size("blob.BlockBlob_Upload", 10_000, 413, "RequestBodyTooLarge"), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Blob_SetMetadata", r.reject("blob.Blob_SetMetadata", 400, "MetadataTooLarge", when=_long_value(256)), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Blob_AcquireLease", r.reject("blob.Blob_AcquireLease", 400, "InvalidHeaderValue", when=_is("x-ms-lease-duration", "-1")), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "PageBlob_Create", r.reject("blob.PageBlob_Create", 400, "InvalidHeaderValue", when=_is("x-ms-blob-content-length", "0")), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Container_SetAccessPolicy", r.reject("blob.Container_SetAccessPolicy", 400, "InvalidXmlDocument", when=_never_expires), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Blob_SetTags", r.reject("blob.Blob_SetTags", 400, "InvalidTag", when=_more("Tag", 5)), UNSAFE, CONSTRAINT, ""),
    ("blob", "alarm", "Container_Delete", r.forgive("blob.Container_Delete", status=202), ALARM, "", ""),
    ("blob", "code", "Container_GetProperties", r.change_code("blob.Container_GetProperties", "ContainerNotFound", "NoSuchContainer"), MISLEADING, ERROR, "response"),
    ("blob", "code", "Container_Create", r.change_code("blob.Container_Create", "ContainerAlreadyExists", "ContainerExists"), MISLEADING, ERROR, "response"),
    ("blob", "code", "Blob_RenewLease", r.change_code("blob.Blob_RenewLease", "LeaseIdMismatchWithLeaseOperation", "LeaseNotHeld"), MISLEADING, ERROR, "response"),
    ("blob", "message", "Blob_CreateSnapshot", r.change_message("blob.Blob_CreateSnapshot", "No snapshot could be taken."), MISLEADING, ERROR, "response"),
    ("blob", "message", "AppendBlob_AppendBlock", r.change_message("blob.AppendBlob_AppendBlock", "Append failed."), MISLEADING, ERROR, "response"),
    ("blob", "field", "Blob_GetProperties", r.drop_field("blob.Blob_GetProperties", "header:Content-MD5"), WRONG, OTHER, ""),
    ("blob", "field", "Container_GetProperties", r.change_field("blob.Container_GetProperties", "header:x-ms-has-legal-hold", "true"), WRONG, OTHER, ""),
    ("blob", "field", "Blob_Download", r.change_field("blob.Blob_Download", "header:Content-Type", "application/octet-stream"), WRONG, OTHER, ""),
    ("blob", "field", "Service_GetProperties", r.drop_field("blob.Service_GetProperties", "StaticWebsite"), WRONG, OTHER, ""),
    ("blob", "state", "Blob_SetHTTPHeaders", _changed("blob.Blob_SetHTTPHeaders", _without_cache_control), "", OTHER, "state"),
    ("blob", "state", "Blob_Delete", _undeleted(), "", OTHER, "state"),
    ("blob", "null reference", "Container_ListBlobFlatSegment", r.change_status("blob.Container_ListBlobFlatSegment", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "failure", "Blob_SetHTTPHeaders", _fails("blob.Blob_SetHTTPHeaders", _sets_nothing), UNSAFE, NULL, ""),
    ("blob", "authorisation", "Blob_StartCopyFromURL", r.deny("blob.Blob_StartCopyFromURL"), UNSAFE, AUTH, ""),
    ("blob", "asynchronous", "Blob_SetMetadata Blob_GetProperties", lagging("blob.Blob_SetMetadata", "blob.Blob_GetProperties", 0.8, _without_metadata), "", ASYNC, ""),
    ("blob", "ordering", "Container_FilterBlobs", r.reverse_list("blob.Container_FilterBlobs", "Blob"), WRONG, OTHER, ""),
    ("blob", "paging", "Container_ListBlobFlatSegment", r.page_size(2, "blob.Container_ListBlobFlatSegment"), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "Messages_Dequeue", r.reject("queue.Messages_Dequeue", 400, "OutOfRangeQueryParameterValue", when=_number("visibilitytimeout", lambda n: n > 3600)), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Messages_Peek", r.reject("queue.Messages_Peek", 400, "OutOfRangeQueryParameterValue", when=_number("numofmessages", lambda n: n > 10)), UNSAFE, CONSTRAINT, "response"),
    ("queue", "constraint", "MessageId_Update", r.limit_size("queue.MessageId_Update", 500, 413, "RequestBodyTooLarge"), UNSAFE, CONSTRAINT, ""),
    ("queue", "alarm", "Queue_Create", r.forgive("queue.Queue_Create", status=204), ALARM, "", ""),
    ("queue", "code", "Queue_SetMetadata", r.change_code("queue.Queue_SetMetadata", "QueueNotFound", "NoSuchQueue"), MISLEADING, ERROR, "response"),
    ("queue", "message", "Queue_Delete", r.change_message("queue.Queue_Delete", "Nothing was deleted."), MISLEADING, ERROR, "response"),
    ("queue", "field", "Queue_GetAccessPolicy", r.drop_field("queue.Queue_GetAccessPolicy", "Start"), WRONG, OTHER, ""),
    ("queue", "field", "Messages_Dequeue", r.drop_field("queue.Messages_Dequeue", "TimeNextVisible"), WRONG, OTHER, ""),
    ("queue", "state", "MessageId_Update", _changed("queue.MessageId_Update", _without_text), "", OTHER, "state"),
    ("queue", "null reference", "Messages_Enqueue", r.change_status("queue.Messages_Enqueue", 404, 500), MISLEADING, NULL, "response"),
    ("queue", "failure", "Service_ListQueuesSegment", _fails("queue.Service_ListQueuesSegment", _has("prefix")), UNSAFE, NULL, "response"),
    ("queue", "authorisation", "Queue_GetProperties", r.deny("queue.Queue_GetProperties"), UNSAFE, AUTH, "response"),
    ("queue", "asynchronous", "Service_SetProperties Service_GetProperties", lagging("queue.Service_SetProperties", "queue.Service_GetProperties", 0.8, _hidden("CorsRule")), "", ASYNC, ""),
    ("queue", "ordering", "Messages_Peek", r.reverse_list("queue.Messages_Peek", "QueueMessage"), WRONG, OTHER, ""),
    ("queue", "paging", "Service_ListQueuesSegment", r.change_field("queue.Service_ListQueuesSegment", "NextMarker", ""), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "PropertiesNeedValue", when=lambda request: _json(request).get("PartitionKey") == ""), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_UpdateEntity", r.reject("table.Table_UpdateEntity", 400, "PropertyNameTooLong", when=_long_property(30)), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_DeleteEntity", r.reject("table.Table_DeleteEntity", 400, "InvalidHeaderValue", when=lambda request: request.header("If-Match", "*") != "*"), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_QueryEntities", r.reject("table.Table_QueryEntities", 400, "InvalidInput", when=_number("$top", lambda n: n > 500)), UNSAFE, CONSTRAINT, "response"),
    ("table", "alarm", "Table_Create", r.forgive("table.Table_Create", status=204), ALARM, "", ""),
    ("table", "code", "Table_Delete", r.change_code("table.Table_Delete", "ResourceNotFound", "TableNotFound"), MISLEADING, ERROR, "response"),
    ("table", "code", "Table_QueryEntities", r.change_code("table.Table_QueryEntities", "TableNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_QueryEntitiesWithPartitionAndRowKey", r.change_message("table.Table_QueryEntitiesWithPartitionAndRowKey", "No such entity."), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_MergeEntity", r.change_message("table.Table_MergeEntity", "Merge failed."), MISLEADING, ERROR, "response"),
    ("table", "field", "Table_QueryEntitiesWithPartitionAndRowKey", r.drop_field("table.Table_QueryEntitiesWithPartitionAndRowKey", "Timestamp"), WRONG, OTHER, ""),
    ("table", "field", "Table_UpdateEntity", r.drop_field("table.Table_UpdateEntity", "header:ETag"), WRONG, OTHER, "response"),
    ("table", "state", "Table_MergeEntity", _changed("table.Table_MergeEntity", lambda request: replace(request, method="PUT")), "", OTHER, "state"),
    ("table", "null reference", "Table_GetAccessPolicy", r.change_status("table.Table_GetAccessPolicy", 404, 500), MISLEADING, NULL, "response"),
    ("table", "failure", "Table_InsertEntity", _fails("table.Table_InsertEntity", _says(b'"Edm.DateTime"')), UNSAFE, NULL, ""),
    ("table", "authorisation", "Table_Query", r.deny("table.Table_Query"), UNSAFE, AUTH, "response"),
    ("table", "asynchronous", "Table_DeleteEntity Table_QueryEntitiesWithPartitionAndRowKey", _lingering(0.8), "", ASYNC, ""),
    ("table", "ordering", "Table_QueryEntities", r.change_body("table.Table_QueryEntities", _newest_first), WRONG, OTHER, ""),
    ("table", "paging", "Table_QueryEntities", r.page_size(2, "table.Table_QueryEntities"), WRONG, OTHER, ""),
]  # fmt: skip

LONGEST = {("paging", "Table_QueryEntities"): 5, ("paging", "Container_ListBlobFlatSegment"): 5}
"""Pages of two show with three things in the list."""

TWELVE_AZURE: tuple[Seed, ...] = tuple(
    seed(*row, group=12, longest=LONGEST.get((row[1], row[2]), 4)) for row in ROWS
)
