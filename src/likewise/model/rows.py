"""Interactions that a recorder has noted, and that nobody has looked at yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from likewise.model.interaction import Interaction, Operation, Outcome
from likewise.model.values import Mapping

Row = tuple[Operation, Mapping, Outcome, str, int, str, Mapping]
"""Operation, arguments, outcome, receiver, order, lane and wire of one interaction."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rows(Sequence[Interaction]):
    """Interactions that are written as they were noted: to make one of each takes longer than to write it.

    `plain` says of each whether JSON can say all values in it as they stand; without it that is not known.
    """

    rows: Sequence[Row]
    plain: Sequence[bool] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Interaction]:
        return map(interaction, self.rows)

    @overload
    def __getitem__(self, place: int) -> Interaction: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Interaction]: ...
    def __getitem__(self, place: int | slice) -> Interaction | Sequence[Interaction]:
        if isinstance(place, slice):
            return Rows(rows=self.rows[place], plain=self.plain[place])
        return interaction(self.rows[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # no interaction has one

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (list(self),)


def interaction(row: Row) -> Interaction:
    """The interaction that a row is."""
    operation, arguments, outcome, receiver, order, lane, wire = row
    return Interaction(
        operation=operation,
        arguments=arguments,
        outcome=outcome,
        receiver=receiver,
        order=order,
        lane=lane,
        wire=wire,
    )
