"""Further seeded differences, thought of without knowing the others: limits, single values, parts of parameters.

Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.more import MISLEADING, UNSAFE, WRONG
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed


def _json(request: Request) -> dict[str, Any]:
    try:
        found = json.loads(request.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _longer(tag: str, limit: int) -> Callable[[Request], bool]:
    """Whether a text in an XML body is longer than that."""
    pattern = re.compile(rf"<{tag}>([^<]*)</{tag}>".encode())
    return lambda request: any(len(text) > limit for text in pattern.findall(request.body))


def _more(tag: str, limit: int) -> Callable[[Request], bool]:
    """Whether an XML body has more elements of a name than that."""
    return lambda request: request.body.count(f"<{tag}>".encode()) > limit


def _number(name: str, fits: Callable[[int], bool]) -> Callable[[Request], bool]:
    """Whether a header or a query parameter is a number of a kind."""

    def check(request: Request) -> bool:
        text = request.header(name) or request.query.get(name, "")
        return text.isdecimal() and fits(int(text))

    return check


def _has_metadata(request: Request) -> bool:
    return any(name.lower().startswith("x-ms-meta-") for name, _ in request.headers)


def _fails(which: str, when: Callable[[Request], bool]) -> Rule:
    """The server itself fails over some arguments."""
    return r.reject(which, 500, "InternalError", "Object reference not set to an instance.", when=when)


def _late(write: str, read: str, absent: Callable[[Request], Response]) -> Rule:
    """The first read after a write answers as if nothing were there."""
    is_write, is_read = r.matching(write), r.matching(read)
    hidden: set[str] = set()

    def hide(request: Request) -> Request | Response:
        place = container_of(request).partition("(")[0]
        if not is_read(request) or place not in hidden:
            return request
        hidden.discard(place)
        return absent(request)

    def note(request: Request, response: Response) -> Response:
        if is_write(request) and response.status < 300:
            hidden.add(container_of(request).partition("(")[0])
        return response

    return Rule(
        name="late",
        matches=lambda request: is_write(request) or is_read(request),
        on_request=hide,
        on_response=note,
    )


def _nothing(request: Request) -> Response:
    """An answer that holds no things."""
    if request.service == "table":
        return answer(200, b'{"value":[]}', (("Content-Type", "application/json;odata=minimalmetadata"),))
    return r.success(request)


def _gone(code: str) -> Callable[[Request], Response]:
    return lambda request: r.error(request, 404, code, "It is not there.")


def _batch(request: Request) -> bool:
    items = _json(request).get("RequestItems")
    asked = items.values() if isinstance(items, dict) else ()
    return sum(len(each.get("Keys") or ()) for each in asked if isinstance(each, dict)) > 20


def _time_to_live(request: Request) -> bool:
    given = _json(request).get("TimeToLiveSpecification")
    return isinstance(given, dict) and len(str(given.get("AttributeName"))) > 255


COLD = ("GLACIER", "DEEP_ARCHIVE", "GLACIER_IR")

ROWS: list[tuple[str, int, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", 5, "constraint", "PutObjectTagging", r.reject("s3.PutObjectTagging", 400, "InvalidTag", when=_longer("Key", 64)), UNSAFE, CONSTRAINT, ""),
    ("s3", 5, "constraint", "PutBucketCors", r.reject("s3.PutBucketCors", 400, "MalformedXML", when=_more("CORSRule", 50)), UNSAFE, CONSTRAINT, ""),
    ("s3", 5, "constraint", "ListObjectVersions", r.reject("s3.ListObjectVersions", 400, "InvalidArgument", when=lambda request: request.query.get("max-keys") == "0"), UNSAFE, CONSTRAINT, "response"),
    ("s3", 5, "constraint", "CreateMultipartUpload", r.reject("s3.CreateMultipartUpload", 400, "InvalidStorageClass", when=lambda request: request.header("x-amz-storage-class") in COLD), UNSAFE, CONSTRAINT, ""),
    ("s3", 5, "code", "GetBucketOwnershipControls", r.change_code("s3.GetBucketOwnershipControls", "OwnershipControlsNotFoundError", "NoSuchOwnershipControls"), MISLEADING, ERROR, "response"),
    ("s3", 5, "code", "ListParts", r.change_code("s3.ListParts", "NoSuchUpload", "NoSuchMultipartUpload"), MISLEADING, ERROR, "response"),
    ("s3", 5, "message", "GetBucketWebsite", r.change_message("s3.GetBucketWebsite", "No website here."), MISLEADING, ERROR, "response"),
    ("s3", 5, "field", "GetPublicAccessBlock", r.change_field("s3.GetPublicAccessBlock", "IgnorePublicAcls", lambda old: "false" if old.lower() == "true" else "true"), WRONG, OTHER, ""),
    ("s3", 5, "field", "CreateMultipartUpload", r.drop_field("s3.CreateMultipartUpload", "Key"), WRONG, OTHER, "response"),
    ("s3", 5, "field", "HeadBucket", r.add_field("s3.HeadBucket", "header:x-amz-access-point-alias", "true"), WRONG, OTHER, "response"),
    ("s3", 5, "state", "PutBucketAccelerateConfiguration", r.swallow_write("s3.PutBucketAccelerateConfiguration"), WRONG, OTHER, "state"),
    ("s3", 5, "failure", "PutBucketLifecycleConfiguration PutBucketLifecycle", _fails("s3.PutBucketLifecycle*", lambda request: b"<NoncurrentVersionExpiration>" in request.body), UNSAFE, NULL, ""),
    ("s3", 5, "authorisation", "GetObjectAcl", r.deny("s3.GetObjectAcl"), UNSAFE, AUTH, "response"),
    ("s3", 5, "asynchronous", "PutBucketPolicy GetBucketPolicy", _late("s3.PutBucketPolicy", "s3.GetBucketPolicy", _gone("NoSuchBucketPolicy")), "", ASYNC, ""),
    ("s3", 5, "ordering", "ListObjects", r.reverse_list("s3.ListObjects", "Contents"), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", 5, "constraint", "BatchGetItem", r.reject("dynamodb.BatchGetItem", 400, "ValidationException", when=_batch), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", 5, "constraint", "UpdateTimeToLive", r.reject("dynamodb.UpdateTimeToLive", 400, "ValidationException", when=_time_to_live), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 5, "code", "UpdateTable", r.change_code("dynamodb.UpdateTable", "ResourceNotFoundException", "TableNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 5, "message", "TransactWriteItems", r.change_message("dynamodb.TransactWriteItems", "Something is wrong with the transaction."), MISLEADING, ERROR, "response"),
    ("dynamodb", 5, "field", "DescribeLimits", r.change_field("dynamodb.DescribeLimits", "AccountMaxReadCapacityUnits", str), WRONG, OTHER, "response"),
    ("dynamodb", 5, "field", "DescribeBackup", r.drop_field("dynamodb.DescribeBackup", "BackupSizeBytes"), WRONG, OTHER, ""),
    ("dynamodb", 5, "field", "DescribeTable", r.change_field("dynamodb.DescribeTable", "Table.ItemCount", str), WRONG, OTHER, ""),
    ("dynamodb", 5, "state", "UpdateContinuousBackups", r.swallow_write("dynamodb.UpdateContinuousBackups"), "", "", ""),
    ("dynamodb", 5, "failure", "TransactGetItems", _fails("dynamodb.TransactGetItems", lambda request: b'"ProjectionExpression"' in request.body), UNSAFE, NULL, "response"),
    ("dynamodb", 5, "authorisation", "ListBackups", r.deny("dynamodb.ListBackups"), UNSAFE, AUTH, "response"),
    ("dynamodb", 5, "asynchronous", "UpdateItem GetItem", _late("dynamodb.UpdateItem", "dynamodb.GetItem", _nothing), "", ASYNC, ""),
    ("dynamodb", 5, "ordering", "Query", r.reverse_list("dynamodb.Query", "Items"), WRONG, OTHER, ""),
    ("dynamodb", 5, "paging", "ListTables", r.page_size(1, "dynamodb.ListTables"), WRONG, OTHER, ""),
    # Blob
    ("blob", 5, "constraint", "Blob_SetTags", r.reject("blob.Blob_SetTags", 400, "InvalidTag", when=_longer("Value", 100)), UNSAFE, CONSTRAINT, ""),
    ("blob", 5, "constraint", "Container_AcquireLease", r.reject("blob.Container_AcquireLease", 400, "InvalidHeaderValue", when=_number("x-ms-lease-duration", lambda n: n < 20)), UNSAFE, CONSTRAINT, ""),
    ("blob", 5, "constraint", "AppendBlob_AppendBlock", r.limit_size("blob.AppendBlob_AppendBlock", 2000, 413, "RequestBodyTooLarge"), UNSAFE, CONSTRAINT, ""),
    ("blob", 5, "code", "Blob_SetTier", r.change_code("blob.Blob_SetTier", "BlobNotFound", "ResourceNotFound"), MISLEADING, ERROR, "response"),
    ("blob", 5, "message", "Blob_RenewLease", r.change_message("blob.Blob_RenewLease", "The lease is not what it was."), MISLEADING, ERROR, "response"),
    ("blob", 5, "field", "Service_ListContainersSegment", r.drop_field("blob.Service_ListContainersSegment", "LeaseState"), WRONG, OTHER, ""),
    ("blob", 5, "field", "PageBlob_Resize", r.change_field("blob.PageBlob_Resize", "header:x-ms-blob-sequence-number", lambda old: str(int(old) + 1)), WRONG, OTHER, "response"),
    ("blob", 5, "state", "Blob_SetHTTPHeaders", r.change_argument("blob.Blob_SetHTTPHeaders", "header:x-ms-blob-content-language", "xx"), WRONG, OTHER, "state"),
    ("blob", 5, "failure", "Blob_StartCopyFromURL", _fails("blob.Blob_StartCopyFromURL", _has_metadata), UNSAFE, NULL, ""),
    ("blob", 5, "authorisation", "PageBlob_GetPageRanges PageBlob_GetPageRangesDiff", r.deny("blob.PageBlob_GetPageRanges"), UNSAFE, AUTH, "response"),
    ("blob", 5, "ordering", "BlockBlob_GetBlockList", r.reverse_list("blob.BlockBlob_GetBlockList", "Block"), WRONG, OTHER, ""),
    ("blob", 5, "paging", "Container_ListBlobHierarchySegment", r.page_size(1, "blob.Container_ListBlobHierarchySegment"), WRONG, OTHER, ""),
    # Queue
    ("queue", 5, "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 400, "OutOfRangeQueryParameterValue", when=_number("visibilitytimeout", lambda n: n > 86400)), UNSAFE, CONSTRAINT, ""),
    ("queue", 5, "code", "MessageId_Update", r.change_code("queue.MessageId_Update", "MessageNotFound", "NoSuchMessage"), MISLEADING, ERROR, "response"),
    ("queue", 5, "message", "Queue_Create", r.change_message("queue.Queue_Create", "There is one already."), MISLEADING, ERROR, "response"),
    ("queue", 5, "field", "Messages_Dequeue", r.drop_field("queue.Messages_Dequeue", "ExpirationTime"), WRONG, OTHER, ""),
    ("queue", 5, "failure", "Messages_Peek", _fails("queue.Messages_Peek", _number("numofmessages", lambda n: n > 1)), UNSAFE, NULL, ""),
    ("queue", 5, "authorisation", "Queue_SetAccessPolicy", r.deny("queue.Queue_SetAccessPolicy"), UNSAFE, AUTH, ""),
    ("queue", 5, "ordering", "Messages_Dequeue", r.reverse_list("queue.Messages_Dequeue", "QueueMessage"), WRONG, OTHER, ""),
    # Table
    ("table", 5, "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "TooManyProperties", when=lambda request: len(_json(request)) > 100), UNSAFE, CONSTRAINT, ""),
    ("table", 5, "constraint", "Table_Create", r.reject("table.Table_Create", 400, "InvalidResourceName", when=lambda request: len(str(_json(request).get("TableName"))) > 40), UNSAFE, CONSTRAINT, ""),
    ("table", 5, "code", "Table_QueryEntitiesWithPartitionAndRowKey", r.change_code("table.Table_QueryEntitiesWithPartitionAndRowKey", "ResourceNotFound", "EntityNotFound"), MISLEADING, ERROR, "response"),
    ("table", 5, "message", "Table_QueryEntities", r.change_message("table.Table_QueryEntities", "The query cannot be read."), MISLEADING, ERROR, "response"),
    ("table", 5, "field", "Table_QueryEntities", r.drop_field("table.Table_QueryEntities", "Timestamp"), WRONG, OTHER, ""),
    ("table", 5, "state", "Table_UpdateEntity", r.swallow_write("table.Table_UpdateEntity"), WRONG, OTHER, "state"),
    ("table", 5, "failure", "Table_QueryEntitiesWithPartitionAndRowKey", _fails("table.Table_QueryEntitiesWithPartitionAndRowKey", lambda request: "$select" in request.query), UNSAFE, NULL, ""),
    ("table", 5, "authorisation", "Table_SetAccessPolicy", r.deny("table.Table_SetAccessPolicy"), UNSAFE, AUTH, ""),
    ("table", 5, "ordering", "Table_Query", r.reverse_list("table.Table_Query", "value"), WRONG, OTHER, ""),
]  # fmt: skip

FURTHER: tuple[Seed, ...] = tuple(
    seed(service, category, operations, rule, implication, causes, manifestation, group=group)
    for service, group, category, operations, rule, implication, causes, manifestation in ROWS
)
