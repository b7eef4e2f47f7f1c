"""Seeded differences for S3 and DynamoDB, the thirteenth group, written without knowledge of the fuzzer.

What users of emulators have reported: what the real service checks and a stand-in lets pass, what a
stand-in leaves out of an answer, where it breaks down. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.states import container_of
from seeds.aws import _still
from seeds.eleven_aws import _json_of, _table_policy_enforced, over, without_member
from seeds.further import _json
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.unseen import _ignored

OWNER = "123456789012"
TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")


def on_answers(which: str, how: Callable[[Request, Response], Response]) -> Rule:
    """What comes back is changed."""
    return Rule(name="answers", matches=r.matching(which), on_response=how)


def without_query(which: str, name: str, most: int = 0) -> Rule:
    """A parameter of the query that the server does not heed, if it is one that it would take: up to `most`."""

    def is_dropped(piece: str) -> bool:
        key, _, value = piece.partition("=")
        is_fine = not most or (value.isdecimal() and 0 < int(value) <= most)
        return unquote(key) == name and is_fine

    def drop(request: Request) -> Request:
        path, _, query = request.target.partition("?")
        pieces = query.split("&")
        kept = [piece for piece in pieces if not is_dropped(piece)]
        return request if kept == pieces else replace(request, target=f"{path}?{'&'.join(kept)}")

    return Rule(name="without query", matches=r.matching(which), on_request=drop)


def reworded(which: str, old: bytes, status: int, code: str, message: str) -> Rule:
    """One kind of error is another one."""

    def reword(request: Request, response: Response) -> Response:
        is_meant = response.status >= 400 and old in response.body
        return r.error(request, status, code, message) if is_meant else response

    return on_answers(which, reword)


def _has_other_sum(request: Request) -> bool:
    """Whether the content is not what its sum says."""
    told = request.header("Content-MD5")
    is_plain = "aws-chunked" not in request.header("Content-Encoding")
    return bool(told) and is_plain and told != base64.b64encode(hashlib.md5(request.body).digest()).decode()


def source_of(request: Request) -> tuple[str, ...]:
    """Bucket and key that are copied from; nothing where a version is named."""
    path, mark, _ = request.header("x-amz-copy-source").lstrip("/").partition("?")
    return () if mark else tuple(unquote(path).split("/", 1))


def _copied_if_match() -> Rule:
    """An object is copied only if it is the one that is meant."""
    known: dict[tuple[str, ...], str] = {}

    def refuse(request: Request) -> Request | Response:
        wanted = request.header("x-amz-copy-source-if-match").strip('"')
        is_other = wanted not in ("", "*") and known.get(source_of(request), wanted) != wanted
        if request.operation != "s3.CopyObject" or not is_other:
            return request
        told = "At least one of the pre-conditions you specified did not hold"
        return r.error(request, 412, "PreconditionFailed", told)

    def note(request: Request, response: Response) -> Response:
        if request.operation == "s3.PutObject" and response.status < 300:
            known[request.names] = response.header("ETag").strip('"')
        elif request.operation in ("s3.DeleteObject", "s3.DeleteObjects", "s3.CopyObject"):
            bucket = container_of(request)
            for place in [each for each in known if each[0] == bucket]:
                if request.operation == "s3.DeleteObjects" or place == request.names:
                    del known[place]
        return response

    return Rule(name="if match", matches=lambda _: True, on_request=refuse, on_response=note)


def _list_without_owner_rights(request: Request) -> bool:
    """Whether a bucket is to have an access control list and none to be heeded."""
    is_enforced = request.header("x-amz-object-ownership") == "BucketOwnerEnforced"
    return is_enforced and request.header("x-amz-acl", "private") != "private"


def _cools_early(request: Request) -> bool:
    """Whether objects are to become infrequently accessed ones within thirty days."""
    moves = re.findall(rb"<Transition>.*?</Transition>", request.body, re.DOTALL)
    return any(
        re.search(rb"<StorageClass>(STANDARD|ONEZONE)_IA<", move)
        and any(int(days) < 30 for days in re.findall(rb"<Days>(\d+)<", move))
        for move in moves
    )


def repeats(tag: str) -> Callable[[Request], bool]:
    """Whether an XML body gives the same text twice in elements of a name."""
    pattern = re.compile(rf"<{tag}>([^<]*)</{tag}>".encode())

    def check(request: Request) -> bool:
        found = pattern.findall(request.body)
        return len(found) > len(set(found))

    return check


def is_others(request: Request) -> bool:
    """Whether the bucket is expected to be somebody else's."""
    return request.header("x-amz-expected-bucket-owner", OWNER) != OWNER


def without_metadata(request: Request) -> Request:
    """The request without metadata."""
    for name, _ in request.headers:
        if name.lower().startswith("x-amz-meta-"):
            request = request.with_header(name, None)
    return request


