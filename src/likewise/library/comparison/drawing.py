"""What the client was seen to draw by chance, and the usual ways to write its bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from likewise.library import crossing
from likewise.model import Interaction, Returned, Trace, Value

_FEWEST = 4
"""Bytes that are enough not to stand anywhere by accident."""
_SHORTEST = 6
"""The same of characters."""


@dataclass(slots=True)
class Draws:
    """What each run drew, the n-th of the reference's being the n-th of the candidate's.

    Unlike what only looks drawn, this is known to be. A text may hold it in any usual notation as a word of
    its own; both sides must then have written theirs in the same one.
    """

    _texts: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    _raw: tuple[dict[bytes, bytes], dict[bytes, bytes]] = field(default_factory=lambda: ({}, {}))
    _numbers: tuple[dict[int, str], dict[int, str]] = field(default_factory=lambda: ({}, {}))
    _patterns: list[re.Pattern[str] | None] = field(default_factory=lambda: [None, None])

    def copy(self) -> Draws:
        """The same draws, to be added to."""
        return Draws(
            (dict(self._texts[0]), dict(self._texts[1])),
            (dict(self._raw[0]), dict(self._raw[1])),
            (dict(self._numbers[0]), dict(self._numbers[1])),
        )

    def add(self, ours: Interaction, theirs: Interaction) -> None:
        """Both runs drew something at the same place; unless it is long enough, that says nothing."""
        if not isinstance(ours.outcome, Returned) or not isinstance(theirs.outcome, Returned):
            return
        values = ours.outcome.value, theirs.outcome.value
        if ours.arguments != theirs.arguments or not all(map(_is_telling, values)):
            return
        number = len(self._texts[0])
        self._patterns[:] = [None, None]
        for one, other, name in _named(*map(_notations, values)):
            for known, text in zip(self._texts, (one, other), strict=True):
                known.setdefault(text, f"‹drawn {number} {name}›")
        for side, value in enumerate(values):
            if isinstance(value, bytes):
                self._raw[side].setdefault(value, b"\0drawn %d\0" % number)
                self._numbers[side].setdefault(int.from_bytes(value, "big"), f"{number} big")
                self._numbers[side].setdefault(int.from_bytes(value, "little"), f"{number} little")

    def neutral(self, text: str, *, is_candidate: bool) -> str:
        """A text of one side with the draws in it under names that both have."""
        known = self._texts[is_candidate]
        if not known:
            return text
        pattern = self._patterns[is_candidate]
        if pattern is None:
            forms = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
            pattern = re.compile(rf"(?<![0-9A-Za-z])(?:{forms})(?![0-9A-Za-z])")
            self._patterns[is_candidate] = pattern
        return pattern.sub(lambda found: known[found[0]], text)

    def are_same(self, ours: Value, theirs: Value) -> bool:
        """Whether two bytes or numbers are what each run drew, the bytes possibly among others."""
        if isinstance(ours, bytes) and isinstance(theirs, bytes):
            return _replaced(ours, self._raw[0]) == _replaced(theirs, self._raw[1])
        if isinstance(ours, int) and isinstance(theirs, int):
            known = self._numbers[0].get(ours)
            return known is not None and known == self._numbers[1].get(theirs)
        return False


def shared_draws(ours: Mapping[str, Trace], theirs: Mapping[str, Trace]) -> Draws:
    """What was drawn while modules were imported and lasting fixtures set up, which every test may use."""
    found = Draws()
    for test, trace in ours.items():
        if not test.startswith((crossing.IMPORT, crossing.FIXTURE)) or test not in theirs:
            continue
        for one, other in zip(_draws_of(trace), _draws_of(theirs[test]), strict=False):
            if one.wire.get("at") == other.wire.get("at"):
                found.add(one, other)
    return found


def is_draw(one: Interaction) -> bool:
    """Whether the client drew something, once or in a stretch that was folded."""
    kind = one.wire.get("kind")
    folded = one.arguments.get("kind") if kind == crossing.Kind.REST else None
    return crossing.Kind.DRAW in (kind, folded)


def _draws_of(trace: Trace) -> Iterator[Interaction]:
    return (each for each in trace.interactions if each.wire.get("kind") == crossing.Kind.DRAW)


def _is_telling(value: Value) -> bool:
    if isinstance(value, bytes):
        return len(value) >= _FEWEST
    return isinstance(value, str) and len(value) >= _SHORTEST


def _notations(value: Value) -> list[str]:
    if not isinstance(value, bytes):
        return [str(value)]
    plain, safe = base64.b64encode(value).decode(), base64.urlsafe_b64encode(value).decode()
    based = [plain, safe, plain.rstrip("="), safe.rstrip("=")]
    whole = str(int.from_bytes(value, "big"))
    return [value.hex(), value.hex().upper(), *based, base64.b32encode(value).decode(), whole]


def _named(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str, int]]:
    """The notations of both sides; two that look the same on one side are one, since either may be meant."""
    names = list(range(len(ours)))
    for number, both in enumerate(zip(ours, theirs, strict=True)):
        for earlier in range(number):
            if ours[earlier] == both[0] or theirs[earlier] == both[1]:
                names = [names[earlier] if each == names[number] else each for each in names]
    yield from zip(ours, theirs, names, strict=True)


def _replaced(value: bytes, known: dict[bytes, bytes]) -> bytes:
    for drawn, name in known.items():
        value = value.replace(drawn, name)
    return value
