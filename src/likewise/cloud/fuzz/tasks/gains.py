"""What kinds of task gave for the calls that they took, and what one of them promises by that."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

USUAL = 12
"""Calls that a finding costs, before anything is known; and calls after which more is known of a kind."""
HALF = 200
"""Calls of a kind after which what it gave before them counts half: what there is to find comes to an end."""
SHARE = 0.2
"""The part of all calls that may go to a kind of task that never ends and finds less than the others."""


@dataclass(slots=True)
class Gains:
    """What kinds of task gave for the calls that they took."""

    calls: dict[str, int] = field(default_factory=dict)
    idle: dict[str, int] = field(default_factory=dict)
    """Tasks in a row that needed no call."""
    _found: dict[str, int] = field(default_factory=dict)
    _recent: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Calls and findings of a kind, those of long ago for less."""

    def note(self, keys: Sequence[str], calls: int, found: int) -> None:
        """Take in how a task went."""
        for key in {*keys, _both(keys), ""}:
            # What costs nothing would promise most for ever.
            spent = max(1, calls)
            self.calls[key] = self.calls.get(key, 0) + spent
            self.idle[key] = 0 if calls else self.idle.get(key, 0) + 1
            self._found[key] = self._found.get(key, 0) + found
            before, kept = self._recent.get(key, (0.0, 0.0)), 0.5 ** (spent / HALF)
            self._recent[key] = before[0] * kept + spent, before[1] * kept + found

    def rate(self, key: str = "", ease: float = 1.0) -> float:
        """Findings a call of one kind of task by now; of all kinds without a name.

        Until more is known of a kind, it is as good as all of them, times its `ease`.
        """
        return self._after(key, self.rate() * ease if key else 1 / USUAL)

    def _after(self, key: str, before: float) -> float:
        """Findings a call of one kind, by what was thought `before` anything was known of it."""
        calls, found = self._recent.get(key, (0.0, 0.0))
        return (found + USUAL * before) / (calls + USUAL)

    @property
    def average(self) -> float:
        """Findings a call of everything until now."""
        return (self._found.get("", 0) + 1) / (self.calls.get("", 0) + USUAL)

    def promise(self, keys: Sequence[str], ease: float = 1.0) -> float:
        """Findings a call that a task of these kinds promises."""
        value = 1.0
        for key in keys:
            value *= self.rate(key, ease)
        value = float(value ** (1 / len(keys))) if keys else 0.0
        return self._after(_both(keys), value) if len(keys) > 1 else value

    def spent(self, keys: Collection[str]) -> int:
        """Calls that some kinds of task took."""
        return sum(self.calls.get(key, 0) for key in keys)

    def is_spent(self, key: str, share: float = SHARE) -> bool:
        """Whether a kind of task that never ends had its share."""
        return self.calls.get(key, 0) > share * self.calls.get("", 0) and self.rate(key) < self.rate()


def _both(keys: Sequence[str]) -> str:
    """What tasks have in common that share all kinds."""
    return " ".join(keys)
