"""Interactions out of a store, opened when somebody first looks into them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

from likewise.model.interaction import Effect, Interaction, Operation, Outcome, Touch
from likewise.model.trace import Trace
from likewise.model.values import Mapping


class Span(NamedTuple):
    """What was called, and how long it took: all that is asked of most stored interactions."""

    operation: Operation
    seconds: float


class Passing(NamedTuple):
    """What whoever goes through interactions once, and repeats none of them, needs to know of each.

    A tuple: making frozen dataclasses would take a good part of the time that the rest of the work does.
    """

    operation: Operation
    arguments: Mapping
    outcome: Outcome
    touches: tuple[Touch, ...]
    lane: str
    started: float
    ended: float

    @property
    def is_write(self) -> bool:
        """Whether the call changed anything."""
        return any(touch.effect is not Effect.READ for touch in self.touches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The two ways to interactions in a store: to keep them, and to go through them once."""

    to_keep: Callable[[], Sequence[Interaction]]
    in_passing: Callable[[], Sequence[Interaction | Passing]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Unopened(Sequence[Interaction]):
    """Interactions of which only the spans are known until somebody looks into them.

    Opening is most of the work of reading, and is best done where the interactions are needed, by the
    process that needs them. `source` holds the way to them, and nothing once they are here.
    """

    spans: Sequence[Span]
    source: list[Opening]
    _opened: list[Interaction] = field(default_factory=list, init=False)

    @property
    def opened(self) -> list[Interaction]:
        """The interactions themselves; nobody changes the list."""
        for opening in self.source[:1]:
            self._opened[:] = opening.to_keep()
            self.source.clear()  # only now: who fails to open them, or comes meanwhile, may try again
        return self._opened

    @property
    def passing(self) -> Sequence[Interaction | Passing]:
        """The interactions for who goes through them once: kept by nobody."""
        for opening in self.source[:1]:
            return opening.in_passing()
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


def passing(trace: Trace) -> Sequence[Interaction | Passing]:
    """The interactions of a trace for who goes through them once and repeats none of them."""
    calls = trace.interactions
    return calls.passing if isinstance(calls, Unopened) else calls
