"""Seeded differences for S3 and DynamoDB, the eighteenth group, written without knowledge of the fuzzer.

What AWS refuses by the value of a parameter or by what an earlier call said, parameters that only some
servers heed, writes that lose a part, and answers of a server that is not yet done. Those of a service are
active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import botocore.session

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule, trees
from likewise.cloud.rewriting.messages import answer
from likewise.cloud.rewriting.states import container_of
from seeds.eleven_aws import _json_of, _table_policy_enforced
from seeds.further import _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.seventeen_aws import in_bucket, in_table
from seeds.sixteen_aws import _tables
from seeds.sixteen_azure import told_otherwise
from seeds.thirteen_aws import on_answers, without_query

CLASSES = frozenset(botocore.session.get_session().get_service_model("s3").shape_for("StorageClass").enum)
PUBLIC = frozenset({"public-read", "public-read-write", "authenticated-read"})
TAG_KEY = re.compile(rb"<Key>([^<]*)</Key>")


def _objects() -> tuple[dict[tuple[str, ...], str], Callable[[Request, Response], Response]]:
    """The objects that were put as they are and their ETags, and what to note for that."""
    known: dict[tuple[str, ...], str] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.PutObject":
            known[request.names] = response.header("ETag")
        elif request.operation in ("s3.CopyObject", "s3.CompleteMultipartUpload", "s3.DeleteObject"):
            known.pop(request.names, None)
        elif request.operation in ("s3.DeleteObjects", "s3.DeleteBucket"):
            for place in [each for each in known if each[0] == container_of(request)]:
                del known[place]
        return response

    return known, note


def _tagged_twice() -> Rule:
    """An object has one tag of a name."""
    known, note = _objects()

    def refuse(request: Request) -> Request | Response:
        names = TAG_KEY.findall(request.body)
        is_meant = request.operation == "s3.PutObjectTagging" and "versionId" not in request.query
        if not is_meant or request.names not in known or len(names) == len(set(names)):
            return request
        return r.error(request, 400, "InvalidTag", "Cannot provide multiple Tags with the same key")

    return Rule(name="tagged twice", matches=r.matching("s3.*"), on_request=refuse, on_response=note)


def _copied_if_match() -> Rule:
    """A copy is made only of what its source must be."""
    known, note = _objects()

    def refuse(request: Request) -> Request | Response:
        source = unquote(request.header("x-amz-copy-source")).lstrip("/")
        bucket, _, key = source.partition("/")
        etag, wanted = known.get((bucket, key), ""), request.header("x-amz-copy-source-if-match")
        is_meant = request.operation == "s3.CopyObject" and bucket == container_of(request)
        if not is_meant or not etag or wanted.strip('"') in ("", "*", etag.strip('"')):
            return request
        told = "At least one of the pre-conditions you specified did not hold"
        return r.error(request, 412, "PreconditionFailed", told)

    return Rule(name="if match", matches=r.matching("s3.*"), on_request=refuse, on_response=note)


def _unknown_class(request: Request) -> bool:
    return request.header("x-amz-storage-class", "STANDARD") not in CLASSES


def _quietly(request: Request, response: Response) -> Response:
    """Who asks for quiet is told of errors only."""
    if response.status >= 300 or not re.search(rb"<Quiet>\s*true\s*</Quiet>", request.body, re.IGNORECASE):
        return response
    return trees.change_response(response, "Deleted", lambda _: trees.GONE)


def _metadata_of_source(request: Request) -> Request:
    """A copy with other metadata gets none at all."""
    names = [name for name, _ in request.headers if name.lower().startswith("x-amz-meta-")]
    if request.header("x-amz-metadata-directive") != "REPLACE":
        return request
    for name in names:
        request = request.with_header(name, None)
    return request


def _kept(operation: str, makes: str, ends: str) -> Rule:
    """Something is said to be deleted, and stays."""
    known: set[str] = set()

    def keep(request: Request) -> Request | Response:
        is_meant = request.operation == operation and container_of(request) in known
        return answer(204) if is_meant else request

    def note(request: Request, response: Response) -> Response:
        if response.status < 300 and request.operation == makes:
            known.add(container_of(request))
        elif response.status < 300 and request.operation == ends:
            known.discard(container_of(request))
        return response

    return Rule(name="kept", matches=r.matching("s3.*"), on_request=keep, on_response=note)


def _without_source(request: Request, response: Response) -> Response:
    """A part is copied from what is not there."""
    if response.status != 404:
        return response
    return r.error(request, 500, "InternalError", "We encountered an internal error. Please try again.")


def _parts_of_whole(request: Request, response: Response) -> Response:
    """Parts are asked for of an object that was not put in parts."""
    if response.status != 200 or "ObjectParts" not in request.header("x-amz-object-attributes"):
        return response
    if b"<ObjectParts>" in response.body:
        return response
    return r.error(request, 500, "InternalError", "We encountered an internal error. Please try again.")


def _public_lists_blocked() -> Rule:
    """A bucket that blocks public lists cannot be made public by one."""
    blocked: set[str] = set()

    def refuse(request: Request) -> Request | Response:
        is_public = request.operation == "s3.PutBucketAcl" and request.header("x-amz-acl") in PUBLIC
        if is_public and container_of(request) in blocked:
            return r.error(request, 403, "AccessDenied", "Access Denied")
        return request

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.PutPublicAccessBlock":
            blocks = re.search(rb"<BlockPublicAcls>\s*true\s*</", request.body, re.IGNORECASE)
            (blocked.add if blocks else blocked.discard)(container_of(request))
        elif request.operation in ("s3.DeletePublicAccessBlock", "s3.DeleteBucket"):
            blocked.discard(container_of(request))
        return response

    return Rule(name="blocked", matches=r.matching("s3.*"), on_request=refuse, on_response=note)


def _name_not_free(seconds: float) -> Rule:
    """The name of a bucket that was deleted cannot be taken again at once."""
    deleted: dict[str, float] = {}

    def refuse(request: Request) -> Request | Response:
        is_late = time.monotonic() - deleted.get(container_of(request), -1e9) < seconds
        if request.operation != "s3.CreateBucket" or not is_late:
            return request
        told = "A conflicting conditional operation is currently in progress against this resource."
        return r.error(request, 409, "OperationAborted", told)

    def note(request: Request, response: Response) -> Response:
        if request.operation == "s3.DeleteBucket" and response.status < 300:
            deleted[container_of(request)] = time.monotonic()
        return response

    return Rule(name="not free", matches=r.matching("s3.*"), on_request=refuse, on_response=note)


def _aborted_before() -> Rule:
    """An upload that is not there can be aborted, where its bucket is there."""

    def excuse(_: Request, response: Response) -> Response:
        return answer(204) if b"<Code>NoSuchUpload</Code>" in response.body else response

    return on_answers("s3.AbortMultipartUpload", excuse)


def _values(tree: Any) -> Iterator[tuple[str, Any]]:
    """The typed values in what an item says, and in what these hold."""
    if isinstance(tree, list):
        for each in tree:
            yield from _values(each)
    elif isinstance(tree, dict):
        for name, value in tree.items():
            yield name, value
            yield from _values(value)


def _too_precise(request: Request) -> bool:
    """Whether an item has a number that no number can hold."""
    for kind, value in _values(_json(request).get("Item")):
        if kind != "N" or not isinstance(value, str) or not re.fullmatch(r"-?\d+(\.\d+)?", value):
            continue
        if len(value.replace("-", "").replace(".", "").strip("0")) > 38:
            return True
    return False


def _twice_in_set(request: Request) -> bool:
    """Whether a set has something twice."""
    for kind, value in _values(_json(request).get("ExpressionAttributeValues")):
        is_set = kind in ("SS", "NS", "BS") and isinstance(value, list)
        if is_set and len(value) > len(set(map(str, value))):
            return True
    return False


def _streams_nothing(request: Request) -> bool:
    """Whether there is to be a stream of nobody says what."""
    stream = _json(request).get("StreamSpecification")
    return (
        isinstance(stream, dict) and stream.get("StreamEnabled") is True and not stream.get("StreamViewType")
    )


def _throughput(told: Any) -> tuple[Any, Any]:
    told = told if isinstance(told, dict) else {}
    return told.get("ReadCapacityUnits"), told.get("WriteCapacityUnits")


def _as_it_is() -> Rule:
    """A table is not given the throughput that it has."""
    known: dict[str, tuple[Any, Any]] = {}

    def refuse(request: Request) -> Request | Response:
        fields, table = _json(request), container_of(request)
        wanted = _throughput(fields.get("ProvisionedThroughput"))
        if request.operation != "dynamodb.UpdateTable" or None in wanted or wanted != known.get(table):
            return request
        told = f"The provisioned throughput for the table {table} will not change."
        return r.error(request, 400, "ValidationException", told)

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation in ("dynamodb.CreateTable", "dynamodb.UpdateTable"):
            told = _json_of(response).get("TableDescription") or {}
            known[container_of(request)] = _throughput(told.get("ProvisionedThroughput"))
        elif request.operation == "dynamodb.DeleteTable":
            known.pop(container_of(request), None)
        return response

    return Rule(name="as it is", matches=r.matching("dynamodb.*"), on_request=refuse, on_response=note)


def _operand_missing(request: Request, response: Response) -> Response:
    """An update reads what the item does not have."""
    if response.status != 400 or b"refers to an attribute that does not exist" not in response.body:
        return response
    return r.error(request, 500, "InternalServerError", "'NoneType' object is not subscriptable")


def _item_missing(request: Request, response: Response) -> Response:
    """A transaction reads an item that is not there."""
    told = _json_of(response).get("Responses")
    if response.status != 200 or not isinstance(told, list) or all("Item" in each for each in told):
        return response
    return r.error(request, 500, "InternalServerError", "'NoneType' object has no attribute 'to_json'")


def _scanned_after_filter(request: Request, response: Response) -> Response:
    """What the filter leaves out does not count as read."""
    found = _json_of(response)
    if "FilterExpression" not in _json(request) or "Count" not in found or response.status != 200:
        return response
    return trees.change_response(response, "ScannedCount", lambda _: found["Count"])


def _without_empty_strings() -> Rule:
    """Attributes that are empty strings are not stored; a key cannot be empty."""
    known, note = _tables()

    def leave_out(request: Request) -> Request:
        fields, keys = _json(request), known.get(container_of(request), {})
        item = fields.get("Item")
        if request.operation != "dynamodb.PutItem" or not isinstance(item, dict) or not keys:
            return request
        kept = {name: value for name, value in item.items() if value != {"S": ""} or name in keys}
        if kept == item:
            return request
        return request.with_body(json.dumps(fields | {"Item": kept}).encode())

    return Rule(name="no empty", matches=r.matching("dynamodb.*"), on_request=leave_out, on_response=note)


def _nothing_deleted() -> Rule:
    """A batch that writes deletes nothing."""
    known, note = _tables()

    def keep(request: Request) -> Request | Response:
        fields = _json(request)
        asked = fields.get("RequestItems")
        if request.operation != "dynamodb.BatchWriteItem" or not isinstance(asked, dict):
            return request
        if not all(isinstance(each, list) and table in known for table, each in asked.items()):
            return request
        kept = {table: [one for one in each if "DeleteRequest" not in one] for table, each in asked.items()}
        if kept == asked or not all(kept.values()):
            is_only = kept != asked and not any(kept.values()) and set(fields) == {"RequestItems"}
            is_fine = is_only and all(_is_key(known[t], one) for t, each in asked.items() for one in each)
            told = json.dumps({"UnprocessedItems": {}, "ItemCollectionMetrics": {}}).encode()
            return (
                answer(200, told, (("Content-Type", "application/x-amz-json-1.0"),)) if is_fine else request
            )
        return request.with_body(json.dumps(fields | {"RequestItems": kept}).encode())

    return Rule(name="not deleted", matches=r.matching("dynamodb.*"), on_request=keep, on_response=note)


def _is_key(kinds: dict[str, str], asked: Any) -> bool:
    """Whether a key is one of a table's."""
    key = asked.get("DeleteRequest", {}).get("Key") if isinstance(asked, dict) else None
    return _fits(kinds, key)


