"""Seeded differences for S3 and DynamoDB, the eleventh group, written without knowledge of the fuzzer.

Relations between parameters, what a policy says is enforced, what is stored differs from what was sent,
indexes and deletions that take effect later. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.aws import UNBUILT, _answered
from seeds.further import _fails, _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed
from seeds.unseen import _says_member

COPIED = (
    b'<CopyObjectResult><ETag>"00000000000000000000000000000000"</ETag>'
    b"<LastModified>2026-01-01T00:00:00.000Z</LastModified></CopyObjectResult>"
)


def _key_longer(limit: int) -> Callable[[Request], bool]:
    """Whether the key of an object is longer than that."""
    return lambda request: len(request.names) > 1 and len(request.names[1]) > limit


def _blocks_half(request: Request) -> bool:
    """Whether public policies are to be blocked and public lists not."""
    body = request.body.lower()
    return b"<blockpublicpolicy>true<" in body and b"<blockpublicacls>true<" not in body


def _to_itself(_: Request, response: Response) -> Response:
    """A copy of an object to itself is taken."""
    if response.status != 400 or b"to itself" not in response.body:
        return response
    return answer(200, COPIED, (("Content-Type", "application/xml"),))


def _metadata_in_other_case(request: Request) -> Request:
    """The request with the values of its metadata in the other case."""
    for name, value in request.headers:
        if name.lower().startswith("x-amz-meta-") and value != value.swapcase():
            request = request.with_header(name, value.swapcase())
    return request


def without_header(which: str, name: str) -> Rule:
    """A header of a request that the server does not heed."""
    return Rule(
        name="without_header",
        matches=r.matching(which),
        on_request=lambda request: request.with_header(name, None) if request.header(name) else request,
    )


def without_member(which: str, name: str) -> Rule:
    """A member of a JSON request that the server does not heed."""
    return r.change_argument(which, name, lambda _: trees.GONE)


def unheeded(which: str, status: int, absent: str = "") -> Rule:
    """A write that is only looked at: what cannot be done is refused, the rest reported as done."""

    def look(request: Request) -> Request:
        return replace(request.with_body(b""), method="GET")

    def report(_: Request, response: Response) -> Response:
        is_fine = response.status < 300 or (absent and absent.encode() in response.body)
        return answer(status) if is_fine else response

    return Rule(name="unheeded", matches=r.matching(which), on_request=look, on_response=report)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def denies(policy: Mapping[str, Any], action: str, resource: str) -> bool:
    """Whether a policy forbids everybody an action on a resource, without a condition."""
    for each in _listed(policy.get("Statement") or []):
        if not isinstance(each, dict) or each.get("Effect") != "Deny" or each.get("Condition"):
            continue
        principal = each.get("Principal")
        anybody = principal == "*" or (isinstance(principal, dict) and "*" in _listed(principal.get("AWS")))
        actions, resources = _listed(each.get("Action") or []), _listed(each.get("Resource") or [])
        if (
            anybody
            and any(fnmatchcase(action, str(pattern)) for pattern in actions)
            and any(fnmatchcase(resource, str(pattern)) for pattern in resources)
        ):
            return True
    return False


def _table_policy_enforced(operation: str) -> Rule:
    """A table's policy that forbids a call to everybody is heeded."""
    policies: dict[str, Mapping[str, Any]] = {}

    def arn(request: Request) -> str:
        return str(_json(request).get("ResourceArn", ""))

    def refuse(request: Request) -> Request | Response:
        if request.operation != f"dynamodb.{operation}":
            return request
        for resource, policy in policies.items():
            if resource.endswith(f":table/{container_of(request)}") and denies(
                policy, f"dynamodb:{operation}", resource
            ):
                return r.error(
                    request, 400, "AccessDeniedException", "An explicit deny in a resource-based policy."
                )
        return request

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "dynamodb.PutResourcePolicy":
            try:
                policy = json.loads(_json(request).get("Policy", ""))
            except (TypeError, ValueError):
                policy = {}
            policies[arn(request)] = policy if isinstance(policy, dict) else {}
        elif request.operation == "dynamodb.DeleteResourcePolicy":
            policies.pop(arn(request), None)
        elif request.operation == "dynamodb.DeleteTable":
            for resource in [each for each in policies if each.endswith(f":table/{container_of(request)}")]:
                del policies[resource]
        return response

    return Rule(name="enforced", matches=lambda _: True, on_request=refuse, on_response=note)


