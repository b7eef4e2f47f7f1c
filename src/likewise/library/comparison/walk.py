"""Two runs of one test, crossing by crossing, and which partings only follow from an earlier one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from likewise.library import crossing
from likewise.library.comparison.aliases import Aliases
from likewise.library.comparison.alignment import Pair, reflecting
from likewise.library.comparison.bijection import Bijection, Name, names_in, receiver_name
from likewise.library.comparison.clocks import Clocks, Span
from likewise.library.comparison.divergence import Divergence, Manner, Quiet, Spot, manner_of
from likewise.library.comparison.drawing import Draws, is_draw
from likewise.library.comparison.lanes import align, shared
from likewise.library.comparison.outcomes import differences, is_kept_otherwise, value_of
from likewise.library.comparison.rendering import (
    show_arguments,
    show_inputs,
    show_outcome,
    show_outcomes,
    show_values,
)
from likewise.library.comparison.values import Within, changes, same
from likewise.model import Interaction, Raised, Trace

_INDEX = re.compile(r"\[\d+\]")
_OF_VALUES = frozenset({Manner.LENGTH, Manner.ORDER, Manner.VALUE, Manner.MESSAGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Differing:
    """How two outcomes differ."""

    manner: Manner
    place: str
    sides: tuple[str, str]
    change: Within


@dataclass(slots=True)
class _Walk:
    """Two runs of one test, crossing by crossing."""

    test: str
    is_quiet: Quiet
    bijection: Bijection = field(default_factory=Bijection)
    tainted: set[Name] = field(default_factory=set)
    """The reference's objects that an earlier difference may have made different."""
    parted: bool = False
    """Whether there was a difference before."""
    parted_at: set[str] = field(default_factory=set)
    shared: tuple[set[Name], set[Name]] = field(default_factory=lambda: (set(), set()))
    """The reference's and the candidate's objects that several lanes used at the same time."""
    reflecting: set[str] = field(default_factory=set)
    """Places at which the client reads whatever there is: one name more there is no other use."""
    chancy: set[Name] = field(default_factory=set)
    """The reference's objects that may hold something drawn, or made from it."""
    drawn_at: set[str] = field(default_factory=set)
    """Places at which things were the same only as what is drawn is, or where objects have other fields."""

    def meet(self, pair: Pair) -> Divergence | None:
        """The difference of one pair, if there is one that counts."""
        if is_draw(pair.any):
            if pair.reference is not None and pair.candidate is not None:
                self.bijection.aliases.draws.add(pair.reference, pair.candidate)
            return None
        if pair.reference is None or pair.candidate is None:
            return self._gap(pair)
        if pair.reference.wire.get("kind") == crossing.Kind.REST:
            return self._rest(pair.reference, pair.candidate)
        return self._both(pair.reference, pair.candidate)

    def _gap(self, pair: Pair) -> Divergence | None:
        one = pair.any
        manner = Manner.MISSING if pair.candidate is None else Manner.NEW
        place = str(manner)
        if one.wire.get("kind") == crossing.Kind.REST or self.is_quiet(self._spot(one, place), None, None):
            return None
        if one.wire.get("kind") == crossing.Kind.READ and one.wire.get("at") in self.reflecting:
            return None
        called = f"{one.operation}({show_arguments(one.arguments)})"
        if one.wire.get("kind") == crossing.Kind.READ and isinstance(one.outcome, Raised):
            # What can be called is noted when it is called, so that only the failing read was.
            manner, called = Manner.EXCEPTION, show_outcome(one.outcome)
            sides = (called, "is there") if pair.candidate is None else ("is there", called)
            # Whether a module or a type has a name does not follow from what happened before.
            follows = self.parted and receiver_name(one.receiver) in self.tainted
            found = self._divergence(one, manner, place, sides, is_downstream=follows)
            self._part(one)
            return found
        sides = (called, "not called") if pair.candidate is None else ("not called", called)
        found = self._divergence(one, manner, place, sides, is_downstream=self.parted)
        self._part(one)
        return found

    def _rest(self, reference: Interaction, candidate: Interaction) -> Divergence | None:
        ours, theirs = crossing.of(reference), crossing.of(candidate)
        are_known = ours.digest and theirs.digest
        if ours.count == theirs.count and (ours.digest == theirs.digest or not are_known):
            return None
        place = "rest"
        if ours.count == theirs.count and ours.at in self.drawn_at:
            return None  # a digest of what varies, or of how it is kept, says nothing
        if self.is_quiet(self._spot(reference, place), None, None):
            return None
        manner = Manner.VALUE
        if ours.count != theirs.count:
            manner = Manner.MISSING if ours.count > theirs.count else Manner.NEW
        sides = tuple(f"{each.count} more crossings, digest {each.digest[:8]}" for each in (ours, theirs))
        found = self._divergence(reference, manner, place, (sides[0], sides[1]), is_downstream=self.parted)
        self._part(reference)
        return found

    def _both(self, reference: Interaction, candidate: Interaction) -> Divergence | None:
        told_by_client = reference.wire.get("kind") in (crossing.Kind.CALLBACK, crossing.Kind.YIELD)
        drawn = self.bijection.aliases.uses
        is_known = self._receivers(reference, candidate)
        same_inputs = self._same_inputs(reference, candidate, told_by_client)
        involved = names_in(reference.arguments)
        if (receiver := receiver_name(reference.receiver)) is not None:
            involved.add(receiver)
        is_tainted = bool(involved & self.tainted)
        is_chancy = self.bijection.aliases.uses > drawn or bool(involved & self.chancy)
        if is_chancy and same_inputs and is_known and not is_tainted:
            self._descend(reference, candidate)
        if told_by_client:
            found = self._callback(reference, candidate, same_inputs, is_tainted)
        else:
            found = self._answer(reference, candidate, same_inputs and is_known, is_tainted)
        if is_tainted or found is not None:
            self._spread(reference, found)
        if self.bijection.aliases.uses > drawn or is_kept_otherwise(reference, candidate):
            self.drawn_at.add(str(reference.wire.get("at", "")))
        return found

    def _same_inputs(self, reference: Interaction, candidate: Interaction, told_by_client: bool) -> bool:
        """Whether both got the same; what the client brings before anything differs may have been drawn."""
        found = same(reference.arguments, candidate.arguments, self.bijection)
        if found or told_by_client or self.parted:
            return found
        self.bijection.aliases.bring(reference.arguments, candidate.arguments)
        return same(reference.arguments, candidate.arguments, self.bijection)

    def _descend(self, reference: Interaction, candidate: Interaction) -> None:
        """What was made from something drawn may look drawn, and is then one thing on both sides."""
        self.bijection.aliases.bring(value_of(reference.outcome), value_of(candidate.outcome))
        self.chancy |= names_in(value_of(reference.outcome))
        if reference.wire.get("kind") == crossing.Kind.CALL and value_of(reference.outcome) is None:
            self.chancy |= names_in(reference.arguments)
            if (receiver := receiver_name(reference.receiver)) is not None:
                self.chancy.add(receiver)

    def _answer(
        self, reference: Interaction, candidate: Interaction, same_inputs: bool, is_tainted: bool
    ) -> Divergence | None:
        outcome = self._outcome(reference, candidate)
        if outcome is not None and not same_inputs and self._varies(reference, candidate):
            # What came in varies from run to run, so that what came out says nothing about the library.
            outcome = None if outcome.manner in _OF_VALUES else outcome
        if outcome is not None:
            if outcome.manner is Manner.IDENTITY:  # of objects that may have been taken for one another
                is_tainted = is_tainted or bool(names_in(value_of(reference.outcome)) & self.tainted)
            follows = self.parted and (is_tainted or not same_inputs)
            # What a constructor leaves in an object counts where somebody looks at it.
            follows = follows or (
                outcome.manner is Manner.EFFECT and reference.operation.name.endswith("__init__")
            )
            return self._divergence(
                reference,
                outcome.manner,
                outcome.place,
                outcome.sides,
                is_downstream=follows,
                change=outcome.change,
            )
        if same_inputs:
            return None
        return self._inputs(reference, candidate)

    def _callback(
        self, reference: Interaction, candidate: Interaction, same_inputs: bool, is_tainted: bool
    ) -> Divergence | None:
        """What the library hands to the client is the library's doing; what comes back is not."""
        if not same_inputs:
            place = "arguments"
            for change in changes(reference.arguments, candidate.arguments, self.bijection):
                if self.is_quiet(
                    self._spot(reference, f"{place}.{_pattern(change.place)}"),
                    change.reference,
                    change.candidate,
                ):
                    continue
                sides = show_inputs(reference.arguments, candidate.arguments)
                where = f"{place}.{change.place}"
                return self._divergence(
                    reference,
                    manner_of(change),
                    where,
                    sides,
                    is_downstream=self.parted and is_tainted,
                    change=change,
                )
            return None
        outcome = self._outcome(reference, candidate)
        if outcome is None or not self.parted:
            # The client answers as it likes: only the library's part is compared.
            self.bijection.aliases.bring(value_of(reference.outcome), value_of(candidate.outcome))
            return None
        return self._divergence(
            reference, outcome.manner, outcome.place, outcome.sides, is_downstream=True, change=outcome.change
        )

    def _varies(self, reference: Interaction, candidate: Interaction) -> bool:
        """Whether the inputs differ, and only where they do from run to run."""
        found = list(changes(reference.arguments, candidate.arguments, self.bijection))
        return bool(found) and all(
            self.is_quiet(
                self._spot(reference, _pattern(f"arguments.{each.place}")), each.reference, each.candidate
            )
            for each in found
        )

    def _inputs(self, reference: Interaction, candidate: Interaction) -> Divergence | None:
        """Another input and the same answer: worth a word only where nothing explains the input."""
        for change in changes(reference.arguments, candidate.arguments, self.bijection):
            place = f"arguments.{change.place}"
            if self.is_quiet(self._spot(reference, _pattern(place)), change.reference, change.candidate):
                continue
            sides = show_inputs(reference.arguments, candidate.arguments)
            return self._divergence(
                reference, Manner.ARGUMENT, place, sides, is_downstream=self.parted, change=change
            )
        return None

    def _receivers(self, reference: Interaction, candidate: Interaction) -> bool:
        ours, theirs = receiver_name(reference.receiver), receiver_name(candidate.receiver)
        if ours is None or theirs is None:
            return ours == theirs
        if self.bijection.pair(ours, theirs):
            return True
        # Which object is which is not known any more for either of the two that were pairs.
        self.tainted |= {ours, self.bijection.backward.get(theirs, ours)}
        self.bijection.repair(ours, theirs)
        return False

    def _outcome(self, reference: Interaction, candidate: Interaction) -> _Differing | None:
        """The most telling difference that counts between what came back."""
        found = []
        for change, place in differences(
            reference, candidate, self.bijection, is_shared=self._is_shared(reference, candidate)
        ):
            if self.is_quiet(self._spot(reference, _pattern(place)), change.reference, change.candidate):
                continue
            found.append((manner_of(change, place), place, change))
        if not found:
            return None
        manner, place, change = min(found, key=lambda each: list(Manner).index(each[0]))
        if place.startswith(("after.", "state")):
            sides = show_values(change.reference, change.candidate)
        else:
            sides = show_outcomes(reference.outcome, candidate.outcome)
        return _Differing(manner=manner, place=place, sides=sides, change=change)

    def _is_shared(self, reference: Interaction, candidate: Interaction) -> bool:
        ours, theirs = receiver_name(reference.receiver), receiver_name(candidate.receiver)
        return ours in self.shared[0] or theirs in self.shared[1]

    def _part(self, one: Interaction) -> None:
        self.parted = True
        self.parted_at.add(str(one.wire.get("at", "")))

    def _spread(self, reference: Interaction, found: Divergence | None) -> None:
        """What an earlier difference may have reached: results, and what a call that says nothing changed."""
        if found is not None:
            self._part(reference)
        value = value_of(reference.outcome)
        self.tainted |= names_in(value)
        kind = reference.wire.get("kind")
        changed = found is not None and found.manner in (Manner.MUTATED, Manner.EFFECT)
        if kind == crossing.Kind.ITEM or changed or (kind == crossing.Kind.CALL and value is None):
            self.tainted |= names_in(reference.arguments)
            if (receiver := receiver_name(reference.receiver)) is not None:
                self.tainted.add(receiver)

    def _spot(self, one: Interaction, place: str) -> Spot:
        return Spot(test=self.test, at=str(one.wire.get("at", "")), operation=str(one.operation), place=place)

    def _divergence(
        self,
        one: Interaction,
        manner: Manner,
        place: str,
        sides: tuple[str, str],
        *,
        is_downstream: bool,
        change: Within | None = None,
    ) -> Divergence:
        return Divergence(
            spot=self._spot(one, _pattern(place)),
            manner=manner,
            inputs=show_arguments(one.arguments),
            reference=sides[0],
            candidate=sides[1],
            place=place,
            order=one.order,
            is_downstream=is_downstream,
            values=(None, None) if change is None else (change.reference, change.candidate),
            within="" if change is None else change.within,
            lane=one.lane,
            until=_until(one),
        )


