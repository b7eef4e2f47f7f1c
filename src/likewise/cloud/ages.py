"""How far off the dates in an answer are: they vary from run to run, their distance from now does not.

The clock is the server's own, from the `Date` of the same answer: a fast machine, a clock that is off and a
test that sets the clock make no difference.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from likewise.model import Value

PAST = 36 * 3600
"""Seconds for which what happened is of now: suites that run for a night look back on what they made."""
SOON, STEP = 100.0, 4.0
"""Seconds up to which what will be is of now, and the factor between one mark and the next: what people ask
for (so many whole minutes, hours, days) is never near a limit."""
LONG_AGO, AHEAD = "≪", "›"
"""No words, so that nothing takes them for part of what varies."""

_WRITTEN = re.compile(rb"\d \d\d:\d\d:\d\d GMT|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def may_have_dates(content: bytes) -> bool:
    """Whether it is worth looking through a body."""
    return _WRITTEN.search(content) is not None


@lru_cache(maxsize=4096)
def moment(text: str) -> float | None:
    """The point in time that a text is, whole; None where it is anything else."""
    try:
        if text.endswith(" GMT") and len(text) == 29:
            return parsedate_to_datetime(text).timestamp()
        if text[10:11] == "T" and text[4:5] == "-" and len(text) > 18:
            found = datetime.fromisoformat(text)
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return None


def aged(value: Value, now: float) -> Value:
    """The value with marks before each date that is not of now; the very same where there is none."""
    if isinstance(value, str):
        when = moment(value) if 18 < len(value) < 40 else None
        marks = "" if when is None else _marks(when - now)
        return f"{marks} {value}" if marks else value
    if isinstance(value, list):
        items = [aged(item, now) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        fields = {name: aged(inner, now) for name, inner in value.items()}
        return fields if any(fields[name] is not inner for name, inner in value.items()) else value
    return value


def _marks(away: float) -> str:
    if away < -PAST:
        return LONG_AGO
    marks, limit = "", SOON
    while away > limit:
        marks += AHEAD
        limit *= STEP
    return marks
