"""Seeded differences for S3 and DynamoDB, the twelfth group, written without knowledge of the fuzzer.

The plain ones that anybody would think of first, spread over many operations and every category. Those of
a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.aws import UNBUILT, _answered, _still
from seeds.eleven_aws import _another, _json_of, denies, over, unheeded, without_header
from seeds.further import _fails, _json, _more, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _gone, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _says, seed
from seeds.unseen import _says_member

ENCRYPTED = (
    b"<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256"
    b"</SSEAlgorithm></ApplyServerSideEncryptionByDefault><BucketKeyEnabled>false</BucketKeyEnabled></Rule>"
    b"</ServerSideEncryptionConfiguration>"
)


def _is(name: str, value: str) -> Callable[[Request], bool]:
    """Whether a header has a value, in whatever case."""
    return lambda request: request.header(name).lower() == value.lower()


def _defaulted(which: str, code: bytes, body: bytes) -> Rule:
    """A configuration that nobody set has a default."""

    def fill(_: Request, response: Response) -> Response:
        if response.status != 404 or code not in response.body:
            return response
        return answer(200, body, (("Content-Type", "application/xml"),))

    return Rule(name="defaulted", matches=r.matching(which), on_response=fill)


def _bucket_policy_enforced() -> Rule:
    """A bucket's policy that forbids everybody to list its objects is heeded."""
    policies: dict[str, Mapping[str, Any]] = {}

    def refuse(request: Request) -> Request | Response:
        policy = policies.get(container_of(request), {})
        is_list = request.operation in ("s3.ListObjectsV2", "s3.ListObjects")
        if is_list and denies(policy, "s3:ListBucket", f"arn:aws:s3:::{container_of(request)}"):
            return r.error(request, 403, "AccessDenied", "Access Denied")
        return request

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.PutBucketPolicy":
            policies[container_of(request)] = _json(request)
        elif request.operation in ("s3.DeleteBucketPolicy", "s3.DeleteBucket"):
            policies.pop(container_of(request), None)
        return response

    return Rule(name="enforced", matches=lambda _: True, on_request=refuse, on_response=note)


def _pages_of(n: int, which: str) -> Rule:
    """Pages of a few, which say nothing of that."""
    rule = r.page_size(n, which)

    def restore(request: Request, response: Response) -> Response:
        asked = request.query.get("max-keys") or "1000"
        return trees.change_response(response, "MaxKeys", lambda _: asked)

    return Rule(name="pages", matches=rule.matches, on_request=rule.on_request, on_response=restore)


def _elsewhere(request: Request) -> Request:
    """The same for another key."""
    path, mark, query = request.target.partition("?")
    return replace(request, target=f"{path}~{mark}{query}")


def _unconditionally(rule: Rule) -> Rule:
    """A rule for calls without conditions, which would come out otherwise."""
    return replace(
        rule,
        matches=lambda request: rule.matches(request) and b'"ConditionExpression"' not in request.body,
    )


def _with_item(_: Request, response: Response) -> Response:
    """An item that is not there is an empty one."""
    if response.status != 200 or "Item" in (told := _json_of(response)):
        return response
    return response.with_body(json.dumps({"Item": {}} | told).encode())


