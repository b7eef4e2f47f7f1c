"""What Azure's documentation says of calls to Blob Storage that are right in each part: relations, states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.rules_azure import PROPERTIES, policies
from likewise.cloud.fuzz.hints.ways_blob import (
    BLOB,
    CONTAINER,
    ELSEWHERE,
    LEASE,
    MORE,
    OTHER,
    OTHER_LEASE,
    PAGE,
    TAKEN,
)

EARLIER, LATER = "2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"
MADE = Ref(-1, ("BlockBlob_Upload", "headers", "etag"))
STRANGE = '"0x8D0000000000000"'
NOBODYS = "2020-01-01T00:00:00.0000000Z"
CONDITIONS: dict[str, Mapping[str, Any]] = {
    "old": {"if_match": MADE, "if_unmodified_since": EARLIER},
    "kept": {"if_none_match": MADE, "if_modified_since": EARLIER},
    "young": {"if_none_match": STRANGE, "if_modified_since": LATER},
    "neither": {"if_match": STRANGE, "if_unmodified_since": LATER},
}
"""Two conditions at once, of which one holds."""
_READS, _WRITES = (
    ("Blob_Download", "Blob_GetProperties"),
    ("Blob_SetMetadata", "Blob_Delete", "BlockBlob_Upload"),
)
RANGES = {
    "backwards": "bytes=5-2",
    "last": "bytes=-3",
    "several": "bytes=0-1,3-4",
    "units": "items=0-3",
    "open": "bytes=0-",
}
BLOCK, SECOND = "YmxvY2stMQ==", "YmxvY2stMg=="


def _blocks(*latest: str, **others: list[str]) -> dict[str, Any]:
    return {"body": {"BlockList": {**({"Latest": list(latest)} if latest else {}), **others}}}


def _tags(*those: tuple[str, str]) -> dict[str, Any]:
    return {"body": {"Tags": {"TagSet": {"Tag": [{"Key": key, "Value": value} for key, value in those]}}}}


_READING: dict[str, Mapping[str, Any]] = {
    **{f"{name}:{way}": given for name in _READS for way, given in CONDITIONS.items()},
    **{f"{name}:{way}": CONDITIONS[way] for name in _WRITES for way in ("old", "young")},
    **{f"Blob_Download:{way}": {"range": text} for way, text in RANGES.items()},
    "Blob_Download:hashed": {"range_get_content_md5": True},
    "Blob_Download:doubly": {
        "range": "bytes=0-3",
        "range_get_content_md5": True,
        "range_get_content_crc64": True,
    },
    "Blob_Download:empty": {"blob": BLOB},
    "Blob_Download:staged-only": {"blob": BLOB},
    "Blob_GetProperties:staged": {"blob": BLOB},
    "Blob_GetProperties:empty": {"blob": BLOB},
    "Blob_GetTags:none": {"blob": BLOB},
    "BlockBlob_GetBlockList:over": {"list_type": "all"},
    "BlockBlob_GetBlockList:whole": {"list_type": "all"},
    "BlockBlob_GetBlockList:rest": {"list_type": "all"},
    "PageBlob_GetPageRanges:none": {"blob": BLOB},
    "PageBlob_GetPageRanges:gap": {"blob": BLOB},
    "PageBlob_GetPageRanges:past": {"range": "bytes=4096-8191"},
    "Container_GetProperties:leased": {"container": CONTAINER},
    "Container_GetProperties:full": {"container": CONTAINER},
    "Container_GetAccessPolicy:never": {"container": CONTAINER},
    "Container_GetAccessPolicy:two": {"container": CONTAINER},
}
_LISTING: dict[str, Mapping[str, Any]] = {
    "Container_ListBlobFlatSegment:lost": {"marker": "not-a-marker"},
    "Container_ListBlobHierarchySegment:lost": {"marker": "not-a-marker"},
    "Service_ListContainersSegment:lost": {"marker": "not-a-marker"},
    "Service_ListContainersSegment:leased": {"include": ["metadata"]},
    "Container_ListBlobFlatSegment:formers": {"include": ["snapshots"]},
    "Container_ListBlobFlatSegment:everything": {"include": ["snapshots", "metadata", "tags", "copy"]},
    "Container_ListBlobFlatSegment:none": {"container": CONTAINER},
    "Container_ListBlobFlatSegment:odd": {"container": CONTAINER},
    "Container_ListBlobHierarchySegment:mixed": {"container": CONTAINER},
    "Container_ListBlobHierarchySegment:described": {"include": ["metadata"]},
    "Container_ListBlobHierarchySegment:snapshots": {"include": ["snapshots"]},
    "Container_ListBlobHierarchySegment:none": {"container": CONTAINER},
    **{
        f"Container_FilterBlobs:{way}": {"where": text}
        for way, text in {
            "within": "@container='none' AND colour='blue'",
            "syntax": "colour=",
            "unquoted": "colour=blue",
            "above": "colour>'a'",
        }.items()
    },
}
_WRITING: dict[str, Mapping[str, Any]] = {
    "AppendBlob_Create:over": {"blob": BLOB},
    "PageBlob_Create:over": {"blob": BLOB},
    "BlockBlob_Upload:empty": {"body": b""},
    "BlockBlob_Upload:slash": {"blob": Text((BLOB, "/"))},
    "BlockBlob_Upload:double": {"blob": Text((BLOB, "//x"))},
    "BlockBlob_Upload:plain": {"body": b"another body"},
    "BlockBlob_Upload:once": {"if_none_match": "*"},
    "BlockBlob_Upload:there": {"if_match": MADE},
    "BlockBlob_Upload:nothing": {"if_match": STRANGE},
    "BlockBlob_Upload:anything": {"if_match": "*"},
    "BlockBlob_Upload:leased": {"lease_id": LEASE, "body": b"another body"},
    "BlockBlob_Upload:cold": {"tier": "Archive"},
    "BlockBlob_Upload:tags": {"blob_tags_string": "&".join(f"t{number}=v" for number in range(11))},
    "BlockBlob_Upload:twofold": {"blob_tags_string": "a=1&a=2"},
    "BlockBlob_Upload:written": {"blob_tags_string": "a%20b=c%2Fd+e&empty="},
    "BlockBlob_Upload:signs": {"blob_tags_string": "a=%21%2A"},
    "BlockBlob_Upload:digit": {"metadata": {"1st": "one"}},
    "BlockBlob_Upload:named": {"metadata": {"Camel": "Value With  Spaces", "under_score": ""}},
    "BlockBlob_StageBlock:unequal": {"block_id": "bm90IGJhc2U2NA"},
    "BlockBlob_StageBlock:wide": {"block_id": "eHh4" * 22},
    "BlockBlob_StageBlock:empty": {"body": b""},
    "BlockBlob_CommitBlockList:part": _blocks(BLOCK),
    "BlockBlob_CommitBlockList:mixed": _blocks(Committed=[BLOCK], Uncommitted=[SECOND]),
    "BlockBlob_CommitBlockList:gone": _blocks(BLOCK),
    "BlockBlob_CommitBlockList:tagged": {"blob_tags_string": "colour=blue", "tier": "Cool"},
    "BlockBlob_CommitBlockList:once": {"if_none_match": "*"},
    "AppendBlob_AppendBlock:empty": {"body": b""},
    "AppendBlob_AppendBlock:fits": {"max_size": 30, "append_position": 15},
    "PageBlob_Create:odd": {"blob_content_length": 1000},
    "PageBlob_Create:none": {"blob_content_length": 0},
    "PageBlob_Create:negative": {"blob_sequence_number": -1},
    "PageBlob_UploadPages:short": {"range": "bytes=0-1023"},
    "PageBlob_UploadPages:over": {"body": b"q" * 512},
    "PageBlob_UploadPages:beyond-end": {"range": "bytes=512-1535", "body": PAGE * 2},
    "PageBlob_UploadPages:later": {"if_sequence_number_less_than_or_equal_to": 2},
    "PageBlob_UploadPages:equal": {"if_sequence_number_equal_to": 5},
    "PageBlob_ClearPages:later": {"if_sequence_number_less_than_or_equal_to": 2},
    "PageBlob_ClearPages:beyond": {"range": "bytes=1024-1535"},
    "PageBlob_Resize:odd": {"blob_content_length": 1000},
    "PageBlob_Resize:none": {"blob_content_length": 0},
    "PageBlob_UpdateSequenceNumber:higher": {"sequence_number_action": "max", "blob_sequence_number": 9},
    "PageBlob_UpdateSequenceNumber:lower": {"sequence_number_action": "update", "blob_sequence_number": 1},
    "PageBlob_UpdateSequenceNumber:bare": {"blob_sequence_number": None},
    "PageBlob_UpdateSequenceNumber:negative": {"blob_sequence_number": -1},
}
_KEEPING: dict[str, Mapping[str, Any]] = {
    "Blob_Delete:both": {**TAKEN, "delete_snapshots": "include"},
    "Blob_Delete:never": {"snapshot": NOBODYS},
    "Blob_Delete:bare": {"delete_snapshots": "only"},
    "Blob_Delete:leased": {"lease_id": LEASE},
    "Blob_Delete:archived": {"blob": BLOB},
    "Blob_SetTags:eleven": _tags(*((f"t{number}", "v") for number in range(11))),
    "Blob_SetTags:same": _tags(("a", "1"), ("a", "2")),
    "Blob_SetTags:nameless": _tags(("", "1")),
    "Blob_SetTags:marks": _tags(("a<b", "1")),
    "Blob_SetTags:valueless": _tags(("a", "")),
    "Blob_SetTags:wide": _tags(("k" * 129, "v")),
    "Blob_SetTags:wordy": _tags(("k", "v" * 257)),
    "Blob_SetTags:spaced": _tags(("a b", "c/d+e:f.g_h-i=j")),
    "Blob_SetMetadata:digit": {"metadata": {"1st": "one"}},
    "Blob_SetMetadata:cased": {"metadata": {"Camel": "A", "camel2": "B"}},
    "Blob_SetHTTPHeaders:full": {
        "blob_content_type": "text/html",
        "blob_content_encoding": "identity",
        "blob_content_language": "de",
        "blob_cache_control": "no-store",
        "blob_content_disposition": "inline",
        "blob_content_md5": bytes(16),
    },
    "Blob_SetTier:page": {"tier": "P10"},
    "Blob_SetTier:same": {"tier": "Cool"},
    "Blob_SetTier:soon": {"tier": "Hot", "rehydrate_priority": "High"},
    "Blob_CreateSnapshot:second": {"blob": BLOB},
    "Blob_CreateSnapshot:tagged-up": {"blob": BLOB},
    "Blob_StartCopyFromURL:archived": {"copy_source": ELSEWHERE},
    "Blob_StartCopyFromURL:tiered": {"copy_source": ELSEWHERE, "tier": "Cool"},
    "Blob_StartCopyFromURL:tags": {"copy_source": ELSEWHERE, "blob_tags_string": "shape=round"},
    "Blob_StartCopyFromURL:over": {"copy_source": ELSEWHERE},
    "Blob_StartCopyFromURL:leased": {"copy_source": ELSEWHERE},
    "Blob_StartCopyFromURL:nowhere": {
        "copy_source": Text((Name("endpoint"), "/", Name("container", 9), "/", BLOB))
    },
    "Blob_StartCopyFromURL:words": {"copy_source": "not a url"},
    "Blob_CopyFromURL:tiered": {"copy_source": ELSEWHERE, "tier": "Cool"},
    "Blob_CopyFromURL:tags": {"copy_source": ELSEWHERE, "blob_tags_string": "shape=round"},
    "Blob_CopyFromURL:over": {"copy_source": ELSEWHERE},
    "Container_Create:named": {"metadata": {"Camel": "Value With  Spaces"}},
    "Container_SetAccessPolicy:public": {"access": "blob", "body": None},
    "Container_SetAccessPolicy:private": {"body": None},
    "Container_Delete:leased": {"lease_id": LEASE},
}
_LEASES: dict[str, Mapping[str, Any]] = {
    "AcquireLease:broken": {"proposed_lease_id": OTHER_LEASE},
    "AcquireLease:shorter": {"duration": 15},
    "AcquireLease:unnamed": {"proposed_lease_id": None},
    "RenewLease:breaking": {"lease_id": LEASE},
    "ReleaseLease:breaking": {"lease_id": LEASE},
    "ReleaseLease:never": {"lease_id": LEASE},
    "ChangeLease:breaking": {"lease_id": LEASE},
    "ChangeLease:never": {"lease_id": LEASE},
    "BreakLease:released": {"break_period": 0},
    "BreakLease:never": {"break_period": 0},
    "BreakLease:twice": {"break_period": 0},
    "BreakLease:long": {"break_period": 60},
}
_LEASING = {f"{kind}_{way}": given for kind in ("Blob", "Container") for way, given in _LEASES.items()}
WAYS: dict[str, Mapping[str, Any]] = {
    **PROPERTIES,
    **policies("Container", "racwdl"),
    **_READING,
    **_LISTING,
    **_WRITING,
    **_KEEPING,
    **_LEASING,
}

RELATED: dict[str, tuple[Any, ...]] = {
    "Blob_CreateSnapshot:first": ({"metadata": {"turn": "first"}},),
    "Blob_CreateSnapshot:another": ({"metadata": {"turn": "another"}},),
    "BlockBlob_Upload:hollow": ({"body": b""},),
    "BlockBlob_Upload:outer": ({"blob": OTHER, "metadata": MORE},),
    "BlockBlob_Upload:inside": ({"blob": Text((BLOB, "/inner")), "metadata": MORE},),
    "BlockBlob_Upload:odd": ({"blob": Text((BLOB, " ü&+%<'\">"))},),
    "BlockBlob_Upload:cold-source": ({"blob": OTHER, "tier": "Archive"},),
    "PageBlob_Create:wide": ({"blob_content_length": 4096},),
    "PageBlob_UploadPages:front": ({"range": "bytes=0-511"},),
    "PageBlob_UploadPages:back": ({"range": "bytes=2048-2559"},),
}

_HERE = ("BlockBlob_Upload",)
_RICH = ("BlockBlob_Upload:full",)
_SOURCE = ("BlockBlob_Upload:source",)
_PAGES = ("PageBlob_Create", "PageBlob_UploadPages")
_STAGED = ("BlockBlob_StageBlock:first", "BlockBlob_StageBlock:second")
_COMMITTED = ("BlockBlob_StageBlock", "BlockBlob_CommitBlockList")
_COPIES = ("Blob_StartCopyFromURL", "Blob_CopyFromURL")
_NUMBERED = ("PageBlob_Create:full",)


def _leased(kind: str) -> dict[str, tuple[str, ...]]:
    """What is done to a lease before each of these calls."""
    held = f"{kind}_AcquireLease"
    before = {
        "AcquireLease:broken": (held, f"{kind}_BreakLease"),
        "AcquireLease:shorter": (held,),
        "RenewLease:breaking": (held, f"{kind}_BreakLease:slow"),
        "ReleaseLease:breaking": (held, f"{kind}_BreakLease:slow"),
        "ChangeLease:breaking": (held, f"{kind}_BreakLease:slow"),
        "BreakLease:released": (held, f"{kind}_ReleaseLease"),
        "BreakLease:twice": (held, f"{kind}_BreakLease"),
    }
    made = ("BlockBlob_Upload",) if kind == "Blob" else ("Container_Create",)
    never = {f"{verb}Lease:never": made for verb in ("Release", "Change", "Break")}
    return {f"{kind}_{way}": needs for way, needs in {**before, **never}.items()}


NEEDS: dict[str, tuple[str, ...]] = {
    **{f"BlockBlob_Upload:{way}": _HERE for way in ("old", "young", "there", "once", "anything")},
    "BlockBlob_Upload:plain": _RICH,
    "BlockBlob_Upload:leased": (*_HERE, "Blob_AcquireLease"),
    "Blob_Download:empty": ("BlockBlob_Upload:hollow",),
    "Blob_GetProperties:empty": ("BlockBlob_Upload:hollow",),
    "Blob_Download:staged-only": ("Container_Create", "BlockBlob_StageBlock"),
    "Blob_GetProperties:staged": ("Container_Create", "BlockBlob_StageBlock"),
    "Blob_GetTags:none": _HERE,
    "BlockBlob_GetBlockList:over": (
        "BlockBlob_StageBlock",
        "BlockBlob_CommitBlockList",
        "BlockBlob_Upload:over",
    ),
    "BlockBlob_GetBlockList:whole": _HERE,
    "BlockBlob_GetBlockList:rest": (*_STAGED, "BlockBlob_CommitBlockList:part"),
    "PageBlob_GetPageRanges:none": ("PageBlob_Create",),
    "PageBlob_GetPageRanges:gap": (
        "PageBlob_Create:wide",
        "PageBlob_UploadPages:back",
        "PageBlob_UploadPages:front",
    ),
    "Container_GetProperties:leased": ("Container_AcquireLease",),
    "Container_GetProperties:full": ("Container_Create:metadata",),
    "Container_GetAccessPolicy:never": ("Container_Create",),
    "Container_GetAccessPolicy:two": ("Container_SetAccessPolicy:two",),
    "Service_ListContainersSegment:leased": ("Container_Create:metadata", "Container_AcquireLease"),
    "Container_ListBlobFlatSegment:formers": ("Blob_CreateSnapshot:first", "Blob_CreateSnapshot:another"),
    "Container_ListBlobFlatSegment:everything": (*_RICH, "Blob_CreateSnapshot:first"),
    "Container_ListBlobFlatSegment:none": ("Container_Create",),
    "Container_ListBlobFlatSegment:odd": ("BlockBlob_Upload:odd",),
    "Container_ListBlobHierarchySegment:none": ("Container_Create",),
    **dict.fromkeys(
        (f"Container_ListBlobHierarchySegment:{way}" for way in ("mixed", "described", "snapshots")),
        ("BlockBlob_Upload:outer", "BlockBlob_Upload:inside"),
    ),
    "AppendBlob_Create:over": ("AppendBlob_Create:full", "AppendBlob_AppendBlock"),
    "PageBlob_Create:over": (*_NUMBERED, "PageBlob_UploadPages"),
    "BlockBlob_CommitBlockList:part": _STAGED,
    "BlockBlob_CommitBlockList:mixed": (
        "BlockBlob_StageBlock:first",
        "BlockBlob_CommitBlockList:part",
        "BlockBlob_StageBlock:second",
    ),
    "BlockBlob_CommitBlockList:gone": ("BlockBlob_StageBlock:first", "BlockBlob_Upload:over"),
    "BlockBlob_CommitBlockList:once": (*_HERE, "BlockBlob_StageBlock"),
    "AppendBlob_AppendBlock:fits": ("AppendBlob_Create", "AppendBlob_AppendBlock"),
    "PageBlob_UploadPages:over": _PAGES,
    "PageBlob_UploadPages:later": _NUMBERED,
    "PageBlob_UploadPages:equal": _NUMBERED,
    "PageBlob_ClearPages:later": _NUMBERED,
    "PageBlob_UpdateSequenceNumber:higher": _NUMBERED,
    "PageBlob_UpdateSequenceNumber:lower": _NUMBERED,
    "Blob_Delete:both": ("Blob_CreateSnapshot",),
    "Blob_Delete:leased": (*_HERE, "Blob_AcquireLease"),
    "Blob_Delete:archived": (*_HERE, "Blob_SetTier:archived"),
    "Blob_SetTier:page": ("PageBlob_Create",),
    "Blob_SetTier:same": (*_HERE, "Blob_SetTier"),
    "Blob_SetTier:soon": (*_HERE, "Blob_SetTier:archived"),
    "Blob_CreateSnapshot:second": ("Blob_CreateSnapshot:first",),
    "Blob_CreateSnapshot:tagged-up": _RICH,
    "Blob_StartCopyFromURL:archived": ("BlockBlob_Upload:cold-source",),
    **dict.fromkeys(
        (
            f"{name}:{way}"
            for name in ("Blob_StartCopyFromURL", "Blob_CopyFromURL")
            for way in ("tiered", "tags")
        ),
        _SOURCE,
    ),
    "Blob_StartCopyFromURL:over": (*_SOURCE, "BlockBlob_Upload:full"),
    "Blob_CopyFromURL:over": (*_SOURCE, "BlockBlob_Upload:full"),
    "Blob_StartCopyFromURL:leased": (*_SOURCE, "BlockBlob_Upload:full", "Blob_AcquireLease"),
    "Blob_SetHTTPHeaders:full": _RICH,
    "Container_SetAccessPolicy:private": ("Container_SetAccessPolicy:public",),
    "Container_Delete:leased": ("Container_AcquireLease",),
    **_leased("Blob"),
    **_leased("Container"),
}
