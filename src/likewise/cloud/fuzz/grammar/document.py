"""An OpenAPI 3 document as operations: what can be asked of a service that no SDK describes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from likewise.model import ConfigurationError

METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
PREFIX = "openapi:"
DEEPEST = 12
"""References followed in a row before a schema counts as one that contains itself."""
READS = re.compile(r"^(Get|List|Head|Describe|Scan|Query|Select|Download|Peek|Filter)")
BODY = "body"
"""The parameter that stands for what is sent."""


class DocumentUnreadable(ConfigurationError):
    """A file is not an OpenAPI 3 document."""

    slug = "openapi-unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation; `place` is path, query, header, cookie or body."""

    name: str
    wire: str
    """What the document calls it; a name in a path stands with the noun before it to be the only one."""
    place: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    required: bool = False
    example: Any = None
    style: str = "form"
    """How lists and objects are written: form, simple, spaceDelimited, pipeDelimited, deepObject, json."""
    explode: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOperation:
    """One operation: its method, its path with `{parameters}`, and what it takes and gives."""

    name: str
    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    content_type: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """The schema of the answer to a call that succeeded."""

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing, as its method says."""
        return self.method in ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A service as its document describes it."""

    title: str
    version: str
    base: str
    """The path below which the operations are, without a slash at its end."""
    operations: Mapping[str, HttpOperation]


def read_document(path: Path) -> Document:
    """The operations of a document in JSON or, where a YAML reader is installed, in YAML."""
    raw = _load(path)
    if not isinstance(raw, dict) or not str(raw.get("openapi", "")).startswith("3"):
        raise DocumentUnreadable(
            "not an OpenAPI 3 document",
            where=str(path),
            why=f"openapi is {raw.get('openapi') or raw.get('swagger')!r}" if isinstance(raw, dict) else "",
            todo="Version 2 documents (swagger) have to be converted first.",
        )
    reader = _Reader(raw, str(path))
    info = raw.get("info") or {}
    found: dict[str, HttpOperation] = {}
    for operation in reader.operations():
        name = operation.name
        number = 2
        while name in found:
            name, number = f"{operation.name}{number}", number + 1
        found[name] = operation
    if not found:
        raise DocumentUnreadable("the document has no operations", where=str(path))
    return Document(
        title=str(info.get("title") or path.stem),
        version=str(info.get("version") or ""),
        base=_base(raw),
        operations=found,
    )


