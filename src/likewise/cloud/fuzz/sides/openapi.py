"""Calls of an OpenAPI service over plain HTTP."""

from __future__ import annotations

import http.client
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from likewise.cloud.bodies import opaque
from likewise.cloud.fuzz.calls import Answer, Call, Side, pause_of
from likewise.cloud.fuzz.grammar.document import (
    BODY,
    PREFIX,
    Document,
    HttpOperation,
    Parameter,
    read_document,
)
from likewise.cloud.targets import Running, find
from likewise.cloud.targets.url import Endpoint
from likewise.model import ConfigurationError, Role

IGNORED = frozenset(
    [
        "date",
        "server",
        "connection",
        "keep-alive",
        "transfer-encoding",
        "content-length",
        "x-request-id",
        "request-id",
        "x-powered-by",
        "etag-trace",
        "vary",
        "via",
        "x-runtime",
        "x-response-time",
        "x-correlation-id",
        "traceparent",
        "x-amzn-trace-id",
    ]
)
"""Response headers that say nothing about what the call did."""
HEADERS = "LIKEWISE_HEADERS"
"""The variable of the environment with headers for every request, one a line."""
CODES = ("code", "error_code", "errorCode", "error", "type", "title", "status")
MESSAGES = ("message", "detail", "error_description", "description", "msg", "error", "title")


