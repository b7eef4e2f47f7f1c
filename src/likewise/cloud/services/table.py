"""Azure Table Storage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from likewise.cloud.bodies import Shape
from likewise.cloud.services import generated
from likewise.cloud.services.azure import BINDING, reads_of_policy, service_of, split_account
from likewise.cloud.services.call import Call, decode
from likewise.cloud.services.flow import Sources
from likewise.cloud.services.masks import path_of
from likewise.cloud.services.service import Found, Rule, Service, match, patterns, rules, safe
from likewise.model import Resource, Touch, Value

NAMES = {"Table_QueryEntityWithPartitionAndRowKey": "Table_QueryEntitiesWithPartitionAndRowKey"}
"""The names of the REST specification, where the Python SDK has its own."""

SHARPER = {
    "Table_Batch": "POST $batch",
    "Table_MergeEntity": "MERGE entity",
    "Table_QueryEntities": "GET table",
    "Table_Query": "GET tables/*",
}
"""Patterns that the SDK does not use but the service answers to."""

OPERATIONS = rules(
    {
        "Service_SetProperties": "write account timed",
        "Service_GetProperties": "read account",
        "Service_GetStatistics": "read account",
        "Table_Query": "read tables/**",
        "Table_Create": "absorb table/*; absorb listed",
        "Table_Delete": "absorb table/* timed; absorb listed",
        "Table_GetAccessPolicy": "read policy",
        "Table_SetAccessPolicy": "absorb policy",
        "Table_InsertEntity": "absorb entity",
        "Table_UpdateEntity": "absorb entity",
        "Table_MergeEntity": "write entity",
        "Table_DeleteEntity": "absorb entity",
        "Table_QueryEntities": "read range/**",
        "Table_QueryEntitiesWithPartitionAndRowKey": "read entity",
        "Table_Batch": "write account/**",
    }
)

_LEVELS = {
    "Tables": "tables",
    "Tables('*')": "tables",
    "*(PartitionKey='*',RowKey='*')": "entity",
    "*": "table",
    "*()": "table",
}


def _levelled(pattern: str) -> str:
    method, level, *rest = pattern.split()
    if level == "Tables('*')":
        level = "tables/*"
    return " ".join([method, _LEVELS.get(level, level), *rest])


PATTERNS = patterns(
    [
        *((NAMES.get(name, name), _levelled(pattern)) for name, pattern in generated.TABLE.items()),
        *SHARPER.items(),
    ]
)

_ENTITY = re.compile(
    r"^([^()]+)\(PartitionKey='((?:[^']|'')*)',\s*RowKey='((?:[^']|'')*)'\)$", re.IGNORECASE | re.DOTALL
)
_NAMED = re.compile(r"^Tables\('([^']*)'\)$", re.IGNORECASE)
_EQUALS = re.compile(r"\b(PartitionKey|RowKey) eq '((?:[^']|'')*)'")
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_BRANCHES = re.compile(r"\b(?:or|not)\b", re.IGNORECASE)
_METADATA = ("odata.metadata", "odata.id", "@odata.context")


class Table(Service):
    """Tables, partitions, and entities below their partition."""

    name = "table"
    shows_reason = True
    tells_request = True
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]] = OPERATIONS
    shape = Shape(lists=frozenset({"SignedIdentifier", "CorsRule"}))
    request_headers = frozenset({"accept", "prefer"})

    def recognises(self, call: Call) -> bool:
        return service_of(call) == self.name

    def place(self, call: Call) -> None:
        call.account, rest = split_account(call)
        method = call.method
        tunnelled = call.headers.get("x-http-method", "")
        if tunnelled and method == "POST":
            method = tunnelled.upper()
        rest = decode(rest)
        level = self._level(rest, call)
        if method == call.method:
            call.operation = match(PATTERNS, level, call, binding=BINDING)
        else:
            inner = Call(
                method=method, host=call.host, path=call.path, query=call.query, headers=call.headers
            )
            call.operation = match(PATTERNS, level, inner, binding=BINDING)

    def _level(self, rest: str, call: Call) -> str:
        if not rest:
            return "service"
        if rest == "$batch":
            return "$batch"
        if rest in ("Tables", "Tables()"):
            return "tables"
        if found := _NAMED.match(rest):
            call.names = [found[1]]
            return "tables/*"
        if found := _ENTITY.match(rest):
            call.names = [found[1], found[2].replace("''", "'"), found[3].replace("''", "'")]
            return "entity"
        call.names = [rest.removesuffix("()")]
        return "table"

    def find(self, node: str, call: Call) -> Iterable[Found]:
        account = (self.name, call.account)
        if node == "account":
            return [(account, True)]
        if node == "tables":
            return [((*account, "?tables"), True)]
        name = call.names[0] if call.names else _text(call.request, "TableName")
        if not name:
            return [(account, False)]
        name = name.lower()  # names of tables keep their case but differ in more than that
        table = (*account, name)
        if node == "table":
            return [(table, True)]
        if node == "listed":
            return [((*account, "?tables", name), True)]
        if node == "policy":
            return [((*table, "?policy"), True)]
        return [self._range(table, call) if node == "range" else self._entity(table, call)]

    def _touches(self, call: Call, sources: Sources) -> Iterable[Touch]:
        yield from super()._touches(call, sources)
        if call.names:
            yield from reads_of_policy(call, self.find("policy", call))

    def _entity(self, table: Resource, call: Call) -> Found:
        if len(call.names) == 3:
            return (*table, safe(call.names[1]), call.names[2]), True
        partition, row = _text(call.request, "PartitionKey"), _text(call.request, "RowKey")
        if partition is None or row is None:
            return table, False
        return (*table, safe(partition), row), True

    def _range(self, table: Resource, call: Call) -> Found:
        """What a filter can reach: one partition or entity if nothing but `and` joins its terms."""
        text = call.query.get("$filter", "")
        if not text or _BRANCHES.search(_QUOTED.sub("''", text)):
            return table, True
        keys = {name: value.replace("''", "'") for name, value in _EQUALS.findall(text)}
        if "PartitionKey" not in keys:
            return table, True
        partition = (*table, safe(keys["PartitionKey"]))
        return ((*partition, keys["RowKey"]) if "RowKey" in keys else partition), True

    def mask(self, call: Call) -> None:
        answer = call.response
        if not isinstance(answer, dict):
            return
        entries = answer.get("value")
        for entry in [answer, *(entries if isinstance(entries, list) else [])]:
            if isinstance(entry, dict):
                for name in _METADATA:
                    text = entry.get(name)
                    if isinstance(text, str):
                        entry[name] = _without_account(text, call.account)


def _without_account(url: str, account: str) -> str:
    path = path_of(url)
    return path.removeprefix(f"/{account}")


def _text(value: Value, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None
