"""Which of one side's identifiers stands for which of the other's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from likewise.cloud.fuzz.calls import Call

KNOWN = "identifier"
"""What the description of an identifier that was seen before begins with."""
SHORT = 8
"""Characters that an identifier has at least: shorter texts stand for themselves."""


@dataclass(slots=True)
class Bonds:
    """Which fresh value of one side stands for which of the other, within one context."""

    forth: dict[str, str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)
    given: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    """What calls were given of earlier answers, longest first."""
    calls: tuple[Call, ...] = ()
    """The calls that led to the answers."""

    def give(self, reference: str, candidate: str) -> None:
        """Each side's call is given what its own earlier answer said."""
        if len(reference) < SHORT or len(candidate) < SHORT:
            return
        self.forth.setdefault(reference, candidate)
        self.back.setdefault(candidate, reference)
        for known, value in zip(self.given, (reference, candidate), strict=True):
            if value not in known:
                known.append(value)
                known.sort(key=len, reverse=True)

    def was_sent(self, value: Any) -> bool:
        """Whether a text is one that a call was given as it is: a time that is no server's own."""
        return isinstance(value, str) and any(_is_in(value, call.params) for call in self.calls)

    def hold(self, reference: str, candidate: str) -> bool:
        """Whether the two can be the same thing, given all pairs so far."""
        return (
            self.forth.setdefault(reference, candidate) == candidate
            and self.back.setdefault(candidate, reference) == reference
        )

    def are_one(self, reference: Any, candidate: Any) -> bool:
        """Whether two values are known to stand for each other."""
        return isinstance(reference, str) and self.forth.get(reference, self) == candidate

    def are_permuted(self, those: Sequence[tuple[str, str]]) -> bool:
        """Whether some values of both sides are the same things, each at another's place."""
        mine, other = [left for left, _ in those], [right for _, right in those]
        return len(those) > 1 and sorted(self.forth.get(each, "") for each in mine) == sorted(other)

    def without(self, text: str, which: int) -> str:
        """An error's text without the identifiers that the call was given and the text repeats."""
        for value in self.given[which]:
            text = text.replace(value, "<fresh>")
        return text

    def ordinals(self, reference: str, candidate: str) -> tuple[str, str]:
        """Two values as what they are within the context: which of the things that were seen, or none."""
        return _ordinal(list(self.forth), reference), _ordinal(list(self.back), candidate)


def _ordinal(seen: list[str], value: str) -> str:
    return f"{KNOWN} {seen.index(value) + 1} of this sequence" if value in seen else "a new identifier"


def _is_in(text: str, value: Any) -> bool:
    """Whether a text stands somewhere in what a call is given."""
    if isinstance(value, Mapping):
        return any(_is_in(text, inner) for inner in value.values())
    if isinstance(value, (list, tuple)):
        return any(_is_in(text, inner) for inner in value)
    return bool(value == text)
