"""Interactions out of a store, opened when somebody first looks into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from likewise.model.interaction import Interaction, Operation


class Span(NamedTuple):
    """What was called, and how long it took: all that is asked of most stored interactions."""

    operation: Operation
    seconds: float


class Unopened(Sequence[Interaction]):
    """Interactions of which only the spans are known until somebody looks into them.

    Opening is most of the work of reading, and is best done where the interactions are needed, by the
    process that needs them.
    """

    __slots__ = ("_open", "_opened", "spans")

    def __init__(self, spans: Sequence[Span], open_all: Callable[[], Sequence[Interaction]]) -> None:
        self.spans = spans
        self._open: Callable[[], Sequence[Interaction]] | None = open_all
        self._opened: Sequence[Interaction] = ()

    @property
    def opened(self) -> Sequence[Interaction]:
        """The interactions themselves."""
        open_all = self._open
        if open_all is not None:
            self._opened = open_all()
            self._open = None  # only now: whoever fails to open them, or comes meanwhile, may try again
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
        if isinstance(other, Unopened):
            return self is other or self.opened == other.opened
        return self.opened == other

    __hash__ = None  # type: ignore[assignment]  # no interaction has one

    def __repr__(self) -> str:
        return repr(self.opened)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self.opened),)


def spans_of(interactions: Sequence[Interaction]) -> Sequence[Span]:
    """The spans of interactions, without opening those that nobody has looked into."""
    if isinstance(interactions, Unopened):
        return interactions.spans
    return [Span(call.operation, call.ended - call.started) for call in interactions]
