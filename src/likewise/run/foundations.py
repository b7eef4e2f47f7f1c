"""What a test builds on: the writes of earlier tests that its calls found, beside its fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from likewise.canonical import fingerprint, masked_sequence
from likewise.model import Keyed, Spot, Trace
from likewise.run.reading import Reading


def built_on(reading: Reading) -> tuple[Spot, ...]:
    """The writes of earlier tests that the test's calls depend on."""
    return found_by([chain[0] for chain in reading.chains], reading.world, reading.place)


def founders(reading: Reading, readings: Mapping[str, Reading]) -> set[str]:
    """The tests of a run that wrote what a test builds on, and those that these build on in turn."""
    found: set[str] = set()
    waiting = [reading]
    while waiting:
        each = waiting.pop()
        names = {each.world[place].test for place, _ in built_on(each)} & readings.keys()
        waiting += [readings[name] for name in names - found]
        found |= names
    return found


def found_by(calls: Iterable[Keyed], world: Sequence[Trace], place: int) -> tuple[Spot, ...]:
    """The writes of earlier tests of a world that calls of the one at a place depend on.

    Not those that made its fixtures: whoever runs first makes them, and by itself the test does.
    """
    found = {spot for call in calls for spot in call.context if spot[0] < place}
    return tuple(sorted(spot for spot in found if not _is_set_up(world[place], world[spot[0]], spot[1])))


def code_upon(code: str, reading: Reading) -> str:
    """What identifies the code that a test runs together with what it builds on.

    In that, values that look generated count only by their build, and what was done alike counts once:
    tests that run before this one again and do the same make no difference.
    """
    spots = built_on(reading)
    if not code or not spots:
        return code
    traces = (_alone(reading.world[place], position) for place, position in spots)
    return fingerprint([code, *sorted({call for trace in traces for call in masked_sequence(trace)})])


def _alone(trace: Trace, position: int) -> Trace:
    return replace(trace, interactions=(trace.interactions[position],))


def _is_set_up(trace: Trace, earlier: Trace, position: int) -> bool:
    started = earlier.interactions[position].started
    return not earlier.test or any(
        each.test == earlier.test and each.since <= started <= each.until for each in trace.borrowed
    )
