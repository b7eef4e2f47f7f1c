"""The grammar of an OpenAPI service, and what its paths say about producers and consumers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from likewise.cloud.fuzz.calls import Name
from likewise.cloud.fuzz.grammar import Grammar, Member, OperationShape
from likewise.cloud.fuzz.grammar.document import (
    BODY,
    PREFIX,
    Document,
    HttpOperation,
    Parameter,
    read_document,
)
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.grammar.patterns import fitting

DEPTH = 4
LABEL = "label"
"""What texts are that a client may choose freely: fresh ones, by which its things are told from others'."""
ROOM = 16
"""Characters that such a text needs."""
_KINDS = {
    "integer": "integer",
    "number": "float",
    "boolean": "boolean",
    "array": "list",
    "object": "structure",
}


@lru_cache
def _document(service: str) -> Document:
    return read_document(Path(service.removeprefix(PREFIX)))


@lru_cache
def read(service: str) -> Grammar:
    """Every operation of the document."""
    operations = {
        name: OperationShape(
            service=service,
            name=name,
            members=tuple(_member(each) for each in operation.parameters),
            method=operation.method,
            outputs=frozenset(_properties(operation.answers)),
        )
        for name, operation in _document(service).operations.items()
    }
    return Grammar(service=service, operations=operations)


def _member(parameter: Parameter) -> Member:
    found = _shape(parameter.name, parameter.schema, DEPTH)
    return Member(
        name=parameter.name,
        kind=found.kind,
        required=parameter.required or parameter.place == BODY,
        enum=found.enum,
        minimum=found.minimum,
        maximum=found.maximum,
        pattern=found.pattern,
        members=found.members,
    )