class HttpSide(Side):
    """One connection to one address. Nothing is repeated: every call is one request."""

    def __init__(
        self,
        running: Running,
        document: Document,
        *,
        service: str,
        timeout: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(running, service)
        parts = urlsplit(str(running.endpoint(service)))
        self._host, self._secure = parts.netloc, parts.scheme == "https"
        self._base = parts.path.rstrip("/") or document.base
        self._document, self._timeout = document, timeout
        self._headers = dict(headers or {})
        self._connection: http.client.HTTPConnection | None = None

    def call(self, call: Call) -> Answer:
        """Execute one call."""
        operation = self._document.operations.get(call.operation)
        if operation is None:
            return Answer(success=False, refused=f"the document has no operation {call.operation}")
        try:
            target, headers, body = _request(operation, call.params)
        except (TypeError, ValueError, UnicodeError) as error:
            return Answer(success=False, refused=f"{type(error).__name__}: {error}")
        try:
            return self._exchange(operation.method, self._base + target, self._headers | headers, body)
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            if isinstance(error, http.client.InvalidURL):
                return Answer(success=False, refused=str(error))
            return Answer(success=False, silence=type(error).__name__)

    def _exchange(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        connection = self._connection or self._connect()
        self.sent += 1
        try:
            connection.request(method, target, body=body, headers=dict(headers))
            response = connection.getresponse()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            # A connection that lay idle may have been closed; on a new one, the request got no answer.
            if self._connection is None:
                raise
            self._drop()
            return self._exchange(method, target, headers, body)
        self._connection = connection
        content = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        if response.will_close:
            self._drop()
        return _answer(response.status, found, content)

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, timeout=self._timeout)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _request(operation: HttpOperation, params: Mapping[str, Any]) -> tuple[str, dict[str, str], bytes | None]:
    """Where a call goes, with which headers and what body."""
    known = {parameter.name: parameter for parameter in operation.parameters}
    path, query, cookies = operation.path, [], []
    headers = {"Accept": "application/json"}
    body: bytes | None = None
    for name, value in params.items():
        parameter = known.get(name) or Parameter(name=name, wire=name, place="query")
        value, wire = unmarked(value), parameter.wire
        match parameter.place:
            case "path":
                path = path.replace(f"{{{wire}}}", quote(_joined(parameter, value), safe=","))
            case "query":
                query += _pairs(parameter, value)
            case "header":
                headers[wire] = _header(_joined(parameter, value))
            case "cookie":
                cookies.append(f"{wire}={quote(_text(value))}")
            case _:
                body, headers["Content-Type"] = _body(operation, value)
    if "{" in path:
        raise ValueError(f"{path} lacks a part")
    if cookies:
        headers["Cookie"] = "; ".join(cookies)
    return path + (f"?{urlencode(query)}" if query else ""), headers, body


_BETWEEN = {"spaceDelimited": " ", "pipeDelimited": "|"}


def _pairs(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    """A parameter as it stands in a query: lists and objects in the style that the document asks for."""
    wire = parameter.wire
    if parameter.style == "json":
        return [(wire, json.dumps(value))]
    if isinstance(value, Mapping) and parameter.style == "deepObject":
        return [(f"{wire}[{key}]", _text(each)) for key, each in value.items()]
    if isinstance(value, Mapping) and parameter.explode:
        return [(str(key), _text(each)) for key, each in value.items()]
    if isinstance(value, list | tuple) and parameter.explode:
        return [(wire, _text(each)) for each in value]
    return [(wire, _joined(parameter, value))]


def _joined(parameter: Parameter, value: Any) -> str:
    """A value as one text: what is in a list or an object stands in a row."""
    if parameter.style == "json":
        return json.dumps(value)
    if isinstance(value, Mapping):
        mark = "=" if parameter.explode else ","
        return ",".join(f"{key}{mark}{_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return _BETWEEN.get(parameter.style, ",").join(map(_text, value))
    return _text(value)


def _body(operation: HttpOperation, value: Any) -> tuple[bytes, str]:
    kind = operation.content_type or "application/json"
    if isinstance(value, bytes):
        return value, kind
    if "json" in kind:
        return json.dumps(value).encode(), kind
    if kind == "application/x-www-form-urlencoded" and isinstance(value, Mapping):
        fields = [
            (str(name), _text(each))
            for name, inner in value.items()
            for each in (inner if isinstance(inner, list | tuple) else (inner,))
        ]
        return urlencode(fields).encode(), kind
    return _text(value).encode(), kind


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict) else str(value)


def _header(text: str) -> str:
    if any(ord(char) < 32 or ord(char) > 255 for char in text):
        raise ValueError("a header cannot hold such characters")
    return text


def _answer(status: int, headers: Mapping[str, str], content: bytes) -> Answer:
    kept = {name: value for name, value in headers.items() if name not in IGNORED}
    parsed: Any = opaque(content) if content else None
    if "json" in headers.get("content-type", "") and content:
        try:
            parsed = marked(json.loads(content))
        except ValueError:
            parsed = {"not JSON": parsed}
    fields = {"headers": kept, BODY: parsed}
    if status < 400:
        return Answer(success=True, status=status, fields=fields)
    code, message = _error(parsed)
    return Answer(
        success=False,
        status=status,
        code=code or str(status),
        message=message,
        fields=fields,
        pause=pause_of(headers.get("retry-after")),
    )


_NUMBERED = re.compile(r"(?:^|[_-])id$|[a-z0-9]Id$")


def marked(value: Any, name: str = "") -> Any:
    """An answer whose numbers that only identify something are texts: each side counts for itself."""
    if isinstance(value, Mapping):
        return {key: marked(inner, str(key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [marked(inner, name) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and _NUMBERED.search(name):
        return f"#{value}"
    return value


def unmarked(value: Any) -> Any:
    """Parameters with such texts as the numbers that they are."""
    if isinstance(value, Mapping):
        return {key: unmarked(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [unmarked(inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"#\d+", value):
        return int(value[1:])
    return value


def at(url: str, role: Role, service: str) -> Running:
    """The server at a URL, as a target."""
    endpoint = Endpoint(find(url), role=role, services=frozenset({service}))
    endpoint.check()
    return endpoint


def open_http(running: Running, service: str, *, timeout: float = 20.0) -> HttpSide:
    """The side that executes a document's operations on a server; `service` is `openapi:FILE`."""
    document = read_document(Path(service.removeprefix(PREFIX)))
    return HttpSide(running, document, service=service, timeout=timeout, headers=credentials())


def credentials() -> dict[str, str]:
    """Headers that every request carries, from the environment: they stand in no log and no script."""
    found = {}
    for line in os.environ.get(HEADERS, "").splitlines():
        name, mark, value = line.partition(":")
        if line.strip() and not (mark and name.strip()):
            raise ConfigurationError(
                f"{HEADERS} holds a line that is no header",
                why="it has no name and no colon",
                todo="Write one header a line, such as: X-Api-Key: …",
            )
        if line.strip():
            found[name.strip()] = value.strip()
    return found


def connect(service: str, url: str) -> HttpSide:
    """A side for a script that has only an address."""
    return open_http(at(url, Role.CANDIDATE, service), service)


def _error(parsed: Any) -> tuple[str, str]:
    """The code and the text of an error, under the names that services give them."""
    found = parsed
    for outer in ("error", "errors", "detail"):
        inner = found.get(outer) if isinstance(found, Mapping) else None
        if isinstance(inner, list) and inner:
            inner = inner[0]
        if isinstance(inner, Mapping):
            found = inner
    if not isinstance(found, Mapping):
        return "", found if isinstance(found, str) else ""
    code = next((str(found[name]) for name in CODES if isinstance(found.get(name), str | int)), "")
    message = next((found[name] for name in MESSAGES if isinstance(found.get(name), str)), "")
    return code, message
