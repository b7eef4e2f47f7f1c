"""JUnit XML of a run, written scenario by scenario: steps and every attempt, without keeping them."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from likewise.device.results import Mark, Note, ScenarioReport, Silent, SuiteReport
from likewise.device.scenario import Scenario
from likewise.model import LikewiseError

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LETTERS = {
    Mark.PASSED: "passed",
    Mark.FAILED: "FAILED",
    Mark.TIMED_OUT: "TIMED OUT",
    Mark.SKIPPED: "skipped",
    Mark.UNSUPPORTED: "unsupported",
}


class ReportNotWritten(LikewiseError):
    """There is no place for a report."""

    slug = "report-not-written"


class JunitWriter(Silent):
    """Hears the runs of suites; the file is made at the end, where there is to be one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._suites: list[tuple[str, IO[str]]] = []
        self._cases = _cases()
        self._steps: dict[str, io.StringIO] = {}
        self._number: dict[str, int] = {}

    def began(self, scenario: Scenario, board: str, attempt: int) -> None:
        """Head the steps of an attempt."""
        if self._path is None:
            return
        lines = self._steps.setdefault(board, io.StringIO())
        lines.write(f"attempt {attempt + 1} on {board}\n")

    def stepped(
        self, board: str, scenario: Scenario, first: int, marks: Sequence[Mark], notes: Sequence[Note]
    ) -> None:
        """One line a step."""
        if self._path is None:
            return
        lines = self._steps.setdefault(board, io.StringIO())
        whys = {note.step: note.why for note in notes}
        for index, mark in enumerate(marks, start=first):
            title = scenario.steps[index].title if index >= 0 else "before the first step"
            why = f": {whys[index]}" if index in whys else ""
            lines.write(f"  {_LETTERS[mark]:<11} {title}{why}\n")

    def ended(self, report: ScenarioReport, scenario: Scenario) -> None:
        """One test case a scenario and board."""
        if self._path is None:
            return
        lines = self._steps.pop(report.board, io.StringIO()).getvalue()
        counts = report.counts
        case = ElementTree.Element(
            "testcase",
            classname=_allowed(report.board),
            name=_allowed(report.title),
            time=f"{report.seconds:.6f}",
        )
        properties = ElementTree.SubElement(case, "properties")
        values = {"likewise.mark": str(report.mark), "likewise.attempts": str(len(report.attempts))}
        values["likewise.retries"] = str(report.retries)
        values |= {f"likewise.steps.{mark}": str(counts[mark]) for mark in Mark if counts[mark]}
        for name, value in values.items():
            ElementTree.SubElement(properties, "property", name=name, value=value)
        text = _allowed("\n".join(f"{note.title}: {note.why}" for note in report.notes))
        match report.mark:
            case Mark.FAILED | Mark.TIMED_OUT | Mark.FLAKY:
                ElementTree.SubElement(case, "failure", message=_allowed(_headline(report))).text = text
            case Mark.SKIPPED:
                ElementTree.SubElement(case, "skipped", message=_allowed(report.cause or _headline(report)))
            case Mark.UNSUPPORTED:
                ElementTree.SubElement(case, "skipped", message=_allowed(f"unsupported: {_headline(report)}"))
            case Mark.PASSED:
                pass
        if lines:
            ElementTree.SubElement(case, "system-out").text = _allowed(lines)
        self._cases.write(ElementTree.tostring(case, encoding="unicode") + "\n")

    def close_suite(self, report: SuiteReport) -> None:
        """All scenarios of a suite have ended: what stands at its head is known."""
        marks = report.marks
        head = {
            "name": report.title,
            "tests": str(len(report.scenarios)),
            "failures": str(marks[Mark.FAILED] + marks[Mark.TIMED_OUT] + marks[Mark.FLAKY]),
            "errors": "0",
            "skipped": str(marks[Mark.SKIPPED] + marks[Mark.UNSUPPORTED]),
            "time": f"{report.seconds:.6f}",
        }
        attributes = " ".join(f"{name}={quoteattr(_allowed(value))}" for name, value in head.items())
        self._suites.append((f"<testsuite {attributes}>", self._cases))
        self._cases = _cases()

    def __enter__(self) -> JunitWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._path is not None and kind is None:
            try:
                self._write(self._path)
            except OSError as trouble:
                raise ReportNotWritten(
                    "the JUnit file cannot be written",
                    where=str(self._path),
                    why=trouble.strerror or str(trouble),
                    todo="Make room, or name another file.",
                ) from trouble
        for _, cases in self._suites:
            cases.close()
        self._cases.close()

    def _write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            file.write("<?xml version='1.0' encoding='utf-8'?>\n<testsuites>")
            for head, cases in self._suites:
                file.write(f"{head}\n")
                cases.seek(0)
                file.writelines(cases)
                file.write("</testsuite>")
            file.write("</testsuites>\n")


def _cases() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="utf-8")


def _headline(report: ScenarioReport) -> str:
    if report.mark is Mark.FLAKY:
        bad = sum(each.mark is not Mark.PASSED for each in report.attempts)
        return f"flaky: {bad} of {len(report.attempts)} attempts did not pass"
    first = next(iter(report.notes), None)
    return f"{first.title}: {first.why}" if first else str(report.mark)


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
