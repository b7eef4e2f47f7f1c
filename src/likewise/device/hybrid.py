"""Rerun on the board only what is not yet proved there: the core's loop, with boards behind it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from likewise.canonical.redact import Secrets, redact
from likewise.decide import Discrepant
from likewise.device.fleet import Fleet
from likewise.device.inventory import Board
from likewise.device.recording import TraceRecorder, code_of, test_name
from likewise.device.results import Observer
from likewise.device.scenario import Scenario, Suite
from likewise.model import Provenance, Recording, Role, RunFinished, RunStarted, Target, Trace
from likewise.run import Conclusion, Emit, Meter, Settings
from likewise.store import Configuration, open_ledger

DAY = 86_400.0


@dataclass(slots=True)
class Memory:
    """Traces as they come in, without secrets."""

    traces: list[Trace] = field(default_factory=list)

    def keep(self, trace: Trace) -> None:
        """One trace; boards finish theirs one at a time."""
        self.traces.append(redact(trace, secrets=Secrets()).trace)

    def recording(self, path: Path, targets: Sequence[Target]) -> Recording:
        """Everything so far."""
        return Recording(
            provenance=Provenance(
                run=uuid.uuid4().hex, started=time.time(), code=code_of(path), targets=tuple(targets)
            ),
            traces=tuple(self.traces),
        )


class BoardRerunner:
    """Runs scenarios of a suite again, on the board of the side that is asked for."""

    def __init__(
        self, suite: Suite, path: Path, boards: dict[Role, Board], observer: Observer | None
    ) -> None:
        self._suite, self._path, self._boards, self._observer = suite, path, boards, observer

    def rerun(self, tests: Sequence[str], *, role: Role) -> Recording:
        """Only these, each from a fresh reset: what they depend on has passed already."""
        wanted = set(tests)
        chosen = [each for each in self._suite.scenarios if test_name(self._path.name, each) in wanted]
        return record_run(
            Suite(
                title=self._suite.title,
                scenarios=[_alone(each) for each in chosen],
                schedule=self._suite.schedule,
                limits=self._suite.limits,
            ),
            self._path,
            self._boards[role],
            role,
            self._observer,
        )


def record_run(
    suite: Suite, path: Path, board: Board, role: Role, observer: Observer | None = None
) -> Recording:
    """Run a suite on one board in one role, and record it."""
    memory = Memory()

    def recorder_for(each: Board) -> TraceRecorder:
        return TraceRecorder(each.name, role, path.name, memory.keep)

    fleet = Fleet(suite, [board], folder=path.parent, observer=observer, recorder_for=recorder_for)
    fleet.run()
    return memory.recording(path, [Target(name=board.name, role=role)])


def conclude(
    *,
    suite: Suite,
    path: Path,
    recording: Recording,
    candidate: Board,
    reference: Board,
    configuration: Configuration,
    emit: Emit,
    observer: Observer | None = None,
    now: Callable[[], float] = time.time,
) -> RunFinished:
    """Decide on a recorded run; scenarios whose steps the board has not answered yet run there."""
    meter = Meter(configuration.budget)
    target = Target(name=reference.name, role=Role.REFERENCE)
    emit(
        RunStarted(
            run=recording.provenance.run,
            policy=configuration.policy,
            targets=(*recording.provenance.targets, target),
            budget=configuration.budget,
        )
    )
    with open_ledger(configuration.ledger) as ledger:
        known = {*configuration.discrepant, *ledger.discrepant_operations()}
        settings = Settings(
            policy=configuration.policy,
            reference=target,
            now=now(),
            not_before=now() - configuration.expiry_days * DAY,
            discrepant=Discrepant(names=frozenset(known) if known else None),
            price=lambda operation: 0.0,
        )
        boards = {Role.CANDIDATE: candidate, Role.REFERENCE: reference}
        return Conclusion(
            ledger=ledger,
            settings=settings,
            meter=meter,
            emit=emit,
            rerunner=BoardRerunner(suite, path, boards, observer),
        ).conclude(recording)


def _alone(scenario: Scenario) -> Scenario:
    return Scenario(scenario.title, scenario.program, scenario.steps, (), scenario.breakpoints)
