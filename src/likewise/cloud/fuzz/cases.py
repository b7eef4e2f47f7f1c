"""Cases in the order in which they are worth most: states first, then the sweep, then short walks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from likewise.cloud.fuzz.calls import Call, Name, Ref, Text, placeholders
from likewise.cloud.fuzz.execution import Case, Probe
from likewise.cloud.fuzz.plans import Plan, Planner, is_read
from likewise.cloud.fuzz.values import ValueClass, Variant, together, variants

BATCH = 8
"""Probes that share a set-up."""
NOTHING = "00000000-0000-0000-0000-000000000000-none"
"""An identifier that nothing has, long enough for every SDK."""
GROUP = 3
"""Optional parameters that are given together at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One case to run, known by a name that is the same in every run."""

    name: str
    operation: str
    case: Case
    phase: str
    keys: tuple[str, ...] = ()
    """What it has in common with other tasks: what those gave says what this one promises."""


class Cases:
    """Makes the tasks of one service."""

    def __init__(self, planner: Planner, seed: int, operations: Sequence[str]) -> None:
        self.planner, self.seed = planner, seed
        self.operations = sorted(operations, key=self._order)

    def _order(self, operation: str) -> tuple[int, int, str]:
        """Makers first: what others build on must be known to agree before the others are judged."""
        makers = list(self.planner.hints.makers.values())
        rank = makers.index(operation) if operation in makers else len(makers)
        return rank, int(is_read(operation)), operation

    def present(self) -> list[Task]:
        """Every operation as it should be."""
        return self._tasks([("present", name, self._present(name)) for name in self.operations])

    def repaired(self, operation: str, number: int) -> Task:
        """An operation as it is known to be called by now."""
        return Task(
            name=f"{operation}/repaired/{number}",
            operation=operation,
            case=self._present(operation),
            phase="states",
            keys=("repaired",),
        )

    def orphan(self, operation: str) -> Task:
        """An operation whose producers give nothing, with something made up in its place."""
        call = replace(self.plan(operation).call, params=_unbound(self.planner.typical(operation), ()))
        case = Case(probes=(self.probe((), call, state="no parent"),))
        return Task(name=f"{operation}/orphan", operation=operation, case=case, phase="states", keys=("no",))

    def states(self) -> dict[str, list[Task]]:
        """Every operation with things missing, gone or there twice: by what is the matter."""
        kinds: dict[str, list[tuple[str, str, Case]]] = {}
        for operation in self.operations:
            for state, case in self._other_states(operation):
                kinds.setdefault(state, []).append((state, operation, case))
        return {state: self._tasks(those) for state, those in kinds.items()}

    def _tasks(self, those: Sequence[tuple[str, str, Case]]) -> list[Task]:
        """Cases that begin alike share their set-up: it is made anew only after a write."""
        alike: dict[tuple[str, ...], list[tuple[str, str, Case]]] = {}
        for each in those:
            groups = alike.setdefault(_frozen(each[2].setup), [])
            groups.append(each)
        tasks = []
        for group in alike.values():
            for start in range(0, len(group), BATCH):
                part = group[start : start + BATCH]
                state, operation, case = part[0]
                probes = tuple(probe for _, _, each in part for probe in each.probes)
                tasks.append(
                    Task(
                        name=f"{operation}/{state}/{len(part)}",
                        operation=operation,
                        case=replace(case, probes=probes),
                        phase="states",
                        keys=(state.partition(" ")[0],),
                    )
                )
        return tasks

    def plan(self, operation: str) -> Plan:
        """The plan in which an operation should succeed."""
        return self.planner.plan(operation, many=operation in self.planner.hints.lists)

    def _present(self, operation: str) -> Case:
        plan = self.plan(operation)
        return Case(setup=plan.setup, probes=(self.probe(plan.setup, plan.call),))

    def probe(self, setup: Sequence[Call], call: Call, **labels: str) -> Probe:
        """A probe with the reads that can show what it does."""
        return Probe(call=call, observers=self._observers(setup, call), **labels)

    def _observers(self, setup: Sequence[Call], call: Call) -> tuple[Call, ...]:
        found = []
        before = [*setup, call]
        for name in self.planner.observers(call.operation):
            shape = self.planner.grammar.operations[name]
            params = dict(self.planner.typical(name))
            for member in shape.members:
                if member.name in self.planner.hints.names and member.name in call.params:
                    params[member.name] = call.params[member.name]
            read = self.planner.bound(Call(service=call.service, operation=name, params=params), before)
            if not any(isinstance(each, Ref) and each.call < 0 for each in placeholders(read.params)):
                found.append(read)
        return tuple(found)

    def _other_states(self, operation: str) -> Iterator[tuple[str, Case]]:
        plan = self.plan(operation)
        needs = self.planner.needs(operation)
        if needs:
            without = needs[-1].partition(":")[0]
            less = self.planner.plan(operation, plan.call.params, without=without)
            if less.setup and less.setup != plan.setup:
                call = replace(plan.call, params=_unbound(self.planner.typical(operation), less.setup))
                yield "unset", Case(setup=less.setup, probes=(self.probe(less.setup, call, state="unset"),))
        if plan.setup:
            call = replace(plan.call, params=_unbound(self.planner.typical(operation), ()))
            yield "no parent", Case(probes=(self.probe((), call, state="no parent"),))
        if not is_read(operation):
            setup = (*plan.setup, plan.call)
            yield "twice", Case(setup=setup, probes=(self.probe(setup, plan.call, state="twice"),))
            yield from self._seen(plan)
        yield from self._deleted(operation, plan)
        yield from self._pages(operation, plan)

    def _seen(self, plan: Plan) -> Iterator[tuple[str, Case]]:
        """A write of what was just looked at: a server may remember what it said."""
        looks = [
            each
            for each in self._observers(plan.setup, plan.call)
            if all(
                isinstance(part, Name) or part.call < len(plan.setup) for part in placeholders(each.params)
            )
        ]
        if looks:
            setup = (*plan.setup, *looks)
            yield "seen", Case(setup=setup, probes=(self.probe(setup, plan.call, state="seen"),))

    def _deleted(self, operation: str, plan: Plan) -> Iterator[tuple[str, Case]]:
        made = {call.operation for call in plan.calls}
        for kind, remover in self.planner.hints.removers.items():
            if self.planner.hints.makers.get(kind) not in made or remover == operation:
                continue
            gone = self.planner.plan(remover)
            setup = gone.calls
            call = replace(plan.call, params=_unbound(self.planner.typical(operation), setup))
            yield f"deleted {kind}", Case(setup=setup, probes=(self.probe(setup, call, state="deleted"),))

    def _pages(self, operation: str, plan: Plan) -> Iterator[tuple[str, Case]]:
        """A list page by page: the second page is asked for with what the first one said."""
        shape = self.planner.grammar.operations[operation]
        if not shape.limit or not shape.tokens or operation not in self.planner.hints.lists:
            return
        small = {**plan.call.params, shape.limit: 1}
        first = replace(plan.call, params=small)
        setup = (*plan.setup, first)
        tokens = {into: Ref(len(plan.setup), _place(self.planner.service, out)) for out, into in shape.tokens}
        second = replace(plan.call, params={**small, **tokens})
        labels = {"parameter": shape.limit, "value_class": str(ValueClass.BOUNDARY), "note": "1"}
        yield "first page", Case(setup=plan.setup, probes=(self.probe(plan.setup, first, **labels),))
        labels = {"parameter": shape.tokens[0][1], "value_class": str(ValueClass.TYPICAL)}
        yield "second page", Case(setup=setup, probes=(self.probe(setup, second, **labels),))

    def sweep(self, operation: str) -> list[Task]:
        """Every parameter of an operation in every class, several to a set-up."""
        plan, found = self.plan(operation), self._variants(operation)
        found = _grouped(found, plan.call.params) + found
        tasks = []
        for rank, those in sorted(_by_rank(found).items()):
            probes = [self._varied(plan, each) for each in those]
            tasks += [
                Task(
                    name=f"{operation}/sweep/{rank}/{start // BATCH}",
                    operation=operation,
                    case=Case(setup=plan.setup, probes=tuple(probes[start : start + BATCH])),
                    phase="sweep",
                    keys=(operation, f"rank {rank}"),
                )
                for start in range(0, len(probes), BATCH)
            ]
        return tasks

    def _variants(self, operation: str) -> list[Variant]:
        plan, hinted = self.plan(operation), self.planner.hints.values
        shape = self.planner.grammar.operations[operation]
        extra = {
            member.name: self.planner.value(shape, member)
            for member in shape.members
            if not (member.name in hinted and hinted[member.name] is None)
        }
        members = tuple(each for each in shape.members if each.name not in self.planner.hints.poison)
        found = list(variants(members, plan.call.params, extra))
        found = [each for each in found if each.value_class is not ValueClass.WRONG_TYPE or _may_pass(each)]
        # An address without one of its parts is another operation's.
        found = [
            each
            for each in found
            if each.value_class is not ValueClass.MISSING or each.parameter not in self.planner.hints.names
        ]
        random.Random(f"{self.seed}/{operation}").shuffle(found)
        return found

    def targets(self, operation: str) -> set[tuple[str, str, str]]:
        """Every (operation, parameter, class) triple that the sweep of an operation has."""
        return {(operation, each.parameter, str(each.value_class)) for each in self._variants(operation)}

    def mixed(self, operation: str, number: int) -> Task | None:
        """Calls with two parameters varied at once: which of two mistakes is noticed, what goes together."""
        chance = random.Random(f"{self.seed}/{operation}/mixed/{number}")
        plan = self.plan(operation)
        found = [each for each in self._variants(operation) if each.value_class is not ValueClass.MISSING]
        probes = []
        for _ in range(BATCH):
            pair = chance.sample(found, 2) if len(found) > 1 else []
            if len({each.top for each in pair}) == 2:
                probes.append(self._varied(plan, together(pair)))
        if not probes:
            return None
        case = Case(setup=plan.setup, probes=tuple(probes))
        keys = (f"mixed {operation}", "mixed")
        return Task(
            name=f"{operation}/mixed/{number}", operation=operation, case=case, phase="sweep", keys=keys
        )

    def _varied(self, plan: Plan, variant: Variant) -> Probe:
        call = self.planner.bound(replace(plan.call, params=variant.params), plan.setup)
        labels = {
            "parameter": variant.parameter,
            "value_class": str(variant.value_class),
            "note": variant.note,
        }
        probe = self.probe(plan.setup, call, **labels)
        # One read shows that something differs; all of them are asked once it does.
        return replace(probe, observers=probe.observers[:1])

    def thorough(self, setup: Sequence[Call], probe: Probe) -> Probe:
        """A probe with every read that can show what it does."""
        return replace(probe, observers=self._observers(setup, probe.call))

    def walk(self, number: int) -> Task:
        """A short walk: a few operations on the same things, then one whose answer is compared."""
        chance = random.Random(f"{self.seed}/walk/{number}")
        writers = [each for each in self.operations if not is_read(each)] or list(self.operations)
        chosen = [chance.choice(writers) for _ in range(chance.randint(1, 2))]
        last = chance.choice(self.operations)
        setup = combined([self.plan(each) for each in chosen])
        ending = self.plan(last)
        setup = combined([Plan(setup=setup[:-1], call=setup[-1]), *_as_plans(ending.setup)])
        call = self.planner.bound(
            replace(ending.call, params=_unbound(self.planner.typical(last), setup)), setup
        )
        case = Case(setup=setup, probes=(self.probe(setup, call, state="walk"),))
        return Task(name=f"walk/{number}", operation=last, case=case, phase="walks", keys=("walk",))


def _place(service: str, out: str) -> tuple[str | int, ...]:
    if service in ("s3", "dynamodb"):
        return tuple(out.split("."))
    return ("body", "EnumerationResults", out)


def _may_pass(variant: Variant) -> bool:
    """Whether the SDK might let a value of the wrong type through; botocore never does."""
    return variant.parameter.startswith("body") or "_" in variant.parameter


def _grouped(found: Sequence[Variant], typical: Mapping[str, Any]) -> list[Variant]:
    """What may be given besides, several at once: what both sides take needs no call of its own."""
    extra: dict[str, Variant] = {}
    for each in found:
        if each.value_class == ValueClass.TYPICAL and each.parameter == each.top not in typical:
            extra.setdefault(each.top, each)
    rest = list(extra.values())
    groups = [rest[start : start + GROUP] for start in range(0, len(rest), GROUP)]
    return [together(each) for each in groups if len(each) > 1]


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


def _by_rank(found: Sequence[Variant]) -> dict[int, list[Variant]]:
    """Every parameter once before any twice: the first value of a class counts more than the second."""
    ranks: dict[int, list[Variant]] = {}
    seen: dict[tuple[str, str], int] = {}
    for each in found:
        key = (each.parameter, str(each.value_class))
        again = seen[key] = seen.get(key, -1) + 1
        ranks.setdefault(_PRIORITY.get(each.value_class, 0) + 2 * min(again, 3), []).append(each)
    return ranks


def _as_plans(calls: Sequence[Call]) -> list[Plan]:
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
    match value:
        case Ref():
            return Ref(moved.get(value.call, value.call), value.path)
        case Text():
            return Text(tuple(shifted(part, moved) for part in value.parts))
        case Mapping():
            return {shifted(key, moved): shifted(inner, moved) for key, inner in value.items()}
        case list() | tuple():
            return [shifted(inner, moved) for inner in value]
    return value


def _unbound(params: Mapping[str, Any], setup: Sequence[Call]) -> Any:
    """Typical parameters where some of what they refer to was never made: something made up instead."""
    positions = {call.operation: number for number, call in enumerate(setup)}

    def walk(value: Any) -> Any:
        match value:
            case Ref(call=-1):
                number = positions.get(str(value.path[0]))
                return (
                    "00000000-0000-0000-0000-000000000000-none"
                    if number is None
                    else Ref(number, value.path[1:])
                )
            case Text():
                return Text(tuple(walk(part) for part in value.parts))
            case Mapping():
                return {walk(key): walk(inner) for key, inner in value.items()}
            case list() | tuple():
                return [walk(inner) for inner in value]
        return value

    return walk(params)


def names_in(calls: Sequence[Call]) -> set[Name]:
    """Every name that some calls use."""
    return {each for call in calls for each in placeholders(call.params) if isinstance(each, Name)}


def _frozen(calls: Sequence[Call]) -> tuple[str, ...]:
    return tuple(repr(call) for call in calls)
