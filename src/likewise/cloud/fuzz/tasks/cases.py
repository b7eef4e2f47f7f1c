"""Cases in the order in which they are worth most: states first, then the sweep, then short walks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Call, Ref, placeholders
from likewise.cloud.fuzz.differences.likeness import tops
from likewise.cloud.fuzz.planning.plans import Plan, Planner, is_read
from likewise.cloud.fuzz.planning.sequences import as_plans, combined, plain, unbound, unset
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant, together
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.cloud.fuzz.tasks import callers
from likewise.cloud.fuzz.tasks.ranks import DEFERRED, is_condition
from likewise.cloud.fuzz.tasks.rounds import Round, Rounds
from likewise.cloud.fuzz.tasks.states import ALTERED, HELD, KEYED, Situation, filled, pages, situations, ways

BATCH = 8
"""Probes that share a set-up."""
LAST = 100
"""More calls than any set-up has."""
WATCHED = frozenset({"way", "twice", "plain", "held", "form", "filled"})
"""States in which it is looked at what a refused call has left."""


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
        self._producers = {call.operation for name in operations for call in planner.plan(name).setup}
        self.operations = sorted(operations, key=self._order)
        self.rounds = Rounds(planner, seed)

    def _order(self, operation: str) -> tuple[int, int, int, str]:
        """Makers first: what others build on must be known to agree before the others are judged.

        Then those that only look: they leave a context as the next one needs it.
        """
        makers = list(self.planner.hints.makers.values())
        rank = makers.index(operation) if operation in makers else len(makers)
        needed = len(self.planner.plan(operation).setup) if operation in self._producers else LAST
        return rank, needed, int(not is_read(operation)), operation

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

    def ways(self, operation: str, most: int | None = None) -> list[Task]:
        """An operation in the other ways in which it is called, or the first of them."""
        found = list(self._ways(operation))[:most]
        return self._tasks([(f"{state} early", operation, case) for state, case in found])

    def orphan(self, operation: str) -> Task:
        """An operation whose producers give nothing, with something made up in its place."""
        call = replace(self.plan(operation).call, params=unbound(self.planner.typical(operation), ()))
        case = Case(probes=(self.probe((), call, state="no parent"),))
        return Task(name=f"{operation}/orphan", operation=operation, case=case, phase="states", keys=("no",))

    def states(self) -> dict[str, list[Task]]:
        """Every operation with things missing, gone or there twice: by what is the matter."""
        kinds: dict[str, list[tuple[str, str, Case]]] = {}
        for operation in self.operations:
            for state, case in self._other_states(operation):
                kinds.setdefault(state, []).append((state, operation, case))
        found = {state: self._tasks(those) for state, those in kinds.items()}
        return {**found, **self._by_others()}

    def _by_others(self) -> dict[str, list[Task]]:
        """Operations called by others than the account's owner, round by round."""
        found: dict[str, list[tuple[str, str, Case]]] = {}
        for state, each in callers.rounds(self.planner, self.operations):
            probe = self.probe(each.setup, each.call, state=f"{callers.BY} {each.call.identity}")
            case = Case(setup=each.setup, probes=(replace(probe, observers=probe.observers[:1]),))
            found.setdefault(state, []).append((state, each.call.operation, case))
        rounds: dict[str, list[Task]] = {}
        for state, those in found.items():
            rounds.setdefault(state.partition(" ")[0], []).extend(self._tasks(those))
        return rounds

    def _tasks(self, those: Sequence[tuple[str, str, Case]]) -> list[Task]:
        """Cases that begin alike share their set-up: it is made anew only after a write."""
        alike: dict[tuple[str, ...], list[tuple[str, str, Case]]] = {}
        for each in those:
            groups = alike.setdefault(_frozen(each[2].setup), [])
            groups.append(each)
        tasks: list[Task] = []
        names: Counter[str] = Counter()
        for group in alike.values():
            for start in range(0, len(group), BATCH):
                part = group[start : start + BATCH]
                state, operation, case = part[0]
                probes = tuple(probe for _, _, each in part for probe in each.probes)
                name = f"{operation}/{state}/{len(part)}"
                names[name] += 1
                tasks.append(
                    Task(
                        name=name if names[name] == 1 else f"{name}/{names[name]}",
                        operation=operation,
                        case=replace(case, probes=probes),
                        phase="states",
                        keys=(state.partition(" ")[0],),
                    )
                )
        return tasks

    def plan(self, operation: str) -> Plan:
        """The plan in which an operation should succeed."""
        return self.rounds.plan(operation)

    def _present(self, operation: str) -> Case:
        """An operation as it should be; what it writes was just looked at: a server may remember that."""
        plan = self.plan(operation)
        setup = (
            plan.setup if is_read(operation) else (*plan.setup, *self.planner.looks(plan.setup, plan.call))
        )
        return Case(setup=setup, probes=(self.probe(setup, plan.call),))

    def probe(
        self,
        setup: Sequence[Call],
        call: Call,
        *,
        parameter: str = "",
        value_class: str = "",
        state: str = "present",
        note: str = "",
    ) -> Probe:
        """A probe with the reads that can show what it does."""
        return Probe(
            call=call,
            observers=self.planner.reads(setup, call),
            parameter=parameter,
            value_class=value_class,
            state=state,
            note=note,
            # A call that is refused may yet have done something to what is there.
            is_watched=bool(setup) and state.partition(" ")[0] in WATCHED,
        )

    def _other_states(self, operation: str) -> Iterator[tuple[str, Case]]:
        plan = self.plan(operation)
        less = unset(self.planner, operation)
        if less is not None and less.setup != plan.setup:
            probe = self.probe(less.setup, less.call, state="unset")
            yield "unset", Case(setup=less.setup, probes=(probe,))
        for base in (less, self.planner.plan(operation)):
            if base is not None and (setup := plain(self.planner, base.setup)) != base.setup:
                yield "plain", Case(setup=setup, probes=(self.probe(setup, base.call, state="plain"),))
        if plan.setup:
            call = replace(plan.call, params=unbound(self.planner.typical(operation), ()))
            yield "no parent", Case(probes=(self.probe((), call, state="no parent"),))
        setup = (*plan.setup, plan.call)
        if is_read(operation):
            yield "reread", Case(setup=setup, probes=(self.probe(setup, plan.call, state="twice"),))
        else:
            yield "twice", Case(setup=setup, probes=(self.probe(setup, plan.call, state="twice"),))
            required = {member.name for member in self.planner.grammar.operations[operation].required}
            bare = {name: value for name, value in plan.call.params.items() if name in required}
            if bare != plan.call.params:
                # Who asks again in the same words may be taken for the one who asked first.
                call = replace(plan.call, params=bare)
                yield "twice bare", Case(setup=setup, probes=(self.probe(setup, call, state="twice"),))
        yield from self._ways(operation)
        for inner, each in filled(self.planner, operation):
            yield f"filled {inner}", self._case(each, "filled")
        yield from self._deleted(operation, plan)
        if operation in self.planner.hints.lists:
            for page, each in pages(self.planner, plan):
                yield page, self._case(each, "present")
        for state, each in situations(self.planner, operation):
            # Whether it may be done at all is what these are about; what it then does, others show.
            yield state, self._case(each, state, is_watched=state not in (ALTERED, HELD, KEYED))

    def _ways(self, operation: str) -> Iterator[tuple[str, Case]]:
        for name, each in ways(self.planner, operation):
            if is_read(operation) and self._is_asked_after(each):
                continue
            case = self._case(each, f"way {name}")
            (probe,) = case.probes
            # What is written over what is there may leave some of that, which the first read need not show.
            is_over = any(call.operation == each.call.operation for call in each.setup)
            reads = self.planner.reads(each.setup, each.call, few=not is_over)
            yield "way", replace(case, probes=(replace(probe, observers=reads),))

    def _is_asked_after(self, read: Situation) -> bool:
        """Whether a read is what is asked first after a write that is called so itself: then that tells."""
        before, last = read.setup[:-1], read.setup[-1:]
        if not last or last[0].operation not in self.operations or is_read(last[0].operation):
            return False
        if read.call not in self.planner.reads(before, *last)[:1]:
            return False
        those = ways(self.planner, last[0].operation)
        return any((each.setup, each.call) == (before, *last) for _, each in those)

    def _case(self, each: Situation, state: str, *, is_watched: bool = True) -> Case:
        probe = self.probe(each.setup, each.call, state=state, **each.labels)
        return Case(setup=each.setup, probes=(probe if is_watched else replace(probe, observers=()),))

    def _deleted(self, operation: str, plan: Plan) -> Iterator[tuple[str, Case]]:
        made = {call.operation for call in plan.calls}
        for kind, remover in self.planner.hints.removers.items():
            if self.planner.hints.makers.get(kind) not in made or remover == operation:
                continue
            gone = self.planner.plan(remover)
            setup = gone.calls
            call = replace(plan.call, params=unbound(self.planner.typical(operation), setup))
            yield f"deleted {kind}", Case(setup=setup, probes=(self.probe(setup, call, state="deleted"),))

    def sweeps(self, operation: str) -> list[Iterator[Task]]:
        """The sweep of an operation, the classes, the sizes and so on apart: each may pay, or may not."""
        rounds = {} if self.planner.grammar.operations[operation].alias else self.rounds.apart(operation)
        return [self._swept(operation, those) for those in rounds.values()]

    def sweep(self, operation: str) -> Iterator[Task]:
        """Every parameter of an operation in every class and every size, several to a set-up."""
        if self.planner.grammar.operations[operation].alias:
            return  # the same request as the newer operation's
        yield from self._swept(operation, self.rounds.of(operation))

    def _swept(self, operation: str, rounds: Sequence[Round]) -> Iterator[Task]:
        for each in rounds:
            chosen = each.variants()
            for start in range(0, len(chosen), BATCH):
                probes = [self._varied(each.plan, one) for one in chosen[start : start + BATCH]]
                yield Task(
                    name=f"{operation}/{each.name}/{start // BATCH}",
                    operation=operation,
                    case=Case(
                        setup=each.plan.setup, probes=tuple(replace(one, state=each.state) for one in probes)
                    ),
                    phase="sweep",
                    keys=(operation, each.key),
                )

    def sized(self, operation: str, parameter: str) -> Iterator[list[Probe]]:
        """One part of a parameter in its sizes, round by round."""
        plan = self.plan(operation)
        for number in range(2 * DEFERRED):
            those = [each for each in self.rounds.sized(operation, number) if each.parameter == parameter]
            if those:
                yield [self._varied(plan, each) for each in those]

    def targets(self, operation: str) -> set[tuple[str, str, str]]:
        """Every (operation, parameter, class) triple of an operation: what it is given, and who calls it."""
        sized = [each for number in range(2 * DEFERRED) for each in self.rounds.sized(operation, number)]
        found = {
            (operation, each.parameter, str(each.value_class))
            for each in (*self.rounds.variants(operation), *sized)
        }
        return found.union(callers.targets(self.planner, operation))

    def mixed(self, operation: str, number: int) -> Task | None:
        """Calls with two parameters varied at once: which of two mistakes is noticed, what goes together."""
        chance = random.Random(f"{self.seed}/{operation}/mixed/{number}")
        plan = self.plan(operation)
        found = [
            each for each in self.rounds.variants(operation) if each.value_class is not ValueClass.MISSING
        ]
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
        is_unmet = is_condition(variant) and bool(plan.setup)
        # What is done for somebody else is what is always done.
        few = 0 if variant.value_class == ValueClass.OTHER_OWNER else 1
        return replace(probe, observers=probe.observers[:few], size=variant.size, is_watched=is_unmet)

    def besides(self, setup: Sequence[Call], probe: Probe) -> list[Probe]:
        """What may be given besides to a call that is taken where what it is about was never made."""
        found = []
        for each in self.rounds.besides(probe.call.operation):
            given = {name: each.params[name] for name in tops(each.parameter)}
            if any(isinstance(part, Ref) for part in placeholders(given)):
                continue  # it is about what was made
            call = replace(probe.call, params={**probe.call.params, **given})
            asked = replace(probe, call=call, parameter=each.parameter, value_class=str(each.value_class))
            reads = self.planner.reads(setup, call)[:1]
            found.append(replace(asked, note=each.note, observers=reads))
        return found

    def thorough(self, setup: Sequence[Call], probe: Probe) -> Probe:
        """A probe with every read that can show what it does."""
        return replace(probe, observers=self.planner.reads(setup, probe.call))

    def walk(self, number: int) -> Task:
        """A short walk: a few operations on the same things, then one whose answer is compared."""
        chance = random.Random(f"{self.seed}/walk/{number}")
        writers = [each for each in self.operations if not is_read(each)] or list(self.operations)
        chosen = [chance.choice(writers) for _ in range(chance.randint(1, 2))]
        last = chance.choice(self.operations)
        setup = combined([self.plan(each) for each in chosen])
        ending = self.plan(last)
        setup = combined([Plan(setup=setup[:-1], call=setup[-1]), *as_plans(ending.setup)])
        call = self.planner.bound(
            replace(ending.call, params=unbound(self.planner.typical(last), setup)), setup
        )
        case = Case(setup=setup, probes=(self.probe(setup, call, state="walk"),))
        return Task(name=f"walk/{number}", operation=last, case=case, phase="walks", keys=("walk",))


def _frozen(calls: Sequence[Call]) -> tuple[str, ...]:
    return tuple(repr(call) for call in calls)
