"""Interactions out of a store, opened when somebody first looks into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from likewise.model.interaction import Interaction, Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What was called, and how long it took: all that is asked of most stored interactions."""

    operation: Operation
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Unopened(Sequence[Interaction]):
    """Interactions of which only the spans are known until somebody looks into them.

    Opening is most of the work of reading, and is best done where the interactions are needed, by the
    process that needs them. `source` holds the way to them, and nothing once they are here.
    """

    spans: Sequence[Span]
    source: list[Callable[[], Sequence[Interaction]]]
    _opened: list[Interaction] = field(default_factory=list, init=False)

    @property
    def opened(self) -> list[Interaction]:
        """The interactions themselves; nobody changes the list."""
        for open_all in self.source[:1]:
            self._opened[:] = open_all()
            self.source.clear()  # only now: who fails to open them, or comes meanwhile, may try again
        return self._opened

    def __len__(self) -> int:
        return len(self.spans)

    def __iter__(self) -> Iterator[Interaction]:
        return iter(self.opened)

    @overload
    def __getitem__(self, place: int) -> Interaction: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Interaction]: ...
    def __getitem__(self, place: int | slice) -> Interaction | Sequence[Interaction]:
        return self.opened[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Unopened) and (self is other or self.opened == list(other))

    __hash__ = None  # type: ignore[assignment]  # no interaction has one

    def __repr__(self) -> str:
        return repr(tuple(self.opened))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.opened,)


def spans_of(interactions: Sequence[Interaction]) -> Sequence[Span]:
    """The spans of interactions, without opening those that nobody has looked into."""
    if isinstance(interactions, Unopened):
        return interactions.spans
    return [Span(operation=call.operation, seconds=call.ended - call.started) for call in interactions]
