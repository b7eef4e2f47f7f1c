"""Which values of an operation's parameters are tried first, and which together."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import Any

from likewise.cloud.fuzz.grammar import Grammar, OperationShape
from likewise.cloud.fuzz.planning.values import NO_VALUE, NONE_OF_THEM
from likewise.cloud.fuzz.planning.variants import AND, ValueClass, Variant, general, together

GROUP = 3
"""Optional parameters that are given together at first."""
COMMON = 10
"""Operations that have a parameter, from which on it is one of the service rather than of the operation."""
RELATED = 4
"""Parameters whose names begin alike, from which on they are a family."""
_FIRST = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]+")
DEFERRED = 4
"""Rounds that sizes of such a parameter wait."""
LATER = 2
"""Ranks that further values of it do."""


def common(grammar: Grammar) -> frozenset[str]:
    """Parameters that many operations share: most servers look at them in one place.

    What a call is about, its content, is the operation's own, whatever it is called.
    """
    counts: dict[str, int] = {}
    for shape in grammar:
        for member in shape.members:
            if member.kind in ("blob", "any"):
                continue
            counts[member.name] = counts.get(member.name, 0) + 1
    return frozenset(name for name, count in counts.items() if count >= COMMON)


def is_condition(variant: Variant) -> bool:
    """Whether it asks for something that does not hold: of a thing that is there, that is asked first."""
    return variant.value_class == ValueClass.UNKNOWN


def shuffled(found: Sequence[Variant], chance: random.Random) -> list[Variant]:
    """The values in any order, those of one class of one parameter in theirs: the first say most."""
    mixed = list(found)
    chance.shuffle(mixed)
    ordered: dict[tuple[str, str], list[Variant]] = {}
    for each in reversed(found):
        ordered.setdefault((each.parameter, str(each.value_class)), []).append(each)
    return [ordered[each.parameter, str(each.value_class)].pop() for each in mixed]


def grouped(
    found: Sequence[Variant], typical: Mapping[str, Any], shared: Container[str] = ()
) -> list[Variant]:
    """What may be given besides, several at once: what both sides take needs no call of its own.

    The second values of enumerations come together after the first ones, and so on. Texts that are none of
    the right ones come together as well, and so do words that are not in an enumeration, but for parameters
    that are `shared`: most servers take any.
    """
    rounds: list[list[Variant]] = []
    given: dict[str, int] = {}
    strange: dict[str, list[Variant]] = {repr(NO_VALUE): [], repr(NONE_OF_THEM): []}
    for each in found:
        is_free = not each.is_alone and each.parameter == each.top not in typical
        if is_free and each.value_class == ValueClass.TYPICAL:
            number = given[each.top] = given.get(each.top, -1) + 1
            if number == len(rounds):
                rounds.append([])
            rounds[number].append(each)
        elif is_free and each.top not in shared and each.note in strange:
            strange[each.note].append(each)
    groups = [group for number, those in enumerate(rounds) for group in _shared_out(those, number)]
    groups += [group for those in strange.values() if those for group in _shared_out(those, 1)]
    return [together(each) for each in groups if len(each) > 1]


def _shared_out(those: list[Variant], number: int) -> list[list[Variant]]:
    """Groups of the values of one round.

    A last one that would be alone goes with those before it, but for first values: those soon have a call of
    their own.
    """
    starts = list(range(0, len(those), GROUP))
    if number and len(starts) > 1 and starts[-1] == len(those) - 1:
        del starts[-1]
    return [those[start:end] for start, end in zip(starts, [*starts[1:], len(those)], strict=True)]


FEW = 3
"""Further values of an enumeration that are worth as much as the first one."""
_PRIORITY: dict[str, int] = {
    ValueClass.TYPICAL: 1,
    ValueClass.UNKNOWN: 0,
    ValueClass.OTHER_OWNER: 1,
    ValueClass.WRONG_FORMAT: 1,
    ValueClass.BOUNDARY: 2,
    ValueClass.EMPTY: 2,
    ValueClass.TOO_LONG: 3,
    ValueClass.DELETED: 3,
    ValueClass.MISSING: 3,
    ValueClass.WRONG_TYPE: 4,
}


_LEAST = frozenset({ValueClass.EMPTY, ValueClass.BOUNDARY})
_EVERYWHERE = frozenset({ValueClass.TYPICAL, ValueClass.UNKNOWN, ValueClass.MISSING, ValueClass.OTHER_OWNER})
"""Classes that each operation may take in its own way, whoever looks at the parameter."""


def families(shape: OperationShape) -> dict[str, str]:
    """Texts of an operation whose names begin with the same word as several others', by that word.

    Most servers look at a header of each checksum, or of each grant, in one place.
    """
    words = {
        member.name: found[0]
        for member in shape.members
        if member.kind == "string" and not member.enum and (found := _FIRST.match(member.name))
    }
    counts = Counter(words.values())
    return {name: word for name, word in words.items() if counts[word] >= RELATED}


def by_rank(
    found: Sequence[Variant],
    shared: Container[str] = (),
    typical: Container[str] = (),
    *,
    related: Mapping[str, str] | None = None,
    missed: Container[str] = (),
    twins: dict[tuple[str, ...], str] | None = None,
) -> dict[int, list[Variant]]:
    """Every parameter once before any twice: the first value of a class counts more than the second.

    What is wrong with parameters that are `shared` with many operations comes last, and what is wrong with
    the second and further ones of a family of `related` ones after the first. Right values of those that a
    `typical` call has, and of parts of parameters, never come along with others: a few count alike. Things
    that are `missed` in a state of their own need not be looked for by another name at first. A part of a
    body waits for another one of its name, which is given the same in a structure like it: `twins` are those
    that were, and where.
    """
    ranks: dict[int, list[Variant]] = {}
    unmet = 0
    owned = {each.top for each in found if each.value_class == ValueClass.OTHER_OWNER}
    seen: dict[tuple[str, str], int] = {}
    for each in found:
        place = general(each.parameter.partition(AND)[0])
        if each.value_class not in _EVERYWHERE:
            place = (related or {}).get(place, place)
        key = (place, str(each.value_class))
        again = seen[key] = seen.get(key, -1) + 1
        is_alone = each.is_alone or each.parameter != each.top or each.top in typical
        if each.value_class == ValueClass.TYPICAL and is_alone:
            again = max(0, again - FEW)
        if each.value_class == ValueClass.WRONG_FORMAT and each.is_alone:
            again = 0  # a name may be wrong in many ways, and only who makes the thing looks at them
        if each.value_class == ValueClass.BOUNDARY or each.is_beyond:
            again = max(0, again - 1)  # a range has two ends
        is_early = each.is_double or each.is_early
        rank = _PRIORITY.get(each.value_class, 0) - is_early + 2 * min(again, 3)
        if each.value_class in _LEAST and each.parameter in typical and each.top not in shared:
            rank -= 1  # what a call is about, without anything in it
        if each.value_class == ValueClass.MISSING and each.is_plain:
            rank -= 2
        if each.value_class == ValueClass.UNKNOWN and each.top in shared and each.top not in typical:
            unmet += 1
            rank += LATER * (unmet > FEW)  # one condition that does not hold shows most of what all do
        if each.top in shared and each.value_class not in _EVERYWHERE:
            rank += LATER
        if each.top in owned and each.value_class == ValueClass.TYPICAL and AND not in each.parameter:
            rank += LATER  # who looks at it at all does so where it is somebody else
        if each.parameter in missed and each.value_class == ValueClass.UNKNOWN:
            rank += 2 * LATER
        if twins is not None and each.is_plain and _has_twin(each, twins):
            rank += 1
        ranks.setdefault(rank, []).append(each)
    return ranks


def _has_twin(variant: Variant, twins: dict[tuple[str, ...], str]) -> bool:
    """Whether a part of this name was given the same in another place; if not, this is the first."""
    place, _, name = variant.parameter.rpartition(".")
    return twins.setdefault((name, str(variant.value_class), variant.note), place) != place
