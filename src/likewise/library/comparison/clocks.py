"""When each of two runs took place, and what in them says no more than that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
TIMES = (
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{3,9})?(?:Z|[+-]\d\d:?\d\d)?",
    rf"{_DAY}, \d\d[ -]{_MONTH}[ -]\d{{4}} \d\d:\d\d:\d\d GMT",
    rf"{_DAY} {_MONTH} [ \d]\d \d\d:\d\d:\d\d \d{{4}}",
    r"\d{10}(?:\.\d+|\d{3}|\d{6}|\d{9})?",
)
"""As `isoformat` and HTTP write them, `ctime`, and seconds or parts of seconds since 1970."""
_QUARTER = 900
"""Seconds by which time zones differ."""
_FURTHEST = 14 * 3600
_SLACK = 0.01
_NEAR = 400 * 86_400
_SCALES = {10: 1, 13: 1e3, 16: 1e6, 19: 1e9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A time: seconds since 1970, how exact it is, and whether its zone is known."""

    seconds: float
    grain: float
    has_zone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """When a run of a test began and ended; nothing lies in the span of a test of which that is not known."""

    started: float = 0.0
    ended: float = 0.0

    def zone(self, moment: Moment) -> int | None:
        """In which zone, in quarters of an hour, this moment lies within the run; None for in none."""
        if not self.started:
            return None
        quarters = 0
        if not moment.has_zone:
            quarters = round((moment.seconds - self.started) / _QUARTER)
            if abs(quarters * _QUARTER) > _FURTHEST:
                return None
        seconds = moment.seconds - quarters * _QUARTER
        is_within = self.started - moment.grain - _SLACK <= seconds <= self.ended + _SLACK
        return quarters if is_within else None

    def distance(self, moment: Moment) -> tuple[float, float] | None:
        """By how much, at least and at most, this moment is later than the instant it was worked out from."""
        if not self.started or abs(moment.seconds - self.started) > _NEAR:
            return None
        return moment.seconds - self.ended - _SLACK, moment.seconds + moment.grain - self.started + _SLACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The spans of the reference's and of the candidate's run."""

    reference: Span = Span()
    candidate: Span = Span()

    def are_now(self, ours: Moment, theirs: Moment) -> bool:
        """Whether each is a time at which its own run went on, in one zone."""
        zone = self.reference.zone(ours)
        return zone is not None and zone == self.candidate.zone(theirs)

    def are_as_far(self, ours: Moment, theirs: Moment) -> bool:
        """Whether both can be as long before or after their own run."""
        one, other = self.reference.distance(ours), self.candidate.distance(theirs)
        return one is not None and other is not None and one[0] <= other[1] and other[0] <= one[1]


def moment(text: str) -> Moment | None:
    """The time that a text says in one of the ways of `TIMES`."""
    if not _TIME.fullmatch(text):
        return None
    try:
        if text[0].isdigit():
            return _of_iso(text) if text[4] == "-" else _of_number(text)
        if text.endswith("GMT"):
            found = parsedate_to_datetime(text.replace("-", " "))
            return Moment(seconds=found.timestamp(), grain=1, has_zone=True)
        found = datetime.strptime(text, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
        return Moment(seconds=found.timestamp(), grain=1, has_zone=False)
    except (ValueError, OverflowError):  # the thirtieth of February
        return None


def moment_of(number: float) -> Moment | None:
    """The time that a number of seconds, or of thousandths and so on, since 1970 says."""
    return _of_number(repr(number)) if _NUMBER.fullmatch(repr(number)) else None


_TIME = re.compile("|".join(TIMES), re.IGNORECASE)
_NUMBER = re.compile(TIMES[-1])


def _of_number(text: str) -> Moment:
    whole, _, fraction = text.partition(".")
    scale = _SCALES[len(whole)]
    grain = 10.0 ** -len(fraction) if fraction.strip("0") else 1 / scale
    return Moment(seconds=float(text) / scale, grain=grain, has_zone=True)


def _of_iso(text: str) -> Moment:
    found = datetime.fromisoformat(text.replace(",", "."))
    has_zone = found.tzinfo is not None
    if not has_zone:
        found = found.replace(tzinfo=UTC)
    grain = 1e-6 if "." in text or "," in text else 1
    return Moment(seconds=found.timestamp(), grain=grain, has_zone=has_zone)
