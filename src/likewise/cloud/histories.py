"""Read histories of other recorders: HAR files and JSON Lines of exchanges."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.model import HistoryUnreadable, Interaction, Provenance, Recording, Returned, Role, Trace

Row = Mapping[str, Any]


def read_exchanges(path: Path) -> list[Recording]:
    """The runs of a JSON Lines file of exchanges, oldest first."""
    runs: dict[str, list[Row]] = {}
    for line, row in _rows(path):
        try:
            runs.setdefault(str(row["run"]), []).append(row)
            row["test"], row["request"]["url"], row["response"]
        except (KeyError, TypeError) as error:
            raise HistoryUnreadable(
                "not an exchange",
                where=f"{path} line {line}",
                why=f"no {error}",
                todo='Each line needs "run", "test", "request" and "response".',
            ) from error
    return [_recording(run, rows) for run, rows in sorted(runs.items(), key=lambda item: _begin(item[1]))]


def read_har(path: Path) -> Recording:
    """One run from a HAR file; pages are tests, entries outside any page one test of their own."""
    try:
        log = json.loads(path.read_bytes())["log"]
        titles = {page["id"]: page.get("title") or page["id"] for page in log.get("pages", ())}
        rows = [_har_row(entry, titles, number) for number, entry in enumerate(log["entries"])]
    except (KeyError, TypeError, ValueError) as error:
        raise HistoryUnreadable(
            "not a HAR file", where=str(path), why=f"{type(error).__name__}: {error}"
        ) from error
    return _recording(path.stem, rows)


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    with path.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, start=1):
            if not text.strip():
                continue
            try:
                row = json.loads(text)
            except ValueError as error:
                raise HistoryUnreadable("not JSON", where=f"{path} line {number}", why=str(error)) from error
            if not isinstance(row, dict):
                raise HistoryUnreadable("not an exchange", where=f"{path} line {number}", why="not an object")
            yield number, row


def _har_row(entry: Row, titles: Mapping[str, str], number: int) -> Row:
    request, response = entry["request"], entry["response"]
    content = response.get("content", {})
    begin = _seconds(entry.get("startedDateTime"))
    return {
        "test": str(entry.get("_test") or titles.get(entry.get("pageref", ""), "")),
        "seq": number,
        "t0": begin,
        "t1": begin + max(0.0, float(entry.get("time") or 0.0)) / 1000,
        "request": {
            "method": request["method"],
            "url": request["url"],
            "headers": _har_headers(request.get("headers", ())),
            "body": request.get("postData", {}).get("text"),
            "encoding": request.get("postData", {}).get("encoding"),
        },
        "response": {
            "status": response["status"],
            "headers": _har_headers(response.get("headers", ())),
            "body": content.get("text"),
            "encoding": content.get("encoding"),
        },
    }


def _har_headers(headers: Sequence[Row]) -> dict[str, str]:
    return {header["name"]: header["value"] for header in headers}


def _recording(run: str, rows: list[Row]) -> Recording:
    tests: dict[str, list[Row]] = {}
    for row in rows:
        tests.setdefault(str(row["test"]), []).append(row)
    interpreter = Interpreter()
    ordered = sorted(tests.items(), key=lambda item: _begin(item[1]))
    traces = tuple(_trace(test, calls, interpreter) for test, calls in ordered)
    return Recording(provenance=Provenance(run=run, started=_begin(rows)), traces=traces)


def _trace(test: str, rows: list[Row], interpreter: Interpreter) -> Trace:
    rows = sorted(rows, key=lambda row: (row.get("seq", 0), _seconds(row.get("t0"))))
    exchanges = [_exchange(row) for row in rows]
    return Trace(
        test=test,
        role=Role.CANDIDATE,
        world="history",
        interactions=tuple(
            _with_content(interpreter.interpret(exchange, order=order))
            for order, exchange in enumerate(exchanges)
        ),
        started=min(exchange.started for exchange in exchanges),
        ended=max(exchange.ended for exchange in exchanges),
    )


def _with_content(interaction: Interaction) -> Interaction:
    """Where a recorder left out the request's body, know it by the hash that the server gave back."""
    body = interaction.arguments.get("body")
    outcome = interaction.outcome
    if not (isinstance(body, dict) and body.keys() == {"length"} and isinstance(outcome, Returned)):
        return interaction
    headers = outcome.value.get("headers") if isinstance(outcome.value, dict) else None
    if not isinstance(headers, dict):
        return interaction
    digest = headers.get("content-md5")
    if digest is None and interaction.operation.service == "s3":
        digest = headers.get("etag")
    if digest is None:
        return interaction
    return replace(interaction, arguments={**interaction.arguments, "body": {**body, "md5": digest}})


def _exchange(row: Row) -> Exchange:
    request, response = row["request"], row["response"] or {}
    begin = _seconds(row.get("t0"))
    return Exchange(
        method=request["method"],
        url=request["url"],
        headers=_headers(request.get("headers")),
        body=_body(request, request.get("headers")),
        status=response.get("status") or None,
        response_headers=_headers(response.get("headers")),
        response_body=_body(response, response.get("headers")),
        started=begin,
        ended=max(begin, _seconds(row.get("t1"))),
        lane=str(row.get("lane", "main")),
    )


def _headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in (headers or {}).items()}


def _body(message: Row, headers: Mapping[str, str] | None) -> bytes | None:
    """A body given as text or as base64: as the message says, or as its content length tells."""
    body = message.get("body")
    if body is None:
        return None
    text = str(body).encode("utf-8", "surrogatepass")
    if message.get("encoding") == "base64":
        return _decoded(text) or text
    length = _headers(headers).get("content-length", "")
    if length.isdigit() and int(length) != len(text):
        decoded = _decoded(text)
        if decoded is not None and len(decoded) == int(length):
            return decoded
    return text


def _decoded(text: bytes) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _begin(rows: Sequence[Row]) -> float:
    return min((_seconds(row.get("t0")) for row in rows), default=0.0)


def _seconds(moment: object) -> float:
    if isinstance(moment, int | float):
        return float(moment)
    if isinstance(moment, str):
        try:
            return datetime.fromisoformat(moment).timestamp()
        except ValueError:
            return 0.0
    return 0.0
