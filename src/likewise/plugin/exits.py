"""The exit status: a run fails when a test fails on the side that counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from likewise.model import Result

if TYPE_CHECKING:
    from likewise.model import Notice, TestReport

UNASKABLE = frozenset({"target-unavailable", "credentials", "throttled"})
"""What a run says when the reference could not be asked."""


class Tally:
    """The failures that pytest itself counted, and where each came from."""

    def __init__(self) -> None:
        self.tests: set[str] = set()
        self.others = 0
        self.reports = 0

    def add_test(self, report: pytest.TestReport) -> None:
        """A phase of a test was reported."""
        if report.failed and not hasattr(report, "wasxfail"):
            self.tests.add(report.nodeid)
            self.reports += 1

    def add_collection(self, report: pytest.CollectReport) -> None:
        """A file or class was collected."""
        if report.failed:
            self.others += 1


def unproved(tests: Iterable[TestReport], notices: Iterable[Notice]) -> int:
    """How many tests had to be proved and could not be, since the reference was not there to be asked."""
    if not any(notice.slug in UNASKABLE for notice in notices):
        return 0
    from likewise.model import Standing

    return sum(report.standing is Standing.UNDECIDED for report in tests)


def exit_status(
    status: int, *, tally: Tally, counted: int, is_whole: bool, tests: Iterable[TestReport]
) -> int:
    """The status of the run, given what was concluded about its tests.

    `counted` is how many failures the session holds against itself: one that is in no report is
    somebody else's, and stays. `is_whole` is False where the run was cut short by a failure.
    """
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return status
    reports = {each.test: each for each in tests}
    if any(each.counts_as is Result.FAILED for each in reports.values()):
        return pytest.ExitCode.TESTS_FAILED
    unexplained = {test for test in tally.tests if not _is_cleared(_find(reports, test))}
    explained = counted == tally.reports and not tally.others and not unexplained
    if tally.tests and explained and is_whole:
        return pytest.ExitCode.OK
    return status


def _find(reports: dict[str, TestReport], test: str) -> TestReport | None:
    """The report on a test, by the name pytest counted it under: xdist adds `@group` to some."""
    return reports.get(test) or reports.get(test.rpartition("@")[0])


def _is_cleared(report: TestReport | None) -> bool:
    """Whether a test that failed on the candidate was seen to pass on the reference."""
    return report is not None and report.reference in (Result.PASSED, Result.SKIPPED)
