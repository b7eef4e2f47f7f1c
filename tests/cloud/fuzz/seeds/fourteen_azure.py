"""Seeded differences of Azure's services, the fourteenth group, written without knowledge of the fuzzer.

Limits that the documentation names and a stand-in does not know, what users have reported to be left out,
forgotten or late. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Response, Rule
from likewise.cloud.rewriting.rules import with_query
from likewise.cloud.rewriting.states import container_of
from seeds.azure import _changed
from seeds.eleven_azure import _dropping
from seeds.further import _json, _number
from seeds.more import ALARM, MISLEADING, UNSAFE, WRONG, _hidden, lagging
from seeds.seed import ASYNC, AUTH, CONSTRAINT, ERROR, NULL, OTHER, Seed, seed
from seeds.thirteen_aws import on_answers, without_query
from seeds.thirteen_azure import odd_metadata, refused_if_archived

COMPARISON = re.compile(r"\b(?:eq|ne|gt|ge|lt|le)\b")
LONG = re.compile(r"\b(\d+)L\b")


def _kept_too_long(request: Request) -> bool:
    """Whether something is to be kept for more than a year."""
    return any(int(days) > 365 for days in re.findall(rb"<Days>(\d+)<", request.body))


def _quiet_metadata(_: Request, response: Response) -> Response:
    """The names of the metadata in small letters."""
    headers = tuple(
        (name.lower() if name.lower().startswith("x-ms-meta-") else name, value)
        for name, value in response.headers
    )
    return response if headers == response.headers else replace(response, headers=headers)


def _early_date(request: Request) -> bool:
    """Whether a date is earlier than dates may be."""
    fields = _json(request)
    dates = [
        fields.get(name[: -len("@odata.type")]) for name, kind in fields.items() if kind == "Edm.DateTime"
    ]
    return any(isinstance(date, str) and date[:4].isdecimal() and int(date[:4]) < 1601 for date in dates)


def _too_many_properties(request: Request) -> bool:
    """Whether an entity has more properties than it may."""
    names = {name for name in _json(request) if not name.startswith("odata.") and "@" not in name}
    return len(names - {"PartitionKey", "RowKey", "Timestamp"}) > 252


def _without_long_numbers(request: Request) -> Request:
    """A long number is compared like any other."""
    told = request.query.get("$filter", "")
    return with_query(request, "$filter", LONG.sub(r"\1", told)) if LONG.search(told) else request


def _with_nothings(request: Request, response: Response) -> Response:
    """A property that is selected and that an entity does not have is nothing."""
    names = [name.strip() for name in request.query.get("$select", "").split(",")]
    if response.status != 200 or names == [""] or "*" in names:
        return response
    fields = json.loads(response.body)
    rows = [{**dict.fromkeys(names), **row} for row in fields.get("value", ())]
    is_same = all(row.keys() == old.keys() for row, old in zip(rows, fields.get("value", ()), strict=True))
    return response if is_same else response.with_body(json.dumps({**fields, "value": rows}).encode())


def _untyped_long(request: Request) -> Request:
    """A long number is stored as the text that it is sent as."""
    fields = _json(request)
    typed = {name for name, kind in fields.items() if kind == "Edm.Int64"}
    if not all(str(fields.get(name.partition("@")[0])).isdecimal() for name in typed):
        return request
    kept = {name: value for name, value in fields.items() if name not in typed}
    return request if kept == fields else request.with_body(json.dumps(kept).encode())


def _by_row(body: bytes) -> bytes:
    """The entities of a list by their rows alone."""
    fields = json.loads(body)
    rows = fields.get("value", [])
    by_row = sorted(rows, key=lambda row: str(row.get("RowKey", "")))
    return body if by_row == rows else json.dumps({**fields, "value": by_row}).encode()


def _lingering_table(seconds: float) -> Rule:
    """A deleted table is listed for a while."""
    deleted: dict[str, float] = {}

    def note(request: Request, response: Response) -> Response:
        if response.status >= 300:
            return response
        if request.operation == "table.Table_Delete":
            deleted[request.names[0]] = time.monotonic()
        elif request.operation == "table.Table_Create":
            deleted.pop(container_of(request), None)
        elif request.operation == "table.Table_Query" and not {"$filter", "$top"} & set(request.query):
            late = sorted(name for name, when in deleted.items() if time.monotonic() - when < seconds)
            fields = json.loads(response.body)
            rows = [*fields.get("value", ()), *({"TableName": name} for name in late)]
            return response.with_body(json.dumps({**fields, "value": rows}).encode()) if late else response
        return response

    return Rule(name="lingering", matches=r.matching("table.Table_*"), on_response=note)


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # Blob
    ("blob", "constraint", "Blob_CreateSnapshot", refused_if_archived("blob.Blob_CreateSnapshot"), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "Service_SetProperties", r.reject("blob.Service_SetProperties", 400, "InvalidXmlNodeValue", "The value for one of the XML nodes is not in the correct format.", when=_kept_too_long), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "PageBlob_Create", r.reject("blob.PageBlob_Create", 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.", when=_number("x-ms-blob-content-length", lambda n: n > 8 << 40)), UNSAFE, CONSTRAINT, ""),
    ("blob", "constraint", "PageBlob_UpdateSequenceNumber", r.reject("blob.PageBlob_UpdateSequenceNumber", 400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format.", when=lambda request: request.header("x-ms-blob-sequence-number").startswith("-")), UNSAFE, CONSTRAINT, ""),
    ("blob", "code", "PageBlob_Create", r.change_code("blob.PageBlob_Create", "InvalidOperation", "InvalidHeaderValue"), MISLEADING, ERROR, "response"),
    ("blob", "code", "Container_Delete", r.change_code("blob.Container_Delete", "LeaseIdMissing", "LeaseAlreadyPresent"), MISLEADING, ERROR, "response"),
    ("blob", "message", "BlockBlob_CommitBlockList", r.change_message("blob.BlockBlob_CommitBlockList", "There are no such blocks."), MISLEADING, ERROR, "response"),
    ("blob", "null reference", "Blob_AbortCopyFromURL", r.change_status("blob.Blob_AbortCopyFromURL", 404, 500), MISLEADING, NULL, "response"),
    ("blob", "field", "Blob_Download", r.drop_field("blob.Blob_Download", "header:x-ms-creation-time"), WRONG, OTHER, ""),
    ("blob", "field", "Service_GetAccountInfo", r.change_field("blob.Service_GetAccountInfo", "header:x-ms-account-kind", "BlobStorage"), WRONG, OTHER, "response"),
    ("blob", "state", "Blob_CreateSnapshot", _changed("blob.Blob_CreateSnapshot", _dropping("x-ms-meta-")), "", OTHER, "state"),
    ("blob", "authorisation", "Blob_GetTags", r.deny("blob.Blob_GetTags"), UNSAFE, AUTH, "response"),
    ("blob", "asynchronous", "Blob_SetTags Container_FilterBlobs", lagging("blob.Blob_SetTags", "blob.Container_FilterBlobs", 0.8, _hidden("Blob")), "", ASYNC, ""),
    ("blob", "ordering", "BlockBlob_GetBlockList", r.reverse_list("blob.BlockBlob_GetBlockList", "Block"), WRONG, OTHER, ""),
    ("blob", "paging", "Container_ListBlobFlatSegment", without_query("blob.Container_ListBlobFlatSegment", "prefix"), WRONG, OTHER, ""),
    # Queue
    ("queue", "constraint", "Queue_Create", r.reject("queue.Queue_Create", 400, "InvalidMetadata", "The metadata specified is invalid. It has characters that are not permitted.", when=odd_metadata), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Messages_Enqueue", r.reject("queue.Messages_Enqueue", 413, "RequestBodyTooLarge", "The request body is too large and exceeds the maximum permissible limit.", when=lambda request: 48 << 10 < len(request.body) <= 64 << 10), UNSAFE, CONSTRAINT, ""),
    ("queue", "constraint", "Service_SetProperties", r.reject("queue.Service_SetProperties", 400, "InvalidXmlNodeValue", "The value for one of the XML nodes is not in the correct format.", when=_kept_too_long), UNSAFE, CONSTRAINT, ""),
    ("queue", "code", "MessageId_Delete", r.change_code("queue.MessageId_Delete", "PopReceiptMismatch", "InvalidQueryParameterValue"), MISLEADING, ERROR, "response"),
    ("queue", "message", "MessageId_Update", r.change_message("queue.MessageId_Update", "The message was not changed."), MISLEADING, ERROR, "response"),
    ("queue", "null reference", "Queue_GetAccessPolicy", r.change_status("queue.Queue_GetAccessPolicy", 404, 500), MISLEADING, NULL, "response"),
    ("queue", "field", "Queue_GetProperties", on_answers("queue.Queue_GetProperties", _quiet_metadata), WRONG, OTHER, ""),
    ("queue", "field", "Messages_Peek", r.drop_field("queue.Messages_Peek", "ExpirationTime"), WRONG, OTHER, ""),
    ("queue", "state", "Service_SetProperties Service_GetProperties", r.change_argument("queue.Service_SetProperties", "HourMetrics.IncludeAPIs", lambda old: "false" if old == "true" else old), "", OTHER, "state"),
    ("queue", "authorisation", "Service_ListQueuesSegment", r.deny("queue.Service_ListQueuesSegment"), UNSAFE, AUTH, "response"),
    ("queue", "asynchronous", "Queue_SetAccessPolicy Queue_GetAccessPolicy", lagging("queue.Queue_SetAccessPolicy", "queue.Queue_GetAccessPolicy", 0.8, _hidden("SignedIdentifier")), "", ASYNC, ""),
    ("queue", "ordering", "Messages_Dequeue", r.reverse_list("queue.Messages_Dequeue", "QueueMessage"), WRONG, OTHER, ""),
    ("queue", "paging", "Messages_Peek", without_query("queue.Messages_Peek", "numofmessages", 32), WRONG, OTHER, ""),
    # Table
    ("table", "constraint", "Table_InsertEntity", r.reject("table.Table_InsertEntity", 400, "OutOfRangeInput", "One of the request inputs is out of range.", when=_early_date), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_MergeEntity", r.reject("table.Table_MergeEntity", 400, "TooManyProperties", "The entity contains more properties than allowed.", when=_too_many_properties), UNSAFE, CONSTRAINT, ""),
    ("table", "constraint", "Table_QueryEntities", r.reject("table.Table_QueryEntities", 400, "InvalidInput", "One of the request inputs is not valid.", when=lambda request: len(COMPARISON.findall(request.query.get("$filter", ""))) > 15), UNSAFE, CONSTRAINT, "response"),
    ("table", "alarm", "Table_QueryEntities", _changed("table.Table_QueryEntities", _without_long_numbers), ALARM, "", "response"),
    ("table", "code", "Table_DeleteEntity", r.change_code("table.Table_DeleteEntity", "UpdateConditionNotSatisfied", "ConditionNotMet"), MISLEADING, ERROR, "response"),
    ("table", "message", "Table_QueryEntities", r.change_message("table.Table_QueryEntities", "One of the request inputs is not valid."), MISLEADING, ERROR, "response"),
    ("table", "field", "Table_QueryEntities", on_answers("table.Table_QueryEntities", _with_nothings), WRONG, OTHER, ""),
    ("table", "field", "Table_GetAccessPolicy", r.drop_field("table.Table_GetAccessPolicy", "Start"), WRONG, OTHER, ""),
    ("table", "state", "Table_InsertEntity", _changed("table.Table_InsertEntity", _untyped_long), "", OTHER, ""),
    ("table", "authorisation", "Table_UpdateEntity", r.deny("table.Table_UpdateEntity"), UNSAFE, AUTH, ""),
    ("table", "asynchronous", "Table_Delete Table_Query", _lingering_table(0.8), "", ASYNC, ""),
    ("table", "ordering", "Table_QueryEntities", r.change_body("table.Table_QueryEntities", _by_row), WRONG, OTHER, ""),
    ("table", "paging", "Table_QueryEntities", without_query("table.Table_QueryEntities", "$top", 1000), WRONG, OTHER, ""),
]  # fmt: skip

FOURTEEN_AZURE: tuple[Seed, ...] = tuple(seed(*row, group=14) for row in ROWS)
