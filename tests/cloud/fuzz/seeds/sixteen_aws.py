"""Seeded differences for S3 and DynamoDB, the sixteenth group, written without knowledge of the fuzzer.

Operations and parameters that earlier groups left alone: what a lock, a marker or an index forbids, values
that are stored in another form, indexes and uploads that are not there. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.eleven_aws import _json_of, _table_policy_enforced, unheeded
from seeds.fourteen_aws import failed
from seeds.further import _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.thirteen_aws import on_answers, reworded, source_of, without_query

TABLE_ARN = re.compile(r"arn:aws:dynamodb:[\w-]+:\d{12}:table/([\w.-]+)")
DEFAULTING = re.compile(r"\b(\w+)\s*=\s*if_not_exists\s*\(\s*\1\s*,\s*(:\w+)\s*\)")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?")
ENOUGH = Context(prec=200)
MAKES_TABLE = ("CreateTable", "RestoreTableFromBackup", "RestoreTableToPointInTime")

Note = Callable[[Request, Response], Response]


def _buckets() -> tuple[dict[str, bool], Note]:
    """The buckets that there are and whether their objects can be locked, and what to note for that."""
    known: dict[str, bool] = {}

    def note(request: Request, response: Response) -> Response:
        bucket = container_of(request)
        if response.status >= 300:
            return response
        if request.operation == "s3.CreateBucket":
            known[bucket] = request.header("x-amz-bucket-object-lock-enabled").lower() == "true"
        elif request.operation == "s3.PutObjectLockConfiguration":
            known[bucket] = True
        elif request.operation == "s3.DeleteBucket":
            known.pop(bucket, None)
        return response

    return known, note


def _versions_after_nothing() -> Rule:
    """A version to go on from is one of a key to go on from."""
    known, note = _buckets()

    def refuse(request: Request) -> Request | Response:
        is_meant = request.operation == "s3.ListObjectVersions" and container_of(request) in known
        if not is_meant or not request.query.get("version-id-marker") or request.query.get("key-marker"):
            return request
        told = "A version-id marker cannot be specified without a key marker."
        return r.error(request, 400, "InvalidArgument", told)

    return Rule(name="after nothing", matches=lambda _: True, on_request=refuse, on_response=note)


def _versions_for_good() -> Rule:
    """A bucket whose objects can be locked keeps their versions."""
    known, note = _buckets()

    def refuse(request: Request) -> Request | Response:
        is_meant = request.operation == "s3.PutBucketVersioning" and known.get(container_of(request))
        if not is_meant or b">Suspended<" not in request.body:
            return request
        told = "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed."
        return r.error(request, 409, "InvalidBucketState", told)

    return Rule(name="for good", matches=lambda _: True, on_request=refuse, on_response=note)


def _not_held() -> Rule:
    """An object that is to be held from the start is not, in a bucket that can hold it."""
    known, note = _buckets()
    name = "x-amz-object-lock-legal-hold"

    def forget(request: Request) -> Request:
        is_meant = request.operation == "s3.PutObject" and known.get(container_of(request))
        return request.with_header(name, None) if is_meant and request.header(name) else request

    return Rule(name="not held", matches=lambda _: True, on_request=forget, on_response=note)


def _odd_part() -> Rule:
    """A part of an object is copied only if it is clear which."""
    uploads: set[str] = set()
    there: set[tuple[str, ...]] = set()

    def refuse(request: Request) -> Request | Response:
        wanted = request.header("x-amz-copy-source-range")
        is_meant = request.operation == "s3.UploadPartCopy" and source_of(request) in there
        is_known = request.query.get("uploadId") in uploads
        if not is_meant or not is_known or not wanted or re.fullmatch(r"bytes=\d+-\d+", wanted):
            return request
        told = "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy"
        return r.error(request, 400, "InvalidArgument", told)

    def note(request: Request, response: Response) -> Response:
        found = re.search(rb"<UploadId>([^<]+)<", response.body)
        if request.operation == "s3.CreateMultipartUpload" and response.status < 300 and found:
            uploads.add(found.group(1).decode())
        elif request.operation in ("s3.CompleteMultipartUpload", "s3.AbortMultipartUpload"):
            uploads.discard(request.query.get("uploadId", ""))
        elif request.operation == "s3.PutObject" and response.status < 300:
            there.add(request.names)
        elif request.operation == "s3.DeleteObject":
            there.discard(request.names)
        elif request.operation == "s3.DeleteObjects":
            there.difference_update([each for each in there if each[0] == container_of(request)])
        return response

    return Rule(name="odd part", matches=lambda _: True, on_request=refuse, on_response=note)


def _is_public(policy: Mapping[str, Any]) -> bool:
    """Whether a policy allows everybody something, without a condition."""
    told = policy.get("Statement") or []
    for each in told if isinstance(told, list) else [told]:
        anybody = isinstance(each, dict) and each.get("Principal") in ("*", {"AWS": "*"}, {"AWS": ["*"]})
        if anybody and each.get("Effect") == "Allow" and not each.get("Condition"):
            return True
    return False


def _public_policies_blocked() -> Rule:
    """A bucket that blocks public policies refuses one."""
    blocked: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        is_meant = request.operation == "s3.PutBucketPolicy" and container_of(request) in blocked
        if not is_meant or not _is_public(_json(request)):
            return request
        told = "User is not authorized to perform: s3:PutBucketPolicy because public policies are blocked by the BlockPublicPolicy block public access setting."
        return r.error(request, 403, "AccessDenied", told)

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.PutPublicAccessBlock":
            blocks = b"<blockpublicpolicy>true<" in request.body.lower()
            (blocked.add if blocks else blocked.discard)(container_of(request))
        elif request.operation == "s3.DeleteBucket":
            blocked.discard(container_of(request))
        return response

    return Rule(name="blocked", matches=lambda _: True, on_request=refuse, on_response=note)


def _lingering_tags(seconds: float) -> Rule:
    """The tags of a bucket are told for a while after they were deleted."""
    known: dict[str, bytes] = {}
    deleted: dict[str, tuple[float, bytes]] = {}

    def note(request: Request, response: Response) -> Response:
        bucket = container_of(request)
        when, body = deleted.get(bucket, (-1e9, b""))
        if request.operation == "s3.GetBucketTagging":
            is_late = response.status == 404 and time.monotonic() - when < seconds
            return answer(200, body, (("Content-Type", "application/xml"),)) if is_late else response
        if response.status >= 300:
            return response
        if request.operation == "s3.PutBucketTagging":
            known[bucket] = request.body
            deleted.pop(bucket, None)
        elif request.operation == "s3.DeleteBucketTagging" and bucket in known:
            deleted[bucket] = (time.monotonic(), known.pop(bucket))
        elif request.operation == "s3.DeleteBucket":
            known.pop(bucket, None)
            deleted.pop(bucket, None)
        return response

    return Rule(name="lingering tags", matches=lambda _: True, on_response=note)


def _tables() -> tuple[dict[str, dict[str, str]], Note]:
    """The tables that there are and the kinds of their keys, and what to note for that."""
    known: dict[str, dict[str, str]] = {}

    def note(request: Request, response: Response) -> Response:
        operation = request.operation.partition(".")[2]
        if response.status >= 300:
            return response
        if operation in MAKES_TABLE:
            told = _json_of(response).get("TableDescription") or {}
            named = told.get("AttributeDefinitions") or ()
            kinds = {each["AttributeName"]: each["AttributeType"] for each in named}
            keys = [each["AttributeName"] for each in told.get("KeySchema") or ()]
            known[str(told.get("TableName"))] = {name: kinds.get(name, "") for name in keys}
        elif operation == "DeleteTable":
            known.pop(container_of(request), None)
        return response

    return known, note


def _strange_key() -> Rule:
    """An item is deleted by a key of the table's own kind."""
    known, note = _tables()

    def refuse(request: Request) -> Request | Response:
        given, kinds = _json(request).get("Key"), known.get(container_of(request))
        if request.operation != "dynamodb.DeleteItem" or not isinstance(given, dict) or kinds is None:
            return request
        found = {name: "".join(value) for name, value in given.items() if isinstance(value, dict)}
        if found.keys() != kinds.keys() or found == kinds:
            return request
        told = "The provided key element does not match the schema"
        return r.error(request, 400, "ValidationException", told)

    return Rule(name="strange key", matches=lambda _: True, on_request=refuse, on_response=note)


