"""Seeded differences for S3 and DynamoDB; the eighth group was written before the fuzzer was looked at.

They lie where no other group's do: nested parameters, conditional headers, batches, statements, indexes.
Those of a service and group are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
from collections.abc import Callable

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.messages import answer
from seeds.further import _fails, _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _gone, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed

UNBUILT = "not implemented"


def _days(limit: int) -> Callable[[Request], bool]:
    """Whether an XML body speaks of more days than that."""
    return lambda request: any(int(days) > limit for days in re.findall(rb"<Days>(\d+)</Days>", request.body))


def _answered(which: str, body: bytes, when: Callable[[Request], bool] | None = None) -> Rule:
    """Calls that are answered so, whatever the server below would say, and not made."""
    matches = r.matching(which)

    def reply(request: Request) -> Response:
        kind = "application/x-amz-json-1.0" if request.service == "dynamodb" else "application/xml"
        return answer(200, body, (("Content-Type", kind),))

    return Rule(
        name="answered",
        matches=lambda request: matches(request) and (when is None or when(request)),
        on_request=reply,
    )


def _projects(kind: str) -> Callable[[Request], bool]:
    """Whether a new table has a global index with that projection."""

    def check(request: Request) -> bool:
        indexes = _json(request).get("GlobalSecondaryIndexes") or ()
        return any((each.get("Projection") or {}).get("ProjectionType") == kind for each in indexes)

    return check


def _batch_writes(limit: int) -> Callable[[Request], bool]:
    """Whether a batch has more writes than that."""
    return lambda request: sum(map(len, (_json(request).get("RequestItems") or {}).values())) > limit


def _statement(word: str) -> Callable[[Request], bool]:
    return lambda request: str(_json(request).get("Statement", "")).upper().startswith(word)


def _still(field: str, value: str) -> Callable[[Request, Response], Response]:
    """The answer with a field as it was before."""
    return lambda _, response: trees.change_response(response, field, lambda _: value)


def _transacts(word: str) -> Callable[[Request], bool]:
    """Whether a transaction consists of such items only: others may be refused by the server below."""
    return lambda request: all({word} == set(each) for each in _json(request).get("TransactItems") or ({},))


def _number_in(tag: str, limit: int) -> Callable[[Request], bool]:
    """Whether an XML body gives more than that as one of its numbers."""
    pattern = re.compile(rf"<{tag}>(\d+)</{tag}>".encode())
    return lambda request: any(int(found) > limit for found in pattern.findall(request.body))


def first_only(tag: str) -> Callable[[Request], Request]:
    """Of several elements of an XML body only the first one is heeded."""
    pattern = re.compile(rf"<{tag}>.*?</{tag}>".encode(), re.DOTALL)

    def drop(request: Request) -> Request:
        first, *rest = pattern.findall(request.body) or (b"",)
        body = request.body
        for each in rest:
            body = body.replace(each, b"", 1) if each != first else body
        return request.with_body(body) if body != request.body else request

    return drop


DONE = json.dumps({"ConsumedCapacity": [], "ItemCollectionMetrics": {}}).encode()
PAYER = b"<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>"

ROWS: list[tuple[str, int, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", 8, "constraint", "UploadPartCopy", r.reject_parameter("s3.UploadPartCopy", "x-amz-copy-source-range"), UNSAFE, CONSTRAINT, ""),
    ("s3", 8, "constraint", "PutBucketLifecycleConfiguration PutBucketLifecycle", r.reject("s3.PutBucketLifecycle*", 400, "InvalidArgument", when=_days(365)), UNSAFE, CONSTRAINT, ""),
    ("s3", 8, "constraint", "CreateBucket", r.reject("s3.CreateBucket", 400, "InvalidBucketAclWithObjectOwnership", when=lambda request: request.header("x-amz-object-ownership") == "ObjectWriter"), UNSAFE, CONSTRAINT, ""),
    ("s3", 8, "constraint", "PutBucketWebsite", r.reject("s3.PutBucketWebsite", 400, "InvalidRequest", when=_says(b"<RoutingRule>")), UNSAFE, CONSTRAINT, ""),
    ("s3", 8, "constraint", "CopyObject", r.reject("s3.CopyObject", 412, "PreconditionFailed", when=_has("x-amz-copy-source-if-modified-since")), UNSAFE, CONSTRAINT, ""),
    ("s3", 8, "code", "CompleteMultipartUpload", r.change_code("s3.CompleteMultipartUpload", "InvalidPart", "InvalidPartOrder"), MISLEADING, ERROR, "response"),
    ("s3", 8, "code", "GetObject", r.change_code("s3.GetObject", "InvalidRange", "RequestedRangeNotSatisfiable"), MISLEADING, ERROR, "response"),
    ("s3", 8, "message", "CreateBucket", r.change_message("s3.CreateBucket", "It cannot be created."), MISLEADING, ERROR, "response"),
    ("s3", 8, "field", "CopyObject", r.drop_field("s3.CopyObject", "CopyObjectResult.LastModified"), WRONG, OTHER, "response"),
    ("s3", 8, "field", "GetBucketWebsite", r.change_field("s3.GetBucketWebsite", "ErrorDocument.Key", "404.html"), WRONG, OTHER, ""),
    ("s3", 8, "field", "PutObject", r.add_field("s3.PutObject", "header:x-amz-expiration", 'expiry-date="Fri, 01 Jan 2027 00:00:00 GMT", rule-id="old"'), WRONG, OTHER, "response"),
    ("s3", 8, "field", "HeadObject", r.drop_field("s3.HeadObject", "header:x-amz-storage-class"), WRONG, OTHER, ""),
    ("s3", 8, "field", "GetBucketRequestPayment", r.change_body("s3.GetBucketRequestPayment", lambda _: PAYER), "", "", ""),
    ("s3", 8, "state", "CopyObject", r.change_argument("s3.CopyObject", "header:x-amz-metadata-directive", "COPY"), WRONG, OTHER, "state"),
    ("s3", 8, "state", "PutBucketVersioning", _answered("s3.PutBucketVersioning", b"", _says(b"Suspended")), "", OTHER, "state"),
    ("s3", 8, "state", "DeleteBucketCors", r.swallow_write("s3.DeleteBucketCors"), "", OTHER, "state"),
    ("s3", 8, "failure", "GetObject", _fails("s3.GetObject", _has("partNumber")), UNSAFE, NULL, "response"),
    ("s3", 8, "null reference", "GetBucketPolicyStatus", r.change_status("s3.GetBucketPolicyStatus", 404, 500), MISLEADING, NULL, "response"),
    ("s3", 8, "authorisation", "GetBucketLocation", r.reject("s3.GetBucketLocation", 403, "AccessDenied", when=_has("x-amz-expected-bucket-owner")), UNSAFE, AUTH, "response"),
    ("s3", 8, "authorisation", "PutObjectAcl", r.deny("s3.PutObjectAcl"), UNSAFE, AUTH, ""),
    ("s3", 8, "asynchronous", "PutBucketEncryption GetBucketEncryption", lagging("s3.PutBucketEncryption", "s3.GetBucketEncryption", 0.8, _gone("ServerSideEncryptionConfigurationNotFoundError")), "", ASYNC, ""),
    ("s3", 8, "ordering", "DeleteObjects", r.reverse_list("s3.DeleteObjects", "Deleted"), WRONG, OTHER, ""),
    ("s3", 8, "paging", "ListObjects", r.change_field("s3.ListObjects", "IsTruncated", "false"), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", 8, "constraint", "UpdateTable", r.reject_parameter("dynamodb.UpdateTable", "DeletionProtectionEnabled", 400, "ValidationException"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 8, "constraint", "Query", r.reject("dynamodb.Query", 400, "ValidationException", when=lambda request: _json(request).get("Select") == "COUNT"), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", 8, "constraint", "BatchWriteItem", r.reject("dynamodb.BatchWriteItem", 400, "ValidationException", when=_batch_writes(10)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 8, "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", when=_projects("INCLUDE")), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 8, "constraint", "ExecuteStatement", r.reject("dynamodb.ExecuteStatement", 400, "ValidationException", when=lambda request: _json(request).get("ConsistentRead") is True), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 8, "code", "TransactGetItems", r.change_code("dynamodb.TransactGetItems", "ResourceNotFoundException", "TableNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 8, "code", "CreateTable", r.change_code("dynamodb.CreateTable", "ResourceInUseException", "TableAlreadyExistsException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 8, "message", "RestoreTableToPointInTime", r.change_message("dynamodb.RestoreTableToPointInTime", "It cannot be restored."), MISLEADING, ERROR, "response"),
    ("dynamodb", 8, "field", "GetItem", r.drop_field("dynamodb.GetItem", "ConsumedCapacity"), WRONG, OTHER, "response"),
    ("dynamodb", 8, "field", "DescribeTable", r.change_field("dynamodb.DescribeTable", "GlobalSecondaryIndexes.IndexStatus", "CREATING"), WRONG, OTHER, ""),
    ("dynamodb", 8, "field", "ListTagsOfResource", r.change_field("dynamodb.ListTagsOfResource", "Tags.Value", lambda old: f"{old}!"), WRONG, OTHER, ""),
    ("dynamodb", 8, "field", "Scan", r.change_field("dynamodb.Scan", "ScannedCount", lambda old: old + 1), WRONG, OTHER, ""),
    ("dynamodb", 8, "state", "TransactWriteItems", _answered("dynamodb.TransactWriteItems", DONE, _transacts("Delete")), "", OTHER, "state"),
    ("dynamodb", 8, "state", "ExecuteStatement", _answered("dynamodb.ExecuteStatement", b'{"Items": []}', _statement("INSERT")), "", OTHER, "state"),
    ("dynamodb", 8, "failure", "Query", _fails("dynamodb.Query", lambda request: "IndexName" in _json(request)), UNSAFE, NULL, "response"),
    ("dynamodb", 8, "null reference", "DescribeContinuousBackups", r.change_status("dynamodb.DescribeContinuousBackups", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", 8, "authorisation", "DeleteResourcePolicy", r.deny("dynamodb.DeleteResourcePolicy"), UNSAFE, AUTH, ""),
    ("dynamodb", 8, "asynchronous", "CreateTable DescribeTable", lagging("dynamodb.CreateTable", "dynamodb.DescribeTable", 0.8, _still("Table.TableStatus", "CREATING")), "", ASYNC, ""),
    ("dynamodb", 8, "ordering", "TransactGetItems", r.reverse_list("dynamodb.TransactGetItems", "Responses"), WRONG, OTHER, ""),
    ("dynamodb", 8, "paging", "Query", r.page_size(1, "dynamodb.Query"), WRONG, OTHER, ""),
    ("dynamodb", 8, "unbuilt", "ListContributorInsights", _answered("dynamodb.ListContributorInsights", b'{"ContributorInsightsSummaries": []}'), ALARM, f"{UNBUILT}|{NULL}", "response"),
    # S3, after what the eighth group led to
    ("s3", 9, "constraint", "PutBucketReplication", r.reject("s3.PutBucketReplication", 400, "InvalidRequest", when=_number_in("Priority", 500)), UNSAFE, CONSTRAINT, ""),
    ("s3", 9, "constraint", "CreateMultipartUpload", r.reject("s3.CreateMultipartUpload", 400, "KMS.NotFoundException", when=lambda request: request.header("x-amz-server-side-encryption") == "aws:kms"), UNSAFE, CONSTRAINT, ""),
    ("s3", 9, "constraint", "PutBucketCors", r.reject("s3.PutBucketCors", 400, "InvalidRequest", when=_number_in("MaxAgeSeconds", 86400)), UNSAFE, CONSTRAINT, ""),
    ("s3", 9, "constraint", "ListObjects", r.reject_parameter("s3.ListObjects", "encoding-type"), UNSAFE, CONSTRAINT, "response"),
    ("s3", 9, "code", "DeleteObject", r.change_code("s3.DeleteObject", "AccessDenied", "ObjectLocked"), MISLEADING, f"{ERROR}|{AUTH}", "response"),
    ("s3", 9, "code", "PutObjectLegalHold", r.change_code("s3.PutObjectLegalHold", "InvalidRequest", "MissingObjectLockConfiguration"), MISLEADING, ERROR, "response"),
    ("s3", 9, "message", "GetBucketCors", r.change_message("s3.GetBucketCors", "No rules of that kind."), MISLEADING, ERROR, "response"),
    ("s3", 9, "field", "ListMultipartUploads", r.drop_field("s3.ListMultipartUploads", "Initiator"), WRONG, OTHER, ""),
    ("s3", 9, "field", "ListObjectsV2", r.change_field("s3.ListObjectsV2", "Contents.Size", lambda old: str(int(old) + 1)), WRONG, OTHER, ""),
    ("s3", 9, "field", "DeleteObject", r.add_field("s3.DeleteObject", "header:x-amz-delete-marker", "true"), WRONG, OTHER, "response"),
    ("s3", 9, "state", "PutBucketOwnershipControls", r.swallow_write("s3.PutBucketOwnershipControls"), "", OTHER, "state"),
    ("s3", 9, "state", "PutBucketInventoryConfiguration", r.swallow_write("s3.PutBucketInventoryConfiguration"), "", OTHER, "state"),
    ("s3", 9, "state", "DeleteObjects", Rule(name="first only", matches=r.matching("s3.DeleteObjects"), on_request=first_only("Object")), "", OTHER, ""),
    ("s3", 9, "failure", "HeadObject", _fails("s3.HeadObject", _has("versionId")), UNSAFE, NULL, "response"),
    ("s3", 9, "authorisation", "RestoreObject", r.deny("s3.RestoreObject"), UNSAFE, AUTH, ""),
    ("s3", 9, "asynchronous", "PutObjectTagging GetObjectTagging", lagging("s3.PutObjectTagging", "s3.GetObjectTagging", 0.8, _hidden("Tag")), "", ASYNC, ""),
    ("s3", 9, "ordering", "ListObjectVersions", r.reverse_list("s3.ListObjectVersions", "Version"), WRONG, OTHER, ""),
    ("s3", 9, "paging", "ListObjectsV2", r.drop_field("s3.ListObjectsV2", "NextContinuationToken"), WRONG, OTHER, ""),
    ("s3", 9, "default", "GetBucketAccelerateConfiguration", r.missing_configuration("s3.GetBucketAccelerateConfiguration", "NoSuchAccelerateConfiguration"), UNSAFE, f"{CONSTRAINT}|{OTHER}", "response"),
    ("s3", 9, "forgiven", "AbortMultipartUpload", r.forgive("s3.AbortMultipartUpload"), ALARM, OTHER, ""),
    # DynamoDB, after what the eighth group led to
    ("dynamodb", 9, "constraint", "UpdateItem", r.reject("dynamodb.UpdateItem", 400, "ValidationException", when=lambda request: _json(request).get("ReturnConsumedCapacity") == "INDEXES"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 9, "constraint", "Scan", r.reject("dynamodb.Scan", 400, "ValidationException", when=lambda request: _json(request).get("Limit", 0) > 500), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", 9, "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", when=lambda request: len(str(_json(request).get("TableName"))) > 100), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 9, "constraint", "PutItem", r.reject("dynamodb.PutItem", 400, "ValidationException", when=lambda request: {"S": ""} in (_json(request).get("Item") or {}).values()), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 9, "constraint", "TagResource", r.reject("dynamodb.TagResource", 400, "ValidationException", when=lambda request: any(len(str(each.get("Value"))) > 128 for each in _json(request).get("Tags") or ())), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 9, "code", "UpdateItem", r.change_code("dynamodb.UpdateItem", "ConditionalCheckFailedException", "ConditionFailed"), MISLEADING, ERROR, "response"),
    ("dynamodb", 9, "code", "RestoreTableFromBackup", r.change_code("dynamodb.RestoreTableFromBackup", "TableAlreadyExistsException", "ResourceInUseException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 9, "message", "Query", r.change_message("dynamodb.Query", "That cannot be asked."), MISLEADING, ERROR, "response"),
    ("dynamodb", 9, "field", "DescribeTable", r.drop_field("dynamodb.DescribeTable", "ProvisionedThroughput.NumberOfDecreasesToday"), WRONG, OTHER, ""),
    ("dynamodb", 9, "field", "BatchGetItem", r.drop_field("dynamodb.BatchGetItem", "UnprocessedKeys"), WRONG, OTHER, "response"),
    ("dynamodb", 9, "field", "CreateBackup", r.change_field("dynamodb.CreateBackup", "BackupDetails.BackupType", "SYSTEM"), WRONG, OTHER, "response"),
    ("dynamodb", 9, "field", "ExecuteStatement", r.change_field("dynamodb.ExecuteStatement", "N", lambda old: f"{old}0"), WRONG, OTHER, "response"),
    ("dynamodb", 9, "state", "UpdateTable", r.change_argument("dynamodb.UpdateTable", "DeletionProtectionEnabled", False), WRONG, OTHER, ""),
    ("dynamodb", 9, "state", "UntagResource", r.swallow_write("dynamodb.UntagResource"), "", OTHER, "state"),
    ("dynamodb", 9, "failure", "TransactWriteItems", _fails("dynamodb.TransactWriteItems", lambda request: b"ClientRequestToken" in request.body and b"ConditionExpression" in request.body), UNSAFE, NULL, ""),
    ("dynamodb", 9, "null reference", "DeleteBackup", r.change_status("dynamodb.DeleteBackup", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", 9, "authorisation", "DescribeLimits", r.deny("dynamodb.DescribeLimits"), UNSAFE, AUTH, "response"),
    ("dynamodb", 9, "asynchronous", "CreateBackup ListBackups", lagging("dynamodb.CreateBackup", "dynamodb.ListBackups", 0.8, _hidden("BackupSummaries")), "", ASYNC, ""),
    ("dynamodb", 9, "ordering", "ListTagsOfResource", r.reverse_list("dynamodb.ListTagsOfResource", "Tags"), WRONG, OTHER, ""),
    ("dynamodb", 9, "paging", "Scan", r.drop_field("dynamodb.Scan", "LastEvaluatedKey"), WRONG, OTHER, ""),
    # S3, after what the ninth group led to
    ("s3", 10, "constraint", "PutObject", r.reject("s3.PutObject", 400, "AccessControlListNotSupported", when=lambda request: request.header("x-amz-acl") == "public-read-write"), UNSAFE, CONSTRAINT, ""),
    ("s3", 10, "constraint", "PutBucketIntelligentTieringConfiguration", r.reject("s3.PutBucketIntelligentTieringConfiguration", 400, "InvalidArgument", when=_says(b"<AccessTier>DEEP_ARCHIVE_ACCESS<")), UNSAFE, CONSTRAINT, ""),
    ("s3", 10, "constraint", "GetObjectAttributes", r.reject_parameter("s3.GetObjectAttributes", "x-amz-max-parts"), UNSAFE, CONSTRAINT, "response"),
    ("s3", 10, "code", "UploadPart", r.change_code("s3.UploadPart", "NoSuchUpload", "NoUpload"), MISLEADING, ERROR, "response"),
    ("s3", 10, "code", "PutBucketTagging", r.change_code("s3.PutBucketTagging", "InvalidTag", "BadTag"), MISLEADING, ERROR, "response"),
    ("s3", 10, "message", "CompleteMultipartUpload", r.change_message("s3.CompleteMultipartUpload", "It is not complete."), MISLEADING, ERROR, "response"),
    ("s3", 10, "field", "CreateBucket", r.drop_field("s3.CreateBucket", "header:Location"), WRONG, OTHER, "response"),
    ("s3", 10, "field", "GetBucketAcl", r.change_field("s3.GetBucketAcl", "Permission", "READ"), WRONG, OTHER, ""),
    ("s3", 10, "field", "ListObjects", r.change_field("s3.ListObjects", "Contents.StorageClass", "GLACIER"), WRONG, OTHER, ""),
    ("s3", 10, "state", "PutBucketAcl", r.swallow_write("s3.PutBucketAcl"), "", OTHER, "state"),
    ("s3", 10, "state", "PutObject", r.change_argument("s3.PutObject", "header:x-amz-storage-class", "ONEZONE_IA"), WRONG, OTHER, ""),
    ("s3", 10, "failure", "PutBucketNotificationConfiguration", _fails("s3.PutBucketNotification*", _has("x-amz-skip-destination-validation")), UNSAFE, NULL, ""),
    ("s3", 10, "authorisation", "PutBucketRequestPayment", r.deny("s3.PutBucketRequestPayment"), UNSAFE, AUTH, ""),
    ("s3", 10, "asynchronous", "PutBucketWebsite GetBucketWebsite", lagging("s3.PutBucketWebsite", "s3.GetBucketWebsite", 0.8, _gone("NoSuchWebsiteConfiguration")), "", ASYNC, ""),
    ("s3", 10, "ordering", "GetBucketCors", r.reverse_list("s3.GetBucketCors", "AllowedMethod"), WRONG, OTHER, ""),
    ("s3", 10, "paging", "ListMultipartUploads", r.change_field("s3.ListMultipartUploads", "IsTruncated", "true"), WRONG, OTHER, ""),
    ("s3", 10, "forgiven", "DeleteObjectTagging", r.forgive("s3.DeleteObjectTagging"), ALARM, OTHER, ""),
    # DynamoDB, after what the ninth group led to
    ("dynamodb", 10, "message", "Query", r.reject("dynamodb.Query", 400, "ValidationException", when=lambda request: "IndexName" in _json(request) and _json(request).get("ConsistentRead") is True), MISLEADING, ERROR, "response"),
    ("dynamodb", 10, "constraint", "BatchExecuteStatement", r.reject("dynamodb.BatchExecuteStatement", 400, "ValidationException", when=lambda request: len(_json(request).get("Statements") or ()) > 5), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 10, "constraint", "UpdateTable", r.reject("dynamodb.UpdateTable", 400, "ValidationException", when=lambda request: _json(request).get("TableClass") == "STANDARD_INFREQUENT_ACCESS"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 10, "constraint", "DeleteItem", r.reject_parameter("dynamodb.DeleteItem", "ReturnItemCollectionMetrics", 400, "ValidationException"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 10, "code", "GetItem", r.change_code("dynamodb.GetItem", "ValidationException", "InvalidKeyException"), MISLEADING, ERROR, "response"),
    ("dynamodb", 10, "code", "CreateBackup", r.change_code("dynamodb.CreateBackup", "TableNotFoundException", "NoTable"), MISLEADING, ERROR, "response"),
    ("dynamodb", 10, "message", "BatchGetItem", r.change_message("dynamodb.BatchGetItem", "The batch cannot be read."), MISLEADING, ERROR, "response"),
    ("dynamodb", 10, "field", "DescribeContinuousBackups", r.drop_field("dynamodb.DescribeContinuousBackups", "EarliestRestorableDateTime"), WRONG, OTHER, ""),
    ("dynamodb", 10, "field", "UpdateTimeToLive", r.change_field("dynamodb.UpdateTimeToLive", "TimeToLiveSpecification.AttributeName", str.upper), WRONG, OTHER, "response"),
    ("dynamodb", 10, "field", "TransactGetItems", r.change_field("dynamodb.TransactGetItems", "Item.n", {"N": "0"}), WRONG, OTHER, "response"),
    ("dynamodb", 10, "state", "DeleteResourcePolicy", r.swallow_write("dynamodb.DeleteResourcePolicy"), "", OTHER, "state"),
    ("dynamodb", 10, "failure", "CreateTable", _fails("dynamodb.CreateTable", lambda request: "StreamSpecification" in _json(request)), UNSAFE, NULL, ""),
    ("dynamodb", 10, "authorisation", "ListTagsOfResource", r.deny("dynamodb.ListTagsOfResource"), UNSAFE, AUTH, "response"),
    ("dynamodb", 10, "asynchronous", "UpdateTimeToLive DescribeTimeToLive", lagging("dynamodb.UpdateTimeToLive", "dynamodb.DescribeTimeToLive", 0.8, _still("TimeToLiveStatus", "ENABLING")), "", ASYNC, ""),
    ("dynamodb", 10, "ordering", "BatchExecuteStatement", r.reverse_list("dynamodb.BatchExecuteStatement", "Responses"), WRONG, OTHER, ""),
    ("dynamodb", 10, "paging", "ListTables", r.drop_field("dynamodb.ListTables", "LastEvaluatedTableName"), WRONG, OTHER, ""),
]  # fmt: skip

AWS: tuple[Seed, ...] = tuple(
    seed(service, category, operations, rule, implication, causes, manifestation, group=group)
    for service, group, category, operations, rule, implication, causes, manifestation in ROWS
)
