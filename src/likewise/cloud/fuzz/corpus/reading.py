"""Read cases from files: our own corpora, and lists of cases as other projects publish them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from likewise.cloud.fuzz.corpus.cases import SERVICES, Case, CorpusUnreadable, Recorded, Step, Wire
from likewise.cloud.fuzz.corpus.traffic import Traffic
from likewise.cloud.fuzz.corpus.values import is_mark
from likewise.cloud.fuzz.corpus.vocabulary import method, operation
from likewise.cloud.fuzz.identities import identity_of
from likewise.cloud.histories import read_exchanges, read_har
from likewise.model import FormatTooNew, Recording, Trace
from likewise.store import read
from likewise.store.lines import convert_line

FORMAT = "corpus"
VERSION = 2
"""Since the second, steps may say who makes them."""
Row = Mapping[str, Any]
Entry = Case | Traffic

TODO = (
    'A corpus is a file of "likewise corpus", a JSON list of {"id", "service", "sequence", "real_cloud"}, '
    "a HAR file, JSON Lines of exchanges, a recording of Likewise, or the log of a campaign."
)


def read_corpora(paths: Iterable[Path]) -> list[Entry]:
    """Every case of the files, in their order."""
    return [case for path in paths for case in read_corpus(path)]


def read_corpus(path: Path) -> list[Entry]:
    """The cases of one file, known by its content."""
    text = _read(path)
    first = text.lstrip()[:1]
    if first == "[":
        return _cases(path, _json(path, text))
    if first != "{":
        why = "it is no JSON" if first else "it is empty"
        raise CorpusUnreadable("not a corpus", where=str(path), why=why, todo=TODO)
    head = _first_line(text)
    if isinstance(head, Mapping) and head.get("likewise") == FORMAT:
        return list(_own(path, text))
    if isinstance(head, Mapping) and head.get("type") == "campaign":
        from likewise.cloud.fuzz.corpus.campaigns import read_campaign

        return list(read_campaign(path))
    if isinstance(head, Mapping) and head.get("likewise") == "recording":
        return _traffic(read(path))
    if isinstance(head, Mapping) and {"request", "response"} <= head.keys():
        return [each for run in read_exchanges(path) for each in _traffic(run)]
    if isinstance(head, Mapping) and "sequence" in head:
        return _cases(path, _rows(text))
    whole = _json(path, text)
    if isinstance(whole, Mapping) and "log" in whole:
        return _traffic(read_har(path))
    if isinstance(whole, Mapping) and isinstance(whole.get("cases"), list):
        return _cases(path, whole["cases"])
    if isinstance(whole, Mapping) and "sequence" in whole:
        return _cases(path, [whole])
    if isinstance(whole, Mapping) and (rows := list(_inside(whole))):
        return _cases(path, rows)
    raise CorpusUnreadable("not a corpus", where=str(path), why="it holds no cases", todo=TODO)


def _inside(whole: Row) -> Iterator[Any]:
    """Cases under names of their own, or in lists under the names of services; other values are none."""
    for name, value in whole.items():
        if isinstance(value, Mapping) and "sequence" in value:
            yield {"id": name, **value}
        elif isinstance(value, list) and any(isinstance(row, Mapping) and "sequence" in row for row in value):
            yield from value


def _traffic(recording: Recording) -> list[Entry]:
    run = recording.provenance.run
    return [
        Traffic(id=f"{run}/{trace.test}" if trace.test else run, trace=trace)
        for trace in recording.traces
        if trace.interactions
    ]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusUnreadable("not a text", where=str(path), why=str(error), todo=TODO) from error


def _first_line(text: str) -> Any:
    """What the first line says; where it is broken, the first that is a case."""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return json.loads(lines[0])
    except ValueError:
        cases = (row for row in _rows(text) if isinstance(row, Mapping) and {"id", "sequence"} <= row.keys())
        return next(cases, None)


def _rows(text: str) -> Iterator[Any]:
    """The lines of a file; one that is no JSON stays the text that it is."""
    for line in text.splitlines():
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError:
                yield line


def _json(path: Path, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CorpusUnreadable("not JSON", where=str(path), why=str(error), todo=TODO) from error


def _own(path: Path, text: str) -> Iterator[Entry]:
    rows = _rows(text)
    head = next(rows)
    if head.get("version", 0) > VERSION:
        raise FormatTooNew(
            f"the corpus has format {head['version']}, this version of Likewise reads {VERSION}",
            where=str(path),
            todo="Upgrade: pip install -U likewise",
        )
    for number, row in enumerate(rows, start=2):
        where = f"{path} line {number}"
        if isinstance(row, str):  # cut off: what was written before it counts
            why = f"line {number}: it is no JSON but {row[:40]!r}"
            yield Case(id=f"line {number}", service="", steps=(), recorded=Recorded(), unreadable=why)
            continue
        yield _kept_traffic(row, where) if "trace" in row else _case(row, where=where)


def _kept_traffic(row: Any, where: str) -> Traffic:
    try:
        trace = convert_line({"trace": row["trace"]})
        if isinstance(trace, Trace):
            return Traffic(id=str(row["id"]), trace=trace)
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusUnreadable("not recorded traffic", where=where, why=str(error), todo=TODO) from error
    raise CorpusUnreadable("not recorded traffic", where=where, todo=TODO)


def _cases(path: Path, rows: Any) -> list[Entry]:
    """The cases of somebody's list; one that is none is said to be so, as long as any looks like one."""
    rows = list(rows)
    found: list[Entry] = []
    broken: list[CorpusUnreadable] = []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(_case(row, where=f"{path} case {number}"))
        except CorpusUnreadable as error:
            broken.append(error)
            name = str(row.get("id") or "") if isinstance(row, Mapping) else ""
            why = f"case {number}: {error.why}"
            found.append(
                Case(
                    id=name or f"case {number}",
                    service="",
                    steps=(),
                    recorded=Recorded(),
                    unreadable=why,
                )
            )
    looks = any(isinstance(row, Mapping) and "sequence" in row for row in rows)
    if broken and not looks:
        raise broken[0]
    return found


