"""Which tests may meet their own calls in another order next time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

from likewise.model import Effect, Interaction, Touch, Trace


def contends(trace: Trace) -> bool:
    """Whether lanes that were at work at the same time used the same thing, one of them changing it.

    What one of them finds then depends on chance, though no two calls need have collided this time.
    """
    if len({call.lane for call in trace.interactions}) < 2:
        return False
    touches: dict[str, set[Touch]] = {}
    for call in trace.interactions:
        touches.setdefault(call.lane, set()).update(call.touches)
    return any(
        _matters(touches[writer], touches[lane])
        for pair in _together(trace.interactions)
        for writer, lane in permutations(pair)
    )


def _together(calls: Iterable[Interaction]) -> set[frozenset[str]]:
    """The pairs of lanes of which two calls overlapped in time."""
    pairs: set[frozenset[str]] = set()
    under_way: list[Interaction] = []
    for call in sorted(calls, key=lambda call: call.started):
        under_way = [other for other in under_way if other.ended > call.started]
        pairs.update(frozenset((other.lane, call.lane)) for other in under_way if other.lane != call.lane)
        under_way.append(call)
    return pairs


def _matters(written: Iterable[Touch], used: Iterable[Touch]) -> bool:
    writes = [touch for touch in written if touch.effect is not Effect.READ]
    return any(touch.depends_on(write) for touch in used for write in writes)
