"""The scenarios of one share of work: what waits, what is ready, how things ended."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from likewise.device.results import FAILING, Mark, ScenarioReport
from likewise.device.scenario import Scenario


class Pool:
    """Hands out ready scenarios in the order of the schedule."""

    def __init__(self, order: Sequence[Scenario]) -> None:
        self._order = list(order)
        self.reports: dict[str, ScenarioReport] = {}
        self.running: set[str] = set()
        self._missing = {each.title: len(set(each.dependencies)) for each in order}
        self._after: dict[str, list[int]] = {}
        self._ready: dict[object, list[int]] = {}
        """Places in the order by program, the first on top."""
        for place, scenario in enumerate(self._order):
            for title in set(scenario.dependencies):
                self._after.setdefault(title, []).append(place)
            if not scenario.dependencies:
                self._make_ready(place)

    def take_first(self) -> Scenario | None:
        """What comes first in the schedule."""
        return self._pop(min(self._ready, key=lambda each: self._ready[each][0])) if self._ready else None

    def take(self, rank: Callable[[object], int]) -> Scenario | None:
        """What comes first in the schedule among the programs of the lowest rank."""
        if not self._ready:
            return None
        return self._pop(min(self._ready, key=lambda each: (rank(each), self._ready[each][0])))

    def finish(self, scenario: Scenario, report: ScenarioReport) -> Iterator[tuple[Scenario, str]]:
        """Note how a scenario ended; what has to be skipped for it, however far away, with the cause."""
        self.running.discard(scenario.title)
        self.reports[scenario.title] = report
        cause = broken_by(report)
        following = [scenario.title]
        while following:
            for place in self._after.get(following.pop(), ()):
                dependent = self._order[place]
                if dependent.title in self.reports:
                    continue
                if cause:
                    yield dependent, cause
                    following.append(dependent.title)
                else:
                    self._missing[dependent.title] -= 1
                    if not self._missing[dependent.title]:
                        self._make_ready(place)

    def left(self) -> list[Scenario]:
        """What never ended."""
        return [each for each in self._order if each.title not in self.reports]

    def _make_ready(self, place: int) -> None:
        heapq.heappush(self._ready.setdefault(self._order[place].program, []), place)

    def _pop(self, colour: object) -> Scenario:
        places = self._ready[colour]
        scenario = self._order[heapq.heappop(places)]
        if not places:
            del self._ready[colour]
        self.running.add(scenario.title)
        return scenario


def broken_by(report: ScenarioReport) -> str:
    """Why what depends on a scenario cannot run; nothing where it can."""
    if report.mark not in FAILING and report.mark is not Mark.SKIPPED:
        return ""
    return report.cause or f"depends on {report.title!r}, which {_ended(report.mark)}"


def _ended(mark: Mark) -> str:
    return {Mark.FAILED: "failed", Mark.TIMED_OUT: "timed out"}.get(mark, f"was {mark}")
