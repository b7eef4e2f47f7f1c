"""The grammar of an Azure service, read from the request builders inside the installed packages."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

from likewise.cloud.fuzz.grammar import Grammar, Member, OperationShape
from likewise.cloud.services import generated
from likewise.cloud.services.call import words
from likewise.cloud.services.generate import azure_functions

PACKAGES = {"blob": "azure.storage.blob", "queue": "azure.storage.queue", "table": "azure.data.tables"}
OWN = words("url version content content_length json request_id_parameter kwargs")
"""What the client fills in by itself."""
KINDS = {
    "str": "string",
    "int": "integer",
    "float": "float",
    "bool": "boolean",
    "bytes": "blob",
    "datetime.datetime": "timestamp",
}
BODIES = words(
    "Service_SetProperties Service_GetUserDelegationKey Service_SubmitBatch Container_SetAccessPolicy "
    "Container_SubmitBatch Blob_Query Blob_SetTags BlockBlob_Upload BlockBlob_StageBlock "
    "BlockBlob_CommitBlockList AppendBlob_AppendBlock PageBlob_UploadPages Queue_SetAccessPolicy "
    "Messages_Enqueue MessageId_Update Table_Create Table_InsertEntity Table_UpdateEntity "
    "Table_MergeEntity Table_SetAccessPolicy"
)
"""Operations that send content: most builders take it among the keywords that they do not name."""
OVERLAY: dict[str, tuple[float | None, float | None]] = {
    "number_of_messages": (1, 32),
    "visibility_timeout": (0, 604_800),
    "message_time_to_live": (-1, None),
    "timeout": (0, None),
    "duration": (15, 60),
    "break_period": (0, 60),
    "max_results": (1, 5000),
    "maxresults": (1, 5000),
    "top": (0, 1000),
}
"""Limits that the generated layers say nothing about, or only sometimes."""
PAIR = (Member(name="key", kind="string"), Member(name="value", kind="string"))
"""What metadata has as often as one likes; to the builders it is one text, or anything."""
TOKENS = (
    ("NextMarker", "marker"),
    ("x-ms-continuation-nextpartitionkey", "next_partition_key"),
    ("x-ms-continuation-nextrowkey", "next_row_key"),
    ("x-ms-continuation-nexttablename", "next_table_name"),
)
_LIMIT = re.compile(r"(minimum|maximum)=(-?\d+)")


def names_of(service: str) -> Mapping[str, str]:
    """What the REST specification calls an operation, where the SDK has its own word."""
    module = importlib.import_module(f"likewise.cloud.services.{service}")
    names: Mapping[str, str] = getattr(module, "NAMES", {})
    return names


@lru_cache
def read(service: str) -> Grammar:
    """Every operation of the service."""
    names = names_of(service)
    table = {names.get(name, name): pattern for name, pattern in getattr(generated, service.upper()).items()}
    operations = {}
    for sdk_name, _module, function in azure_functions(PACKAGES[service]):
        name = names.get(sdk_name, sdk_name)
        models = importlib.import_module(f"{PACKAGES[service]}._generated.models")
        levels = table.get(name, "").split()
        operations[name] = OperationShape(
            service=service,
            name=name,
            members=(*_places(service, name, levels), *_members(function, models), *_body(name)),
            method=levels[0] if levels else "",
            tokens=_tokens(function),
            limit=next((p for p in _arguments(function) if p in ("maxresults", "max_results", "top")), ""),
            public=_is_public(sdk_name),
        )
    return Grammar(service=service, operations=operations)


def _places(service: str, name: str, levels: list[str]) -> Iterator[Member]:
    """What the URL names, where the builder takes the URL as a whole."""
    group = name.partition("_")[0]
    if service == "blob" and group != "Service":
        yield Member(name="container", kind="string", required=True, minimum=3, maximum=63)
        if group != "Container":
            yield Member(name="blob", kind="string", required=True, minimum=1, maximum=1024)
    if service == "queue" and group != "Service":
        yield Member(name="queue", kind="string", required=True, minimum=3, maximum=63)


def _body(name: str) -> Iterator[Member]:
    if name in BODIES:
        yield Member(name="body", kind="any", required=True)


def _arguments(function: ast.FunctionDef) -> dict[str, tuple[str, bool]]:
    """Each argument's annotation, and whether it must be given."""
    found = {}
    plain, named = function.args.args, function.args.kwonlyargs
    for argument in plain:
        found[argument.arg] = (_annotation(argument), True)
    for argument, default in zip(named, function.args.kw_defaults, strict=True):
        found[argument.arg] = (_annotation(argument), default is None)
    return found


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else "str"


def _members(function: ast.FunctionDef, models: Any) -> Iterator[Member]:
    limits, wires = _limits(function), _wires(function)
    for name, (annotation, required) in _arguments(function).items():
        if name in OWN:
            continue
        minimum, maximum = OVERLAY.get(name, (None, None))
        minimum = limits.get((name, "minimum"), minimum)
        maximum = limits.get((name, "maximum"), maximum)
        yield Member(
            name=name,
            kind="map" if name == "metadata" else _kind(annotation),
            required=required,
            members=PAIR if name == "metadata" else (),
            enum=_enum(annotation, models),
            minimum=minimum,
            maximum=maximum,
            shape=annotation,
            wire=wires.get(name, "") if name != "metadata" else "",
        )


def _kind(annotation: str) -> str:
    inner = re.sub(r"^Optional\[(.*)\]$", r"\1", annotation)
    if inner.startswith(("dict", "Dict", "MutableMapping")):
        return "map"
    if inner.startswith(("list", "List")):
        return "list"
    first = re.sub(r"^Union\[([^,\]]+).*$", r"\1", inner)
    return KINDS.get(first, "string")


def _enum(annotation: str, models: Any) -> tuple[str, ...]:
    if "MatchConditions" in annotation:
        from azure.core import MatchConditions

        return tuple(each.name for each in MatchConditions)
    found = re.search(r"_models\.(\w+)", annotation)
    kind = getattr(models, found[1], None) if found else None
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(str(each.value) for each in kind)
    return ()


def _limits(function: ast.FunctionDef) -> dict[tuple[str, str], float]:
    """The limits that the serialiser is given: `_SERIALIZER.query("timeout", …, "int", minimum=0)`."""
    found: dict[tuple[str, str], float] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            for bound, number in _LIMIT.findall(ast.unparse(node)):
                found[str(node.args[0].value), bound] = float(number)
    return found


def _wires(function: ast.FunctionDef) -> dict[str, str]:
    """Where each argument goes: `_headers["x-ms-lease-id"] = _SERIALIZER.header("lease_id", …)`."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            place, value = node.targets[0].slice, node.value
            if isinstance(place, ast.Constant) and isinstance(value, ast.Call) and value.args:
                argument = value.args[0]
                if isinstance(argument, ast.Constant):
                    found[str(argument.value)] = str(place.value)
    return found


def _tokens(function: ast.FunctionDef) -> tuple[tuple[str, str], ...]:
    """Where an answer says how to go on, and the argument that takes it: of a body, or of a header."""
    return tuple((out, into) for out, into in TOKENS if into in _arguments(function))


def _is_public(name: str) -> bool:
    return not name.endswith(("ApacheArrow", "_Rename", "_FilterBlobs", "GetAccountInfoWithHead"))