def _load(path: Path) -> Any:
    text = path.read_text(encoding="utf-8-sig")
    if text.lstrip()[:1] == "{":
        try:
            return json.loads(text)
        except ValueError as error:
            raise DocumentUnreadable("not JSON", where=str(path), why=str(error)) from error
    try:
        import yaml
    except ImportError as error:
        raise DocumentUnreadable(
            "the document is not JSON, and nothing is installed that reads YAML",
            where=str(path),
            todo="Run: pip install 'likewise[openapi]'",
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DocumentUnreadable("not YAML", where=str(path), why=str(error)) from error


def _base(raw: Mapping[str, Any]) -> str:
    servers = raw.get("servers") or [{}]
    url = str((servers[0] or {}).get("url") or "")
    for name, variable in ((servers[0] or {}).get("variables") or {}).items():
        url = url.replace(f"{{{name}}}", str((variable or {}).get("default", "")))
    return urlsplit(url).path.rstrip("/")


class _Reader:
    """Follows the references of one document."""

    def __init__(self, raw: Mapping[str, Any], where: str) -> None:
        self._raw, self._where = raw, where

    def operations(self) -> Iterator[HttpOperation]:
        for path, item in (self._raw.get("paths") or {}).items():
            entry = self._resolved(item) or {}
            shared = [self._resolved(each) for each in entry.get("parameters") or ()]
            for method in METHODS:
                if isinstance(entry.get(method), dict):
                    yield self._operation(str(path), method, entry[method], shared)

    def _operation(self, path: str, method: str, raw: Mapping[str, Any], shared: list[Any]) -> HttpOperation:
        parameters = {(each["name"], each["in"]): each for each in shared}
        parameters |= {
            (each["name"], each["in"]): each
            for each in (self._resolved(given) for given in raw.get("parameters") or ())
        }
        listed = [self._parameter(each, path) for each in parameters.values()]
        content_type, body = self._body(raw.get("requestBody"))
        return HttpOperation(
            name=_name(raw, path, method),
            method=method.upper(),
            path=path,
            parameters=tuple(listed + ([body] if body else [])),
            content_type=content_type,
            answers=self._answers(raw.get("responses") or {}),
        )

    def _parameter(self, raw: Mapping[str, Any], path: str) -> Parameter:
        schema = self.schema(raw.get("schema") or {})
        for media in (raw.get("content") or {}).values():
            schema = schema or self.schema((media or {}).get("schema") or {})
        wire = str(raw["name"])
        usual = "form" if raw["in"] in ("query", "cookie") else "simple"
        style = "json" if raw.get("content") else str(raw.get("style") or usual)
        return Parameter(
            name=path_name(path, wire) if raw["in"] == "path" else wire,
            wire=wire,
            place=str(raw["in"]),
            schema=schema,
            required=bool(raw.get("required")) or raw["in"] == "path",
            example=_example(raw, schema),
            style=style,
            explode=bool(raw.get("explode", style == "form")),
        )

    def _body(self, given: Any) -> tuple[str, Parameter | None]:
        raw = self._resolved(given)
        content = (raw or {}).get("content") or {}
        if not content:
            return "", None
        kind = next((each for each in content if "json" in each), next(iter(content)))
        media = content[kind] or {}
        schema = self.schema(media.get("schema") or {})
        body = Parameter(
            name=BODY,
            wire=BODY,
            place=BODY,
            schema=schema,
            required=bool(raw.get("required")),
            example=_example(media, schema),
        )
        return str(kind), body

    def _answers(self, responses: Mapping[Any, Any]) -> Mapping[str, Any]:
        for status in sorted(map(str, responses)):
            if status.startswith("2") or status == "default":
                raw = self._resolved(responses.get(status, responses.get(_number(status))))
                for media in ((raw or {}).get("content") or {}).values():
                    return self.schema((media or {}).get("schema") or {})
        return {}

    def _resolved(self, raw: Any) -> Any:
        for _ in range(DEEPEST):
            if not isinstance(raw, dict) or "$ref" not in raw:
                return raw
            raw = self._follow(str(raw["$ref"]))
        raise DocumentUnreadable(f"{raw['$ref']} refers to itself", where=self._where)

    def _follow(self, reference: str) -> Any:
        found: Any = self._raw
        if not reference.startswith("#/"):
            raise DocumentUnreadable(
                f"{reference} is outside the document",
                where=self._where,
                todo="Bundle it into one file first.",
            )
        for part in reference[2:].split("/"):
            try:
                found = found[part.replace("~1", "/").replace("~0", "~")]
            except (KeyError, TypeError) as error:
                raise DocumentUnreadable(f"{reference} refers to nothing", where=self._where) from error
        return found

    def schema(self, raw: Any, seen: tuple[str, ...] = ()) -> Mapping[str, Any]:
        """A schema with its references followed, `allOf` joined, and the first of alternatives taken."""
        if not isinstance(raw, dict):
            return {}
        if "$ref" in raw:
            reference = str(raw["$ref"])
            if reference in seen or len(seen) > DEEPEST:
                return {"type": "object"}
            return self.schema(self._follow(reference), (*seen, reference))
        found = dict(raw)
        for part in found.pop("allOf", ()):
            inner = dict(self.schema(part, seen))
            properties = {**(found.get("properties") or {}), **(inner.pop("properties", None) or {})}
            required = [*(found.get("required") or ()), *(inner.pop("required", None) or ())]
            found = {**inner, **found, "properties": properties, "required": required}
        for choice in ("oneOf", "anyOf"):
            options = [each for each in found.pop(choice, ()) if each != {"type": "null"}]
            if options:
                found = {**self.schema(options[0], seen), **found}
        if isinstance(found.get("type"), list):
            kinds = [kind for kind in found["type"] if kind != "null"]
            found["type"] = kinds[0] if kinds else "string"
        if found.get("properties"):
            found["properties"] = {
                name: self.schema(each, seen) for name, each in found["properties"].items()
            }
        if "items" in found:
            found["items"] = self.schema(found["items"], seen)
        return found


def _number(status: str) -> int:
    """A status as YAML reads it where nobody put it in quotes."""
    return int(status) if status.isdigit() else 0


def path_name(path: str, wire: str) -> str:
    """The name of a part of a path: `/pets/{id}` has `pets_id`."""
    before = path.partition(f"{{{wire}}}")[0].rstrip("/").rpartition("/")[2]
    noun = re.sub(r"\W+", "", before)
    return f"{noun}_{wire}" if noun else f"path_{wire}"


def _example(raw: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    if "example" in raw:
        return raw["example"]
    for each in (raw.get("examples") or {}).values():
        if isinstance(each, dict) and "value" in each:
            return each["value"]
    if "example" in schema:
        return schema["example"]
    listed = schema.get("examples")
    return listed[0] if isinstance(listed, list) and listed else schema.get("default")


def _name(raw: Mapping[str, Any], path: str, method: str) -> str:
    """A name whose verb says whether the operation only looks, which is what its method says."""
    given = _pascal(str(raw.get("operationId") or ""))
    looks = method in ("get", "head", "options")
    if given:
        return given if looks == bool(READS.match(given)) else f"{method.capitalize()}{given}"
    words = [word for word in path.split("/") if word]
    is_item = bool(words) and words[-1].startswith("{")
    nouns = "".join(_pascal(word) for word in words if not word.startswith("{"))
    verb = {"get": "Get" if is_item else "List", "post": "Create", "patch": "Update"}.get(
        method, method.capitalize()
    )
    return verb + (nouns.removesuffix("s") if is_item or method == "post" else nouns)


def _pascal(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", text) if word)
