"""Seeded differences of Azure's services, the thirteenth group, written without knowledge of the fuzzer.

What users of emulators have reported, and what the documentation says the service checks. Those of a
service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from seeds.azure import _changed, _is
from seeds.eleven_azure import _dropping
from seeds.further import _json, _more, _number
from seeds.more import MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.thirteen_aws import on_answers, without_query
from seeds.unseen import _without_metadata

MADE = "blob.BlockBlob_Upload, blob.PageBlob_Create, blob.AppendBlob_Create"
ENDS = ("blob.Blob_ReleaseLease", "blob.Blob_BreakLease", "blob.Blob_Delete")
METHODS = {"DELETE", "GET", "HEAD", "MERGE", "POST", "OPTIONS", "PUT", "PATCH", ""}


def _lease_first() -> Rule:
    """That a blob is leased is said before that it is there."""
    leased: set[tuple[str, ...]] = set()

    def tell(request: Request, response: Response) -> Response:
        is_meant = request.operation == "blob.BlockBlob_Upload" and not request.header("x-ms-lease-id")
        if is_meant and response.status == 409 and request.names in leased:
            told = "There is currently a lease on the blob and no lease ID was specified in the request."
            return r.error(request, 412, "LeaseIdMissing", told)
        if response.status < 300 and request.operation == "blob.Blob_AcquireLease":
            leased.add(request.names)
        elif response.status < 300 and request.operation in ENDS:
            leased.discard(request.names)
        return response

    return Rule(name="lease first", matches=r.matching("blob.*"), on_response=tell)


def _no_lease(request: Request, response: Response) -> Response:
    """There is no lease, and not one that has expired."""
    if response.header("x-ms-error-code") != "LeaseNotPresentWithBlobOperation":
        return response
    return r.error(
        request, 412, "LeaseNotPresentWithBlobOperation", "There is currently no lease on the blob."
    )


def archive() -> tuple[Callable[[Request], bool], Callable[[Request, Response], Response]]:
    """Whether a blob is archived, and what to note for that."""
    archived: set[tuple[str, ...]] = set()
    is_set = r.matching(f"{MADE}, blob.Blob_SetTier, blob.Blob_Delete")

    def note(request: Request, response: Response) -> Response:
        if is_set(request) and response.status < 300:
            is_cold = request.header("x-ms-access-tier").lower() == "archive"
            (archived.add if is_cold else archived.discard)(request.names)
        return response

    return lambda request: request.names in archived, note


def refused_if_archived(operation: str) -> Rule:
    """What cannot be done to an archived blob."""
    is_archived, note = archive()

    def refuse(request: Request) -> Request | Response:
        if request.operation != operation or not is_archived(request):
            return request
        return r.error(request, 409, "BlobArchived", "This operation is not permitted on an archived blob.")

    return Rule(name="archived", matches=r.matching("blob.*"), on_request=refuse, on_response=note)


def _thawing(seconds: float) -> Rule:
    """A blob that is taken out of the archive is there for a while."""
    is_archived, note = archive()
    begun: dict[tuple[str, ...], float] = {}

    def tell(request: Request, response: Response) -> Response:
        was_archived = is_archived(request)
        note(request, response)
        if request.operation == "blob.Blob_SetTier" and response.status < 300:
            begun[request.names] = time.monotonic() if was_archived and not is_archived(request) else -1e9
        is_late = time.monotonic() - begun.get(request.names, -1e9) < seconds
        if request.operation != "blob.Blob_GetProperties" or response.status != 200 or not is_late:
            return response
        tier = response.header("x-ms-access-tier")
        pending = response.with_header("x-ms-archive-status", f"rehydrate-pending-to-{tier.lower()}")
        return pending.with_header("x-ms-access-tier", "Archive")

    return Rule(name="thawing", matches=r.matching("blob.*"), on_response=tell)


def _long_blob_name(request: Request) -> bool:
    """Whether the name of a blob is longer than may be."""
    return len(request.names) > 1 and len(request.names[1]) > 1024


def odd_metadata(request: Request) -> bool:
    """Whether a name of the metadata is no identifier."""
    names = [name[10:] for name, _ in request.headers if name.lower().startswith("x-ms-meta-")]
    return any(not re.fullmatch(r"[A-Za-z_]\w*", name) for name in names)


def _unverified(request: Request, response: Response) -> Response:
    """A source of a copy that is not there is one that cannot be verified."""
    if response.status != 404 or response.header("x-ms-error-code") != "BlobNotFound":
        return response
    return r.error(
        request, 400, "CannotVerifyCopySource", "Could not verify the copy source within the specified time."
    )


def _strange_method(request: Request) -> bool:
    """Whether a rule for other origins names a method that there is not."""
    told = re.findall(rb"<AllowedMethods>([^<]*)<", request.body)
    return any(word.strip() not in METHODS for text in told for word in text.decode().split(","))


def _shown_at_once() -> Rule:
    """A message that is updated is not hidden, whatever is asked and told."""
    hides = _number("visibilitytimeout", lambda n: 0 < n <= 604_800)

    def show(request: Request) -> Request:
        return with_query(request, "visibilitytimeout", "0") if hides(request) else request

    def tell(request: Request, response: Response) -> Response:
        if response.status >= 300 or not hides(request):
            return response
        until = datetime.now(UTC) + timedelta(seconds=int(request.query["visibilitytimeout"]))
        return response.with_header("x-ms-time-next-visible", format_datetime(until, usegmt=True))

    which = r.matching("queue.MessageId_Update")
    return Rule(name="shown", matches=which, on_request=show, on_response=tell)


def odd_property(request: Request) -> bool:
    """Whether a property of an entity has a name that is no identifier."""
    names = [name.partition("@")[0] for name in _json(request) if not name.startswith("odata.")]
    return any(not re.fullmatch(r"[^\W\d]\w*", name) for name in names)


def _strange_tag(request: Request, response: Response) -> Response:
    """A tag that no entity ever had is wrong, and not only another one."""
    is_strange = "datetime" not in request.header("If-Match")
    if response.status != 412 or not is_strange:
        return response
    return r.error(
        request, 400, "InvalidInput", "The etag value specified in one of the request headers is not valid."
    )


def _understood(request: Request, response: Response) -> Response:
    """What cannot be understood is refused, not failed over."""
    if response.status != 500:
        return response
    return r.error(request, 400, "InvalidInput", "The query condition specified in the request is invalid.")


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "BlockBlob_Upload", r.reject("blob.BlockBlob_Upload", 400, "OutOfRangeInput", "The specified resource name length is not within the permissible limits.", when=_long_blob_name), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Service_SetProperties", r.reject("blob.Service_SetProperties", 400, "InvalidXmlDocument", "XML specified is not syntactically valid.", when=_more("CorsRule", 5)), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Blob_SetHTTPHeaders", refused_if_archived("blob.Blob_SetHTTPHeaders"), UNSAFE, CONSTRAINT, ""),
    ("blob", "code", "BlockBlob_Upload", _lease_first(), MISLEADING, ERROR, "response"),
    ("blob", "code", "Blob_StartCopyFromURL", on_answers("blob.Blob_StartCopyFromURL", _unverified), MISLEADING, ERROR, "response"),
    ("blob", "message", "Blob_SetMetadata", on_answers("blob.Blob_SetMetadata", _no_lease), MISLEADING, ERROR, "response"),
    ("blob", "status", "Blob_GetProperties", r.change_status("blob.Blob_GetProperties", 304, 412), MISLEADING, ERROR, "response"),
    ("blob", "null reference", "Blob_SetTier", r.change_status("blob.Blob_SetTier", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "field", "Container_ListBlobFlatSegment", r.drop_field("blob.Container_ListBlobFlatSegment", "Blob.Metadata"), WRONG, OTHER, ""),
    ("blob", "state", "BlockBlob_CommitBlockList", _changed("blob.BlockBlob_CommitBlockList", _dropping("x-ms-blob-content-type")), "", OTHER, "state"),
    ("blob", "authorisation", "Container_GetAccessPolicy", r.deny("blob.Container_GetAccessPolicy"), UNSAFE, AUTH, "response"),
    ("blob", "asynchronous", "Blob_SetTier Blob_GetProperties", _thawing(0.8), "", ASYNC, ""),
    ("blob", "ordering", "Container_ListBlobHierarchySegment", r.reverse_list("blob.Container_ListBlobHierarchySegment", "Blob"), WRONG, OTHER, ""),
    ("blob", "paging", "Service_ListContainersSegment", without_query("blob.Service_ListContainersSegment", "maxresults", 5000), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "Queue_SetMetadata", r.reject("queue.Queue_SetMetadata", 400, "InvalidMetadata", "The metadata specified is invalid. It has characters that are not permitted.", when=odd_metadata), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 400, "OutOfRangeQueryParameterValue", "One of the query parameters specified in the request URI is outside the permissible range.", when=_is("messagettl", "-1")), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Service_SetProperties", r.reject("queue.Service_SetProperties", 400, "InvalidXmlNodeValue", "The XML node has a value that is invalid.", when=_strange_method), UNSAFE, CONSTRAINT, ""),
    ("queue", "code", "Messages_Dequeue", r.change_code("queue.Messages_Dequeue", "OutOfRangeQueryParameterValue", "InvalidQueryParameterValue"), MISLEADING, ERROR, "response"),
    ("queue", "message", "Queue_Create", r.change_message("queue.Queue_Create", "There is a queue of that name."), MISLEADING, ERROR, "response"),
    ("queue", "null reference", "Messages_Clear", r.change_status("queue.Messages_Clear", 404, 500), MISLEADING, NULL, "response"),
    ("queue", "field", "Messages_Dequeue", r.change_field("queue.Messages_Dequeue", "DequeueCount", lambda old: str(int(old) - 1)), WRONG, OTHER, ""),
    ("queue", "field", "Service_ListQueuesSegment", r.drop_field("queue.Service_ListQueuesSegment", "Queue.Metadata"), WRONG, OTHER, ""),
    ("queue", "state", "MessageId_Update", _shown_at_once(), "", OTHER, "state"),
    ("queue", "authorisation", "Queue_SetAccessPolicy", r.deny("queue.Queue_SetAccessPolicy"), UNSAFE, AUTH, ""),
    ("queue", "asynchronous", "Queue_SetMetadata Queue_GetProperties", lagging("queue.Queue_SetMetadata", "queue.Queue_GetProperties", 0.8, _without_metadata), "", ASYNC, ""),
    ("queue", "ordering", "Service_ListQueuesSegment", r.reverse_list("queue.Service_ListQueuesSegment", "Queue"), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "PropertyNameInvalid", "The property name is invalid.", when=odd_property), UNSAFE, CONSTRAINT, ""),
    ("table", "code", "Table_UpdateEntity", on_answers("table.Table_UpdateEntity", _strange_tag), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_DeleteEntity", r.change_message("table.Table_DeleteEntity", "The entity is another one by now."), MISLEADING, ERROR, "response"),
    ("table", "null reference", "Table_Query", on_answers("table.Table_Query", _understood), MISLEADING, NULL, "response"),
    ("table", "field", "Table_QueryEntitiesWithPartitionAndRowKey", without_query("table.Table_QueryEntitiesWithPartitionAndRowKey", "$select"), WRONG, OTHER, ""),
    ("table", "field", "Table_InsertEntity", r.drop_field("table.Table_InsertEntity", "header:Preference-Applied"), WRONG, OTHER, "response"),
    ("table", "state", "Table_UpdateEntity", _changed("table.Table_UpdateEntity", lambda request: replace(request, method="MERGE") if _json(request) else request), "", OTHER, "state"),
    ("table", "authorisation", "Table_MergeEntity", r.deny("table.Table_MergeEntity"), UNSAFE, AUTH, ""),
    ("table", "asynchronous", "Table_SetAccessPolicy Table_GetAccessPolicy", lagging("table.Table_SetAccessPolicy", "table.Table_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    ("table", "ordering", "Table_Query", r.reverse_list("table.Table_Query", "value"), WRONG, OTHER, ""),
    ("table", "paging", "Table_Query", without_query("table.Table_Query", "$top", 1000), WRONG, OTHER, ""),
]  # fmt: skip

THIRTEEN_AZURE: tuple[Seed, ...] = tuple(seed(*row, group=13) for row in ROWS)
