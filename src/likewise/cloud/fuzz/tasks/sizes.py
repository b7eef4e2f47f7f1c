"""Sizes: a parameter with a longer text, more items, a greater number, in steps that close in on a limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from likewise.cloud.fuzz.calls import Name, Text
from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant

Steps = tuple[tuple[int, ...], ...]
LENGTHS: Steps = (
    (1024,),
    (128, 8192),
    (32, 300, 3000, 40_000),
    (64, 600, 2000, 20_000),
    (60_000, 50_000, 30_000, 12_000, 5000, 1500, 800, 448, 200, 92, 48),
)
"""Lengths of texts, round by round after the longest: what a round shows rules out half of the next one."""
LONGEST = 60_000
COUNTS: Steps = ((120,), (3, 30), (6, 60), (12,))
"""Numbers of items, round by round: who takes many takes few."""
FIELDS: Steps = ((300,), (3, 30), (6, 120), (12, 60))
"""Numbers of entries of an object of JSON, round by round."""
NUMBERS: Steps = ((1_000_000,), (10_000,), (1000, 100_000), (100, 400, 4000))
"""Numbers, round by round."""
CONTENT = 100_000
"""Bytes of content that are more than most limits of what fits into one call."""
HEADERS = 60
"""The most entries that become headers of their own: clients take no more than a hundred of an answer."""
LINE = 3000
"""The longest text that goes into an address or a header: servers cut off what is longer before they look."""
_FORMED = re.compile(r"-?\d[\d.:TZ+-]*|arn:.*|.*[/<{(*;,:=\"].*", re.DOTALL)
"""Texts of some form of their own: one that is only longer would be wrong for another reason."""
_ENCODED = re.compile(r"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}=|[A-Za-z0-9+/]=)=")
"""Bytes written as text: a longer row of letters, four at a time, is that as well."""
CODE = 2
"""Characters that a text has at most if it seems to be a code: with a number at its end it would be none."""
ANY = Member(name="", kind="any")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized:
    """A parameter's value with one part of it that big."""

    place: str
    size: int
    note: str
    value: Any


def sizes(member: Member, base: Any, *, named: Container[str], number: int | None = None) -> Iterator[Sized]:
    """Every part of a parameter that has a length, in every length; of one round where its number is given.

    Names have one where they are of the kinds `named`: of what the operation makes.
    """
    is_header = member.kind == "blob" and member.wire and member.name.lower() != "body"
    is_body = member.kind in ("structure", "list", "blob", "any") and not is_header
    is_content = isinstance(base, bytes) and member.name.lower() == "body"
    longest = CONTENT if is_content else LONGEST if is_body else LINE
    # What is taken however much it is need not be asked for in any smaller size.
    lengths = ((longest,), *LENGTHS)
    for place, grow in _texts(base, member, member.name, named):
        yield from _stepped(place, grow, _of(lengths, number), longest, "characters")
    for place, grow in _maps(base, member, member.name, _lengthened):
        yield from _stepped(f"{place}[]", grow, _of(lengths, number), longest, "characters of a name")
    for place, repeat in _lists(base, member, member.name):
        yield from _stepped(place, repeat, _of(COUNTS, number), COUNTS[0][-1], "items")
    for place, repeat in _maps(base, member, member.name, _widened):
        steps = FIELDS if member.kind == "any" else COUNTS
        most = HEADERS if member.name.lower() == "metadata" else steps[0][-1]
        yield from _stepped(place, repeat, _of(steps, number), most, "entries")
    for place, count, most in _counts(base, member, member.name):
        yield from _stepped(place, count, _of(NUMBERS, number), most, "as a number")


def big(params: Mapping[str, Any], member: Member, those: Iterable[Sized]) -> Iterator[Variant]:
    """A call with a parameter in each of some sizes."""
    for each in those:
        yield Variant(
            parameter=each.place,
            value_class=ValueClass.BOUNDARY,
            params={**params, member.name: each.value},
            note=each.note,
            size=each.size,
        )


Grow = Callable[[int], Any]


def _of(steps: Steps, number: int | None) -> tuple[int, ...]:
    if number is None:
        return tuple(size for those in steps for size in those)
    return steps[number] if 0 <= number < len(steps) else ()


def _stepped(place: str, grow: Grow, those: tuple[int, ...], longest: int, unit: str) -> Iterator[Sized]:
    for size in those:
        if size <= longest:
            yield Sized(place=place, size=size, note=f"{size} {unit}", value=grow(size))


def _texts(base: Any, member: Member, place: str, named: Container[str]) -> Iterator[tuple[str, Grow]]:
    """Each text in a value, and how to make it longer within the whole."""
    match base:
        case Name() if base.kind in named:
            yield place, partial(_longer, base)
        case str() if not member.enum and member.kind in ("string", "any") and _is_free(base):
            yield place, lambda size: "x" * size
        case bytes():
            yield place, lambda size: b"x" * size
    for key, inner, where, put in _parts(base, member, place):
        for inside, grow in _texts(inner, key, where, named):
            yield inside, _composed(put, grow)