def _lingering_bucket(seconds: float) -> Rule:
    """A deleted bucket is listed for a while."""
    deleted: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "s3.DeleteBucket":
            deleted[container_of(request)] = time.monotonic()
        elif request.operation == "s3.CreateBucket":
            deleted.pop(container_of(request), None)
        elif request.operation == "s3.ListBuckets":
            late = [name for name, when in deleted.items() if time.monotonic() - when < seconds]
            prefix = request.query.get("prefix", "")
            more = "".join(
                f"<Bucket><CreationDate>2026-01-01T00:00:00.000Z</CreationDate><Name>{name}</Name></Bucket>"
                for name in sorted(late)
                if name.startswith(prefix)
            )
            body = response.body.replace(b"<Buckets/>", b"<Buckets></Buckets>")
            return (
                response.with_body(body.replace(b"</Buckets>", more.encode() + b"</Buckets>"))
                if more
                else response
            )
        return response

    return Rule(name="lingering", matches=lambda _: True, on_response=note)


def values_of(fields: dict[str, Any], name: str) -> Iterable[dict[str, Any]]:
    """The typed values of a member."""
    given = fields.get(name)
    found = given.values() if isinstance(given, dict) else ()
    return [value for value in found if isinstance(value, dict)]


def _sets_empty(request: Request) -> bool:
    """Whether a value of an expression is a set without members."""
    values = values_of(_json(request), "ExpressionAttributeValues")
    return any(value.get(kind) == [] for value in values for kind in ("SS", "NS", "BS"))


def _idempotent() -> Rule:
    """A transaction with a token of an earlier one has to be the same."""
    seen: dict[str, str] = {}

    def refuse(request: Request) -> Request | Response:
        fields = _json(request)
        token = fields.get("ClientRequestToken")
        told = json.dumps(fields.get("TransactItems"), sort_keys=True)
        if isinstance(token, str) and seen.get(token, told) != told:
            return r.error(request, 400, "IdempotentParameterMismatchException", "The token was used before.")
        return request

    def note(request: Request, response: Response) -> Response:
        fields = _json(request)
        if response.status < 300 and isinstance(fields.get("ClientRequestToken"), str):
            told = json.dumps(fields.get("TransactItems"), sort_keys=True)
            seen.setdefault(fields["ClientRequestToken"], told)
        return response

    which = r.matching("dynamodb.TransactWriteItems")
    return Rule(name="idempotent", matches=which, on_request=refuse, on_response=note)


def _puts_and_deletes(request: Request) -> bool:
    """Whether a batch puts an item and deletes it."""
    items = _json(request).get("RequestItems")
    for writes in items.values() if isinstance(items, dict) else ():
        puts = [each["PutRequest"].get("Item") or {} for each in writes if "PutRequest" in each]
        keys = [each["DeleteRequest"].get("Key") or {} for each in writes if "DeleteRequest" in each]
        if any(key and key.items() <= put.items() for key in _hashable(keys) for put in _hashable(puts)):
            return True
    return False


def _hashable(items: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{name: json.dumps(value) for name, value in item.items()} for item in items]


def _has_both(first: str, second: str) -> Callable[[Request], bool]:
    """Whether a JSON request has two members that exclude each other."""
    return lambda request: first in _json(request) and second in _json(request)


