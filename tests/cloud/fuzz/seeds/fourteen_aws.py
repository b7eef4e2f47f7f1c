"""Seeded differences for S3 and DynamoDB, the fourteenth group, written without knowledge of the fuzzer.

Limits and pairs of parameters that the documentation names, calls that are made twice, and places where a
stand-in breaks down and the real service does not. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.aws import UNBUILT, _answered, _batch_writes
from seeds.eleven_aws import _json_of, denies, without_header
from seeds.further import _json, _more
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _gone, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.thirteen_aws import on_answers, reworded, source_of, values_of

RANGE = re.compile(r"bytes=(\d+-\d*|-\d+)(,.*)?")
QUEUE = re.compile(r"arn:aws:sqs:[\w-]+:\d{12}:[\w.-]+")
SETS = ("SS", "NS", "BS")


def failed(which: str, status: int, code: str, message: str) -> Rule:
    """Where the server below breaks down, the call is refused."""

    def refuse(request: Request, response: Response) -> Response:
        return r.error(request, status, code, message) if response.status == 500 else response

    return on_answers(which, refuse)


def _copied_if_unmodified() -> Rule:
    """An object is copied only if it has not been changed since."""
    known: dict[tuple[str, ...], datetime] = {}

    def refuse(request: Request) -> Request | Response:
        since = _date(request.header("x-amz-copy-source-if-unmodified-since"))
        changed = known.get(source_of(request))
        if request.operation != "s3.CopyObject" or since is None or changed is None or since >= changed:
            return request
        told = "At least one of the pre-conditions you specified did not hold"
        return r.error(request, 412, "PreconditionFailed", told)

    def note(request: Request, response: Response) -> Response:
        if request.operation == "s3.PutObject" and response.status < 300:
            known[request.names] = datetime.now(UTC).replace(microsecond=0)
        elif request.operation == "s3.DeleteObject":
            known.pop(request.names, None)
        elif request.operation == "s3.DeleteObjects":
            for place in [each for each in known if each[0] == container_of(request)]:
                del known[place]
        return response

    return Rule(name="if unmodified", matches=lambda _: True, on_request=refuse, on_response=note)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _queues_unseen(request: Request) -> bool:
    """Whether messages are to go to a queue, which nobody has made, and that is to be looked at."""
    skips = request.header("x-amz-skip-destination-validation").lower() == "true"
    queues = re.findall(rb"<Queue>([^<]*)</Queue>", request.body)
    are_fine = all(QUEUE.fullmatch(queue.decode()) for queue in queues)
    return bool(queues) and are_fine and not skips


def _redirects_and_shows(request: Request) -> bool:
    """Whether a website has pages and sends everybody elsewhere."""
    return b"<RedirectAllRequestsTo>" in request.body and b"<IndexDocument>" in request.body


def _lists_refused() -> Rule:
    """A bucket whose owner has all objects takes no access control lists for them."""
    enforced: set[str] = set()
    there: set[tuple[str, ...]] = set()

    def refuse(request: Request) -> Request | Response:
        is_meant = request.operation == "s3.PutObjectAcl" and container_of(request) in enforced
        if (
            not is_meant
            or request.names not in there
            or request.header("x-amz-acl") == "bucket-owner-full-control"
        ):
            return request
        return r.error(request, 400, "AccessControlListNotSupported", "The bucket does not allow ACLs")

    def note(request: Request, response: Response) -> Response:
        bucket = container_of(request)
        if response.status >= 300:
            return response
        if request.operation == "s3.PutObject":
            there.add(request.names)
        elif request.operation in ("s3.DeleteObject", "s3.DeleteObjects"):
            there.difference_update([each for each in there if each[0] == bucket])
        elif request.operation == "s3.CreateBucket":
            is_all = request.header("x-amz-object-ownership") == "BucketOwnerEnforced"
            (enforced.add if is_all else enforced.discard)(bucket)
        elif request.operation == "s3.PutBucketOwnershipControls":
            (enforced.add if b">BucketOwnerEnforced<" in request.body else enforced.discard)(bucket)
        elif request.operation in ("s3.DeleteBucketOwnershipControls", "s3.DeleteBucket"):
            enforced.discard(bucket)
        return response

    return Rule(name="lists refused", matches=lambda _: True, on_request=refuse, on_response=note)


def bucket_guarded(operation: str, action: str) -> Rule:
    """A bucket's policy that forbids everybody an action forbids a call."""
    policies: dict[str, Mapping[str, Any]] = {}

    def refuse(request: Request) -> Request | Response:
        policy = policies.get(container_of(request), {})
        place = f"arn:aws:s3:::{container_of(request)}"
        if request.operation == operation and denies(policy, action, place):
            return r.error(request, 403, "AccessDenied", "Access Denied")
        return request

    def note(request: Request, response: Response) -> Response:
        if request.operation == "s3.PutBucketPolicy" and response.status < 300:
            policies[container_of(request)] = _json(request)
        elif request.operation in ("s3.DeleteBucketPolicy", "s3.DeleteBucket") and response.status < 300:
            policies.pop(container_of(request), None)
        return response

    return Rule(name="guarded", matches=lambda _: True, on_request=refuse, on_response=note)


