"""Where two trees of plain data differ, and which of their values are times or identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote

from likewise.cloud.fuzz.calls import LEAVES
from likewise.model import Difference

NEAR = 180.0
"""Seconds that two times may be apart and still mean the same moment of two runs."""
SHORT = 12
"""Characters that a text has at least which holds a time or an identifier."""
_MILLISECONDS = re.compile(r"^(?:1[5-9]|2[0-4])\d{11}$")
_ISO = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d")
_RFC = re.compile(r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? \w{3} \d{4} ")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?(?:Z|\+00:00)?")
_MARK = re.compile(r"0x[0-9A-F]{10,}")
_STAMP = re.compile(r"\b\d{13,17}-[0-9a-f]{8}\b")
_NUMBER = re.compile(r"(?<![\w.])\d{10,}(?![\w.]*\w)")
_SET = re.compile(r"\[([^\[\]]*, [^\[\]]*)\]")

Found = tuple[Difference, str, Any, Any]
"""How two answers differ, where, and what stands there on each side."""


def differences(ours: Any, theirs: Any, place: str = "") -> Iterator[Found]:
    """Every place where two trees differ; where one side has nothing at all inside, that is one."""
    if type(ours) in LEAVES or type(theirs) in LEAVES:
        yield from _leaf_differences(ours, theirs, place)
    elif isinstance(ours, (dict, Mapping)) and isinstance(theirs, (dict, Mapping)):
        if place and bool(ours) != bool(theirs):
            yield (Difference.MISSING if ours else Difference.EXTRA), place, ours or None, theirs or None
            return
        for key in sorted(ours.keys() | theirs.keys()):
            inner = f"{place}.{key}" if place else str(key)
            if key not in theirs:
                yield Difference.MISSING, inner, _there(ours[key]), None
            elif key not in ours:
                yield Difference.EXTRA, inner, None, _there(theirs[key])
            else:
                yield from differences(ours[key], theirs[key], inner)
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _list_differences(ours, theirs, place)
    else:
        yield from _leaf_differences(ours, theirs, place)


def _there(value: Any) -> Any:
    """What stands at a place; nothing that is said there is not the same as a place that is not there."""
    return "null" if value is None else value


def _leaf_differences(ours: Any, theirs: Any, place: str) -> Iterator[Found]:
    if type(ours) is not type(theirs) and not (_is_number(ours) and _is_number(theirs)):
        yield Difference.TYPE, place, ours, theirs
    elif ours != theirs:
        yield Difference.VALUE, place, ours, theirs


def _list_differences(ours: list[Any], theirs: list[Any], place: str) -> Iterator[Found]:
    if len(ours) != len(theirs):
        yield Difference.LENGTH, place, len(ours), len(theirs)
        return
    if repr(ours) == repr(theirs):
        return  # as most are; a number and a truth value that equals it look different
    if len(ours) > 1:
        mine, other = [repr(masked(each)) for each in ours], [repr(masked(each)) for each in theirs]
        if mine != other and sorted(mine) == sorted(other):
            yield Difference.ORDER, place, ours, theirs
            return
        aligned = _aligned(ours, theirs)
        if aligned is not None:
            yield Difference.ORDER, place, ours, theirs
            theirs = aligned
    for left, right in zip(ours, theirs, strict=True):
        yield from differences(left, right, f"{place}[]")


def _aligned(ours: list[Any], theirs: list[Any]) -> list[Any] | None:
    """The second list in the order of the first, where a name that both sides' items bear says how."""
    if not all(isinstance(each, Mapping) for each in (*ours, *theirs)):
        return None
    for key in ours[0]:
        mine = [repr(masked(each.get(key))) for each in ours]
        other = [repr(masked(each.get(key))) for each in theirs]
        if len(set(mine)) == len(mine) and mine != other and sorted(mine) == sorted(other):
            return [theirs[other.index(name)] for name in mine]
    return None


def masked(value: Any) -> Any:
    """A value with every time and identifier replaced: to tell whether a list is only ordered otherwise."""
    if isinstance(value, str):
        if len(value) < SHORT:
            return value
        if moment(value) is not None:
            return "<moment>"
        for pattern in (_UUID, _MARK, _MOMENT, _STAMP):
            value = pattern.sub("<fresh>", value)
        return value
    if isinstance(value, float) and moment(value) is not None:
        return "<moment>"
    if isinstance(value, list):
        return [masked(inner) for inner in value]
    if type(value) not in LEAVES and isinstance(value, Mapping):
        return {key: masked(inner) for key, inner in value.items()}
    return value


def moment(value: Any) -> float | None:
    """The time that a value says, in seconds since 1970."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if 1.5e9 < value < 2.5e9 else None
    if isinstance(value, str) and _MILLISECONDS.match(value):
        return int(value) / 1000
    if not isinstance(value, str) or not 16 <= len(value) <= 40:
        return None
    try:
        if _ISO.match(value):
            text = re.sub(r"(\.\d{6})\d+", r"\1", value)
            found = datetime.fromisoformat(text.replace("Z", "+00:00"))
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
        if _RFC.match(value):
            return parsedate_to_datetime(value).timestamp()
    except ValueError:
        return None
    return None


def are_near(ours: Any, theirs: Any) -> bool:
    """Whether both are times, or texts with times in them, and the same ones as far as two runs can tell."""
    first, second = moment(ours), moment(theirs)
    if first is not None and second is not None:
        return abs(first - second) < NEAR
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return False
    return _MOMENT.sub("", ours) == _MOMENT.sub("", theirs) and all(
        are_near(*map(unquote, each))
        for each in zip(_MOMENT.findall(ours), _MOMENT.findall(theirs), strict=False)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain_message(text: str) -> str:
    """An error's text without identifiers and times; what it lists is a set, whose order is chance."""
    text = _STAMP.sub("<fresh>", _MOMENT.sub("<moment>", _UUID.sub("<fresh>", text)))
    return _SET.sub(_sorted, _NUMBER.sub("<number>", text))


def _sorted(found: re.Match[str]) -> str:
    return f"[{', '.join(sorted(found[1].split(', ')))}]"
