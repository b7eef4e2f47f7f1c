"""Value classes: what else than a typical value a parameter can be given, and why that is worth a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.names import length
from likewise.cloud.fuzz.planning.variants import SPELLINGS, ValueClass, Variant, readable, shown, varied

INNER = 5
"""How deep parameters are varied."""
LONG = 2000
MUCH = 1_000_000
"""A number above most limits that nobody has written down."""
TIMES = (10**10, 100_000, 100)
"""How much bigger a number is made that has no limit by the model: what it must be divisible by, it stays."""
CHOICES = 6
"""Members of a structure, none of them required, from which on it is taken to be one of several things."""
NO_VALUE = "not a valid value!"
"""A text that is none of those that mean something."""
NONE_OF_THEM = "NotOneOfThem"
"""A word that is none of those that a parameter may be given."""
STRANGE = "not * a/valid: value!"
"""A text with marks that many a text may not have: one that stands for anything, one that parts names."""
NOBODYS = "00000000-0000-0000-0000-000000000000"
"""An identifier that nothing has."""
FOREIGN, MARKED = "ünï-ⓒode", "a <b> & 'c' \"d\" + 100%"
"""Texts with letters that are not everybody's, and with marks that mean something somewhere."""
SPACED = f"  {MARKED}\n{FOREIGN}\t "
"""Both, with blanks around and between them: wherever a text has a form, it is not this one."""
MUCH_CONTENT = 20_000
"""Bytes of content that are more than some limits; greater ones are closed in on by sizes."""
DATES = ("0001-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2031-01-01", "2099-12-31T23:59:59.9999999Z")
"""Times as text: the first of all, gone by, without the hour, far off and as exact as may be."""
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


_NUMERALS = (
    (ValueClass.BOUNDARY, "1e3"),
    (ValueClass.BOUNDARY, "007.50"),
    (ValueClass.BOUNDARY, "-0"),
    (ValueClass.TOO_LONG, "9" * 40),
    (ValueClass.TOO_LONG, "1e999"),
)
"""Numbers as texts: written in other ways, with more digits than most take, beyond every range."""


def variants(
    members: tuple[Member, ...], typical: Mapping[str, Any], extra: Mapping[str, Any]
) -> Iterator[Variant]:
    """Every parameter in every class that fits it; `extra` has typical values of what may be left out."""
    for member in members:
        there = typical.get(member.name, extra.get(member.name))
        if member.name not in typical and there is not None:
            yield varied(member.name, ValueClass.TYPICAL, typical, member.name, there)
        if member.name in typical and (member.required or member.kind == "any"):
            rest = {name: value for name, value in typical.items() if name != member.name}
            yield Variant(parameter=member.name, value_class=ValueClass.MISSING, params=rest, note="missing")
        for place, value_class, value in _changes(member, there, member.name, INNER):
            is_less = value_class is ValueClass.MISSING
            part = _changed(there, value)
            yield replace(
                varied(place, value_class, typical, member.name, value),
                note="missing" if is_less else shown(part),
                is_double=_is_double(part),
                is_plain=member.kind == "any" and place != member.name,
                is_early=value_class is ValueClass.BOUNDARY and (type(part) is int or _is_hollow(part)),
                is_beyond=value_class is ValueClass.WRONG_FORMAT and type(part) is int,
            )


def _changed(base: Any, value: Any) -> Any:
    """The part of a value that is not as it was."""
    match base, value:
        case Mapping(), Mapping() if base.keys() == value.keys():
            parts = [(base[key], value[key]) for key in base if base[key] != value[key]]
        case list(), list() if len(base) == len(value):
            parts = [each for each in zip(base, value, strict=True) if each[0] != each[1]]
        case _:
            return value
    return _changed(*parts[0]) if len(parts) == 1 else value


def _is_hollow(value: Any) -> bool:
    """Whether a value is of a kind that holds others, and holds none."""
    return isinstance(value, Mapping) and list(value.values()) == [[]]


def _is_double(value: Any) -> bool:
    """Whether a list, or the only one that a value holds, has everything twice."""
    inner = next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value
    half = len(inner) // 2 if isinstance(inner, list) else 0
    return half > 0 and bool(inner[:half] == inner[half:])