def _tags_of_nothing() -> Rule:
    """Only a table that is there can be tagged."""
    known, note = _tables()

    def refuse(request: Request) -> Request | Response:
        found = TABLE_ARN.fullmatch(str(_json(request).get("ResourceArn")))
        if request.operation != "dynamodb.TagResource" or not found or found.group(1) in known:
            return request
        told = f"Requested resource not found: ResourcArn: {found.group()} not found"
        return r.error(request, 400, "ResourceNotFoundException", told)

    return Rule(name="tags of nothing", matches=lambda _: True, on_request=refuse, on_response=note)


def _policy_of_none() -> Rule:
    """A policy that a table does not have can be deleted."""
    known, note = _tables()

    def forgive(request: Request, response: Response) -> Response:
        note(request, response)
        fields = _json(request)
        found = TABLE_ARN.fullmatch(str(fields.get("ResourceArn")))
        is_meant = request.operation == "dynamodb.DeleteResourcePolicy" and response.status == 400
        is_there = found and found.group(1) in known and "ExpectedRevisionId" not in fields
        return r.success(request) if is_meant and is_there else response

    return Rule(name="policy of none", matches=lambda _: True, on_response=forgive)


def _projects_twice(request: Request) -> bool:
    """Whether an index is to have everything and, besides, something."""
    indexes = _json(request).get("GlobalSecondaryIndexes") or ()
    found = [each.get("Projection") or {} for each in indexes]
    return any(each.get("ProjectionType") == "ALL" and each.get("NonKeyAttributes") for each in found)


