"""The points in time that client and servers told each other in one world.

A date varies from run to run, and so its text says nothing. What it says is which one it is: the one that the
client sent before, the one that the server told of the same thing, or how far it is off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from likewise.cloud.ages import ECHO, SOON, aged, moment, span
from likewise.model import Mapping, Value

_SINCE = ("if-modified-since", "if-unmodified-since")
_INSIDE = re.compile(r"(?<=datetime')[^']+(?=')")
"""Where a filter has a date."""


class Moments:
    """Reads the dates of one world's requests and answers in their order."""

    def __init__(self) -> None:
        self._sent: dict[str, set[float]] = {}
        """What clients sent, by the name of the field: that comes back under the same name."""
        self._modified: dict[tuple[str, ...], str] = {}
        """When a thing was said to be modified last."""
        self._began: float | None = None

    def asked(self, arguments: Mapping, names: Sequence[str], now: float) -> Mapping:
        """A request in which each date says how far it is off, or that it is the one told last."""
        headers, query = arguments["headers"], arguments["query"]
        assert isinstance(headers, dict)
        assert isinstance(query, dict)
        for field, when in (*_dates(arguments["body"], ""), *_dates(headers, "")):
            self._sent.setdefault(field, set()).add(when)
        known = self._modified.get(tuple(names))
        told = {
            name: f"{ECHO} {text}" if text == known else _placed(text, now)
            for name in _SINCE
            if isinstance(text := headers.get(name), str)
        }
        dated = {
            name: _INSIDE.sub(lambda found: _placed(found[0], now), text)
            for name, text in query.items()
            if isinstance(text, str) and "datetime'" in text
        }
        if not told and not dated:
            return arguments
        return {**arguments, "headers": {**headers, **told}, "query": {**query, **dated}}

    def answered(self, answer: Mapping, names: Sequence[str], now: float, *, has_dates: bool) -> Value:
        """An answer in which dates that are not of now, or that the client sent, say so."""
        self._began = now if self._began is None else min(now, self._began)
        headers = answer["headers"]
        if isinstance(headers, dict) and isinstance(text := headers.get("last-modified"), str):
            self._modified[tuple(names)] = text
        if has_dates:
            return self._marked(answer, now)
        return {**answer, "headers": self._marked(headers, now)}

    def _marked(self, value: Value, now: float) -> Value:
        return aged(value, now, since=self._began, sent=self._sent)


def _dates(value: Value, name: str) -> Iterator[tuple[str, float]]:
    """The dates in a value, each with the name of its field."""
    if isinstance(value, str):
        when = moment(value) if 18 < len(value) < 40 else None
        if when is not None:
            yield name, when
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _dates(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _dates(inner, name)


def _placed(text: str, now: float) -> str:
    """A client's date with how far it is off before it, where that is more than a moment."""
    when = moment(text)
    if when is None or not now or abs(when - now) <= SOON:
        return text
    return f"{span(when - now)} {text}"
