"""What Azure's documentation says of calls to Table Storage that are right in each part: types, filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.rules_azure import PROPERTIES, policies

TABLE, ROW = Name("table"), Name("row")
KEYS = {"PartitionKey": "part", "RowKey": ROW}
MADE = Ref(-1, ("Table_InsertEntity", "headers", "etag"))
ANY = {"etag": "*", "match_condition": "IfPresent"}
ODD = 'it\'s <a> & "b" 100% ü'


def _row(**fields: Any) -> dict[str, Any]:
    """A row with some fields."""
    return {"body": {"json": {**KEYS, **fields}}}


def _typed(value: Any, kind: str) -> dict[str, Any]:
    return _row(**{"x": value, "x@odata.type": f"Edm.{kind}"})


VALUES: dict[str, Mapping[str, Any]] = {
    "long": _typed("9223372036854775807", "Int64"),
    "longer": _typed("9223372036854775808", "Int64"),
    "unquoted": _typed(7, "Int64"),
    "words": _typed("seven", "Int64"),
    "infinite": _typed("Infinity", "Double"),
    "negative": _typed("-Infinity", "Double"),
    "whole": _typed(3, "Double"),
    "precise": _row(x=0.1234567890123456789),
    "huge": _row(x=1e308),
    "wide": _row(x=2**31),
    "first": _typed("1601-01-01T00:00:00Z", "DateTime"),
    "earlier": _typed("1600-12-31T00:00:00Z", "DateTime"),
    "zoned": _typed("2031-01-01T10:00:00+02:00", "DateTime"),
    "day": _typed("2031-01-01", "DateTime"),
    "never": _typed("yesterday", "DateTime"),
    "guid": _typed("not-a-guid", "Guid"),
    "capital": _typed("C9DA6455-213D-42C9-9A79-3E9149A57833", "Guid"),
    "bytes": _typed("not base64!", "Binary"),
    "hollow": _typed("", "Binary"),
    "true": _typed("true", "Boolean"),
    "number": _typed("7", "Int32"),
    "strange": _typed("x", "Colour"),
    "text": _typed("text", "String"),
    "odd": _row(x=ODD),
    "spaced": _row(x="  two  spaces \n"),
    "null": _row(x=None),
    "list": _row(x=[1, 2]),
    "cased": _row(x=1, X=2),
    "dashed": _row(**{"a-b": 1}),
    "digit": _row(**{"1st": 1}),
    "foreign": _row(ü=1),
    "system": _row(Timestamp="2001-01-01T00:00:00Z"),
}
"""Values of every type at its ends, beyond them, and in other forms."""
_VARIED = ("Table_InsertEntity", "Table_UpdateEntity", "Table_MergeEntity")
FILTERS = {
    "above": "n gt 6",
    "from": "n ge 7",
    "below": "n lt 8",
    "to": "n le 7",
    "unlike": "n ne 7",
    "both": "n gt 5 and s eq 'text'",
    "either": "n eq 1 or s eq 'text'",
    "order": "n eq 1 or n eq 7 and s eq 'other'",
    "grouped": "(n eq 1 or n eq 7) and s eq 'other'",
    "not": "not (n eq 7)",
    "negative": "n gt -1",
    "fraction": "n lt 7.5",
    "capital": "s eq 'TEXT'",
    "property": "N eq 7",
    "missing": "nowhere eq 7",
    "unmissed": "nowhere ne 7",
    "mixed": "n eq '7'",
    "truth": "b eq false",
    "bare": "b",
    "empty": "s gt ''",
    "range": "s ge 'te' and s lt 'tf'",
    "row": "RowKey gt 'a'",
    "quoted": "s eq 'it''s'",
    "unended": "s eq 'text",
    "unopened": "n eq 7)",
    "word": "n like 7",
    "half": "n eq",
    "turned": "7 eq n",
    "function": "startswith(s, 'te')",
    "spaces": "  n   eq   7  ",
    "upper": "n EQ 7",
    "time": "Timestamp lt datetime'2099-01-01T00:00:00Z'",
    "never": "Timestamp lt datetime'2001-01-01T00:00:00Z'",
    "nothing": "",
}
"""Sentences of the language of filters: each comparison, precedence, other types, and wrong ones."""

WAYS: dict[str, Mapping[str, Any]] = {
    **PROPERTIES,
    **policies("Table", "raud"),
    **{f"{name}:{way}": given for name in _VARIED for way, given in VALUES.items()},
    "Table_InsertEntity:blank": _row(PartitionKey="", RowKey=""),
    "Table_InsertEntity:keyless": {"body": {"json": {"PartitionKey": "part", "n": 1}}},
    "Table_InsertEntity:numbered": {"body": {"json": {**KEYS, "PartitionKey": 7}}},
    "Table_InsertEntity:odd-key": {"body": {"json": {**KEYS, "PartitionKey": ODD}}},
    "Table_InsertEntity:control": {"body": {"json": {**KEYS, "PartitionKey": "a\u0001b"}}},
    "Table_InsertEntity:long-key": {"body": {"json": {**KEYS, "PartitionKey": "p" * 1025}}},
    "Table_InsertEntity:longest-key": {"body": {"json": {**KEYS, "PartitionKey": "p" * 512}}},
    "Table_InsertEntity:long-name": _row(**{"x" * 256: 1}),
    "Table_InsertEntity:longest-name": _row(**{"x" * 255: 1}),
    "Table_InsertEntity:many": _row(**{f"p{number}": 1 for number in range(253)}),
    "Table_InsertEntity:most": _row(**{f"p{number}": 1 for number in range(252)}),
    "Table_InsertEntity:told": {"response_preference": "return-content"},
    "Table_InsertEntity:twice": {"response_preference": "return-no-content"},
    "Table_InsertEntity:bare": {"format": "application/json;odata=nometadata"},
    "Table_InsertEntity:json": {"format": "application/json"},
    "Table_Create:told": {"response_preference": "return-content"},
    "Table_Create:silent": {"response_preference": "return-no-content"},
    "Table_Create:full": {"format": "application/json;odata=fullmetadata"},
    "Table_Create:bare": {"format": "application/json;odata=nometadata"},
    "Table_Create:reserved": {"body": {"json": {"TableName": "tables"}}},
    "Table_Create:short": {"body": {"json": {"TableName": "ab"}}},
    "Table_Create:digit": {"body": {"json": {"TableName": Text(("1", TABLE))}}},
    "Table_Create:dashed": {"body": {"json": {"TableName": Text((TABLE, "-x"))}}},
    "Table_Create:capital": {"body": {"json": {"TableName": Text((TABLE, "ABC"))}}},
    **{f"Table_QueryEntities:{way}-filter": {"filter": text} for way, text in FILTERS.items()},
    "Table_QueryEntities:nowhere": {"select": "nowhere"},
    "Table_QueryEntities:keys": {"select": "PartitionKey,RowKey,Timestamp"},
    "Table_QueryEntities:twofold": {"select": "n,n"},
    "Table_QueryEntities:loose": {"select": " n , s "},
    "Table_QueryEntities:small": {"select": "N"},
    "Table_QueryEntities:onward": {"next_partition_key": "part"},
    "Table_QueryEntities:past": {"next_partition_key": "zzz", "next_row_key": "zzz"},
    "Table_QueryEntities:odd": {"filter": "PartitionKey eq 'it''s <a> & \"b\" 100% ü'"},
    "Table_QueryEntities:null": {"table": TABLE},
    "Table_QueryEntities:none-there": {"table": TABLE},
    "Table_QueryEntities:chosen": {"filter": "n gt 5", "select": "s", "top": 1},
    "Table_QueryEntitiesWithPartitionAndRowKey:nowhere": {"select": "nowhere"},
    "Table_QueryEntitiesWithPartitionAndRowKey:keys": {"select": "PartitionKey,RowKey,Timestamp"},
    "Table_QueryEntitiesWithPartitionAndRowKey:capital": {"partition_key": "PART"},
    "Table_QueryEntitiesWithPartitionAndRowKey:merged": {"table": TABLE},
    "Table_QueryEntitiesWithPartitionAndRowKey:replaced": {"table": TABLE},
    "Table_Query:nothing": {"filter": "TableName eq 'nowhere'"},
    "Table_Query:syntax": {"filter": "TableName eq"},
    "Table_Query:other": {"filter": "Name eq 'nowhere'"},
    "Table_Query:bare": {"format": "application/json;odata=nometadata"},
    "Table_Query:range": {"filter": "TableName ge 'lw' and TableName lt 'lx'"},
    **{
        f"Table_{verb}Entity:crossed": {"body": {"json": {**KEYS, "RowKey": "other", "n": 1}}}
        for verb in ("Update", "Merge")
    },
    **{f"Table_{verb}Entity:keyless": {"body": {"json": {"n": 1}}} for verb in ("Update", "Merge")},
    **{f"Table_{verb}Entity:nothing": {"body": {"json": {}}} for verb in ("Update", "Merge")},
    **{f"Table_{verb}Entity:new": {"body": {"json": {**KEYS, "n": 1}}} for verb in ("Update", "Merge")},
    **{
        f"Table_{verb}Entity:current": {"etag": MADE, "match_condition": "IfNotModified"}
        for verb in ("Update", "Merge", "Delete")
    },
    **{
        f"Table_{verb}Entity:malformed": {"etag": "nonsense", "match_condition": "IfNotModified"}
        for verb in ("Update", "Merge", "Delete")
    },
    "Table_MergeEntity:less": _row(n=None),
    "Table_MergeEntity:capital": _row(N=9),
    "Table_UpdateEntity:emptied": {"body": {"json": KEYS}},
    "Table_DeleteEntity:none": ANY,
    "Table_DeleteEntity:capital": {"partition_key": "PART"},
    "Table_GetAccessPolicy:never": {"table": TABLE},
}

RELATED: dict[str, tuple[Any, ...]] = {
    "Table_InsertEntity:oddly": ({"body": {"json": {**KEYS, "PartitionKey": ODD}}},),
    "Table_InsertEntity:voids": (_row(x=None, y=""),),
}

_THERE = ("Table_InsertEntity",)
NEEDS: dict[str, tuple[str, ...]] = {
    "Table_QueryEntities:odd": ("Table_InsertEntity:oddly",),
    "Table_QueryEntities:null": ("Table_InsertEntity:voids",),
    "Table_QueryEntities:none-there": ("Table_Create",),
    "Table_InsertEntity:twice": _THERE,
    "Table_QueryEntitiesWithPartitionAndRowKey:merged": (*_THERE, "Table_MergeEntity"),
    "Table_QueryEntitiesWithPartitionAndRowKey:replaced": (*_THERE, "Table_UpdateEntity"),
    **{f"Table_{verb}Entity:new": ("Table_Create",) for verb in ("Update", "Merge")},
    "Table_DeleteEntity:none": ("Table_Create",),
    "Table_GetAccessPolicy:never": ("Table_Create",),
}