def _fits(kinds: dict[str, str], key: Any) -> bool:
    if not isinstance(key, dict) or key.keys() != kinds.keys():
        return False
    return all(isinstance(key[name], dict) and key[name].get(kind) for name, kind in kinds.items())


def _tags_stay() -> Rule:
    """The tags of a table are said to be taken away, and stay."""
    known: set[str] = set()

    def keep(request: Request) -> Request | Response:
        is_meant = request.operation == "dynamodb.UntagResource"
        return r.success(request) if is_meant and str(_json(request).get("ResourceArn")) in known else request

    def note(request: Request, response: Response) -> Response:
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            known.add(str((_json_of(response).get("TableDescription") or {}).get("TableArn")))
        elif request.operation == "dynamodb.DeleteTable" and response.status < 300:
            known.discard(str((_json_of(response).get("TableDescription") or {}).get("TableArn")))
        return response

    return Rule(name="tags stay", matches=r.matching("dynamodb.*"), on_request=keep, on_response=note)


def _enabling(seconds: float) -> Rule:
    """It takes a while until a table's items are let expire."""
    enabled: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        table = container_of(request)
        if response.status >= 300:
            return response
        if request.operation == "dynamodb.UpdateTimeToLive":
            is_on = (_json(request).get("TimeToLiveSpecification") or {}).get("Enabled") is True
            enabled[table] = time.monotonic() if is_on else -1e9
        elif request.operation == "dynamodb.DeleteTable":
            enabled.pop(table, None)
        elif request.operation == "dynamodb.DescribeTimeToLive":
            is_late = time.monotonic() - enabled.get(table, -1e9) < seconds
            return trees.change_response(
                response, "TimeToLiveStatus", lambda old: "ENABLING" if is_late and old == "ENABLED" else old
            )
        return response

    return Rule(name="enabling", matches=r.matching("dynamodb.*"), on_response=note)


