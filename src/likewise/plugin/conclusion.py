"""The end of a run, once, in the process that the user started: conclude, report, set the exit status."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from likewise.cloud.session import read_recording
from likewise.model import LikewiseError, Recording
from likewise.plugin.attempts import ERROR, SIDE
from likewise.plugin.exits import Tally, exit_status, unproved
from likewise.plugin.identity import Run
from likewise.plugin.screen import Screen, short
from likewise.store import Configuration, prune_recordings

if TYPE_CHECKING:
    from likewise.model import RunFinished

LEAST_SECONDS, SLOWER = 120.0, 30.0
"""A rerun may take this long, plus this many times what the suite took on the candidate."""


class Conclusion:
    """Collects what the processes recorded and has the last word, after pytest's own summary."""

    def __init__(self, config: pytest.Config, configuration: Configuration, run: Run) -> None:
        self._config, self._configuration, self._run = config, configuration, run
        self._tally = Tally()
        self._errors: list[str] = []
        self._stranded: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the failures as pytest does."""
        self._tally.add_test(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count what could not be collected."""
        self._tally.add_collection(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which run it is part of."""
        node.workerinput["likewise"] = self._run.to_plain()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Hear what a worker could not write. A crashed worker says nothing; its file is there."""
        said = getattr(node, "workeroutput", None) or {}
        if "likewise_error" in said:
            self._errors.append(said["likewise_error"])
        if "likewise_stranded" in said:
            self._stranded.add(said["likewise_stranded"])
        if error:
            self._errors.append(
                f"Worker {node.gateway.id} ended unexpectedly. What it recorded before that counts."
            )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Conclude after everybody else, pytest's own summary included."""
        result = yield
        screen = Screen(self._config)
        try:
            self._end(session, screen)
            self._prune(screen)
        except LikewiseError as error:
            screen.say(str(error))
            self._explain_kept(screen)
            if self._is_asked_to_prove and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        except KeyboardInterrupt:
            screen.say(
                "Interrupted. What was proved until then is in the ledger; run again to go on from there."
            )
            self._explain_kept(screen)
            self._explain_left(screen)
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        finally:
            screen.close()
        return result

    def _prune(self, screen: Screen) -> None:
        """Let go of old recordings; a run does not fail because that cannot be done."""
        keep = self._configuration.keep_runs
        try:
            gone = prune_recordings(self._config.rootpath / ".likewise", keep=keep)
        except OSError as error:
            screen.say(f"Old recordings could not be deleted: {error}. Check the permissions of .likewise.")
            return
        if gone:
            runs = f"run {gone[0]}" if len(gone) == 1 else f"{len(gone)} runs"
            screen.say(f"The recordings of {runs} are deleted: the last {keep} are kept (keep_runs).")

    @property
    def _is_asked_to_prove(self) -> bool:
        return bool(self._config.option.likewise_verify or self._config.option.likewise_both)

    def _end(self, session: pytest.Session, screen: Screen) -> None:
        self._errors += [self._config.stash[ERROR]] if ERROR in self._config.stash else []
        for error in (*self._errors, *sorted(self._stranded)):
            screen.say(error)
        if self._stranded:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
            return
        paths = sorted(self._run.folder.glob("*.jsonl"))
        if session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            if session.exitstatus == pytest.ExitCode.INTERRUPTED:
                self._explain_kept(screen)
            return
        if not paths:
            return
        recording = read_recording(paths)
        if recording.traces:
            finished = self._conclude(recording, screen)
            screen.write_reports(_operations(recording))
            session.exitstatus = exit_status(
                session.exitstatus,
                tally=self._tally,
                counted=session.testsfailed,
                is_whole=not session.shouldfail and not session.shouldstop,
                tests=finished.tests,
            )
            self._insist(session, screen, finished)

    def _insist(self, session: pytest.Session, screen: Screen, finished: RunFinished) -> None:
        """A run that was to prove something, and could not, is no success."""
        count = unproved(finished.tests, screen.notices) if self._is_asked_to_prove else 0
        if count and session.exitstatus == pytest.ExitCode.OK:
            tests = "1 test" if count == 1 else f"{count} tests"
            screen.say(f"{tests} had to be proved and could not be: the run counts as failed. See the notes.")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _conclude(self, recording: Recording, screen: Screen) -> RunFinished:
        from likewise.cloud.hybrid import conclude
        from likewise.plugin.rerun import ChildRuns

        option = self._config.option
        seconds = sum(trace.ended - trace.started for trace in recording.traces)
        limit = LEAST_SECONDS + SLOWER * seconds
        runs = ChildRuns(self._config, self._run, emit=screen.emit, limit=limit)
        if SIDE in self._config.stash:
            runs.may_use(self._config.stash[SIDE])
        return conclude(
            recording=recording,
            configuration=self._configuration,
            root=self._config.rootpath,
            verify=option.likewise_verify,
            both=option.likewise_both,
            rerunner=runs,
            emit=screen.emit,
            opened=runs.may_use,
        )

    def _explain_kept(self, screen: Screen) -> None:
        paths = sorted(self._run.folder.glob("*.jsonl"))
        if not paths:
            screen.say("Nothing was recorded.")
            return
        try:
            recording = read_recording(paths)
        except LikewiseError as error:
            screen.say(str(error))
            return
        count = len({trace.test for trace in recording.traces if trace.test})
        where = short(self._run.folder)
        screen.say(f"{count} test{'s' if count != 1 else ''} recorded, kept in {where}. Nothing was decided.")

    def _explain_left(self, screen: Screen) -> None:
        """Name what this run created on the reference and had no time to delete."""
        from likewise.store import open_ledger

        try:
            with open_ledger(self._configuration.ledger, read_only=True) as ledger:
                left = [each for each in ledger.created() if each.run == self._run.id]
        except LikewiseError as error:
            screen.say(str(error))
            return
        if left:
            names = ", ".join(each.resource for each in left)
            screen.say(f"Left on the reference: {names}. Delete with: likewise clean")


def _operations(recording: Recording) -> dict[str, frozenset[str]]:
    """Which operations each test used."""
    found: dict[str, set[str]] = {}
    for trace in recording.traces:
        found.setdefault(trace.test, set()).update(str(each.operation) for each in trace.interactions)
    return {test: frozenset(names) for test, names in found.items() if test}
