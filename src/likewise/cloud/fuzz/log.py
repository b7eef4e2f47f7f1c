"""The log of a campaign: append-only, one line an event, everything can be rebuilt from it."""

from __future__ import annotations

import glob
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from likewise.cloud.fuzz.differences.circles import staying
from likewise.cloud.fuzz.differences.folding import (
    follows_from,
    follows_from_deafness,
    follows_from_idleness,
    follows_from_loss,
    follows_from_omission,
    is_of_part,
    is_same_absence,
    is_same_asked,
    is_same_choice,
    is_same_end,
    is_same_field,
    is_same_lateness,
    is_same_message,
    is_same_order,
    is_same_page,
    is_same_refusal,
)
from likewise.cloud.fuzz.differences.leniency import gathered
from likewise.cloud.fuzz.differences.neglect import (
    follows_from_alteration,
    follows_from_blindness,
    is_same_deafness,
    shows_in_refusal,
)
from likewise.cloud.fuzz.findings import Finding, Tally, from_json
from likewise.cloud.fuzz.inquiry.inquiry import Unstable
from likewise.model import FormatTooNew, RecordingCorrupt

VERSION = 2
"""Since the second, calls may say who makes them."""


class Log:
    """One worker's log; every line is on the disk before the next task begins."""

    def __init__(
        self, path: Path | None, *, header: Mapping[str, Any], sink: Callable[[str], None] | None = None
    ) -> None:
        self.path, self.sink = path, sink
        self.lines: list[str] = []
        self._file: IO[str] | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            _end_line(path)
            self._file = path.open("a", encoding="utf-8")
        self.write({"type": "campaign", "version": VERSION, "when": time.time(), **header})

    def write(self, data: Mapping[str, Any]) -> None:
        """Append one event."""
        text = json.dumps(data, sort_keys=True)
        if self._file is not None:
            self._file.write(text + "\n")
            self._file.flush()
        else:
            self.lines.append(text)
            if self.sink is not None:
                self.sink(text)

    def finding(self, finding: Finding) -> None:
        """A difference was confirmed."""
        self.write({"type": "finding", "when": time.time(), "finding": finding.as_json()})

    def unstable(self, unstable: Unstable) -> None:
        """A difference did not repeat."""
        self.write({"type": "unstable", **asdict(unstable)})

    def done(self, task: str) -> None:
        """A task is over."""
        self.write({"type": "done", "task": task})

    def coverage(self, tally: Tally, sent: int) -> None:
        """How far the campaign is."""
        self.write({"type": "coverage", "sent": sent, **tally.as_json()})

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


def _end_line(path: Path) -> None:
    """A log that was cut in the middle of a line gets an end, so that the next line is one of its own."""
    if path.exists() and (data := path.read_bytes()) and not data.endswith(b"\n"):
        with path.open("ab") as file:
            file.write(b"\n")


