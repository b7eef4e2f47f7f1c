"""What the answers to typical calls have in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from likewise.cloud.fuzz.calls import Answer


@dataclass(slots=True)
class Usual:
    """The places that a typical answer has something at, by operation."""

    places: dict[str, frozenset[str]] = field(default_factory=dict)

    def note(self, operation: str, answer: Answer) -> None:
        """Take in the answer to a typical call."""
        if answer.success:
            self.places[operation] = _filled(answer)

    def is_all_in(self, operation: str, answer: Answer) -> bool:
        """Whether an answer has all that a typical one has: a count of things says nothing of their order."""
        return self.places.get(operation, frozenset()) <= _filled(answer)


def _filled(answer: Answer) -> frozenset[str]:
    return frozenset(_places(answer.fields, ""))


def _places(value: Any, place: str) -> Iterator[str]:
    """Where something stands in an answer, in whichever of the things of a list."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _places(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _places(inner, f"{place}[]")
    elif value not in (None, ""):
        yield place
