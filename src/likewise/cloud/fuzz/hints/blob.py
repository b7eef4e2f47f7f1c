"""Azure Blob Storage."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.hints import rules_blob
from likewise.cloud.fuzz.hints.ways_blob import (
    BULKY,
    LEASE,
    MORE,
    NEEDS,
    OTHER_LEASE,
    PAGE,
    RELATED,
    RULE,
    SNAPSHOT,
    WAYS,
)
from likewise.cloud.services.call import words

CONTAINER, BLOB, URL = Name("container"), Name("blob"), Name("endpoint")
EARLIER, LATER = "2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"
OTHER_ETAG = '"0x8D0000000000000"'
FORMS = ("BlockBlob_Upload", "AppendBlob_Create", "PageBlob_Create")
PAGED = ("PageBlob_UploadPages.range", "PageBlob_ClearPages.range")
NO_HASH = bytes(16)
"""A hash of the right length that nothing has."""
HASHES = ("transactional_content_md5", "blob_content_md5")
MARKS = tuple(Ref(-1, (maker, "headers", "etag")) for maker in FORMS)
SOURCE = Text((URL, "/", CONTAINER, "/", BLOB))
LIST = "Container_ListBlobFlatSegment"
SHOWN = ("metadata", "uncommittedblobs", "copy", "tags")
"""What a list of blobs shows only to those who ask for it."""
RETENTION = {"Enabled": False}
SERVICE = {
    "StorageServiceProperties": {
        "Logging": {
            "Version": "1.0",
            "Delete": True,
            "Read": True,
            "Write": True,
            "RetentionPolicy": RETENTION,
        },
        "HourMetrics": {"Version": "1.0", "Enabled": False, "RetentionPolicy": RETENTION},
        "MinuteMetrics": {"Version": "1.0", "Enabled": False, "RetentionPolicy": RETENTION},
        "Cors": {"CorsRule": [RULE]},
    }
}
ACL = {
    "SignedIdentifiers": {
        "SignedIdentifier": [
            {
                "Id": "one",
                "AccessPolicy": {
                    "Start": "2031-01-01T00:00:00.0000000Z",
                    "Expiry": "2032-01-01T00:00:00.0000000Z",
                    "Permission": "r",
                },
            }
        ]
    }
}
BATCH = (
    "--batch_likewise\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
    "Content-ID: 0\r\n\r\nDELETE /none/none HTTP/1.1\r\nContent-Length: 0\r\n\r\n--batch_likewise--\r\n"
)

VALUES = {
    "Container_Rename.container": Name("container", 1),
    "Container_Rename.source_container_name": Name("container"),
    "body": b"hello, likewise",
    "Service_SetProperties.body": SERVICE,
    "Container_SetAccessPolicy.body": ACL,
    "Service_GetUserDelegationKey.body": {
        "KeyInfo": {"Start": "2031-01-01T00:00:00Z", "Expiry": "2031-01-02T00:00:00Z"}
    },
    "Blob_SetTags.body": {"Tags": {"TagSet": {"Tag": [{"Key": "colour", "Value": "blue"}]}}},
    "Blob_Query.body": {
        "QueryRequest": {"QueryType": "SQL", "Expression": "SELECT * from BlobStorage"},
    },
    "BlockBlob_CommitBlockList.body": {"BlockList": {"Latest": ["YmxvY2stMQ=="]}},
    "PageBlob_UploadPages.body": PAGE,
    "PageBlob_UploadPages.range": "bytes=0-511",
    "PageBlob_ClearPages.range": "bytes=0-511",
    "PageBlob_UploadPagesFromURL.range": "bytes=0-511",
    "PageBlob_UploadPagesFromURL.source_range": "bytes=0-511",
    "PageBlob_Create.blob_content_length": 1024,
    "PageBlob_Resize.blob_content_length": 2048,
    "PageBlob_UpdateSequenceNumber.sequence_number_action": "update",
    "PageBlob_UpdateSequenceNumber.blob_sequence_number": 3,
    "PageBlob_CopyIncremental.copy_source": Text((SOURCE.parts[0], "/", CONTAINER, "/", BLOB)),
    "Service_SubmitBatch.body": BATCH,
    "Service_SubmitBatch.multipart_content_type": "multipart/mixed; boundary=batch_likewise",
    "Container_SubmitBatch.body": BATCH,
    "Container_SubmitBatch.multipart_content_type": "multipart/mixed; boundary=batch_likewise",
    "range": "bytes=0-3",
    "source_range": None,
    "block_id": "YmxvY2stMQ==",
    "block_list_type": "all",
    "BlockBlob_GetBlockList.list_type": "all",
    "copy_source": SOURCE,
    "source_url": SOURCE,
    "copy_id": "00000000-0000-0000-0000-000000000000",
    "delimiter": "/",
    "prefix": Name("blob"),
    "Service_ListContainersSegment.prefix": Name("prefix"),
    "duration": 15,
    "Blob_AcquireLease.duration": 60,
    "Blob_AcquireLease.proposed_lease_id": LEASE,
    "Container_AcquireLease.duration": 60,
    "Container_AcquireLease.proposed_lease_id": LEASE,
    "Container_FilterBlobs.where": "colour='blue'",
    "Service_FilterBlobs.where": "colour='blue'",
    "break_period": 0,
    "proposed_lease_id": LEASE,
    "Blob_ChangeLease.proposed_lease_id": OTHER_LEASE,
    "Container_ChangeLease.proposed_lease_id": OTHER_LEASE,
    "lease_id": None,
    **{
        f"{level}_{verb}Lease.lease_id": LEASE
        for level in ("Blob", "Container")
        for verb in ("Release", "Renew", "Change")
    },
    "metadata": {"colour": "blue"},
    "Container_SetMetadata.metadata": {"colour": "blue"},
    "Blob_SetMetadata.metadata": {"colour": "blue"},
    "Blob_SetHTTPHeaders.blob_content_type": "text/plain",
    "blob_tags_string": "colour=blue",
    "blob_content_type": "text/plain",
    "blob_content_encoding": "identity",
    "blob_content_language": "en",
    "blob_cache_control": "no-cache",
    "blob_content_disposition": "attachment",
    "tier": "Cool",
    "access": "blob",
    "where": "colour='blue'",
    "if_tags": "\"colour\"='blue'",
    "if_match": "*",
    "if_none_match": OTHER_ETAG,
    "if_modified_since": EARLIER,
    "if_unmodified_since": LATER,
    "source_if_modified_since": EARLIER,
    "source_if_unmodified_since": LATER,
    "source_if_match": "*",
    "source_if_none_match": OTHER_ETAG,
    "expiry_options": "NeverExpire",
    "legal_hold": True,
    "immutability_policy_expiry": LATER,
    "immutability_policy_mode": "unlocked",
    "snapshot": SNAPSHOT,
    "PageBlob_GetPageRangesDiff.prevsnapshot": SNAPSHOT,
    "version_id": None,
    "encryption_key": None,
    "encryption_key_sha256": None,
    "encryption_algorithm": None,
    "encryption_scope": None,
    "default_encryption_scope": None,
    "transactional_content_md5": None,
    "transactional_content_crc64": None,
    "blob_content_md5": None,
    "source_content_md5": None,
    "source_contentcrc64": None,
    "structured_body_type": None,
    "structured_content_length": None,
    "copy_source_authorization": None,
    "source_container_name": Name("container", 1),
    "source_lease_id": None,
    "deleted_container_name": CONTAINER,
    "maxresults": 2,
    "marker": None,
    "timeout": 30,
    "append_position": 0,
    "if_sequence_number_less_than_or_equal_to": 5,
    "if_sequence_number_less_than": 5,
    "if_sequence_number_equal_to": 0,
    "max_size": 1000,
    "include": ["metadata"],
    "content_type": None,
    "range_get_content_md5": None,
    "range_get_content_crc64": None,
    "file_request_intent": None,
    "prev_snapshot_url": None,
    "end_before": None,
    "start_from": None,
}

HINTS = Hints(
    names={"container": "container", "blob": "blob"},
    makers={"container": "Container_Create", "blob": "BlockBlob_Upload"},
    values=VALUES,
    failing={
        "if_match": {"if_match": OTHER_ETAG},
        "if_none_match": {"if_none_match": "*"},
        "source_if_match": {"source_if_match": OTHER_ETAG},
        "source_if_none_match": {"source_if_none_match": "*"},
        "if_tags": {"if_tags": "\"colour\"='red'"},
        **{f"{whose}if_modified_since": {f"{whose}if_modified_since": LATER} for whose in ("", "source_")},
        **{
            f"{whose}if_unmodified_since": {f"{whose}if_unmodified_since": EARLIER}
            for whose in ("", "source_")
        },
        "if_sequence_number_less_than": {"if_sequence_number_less_than": 0},
        "if_sequence_number_equal_to": {"if_sequence_number_equal_to": 7},
        "lease_id": {"lease_id": OTHER_LEASE},
        "append_position": {"append_position": 7},
        "max_size": {"max_size": 3},
        **{name: {name: NO_HASH} for name in HASHES},
        "range": {"range": "bytes=4096-8191"},
        "copy_source": {"copy_source": Text((*SOURCE.parts, "-none"))},
    },
    wrong={
        "metadata": ({"not-valid": "blue"},),
        **dict.fromkeys(PAGED, ("bytes=1-512", "bytes=0-100", "bytes=512-0")),
        **dict.fromkeys(HASHES, (b"short",)),
    },
    holding={
        "if_match": tuple({"if_match": mark} for mark in MARKS),
        "source_if_match": ({"source_if_match": MARKS[0]},),
        "if_none_match": ({"if_none_match": MARKS[0]},),
    },
    further={
        "where": ("colour>='a' AND colour<'z'", "colour='blue' AND shape='round'"),
        "if_tags": ("\"colour\">='a' AND \"colour\"<'z'",),
        "range": ("bytes=2-", "bytes=0-0", "bytes=5-1000"),
        "delimiter": ("b", "lw"),
        "tier": ("Hot", "Archive", "Cold"),
        "metadata": (MORE, BULKY),
        "blob_tags_string": ("size=big&colour=red", "&".join(f"k{number}=v" for number in range(12))),
        "Container_ListBlobFlatSegment.prefix": ("lw", "other"),
        "Container_ListBlobHierarchySegment.prefix": ("lw", "other"),
    },
    holds={
        "blob": ("Blob_AcquireLease", "lease_id", LEASE, OTHER_LEASE),
        "container": ("Container_AcquireLease", "lease_id", LEASE, OTHER_LEASE),
    },
    alters={"blob": ("Blob_SetTier:archived",)},
    forms={"blob": FORMS},
    creates={
        "Container_Create": words("container"),
        **dict.fromkeys(
            [
                "BlockBlob_Upload",
                "BlockBlob_StageBlock",
                "BlockBlob_CommitBlockList",
                "AppendBlob_Create",
                "PageBlob_Create",
            ],
            words("blob"),
        ),
        **dict.fromkeys(
            [
                "AppendBlob_AppendBlock",
                "AppendBlob_AppendBlockFromURL",
                "AppendBlob_Seal",
                "PageBlob_UploadPages",
                "PageBlob_ClearPages",
                "PageBlob_UploadPagesFromURL",
                "PageBlob_GetPageRanges",
                "PageBlob_GetPageRangesDiff",
                "PageBlob_Resize",
                "PageBlob_UpdateSequenceNumber",
            ],
            words("blob"),
        ),
    },
    needs={
        "Service_GetProperties": ("Service_SetProperties",),
        "AppendBlob_AppendBlock": ("AppendBlob_Create",),
        "AppendBlob_AppendBlockFromURL": ("AppendBlob_Create",),
        "AppendBlob_Seal": ("AppendBlob_Create",),
        "PageBlob_UploadPages": ("PageBlob_Create",),
        "PageBlob_ClearPages": ("PageBlob_Create", "PageBlob_UploadPages"),
        "PageBlob_UploadPagesFromURL": ("PageBlob_Create",),
        "PageBlob_GetPageRanges": ("PageBlob_Create", "PageBlob_UploadPages"),
        "PageBlob_GetPageRangesDiff": ("PageBlob_Create", "Blob_CreateSnapshot", "PageBlob_UploadPages"),
        "PageBlob_Resize": ("PageBlob_Create",),
        "PageBlob_UpdateSequenceNumber": ("PageBlob_Create",),
        "BlockBlob_CommitBlockList": ("BlockBlob_StageBlock",),
        "BlockBlob_GetBlockList": ("BlockBlob_StageBlock",),
        "Blob_ReleaseLease": ("Blob_AcquireLease",),
        "Blob_RenewLease": ("Blob_AcquireLease",),
        "Blob_ChangeLease": ("Blob_AcquireLease",),
        "Blob_BreakLease": ("Blob_AcquireLease",),
        "Container_ReleaseLease": ("Container_AcquireLease",),
        "Container_RenewLease": ("Container_AcquireLease",),
        "Container_ChangeLease": ("Container_AcquireLease",),
        "Container_BreakLease": ("Container_AcquireLease",),
        "Container_ListBlobFlatSegment": ("BlockBlob_Upload",),
        "Container_ListBlobHierarchySegment": ("BlockBlob_Upload",),
        "Service_ListContainersSegment": ("Container_Create",),
        "Blob_GetTags": ("Blob_SetTags",),
        "Container_GetAccessPolicy": ("Container_SetAccessPolicy",),
        "Service_FilterBlobs": ("Container_Create", "BlockBlob_Upload:marked"),
        "Container_FilterBlobs": ("BlockBlob_Upload:marked",),
        "Container_SubmitBatch": ("BlockBlob_Upload",),
        **NEEDS,
        **rules_blob.NEEDS,
    },
    ways={**WAYS, **rules_blob.WAYS},
    related={
        **RELATED,
        **rules_blob.RELATED,
        **{f"{LIST}:{what}": ({"include": [what]},) for what in SHOWN},
        f"{LIST}:snapshots": ({"include": ["snapshots", "metadata"]},),
        "Service_ListContainersSegment:metadata": ({"include": ["metadata"]},),
    },
    observers={
        "Container_Create": ("Container_GetProperties", "Service_ListContainersSegment:metadata"),
        "Container_Delete": ("Container_GetProperties", "Service_ListContainersSegment"),
        "Container_SetMetadata": ("Container_GetProperties", "Service_ListContainersSegment:metadata"),
        "Container_SetAccessPolicy": ("Container_GetAccessPolicy", "Container_GetProperties"),
        "Container_*Lease": ("Container_GetProperties", "Service_ListContainersSegment"),
        "BlockBlob_StageBlock*": ("BlockBlob_GetBlockList", f"{LIST}:uncommittedblobs"),
        "BlockBlob_CommitBlockList": ("Blob_Download", "BlockBlob_GetBlockList", "Blob_GetProperties", LIST),
        "BlockBlob_*": ("Blob_Download", "Blob_GetProperties", "Container_ListBlobFlatSegment"),
        "AppendBlob_*": ("Blob_Download", "Blob_GetProperties", LIST),
        "PageBlob_*Pages*": ("PageBlob_GetPageRanges", "Blob_GetProperties", "Blob_Download"),
        "PageBlob_*": ("Blob_GetProperties", "PageBlob_GetPageRanges", f"{LIST}:metadata"),
        "Blob_SetTags": ("Blob_GetTags", f"{LIST}:tags", "Container_FilterBlobs"),
        "Blob_SetMetadata": ("Blob_GetProperties", f"{LIST}:metadata"),
        "Blob_Set*": ("Blob_GetProperties", "Container_ListBlobFlatSegment"),
        "Blob_Delete": ("Blob_GetProperties", f"{LIST}:snapshots"),
        "Blob_*Lease": ("Blob_GetProperties",),
        "Blob_*Copy*": ("Blob_Download", "Blob_GetProperties", f"{LIST}:copy"),
        "Blob_CreateSnapshot": (f"{LIST}:snapshots", "Blob_GetProperties:snapshot"),
        "Service_SetProperties": ("Service_GetProperties",),
    },
    shows={"*.blob_tags_string": ("Blob_GetTags", "Container_FilterBlobs")},
    account=words("Service_SetProperties Service_GetProperties"),
    removers={"container": "Container_Delete", "blob": "Blob_Delete"},
    lists=words(
        "Container_ListBlobFlatSegment Container_ListBlobHierarchySegment Service_ListContainersSegment "
        "BlockBlob_GetBlockList Container_FilterBlobs Service_FilterBlobs"
    ),
)