def usual(member: Member) -> Any:
    """A value of the right type and nothing more, where no typical one is known."""
    if member.sample is not None:
        return member.sample
    low = member.minimum
    match member.kind:
        case "string" if "Number" in member.shape:
            return "1"
        case "string":
            return member.enum[0] if member.enum else "value".ljust(int(low or 0), "x")
        case "integer":
            return max(1, int(low or 1))
        case "float":
            return max(1.0, float(low or 1))
        case "boolean":
            return True
        case "timestamp":
            return "2031-01-01T00:00:00Z"
        case "blob":
            return b"bytes"
        case "list":
            return [usual(member.members[0])] if member.members else []
        case "map":
            if len(member.members) < 2:
                return {"key": "value"}
            return {usual(member.members[0]): usual(member.members[1])}
        case "structure":
            return {inner.name: usual(inner) for inner in member.members if inner.required}
    return "value"


Change = tuple[str, ValueClass, Any]


def _changes(member: Member, base: Any, place: str, depth: int) -> Iterator[Change]:
    """Each change of one value: the place inside the parameter, the class, and the whole new value."""
    if isinstance(base, (Name, Ref, Text)):
        yield from _reference_changes(member, base, place)
        return
    match member.kind:
        case "string":
            yield from ((place, kind, value) for kind, value in _strings(member, base))
        case "integer" | "float":
            yield from ((place, kind, value) for kind, value in _numbers(member, base))
        case "boolean":
            yield place, ValueClass.TYPICAL, not base if isinstance(base, bool) else True
            yield place, ValueClass.WRONG_TYPE, "maybe"
        case "timestamp":
            yield place, ValueClass.BOUNDARY, "1970-01-01T00:00:00Z"
            yield place, ValueClass.BOUNDARY, "2020-01-01T00:00:00Z"
            yield place, ValueClass.BOUNDARY, "2099-12-31T23:59:59Z"
            yield place, ValueClass.WRONG_FORMAT, "yesterday"
        case "blob":
            yield place, ValueClass.EMPTY, b""
            yield place, ValueClass.BOUNDARY, bytes(range(256))
        case "list":
            yield from _list_changes(member, base, place, depth)
        case "map":
            yield from _map_changes(member, base, place, depth)
        case "structure":
            yield from _structure_changes(member, base, place, depth)
        case "any":
            yield from _any_changes(base, place)


def _reference_changes(member: Member, base: Name | Ref | Text, place: str) -> Iterator[Change]:
    if isinstance(base, Name):
        yield place, ValueClass.UNKNOWN, Name(base.kind, 9)
        yield place, ValueClass.WRONG_FORMAT, Text((base, "/ü ?"))
        yield place, ValueClass.TOO_LONG, Text((base, "x" * LONG))
        if member.maximum and member.maximum <= LONG:
            yield place, ValueClass.BOUNDARY, Text((base, "x" * (int(member.maximum) - length(base.kind))))
        yield place, ValueClass.BOUNDARY, Text((base, "-", "x" * 30))
        return
    yield place, ValueClass.UNKNOWN, NOBODYS
    yield place, ValueClass.WRONG_FORMAT, NO_VALUE
    yield place, ValueClass.TOO_LONG, "x" * LONG
    # Not empty: an address that lacks its last part is another operation's.


def _strings(member: Member, base: Any) -> Iterator[tuple[ValueClass, Any]]:
    if member.enum:
        for value in member.enum:
            if value != base:
                yield ValueClass.TYPICAL, value
        yield ValueClass.WRONG_FORMAT, NONE_OF_THEM
        yield ValueClass.WRONG_FORMAT, str(base or member.enum[0]).swapcase()
        return
    if _looks_like_owner(member.name):
        yield ValueClass.OTHER_OWNER, "999999999999"
    yield ValueClass.EMPTY, ""
    yield ValueClass.WRONG_FORMAT, NO_VALUE
    yield ValueClass.WRONG_FORMAT, FOREIGN
    yield (
        ValueClass.TOO_LONG,
        "x" * (int(member.maximum) + 1 if member.maximum and member.maximum < LONG else LONG),
    )
    if isinstance(base, str) and _NUMBER.fullmatch(base):
        yield from _NUMERALS
    if member.minimum and member.minimum > 1:
        yield ValueClass.BOUNDARY, "x" * int(member.minimum)
    if member.maximum and member.maximum <= LONG:
        yield ValueClass.BOUNDARY, "x" * int(member.maximum)


def _looks_like_owner(name: str) -> bool:
    return "Owner" in name or "AccountId" in name


def _numbers(member: Member, base: Any) -> Iterator[tuple[ValueClass, Any]]:
    low = int(member.minimum) if member.minimum is not None else None
    high = int(member.maximum) if member.maximum is not None else None
    tried = {base}
    for kind, value in (
        (ValueClass.BOUNDARY, high),
        (ValueClass.BOUNDARY, low),
        (ValueClass.BOUNDARY, 0 if low is None else None),
        *((ValueClass.BOUNDARY, value) for value in _between(base, low, high)),
        (ValueClass.BOUNDARY, 0),
        (ValueClass.BOUNDARY, 1),
        (ValueClass.WRONG_FORMAT, low - 1 if low is not None else -1),
        (ValueClass.WRONG_FORMAT, high + 1 if high is not None else 2**31 - 1),
    ):
        if value is not None and value not in tried:
            tried.add(value)
            yield kind, value
    yield ValueClass.WRONG_TYPE, "seven"


