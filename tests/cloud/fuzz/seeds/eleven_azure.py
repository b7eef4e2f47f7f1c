"""Seeded differences of Azure's services that were written without looking at the fuzzer: parts of calls.

Those of a service and group are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from likewise.cloud.services.azure import source_path
from seeds.azure import ABSENT, _changed, _contains
from seeds.further import _fails, _has_metadata, _json, _longer, _more, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _gone, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed


def _lacks(name: str, text: str) -> Callable[[Request], bool]:
    """Whether a header is given and a text is not in it."""
    return lambda request: bool(request.header(name)) and text not in request.header(name)


def _onto_itself(request: Request) -> bool:
    """Whether a copy has its source for its destination."""
    return source_path(request.header("x-ms-copy-source")) == list(request.names)


def _dropping(prefix: str) -> Callable[[Request], Request]:
    """The request without the headers that begin like this."""

    def drop(request: Request) -> Request:
        for name, _ in request.headers:
            if name.lower().startswith(prefix):
                request = request.with_header(name, None)
        return request

    return drop


def _pending(seconds: float) -> Rule:
    """A copy is under way for so long after it was asked for."""
    begun: dict[tuple[str, ...], float] = {}

    def tell(request: Request, response: Response) -> Response:
        if request.operation == "blob.Blob_StartCopyFromURL" and response.status < 300:
            begun[request.names] = time.monotonic()
        is_late = time.monotonic() - begun.get(request.names, -1e9) < seconds
        if response.header("x-ms-copy-status") == "success" and is_late:
            return response.with_header("x-ms-copy-status", "pending")
        return response

    which = "blob.Blob_StartCopyFromURL, blob.Blob_GetProperties"
    return Rule(name="pending", matches=r.matching(which), on_response=tell)


def _long_metadata(limit: int) -> Callable[[Request], bool]:
    """Whether the values of the metadata are longer than that together."""
    return lambda request: (
        sum(len(text) for name, text in request.headers if name.lower().startswith("x-ms-meta-")) > limit
    )


def _visible_at_once(request: Request) -> Request:
    """A message that is put in is not hidden, whatever is asked."""
    hides = _number("visibilitytimeout", bool)(request)
    return with_query(request, "visibilitytimeout", "0") if hides else request


def _one_less(_: Request, response: Response) -> Response:
    """The count of a queue without its latest message."""
    name = "x-ms-approximate-messages-count"
    return response.with_header(name, str(max(0, int(response.header(name, "0")) - 1)))


def _long_text(limit: int) -> Callable[[Request], bool]:
    """Whether a text of an entity is longer than that."""
    return lambda request: any(
        isinstance(value, str) and len(value) > limit for value in _json(request).values()
    )


def _untyped(body: bytes) -> bytes:
    """The entities of a list without the types of their properties."""
    fields = json.loads(body)
    rows = [
        {name: value for name, value in row.items() if not name.endswith("@odata.type")}
        for row in fields.get("value", ())
    ]
    return body if rows == fields.get("value") else json.dumps({**fields, "value": rows}).encode()


def _never_true(request: Request) -> Request:
    """An entity is stored with false for true."""
    fields = _json(request)
    kept = {name: False if value is True else value for name, value in fields.items()}
    return request if kept == fields else request.with_body(json.dumps(kept).encode())


def _has_strange_key(request: Request) -> bool:
    """Whether a key has more in it than letters, digits and what stands in names."""
    return any(not re.fullmatch(r"[\w.-]*", key, re.ASCII) for key in request.names[1:])


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "Blob_CreateSnapshot", r.reject("blob.Blob_CreateSnapshot", 400, "InvalidMetadata", when=_has_metadata), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Container_ListBlobFlatSegment", r.reject("blob.Container_ListBlobFlatSegment", 400, "OutOfRangeQueryParameterValue", when=_number("maxresults", lambda n: n > 1000)), UNSAFE, CONSTRAINT, "response"),
    ("blob", "constraint", "Blob_Download", r.reject("blob.Blob_Download", 400, "UnsupportedHeader", when=_has("x-ms-range-get-content-md5")), UNSAFE, CONSTRAINT, "response"),
    ("blob", "constraint", "Blob_SetHTTPHeaders", r.reject("blob.Blob_SetHTTPHeaders", 400, "InvalidHeaderValue", when=_lacks("x-ms-blob-content-type", "/")), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Blob_CopyFromURL", r.reject("blob.Blob_CopyFromURL", 409, "CopyAcrossSameBlob", when=_onto_itself), UNSAFE, CONSTRAINT, ""),
    ("blob", "alarm", "Blob_ReleaseLease", r.forgive("blob.Blob_ReleaseLease", status=200), ALARM, "", ""),
    ("blob", "alarm", "Blob_Undelete", r.forgive("blob.Blob_Undelete", status=200), ALARM, ABSENT, ""),
    ("blob", "code", "PageBlob_UploadPages", r.change_code("blob.PageBlob_UploadPages", "InvalidBlobType", "BlobTypeMismatch"), MISLEADING, ERROR, "response"),
    ("blob", "code", "BlockBlob_StageBlock", r.change_code("blob.BlockBlob_StageBlock", "ContainerNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("blob", "code", "Container_RenewLease", r.change_code("blob.Container_RenewLease", "LeaseIdMismatchWithLeaseOperation", "LeaseMismatch"), MISLEADING, ERROR, "response"),
    ("blob", "message", "Blob_SetTags", r.change_message("blob.Blob_SetTags", "The tags could not be kept."), MISLEADING, ERROR, "response"),
    ("blob", "message", "PageBlob_GetPageRanges", r.change_message("blob.PageBlob_GetPageRanges", "No pages are known."), MISLEADING, ERROR, "response"),
    ("blob", "field", "Blob_GetTags", r.change_field("blob.Blob_GetTags", "Value", str.upper), WRONG, OTHER, ""),
    ("blob", "field", "Container_AcquireLease", r.drop_field("blob.Container_AcquireLease", "header:Last-Modified"), WRONG, OTHER, "response"),
    ("blob", "field", "PageBlob_GetPageRanges", r.change_field("blob.PageBlob_GetPageRanges", "PageRange.End", lambda old: str(int(old) + 1)), WRONG, OTHER, ""),
    ("blob", "state", "PageBlob_Create", _changed("blob.PageBlob_Create", _dropping("x-ms-blob-sequence-number")), "", OTHER, "state"),
    ("blob", "state", "BlockBlob_Upload", _changed("blob.BlockBlob_Upload", _dropping("x-ms-blob-content-disposition")), "", OTHER, "state"),
    ("blob", "state", "Blob_CopyFromURL", _changed("blob.Blob_CopyFromURL", _dropping("x-ms-meta-")), "", OTHER, "state"),
    ("blob", "null reference", "Blob_SetHTTPHeaders", r.change_status("blob.Blob_SetHTTPHeaders", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "failure", "BlockBlob_Upload", _fails("blob.BlockBlob_Upload", lambda request: not request.body), UNSAFE, NULL, ""),
    ("blob", "authorisation", "Container_BreakLease", r.deny("blob.Container_BreakLease"), UNSAFE, AUTH, ""),
    ("blob", "asynchronous", "Blob_StartCopyFromURL Blob_GetProperties", _pending(0.8), "", ASYNC, ""),
    ("blob", "ordering", "Service_ListContainersSegment", r.reverse_list("blob.Service_ListContainersSegment", "Container"), WRONG, OTHER, ""),
    ("blob", "paging", "Container_ListBlobHierarchySegment", r.drop_last("blob.Container_ListBlobHierarchySegment", "BlobPrefix"), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "Queue_SetMetadata", r.reject("queue.Queue_SetMetadata", 400, "MetadataTooLarge", when=_long_metadata(100)), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Queue_SetAccessPolicy", r.reject("queue.Queue_SetAccessPolicy", 400, "InvalidXmlNodeValue", when=_longer("Id", 20)), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Service_SetProperties", r.reject("queue.Service_SetProperties", 400, "InvalidXmlDocument", when=_more("CorsRule", 1)), UNSAFE, CONSTRAINT, ""),
    ("queue", "alarm", "MessageId_Delete", r.forgive("queue.MessageId_Delete", status=204), ALARM, "", ""),
    ("queue", "code", "Queue_GetProperties", r.change_code("queue.Queue_GetProperties", "QueueNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("queue", "message", "Messages_Dequeue", r.change_message("queue.Messages_Dequeue", "No messages were taken."), MISLEADING, ERROR, "response"),
    ("queue", "field", "Messages_Enqueue", r.drop_field("queue.Messages_Enqueue", "InsertionTime"), WRONG, OTHER, "response"),
    ("queue", "state", "Messages_Enqueue", _changed("queue.Messages_Enqueue", _visible_at_once), "", OTHER, "state"),
    ("queue", "failure", "Messages_Enqueue", _fails("queue.Messages_Enqueue", lambda request: bool(re.search(rb"<MessageText\s*/>|<MessageText></MessageText>", request.body))), UNSAFE, NULL, ""),
    ("queue", "authorisation", "Service_GetProperties", r.deny("queue.Service_GetProperties"), UNSAFE, AUTH, "response"),
    ("queue", "asynchronous", "Messages_Enqueue Queue_GetProperties", lagging("queue.Messages_Enqueue", "queue.Queue_GetProperties", 0.8, _one_less), "", ASYNC, ""),
    ("queue", "ordering", "Queue_GetAccessPolicy", r.reverse_list("queue.Queue_GetAccessPolicy", "SignedIdentifier"), WRONG, OTHER, ""),
    ("queue", "paging", "Service_ListQueuesSegment", r.drop_last("queue.Service_ListQueuesSegment", "Queue"), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_MergeEntity", r.reject("table.Table_MergeEntity", 400, "PropertyValueTooLarge", when=_long_text(200)), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_QueryEntities", r.reject("table.Table_QueryEntities", 400, "InvalidInput", when=_contains("$filter", "Timestamp")), UNSAFE, CONSTRAINT, "response"),
    ("table", "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "InvalidInput", when=_says(b'"Edm.Guid"')), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_SetAccessPolicy", r.reject("table.Table_SetAccessPolicy", 400, "InvalidXmlNodeValue", when=lambda request: bool(re.search(rb"<Permission>\w*d", request.body))), UNSAFE, CONSTRAINT, ""),
    ("table", "alarm", "Table_DeleteEntity", r.forgive("table.Table_DeleteEntity", status=204), ALARM, "", ""),
    ("table", "code", "Table_UpdateEntity", r.change_code("table.Table_UpdateEntity", "ResourceNotFound", "EntityNotFound"), MISLEADING, ERROR, "response"),
    ("table", "code", "Table_InsertEntity", r.change_code("table.Table_InsertEntity", "TableNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_Create", r.change_message("table.Table_Create", "There is no making this table."), MISLEADING, ERROR, "response"),
    ("table", "field", "Table_QueryEntities", r.change_body("table.Table_QueryEntities", _untyped), WRONG, OTHER, ""),
    ("table", "state", "Table_InsertEntity", _changed("table.Table_InsertEntity", _never_true), "", OTHER, "state"),
    ("table", "null reference", "Table_MergeEntity", r.change_status("table.Table_MergeEntity", 404, 500), MISLEADING, NULL, "response"),
    ("table", "failure", "Table_QueryEntitiesWithPartitionAndRowKey", _fails("table.Table_QueryEntitiesWithPartitionAndRowKey", _has_strange_key), UNSAFE, NULL, "response"),
    ("table", "authorisation", "Service_GetProperties", r.deny("table.Service_GetProperties"), UNSAFE, AUTH, "response"),
    ("table", "asynchronous", "Table_UpdateEntity Table_QueryEntitiesWithPartitionAndRowKey", lagging("table.Table_UpdateEntity", "table.Table_QueryEntitiesWithPartitionAndRowKey", 0.8, _gone("ResourceNotFound")), "", ASYNC, ""),
    ("table", "ordering", "Table_GetAccessPolicy", r.reverse_list("table.Table_GetAccessPolicy", "SignedIdentifier"), WRONG, OTHER, ""),
    ("table", "paging", "Table_Query", r.drop_last("table.Table_Query", "value"), WRONG, OTHER, ""),
]  # fmt: skip

ELEVEN_AZURE: tuple[Seed, ...] = tuple(seed(*row, group=11) for row in ROWS)
