"""The tree of resources: which earlier writes a call depends on."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.model import Effect, Resource, Scope, Touch


class Node:
    """One resource: the writes on it that still matter, oldest first, and what lies below it."""

    __slots__ = ("below", "changes", "writes")

    def __init__(self) -> None:
        self.writes: list[int] = []
        self.below: dict[str, Node] = {}
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
            depth = max(0, len(touch.resource) - width)
            node: Node | None = None
            for node in self._lineage(touch.resource[:depth]):
                found.update(node.writes)
            whole = node is not None and (width > 0 or touch.scope is Scope.SUBTREE)
            if whole and node is not None and self._reached(touch.resource[:depth], node):
                for inner in _descendants(node):
                    found.update(inner.writes)
        return sorted(found)

    def stamp(self, touches: tuple[Touch, ...]) -> tuple[object, ...]:
        """Equal stamps mean that nothing in the context of these touches has changed."""
        marks: list[object] = []
        for touch in touches:
            marks.append((touch.resource, touch.scope))
            for node in self._lineage(touch.resource):
                marks.append((len(node.writes), node.writes[-1] if node.writes else -1))
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
                node = node.below.setdefault(name, Node())
                node.changes += 1
            if touch.effect is Effect.ABSORB:
                node.writes.clear()
                if touch.scope is Scope.SUBTREE:
                    node.below.clear()
            node.writes.append(number)

    def _lineage(self, resource: Resource) -> Iterator[Node]:
        """The nodes from the root down to the resource, as far as they exist."""
        node = self._root
        yield node
        for name in resource:
            inner = node.below.get(name)
            if inner is None:
                return
            node = inner
            yield node

    def _reached(self, resource: Resource, node: Node) -> bool:
        here: Node | None = self._root
        for name in resource:
            here = here.below.get(name) if here else None
        return here is node


def _descendants(node: Node) -> Iterator[Node]:
    waiting = list(node.below.values())
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting.extend(inner.below.values())
