"""Two values of a crossing: the same up to the identity of objects, or different at named places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from likewise.compare import Change, compare_values
from likewise.library.comparison.bijection import Bijection, name_of
from likewise.library.texts import plain_text, text_of
from likewise.model import Difference, Mapping, Value

_FROZEN = {("list", "tuple"), ("set", "frozenset"), ("bytearray", "bytes"), ("dict", "mappingproxy")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Within(Change):
    """A change, and in which field of which type it is: wherever that type shows, it is the same change."""

    within: str = ""


def same(reference: Value, candidate: Value, bijection: Bijection) -> bool:
    """Whether two values are the same; objects met for the first time are paired."""
    if isinstance(reference, dict) and isinstance(candidate, dict):
        ours, theirs = name_of(reference), name_of(candidate)
        if ours is not None and theirs is not None:
            if bijection.pair(ours, theirs):
                return bijection.are_alike(ours[0], theirs[0])
            if ours[0] == theirs[0] and (reference.get("late") or candidate.get("late")):
                # Whether it is the same again depends on what was still alive: no behaviour.
                bijection.repair(ours, theirs)
                return True
            return False
        if reference.keys() != candidate.keys():
            common = [key for key in reference if key in candidate]
            _all(same(reference[key], candidate[key], bijection) for key in common)
            return False
        if reference.get("is") == "function" == candidate.get("is"):
            return own_name(reference.get("name")) == own_name(candidate.get("name"))
        if reference.get("is") in ("set", "frozenset") and candidate.get("is") == reference["is"]:
            return _same_sets(reference["items"], candidate["items"], bijection)
        return _all(same(value, candidate[key], bijection) for key, value in reference.items())
    if isinstance(reference, list) and isinstance(candidate, list):
        if len(reference) != len(candidate):
            return False
        return _all(same(one, other, bijection) for one, other in zip(reference, candidate, strict=True))
    return type(reference) is type(candidate) and _same_leaves(reference, candidate, bijection)


def _same_leaves(reference: Value, candidate: Value, bijection: Bijection) -> bool:
    """Two values of one type that hold no others."""
    if reference == candidate or (reference != reference and candidate != candidate):  # nan is itself
        return True
    if isinstance(reference, bytes) and isinstance(candidate, bytes):
        ours, theirs = text_of(reference), text_of(candidate)
        if ours is not None and theirs is not None and plain_text(ours) == plain_text(theirs):
            return True
    if isinstance(reference, str) and isinstance(candidate, str):
        reference, candidate = plain_text(reference), plain_text(candidate)
        if reference == candidate:
            return True
    return bijection.aliases.are_same(reference, candidate)


def _same_sets(ours: Value, theirs: Value, bijection: Bijection) -> bool:
    """Whether two sets hold the same, in any order: objects are known by pairs, or else become pairs."""
    if not isinstance(ours, list) or not isinstance(theirs, list) or len(ours) != len(theirs):
        return False
    left = {number: repr(_form(each, bijection, is_candidate=True)) for number, each in enumerate(theirs)}
    rest = []
    for each in ours:
        text = repr(_form(each, bijection, is_candidate=False))
        same_text = next((number for number, other in left.items() if other == text), None)
        if same_text is None:
            rest.append(each)
        else:
            del left[same_text]
    return _all(same(one, theirs[number], bijection) for one, number in zip(rest, list(left), strict=True))


def _all(answers: Iterator[bool]) -> bool:
    """Whether all are true; unlike `all`, asks every one: objects further on are to be paired as well."""
    found = True
    for answer in answers:
        found = found and answer
    return found


def changes(reference: Value, candidate: Value, bijection: Bijection) -> Iterator[Within]:
    """Every place at which two values that are not the same differ."""
    ours, theirs = (
        _form(reference, bijection, is_candidate=False),
        _form(candidate, bijection, is_candidate=True),
    )
    for change in _compare(ours, theirs, place="", within=""):
        are_leaves = type(change.reference) is type(change.candidate) and not isinstance(
            change.reference, dict | list
        )
        if not are_leaves or not _same_leaves(change.reference, change.candidate, bijection):
            yield change


def _compare(ours: Value, theirs: Value, place: str, within: str) -> Iterator[Within]:
    """Differences by place; values that are of different kinds differ in type and nothing else."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if kind_of(ours) != kind_of(theirs):
            yield _found(Difference.TYPE, place, ours, theirs, within)
        elif ours.get("is") == "dict":
            yield from _compare_dicts(ours, theirs, place, within)
        else:
            yield from _compare_tagged(ours, theirs, place, within)
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _compare_lists(ours, theirs, place, within)
    elif type(ours) is not type(theirs):
        yield _found(Difference.TYPE, place, ours, theirs, within)
    else:
        for change in compare_values(reference=ours, candidate=theirs, place=place):
            difference = Difference.IDENTITY if _is_identity(place) else change.difference
            yield _found(difference, change.place, change.reference, change.candidate, within)


