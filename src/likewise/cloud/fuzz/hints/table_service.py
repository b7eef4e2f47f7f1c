"""Azure Table Storage."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Name, Ref
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.hints import rules_table
from likewise.cloud.fuzz.hints.blob import ACL, SERVICE
from likewise.cloud.fuzz.hints.ways_table import NEEDS, RELATED, WAYS
from likewise.cloud.services.call import words

ROW = Name("row")
MARK = Ref(-1, ("Table_InsertEntity", "headers", "etag"))
ENTITY = {"PartitionKey": "part", "RowKey": ROW, "n": 7, "s": "text", "b": True}

VALUES = {
    "Table_Create.body": {"json": {"TableName": Name("table")}},
    "Table_InsertEntity.body": {"json": ENTITY},
    "Table_UpdateEntity.body": {"json": {**ENTITY, "n": 8}},
    "Table_MergeEntity.body": {"json": {"PartitionKey": "part", "RowKey": ROW, "extra": "more"}},
    "Table_SetAccessPolicy.body": ACL,
    "Service_SetProperties.body": SERVICE,
    "partition_key": "part",
    "row_key": ROW,
    "if_match": "*",
    "Table_DeleteEntity.etag": "*",
    "Table_DeleteEntity.match_condition": "IfPresent",
    "etag": "*",
    "match_condition": "IfPresent",
    "format": "application/json;odata=fullmetadata",
    "select": "n,s",
    "filter": "PartitionKey eq 'part'",
    "Table_Query.filter": None,
    "top": 2,
    "next_partition_key": "part",
    "next_row_key": ROW,
    "next_table_name": Name("table"),
    "response_preference": "return-no-content",
    "timeout": 30,
    "content_type": None,
}

HINTS = Hints(
    names={"table": "table"},
    makers={"table": "Table_Create", "row": "Table_InsertEntity"},
    values=VALUES,
    failing={
        "etag": {
            "etag": "W/\"datetime'2020-01-01T00%3A00%3A00.0000000Z'\"",
            "match_condition": "IfNotModified",
        },
    },
    wrong={
        "Table_InsertEntity.body": tuple(
            {"json": {**ENTITY, key: f"a{mark}b"}}
            for mark in ("/", "#", "\\", "?", "\t")
            for key in ("PartitionKey", "RowKey")
        ),
    },
    further={
        "Table_QueryEntities.filter": (
            "PartitionKey eq 'part' and n gt 5",
            "n lt 5 or s eq 'text'",
            "not (n ge 8)",
            "b eq true",
            "s ne 'other'",
            "n eq 7L",
            "n eq '7'",
            "s eq 7",
            "RowKey ge 'a' and RowKey le 'z'",
            "Timestamp gt datetime'2020-01-01T00:00:00Z'",
            " or ".join(f"n eq {number}" for number in range(16)),
        ),
        "Table_Query.filter": ("TableName ge 'a'", "TableName ne 'other'"),
        "select": ("n", "PartitionKey,RowKey", "none", "*"),
    },
    along={"etag": {"match_condition": "IfNotModified"}},
    holding={"etag": ({"etag": MARK, "match_condition": "IfNotModified"},)},
    creates={"Table_Create": words("table")},
    needs={
        "Service_GetProperties": ("Service_SetProperties",),
        "Table_QueryEntities": ("Table_InsertEntity",),
        "Table_QueryEntitiesWithPartitionAndRowKey": ("Table_InsertEntity",),
        "Table_UpdateEntity": ("Table_InsertEntity",),
        "Table_MergeEntity": ("Table_InsertEntity",),
        "Table_DeleteEntity": ("Table_InsertEntity",),
        "Table_GetAccessPolicy": ("Table_SetAccessPolicy",),
        "Table_Query": ("Table_Create",),
        **NEEDS,
        **rules_table.NEEDS,
    },
    ways={**WAYS, **rules_table.WAYS},
    related={**RELATED, **rules_table.RELATED},
    observers={
        "Table_Create": ("Table_Query",),
        "Table_Delete": ("Table_Query",),
        "Table_SetAccessPolicy": ("Table_GetAccessPolicy",),
        "Table_*Entity": ("Table_QueryEntities", "Table_QueryEntitiesWithPartitionAndRowKey"),
        "Service_SetProperties": ("Service_GetProperties",),
    },
    cased=words("table"),
    account=words("Service_SetProperties Service_GetProperties"),
    removers={"table": "Table_Delete", "row": "Table_DeleteEntity"},
    lists=words("Table_QueryEntities Table_Query"),
)