@dataclass(slots=True, kw_only=True)
class Campaigns:
    """What some logs say, taken together."""

    findings: dict[str, Finding] = field(default_factory=dict)
    folded: dict[str, Finding] = field(default_factory=dict)
    """What turned out to have the cause of another finding."""
    first_seen: dict[str, float] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each finding, candidate and reference with their versions."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """Coverage by service."""
    sent: int = 0
    done: set[str] = field(default_factory=set)
    unstable: list[dict[str, Any]] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    """What the campaigns made on servers that are not ours and could not remove, and why."""
    headers: list[dict[str, Any]] = field(default_factory=list)

    def ranked(self) -> list[Finding]:
        """The findings, the most harmful first."""
        return sorted(self.findings.values(), key=lambda each: each.rank)


def read(paths: Iterable[Path]) -> Campaigns:
    """Everything that some logs hold; a line that was cut off by a crash is left out."""
    found = Campaigns()
    for path in paths:
        _read_one(found, path, path.read_bytes().split(b"\n"))
    _fold(found)
    return found


_SAME = (
    is_same_refusal,
    is_same_message,
    is_of_part,
    is_same_page,
    is_same_absence,
    is_same_end,
    is_same_choice,
    is_same_field,
    is_same_order,
    is_same_asked,
    follows_from,
    follows_from_idleness,
    follows_from_deafness,
    follows_from_loss,
    follows_from_omission,
    is_same_lateness,
    follows_from_blindness,
    follows_from_alteration,
    is_same_deafness,
    shows_in_refusal,
)


def _fold(found: Campaigns) -> None:
    """Put together what has one cause, though it was found before that was known."""
    those = found.ranked()
    into = {
        each.hash: {
            other.hash for other in those if other is not each and any(same(each, other) for same in _SAME)
        }
        for each in those
    }
    stay = staying(into, [each.hash for each in sorted(those, key=lambda one: len(one.sequence))])
    found.folded |= {key: found.findings.pop(key) for key in into if key not in stay}
    known = {service: tally.authorisations for service, tally in found.tallies.items()}
    kept, folded = gathered(tuple(found.findings.values()), known)
    found.findings = {each.hash: each for each in kept}
    found.folded |= {each.hash: each for each in folded}


def _read_one(found: Campaigns, path: Path, lines: list[bytes]) -> None:
    header: dict[str, Any] = {}
    coverage: dict[str, Any] | None = None
    for number, data in _parsed(path, lines):
        try:
            match data.get("type"):
                case "campaign":
                    _check_version(path, data)
                    if coverage is not None:
                        _add(found, header, coverage)
                    header, coverage = data, None
                    found.headers.append(data)
                case "finding":
                    _take(found, header, data)
                case "unstable":
                    found.unstable.append(data)
                case "done":
                    found.done.add(data["task"])
                case "coverage":
                    Tally().add(data)  # here, where the line is known
                    coverage = data
                case "end":
                    found.left |= data.get("left", {})
                case other:
                    raise _damaged(path, number, f"unknown event {other!r}")
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(path, number, f"not an event ({type(error).__name__}: {error})") from error
    if coverage is not None:
        _add(found, header, coverage)


def _check_version(path: Path, header: Mapping[str, Any]) -> None:
    if header.get("version", 0) > VERSION:
        raise FormatTooNew(
            f"written by a newer version (format {header['version']}, this one reads {VERSION})",
            where=str(path),
            todo="Use that version of Likewise, or move the file away.",
        )


def _take(found: Campaigns, header: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    finding = from_json(data["finding"])
    there = found.findings.setdefault(finding.hash, finding)
    if len(finding.sequence) < len(there.sequence):
        found.findings[finding.hash] = finding
    found.first_seen.setdefault(finding.hash, data.get("when", 0.0))
    found.pairs.setdefault(finding.hash, (header.get("candidate", ""), header.get("reference", "")))


def _damaged(path: Path, number: int, what: str) -> RecordingCorrupt:
    return RecordingCorrupt(
        what,
        where=f"{path} line {number}",
        todo="Nothing of it is used. Delete that line to use the rest, or move the file away.",
    )


def _add(found: Campaigns, header: Mapping[str, Any], coverage: Mapping[str, Any]) -> None:
    found.sent += coverage.get("sent", 0)
    found.tallies.setdefault(str(header.get("service", "")), Tally()).add(coverage)


def _parsed(path: Path, lines: list[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events with their lines; one that was cut off can only be the last of a campaign."""
    cut = 0
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            data = json.loads(text)
        except ValueError:
            if cut:
                raise _damaged(path, cut, "not JSON") from None
            cut = number
            continue
        if not isinstance(data, dict):
            raise _damaged(path, number, "not an event")
        if cut and data.get("type") != "campaign":
            raise _damaged(path, cut, "not JSON")
        cut = 0
        yield number, data


def parts(path: Path) -> list[Path]:
    """The logs of one campaign that are there: its own, and those of its workers."""
    workers = sorted(path.parent.glob(f"{glob.escape(path.stem)}-w*.jsonl"))
    return [each for each in (path, *workers) if each.exists()]


def campaign_name(service: str, candidate: str, reference: str, seed: int) -> str:
    """What the logs of a campaign are called: the same for the same question."""
    return "_".join([*map(file_word, (service, candidate, reference)), str(seed)])


def file_word(text: str) -> str:
    """A service or target as part of a log's name."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")
