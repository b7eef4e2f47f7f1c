"""Recordings on disk: JSON Lines, one trace per line, written as soon as the trace is finished.

A trace that is too long to be held until then is written in parts, which are one trace again when read.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from likewise.model import (
    LikewiseError,
    Provenance,
    Recording,
    RecordingCorrupt,
    Redaction,
    Result,
    StoreFull,
    Trace,
)
from likewise.model.heap import growing_heap
from likewise.store import encoding, migrations
from likewise.store.home import make_folder
from likewise.store.values import Undecodable

if TYPE_CHECKING:
    from likewise.store.lines import Part

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says when a disk, a quota or a file takes no more."""

CUT_OFF = ("the run ended before the test did",)


class RecordingAbsent(LikewiseError):
    """There is no recording at this place."""

    slug = "recording-absent"


class RecordingEmpty(RecordingCorrupt):
    """The file is there, but the run that made it ended before its first line was written."""

    slug = "recording-empty"


class RecordingExists(LikewiseError):
    """A recording would have replaced another file."""

    slug = "recording-exists"


class RecordingWriter:
    """Writes one recording; the file is readable at every moment, whatever happens to the process.

    One process writes one file (each worker its own; `read_many` joins them); its threads may share
    the writer.
    """

    def __init__(self, path: Path, provenance: Provenance) -> None:
        self.path = path
        self.traces = 0
        self._lock = threading.Lock()
        make_folder(path.parent)
        try:
            self._file = path.open("xb", buffering=0)
        except FileExistsError as error:
            raise RecordingExists(
                "there is a file already, and it is not overwritten",
                where=str(path),
                todo="Choose another name or move the file away.",
            ) from error
        except OSError as error:
            _refuse(path, error)
        header = {
            "likewise": "recording",
            "version": migrations.RECORDING.version,
            "provenance": provenance,
        }
        try:
            self._write(encoding.encode(header))
        except BaseException:
            self._file.close()
            path.unlink()
            raise

    def add(self, redaction: Redaction) -> None:
        """Write one finished trace."""
        from likewise.store.lines import encode_trace_line  # a run begins before it writes

        line = encode_trace_line(redaction.trace)
        with self._lock:
            self._write(line)
            self.traces += 1

    def add_part(self, redaction: Redaction) -> None:
        """Write more interactions of a trace that is not finished; `add` of the trace adds the last ones."""
        from likewise.store.lines import encode_part_line

        line = encode_part_line(redaction.trace)
        with self._lock:
            self._write(line)

    def close(self) -> None:
        """Write the end line, without which the recording counts as incomplete."""
        from likewise.store.lines import encode_end_line

        with self._lock:
            if self._file.closed:
                return
            try:
                self._write(encode_end_line(self.traces))
            finally:
                self._file.close()

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._file.close()  # no end line: what the error kept from being recorded is missing

    def _write(self, line: bytes) -> None:
        start = self._file.tell()
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.truncate(start)
            self._file.seek(start)
            _refuse(self.path, error)


def read(path: Path) -> Recording:
    """The whole recording; `complete` is False where its run ended before it was closed."""
    with growing_heap(), _Reader(path) as reader:
        traces = sorted(reader.traces(), key=_started)
        return Recording(provenance=reader.provenance, traces=tuple(traces), complete=reader.complete)


def read_many(paths: Iterable[Path]) -> Recording:
    """The recordings that the workers of one run wrote, as one."""
    parts = {path: read(path) for path in paths}
    if not parts:
        raise RecordingAbsent("no recordings to join", todo="Name at least one file.")
    first_path, first = min(parts.items(), key=lambda part: part[1].provenance.started)
    targets = dict.fromkeys(first.provenance.targets)
    versions: dict[str, str] = {}
    for path, part in parts.items():
        if part.provenance.run != first.provenance.run:
            raise LikewiseError(
                "the recordings are not of the same run",
                where=str(path),
                why=f"it is of {part.provenance.run!r}, {first_path} of {first.provenance.run!r}",
                todo="Join only files of the same run.",
            )
        targets.update(dict.fromkeys(part.provenance.targets))
        versions |= part.provenance.versions
    return Recording(
        provenance=replace(first.provenance, targets=tuple(targets), versions=versions),
        traces=tuple(sorted((trace for part in parts.values() for trace in part.traces), key=_started)),
        complete=all(part.complete for part in parts.values()),
    )


def iterate(path: Path) -> Iterator[Trace]:
    """The traces of a recording one by one, in the order in which they were finished."""
    with _Reader(path) as reader:
        yield from reader.traces()


