"""Names of things in DynamoDB's tables that a recording quotes, as the candidate calls them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from likewise.cloud.fuzz.calls import Answer

_ARN = re.compile(r"(arn:aws[\w-]*:dynamodb:[\w-]*:\d*:table/([\w.-]+))(/(?:backup|stream|export)/[\w.:-]+)?")


class Arns:
    """What the candidate's answers named, by table, and which recorded names stand for it."""

    def __init__(self) -> None:
        self._tables: dict[str, str] = {}
        self._inner: dict[tuple[str, str], list[str]] = {}
        self._bound: dict[str, str] = {}

    def note(self, answer: Answer) -> None:
        """Remember what an answer named."""
        for text in _texts(answer.fields if answer.success else {}):
            found = _ARN.fullmatch(text)
            if found is None:
                continue
            self._tables.setdefault(found[2], found[1])
            named = self._inner.setdefault((found[2], _kind(found[3])), [])
            if found[3] and text not in named:
                named.append(text)

    def put(self, value: Any, *, is_unknown: bool = False) -> Any:
        """Parameters in which names have the candidate's own account and region, and its ids.

        Where one `is_unknown` to the reference, an id that is met for the first time is nobody's.
        """
        if isinstance(value, str):
            own = partial(self._own, is_unknown=is_unknown)
            return _ARN.sub(own, value) if value.startswith("arn:") else value
        put = partial(self.put, is_unknown=is_unknown)
        if isinstance(value, Mapping):
            return {put(key): put(inner) for key, inner in value.items()}
        return [put(inner) for inner in value] if isinstance(value, list) else value

    def _own(self, found: re.Match[str], *, is_unknown: bool) -> str:
        text, table, rest = found[0], found[2], found[3] or ""
        named = self._inner.get((table, _kind(rest)), [])
        if not rest or text in named:
            return self._tables.get(table, found[1]) + rest
        if text not in self._bound:
            free = [each for each in named if each not in self._bound.values() and not is_unknown]
            if not free:
                return self._tables.get(table, found[1]) + rest
            self._bound[text] = free[0]
        return self._bound[text]


def _kind(rest: str | None) -> str:
    return rest.split("/")[1] if rest else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
