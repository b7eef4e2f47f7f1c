"""The report on a terminal, or in a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import assert_never

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from likewise.model import (
    Decided,
    Event,
    Implication,
    Notice,
    Progress,
    Result,
    RunFinished,
    RunStarted,
    Settled,
    Standing,
    TestReport,
)
from likewise.report import digest, words
from likewise.report.groups import Group, collect
from likewise.report.reasons import explain

COLOURS = {
    Implication.UNSAFE: "bold red",
    Implication.WRONG_RESULT: "red",
    Implication.FALSE_ALARM: "yellow",
    Implication.MISLEADING: "yellow",
}
WIDEST = 110
FEW = 3
FULL, LINES = 8, 40
"""Differences that are shown with all that is known, and those that are shown at all."""


class Terminal:
    """Shows a run as it advances, and what it came to. Call it with every event; close it at the end."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._started: RunStarted | None = None
        self._notices: dict[tuple[str, str], int] = {}
        self._bar: Bar | None = None
        self._phases: dict[str, int] = {}

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._started = event
            case Progress():
                self._advance(event)
            case Notice():
                seen = (event.slug, event.text)
                self._notices[seen] = self._notices.get(seen, 0) + 1
            case RunFinished():
                self._stop_bar()
                self._summarise(event)
            case Decided() | Settled():
                pass  # the summary says it all at once
            case _:
                assert_never(event)

    def close(self) -> None:
        """Leave the terminal in order, and show what a run that broke off had to say."""
        self._stop_bar()
        self._show_notices()

    def _advance(self, event: Progress) -> None:
        if not self.console.is_terminal:
            if event.done >= event.total > 0 and event.phase not in self._phases:
                self._phases[event.phase] = event.done
                self._line(f"likewise: {words.printable(event.phase)}: {event.done:,} of {event.total:,}")
            return
        if self._bar is None:
            self._bar = Bar(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("{task.fields[detail]}", markup=False),
                console=self.console,
                transient=True,
            )
            self._bar.start()
        if event.phase not in self._phases:
            self._phases[event.phase] = self._bar.add_task(words.printable(event.phase), detail="")
        detail = words.shorten(words.printable(event.detail), 30)
        self._bar.update(
            self._phases[event.phase],  # type: ignore[arg-type]
            completed=event.done,
            total=event.total,
            detail=detail,
        )

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._phases = {}

    def _summarise(self, finished: RunFinished) -> None:
        self._head()
        self._line(digest.counts_line(finished.tests), style="bold")
        self._line(digest.savings_line(finished.spending, finished.tests))
        for line in (digest.cost_line(finished.spending), digest.audits_line(finished.audits)):
            if line:
                self._line(line)
        was_asked = bool(self._notices) and self._started is not None and self._started.budget is not None
        self._show_notices()
        self._failures(finished.tests)
        self._differences(finished.tests)
        self._flaky(finished.tests)
        self._leftovers(finished.leftovers)
        if step := digest.next_step(finished, was_asked=was_asked):
            self._blank()
            self._next(words.printable(step))

    def _head(self) -> None:
        about = ""
        if self._started is not None:
            about = f" {self._started.policy}, {words.targets(self._started.targets)} ".rstrip(", ") + " "
        left = f"=== likewise:{about}" if about else "=== likewise "
        self._blank()
        self._line(words.shorten(left, self._width - 4).ljust(self._width, "="), style="bold")

    def _next(self, step: str) -> None:
        """What to do next; a command too long to stand behind its reason is on a line alone, to be copied."""
        whole = f"next: {step}"
        reason, _, command = whole.rpartition(": ")
        if len(whole) <= self._width or not command.startswith(("likewise ", "pytest ")):
            self._line(whole, style="bold")
            return
        self._line(f"{reason}:", style="bold")
        self._print(f"  {command}", style="bold")

    def _failures(self, reports: Iterable[TestReport]) -> None:
        """Where the side that counts is not the one that pytest showed."""
        wanted = [report for report in reports if digest.result_differs(report)]
        if wanted:
            self._title("results that differ: the reference's counts")
        for report in wanted[:LINES]:
            self._line(
                f"{words.printable(report.test)}: {report.candidate} on the candidate, "
                f"{report.reference} on the reference",
                style="bold red" if report.counts_as is Result.FAILED else "yellow",
            )
            for note in report.notes:
                self._line(words.printable(note), indent=2)
        if len(wanted) > LINES:
            self._line(f"and {len(wanted) - LINES} more")

    def _differences(self, reports: Iterable[TestReport]) -> None:
        """Every difference once: the first with all that is known, the others on a line each."""
        operations = collect(reports)
        if not operations:
            return
        self._title("what differs, most harmful first")
        said: set[Implication] = set()
        shown = 0
        for operation in operations:
            if shown >= LINES:
                break
            tests = words.plural(len(operation.tests), "test")
            self._line(f"{words.printable(str(operation.operation))} ({tests})", style="bold")
            for number, group in enumerate(operation.groups[: LINES - shown]):
                if shown < FULL and number < FEW:
                    self._group(group, means=group.implication not in said)
                    said.add(group.implication)
                else:
                    self._short_group(group)
                shown += 1
        total = sum(len(operation.groups) for operation in operations)
        if total > shown:
            self._line(f"and {total - shown} more; all of them: likewise report --html FILE", style="bold")

    def _group(self, group: Group, *, means: bool) -> None:
        self._line(_heading(group), indent=2, style=COLOURS[group.implication])
        if means:
            self._line(words.meaning(group.implication), indent=4)
        for example in group.examples[:1]:
            reference, candidate = words.sides(example, limit=2 * self._width)
            self._line(f"reference: {reference}", indent=4, hang=11)
            self._line(f"candidate: {candidate}", indent=4, hang=11)
        if len(group.examples) > 1:
            self._line(f"and {words.plural(len(group.examples) - 1, 'other pair')} of values", indent=4)
        self._line(f"in {words.some(group.tests, 2)}", indent=4, style="dim")

    def _short_group(self, group: Group) -> None:
        reference, candidate = words.sides(group.examples[0], limit=30)
        self._line(
            f"{_heading(group)}: reference {reference}, candidate {candidate}",
            indent=2,
            hang=4,
            style=COLOURS[group.implication],
        )

    def _flaky(self, reports: Iterable[TestReport]) -> None:
        flaky = [report for report in reports if report.standing is Standing.FLAKY]
        if flaky:
            self._title("flaky: results that mean nothing")
        for report in flaky:
            self._line(words.printable(report.test), style="yellow")
            self._line(explain(report.verdict).text, indent=2)
            for note in report.notes:
                self._line(words.printable(note), indent=2)

    def _leftovers(self, leftovers: tuple[str, ...]) -> None:
        if not leftovers:
            return
        self._title("left on the reference")
        for leftover in leftovers:
            self._line(words.printable(leftover), indent=2)
        self._line("delete with: likewise clean", indent=2, style="bold")

    def _show_notices(self) -> None:
        for (slug, text), times in self._notices.items():
            often = f" ({times} times)" if times > 1 else ""
            plain = text.removesuffix(f"[{slug}]").rstrip()  # an error's text ends with its slug already
            self._line(f"note: {words.printable(plain)}{often} [{slug}]", style="yellow", hang=6)
        self._notices = {}

    @property
    def _width(self) -> int:
        return min(self.console.width, WIDEST)

    def _title(self, text: str) -> None:
        self._blank()
        self._line(f"--- {text} ".ljust(self._width, "-"))

    def _blank(self) -> None:
        self.console.print()

    def _line(self, text: str, *, indent: int = 0, hang: int = 2, style: str = "") -> None:
        """Print wrapped text as it is: no markup, nothing that the encoding does not have."""
        lines = textwrap.wrap(
            self._safe(text),
            width=max(20, self._width),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_on_hyphens=False,
        )
        for line in lines or [""]:
            self._print(line, style=style)

    def _print(self, line: str, *, style: str) -> None:
        self.console.print(Text(self._safe(line), style=style), soft_wrap=True, highlight=False)

    def _safe(self, text: str) -> str:
        return text.encode(self.console.encoding, "backslashreplace").decode(self.console.encoding)


def _heading(group: Group) -> str:
    place = f" at {words.printable(group.place)}" if group.place else ""
    tests = words.plural(len(group.tests), "test")
    telling = f" ({words.TELLING})" if group.is_telling else ""
    return f"{group.implication}: {words.kind(group.difference)}{place}, {tests}{telling}"
