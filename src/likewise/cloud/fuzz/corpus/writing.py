"""Write a corpus: JSON Lines, versioned, redacted; equal lines are one, so that merging is a union."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from likewise.canonical.redact import redact
from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Text
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step, Wire
from likewise.cloud.fuzz.corpus.reading import FORMAT, VERSION
from likewise.cloud.fuzz.corpus.traffic import Traffic
from likewise.cloud.secrets import gather
from likewise.model import Interaction, Operation, Redacted, Returned, Role, Trace
from likewise.store.lines import encode_trace_line

Entry = Case | Traffic


def write_corpus(path: Path, entries: Iterable[Entry]) -> int:
    """Write the union of the entries in an order of their own; the number of them.

    The file appears whole or not at all.
    """
    lines = sorted({json.dumps(row(entry), sort_keys=True) for entry in entries})
    head = json.dumps({"likewise": FORMAT, "version": VERSION})
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return len(lines)


def row(entry: Entry) -> dict[str, Any]:
    """An entry as a line of the file, without secrets."""
    if isinstance(entry, Traffic):
        clean = redact(entry.trace, secrets=gather(os.environ)).trace
        return {"id": entry.id, "trace": json.loads(encode_trace_line(clean))["trace"]}
    return _redacted(published(entry))


def published(case: Case) -> dict[str, Any]:
    """A case in the form in which lists of cases are published."""
    found = {
        "id": case.id,
        "service": case.service,
        "sequence": [_step(step) for step in case.steps],
        "real_cloud": _answer(case.recorded),
    }
    extra = {"note": case.note, "source": case.source, "reference": case.reference}
    return found | {name: text for name, text in extra.items() if text}


def _step(step: Step) -> dict[str, Any]:
    found: dict[str, Any] = {"op": step.operation, "params": plain(step.params)}
    if not step.identity.is_owner:
        found["by"] = step.identity.as_json()
    if step.wire is not None:
        found["http"] = _wire(step.wire)
    if step.recorded is not None:
        found["answer"] = _answer(step.recorded)
    return found


def _wire(wire: Wire) -> dict[str, str]:
    return {
        "method": wire.method,
        "path": wire.path,
        "query": wire.query,
        **({"x-ms-version": wire.version} if wire.version else {}),
    }


def _answer(recorded: Recorded) -> dict[str, Any]:
    return {
        "ok": recorded.ok if recorded.ok is not None else recorded.success,
        "status": recorded.status,
        "error_code": recorded.code,
        "message": recorded.message,
    }


def plain(value: Any) -> Any:
    """A parameter as JSON: bytes, times, names and references under their marks."""
    if isinstance(value, Name):
        return _name(value)
    if isinstance(value, Ref):
        return f"${{{value.call + 1}.{_path(value)}}}"
    if isinstance(value, Text):
        return "".join(part if isinstance(part, str) else str(plain(part)) for part in value.parts)
    if isinstance(value, bytes | bytearray):
        return {"__b64__": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, datetime):
        return {"__datetime__": value.isoformat()}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value


def _name(name: Name) -> str:
    """A name that stands for any: what a case makes under it gets a fresh one whenever it is played."""
    return f"name{name.kind}{name.number:06d}".lower().replace("_", "")


def _path(ref: Ref) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in ref.path).lstrip(".")


def case_of(
    service: str, calls: Sequence[Call], answers: Sequence[Answer | None], *, id: str, reference: str
) -> Case:
    """A sequence of a campaign with the reference's answers, as a case."""
    steps = tuple(
        Step(
            operation=call.operation,
            params=plain(call.params),
            identity=call.identity,
            recorded=None if answer is None else recorded_answer(answer),
        )
        for call, answer in zip(calls, answers, strict=True)
    )
    last = steps[-1].recorded or Recorded()
    return Case(id=id, service=service, steps=steps, recorded=last, reference=reference)


def recorded_answer(answer: Answer) -> Recorded:
    """An answer as it is kept; one that never came says nothing."""
    if answer.refused or answer.silence:
        return Recorded()
    return Recorded(
        ok=answer.success, status=answer.status, code=answer.code or None, message=answer.message or None
    )


def _redacted(found: dict[str, Any]) -> dict[str, Any]:
    """The same row without secrets, by the rules that hold for recordings."""
    service = str(found["service"])
    interactions = tuple(
        Interaction(
            operation=Operation(service, str(step["op"])),
            arguments={"params": step["params"], "http": step.get("http")},
            outcome=Returned(value=step.get("answer")),
        )
        for step in found["sequence"]
    )
    trace = Trace(test="", role=Role.REFERENCE, world="corpus", interactions=interactions)
    clean = redact(trace, secrets=gather(os.environ)).trace
    for step, call in zip(found["sequence"], clean.interactions, strict=True):
        step["params"] = _marked(call.arguments["params"])
        if call.arguments["http"] is not None:
            step["http"] = _marked(call.arguments["http"])
    return found


def _marked(value: Any) -> Any:
    if isinstance(value, Redacted):
        return {"__redacted__": value.kind}
    if isinstance(value, dict):
        return {key: _marked(inner) for key, inner in value.items()}
    return [_marked(inner) for inner in value] if isinstance(value, list) else value
