"""The cases of one run, and everything that settling them takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from likewise.model import BudgetReached, Notice, Recording
from likewise.run.accounts import Accounts
from likewise.run.cases import Case, Settings
from likewise.run.judging import Judge
from likewise.run.memory import Memory
from likewise.run.meter import Meter
from likewise.run.ports import Emit, Replayer, Rerunner


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

    def affordable(self, wanted: Sequence[Case]) -> list[Case]:
        """The tests of these that the budget is enough for; what is left out is said."""
        chosen = self.within_budget(wanted)
        if len(chosen) < len(wanted):
            within = {case.test for case in chosen}
            for case in wanted:
                if case.test not in within:
                    case.notes.append("the budget of reference calls is used up")
            planned = sum(len(case.reading.calls) for case in chosen)
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
        """As many of these as can be run whole."""
        chosen: list[Case] = []
        planned = 0
        for case in wanted:
            calls = len(case.reading.calls)
            if self.meter.affords(planned + calls):
                planned += calls
                chosen.append(case)
        return chosen