def provenance(path: Path) -> Provenance:
    """Where a recording comes from, without reading the rest of it."""
    with _Reader(path) as reader:
        return reader.provenance


class _Reader:
    """Reads a recording line by line; `complete` is known once the traces are exhausted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complete = False
        self._number = 1
        self._file = self._open()
        try:
            self.version, self.provenance = self._read_header()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def traces(self) -> Iterator[Trace]:
        """Each whole; at the end those that were still going on when the run ended."""
        from likewise.store.lines import Part

        count = 0
        parts: dict[tuple[object, ...], list[Trace]] = {}
        for line in self._file:
            self._number += 1
            if self.complete:
                self._reject("there is something after the end of the recording")
            try:
                content = self._decode(line)
            except Undecodable as error:
                if not line.endswith(b"\n"):
                    break  # only the last line can lack its end: the writer was cut off in it
                self._reject(str(error))
            if isinstance(content, Part):
                parts.setdefault(_attempt(content.trace), []).append(content.trace)
            elif isinstance(content, Trace):
                count += 1
                yield _joined(parts.pop(_attempt(content), []), content)
            elif content == count:
                self.complete = True
            else:
                self._reject(f"it should hold {content} traces and holds {count}")
        for *begun, last in parts.values():
            yield _joined(begun, replace(last, result=Result.UNFINISHED, unclear=CUT_OFF))

    def _open(self) -> BinaryIO:
        try:
            return self.path.open("rb", buffering=1 << 18)
        except FileNotFoundError as error:
            raise RecordingAbsent(
                "there is no such recording", where=str(self.path), todo="Check the name, or record it first."
            ) from error
        except OSError as error:
            raise RecordingAbsent(
                "the recording cannot be opened",
                where=str(self.path),
                why=_reason(error),
                todo="Check that it is a file that you may read.",
            ) from error

    def _read_header(self) -> tuple[int, Provenance]:
        line = self._file.readline()
        if not line:
            raise RecordingEmpty(
                "the file is empty",
                where=str(self.path),
                why="the run that made it ended before its first line was written",
                todo="It can be deleted.",
            )
        try:
            raw = encoding.decode_raw(line)
        except Undecodable as error:
            self._reject(f"not the first line of a recording: {error}")
        version = raw.get("version")
        if raw.get("likewise") != "recording" or not isinstance(version, int):
            self._reject("the first line does not say that this is a recording")
        if not migrations.RECORDING.knows(version):
            self._reject(f"there has never been a recording of version {version}")
        raw = migrations.RECORDING.upgrade(raw, version=version, where=str(self.path))
        try:
            return version, encoding.convert(Provenance, raw.get("provenance", {}))
        except Undecodable as error:
            self._reject(f"not a provenance: {error}")

    def _decode(self, line: bytes) -> Trace | Part | int:
        from likewise.store.lines import convert_line, decode_line

        form = migrations.RECORDING
        if self.version == form.version:
            return decode_line(line, reject=partial(_reject, self._where))
        raw = form.upgrade(encoding.decode_raw(line), version=self.version, where=str(self.path))
        return convert_line(raw)

    @property
    def _where(self) -> str:
        return f"{self.path} line {self._number}"

    def _reject(self, why: str) -> NoReturn:
        _reject(self._where, why)


def _reject(where: str, why: str) -> NoReturn:
    raise RecordingCorrupt(
        "not a recording",
        where=where,
        why=why,
        todo="The file was left untouched and is not used. Record it again, or remove it.",
    )


def _attempt(trace: Trace) -> tuple[object, ...]:
    """What the parts of a trace have in common."""
    return trace.test, trace.role, trace.attempt, trace.world


def _joined(parts: Sequence[Trace], last: Trace) -> Trace:
    if not parts:
        return last
    traces = (*parts, last)

    from likewise.model.unopened import Opening, Unopened, passing, spans_of

    opening = Opening(
        to_keep=lambda: [call for each in traces for call in each.interactions],
        in_passing=lambda: [call for each in traces for call in passing(each)],
    )
    spans = [span for each in traces for span in spans_of(each.interactions)]
    return replace(last, interactions=Unopened(spans=spans, source=[opening]))


def _started(trace: Trace) -> float:
    return trace.started


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


def _refuse(path: Path, error: OSError) -> NoReturn:
    if error.errno in FULL:
        raise StoreFull(
            "the recording cannot grow",
            where=str(path),
            why=_reason(error),
            todo="What was written before stays readable. Make room, or record elsewhere, and run again.",
        ) from error
    raise LikewiseError(
        "the recording cannot be written",
        where=str(path),
        why=_reason(error),
        todo="Check that the directory exists and may be written to.",
    ) from error
