"""Parameters that are right only in another way of calling an operation, varied in that way."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.planning.plans import Plan, Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant
from likewise.cloud.fuzz.tasks.sizes import big, sizes

_WANTED = frozenset({ValueClass.TYPICAL, ValueClass.BOUNDARY, ValueClass.WRONG_FORMAT, ValueClass.EMPTY})
MANY = 20
"""New parts of a body from which on a way is about how many there are, not about each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A way of calling an operation, and the values that some of its parameters are given in it."""

    way: str
    plan: Plan
    variants: tuple[Variant, ...]


def around(planner: Planner, operation: str) -> Iterator[Around]:
    """Each way that is the first to give a parameter, or part of a body, which the usual call leaves out."""
    usual, members = planner.plan(operation), planner.members(operation)
    bodies = {each.name for each in members if each.kind == "any"}
    known = set(usual.call.params)
    seen: set[str] | None = None
    for way, given in planner.hints.ways.items():
        if way.partition(":")[0] != operation:
            continue
        names = {
            name
            for name, value in given.items()
            if (name in bodies and isinstance(value, Mapping))
            or (value is not None and name not in known and _is_left_out(planner, operation, name))
        }
        known |= names - bodies
        if not names:
            continue
        if seen is None:
            seen = {each.parameter for each in _values(usual, members, bodies & usual.call.params.keys())}
        plan = planner.plan(way)
        found = tuple(each for each in _values(plan, members, names) if each.parameter not in seen)
        fresh = {each.parameter for each in found}
        if len(fresh) > MANY:
            continue
        seen |= fresh
        if found:
            yield Around(way=way, plan=plan, variants=found)


def _values(plan: Plan, members: tuple[Member, ...], names: Container[str]) -> Iterator[Variant]:
    params, chosen = plan.call.params, tuple(each for each in members if each.name in names)
    for each in variants(chosen, params, {}):
        if each.value_class in _WANTED or (each.is_plain and each.value_class is ValueClass.MISSING):
            yield each
    for member in chosen:
        # What is known of the limits of a parameter was asked in the usual way.
        those = big(params, member, sizes(member, params[member.name], named=(), number=0))
        yield from (replace(each, size=0) for each in those)


def _is_left_out(planner: Planner, operation: str, name: str) -> bool:
    """Whether the hints say that a parameter is not to be given by itself."""
    values = planner.hints.values
    return any(values.get(key, "") is None for key in (f"{operation}.{name}", name))
