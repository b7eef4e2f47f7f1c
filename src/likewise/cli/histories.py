"""The files that a simulation takes, each known by its content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from likewise.cloud.histories import read_exchanges, read_har
from likewise.cloud.session import read_recording
from likewise.model import HistoryUnreadable, Recording, Role
from likewise.run import Opaque
from likewise.store import RERUNS, provenance

KINDS = (
    'a recording of Likewise, a HAR file, or JSON Lines of exchanges ("run", "test", "request", "response")'
)


def read_histories(paths: Iterable[Path]) -> list[Recording]:
    """Every run in the files, in the order given; files of workers of the same run are one run."""
    recordings: list[Recording] = []
    own: dict[str, list[Path]] = {}
    places: dict[str, int] = {}
    for path in (file for each in paths for file in _files(each)):
        match _kind(path):
            case "recording":
                run = provenance(path).run
                if run not in own:
                    places[run] = len(recordings)
                    recordings.append(Recording(provenance=provenance(path), traces=()))
                own.setdefault(run, []).append(path)
            case "har":
                recordings.append(read_har(path))
            case _:
                recordings += read_exchanges(path)
    for run, files in own.items():
        recordings[places[run]] = _one_side(read_recording(files))
    if not recordings:
        raise HistoryUnreadable("there is no run in these files", todo=f"A history is {KINDS}.")
    return recordings


def _one_side(recording: Recording) -> Recording:
    """The candidate's traces, where the run has some of both sides."""
    candidate = tuple(trace for trace in recording.traces if trace.role is Role.CANDIDATE)
    return replace(recording, traces=candidate) if candidate else recording


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.jsonl")) + sorted(path.rglob("*.har"))
    # What a run repeated is no part of it: that would count, and save, its calls twice.
    found = [file for file in found if RERUNS not in file.relative_to(path).parts[:-1]] or found
    if not found:
        raise HistoryUnreadable(
            "the directory holds no history", where=str(path), todo=f"A history is {KINDS}."
        )
    return found


def _kind(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as lines:
            first = next((line for line in lines if line.strip()), "")
    except UnicodeDecodeError as error:
        raise _unknown(path, "not a text") from error
    if not first:
        raise _unknown(path, "it is empty")
    try:
        row = json.loads(first)
    except ValueError as error:
        if first.lstrip().startswith("{"):
            return "har"  # an object over several lines; its reader says if it is something else
        raise _unknown(path, "its first line is not JSON") from error
    if not isinstance(row, dict):
        raise _unknown(path, "its first line is not an object")
    if "likewise" in row:
        return "recording"
    return "har" if "log" in row else "exchanges"


def _unknown(path: Path, why: str) -> HistoryUnreadable:
    return HistoryUnreadable("not a history", where=str(path), why=why, todo=f"A history is {KINDS}.")


def read_fingerprints(path: Path, operations: Mapping[str, Sequence[str]]) -> list[Opaque]:
    """Opaque runs, in the order of the file."""
    raw = _object(path, "{run: {test: [fingerprint, …]}}")
    for run, tests in raw.items():
        if not isinstance(tests, dict):
            raise HistoryUnreadable(
                f"run {run!r} is not an object",
                where=str(path),
                todo="Write {run: {test: [fingerprint, …]}}.",
            )
        for test, sequence in tests.items():
            _check_texts(sequence, path=path, what=f"test {test!r} of run {run!r}")
    return [Opaque(run=run, sequences=tests, operations=operations) for run, tests in raw.items()]


def read_apis(path: Path) -> dict[str, list[str]]:
    """The operations of each test."""
    raw = _object(path, "{test: [operation, …]}")
    for test, names in raw.items():
        _check_texts(names, path=path, what=f"test {test!r}")
    return raw


def read_discrepant(path: Path) -> frozenset[str]:
    """Operations known to differ: one a line, blanks around them and empty lines left out."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise HistoryUnreadable("not a text", where=str(path), why=str(error)) from error
    return frozenset(line.strip() for line in lines if line.strip())


def _object(path: Path, form: str) -> dict[str, Any]:
    try:
        raw = json.loads(path.read_bytes())
    except ValueError as error:
        raise HistoryUnreadable("not JSON", where=str(path), why=str(error), todo=f"Write {form}.") from error
    if not isinstance(raw, dict):
        raise HistoryUnreadable("not an object", where=str(path), todo=f"Write {form}.")
    return raw


def _check_texts(values: object, *, path: Path, what: str) -> None:
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise HistoryUnreadable(f"{what} is not a list of texts", where=str(path))
