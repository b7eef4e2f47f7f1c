"""How else Table Storage is called: values of every type, filters on them, other forms of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.ways_blob import SHARED, identifiers

TABLE, ROW = Name("table"), Name("row")
KEYS = {"PartitionKey": "part", "RowKey": ROW}
UNIQUE = "c9da6455-213d-42c9-9a79-3e9149a57833"
TYPES = {
    "d": 1.5,
    "big": "9007199254740993",
    "big@odata.type": "Edm.Int64",
    "when": "2031-01-01T10:20:30.1234567Z",
    "when@odata.type": "Edm.DateTime",
    "id": UNIQUE,
    "id@odata.type": "Edm.Guid",
    "raw": "aGVsbG8=",
    "raw@odata.type": "Edm.Binary",
}
TYPED = {"body": {"json": {**KEYS, **TYPES}}}
EXTREMES = {
    "least": -(2**31),
    "most": 2**31 - 1,
    "nan": "NaN",
    "nan@odata.type": "Edm.Double",
    "tiny": 1e-300,
    "whole": 3.0,
    "whole@odata.type": "Edm.Double",
    "long": "-9223372036854775808",
    "long@odata.type": "Edm.Int64",
    "nothing": None,
    "empty": "",
    "off": False,
    "Timestamp": "2001-01-01T00:00:00Z",
}
"""Values at the ends of their types, and what is not the client's to set."""
ENDS = ("-b", "-B", "9", "10")
"""Ends of keys that come in another order for who counts, or does not tell capitals from small letters."""
PARTS = ("zeta", "alpha")
OUTDATED = {"etag": Ref(-1, ("Table_InsertEntity", "headers", "etag")), "match_condition": "IfNotModified"}
HERE = {"etag": "*", "match_condition": "IfPresent"}
FULL, NO = "application/json;odata=fullmetadata", "application/json;odata=nometadata"
POLICIES = {"body": identifiers("raud")}
FILTERS = {
    "big": "big eq 9007199254740993L",
    "when": "when gt datetime'2030-01-01T00:00:00Z'",
    "id": f"id eq guid'{UNIQUE}'",
    "double": "d gt 1.25 and d lt 2.5",
    "raw": "raw eq X'68656c6c6f'",
}

WAYS: dict[str, Mapping[str, Any]] = {
    **SHARED,
    "Table_Query:own": {"filter": Text(("TableName eq '", TABLE, "'"))},
    "Table_Query:full": {"format": FULL},
    "Table_InsertEntity:typed": TYPED,
    "Table_InsertEntity:keys": {"body": {"json": KEYS}},
    "Table_InsertEntity:elsewhere": {"body": {"json": {**KEYS, "PartitionKey": "other", "n": 7}}},
    "Table_InsertEntity:silent": {"response_preference": "return-no-content"},
    "Table_InsertEntity:full": {**TYPED, "format": FULL},
    **{f"Table_{verb}Entity:absent": HERE for verb in ("Update", "Merge")},
    "Table_UpdateEntity:typed": TYPED,
    "Table_UpdateEntity:less": {"body": {"json": {**KEYS, "s": "other"}}},
    "Table_MergeEntity:typed": TYPED,
    "Table_MergeEntity:over": {"body": {"json": {**KEYS, "n": 9, "s": ""}}},
    "Table_MergeEntity:retyped": {"body": {"json": {**KEYS, "n": "seven"}}},
    **{f"Table_{verb}Entity:outdated": OUTDATED for verb in ("Update", "Merge", "Delete")},
    "Table_InsertEntity:extreme": {"body": {"json": {**KEYS, **EXTREMES}}},
    "Table_InsertEntity:again": {"body": {"json": {**KEYS, "s": "other"}}},
    "Table_QueryEntities:extreme": {"table": TABLE},
    "Table_QueryEntities:merged": {"table": TABLE},
    "Table_QueryEntities:replaced": {"table": TABLE},
    "Table_QueryEntities:spelled": {"table": TABLE},
    "Table_QueryEntities:partitions": {"table": TABLE},
    "Table_QueryEntities:other": {"filter": "PartitionKey eq 'zeta'"},
    "Table_QueryEntities:typed": {"table": TABLE},
    "Table_QueryEntities:full": {"format": FULL},
    "Table_QueryEntities:bare": {"format": NO},
    **{f"Table_QueryEntities:{name}": {"filter": text} for name, text in FILTERS.items()},
    "Table_QueryEntities:some": {"filter": "n gt 5", "select": "n"},
    "Table_QueryEntities:first": {"filter": "PartitionKey eq 'part'", "top": 1},
    "Table_QueryEntities:none": {"filter": "PartitionKey eq 'none'"},
    "Table_QueryEntitiesWithPartitionAndRowKey:typed": {"table": TABLE},
    "Table_QueryEntitiesWithPartitionAndRowKey:full": {"format": FULL},
    "Table_QueryEntitiesWithPartitionAndRowKey:bare": {"format": NO},
    "Table_QueryEntitiesWithPartitionAndRowKey:some": {"select": "n"},
    "Table_SetAccessPolicy:two": POLICIES,
    "Table_SetAccessPolicy:none": {"body": None},
    "Table_GetAccessPolicy:two": {"table": TABLE},
}

_CHANGED = ("Table_InsertEntity", "Table_UpdateEntity:less")
_PARTS = tuple(f"Table_InsertEntity:{part}" for part in PARTS)
_TYPED = ("Table_InsertEntity:typed",)

RELATED: dict[str, tuple[Any, ...]] = {
    **{
        f"Table_InsertEntity:{end}": ({"body": {"json": {**KEYS, "RowKey": Text((ROW, end)), "n": 7}}},)
        for end in ENDS
    },
    **{
        f"Table_InsertEntity:{part}": (
            {"body": {"json": {"PartitionKey": part, "RowKey": Name("row", 1 + number), "n": number}}},
        )
        for number, part in enumerate(PARTS)
    },
}

NEEDS: dict[str, tuple[str, ...]] = {
    **{f"Table_{verb}Entity:outdated": _CHANGED for verb in ("Update", "Merge", "Delete")},
    "Table_InsertEntity:again": ("Table_InsertEntity",),
    "Table_QueryEntities:extreme": ("Table_InsertEntity:extreme",),
    "Table_QueryEntities:merged": ("Table_InsertEntity", "Table_MergeEntity"),
    "Table_QueryEntities:replaced": _CHANGED,
    "Table_QueryEntities:spelled": tuple(f"Table_InsertEntity:{end}" for end in ENDS),
    "Table_QueryEntities:partitions": _PARTS,
    "Table_QueryEntities:other": _PARTS,
    **dict.fromkeys(("Table_UpdateEntity:absent", "Table_MergeEntity:absent"), ("Table_Create",)),
    "Table_SetAccessPolicy:two": ("Table_SetAccessPolicy",),
    "Table_SetAccessPolicy:none": ("Table_SetAccessPolicy",),
    "Table_GetAccessPolicy:two": ("Table_SetAccessPolicy:two",),
    **dict.fromkeys((f"Table_QueryEntities:{way}" for way in ("typed", "full", "bare", *FILTERS)), _TYPED),
    **dict.fromkeys(
        (f"Table_QueryEntitiesWithPartitionAndRowKey:{way}" for way in ("typed", "full", "bare")), _TYPED
    ),
}
