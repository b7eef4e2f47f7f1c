"""How else Blob Storage is called: snapshots, tags, leases in their states, blocks, pages, copies."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import md5
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text

CONTAINER, BLOB, OTHER = Name("container"), Name("blob"), Name("blob", 1)
BODY, PAGE = b"hello, likewise", b"p" * 512
LEASE = "11111111-2222-3333-4444-555555555555"
OTHER_LEASE = "99999999-2222-3333-4444-555555555555"
SNAPSHOT = Ref(-1, ("Blob_CreateSnapshot", "headers", "x-ms-snapshot"))
TAKEN: dict[str, Any] = {"snapshot": SNAPSHOT}
ELSEWHERE = Text((Name("endpoint"), "/", CONTAINER, "/", OTHER))
FORMER = Text((Name("endpoint"), "/", CONTAINER, "/", BLOB, "?snapshot=", SNAPSHOT))
MORE = {"shape": "round", "Size_2": "Big"}
BULKY = {f"bulk{number}": "x" * 2900 for number in range(3)}
"""More metadata than the services keep, in values that each go into a header."""
FULL = {
    "metadata": MORE,
    "blob_content_type": "text/plain",
    "blob_content_language": "en",
    "blob_cache_control": "no-cache",
}
ENDS = ("-b", "-B", "9", "10")
"""Ends of names that come in another order for who counts, or does not tell capitals from small letters."""
FOLDER = {"blob": Text((BLOB, "/inner"))}
TAGGED = "\"colour\"='blue'"
TAGS = {"Tags": {"TagSet": {"Tag": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]}}}
RULE = {
    "AllowedOrigins": "http://a.example,http://b.example",
    "AllowedMethods": "GET,PUT",
    "AllowedHeaders": "x-ms-meta-*",
    "ExposedHeaders": "x-ms-meta-*",
    "MaxAgeInSeconds": 300,
}
OTHER_RULE = {**RULE, "AllowedOrigins": "*", "AllowedMethods": "DELETE", "MaxAgeInSeconds": 60}
KEPT = {"Enabled": True, "Days": 7}
SHARED: dict[str, Mapping[str, Any]] = {
    "Service_SetProperties:rules": {
        "body": {"StorageServiceProperties": {"Cors": {"CorsRule": [RULE, OTHER_RULE]}}}
    },
    "Service_SetProperties:metrics": {
        "body": {
            "StorageServiceProperties": {
                "HourMetrics": {
                    "Version": "1.0",
                    "Enabled": True,
                    "IncludeAPIs": True,
                    "RetentionPolicy": KEPT,
                }
            }
        }
    },
}
"""What every service's properties can be set to."""

TURNED = {"body": {"BlockList": {"Latest": ["YmxvY2stMg==", "YmxvY2stMQ=="]}}}


def identifiers(permission: str) -> dict[str, Any]:
    """Two stored policies, the one whose name comes first last."""
    times = (("two", "2031-01-01T00:00:00.0000000Z"), ("alpha", "2030-01-01T00:00:00.0000000Z"))
    policy = {"Expiry": "2032-01-01T00:00:00.0000000Z", "Permission": permission}
    those = [{"Id": name, "AccessPolicy": {"Start": start, **policy}} for name, start in times]
    return {"SignedIdentifiers": {"SignedIdentifier": those}}


def _hashed(body: bytes) -> dict[str, bytes]:
    return {"transactional_content_md5": md5(body, usedforsecurity=False).digest()}


