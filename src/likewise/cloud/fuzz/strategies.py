"""Other orders of tasks, to measure the campaign's own against."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from likewise.cloud.fuzz.calls import Call, Name, Ref, placeholders
from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.cloud.fuzz.tasks.cases import Task
from likewise.model import ConfigurationError

if TYPE_CHECKING:
    from likewise.cloud.fuzz.campaign import Campaign

NAMES = ("hybrid", "random", "breadth")


def strategy(name: str, campaign: Campaign) -> Iterator[Task] | None:
    """The tasks of a strategy; None is the campaign's own."""
    match name:
        case "hybrid":
            return None
        case "random":
            return random_tasks(campaign)
        case "breadth":
            return breadth_tasks(campaign)
    raise ConfigurationError(f"unknown strategy {name!r}", todo=f"Strategies are {', '.join(NAMES)}.")


def random_tasks(campaign: Campaign) -> Iterator[Task]:
    """Random operations with random values of the right types, names from a small pool."""
    cases = campaign.cases
    chance = random.Random(f"{cases.seed}/random")
    number = 0
    while True:
        calls = []
        for _ in range(8):
            operation = chance.choice(cases.operations)
            shape = cases.planner.grammar.operations[operation]
            params = {
                member.name: _random_value(member, cases.planner.hints.names, chance)
                for member in shape.members
                if member.required or chance.random() < 0.2
            }
            calls.append(Call(service=cases.planner.service, operation=operation, params=params))
        probes = tuple(Probe(call=each, state="walk") for each in calls)
        yield Task(
            name=f"random/{number}", operation=calls[-1].operation, case=Case(probes=probes), phase="random"
        )
        number += 1


def _random_value(member: Member, names: Mapping[str, str], chance: random.Random) -> object:
    if kind := names.get(member.name):
        return Name(kind, chance.randrange(3))
    if member.enum:
        return chance.choice(member.enum)
    match member.kind:
        case "string":
            return chance.choice(["", "a", "value", "x" * 300, "ü", "0", "name"])
        case "integer":
            return chance.choice([0, 1, 2, 10, 1000, -1])
        case "float":
            return 1.5
        case "boolean":
            return chance.random() < 0.5
        case "timestamp":
            return chance.choice(["2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"])
        case "blob" | "any":
            return chance.choice([b"", b"x", b"hello" * 20])
        case "list":
            inner = member.members[0] if member.members else None
            count = chance.randrange(3)
            return [_random_value(inner, names, chance) for _ in range(count)] if inner else []
        case "map":
            return {"key": _random_value(member.members[1], names, chance)} if len(member.members) > 1 else {}
    return {
        inner.name: _random_value(inner, names, chance)
        for inner in member.members
        if inner.required or chance.random() < 0.3
    }


def breadth_tasks(campaign: Campaign) -> Iterator[Task]:
    """Sequences by length: every operation after every shorter sequence that it can follow."""
    cases = campaign.cases
    planner = cases.planner
    chance = random.Random(f"{cases.seed}/breadth")
    plans = {name: planner.plan(name) for name in cases.operations}
    number, length = 0, 1
    while True:
        layer = [name for name in cases.operations if len(plans[name].calls) <= length]
        chance.shuffle(layer)
        for name in layer:
            plan = plans[name]
            shape = planner.grammar.operations[name]
            params = dict(plan.call.params)
            for member in shape.members:
                if member.name not in params and chance.random() < 0.15:
                    params[member.name] = planner.by_type(member)
                elif member.enum and member.name in params and chance.random() < 0.5:
                    params[member.name] = chance.choice(member.enum)
            call = planner.bound(replace(plan.call, params=params), plan.setup)
            if any(isinstance(each, Ref) and each.call < 0 for each in placeholders(call.params)):
                continue
            case = Case(setup=plan.setup, probes=(Probe(call=call, state="walk"),))
            yield Task(name=f"breadth/{number}", operation=name, case=case, phase="breadth")
            number += 1
        length += 1
