"""What a call is given besides what is typical, and what of it is worth saying."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from likewise.cloud.fuzz.calls import LEAVES, Name, Ref, Text


class ValueClass(StrEnum):
    """The kinds of value that each parameter is given."""

    TYPICAL = "typical"
    BOUNDARY = "boundary"
    EMPTY = "empty"
    TOO_LONG = "too long"
    WRONG_FORMAT = "wrong format"
    WRONG_TYPE = "wrong type"
    UNKNOWN = "unknown resource"
    DELETED = "already deleted"
    OTHER_OWNER = "other owner"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One parameter given a value of one class, everything else typical."""

    parameter: str
    value_class: str
    params: Mapping[str, Any]
    note: str = ""
    """The value in a few characters."""
    size: int = 0
    """How long or how many, where that is what is varied."""
    is_alone: bool = False
    """Whether it is one of several values that each say something else: none stands for another."""
    is_double: bool = False
    """Whether a list holds everything twice: most servers look for that."""
    is_early: bool = False
    """Whether most servers look for such a thing, too: a number at an end of its range, a name."""

    is_beyond: bool = False
    """Whether a number is outside the range that the model gives it."""
    is_plain: bool = False
    """Whether it is a part of a body that no model describes: nobody but the server looks at it."""

    @property
    def top(self) -> str:
        """The parameter as a whole."""
        return self.parameter.partition(".")[0].partition("[")[0]


AND = " and "
"""Between the parameters, classes and notes of several variants in one call."""


def general(parameter: str) -> str:
    """A place inside a parameter, whichever of the entries of a map it is in."""
    return re.sub(r"\[[^\]]*\]", "[]", parameter)


def together(several: Sequence[Variant]) -> Variant:
    """Several parameters varied in one call."""
    params = dict(several[0].params)
    for each in several[1:]:
        params |= {
            name: value for name, value in each.params.items() if name == each.top or name not in params
        }
    return Variant(
        parameter=AND.join(each.parameter for each in several),
        value_class=AND.join(str(each.value_class) for each in several),
        params=params,
        note=AND.join(each.note.replace(AND, " & ") for each in several),
    )


def varied(place: str, value_class: ValueClass, typical: Mapping[str, Any], name: str, value: Any) -> Variant:
    """A typical call with another value of one parameter, `place` being what of it is other."""
    return Variant(
        parameter=place,
        value_class=value_class,
        params={**typical, name: value},
        note=shown(value),
    )


def shown(value: Any) -> str:
    """A value in a few characters, names and references by their kind."""
    text = repr(readable(value))
    return text if len(text) <= 40 else text[:37] + "…"


def readable(value: Any) -> Any:
    """A value with names and references by their kind."""
    if type(value) in LEAVES:
        return value
    match value:
        case Name():
            return f"<{value.kind}>"
        case Ref():
            return "<given>"
        case Text():
            return "".join(str(readable(part)) for part in value.parts)
        case dict() | Mapping():
            return {readable(key): readable(inner) for key, inner in value.items()}
        case list() | tuple():
            return [readable(inner) for inner in value]
    return value


def further(typical: Mapping[str, Any], parameter: str, given: Mapping[str, Any]) -> Variant:
    """Another right value of a parameter that is a language of its own, or of a condition that holds."""
    variant = varied(parameter, ValueClass.TYPICAL, typical, parameter, given[parameter])
    return replace(variant, params={**typical, **given}, is_alone=True)


SPELLINGS: tuple[tuple[ValueClass, tuple[str, ...], tuple[str, ...]], ...] = (
    (ValueClass.BOUNDARY, (), (".x",)),
    (ValueClass.WRONG_FORMAT, (), ("_X",)),
    (ValueClass.WRONG_FORMAT, (), ("-",)),
    (ValueClass.WRONG_FORMAT, (), ("..x",)),
    (ValueClass.WRONG_FORMAT, (), ("--x",)),
    (ValueClass.WRONG_FORMAT, (), ("X",)),
    (ValueClass.BOUNDARY, ("0",), ()),
    (ValueClass.WRONG_FORMAT, ("-",), ()),
)
"""What a name may begin or end with that not every server takes, or takes where it should not."""


def spelled(typical: Mapping[str, Any], parameter: str, name: Name) -> Iterator[Variant]:
    """A name that an operation gives to what it makes, in other letters and marks."""
    for value_class, before, after in SPELLINGS:
        variant = varied(parameter, value_class, typical, parameter, Text((*before, name, *after)))
        yield replace(variant, is_alone=True, is_early=True)


def instead(
    typical: Mapping[str, Any], parameter: str, given: Mapping[str, Any], value_class: ValueClass
) -> Variant:
    """What a call is given of a class that somebody knows it to have: a condition that does not hold."""
    return Variant(
        parameter=parameter,
        value_class=value_class,
        params={**typical, **given},
        note=shown(given[parameter]),
    )
