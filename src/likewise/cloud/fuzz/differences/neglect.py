"""Differences that come of a side's not looking at something: whether a thing is there, what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Ref, placeholders
from likewise.cloud.fuzz.differences.causes import STATES
from likewise.cloud.fuzz.differences.likeness import tops, under
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.variants import AND, ValueClass
from likewise.model import Difference

_LESS = frozenset({STATES["unset"], STATES["deleted"], STATES["plain"]})
_GONE = frozenset({ValueClass.UNKNOWN, ValueClass.DELETED})


def follows_from_blindness(finding: Finding, other: Finding) -> bool:
    """Whether a side that takes a call where nothing was made takes it where only something is missing."""
    if not (_are_taken(finding, other) and other.condition == STATES["no parent"]):
        return False
    is_less = finding.condition in _LESS if not finding.parameter else finding.value_class in _GONE
    return is_less and taker(finding) == taker(other)


def follows_from_alteration(finding: Finding, other: Finding) -> bool:
    """Whether a side takes any value of a parameter because it puts another in its place, as is known."""
    if finding.kind != Difference.SUCCESS or other.kind != Difference.VALUE:
        return False
    common = tops(finding.parameter) & tops(other.parameter) - {""}
    if finding.operation != other.operation or other.manifestation == "response" or not common:
        return False
    calls = [call for call in other.sequence if call.operation == other.operation]
    given = [repr(call.params[name]) for call in calls for name in common & call.params.keys()]
    kept = [any(text and text in each for each in given) for text in (other.reference, other.candidate)]
    return kept[0] != kept[1] and taker(finding) == kept.index(False)


def is_elsewhere(finding: Finding, other: Finding) -> bool:
    """Whether two findings are about different parts of a call, neither of them a part of the other.

    What a call, or a parameter with parts, is as a whole is elsewhere unless it says what the other's says.
    """
    pairs = [(one, two) for one in finding.parameter.split(AND) for two in other.parameter.split(AND)]
    return not any(_is_there(finding, other, one, two) for one, two in pairs)


def _is_there(finding: Finding, other: Finding, one: str, two: str) -> bool:
    """Whether a part that a finding is about is that of another one, or in it, or says the same around it."""
    mine, its = (list(under(dict(each.sequence[-1].params), _last(two))) for each in (finding, other))
    is_around = _is_in(two, one) and (one != two or any(isinstance(each, Mapping) for each in mine))
    if two and is_around:
        return mine == its or any(value in its for value in mine)
    return _is_in(one, two)


def _last(place: str) -> str:
    """The name of a part."""
    return place.rpartition(".")[2].partition("[")[0]


def _is_in(part: str, whole: str) -> bool:
    return not whole or part == whole or part.startswith((f"{whole}.", f"{whole}["))


_FIRST = (Difference.SUCCESS, Difference.STATUS, Difference.LENGTH, Difference.MISSING, Difference.EXTRA)
"""Which of several differences says most."""


def is_same_deafness(finding: Finding, other: Finding) -> bool:
    """Whether a read differs by a parameter that one side does not heed, as another says better."""
    return (
        finding.deaf is not None
        and (finding.deaf, finding.operation, finding.service) == (other.deaf, other.operation, other.service)
        and finding.manifestation == other.manifestation == "response"
        and "" not in tops(other.parameter) <= tops(finding.parameter)
        and _worth(other) < _worth(finding)
    )


def shows_in_refusal(finding: Finding, other: Finding) -> bool:
    """Whether a read does not heed values that mean nothing to it, and the other side refuses some of them.

    What it makes of those that it does not refuse has that cause.
    """
    return (
        finding.deaf is not None
        and finding.manifestation == other.manifestation == "response"
        and (finding.operation, finding.service) == (other.operation, other.service)
        and finding.kind != Difference.SUCCESS == other.kind
        and "" not in tops(other.parameter) == tops(finding.parameter)
        and other.value_class != ValueClass.TYPICAL
        and not is_right(finding)
        and taker(other) == finding.deaf
    )


def is_right(finding: Finding) -> bool:
    """Whether what a call was given is what an earlier answer said, or as what it is usually given."""
    names, params = tops(finding.parameter), finding.sequence[-1].params
    if finding.value_class != ValueClass.TYPICAL or not names <= params.keys():
        return False
    values, operation = hints_of(finding.service).values, finding.operation
    usual = {
        name: values.get(f"{operation}.{name}", values.get(f"{operation}?{name}", values.get(name)))
        for name in names
    }
    return all(
        any(isinstance(each, Ref) for each in placeholders(params[name]))
        or _is_like(params[name], usual[name])
        for name in names
    )


def _is_like(value: Any, usual: Any) -> bool:
    """Whether a value is the usual one, but for the numbers in it."""
    if isinstance(value, Mapping) and isinstance(usual, Mapping):
        return value.keys() == usual.keys() and all(_is_like(value[name], usual[name]) for name in value)
    texts = (str(value), str(usual))
    return bool(value == usual or (type(value) is type(usual) and all(text.isdecimal() for text in texts)))


SHORT = 4
"""Calls that are few enough for whoever wants to see a difference."""


def _worth(finding: Finding) -> tuple[int, bool, int, int, str]:
    kinds = [str(each) for each in _FIRST]
    place = kinds.index(finding.kind) if finding.kind in kinds else len(kinds)
    calls = len(finding.sequence)
    return len(tops(finding.parameter)), calls > SHORT, place, calls, finding.hash


def _are_taken(finding: Finding, other: Finding) -> bool:
    """Whether one side alone takes each of two calls of an operation."""
    alike = (finding.operation, finding.shown_by) == (other.operation, other.shown_by)
    return alike and finding.kind == other.kind == Difference.SUCCESS


def taker(finding: Finding) -> int:
    """The side that takes what the other refuses."""
    return 0 if finding.reference.startswith("success") else 1
