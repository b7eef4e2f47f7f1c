"""Flatten a value into its leaves, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.model import Lost, Outcome, Raised, Returned, Scalar, TimedOut, Value


def leaves(value: Value, place: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every leaf with its place; mappings in the order of their keys, all items of a list share a place.

    Empty containers are leaves too (an empty list is not the absence of one), and so is the start of
    every item (one list of two is not two lists of one).
    """
    if isinstance(value, dict):
        if not value:
            yield place + "{}", None
        for key in sorted(value):
            yield from leaves(value[key], f"{place}.{key}")
    elif isinstance(value, list):
        if not value:
            yield place + "[]", None
        inner = place + "[]"
        for item in value:
            yield inner + "+", None
            yield from leaves(item, inner)
    else:
        yield place, value


def outcome_value(outcome: Outcome) -> Value:
    """An outcome as one value; its kind is a place of its own."""
    match outcome:
        case Returned():
            return {"returned": outcome.value}
        case Raised():
            return {"raised": outcome.kind, "message": outcome.message, "value": outcome.value}
        case TimedOut():
            return {"timed out": True}
        case Lost():
            return {"lost": True}
