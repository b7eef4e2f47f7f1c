"""Seeded differences of Azure's services, the eighteenth group, written without knowledge of the fuzzer.

Parameters that only go together, limits of single values, an index that lags behind, parts of a
write that are lost. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from seeds.authorisation import _anonymous, _lets_in, _sas, _years
from seeds.azure import _changed
from seeds.further import _json, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.seventeen_aws import in_known
from seeds.seventeen_azure import META, in_container
from seeds.sixteen_azure import _typed, in_table, told_otherwise
from seeds.thirteen_aws import without_query

UNFIT = "The value for one of the HTTP headers is not in the correct format."
UNFIT_NODE = "The value for one of the XML nodes is not in the correct format."
OUT_OF_RANGE = "One of the request inputs is out of range."
NO_OBJECT = "Object reference not set to an instance."


def refused(
    which: str, when: Callable[[Request], bool], status: int, code: str, told: str = NO_OBJECT
) -> Rule:
    """What the server below takes is refused under a condition."""

    def refuse(request: Request, response: Response) -> Response:
        return r.error(request, status, code, told) if response.status < 300 and when(request) else response

    return Rule(name="refused", matches=r.matching(which), on_response=refuse)


def _sum_of_everything(request: Request) -> bool:
    """Whether the sum of a range is asked for and no range is given."""
    wanted = request.header("x-ms-range-get-content-md5").lower() == "true"
    return wanted and not request.header("x-ms-range") and not request.header("Range")


def _no_sum(request: Request) -> bool:
    """Whether the sum that is given for a blob is none, by its length."""
    given = request.header("x-ms-blob-content-md5")
    try:
        return bool(given) and len(b64decode(given, validate=True)) != 16
    except ValueError:
        return True


def _ends_before_it_starts(request: Request) -> bool:
    """Whether a policy is over before it begins."""
    periods = re.findall(rb"<Start>([^<]+)</Start><Expiry>([^<]+)</Expiry>", request.body)
    return any(start > expiry for start, expiry in periods)


def _found_late(seconds: float) -> Rule:
    """A blob is found by its tags only a while after they were set."""
    tagged: dict[tuple[str, ...], float] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "blob.Blob_SetTags" or request.header("x-ms-tags"):
            tagged[request.names] = time.monotonic()
        if not request.operation.endswith("_FilterBlobs"):
            return response
        body = response.body
        for names in [names for names, when in tagged.items() if time.monotonic() - when < seconds]:
            said = rb"<Name>%s</Name><ContainerName>%s</ContainerName>" % (
                names[-1].encode(),
                names[0].encode(),
            )
            body = re.sub(rb"<Blob>%s.*?</Blob>" % re.escape(said), b"", body)
        return response if body == response.body else response.with_body(body)

    return Rule(name="found late", matches=r.matching("blob.*"), on_response=note)


def _without_header(which: str, name: str) -> Rule:
    """A header that is not heeded."""
    return _changed(
        which, lambda request: request.with_header(name, None) if request.header(name) else request
    )


def _without_metadata(request: Request) -> Request:
    """A request that gives no metadata."""
    kept = tuple(header for header in request.headers if not header[0].lower().startswith(META))
    return request if kept == request.headers else replace(request, headers=kept)


def _same_policy_twice(request: Request) -> bool:
    """Whether two policies have one name."""
    names: list[bytes] = re.findall(rb"<Id>([^<]*)</Id>", request.body)
    return len(set(names)) < len(names)


def _not_hidden(request: Request) -> Request:
    """A message that is updated and to be seen at once."""
    is_long = request.query.get("visibilitytimeout", "0") != "0"
    fits = _number("visibilitytimeout", lambda seconds: seconds <= 604_800)
    return with_query(request, "visibilitytimeout", "0") if is_long and fits(request) else request


def _not_counted(_: Request, response: Response) -> Response:
    """An answer by which a queue is empty."""
    name = "x-ms-approximate-messages-count"
    return response if response.header(name) == "0" else response.with_header(name, "0")


def _long_ago(request: Request) -> bool:
    """Whether a time of an entity is one before those that a table knows."""
    return any(re.match(r"(0|1[0-5]|1600)", when) for when in _typed(request, "Edm.DateTime").values())


def _rounded(request: Request) -> Request:
    """An entity whose long numbers have gone through a double."""
    numbers = _typed(request, "Edm.Int64")
    exact = {name: int(text) for name, text in numbers.items() if re.fullmatch(r"-?\d{16,19}", text)}
    rounded = {name: str(min(int(float(number)), 2**63 - 1)) for name, number in exact.items()}
    if all(rounded[name] == numbers[name] for name in rounded):
        return request
    return request.with_body(json.dumps(_json(request) | rounded).encode())


def _merged(request: Request) -> Request:
    """What is to take the place of an entity is added to it; a mark of no right form is looked at otherwise."""
    mark = request.header("If-Match") or "*"
    return replace(request, method="PATCH") if mark == "*" or mark.startswith('W/"') else request


def _has_bytes(request: Request) -> bool:
    return bool(_typed(request, "Edm.Binary"))


def _may_not_delete(request: Request) -> bool:
    """Whether somebody has a signature, still good, that is not for deleting."""
    return "d" not in request.query.get("sp", "d") and not _years("2020")(request)


SETS_POLICY = "Container_SetAccessPolicy"

BLOB: list[tuple[str, str, Rule, str, str, str]] = [
    ("constraint", "Blob_Download", refused("blob.Blob_Download", _sum_of_everything, 400, "InvalidHeaderValue", UNFIT), UNSAFE, CONSTRAINT, "response"),
    ("constraint", "Blob_SetHTTPHeaders", refused("blob.Blob_SetHTTPHeaders", _no_sum, 400, "InvalidMd5", "The MD5 value specified in the request is invalid."), UNSAFE, CONSTRAINT, ""),
    ("constraint", SETS_POLICY, in_container(f"blob.{SETS_POLICY}", _ends_before_it_starts, 400, "InvalidXmlNodeValue", UNFIT_NODE), UNSAFE, CONSTRAINT, ""),
    ("alarm", "PageBlob_UploadPages", _without_header("blob.PageBlob_UploadPages", "x-ms-if-sequence-number-eq"), ALARM, "", ""),
    ("code", "Blob_AcquireLease", r.change_code("blob.Blob_AcquireLease", "LeaseAlreadyPresent", "LeaseAlreadyExists"), MISLEADING, ERROR, "response"),
    ("message", "AppendBlob_AppendBlock", told_otherwise("blob.AppendBlob_AppendBlock", b"AppendPositionConditionNotMet", "Message", "The blob does not end there."), MISLEADING, ERROR, "response"),
    ("null reference", "Blob_StartCopyFromURL", r.change_status("blob.Blob_StartCopyFromURL", 404, 500), MISLEADING, NULL, "response"),
    ("failure", "Blob_SetTags", refused("blob.Blob_SetTags", lambda request: b"<Tag>" not in request.body, 500, "InternalError"), UNSAFE, NULL, ""),
    ("field", "AppendBlob_AppendBlock", r.change_field("blob.AppendBlob_AppendBlock", "header:x-ms-blob-committed-block-count", lambda old: str(int(old) - 1)), WRONG, OTHER, "response"),
    ("state", "Blob_CreateSnapshot", _changed("blob.Blob_CreateSnapshot", _without_metadata), "", OTHER, "state"),
    ("state", "Blob_SetTier", r.change_argument("blob.Blob_SetTier", "header:x-ms-access-tier", lambda old: "Hot" if old == "Cool" else old), "", OTHER, "state"),
    ("state", "BlockBlob_CommitBlockList", _without_header("blob.BlockBlob_CommitBlockList", "x-ms-blob-content-type"), "", OTHER, "state"),
    ("authorisation", "Container_SetMetadata", _lets_in("blob.Container_SetMetadata", _sas("service")), ALARM, AUTH, ""),
    ("authorisation", "Service_GetProperties", refused("blob.Service_GetProperties", _sas("account"), 403, "AuthorizationPermissionMismatch", "This request is not authorized to perform this operation using this permission."), UNSAFE, AUTH, "response"),
    ("asynchronous", "Blob_SetTags BlockBlob_Upload AppendBlob_Create PageBlob_Create BlockBlob_CommitBlockList Container_FilterBlobs Service_FilterBlobs", _found_late(0.8), "", ASYNC, ""),
    ("ordering", "BlockBlob_GetBlockList", r.reverse_list("blob.BlockBlob_GetBlockList", "Block"), WRONG, OTHER, ""),
    ("paging", "Container_ListBlobHierarchySegment", r.page_size(1, "blob.Container_ListBlobHierarchySegment"), WRONG, OTHER, ""),
]  # fmt: skip


def _in_queue(operation: str, when: Callable[[Request], bool], code: str, told: str) -> Rule:
    """A call about a queue that is there is refused."""

    def meant(request: Request) -> bool:
        return request.operation == operation and when(request)

    return in_known("queue", "queue.Queue_Create", "queue.Queue_Delete", meant, (400, code, told))


QUEUE: list[tuple[str, str, Rule, str, str, str]] = [
    ("constraint", "Messages_Enqueue", _in_queue("queue.Messages_Enqueue", _number("messagettl", lambda seconds: 604_800 < seconds < 2**31), "OutOfRangeQueryParameterValue", OUT_OF_RANGE), UNSAFE, CONSTRAINT, ""),
    ("constraint", "Queue_SetAccessPolicy", _in_queue("queue.Queue_SetAccessPolicy", _same_policy_twice, "InvalidXmlDocument", "XML specified is not syntactically valid."), UNSAFE, CONSTRAINT, ""),
    ("message", "MessageId_Update", told_otherwise("queue.MessageId_Update", b"MessageNotFound", "Message", "There is no such message."), MISLEADING, ERROR, "response"),
    ("null reference", "Messages_Peek", r.change_status("queue.Messages_Peek", 404, 500), MISLEADING, NULL, "response"),
    ("field", "Messages_Dequeue", r.drop_field("queue.Messages_Dequeue", "TimeNextVisible"), WRONG, OTHER, "response"),
    ("state", "MessageId_Update", _changed("queue.MessageId_Update", _not_hidden), "", OTHER, ""),
    ("state", "Queue_Create", _changed("queue.Queue_Create", _without_metadata), "", OTHER, "state"),
    ("authorisation", "Messages_Clear", _lets_in("queue.Messages_Clear", _anonymous), ALARM, AUTH, ""),
    ("asynchronous", "Messages_Enqueue Queue_GetProperties", lagging("queue.Messages_Enqueue", "queue.Queue_GetProperties", 0.8, _not_counted), "", ASYNC, ""),
    ("ordering", "Messages_Peek", r.reverse_list("queue.Messages_Peek", "QueueMessage"), WRONG, OTHER, ""),
    ("paging", "Service_ListQueuesSegment", without_query("queue.Service_ListQueuesSegment", "maxresults", 5000), WRONG, OTHER, ""),
]  # fmt: skip

TABLE: list[tuple[str, str, Rule, str, str, str]] = [
    ("constraint", "Table_QueryEntities", refused("table.Table_QueryEntities", _number("$top", lambda most: most > 1000), 400, "InvalidInput", OUT_OF_RANGE), UNSAFE, CONSTRAINT, "response"),
    ("constraint", "Table_InsertEntity", in_table("table.Table_InsertEntity", _long_ago, "OutOfRangeInput", OUT_OF_RANGE), UNSAFE, CONSTRAINT, ""),
    ("alarm", "Table_DeleteEntity", r.change_argument("table.Table_DeleteEntity", "header:If-Match", "*"), ALARM, "", ""),
    ("message", "Table_QueryEntitiesWithPartitionAndRowKey", told_otherwise("table.Table_QueryEntitiesWithPartitionAndRowKey", b"ResourceNotFound", "message.value", "There is no such entity."), MISLEADING, ERROR, "response"),
    ("failure", "Table_MergeEntity", refused("table.Table_MergeEntity", _has_bytes, 500, "InternalError"), UNSAFE, NULL, ""),
    ("field", "Table_QueryEntitiesWithPartitionAndRowKey", r.drop_field("table.Table_QueryEntitiesWithPartitionAndRowKey", "header:ETag"), WRONG, OTHER, ""),
    ("state", "Table_UpdateEntity", _changed("table.Table_UpdateEntity", _merged), "", OTHER, "state"),
    ("state", "Table_InsertEntity", _changed("table.Table_InsertEntity", _rounded), "", OTHER, ""),
    ("authorisation", "Table_Delete", _lets_in("table.Table_Delete", _sas("account", _may_not_delete)), ALARM, AUTH, ""),
    ("asynchronous", "Table_SetAccessPolicy Table_GetAccessPolicy", lagging("table.Table_SetAccessPolicy", "table.Table_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    ("ordering", "Table_Query", r.reverse_list("table.Table_Query", "value"), WRONG, OTHER, ""),
    ("paging", "Table_QueryEntities", r.drop_field("table.Table_QueryEntities", "header:x-ms-continuation-NextRowKey"), WRONG, OTHER, ""),
]  # fmt: skip

EIGHTEEN_AZURE: tuple[Seed, ...] = tuple(
    seed(service, *row, group=18)
    for service, row in chain(
        (("blob", row) for row in BLOB),
        (("queue", row) for row in QUEUE),
        (("table", row) for row in TABLE),
    )
)
