"""Which calls a replay on the reference must make so that some of them mean something there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from likewise.model import Keyed, Spot


def close_slice(world: Sequence[Sequence[Keyed]], wanted: Iterable[Spot]) -> tuple[Spot, ...]:
    """The wanted calls, the writes they depend on and the calls whose answers they quote, in order."""
    found: set[Spot] = set()
    waiting = list(wanted)
    while waiting:
        spot = waiting.pop()
        if spot in found:
            continue
        found.add(spot)
        keyed = world[spot[0]][spot[1]]
        waiting.extend(keyed.context)
        waiting.extend(keyed.needs)
    return tuple(sorted(found))