def _shape(name: str, schema: Mapping[str, Any], depth: int) -> Member:
    """A schema as a member; nothing inside is required, since a service may be asked without it."""
    kind = _KINDS.get(str(schema.get("type") or ("object" if schema.get("properties") else "")), "string")
    inner: tuple[Member, ...] = ()
    if kind == "structure" and depth:
        inner = tuple(_shape(key, each, depth - 1) for key, each in (schema.get("properties") or {}).items())
    if kind == "list" and depth:
        inner = (_shape("item", schema.get("items") or {}, depth - 1),)
    if schema.get("format") in ("date-time", "date") and kind == "string":
        kind = "timestamp"
    low = schema.get("minimum", schema.get("minLength", schema.get("exclusiveMinimum")))
    high = schema.get("maximum", schema.get("maxLength", schema.get("exclusiveMaximum")))
    return Member(
        name=name,
        kind=kind,
        enum=tuple(map(str, schema.get("enum") or ([schema["const"]] if "const" in schema else ()))),
        minimum=float(low) if _is_number(low) else None,
        maximum=float(high) if _is_number(high) else None,
        pattern=str(schema.get("pattern") or ""),
        members=inner,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache
def hints(service: str) -> Hints:
    """What comes before what, read from the paths: what is posted to a collection is an item of it."""
    document = _document(service)
    table = _Table(document)
    for operation in document.operations.values():
        for parameter in operation.parameters:
            if parameter.place == "path":
                table.source(operation, parameter)
    return table.hints()


class _Table:
    """Collects the hints of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._at = {(each.method, each.path): name for name, each in document.operations.items()}
        self._names: dict[str, str] = {}
        self._makers: dict[str, str] = {}
        self._sources: dict[str, tuple[str, tuple[str | int, ...]]] = {}
        self._creates: dict[str, frozenset[str]] = {}
        self._values: dict[str, Any] = {}
        self._removers: dict[str, str] = {}
        for name, operation in document.operations.items():
            body = next((each for each in operation.parameters if each.place == BODY), None)
            if body is not None:
                self._values[f"{name}.{BODY}"] = _typical(body.schema, body.example)
            for each in operation.parameters:
                if each.example is not None and each.place != BODY:
                    self._values.setdefault(f"{name}.{each.name}", each.example)

    def source(self, operation: HttpOperation, parameter: Parameter) -> None:
        """Find out who makes what one part of a path names."""
        collection, _, _ = operation.path.partition(f"/{{{parameter.wire}}}")
        item = f"{collection}/{{{parameter.wire}}}"
        kind = parameter.name
        if remover := self._at.get(("DELETE", item)):
            self._removers[kind] = remover
        if poster := self._at.get(("POST", collection)):
            self._makers[kind] = poster
            given = _identity(self._document.operations[poster].answers, parameter)
            if given:
                self._sources[parameter.name] = (poster, (BODY, given))
                self._forget(parameter.name)
                return
            chosen = _identity(_body_schema(self._document.operations[poster]), parameter)
            if chosen:
                self._names[parameter.name] = kind
                self._creates[poster] = frozenset({kind})
                body = self._values.get(f"{poster}.{BODY}")
                if isinstance(body, dict):
                    self._values[f"{poster}.{BODY}"] = {**body, chosen: Name(kind)}
                self._forget(parameter.name)
        elif putter := self._at.get(("PUT", item)):
            self._makers[kind] = putter
            self._names[parameter.name] = kind
            self._creates[putter] = frozenset({kind})
            self._forget(parameter.name)

    def _forget(self, parameter: str) -> None:
        """An example of what only an earlier answer or the client can give is of no use."""
        for key in [each for each in self._values if each.endswith(f".{parameter}")]:
            del self._values[key]

    def hints(self) -> Hints:
        lists = {
            name: maker
            for name, operation in self._document.operations.items()
            if operation.method == "GET" and (maker := self._at.get(("POST", operation.path)))
        }
        for name, maker in lists.items():
            self._find_own(self._document.operations[name], maker)
        return Hints(
            names=self._names,
            makers=self._makers,
            sources=self._sources,
            values=self._values,
            needs={name: (maker,) for name, maker in lists.items()},
            creates=self._creates,
            observers={
                name: self._observers(operation)
                for name, operation in self._document.operations.items()
                if not operation.is_read
            },
            removers=self._removers,
            lists=frozenset(lists),
        )

    def _find_own(self, operation: HttpOperation, maker: str) -> None:
        """Ask a list for what was put into it: by the same property, or by a text that only ours have."""
        body = self._values.get(f"{maker}.{BODY}")
        given = body if isinstance(body, dict) else {}
        for each in operation.parameters:
            if each.place == "query" and each.example is None and not each.required:
                value = given.get(each.wire, _fresh(each.schema, _typical(each.schema, None)))
                if isinstance(value, Name):
                    self._values.setdefault(f"{operation.name}?{each.name}", value)

    def _observers(self, operation: HttpOperation) -> tuple[str, ...]:
        """The reads of the same thing, of what it is in, and of what was put into it."""
        path = operation.path
        above = path.rpartition("/")[0]
        found = [self._at.get(("GET", path)), self._at.get(("GET", above))]
        if operation.method == "POST":
            found += [
                name
                for name, each in self._document.operations.items()
                if each.method == "GET" and each.path.rpartition("/")[0] == path and each.path.endswith("}")
            ]
        return tuple(dict.fromkeys(name for name in found if name is not None))


def _body_schema(operation: HttpOperation) -> Mapping[str, Any]:
    return next((each.schema for each in operation.parameters if each.place == BODY), {})


def _identity(schema: Mapping[str, Any], parameter: Parameter) -> str:
    """The property that holds what a part of a path asks for."""
    properties = schema.get("properties") or {}
    noun = parameter.name.partition("_")[0].removesuffix("s")
    wanted = (parameter.wire, "id", f"{noun}Id", f"{noun}_id", "uuid", "key", "name")
    return next((name for name in wanted if name in properties), "")


def _typical(schema: Mapping[str, Any], example: Any, depth: int = DEPTH) -> Any:
    """A body that should work: the example, or every property; free texts are fresh."""
    if isinstance(example, dict):
        properties = schema.get("properties") or {}
        return {key: _fresh(properties.get(key) or {}, value) for key, value in example.items()}
    if example is not None:
        return _fresh(schema, example)
    for given in ("example", "default", "const"):
        if given in schema:
            return _typical(schema, schema[given], depth)
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type") or ("object" if schema.get("properties") else "string"):
        case "object":
            inner = (schema.get("properties") or {}).items() if depth else ()
            return {key: _typical(each, None, depth - 1) for key, each in inner if not each.get("readOnly")}
        case "array":
            least = max(1, int(schema.get("minItems") or 1))
            return [_typical(schema.get("items") or {}, None, depth - 1)] * least if depth else []
        case "integer":
            return int(max(schema.get("minimum", 1), min(schema.get("maximum", 2), 2)))
        case "number":
            return float(max(schema.get("minimum", 1), min(schema.get("maximum", 2.5), 2.5)))
        case "boolean":
            return True
    return _text(schema)


def _text(schema: Mapping[str, Any]) -> Any:
    match schema.get("format"):
        case "date-time":
            return "2031-01-01T00:00:00Z"
        case "date":
            return "2031-01-01"
        case "uuid":
            return "3f2c1d7e-5b4a-4c3d-8e2f-1a0b9c8d7e6f"
        case "email":
            return "someone@example.org"
        case "uri" | "url":
            return "https://example.org/"
        case "ipv4":
            return "192.0.2.1"
    if schema.get("pattern"):
        least = int(schema.get("minLength") or 0)
        return fitting(str(schema["pattern"]), least=least) or "abc".ljust(least, "x")
    return _fresh(schema, "text".ljust(int(schema.get("minLength") or 0), "x"))


def _fresh(schema: Mapping[str, Any], value: Any) -> Any:
    """A free text with room for it becomes a fresh one."""
    bound = "const" in schema or schema.get("enum") or schema.get("pattern") or schema.get("format")
    room = schema.get("maxLength", 255) >= ROOM and schema.get("minLength", 0) <= ROOM - 2
    return Name(LABEL) if isinstance(value, str) and not bound and room else value


def _properties(schema: Mapping[str, Any], depth: int = DEPTH) -> set[str]:
    found = set(schema.get("properties") or {})
    for each in (schema.get("properties") or {}).values() if depth else ():
        found |= _properties(each, depth - 1)
    return found | (_properties(schema["items"], depth - 1) if depth and schema.get("items") else set())
