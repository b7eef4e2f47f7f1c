"""What was made from what: a copy's content is its source's, as it was then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from likewise.model import Effect, Resource, Scope, Touch

Sources = dict[Resource, Scope]

_FORGETTING = (Effect.ABSORB, Effect.REMOVE)


class Flow:
    """The copies of a world and what they were made from.

    Whoever reads a copy depends on what was written to its source before. So the copy's readers read
    the source too, and as long as the copy is there, nothing that was written to the source is forgotten.
    """

    def __init__(self) -> None:
        self._made: dict[Resource, Sources] = {}

    def take(self, touches: Iterable[Touch], sources: Sources) -> list[Touch]:
        """What a call's touches come to, given the copies there are; takes note of those that it makes."""
        if not self._made and not sources:
            return list(touches)
        taken = [self._kept(touch, sources) for touch in touches]
        for touch in taken:
            if touch.effect in _FORGETTING:
                for copy in [copy for copy in self._made if _covers(touch, copy)]:
                    del self._made[copy]
        for touch in taken:
            if sources and touch.effect is not Effect.READ:
                self._made.setdefault(touch.resource, {}).update(sources)
        return taken

    def followed(self, touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
        """The touches, and reads of everything that what they see was made from."""
        if not self._made:
            return touches
        found = {(touch.resource, touch.scope): touch for touch in touches}
        waiting = list(touches)
        while waiting:
            touch = waiting.pop()
            for copy, sources in self._made.items():
                if not (_covers(touch, copy) or touch.resource[: len(copy)] == copy):
                    continue
                for source, scope in sources.items():
                    if (source, scope) not in found:
                        read = Touch(resource=source, effect=Effect.READ, scope=scope)
                        found[source, scope] = read
                        waiting.append(read)
        return tuple(found.values())

    def _kept(self, touch: Touch, sources: Sources) -> Touch:
        if touch.effect not in _FORGETTING:
            return touch
        staying = [made for copy, made in self._made.items() if not _covers(touch, copy)]
        for made in (*staying, sources):
            for source, scope in made.items():
                if _covers(touch, source) or (
                    scope is Scope.SUBTREE and touch.resource[: len(source)] == source
                ):
                    return replace(touch, effect=Effect.WRITE)
        return touch


def _covers(touch: Touch, resource: Resource) -> bool:
    if touch.scope is Scope.SELF:
        return touch.resource == resource
    return resource[: len(touch.resource)] == touch.resource
