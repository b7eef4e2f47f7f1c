"""In which order scenarios run. Every order keeps dependencies before their dependents."""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from likewise.device.program import Program
from likewise.device.scenario import Scenario, SuiteWrong
from likewise.model import ConfigurationError

Schedule = Callable[[Sequence[Scenario]], Sequence[Scenario]]
"""All scenarios in an order; users give theirs to `Suite(schedule=…)`."""

SEARCH = 200_000
"""States that the search for the fewest uploads looks at before it settles for a good order."""
BEAM = 500
"""States that are kept after each upload of such an order."""


class UploadsNotProved(UserWarning):
    """The order may need more uploads than the dependencies ask for."""


def level_by_level(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """First what depends on nothing, then what depends on that, and so on; by program within a level."""
    plan = Plan(tuple(scenarios))
    levels: dict[int, list[int]] = {}
    depth: list[int] = [0] * len(scenarios)
    for number in plan.topological:
        depth[number] = 1 + max((depth[each] for each in plan.before[number]), default=-1)
        levels.setdefault(depth[number], []).append(number)
    order: list[int] = []
    for _, level in sorted(levels.items()):
        order += sorted(level, key=lambda number: (plan.first_use[plan.colours[number]], number))
    return [scenarios[number] for number in order]


def tree_by_tree(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """One tree of dependents after the other, trees of one program together."""
    plan = Plan(tuple(scenarios))
    roots = [number for number in range(len(scenarios)) if not plan.before[number]]
    roots.sort(key=lambda number: (plan.first_use[plan.colours[number]], number))
    order: list[int] = []
    done: set[int] = set()
    for root in roots:
        waiting = [root]
        while waiting:
            here = plan.colours[order[-1]] if order else plan.colours[root]
            waiting.sort(key=lambda number: (plan.colours[number] != here, number), reverse=True)
            number = waiting.pop()
            done.add(number)
            order.append(number)
            waiting += [
                each
                for each in plan.after[number]
                if each not in done and each not in waiting and plan.before[each] <= done
            ]
    return [scenarios[number] for number in order]


def fewest_uploads(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """The least number of program uploads that the dependencies allow."""
    return [scenarios[number] for number in Plan(tuple(scenarios)).shortest()]


SCHEDULES: Mapping[str, Schedule] = {
    "default": level_by_level,
    "optimistic": tree_by_tree,
    "fewest-uploads": fewest_uploads,
}


def arrange(schedule: str | Schedule, scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Scenarios in the order of a schedule, checked: all there, none twice, dependencies first."""
    if isinstance(schedule, str):
        known = SCHEDULES.get(schedule)
        if known is None:
            raise ConfigurationError(
                f"unknown schedule {schedule!r}", todo=f"Known: {', '.join(SCHEDULES)}; or give a callable."
            )
        schedule = known
    order = list(schedule(scenarios))
    if sorted(each.title for each in order) != sorted(each.title for each in scenarios):
        raise SuiteWrong("the schedule does not hold every scenario once")
    seen: set[str] = set()
    for scenario in order:
        for title in scenario.dependencies:
            if title not in seen:
                raise SuiteWrong(f"the schedule has {scenario.title!r} before {title!r}, which it depends on")
        seen.add(scenario.title)
    return order


def uploads(order: Iterable[Scenario]) -> int:
    """How many programs one board is given in this order."""
    number, loaded = 0, object()
    for scenario in order:
        given: object = scenario.program
        if given is not None and given != loaded:
            number, loaded = number + 1, given
    return number


@dataclass(frozen=True)
class Plan:
    """The dependency graph by numbers, coloured by program."""

    scenarios: tuple[Scenario, ...]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {scenario.title: number for number, scenario in enumerate(self.scenarios)}

    @cached_property
    def before(self) -> list[set[int]]:
        """What each directly depends on."""
        return [{self._numbers[title] for title in each.dependencies} for each in self.scenarios]

    @cached_property
    def after(self) -> list[list[int]]:
        """What directly depends on each."""
        found: list[list[int]] = [[] for _ in self.scenarios]
        for number, earlier in enumerate(self.before):
            for each in earlier:
                found[each].append(number)
        return found

    @cached_property
    def colours(self) -> list[Program | str | None]:
        """The program of each."""
        return [None if each.program is None else each.program for each in self.scenarios]  # type: ignore[misc]

    @cached_property
    def first_use(self) -> dict[object, int]:
        """Where each program comes up first."""
        found: dict[object, int] = {}
        for number, colour in enumerate(self.colours):
            found.setdefault(colour, number)
        return found

    @cached_property
    def topological(self) -> list[int]:
        """An order that keeps dependencies first, and otherwise the one in which they were written."""
        missing = [len(earlier) for earlier in self.before]
        ready = [number for number, left in enumerate(missing) if not left]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            number = heapq.heappop(ready)
            order.append(number)
            for each in self.after[number]:
                missing[each] -= 1
                if not missing[each]:
                    heapq.heappush(ready, each)
        return order

    def shortest(self, budget: int = SEARCH) -> list[int]:
        """An order with the fewest uploads: A* over sets of finished scenarios.

        Once a program is on the board, running everything of it that is ready never costs anything,
        so a state is the set of finished scenarios and a move is a program. No program can be
        uploaded less often than it comes up anew along any path of dependencies; the sum of that over
        the programs is the estimate, and it never exceeds the truth.
        """
        goal = (1 << len(self.scenarios)) - 1
        start = self._run(0, None)  # what needs no program needs no upload
        best: dict[int, int] = {start: 0}
        came: dict[int, tuple[int, object]] = {}
        tie = count()
        queue = [(self._estimate(start), 0, next(tie), start)]
        while queue:
            bound, paid, _, done = heapq.heappop(queue)
            if done == goal:
                return self._retrace(came, done, start)
            if -paid > best[done]:
                continue
            for colour in self._ready(done):
                reached = self._run(done, colour)
                price = best[done] + 1
                if price < best.get(reached, price + 1):
                    best[reached] = price
                    came[reached] = (done, colour)
                    # Among equals the one that got furthest first: with a tight estimate, that is the goal.
                    heapq.heappush(queue, (price + self._estimate(reached), -price, next(tie), reached))
            if len(best) > budget:
                return self._good_enough(start, bound)
        raise AssertionError("a valid suite always has an order")

    def _good_enough(self, start: int, bound: int) -> list[int]:
        """A good order where the best would take too long to find; says so where it may not be the best."""
        order, paid = self._widest(start)
        if paid > bound:
            warnings.warn(
                f"fewest-uploads: an order with {paid} uploads is used; whether {bound} would do was not "
                f"found out within {SEARCH:,} steps of the search",
                UploadsNotProved,
                stacklevel=2,
            )
        return order

    def _widest(self, start: int) -> tuple[list[int], int]:
        """The best order that keeps only the most promising states after each upload."""
        goal = (1 << len(self.scenarios)) - 1
        came: dict[int, tuple[int, object]] = {}
        level, paid = [start], 0
        while goal not in came and start != goal:
            found: dict[int, tuple[int, object]] = {}
            for done in level:
                for colour in self._ready(done):
                    reached = self._run(done, colour)
                    if reached not in came:
                        found.setdefault(reached, (done, colour))
            level = heapq.nsmallest(BEAM, found, key=lambda each: (self._estimate(each), -each.bit_count()))
            came |= {each: found[each] for each in level}
            paid += 1
        return self._retrace(came, goal, start), paid

    @cached_property
    def _masks(self) -> list[int]:
        return [sum(1 << each for each in earlier) for earlier in self.before]

    @cached_property
    def _by_colour(self) -> dict[object, list[int]]:
        found: dict[object, list[int]] = {}
        for number in self.topological:
            found.setdefault(self.colours[number], []).append(number)
        return found

    def _ready(self, done: int) -> list[object]:
        return [
            colour
            for colour, numbers in self._by_colour.items()
            if any(not done >> each & 1 and self._masks[each] & ~done == 0 for each in numbers)
        ]

    def _run(self, done: int, colour: object) -> int:
        """Everything of one program, and everything without one, that becomes ready."""
        while True:
            before = done
            for each in (*self._by_colour.get(colour, ()), *self._by_colour.get(None, ())):
                if not done >> each & 1 and self._masks[each] & ~done == 0:
                    done |= 1 << each
            if done == before:
                return done

    @cached_property
    def _thresholds(self) -> list[list[int]]:
        """For each program, who begins a path on which it comes up at least once, twice, and so on.

        What is left is closed under dependents, so these paths are whole as long as their start is left.
        """
        found: list[list[int]] = []
        for colour in self._by_colour:
            if colour is None:
                continue
            inside, outside = [0] * len(self.scenarios), [0] * len(self.scenarios)
            for number in reversed(self.topological):
                within = max((inside[each] for each in self.after[number]), default=0)
                without = max((outside[each] for each in self.after[number]), default=0)
                if self.colours[number] == colour:
                    inside[number], outside[number] = within, 1 + within
                elif self.colours[number] is None:
                    inside[number], outside[number] = within, without
                else:
                    inside[number] = outside[number] = without
            masks = [0] * max(outside)
            for number, times in enumerate(outside):
                for level in range(times):
                    masks[level] |= 1 << number
            found.append(masks)
        return found

    def _estimate(self, done: int) -> int:
        """For each program, how often it comes up anew along the worst path of what is left."""
        return sum(sum(mask & ~done != 0 for mask in masks) for masks in self._thresholds)

    def _retrace(self, came: dict[int, tuple[int, object]], done: int, start: int) -> list[int]:
        moves: list[tuple[int, int]] = []
        while done != start:
            before, _ = came[done]
            moves.append((before, done))
            done = before
        moves.append((0, start))
        order: list[int] = []
        for before, reached in reversed(moves):
            new = reached & ~before
            order += [number for number in self.topological if new >> number & 1]
        return order
