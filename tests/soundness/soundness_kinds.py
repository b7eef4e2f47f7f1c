"""The differences that the reference shows, each for the one test that is named after it.

A test's resources carry its name (see `suite/shared.py`), a rule answers to one name only, so all rules
can be active at once and none disturbs another's test.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from likewise.cloud import rewriting
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query

SECRET = "the-right-secret"
ACCESS_KEY = "AKIALIKEWISETESTING0"

Only = Callable[[str], Callable[[Request], bool]]
"""Operations by name, restricted to the resources of one test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One difference; `operations` are those that a list of known discrepant operations would name."""

    service: str
    test: str
    operations: tuple[str, ...]
    rules: tuple[Rule, ...]

    @property
    def node(self) -> str:
        """The test that can tell."""
        return f"test_{self.service}.py::test_{self.test}"


Make = Callable[[Only], Rule]


def kind(service: str, test: str, operations: str, *makes: Make, everywhere: bool = False) -> Kind:
    """A kind whose rules see only what its own test does, unless no other test does any such thing."""
    mark = f"{service}-{test.replace('_', '')}".encode()

    def concerns(request: Request) -> bool:
        marked = everywhere or mark in request.target.encode() or mark in request.body
        return request.service == service and marked

    def only(which: str) -> Callable[[Request], bool]:
        named = rewriting.matching(which)
        return lambda request: concerns(request) and named(request)

    def restricted(rule: Rule) -> Rule:
        return replace(rule, matches=lambda request: concerns(request) and rule.matches(request))

    names = tuple(f"{service}.{name}" for name in operations.split())
    return Kind(
        service=service, test=test, operations=names, rules=tuple(restricted(make(only)) for make in makes)
    )


def without_header(which: Callable[[Request], bool], name: str) -> Rule:
    """Do not heed a header of the request."""
    return Rule(
        name="without_header",
        matches=which,
        on_request=lambda request: request.with_header(name, None) if request.header(name) else request,
    )


def starting_over(which: Callable[[Request], bool], *cursors: str) -> Rule:
    """Do not heed where a list is to go on: every page is the first one."""
    sent = re.compile(rf"(?<=[?&])(?:{'|'.join(cursors)})=[^&]*&?")
    return Rule(
        name="starting_over",
        matches=which,
        on_request=lambda request: replace(request, target=sent.sub("", request.target)),
    )


def _same_cursor(request: Request, response: Response) -> Response:
    """Where a list goes on is where it went on the last time."""
    sent = request.query.get("continuation-token")
    if not sent:
        return response
    same = f"<NextContinuationToken>{sent}<".encode()
    return response.with_body(re.sub(rb"<NextContinuationToken>[^<]*<", same, response.body))


def _cors() -> bytes:
    return (
        b'<?xml version="1.0"?><CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>'
        b"<AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>"
    )


def _carries(text: bytes) -> Callable[[Request], bool]:
    return lambda request: text in request.body


def _both(first: Callable[[Request], bool], second: Callable[[Request], bool]) -> Callable[[Request], bool]:
    return lambda request: first(request) and second(request)


def _has(name: str) -> Callable[[Request], bool]:
    return lambda request: bool(request.header(name))


def _turned(etag: str) -> str:
    return f'"{etag.strip(chr(34))[::-1]}"'


def _with_region(_: Request, response: Response) -> Response:
    """An error with one more detail."""
    return response.with_body(response.body.replace(b"<Code>", b"<Region>eu-west-1</Region><Code>"))


def _counting(which: Callable[[Request], bool], number: int, what: str, *, refuse: bool = False) -> Rule:
    """The n-th time that something is asked for, it is refused for want of capacity, or has other content."""
    asked: dict[str, int] = {}

    def is_due(request: Request) -> bool:
        asked[request.path] = asked.get(request.path, 0) + 1
        return asked[request.path] == number

    def ask(request: Request) -> Request | Response:
        return rewriting.error(request, 503, "SlowDown", what) if is_due(request) else request

    def tell(request: Request, response: Response) -> Response:
        return response.with_body(what.encode()) if is_due(request) else response

    if refuse:
        return Rule(name="counting", matches=which, on_request=ask)
    return Rule(name="counting", matches=which, on_response=tell)


def _folded(_: Request, response: Response) -> Response:
    """An answer with all names in lower case, those that users gave as well."""
    return replace(response, headers=tuple((name.lower(), text) for name, text in response.headers))


CREATIONS = {
    "s3": "CreateBucket",
    "dynamodb": "CreateTable",
    "blob": "Container_Create",
    "queue": "Queue_Create",
    "table": "Table_Create",
}

S3 = (
    kind(
        "s3",
        "parameter_rejected",
        "PutObject",
        lambda only: rewriting.reject_parameter(only("s3.PutObject"), "x-amz-storage-class"),
    ),
    kind(
        "s3",
        "never_configured",
        "GetBucketVersioning",
        lambda only: rewriting.missing_configuration(only("s3.GetBucketVersioning"), "NoSuchConfiguration"),
    ),
    kind(
        "s3",
        "configured_by_default",
        "GetBucketCors",
        lambda only: rewriting.default_configuration(only("s3.GetBucketCors"), _cors()),
    ),
    kind("s3", "not_authorised", "GetObjectAcl", lambda only: rewriting.deny(only("s3.GetObjectAcl"))),
    kind(
        "s3",
        "signed_with_a_wrong_secret",
        "HeadObject",
        lambda _: rewriting.require_signature(SECRET, access_key=ACCESS_KEY),
    ),
    kind(
        "s3",
        "signed_by_a_stranger",
        "HeadObject",
        lambda _: rewriting.require_signature(SECRET, access_key=ACCESS_KEY),
    ),
    kind(
        "s3",
        "other_code",
        "GetObject",
        lambda only: rewriting.change_code(only("s3.GetObject"), "NoSuchKey", "KeyNotFound"),
    ),
    kind(
        "s3",
        "other_message",
        "GetObject",
        lambda only: rewriting.change_message(only("s3.GetObject"), "There is no such thing."),
    ),
    kind(
        "s3",
        "write_swallowed",
        "PutObject",
        lambda only: rewriting.swallow_write(_both(only("s3.PutObject"), _has("x-amz-meta-swallow"))),
    ),
    kind(
        "s3",
        "delete_swallowed",
        "DeleteObject",
        lambda only: rewriting.swallow_write(only("s3.DeleteObject")),
    ),
    kind(
        "s3",
        "list_order",
        "ListObjectsV2",
        lambda only: rewriting.reverse_list(only("s3.ListObjectsV2"), "Contents"),
    ),
    kind(
        "s3",
        "random_list_order",
        "ListObjectsV2",
        lambda only: rewriting.reverse_list(only("s3.ListObjectsV2"), "Contents"),
    ),
    kind("s3", "page_size", "ListObjectsV2", lambda only: rewriting.page_size(2, only("s3.ListObjectsV2"))),
    kind(
        "s3",
        "starting_over",
        "ListObjectsV2",
        lambda only: starting_over(only("s3.ListObjectsV2"), "continuation-token"),
    ),
    kind(
        "s3",
        "same_cursor",
        "ListObjectsV2",
        lambda only: Rule(name="same_cursor", matches=only("s3.ListObjectsV2"), on_response=_same_cursor),
    ),
    kind(
        "s3",
        "no_cursor",
        "ListObjectsV2",
        lambda only: rewriting.drop_field(only("s3.ListObjectsV2"), "NextContinuationToken"),
    ),
    kind(
        "s3",
        "field_missing",
        "ListObjectsV2",
        lambda only: rewriting.drop_field(only("s3.ListObjectsV2"), "Contents.Size"),
    ),
    kind(
        "s3",
        "value_changed",
        "HeadObject",
        lambda only: rewriting.change_field(only("s3.HeadObject"), "header:x-amz-meta-colour", "Red"),
    ),
    kind(
        "s3",
        "value_changed_that_one_lane_reads",
        "HeadObject",
        lambda only: rewriting.change_field(only("s3.HeadObject"), "header:Cache-Control", "no-store"),
    ),
    kind(
        "s3",
        "field_added",
        "HeadObject",
        lambda only: rewriting.add_field(
            only("s3.HeadObject"), "header:x-amz-server-side-encryption", "AES256"
        ),
    ),
    kind(
        "s3",
        "field_added_that_is_seen_in_passing",
        "HeadObject",
        lambda only: rewriting.add_field(
            only("s3.HeadObject"), "header:x-amz-server-side-encryption", "AES256"
        ),
    ),
    kind(
        "s3",
        "header_added_that_is_seen_in_passing",
        "HeadObject",
        lambda only: rewriting.add_field(
            only("s3.HeadObject"), "header:x-amz-replication-status", "COMPLETED"
        ),
    ),
    kind(
        "s3",
        "detail_of_an_error_added",
        "GetObject",
        lambda only: Rule(name="detail", matches=only("s3.GetObject"), on_response=_with_region),
    ),
    kind(
        "s3",
        "header_changed_that_a_handler_sees",
        "HeadObject",
        lambda only: rewriting.change_field(only("s3.HeadObject"), "header:Cache-Control", "no-store"),
    ),
    kind(
        "s3",
        "header_of_the_transport_added",
        "HeadObject",
        lambda only: rewriting.add_field(only("s3.HeadObject"), "header:x-served-by", "cache"),
    ),
    kind(
        "s3",
        "tried_twice",
        "HeadObject",
        lambda only: _counting(only("s3.HeadObject"), 1, "slow", refuse=True),
    ),
    kind("s3", "fifth_look", "GetObject", lambda only: _counting(only("s3.GetObject"), 5, "y")),
    kind(
        "s3",
        "etag_differs",
        "PutObject",
        lambda only: rewriting.change_field(
            only("s3.PutObject"), "header:ETag", '"00000000000000000000000000000000"'
        ),
    ),
    kind(
        "s3",
        "answered_to_an_earlier_test",
        "PutObject",
        lambda only: rewriting.change_field(
            only("s3.PutObject"), "header:ETag", '"00000000000000000000000000000000"'
        ),
    ),
    kind(
        "s3",
        "etag_of_random_content_differs",
        "HeadObject",
        lambda only: rewriting.change_field(only("s3.HeadObject"), "header:ETag", _turned),
    ),
    kind(
        "s3",
        "checksum_differs",
        "HeadObject",
        lambda only: rewriting.change_field(
            only("s3.HeadObject"),
            "header:x-amz-checksum-sha256",
            "AAAANul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
        ),
    ),
    kind(
        "s3",
        "condition_ignored",
        "PutObject",
        lambda only: without_header(only("s3.PutObject"), "If-None-Match"),
    ),
    kind("s3", "stale_read", "GetObject", lambda only: rewriting.stale_read(1, only("s3.GetObject"))),
    kind(
        "s3",
        "other_default",
        "HeadObject",
        lambda only: rewriting.change_field(
            only("s3.HeadObject"), "header:Content-Type", "application/octet-stream"
        ),
    ),
    kind(
        "s3",
        "head_unlike_get",
        "HeadObject",
        lambda only: rewriting.change_field(only("s3.HeadObject"), "header:Content-Length", "0"),
    ),
    kind("s3", "range_ignored", "GetObject", lambda only: without_header(only("s3.GetObject"), "Range")),
    kind(
        "s3",
        "content_cut_short",
        "GetObject",
        lambda only: rewriting.change_body(only("s3.GetObject"), lambda body: body[:-1]),
    ),
    kind(
        "s3",
        "random_content_cut_short",
        "GetObject",
        lambda only: rewriting.change_body(only("s3.GetObject"), lambda body: body[:-1]),
    ),
    kind("s3", "too_large", "PutObject", lambda only: rewriting.limit_size(only("s3.PutObject"), 4096)),
    kind(
        "s3",
        "passes_there_only",
        "HeadObject",
        lambda only: rewriting.add_field(
            only("s3.HeadObject"), "header:x-amz-server-side-encryption", "AES256"
        ),
    ),
)


def _unprocessed(request: Request) -> Request:
    """Keep the first item of a batch only, and say nothing of the rest."""
    import json

    body = json.loads(request.body)
    body["RequestItems"] = {table: items[:1] for table, items in body["RequestItems"].items()}
    return request.with_body(json.dumps(body).encode())


DYNAMODB = (
    kind(
        "dynamodb",
        "number_as_typed",
        "GetItem",
        lambda only: rewriting.change_field(only("dynamodb.GetItem"), "price.N", "8.5"),
    ),
    kind(
        "dynamodb",
        "other_type",
        "GetItem",
        lambda only: rewriting.change_field(only("dynamodb.GetItem"), "Item.amount", {"S": "5"}),
    ),
    kind(
        "dynamodb",
        "batch_limit",
        "BatchWriteItem",
        lambda only: rewriting.reject(
            _both(only("dynamodb.BatchWriteItem"), _carries(b"s4")), 400, "ValidationException"
        ),
    ),
    kind(
        "dynamodb",
        "batch_left_unprocessed",
        "BatchWriteItem",
        lambda only: Rule(name="batch", matches=only("dynamodb.BatchWriteItem"), on_request=_unprocessed),
    ),
    kind(
        "dynamodb",
        "condition_ignored",
        "PutItem",
        lambda only: rewriting.change_argument(
            _both(only("dynamodb.PutItem"), _carries(b"ConditionExpression")),
            "ConditionExpression",
            "attribute_exists(shelf)",
        ),
    ),
    kind(
        "dynamodb",
        "query_order",
        "Query",
        lambda only: rewriting.reverse_list(only("dynamodb.Query"), "Items"),
    ),
    kind("dynamodb", "scan_page", "Scan", lambda only: rewriting.page_size(2, only("dynamodb.Scan"))),
    kind(
        "dynamodb",
        "throttled",
        "PutItem",
        lambda only: rewriting.throttle(
            1, _both(only("dynamodb.PutItem"), _carries(b'"burst": {"BOOL": true}'))
        ),
    ),
    kind(
        "dynamodb",
        "made_two_hours_ago",
        "DescribeTable",
        lambda only: rewriting.change_field(
            only("dynamodb.DescribeTable"), "CreationDateTime", lambda made: made - 7200
        ),
    ),
    kind("dynamodb", "not_visible_yet", "GetItem", lambda _: rewriting.delay_visibility(1)),
    kind(
        "dynamodb",
        "update_swallowed",
        "UpdateItem",
        lambda only: rewriting.swallow_write(only("dynamodb.UpdateItem")),
    ),
    kind(
        "dynamodb",
        "update_done_twice",
        "UpdateItem",
        lambda only: rewriting.repeat_write(only("dynamodb.UpdateItem")),
    ),
    kind(
        "dynamodb",
        "attributes_missing",
        "UpdateItem",
        lambda only: rewriting.drop_field(only("dynamodb.UpdateItem"), "Attributes"),
    ),
    kind(
        "dynamodb",
        "transaction_refused",
        "TransactWriteItems",
        lambda only: rewriting.reject(
            only("dynamodb.TransactWriteItems"), 400, "TransactionCanceledException"
        ),
    ),
    kind(
        "dynamodb",
        "not_authorised",
        "DescribeTimeToLive",
        lambda only: rewriting.deny(only("dynamodb.DescribeTimeToLive")),
    ),
    kind(
        "dynamodb",
        "other_code",
        "GetItem",
        lambda only: rewriting.change_code(
            only("dynamodb.GetItem"), "ResourceNotFoundException", "TableNotFoundException"
        ),
    ),
)

BLOB = (
    kind(
        "blob",
        "lease_expired",
        "Blob_RenewLease",
        lambda only: rewriting.reject(only("blob.Blob_RenewLease"), 409, "LeaseIsBreakingAndCannotBeChanged"),
    ),
    kind(
        "blob",
        "lease_not_enforced",
        "BlockBlob_Upload",
        lambda only: rewriting.forgive(only("blob.BlockBlob_Upload")),
    ),
    kind(
        "blob",
        "other_code",
        "BlockBlob_Upload",
        lambda only: rewriting.change_code(
            only("blob.BlockBlob_Upload"), "BlobAlreadyExists", "UnspecifiedConflict"
        ),
    ),
    kind(
        "blob",
        "metadata_changed",
        "Blob_GetProperties",
        lambda only: rewriting.change_field(
            only("blob.Blob_GetProperties"), "header:x-ms-meta-colour", "RED"
        ),
    ),
    kind(
        "blob",
        "list_order",
        "Container_ListBlobFlatSegment",
        lambda only: rewriting.reverse_list(only("blob.Container_ListBlob*"), "Blob"),
    ),
    kind(
        "blob",
        "page_size",
        "Container_ListBlobFlatSegment",
        lambda only: rewriting.page_size(2, only("blob.Container_ListBlob*")),
    ),
    kind(
        "blob",
        "starting_over",
        "Container_ListBlobFlatSegment",
        lambda only: starting_over(only("blob.Container_ListBlob*"), "marker"),
    ),
    kind(
        "blob",
        "write_swallowed",
        "BlockBlob_Upload",
        lambda only: rewriting.swallow_write(_both(only("blob.BlockBlob_Upload"), _has("x-ms-meta-swallow"))),
    ),
    kind(
        "blob",
        "copied_later",
        "Blob_StartCopyFromURL",
        lambda only: rewriting.change_field(
            only("blob.Blob_StartCopyFromURL"), "header:x-ms-copy-status", "pending"
        ),
    ),
    kind(
        "blob",
        "condition_ignored",
        "BlockBlob_Upload",
        lambda only: without_header(only("blob.BlockBlob_Upload"), "If-Match"),
    ),
    kind(
        "blob",
        "other_default",
        "Blob_GetProperties",
        lambda only: rewriting.change_field(
            only("blob.Blob_GetProperties"), "header:Content-Type", "text/plain"
        ),
    ),
    kind(
        "blob",
        "not_authorised",
        "Blob_CreateSnapshot",
        lambda only: rewriting.deny(only("blob.Blob_CreateSnapshot")),
    ),
    kind(
        "blob",
        "checksum_differs",
        "Blob_GetProperties",
        lambda only: rewriting.change_field(
            only("blob.Blob_GetProperties"), "header:Content-MD5", "AAAAKrxLKna5cZ2REBfFkg=="
        ),
    ),
    kind(
        "blob",
        "checksum_missing",
        "Blob_Download",
        lambda only: rewriting.drop_field(only("blob.Blob_Download"), "header:Content-MD5"),
        lambda only: rewriting.drop_field(only("blob.Blob_Download"), "header:x-ms-blob-content-md5"),
    ),
    kind(
        "blob",
        "metadata_spelled_differently",
        "Blob_GetProperties",
        lambda only: Rule(name="spelled", matches=only("blob.Blob_GetProperties"), on_response=_folded),
    ),
    kind(
        "blob",
        "other_reason",
        "Blob_GetProperties",
        lambda only: Rule(
            name="reason",
            matches=only("blob.Blob_GetProperties"),
            on_response=lambda _, response: replace(response, reason="Not Found"),
        ),
    ),
)

QUEUE = (
    kind("queue", "message_hidden", "Messages_Dequeue", lambda _: rewriting.delay_visibility(1)),
    kind(
        "queue",
        "message_peeked_too_early",
        "Messages_Enqueue",
        lambda only: Rule(
            name="at_once",
            matches=only("queue.Messages_Enqueue"),
            on_request=lambda request: with_query(request, "visibilitytimeout", "0"),
        ),
    ),
    kind(
        "queue",
        "counted_differently",
        "Queue_GetProperties",
        lambda only: rewriting.change_field(
            only("queue.Queue_GetProperties"), "header:x-ms-approximate-messages-count", "3"
        ),
    ),
    kind(
        "queue",
        "dequeue_count",
        "Messages_Dequeue",
        lambda only: rewriting.change_field(only("queue.Messages_Dequeue"), "DequeueCount", "2"),
    ),
    kind(
        "queue",
        "too_large",
        "Messages_Enqueue",
        lambda only: rewriting.limit_size(only("queue.Messages_Enqueue"), 4096),
    ),
    kind(
        "queue",
        "delete_swallowed",
        "MessageId_Delete",
        lambda only: rewriting.swallow_write(only("queue.MessageId_Delete")),
    ),
    kind(
        "queue",
        "other_message",
        "Messages_Enqueue",
        lambda only: rewriting.change_message(only("queue.Messages_Enqueue"), "No such queue."),
    ),
    kind(
        "queue",
        "sent_twice",
        "Messages_Enqueue",
        lambda only: rewriting.repeat_write(only("queue.Messages_Enqueue")),
    ),
)

_GET_ENTITY = "table.Table_QueryEntitiesWithPartitionAndRowKey"

TABLE = (
    kind(
        "table",
        "other_type",
        "Table_QueryEntitiesWithPartitionAndRowKey",
        lambda only: rewriting.change_field(only(_GET_ENTITY), "amount", "5"),
    ),
    kind(
        "table",
        "other_code",
        "Table_InsertEntity",
        lambda only: rewriting.change_code(
            only("table.Table_InsertEntity"), "EntityAlreadyExists", "EntityIsThere"
        ),
    ),
    kind(
        "table",
        "other_message",
        "Table_QueryEntitiesWithPartitionAndRowKey",
        lambda only: rewriting.change_message(only(_GET_ENTITY), "No such entity."),
    ),
    kind(
        "table",
        "page_size",
        "Table_QueryEntities",
        lambda only: rewriting.page_size(2, only("table.Table_QueryEntities")),
    ),
    kind(
        "table",
        "starting_over",
        "Table_QueryEntities",
        lambda only: starting_over(only("table.Table_QueryEntities"), "NextPartitionKey", "NextRowKey"),
    ),
    kind(
        "table",
        "query_order",
        "Table_QueryEntities",
        lambda only: rewriting.reverse_list(only("table.Table_QueryEntities"), "value"),
    ),
    kind(
        "table",
        "batch_refused",
        "Table_Batch",
        lambda only: rewriting.reject(only("table.Table_Batch"), 400, "InvalidInput"),
    ),
    kind(
        "table",
        "condition_ignored",
        "Table_UpdateEntity",
        lambda only: Rule(
            name="condition",
            matches=only("table.Table_UpdateEntity"),
            on_request=lambda request: request.with_header("If-Match", "*"),
        ),
    ),
    kind(
        "table",
        "merge_swallowed",
        "Table_MergeEntity",
        lambda only: rewriting.swallow_write(only("table.Table_MergeEntity")),
    ),
    kind(
        "table",
        "field_missing",
        "Table_QueryEntitiesWithPartitionAndRowKey",
        lambda only: rewriting.drop_field(only(_GET_ENTITY), "colour"),
    ),
)

SLOW = tuple(
    kind(
        service,
        "deleted_slowly",
        CREATIONS[service],
        lambda _: rewriting.delay_recreation(1),
        everywhere=True,
    )
    for service in CREATIONS
)

KINDS = (*S3, *DYNAMODB, *BLOB, *QUEUE, *TABLE, *SLOW)


def rules_of(*services: str) -> list[Rule]:
    """Every rule for a server that speaks these services."""
    return [rule for each in KINDS if each.service in services for rule in each.rules]


def discrepant_operations() -> list[str]:
    """What a team that knows all about its reference would write down."""
    return sorted({name for each in KINDS for name in each.operations})