WAYS: dict[str, Mapping[str, Any]] = {
    **SHARED,
    "Service_SetProperties:version": {
        "body": {"StorageServiceProperties": {"DefaultServiceVersion": "2020-10-02"}}
    },
    "Service_SetProperties:deleted": {"body": {"StorageServiceProperties": {"DeleteRetentionPolicy": KEPT}}},
    "Service_SetProperties:website": {
        "body": {
            "StorageServiceProperties": {
                "StaticWebsite": {
                    "Enabled": True,
                    "IndexDocument": "index.html",
                    "ErrorDocument404Path": "404.html",
                }
            }
        }
    },
    "Service_ListContainersSegment:all": {"prefix": None},
    "Service_ListContainersSegment:few": {"prefix": None, "maxresults": 1},
    "Container_Create:metadata": {"metadata": MORE, "access": "container"},
    "Container_SetMetadata:other": {"metadata": MORE},
    "Container_SetMetadata:none": {"metadata": {}},
    "Container_SetAccessPolicy:two": {"body": identifiers("rl"), "access": "container"},
    "Container_SetAccessPolicy:none": {"body": None},
    "Container_AcquireLease:infinite": {"duration": -1},
    "Container_AcquireLease:other": {"proposed_lease_id": OTHER_LEASE},
    "Container_AcquireLease:again": {"duration": 30},
    "Container_AcquireLease:released": {"duration": 30},
    "Container_AcquireLease:breaking": {"duration": 30},
    "Container_RenewLease:broken": {"lease_id": LEASE},
    "Container_RenewLease:released": {"lease_id": LEASE},
    "Container_ReleaseLease:broken": {"lease_id": LEASE},
    "Container_ChangeLease:broken": {"lease_id": LEASE},
    "Container_ChangeLease:same": {"proposed_lease_id": LEASE},
    "Container_BreakLease:slow": {"break_period": 30},
    "Container_BreakLease:again": {"break_period": 10},
    "Container_BreakLease:endless": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:folder": {"prefix": Text((BLOB, "/"))},
    "Container_ListBlobFlatSegment:former": {"include": ["snapshots", "metadata"]},
    "Container_ListBlobFlatSegment:full": {"include": ["metadata", "tags", "copy"]},
    "Container_ListBlobFlatSegment:blocks": {"include": ["uncommittedblobs"]},
    "Container_ListBlobFlatSegment:leased": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:appended": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:pages": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:tiered": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:spelled": {"container": CONTAINER},
    "Container_ListBlobHierarchySegment:folder": {"container": CONTAINER},
    "Container_ListBlobHierarchySegment:folders": {"container": CONTAINER},
    "Container_ListBlobHierarchySegment:inner": {"prefix": Text((BLOB, "/"))},
    "Container_FilterBlobs:two": {"where": "colour='red' AND size='big'"},
    "Service_FilterBlobs:two": {"where": "colour='red' AND size='big'"},
    "Blob_SetMetadata:other": {"metadata": MORE},
    "Blob_SetMetadata:none": {"metadata": {}},
    "Blob_SetTags:other": {"body": TAGS},
    "Blob_SetTags:none": {"body": {"Tags": {"TagSet": {}}}},
    "Blob_GetTags:two": {"blob": BLOB},
    "Blob_SetHTTPHeaders:other": {"blob_content_type": None, "blob_content_language": "de"},
    "Blob_SetHTTPHeaders:none": {"blob_content_type": None},
    "Blob_SetTier:back": {"tier": "Hot"},
    "Blob_SetTier:thawed": {"tier": "Hot"},
    "Blob_GetProperties:full": {"blob": BLOB},
    "Blob_Download:full": {"blob": BLOB},
    "Blob_Download:part": {"range": "bytes=2-5", "range_get_content_md5": True},
    "Blob_Download:copied": {"blob": BLOB},
    "Blob_Download:appended": {"blob": BLOB},
    "Blob_Download:staged": {"blob": BLOB},
    "Blob_Download:pages": {"blob": BLOB},
    "Blob_Download:archived": {"blob": BLOB},
    "Blob_GetProperties:copied": {"blob": BLOB},
    "Blob_GetProperties:sealed": {"blob": BLOB},
    "Blob_CreateSnapshot:metadata": {"metadata": MORE},
    **{
        f"{name}:snapshot": TAKEN
        for name in ("Blob_Download", "Blob_GetProperties", "Blob_Delete", "Blob_GetTags")
    },
    **{
        f"{name}:snapshot": TAKEN
        for name in ("Blob_SetTier", "BlockBlob_GetBlockList", "PageBlob_GetPageRanges")
    },
    "Blob_SetMetadata:snapshot": {"metadata": MORE},
    "Blob_Delete:covered": {"blob": BLOB},
    "Blob_Delete:include": {"delete_snapshots": "include"},
    "Blob_Delete:only": {"delete_snapshots": "only"},
    **{
        f"{name}:tagged": {"if_tags": TAGGED}
        for name in (
            "Blob_Download",
            "Blob_GetProperties",
            "Blob_Delete",
            "Blob_SetMetadata",
            "Blob_SetHTTPHeaders",
            "Blob_AcquireLease",
            "Blob_CreateSnapshot",
            "BlockBlob_Upload",
        )
    },
    "Blob_AcquireLease:infinite": {"duration": -1},
    "Blob_AcquireLease:other": {"proposed_lease_id": OTHER_LEASE},
    "Blob_AcquireLease:again": {"duration": 30},
    "Blob_AcquireLease:released": {"duration": 30},
    "Blob_AcquireLease:breaking": {"duration": 30},
    "Blob_RenewLease:broken": {"lease_id": LEASE},
    "Blob_RenewLease:released": {"lease_id": LEASE},
    "Blob_ReleaseLease:broken": {"lease_id": LEASE},
    "Blob_ChangeLease:broken": {"lease_id": LEASE},
    "Blob_ChangeLease:same": {"proposed_lease_id": LEASE},
    "Blob_BreakLease:endless": {"blob": BLOB},
    "Blob_BreakLease:slow": {"break_period": 30},
    "Blob_BreakLease:again": {"break_period": 10},
    "Blob_StartCopyFromURL:other": {"copy_source": ELSEWHERE},
    "Blob_StartCopyFromURL:metadata": {"copy_source": ELSEWHERE, "metadata": {"colour": "red"}},
    "Blob_StartCopyFromURL:snapshot": {"copy_source": FORMER},
    "Blob_CopyFromURL:other": {"copy_source": ELSEWHERE},
    "Blob_CopyFromURL:metadata": {"copy_source": ELSEWHERE, "metadata": {"colour": "red"}},
    "Blob_AbortCopyFromURL:done": {"copy_id": Ref(-1, ("Blob_StartCopyFromURL", "headers", "x-ms-copy-id"))},
    "BlockBlob_Upload:full": {
        **FULL,
        "blob_content_encoding": "identity",
        "blob_tags_string": "size=big&colour=red",
    },
    "BlockBlob_Upload:over": {"body": b"another body"},
    "BlockBlob_Upload:hashed": _hashed(BODY),
    "BlockBlob_Upload:folder": FOLDER,
    "BlockBlob_Upload:deep": {"blob": Text((BLOB, "/a" * 260))},
    "BlockBlob_Upload:dotted": {"blob": Text((BLOB, "."))},
    "BlockBlob_StageBlock:hashed": _hashed(BODY),
    "BlockBlob_StageBlock:over": {"body": b"another block"},
    "BlockBlob_StageBlock:longer": {"block_id": "YW5vdGhlci1ibG9jaw=="},
    "BlockBlob_CommitBlockList:uncommitted": {"body": {"BlockList": {"Uncommitted": ["YmxvY2stMQ=="]}}},
    "BlockBlob_CommitBlockList:committed": {"body": {"BlockList": {"Committed": ["YmxvY2stMQ=="]}}},
    "BlockBlob_CommitBlockList:unknown": {"body": {"BlockList": {"Latest": ["YmxvY2stOQ=="]}}},
    "BlockBlob_CommitBlockList:twice": {"body": {"BlockList": {"Latest": ["YmxvY2stMQ==", "YmxvY2stMQ=="]}}},
    "BlockBlob_CommitBlockList:turned": TURNED,
    "BlockBlob_CommitBlockList:nothing": {"body": {"BlockList": {}}},
    "BlockBlob_CommitBlockList:full": FULL,
    "BlockBlob_CommitBlockList:over": {"blob": BLOB},
    "BlockBlob_GetBlockList:committed": {"list_type": "committed"},
    "BlockBlob_GetBlockList:uncommitted": {"list_type": "uncommitted"},
    "BlockBlob_GetBlockList:turned": {"list_type": "committed"},
    "AppendBlob_Create:full": FULL,
    "AppendBlob_AppendBlock:second": {"append_position": len(BODY)},
    "AppendBlob_AppendBlock:small": {"max_size": len(BODY)},
    "AppendBlob_AppendBlock:hashed": _hashed(BODY),
    "AppendBlob_AppendBlock:sealed": {"blob": BLOB},
    "PageBlob_Create:full": {**FULL, "blob_sequence_number": 5},
    "PageBlob_UploadPages:second": {"range": "bytes=512-1023"},
    "PageBlob_UploadPages:both": {"body": PAGE * 2, "range": "bytes=0-1023"},
    "PageBlob_UploadPages:beyond": {"range": "bytes=1024-1535"},
    "PageBlob_UploadPages:hashed": _hashed(PAGE),
    "PageBlob_ClearPages:part": {"range": "bytes=512-1023"},
    "PageBlob_GetPageRanges:two": {"range": "bytes=0-1023"},
    "PageBlob_GetPageRangesDiff:same": {"blob": BLOB},
    "PageBlob_GetPageRangesDiff:apart": {"blob": BLOB},
    "PageBlob_Resize:smaller": {"blob_content_length": 512},
    "PageBlob_UpdateSequenceNumber:increment": {
        "sequence_number_action": "increment",
        "blob_sequence_number": None,
    },
    "PageBlob_UpdateSequenceNumber:both": {"sequence_number_action": "increment"},
    "PageBlob_UpdateSequenceNumber:max": {"sequence_number_action": "max", "blob_sequence_number": 2},
}