def _public_access_blocked() -> Rule:
    """A bucket that blocks public lists refuses one."""
    blocked: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        is_public = request.header("x-amz-acl").startswith("public-read")
        if request.operation == "s3.PutBucketAcl" and is_public and container_of(request) in blocked:
            return r.error(request, 403, "AccessDenied", "Access Denied")
        return request

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        bucket = container_of(request)
        if request.operation == "s3.PutPublicAccessBlock":
            blocks = b"<blockpublicacls>true<" in request.body.lower()
            (blocked.add if blocks else blocked.discard)(bucket)
        elif request.operation in ("s3.DeletePublicAccessBlock", "s3.DeleteBucket"):
            blocked.discard(bucket)
        return response

    return Rule(name="blocked", matches=lambda _: True, on_request=refuse, on_response=note)


def _expression(name: str, pattern: str) -> Callable[[Request], bool]:
    """Whether an expression of a JSON request says something."""
    return lambda request: bool(re.search(pattern, str(_json(request).get(name, "")), re.IGNORECASE))


def _holds(kind: str) -> Callable[[Request], bool]:
    """Whether an item has an attribute of that type."""

    def check(request: Request) -> bool:
        item = _json(request).get("Item")
        values = item.values() if isinstance(item, dict) else ()
        return any(isinstance(value, dict) and kind in value for value in values)

    return check


def over(name: str, limit: int) -> Callable[[Request], bool]:
    """Whether a member of a JSON request is a larger number than that, or longer."""

    def check(request: Request) -> bool:
        value = _json(request).get(name)
        size = len(value) if isinstance(value, str | list | dict) else value
        return isinstance(size, int) and size > limit

    return check


def _capacity_over(limit: int) -> Callable[[Request], bool]:
    """Whether a table is to have more units for reading than that."""

    def check(request: Request) -> bool:
        throughput = _json(request).get("ProvisionedThroughput")
        units = throughput.get("ReadCapacityUnits") if isinstance(throughput, dict) else None
        return type(units) is int and units > limit

    return check


def _another(key: Any) -> Any:
    """The key of another item: what was meant stays."""
    if not isinstance(key, dict):
        return key
    return {
        name: {"S": f"{value['S']}~"} if isinstance(value, dict) and "S" in value else value
        for name, value in key.items()
    }


def _index_empty(request: Request, response: Response) -> Response:
    """What an index gives before the item has reached it."""
    if "IndexName" not in _json(request):
        return response
    told = _json_of(response)
    if not told.get("Items"):
        return response
    return response.with_body(json.dumps(told | {"Items": [], "Count": 0, "ScannedCount": 0}).encode())


def _json_of(response: Response) -> dict[str, Any]:
    # moto takes an unsigned call for one of S3's.
    found = json.loads(response.body) if response.body[:1] == b"{" else {}
    return found if isinstance(found, dict) else {}


