"""The last run as JSON, for machines and for rendering it again."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from likewise.model import (
    Discrepancy,
    Event,
    FormatTooNew,
    LikewiseError,
    Notice,
    Rerun,
    RunFinished,
    RunStarted,
    StoreFull,
    TestReport,
    Verdict,
)
from likewise.report import digest, restoring
from likewise.report.packing import pack
from likewise.report.reasons import conclude, explain

VERSION = 1
DEFAULT = Path(".likewise/last-run.json")

Json = dict[str, Any]


class LastRunAbsent(LikewiseError):
    """No run has left a report yet."""

    slug = "last-run-absent"


class LastRunCorrupt(LikewiseError):
    """What a run left is not a report."""

    slug = "last-run-corrupt"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRun:
    """All that reports need to show a run again."""

    finished: RunFinished
    started: RunStarted | None = None
    notices: tuple[Notice, ...] = ()
    operations: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The operations that each test used, where somebody counted them."""


class Collector:
    """Keeps of an event stream what a report needs later; call it with every event."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.notices: dict[Notice, None] = {}
        self.finished: RunFinished | None = None

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.started = event
            case Notice():
                self.notices[event] = None
            case RunFinished():
                self.finished = event
            case _:
                pass

    def last_run(self, operations: Mapping[str, Iterable[str]] | None = None) -> LastRun | None:
        """The run, once it is finished."""
        if self.finished is None:
            return None
        return LastRun(
            finished=self.finished,
            started=self.started,
            notices=tuple(self.notices),
            operations={test: frozenset(names) for test, names in (operations or {}).items()},
        )


def as_json(finished: RunFinished) -> Json:
    """A finished run as plain JSON data, in a shape that only grows.

    `version` (1), `run`, `spending` (the fields of Spending), `savings` (`calls`, `made`, `unsettled`,
    `saved`, `seconds`, `money`), `counts` (a number for each standing), `audits` (`clean`, `failed`,
    `bound` or null), `leftovers` (texts), and `tests`, each with `test`, `standing`, `candidate` and
    `reference` (results; the latter null where it did not run), `counts_as`, `calls`,
    `reference_calls`, `saved`, `conclusion` (a sentence), `notes`, `verdict` and `discrepancies`.
    A `verdict` has `kind` (trust, rerun, flaky), `reason` (a slug), `text` and `todo` for people,
    `details` (the reason's own fields; positions count from 0), and for reruns `replay` and `whole`.
    A discrepancy has `operation` and `service`, `difference`, `place`, `reference`, `candidate`
    (values), `implication`, `manifestation`, `test`, `position`.
    Values are JSON; what JSON lacks is an object with one key: `$bytes` (base64), `$opaque`
    (length and hash of a body nobody parsed), `$redacted` (the kind of secret), `$float`; an object of
    the user's with one such key is inside `$dict`.
    """
    return {
        "version": VERSION,
        "run": finished.run,
        "spending": asdict(finished.spending),
        "savings": asdict(digest.savings(finished.spending, finished.tests)),
        "counts": {str(standing): number for standing, number in digest.counts(finished.tests).items()},
        "audits": {**asdict(finished.audits), "bound": finished.audits.bound},
        "leftovers": list(finished.leftovers),
        "tests": [report_as_json(report) for report in finished.tests],
    }


def report_as_json(report: TestReport) -> Json:
    """A test's report as `as_json` has it."""
    return {
        "test": report.test,
        "standing": str(report.standing),
        "candidate": str(report.candidate),
        "reference": None if report.reference is None else str(report.reference),
        "counts_as": str(report.counts_as),
        "calls": report.calls,
        "reference_calls": report.reference_calls,
        "saved": report.saved,
        "conclusion": conclude(report).text,
        "notes": list(report.notes),
        "verdict": verdict_as_json(report.verdict),
        "discrepancies": [discrepancy_as_json(each) for each in report.discrepancies],
    }


def verdict_as_json(verdict: Verdict) -> Json:
    """A verdict as `as_json` has it."""
    words = explain(verdict)
    found: Json = {
        "kind": type(verdict).__name__.lower(),
        "reason": words.slug,
        "text": words.text,
        "todo": words.todo,
        "details": asdict(verdict.reason),
    }
    if isinstance(verdict, Rerun):
        found |= {"replay": list(verdict.replay), "whole": verdict.whole}
    return found


def discrepancy_as_json(each: Discrepancy) -> Json:
    """A discrepancy as `as_json` has it."""
    return {
        "service": each.operation.service,
        "operation": str(each.operation),
        "difference": str(each.difference),
        "place": each.place,
        "reference": pack(each.reference),
        "candidate": pack(each.candidate),
        "implication": str(each.implication),
        "manifestation": str(each.manifestation),
        "test": each.test,
        "position": each.position,
    }


def save(path: Path, run: LastRun) -> None:
    """Keep a run to be shown again; a reader sees the one before or this one, never a part."""
    document = {
        "likewise": "last run",
        **as_json(run.finished),
        "started": None if run.started is None else _started_as_json(run.started),
        "notices": [asdict(notice) for notice in run.notices],
        "operations": {test: sorted(names) for test, names in run.operations.items()},
    }
    _write(path, json.dumps(document))


def write_json(path: Path, finished: RunFinished) -> None:
    """Write a run as `as_json` has it."""
    _write(path, json.dumps(as_json(finished), indent=2) + "\n")


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="ascii") as file:
                file.write(content)
            Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise StoreFull(
            "the report of this run cannot be written",
            where=str(path),
            why=error.strerror or str(error),
            todo="Make room, or check the permissions of the directory.",
        ) from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _started_as_json(started: RunStarted) -> Json:
    return {
        "run": started.run,
        "policy": started.policy,
        "budget": started.budget,
        "targets": [
            {"name": target.name, "role": str(target.role), "version": target.version}
            for target in started.targets
        ],
    }


def load(path: Path) -> LastRun:
    """The run that was kept last."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise LastRunAbsent(
            "there is no run to report yet", where=str(path), todo="Make one: pytest --likewise"
        ) from error
    except OSError as error:
        raise LastRunAbsent(
            "the last run cannot be read", where=str(path), why=error.strerror or str(error)
        ) from error
    try:
        raw = json.loads(content)
        if raw.get("likewise") != "last run" or not isinstance(raw.get("version"), int):
            raise ValueError("it does not say that it is the report of a run")
        if raw["version"] > VERSION:
            raise FormatTooNew(
                f"this report has format version {raw['version']}",
                where=str(path),
                why=f"this version of Likewise reads up to {VERSION}",
                todo="Update Likewise: pip install --upgrade likewise",
            )
        return LastRun(
            finished=restoring.finished(raw),
            started=restoring.started(raw.get("started")),
            notices=tuple(Notice(**notice) for notice in raw.get("notices", ())),
            operations={test: frozenset(names) for test, names in raw.get("operations", {}).items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LastRunCorrupt(
            "not the report of a run",
            where=str(path),
            why=f"{type(error).__name__}: {error}",
            todo="It was left untouched. The next run replaces it: pytest --likewise",
        ) from error
