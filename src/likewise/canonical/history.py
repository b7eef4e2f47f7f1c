"""The tree of resources: which earlier writes a call depends on."""

from __future__ import annotations

from typing import NamedTuple

from likewise.model import Effect, Scope, Touch

# Looked up for every touch of every call, which takes its time in a class of constants.
_READ, _WRITE, _SUBTREE = Effect.READ, Effect.WRITE, Scope.SUBTREE

Numbers = tuple[int, ...]
"""Writes by their numbers, oldest first."""


class Replaced(NamedTuple):
    """What a write took the place of."""

    writes: list[int]
    whole: bool
    """Whether all that could be below went as well: something that holds others was remade or removed."""
    emptied: bool
    """Whether there was anything below."""
    below: set[int]
    """What was written there."""


class Node:
    """One resource: the writes on it that still matter, oldest first, and what lies below it."""

    __slots__ = ("all", "all_at", "below", "changes", "writes")

    def __init__(self) -> None:
        self.writes: list[int] = []
        self.below: dict[str, Node] = {}
        self.changes = 0
        """Counts the changes here and below: equal counts mean an equal history."""
        self.all: set[int] = set()
        """The writes here and below, as they were when the changes were counted last."""
        self.all_at = 0

    def writes_below(self) -> set[int]:
        """The writes here and below: who polls asks for them often, and they change seldom."""
        if self.all_at != self.changes:
            self.all = set(self.writes)
            for inner in self.below.values():
                self.all |= inner.writes_below() if inner.below else set(inner.writes)
            self.all_at = self.changes
        return self.all


class History:
    """The writes of a world so far, by resource. Writes are known by their number."""

    def __init__(self) -> None:
        self._root = Node()

    def context(self, touches: tuple[Touch, ...], width: int = 0) -> Numbers:
        """The writes that a call with these touches depends on, oldest first.

        Each step of `width` moves every touch one ancestor up and takes in everything below it.
        """
        found: list[int] = []
        for touch in touches:
            node = self._root
            if node.writes:
                found += node.writes
            resource = touch.resource
            for name in resource[: max(0, len(resource) - width)] if width else resource:
                inner = node.below.get(name)
                if inner is None:
                    break
                node = inner
                if node.writes:
                    found += node.writes
            else:
                if node.below and (width > 0 or touch.scope is _SUBTREE):
                    found += node.writes_below()
        return tuple(sorted(set(found))) if len(found) > 1 else tuple(found)

    def write(self, number: int, touches: tuple[Touch, ...]) -> Replaced:
        """Take a call into the history of everything that it changed or tried to; say what it replaced."""
        replaced: list[int] = []
        below: set[int] = set()
        whole = emptied = False
        for touch in touches:
            effect = touch.effect
            if effect is _READ and not touch.attempted:
                continue
            node = self._root
            node.changes += 1
            for name in touch.resource:
                inner = node.below.get(name)
                if inner is None:
                    inner = node.below[name] = Node()
                node = inner
                node.changes += 1
            if effect is not _WRITE and effect is not _READ:
                if node.writes:
                    replaced += node.writes
                    node.writes.clear()
                if touch.scope is _SUBTREE:
                    whole, emptied = True, emptied or bool(node.below)
                    for inner in node.below.values():
                        below |= inner.writes_below()
                    node.below.clear()
            node.writes.append(number)
        return Replaced(replaced, whole, emptied, below)
