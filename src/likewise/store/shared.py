"""What the calls of a trace have in common, kept once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from likewise.model import Effect, Resource, Scope, Touch


class LikeTouch(Protocol):
    """A touch as a file has it."""

    resource: Resource
    effect: Effect
    scope: Scope
    timed: bool
    lasts: float | None
    attempted: bool


class Shared:
    """Keeps equal values, texts and touches of a trace once: calls say the same things again and again."""

    def __init__(self, open_value: Callable[[Any], Any], *, folded: type[Any]) -> None:
        self._open = open_value
        self._folded = folded
        """The type of values that are still bytes."""
        self._values: dict[bytes, Any] = {}
        self._texts: dict[str, str] = {}
        self._touches: dict[tuple[object, ...], Touch] = {}

    def opened(self, packed: Any) -> Any:
        """A value opened; where its bytes are those of an earlier one, it is that one."""
        if not isinstance(packed, self._folded):
            return self.value(self._open(packed))
        known = self._values.get(content := bytes(packed), self)
        if known is self:
            known = self._values[content] = self.value(self._open(content))
        return known

    def value(self, value: Any) -> Any:
        """A value with its texts shared; the containers are changed in place."""
        kind = type(value)
        if kind is str:
            return self._texts.setdefault(value, value)
        if kind is dict:
            places: Iterable[tuple[Any, Any]] = value.items()
        elif kind is list:
            places = enumerate(value)
        else:
            return value
        texts = self._texts
        for place, inner in places:
            kind = type(inner)
            if kind is str:
                value[place] = texts.setdefault(inner, inner)
            elif kind is dict or kind is list:
                self.value(inner)
        return value

    def touches(self, touches: Iterable[LikeTouch]) -> tuple[Touch, ...]:
        """The touches of a call, each as the first one like it."""
        found: list[Touch] = []
        for touch in touches:
            kind = touch.effect, touch.scope, touch.timed, touch.lasts, touch.attempted
            known = self._touches.get(key := (touch.resource, *kind))
            if known is None:
                known = self._touches[key] = Touch(
                    resource=tuple([self._texts.setdefault(name, name) for name in touch.resource]),
                    effect=touch.effect,
                    scope=touch.scope,
                    timed=touch.timed,
                    lasts=touch.lasts,
                    attempted=touch.attempted,
                )
            found.append(known)
        return tuple(found)