def diverge(
    reference: Trace,
    candidate: Trace,
    *,
    is_quiet: Quiet = lambda spot, ours, theirs: False,
    inner: frozenset[str] = frozenset(),
    draws: Draws | None = None,
) -> list[Divergence]:
    """Every difference between two runs of one test, in the order of the reference's run.

    `inner` are the private types that one side alone has, `draws` what both had drawn before.
    """
    aliases = Aliases(clocks=_clocks(reference, candidate), draws=Draws() if draws is None else draws.copy())
    walk = _Walk(
        test=reference.test,
        is_quiet=is_quiet,
        bijection=Bijection(inner=inner, aliases=aliases),
        shared=(shared(reference.interactions), shared(candidate.interactions)),
        reflecting=reflecting([*reference.interactions, *candidate.interactions]),
    )
    found = (walk.meet(pair) for pair in align(reference.interactions, candidate.interactions, inner))
    return _outermost_last([each for each in found if each is not None])


def _outermost_last(found: list[Divergence]) -> list[Divergence]:
    """A call that differs because of what happened inside it, in the client's own code, is no cause."""
    causes = [each for each in found if not each.is_downstream]
    settled = []
    for each in found:
        inside = any(each.order < other.order <= each.until and other.lane == each.lane for other in causes)
        settled.append(replace(each, is_downstream=True) if inside and not each.is_downstream else each)
    return sorted(settled, key=lambda each: each.is_downstream)


def _clocks(reference: Trace, candidate: Trace) -> Clocks:
    ours, theirs = (Span(started=each.started, ended=each.ended) for each in (reference, candidate))
    return Clocks(reference=ours, candidate=theirs)


def _until(one: Interaction) -> int:
    until = one.wire.get("until")
    return until if isinstance(until, int) else 0


def _pattern(place: str) -> str:
    return _INDEX.sub("[]", place)
