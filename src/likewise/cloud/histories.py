"""Read histories of other recorders: HAR files and JSON Lines of exchanges."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from likewise.cloud.exchange import Exchange, header_name
from likewise.cloud.interpret import Interpreter
from likewise.model import HistoryUnreadable, Interaction, Provenance, Recording, Returned, Role, Trace

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Captured:
    """One exchange, and where in its run it belongs."""

    test: str
    order: float
    exchange: Exchange


def read_exchanges(path: Path) -> list[Recording]:
    """The runs of a JSON Lines file of exchanges, oldest first."""
    runs: dict[str, list[_Captured]] = {}
    for line, row in _rows(path):
        try:
            runs.setdefault(str(row["run"]), []).append(_captured(row))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise HistoryUnreadable(
                "not an exchange",
                where=f"{path} line {line}",
                why=_why(error),
                todo='Each line needs "run", "test", "request" and "response".',
            ) from error
    return [_recording(run, calls) for run, calls in sorted(runs.items(), key=lambda item: _begin(item[1]))]


def read_har(path: Path) -> Recording:
    """One run from a HAR file; pages are tests, entries outside any page one test of their own."""
    where = str(path)
    try:
        log = json.loads(path.read_bytes())["log"]
        titles = {page["id"]: page.get("title") or page["id"] for page in log.get("pages", ())}
        calls = []
        for number, entry in enumerate(log["entries"]):
            where = f"{path} entry {number}"
            calls.append(_captured(_har_row(entry, titles, number)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HistoryUnreadable(
            "not a HAR file",
            where=where,
            why=_why(error),
            todo='It needs "log" with "entries", each with "request" and "response".',
        ) from error
    return _recording(path.stem, calls)


def _why(error: Exception) -> str:
    match error:
        case KeyError():
            return f"no {error}"
        case AttributeError():
            return "something in it is of another type than it should be"
        case _:
            return str(error)


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, text in enumerate(lines, start=1):
                if text.strip():
                    yield number, _object(text, where=f"{path} line {number}")
    except UnicodeDecodeError as error:
        raise HistoryUnreadable("not a text", where=f"{path} after line {number}", why=str(error)) from error


def _object(text: str, *, where: str) -> Row:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise HistoryUnreadable("not JSON", where=where, why=str(error)) from error
    if not isinstance(row, dict):
        raise HistoryUnreadable("not an exchange", where=where, why="not an object")
    return row


def _har_row(entry: Row, titles: Mapping[str, str], number: int) -> Row:
    request, response = entry["request"], entry["response"]
    sent, content = request.get("postData") or {}, response.get("content") or {}
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
            "body": sent.get("text"),
            "encoding": sent.get("encoding"),
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


def _recording(run: str, calls: list[_Captured]) -> Recording:
    tests: dict[str, list[_Captured]] = {}
    for call in calls:
        tests.setdefault(call.test, []).append(call)
    interpreter = Interpreter()
    ordered = sorted(tests.items(), key=lambda item: _begin(item[1]))
    traces = tuple(_trace(test, captured, interpreter) for test, captured in ordered)
    return Recording(provenance=Provenance(run=run, started=_begin(calls)), traces=traces)


def _trace(test: str, calls: list[_Captured], interpreter: Interpreter) -> Trace:
    calls = sorted(calls, key=lambda call: (call.order, call.exchange.started))
    return Trace(
        test=test,
        role=Role.CANDIDATE,
        world="history",
        interactions=tuple(
            _with_content(interpreter.interpret(call.exchange, order=order))
            for order, call in enumerate(calls)
        ),
        started=min(call.exchange.started for call in calls),
        ended=max(call.exchange.ended for call in calls),
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


def _captured(row: Row) -> _Captured:
    request, response = row["request"], row["response"] or {}
    begin = _seconds(row.get("t0"))
    exchange = Exchange(
        method=_text(request["method"]),
        url=_text(request["url"]),
        headers=_headers(request.get("headers")),
        body=_body(request, request.get("headers")),
        status=int(response.get("status") or 0) or None,
        response_headers=_headers(response.get("headers")),
        response_body=_body(response, response.get("headers")),
        started=begin,
        ended=max(begin, _seconds(row.get("t1"))),
        lane=str(row.get("lane", "main")),
    )
    return _Captured(test=str(row["test"]), order=float(row.get("seq") or 0), exchange=exchange)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {header_name(name): str(value) for name, value in (headers or {}).items()}


def _body(message: Row, headers: Mapping[str, str] | None) -> bytes | None:
    """A body given as text or as base64: as the message says, or as its content length tells."""
    body = message.get("body")
    if body is None:
        return None
    text = _text(body).encode("utf-8", "surrogatepass")
    if message.get("encoding") == "base64":
        return base64.b64decode(text, validate=True)
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


def _begin(calls: Sequence[_Captured]) -> float:
    return min((call.exchange.started for call in calls), default=0.0)


def _seconds(moment: object) -> float:
    if isinstance(moment, int | float):
        return float(moment)
    if isinstance(moment, str):
        try:
            return datetime.fromisoformat(moment).timestamp()
        except ValueError:
            return 0.0
    return 0.0