RELATED: dict[str, tuple[Any, ...]] = {
    "BlockBlob_Upload:source": ({"blob": OTHER, **FULL},),
    "BlockBlob_Upload:marked": ({"blob_tags_string": "colour=blue"},),
    **{f"BlockBlob_Upload:{end}": ({"blob": Text((BLOB, end))},) for end in ENDS},
    **{f"BlockBlob_Upload:in{end}": ({"blob": Text((BLOB, f"{end}/inner"))},) for end in ENDS},
    "BlockBlob_StageBlock:first": ({"block_id": "YmxvY2stMQ=="},),
    "BlockBlob_CommitBlockList:both": (TURNED,),
    "PageBlob_Create:long": ({"blob_content_length": 2048},),
    "PageBlob_UploadPages:apart": ({"range": "bytes=1024-1535"},),
    "BlockBlob_StageBlock:second": ({"block_id": "YmxvY2stMg==", "body": b"another block"},),
    "Blob_SetTier:archived": ({"tier": "Archive"},),
}

_LEASED = {"Container": ("Container_AcquireLease",), "Blob": ("Blob_AcquireLease",)}
_APPENDED = ("AppendBlob_Create", "AppendBlob_AppendBlock")
_STAGED = ("BlockBlob_StageBlock:first", "BlockBlob_StageBlock:second")
_COMMITTED = ("BlockBlob_StageBlock", "BlockBlob_CommitBlockList")
_PAGES = ("PageBlob_Create", "PageBlob_UploadPages")
_TAKEN = ("Blob_CreateSnapshot",)