def _case(row: Any, *, where: str) -> Case:
    if not isinstance(row, Mapping):
        why = f"it is no JSON object but {str(row)[:40]!r}"
        raise CorpusUnreadable("not a case", where=where, why=why, todo=TODO)
    try:
        service = re.sub(r"[\s_.]+", "-", str(row["service"] or "").strip().lower())
        if not isinstance(row["sequence"], list):
            raise ValueError(f"its sequence is no list but {str(row['sequence'])[:40]!r}")
        steps = tuple(_step(_object(each, "a call"), service) for each in row["sequence"])
        recorded = _recorded(row.get("real_cloud"))
        if recorded is None and steps and steps[-1].recorded is not None:
            recorded = steps[-1].recorded
        return Case(
            id=str(row["id"]),
            service=SERVICES.get(service, service),
            steps=steps,
            recorded=recorded or Recorded(),
            note=str(row.get("note") or ""),
            source=str(row.get("source") or ""),
            reference=str(row.get("reference") or ""),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        why = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise CorpusUnreadable("not a case", where=where, why=why, todo=TODO) from error


def _object(value: Any, what: str) -> Row:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is no JSON object but {str(value)[:40]!r}")
    return value


def _step(row: Row, service: str) -> Step:
    params = dict(_object(row.get("params") or {}, "params"))
    wire = None
    if row.get("http"):
        http = _object(row["http"], "http")
        wire = _wire(http)
        sent = {name: http[name] for name in ("headers", "body") if http.get(name) is not None}
        params = _with_text(_with_plain_headers(sent | params))
    named = str(row["op"] if wire is None else row.get("op", wire.method))
    if SERVICES.get(service, service) in ("s3", "dynamodb"):
        named, params = operation(SERVICES.get(service, service), named, params)
    elif wire is None:
        named = method(named)
    return Step(
        operation=named,
        params=params,
        wire=wire,
        recorded=_recorded(row.get("answer")) or _step_answer(row),
        identity=identity_of(_object(row.get("by") or {}, "by")),
    )


def _wire(http: Row) -> Wire:
    """A request, of which some write the whole address as its path."""
    where = str(http.get("path") or http.get("url") or "/")
    address = urlsplit(where)
    path = address.path if address.netloc else where.partition("?")[0]
    query = http.get("query") or where.partition("?")[2]
    if isinstance(query, Mapping):
        query = urlencode(query, doseq=True, quote_via=quote)
    return Wire(
        method=str(http["method"]).upper(),
        path=path or "/",
        query=str(query).removeprefix("?"),
        version=str(http.get("x-ms-version") or http.get("api_version") or ""),
    )


def _with_plain_headers(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters whose headers are texts: many recordings have a list of values for each name."""
    given = params.get("headers")
    if not isinstance(given, Mapping):
        return params
    plain = {
        str(name): ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in given.items()
    }
    return params | {"headers": plain}


def _with_text(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters whose body is a text: some recordings hold its lines, or the JSON that it says."""
    body = params.get("body")
    if isinstance(body, list) and all(isinstance(line, str) for line in body):
        return params | {"body": "".join(body)}
    is_marked = isinstance(body, Mapping) and (set(body) == {"length", "head"} or is_mark(body))
    if isinstance(body, Mapping | list) and not is_marked:
        return {key: value for key, value in params.items() if key != "body_length"} | {
            "body": json.dumps(body)
        }
    return params


def _step_answer(row: Row) -> Recorded | None:
    said = {"status": row.get("real_status"), "error_code": row.get("real_error_code")}
    return _recorded(said) if any(value is not None for value in said.values()) else None


def _recorded(row: Any) -> Recorded | None:
    if row is None:
        return None
    said = _object(row, "an answer")
    ok, status = said.get("ok"), said.get("status")
    if status is not None and not str(status).isdigit():
        raise ValueError(f"the status of an answer is no number but {str(status)[:40]!r}")
    return Recorded(
        ok=ok if isinstance(ok, bool) else None,
        status=int(status) if status is not None else None,
        code=str(said["error_code"]).rpartition("#")[2] if said.get("error_code") else None,
        message=said.get("message"),
    )