def _tags_stay() -> Rule:
    """The tags of an object are said to be deleted, and stay."""
    known: set[tuple[str, ...]] = set()

    def keep(request: Request) -> Request | Response:
        is_meant = request.operation == "s3.DeleteObjectTagging" and "versionId" not in request.query
        return answer(204) if is_meant and request.names in known else request

    def note(request: Request, response: Response) -> Response:
        if request.operation == "s3.PutObject" and response.status < 300:
            known.add(request.names)
        elif request.operation == "s3.DeleteObject":
            known.discard(request.names)
        elif request.operation == "s3.DeleteObjects":
            known.difference_update([each for each in known if each[0] == container_of(request)])
        return response

    return Rule(name="tags stay", matches=lambda _: True, on_request=keep, on_response=note)


def _whatever_range(request: Request) -> Request:
    """A range that is none is not heeded."""
    given = request.header("Range")
    return request.with_header("Range", None) if given and not RANGE.fullmatch(given) else request


def _no_such_part(request: Request, response: Response) -> Response:
    """A part that an object does not have."""
    if response.status != 416 or "partNumber" not in request.query:
        return response
    return r.error(request, 416, "InvalidPartNumber", "The requested partnumber is not satisfiable")


def _few_uploads(request: Request, response: Response) -> Response:
    """A page of uploads is not longer than was asked for."""
    asked = request.query.get("max-uploads", "")
    if response.status != 200 or not asked.isdecimal() or not 0 < int(asked) < 1000:
        return response
    uploads = re.findall(rb"<Upload>.*?</Upload>", response.body, re.DOTALL)
    body = re.sub(rb"<MaxUploads>\d+<", b"<MaxUploads>%d<" % int(asked), response.body)
    for each in uploads[int(asked) :]:
        body = body.replace(each, b"", 1)
    if len(uploads) <= int(asked):
        return response.with_body(body)
    last = uploads[int(asked) - 1]
    marks = b"".join(
        b"<Next%sMarker>%s</Next%sMarker>" % (mark, found.group(1), mark)
        for mark, tag in ((b"Key", b"Key"), (b"UploadId", b"UploadId"))
        if (found := re.search(b"<%s>([^<]*)<" % tag, last))
    )
    return response.with_body(re.sub(rb"<IsTruncated>false<", marks + b"<IsTruncated>true<", body, count=1))


def _twice_in_set(request: Request) -> bool:
    """Whether a set of an item has a member twice."""
    values = values_of(_json(request), "Item")
    sets = [value[kind] for value in values for kind in SETS if isinstance(value.get(kind), list)]
    return any(len(members) > len(set(map(str, members))) for members in sets)


def _unused_value(request: Request) -> bool:
    """Whether a filter is given a value that it does not name."""
    fields = _json(request)
    told = str(fields.get("FilterExpression", ""))
    given = fields.get("ExpressionAttributeValues")
    if not told or not isinstance(given, dict) or not all(re.fullmatch(r":\w+", name) for name in given):
        return False
    return any(not re.search(rf"{re.escape(name)}\b", told) for name in given)


