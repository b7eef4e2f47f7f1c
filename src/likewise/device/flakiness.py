"""How often a scenario wavers, and how sure that is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from likewise.device.results import FAILING, Attempt, Mark, ScenarioReport
from likewise.model import ConfigurationError

Z = 1.959963984540054
"""Of the normal distribution, for 95 %."""
BOUND = 0.05
"""A failure rate that counts as low enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """How many attempts: everything `least` times, what wavers up to `most` times."""

    least: int = 1
    most: int = 1

    def wants_more(self, attempts: Sequence[Attempt]) -> bool:
        """Whether another attempt would say something."""
        if len(attempts) < self.least:
            return True
        return len(attempts) < self.most and wavers(attempts)

    def verdict(self, attempts: Sequence[Attempt]) -> Mark:
        """How a scenario ended, seen over all attempts."""
        return Mark.FLAKY if wavers(attempts) else attempts[-1].mark


ONCE = Analysis()


def parse_analysis(text: str) -> Analysis:
    """`min=N,max=M` as an analysis."""
    found = dict(part.partition("=")[::2] for part in re.split(r"[,\s]+", text.strip()) if part)
    try:
        least = int(found.pop("min", "1"))
        most = int(found.pop("max", str(least)))
    except ValueError:
        least, most = 0, 0
    if found or not 1 <= least <= most:
        raise ConfigurationError(
            f"{text!r} is not an analysis",
            why="expected min=N,max=M with 1 <= N <= M",
            todo="Write for example min=5,max=50.",
        )
    return Analysis(least=least, most=most)


def wavers(attempts: Sequence[Attempt]) -> bool:
    """Whether attempts ended differently, as a whole or in any step."""
    return len({_shape(attempt) for attempt in attempts}) > 1


def _shape(attempt: Attempt) -> tuple[object, ...]:
    return (attempt.mark, *((note.step, note.mark) for note in attempt.notes))


def wilson(failed: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of a failure rate after so many runs."""
    if runs == 0:
        return 0.0, 1.0
    rate, square = failed / runs, Z * Z
    middle = (rate + square / (2 * runs)) / (1 + square / runs)
    half = Z / (1 + square / runs) * math.sqrt(rate * (1 - rate) / runs + square / (4 * runs * runs))
    low = 0.0 if failed == 0 else max(0.0, middle - half)
    high = 1.0 if failed == runs else min(1.0, middle + half)
    return low, high


def clean_runs_needed(failed: int, runs: int, bound: float = BOUND) -> int:
    """How many more runs, all clean, would bring the upper bound under `bound`."""
    low, high = 0, 1
    while wilson(failed, runs + high)[1] >= bound:
        low, high = high, high * 2
    if wilson(failed, runs + low)[1] < bound:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wilson(failed, runs + middle)[1] < bound else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFlakiness:
    """A step that did not always end the same way."""

    step: int
    title: str
    failed: int
    reached: int
    """Attempts in which it was run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flakiness:
    """One scenario on one board, or on all of them (`board` is empty then)."""

    title: str
    board: str
    runs: int
    failed: int
    steps: tuple[StepFlakiness, ...] = ()

    @property
    def rate(self) -> float:
        """Failures per run."""
        return self.failed / self.runs if self.runs else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true rate lies, with 95 % confidence."""
        return wilson(self.failed, self.runs)

    @property
    def needed(self) -> int:
        """Clean runs that would bring the bound under 5 %."""
        return clean_runs_needed(self.failed, self.runs)

    @property
    def wavers(self) -> bool:
        """Whether it neither always passed nor always failed."""
        return 0 < self.failed < self.runs or bool(self.steps)


def examine(reports: Iterable[ScenarioReport]) -> list[Flakiness]:
    """Every scenario per board, and over all boards where there are several."""
    reports = [each for each in reports if each.mark is not Mark.SKIPPED]
    by_title: dict[str, list[ScenarioReport]] = {}
    for report in reports:
        by_title.setdefault(report.title, []).append(report)
    found: list[Flakiness] = []
    for title, group in by_title.items():
        found += [_examine(title, report.board, report.attempts) for report in group]
        if len(group) > 1:
            every = [attempt for report in group for attempt in report.attempts]
            found.append(_examine(title, "", every))
    return found


def _examine(title: str, board: str, attempts: Sequence[Attempt]) -> Flakiness:
    failed: Counter[tuple[int, str]] = Counter()
    lost: Counter[int] = Counter()
    for attempt in attempts:
        for note in attempt.notes:
            if note.mark in FAILING:
                failed[note.step, note.title] += 1
            elif note.mark is Mark.SKIPPED:
                lost[note.step] += 1
    runs = len(attempts)
    steps = []
    for (step, name), count in sorted(failed.items()):
        reached = runs - sum(number for first, number in lost.items() if first <= step)
        if count < reached or count < runs:
            steps.append(StepFlakiness(step=step, title=name, failed=count, reached=max(reached, count)))
    return Flakiness(
        title=title,
        board=board,
        runs=runs,
        failed=sum(attempt.mark in FAILING for attempt in attempts),
        steps=tuple(steps),
    )
