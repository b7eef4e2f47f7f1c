"""Study mode: everything ran on both sides; what differs, and what fixing it would bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from likewise.model import Result, TestReport
from likewise.report import words


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationUse:
    """An operation, how many tests use it, and how many of them saw it differ."""

    operation: str
    tests: int
    discrepant_tests: int

    @property
    def is_discrepant(self) -> bool:
        """Whether any test saw it differ."""
        return self.discrepant_tests > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One operation to fix, after those before it: the tests that it clears, and all cleared by then."""

    operation: str
    clears: int
    cleared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What running a suite on both sides shows."""

    tests: int
    discrepant: tuple[str, ...]
    """Tests with any difference, in their results or their calls."""
    unsafe: tuple[str, ...]
    """Passed on the candidate, failed on the reference."""
    false_alarms: tuple[str, ...]
    """Failed on the candidate, passed on the reference."""
    not_compared: tuple[str, ...]
    """Did not run on the reference, or did not finish on a side."""
    operations: tuple[OperationUse, ...]
    """By number of tests that use them."""
    fixes: tuple[Fix, ...]
    """In the order that clears most tests soonest."""
    unexplained: tuple[str, ...]
    """Tests whose results differ though no call was seen to."""


def examine(reports: Sequence[TestReport], operations: Mapping[str, Iterable[str]]) -> Study:
    """Count what differs. `operations` says which operations each test used, on either side."""
    compared = [report for report in reports if _is_compared(report)]
    blamed = {
        report.test: frozenset(str(each.operation) for each in report.discrepancies) for report in compared
    }
    differing = [report.test for report in compared if blamed[report.test] or _result_differs(report)]
    used = {
        report.test: frozenset(operations.get(report.test, ())) | blamed[report.test] for report in compared
    }
    return Study(
        tests=len(reports),
        discrepant=tuple(differing),
        unsafe=_ended(compared, candidate=Result.PASSED, reference=Result.FAILED),
        false_alarms=_ended(compared, candidate=Result.FAILED, reference=Result.PASSED),
        not_compared=tuple(report.test for report in reports if not _is_compared(report)),
        operations=_uses(used, blamed),
        fixes=fixes({test: names for test, names in blamed.items() if names}),
        unexplained=tuple(test for test in differing if not blamed[test]),
    )


def _is_compared(report: TestReport) -> bool:
    return report.reference is not None and Result.UNFINISHED not in (report.reference, report.candidate)


def _result_differs(report: TestReport) -> bool:
    return report.reference is not report.candidate


def _ended(reports: Iterable[TestReport], *, candidate: Result, reference: Result) -> tuple[str, ...]:
    return tuple(
        report.test for report in reports if report.candidate is candidate and report.reference is reference
    )


def _uses(
    used: Mapping[str, frozenset[str]], blamed: Mapping[str, frozenset[str]]
) -> tuple[OperationUse, ...]:
    names = {name for test in used.values() for name in test}
    uses = [
        OperationUse(
            operation=name,
            tests=sum(name in test for test in used.values()),
            discrepant_tests=sum(name in test for test in blamed.values()),
        )
        for name in names
    ]
    return tuple(sorted(uses, key=lambda use: (-use.tests, -use.discrepant_tests, use.operation)))


def fixes(blamed: Mapping[str, frozenset[str]]) -> tuple[Fix, ...]:
    """Which operations to fix first: always the one that clears most tests now.

    A test is clear when everything that differs in it is fixed. Where no single operation clears any,
    the one that brings most tests closer comes next.
    """
    open_tests = {test: set(names) for test, names in blamed.items() if names}
    order: list[Fix] = []
    cleared = 0
    while open_tests:
        names = sorted({name for left in open_tests.values() for name in left})
        best = min(names, key=lambda name: _worth(name, open_tests))
        clears = 0
        for test, left in list(open_tests.items()):
            left.discard(best)
            if not left:
                del open_tests[test]
                clears += 1
        cleared += clears
        order.append(Fix(operation=best, clears=clears, cleared=cleared))
    return tuple(order)


def _worth(name: str, open_tests: Mapping[str, set[str]]) -> tuple[int, int, str]:
    clears = sum(left == {name} for left in open_tests.values())
    helps = sum(name in left for left in open_tests.values())
    return -clears, -helps, name


def as_json(found: Study) -> dict[str, Any]:
    """A study as plain JSON data, with the fields of Study, Fix and OperationUse."""
    return {
        "tests": found.tests,
        "discrepant": list(found.discrepant),
        "unsafe": list(found.unsafe),
        "false_alarms": list(found.false_alarms),
        "not_compared": list(found.not_compared),
        "unexplained": list(found.unexplained),
        "operations": [
            {"operation": use.operation, "tests": use.tests, "discrepant_tests": use.discrepant_tests}
            for use in found.operations
        ],
        "fixes": [
            {"operation": fix.operation, "clears": fix.clears, "cleared": fix.cleared} for fix in found.fixes
        ],
    }


def render(console: Console, found: Study, *, most: int = 25) -> None:
    """Show a study as tables."""
    compared = found.tests - len(found.not_compared)
    console.print(
        Text(
            f"{words.plural(compared, 'test')} on both sides: {len(found.discrepant)} discrepant "
            f"({words.share(len(found.discrepant), compared)}); results: {len(found.unsafe)} unsafe, "
            f"{words.plural(len(found.false_alarms), 'false alarm')}"
        )
    )
    if found.not_compared:
        console.print(Text(f"not compared {len(found.not_compared)}: {words.some(found.not_compared)}"))
    for title, tests in (("unsafe", found.unsafe), ("false alarm", found.false_alarms)):
        for test in tests:
            console.print(Text(f"  {title}: {words.printable(test)}"))
    if found.unexplained:
        console.print(
            Text(
                f"results differ though no call was seen to: {words.some(found.unexplained)}", style="yellow"
            )
        )
    if found.operations:
        console.print(_operations_table(found, most))
    if found.fixes:
        console.print(_fixes_table(found, most))


def _operations_table(found: Study, most: int) -> Table:
    table = Table(title="operations by tests that use them", title_justify="left")
    table.add_column("")
    table.add_column("operation", overflow="fold")
    table.add_column("tests", justify="right")
    table.add_column("saw it differ", justify="right")
    for use in found.operations[:most]:
        mark = "!" if use.is_discrepant else ""
        table.add_row(mark, Text(use.operation), f"{use.tests:,}", f"{use.discrepant_tests:,}")
    if len(found.operations) > most:
        table.add_row("", f"and {len(found.operations) - most} more", "", "")
    return table


def _fixes_table(found: Study, most: int) -> Table:
    total = found.fixes[-1].cleared
    table = Table(title="what fixing the top operations would clear", title_justify="left")
    table.add_column("fix", overflow="fold")
    table.add_column("clears", justify="right")
    table.add_column("together", justify="right")
    for number, fix in enumerate(found.fixes[:most], start=1):
        together = f"{fix.cleared:,} of {total:,}"
        table.add_row(Text(f"{number}. {fix.operation}"), f"{fix.clears:,}", together)
    return table
