"""How far off the dates in an answer are: they vary from run to run, their distance from now does not.

The clock is the server's own, from the `Date` of the same answer: a fast machine, a clock that is off and a
test that sets the clock make no difference.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from likewise.model import Value

PAST = 36 * 3600
"""Seconds for which what happened is of now: suites that run for a night look back on what they made."""
SOON, STEP = 100.0, 4.0
"""Seconds up to which what will be is of now, and the factor between one mark and the next: what people ask
for (so many whole minutes, hours, days) is never near a limit."""
LONG_AGO, AHEAD, BACK = "≪", "›", "‹"
"""No words, so that nothing takes them for part of what varies."""
ECHO = "="
"""Stands before a date that was told before; no word, either."""

Sent = Mapping[str, Container[float]]
"""The dates that a client sent, by the name of their field."""
Made = Callable[[float], bool]
"""Whether something was done about then to what a date is told of, or nothing is known to have been."""
_Clock = tuple[float, float | None, Sent, Made]
_NOTHING: Sent = {}
_WRITTEN = re.compile(rb'\d \d\d:\d\d:\d\d GMT|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|DateTime": ?1\d{9}')
_COUNTED = "DateTime"
"""How fields end that hold seconds since 1970 as a number."""


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


def _always(_: float) -> bool:
    return True


def aged(
    value: Value, now: float, *, since: float | None = None, sent: Sent = _NOTHING, made: Made = _always
) -> Value:
    """The value with marks before each date that is not of now; the very same where there is none.

    What happened before `since`, when nothing had been done yet, is not of now either, nor is what is over
    while nothing was `made` then. A date that was `sent` under the same name is marked as that, however far
    it is off.
    """
    return _aged(value, "", (now, since, sent, made))


def _aged(value: Value, name: str, clock: _Clock) -> Value:
    if isinstance(value, str | float | int):
        when = written(value, name)
        marks = "" if when is None else _marks(when, name, clock)
        return f"{marks} {value}" if marks else value
    if isinstance(value, list):
        items = [_aged(item, name, clock) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        fields = {key: _aged(inner, key, clock) for key, inner in value.items()}
        return fields if any(fields[key] is not inner for key, inner in value.items()) else value
    return value


def written(value: str | float, name: str) -> float | None:
    """The point in time that the value of a field is."""
    if isinstance(value, str):
        return moment(value) if 18 < len(value) < 40 else None
    return value if name.endswith(_COUNTED) else None


def _marks(when: float, name: str, clock: _Clock) -> str:
    now, since, sent, made = clock
    if when in sent.get(name, ()):
        return ECHO
    if when - now < -PAST:
        return LONG_AGO
    if since is not None and when < since - SOON:
        return BACK * _steps(since - when)
    if now - when > SOON and not made(when):
        return BACK
    return AHEAD * _steps(when - now)


def _steps(away: float) -> int:
    steps, limit = 0, SOON
    while away > limit:
        steps += 1
        limit *= STEP
    return steps


_DAY = 86_400
_PERIODS = (
    *(60 * minutes for minutes in (2, 3, 5, 10, 15, 20, 30, 45, 60, 75, 90, 120)),
    *(3600 * hours for hours in (3, 4, 5, 6, 8, 9, 10, 12, 16, 18, 24, 36, 48)),
    *(_DAY * days for days in (3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 20, 21, 28, 30, 31, 45, 60, 90, 100, 120)),
    *(_DAY * days for days in (180, 200, 270, 300, 365, 366, 400, 500, 731, 1000, 1096, 1461, 1827, 3653)),
    *(_DAY * 3653 * decades for decades in (2, 3, 5, 10, 20, 50, 100)),
)
"""Seconds that people ask for, and between which they ask for little: time that has passed since only takes
away from what is ahead, and adds to what is back, so that it must take a whole step to tell."""
_SLACK = 20.0
"""Seconds that two clocks may be apart by."""


def span(away: float) -> str:
    """How far off a point in time is that a client chose: ahead, back, or of now."""
    steps = reach(away)
    return "now" if not steps else AHEAD * steps if steps > 0 else BACK * -steps


def reach(away: float) -> int:
    """The same in steps, less than none for what is back."""
    if abs(away) <= SOON:
        return 0
    if away > 0:
        return 1 + bisect_left(_PERIODS, away - _SLACK)
    return -1 - bisect_right(_PERIODS, _SLACK - away)


def days_off(when: float, now: float) -> float:
    """How far off a point in time is; of a whole day, so many days from today, whatever the time is."""
    return when - now if when % _DAY else when - now // _DAY * _DAY


def away(text: str, now: float) -> float | None:
    """How many seconds ahead of now a client's date is: a day, a minute, or seconds since 1970."""
    if text.isdecimal() and len(text) == 10:
        return int(text) - now
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() - now
