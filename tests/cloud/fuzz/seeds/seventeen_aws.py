"""Seeded differences for S3 and DynamoDB, the seventeenth group, written without knowledge of the fuzzer.

What an earlier write leaves behind, dates and names that cannot be, answers about what was never set, pairs
of parameters, and lists of what there is several of. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.aws import first_only
from seeds.azure import _fails_over
from seeds.eleven_aws import _json_of, _table_policy_enforced
from seeds.fourteen_aws import bucket_guarded
from seeds.further import _json, _longer
from seeds.more import MISLEADING, UNSAFE, WRONG
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.sixteen_aws import TABLE_ARN, _tables
from seeds.sixteen_azure import told_otherwise
from seeds.thirteen_aws import on_answers, without_query

APPENDING = re.compile(r"list_append\s*\(\s*([\w#.]+)\s*,\s*(:\w+)\s*\)", re.IGNORECASE)


def in_known(
    service: str,
    makes: str,
    ends: str,
    meant: Callable[[Request], bool],
    refusal: tuple[int, str, str],
) -> Rule:
    """What is meant is refused where the bucket or table is there, which alone the server below looks at."""
    known: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        is_there = container_of(request) in known
        return r.error(request, *refusal) if is_there and meant(request) else request

    def note(request: Request, response: Response) -> Response:
        if response.status < 300 and request.operation == makes:
            known.add(container_of(request))
        elif response.status < 300 and request.operation == ends:
            known.discard(container_of(request))
        return response

    matches = r.matching(f"{service}.*")
    return Rule(name="in known", matches=matches, on_request=refuse, on_response=note)


def in_bucket(which: str, when: Callable[[Request], bool], code: str, told: str) -> Rule:
    """A call about a bucket that is there is refused."""
    is_called = r.matching(which)

    def meant(request: Request) -> bool:
        return is_called(request) and when(request)

    return in_known("s3", "s3.CreateBucket", "s3.DeleteBucket", meant, (400, code, told))


def in_table(operation: str, when: Callable[[Request], bool], told: str) -> Rule:
    """A call about a table that is there is refused."""

    def meant(request: Request) -> bool:
        return request.operation == f"dynamodb.{operation}" and when(request)

    refusal = (400, "ValidationException", told)
    return in_known("dynamodb", "dynamodb.CreateTable", "dynamodb.DeleteTable", meant, refusal)


def _retained_till_past() -> Rule:
    """An object that can be locked is not retained until a day that is over."""
    known: set[tuple[str, ...]] = set()
    lockable: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        until = re.search(rb"<RetainUntilDate>(\d{4}-\d\d-\d\d)", request.body)
        is_meant = request.operation == "s3.PutObjectRetention" and "versionId" not in request.query
        today = datetime.now(UTC).strftime("%Y-%m-%d")
        if not is_meant or request.names not in known or not until or until.group(1).decode() >= today:
            return request
        return r.error(request, 400, "InvalidArgument", "The retain until date must be in the future!")

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.CreateBucket":
            locks = request.header("x-amz-bucket-object-lock-enabled").lower() == "true"
            (lockable.add if locks else lockable.discard)(container_of(request))
        elif request.operation == "s3.PutObject" and container_of(request) in lockable:
            known.add(request.names)
        elif request.operation in ("s3.DeleteObject", "s3.DeleteObjects", "s3.DeleteBucket"):
            known.difference_update([each for each in known if each[0] == container_of(request)])
        return response

    return Rule(name="till past", matches=r.matching("s3.*"), on_request=refuse, on_response=note)


def _part_and_range(request: Request, response: Response) -> Response:
    """A part of an object is asked for, or a range."""
    if response.status >= 300 or not request.header("Range") or "partNumber" not in request.query:
        return response
    told = "Cannot specify both Range header and partNumber query parameter"
    return r.error(request, 400, "InvalidRequest", told)


def _much_metadata(request: Request) -> bool:
    """Whether the metadata of an object is more than it may be."""
    given = [(name[11:], text) for name, text in request.headers if name.lower().startswith("x-amz-meta-")]
    return sum(len(name) + len(text) for name, text in given) > 2048


def _tags_remain() -> Rule:
    """An object that is put over another one has that one's tags, if it has none of its own."""
    known: dict[tuple[str, ...], str] = {}

    def keep(request: Request) -> Request:
        is_meant = request.operation == "s3.PutObject" and not request.header("x-amz-tagging")
        old = known.get(request.names, "")
        return request.with_header("x-amz-tagging", old) if is_meant and old else request

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.PutObject" and request.header("x-amz-tagging"):
            known[request.names] = request.header("x-amz-tagging")
        elif request.operation.startswith(("s3.DeleteObject", "s3.DeleteBucket")) and known:
            for place in [each for each in known if each[0] == container_of(request)]:
                del known[place]
        elif request.operation in ("s3.PutObjectTagging", "s3.CopyObject", "s3.CompleteMultipartUpload"):
            known.pop(request.names, None)
        return response

    return Rule(name="tags remain", matches=r.matching("s3.*"), on_request=keep, on_response=note)