def _compare_tagged(ours: Mapping, theirs: Mapping, place: str, within: str) -> Iterator[Within]:
    """Two values of one kind, part by part."""
    tag = ours.get("is")
    if tag in ("many", "data") and ours.get("length") != theirs.get("length"):
        yield _found(Difference.LENGTH, place, ours, theirs, within)
    for key in dict.fromkeys([*ours, *theirs]):
        if key == "length" and tag in ("many", "data"):
            continue
        if key in ("digest", "head") and tag in ("text", "blob", "array", "many"):
            continue
        if key not in ours or key not in theirs:
            # A field that one side alone has is not seen before somebody reads it.
            if tag is None or key.startswith("_") or key == "late":
                continue
            missing = Difference.MISSING if key in ours else Difference.EXTRA
            yield _found(missing, _join(place, key), ours.get(key), theirs.get(key), within)
        else:
            inner = place if key in ("items", "value", "text", "fields") else _join(place, key)
            field = f"{kind_of(ours)}.{key}" if tag in ("exception", "data") else within
            if tag is None and within:
                field = f"{within.partition('.')[0]}.{key}"
            yield from _compare(ours[key], theirs[key], inner, field)
    # A small array has no digest: all of it is in its head.
    if ours.get("digest") != theirs.get("digest") or (
        tag == "array" and "digest" not in ours and repr(ours.get("head")) != repr(theirs.get("head"))
    ):
        yield _found(Difference.VALUE, place, ours, theirs, within)


def _found(difference: Difference, place: str, ours: Value, theirs: Value, within: str) -> Within:
    return Within(difference=difference, place=place, reference=ours, candidate=theirs, within=within)


def _compare_lists(ours: list[Value], theirs: list[Value], place: str, within: str) -> Iterator[Within]:
    if len(ours) != len(theirs):
        yield _found(Difference.LENGTH, place, ours, theirs, within)
    elif ours != theirs and sorted(map(repr, ours)) == sorted(map(repr, theirs)):
        yield _found(Difference.ORDER, place, ours, theirs, within)
    else:
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _compare(one, other, f"{place}[{number}]", within)


def _compare_dicts(ours: Value, theirs: Value, place: str, within: str) -> Iterator[Within]:
    """Dictionaries by their keys; the same keys in another order are another order."""
    one, other = _pairs(ours), _pairs(theirs)
    if one is None or other is None:
        return
    for key in [*one, *(key for key in other if key not in one)]:
        inner = f"{place}[{key}]"
        if key not in other:
            yield _found(Difference.MISSING, inner, one[key], None, within)
        elif key not in one:
            yield _found(Difference.EXTRA, inner, None, other[key], within)
        else:
            yield from _compare(one[key], other[key], inner, within)
    if one.keys() == other.keys() and list(one) != list(other):
        yield _found(Difference.ORDER, place, ours, theirs, within)


def _pairs(value: Value) -> dict[str, Value] | None:
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list):
        return None
    return {repr(each[0]): each[1] for each in items if isinstance(each, list) and len(each) == 2}


def kind_of(value: Value) -> str:
    """The type that a value had in the client, as far as its form tells."""
    if not isinstance(value, dict):
        return "None" if value is None else type(value).__name__
    tag = str(value.get("is", "dict"))
    if tag in ("tuple", "set", "frozenset", "deque", "dict", "class", "function", "module"):
        return tag
    kind = value.get("type")
    if tag in ("text", "blob"):
        return "str" if tag == "text" else "bytes"
    if tag == "array":
        return f"{kind!s} of {value.get('dtype')!s}"
    return str(kind) if isinstance(kind, str) else tag


def is_freezing(reference: Value, candidate: Value) -> bool:
    """Whether whoever holds it could change one of the values and not the other."""
    both = kind_of(reference), kind_of(candidate)
    return both in _FROZEN or both[::-1] in _FROZEN


def renamed(reference: Value, candidate: Value) -> tuple[str, str] | None:
    """The two names where two values differ in nothing but the name of a library's type."""
    if not isinstance(reference, dict) or not isinstance(candidate, dict):
        return None
    ours, theirs = reference.get("type"), candidate.get("type")
    if not isinstance(ours, str) or not isinstance(theirs, str) or ours == theirs:
        return None
    rest = [
        {key: each for key, each in one.items() if key not in ("type", "id")}
        for one in (reference, candidate)
    ]
    return (ours, theirs) if rest[0] == rest[1] else None


def contents(value: Value) -> Value:
    """What a container holds."""
    if isinstance(value, dict) and "items" in value:
        return value["items"]
    return value


def _form(value: Value, bijection: Bijection, *, is_candidate: bool) -> Value:
    """A value with neutral texts, and with the candidate's objects under the reference's names."""
    if isinstance(value, dict):
        name = name_of(value)
        if value.get("is") == "function":
            return {"is": "function", "name": own_name(value.get("name"))}
        if name is None:
            made = {key: _form(each, bijection, is_candidate=is_candidate) for key, each in value.items()}
            if value.get("is") in ("set", "frozenset") and isinstance(items := made.get("items"), list):
                made["items"] = sorted(items, key=repr)
            return made
        if is_candidate:
            paired = bijection.backward.get(name)
            if paired is not None and bijection.are_alike(paired[0], name[0]):
                return {"is": "object", "type": paired[0], "id": str(paired[1])}
            number: int | str = f"another {name[1]}"
        else:
            number = name[1]
        return {"is": "object", "type": name[0], "id": str(number)}
    if isinstance(value, list):
        return [_form(each, bijection, is_candidate=is_candidate) for each in value]
    if not isinstance(value, str):
        return value
    return bijection.aliases.neutral(plain_text(value), is_candidate=is_candidate)


def own_name(name: Value) -> str:
    """A function's name without the function that it was made in, which is nobody else's business."""
    return str(name).rpartition("<locals>.")[2]


def _is_identity(place: str) -> bool:
    return place == "id" or place.endswith(".id")


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
