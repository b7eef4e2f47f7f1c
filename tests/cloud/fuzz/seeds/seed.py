"""Seeded differences: rules of the rewriting server, and what a fuzzer should say about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from likewise.cloud import rewriting
from likewise.cloud.rewriting import Request, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One difference in front of the reference.

    `operations` are those that may rightly be named; the first is the one that was changed. The other
    fields are what must be said; nothing means that any answer will do.
    """

    service: str
    category: str
    operations: tuple[str, ...]
    rule: Rule
    implication: str = ""
    causes: tuple[str, ...] = ()
    manifestations: tuple[str, ...] = ()
    group: int = 1
    """Seeds of a service that are active together."""
    where: str = ""
    """The parameter or place that must be named, where others of the same operation are changed as well."""
    longest: int = 4
    """Calls that may take to show it; more only where no shorter sequence can."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of difference that a seed of its category shows; nothing means any."""
        return KINDS.get(self.category, frozenset())


KINDS = {
    "constraint": frozenset({"success"}),
    "code": frozenset({"error code"}),
    "message": frozenset({"message"}),
    "field": frozenset({"value", "missing", "extra", "type"}),
    "null reference": frozenset({"status", "error code"}),
    "failure": frozenset({"success"}),
    "authorisation": frozenset({"success"}),
    "alarm": frozenset({"success"}),
    "ordering": frozenset({"order"}),
    "paging": frozenset({"length", "value", "missing", "extra", "type"}),
}


def seed(
    service: str,
    category: str,
    operations: str,
    rule: Rule,
    implication: str = "",
    causes: str = "",
    manifestation: str = "",
    *,
    group: int = 1,
    where: str = "",
    longest: int = 4,
) -> Seed:
    """A seed from words."""
    return Seed(
        service=service,
        category=category,
        operations=tuple(operations.split()),
        rule=rule,
        implication=implication,
        causes=tuple(filter(None, causes.split("|"))),
        manifestations=("state", "both") if manifestation == "state" else tuple(manifestation.split()),
        group=group,
        where=where,
        longest=longest,
    )


def _has(name: str) -> Callable[[Request], bool]:
    return lambda request: bool(request.header(name)) or name in request.query


def _says(text: bytes) -> Callable[[Request], bool]:
    return lambda request: text in request.body


CONSTRAINT, ERROR, NULL = "constraint not checked", "error code or message", "null reference"
AUTH, ASYNC, OTHER = "authorisation not enforced", "asynchronous behaviour", "other bug"

S3 = (
    seed(
        "s3",
        "constraint",
        "PutObject",
        rewriting.reject_parameter("s3.PutObject", "x-amz-website-redirect-location"),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "s3",
        "constraint",
        "CopyObject",
        rewriting.reject("s3.CopyObject", 400, "InvalidArgument", when=_has("x-amz-storage-class")),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "s3",
        "code",
        "GetObjectTagging",
        rewriting.change_code("s3.GetObjectTagging", "NoSuchKey", "NoSuchObject"),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "s3",
        "message",
        "DeleteBucket",
        rewriting.change_message("s3.DeleteBucket", "It is not to be."),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "s3",
        "field",
        "HeadObject",
        rewriting.drop_field("s3.HeadObject", "header:Accept-Ranges"),
        "WRONG_RESULT",
        OTHER,
        "response",
    ),
    seed(
        "s3",
        "field",
        "GetBucketCors",
        rewriting.change_field("s3.GetBucketCors", "AllowedMethod", "PUT"),
        "WRONG_RESULT",
        OTHER,
    ),
    seed(
        "s3", "state", "PutObjectTagging", rewriting.swallow_write("s3.PutObjectTagging"), "", OTHER, "state"
    ),
    seed("s3", "state", "PutBucketWebsite", rewriting.swallow_write("s3.PutBucketWebsite"), "", "", "state"),
    seed(
        "s3",
        "null reference",
        "GetBucketReplication",
        rewriting.change_status("s3.GetBucketReplication", 404, 500),
        "MISLEADING",
        NULL,
    ),
    seed("s3", "authorisation", "GetBucketAcl", rewriting.deny("s3.GetBucketAcl"), "UNSAFE", AUTH),
    seed(
        "s3",
        "ordering",
        "ListMultipartUploads",
        rewriting.reverse_list("s3.ListMultipartUploads", "Upload"),
        "WRONG_RESULT",
        OTHER,
    ),
    seed(
        "s3",
        "paging",
        "ListObjectsV2",
        rewriting.drop_last("s3.ListObjectsV2", "Contents"),
        "WRONG_RESULT",
        OTHER,
    ),
)

