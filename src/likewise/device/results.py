"""What a run says of steps, scenarios and itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from likewise.device.scenario import Scenario, Step
from likewise.device.testee import Answer


class Mark(StrEnum):
    """How a step or a scenario ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    SKIPPED = "skipped"
    """Not run: something it depends on failed, or an earlier step of the scenario took the testee away."""
    UNSUPPORTED = "unsupported"
    """The testee has no such command: neither pass nor fail."""
    FLAKY = "flaky"
    """Attempts at the same scenario ended differently."""


FAILING = frozenset({Mark.FAILED, Mark.TIMED_OUT})
KEPT_NOTES = 200
"""Of the steps of one attempt that did not pass, so many are kept word for word; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A step that did not pass, and why. `step` counts from 0; −1 is what comes before the first step."""

    step: int
    title: str
    mark: Mark
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time through a scenario on one board."""

    number: int
    mark: Mark
    counts: dict[Mark, int]
    notes: tuple[Note, ...] = ()
    seconds: float = 0.0
    uploaded: int = 0
    """How many times a program was uploaded."""
    retries: int = 0
    """How many messages a lossy link made necessary again."""

    @property
    def steps(self) -> int:
        """How many steps the scenario has."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReport:
    """Everything about one scenario on one board; every attempt is kept."""

    title: str
    board: str
    mark: Mark
    cause: str = ""
    """Why it was skipped."""
    attempts: tuple[Attempt, ...] = ()

    @property
    def counts(self) -> Counter[Mark]:
        """Steps of all attempts by how they ended."""
        total: Counter[Mark] = Counter()
        for attempt in self.attempts:
            total.update(attempt.counts)
        return total

    @property
    def notes(self) -> tuple[Note, ...]:
        """What did not pass, in every attempt."""
        return tuple(note for attempt in self.attempts for note in attempt.notes)

    @property
    def retries(self) -> int:
        """How many messages had to be sent again."""
        return sum(attempt.retries for attempt in self.attempts)

    @property
    def seconds(self) -> float:
        """How long all attempts took."""
        return sum(attempt.seconds for attempt in self.attempts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """The whole run, in the order in which scenarios finished."""

    title: str
    scenarios: tuple[ScenarioReport, ...]
    boards: tuple[str, ...]
    uploads: int
    seconds: float
    problems: tuple[str, ...] = ()
    """What happened to boards outside of any scenario."""
    complete: bool = True
    """False where the run was interrupted."""

    @property
    def marks(self) -> Counter[Mark]:
        """Scenarios by how they ended."""
        return Counter(each.mark for each in self.scenarios)

    @property
    def steps(self) -> Counter[Mark]:
        """Steps by how they ended."""
        total: Counter[Mark] = Counter()
        for each in self.scenarios:
            total.update(each.counts)
        return total

    @property
    def retries(self) -> int:
        """How many messages had to be sent again."""
        return sum(each.retries for each in self.scenarios)

    @property
    def passed(self) -> bool:
        """Whether nothing failed, wavered or was skipped."""
        bad = (Mark.FAILED, Mark.TIMED_OUT, Mark.SKIPPED, Mark.FLAKY)
        return self.complete and not any(self.marks[mark] for mark in bad)


class Observer(Protocol):
    """Hears what happens, from the threads of the boards, one at a time."""

    def planned(self, *, scenarios: int, steps: int, boards: Sequence[str]) -> None:
        """A run begins."""
        ...

    def waiting(self, board: str, why: str) -> None:
        """Somebody else uses a board; it is waited for."""
        ...

    def began(self, scenario: Scenario, board: str, attempt: int) -> None:
        """A scenario begins on a board."""
        ...

    def stepped(
        self, board: str, scenario: Scenario, first: int, marks: Sequence[Mark], notes: Sequence[Note]
    ) -> None:
        """Steps of a scenario finished, from `first` on; notes on those that did not pass."""
        ...

    def ended(self, report: ScenarioReport, scenario: Scenario) -> None:
        """A scenario finished on a board, all its attempts."""
        ...


class Silent:
    """Hears everything and says nothing; others override what they need."""

    def planned(self, *, scenarios: int, steps: int, boards: Sequence[str]) -> None:
        """A run begins."""

    def waiting(self, board: str, why: str) -> None:
        """A board is waited for."""

    def began(self, scenario: Scenario, board: str, attempt: int) -> None:
        """A scenario begins on a board."""

    def stepped(
        self, board: str, scenario: Scenario, first: int, marks: Sequence[Mark], notes: Sequence[Note]
    ) -> None:
        """Steps finished."""

    def ended(self, report: ScenarioReport, scenario: Scenario) -> None:
        """A scenario finished."""


class Recorder(Protocol):
    """Takes down every answer, for a recording."""

    def begin(self, scenario: Scenario, board: str, attempt: int) -> None:
        """An attempt begins."""
        ...

    def note(self, index: int, step: Step, answer: Answer, started: float, ended: float) -> None:
        """One step was answered."""
        ...

    def prepared(
        self, operation: str, arguments: dict[str, str], answer: Answer, started: float, ended: float
    ) -> None:
        """Something before the first step: an upload, a reset, a breakpoint."""
        ...

    def end(self, mark: Mark, notes: Sequence[Note]) -> None:
        """The attempt is over."""
        ...


@dataclass(slots=True)
class Tally:
    """Marks and notes of one attempt as it goes."""

    counts: Counter[Mark] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    before: Mark | None = None
    """How it ended before its first step, where it did."""

    def add(self, note: Note) -> None:
        """A step that did not pass."""
        self.counts[note.mark] += 1
        if len(self.notes) < KEPT_NOTES:
            self.notes.append(note)

    @property
    def mark(self) -> Mark:
        """How the attempt ended as a whole."""
        if self.before is not None:
            return self.before
        for mark in (Mark.FAILED, Mark.TIMED_OUT, Mark.SKIPPED, Mark.UNSUPPORTED):
            if self.counts[mark]:
                return mark
        return Mark.PASSED
