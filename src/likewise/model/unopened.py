"""Interactions out of a store, opened when somebody first looks into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, overload

from likewise.model.interaction import Interaction, Operation
from likewise.model.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What was called, and how long it took: all that is asked of most stored interactions."""

    operation: Operation
    seconds: float


class _Opening(Protocol):
    """The way to interactions in a store."""

    def __call__(self, *, is_kept: bool) -> Sequence[Interaction]:
        """All of them; what only who repeats them needs (`wire`) is left out where nobody keeps them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Unopened(Sequence[Interaction]):
    """Interactions of which only the spans are known until somebody looks into them.

    Opening is most of the work of reading, and is best done where the interactions are needed, by the
    process that needs them. `source` holds the way to them, and nothing once they are here.
    """

    spans: Sequence[Span]
    source: list[_Opening]
    _opened: list[Interaction] = field(default_factory=list, init=False)

    @property
    def opened(self) -> list[Interaction]:
        """The interactions themselves; nobody changes the list."""
        for open_all in self.source[:1]:
            self._opened[:] = open_all(is_kept=True)
            self.source.clear()  # only now: who fails to open them, or comes meanwhile, may try again
        return self._opened

    @property
    def passing(self) -> Sequence[Interaction]:
        """The interactions for who goes through them once: without `wire`, and kept by nobody."""
        for open_all in self.source[:1]:
            return open_all(is_kept=False)
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


def passing(trace: Trace) -> Trace:
    """A trace for who goes through its interactions once and repeats none of them."""
    if isinstance(trace.interactions, Unopened):
        return replace(trace, interactions=trace.interactions.passing)
    return trace
