"""What a run on boards shows: its progress, then its overview."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from likewise.cli import common

if TYPE_CHECKING:
    from likewise.device.flakiness import Flakiness
    from likewise.device.results import Mark, Note, ScenarioReport, SuiteReport
    from likewise.device.scenario import Scenario


class Screen:
    """Progress: a bar on a terminal, a line a scenario elsewhere, every step where asked."""

    def __init__(self, *, verbose: bool, silent: bool) -> None:
        self._verbose, self._silent = verbose, silent
        self._console = common.console(err=silent)
        self._bar: Any = None
        self._task: Any = None
        self._last = 0.0

    def planned(self, *, scenarios: int, steps: int, boards: Sequence[str]) -> None:
        """Say what is coming."""
        if not self._silent:
            self._console.print(
                f"{scenarios} scenarios, {steps:,} steps on {', '.join(boards)}", highlight=False
            )
        if self._console.is_terminal and not self._verbose:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("steps", total=steps)
            self._bar.start()

    def waiting(self, board: str, why: str) -> None:
        """Somebody else uses a board."""
        self._say(f"waiting for board {board!r}: {why}")

    def began(self, scenario: Scenario, board: str, attempt: int) -> None:
        """A scenario begins."""
        if self._bar is not None:
            self._bar.update(self._task, description=f"{board}: {scenario.title}"[:60])
        elif self._verbose and not self._silent:
            again = f" (attempt {attempt + 1})" if attempt else ""
            self._say(f"{scenario.title} on {board}{again}")

    def stepped(
        self, board: str, scenario: Scenario, first: int, marks: Sequence[Mark], notes: Sequence[Note]
    ) -> None:
        """Steps finished."""
        if self._bar is not None:
            now = time.monotonic()
            self._bar.advance(self._task, len(marks) if first >= 0 else 0)
            if now - self._last > 0.1:
                self._last = now
                self._bar.refresh()
        elif self._verbose and not self._silent:
            whys = {note.step: note.why for note in notes}
            for index, mark in enumerate(marks, start=first):
                title = scenario.steps[index].title if index >= 0 else "before the first step"
                why = f": {whys[index]}" if index in whys else ""
                self._say(f"  {mark}: {title}{why}")

    def ended(self, report: ScenarioReport, scenario: Scenario) -> None:
        """A scenario finished."""
        if self._silent:
            return
        counts = report.counts
        again = f", {len(report.attempts)} attempts" if len(report.attempts) > 1 else ""
        self._say(
            f"{report.mark.value.upper():<11} {report.title} [{report.board}] "
            f"{counts.total()} steps{again}, {report.seconds:.3f} s"
        )
        if report.cause:
            self._say(f"            {report.cause}")
            return
        shown = {(note.step, note.why): note for note in report.notes}
        for note in list(shown.values())[:20]:
            where = f"step {note.step + 1} " if note.step >= 0 else ""
            self._say(f"            {where}{note.title!r} {note.mark}: {note.why}")

    def finish(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def overview(report: SuiteReport) -> None:
    """The last lines of a run."""
    from likewise.device.summary import COUNTED

    marks, steps = report.marks, report.steps
    columns = ["", "total", *COUNTED]
    rows = [
        ["scenarios", len(report.scenarios), *(marks[mark] for mark in COUNTED)],
        ["steps", steps.total(), *(steps[mark] for mark in COUNTED)],
    ]
    click.echo()
    common.table([str(each) for each in columns], rows, right=[str(each) for each in columns[1:]])
    for problem in report.problems:
        click.echo(f"problem: {problem}")
    state = "passed" if report.passed else "FAILED" if report.complete else "INTERRUPTED"
    on = ", ".join(report.boards)
    again = f"{report.retries} messages sent again, " if report.retries else ""
    click.echo(f"{report.title}: {state}; {report.uploads} uploads, {again}{report.seconds:.2f} s on {on}")


def show_flakiness(report: SuiteReport) -> None:
    """Rate, interval, which step wavers, and how many clean runs would settle it."""
    from likewise.device.flakiness import examine

    found = examine(report.scenarios)
    click.echo()
    common.table(
        [
            "scenario",
            "board",
            "runs",
            "failed",
            "rate",
            "95 % interval",
            "clean runs to < 5 %",
            "wavering steps",
        ],
        [_flaky_row(each) for each in found],
        right=["runs", "failed", "rate", "clean runs to < 5 %"],
    )


def _flaky_row(found: Flakiness) -> list[object]:
    low, high = found.interval
    steps = "; ".join(f"{each.title} ({each.failed} of {each.reached})" for each in found.steps)
    return [
        found.title,
        found.board or "all",
        found.runs,
        found.failed,
        f"{found.rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        found.needed,
        steps or "none",
    ]
