"""What was tried to make a difference smaller, and how often it showed the difference still."""

from __future__ import annotations

from dataclasses import dataclass, field

VAIN = 2
"""Reductions of a kind that showed nothing, after which that kind is left alone."""
SURE = 4
"""Reductions of one form that showed nothing, after which it is left out of those that say what it takes."""

Kind = tuple[object, ...]


@dataclass(slots=True)
class Trials:
    """Counts by kind of reduction; all investigations of a campaign share them."""

    counts: dict[Kind, list[int]] = field(default_factory=dict)
    """How often each was tried, and how often it worked."""

    def note(self, kind: Kind, *, worked: bool) -> None:
        """Take in how one attempt went."""
        counts = self.counts.setdefault(kind, [0, 0])
        counts[0] += 1
        counts[1] += worked

    def is_vain(self, kind: Kind) -> bool:
        """Whether it was tried often enough and never worked."""
        tried, worked = self.counts.get(kind, (0, 0))
        return tried >= VAIN and not worked

    def is_settled(self, kind: Kind | None) -> bool:
        """Whether it never worked so often that what it would say of a difference is known."""
        tried, worked = self.counts.get(kind, (0, 0)) if kind is not None else (0, 0)
        return tried >= SURE and not worked

    def is_usual(self, kind: Kind) -> bool:
        """Whether it was tried often enough and has mostly worked."""
        tried, worked = self.counts.get(kind, (0, 0))
        return tried >= VAIN and 2 * worked > tried
