"""One attempt at one test: where it begins, where it ends, how it ended."""

from __future__ import annotations

import time
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from likewise.cloud.side import Side
from likewise.model import Borrowed, Ending, LikewiseError, Result

if TYPE_CHECKING:
    from likewise.cloud.session import ProcessSession


class Attempts:
    """Tells the session about every attempt in this process.

    An attempt is set-up, call and tear-down. It is followed by these three, not by the protocol
    around them, because plugins that repeat a test do so within one protocol.
    """

    def __init__(self, config: pytest.Config, session: ProcessSession, logs: Path | None) -> None:
        self._config, self._session, self._logs = config, session, logs
        self._counts: dict[str, int] = {}
        self._open = ""
        self._result, self._failure = Result.PASSED, ""
        self._lent: dict[pytest.FixtureDef[Any], Borrowed] = {}
        """Fixtures that outlive tests and made calls: in which test, and when."""
        self._ending: dict[pytest.FixtureDef[Any], tuple[float, int]] = {}
        """Fixtures that outlive tests and are being torn down: since when, and after how many calls."""
        self._test = ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, Any, Any]:
        """Close what an interrupt left open."""
        try:
            return (yield)
        finally:
            if self._open:
                self._end(Result.UNFINISHED, "the run ended before the test did")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Begin before the first fixture is set up."""
        if self._open:
            self._end(self._result, self._failure)
        test = name_of(item)
        attempt = self._counts.get(test, -1) + 1
        self._counts[test], self._open, self._test = attempt, item.nodeid, test
        self._result, self._failure = Result.PASSED, ""
        try:
            self._session.begin(test, attempt=attempt)
        except LikewiseError as error:
            item.session.shouldstop = f"likewise: {error.what}"
            pytest.fail(str(error), pytrace=False)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Note each phase's result; the attempt ends with its tear-down."""
        report: pytest.TestReport = yield
        if self._open == report.nodeid:
            self._note(report)
            if self._lent and call.when != "teardown":  # by then such a fixture may be gone
                self._borrow(item)
            if call.when == "teardown":
                self._end(self._result, self._failure)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Notice a fixture that outlives the test and puts something behind the boundary."""
        before, since = self._session.calls, time.time()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                fixturedef.addfinalizer(partial(self._begin_ending, fixturedef))  # runs before its own
                if self._session.calls != before:
                    self._session.hold(fixturedef)
                    self._lent[fixturedef] = Borrowed(
                        fixture=fixturedef.argname, test=self._test, since=since, until=time.time()
                    )

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Such a fixture is gone."""
        self._session.release(fixturedef)
        self._lent.pop(fixturedef, None)
        since, calls = self._ending.pop(fixturedef, (0.0, self._session.calls))
        if self._session.calls != calls:
            self._session.note_ending(Ending(fixture=fixturedef.argname, since=since, until=time.time()))

    def _begin_ending(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        self._ending[fixturedef] = time.time(), self._session.calls

    def _borrow(self, item: pytest.Item) -> None:
        """Say whose answers a test may have been given: those to fixtures that it has from earlier tests."""
        mine = _fixtures_of(item)
        lent = (each for fixture, each in self._lent.items() if fixture in mine)
        self._session.borrow(*(each for each in lent if each.test != self._test))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Close the recording when the last fixture is gone, and put the process back as it was."""
        try:
            return (yield)
        finally:
            self._finish()

    def _finish(self) -> None:
        told: dict[str, str] = getattr(self._config, "workeroutput", {})
        try:
            path = self._session.finish()
            if path is not None:
                told["likewise_recording"] = str(path)
        except LikewiseError as error:
            told["likewise_error"] = str(error)
            self._config.stash[ERROR] = str(error)
        finally:
            if self._logs is not None:
                self._session.keep_logs(self._logs)
            self._let_go()

    def _let_go(self) -> None:
        """Stop the targets, unless the children of this process may have a use for them.

        With many calls several copies of the process decide, and they need it to be without threads.
        """
        from likewise.run.sharing import FEW  # only the end of a run needs it

        if self._config.pluginmanager.has_plugin(CONCLUSION) and self._session.calls < FEW:
            side = self._session.retire()
            if side is not None:
                self._config.stash[SIDE] = side
        else:
            self._session.stop()

    def _end(self, result: Result, failure: str) -> None:
        self._open = ""
        self._session.end(result=result, failure=failure)

    def _note(self, report: pytest.TestReport) -> None:
        if report.failed:
            if self._result is not Result.FAILED:
                self._failure = crash_line(report, self._config.rootpath)
            self._result = Result.FAILED
        elif report.skipped and not hasattr(report, "wasxfail") and self._result is Result.PASSED:
            self._result = Result.SKIPPED


CONCLUSION = "likewise-conclusion"
"""The plugin that has the last word, in the process that the user started."""
SIDE = pytest.StashKey[Side]()
"""The targets of this process, which it no longer needs itself."""
ERROR = pytest.StashKey[str]()
"""What kept the recording of this process from being complete."""


def name_of(item: pytest.Item) -> str:
    """The node id as it is without xdist, which adds `@group` where tests are distributed by group."""
    if getattr(item.config.option, "loadgroup", False) and item.get_closest_marker("xdist_group"):
        return item.nodeid.rpartition("@")[0] or item.nodeid
    return item.nodeid


def _fixtures_of(item: pytest.Item) -> set[object]:
    """The fixtures that a test names, whatever those need, and what it asked for while it ran."""
    named = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    asked = getattr(getattr(item, "_request", None), "_fixture_defs", {})
    return {fixture for several in named.values() for fixture in several} | set(asked.values())


def crash_line(report: pytest.TestReport, root: Path) -> str:
    """The failure in one line: where, seen from `root`, and what was raised."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is None:
        lines = report.longreprtext.strip().splitlines() or [""]
        line = lines[-1]
    else:
        path = Path(crash.path)
        where = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        line = f"{where}:{crash.lineno}: {crash.message}".splitlines()[0]
    return line if len(line) <= 500 else line[:499] + "…"
