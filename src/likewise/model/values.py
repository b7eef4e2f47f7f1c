"""Values that cross a boundary, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A body nobody parses: known by its length and the hash of its content."""

    length: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """Where a secret stood. What it was is gone; only the kind of secret remains."""

    kind: str


Scalar = None | bool | int | float | str | bytes | Opaque | Redacted

Value = Scalar | list["Value"] | dict[str, "Value"]
"""Plain data. Nobody mutates a value once it is part of an interaction."""

Mapping = dict[str, Value]
