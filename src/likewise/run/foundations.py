"""What a test builds on: the writes of earlier tests that its calls found, beside its fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from likewise.model import Keyed, Spot, Trace


def found_by(calls: Iterable[Keyed], world: Sequence[Trace], place: int) -> tuple[Spot, ...]:
    """The writes of earlier tests of a world that calls of the one at a place depend on.

    Not those that made its fixtures: whoever runs first makes them, and by itself the test does.
    """
    found = {spot for call in calls for spot in call.context if spot[0] < place}
    return tuple(sorted(spot for spot in found if not _is_set_up(world[place], world[spot[0]], spot[1])))


def _is_set_up(trace: Trace, earlier: Trace, position: int) -> bool:
    started = earlier.interactions[position].started
    return not earlier.test or any(
        each.test == earlier.test and each.since <= started <= each.until for each in trace.borrowed
    )
