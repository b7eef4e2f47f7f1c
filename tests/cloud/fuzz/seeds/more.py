"""More seeded differences: further rules in every category, and those that have a memory.

Seeds of one `group` are active together. Those that hide or delay what others would show have groups
of their own.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import time
from collections.abc import Callable

from likewise.cloud import rewriting
from likewise.cloud.rewriting import Request, Response, Rule
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, _has, _says, seed


def _is(name: str, value: str) -> Callable[[Request], bool]:
    return lambda request: value in (request.header(name), request.query.get(name, ""))


def lagging(write: str, read: str, seconds: float, absent: Callable[[Request, Response], Response]) -> Rule:
    """For so long after a write, a read answers as `absent` makes of the right answer."""
    is_write, is_read = rewriting.matching(write), rewriting.matching(read)
    written: dict[str, float] = {}

    def top(request: Request) -> str:
        from likewise.cloud.rewriting.states import container_of

        return container_of(request).split("(")[0]

    def note(request: Request, response: Response) -> Response:
        if is_write(request) and response.status < 300:
            written[top(request)] = time.monotonic()
        is_late = time.monotonic() - written.get(top(request), -1e9) < seconds
        if is_read(request) and response.status < 300 and is_late:
            return absent(request, response)
        return response

    return Rule(name="lagging", matches=lambda _: True, on_response=note)


def _hidden(field: str) -> Callable[[Request, Response], Response]:
    def hide(_: Request, response: Response) -> Response:
        from likewise.cloud.rewriting import trees

        return response.with_body(trees.without_last(response.body, field))

    return hide


def _gone(code: str, status: int = 404) -> Callable[[Request, Response], Response]:
    return lambda request, _: rewriting.error(request, status, code, "It is not there yet.")


def only(service: str, rule: Rule) -> Rule:
    """The rule for one service's calls, where it would hold for all."""
    return Rule(
        name=rule.name,
        matches=lambda request: request.service == service and rule.matches(request),
        on_request=rule.on_request,
        on_response=rule.on_response,
    )


UNSAFE, WRONG, MISLEADING, ALARM = "UNSAFE", "WRONG_RESULT", "MISLEADING", "FALSE_ALARM"
r = rewriting