def _unlisted_at_first(seconds: float) -> Rule:
    """A new table is not listed for a while."""
    made: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            made[container_of(request)] = time.monotonic()
        if request.operation != "dynamodb.ListTables" or response.status != 200:
            return response
        now, told = time.monotonic(), _json_of(response)
        names = told.get("TableNames") or []
        kept = [name for name in names if now - made.get(name, -1e9) >= seconds]
        return (
            response.with_body(json.dumps(told | {"TableNames": kept}).encode())
            if kept != names
            else response
        )

    return Rule(name="unlisted", matches=lambda _: True, on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutBucketTagging", r.reject("s3.PutBucketTagging", 400, "BadRequest", "Bucket tag count cannot be greater than 5", when=_more("Tag", 5)), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObject", r.reject("s3.PutObject", 400, "InvalidStorageClass", when=_is("x-amz-storage-class", "REDUCED_REDUNDANCY")), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CreateBucket", r.reject("s3.CreateBucket", 400, "InvalidRequest", when=_is("x-amz-bucket-object-lock-enabled", "true")), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "UploadPart", r.reject("s3.UploadPart", 400, "InvalidArgument", "Part number must be between 1 and 100", when=_number("partNumber", lambda n: n > 100)), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "ListObjectsV2", r.reject("s3.ListObjectsV2", 400, "InvalidArgument", when=_number("max-keys", lambda n: n > 500)), UNSAFE, CONSTRAINT, "response"),
    ("s3", "constraint", "CopyObject", r.reject_parameter("s3.CopyObject", "x-amz-acl", 400, "AccessControlListNotSupported"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "DeleteObjects", r.reject("s3.DeleteObjects", 400, "MalformedXML", when=_says(b"<Quiet>true<")), UNSAFE, CONSTRAINT, ""),
    ("s3", "code", "GetObject", r.change_code("s3.GetObject", "NoSuchKey", "KeyNotFound"), MISLEADING, ERROR, "response"),
    ("s3", "code", "DeleteBucket", r.change_code("s3.DeleteBucket", "BucketNotEmpty", "BucketInUse"), MISLEADING, ERROR, "response"),
    ("s3", "code", "ListObjects", r.change_code("s3.ListObjects", "NoSuchBucket", "BucketNotFound"), MISLEADING, ERROR, "response"),
    ("s3", "message", "GetBucketTagging", r.change_message("s3.GetBucketTagging", "This bucket has no tags."), MISLEADING, ERROR, "response"),
    ("s3", "message", "PutObject", r.change_message("s3.PutObject", "The object was not stored."), MISLEADING, ERROR, "response"),
    ("s3", "null reference", "GetBucketWebsite", r.change_status("s3.GetBucketWebsite", 404, 500), MISLEADING, NULL, "response"),
    ("s3", "null reference", "HeadObject", r.change_status("s3.HeadObject", 404, 500), MISLEADING, NULL, "response"),
    ("s3", "failure", "CopyObject", _fails("s3.CopyObject", _is("x-amz-metadata-directive", "REPLACE")), UNSAFE, NULL, ""),
    ("s3", "field", "HeadObject", r.drop_field("s3.HeadObject", "header:Last-Modified"), WRONG, OTHER, ""),
    ("s3", "field", "ListBuckets", r.drop_field("s3.ListBuckets", "Owner"), WRONG, OTHER, ""),
    ("s3", "field", "GetObjectAttributes", r.drop_field("s3.GetObjectAttributes", "StorageClass"), WRONG, OTHER, ""),
    ("s3", "field", "GetObject", r.add_field("s3.GetObject", "header:x-amz-tagging-count", "0"), WRONG, OTHER, "response"),
    ("s3", "field", "ListParts", r.drop_field("s3.ListParts", "StorageClass"), WRONG, OTHER, ""),
    ("s3", "field", "GetBucketAcl", r.change_field("s3.GetBucketAcl", "Owner.DisplayName", "owner"), WRONG, OTHER, ""),
    ("s3", "state", "DeleteObject", Rule(name="elsewhere", matches=lambda request: request.operation == "s3.DeleteObject" and not request.header("If-Match"), on_request=_elsewhere), "", OTHER, "state"),
    ("s3", "state", "DeleteBucketWebsite", unheeded("s3.DeleteBucketWebsite", 204, "NoSuchWebsiteConfiguration"), "", OTHER, "state"),
    ("s3", "state", "PutObject", without_header("s3.PutObject", "Content-Disposition"), WRONG, OTHER, "state"),
    ("s3", "authorisation", "ListObjectsV2 ListObjects PutBucketPolicy", _bucket_policy_enforced(), UNSAFE, AUTH, ""),
    ("s3", "authorisation", "PutBucketCors", r.deny("s3.PutBucketCors"), UNSAFE, AUTH, ""),
    ("s3", "asynchronous", "CreateBucket HeadBucket", lagging("s3.CreateBucket", "s3.HeadBucket", 0.8, _gone("NoSuchBucket")), "", ASYNC, ""),
    ("s3", "asynchronous", "PutBucketLifecycleConfiguration GetBucketLifecycleConfiguration PutBucketLifecycle GetBucketLifecycle", lagging("s3.PutBucketLifecycle*", "s3.GetBucketLifecycle*", 0.8, _gone("NoSuchLifecycleConfiguration")), "", ASYNC, ""),
    ("s3", "ordering", "ListObjectsV2", r.reverse_list("s3.ListObjectsV2", "Contents"), WRONG, OTHER, ""),
    ("s3", "ordering", "GetObjectTagging", r.reverse_list("s3.GetObjectTagging", "Tag"), WRONG, OTHER, ""),
    ("s3", "paging", "ListBuckets", r.drop_last("s3.ListBuckets", "Bucket"), WRONG, OTHER, ""),
    ("s3", "paging", "ListObjects", _pages_of(2, "s3.ListObjects"), WRONG, OTHER, ""),
    ("s3", "default", "GetBucketEncryption", _defaulted("s3.GetBucketEncryption", b"ServerSideEncryptionConfigurationNotFoundError", ENCRYPTED), ALARM, OTHER, "response"),
    # DynamoDB
    ("dynamodb", "constraint", "PutItem", r.reject("dynamodb.PutItem", 400, "ValidationException", "An item may have eight attributes", when=over("Item", 8)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateTable", r.reject_parameter("dynamodb.CreateTable", "SSESpecification", 400, "ValidationException"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "Query", r.reject("dynamodb.Query", 400, "ValidationException", when=over("Limit", 100)), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "GetItem", r.reject("dynamodb.GetItem", 400, "ValidationException", when=lambda request: _json(request).get("ConsistentRead") is True), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "TagResource", r.reject("dynamodb.TagResource", 400, "LimitExceededException", when=over("Tags", 3)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateBackup", r.reject("dynamodb.CreateBackup", 400, "ValidationException", when=over("BackupName", 20)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "code", "GetItem", r.change_code("dynamodb.GetItem", "ResourceNotFoundException", "TableNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "code", "PutItem", r.change_code("dynamodb.PutItem", "ConditionalCheckFailedException", "ConditionFailedException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "DeleteTable", r.change_message("dynamodb.DeleteTable", "The table cannot be deleted."), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "Scan", r.change_message("dynamodb.Scan", "The table cannot be scanned."), MISLEADING, ERROR, "response"),
    ("dynamodb", "null reference", "DescribeTable", r.change_status("dynamodb.DescribeTable", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", "null reference", "RestoreTableFromBackup", r.change_status("dynamodb.RestoreTableFromBackup", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", "failure", "Scan", _fails("dynamodb.Scan", _says_member("FilterExpression")), UNSAFE, NULL, "response"),
    ("dynamodb", "field", "GetItem", Rule(name="empty item", matches=r.matching("dynamodb.GetItem"), on_response=_with_item), WRONG, OTHER, "response"),
    ("dynamodb", "field", "PutItem", r.drop_field("dynamodb.PutItem", "ConsumedCapacity"), WRONG, OTHER, "response"),
    ("dynamodb", "field", "DescribeTable", r.drop_field("dynamodb.DescribeTable", "Table.TableSizeBytes"), WRONG, OTHER, ""),
    ("dynamodb", "field", "DescribeLimits", r.change_field("dynamodb.DescribeLimits", "TableMaxReadCapacityUnits", lambda old: old // 2), WRONG, OTHER, "response"),
    ("dynamodb", "field", "DeleteTable", r.change_field("dynamodb.DeleteTable", "TableDescription.TableStatus", lambda old: "ACTIVE" if old == "DELETING" else "DELETING"), WRONG, f"{OTHER}|{ASYNC}", "response"),
    ("dynamodb", "state", "UpdateItem", _unconditionally(r.change_argument("dynamodb.UpdateItem", "ExpressionAttributeValues", _another)), WRONG, OTHER, "state"),
    ("dynamodb", "state", "TransactWriteItems", _unconditionally(r.change_argument("dynamodb.TransactWriteItems", "Put.Item", _another)), WRONG, OTHER, "state"),
    ("dynamodb", "state", "CreateTable", r.change_argument("dynamodb.CreateTable", "ProvisionedThroughput.WriteCapacityUnits", lambda old: old + 1 if type(old) is int and old > 0 else old), WRONG, OTHER, ""),
    ("dynamodb", "authorisation", "TransactGetItems", r.deny("dynamodb.TransactGetItems"), UNSAFE, AUTH, "response"),
    ("dynamodb", "authorisation", "DescribeBackup", r.deny("dynamodb.DescribeBackup"), UNSAFE, AUTH, "response"),
    ("dynamodb", "asynchronous", "CreateTable ListTables", _unlisted_at_first(0.8), "", ASYNC, ""),
    ("dynamodb", "asynchronous", "UpdateTable DescribeTable", lagging("dynamodb.UpdateTable", "dynamodb.DescribeTable", 0.8, _still("Table.TableStatus", "UPDATING")), "", ASYNC, ""),
    ("dynamodb", "ordering", "ExecuteTransaction", r.reverse_list("dynamodb.ExecuteTransaction", "Responses"), WRONG, OTHER, ""),
    ("dynamodb", "ordering", "ListBackups", r.reverse_list("dynamodb.ListBackups", "BackupSummaries"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "ListTagsOfResource", r.drop_last("dynamodb.ListTagsOfResource", "Tags"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Query", r.drop_field("dynamodb.Query", "LastEvaluatedKey"), WRONG, OTHER, ""),
    ("dynamodb", "forgiven", "DeleteBackup", r.forgive("dynamodb.DeleteBackup"), ALARM, OTHER, ""),
    ("dynamodb", "unbuilt", "ListImports", _answered("dynamodb.ListImports", b'{"ImportSummaryList": []}'), ALARM, f"{UNBUILT}|{NULL}", "response"),
]  # fmt: skip

LONGEST = {("s3", "paging", "ListObjects"): 5}
"""A bucket, three objects and the list of them: there is no shorter way to see a page of two."""

TWELVE_AWS: tuple[Seed, ...] = tuple(seed(*row, group=12, longest=LONGEST.get(row[:3], 4)) for row in ROWS)