def _long_tag(request: Request) -> bool:
    """Whether a tag is longer than tags may be."""
    tags = _json(request).get("Tags") or ()
    return any(len(str(tag.get("Key"))) > 128 or len(str(tag.get("Value"))) > 256 for tag in tags)


def _stream_of_nothing(request: Request) -> bool:
    """Whether there is to be a stream and nothing is said of what it has."""
    stream = _json(request).get("StreamSpecification")
    return isinstance(stream, dict) and stream.get("StreamEnabled") is True and "StreamViewType" not in stream


def _gets_twice(request: Request) -> bool:
    """Whether a transaction gets an item twice."""
    gets = [json.dumps(each, sort_keys=True) for each in _json(request).get("TransactItems") or ()]
    return len(gets) > len(set(gets))


def _switched(
    operation: str, setting: Callable[[Request], bool | None]
) -> tuple[dict[str, bool], Callable[[Request, Response], Response]]:
    """What is switched on for which table, and what to note for that."""
    known: dict[str, bool] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        table, wanted = container_of(request), setting(request)
        if request.operation == "dynamodb.CreateTable":
            known[table] = False
        elif request.operation == "dynamodb.DeleteTable":
            known.pop(table, None)
        elif request.operation == operation and table in known and wanted is not None:
            known[table] = wanted
        return response

    return known, note


def _member(request: Request, name: str, inner: str) -> bool | None:
    given = _json(request).get(name)
    found = given.get(inner) if isinstance(given, dict) else None
    return found if isinstance(found, bool) else None


def _lives_already() -> Rule:
    """That items expire can be switched only to what it is not."""
    operation = "dynamodb.UpdateTimeToLive"

    def setting(request: Request) -> bool | None:
        return _member(request, "TimeToLiveSpecification", "Enabled")

    known, note = _switched(operation, setting)

    def refuse(request: Request) -> Request | Response:
        wanted = setting(request)
        if request.operation != operation or wanted is None or known.get(container_of(request)) != wanted:
            return request
        word = "enabled" if wanted else "disabled"
        return r.error(request, 400, "ValidationException", f"TimeToLive is already {word}")

    return Rule(name="lives already", matches=lambda _: True, on_request=refuse, on_response=note)


