"""Managed tests in pytest: what is there before any scenario is; the rest is imported with the first."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MARK = "likewise.mark"
"""The property that says how a scenario ended."""
SKIPPED, UNSUPPORTED = "skipped", "unsupported"
MARKERS = (
    "likewise_board(name): the board of the inventory that the `testee` fixture gives",
    "likewise_program(path): the program on it, looked for beside the test",
    "likewise_limits(step=, connect=, upload=, …): time limits in seconds",
    "likewise_depends_on(*tests): skip where one of these tests of the same file did not pass",
)


class Managed:
    """Scenarios and suites in test modules become items; boards end with the run."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        """Where the workers of a run share results."""
        self._broken = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: object) -> Any:
        """Items for a scenario or a suite."""
        if type(obj).__module__ != "likewise.device.scenario" or not isinstance(collector, pytest.Module):
            return None
        from likewise.plugin import device

        return device.make_items(collector, name, obj)

    @pytest.fixture
    def testee(self, request: pytest.FixtureRequest) -> Iterator[Any]:
        """A board for a plain test: `testee.invoke("add", 3, 4)`."""
        from likewise.plugin import device

        yield from device.lend(request)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where results are shared."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="likewise-device-"))
        node.workerinput["likewise_device"] = str(self.folder)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        """A command that a testee lacks makes a plain test unsupported, not failed."""
        report = yield
        device = sys.modules.get("likewise.plugin.device")
        if device is not None and call.excinfo is not None and device.is_unsupported(call.excinfo.value):
            report.user_properties.append((MARK, UNSUPPORTED))
            report.outcome = "skipped"
            path, line, _ = item.location
            report.longrepr = (path, (line or 0) + 1, f"Skipped: {call.excinfo.value}")
        return report

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Labels of their own for what was skipped because of something else, and for what cannot be."""
        if report.when == "call" and report.skipped and not hasattr(report, "context"):
            mark = _mark(report)
            if mark == SKIPPED:
                return "dependency failed", "D", "DEPENDENCY FAILED"
            if mark == UNSUPPORTED:
                return "unsupported", "u", "UNSUPPORTED"
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what could not run."""
        if report.when in ("setup", "call") and report.skipped and _mark(report) == SKIPPED:
            self._broken += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run with skipped dependents is no pass, even where the culprit was not selected."""
        device = sys.modules.get("likewise.plugin.device")
        if device is not None:
            device.finish(session.config)
        if self._broken and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _mark(report: pytest.TestReport) -> object:
    return dict(getattr(report, "user_properties", ())).get(MARK)


def register(config: pytest.Config) -> None:
    """Make scenarios collectable."""
    from likewise.plugin.dependencies import Dependencies

    for line in MARKERS:
        config.addinivalue_line("markers", line)
    config.pluginmanager.register(Managed(), "likewise-managed")
    config.pluginmanager.register(Dependencies(config), "likewise-dependencies")