def _between(base: Any, low: int | None, high: int | None) -> Iterator[int]:
    """Numbers that no limit is known for: in the midst of a range, or so many times what is usual."""
    if low is not None and high is not None:
        yield (low + high) // 2
    elif high is None and type(base) is int and base > 1:
        yield from (base * times for times in TIMES)


def _list_changes(member: Member, base: Any, place: str, depth: int) -> Iterator[Change]:
    yield place, ValueClass.EMPTY, []
    if not isinstance(base, list) or not base:
        return
    yield place, ValueClass.BOUNDARY, base + base
    for value in member.enum:
        if [value] != base:
            yield place, ValueClass.TYPICAL, [value]
    if len(member.enum) > 2:
        yield place, ValueClass.BOUNDARY, list(member.enum)
    if depth and member.members:
        for inner, kind, value in _changes(member.members[0], base[0], f"{place}[]", depth - 1):
            yield inner, kind, [value, *base[1:]]


def _map_changes(member: Member, base: Any, place: str, depth: int) -> Iterator[Change]:
    """A map without each of its entries, and with each of them changed as what its values are."""
    yield place, ValueClass.EMPTY, {}
    if not depth or not isinstance(base, Mapping) or len(member.members) < 2:
        return
    for key, inner in base.items():
        where = f"{place}[{readable(key)}]"
        if len(base) > 1:
            yield where, ValueClass.MISSING, {name: value for name, value in base.items() if name != key}
        for inside, kind, value in _changes(member.members[1], inner, where, depth - 1):
            yield inside, kind, {**base, key: value}


def _choices(member: Member, base: Mapping[str, Any], place: str) -> Iterator[Change]:
    """What is given in one of several ways, in each of the others, and in two at once."""
    ((given, _),) = base.items()
    others = [each for each in member.members if each.name != given]
    for inner in others:
        yield place, ValueClass.TYPICAL, {inner.name: usual(inner)}
    several = [each for each in others if each.kind == "list"]
    for inner in several[:1]:
        yield place, ValueClass.BOUNDARY, {inner.name: []}
    for inner in several:
        # Some of them are sets, in which nothing is twice.
        yield place, ValueClass.BOUNDARY, {inner.name: 2 * usual(inner)}
    yield place, ValueClass.WRONG_FORMAT, {**base, others[0].name: usual(others[0])}


def _is_choice(member: Member, base: Mapping[str, Any]) -> bool:
    """Whether a structure seems to be one of several things: none of its many members is required."""
    is_free = not any(each.required for each in member.members)
    return is_free and len(base) == 1 and len(member.members) >= CHOICES and member.members[0].name != "json"


def _structure_changes(member: Member, base: Any, place: str, depth: int) -> Iterator[Change]:
    there: Mapping[str, Any] = base if isinstance(base, Mapping) else {}
    yield place, ValueClass.EMPTY, {}
    if not depth or not isinstance(base, Mapping):
        return
    is_choice = _is_choice(member, base)
    yield from _choices(member, base, place) if is_choice else _strangely(member, base, place)
    for inner in member.members:
        if inner.name in there:
            rest = {name: value for name, value in there.items() if name != inner.name}
            if rest and not inner.required:
                yield f"{place}.{inner.name}", ValueClass.MISSING, rest
            for where, kind, value in _changes(inner, there[inner.name], f"{place}.{inner.name}", depth - 1):
                yield where, kind, {**there, inner.name: value}
        elif not is_choice and (value := _given(inner)) is not None:
            yield f"{place}.{inner.name}", ValueClass.TYPICAL, {**there, inner.name: value}
            for part, other in _alternatives(inner):
                yield f"{place}.{inner.name}.{part}", ValueClass.TYPICAL, {**there, inner.name: other}
            if inner.kind == "structure":
                for where, kind, other in _strangely(inner, value, f"{place}.{inner.name}"):
                    yield where, kind, {**there, inner.name: other}
            if inner.kind == "integer":
                most = int(inner.maximum or MUCH)
                yield f"{place}.{inner.name}", ValueClass.BOUNDARY, {**there, inner.name: most}


