"""The points in time that client and servers told each other in one world.

A date varies from run to run, and so its text says nothing. What it says is which one it is: the one that the
client sent before, the one that the server told of the same thing, or how far it is off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from likewise.cloud.ages import ECHO, SOON, Made, aged, days_off, moment, reach, span, written
from likewise.model import Effect, Mapping, Resource, Touch, Value

_MODIFIED = "last-modified"
_SINCE = ("if-modified-since", "if-unmodified-since")
_INSIDE = re.compile(r"(?<=datetime')[^']+(?=')")
"""Where a filter has a date."""


class Dates:
    """Reads the dates of one world's requests and answers in their order."""

    def __init__(self) -> None:
        self._sent: dict[str, set[float]] = {}
        """What clients sent, by the name of the field: that comes back under the same name."""
        self._modified: dict[tuple[str, ...], str] = {}
        """When a thing was said to be modified last."""
        self._written: dict[Resource, tuple[str, bool]] = {}
        """When a thing was modified, as whoever did it was told, and nothing has changed it since; whether
        that was when it was told."""
        self._changed: dict[Resource, set[int]] = {}
        """About when a thing, or anything below it, was changed."""
        self._itself: dict[Resource, set[int]] = {}
        """About when a thing itself was changed."""
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
        body = _told(arguments["body"], now) if now else arguments["body"]
        if not told and not dated and body is arguments["body"]:
            return arguments
        return {**arguments, "headers": {**headers, **told}, "query": {**query, **dated}, "body": body}

    def answered(
        self,
        answer: Mapping,
        names: Sequence[str],
        touches: Sequence[Touch],
        now: float | None,
        *,
        has_dates: bool,
    ) -> Value:
        """An answer in which dates that are not of now, or that were told or sent before, say so.

        Without the server's clock only what was told before can be told from the rest.
        """
        headers = answer["headers"]
        assert isinstance(headers, dict)
        text = headers.get(_MODIFIED)
        is_told = self._told_again(text, touches, now)
        if isinstance(text, str):
            self._modified[tuple(names)] = text
        if now is not None:
            answer = self._with_ages(answer, touches, now, has_dates=has_dates)
        if is_told:
            marked = answer["headers"]
            assert isinstance(marked, dict)
            answer = {**answer, "headers": {**marked, _MODIFIED: f"{ECHO} {text!s}"}}
        return answer

    def _with_ages(
        self, answer: Mapping, touches: Sequence[Touch], now: float, *, has_dates: bool
    ) -> Mapping:
        self._began = now if self._began is None else min(now, self._began)
        self._note(touches, now)
        made = self._made(touches)
        body = self._marked(answer["body"], now, made) if has_dates else answer["body"]
        return {**answer, "headers": self._marked(answer["headers"], now, made), "body": body}

    def _told_again(self, text: Value, touches: Sequence[Touch], now: float | None) -> bool:
        """Whether an answer tells the date that whoever changed the thing last was told.

        A server that tells the present instead tells the same or not as it happens: so it always does.
        """
        changed = [touch for touch in touches if touch.effect is not Effect.READ]
        for touch in changed:
            for resource in [known for known in self._written if _covers(touch, known)]:
                del self._written[resource]
        if not touches or not isinstance(text, str):
            return False
        if changed:
            if not any(touch.timed for touch in changed):
                self._written[touches[0].resource] = text, _is_present(text, now)
            return False
        told, is_present = self._written.get(touches[0].resource, ("", False))
        return told == text or (is_present and _is_present(text, now))

    def _note(self, touches: Sequence[Touch], now: float) -> None:
        """Take note of when things were changed."""
        about = int(now // SOON)
        for touch in touches:
            if touch.effect is not Effect.READ:
                resource = touch.resource
                self._itself.setdefault(resource, set()).add(about)
                for depth in range(len(resource) + 1):
                    self._changed.setdefault(resource[:depth], set()).add(about)

    def _made(self, touches: Sequence[Touch]) -> Made:
        """Whether what an answer tells of, or what it is part of, was changed about a point in time."""

        def made(when: float) -> bool:
            moments: set[int] = set()
            for touch in touches:
                resource = touch.resource
                moments.update(self._changed.get(resource, ()))
                for depth in range(len(resource)):
                    moments.update(self._itself.get(resource[:depth], ()))
            about = int(when // SOON)
            return not moments or not moments.isdisjoint((about - 1, about, about + 1))

        return made

    def _marked(self, value: Value, now: float, made: Made) -> Value:
        return aged(value, now, since=self._began, sent=self._sent, made=made)


def _is_present(text: str, now: float | None) -> bool:
    when = moment(text)
    return when is not None and now is not None and abs(when - now) <= 1


def _covers(touch: Touch, resource: Resource) -> bool:
    """Whether what was changed is a thing, is below it, or has it below."""
    depth = min(len(touch.resource), len(resource))
    return touch.resource[:depth] == resource[:depth]


def _dates(value: Value, name: str) -> Iterator[tuple[str, float]]:
    """The dates in a value, each with the name of its field."""
    if isinstance(value, str | float | int):
        when = written(value, name)
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
    return f"{span(days_off(when, now))} {text}"


def _told(value: Value, now: float) -> Value:
    """What a client sends, each date in it with how far it is ahead; the very same where there is none.

    In words: whoever makes such dates up has others in every run, and it is learned that they vary. How
    long something is over says little, and is often how long a process has been running.
    """
    if isinstance(value, str):
        when = moment(value) if 18 < len(value) < 40 else None
        steps = 0 if when is None else reach(days_off(when, now))
        return f"ahead {steps} {value}" if steps > 0 else value
    if isinstance(value, list):
        items = [_told(item, now) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        fields = {key: _told(inner, now) for key, inner in value.items()}
        return fields if any(fields[key] is not inner for key, inner in value.items()) else value
    return value