def _longer(name: Name, size: int) -> Text:
    return Text((name, "x" * size))


def _is_free(text: str) -> bool:
    """Whether any other text would do as well."""
    return _ENCODED.fullmatch(text) is not None or not _FORMED.fullmatch(text)


def _lists(base: Any, member: Member, place: str) -> Iterator[tuple[str, Grow]]:
    """Each list in a value, and how to give it more items."""
    if isinstance(base, list) and base:
        inner = member.members[0] if member.members else ANY
        yield place, partial(_repeated, base, inner)
    for key, each, where, put in _parts(base, member, place):
        for inside, repeat in _lists(each, key, where):
            yield inside, _composed(put, repeat)


def _maps(base: Any, member: Member, place: str, how: Callable[..., Any]) -> Iterator[tuple[str, Grow]]:
    """Each mapping whose keys are the client's to choose, and how to give it more of them, or longer ones."""
    is_json = member.kind == "any" and isinstance(base, Mapping) and base.keys() == {"json"}
    inner = base["json"] if is_json else base
    if isinstance(inner, Mapping) and inner and (is_json or member.kind == "map"):
        whole: Grow = partial(_with, base, "json") if is_json else _same
        yield place, _composed(whole, partial(how, inner))
    for key, each, where, put in _parts(base, member, place):
        for inside, widen in _maps(each, key, where, how):
            yield inside, _composed(put, widen)


def _counts(base: Any, member: Member, place: str) -> Iterator[tuple[str, Grow, int]]:
    """Each number in a value, how to put another in its place, and the greatest that the model allows."""
    if type(base) is int and member.kind in ("integer", "float", "any"):
        yield place, _same, int(member.maximum or NUMBERS[0][-1])
    for key, each, where, put in _parts(base, member, place):
        for inside, count, most in _counts(each, key, where):
            yield inside, _composed(put, count), most


def _same(value: Any) -> Any:
    return value


def _widened(base: Mapping[Any, Any], count: int) -> dict[Any, Any]:
    """More entries like the last one."""
    last = list(base.values())[-1]
    return {**base, **{f"more{number}": last for number in range(len(base), count)}}


def _lengthened(base: Mapping[Any, Any], size: int) -> dict[Any, Any]:
    """One more entry like the last one, under a name that long."""
    return {**base, "x" * size: list(base.values())[-1]}


def _composed(put: Callable[[Any], Any], grow: Grow) -> Grow:
    return lambda size: put(grow(size))


def _parts(base: Any, member: Member, place: str) -> Iterator[tuple[Member, Any, str, Callable[[Any], Any]]]:
    """The parts of a value: what the model says of each, where it is, and how to put another there."""
    if isinstance(base, Mapping):
        for key, inner in base.items():
            is_wrapper = key == "json" and len(base) == 1
            word = f"<{key.kind}>" if isinstance(key, Name) else str(key)
            where = place if is_wrapper else f"{place}.{word}"
            yield _inner(member, word), inner, where, partial(_with, base, key)
    elif isinstance(base, list) and base:
        inner = member.members[0] if member.members else ANY
        yield inner, base[0], f"{place}[]", partial(_first, base)


def _with(base: Mapping[Any, Any], key: Any, value: Any) -> dict[Any, Any]:
    return {**base, key: value}


def _first(base: Sequence[Any], value: Any) -> list[Any]:
    return [value, *base[1:]]


def _inner(member: Member, name: str) -> Member:
    if member.kind == "map" and len(member.members) > 1:
        return member.members[1]
    return next((each for each in member.members if each.name == name), ANY)


def _repeated(base: Sequence[Any], inner: Member, count: int) -> list[Any]:
    """More items like the first one, told apart by their texts, or by their numbers where they cannot be."""
    tell = _numbered if _numbered(base[0], inner, 1) != base[0] else _added
    return [*base, *(tell(base[0], inner, number) for number in range(len(base), count))]


def _added(value: Any, member: Member, number: int) -> Any:
    """A value with so much added to the numbers in it."""
    if isinstance(value, Mapping):
        return {key: _added(inner, _inner(member, str(key)), number) for key, inner in value.items()}
    return value + number if type(value) is int else value


def _numbered(value: Any, member: Member, number: int) -> Any:
    match value:
        case Name() if value.kind not in KINDS.values():  # all of them lie in the same bucket or table
            return Text((value, f"-{number}"))
        case str() if not member.enum and not _FORMED.fullmatch(value) and len(value) > CODE:
            return f"{value}{number}"
        case Mapping():
            return {key: _numbered(inner, _inner(member, str(key)), number) for key, inner in value.items()}
    return value
