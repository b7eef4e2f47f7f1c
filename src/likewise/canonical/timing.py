"""State that changes by itself as time passes: which class of time a call falls into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from likewise.canonical.forms import Call
from likewise.model import Touch
from likewise.model.interaction import FOREVER

ELAPSED = (1.0, 4.0, 16.0, 64.0, 256.0)
"""Bounds, in seconds, of the classes of time that may have passed since a change."""

SLACK = 0.5
"""How many seconds a server's clock may be off by when it lets something expire."""

NOT_YET = "0"
"""The class of time in which nothing can have changed by itself, or hardly anything."""

_ABOUT_NOW = "now"
_PAST = "past "


class Change(NamedTuple):
    """When something changes by itself: not before `earliest`, and surely by `latest`."""

    earliest: float
    latest: float
    is_known: bool
    """Whether the service says when; else it may go on to change since then."""


def change_after(call: Call, timed: Iterable[Touch]) -> Change | None:
    """When what a call left changes by itself: the last of what it touched."""
    return latest(_change(call, touch.lasts) for touch in timed)


def _change(call: Call, lasts: float | None) -> Change:
    if lasts is None:
        return Change(call.ended, call.ended, False)
    return Change(call.started + lasts - SLACK, call.ended + lasts + SLACK, True)


def is_steady(timed: Sequence[Touch], touches: Iterable[Touch]) -> bool:
    """Whether nothing that a write left to change by itself matters to a call, though other things may.

    Only where the service has said of the others that they stay as they are.
    """
    moving = [touch for touch in timed if touch.lasts is None or touch.lasts < FOREVER]
    if not moving or len(moving) == len(timed):
        return False
    return not any(ours.depends_on(theirs) for theirs in moving for ours in touches)


def latest(changes: Iterable[Change | None]) -> Change | None:
    """The last of several changes; the last of those of which nobody knows when, if there are such."""
    return max(filter(None, changes), key=lambda change: (not change.is_known, change.latest), default=None)


def elapsed_at(call: Call, pending: Iterable[Change | None]) -> str:
    """The class of time since the last change that matters to a call, or nothing where none is pending.

    State that settles by itself (a table being created) is no longer pending once it was looked at;
    state that expires (a lease, a hidden message) goes on to depend on time.
    """
    changes = [change for change in pending if change is not None]
    if not changes:
        return ""
    over = [change for change in changes if call.ended >= change.earliest]
    if not over:
        return NOT_YET
    if any(call.started < change.latest for change in over if change.is_known):
        return _ABOUT_NOW
    last = max(over, key=lambda change: change.latest)
    passed = sum(call.started - last.latest >= bound for bound in ELAPSED)
    return f"{_PAST}{passed}" if last.is_known else str(passed)
