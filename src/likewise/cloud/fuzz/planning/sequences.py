"""Sequences put together from others: references follow the calls that they mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import LEAVES, Call, Ref, Text
from likewise.cloud.fuzz.planning.plans import Plan, Planner

NOTHING = "00000000-0000-0000-0000-000000000000-none"
"""An identifier that nothing has, long enough for every SDK."""


def as_plans(calls: Sequence[Call]) -> list[Plan]:
    return [Plan(setup=tuple(calls[:number]), call=call) for number, call in enumerate(calls)]


def combined(plans: Sequence[Plan]) -> tuple[Call, ...]:
    """The calls of several plans as one sequence: what is the same is done once, references follow."""
    sequence: list[Call] = []
    for plan in plans:
        moved: dict[int, int] = {}
        for number, call in enumerate(plan.calls):
            ready = replace(call, params=shifted(call.params, moved))
            if number < len(plan.setup) and ready in sequence:
                moved[number] = sequence.index(ready)
                continue
            moved[number] = len(sequence)
            sequence.append(ready)
    return tuple(sequence)


def shifted(value: Any, moved: Mapping[int, int]) -> Any:
    """Parameters whose references follow calls that stand elsewhere now."""
    if type(value) in LEAVES:
        return value
    match value:
        case Ref():
            return Ref(moved.get(value.call, value.call), value.path)
        case Text():
            return Text(tuple(shifted(part, moved) for part in value.parts))
        case dict() | Mapping():
            return {shifted(key, moved): shifted(inner, moved) for key, inner in value.items()}
        case list() | tuple():
            return [shifted(inner, moved) for inner in value]
    return value


def unbound(params: Mapping[str, Any], setup: Sequence[Call]) -> Any:
    """Typical parameters where some of what they refer to was never made: something made up instead."""
    positions = {call.operation: number for number, call in enumerate(setup)}

    def walk(value: Any) -> Any:
        match value:
            case Ref(call=-1):
                number = positions.get(str(value.path[0]))
                return NOTHING if number is None else Ref(number, value.path[1:])
            case Text():
                return Text(tuple(walk(part) for part in value.parts))
            case dict() | Mapping():
                return {walk(key): walk(inner) for key, inner in value.items()}
            case list() | tuple():
                return [walk(inner) for inner in value]
        return value

    return walk(params)


def unset(planner: Planner, operation: str) -> Plan | None:
    """A call without what the last thing it needs would have made; None where nothing would be left."""
    needs = planner.needs(operation)
    if not needs:
        return None
    less = planner.plan(operation, {}, without=needs[-1].partition(":")[0])
    call = replace(less.call, params=unbound(planner.typical(operation), less.setup))
    return replace(less, call=call) if less.setup else None


def plain(planner: Planner, setup: Sequence[Call]) -> tuple[Call, ...]:
    """A set-up whose calls are all typical ones, where some were given more for what comes after them."""
    related = {name.partition(":")[0] for name in planner.hints.related}
    found: list[Call] = []
    for call in setup:
        is_special = call.operation in related
        usual = replace(call, params=planner.typical(call.operation)) if is_special else call
        found.append(planner.bound(usual, found))
    return tuple(found)