def _recoverable() -> Rule:
    """Only a table that is backed up continuously has a past to go back to."""

    def setting(request: Request) -> bool | None:
        return _member(request, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled")

    known, note = _switched("dynamodb.UpdateContinuousBackups", setting)

    def refuse(request: Request) -> Request | Response:
        source = _json(request).get("SourceTableName")
        is_meant = request.operation == "dynamodb.RestoreTableToPointInTime" and isinstance(source, str)
        if not is_meant or known.get(str(source)) is not False:
            return request
        told = f"Point in time recovery is not enabled for table '{source}'"
        return r.error(request, 400, "PointInTimeRecoveryUnavailableException", told)

    return Rule(name="recoverable", matches=lambda _: True, on_request=refuse, on_response=note)


def _says_nothing(request: Request) -> bool:
    """Whether nothing of a table is to be changed."""
    return set(_json(request)) == {"TableName"}


def _read_twice_as_dear(request: Request, response: Response) -> Response:
    """A consistent read costs twice what another one does."""
    told = _json_of(response) if response.status == 200 else {}
    cost = told.get("ConsumedCapacity")
    if _json(request).get("ConsistentRead") is not True or not isinstance(cost, dict):
        return response
    dear = {name: 2 * value if name == "CapacityUnits" else value for name, value in cost.items()}
    return response.with_body(json.dumps(told | {"ConsumedCapacity": dear}).encode())


def _with_class(request: Request, response: Response) -> Response:
    """A table for which a class was asked says that it has it."""
    asked = _json(request).get("TableClass")
    if response.status != 200 or not asked:
        return response
    told = _json_of(response)
    table = told.get("TableDescription", {}) | {"TableClassSummary": {"TableClass": asked}}
    return response.with_body(json.dumps(told | {"TableDescription": table}).encode())


def _late_batches(seconds: float) -> Rule:
    """A batch of reads that need not be consistent does not have new items for a while."""
    written: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if request.operation == "dynamodb.PutItem" and response.status < 300:
            written[container_of(request)] = time.monotonic()
        if request.operation != "dynamodb.BatchGetItem" or response.status != 200:
            return response
        told, asked = _json_of(response), _json(request).get("RequestItems") or {}
        found = told.get("Responses") or {}
        late: dict[str, list[Any]] = {
            table: []
            for table in found
            if time.monotonic() - written.get(table, -1e9) < seconds
            and (asked.get(table) or {}).get("ConsistentRead") is not True
        }
        return (
            response.with_body(json.dumps(told | {"Responses": found | late}).encode()) if late else response
        )

    return Rule(name="late batches", matches=lambda _: True, on_response=note)


def _from_the_start() -> Rule:
    """The key that a scan is to go on from is looked at, and not heeded."""
    keys: dict[str, dict[str, str]] = {}

    def begin(request: Request) -> Request:
        fields = _json(request)
        start, kinds = fields.get("ExclusiveStartKey"), keys.get(container_of(request))
        if request.operation != "dynamodb.Scan" or not isinstance(start, dict) or "IndexName" in fields:
            return request
        is_fine = kinds == {name: "".join(value) for name, value in start.items()}
        is_number = all(re.fullmatch(r"-?\d+(\.\d+)?", value.get("N", "0")) for value in start.values())
        if not is_fine or not is_number:
            return request
        kept = {name: value for name, value in fields.items() if name != "ExclusiveStartKey"}
        return request.with_body(json.dumps(kept).encode())

    def note(request: Request, response: Response) -> Response:
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            fields = _json(request)
            kinds = {each["AttributeName"]: each["AttributeType"] for each in fields["AttributeDefinitions"]}
            keys[container_of(request)] = {
                each["AttributeName"]: kinds.get(each["AttributeName"], "") for each in fields["KeySchema"]
            }
        return response

    which = r.matching("dynamodb.Scan, dynamodb.CreateTable")
    return Rule(name="from the start", matches=which, on_request=begin, on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutObject", r.reject("s3.PutObject", 501, "NotImplemented", "A header you provided implies functionality that is not implemented", when=lambda request: request.header("If-None-Match", "*") != "*"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutBucketWebsite", r.reject("s3.PutBucketWebsite", 400, "InvalidRequest", "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.", when=_redirects_and_shows), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "DeleteObjects", r.reject("s3.DeleteObjects", 400, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema", when=_more("Object", 1000)), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutBucketNotificationConfiguration", r.reject("s3.PutBucketNotificationConfiguration", 400, "InvalidArgument", "Unable to validate the following destination configurations", when=_queues_unseen), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CopyObject", _copied_if_unmodified(), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObjectAcl", _lists_refused(), UNSAFE, CONSTRAINT, ""),
    ("s3", "alarm", "GetObject", Rule(name="whatever", matches=r.matching("s3.GetObject"), on_request=_whatever_range), ALARM, "", "response"),
    ("s3", "code", "GetObject", on_answers("s3.GetObject", _no_such_part), MISLEADING, ERROR, "response"),
    ("s3", "message", "PutObjectRetention", reworded("s3.PutObjectRetention", b"Bucket is missing ObjectLockConfiguration", 400, "InvalidRequest", "Bucket is missing Object Lock Configuration"), MISLEADING, ERROR, "response"),
    ("s3", "null reference", "UploadPart", failed("s3.UploadPart", 404, "NoSuchUpload", "The specified upload does not exist."), MISLEADING, NULL, "response"),
    ("s3", "null reference", "CompleteMultipartUpload", failed("s3.CompleteMultipartUpload", 404, "NoSuchUpload", "The specified upload does not exist."), MISLEADING, NULL, "response"),
    ("s3", "field", "GetObjectAttributes", r.drop_field("s3.GetObjectAttributes", "Checksum"), WRONG, OTHER, ""),
    ("s3", "field", "PutObject", r.drop_field("s3.PutObject", "header:x-amz-server-side-encryption"), WRONG, OTHER, "response"),
    ("s3", "state", "CopyObject", without_header("s3.CopyObject", "x-amz-storage-class"), "", OTHER, "state"),
    ("s3", "state", "DeleteObjectTagging", _tags_stay(), "", OTHER, "state"),
    ("s3", "authorisation", "HeadBucket PutBucketPolicy", bucket_guarded("s3.HeadBucket", "s3:ListBucket"), UNSAFE, AUTH, ""),
    ("s3", "asynchronous", "PutPublicAccessBlock GetPublicAccessBlock", lagging("s3.PutPublicAccessBlock", "s3.GetPublicAccessBlock", 0.8, _gone("NoSuchPublicAccessBlockConfiguration")), "", ASYNC, ""),
    ("s3", "ordering", "ListObjects", r.reverse_list("s3.ListObjects", "CommonPrefixes"), WRONG, OTHER, ""),
    ("s3", "paging", "ListMultipartUploads", on_answers("s3.ListMultipartUploads", _few_uploads), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "PutItem", r.reject("dynamodb.PutItem", 400, "ValidationException", "One or more parameter values were invalid: Input collection contains duplicates.", when=_twice_in_set), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "Scan", r.reject("dynamodb.Scan", 400, "ValidationException", "Value provided in ExpressionAttributeValues unused in expressions", when=_unused_value), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "TagResource", r.reject("dynamodb.TagResource", 400, "ValidationException", "Member must have length less than or equal to 128", when=_long_tag), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "UpdateTimeToLive", _lives_already(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "BatchWriteItem", r.reject("dynamodb.BatchWriteItem", 400, "ValidationException", "Member must have length less than or equal to 25", when=_batch_writes(25)), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", "One or more parameter values were invalid: StreamViewType is required", when=_stream_of_nothing), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "TransactGetItems", r.reject("dynamodb.TransactGetItems", 400, "ValidationException", "Transaction request cannot include multiple operations on one item", when=_gets_twice), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "UpdateTable", r.reject("dynamodb.UpdateTable", 400, "ValidationException", "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required", when=_says_nothing), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "RestoreTableToPointInTime", _recoverable(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "alarm", "PutItem", r.change_argument("dynamodb.PutItem", "NULL", lambda old: True if old is False else old), ALARM, "", ""),
    ("dynamodb", "unbuilt", "ListExports", _answered("dynamodb.ListExports", b'{"ExportSummaries": []}'), ALARM, f"{UNBUILT}|{NULL}", "response"),
    ("dynamodb", "code", "Query", reworded("dynamodb.Query", b"Invalid index", 400, "ValidationException", "The table does not have the specified index"), MISLEADING, ERROR, "response"),
    ("dynamodb", "code", "DescribeTimeToLive", r.change_code("dynamodb.DescribeTimeToLive", "ResourceNotFound", "ResourceNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "BatchGetItem", reworded("dynamodb.BatchGetItem", b'"Validation Exception"', 400, "ValidationException", "The provided key element does not match the schema"), MISLEADING, ERROR, "response"),
    ("dynamodb", "null reference", "ExecuteStatement", failed("dynamodb.ExecuteStatement", 400, "ValidationException", "Statement wasn't well formed, can't be processed"), MISLEADING, NULL, "response"),
    ("dynamodb", "field", "GetItem", on_answers("dynamodb.GetItem", _read_twice_as_dear), WRONG, OTHER, "response"),
    ("dynamodb", "field", "CreateTable", on_answers("dynamodb.CreateTable", _with_class), WRONG, OTHER, "response"),
    ("dynamodb", "state", "UpdateItem", r.change_argument("dynamodb.UpdateItem", "Action", lambda old: "PUT" if old == "ADD" else old), "", OTHER, ""),
    ("dynamodb", "authorisation", "UpdateContinuousBackups", r.deny("dynamodb.UpdateContinuousBackups"), UNSAFE, AUTH, ""),
    ("dynamodb", "asynchronous", "PutItem BatchGetItem", _late_batches(0.8), "", ASYNC, ""),
    ("dynamodb", "ordering", "ListTables", r.reverse_list("dynamodb.ListTables", "TableNames"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Scan", _from_the_start(), WRONG, OTHER, ""),
]  # fmt: skip

FOURTEEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=14) for row in ROWS)
