"""Calls of several lanes that happened at the same time: which came first is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from likewise.canonical.forms import Call
from likewise.model import Effect, Raised

_READ = Effect.READ


def writes_of_several_lanes(calls: Sequence[Call]) -> list[Call]:
    """What changed something, or tried to, where more than one lane was at work."""
    if len({call.lane for call in calls}) < 2:
        return []
    return [
        call for call in calls if call.is_write or (isinstance(call.outcome, Raised) and is_attempt(call))
    ]


def is_attempt(call: Call) -> bool:
    """Whether a call would have changed something, had it not been refused or a mere look."""
    return any(touch.attempted for touch in call.touches)


def races(call: Call, writes: Iterable[Call]) -> bool:
    """Whether a write of another lane that the call depends on happened at the same time."""
    return any(
        other.lane != call.lane
        and other.started < call.ended
        and call.started < other.ended
        and _touch_alike(call, other)
        and not _refused_alike(call, other)
        for other in writes
    )


def _refused_alike(call: Call, other: Call) -> bool:
    """Whether two that tried the same both failed: which came first makes no difference."""
    return (
        call.operation == other.operation
        and call.arguments == other.arguments
        and not (call.is_write or other.is_write)
    )


def _touch_alike(call: Call, write: Call) -> bool:
    return any(
        ours.depends_on(theirs)
        for theirs in write.touches
        if theirs.effect is not _READ or theirs.attempted
        for ours in call.touches
    )
