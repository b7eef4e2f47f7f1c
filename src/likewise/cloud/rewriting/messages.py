"""Requests and responses as the rewriting server sees them, and errors in each service's own form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from xml.sax.saxutils import escape

from likewise.cloud.services import SERVICES, Call
from likewise.cloud.services.call import read_query, split_url

Headers = tuple[tuple[str, str], ...]

CONTENT_BOUND = ("content-md5", "x-amz-crc32", "x-ms-content-crc64")
"""Headers that state what the body is, and would be wrong once it is another."""


def get(headers: Headers, name: str, default: str = "") -> str:
    """The first value of a header."""
    return next((value for key, value in headers if key.lower() == name.lower()), default)


def put(headers: Headers, name: str, value: str | None) -> Headers:
    """The headers with one set in its place, or without it where the value is None."""
    lower = name.lower()
    kept: list[tuple[str, str]] = []
    done = value is None
    for key, old in headers:
        if key.lower() != lower:
            kept.append((key, old))
        elif not done:
            assert value is not None
            kept.append((key, value))
            done = True
    if not done:
        assert value is not None
        kept.append((name, value))
    return tuple(kept)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request with its whole body; `target` is path and query as sent."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""
    service_hint: str = ""

    @cached_property
    def _call(self) -> tuple[str, Call]:
        lowered = {name.lower(): value for name, value in self.headers}
        host, path, query = split_url(self.target, lowered.get("host", ""))
        call = Call(
            method=self.method,
            host=host,
            path=path,
            query=read_query(query),
            headers=lowered,
            content=self.body,
        )
        for kind in SERVICES:
            service = kind()
            if self.service_hint == kind.name or (not self.service_hint and service.recognises(call)):
                service.place(call)
                return kind.name, call
        return "", call

    @property
    def service(self) -> str:
        """The service it is for, or nothing."""
        return self._call[0]

    @property
    def operation(self) -> str:
        """What is called: `s3.PutObject`, `queue.Messages_Enqueue`."""
        return f"{self.service}.{self._call[1].operation}"

    @property
    def names(self) -> tuple[str, ...]:
        """What is addressed, outermost first: bucket and key, container and blob."""
        return tuple(self._call[1].names)

    @property
    def path(self) -> str:
        """The path as sent."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The decoded query."""
        return self._call[1].query

    def header(self, name: str, default: str = "") -> str:
        """The value of a header."""
        return get(self.headers, name, default)

    def with_header(self, name: str, value: str | None) -> Request:
        """The request with a header set, or without it."""
        return replace(self, headers=put(self.headers, name, value))

    def with_body(self, body: bytes) -> Request:
        """The request with another body, and its length right."""
        return replace(self, body=body, headers=_fitting(self.headers, len(body)))


@dataclass(frozen=True, kw_only=True)
class Response:
    """A response with its whole body."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    reason: str = ""

    def header(self, name: str, default: str = "") -> str:
        """The value of a header."""
        return get(self.headers, name, default)

    def with_header(self, name: str, value: str | None) -> Response:
        """The response with a header set, or without it."""
        return replace(self, headers=put(self.headers, name, value))

    def with_body(self, body: bytes) -> Response:
        """The response with another body, and no header that speaks of the old one."""
        return replace(self, body=body, headers=_fitting(self.headers, len(body)))

    def with_status(self, status: int) -> Response:
        """The response with another status."""
        return replace(self, status=status, reason=_reason(status))


def _fitting(headers: Headers, length: int) -> Headers:
    kept = tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in CONTENT_BOUND and not name.lower().startswith("x-amz-checksum-")
    )
    return put(put(kept, "Content-Length", str(length)), "Transfer-Encoding", None)


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def error(request: Request, status: int, code: str, message: str) -> Response:
    """An error as the service that was called writes its own."""
    match request.service:
        case "dynamodb":
            told = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message}
            return answer(
                status, json.dumps(told).encode(), (("Content-Type", "application/x-amz-json-1.0"),)
            )
        case "table":
            detail = {"odata.error": {"code": code, "message": {"lang": "en-US", "value": message}}}
            kind = ("Content-Type", "application/json;odata=minimalmetadata;charset=utf-8")
            return answer(status, json.dumps(detail).encode(), (kind, ("x-ms-error-code", code)))
        case "blob" | "queue":
            headers = (("Content-Type", "application/xml"), ("x-ms-error-code", code))
            return answer(status, _error_xml(code, message), headers, is_head=request.method == "HEAD")
        case _:
            kind = ("Content-Type", "application/xml")
            return answer(status, _error_xml(code, message), (kind,), is_head=request.method == "HEAD")


def answer(
    status: int, body: bytes = b"", headers: Iterable[tuple[str, str]] = (), *, is_head: bool = False
) -> Response:
    """A response made here."""
    told = (*headers, ("Content-Length", str(len(body))), ("x-amz-request-id", "0"), ("x-ms-request-id", "0"))
    return Response(status=status, reason=_reason(status), headers=told, body=b"" if is_head else body)


def success(request: Request) -> Response:
    """The plainest success of the service that was called."""
    if request.service == "dynamodb":
        return answer(200, b"{}", (("Content-Type", "application/x-amz-json-1.0"),))
    etag = ("ETag", '"00000000000000000000000000000000"')
    stamp = ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
    if request.service == "s3":
        return answer(204 if request.method == "DELETE" else 200, headers=(etag,))
    created = {"PUT": 201, "POST": 201, "DELETE": 202, "MERGE": 204, "PATCH": 204}
    status = created.get(request.method, 200)
    if request.service == "table":
        status = 204
    return answer(status, headers=(etag, stamp))


def _error_xml(code: str, message: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message><RequestId>0</RequestId></Error>"
    ).encode()