def _from_the_start() -> Rule:
    """A query begins at the start, wherever it is to go on."""
    known, note = _tables()

    def forget(request: Request) -> Request:
        fields, kinds = _json(request), known.get(container_of(request), {})
        is_meant = request.operation == "dynamodb.Query" and "IndexName" not in fields
        if not is_meant or not kinds or not _fits(kinds, fields.get("ExclusiveStartKey")):
            return request
        kept = {name: value for name, value in fields.items() if name != "ExclusiveStartKey"}
        return request.with_body(json.dumps(kept).encode())

    return Rule(name="from the start", matches=r.matching("dynamodb.*"), on_request=forget, on_response=note)


def _goes_on() -> Rule:
    """A scan that read as many items as it should says where to go on, also at the end."""
    tables, note_tables = _tables()

    def note(request: Request, response: Response) -> Response:
        note_tables(request, response)
        fields, found = _json(request), _json_of(response)
        kinds, items = tables.get(container_of(request), {}), found.get("Items")
        is_plain = set(fields) <= {"TableName", "Limit", "ConsistentRead", "ExclusiveStartKey"}
        if request.operation != "dynamodb.Scan" or response.status != 200 or not is_plain or not items:
            return response
        if len(items) != fields.get("Limit") or "LastEvaluatedKey" in found:
            return response
        last = {name: items[-1][name] for name in kinds}
        return response.with_body(json.dumps(found | {"LastEvaluatedKey": last}).encode())

    return Rule(name="goes on", matches=r.matching("dynamodb.*"), on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutBucketCors", in_bucket("s3.PutBucketCors", lambda request: re.search(rb"<ExposeHeader>[^<]*\*", request.body) is not None, "InvalidRequest", 'ExposeHeader "*" contains wildcard. We currently do not support wildcard for ExposeHeader.'), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutBucketWebsite", in_bucket("s3.PutBucketWebsite", lambda request: re.search(rb"<Suffix>[^<]*/", request.body) is not None, "InvalidArgument", "The IndexDocument Suffix is not well formed"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CreateMultipartUpload", in_bucket("s3.CreateMultipartUpload", _unknown_class, "InvalidStorageClass", "The storage class you specified is not valid"), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObjectTagging", _tagged_twice(), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CopyObject", _copied_if_match(), UNSAFE, CONSTRAINT, ""),
    ("s3", "alarm", "AbortMultipartUpload", _aborted_before(), ALARM, "", ""),
    ("s3", "code", "GetObject", r.change_code("s3.GetObject", "InvalidRange", "InvalidArgument"), MISLEADING, ERROR, "response"),
    ("s3", "code", "GetBucketOwnershipControls", r.change_code("s3.GetBucketOwnershipControls", "OwnershipControlsNotFoundError", "NoSuchOwnershipControls"), MISLEADING, ERROR, "response"),
    ("s3", "message", "PutObject", told_otherwise("s3.PutObject", b"PreconditionFailed", "Message", "The object exists already"), MISLEADING, ERROR, "response"),
    ("s3", "null reference", "UploadPartCopy", on_answers("s3.UploadPartCopy", _without_source), MISLEADING, NULL, "response"),
    ("s3", "failure", "GetObjectAttributes", on_answers("s3.GetObjectAttributes", _parts_of_whole), UNSAFE, NULL, "response"),
    ("s3", "field", "GetObject", r.drop_field("s3.GetObject", "header:x-amz-tagging-count"), WRONG, OTHER, "response"),
    ("s3", "field", "ListObjectsV2", without_query("s3.ListObjectsV2", "fetch-owner"), WRONG, OTHER, "response"),
    ("s3", "field", "DeleteObjects", on_answers("s3.DeleteObjects", _quietly), WRONG, OTHER, "response"),
    ("s3", "state", "DeleteBucketLifecycle", _kept("s3.DeleteBucketLifecycle", "s3.CreateBucket", "s3.DeleteBucket"), "", OTHER, "state"),
    ("s3", "state", "CopyObject", Rule(name="of source", matches=r.matching("s3.CopyObject"), on_request=_metadata_of_source), "", OTHER, "state"),
    ("s3", "state", "PutBucketEncryption", r.change_argument("s3.PutBucketEncryption", "SSEAlgorithm", lambda old: "AES256" if old == "aws:kms" else old), "", OTHER, "state"),
    ("s3", "authorisation", "PutBucketAcl PutPublicAccessBlock", _public_lists_blocked(), UNSAFE, AUTH, ""),
    ("s3", "authorisation", "GetBucketRequestPayment", r.deny("s3.GetBucketRequestPayment"), UNSAFE, AUTH, ""),
    ("s3", "asynchronous", "CreateBucket DeleteBucket", _name_not_free(0.8), "", ASYNC, ""),
    ("s3", "ordering", "GetBucketLifecycleConfiguration GetBucketLifecycle", r.reverse_list("s3.GetBucketLifecycle*", "Rule"), WRONG, OTHER, ""),
    ("s3", "paging", "ListParts", without_query("s3.ListParts", "part-number-marker", 10000), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "PutItem", in_table("PutItem", _too_precise, "Attempting to store more than 38 significant digits in a Number"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "UpdateItem", in_table("UpdateItem", _twice_in_set, "One or more parameter values were invalid: Input collection contains duplicates"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "UpdateTable", _as_it_is(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", "One or more parameter values were invalid: Table is requested to have a stream, but there is no view type", when=_streams_nothing), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "code", "DeleteItem", r.change_code("dynamodb.DeleteItem", "ConditionalCheckFailedException", "TransactionConflictException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "code", "DeleteBackup", r.change_code("dynamodb.DeleteBackup", "BackupNotFoundException", "ResourceNotFoundException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "CreateTable", told_otherwise("dynamodb.CreateTable", b"ResourceInUseException", "message", "Attempt to change a resource which is still in use"), MISLEADING, ERROR, "response"),
    ("dynamodb", "null reference", "UpdateItem", on_answers("dynamodb.UpdateItem", _operand_missing), MISLEADING, NULL, "response"),
    ("dynamodb", "null reference", "UpdateContinuousBackups", r.change_status("dynamodb.UpdateContinuousBackups", 400, 500), MISLEADING, NULL, "response"),
    ("dynamodb", "failure", "TransactGetItems", on_answers("dynamodb.TransactGetItems", _item_missing), UNSAFE, NULL, "response"),
    ("dynamodb", "field", "Query", on_answers("dynamodb.Query", _scanned_after_filter), WRONG, OTHER, "response"),
    ("dynamodb", "field", "UpdateTable", r.change_field("dynamodb.UpdateTable", "TableDescription.TableStatus", "UPDATING"), WRONG, f"{OTHER}|{ASYNC}", "response"),
    ("dynamodb", "field", "BatchWriteItem", r.drop_field("dynamodb.BatchWriteItem", "ConsumedCapacity"), WRONG, OTHER, "response"),
    ("dynamodb", "state", "PutItem", _without_empty_strings(), "", OTHER, "state"),
    ("dynamodb", "state", "BatchWriteItem", _nothing_deleted(), "", OTHER, "state"),
    ("dynamodb", "state", "UntagResource", _tags_stay(), "", OTHER, "state"),
    ("dynamodb", "authorisation", "Query PutResourcePolicy", _table_policy_enforced("Query"), UNSAFE, AUTH, ""),
    ("dynamodb", "asynchronous", "UpdateTimeToLive DescribeTimeToLive", _enabling(0.8), "", ASYNC, ""),
    ("dynamodb", "ordering", "ListTagsOfResource", r.reverse_list("dynamodb.ListTagsOfResource", "Tags"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Query", _from_the_start(), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Scan", _goes_on(), WRONG, OTHER, ""),
]  # fmt: skip

WHERE = {"from the start": "ExclusiveStartKey"}
"""The parameters that must be named, by rule: others of the same operation are changed as well."""

EIGHTEEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=18, where=WHERE.get(row[3].name, "")) for row in ROWS)
