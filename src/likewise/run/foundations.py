"""What a test builds on: the writes of earlier tests that its calls found, beside its fixtures."""

from __future__ import annotations

from dataclasses import replace

from likewise.canonical import fingerprint, masked_sequence
from likewise.model import Spot, Trace
from likewise.run.reading import Reading


def built_on(reading: Reading) -> tuple[Spot, ...]:
    """The writes of earlier tests that the test's calls depend on.

    Not those that made its fixtures: whoever runs first makes them, and by itself the test does.
    """
    found = {spot for chain in reading.chains for spot in chain[0].context if spot[0] < reading.place}
    return tuple(sorted(spot for spot in found if not _is_set_up(reading, spot)))


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


def _is_set_up(reading: Reading, spot: Spot) -> bool:
    trace = reading.world[spot[0]]
    started = trace.interactions[spot[1]].started
    return not trace.test or any(
        each.test == trace.test and each.since <= started <= each.until for each in reading.trace.borrowed
    )
