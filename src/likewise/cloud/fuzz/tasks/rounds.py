"""The values that the parameters of an operation are given, round by round."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from likewise.cloud.fuzz.calls import Name
from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.plans import Plan, Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant, spelled
from likewise.cloud.fuzz.tasks.around import around
from likewise.cloud.fuzz.tasks.ranks import (
    DEFERRED,
    by_rank,
    common,
    families,
    grouped,
    is_condition,
    shuffled,
)
from likewise.cloud.fuzz.tasks.sizes import big, sizes
from likewise.cloud.fuzz.tasks.states import hinted

AGAIN = "again"
SIZES = 1
"""The rank of the first round of sizes: one call says of most parameters that they have no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Values that the parameters of an operation are given in turn, and the calls before it."""

    rank: int
    name: str
    key: str
    plan: Plan
    variants: Callable[[], Sequence[Variant]]
    """The values, made when it is their turn: some are big."""
    state: str = "present"


class Rounds:
    """Chooses the values of one service's parameters."""

    def __init__(self, planner: Planner, seed: int) -> None:
        self._planner, self._seed = planner, seed
        self._common = common(planner.grammar)
        self._known: dict[str, tuple[Mapping[str, Any], list[Variant]]] = {}
        """The values that the parameters of an operation are given, after the typical ones that they vary."""

    def plan(self, operation: str) -> Plan:
        """The plan in which an operation should succeed."""
        return self._planner.plan(operation, many=operation in self._planner.hints.lists)

    def of(self, operation: str) -> list[Round]:
        """Those of one operation in their order.

        What is given once more to a thing that is there comes after what is given for the first time.
        """
        return sorted(self._of(operation), key=lambda each: (each.rank, each.key == AGAIN, each.name))

    def apart(self, operation: str) -> dict[str, list[Round]]:
        """Those of one operation by what they are about: classes, sizes, names, what is there already."""
        found: dict[str, list[Round]] = {}
        for each in self.of(operation):
            found.setdefault(each.key.partition(" ")[0], []).append(each)
        return found

    def _of(self, operation: str) -> Iterator[Round]:
        """The classes by rank, what is there already called again, and the sizes."""
        plan, found = self.plan(operation), self.variants(operation)
        twins: dict[tuple[str, ...], str] = {}
        found = grouped(found, plan.call.params, self._shared(operation)) + found
        ranked = by_rank(
            found,
            self._shared(operation),
            plan.call.params,
            related=families(self._planner.grammar.operations[operation]),
            missed=self._missed(operation) if plan.setup else (),
            twins=twins,
        )
        for rank, those in ranked.items():
            yield Round(
                rank=rank, name=f"sweep/{rank}", key=f"rank {rank}", plan=plan, variants=partial(list, those)
            )
        for each in around(self._planner, operation):
            for rank, those in by_rank(each.variants, (), each.plan.call.params, twins=twins).items():
                yield Round(
                    rank=rank,
                    name=f"way/{each.way}/{rank}",
                    key=f"rank {rank}",
                    plan=each.plan,
                    variants=partial(list, those),
                    state=f"way {each.way}",
                )
        if operation in self._planner.hints.makers.values():
            yield Round(
                rank=1,
                name="there/1",
                key=AGAIN,
                plan=Plan(setup=plan.calls, call=plan.call),
                variants=partial(self.besides, operation),
                state="twice",
            )
            yield Round(
                rank=0, name="named/0", key="named", plan=plan, variants=partial(self._named, operation)
            )
        for number in range(2 * DEFERRED):
            yield Round(
                rank=SIZES + number,
                name=f"sizes/{number}",
                key=f"size {number}",
                plan=plan,
                variants=partial(self.sized, operation, number),
            )

    def variants(self, operation: str) -> list[Variant]:
        """Every value of every parameter of an operation, but for sizes."""
        params = self.plan(operation).call.params
        before = self._known.get(operation)
        if before is not None and before[0] == params:
            return before[1]
        found = list(variants(self._members(operation), params, self._extra(operation)))
        found = [each for each in found if each.value_class is not ValueClass.WRONG_TYPE or _may_pass(each)]
        own = self._own(operation)
        for name in (member.name for member in self._members(operation)):
            if isinstance(base := params.get(name), Name) and base.kind in own:
                found += spelled(params, name, base)
            known = list(hinted(self._planner, operation, name, self.plan(operation)))
            # What somebody knows not to be there says more than what is made up.
            unknown = [each for each in known if each.value_class is ValueClass.UNKNOWN]
            found = [*unknown, *found, *(each for each in known if each not in unknown)]
        # An address without one of its parts is another operation's.
        found = [
            each
            for each in found
            if each.value_class is not ValueClass.MISSING or each.parameter not in self._planner.hints.names
        ]
        along = self._planner.hints.along
        found = [replace(each, params={**along.get(each.top, {}), **each.params}) for each in found]
        found = shuffled(found, random.Random(f"{self._seed}/{operation}"))
        self._known[operation] = (params, found)
        return found

    def besides(self, operation: str) -> list[Variant]:
        """What may be given besides: it may matter only to a thing that is there already, or is not."""
        typical = self.plan(operation).call.params
        found = [
            each
            for each in self.variants(operation)
            if each.value_class in (ValueClass.TYPICAL, ValueClass.UNKNOWN)
            and each.parameter == each.top not in typical
        ]
        return sorted(grouped(found, typical) + found, key=is_condition, reverse=True)

    def sized(self, operation: str, number: int) -> list[Variant]:
        """Every text and list of an operation's parameters in the sizes of one round.

        Rounds of parameters that many operations share come after all others.
        """
        params = self.plan(operation).call.params
        extra, shared = self._extra(operation), self._shared(operation)
        made, own = self._made(operation), self._own(operation)
        found: list[Variant] = []
        for member in self._members(operation):
            base = params.get(member.name, extra.get(member.name))
            if isinstance(base, Name) and base.kind in own:
                continue  # they have a round of their own
            wanted = number - (DEFERRED if member.name in shared else 0)
            found += big(params, member, sizes(member, base, named=made, number=wanted))
        return found

    def _named(self, operation: str) -> list[Variant]:
        """The names of what an operation makes in every length: most servers have a limit of theirs."""
        params, own = self.plan(operation).call.params, self._own(operation)
        found: list[Variant] = []
        for member in self._members(operation):
            if isinstance(base := params.get(member.name), Name) and base.kind in own:
                found += big(params, member, sizes(member, base, named=own))
        return found

    def _shared(self, operation: str) -> frozenset[str]:
        """Parameters that are not this operation's own: many have them, and it is not about them."""
        hints = self._planner.hints
        return frozenset(
            name
            for name in self._common
            if not (name in hints.names and hints.names[name] in self._made(operation))
            and f"{operation}.{name}" not in hints.values
        )

    def _missed(self, operation: str) -> frozenset[str]:
        """Parameters that name what contains everything: where nothing was made, it is missed anyway."""
        top, names = KINDS.get(self._planner.service, ""), self._planner.hints.names
        return frozenset(name for name, kind in names.items() if kind == top) - self._made(operation)

    def _made(self, operation: str) -> frozenset[str]:
        """The kinds of thing that an operation makes, or need not find."""
        return self._planner.hints.creates.get(operation, frozenset()) | self._own(operation)

    def _own(self, operation: str) -> frozenset[str]:
        """The kinds of thing that are made by this operation more than by others."""
        return frozenset(kind for kind, maker in self._planner.hints.makers.items() if maker == operation)

    def _extra(self, operation: str) -> dict[str, Any]:
        """Typical values of everything that may be given."""
        shape, hinted = self._planner.grammar.operations[operation], self._planner.hints.values
        return {
            member.name: self._planner.value(shape, member)
            for member in shape.members
            if not (member.name in hinted and hinted[member.name] is None)
        }

    def _members(self, operation: str) -> tuple[Member, ...]:
        poison = self._planner.hints.poison
        return tuple(each for each in self._planner.members(operation) if each.name not in poison)


def _may_pass(variant: Variant) -> bool:
    """Whether the SDK might let a value of the wrong type through; botocore never does."""
    return variant.parameter.startswith("body") or "_" in variant.parameter
