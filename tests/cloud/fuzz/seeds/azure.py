"""Seeded differences of Azure's services, each group written before its effect on the fuzzer was known.

Those of a service and group are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from likewise.cloud.rewriting.states import container_of
from seeds.further import _fails, _json, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, seed
from seeds.unseen import _has_metadata, _ignored

ABSENT = "not implemented"


def _only(which: str, when: Callable[[Request], bool]) -> Callable[[Request], bool]:
    """Those calls of an operation that meet a condition."""
    is_called = r.matching(which)
    return lambda request: is_called(request) and when(request)


def _without(name: str) -> Callable[[Request], bool]:
    """Whether a header or a query parameter is not given."""
    return lambda request: not _has(name)(request)


def _is(name: str, value: str) -> Callable[[Request], bool]:
    return lambda request: value in (request.header(name), request.query.get(name, ""))


def _contains(name: str, text: str) -> Callable[[Request], bool]:
    """Whether a header or a query parameter has a text in it."""
    return lambda request: text in (request.header(name) or request.query.get(name, ""))


def _words_for_truth(body: bytes) -> bytes:
    """Truth values as texts."""
    try:
        fields = json.loads(body)
    except ValueError:
        return body
    changed = {name: str(value).lower() if type(value) is bool else value for name, value in fields.items()}
    return body if changed == fields else json.dumps(changed).encode()


def _nothing_empty(request: Request) -> Request:
    """An entity is stored without its empty texts."""
    fields = _json(request)
    kept = {
        name: value for name, value in fields.items() if value != "" or name in ("PartitionKey", "RowKey")
    }
    return request if kept == fields else request.with_body(json.dumps(kept).encode())


def _changed(which: str, how: Callable[[Request], Request]) -> Rule:
    """What is asked for is changed on the way."""
    return Rule(name="changed", matches=r.matching(which), on_request=how)


def _loud_metadata(_: Request, response: Response) -> Response:
    """Every value of the metadata in capital letters."""
    for name, value in response.headers:
        if response.status < 300 and name.lower().startswith("x-ms-meta-"):
            response = response.with_header(name, value.upper())
    return response


def _fails_over(which: str, empty: Callable[[bytes], bool]) -> Rule:
    """The server itself fails where there is nothing to give."""

    def fail(request: Request, response: Response) -> Response:
        if response.status < 300 and empty(response.body):
            return r.error(request, 500, "InternalError", "Object reference not set to an instance.")
        return response

    return Rule(name="fails over", matches=r.matching(which), on_response=fail)


def _late_list(write: str, read: str) -> Rule:
    """A list of everything does not have for a while what was made last."""
    is_write, is_read = r.matching(write), r.matching(read)
    made: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if is_write(request) and response.status < 300:
            made[container_of(request)] = time.monotonic()
        if not is_read(request) or response.status >= 300:
            return response
        body = response.body
        for name in [name for name, when in made.items() if time.monotonic() - when < 0.8]:
            body = re.sub(rb"<Queue><Name>%s</Name>.*?</Queue>" % name.encode(), b"", body)
        if request.service == "table":
            fields = json.loads(body)
            late = {name for name, when in made.items() if time.monotonic() - when < 0.8}
            kept = [each for each in fields["value"] if each["TableName"] not in late]
            body = body if kept == fields["value"] else json.dumps({**fields, "value": kept}).encode()
        return response if body == response.body else response.with_body(body)

    return Rule(name="late list", matches=lambda _: True, on_response=note)


def _on_answers(which: str, how: Callable[[Request, Response], Response]) -> Rule:
    return Rule(name="answers", matches=r.matching(which), on_response=how)


ROWS: list[tuple[str, int, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", 8, "constraint", "Container_BreakLease", r.reject("blob.Container_BreakLease", 400, "InvalidHeaderValue", when=_number("x-ms-lease-break-period", lambda n: n > 30)), UNSAFE, CONSTRAINT, ""),
    ("blob", 8, "constraint", "BlockBlob_Upload", r.reject("blob.BlockBlob_Upload", 400, "UnsupportedHeader", when=_is("If-None-Match", "*")), UNSAFE, CONSTRAINT, ""),
    ("blob", 8, "constraint", "AppendBlob_AppendBlock", r.reject_parameter("blob.AppendBlob_AppendBlock", "x-ms-blob-condition-appendpos", 400, "InvalidHeaderValue"), UNSAFE, CONSTRAINT, ""),
    ("blob", 8, "alarm", "Blob_Delete", r.forgive(_only("blob.Blob_Delete", _without("snapshot")), status=202), ALARM, "", ""),
    ("blob", 8, "alarm", "Blob_SetExpiry", r.forgive("blob.Blob_SetExpiry", status=200), ALARM, ABSENT, ""),
    ("blob", 8, "code", "Blob_Download", r.change_code("blob.Blob_Download", "ConditionNotMet", "PreconditionFailed"), MISLEADING, ERROR, "response"),
    ("blob", 8, "code", "Blob_SetMetadata", r.change_code("blob.Blob_SetMetadata", "LeaseIdMissing", "LeaseRequired"), MISLEADING, ERROR, "response"),
    ("blob", 8, "message", "Blob_ChangeLease", r.change_message("blob.Blob_ChangeLease", "The lease stays as it is."), MISLEADING, ERROR, "response"),
    ("blob", 8, "field", "Blob_CopyFromURL", r.drop_field("blob.Blob_CopyFromURL", "header:x-ms-copy-status"), WRONG, OTHER, "response"),
    ("blob", 8, "field", "Blob_Download", r.change_field("blob.Blob_Download", "header:x-ms-lease-status", "unlocked"), WRONG, OTHER, ""),
    ("blob", 8, "field", "Service_GetAccountInfo", r.change_field("blob.Service_GetAccountInfo", "header:x-ms-sku-name", "Premium_LRS"), WRONG, OTHER, "response"),
    ("blob", 8, "state", "PageBlob_ClearPages", _ignored("blob.PageBlob_ClearPages", 201), "", OTHER, "state"),
    ("blob", 8, "state", "BlockBlob_CommitBlockList", r.change_argument("blob.BlockBlob_CommitBlockList", "header:x-ms-blob-content-encoding", "identity"), WRONG, OTHER, "state"),
    ("blob", 8, "null reference", "Blob_GetProperties", r.change_status(_only("blob.Blob_GetProperties", _has("snapshot")), 404, 500), MISLEADING, NULL, "response"),
    ("blob", 8, "failure", "Container_ListBlobHierarchySegment", _fails("blob.Container_ListBlobHierarchySegment", _has("prefix")), UNSAFE, NULL, "response"),
    ("blob", 8, "authorisation", "PageBlob_UpdateSequenceNumber", r.deny("blob.PageBlob_UpdateSequenceNumber"), UNSAFE, AUTH, ""),
    ("blob", 8, "asynchronous", "Blob_SetTags Blob_GetTags", lagging("blob.Blob_SetTags", "blob.Blob_GetTags", 0.8, _hidden("Tag")), "", ASYNC, ""),
    ("blob", 8, "ordering", "Container_GetAccessPolicy", r.reverse_list("blob.Container_GetAccessPolicy", "SignedIdentifier"), WRONG, OTHER, ""),
    ("blob", 8, "paging", "Container_ListBlobFlatSegment", r.change_field("blob.Container_ListBlobFlatSegment", "NextMarker", ""), WRONG, OTHER, ""),
    # Queue
    ("queue", 8, "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 400, "InvalidXmlNodeValue", when=lambda request: any(byte > 127 for byte in request.body)), UNSAFE, CONSTRAINT, ""),
    ("queue", 8, "constraint", "MessageId_Update", r.reject("queue.MessageId_Update", 400, "MissingRequiredXmlNode", when=lambda request: not request.body), UNSAFE, CONSTRAINT, ""),
    ("queue", 8, "alarm", "Messages_Clear", r.forgive("queue.Messages_Clear", status=204), ALARM, "", ""),
    ("queue", 8, "code", "MessageId_Delete", r.change_code("queue.MessageId_Delete", "PopReceiptMismatch", "InvalidPopReceipt"), MISLEADING, ERROR, "response"),
    ("queue", 8, "message", "Messages_Peek", r.change_message("queue.Messages_Peek", "There is nothing to look at."), MISLEADING, ERROR, "response"),
    ("queue", 8, "field", "MessageId_Update", r.drop_field("queue.MessageId_Update", "header:x-ms-time-next-visible"), WRONG, OTHER, "response"),
    ("queue", 8, "field", "Service_ListQueuesSegment", r.drop_field("queue.Service_ListQueuesSegment", "Metadata"), WRONG, OTHER, ""),
    ("queue", 8, "null reference", "Queue_GetAccessPolicy", r.change_status("queue.Queue_GetAccessPolicy", 404, 500), MISLEADING, NULL, "response"),
    ("queue", 8, "failure", "Queue_SetMetadata", _fails("queue.Queue_SetMetadata", lambda request: not _has_metadata(request)), UNSAFE, NULL, ""),
    ("queue", 8, "authorisation", "Service_SetProperties", r.deny("queue.Service_SetProperties"), UNSAFE, AUTH, ""),
    ("queue", 8, "asynchronous", "Queue_SetAccessPolicy Queue_GetAccessPolicy", lagging("queue.Queue_SetAccessPolicy", "queue.Queue_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    # Table
    ("table", 8, "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "UnsupportedHeader", when=_is("Prefer", "return-no-content")), UNSAFE, CONSTRAINT, ""),
    ("table", 8, "constraint", "Table_UpdateEntity", r.reject("table.Table_UpdateEntity", 400, "MissingRequiredHeader", when=_without("If-Match")), UNSAFE, CONSTRAINT, ""),
    ("table", 8, "constraint", "Table_QueryEntities", r.reject("table.Table_QueryEntities", 400, "InvalidInput", when=_contains("$filter", " and ")), UNSAFE, CONSTRAINT, "response"),
    ("table", 8, "code", "Table_MergeEntity", r.change_code("table.Table_MergeEntity", "UpdateConditionNotSatisfied", "PreconditionFailed"), MISLEADING, ERROR, "response"),
    ("table", 8, "code", "Table_Create", r.change_code("table.Table_Create", "TableAlreadyExists", "TableExists"), MISLEADING, ERROR, "response"),
    ("table", 8, "message", "Table_GetAccessPolicy", r.change_message("table.Table_GetAccessPolicy", "There is no policy."), MISLEADING, ERROR, "response"),
    ("table", 8, "field", "Table_InsertEntity", r.drop_field("table.Table_InsertEntity", "header:Preference-Applied"), WRONG, OTHER, "response"),
    ("table", 8, "field", "Table_QueryEntitiesWithPartitionAndRowKey", r.change_body("table.Table_QueryEntitiesWithPartitionAndRowKey", _words_for_truth), WRONG, OTHER, ""),
    ("table", 8, "state", "Table_MergeEntity", _changed("table.Table_MergeEntity", _nothing_empty), "", OTHER, "state"),
    ("table", 8, "failure", "Table_QueryEntitiesWithPartitionAndRowKey", _fails("table.Table_QueryEntitiesWithPartitionAndRowKey", lambda request: "''" in request.path.replace("%27", "'").replace("=''", "")), UNSAFE, NULL, "response"),
    ("table", 8, "authorisation", "Table_DeleteEntity", r.deny("table.Table_DeleteEntity"), UNSAFE, AUTH, ""),
    ("table", 8, "asynchronous", "Table_SetAccessPolicy Table_GetAccessPolicy", lagging("table.Table_SetAccessPolicy", "table.Table_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    ("table", 8, "paging", "Table_QueryEntities", r.page_size(1, "table.Table_QueryEntities"), WRONG, OTHER, ""),
    # And again, after what the eighth group led to
    ("blob", 9, "constraint", "PageBlob_Create", r.reject("blob.PageBlob_Create", 400, "InvalidHeaderValue", when=_number("x-ms-blob-content-length", lambda n: n > 10 * 2**20)), UNSAFE, CONSTRAINT, ""),
    ("blob", 9, "constraint", "Blob_CopyFromURL", r.reject_parameter("blob.Blob_CopyFromURL", "x-ms-tags", 400, "InvalidHeaderValue"), UNSAFE, CONSTRAINT, ""),
    ("blob", 9, "constraint", "Blob_GetProperties", r.reject("blob.Blob_GetProperties", 400, "InvalidHeaderValue", when=_has("If-Unmodified-Since")), UNSAFE, CONSTRAINT, "response"),
    ("blob", 9, "alarm", "Container_Create", r.forgive("blob.Container_Create", status=201), ALARM, "", ""),
    ("blob", 9, "alarm", "Blob_SetLegalHold", r.forgive("blob.Blob_SetLegalHold", status=200), ALARM, ABSENT, ""),
    ("blob", 9, "code", "Container_Delete", r.change_code("blob.Container_Delete", "LeaseIdMissing", "LeaseRequired"), MISLEADING, ERROR, "response"),
    ("blob", 9, "code", "AppendBlob_AppendBlock", r.change_code("blob.AppendBlob_AppendBlock", "AppendPositionConditionNotMet", "PositionMismatch"), MISLEADING, ERROR, "response"),
    ("blob", 9, "code", "Blob_StartCopyFromURL", r.change_code("blob.Blob_StartCopyFromURL", "BlobNotFound", "CannotVerifyCopySource"), MISLEADING, ERROR, "response"),
    ("blob", 9, "message", "PageBlob_Resize", r.change_message("blob.PageBlob_Resize", "It stays as big as it is."), MISLEADING, ERROR, "response"),
    ("blob", 9, "field", "Container_ListBlobFlatSegment", r.drop_field("blob.Container_ListBlobFlatSegment", "Snapshot"), WRONG, OTHER, ""),
    ("blob", 9, "field", "Blob_GetProperties", _on_answers("blob.Blob_GetProperties", _loud_metadata), WRONG, OTHER, ""),
    ("blob", 9, "field", "BlockBlob_Upload", r.drop_field("blob.BlockBlob_Upload", "header:Content-MD5"), WRONG, OTHER, "response"),
    ("blob", 9, "state", "PageBlob_UpdateSequenceNumber", _ignored("blob.PageBlob_UpdateSequenceNumber", 200), "", OTHER, "state"),
    ("blob", 9, "null reference", "Container_SetMetadata", r.change_status("blob.Container_SetMetadata", 404, 500), MISLEADING, NULL, "response"),
    ("blob", 9, "failure", "BlockBlob_CommitBlockList", _fails("blob.BlockBlob_CommitBlockList", lambda request: b"<BlockList></BlockList>" in request.body or b"<BlockList/>" in request.body), UNSAFE, NULL, ""),
    ("blob", 9, "authorisation", "Container_ChangeLease", r.deny("blob.Container_ChangeLease"), UNSAFE, AUTH, ""),
    ("blob", 9, "asynchronous", "BlockBlob_Upload Container_ListBlobFlatSegment", lagging("blob.BlockBlob_Upload", "blob.Container_ListBlobFlatSegment", 0.8, _hidden("Blob")), "", ASYNC, ""),
    ("blob", 9, "ordering", "Container_ListBlobHierarchySegment", r.reverse_list("blob.Container_ListBlobHierarchySegment", "Blob"), WRONG, OTHER, ""),
    ("blob", 9, "paging", "Container_FilterBlobs", r.drop_last("blob.Container_FilterBlobs", "Blob"), WRONG, OTHER, ""),
    ("queue", 9, "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 400, "OutOfRangeQueryParameterValue", when=_is("messagettl", "-1")), UNSAFE, CONSTRAINT, ""),
    ("queue", 9, "constraint", "Queue_Create", r.reject("queue.Queue_Create", 400, "OutOfRangeInput", when=lambda request: len(request.names[0]) > 50), UNSAFE, CONSTRAINT, ""),
    ("queue", 9, "alarm", "Queue_Delete", r.forgive("queue.Queue_Delete", status=204), ALARM, "", ""),
    ("queue", 9, "code", "MessageId_Update", r.change_code("queue.MessageId_Update", "PopReceiptMismatch", "InvalidPopReceipt"), MISLEADING, ERROR, "response"),
    ("queue", 9, "code", "Queue_Create", r.change_code("queue.Queue_Create", "QueueAlreadyExists", "QueueExists"), MISLEADING, ERROR, "response"),
    ("queue", 9, "message", "MessageId_Delete", r.change_message("queue.MessageId_Delete", "It is not to be deleted."), MISLEADING, ERROR, "response"),
    ("queue", 9, "field", "Messages_Dequeue", r.change_field("queue.Messages_Dequeue", "DequeueCount", "0"), WRONG, OTHER, ""),
    ("queue", 9, "field", "Queue_GetProperties", r.add_field("queue.Queue_GetProperties", "header:x-ms-queue-kind", "standard"), WRONG, OTHER, "response"),
    ("queue", 9, "state", "Messages_Enqueue", r.change_argument("queue.Messages_Enqueue", "MessageText", str.upper), "", OTHER, "state"),
    ("queue", 9, "state", "MessageId_Update", _changed("queue.MessageId_Update", lambda request: with_query(request, "visibilitytimeout", "0") if _number("visibilitytimeout", bool)(request) else request), "", OTHER, "state"),
    ("queue", 9, "failure", "Messages_Peek", _fails_over("queue.Messages_Peek", lambda body: b"<QueueMessage>" not in body), UNSAFE, NULL, "response"),
    ("queue", 9, "authorisation", "Queue_SetMetadata", r.deny("queue.Queue_SetMetadata"), UNSAFE, AUTH, ""),
    ("queue", 9, "asynchronous", "Queue_Create Service_ListQueuesSegment", _late_list("queue.Queue_Create", "queue.Service_ListQueuesSegment"), "", ASYNC, ""),
    ("table", 9, "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "InvalidInput", when=lambda request: not str(_json(request).get("RowKey", "")).isascii()), UNSAFE, CONSTRAINT, ""),
    ("table", 9, "constraint", "Table_QueryEntities", r.reject("table.Table_QueryEntities", 400, "InvalidInput", when=_contains("$filter", " ne ")), UNSAFE, CONSTRAINT, "response"),
    ("table", 9, "constraint", "Table_UpdateEntity", r.reject("table.Table_UpdateEntity", 400, "InvalidHeaderValue", when=lambda request: request.header("If-Match").startswith("W/")), UNSAFE, CONSTRAINT, ""),
    ("table", 9, "code", "Table_DeleteEntity", r.change_code("table.Table_DeleteEntity", "UpdateConditionNotSatisfied", "ConditionNotMet"), MISLEADING, ERROR, "response"),
    ("table", 9, "message", "Table_SetAccessPolicy", r.change_message("table.Table_SetAccessPolicy", "It cannot be set."), MISLEADING, ERROR, "response"),
    ("table", 9, "field", "Table_MergeEntity", r.drop_field("table.Table_MergeEntity", "header:ETag"), WRONG, OTHER, "response"),
    ("table", 9, "field", "Table_Query", r.add_field("table.Table_Query", "odata.count", "1"), WRONG, OTHER, ""),
    ("table", 9, "state", "Table_UpdateEntity", _changed("table.Table_UpdateEntity", lambda request: replace(request, method="PATCH")), "", OTHER, "state"),
    ("table", 9, "failure", "Table_QueryEntities", _fails_over("table.Table_QueryEntities", lambda body: b'"value":[]' in body), UNSAFE, NULL, "response"),
    ("table", 9, "authorisation", "Table_GetAccessPolicy", r.deny("table.Table_GetAccessPolicy"), UNSAFE, AUTH, ""),
    ("table", 9, "null reference", "Table_Delete", r.change_status("table.Table_Delete", 404, 500), MISLEADING, NULL, "response"),
    ("table", 9, "asynchronous", "Table_Create Table_Query", _late_list("table.Table_Create", "table.Table_Query"), "", ASYNC, ""),
    ("table", 9, "paging", "Table_QueryEntities", r.drop_field("table.Table_QueryEntities", "header:x-ms-continuation-NextRowKey"), WRONG, OTHER, ""),
]  # fmt: skip

AZURE: tuple[Seed, ...] = tuple(
    seed(service, category, operations, rule, implication, causes, manifestation, group=group)
    for service, group, category, operations, rule, implication, causes, manifestation in ROWS
)
