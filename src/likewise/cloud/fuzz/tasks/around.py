"""Parameters that are right only in another way of calling an operation, varied in that way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.planning.plans import Plan, Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant
from likewise.cloud.fuzz.tasks.sizes import big, sizes

_WANTED = frozenset({ValueClass.TYPICAL, ValueClass.BOUNDARY, ValueClass.WRONG_FORMAT, ValueClass.EMPTY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A way of calling an operation, and the values that some of its parameters are given in it."""

    way: str
    plan: Plan
    variants: tuple[Variant, ...]


def around(planner: Planner, operation: str) -> Iterator[Around]:
    """Each way that is the first to give a parameter which the usual call has to leave out."""
    usual, seen = planner.typical(operation), set[str]()
    for way, given in planner.hints.ways.items():
        if way.partition(":")[0] != operation:
            continue
        names = {
            name
            for name, value in given.items()
            if value is not None and name not in usual and _is_left_out(planner, operation, name)
        } - seen
        if names:
            seen |= names
            plan = planner.plan(way)
            members = tuple(each for each in planner.members(operation) if each.name in names)
            yield Around(way=way, plan=plan, variants=tuple(_values(plan, members)))


def _values(plan: Plan, members: tuple[Member, ...]) -> Iterator[Variant]:
    params = plan.call.params
    yield from (each for each in variants(members, params, {}) if each.value_class in _WANTED)
    for member in members:
        # What is known of the limits of a parameter was asked in the usual way.
        those = big(params, member, sizes(member, params[member.name], named=(), number=0))
        yield from (replace(each, size=0) for each in those)


def _is_left_out(planner: Planner, operation: str, name: str) -> bool:
    """Whether the hints say that a parameter is not to be given by itself."""
    values = planner.hints.values
    return any(values.get(key, "") is None for key in (f"{operation}.{name}", name))
