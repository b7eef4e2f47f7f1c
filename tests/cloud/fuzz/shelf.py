"""A small real service over HTTP, in two versions: what the second does differently is given by name."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TITLE = {"type": "string", "minLength": 1, "maxLength": 80}
BOOK = {
    "type": "object",
    "required": ["title"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "title": {"$ref": "#/components/schemas/Title"},
        "pages": {"type": "integer", "minimum": 1, "maximum": 5000},
        "genre": {"type": "string", "enum": ["novel", "poem"]},
    },
}
ITEM = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


REF = {"$ref": "#/components/schemas/Book"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shelf", "version": "1"},
    "servers": [{"url": "https://shelf.example.org/v1"}],
    "paths": {
        "/books": {
            "get": {
                "operationId": "listBooks",
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1, "maximum": 50},
                    },
                    {"name": "title", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {"200": _json({"type": "array", "items": REF})},
            },
            "post": {
                "operationId": "addBook",
                "requestBody": {"required": True, **_json(REF)},
                "responses": {"201": _json(REF)},
            },
        },
        "/books/{id}": {
            "parameters": [ITEM],
            "get": {"operationId": "findBook", "responses": {"200": _json(REF)}},
            "put": {
                "operationId": "replaceBook",
                "requestBody": {"required": True, **_json(REF)},
                "responses": {"200": _json(REF)},
            },
            "delete": {"operationId": "removeBook", "responses": {"204": {"description": "gone"}}},
        },
    },
    "components": {"schemas": {"Book": BOOK, "Title": TITLE}},
}

DIFFERENCES = (
    "pages unchecked", "other status", "not deleted", "field missing", "other code", "filter ignored",
    "pages lost",
)  # fmt: skip


class _Shelf:
    def __init__(self, *differences: str, page: int) -> None:
        self.differences, self.page = frozenset(differences), page
        self.books: dict[int, dict[str, Any]] = {}
        self.lock = threading.Lock()
        self.last = 0

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        with self.lock:
            found = re.fullmatch(r"/v1/books(?:/([^/?]+))?(?:\?(.*))?", path)
            if found is None:
                return self._error(404, "no_route", path)
            if found[1] is None:
                return self._collection(method, body, found[2] or "")
            return self._item(method, found[1], body)

    def _error(self, status: int, code: str, text: str) -> tuple[int, Any]:
        if code == "not_found" and "other code" in self.differences:
            code = "missing"
        return status, {"code": code, "message": text}

    def _collection(self, method: str, body: Any, query: str) -> tuple[int, Any]:
        if method == "GET":
            limit = re.search(r"limit=([^&]*)", query)
            if limit and not (limit[1].isdigit() and 1 <= int(limit[1]) <= 50):
                return self._error(400, "bad_limit", "limit must be from 1 to 50")
            wanted = re.search(r"title=([^&]*)", query)
            text = wanted[1] if wanted and "filter ignored" not in self.differences else ""
            those = [book for book in self.books.values() if text in book["title"]]
            return 200, those[: int(limit[1]) if limit else self.page]
        if why := self._trouble(body):
            return self._error(400, "bad_book", why)
        self.last += 1
        self.books[self.last] = self._made(self.last, body)
        return (200 if "other status" in self.differences else 201), self.books[self.last]

    def _item(self, method: str, number: str, body: Any) -> tuple[int, Any]:
        key = int(number) if number.isdigit() else 0
        if key not in self.books:
            return self._error(404, "not_found", "no such book")
        if method == "DELETE":
            if "not deleted" not in self.differences:
                del self.books[key]
            return 204, None
        if method == "PUT":
            if why := self._trouble(body):
                return self._error(400, "bad_book", why)
            self.books[key] = self._made(key, body)
        return 200, self.books[key]

    def _made(self, key: int, body: Any) -> dict[str, Any]:
        book = {"id": key, "title": body["title"], "pages": body.get("pages"), "genre": body.get("genre")}
        if "field missing" in self.differences:
            del book["genre"]
        if "pages lost" in self.differences and book["pages"] != 2:
            book["pages"] = 2
        return book

    def _trouble(self, body: Any) -> str:
        if not isinstance(body, dict) or not isinstance(body.get("title"), str):
            return "title must be a text"
        if not 1 <= len(body["title"]) <= 80:
            return "title must have from 1 to 80 characters"
        pages = body.get("pages", 1)
        if "pages unchecked" not in self.differences and not (type(pages) is int and 1 <= pages <= 5000):
            return "pages must be from 1 to 5000"
        return "" if body.get("genre", "poem") in ("novel", "poem") else "genre must be novel or poem"


@contextmanager
def shelf(*differences: str, page: int = 50) -> Iterator[str]:
    """The service at a URL, whose list gives so many books unless it is asked for fewer."""
    state = _Shelf(*differences, page=page)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer waits for the acknowledgement of its head

        def do(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(content) if content else None
            except ValueError:
                body = None
            status, found = state.answer(self.command, self.path, body)
            text = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = do

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
