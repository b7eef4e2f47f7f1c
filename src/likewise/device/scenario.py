"""Scenarios and suites as a user writes them, refused before anything runs where they cannot be right."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likewise.device.commands import Command, Location, Reset, Upload, location
from likewise.device.expectations import Claim, Fails, claims, trends
from likewise.device.program import Program, program
from likewise.device.testee import Limits
from likewise.device.values import Number
from likewise.model import LikewiseError

if TYPE_CHECKING:
    from likewise.device.controls import Controls
    from likewise.device.schedules import Schedule


class SuiteWrong(LikewiseError):
    """A scenario or suite cannot be right; nothing was run."""

    slug = "suite-wrong"


class _Nothing:
    """Stands for: no expectation but that the instruction completes."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()

Action = Callable[["Controls"], Any] | Callable[["Controls"], Coroutine[Any, Any, Any]]
"""Any callable or coroutine function that gets the testee."""


class Step:
    """One instruction and what is expected of it.

    `do` is a command or an action. Without `expect` the step passes if its instruction completed.
    """

    __slots__ = ("claims", "command", "do", "exact", "expect", "fails", "timeout", "title", "watched")

    def __init__(
        self, title: str, do: Command | Action, expect: object = NOTHING, timeout: float | None = None
    ) -> None:
        if not isinstance(title, str) or not title.strip():
            raise SuiteWrong("a step needs a title", why=f"it has {title!r}")
        if not isinstance(do, Command) and (isinstance(do, type) or not callable(do)):
            raise SuiteWrong(
                f"{do!r} is neither a command nor an action",
                where=f"step {title!r}",
                todo="Give a command such as invoke('add', 1, 2), or a callable that takes the testee.",
            )
        if timeout is not None and not 0 < timeout < float("inf"):
            raise SuiteWrong(
                f"a time limit of {timeout!r} s", where=f"step {title!r}", why="it must be above 0"
            )
        self.title, self.do, self.expect, self.timeout = title, do, expect, timeout
        self.command = do if isinstance(do, Command) and not isinstance(do, Upload | Reset) else None
        """What goes to the testee as it is, together with others."""
        self.fails: Fails | None = expect if isinstance(expect, Fails) else None
        self.claims: tuple[Claim, ...] = ()
        self.exact = expect if isinstance(expect, Number) else None
        """The number that is the whole expectation, where it is one."""
        if expect is not NOTHING and self.fails is None:
            try:
                self.claims = claims(expect)
            except LikewiseError as error:
                raise SuiteWrong(
                    error.what, where=f"step {title!r}", why=error.why, todo=error.todo
                ) from error
        self.watched = tuple(claim.path for claim in self.claims if trends(claim.expected))
        """The paths whose last values matter to it."""

    @property
    def operation(self) -> str:
        """What it does, in a few words."""
        if isinstance(self.do, Command):
            return self.do.name
        return f"action {getattr(self.do, '__name__', type(self.do).__name__)}"

    def __repr__(self) -> str:
        return f"Step({self.title!r}, {self.operation})"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Steps on one program, from a fresh reset on. It is skipped where something it depends on failed."""

    title: str
    program: Program | str | Path | None
    steps: Sequence[Step]
    depends_on: Sequence[str | Scenario] = ()
    breakpoints: Sequence[Location | str | int] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.title, str) or not self.title.strip():
            raise SuiteWrong("a scenario needs a title", why=f"it has {self.title!r}")
        where = f"scenario {self.title!r}"
        if isinstance(self.depends_on, str | Scenario):
            object.__setattr__(self, "depends_on", (self.depends_on,))
        for name in ("steps", "depends_on", "breakpoints"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for each in self.steps:
            if not isinstance(each, Step):
                raise SuiteWrong(f"{each!r} is not a Step", where=where)
        if not self.steps:
            raise SuiteWrong("it has no steps", where=where, why="it would pass whatever the testee does")

    @property
    def dependencies(self) -> tuple[str, ...]:
        """The titles of what it depends on."""
        return tuple(each.title if isinstance(each, Scenario) else each for each in self.depends_on)

    @property
    def stops(self) -> tuple[Location, ...]:
        """The breakpoints that are set before the first step."""
        return tuple(location(each) for each in self.breakpoints)

    @property
    def watched(self) -> frozenset[tuple[str | int, ...]]:
        """The paths whose last values matter."""
        return frozenset(path for step in self.steps for path in step.watched)

    def __hash__(self) -> int:
        return hash(self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Scenarios with the boards they run on.

    Every scenario runs on every board, or, with `share`, on one of them: whichever is free.
    """

    title: str = "suite"
    scenarios: Sequence[Scenario]
    testees: Sequence[str] = ()
    """Names in the inventory; none means the project's default board."""
    share: bool = False
    schedule: str | Schedule = "default"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scenarios", tuple(self.scenarios))
        object.__setattr__(self, "testees", tuple(self.testees))
        validate(self.scenarios, where=f"suite {self.title!r}")

    def beside(self, folder: Path) -> Suite:
        """The same suite, its programs looked for in a folder."""
        return Suite(
            title=self.title,
            scenarios=[rooted(each, folder) for each in self.scenarios],
            testees=self.testees,
            share=self.share,
            schedule=self.schedule,
            limits=self.limits,
        )


def rooted(scenario: Scenario, folder: Path) -> Scenario:
    """The same scenario, its program looked for in a folder, its dependencies by title."""
    given = scenario.program
    return Scenario(
        scenario.title,
        None if given is None else program(given, beside=folder),
        scenario.steps,
        scenario.dependencies,
        scenario.breakpoints,
    )


def validate(scenarios: Iterable[Scenario], *, where: str = "suite") -> None:
    """Refuse what cannot be right: a duplicate title, an unknown dependency, a cycle (which is named)."""
    by_title: dict[str, Scenario] = {}
    for scenario in scenarios:
        if not isinstance(scenario, Scenario):
            raise SuiteWrong(f"{scenario!r} is not a Scenario", where=where)
        if scenario.title in by_title:
            raise SuiteWrong(
                f"two scenarios are called {scenario.title!r}",
                where=where,
                why="dependencies and reports go by title",
                todo="Rename one of them.",
            )
        by_title[scenario.title] = scenario
    for scenario in by_title.values():
        for title in scenario.dependencies:
            if title not in by_title:
                near = difflib.get_close_matches(title, by_title, n=1)
                raise SuiteWrong(
                    f"{scenario.title!r} depends on {title!r}, which is not in the suite",
                    where=where,
                    todo=f"Did you mean {near[0]!r}?" if near else "Add it, or remove the dependency.",
                )
    if cycle := find_cycle({title: each.dependencies for title, each in by_title.items()}):
        raise SuiteWrong(
            f"the dependencies form a cycle: {' → '.join(repr(title) for title in cycle)}",
            where=where,
            why="none of these could ever run first",
            todo="Remove one of the dependencies.",
        )


def find_cycle(depends_on: dict[str, tuple[str, ...]]) -> list[str]:
    """One cycle, first and last element the same; empty where there is none. Depth is no matter."""
    finished: set[str] = set()
    for start in depends_on:
        trail: dict[str, None] = {}
        stack = [(start, iter(depends_on[start]))]
        trail[start] = None
        while stack:
            title, rest = stack[-1]
            following = next((each for each in rest if each not in finished), None)
            if following is None:
                finished.add(title)
                trail.pop(title, None)
                stack.pop()
            elif following in trail:
                path = list(trail)
                return [*path[path.index(following) :], following]
            else:
                trail[following] = None
                stack.append((following, iter(depends_on[following])))
    return []
