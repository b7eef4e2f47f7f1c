"""Azure Blob Storage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from likewise.cloud.bodies import Mask, Shape
from likewise.cloud.services import generated
from likewise.cloud.services.azure import BINDING, reads_of_policy, service_of, source_path, split_account
from likewise.cloud.services.call import Call, decode
from likewise.cloud.services.flow import Sources
from likewise.cloud.services.masks import constant
from likewise.cloud.services.service import Found, Rule, Service, match, patterns, rules, safe
from likewise.model import Resource, Touch, Value
from likewise.model.interaction import FOREVER

_ARROW = "application/vnd.apache.arrow.stream,application/xml"

SHARPER = {
    "Container_ListBlobHierarchySegment": "?delimiter",
    "Container_ListBlobFlatSegmentApacheArrow": f"!accept={_ARROW}",
    "Container_ListBlobHierarchySegmentApacheArrow": f"?delimiter !accept={_ARROW}",
    "PageBlob_GetPageRangesDiff": "?prevsnapshot",
    "PageBlob_Resize": "!x-ms-blob-content-length",
    "PageBlob_UpdateSequenceNumber": "!x-ms-sequence-number-action",
}
"""What tells operations apart that the model gives the same pattern."""

WITH_HEAD = {
    "Container_GetPropertiesWithHead": "HEAD container ?restype=container",
    "Container_GetAccessPolicyWithHead": "HEAD container ?restype=container ?comp=acl",
    "Container_GetAccountInfoWithHead": "HEAD container ?restype=account ?comp=properties",
    "Service_GetAccountInfoWithHead": "HEAD service ?restype=account ?comp=properties",
    "Blob_GetAccountInfoWithHead": "HEAD blob ?restype=account ?comp=properties",
}
"""Requests that the service also answers to HEAD."""

_READ = "read blob/**; read lease"
_WRITE = "write blob; read lease"
_STORE = "replace blob/**; read lease"
_LEASE = "write lease timed; read blob"
# Each part of a container's properties is set as a whole; which came last shows in all of them.
_CONTAINER_LEASE = "write hold timed; read properties/**; write listed-hold"

OPERATIONS = rules(
    {
        # the account
        "Service_SetProperties": "write account timed",
        "Service_GetProperties": "read account",
        "Service_GetStatistics": "read account",
        "Service_GetAccountInfo": "read account",
        "Service_GetAccountInfoWithHead": "read account",
        "Service_GetUserDelegationKey": "read account",
        "Service_ListContainersSegment": "read containers/**",
        "Service_FilterBlobs": "read account/**",
        "Service_SubmitBatch": "write account/**",
        # containers
        "Container_Create": "absorb container/*; absorb listed/*",
        "Container_Delete": "absorb container/* timed; absorb listed/*; read properties/**",
        "Container_Restore": "write container/** timed; write listed",
        "Container_Rename": "write container/**; write containers/**",
        "Container_GetProperties": "read properties/**",
        "Container_GetPropertiesWithHead": "read properties/**",
        "Container_GetAccountInfo": "read account",
        "Container_GetAccountInfoWithHead": "read account",
        "Container_SetMetadata": "absorb metadata; read properties/**; absorb listed-metadata",
        "Container_GetAccessPolicy": "read properties/**",
        "Container_GetAccessPolicyWithHead": "read properties/**",
        "Container_SetAccessPolicy": "absorb policy; read properties/**; absorb listed-policy",
        "Container_AcquireLease": _CONTAINER_LEASE,
        "Container_RenewLease": _CONTAINER_LEASE,
        "Container_ChangeLease": _CONTAINER_LEASE,
        "Container_ReleaseLease": _CONTAINER_LEASE,
        "Container_BreakLease": _CONTAINER_LEASE,
        "Container_ListBlobFlatSegment": "read container/**",
        "Container_ListBlobFlatSegmentApacheArrow": "read container/**",
        "Container_ListBlobHierarchySegment": "read container/**",
        "Container_ListBlobHierarchySegmentApacheArrow": "read container/**",
        "Container_FilterBlobs": "read container/**",
        "Container_SubmitBatch": "write container/**",
        # blobs of any kind
        "Blob_Download": _READ,
        "Blob_GetProperties": "look blob/**; read lease",
        "Blob_Query": _READ,
        "Blob_GetTags": _READ,
        "Blob_GetAccountInfo": "read account",
        "Blob_GetAccountInfoWithHead": "read account",
        "Blob_Delete": "replace blob/**; absorb lease",
        "Blob_Undelete": "write blob/**",
        "Blob_SetHTTPHeaders": _WRITE,
        "Blob_SetMetadata": _WRITE,
        "Blob_SetTags": _WRITE,
        "Blob_SetTier": _WRITE,
        "Blob_SetExpiry": "write blob timed; read lease",
        "Blob_SetImmutabilityPolicy": "write blob timed",
        "Blob_DeleteImmutabilityPolicy": "write blob",
        "Blob_SetLegalHold": "write blob",
        "Blob_CreateSnapshot": _WRITE,
        "Blob_StartCopyFromURL": _STORE + "; from source/**",
        "Blob_CopyFromURL": _STORE + "; from source/**",
        "Blob_AbortCopyFromURL": "write blob timed; read lease",
        "Blob_AcquireLease": _LEASE,
        "Blob_RenewLease": _LEASE,
        "Blob_ChangeLease": _LEASE,
        "Blob_ReleaseLease": _LEASE,
        "Blob_BreakLease": _LEASE,
        # block, append and page blobs; blocks stay below the blob, for what is made of them depends on them
        "BlockBlob_Upload": _STORE,
        "BlockBlob_PutBlobFromURL": _STORE + "; from source/**",
        "BlockBlob_StageBlock": "write block; read lease",
        "BlockBlob_StageBlockFromURL": "write block; read lease; from source/**",
        "BlockBlob_CommitBlockList": "write blob; read blocks/**; read lease",
        "BlockBlob_GetBlockList": _READ,
        "AppendBlob_Create": _STORE,
        "AppendBlob_AppendBlock": _WRITE,
        "AppendBlob_AppendBlockFromURL": _WRITE + "; from source/**",
        "AppendBlob_Seal": _WRITE,
        "PageBlob_Create": _STORE,
        "PageBlob_UploadPages": _WRITE,
        "PageBlob_UploadPagesFromURL": _WRITE + "; from source/**",
        "PageBlob_ClearPages": _WRITE,
        "PageBlob_GetPageRanges": _READ,
        "PageBlob_GetPageRangesDiff": _READ,
        "PageBlob_Resize": _WRITE,
        "PageBlob_UpdateSequenceNumber": _WRITE,
        "PageBlob_CopyIncremental": "write blob timed; read lease; from source/**",
    }
)

PATTERNS = patterns(
    [
        *((name, f"{pattern} {SHARPER.get(name, '')}") for name, pattern in generated.BLOB.items()),
        *WITH_HEAD.items(),
    ]
)

MASKS: dict[tuple[str, str], Mask] = {
    ("EnumerationResults", "@ServiceEndpoint"): constant("endpoint"),
    ("Properties", "CopySource"): lambda url: "/".join(source_path(url)),
    ("Error", "AuthenticationErrorDetail"): constant("signature"),
    ("UserDelegationKey", "SignedOid"): constant("identity"),
    ("UserDelegationKey", "SignedTid"): constant("identity"),
    ("UserDelegationKey", "Value"): constant("secret"),
}

LISTS = frozenset(
    {"Container", "Blob", "BlobPrefix", "Block", "PageRange", "ClearRange", "SignedIdentifier", "Tag"}
)


_OUTLIVING = frozenset(
    {
        "Blob_CreateSnapshot",
        "Blob_SetExpiry",
        "Blob_SetImmutabilityPolicy",
        "Blob_SetLegalHold",
        "Blob_SetTier",
    }
)
"""What may still be felt after the blob is overwritten or deleted."""


_FORMER = frozenset({"Deleted", "Snapshot", "VersionId"})
"""What, in a list, shows a blob as it was before."""

_PROPERTIES = {"": (), "properties": (), "metadata": ("metadata",), "policy": ("policy",), "hold": ("lease",)}


class Blob(Service):
    """Containers, their properties and leases, blobs, and the blocks not committed yet below them."""

    name = "blob"
    shows_reason = True
    tells_request = True
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]] = OPERATIONS
    content_sent = frozenset(
        {"BlockBlob_Upload", "BlockBlob_StageBlock", "AppendBlob_AppendBlock", "PageBlob_UploadPages"}
    )
    content_received = frozenset(
        {
            "Blob_Download",
            "Blob_Query",
            "Container_ListBlobFlatSegmentApacheArrow",
            "Container_ListBlobHierarchySegmentApacheArrow",
        }
    )
    shape = Shape(lists=LISTS, masks=MASKS)

    def __init__(self) -> None:
        super().__init__()
        self._kept: set[Resource] = set()
        """Blobs with snapshots, versions or a tier of their own, and accounts that keep what is deleted."""
        self._leases: dict[Resource, float] = {}
        """For how long what is leased was."""

    def recognises(self, call: Call) -> bool:
        return service_of(call) == self.name

    def place(self, call: Call) -> None:
        call.account, rest = split_account(call)
        container, slash, blob = rest.partition("/")
        if blob:
            level, call.names = "blob", [decode(container), decode(blob)]
        elif container and (call.query.get("restype") in ("container", "account")):
            level, call.names = "container", [decode(container)]
        elif container and not slash:
            level, call.names = "blob", ["$root", decode(container)]
        else:
            level, call.names = "service", []
        call.operation = match(PATTERNS, level, call, binding=BINDING)
        if not call.operation and level == "blob" and call.names[0] == "$root":
            # A container without its restype; the service refuses it, and so it is named for what it is.
            call.names = [decode(container)]

    def find(self, node: str, call: Call) -> Iterable[Found]:
        account = (self.name, call.account)
        names = call.names
        if node == "account":
            return [(account, True)]
        if node == "containers":
            return [((*account, "?containers"), True)]
        if node == "source":
            return self._source(call)
        if not names:
            return [(account, False)]
        container = (*account, names[0])
        if node == "container":
            return [(container, True)]
        if node.startswith("listed"):
            return [((*account, "?containers", names[0], *_PROPERTIES[node[len("listed-") :]]), True)]
        if node in _PROPERTIES:
            return [((*container, "?properties", *_PROPERTIES[node]), True)]
        if len(names) < 2:
            return [(container, False)]
        if node == "lease":  # beside the blob, not below it: a lease outlives what is overwritten
            return [((*container, "?leases", names[1]), True)]
        return [(self._below(node, (*container, safe(names[1])), call), True)]

    def _touches(self, call: Call, sources: Sources) -> Iterable[Touch]:
        yield from super()._touches(call, sources)
        if call.names:
            yield from reads_of_policy(call, self.find("policy", call))

    def _below(self, node: str, blob: Resource, call: Call) -> Resource:
        if node == "block":
            return (*blob, "?blocks", call.query.get("blockid", ""))
        return (*blob, "?blocks") if node == "blocks" else blob

    def _source(self, call: Call) -> list[Found]:
        source = call.headers.get("x-ms-copy-source", "")
        if "://" not in source:
            return []
        container, blob, *_ = source_path(source)
        return [((self.name, call.account, container, safe(blob)), True)]

    def copy_source(self, text: str) -> Value:
        return list(source_path(text)) if "://" in text else text

    def listed(self, call: Call) -> Iterator[tuple[Resource, dict[str, Value]]]:
        if not call.operation.startswith("Container_ListBlob") or not isinstance(call.response, dict):
            return
        answer = call.response.get("EnumerationResults")
        several = answer.get("Blobs") if isinstance(answer, dict) else None
        entries = several.get("Blob") if isinstance(several, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            if not isinstance(entry, dict) or not _FORMER.isdisjoint(entry):
                continue
            name, stated = entry.get("Name"), entry.get("Properties")
            if isinstance(name, str) and isinstance(stated, dict):
                yield (self.name, call.account, call.names[0], safe(name)), stated

    def replaces(self, call: Call, resource: Resource) -> bool:
        if resource in self._kept or resource[:3] in self._kept or resource[:2] in self._kept:
            return False
        if call.operation == "Blob_StartCopyFromURL" and not self.is_settled(call):
            return False
        return not ("snapshot" in call.query or "x-ms-version-id" in call.response_headers)

    def is_timed(self, call: Call) -> bool:
        pending = call.response_headers.get("x-ms-copy-status", "pending") == "pending"
        copies = call.operation == "Blob_StartCopyFromURL" and pending
        return copies or "x-ms-rehydrate-priority" in call.headers

    def lasts(self, call: Call, resource: Resource) -> float | None:
        """Until a lease is over; what was released stays so."""
        name = call.operation.partition("_")[2]
        if name == "ReleaseLease":
            return FOREVER
        if name == "RenewLease":
            return self._leases.get(resource)
        if name != "AcquireLease":
            return None
        text = call.headers.get("x-ms-lease-duration", "")
        period = float(text) if text.isdecimal() else FOREVER if text == "-1" else None
        if period is not None:
            self._leases[resource] = period
        return period

    def is_settled(self, call: Call) -> bool:
        return call.response_headers.get("x-ms-copy-status", "pending") != "pending"

    def learn(self, call: Call) -> None:
        if call.is_refused:
            return
        account = (self.name, call.account)
        outlives = call.operation in _OUTLIVING or "x-ms-access-tier" in call.headers
        if len(call.names) == 2 and (outlives or "x-ms-version-id" in call.response_headers):
            self._kept.add((*account, call.names[0], safe(call.names[-1])))
        elif call.operation == "Service_SetProperties":
            self._kept.add(account)  # soft delete may be on from here on
