"""Where two runs of one test part, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from likewise.compare import Change
from likewise.library.comparison.values import contents, is_freezing
from likewise.model import Difference, Value


class Manner(StrEnum):
    """How a crossing differs."""

    EXCEPTION = "exception"
    """One side raised and the other returned, or both raised, but not the same type."""
    TYPE = "type"
    MUTABILITY = "mutability"
    """The same content in something that can be changed on one side only."""
    LENGTH = "length"
    ORDER = "order"
    VALUE = "value"
    MESSAGE = "message"
    IDENTITY = "identity"
    """The same object again on one side, another one on the other."""
    MUTATED = "mutated argument"
    EFFECT = "side effect"
    """The receiver's state after a call that returns nothing."""
    ARGUMENT = "argument"
    """The client passed something else, though nothing seen before explains it."""
    MISSING = "missing call"
    NEW = "new call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place of a crossing at a line of the client, in one test; `test` is empty for all of them."""

    test: str
    at: str
    operation: str
    place: str

    @property
    def anywhere(self) -> Spot:
        """The same place in every test."""
        return Spot(test="", at=self.at, operation=self.operation, place=self.place)


Quiet = Callable[[Spot, Value, Value], bool]
"""Whether a difference at a spot is known to mean nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One difference between two runs of one test."""

    spot: Spot
    manner: Manner
    inputs: str
    reference: str
    candidate: str
    place: str
    """Where in the outcome, for a person."""
    order: int
    is_downstream: bool
    values: tuple[Value, Value] = (None, None)
    """What stood at the place."""
    within: str = ""
    """The field of a type that the place is, where it is one."""
    lane: str = "main"
    until: int = 0
    """The last crossing that began before this one was over; 0 where that is not known."""


def manner_of(change: Change, place: str = "") -> Manner:
    """How a change at a place of a crossing is to be called."""
    if place.startswith("after."):
        return Manner.MUTATED
    if place.startswith("state"):
        return Manner.EFFECT
    match change.difference:
        case Difference.SUCCESS | Difference.CODE | Difference.SILENCE:
            return Manner.EXCEPTION
        case Difference.TYPE:
            freezes = is_freezing(change.reference, change.candidate)
            equal = contents(change.reference) == contents(change.candidate)
            return Manner.MUTABILITY if freezes and equal else Manner.TYPE
        case Difference.LENGTH:
            return Manner.LENGTH
        case Difference.ORDER:
            return Manner.ORDER
        case Difference.MESSAGE:
            return Manner.MESSAGE
        case Difference.IDENTITY:
            return Manner.IDENTITY
        case _:
            return Manner.VALUE
