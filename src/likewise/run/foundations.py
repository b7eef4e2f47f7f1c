"""What a test builds on: the writes of earlier tests that its calls found, beside its fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from likewise.model import Keyed, Trace


def builds_on_others(calls: Iterable[Keyed], world: Sequence[Trace], place: int) -> bool:
    """Whether calls of the test at a place of a world depend on writes of earlier ones.

    Not those that made its fixtures: whoever runs first makes them, and by itself the test does.
    """
    found = {spot for call in calls for spot in call.context if spot[0] < place}
    return not all(_is_set_up(world[place], world[earlier], position) for earlier, position in found)


def _is_set_up(trace: Trace, earlier: Trace, position: int) -> bool:
    started = earlier.interactions[position].started
    return not earlier.test or any(
        each.test == earlier.test and each.since <= started <= each.until for each in trace.borrowed
    )
