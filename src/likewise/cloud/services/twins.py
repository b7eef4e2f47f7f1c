"""Names that differ only in how they are written: some servers take them for the same."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize

from likewise.model import Effect, Resource, Touch


class Twins:
    """What was written to in one world, by names that are alike whatever their case and composition."""

    def __init__(self) -> None:
        self._known: set[Resource] = set()
        self._alike: dict[Resource, set[Resource]] = {}
        self._are_there = False

    def with_twins(self, touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
        """The touches, and reads of whatever else has such a name; takes note of what they write to."""
        for touch in touches:
            if touch.effect is not Effect.READ and touch.resource not in self._known:
                self._note(touch.resource)
        if not self._are_there:
            return touches
        found = {(touch.resource, touch.scope): touch for touch in touches}
        for touch in touches:
            for other in sorted(self._alike.get(_folded(touch.resource), ())):
                found.setdefault(
                    (other, touch.scope), Touch(resource=other, effect=Effect.READ, scope=touch.scope)
                )
        return tuple(found.values())

    def _note(self, resource: Resource) -> None:
        for depth in range(len(resource), 0, -1):
            upper = resource[:depth]
            if upper in self._known:
                return
            self._known.add(upper)
            alike = self._alike.setdefault(_folded(upper), set())
            alike.add(upper)
            self._are_there = self._are_there or len(alike) > 1


@lru_cache(maxsize=16384)
def _folded(resource: Resource) -> Resource:
    return tuple([normalize("NFKC", name).casefold() for name in resource])