def _numbers(value: Any, how: Callable[[str], str]) -> Any:
    """A typed value with its numbers changed."""
    match value:
        case {"N": str(text)}:
            return {"N": how(text)}
        case {"NS": list(texts)}:
            return {"NS": [how(str(text)) for text in texts]}
        case {"M": dict(members)}:
            return {"M": {name: _numbers(each, how) for name, each in members.items()}}
        case {"L": list(items)}:
            return {"L": [_numbers(each, how) for each in items]}
    return value


def _plain_number(text: str) -> str:
    """A number without what does not change it; a text that is none, or a vast one, as it is."""
    if not NUMBER.fullmatch(text):
        return text
    number = ENOUGH.normalize(Decimal(text))
    if not number:
        return "0"
    return format(number, "f") if abs(number.adjusted()) < 38 else text


def _long_number(request: Request) -> bool:
    """Whether an item has a number of more digits than numbers may have."""
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    for value in (_json(request).get("Item") or {}).values():
        _numbers(value, keep)
    plain = [text.lstrip("+-").replace(".", "", 1) for text in found]
    return any(text.isdecimal() and len(text.strip("0")) > 38 for text in plain)


def _stored_plainly() -> Rule:
    """The numbers of an item are stored without what does not change them; those of its key as they are."""
    known, note = _tables()

    def store(request: Request) -> Request:
        fields = _json(request)
        item, keys = fields.get("Item"), known.get(container_of(request))
        if request.operation != "dynamodb.PutItem" or not isinstance(item, dict) or keys is None:
            return request
        plain = {
            name: value if name in keys else _numbers(value, _plain_number) for name, value in item.items()
        }
        return request if plain == item else request.with_body(json.dumps(fields | {"Item": plain}).encode())

    return Rule(name="plainly", matches=lambda _: True, on_request=store, on_response=note)


def _always_set(expression: Any) -> Any:
    """An expression that sets what it should set only where nothing is."""
    return DEFAULTING.sub(r"\1 = \2", expression) if isinstance(expression, str) else expression


def _total_only(request: Request, response: Response) -> Response:
    """What a batch cost is told in total, if only that was asked for."""
    told = _json_of(response) if response.status == 200 else {}
    costs = told.get("ConsumedCapacity")
    if _json(request).get("ReturnConsumedCapacity") != "TOTAL" or not isinstance(costs, list):
        return response
    total = [{name: value for name, value in cost.items() if name != "Table"} for cost in costs]
    if total == costs:
        return response
    return response.with_body(json.dumps(told | {"ConsumedCapacity": total}).encode())


def _late_tags(seconds: float) -> Rule:
    """The tags that a table was given last are not listed for a while."""
    written: dict[str, tuple[float, set[str]]] = {}

    def note(request: Request, response: Response) -> Response:
        fields = _json(request)
        place = str(fields.get("ResourceArn"))
        if response.status >= 300:
            return response
        if request.operation == "dynamodb.TagResource":
            written[place] = (time.monotonic(), {str(tag.get("Key")) for tag in fields["Tags"]})
        when, keys = written.get(place, (-1e9, set()))
        if request.operation != "dynamodb.ListTagsOfResource" or time.monotonic() - when >= seconds:
            return response
        told = _json_of(response)
        tags = told.get("Tags") or []
        kept = [tag for tag in tags if tag.get("Key") not in keys]
        return response.with_body(json.dumps(told | {"Tags": kept}).encode()) if kept != tags else response

    return Rule(name="late tags", matches=r.matching("dynamodb.*"), on_response=note)


def _last_first(_: Request, response: Response) -> Response:
    """The items of a batch the other way round."""
    told = _json_of(response) if response.status == 200 else {}
    found = told.get("Responses") or {}
    turned = {table: items[::-1] for table, items in found.items()}
    return (
        response if turned == found else response.with_body(json.dumps(told | {"Responses": turned}).encode())
    )


