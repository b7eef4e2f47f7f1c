"""Flatten a value into its leaves, each with the place where it stands."""

from __future__ import annotations

import re
from functools import lru_cache

from likewise.canonical.tokens import cut, looks_random
from likewise.model import Interaction, Lost, Outcome, Raised, Returned, Scalar, TimedOut, Value

Leaves = list[tuple[str, Scalar]]

KEY, NAMED = ".⟨key⟩", ".⟨named⟩"
"""Where a generated key stands, and where that which it names."""
_LETTERS_THEN_DIGITS = re.compile(
    r"[^\W\d_]{3,}\d{4,}(?![^\W_])|(?<![^\W_])(?:[a-f]{3,}\d+|[A-F]{3,}\d+)(?<=[^\W_]{8})(?![^\W_])"
)
"""What looks generated though its digits stand at the end: many digits, or a long hexadecimal number."""

_WRITTEN = re.compile(r"(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})+")
"""Words written together, as fields are named: however many, nothing generated looks like that."""


@lru_cache(maxsize=16384)
def is_name(key: str) -> bool:
    """Whether a key of a mapping looks generated, like the name of a resource.

    One name in a few hundred has its letters before its digits by chance, and is cut between them.
    """
    if _LETTERS_THEN_DIGITS.search(key):
        return True
    return any(looks_random(token) for token in cut(key)[1]) and not _WRITTEN.fullmatch(key)


def leaves(value: Value, place: str = "") -> Leaves:
    """Every leaf with its place; mappings in the order of their keys, all items of a list share a place.

    A key that looks generated is no place but a value: what it names stands at a place of its own.
    Empty containers are leaves too (an empty list is not the absence of one), and so is the start of
    every item (one list of two is not two lists of one).
    """
    found: Leaves = []
    _flatten(value, place, found)
    return found


SIMPLE = frozenset({str, int, bool, float, bytes, type(None)})
"""The types of most leaves."""


def _flatten(value: Value, place: str, found: Leaves) -> None:
    if isinstance(value, dict):
        if not value:
            found.append((place + "{}", None))
            return
        for key, below, is_generated in keys_of(place, value):
            inner = value[key]
            if is_generated:
                found.append((place + KEY, key))
            if type(inner) in SIMPLE:
                found.append((below, inner))  # type: ignore[arg-type]
            else:
                _flatten(inner, below, found)
    elif isinstance(value, list):
        below = place + "[]"
        if not value:
            found.append((below, None))
            return
        start = below + "+", None
        for item in value:
            found.append(start)
            if type(item) in SIMPLE:
                found.append((below, item))  # type: ignore[arg-type]
            else:
                _flatten(item, below, found)
    else:
        found.append((place, value))


class _Below:
    """Keeps what lies below a place, by the keys there: mappings of the same kind come again and again."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: dict[tuple[str, ...], list[tuple[str, str, bool]]] = {}

    def of(self, place: str, value: dict[str, Value]) -> list[tuple[str, str, bool]]:
        """The keys in their order, each with its place and whether it looks generated."""
        kept = self._kept.get(kind := (place, *value))
        if kept is None:
            kept = [
                (key, place + NAMED, True) if is_name(key) else (key, f"{place}.{key}", False)
                for key in sorted(value)
            ]
            if not any(is_generated for _, _, is_generated in kept):
                if len(self._kept) >= self._capacity:
                    self._kept.clear()
                self._kept[kind] = kept
        return kept

    def plainly(self, place: str, value: dict[str, Value]) -> list[tuple[str, str, bool]] | None:
        """The same; None where a key looks generated, or where there is none."""
        kept = self._kept.get((place, *value))  # only plain ones are kept
        if kept is None:
            kept = self.of(place, value)
            if any(is_generated for _, _, is_generated in kept):
                return None
        return kept or None


_BELOW = _Below(capacity=4096)
keys_of, below_of = _BELOW.of, _BELOW.plainly


class _Flat:
    """Keeps the leaves of what was flattened last: values are shared, and needed more than once."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: dict[int, tuple[object, Leaves]] = {}

    def asked(self, interaction: Interaction) -> Leaves:
        kept = self._kept.get(id(interaction.arguments))
        return kept[1] if kept else self._keep(interaction.arguments, leaves(interaction.arguments))

    def answered(self, outcome: Outcome) -> Leaves:
        # Of equal answers the values are often the same one; other outcomes are known by themselves.
        whole = outcome.value if isinstance(outcome, Returned) and outcome.value is not None else outcome
        kept = self._kept.get(~id(whole))
        return kept[1] if kept else self._keep(whole, leaves(outcome_value(outcome)), is_answer=True)

    def _keep(self, whole: object, found: Leaves, *, is_answer: bool = False) -> Leaves:
        if len(self._kept) >= self._capacity:
            self._kept.clear()
        # Keeping the thing itself keeps its identity from being given to another one.
        self._kept[~id(whole) if is_answer else id(whole)] = whole, found
        return found


_FLAT = _Flat(capacity=2048)


def both_leaves(interaction: Interaction) -> tuple[Leaves, Leaves]:
    """The leaves of what was asked, and of what came back; nobody changes them."""
    return _FLAT.asked(interaction), _FLAT.answered(interaction.outcome)


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
