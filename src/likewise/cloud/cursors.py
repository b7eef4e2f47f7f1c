"""Where a server says how a list goes on, in a text of its own making, and where it is told so again.

No client looks into these texts: one server writes a digest there, another one base64, the cloud what is
new each time. So they count by identity only. Names of real things that also say where to go on (the keys
in S3's first kind of list, and DynamoDB's) are none of them, nor is anything inside a user's data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from likewise.canonical.familiarity import ANSWERED, ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cursor:
    """A kind of cursor: where requests send it, and where answers have it; a star is any one name."""

    sent: str
    received: str
    names: tuple[str, ...]
    """By what names it stands in answers: the next one, and an echo of the one that was sent."""


_MARKER = _Cursor(sent="query.marker", received="body.*", names=("NextMarker", "Marker"))
_SNAPSHOT = _Cursor(sent="query.snapshot", received="headers", names=("x-ms-snapshot",))
"""Tells states of a blob apart by when they were taken, but what counts is which one it is."""
_CURSORS = {
    "s3": (
        _Cursor(
            sent="query.continuation-token",
            received="body.*",
            names=("NextContinuationToken", "ContinuationToken"),
        ),
    ),
    "dynamodb": (_Cursor(sent="body.NextToken", received="body", names=("NextToken",)),),
    "blob": (_MARKER, _SNAPSHOT),
    "queue": (_MARKER,),
    "table": tuple(
        _Cursor(sent=f"query.{name}", received="headers", names=(f"x-ms-continuation-{name.lower()}",))
        for name in ("NextPartitionKey", "NextRowKey", "NextTableName")
    ),
}

NAMES = {
    service: frozenset(name.lower() for cursor in cursors for name in cursor.names)
    for service, cursors in _CURSORS.items()
}
"""The names under which a service's answers have cursors, in lower case."""


def _pattern(service: str, cursor: _Cursor) -> re.Pattern[str]:
    sent = f"{re.escape(ASKED)}\\.{re.escape(cursor.sent)}"
    above = re.escape(f".returned.{cursor.received}").replace(r"\*", r"[^.\[]+")
    received = f"{re.escape(ANSWERED)}{above}\\.(?:{'|'.join(map(re.escape, cursor.names))})"
    return re.compile(rf"{service}\.[^{ASKED}{ANSWERED}]*(?:{sent}|{received})")


_PATTERNS = {
    service: [(cursor.sent, _pattern(service, cursor)) for cursor in cursors]
    for service, cursors in _CURSORS.items()
}


@lru_cache(maxsize=16384)
def cursor_at(place: str) -> str:
    """The kind of cursor that stands at a place, or nothing."""
    service = place.partition(".")[0]
    return next((kind for kind, form in _PATTERNS.get(service, ()) if form.fullmatch(place)), "")