NEEDS: dict[str, tuple[str, ...]] = {
    "Container_SetMetadata:other": ("Container_SetMetadata",),
    "Container_SetMetadata:none": ("Container_SetMetadata",),
    "Container_SetAccessPolicy:two": ("Container_SetAccessPolicy",),
    "Container_SetAccessPolicy:none": ("Container_SetAccessPolicy",),
    "Container_ListBlobFlatSegment:folder": ("BlockBlob_Upload:folder",),
    "Container_ListBlobFlatSegment:former": ("Blob_CreateSnapshot:metadata",),
    "Container_ListBlobFlatSegment:full": ("BlockBlob_Upload:full",),
    "Container_ListBlobFlatSegment:blocks": ("BlockBlob_StageBlock",),
    "Container_ListBlobFlatSegment:leased": ("BlockBlob_Upload", "Blob_AcquireLease"),
    "Container_ListBlobFlatSegment:appended": _APPENDED,
    "Container_ListBlobFlatSegment:pages": ("PageBlob_Create",),
    "Container_ListBlobFlatSegment:tiered": ("BlockBlob_Upload", "Blob_SetTier"),
    "Container_ListBlobFlatSegment:spelled": tuple(f"BlockBlob_Upload:{end}" for end in ENDS),
    "Container_ListBlobHierarchySegment:folder": ("BlockBlob_Upload:folder",),
    "Container_ListBlobHierarchySegment:folders": tuple(f"BlockBlob_Upload:in{end}" for end in ENDS),
    "Container_ListBlobHierarchySegment:inner": ("BlockBlob_Upload:folder",),
    "Container_FilterBlobs:two": ("BlockBlob_Upload:full",),
    "Service_FilterBlobs:two": ("BlockBlob_Upload:full",),
    "Blob_SetMetadata:other": ("Blob_SetMetadata",),
    "Blob_SetMetadata:none": ("Blob_SetMetadata",),
    "Blob_SetMetadata:snapshot": _TAKEN,
    "Blob_SetTags:other": ("Blob_SetTags",),
    "Blob_SetTags:none": ("Blob_SetTags",),
    "Blob_GetTags:two": ("Blob_SetTags:other",),
    "Blob_SetHTTPHeaders:other": ("Blob_SetHTTPHeaders",),
    "Blob_SetHTTPHeaders:none": ("Blob_SetHTTPHeaders",),
    "Blob_SetTier:back": ("Blob_SetTier",),
    "Blob_GetProperties:full": ("BlockBlob_Upload:full",),
    "Blob_Download:full": ("BlockBlob_Upload:full",),
    "Blob_Download:copied": ("BlockBlob_Upload:source", "Blob_StartCopyFromURL:other"),
    "Blob_Download:appended": _APPENDED,
    "Blob_Download:staged": ("BlockBlob_StageBlock",),
    "Blob_Download:pages": _PAGES,
    "Blob_Download:archived": ("Blob_SetTier:archived",),
    "Blob_SetTier:thawed": ("Blob_SetTier:archived",),
    "Blob_GetProperties:copied": ("BlockBlob_Upload:source", "Blob_StartCopyFromURL:other"),
    "Blob_GetProperties:sealed": ("AppendBlob_Create", "AppendBlob_Seal"),
    **dict.fromkeys(
        [
            "Blob_Download:snapshot",
            "Blob_GetProperties:snapshot",
            "Blob_Delete:snapshot",
            "Blob_SetTier:snapshot",
            "Blob_Delete:covered",
            "Blob_Delete:include",
            "Blob_Delete:only",
            "Blob_StartCopyFromURL:snapshot",
        ],
        _TAKEN,
    ),
    "Blob_GetTags:snapshot": ("Blob_SetTags", *_TAKEN),
    "BlockBlob_GetBlockList:snapshot": (*_COMMITTED, *_TAKEN),
    "PageBlob_GetPageRanges:snapshot": (*_PAGES, *_TAKEN),
    "PageBlob_GetPageRangesDiff:same": (*_PAGES, *_TAKEN),
    "PageBlob_GetPageRangesDiff:apart": (
        "PageBlob_Create:long",
        "Blob_CreateSnapshot:metadata",
        "PageBlob_UploadPages:hashed",
        "PageBlob_UploadPages:apart",
    ),
    **dict.fromkeys([name for name in WAYS if name.endswith(":tagged")], ("Blob_SetTags",)),
    **{
        f"{kind}_{verb}Lease:{state}": (*held, *(f"{kind}_{end}" for end in ends))
        for kind, held in _LEASED.items()
        for verb, state, *ends in (
            ("Acquire", "other"),
            ("Acquire", "again"),
            ("Acquire", "released", "ReleaseLease"),
            ("Acquire", "breaking", "BreakLease:slow"),
            ("Renew", "broken", "BreakLease"),
            ("Renew", "released", "ReleaseLease"),
            ("Release", "broken", "BreakLease"),
            ("Change", "broken", "BreakLease"),
            ("Change", "same"),
            ("Break", "slow"),
            ("Break", "again", "BreakLease:slow"),
        )
    },
    "Blob_BreakLease:endless": ("Blob_AcquireLease:infinite",),
    "Container_BreakLease:endless": ("Container_AcquireLease:infinite",),
    "Blob_StartCopyFromURL:other": ("BlockBlob_Upload:source",),
    "Blob_StartCopyFromURL:metadata": ("BlockBlob_Upload:source",),
    "Blob_CopyFromURL:other": ("BlockBlob_Upload:source",),
    "Blob_CopyFromURL:metadata": ("BlockBlob_Upload:source",),
    "Blob_AbortCopyFromURL:done": ("BlockBlob_Upload", "Blob_StartCopyFromURL"),
    "BlockBlob_Upload:over": ("BlockBlob_Upload:full",),
    "BlockBlob_StageBlock:over": ("BlockBlob_StageBlock",),
    "BlockBlob_StageBlock:longer": ("BlockBlob_StageBlock",),
    "BlockBlob_CommitBlockList:committed": _COMMITTED,
    "BlockBlob_CommitBlockList:turned": _STAGED,
    "BlockBlob_CommitBlockList:over": ("BlockBlob_Upload:full", "BlockBlob_StageBlock"),
    "BlockBlob_GetBlockList:committed": _COMMITTED,
    "BlockBlob_GetBlockList:turned": ("BlockBlob_Upload:marked", *_STAGED, "BlockBlob_CommitBlockList:both"),
    "AppendBlob_AppendBlock:second": _APPENDED,
    "AppendBlob_AppendBlock:small": _APPENDED,
    "AppendBlob_AppendBlock:sealed": ("AppendBlob_Create", "AppendBlob_Seal"),
    "PageBlob_UploadPages:second": _PAGES,
    "PageBlob_ClearPages:part": ("PageBlob_Create", "PageBlob_UploadPages:both"),
    "PageBlob_GetPageRanges:two": ("PageBlob_Create", "PageBlob_UploadPages:both"),
    "PageBlob_Resize:smaller": _PAGES,
    "PageBlob_UpdateSequenceNumber:max": ("PageBlob_Create:full",),
}
