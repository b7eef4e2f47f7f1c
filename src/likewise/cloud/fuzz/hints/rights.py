"""Which operations are called by everybody, and what they ask of a shared access signature."""

from __future__ import annotations

from dataclasses import dataclass

ACCOUNT = "rwdlacup"
"""Everything that an account's signature can permit, in the order in which it is written."""
SERVICE = {"blob": "racwd", "container": "racwdl", "queue": "raup", "table": "raud"}
"""The same for what is for one thing only."""
KINDS = "sco"
"""What an account's signature can be for: services, containers (also queues and tables), objects."""


@dataclass(frozen=True, slots=True)
class Right:
    """What one operation asks for.

    `account` are the letters of an account's signature that permit it, `kind` what that must be for;
    `service` the letters of a service's, none where no such signature permits it, `scope` what that is for.
    """

    account: str
    kind: str
    service: str = ""
    scope: str = ""


RIGHTS: dict[str, dict[str, Right]] = {
    "blob": {
        "Blob_Download": Right("r", "o", "r", "blob"),
        "BlockBlob_Upload": Right("wc", "o", "cw", "blob"),
        "Blob_Delete": Right("d", "o", "d", "blob"),
        "Container_ListBlobFlatSegment": Right("l", "c", "l", "container"),
        "Blob_SetMetadata": Right("w", "o", "w", "container"),
        "Container_Create": Right("wc", "c"),
        "Service_ListContainersSegment": Right("l", "s"),
        "Blob_GetProperties": Right("r", "o", "r", "container"),
        "Container_Delete": Right("d", "c"),
    },
    "queue": {
        "Messages_Peek": Right("r", "o", "r", "queue"),
        "Messages_Enqueue": Right("a", "o", "a", "queue"),
        "Messages_Dequeue": Right("p", "o", "p", "queue"),
        "MessageId_Delete": Right("dp", "o", "p", "queue"),
        "Queue_Create": Right("wc", "c"),
        "Service_ListQueuesSegment": Right("l", "s"),
        "Queue_Delete": Right("d", "c"),
        "Messages_Clear": Right("d", "o"),
    },
    "table": {
        "Table_QueryEntities": Right("r", "o", "r", "table"),
        "Table_InsertEntity": Right("a", "o", "a", "table"),
        "Table_UpdateEntity": Right("u", "o", "u", "table"),
        "Table_DeleteEntity": Right("d", "o", "d", "table"),
        "Table_Create": Right("wc", "c"),
        "Table_Query": Right("l", "c"),
        "Table_QueryEntitiesWithPartitionAndRowKey": Right("r", "o", "r", "table"),
        "Table_Delete": Right("d", "c"),
    },
}
FAMILIES = {
    "s3": (
        "GetObject",
        "PutObject",
        "DeleteObject",
        "ListObjectsV2",
        "ListBuckets",
        "DeleteBucket",
        "HeadObject",
    ),
    "dynamodb": (
        "GetItem",
        "PutItem",
        "DeleteItem",
        "Scan",
        "ListTables",
        "DeleteTable",
        "Query",
        "UpdateItem",
        "DescribeTable",
    ),
    **{service: tuple(rights) for service, rights in RIGHTS.items()},
}
"""Operations that are called by everybody: a read, a write, a removal, a list, something of the service's."""
PUBLIC = {
    "s3": (
        ("GetObject", "PutObject", {"ACL": "public-read"}, True),
        ("GetObject", "PutBucketPolicy", {}, True),
        ("ListObjectsV2", "CreateBucket", {"ACL": "public-read"}, True),
        ("PutObject", "CreateBucket", {"ACL": "public-read"}, False),
        ("DeleteObject", "PutObject", {"ACL": "public-read"}, False),
    ),
    "blob": (
        ("Blob_Download", "Container_Create", {"access": "blob"}, True),
        ("Container_ListBlobFlatSegment", "Container_Create", {"access": "blob"}, False),
        ("Blob_Download", "Container_Create", {"access": "container"}, True),
        ("Container_ListBlobFlatSegment", "Container_Create", {"access": "container"}, True),
        ("BlockBlob_Upload", "Container_Create", {"access": "container"}, False),
        ("Blob_Delete", "Container_Create", {"access": "container"}, False),
    ),
}
"""What is called anonymously where what some call of its set-up makes is public: with what that call is given
besides, or after it where it is none of the set-up's, and whether everybody may then make the call."""
