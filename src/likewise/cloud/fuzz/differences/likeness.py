"""When two differences may be the same thing, and what they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.planning.variants import AND
from likewise.model import Difference

ERRORS = frozenset({Difference.CODE, Difference.STATUS, Difference.MESSAGE})

EXISTENCE = frozenset({Difference.SUCCESS, Difference.LENGTH})

STORED = frozenset({Difference.VALUE, Difference.TYPE, Difference.MISSING, Difference.EXTRA})
"""How what is stored may differ in a field."""


def top(parameter: str) -> str:
    """The parameter as a whole that a place is in."""
    return parameter.partition(".")[0].partition("[")[0]


def tops(parameter: str) -> set[str]:
    """The parameters as a whole that a finding or a probe is about."""
    return {top(part) for part in parameter.split(AND)}


def is_empty(gap: Gap) -> bool:
    """Whether one side gives things and the other none, or fewer, or fails."""
    return gap.difference in EXISTENCE or (
        gap.difference is Difference.TYPE and "[{" in gap.reference + gap.candidate
    )


def is_existence(gap: Gap) -> bool:
    """Whether a thing as a whole is there on one side only: an error, a shorter list, no list at all."""
    whole = gap.difference in (Difference.MISSING, Difference.EXTRA) and "[{" in gap.reference + gap.candidate
    return is_empty(gap) or whole or (gap.place == "Item")


def concerns(other: Gap, gap: Gap) -> bool:
    """Whether two differences may be the same thing seen by two reads."""
    if is_existence(other) and is_existence(gap):
        return True
    return last_name(other.place) == last_name(gap.place)


def is_same_value(said: Gap, gap: Gap) -> bool:
    """Whether two answers differ in the same two values of the same field."""
    values = (said.reference, said.candidate)
    return not is_empty(gap) and concerns(said, gap) and values == (gap.reference, gap.candidate)


def is_of_field(finding: Finding, gap: Gap) -> bool:
    """Whether an answer differs in the same two values of a field as a finding does."""
    values = (finding.reference, finding.candidate)
    return last_name(finding.place) == last_name(gap.place) and values == (gap.reference, gap.candidate)


_TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"})
"""What stands between an attribute and its value in DynamoDB: it names no field."""


def last_name(place: str) -> str:
    """What a place is called where headers and bodies share a name: `x-ms-lease-state` is `LeaseState`."""
    names = place.split(".")
    while len(names) > 1 and names[-1].removesuffix("[]") in _TYPES:
        names.pop()
    name = names.pop().lower()
    if name.startswith("x-ms-meta-") or (names and names[-1].lower() == "metadata"):
        return "metadata"  # whichever of its entries it is
    return name.removeprefix("x-ms-").replace("-", "")


def names_inside(value: Any) -> Iterator[str]:
    """What things are called inside a value, however deep."""
    if isinstance(value, Mapping):
        yield from map(str, value)
        yield from (name for inner in value.values() for name in names_inside(inner))
    elif isinstance(value, (list, tuple)):
        yield from (name for inner in value for name in names_inside(inner))


def under(value: Any, name: str) -> Iterator[Any]:
    """What stands under a name, wherever it is."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from [inner] if key == name else under(inner, name)
    elif isinstance(value, list):
        yield from (each for inner in value for each in under(inner, name))
