"""The cases of one run, and everything that settling them takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from likewise.model import BudgetReached, Notice, Recording
from likewise.run.accounts import Accounts
from likewise.run.cases import Case, Settings
from likewise.run.foundations import Founders
from likewise.run.judging import Judge
from likewise.run.memory import Memory
from likewise.run.meter import Meter
from likewise.run.ports import Emit, Replayer, Rerunner

OVER_BUDGET = "the budget of reference calls is used up"
"""What is noted of a test that the reference could not be asked about any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """The cases of one run, and everything that settling them takes."""

    recording: Recording
    cases: dict[str, Case]
    memory: Memory
    judge: Judge
    settings: Settings
    meter: Meter
    accounts: Accounts
    emit: Emit
    rerunner: Rerunner
    replayer: Replayer | None
    founders: Founders = field(default_factory=Founders)

    def with_founders(self, chosen: Iterable[Case], *, all_below: bool = False) -> list[Case]:
        """These tests and those that they build on, in the order in which they ran.

        By itself a test would miss what others left. `all_below` are also those that these build on in turn.
        """
        wanted: set[str] = set()
        waiting = list(chosen)
        is_below = False
        while waiting:
            wanted.update(case.test for case in waiting)
            if is_below and not all_below:
                break
            is_below = True
            below = {test for case in waiting for test in self.founders.of(case.reading)}
            waiting = [self.cases[test] for test in below - wanted if test in self.cases]
        return [case for case in self.cases.values() if case.test in wanted]

    def affordable(self, wanted: Sequence[Case]) -> list[Case]:
        """The tests of these that the budget is enough for; what is left out is said."""
        chosen = self.within_budget(wanted)
        if len(chosen) < len(wanted):
            within = {case.test for case in chosen}
            for case in wanted:
                if case.test not in within:
                    case.notes.append(OVER_BUDGET)
            planned = size_of(self.with_founders(chosen))
            raise_to = "Raise it with budget = … or --likewise-budget, or run again: what was proved is kept."
            left_out = len(wanted) - len(chosen)
            tests = "1 test was" if left_out == 1 else f"{left_out} tests were"
            needed = sum(len(case.reading.calls) for case in wanted) - planned
            others = f", {planned} of them for other tests" if planned else ""
            why = f"{self.meter.account}{others}, and {needed} more are needed"
            text = f"{tests} not run on the reference: {why}. {raise_to}"
            self.emit(Notice(slug=BudgetReached.slug, text=text))
        return chosen

    def within_budget(self, wanted: Iterable[Case]) -> list[Case]:
        """As many of these as can be run whole, after those that they build on."""
        chosen: list[Case] = []
        planned: dict[str, Case] = {}
        for case in wanted:
            more = planned | {each.test: each for each in self.with_founders([case])}
            if self.meter.affords(size_of(more.values())):
                planned = more
                chosen.append(case)
        return chosen


def size_of(cases: Iterable[Case]) -> int:
    """How many calls these tests made."""
    return sum(len(case.reading.calls) for case in cases)
