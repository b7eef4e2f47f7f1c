"""JUnit XML: one test case a test, with verdict and reason as properties."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from likewise.model import Result, RunFinished, TestReport
from likewise.report import digest, words
from likewise.report.reasons import conclude

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(path: Path, finished: RunFinished) -> None:
    """Write a run for a continuous integration server."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_junit(finished))


def as_junit(finished: RunFinished) -> bytes:
    """A run as JUnit XML; a test counts as failed where it fails on the side that counts."""
    tests = finished.tests
    results = [report.counts_as for report in tests]
    suite = ElementTree.Element(
        "testsuite",
        name="likewise",
        tests=str(len(tests)),
        failures=str(results.count(Result.FAILED)),
        errors=str(results.count(Result.UNFINISHED)),
        skipped=str(results.count(Result.SKIPPED)),
    )
    counts = {str(standing): str(number) for standing, number in digest.counts(tests).items()}
    _properties(
        suite,
        {
            "likewise.run": finished.run,
            **{f"likewise.{standing}": number for standing, number in counts.items()},
            "likewise.calls": str(finished.spending.calls),
            "likewise.reference_calls": str(finished.spending.reference_calls),
        },
    )
    for report in tests:
        _test_case(suite, report)
    ElementTree.indent(suite)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def _test_case(suite: ElementTree.Element, report: TestReport) -> None:
    path, _, name = report.test.partition("::")
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_allowed(path.removesuffix(".py").replace("/", ".")),
        name=_allowed(name or path),
    )
    why = conclude(report)
    _properties(
        case,
        {
            "likewise.standing": str(report.standing),
            "likewise.verdict": type(report.verdict).__name__.lower(),
            "likewise.reason": why.slug,
            "likewise.why": why.text,
            "likewise.candidate": str(report.candidate),
            "likewise.reference": "" if report.reference is None else str(report.reference),
            "likewise.calls": str(report.calls),
            "likewise.reference_calls": str(report.reference_calls),
        },
    )
    side = "candidate" if report.reference is None else "reference"
    match report.counts_as:
        case Result.FAILED:
            ElementTree.SubElement(case, "failure", message=f"failed on the {side}").text = _allowed(why.text)
        case Result.UNFINISHED:
            ElementTree.SubElement(case, "error", message=f"not finished on the {side}").text = _allowed(
                why.text
            )
        case Result.SKIPPED:
            ElementTree.SubElement(case, "skipped")
        case Result.PASSED:
            pass
    if lines := [_line(report, number) for number in range(len(report.discrepancies))]:
        ElementTree.SubElement(case, "system-out").text = _allowed("\n".join(lines))


def _line(report: TestReport, number: int) -> str:
    each = report.discrepancies[number]
    reference, candidate = words.sides(each)
    place = f" at {each.place}" if each.place else ""
    return (
        f"{each.operation}: {words.kind(each.difference)}{place}: reference {reference}, "
        f"candidate {candidate} ({each.implication}: {words.meaning(each.implication)})"
    )


def _properties(parent: ElementTree.Element, values: dict[str, str]) -> None:
    properties = ElementTree.SubElement(parent, "properties")
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=_allowed(value))


def _allowed(text: str) -> str:
    """Text without what XML cannot hold."""
    return _FORBIDDEN.sub(lambda found: words.printable(found[0]), text)