DYNAMODB = (
    seed(
        "dynamodb",
        "constraint",
        "PutItem",
        rewriting.reject_parameter("dynamodb.PutItem", "ReturnConsumedCapacity", 400, "ValidationException"),
        "UNSAFE",
        CONSTRAINT,
        where="ReturnConsumedCapacity",
    ),
    seed(
        "dynamodb",
        "constraint",
        "Query",
        rewriting.reject("dynamodb.Query", 400, "ValidationException", when=_says(b'"ScanIndexForward"')),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "dynamodb",
        "code",
        "DeleteTable",
        rewriting.change_code("dynamodb.DeleteTable", "ResourceNotFoundException", "TableNotFoundException"),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "dynamodb",
        "message",
        "DescribeTimeToLive",
        rewriting.change_message("dynamodb.DescribeTimeToLive", "No."),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "dynamodb",
        "field",
        "UpdateItem",
        rewriting.drop_field("dynamodb.UpdateItem", "Attributes"),
        "WRONG_RESULT",
        OTHER,
        "response",
    ),
    seed("dynamodb", "state", "DeleteItem", rewriting.swallow_write("dynamodb.DeleteItem"), "", "", "state"),
    seed(
        "dynamodb", "state", "TagResource", rewriting.swallow_write("dynamodb.TagResource"), "", "", "state"
    ),
    seed(
        "dynamodb",
        "authorisation",
        "DescribeContinuousBackups",
        rewriting.deny("dynamodb.DescribeContinuousBackups"),
        "UNSAFE",
        AUTH,
    ),
    seed(
        "dynamodb",
        "null reference",
        "BatchGetItem",
        rewriting.change_status("dynamodb.BatchGetItem", 400, 500),
        "MISLEADING",
        NULL,
    ),
    seed(
        "dynamodb",
        "ordering",
        "Scan",
        rewriting.reverse_list("dynamodb.Scan", "Items"),
        "WRONG_RESULT",
        OTHER,
    ),
)

BLOB = (
    seed(
        "blob",
        "constraint",
        "BlockBlob_Upload",
        rewriting.reject_parameter("blob.BlockBlob_Upload", "x-ms-access-tier"),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "blob",
        "constraint",
        "Blob_AcquireLease",
        rewriting.reject(
            "blob.Blob_AcquireLease",
            400,
            "InvalidHeaderValue",
            when=lambda request: request.header("x-ms-lease-duration") == "15",
        ),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "blob",
        "code",
        "Blob_Download",
        rewriting.change_code("blob.Blob_Download", "BlobNotFound", "ResourceNotFound"),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "blob",
        "message",
        "Container_Create",
        rewriting.change_message("blob.Container_Create", "Something went wrong."),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "blob",
        "field",
        "Blob_GetProperties",
        rewriting.drop_field("blob.Blob_GetProperties", "header:x-ms-blob-type"),
        "WRONG_RESULT",
        OTHER,
    ),
    seed(
        "blob",
        "state",
        "Container_SetMetadata",
        rewriting.swallow_write("blob.Container_SetMetadata"),
        "",
        "",
        "state",
    ),
    seed(
        "blob",
        "authorisation",
        "Container_GetAccessPolicy",
        rewriting.deny("blob.Container_GetAccessPolicy"),
        "UNSAFE",
        AUTH,
    ),
    seed(
        "blob",
        "null reference",
        "Blob_GetTags",
        rewriting.change_status("blob.Blob_GetTags", 404, 500),
        "MISLEADING",
        NULL,
    ),
    seed(
        "blob",
        "ordering",
        "Container_ListBlobFlatSegment Container_ListBlobHierarchySegment",
        rewriting.reverse_list("blob.Container_ListBlobFlatSegment", "Blob"),
        "WRONG_RESULT",
        OTHER,
    ),
)

QUEUE = (
    seed(
        "queue",
        "constraint",
        "Messages_Dequeue",
        rewriting.reject(
            "queue.Messages_Dequeue", 400, "OutOfRangeQueryParameterValue", when=_has("visibilitytimeout")
        ),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "queue",
        "code",
        "Queue_Delete",
        rewriting.change_code("queue.Queue_Delete", "QueueNotFound", "ResourceNotFound"),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "queue",
        "message",
        "Messages_Clear",
        rewriting.change_message("queue.Messages_Clear", "No."),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "queue",
        "field",
        "Messages_Peek",
        rewriting.change_field("queue.Messages_Peek", "DequeueCount", "9"),
        "WRONG_RESULT",
        OTHER,
    ),
    seed(
        "queue",
        "state",
        "Queue_SetMetadata",
        rewriting.swallow_write("queue.Queue_SetMetadata"),
        "",
        "",
        "state",
    ),
    seed(
        "queue",
        "authorisation",
        "Queue_GetAccessPolicy",
        rewriting.deny("queue.Queue_GetAccessPolicy"),
        "UNSAFE",
        AUTH,
    ),
)

TABLE = (
    seed(
        "table",
        "constraint",
        "Table_QueryEntities",
        rewriting.reject("table.Table_QueryEntities", 400, "InvalidInput", when=_has("$select")),
        "UNSAFE",
        CONSTRAINT,
    ),
    seed(
        "table",
        "code",
        "Table_InsertEntity",
        rewriting.change_code("table.Table_InsertEntity", "EntityAlreadyExists", "AlreadyThere"),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "table",
        "message",
        "Table_Delete",
        rewriting.change_message("table.Table_Delete", "No."),
        "MISLEADING",
        ERROR,
    ),
    seed(
        "table",
        "state",
        "Table_MergeEntity",
        rewriting.swallow_write("table.Table_MergeEntity"),
        "",
        "",
        "state",
    ),
    seed(
        "table",
        "authorisation",
        "Table_GetAccessPolicy",
        rewriting.deny("table.Table_GetAccessPolicy"),
        "UNSAFE",
        AUTH,
    ),
    seed(
        "table",
        "null reference",
        "Table_UpdateEntity",
        rewriting.change_status("table.Table_UpdateEntity", 404, 500),
        "MISLEADING",
        NULL,
    ),
)

SEEDS = (*S3, *DYNAMODB, *BLOB, *QUEUE, *TABLE)
