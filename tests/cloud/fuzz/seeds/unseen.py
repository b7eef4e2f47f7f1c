"""Seeded differences that were written before the fuzzer was looked at, over what no other group touches.

Those of a service and group are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

from collections.abc import Callable

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from seeds.further import _fails, _has_metadata, _json, _more, _number
from seeds.more import MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed


def _flip(old: str) -> str:
    """The other truth value."""
    return "false" if old.lower() == "true" else "true"


def _without_key(request: Request) -> bool:
    return b"aws:kms<" in request.body and b"KMSMasterKeyID" not in request.body


def _one_part(request: Request) -> Request:
    asked = request.query.get("max-parts", "")
    return request if asked.isdecimal() and int(asked) <= 1 else with_query(request, "max-parts", "1")


def _items(name: str, limit: int) -> Callable[[Request], bool]:
    """Whether a list of a JSON body has more items than that."""
    return lambda request: len(_json(request).get(name) or ()) > limit


def _says_member(name: str) -> Callable[[Request], bool]:
    return lambda request: name in _json(request)


def _has_much_metadata(request: Request) -> bool:
    return sum(name.lower().startswith("x-ms-meta-") for name, _ in request.headers) > 8


def _has_large_number(request: Request) -> bool:
    return any(type(value) is int and value > 1_000_000 for value in _json(request).values())


def _ignored(which: str, status: int) -> Rule:
    """A write that is answered as the server answers it, and not made."""
    return Rule(
        name="ignored",
        matches=r.matching(which),
        on_request=lambda request: r.success(request).with_status(status),
    )


def _without_metadata(_: Request, response: Response) -> Response:
    for name, _value in response.headers:
        if name.lower().startswith("x-ms-meta-"):
            response = response.with_header(name, None)
    return response


ROWS: list[tuple[str, int, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", 6, "constraint", "PutBucketEncryption", r.reject("s3.PutBucketEncryption", 400, "InvalidArgument", when=_without_key), UNSAFE, CONSTRAINT, ""),
    ("s3", 6, "constraint", "DeleteObjects", r.reject("s3.DeleteObjects", 400, "MalformedXML", when=_more("Object", 10)), UNSAFE, CONSTRAINT, ""),
    ("s3", 6, "constraint", "GetObject", r.reject_parameter("s3.GetObject", "response-content-language"), UNSAFE, CONSTRAINT, "response"),
    ("s3", 6, "code", "GetObjectLockConfiguration", r.change_code("s3.GetObjectLockConfiguration", "ObjectLockConfigurationNotFoundError", "NoSuchLockConfiguration"), MISLEADING, ERROR, "response"),
    ("s3", 6, "code", "CopyObject", r.change_code("s3.CopyObject", "NoSuchKey", "NoSuchSource"), MISLEADING, ERROR, "response"),
    ("s3", 6, "message", "GetBucketEncryption", r.change_message("s3.GetBucketEncryption", "Nothing is encrypted."), MISLEADING, ERROR, "response"),
    ("s3", 6, "field", "ListObjectVersions", r.change_field("s3.ListObjectVersions", "IsLatest", _flip), WRONG, OTHER, ""),
    ("s3", 6, "field", "UploadPart", r.drop_field("s3.UploadPart", "header:ETag"), WRONG, OTHER, "response"),
    ("s3", 6, "state", "DeleteObjectTagging", r.swallow_write("s3.DeleteObjectTagging"), WRONG, OTHER, "state"),
    ("s3", 6, "state", "PutObject", r.change_argument("s3.PutObject", "header:Cache-Control", "no-cache"), WRONG, OTHER, "state"),
    ("s3", 6, "failure", "ListMultipartUploads", _fails("s3.ListMultipartUploads", _has("prefix")), UNSAFE, NULL, "response"),
    ("s3", 6, "authorisation", "PutBucketOwnershipControls", r.deny("s3.PutBucketOwnershipControls"), UNSAFE, AUTH, ""),
    ("s3", 6, "asynchronous", "CreateMultipartUpload ListMultipartUploads", lagging("s3.CreateMultipartUpload", "s3.ListMultipartUploads", 0.8, _hidden("Upload")), "", ASYNC, ""),
    ("s3", 6, "ordering", "GetBucketTagging", r.reverse_list("s3.GetBucketTagging", "Tag"), WRONG, OTHER, ""),
    ("s3", 6, "paging", "ListParts", Rule(name="parts", matches=r.matching("s3.ListParts"), on_request=_one_part), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", 6, "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", when=lambda request: _json(request).get("TableClass") == "STANDARD_INFREQUENT_ACCESS"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 6, "constraint", "TransactWriteItems", r.reject("dynamodb.TransactWriteItems", 400, "ValidationException", when=_items("TransactItems", 4)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 6, "constraint", "Scan", r.reject_parameter("dynamodb.Scan", "TotalSegments", 400, "ValidationException"), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", 6, "code", "DeleteItem", r.change_code("dynamodb.DeleteItem", "ConditionalCheckFailedException", "ConditionFailedException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 6, "code", "CreateBackup", r.change_code("dynamodb.CreateBackup", "TableNotFoundException", "ResourceNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 6, "message", "ExecuteStatement", r.change_message("dynamodb.ExecuteStatement", "The statement cannot be read."), MISLEADING, ERROR, "response"),
    ("dynamodb", 6, "field", "PutItem", r.drop_field("dynamodb.PutItem", "Attributes"), WRONG, OTHER, "response"),
    ("dynamodb", 6, "field", "Query", r.change_field("dynamodb.Query", "Count", str), WRONG, OTHER, ""),
    ("dynamodb", 6, "state", "DeleteBackup", r.swallow_write("dynamodb.DeleteBackup"), "", OTHER, "state"),
    ("dynamodb", 6, "failure", "Query", _fails("dynamodb.Query", _says_member("FilterExpression")), UNSAFE, NULL, "response"),
    ("dynamodb", 6, "authorisation", "RestoreTableFromBackup", r.deny("dynamodb.RestoreTableFromBackup"), UNSAFE, AUTH, ""),
    ("dynamodb", 6, "asynchronous", "TagResource ListTagsOfResource", lagging("dynamodb.TagResource", "dynamodb.ListTagsOfResource", 0.8, _hidden("Tags")), "", ASYNC, ""),
    ("dynamodb", 6, "ordering", "ListTables", r.reverse_list("dynamodb.ListTables", "TableNames"), WRONG, OTHER, ""),
    ("dynamodb", 6, "paging", "ListBackups", r.drop_last("dynamodb.ListBackups", "BackupSummaries"), WRONG, OTHER, ""),
    # Blob
    ("blob", 6, "constraint", "BlockBlob_StageBlock", r.reject("blob.BlockBlob_StageBlock", 400, "InvalidQueryParameterValue", when=lambda request: len(request.query.get("blockid", "")) > 30), UNSAFE, CONSTRAINT, ""),
    ("blob", 6, "constraint", "PageBlob_UploadPages", r.reject_parameter("blob.PageBlob_UploadPages", "x-ms-if-sequence-number-lt", 400, "InvalidHeaderValue"), UNSAFE, CONSTRAINT, ""),
    ("blob", 6, "constraint", "Container_SetAccessPolicy", r.reject("blob.Container_SetAccessPolicy", 400, "InvalidXmlDocument", when=_more("SignedIdentifier", 2)), UNSAFE, CONSTRAINT, ""),
    ("blob", 6, "code", "Blob_ReleaseLease", r.change_code("blob.Blob_ReleaseLease", "LeaseIdMismatchWithLeaseOperation", "LeaseMismatch"), MISLEADING, ERROR, "response"),
    ("blob", 6, "code", "Blob_SetMetadata", r.change_code("blob.Blob_SetMetadata", "BlobNotFound", "NoBlob"), MISLEADING, ERROR, "response"),
    ("blob", 6, "message", "BlockBlob_CommitBlockList", r.change_message("blob.BlockBlob_CommitBlockList", "There is something with the list."), MISLEADING, ERROR, "response"),
    ("blob", 6, "field", "AppendBlob_AppendBlock", r.drop_field("blob.AppendBlob_AppendBlock", "header:x-ms-blob-committed-block-count"), WRONG, OTHER, "response"),
    ("blob", 6, "field", "Blob_Download", r.change_body("blob.Blob_Download", lambda body: body[:-1]), WRONG, OTHER, ""),
    ("blob", 6, "state", "Container_ReleaseLease", _ignored("blob.Container_ReleaseLease", 200), "", OTHER, "state"),
    ("blob", 6, "failure", "Container_ListBlobFlatSegment", _fails("blob.Container_ListBlobFlatSegment", lambda request: "metadata" in request.query.get("include", "")), UNSAFE, NULL, "response"),
    ("blob", 6, "authorisation", "Blob_BreakLease", r.deny("blob.Blob_BreakLease"), UNSAFE, AUTH, ""),
    ("blob", 6, "asynchronous", "BlockBlob_StageBlock BlockBlob_GetBlockList", lagging("blob.BlockBlob_StageBlock", "blob.BlockBlob_GetBlockList", 0.8, _hidden("Block")), "", ASYNC, ""),
    ("blob", 6, "ordering", "Blob_GetTags", r.reverse_list("blob.Blob_GetTags", "Tag"), WRONG, OTHER, ""),
    ("blob", 6, "paging", "Service_ListContainersSegment", r.page_size(1, "blob.Service_ListContainersSegment"), WRONG, OTHER, ""),
    # Queue
    ("queue", 6, "constraint", "Service_ListQueuesSegment", r.reject("queue.Service_ListQueuesSegment", 400, "InvalidQueryParameterValue", when=_has("include")), UNSAFE, CONSTRAINT, "response"),
    ("queue", 6, "constraint", "MessageId_Update", r.reject("queue.MessageId_Update", 400, "OutOfRangeQueryParameterValue", when=_number("visibilitytimeout", lambda n: n == 0)), UNSAFE, CONSTRAINT, ""),
    ("queue", 6, "constraint", "Queue_Create", r.reject("queue.Queue_Create", 400, "InvalidMetadata", when=_has_metadata), UNSAFE, CONSTRAINT, ""),
    ("queue", 6, "constraint", "Messages_Enqueue", r.limit_size("queue.Messages_Enqueue", 1000, 413, "RequestBodyTooLarge"), UNSAFE, CONSTRAINT, ""),
    ("queue", 6, "code", "Messages_Dequeue", r.change_code("queue.Messages_Dequeue", "QueueNotFound", "NoQueue"), MISLEADING, ERROR, "response"),
    ("queue", 6, "message", "Queue_SetMetadata", r.change_message("queue.Queue_SetMetadata", "It could not be written."), MISLEADING, ERROR, "response"),
    ("queue", 6, "field", "Messages_Enqueue", r.drop_field("queue.Messages_Enqueue", "TimeNextVisible"), WRONG, OTHER, "response"),
    ("queue", 6, "field", "Service_GetProperties", r.change_field("queue.Service_GetProperties", "HourMetrics.Version", "2.0"), WRONG, OTHER, ""),
    ("queue", 6, "state", "Queue_SetAccessPolicy", _ignored("queue.Queue_SetAccessPolicy", 204), "", OTHER, "state"),
    ("queue", 6, "failure", "Messages_Dequeue", _fails("queue.Messages_Dequeue", _number("numofmessages", lambda n: n > 5)), UNSAFE, NULL, ""),
    ("queue", 6, "authorisation", "Messages_Clear", r.deny("queue.Messages_Clear"), UNSAFE, AUTH, ""),
    ("queue", 6, "ordering", "Service_ListQueuesSegment", r.reverse_list("queue.Service_ListQueuesSegment", "Queue"), WRONG, OTHER, ""),
    ("queue", 6, "asynchronous", "Queue_SetMetadata Queue_GetProperties", lagging("queue.Queue_SetMetadata", "queue.Queue_GetProperties", 0.8, _without_metadata), "", ASYNC, ""),
    # Table
    ("table", 6, "constraint", "Table_Query", r.reject("table.Table_Query", 400, "InvalidInput", when=_has("$filter")), UNSAFE, CONSTRAINT, "response"),
    ("table", 6, "constraint", "Table_MergeEntity", r.reject("table.Table_MergeEntity", 400, "TooManyProperties", when=lambda request: len(_json(request)) > 10), UNSAFE, CONSTRAINT, ""),
    ("table", 6, "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "KeyValueTooLarge", when=lambda request: len(str(_json(request).get("RowKey", ""))) > 100), UNSAFE, CONSTRAINT, ""),
    ("table", 6, "code", "Table_DeleteEntity", r.change_code("table.Table_DeleteEntity", "ResourceNotFound", "EntityGone"), MISLEADING, ERROR, "response"),
    ("table", 6, "code", "Table_UpdateEntity", r.change_code("table.Table_UpdateEntity", "UpdateConditionNotSatisfied", "ConditionNotMet"), MISLEADING, ERROR, "response"),
    ("table", 6, "message", "Table_InsertEntity", r.change_message("table.Table_InsertEntity", "It could not be inserted."), MISLEADING, ERROR, "response"),
    ("table", 6, "field", "Table_InsertEntity", r.drop_field("table.Table_InsertEntity", "header:ETag"), WRONG, OTHER, "response"),
    ("table", 6, "field", "Service_GetProperties", r.change_field("table.Service_GetProperties", "MinuteMetrics.Version", "2.0"), WRONG, OTHER, ""),
    ("table", 6, "state", "Table_SetAccessPolicy", r.swallow_write("table.Table_SetAccessPolicy"), "", OTHER, "state"),
    ("table", 6, "failure", "Table_QueryEntities", _fails("table.Table_QueryEntities", _has("$top")), UNSAFE, NULL, "response"),
    ("table", 6, "authorisation", "Service_SetProperties", r.deny("table.Service_SetProperties"), UNSAFE, AUTH, ""),
    ("table", 6, "asynchronous", "Table_InsertEntity Table_QueryEntities", lagging("table.Table_InsertEntity", "table.Table_QueryEntities", 0.8, _hidden("value")), "", ASYNC, ""),
    ("table", 6, "paging", "Table_Query", r.page_size(1, "table.Table_Query"), WRONG, OTHER, ""),
    # And again, after what the sixth group led to
    ("s3", 7, "constraint", "PutObjectRetention", r.reject("s3.PutObjectRetention", 400, "InvalidRequest", when=_says(b"<Mode>COMPLIANCE</Mode>")), UNSAFE, CONSTRAINT, ""),
    ("s3", 7, "code", "GetBucketInventoryConfiguration", r.change_code("s3.GetBucketInventoryConfiguration", "NoSuchInventoryConfig", "NoSuchConfiguration"), MISLEADING, ERROR, "response"),
    ("s3", 7, "field", "GetObjectTagging", r.change_field("s3.GetObjectTagging", "Value", str.upper), WRONG, OTHER, ""),
    ("s3", 7, "state", "DeleteBucketLifecycle", r.swallow_write("s3.DeleteBucketLifecycle"), "", OTHER, "state"),
    ("s3", 7, "null reference", "GetPublicAccessBlock", r.change_status("s3.GetPublicAccessBlock", 404, 500), MISLEADING, NULL, "response"),
    ("s3", 7, "ordering", "ListBuckets", r.reverse_list("s3.ListBuckets", "Bucket"), WRONG, OTHER, ""),
    ("dynamodb", 7, "constraint", "UpdateItem", r.reject("dynamodb.UpdateItem", 400, "ValidationException", when=lambda request: _json(request).get("ReturnValues") == "UPDATED_OLD"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 7, "code", "DescribeBackup", r.change_code("dynamodb.DescribeBackup", "BackupNotFoundException", "ResourceNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 7, "message", "PutItem", r.change_message("dynamodb.PutItem", "It could not be put there."), MISLEADING, ERROR, "response"),
    ("dynamodb", 7, "field", "BatchWriteItem", r.drop_field("dynamodb.BatchWriteItem", "UnprocessedItems"), WRONG, OTHER, "response"),
    ("dynamodb", 7, "state", "UpdateTimeToLive", r.swallow_write("dynamodb.UpdateTimeToLive"), "", OTHER, "state"),
    ("dynamodb", 7, "failure", "GetItem", _fails("dynamodb.GetItem", _says_member("ProjectionExpression")), UNSAFE, NULL, "response"),
    ("blob", 7, "constraint", "Container_SetMetadata", r.reject("blob.Container_SetMetadata", 400, "MetadataTooLarge", when=_has_much_metadata), UNSAFE, CONSTRAINT, ""),
    ("blob", 7, "code", "Blob_AcquireLease", r.change_code("blob.Blob_AcquireLease", "LeaseAlreadyPresent", "AlreadyLeased"), MISLEADING, ERROR, "response"),
    ("blob", 7, "field", "Container_ListBlobFlatSegment", r.drop_field("blob.Container_ListBlobFlatSegment", "Content-Length"), WRONG, OTHER, ""),
    ("blob", 7, "state", "Blob_SetTier", _ignored("blob.Blob_SetTier", 200), "", OTHER, "state"),
    ("blob", 7, "authorisation", "AppendBlob_Create", r.deny("blob.AppendBlob_Create"), UNSAFE, AUTH, ""),
    ("queue", 7, "constraint", "Messages_Dequeue", r.reject("queue.Messages_Dequeue", 400, "OutOfRangeQueryParameterValue", when=_number("numofmessages", lambda n: n == 32)), UNSAFE, CONSTRAINT, ""),
    ("queue", 7, "code", "Queue_SetAccessPolicy", r.change_code("queue.Queue_SetAccessPolicy", "QueueNotFound", "NoQueue"), MISLEADING, ERROR, "response"),
    ("queue", 7, "field", "Messages_Dequeue", r.change_field("queue.Messages_Dequeue", "MessageText", str.upper), WRONG, OTHER, ""),
    ("queue", 7, "state", "MessageId_Delete", _ignored("queue.MessageId_Delete", 204), "", OTHER, "state"),
    ("queue", 7, "null reference", "Queue_GetProperties", r.change_status("queue.Queue_GetProperties", 404, 500), MISLEADING, NULL, "response"),
    ("table", 7, "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "InvalidInput", when=_has_large_number), UNSAFE, CONSTRAINT, ""),
    ("table", 7, "code", "Table_SetAccessPolicy", r.change_code("table.Table_SetAccessPolicy", "TableNotFound", "NoTable"), MISLEADING, ERROR, "response"),
    ("table", 7, "field", "Table_QueryEntitiesWithPartitionAndRowKey", r.change_field("table.Table_QueryEntitiesWithPartitionAndRowKey", "PartitionKey", str.upper), WRONG, OTHER, ""),
    ("table", 7, "state", "Table_Delete", _ignored("table.Table_Delete", 204), "", OTHER, "state"),
]  # fmt: skip

UNSEEN: tuple[Seed, ...] = tuple(
    seed(service, category, operations, rule, implication, causes, manifestation, group=group)
    for service, group, category, operations, rule, implication, causes, manifestation in ROWS
)
