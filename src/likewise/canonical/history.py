"""The tree of resources: which earlier writes a call depends on."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.model import Effect, Scope, Touch


class Node:
    """One resource: the writes on it that still matter, oldest first, and what lies below it."""

    __slots__ = ("below", "changes", "last", "writes")

    def __init__(self) -> None:
        self.writes: list[int] = []
        self.below: dict[str, Node] = {}
        self.last = -1
        """The newest write here: whatever changes the list of them ends it with another one."""
        self.changes = 0
        """Counts the changes here and below: equal counts mean an equal history."""


class History:
    """The writes of a world so far, by resource. Writes are known by their number."""

    def __init__(self) -> None:
        self._root = Node()

    def context(self, touches: tuple[Touch, ...], width: int = 0) -> list[int]:
        """The writes that a call with these touches depends on, oldest first.

        Each step of `width` moves every touch one ancestor up and takes in everything below it.
        """
        found: set[int] = set()
        for touch in touches:
            resource = touch.resource[: max(0, len(touch.resource) - width)] if width else touch.resource
            node: Node | None = self._root
            found.update(self._root.writes)
            for name in resource:
                node = node.below.get(name) if node else None
                if node is None:
                    break
                found.update(node.writes)
            if node is not None and node.below and (width > 0 or touch.scope is Scope.SUBTREE):
                for inner in _descendants(node):
                    found.update(inner.writes)
        return sorted(found)

    def stamp(self, touches: tuple[Touch, ...]) -> tuple[object, ...]:
        """Equal stamps mean that nothing in the context of these touches has changed."""
        marks: list[object] = []
        for touch in touches:
            node = self._root
            marks += (touch.resource, touch.scope, node.last)
            for name in touch.resource:
                inner = node.below.get(name)
                if inner is None:
                    break
                node = inner
                marks.append(node.last)
            if touch.scope is Scope.SUBTREE:
                marks.append(node.changes)
        return tuple(marks)

    def write(self, number: int, touches: tuple[Touch, ...]) -> None:
        """Take a successful call into the history of everything that it changed."""
        for touch in touches:
            if touch.effect is Effect.READ:
                continue
            node = self._root
            node.changes += 1
            for name in touch.resource:
                inner = node.below.get(name)
                if inner is None:
                    inner = node.below[name] = Node()
                node = inner
                node.changes += 1
            if touch.effect is Effect.ABSORB:
                node.writes.clear()
                if touch.scope is Scope.SUBTREE:
                    node.below.clear()
            node.writes.append(number)
            node.last = number


def _descendants(node: Node) -> Iterator[Node]:
    waiting = list(node.below.values())
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting.extend(inner.below.values())