def _lingering_table(seconds: float) -> Rule:
    """For a while after it was deleted, a table is described as being deleted."""
    leaving: dict[str, tuple[float, Any]] = {}

    def note(request: Request, response: Response) -> Response:
        table = container_of(request)
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            leaving.pop(table, None)
        if request.operation == "dynamodb.DeleteTable" and response.status < 300:
            leaving[table] = (time.monotonic(), _json_of(response).get("TableDescription"))
        since, description = leaving.get(table, (-1e9, None))
        is_late = time.monotonic() - since < seconds and isinstance(description, dict)
        if request.operation == "dynamodb.DescribeTable" and response.status == 400 and is_late:
            told = {"Table": description | {"TableStatus": "DELETING"}}
            return answer(200, json.dumps(told).encode(), (("Content-Type", "application/x-amz-json-1.0"),))
        return response

    return Rule(name="lingering", matches=lambda _: True, on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutObject", r.reject("s3.PutObject", 400, "KeyTooLongError", "Your key is too long", when=_key_longer(255)), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CreateBucket", r.reject("s3.CreateBucket", 400, "InvalidBucketName", "The specified bucket is not valid.", when=lambda request: "." in container_of(request)), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "DeleteObject", r.reject_parameter("s3.DeleteObject", "If-Match"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObjectLockConfiguration", r.reject("s3.PutObjectLockConfiguration", 400, "MalformedXML", when=_says(b"<Years>")), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutPublicAccessBlock", r.reject("s3.PutPublicAccessBlock", 400, "InvalidRequest", when=_blocks_half), UNSAFE, CONSTRAINT, ""),
    ("s3", "forgiven", "CopyObject", Rule(name="to itself", matches=r.matching("s3.CopyObject"), on_response=_to_itself), ALARM, OTHER, ""),
    ("s3", "code", "PutObject", r.change_code("s3.PutObject", "PreconditionFailed", "ConditionalRequestConflict"), MISLEADING, ERROR, "response"),
    ("s3", "code", "PutBucketReplication", r.change_code("s3.PutBucketReplication", "InvalidRequest", "VersioningNotEnabled"), MISLEADING, ERROR, "response"),
    ("s3", "code", "GetBucketTagging", r.change_code("s3.GetBucketTagging", "NoSuchTagSet", "NoSuchTagSetError"), MISLEADING, ERROR, "response"),
    ("s3", "code", "HeadBucket", r.change_status("s3.HeadBucket", 404, 403), MISLEADING, f"{ERROR}|{AUTH}", "response"),
    ("s3", "message", "PutObjectTagging", r.change_message("s3.PutObjectTagging", "There is nothing that could be tagged."), MISLEADING, ERROR, "response"),
    ("s3", "field", "GetObject", r.change_field("s3.GetObject", "header:Content-Type", lambda old: "application/octet-stream" if old == "binary/octet-stream" else old), WRONG, OTHER, ""),
    ("s3", "field", "ListObjectsV2", r.change_field("s3.ListObjectsV2", "KeyCount", lambda old: str(int(old) + 1)), WRONG, OTHER, ""),
    ("s3", "field", "GetObjectAttributes", r.change_field("s3.GetObjectAttributes", "ETag", lambda old: f'"{old}"'), WRONG, OTHER, "response"),
    ("s3", "field", "CompleteMultipartUpload", r.drop_field("s3.CompleteMultipartUpload", "Location"), WRONG, OTHER, "response"),
    ("s3", "field", "ListObjectVersions", r.drop_field("s3.ListObjectVersions", "Owner"), WRONG, OTHER, ""),
    ("s3", "field", "GetBucketInventoryConfiguration", r.change_field("s3.GetBucketInventoryConfiguration", "Frequency", lambda old: "Weekly" if old == "Daily" else "Daily"), WRONG, OTHER, ""),
    ("s3", "state", "PutObject", Rule(name="other case", matches=r.matching("s3.PutObject"), on_request=_metadata_in_other_case), WRONG, OTHER, "state"),
    ("s3", "state", "CopyObject", without_header("s3.CopyObject", "x-amz-tagging-directive"), WRONG, OTHER, "state"),
    ("s3", "state", "DeleteBucketEncryption", unheeded("s3.DeleteBucketEncryption", 204, "ServerSideEncryptionConfigurationNotFoundError"), "", OTHER, "state"),
    ("s3", "state", "PutObjectAcl", unheeded("s3.PutObjectAcl", 200), "", OTHER, "state"),
    ("s3", "failure", "ListObjectsV2", _fails("s3.ListObjectsV2", _has("delimiter")), UNSAFE, NULL, "response"),
    ("s3", "failure", "PutBucketVersioning", _fails("s3.PutBucketVersioning", _says(b"<MfaDelete>")), UNSAFE, NULL, ""),
    ("s3", "null reference", "UploadPartCopy", r.change_status("s3.UploadPartCopy", 404, 500), MISLEADING, NULL, "response"),
    ("s3", "authorisation", "PutBucketAcl PutPublicAccessBlock", _public_access_blocked(), UNSAFE, AUTH, ""),
    ("s3", "authorisation", "GetBucketNotificationConfiguration", r.deny("s3.GetBucketNotification*"), UNSAFE, AUTH, "response"),
    ("s3", "asynchronous", "PutBucketVersioning GetBucketVersioning", lagging("s3.PutBucketVersioning", "s3.GetBucketVersioning", 0.8, lambda _, response: trees.change_response(response, "Status", lambda _: trees.GONE)), "", ASYNC, ""),
    ("s3", "ordering", "GetBucketLifecycleConfiguration GetBucketLifecycle", r.reverse_list("s3.GetBucketLifecycle*", "Rule"), WRONG, OTHER, ""),
    ("s3", "paging", "ListObjectVersions", r.drop_field("s3.ListObjectVersions", "NextKeyMarker"), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "LimitExceededException", when=_capacity_over(100)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "UpdateItem", r.reject("dynamodb.UpdateItem", 400, "ValidationException", when=_expression("UpdateExpression", r"\badd\b")), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "PutItem", r.reject("dynamodb.PutItem", 400, "ValidationException", when=_holds("SS")), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "TransactGetItems", r.reject("dynamodb.TransactGetItems", 400, "ValidationException", when=over("TransactItems", 3)), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "Query", r.reject("dynamodb.Query", 400, "ValidationException", when=_expression("KeyConditionExpression", r"\bbetween\b")), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "code", "TransactWriteItems", r.change_code("dynamodb.TransactWriteItems", "TransactionCanceledException", "TransactionConflictException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "code", "GetResourcePolicy", r.change_code("dynamodb.GetResourcePolicy", "PolicyNotFoundException", "ResourceNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "code", "DeleteTable", r.change_code("dynamodb.DeleteTable", "ValidationException", "ResourceInUseException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "UpdateContinuousBackups", r.change_message("dynamodb.UpdateContinuousBackups", "Backups of that table cannot be changed."), MISLEADING, ERROR, "response"),
    ("dynamodb", "field", "CreateTable", r.drop_field("dynamodb.CreateTable", "LatestStreamLabel"), WRONG, OTHER, "response"),
    ("dynamodb", "field", "DeleteItem", r.change_field("dynamodb.DeleteItem", "ConsumedCapacity.CapacityUnits", lambda old: old + 1), WRONG, OTHER, "response"),
    ("dynamodb", "field", "ListBackups", r.change_field("dynamodb.ListBackups", "BackupStatus", "CREATING"), WRONG, f"{OTHER}|{ASYNC}", ""),
    ("dynamodb", "field", "DescribeEndpoints", r.change_field("dynamodb.DescribeEndpoints", "CachePeriodInMinutes", 60), WRONG, OTHER, "response"),
    ("dynamodb", "field", "RestoreTableFromBackup", r.drop_field("dynamodb.RestoreTableFromBackup", "RestoreSummary"), WRONG, OTHER, ""),
    ("dynamodb", "state", "CreateTable", without_member("dynamodb.CreateTable", "Tags"), WRONG, OTHER, "state"),
    ("dynamodb", "state", "UpdateTable", without_member("dynamodb.UpdateTable", "BillingMode"), WRONG, OTHER, ""),
    ("dynamodb", "state", "BatchWriteItem", r.change_argument("dynamodb.BatchWriteItem", "DeleteRequest.Key", _another), "", OTHER, "state"),
    ("dynamodb", "failure", "ListTables", _fails("dynamodb.ListTables", _says_member("ExclusiveStartTableName")), UNSAFE, NULL, "response"),
    ("dynamodb", "failure", "UpdateItem", _fails("dynamodb.UpdateItem", _says_member("ReturnValuesOnConditionCheckFailure")), UNSAFE, NULL, ""),
    ("dynamodb", "null reference", "UpdateTimeToLive", r.change_status("dynamodb.UpdateTimeToLive", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", "authorisation", "GetItem PutResourcePolicy", _table_policy_enforced("GetItem"), UNSAFE, AUTH, ""),
    ("dynamodb", "authorisation", "DescribeTimeToLive", r.deny("dynamodb.DescribeTimeToLive"), UNSAFE, AUTH, "response"),
    ("dynamodb", "asynchronous", "PutItem Query", lagging("dynamodb.PutItem", "dynamodb.Query", 0.8, _index_empty), "", ASYNC, ""),
    ("dynamodb", "asynchronous", "DeleteTable DescribeTable", _lingering_table(0.8), "", ASYNC, ""),
    ("dynamodb", "ordering", "Query", without_member("dynamodb.Query", "ScanIndexForward"), WRONG, OTHER, ""),
    ("dynamodb", "ordering", "GetItem", r.reverse_list("dynamodb.GetItem", "L"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Scan", without_member("dynamodb.Scan", "Limit"), WRONG, OTHER, ""),
    ("dynamodb", "unbuilt", "ListGlobalTables", _answered("dynamodb.ListGlobalTables", b'{"GlobalTables": []}'), ALARM, f"{UNBUILT}|{NULL}", "response"),
]  # fmt: skip

ELEVEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=11) for row in ROWS)