TABLE: list[tuple[str, int, str, str, Rule, str, str, str]] = [
    # S3, together
    ("s3", 1, "constraint", "UploadPart", r.limit_size("s3.UploadPart", 10), UNSAFE, CONSTRAINT, ""),
    ("s3", 1, "constraint", "PutBucketTagging", r.reject("s3.PutBucketTagging", 400, "InvalidTag", when=_says(b"x" * 100)), UNSAFE, CONSTRAINT, ""),
    ("s3", 1, "constraint", "ListObjectsV2", r.reject("s3.ListObjectsV2", 400, "InvalidArgument", when=_has("start-after")), UNSAFE, CONSTRAINT, ""),
    ("s3", 1, "code", "GetBucketPolicy", r.change_code("s3.GetBucketPolicy", "NoSuchBucketPolicy", "NoSuchPolicy"), MISLEADING, ERROR, ""),
    ("s3", 1, "message", "AbortMultipartUpload", r.change_message("s3.AbortMultipartUpload", "No such thing."), MISLEADING, ERROR, ""),
    ("s3", 1, "field", "GetObject", r.add_field("s3.GetObject", "header:x-amz-restore", 'ongoing-request="false"'), WRONG, OTHER, "response"),
    ("s3", 1, "field", "GetBucketVersioning", r.change_field("s3.GetBucketVersioning", "Status", "Suspended"), WRONG, OTHER, ""),
    ("s3", 1, "field", "GetObjectAttributes", r.change_field("s3.GetObjectAttributes", "ObjectSize", "3"), WRONG, OTHER, "response"),
    ("s3", 1, "state", "DeleteBucketPolicy", r.swallow_write("s3.DeleteBucketPolicy"), "", "", "state"),
    ("s3", 1, "state", "PutObjectLegalHold", r.swallow_write("s3.PutObjectLegalHold"), "", "", "state"),
    ("s3", 1, "null reference", "GetBucketLifecycleConfiguration", r.change_status("s3.GetBucketLifecycleConfiguration", 404, 500), MISLEADING, NULL, ""),
    ("s3", 1, "authorisation", "DeleteBucketTagging", r.deny("s3.DeleteBucketTagging"), UNSAFE, AUTH, ""),
    ("s3", 1, "ordering", "ListParts", r.reverse_list("s3.ListParts", "Part"), WRONG, OTHER, ""),
    ("s3", 1, "paging", "ListObjectVersions", r.page_size(1, "s3.ListObjectVersions"), WRONG, OTHER, ""),
    # S3, with a memory
    ("s3", 3, "asynchronous", "PutObject GetObject HeadObject", only("s3", r.delay_visibility(2)), "", ASYNC, ""),
    ("s3", 3, "asynchronous", "CreateBucket DeleteBucket", only("s3", r.delay_recreation(2)), UNSAFE, ASYNC, ""),
    ("s3", 3, "asynchronous", "PutBucketTagging GetBucketTagging", lagging("s3.PutBucketTagging", "s3.GetBucketTagging", 0.6, _gone("NoSuchTagSet")), "", ASYNC, ""),
    ("s3", 4, "asynchronous", "PutObject ListObjectsV2 ListObjects", lagging("s3.PutObject", "s3.ListObjectsV2", 0.6, _hidden("Contents")), "", ASYNC, ""),
    ("s3", 4, "asynchronous", "PutBucketCors GetBucketCors DeleteBucketCors", r.stale_read(2, lambda request: request.operation == "s3.GetBucketCors"), "", ASYNC, ""),
    # DynamoDB, together
    ("dynamodb", 1, "constraint", "PutItem", r.limit_size("dynamodb.PutItem", 2000, code="ValidationException"), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 1, "constraint", "UpdateTimeToLive", r.reject("dynamodb.UpdateTimeToLive", 400, "ValidationException", when=_says(b'"Enabled": false')), UNSAFE, CONSTRAINT, ""),
    ("dynamodb", 1, "code", "DescribeTable", r.change_code("dynamodb.DescribeTable", "ResourceNotFoundException", "NoTable"), MISLEADING, ERROR, ""),
    ("dynamodb", 1, "message", "GetItem", r.change_message("dynamodb.GetItem", "Something else."), MISLEADING, ERROR, ""),
    ("dynamodb", 1, "field", "DescribeTimeToLive", r.change_field("dynamodb.DescribeTimeToLive", "AttributeName", "other"), WRONG, OTHER, ""),
    ("dynamodb", 1, "field", "Query", r.drop_field("dynamodb.Query", "ScannedCount"), WRONG, OTHER, "response"),
    ("dynamodb", 1, "state", "BatchWriteItem", r.swallow_write("dynamodb.BatchWriteItem"), "", "", "state"),
    ("dynamodb", 1, "null reference", "ListTagsOfResource", r.change_status("dynamodb.ListTagsOfResource", 400, 500), MISLEADING, NULL, ""),
    ("dynamodb", 1, "authorisation", "UntagResource", r.deny("dynamodb.UntagResource"), UNSAFE, AUTH, ""),
    ("dynamodb", 3, "paging", "Scan", r.page_size(1, "dynamodb.Scan"), WRONG, OTHER, ""),
    # DynamoDB, with a memory
    ("dynamodb", 3, "asynchronous", "PutItem GetItem", only("dynamodb", r.delay_visibility(2)), "", ASYNC, ""),
    ("dynamodb", 3, "asynchronous", "CreateTable DeleteTable", only("dynamodb", r.delay_recreation(2)), UNSAFE, ASYNC, ""),
    ("dynamodb", 4, "asynchronous", "PutItem Scan", lagging("dynamodb.PutItem", "dynamodb.Scan", 0.6, _hidden("Items")), "", ASYNC, ""),
    # Blob, together
    ("blob", 1, "constraint", "Container_Create", r.reject_parameter("blob.Container_Create", "x-ms-blob-public-access"), UNSAFE, CONSTRAINT, ""),
    ("blob", 1, "constraint", "PageBlob_Create", r.reject("blob.PageBlob_Create", 400, "InvalidHeaderValue", when=_has("x-ms-blob-sequence-number")), UNSAFE, CONSTRAINT, ""),
    ("blob", 1, "code", "Blob_Delete", r.change_code("blob.Blob_Delete", "BlobNotFound", "NoBlob"), MISLEADING, ERROR, ""),
    ("blob", 1, "message", "Container_Delete", r.change_message("blob.Container_Delete", "No."), MISLEADING, ERROR, ""),
    ("blob", 1, "field", "Container_GetProperties", r.drop_field("blob.Container_GetProperties", "header:x-ms-lease-state"), WRONG, OTHER, ""),
    ("blob", 1, "field", "BlockBlob_GetBlockList", r.change_field("blob.BlockBlob_GetBlockList", "Size", "1"), WRONG, OTHER, ""),
    ("blob", 1, "state", "Blob_SetMetadata", r.swallow_write("blob.Blob_SetMetadata"), "", "", "state"),
    ("blob", 1, "null reference", "AppendBlob_AppendBlock", r.change_status("blob.AppendBlob_AppendBlock", 404, 500), MISLEADING, NULL, ""),
    ("blob", 1, "authorisation", "Blob_CreateSnapshot", r.deny("blob.Blob_CreateSnapshot"), UNSAFE, AUTH, ""),
    ("blob", 4, "paging", "Container_ListBlobFlatSegment", r.drop_last("blob.Container_ListBlobFlatSegment", "Blob"), WRONG, OTHER, ""),
    # Blob, with a memory
    ("blob", 3, "asynchronous", "BlockBlob_Upload Blob_Download Blob_GetProperties", only("blob", r.delay_visibility(2)), "", ASYNC, ""),
    ("blob", 3, "asynchronous", "Container_Create Container_Delete", only("blob", r.delay_recreation(2)), UNSAFE, ASYNC, ""),
    # Queue, together
    ("queue", 1, "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 400, "OutOfRangeQueryParameterValue", when=_has("messagettl")), UNSAFE, CONSTRAINT, ""),
    ("queue", 1, "code", "Messages_Peek", r.change_code("queue.Messages_Peek", "QueueNotFound", "NoQueue"), MISLEADING, ERROR, ""),
    ("queue", 1, "field", "Queue_GetProperties", r.change_field("queue.Queue_GetProperties", "header:x-ms-approximate-messages-count", "7"), WRONG, OTHER, ""),
    ("queue", 3, "state", "Messages_Clear", r.swallow_write("queue.Messages_Clear"), "", "", "state"),
    ("queue", 1, "null reference", "MessageId_Delete", r.change_status("queue.MessageId_Delete", 404, 500), MISLEADING, NULL, ""),
    ("queue", 1, "paging", "Service_ListQueuesSegment", r.page_size(1, "queue.Service_ListQueuesSegment"), WRONG, OTHER, ""),
    ("queue", 3, "asynchronous", "Messages_Enqueue Messages_Peek Messages_Dequeue", only("queue", r.delay_visibility(2)), "", ASYNC, ""),
    ("queue", 3, "asynchronous", "Queue_Create Queue_Delete", only("queue", r.delay_recreation(2)), UNSAFE, ASYNC, ""),
    # Table, together
    ("table", 1, "constraint", "Table_InsertEntity", r.limit_size("table.Table_InsertEntity", 5000, code="EntityTooLarge"), UNSAFE, CONSTRAINT, ""),
    ("table", 1, "field", "Table_QueryEntitiesWithPartitionAndRowKey", r.add_field("table.Table_QueryEntitiesWithPartitionAndRowKey", "Extra", "1"), WRONG, OTHER, ""),
    ("table", 1, "state", "Table_DeleteEntity", r.swallow_write("table.Table_DeleteEntity"), "", "", "state"),
    ("table", 1, "ordering", "Table_QueryEntities", r.reverse_list("table.Table_QueryEntities", "value"), WRONG, OTHER, ""),
    ("table", 1, "null reference", "Table_Create", r.change_status("table.Table_Create", 409, 500), MISLEADING, NULL, ""),
    ("table", 3, "asynchronous", "Table_InsertEntity Table_QueryEntitiesWithPartitionAndRowKey", only("table", r.delay_visibility(2)), "", ASYNC, ""),
    ("table", 3, "asynchronous", "Table_Create Table_Delete", only("table", r.delay_recreation(2)), UNSAFE, ASYNC, ""),
]  # fmt: skip

WHERE = {("dynamodb", "PutItem", "constraint"): "Item"}
"""What must be named, where another seed is of the same operation and category."""

LONGEST = {("s3", "ListParts", "ordering"): 5}
"""A bucket, an upload, two parts and the list of them: there is no shorter way to see an order of parts."""

MORE: tuple[Seed, ...] = tuple(
    seed(
        service,
        category,
        operations,
        rule,
        implication,
        causes,
        manifestation,
        group=group,
        where=WHERE.get((service, operations, category), ""),
        longest=LONGEST.get((service, operations, category), 4),
    )
    for service, group, category, operations, rule, implication, causes, manifestation in TABLE
)
