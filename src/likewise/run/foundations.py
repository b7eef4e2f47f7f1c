"""What a test builds on: the writes of earlier tests that its calls found, beside its fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from likewise.canonical import fingerprint, masked_sequence
from likewise.model import Keyed, Spot, Trace
from likewise.run.reading import Reading


def foundation(reading: Reading) -> tuple[Spot, ...]:
    """What a test of this run builds on."""
    return built_on([chain[0] for chain in reading.chains], reading.world, reading.place)


class Founders:
    """The tests that wrote what a test builds on, found once for each reading."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Reading, frozenset[str]]] = {}

    def of(self, reading: Reading) -> frozenset[str]:
        """The tests that this one builds on itself, not those that these build on in turn."""
        if id(reading) not in self._found:
            tests = frozenset(reading.world[place].test for place, _ in foundation(reading))
            self._found[id(reading)] = reading, tests  # with the reading, so that its id stays its own
        return self._found[id(reading)][1]


def built_on(calls: Sequence[Keyed], world: Sequence[Trace], place: int) -> tuple[Spot, ...]:
    """The writes of earlier tests of a world that calls of the one at a place depend on.

    Not those that made its fixtures: whoever runs first makes them, and by itself the test does. Nor what
    it found when it tore down fixtures of several tests: another might have been the last.
    """
    trace = world[place]
    found = {
        spot
        for call in calls
        if not _is_ending(trace, call.position)
        for spot in call.context
        if spot[0] < place
    }
    return tuple(sorted(spot for spot in found if not _is_set_up(trace, world[spot[0]], spot[1])))


def code_upon(code: str, world: Sequence[Trace], spots: Sequence[Spot]) -> str:
    """What identifies the code that a test runs together with the writes of its world that it builds on.

    In these, values that look generated count only by their build, and what was done alike counts once:
    tests that run before this one again and do the same make no difference.
    """
    if not code or not spots:
        return code
    alone = (replace(world[at], interactions=(world[at].interactions[position],)) for at, position in spots)
    return fingerprint([code, *sorted({call for trace in alone for call in masked_sequence(trace)})])


def _is_set_up(trace: Trace, earlier: Trace, position: int) -> bool:
    started = earlier.interactions[position].started
    return not earlier.test or any(
        each.test == earlier.test and each.since <= started <= each.until for each in trace.borrowed
    )


def _is_ending(trace: Trace, position: int) -> bool:
    if not trace.endings:
        return False
    started = trace.interactions[position].started
    return any(each.since <= started <= each.until for each in trace.endings)