def _few_backups(request: Request, response: Response) -> Response:
    """A page of a table's backups is not longer than was asked for, and says where to go on."""
    fields, told = _json(request), _json_of(response) if response.status == 200 else {}
    limit, start = fields.get("Limit"), fields.get("ExclusiveStartBackupArn")
    rows = told.get("BackupSummaries") or []
    if not isinstance(limit, int) or limit < 1 or "TableName" not in fields:
        return response
    names = [row.get("BackupArn") for row in rows]
    rest = rows[names.index(start) + 1 :] if start in names else rows
    page = rest[:limit]
    if page == rows:
        return response
    more = {"LastEvaluatedBackupArn": page[-1]["BackupArn"]} if len(page) < len(rest) else {}
    return response.with_body(json.dumps(told | {"BackupSummaries": page} | more).encode())


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "ListObjectVersions", _versions_after_nothing(), UNSAFE, CONSTRAINT, "response"),
    ("s3", "constraint", "PutBucketVersioning", _versions_for_good(), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "UploadPartCopy", _odd_part(), UNSAFE, CONSTRAINT, ""),
    ("s3", "code", "PutBucketLogging", r.change_code("s3.PutBucketLogging", "InvalidTargetBucketForLogging", "InvalidTargetBucket"), MISLEADING, ERROR, "response"),
    ("s3", "message", "PutObjectLockConfiguration", reworded("s3.PutObjectLockConfiguration", b"InvalidBucketState", 400, "InvalidBucketState", "Object Lock configuration cannot be enabled on existing buckets"), MISLEADING, ERROR, "response"),
    ("s3", "null reference", "CopyObject", failed("s3.CopyObject", 400, "InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey"), MISLEADING, NULL, "response"),
    ("s3", "field", "DeleteObject", r.drop_field("s3.DeleteObject", "header:x-amz-version-id"), WRONG, OTHER, "response"),
    ("s3", "state", "PutObject", _not_held(), "", OTHER, "state"),
    ("s3", "state", "DeletePublicAccessBlock", unheeded("s3.DeletePublicAccessBlock", 204, "NoSuchPublicAccessBlockConfiguration"), "", OTHER, "state"),
    ("s3", "authorisation", "PutBucketPolicy PutPublicAccessBlock", _public_policies_blocked(), UNSAFE, AUTH, ""),
    ("s3", "asynchronous", "DeleteBucketTagging GetBucketTagging", _lingering_tags(0.8), "", ASYNC, ""),
    ("s3", "ordering", "ListBuckets", r.reverse_list("s3.ListBuckets", "Bucket"), WRONG, OTHER, ""),
    ("s3", "paging", "ListParts", without_query("s3.ListParts", "part-number-marker", 10000), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "DeleteItem", _strange_key(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "TagResource", _tags_of_nothing(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", "One or more parameter values were invalid: ProjectionType is ALL, but NonKeyAttributes is specified", when=_projects_twice), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "PutItem", r.reject("dynamodb.PutItem", 400, "ValidationException", "Attempting to store more than 38 significant digits in a Number", when=_long_number), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "alarm", "DeleteResourcePolicy", _policy_of_none(), ALARM, "", ""),
    ("dynamodb", "code", "DeleteItem", r.change_code("dynamodb.DeleteItem", "ConditionalCheckFailedException", "ConditionalCheckFailed"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "DescribeContinuousBackups", r.change_message("dynamodb.DescribeContinuousBackups", "Requested resource not found"), MISLEADING, ERROR, "response"),
    ("dynamodb", "null reference", "UpdateTable", failed("dynamodb.UpdateTable", 400, "ResourceNotFoundException", "Requested resource not found"), MISLEADING, NULL, "response"),
    ("dynamodb", "field", "BatchWriteItem", on_answers("dynamodb.BatchWriteItem", _total_only), WRONG, OTHER, "response"),
    ("dynamodb", "state", "PutItem", _stored_plainly(), "", OTHER, "state"),
    ("dynamodb", "state", "UpdateItem", r.change_argument("dynamodb.UpdateItem", "UpdateExpression", _always_set), "", OTHER, ""),
    ("dynamodb", "authorisation", "Query PutResourcePolicy", _table_policy_enforced("Query"), UNSAFE, AUTH, ""),
    ("dynamodb", "asynchronous", "TagResource ListTagsOfResource", _late_tags(0.8), "", ASYNC, ""),
    ("dynamodb", "ordering", "BatchGetItem", on_answers("dynamodb.BatchGetItem", _last_first), WRONG, OTHER, ""),
    ("dynamodb", "paging", "ListBackups", on_answers("dynamodb.ListBackups", _few_backups), WRONG, OTHER, ""),
]  # fmt: skip

SIXTEEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=16) for row in ROWS)