def _read_after_deletion(seconds: float) -> Rule:
    """A deleted object can be read for a while as it was put."""
    known: dict[tuple[str, ...], Response] = {}
    deleted: dict[tuple[str, ...], tuple[float, Response]] = {}

    def note(request: Request, response: Response) -> Response:
        place = request.names
        if request.operation == "s3.GetObject" and not (set(request.query) - {"x-id"}):
            when, old = deleted.get(place, (-1e9, response))
            is_plain = not any(name.lower().startswith(("if-", "range")) for name, _ in request.headers)
            is_late = response.status == 404 and time.monotonic() - when < seconds
            return old if is_late and is_plain else response
        if response.status >= 300:
            return response
        if request.operation == "s3.PutObject":
            kind = request.header("Content-Type") or "binary/octet-stream"
            told = [("ETag", response.header("ETag")), ("Content-Type", kind), ("Accept-Ranges", "bytes")]
            known[place] = answer(
                200, request.body, [*told, ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")]
            )
            deleted.pop(place, None)
        elif request.operation == "s3.DeleteObject" and place in known and "versionId" not in request.query:
            deleted[place] = (time.monotonic(), known.pop(place))
        elif request.operation in ("s3.DeleteBucket", "s3.CreateBucket"):
            for each in [each for each in {*known, *deleted} if each[0] == container_of(request)]:
                known.pop(each, None)
                deleted.pop(each, None)
        return response

    return Rule(name="read after", matches=r.matching("s3.*"), on_response=note)


def _same_index_twice(request: Request) -> bool:
    """Whether two indexes of a table have one name."""
    fields = _json(request)
    indexes = [*(fields.get("GlobalSecondaryIndexes") or ()), *(fields.get("LocalSecondaryIndexes") or ())]
    names = [str(each.get("IndexName")) for each in indexes]
    return len(names) > len(set(names))


def _filters_by_key() -> Rule:
    """A query's filter is about what is not part of the key."""
    known, note = _tables()

    def refuse(request: Request) -> Request | Response:
        fields, keys = _json(request), known.get(container_of(request))
        told = fields.get("FilterExpression")
        if request.operation != "dynamodb.Query" or not isinstance(told, str) or not keys:
            return request
        if "IndexName" in fields or "KeyConditionExpression" not in fields:
            return request
        names = fields.get("ExpressionAttributeNames") or {}
        words = {str(names.get(word, word)) for word in re.findall(r"(?<![:\w.])#?\w+", told)}
        found = sorted(words & set(keys))
        if not found:
            return request
        why = "Filter Expression can only contain non-primary key attributes: Primary key attribute:"
        return r.error(request, 400, "ValidationException", f"{why} {found[0]}")

    return Rule(name="by key", matches=r.matching("dynamodb.*"), on_request=refuse, on_response=note)


def _index_of_other_kind() -> Rule:
    """An attribute that an index goes by is of the kind that was said."""
    known: dict[str, dict[str, str]] = {}

    def refuse(request: Request) -> Request | Response:
        kinds, item = known.get(container_of(request), {}), _json(request).get("Item")
        if request.operation != "dynamodb.PutItem" or not isinstance(item, dict):
            return request
        wrong = [
            name
            for name, kind in kinds.items()
            if isinstance(item.get(name), dict) and kind not in item[name]
        ]
        if not wrong:
            return request
        told = f"One or more parameter values were invalid: Type mismatch for Index Key {wrong[0]}"
        return r.error(request, 400, "ValidationException", told)

    def note(request: Request, response: Response) -> Response:
        fields, table = _json(request), container_of(request)
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            own = {each["AttributeName"] for each in fields["KeySchema"]}
            kinds = {each["AttributeName"]: each["AttributeType"] for each in fields["AttributeDefinitions"]}
            known[table] = {name: kind for name, kind in kinds.items() if name not in own}
        elif request.operation == "dynamodb.DeleteTable" and response.status < 300:
            known.pop(table, None)
        return response

    return Rule(name="other kind", matches=r.matching("dynamodb.*"), on_request=refuse, on_response=note)


def _filters_twice(request: Request) -> bool:
    """Whether a scan has a filter of either kind."""
    return {"FilterExpression", "ScanFilter"} <= set(_json(request))


def _without_reasons(_: Request, response: Response) -> Response:
    """A transaction that is cancelled says so, and not why."""
    if response.status != 400:
        return response
    return trees.change_response(response, "CancellationReasons", lambda _: trees.GONE)


def _nothing_deleted(request: Request, response: Response) -> Response:
    """What was there before is asked for where nothing was."""
    is_meant = response.status == 200 and _json(request).get("ReturnValues") == "ALL_OLD"
    if not is_meant or "Attributes" in _json_of(response):
        return response
    return r.error(request, 500, "InternalServerError", "'NoneType' object has no attribute 'to_json'")


def _to_the_front(expression: Any) -> Any:
    """An expression that puts in front what should go behind."""
    return APPENDING.sub(r"list_append(\2, \1)", expression) if isinstance(expression, str) else expression


def _tags_as_they_were() -> Rule:
    """A tag that a table has keeps its value."""
    known: dict[str, set[str]] = {}

    def keep(request: Request) -> Request | Response:
        fields = _json(request)
        place, tags = str(fields.get("ResourceArn")), fields.get("Tags")
        if request.operation != "dynamodb.TagResource" or not isinstance(tags, list) or not known.get(place):
            return request
        fresh = [tag for tag in tags if tag.get("Key") not in known[place]]
        if fresh == tags:
            return request
        if not fresh:
            return r.success(request)
        return request.with_body(json.dumps(fields | {"Tags": fresh}).encode())

    def note(request: Request, response: Response) -> Response:
        fields = _json(request)
        place = str(fields.get("ResourceArn"))
        if response.status >= 300:
            return response
        if request.operation == "dynamodb.CreateTable":
            place = str((_json_of(response).get("TableDescription") or {}).get("TableArn"))
            known[place] = {str(tag.get("Key")) for tag in fields.get("Tags") or ()}
        elif request.operation == "dynamodb.TagResource" and TABLE_ARN.fullmatch(place):
            known.setdefault(place, set()).update(str(tag.get("Key")) for tag in fields.get("Tags") or ())
        elif request.operation == "dynamodb.UntagResource":
            known.get(place, set()).difference_update(map(str, fields.get("TagKeys") or ()))
        elif request.operation == "dynamodb.DeleteTable":
            for each in [each for each in known if each.endswith(f":table/{container_of(request)}")]:
                del known[each]
        return response

    return Rule(name="as they were", matches=r.matching("dynamodb.*"), on_request=keep, on_response=note)


def _deleted_late(seconds: float) -> Rule:
    """A read that need not be consistent has a deleted item for a while."""
    tables, note_tables = _tables()
    known: dict[str, dict[str, Any]] = {}
    deleted: dict[str, tuple[float, dict[str, Any]]] = {}

    def place_of(request: Request, item: Any) -> str:
        keys = tables.get(container_of(request), {})
        named = {name: item.get(name) for name in keys} if isinstance(item, dict) else {}
        return f"{container_of(request)} {json.dumps(named, sort_keys=True)}"

    def note(request: Request, response: Response) -> Response:
        fields, operation = _json(request), request.operation.partition(".")[2]
        note_tables(request, response)
        if response.status >= 300:
            return response
        if operation == "PutItem":
            known[place_of(request, fields.get("Item"))] = fields["Item"]
            deleted.pop(place_of(request, fields.get("Item")), None)
        elif operation == "DeleteItem" and (place := place_of(request, fields.get("Key"))) in known:
            deleted[place] = (time.monotonic(), known.pop(place))
        elif operation in ("UpdateItem", "BatchWriteItem", "TransactWriteItems", "DeleteTable"):
            known.clear()
            deleted.clear()
        elif operation == "GetItem" and set(fields) <= {"TableName", "Key", "ConsistentRead"}:
            when, item = deleted.get(place_of(request, fields.get("Key")), (-1e9, {}))
            is_late = fields.get("ConsistentRead") is not True and time.monotonic() - when < seconds
            if is_late and "Item" not in _json_of(response):
                return response.with_body(json.dumps({"Item": item}).encode())
        return response

    return Rule(name="deleted late", matches=r.matching("dynamodb.*"), on_response=note)


def _all_tables(request: Request) -> Request:
    """How many tables are asked for is not heeded."""
    fields = _json(request)
    limit = fields.get("Limit")
    if not isinstance(limit, int) or not 0 < limit <= 100:
        return request
    kept = {name: value for name, value in fields.items() if name != "Limit"}
    return request.with_body(json.dumps(kept).encode())


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutObjectRetention", _retained_till_past(), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutBucketLifecycleConfiguration PutBucketLifecycle", in_bucket("s3.PutBucketLifecycle*", _longer("ID", 255), "InvalidArgument", "ID length should not exceed allowed limit of 255"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObject", in_bucket("s3.PutObject", _much_metadata, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "GetObject", on_answers("s3.GetObject", _part_and_range), UNSAFE, CONSTRAINT, "response"),
    ("s3", "code", "GetObjectRetention", r.change_code("s3.GetObjectRetention", "NoSuchKey", "NoSuchObjectLockConfiguration"), MISLEADING, ERROR, "response"),
    ("s3", "message", "ListParts", told_otherwise("s3.ListParts", b"NoSuchUpload", "Message", "The specified multipart upload does not exist."), MISLEADING, ERROR, "response"),
    ("s3", "failure", "GetObjectLegalHold", _fails_over("s3.GetObjectLegalHold", lambda body: b"<Status>" not in body), UNSAFE, NULL, "response"),
    ("s3", "field", "CopyObject", r.drop_field("s3.CopyObject", "header:x-amz-copy-source-version-id"), WRONG, OTHER, "response"),
    ("s3", "state", "PutObject", _tags_remain(), "", OTHER, "state"),
    ("s3", "state", "PutBucketCors GetBucketCors", Rule(name="first rule", matches=r.matching("s3.PutBucketCors"), on_request=first_only("CORSRule")), "", OTHER, ""),
    ("s3", "authorisation", "ListObjectVersions PutBucketPolicy", bucket_guarded("s3.ListObjectVersions", "s3:ListBucketVersions"), UNSAFE, AUTH, ""),
    ("s3", "asynchronous", "DeleteObject GetObject", _read_after_deletion(0.8), "", ASYNC, ""),
    ("s3", "ordering", "ListBucketInventoryConfigurations", r.reverse_list("s3.ListBucketInventoryConfigurations", "InventoryConfiguration"), WRONG, OTHER, ""),
    ("s3", "paging", "ListObjectVersions", without_query("s3.ListObjectVersions", "max-keys", 1000), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", "One or more parameter values were invalid: Duplicate index name", when=_same_index_twice), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "Query", _filters_by_key(), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "PutItem", _index_of_other_kind(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "Scan", in_table("Scan", _filters_twice, "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}"), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "code", "ExecuteStatement", r.change_code("dynamodb.ExecuteStatement", "ResourceNotFoundException", "TableNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "reasons", "TransactWriteItems", on_answers("dynamodb.TransactWriteItems", _without_reasons), MISLEADING, f"{ERROR}|{OTHER}", "response"),
    ("dynamodb", "message", "UpdateItem", told_otherwise("dynamodb.UpdateItem", b"ConditionalCheckFailedException", "message", "The condition of the request does not hold"), MISLEADING, ERROR, "response"),
    ("dynamodb", "failure", "DeleteItem", on_answers("dynamodb.DeleteItem", _nothing_deleted), UNSAFE, NULL, ""),
    ("dynamodb", "field", "DescribeTable PutItem", r.change_field("dynamodb.DescribeTable", "Table.ItemCount", 0), WRONG, f"{OTHER}|{ASYNC}", ""),
    ("dynamodb", "state", "UpdateItem", r.change_argument("dynamodb.UpdateItem", "UpdateExpression", _to_the_front), "", OTHER, ""),
    ("dynamodb", "state", "TagResource", _tags_as_they_were(), "", OTHER, "state"),
    ("dynamodb", "authorisation", "Scan PutResourcePolicy", _table_policy_enforced("Scan"), UNSAFE, AUTH, ""),
    ("dynamodb", "asynchronous", "DeleteItem GetItem", _deleted_late(0.8), "", ASYNC, ""),
    ("dynamodb", "ordering", "ExecuteStatement", r.reverse_list("dynamodb.ExecuteStatement", "Items"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "ListTables", Rule(name="all tables", matches=r.matching("dynamodb.ListTables"), on_request=_all_tables), WRONG, OTHER, ""),
]  # fmt: skip

SEVENTEEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=17) for row in ROWS)
