"""Boards and results of one process, for callers that ask for one scenario at a time (pytest)."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from likewise.device.controls import Controls
from likewise.device.execution import Ended, Workbench
from likewise.device.flakiness import ONCE, Analysis
from likewise.device.fleet import WAIT_FOR_BOARD, RecorderFor, skipped_report
from likewise.device.inventory import Board, Inventory
from likewise.device.locks import BoardLock
from likewise.device.pool import broken_by
from likewise.device.results import Attempt, ScenarioReport, Silent
from likewise.device.scenario import Scenario, Suite
from likewise.device.testee import Limits


class Results:
    """How scenarios ended, shared with other processes where there is a folder for it."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, ScenarioReport] = {}

    @contextmanager
    def entry(self, key: str) -> Iterator[ScenarioReport | None]:
        """What is known of a scenario; nobody else runs it meanwhile."""
        if self._folder is None:
            yield self._known.get(key)
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{_name(key)}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path = self._folder / f"{_name(key)}.pickle"
            yield pickle.loads(path.read_bytes()) if path.exists() else None

    def keep(self, key: str, report: ScenarioReport) -> None:
        """Remember it; within `entry` of the same key."""
        self._known[key] = report
        if self._folder is not None:
            (self._folder / f"{_name(key)}.pickle").write_bytes(pickle.dumps(report))


class DeviceSession:
    """Boards stay connected from one scenario to the next, unless another process waits for them."""

    def __init__(
        self,
        *,
        shared: Path | None = None,
        analysis: Analysis = ONCE,
        recorder_for: RecorderFor | None = None,
    ) -> None:
        self._analysis, self._recorder_for = analysis, recorder_for
        self._results = Results(shared)
        self._benches: dict[tuple[str, Limits], Workbench] = {}
        self._locks: dict[str, BoardLock] = {}

    def run(
        self, suite: Suite, scenario: Scenario, board: Board, *, folder: Path, anew: bool = False
    ) -> ScenarioReport:
        """How a scenario ends on a board: known already, or run now, after what it depends on."""
        by_title = {each.title: each for each in suite.scenarios}
        for title in scenario.dependencies:
            report = self.run(suite, by_title[title], board, folder=folder)
            cause = broken_by(report)
            if cause:
                return skipped_report(scenario, board.name, cause)
        key = f"{folder}\0{suite.title}\0{board.name}\0{scenario.title}"
        with self._results.entry(key) as known:
            if known is not None and not anew:
                return known
            report = self._run(suite, scenario, board, folder)
            self._results.keep(key, report)
            return report

    def _run(self, suite: Suite, scenario: Scenario, board: Board, folder: Path) -> ScenarioReport:
        bench = self.bench(board, suite.limits, folder)
        attempts: list[Attempt] = []
        while self._analysis.wants_more(attempts):
            try:
                attempts.append(bench.run(scenario, len(attempts)))
            except Ended as ended:
                attempts.append(ended.attempt)
                self._drop(board.name)
                break
        return ScenarioReport(
            title=scenario.title,
            board=board.name,
            mark=self._analysis.verdict(attempts),
            attempts=tuple(attempts),
        )

    def bench(self, board: Board, limits: Limits, folder: Path) -> Workbench:
        """A board to work on, for this process alone where it cannot be shared."""
        own = board.limited(limits)
        if board.exclusive and board.name not in self._locks:
            lock = BoardLock(board.name)
            lock.acquire(WAIT_FOR_BOARD)
            self._locks[board.name] = lock
        bench = self._benches.get((board.name, own))
        if bench is None:
            self._drop(board.name, keep_lock=True)  # a board has one user, whatever its limits
            recorder = self._recorder_for(board) if self._recorder_for is not None else None
            bench = Workbench(board.open(), own, observer=Silent(), recorder=recorder, folder=folder)
            self._benches[board.name, own] = bench
        bench.folder = folder
        return bench

    @contextmanager
    def controls(self, board: Board, limits: Limits, folder: Path) -> Iterator[tuple[Workbench, Controls]]:
        """A connected board in a test's own hands; what went wrong with it is mended afterwards."""
        bench = self.bench(board, limits, folder)
        bench.connect()
        controls = Controls(bench.testee, bench.limits, folder=folder)
        try:
            yield bench, controls
        finally:
            controls.retire()
            if controls.uploaded is not None:
                bench.loaded = controls.uploaded
            if controls.trouble is not None and bench.mend() is not None:
                self._drop(board.name)

    def hand_over(self) -> None:
        """Let go of boards that another process waits for."""
        for name, lock in list(self._locks.items()):
            if lock.is_wanted:
                self._drop(name)

    def close(self) -> None:
        """Let go of everything."""
        for name in {name for name, _ in self._benches} | set(self._locks):
            self._drop(name)

    def _drop(self, name: str, *, keep_lock: bool = False) -> None:
        for key in [key for key in self._benches if key[0] == name]:
            self._benches.pop(key).close()
        if not keep_lock and name in self._locks:
            self._locks.pop(name).release()


def _name(key: str) -> str:
    return blake2b(key.encode(), digest_size=12).hexdigest()


def chosen_boards(
    inventory: Inventory, suite: Suite, names: tuple[str, ...], *, turn: int = 0
) -> list[Board]:
    """The boards of a suite; of boards that share the work, the one whose turn it is."""
    boards = inventory.choose(names or tuple(suite.testees))
    return [boards[turn % len(boards)]] if suite.share else boards


__all__ = ["DeviceSession", "Results", "chosen_boards"]