def _strangely(member: Member, base: Mapping[str, Any], place: str) -> Iterator[Change]:
    """All texts that may be left out, with one that means nothing; and all words of which only some do."""
    absent = [each for each in member.members if each.name not in base and not each.required]
    for is_free in (True, False):
        strange = {each.name: text for each in absent if (text := _strange(each, is_free)) is not None}
        if strange:
            yield place, ValueClass.WRONG_FORMAT, {**base, **strange}


def _strange(member: Member, is_free: bool) -> Any:
    """A text that means nothing, also as the only item of a list, for any text or for one of a few."""
    if member.kind == "list" and member.members:
        inner = _strange(member.members[0], is_free)
        return None if inner is None else [inner]
    if member.kind != "string" or bool(member.enum) == is_free:
        return None
    return STRANGE if is_free else NONE_OF_THEM


def _given(member: Member) -> Any:
    """What may be left out, given: a structure of which nothing must be there with one thing in it."""
    value = usual(member)
    if value == {} and member.members:
        return {member.members[0].name: _given(member.members[0])}
    return value


def _alternatives(member: Member) -> Iterator[tuple[str, Any]]:
    """What may be left out and may hold one of several things, with each but the first of them in it."""
    if member.kind != "structure" or any(each.required for each in member.members):
        return
    for inner in member.members[1:]:
        if (value := _given(inner)) is not None:
            yield inner.name, {inner.name: value}


def _any_changes(base: Any, place: str) -> Iterator[Change]:
    """Changes of a body that no model describes: as a whole, and leaf by leaf."""
    yield place, ValueClass.EMPTY, b""
    if isinstance(base, bytes):
        yield place, ValueClass.BOUNDARY, base * (MUCH_CONTENT // max(1, len(base)))
        yield place, ValueClass.BOUNDARY, bytes(range(256)) * (len(base) // 256 or 1)
        return
    if isinstance(base, str):
        yield place, ValueClass.WRONG_FORMAT, "garbage"
        return
    yield place, ValueClass.WRONG_FORMAT, b"<not-xml"
    yield from _tree_changes(base, place)


def _tree_changes(tree: Any, place: str) -> Iterator[Change]:
    if isinstance(tree, Mapping):
        for name, inner in tree.items():
            if name == "json" and len(tree) == 1:
                yield from ((w, k, {name: v}) for w, k, v in _tree_changes(inner, place))
                yield from ((w, k, {name: v}) for w, k, v in _null_changes(inner, place))
                continue
            where = f"{place}.{name}"
            if len(tree) > 1 or not isinstance(inner, Mapping):
                rest = {key: value for key, value in tree.items() if key != name}
                yield where, ValueClass.MISSING, rest
            for inside, kind, value in _tree_changes(inner, where):
                yield inside, kind, {**tree, name: value}
    elif isinstance(tree, list) and tree:
        yield place, ValueClass.EMPTY, []
        yield place, ValueClass.BOUNDARY, tree + tree
        for inside, kind, value in _tree_changes(tree[0], f"{place}[]"):
            yield inside, kind, [value, *tree[1:]]
    elif isinstance(tree, Name):
        yield place, ValueClass.WRONG_FORMAT, Text((tree, "-!"))
        yield place, ValueClass.TOO_LONG, Text((tree, "x" * LONG))
        yield from ((place, kind, Text((*before, tree, *after))) for kind, before, after in SPELLINGS)
    elif isinstance(tree, bool):
        yield place, ValueClass.TYPICAL, not tree
        yield place, ValueClass.WRONG_TYPE, "maybe"
    elif isinstance(tree, (int, float)):
        yield place, ValueClass.WRONG_TYPE, "seven"
        yield from ((place, ValueClass.BOUNDARY, value) for value in (2**31 + 1, -1, 0, 1.5))
    elif isinstance(tree, str):
        yield place, ValueClass.EMPTY, ""
        yield place, ValueClass.TOO_LONG, "x" * 70_000
        if _DATE.fullmatch(tree):
            yield from ((place, ValueClass.BOUNDARY, text) for text in DATES)
        texts = (SPACED, NO_VALUE, FOREIGN, MARKED)
        yield from ((place, ValueClass.WRONG_FORMAT, text) for text in texts)


def _null_changes(tree: Any, place: str) -> Iterator[Change]:
    """An object of JSON with nothing in each of its fields, and with more of them than there should be."""
    if isinstance(tree, Mapping):
        for name in tree:
            yield f"{place}.{name}", ValueClass.EMPTY, {**tree, name: None}
        for name, value in (("not-valid name!", "text"), ("several", [1, 2]), ("nested", {"inner": 1})):
            yield f"{place}[]", ValueClass.WRONG_FORMAT, {**tree, name: value}
