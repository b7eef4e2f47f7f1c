"""Run a suite on one or several boards: ready work goes to whichever board is free."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from likewise.device.execution import BoardGone, Ended, Workbench
from likewise.device.flakiness import ONCE, Analysis
from likewise.device.inventory import Board
from likewise.device.locks import BoardLock
from likewise.device.pool import Pool
from likewise.device.results import (
    Attempt,
    Mark,
    Note,
    Observer,
    Recorder,
    ScenarioReport,
    Silent,
    SuiteReport,
)
from likewise.device.scenario import Scenario, Suite
from likewise.device.schedules import arrange
from likewise.device.testee import DeviceError, LimitReached, Testee

WAIT_FOR_BOARD = 600.0
"""Seconds to wait for a board that another process uses."""
SOON = 1.0
"""Seconds after which it is said that a board is waited for."""

RecorderFor = Callable[[Board], Recorder]


class Fleet:
    """Runs one suite. Every scenario on every board, or the scenarios shared out among them."""

    def __init__(
        self,
        suite: Suite,
        boards: Sequence[Board],
        *,
        folder: Path | None = None,
        observer: Observer | None = None,
        analysis: Analysis = ONCE,
        recorder_for: RecorderFor | None = None,
        open_testee: Callable[[Board], Testee] = Board.open,
        wait_for_board: float = WAIT_FOR_BOARD,
    ) -> None:
        self._suite, self._boards, self._folder = suite, list(boards), folder
        self._analysis, self._recorder_for, self._open = analysis, recorder_for, open_testee
        self._wait = wait_for_board
        self._gate = threading.Condition()
        self._observer = _Gated(observer or Silent(), self._gate)
        self._problems: list[str] = []
        self._uploads = 0
        self._stopped = False
        self._at_work = 0
        """Boards whose threads have not ended."""
        self._failure: BaseException | None = None
        self._loaded: dict[str, object] = {}

    def run(self) -> SuiteReport:
        """Run everything; on an interrupt what has ended is reported and the boards are let go of."""
        started = time.perf_counter()
        order = arrange(self._suite.schedule, self._suite.scenarios)
        pools = self._pools(order)
        distinct = [next(iter(pools.values()))] if self._suite.share else list(pools.values())
        self._observer.planned(
            scenarios=len(order) * len(distinct),
            steps=sum(len(each.steps) for each in order) * len(distinct),
            boards=[board.name for board in self._boards],
        )
        threads = [
            threading.Thread(
                target=self._guarded, args=(board, pools[board.name]), name=f"board {board.name}"
            )
            for board in self._boards
        ]
        try:
            for thread in threads:
                self._at_work += 1
                thread.start()
            self._await_all()
        except KeyboardInterrupt:
            self._stop()
            self._await_all()  # each board ends the step under way and is let go of
        if isinstance(self._failure, Exception):
            raise self._failure
        if self._failure is not None:  # whoever says sys.exit() on a board does not end the run as passed
            raise DeviceError("a board's work was ended", why=repr(self._failure)) from self._failure
        self._leave_nothing_out(pools)
        return SuiteReport(
            title=self._suite.title,
            scenarios=tuple(report for pool in distinct for report in pool.reports.values()),
            boards=tuple(board.name for board in self._boards),
            uploads=self._uploads,
            seconds=time.perf_counter() - started,
            problems=tuple(self._problems),
            complete=not self._stopped,
        )

    def _pools(self, order: list[Scenario]) -> dict[str, Pool]:
        if self._suite.share:
            pool = Pool(order)
            return {board.name: pool for board in self._boards}
        return {board.name: Pool(list(order)) for board in self._boards}

    def _await_all(self) -> None:
        """Until no board is at work. Threads are not joined: an interrupted join takes them for ended."""
        with self._gate:
            while self._at_work:
                self._gate.wait(0.2)

    def _stop(self) -> None:
        with self._gate:
            self._stopped = True
            self._gate.notify_all()

    def _guarded(self, board: Board, pool: Pool) -> None:
        try:
            self._work(board, pool)
        except DeviceError as error:
            with self._gate:
                self._problems.append(str(error))
        except BaseException as error:  # a fault of ours or of a testee's: told where the run was started
            with self._gate:
                self._failure = self._failure or error
                self._stopped = True
        finally:
            with self._gate:
                self._at_work -= 1
                self._gate.notify_all()

    def _work(self, board: Board, pool: Pool) -> None:
        """One board until nothing is left that it could do."""
        with held(board, self._wait, lambda why: self._observer.waiting(board.name, why)):
            bench = Workbench(
                self._open(board),
                board.limited(self._suite.limits),
                observer=self._observer,
                recorder=self._recorder_for(board) if self._recorder_for is not None else None,
                folder=self._folder,
                is_stopped=lambda: self._stopped,
            )
            try:
                while (scenario := self._take(bench, pool)) is not None:
                    gone = self._run(bench, pool, scenario)
                    if gone is not None:
                        raise gone
            finally:
                with self._gate:
                    self._uploads += bench.uploads
                    self._loaded.pop(board.name, None)
                bench.close()

    def _take(self, bench: Workbench, pool: Pool) -> Scenario | None:
        """The next scenario for a board; waits while others may make one ready."""
        with self._gate:
            while not self._stopped:
                chosen = pool.take(self._wishes(bench)) if self._steals else pool.take_first()
                if chosen is not None:
                    self._loaded[bench.name] = chosen.program
                    return chosen
                if not pool.running:
                    return None
                self._gate.wait()
        return None

    @property
    def _steals(self) -> bool:
        return self._suite.share and len(self._boards) > 1

    def _wishes(self, bench: Workbench) -> Callable[[object], int]:
        """Which program a board had best go on with: the one on it, else one that no board is at."""
        mine = self._loaded.get(bench.name)
        others = {loaded for name, loaded in self._loaded.items() if name != bench.name}
        return lambda wanted: 0 if wanted is None or wanted == mine else 2 if wanted in others else 1

    def _run(self, bench: Workbench, pool: Pool, scenario: Scenario) -> BoardGone | None:
        """All attempts at one scenario; the board's loss, where it is lost."""
        attempts: list[Attempt] = []
        gone: BoardGone | None = None
        while gone is None and not (self._stopped and attempts) and self._analysis.wants_more(attempts):
            try:
                attempts.append(bench.run(scenario, len(attempts)))
            except Ended as ended:
                attempts.append(ended.attempt)
                gone = ended.gone
        report = ScenarioReport(
            title=scenario.title,
            board=bench.name,
            mark=self._analysis.verdict(attempts),
            attempts=tuple(attempts),
        )
        with self._gate:
            self._observer.ended(report, scenario)
            for skipped, cause in pool.finish(scenario, report):
                self._skip(pool, skipped, bench.name, cause)
            self._gate.notify_all()
        return gone

    def _skip(self, pool: Pool, scenario: Scenario, board: str, cause: str) -> None:
        report = skipped_report(scenario, board, cause)
        pool.reports[scenario.title] = report
        self._observer.ended(report, scenario)

    def _leave_nothing_out(self, pools: dict[str, Pool]) -> None:
        """What no board was left for, or an interrupt kept from running, is reported as such."""
        for name, pool in pools.items():
            for scenario in pool.left():
                cause = "the run was interrupted" if self._stopped else "no board was left to run it on"
                self._skip(pool, scenario, name, cause)