def _ends_with_a_key(which: str) -> Rule:
    """A page that is as long as was allowed says where to go on, whether or not there is more."""
    keys: dict[str, list[str]] = {}

    def note(request: Request, response: Response) -> Response:
        fields = _json(request)
        if request.operation == "dynamodb.CreateTable" and response.status < 300:
            keys[container_of(request)] = [each["AttributeName"] for each in fields["KeySchema"]]
        if request.operation != which or response.status != 200 or "IndexName" in fields:
            return response
        told, names = _json_of(response), keys.get(container_of(request), [])
        items = told.get("Items") or []
        is_full = items and told.get("ScannedCount") == fields.get("Limit") == len(items)
        if not is_full or "LastEvaluatedKey" in told or not all(name in items[-1] for name in names):
            return response
        last = {name: items[-1][name] for name in names}
        return response.with_body(json.dumps(told | {"LastEvaluatedKey": last}).encode())

    return Rule(name="a key at the end", matches=lambda _: True, on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "constraint", "PutObject", r.reject("s3.PutObject", 400, "BadDigest", "The Content-MD5 you specified did not match what we received.", when=_has_other_sum), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CopyObject", _copied_if_match(), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "CreateBucket", r.reject("s3.CreateBucket", 400, "InvalidBucketAclWithObjectOwnership", "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting", when=_list_without_owner_rights), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutBucketLifecycleConfiguration PutBucketLifecycle", r.reject("s3.PutBucketLifecycle*", 400, "InvalidArgument", "'Days' in Transition action must be greater than or equal to 30", when=_cools_early), UNSAFE, CONSTRAINT, ""),
    ("s3", "constraint", "PutObjectTagging", r.reject("s3.PutObjectTagging", 400, "InvalidTag", "Cannot provide multiple Tags with the same key", when=repeats("Key")), UNSAFE, CONSTRAINT, ""),
    ("s3", "authorisation", "GetObject", r.reject("s3.GetObject", 403, "AccessDenied", "Access Denied", when=is_others), UNSAFE, f"{AUTH}|{CONSTRAINT}", "response"),
    ("s3", "code", "GetObject", reworded("s3.GetObject", b"NoSuchVersion", 400, "InvalidArgument", "Invalid version id specified"), MISLEADING, ERROR, "response"),
    ("s3", "null reference", "AbortMultipartUpload", r.change_status("s3.AbortMultipartUpload", 404, 500), MISLEADING, NULL, "response"),
    ("s3", "field", "HeadBucket", r.drop_field("s3.HeadBucket", "header:x-amz-bucket-region"), WRONG, OTHER, ""),
    ("s3", "field", "ListObjects", r.drop_field("s3.ListObjects", "Contents.Owner"), WRONG, OTHER, ""),
    ("s3", "field", "GetBucketLocation", r.change_field("s3.GetBucketLocation", "LocationConstraint", lambda old: old or "us-east-1"), WRONG, OTHER, ""),
    ("s3", "state", "CreateMultipartUpload", Rule(name="plain", matches=r.matching("s3.CreateMultipartUpload"), on_request=without_metadata), "", OTHER, "state"),
    ("s3", "asynchronous", "DeleteBucket ListBuckets", _lingering_bucket(0.8), "", ASYNC, ""),
    ("s3", "ordering", "ListObjectVersions", r.reverse_list("s3.ListObjectVersions", "Version"), WRONG, OTHER, ""),
    ("s3", "paging", "ListObjects", without_query("s3.ListObjects", "marker"), WRONG, OTHER, ""),
    # DynamoDB
    ("dynamodb", "constraint", "UpdateItem", r.reject("dynamodb.UpdateItem", 400, "ValidationException", "One or more parameter values were invalid: An string set  may not be empty", when=_sets_empty), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "CreateTable", r.reject("dynamodb.CreateTable", 400, "ValidationException", "TableName must be at least 3 characters long and at most 255 characters long", when=lambda request: not TABLE_NAME.fullmatch(container_of(request))), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "TransactWriteItems", _idempotent(), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "BatchWriteItem", r.reject("dynamodb.BatchWriteItem", 400, "ValidationException", "Provided list of item keys contains duplicates", when=_puts_and_deletes), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", "constraint", "Query", r.reject("dynamodb.Query", 400, "ValidationException", "Can not use both expression and non-expression parameters in the same request", when=_has_both("KeyConditionExpression", "QueryFilter")), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "constraint", "ListTables", r.reject("dynamodb.ListTables", 400, "ValidationException", "Member must have value less than or equal to 100", when=over("Limit", 100)), UNSAFE, CONSTRAINT, "response"),
    ("dynamodb", "alarm", "UpdateItem", without_member("dynamodb.UpdateItem", "Expected"), ALARM, "", ""),
    ("dynamodb", "code", "CreateTable", r.change_code("dynamodb.CreateTable", "ResourceInUseException", "TableAlreadyExistsException"), MISLEADING, ERROR, "response"),
    ("dynamodb", "message", "GetItem", reworded("dynamodb.GetItem", b'"Validation Exception"', 400, "ValidationException", "The provided key element does not match the schema"), MISLEADING, ERROR, "response"),
    ("dynamodb", "null reference", "PutItem", reworded("dynamodb.PutItem", b"Missing the key", 500, "InternalServerError", "'NoneType' object is not subscriptable"), MISLEADING, NULL, "response"),
    ("dynamodb", "field", "UpdateItem", r.change_argument("dynamodb.UpdateItem", "ReturnValues", lambda old: "ALL_NEW" if old == "UPDATED_NEW" else old), WRONG, OTHER, "response"),
    ("dynamodb", "field", "DescribeTable", r.drop_field("dynamodb.DescribeTable", "Table.DeletionProtectionEnabled"), WRONG, OTHER, ""),
    ("dynamodb", "state", "UntagResource", _ignored("dynamodb.UntagResource", 200), "", OTHER, "state"),
    ("dynamodb", "authorisation", "UpdateItem PutResourcePolicy", _table_policy_enforced("UpdateItem"), UNSAFE, AUTH, ""),
    ("dynamodb", "asynchronous", "UpdateTimeToLive DescribeTimeToLive", lagging("dynamodb.UpdateTimeToLive", "dynamodb.DescribeTimeToLive", 0.8, _still("TimeToLiveStatus", "ENABLING")), "", ASYNC, ""),
    ("dynamodb", "ordering", "TransactGetItems", r.reverse_list("dynamodb.TransactGetItems", "Responses"), WRONG, OTHER, ""),
    ("dynamodb", "paging", "Query", _ends_with_a_key("dynamodb.Query"), WRONG, OTHER, ""),
]  # fmt: skip

LONGEST = {("s3", "state", "CreateMultipartUpload"): 5}
"""A bucket, an upload, a part, its completion and a look at what became of it."""

THIRTEEN_AWS: tuple[Seed, ...] = tuple(seed(*row, group=13, longest=LONGEST.get(row[:3], 4)) for row in ROWS)