def skipped_report(scenario: Scenario, board: str, cause: str) -> ScenarioReport:
    """A scenario that was not run, and why."""
    note = Note(step=-1, title=scenario.title, mark=Mark.SKIPPED, why=cause)
    counts = {Mark.SKIPPED: len(scenario.steps)}
    attempt = Attempt(number=0, mark=Mark.SKIPPED, counts=counts, notes=(note,))
    return ScenarioReport(
        title=scenario.title, board=board, mark=Mark.SKIPPED, cause=cause, attempts=(attempt,)
    )


@contextmanager
def held(board: Board, wait: float, tell: Callable[[str], None]) -> Iterator[BoardLock | None]:
    """A board for oneself, where it is one that cannot be shared; `tell` hears where that takes a while."""
    if not board.exclusive:
        yield None
        return
    lock = BoardLock(board.name)
    if wait > SOON:
        try:
            lock.acquire(SOON)
        except LimitReached as taken:
            tell(taken.why)
    lock.acquire(wait)
    try:
        yield lock
    finally:
        lock.release()


class _Gated(Silent):
    """Passes everything on, one thread at a time."""

    def __init__(self, observer: Observer, gate: threading.Condition) -> None:
        self._observer, self._gate = observer, gate
        for name in ("planned", "waiting", "began", "stepped", "ended"):
            setattr(self, name, self._within(getattr(observer, name)))

    def _within(self, call: Callable[..., None]) -> Callable[..., None]:
        gate = self._gate

        def pass_on(*arguments: object, **named: object) -> None:
            with gate:
                call(*arguments, **named)

        return pass_on
