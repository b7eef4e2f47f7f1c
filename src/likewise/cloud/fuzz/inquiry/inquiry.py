"""Looking into a difference: is it real, what is the least that shows it, whose fault is it?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Unresolved, placeholders, resolve
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.causes import NOT_IMPLEMENTED
from likewise.cloud.fuzz.differences.explaining import Explanations, Void
from likewise.cloud.fuzz.differences.judging import Gap, Judge, generalised
from likewise.cloud.fuzz.differences.leniency import ways_of
from likewise.cloud.fuzz.differences.likeness import is_empty, is_existence, is_of_field
from likewise.cloud.fuzz.differences.sightings import Sightings
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.inquiry.blame import REFUSALS, Blame, read_before
from likewise.cloud.fuzz.inquiry.descriptions import Descriptions
from likewise.cloud.fuzz.inquiry.minimising import Look, Minimiser, Shown
from likewise.cloud.fuzz.inquiry.remains import as_shown
from likewise.cloud.fuzz.inquiry.timing import Check, Lateness
from likewise.cloud.fuzz.planning.plans import Planner, is_read
from likewise.cloud.fuzz.planning.sequences import unset
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen, went_alike
from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.model import Difference, Manifestation

Said = tuple[str, ...]
ATTEMPTS = 3
_MISSES = frozenset({Difference.CODE, Difference.STATUS, Difference.MESSAGE})
"""How two refusals differ."""
CHANCY = frozenset({Difference.ORDER, Difference.IDENTITY})
"""Differences that a server may show at random: an order, which of several things is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """A difference that does not always show, and how often it did."""

    operation: str
    signature: tuple[str, ...]
    shown: int
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A finding of which it will be known later what it says, or whether it is one."""

    finding: Finding
    """What it is if it stays."""
    shown: Shown
    check: Check | None
    """Tells whether it goes away; nothing where it may follow from another."""
    late: Finding | None
    """What it is if it goes away."""
    doubt: Void | None
    """The operation that does nothing if it stays."""


class Inquiry:
    """Investigates differences on a pair of sides."""

    def __init__(self, pair: Pair, judge: Judge, planner: Planner) -> None:
        self.pair, self.judge, self.planner = pair, judge, planner
        self.minimiser = Minimiser(self.look, self.looks, planner, self.stand)
        self._said: dict[tuple[str, Said], tuple[set[Said], set[Said]]] = {}
        """What each side answered where they differ, in each run of an investigation, by what was asked."""
        self.known = Explanations()
        self.sightings = Sightings(planner, self.known)
        self.has_succeeded: tuple[set[str], set[str]] = (set(), set())
        self._descriptions = Descriptions(planner, self.known, self.has_succeeded)
        self.unstable: list[Unstable] = []
        self.wavering: list[Unstable] = []
        """Those of them that the last investigation came across."""
        self.lateness = Lateness(
            pair,
            judge,
            is_shared=self._is_shared,
            looks=planner.looks,
            account=planner.hints.account,
        )
        self._shared: dict[str, bool] = {}
        self._blame = Blame(self.look, judge, planner, self.known, is_shared=self._is_shared)

    def beside(self, pair: Pair) -> Inquiry:
        """The same knowledge for another investigation at the same time, on the same sides."""
        other = copy(self)
        other.pair, other._said, other.wavering = pair, {}, []
        other.minimiser = self.minimiser.beside(other.look, other.looks, other.stand)
        other.lateness = self.lateness.beside(pair)
        other._blame = self._blame.beside(other.look)
        return other

    def gaps(
        self, case: Case, probe: Probe, ours: Seen, theirs: Seen, *, again: bool = False
    ) -> tuple[list[Gap], set[str]]:
        """Every difference that a probe shows; none where the set-up itself went differently.

        And the operations that more differences may follow from, which will be known later. `again` where a
        difference is looked into: what is asked then is not what was to be asked.
        """
        compared = self.raw(case, probe, ours, theirs)
        if compared is None:
            self.sightings.part(case.setup, ours, theirs)
            return [], set()
        found, many = compared
        self.sightings.see(case, probe, found, (ours.answers[:many], theirs.answers[:many]))
        if not again and not probe.call.identity.is_owner:
            ways = ways_of(found, (ours.answers[0], theirs.answers[0]))
            self.known.authorisations.note(probe.call.operation, probe.call.identity, ways)
            found = [each for each in found if not self.known.is_of_caller(probe, each)]
        new = [each for each in found if not self.known.explains(case, probe, each, (ours, theirs))]
        doubts = [self.known.suspects(case, probe, each, (ours, theirs)) for each in new]
        # What comes into doubt while a difference is looked into shows in what becomes of its finding.
        sure = new if again else [each for each, doubt in zip(new, doubts, strict=True) if not doubt]
        return sure, set[str]().union(*doubts)

    def raw(self, case: Case, probe: Probe, ours: Seen, theirs: Seen) -> tuple[list[Gap], int] | None:
        """Every difference that a probe shows, whatever it follows from, and how many answers were compared.

        None where nothing can be: the set-up itself went differently.
        """
        if not went_alike(case.setup, ours, theirs) or not _is_given_alike(probe.call, ours, theirs):
            return None
        bonds, found, many = Bonds(calls=(*case.setup, probe.call)), list[Gap](), 0
        self.judge.at((self.pair.reference.endpoint, self.pair.candidate.endpoint))
        for call, left, right in zip(case.setup, ours.setup, theirs.setup, strict=False):
            self.judge.bind(call.operation, left, right, bonds)
        calls = (probe.call, *probe.observers)
        for number, (left, right) in enumerate(zip(ours.answers, theirs.answers, strict=False)):
            call = calls[number]
            if self._is_apart(case, calls, number, ours, theirs):
                break
            self._give(call, ours, theirs, bonds)
            self._note(call.operation, left, right)
            prefixes = (ours.prefix, theirs.prefix) if self._is_shared(call.operation) else ("", "")
            named = bool(prefixes[0]) and any(isinstance(each, Name) for each in placeholders(call.params))
            gaps = self.judge.gaps(
                call.operation, number, left, right, prefixes=prefixes, named=named, bonds=bonds
            )
            if all(seen.fresh and (seen.recent or number) for seen in (ours, theirs)):
                self.lateness.see(case, probe, number, (left, right), gaps)
            found += gaps
            many += 1
            if number == 0 and any(map(is_empty, found)):
                break
        return found, many

    def _is_apart(self, case: Case, calls: Sequence[Call], number: int, ours: Seen, theirs: Seen) -> bool:
        """Whether a read gives what everybody shares, of which the sides took different things.

        Or others alone have written to it: what they left is theirs to be looked into.
        """
        account, name = self.planner.hints.account, calls[number].operation
        if not is_read(name) or name not in account:
            return False
        before = (*case.setup, *calls[:number])
        is_own = any(call.operation in account and not is_read(call.operation) for call in before)
        return ours.shared != theirs.shared or (bool(ours.shared) and not is_own)

    def _give(self, call: Call, ours: Seen, theirs: Seen, bonds: Bonds) -> None:
        for each in placeholders(call.params):
            if isinstance(each, Ref):
                try:
                    left, right = (resolve(each, {}, [*seen.setup, *seen.answers]) for seen in (ours, theirs))
                except Unresolved:
                    continue
                self.judge.give(left, right, bonds)

    def _note(self, operation: str, ours: Answer, theirs: Answer) -> None:
        for which, answer in enumerate((ours, theirs)):
            if answer.success:
                self.has_succeeded[which].add(operation)

    def is_of_all(self, case: Case) -> bool:
        """Whether a probe of a case asks for what everybody on the server has."""
        return any(self._is_shared(probe.call.operation) for probe in case.probes)

    def _is_shared(self, operation: str) -> bool:
        """Whether a read gives what everybody on the server has: it need not be told of anything of ours."""
        if operation not in self._shared:
            told = placeholders(self.planner.typical(operation))
            lists = is_read(operation) and re.search(r"List|Filter|Query", operation) is not None
            self._shared[operation] = lists and all(each == Name("prefix") for each in told)
        return self._shared[operation]

    def look(self, case: Case) -> Look:
        """Run a case with one probe from scratch on fresh names."""
        return next(iter(self.looks(case)), Look(gaps=[], seen=None))

    def _judged(self, case: Case, seen: tuple[Seen, Seen]) -> Look:
        """What the answers to a case that was run show."""
        return Look(gaps=self.gaps(case, case.probes[0], *seen, again=True)[0], seen=seen)

    def looks(self, case: Case) -> list[Look]:
        """Run several probes after a set-up; each is judged by itself."""
        found = []
        for probe, (ours, theirs) in zip(case.probes, self.pair.do(case), strict=False):
            gaps, _ = self.gaps(case, probe, ours, theirs, again=True)
            self._hear(case, probe, gaps)
            found.append(Look(gaps=gaps, seen=(ours, theirs)))
        return found

    def stand(self, those: Sequence[Shown]) -> Look | None:
        """One more run of the case that shows some differences, left standing where one may go away."""
        case, seen = those[0].case, self.lateness.stand(those)
        if seen is None:
            return None
        gaps, _ = self.gaps(case, those[0].probe, *seen, again=True)
        self._hear(case, those[0].probe, gaps)
        return Look(gaps=gaps, seen=seen)

    def _hear(self, case: Case, probe: Probe, gaps: Sequence[Gap]) -> None:
        for signature in {gap.signature for gap in gaps}:
            same = [gap for gap in gaps if gap.signature == signature]
            ours, theirs = self._said.setdefault((_form(case, probe), signature), (set(), set()))
            ours.add(tuple(gap.reference for gap in same))
            theirs.add(tuple(gap.candidate for gap in same))

    def _is_chance(self, gap: Gap) -> bool:
        """Whether each side at times says what the other says, asked the same: then neither means it."""
        return any(
            ours & theirs
            for (_, signature), (ours, theirs) in self._said.items()
            if signature == gap.signature
        )

    def investigate(
        self,
        case: Case,
        probe: Probe,
        gaps: Sequence[Gap],
        before: Iterable[tuple[Case, tuple[Seen, Seen]]] = (),
    ) -> list[Finding | Pending]:
        """The findings among the differences of one probe; what does not repeat is kept with its rate.

        All of them are confirmed and minimised together: every run serves each of them. What reads said right
        `before` the probe need not be asked to know what they say without it.
        """
        used = self._used()
        self.lateness.begin()
        self._blame.begin({str(each): self._judged(each, seen) for each, seen in before})
        self._said.clear()
        self.wavering.clear()
        case = Case(setup=case.setup, probes=(probe,))
        self._hear(case, probe, gaps)
        shown, wavering = self.minimiser.confirm(case, gaps)
        real = []
        for each in shown:
            first = next((gap for gap in gaps if gap.signature == each.gap.signature), None)
            if first is not None and self._is_fresh(first, each.gap):
                self.judge.volatile.add((first.operation, first.place))
                self.sightings.dismiss(first)
            else:
                real.append(each)
        least = self.minimiser.minimise(real)
        self._waver(case, [*wavering, *([] if least else [each.gap for each in real])])
        found: list[Finding | Pending] = []
        # What reads show first: it may account for what the answer itself says.
        for each in sorted(least, key=lambda one: not one.gap.index):
            if not _is_said_of_state(each, found) and self._holds(each):
                found += self._explained(each, shown)
        spent = -(-(self._used() - used) // len(found)) if found else 0
        return [_costing(each, spent) for each in found]

    def _explained(self, each: Shown, others: Sequence[Shown]) -> Iterator[Finding | Pending]:
        """A difference as a finding; nothing where another one accounts for it by now."""
        assert each.look.seen is not None
        facts = (each.case, each.probe, each.gap, each.look.seen)
        if self.known.is_of_caller(each.probe, each.gap):
            return
        if each.gap.index == 0 and self.known.explains(*facts):
            return
        follows = each.gap.index == 0 and bool(self.known.suspects(*facts))
        each = self._as_shown(each)
        blamed, state, doubt = self._blame.lay(each, others)
        final = self._own(each) if each.gap.index and not state else each
        found = self._descriptions.finding(final, blamed, state=state, void=doubt)
        for gap in (each.gap, final.gap):
            self.sightings.blame(gap, found)
        if doubt is None and (state or not each.gap.index):
            found = replace(found, deaf=self._blame.find_deaf(each))
        # Who refuses a call for want of a thing that is only late had not come to what else is wrong with it.
        is_open = found.cause != NOT_IMPLEMENTED or each.gap.difference in _MISSES
        check = is_open and self.lateness.check(each)
        late = self._descriptions.finding(final, blamed, state=state, settles=True) if check else None
        if check and is_read(each.gap.operation) and is_existence(each.gap):
            self.planner.doubted.add(each.gap.operation)
        assert final.look.seen is not None
        self.known.refuse(final.probe, final.gap, final.look.seen)
        if check is True:
            assert late is not None
            yield late
            return
        if doubt is not None:
            self.known.doubts.append(doubt)
        pending = Pending(finding=found, shown=each, check=check or None, late=late, doubt=doubt)
        if check or follows:
            yield pending
        elif (certain := self.resolve(pending)) is not None:
            yield certain

    def resolve(self, pending: Pending) -> Finding | None:
        """What became of a finding that was not certain; nothing where another one accounts for it by now."""
        is_late = pending.check is not None and self.lateness.settle(pending.check)
        if pending.doubt is not None:
            self.known.resolve(pending.doubt, is_real=not is_late)
        if is_late:
            return pending.late
        shown = pending.shown
        if pending.check is not None:
            self.planner.doubted.discard(shown.gap.operation)
        assert shown.look.seen is not None
        if shown.gap.index == 0 and self.known.explains(shown.case, shown.probe, shown.gap, shown.look.seen):
            return None
        return pending.finding

    def _as_shown(self, shown: Shown) -> Shown:
        """A read that has something left over as what shows the write before it, if it does so again."""
        if (case := as_shown(shown)) is None:
            return shown
        look = self.look(case)
        gap = look.find(shown.gap)
        if gap is None or not gap.index:
            return shown
        return Shown(gap=gap, case=case, look=look, confirmed=shown.confirmed + 1)

    def _own(self, shown: Shown) -> Shown:
        """A read that differs by itself, without the write after which it was noticed."""
        name = shown.gap.operation
        plan = self.planner.plan(name)
        forms = [
            read_before(shown, shown.gap.index),
            Case(setup=plan.setup, probes=(Probe(call=plan.call),)),
        ]
        if shown.gap.difference in _MISSES and (less := unset(self.planner, name)) is not None:
            # What is missed after it was removed is missed where it never was.
            forms.append(Case(setup=less.setup, probes=(Probe(call=less.call, state="unset"),)))
        for case in forms:
            if case is not None and len(case.setup) <= len(shown.case.setup):
                look = self._blame.from_scratch(case, shown.gap)
                if look is not None and (gap := look.find(shown.gap)) is not None:
                    return Shown(gap=gap, case=case, look=look, confirmed=shown.confirmed + 1)
        return shown

    def _used(self) -> int:
        return self.pair.asked

    def _is_fresh(self, gap: Gap, again: Gap) -> bool:
        """Whether both sides gave a value of their own making: it differs from time to time on each side."""
        same_text = gap.difference is Difference.MESSAGE and generalised(gap.reference) == generalised(
            gap.candidate
        )
        return (
            (gap.difference is Difference.VALUE or same_text)
            and gap.reference != again.reference
            and gap.candidate != again.candidate
        )

    def _waver(self, case: Case, gaps: Sequence[Gap]) -> None:
        """Keep what did not show again, with how often it does."""
        if not gaps:
            return
        looks = [self.look(case) for _ in range(ATTEMPTS - 1)]
        if any(look.seen is None for look in looks):
            return  # the budget has ended: nobody knows whether it would have shown
        for gap in gaps:
            if self.known.is_known(gap):
                continue
            shown = sum(look.find(gap) is not None for look in looks)
            self._doubt(gap, 1 + shown, 1 + ATTEMPTS)

    def _doubt(self, gap: Gap, shown: int, tries: int) -> None:
        self.sightings.dismiss(gap)
        doubtful = Unstable(operation=gap.operation, signature=gap.signature, shown=shown, tries=tries)
        self.unstable.append(doubtful)
        self.wavering.append(doubtful)

    def _holds(self, shown: Shown) -> bool:
        """Whether a difference that chance may have made shows every time, and always the same way."""
        tries = confirmed = shown.confirmed + 1
        if shown.gap.difference in CHANCY or self._fails_at_times(shown):
            for _ in range(2):
                look = self.look(shown.case)
                if look.seen is None:
                    return False  # the budget has ended
                tries += 1
                confirmed += look.find(shown.gap) is not None
        if confirmed == tries and not self._is_chance(shown.gap):
            return True
        self._doubt(shown.gap, confirmed, tries)
        return False

    def _fails_at_times(self, shown: Shown) -> bool:
        """Whether a server breaks down over an operation that it was seen to carry out."""
        gap = shown.gap
        return any(
            gap.index < len(seen.answers)
            and (seen.answers[gap.index].status or 0) >= 500
            and gap.operation in self.has_succeeded[which]
            for which, seen in enumerate(shown.look.seen or ())
        )


def _is_said_of_state(shown: Shown, found: Sequence[Finding | Pending]) -> bool:
    """Whether an answer differs to a value of a parameter with which the operation leaves something else.

    Without a parameter, only where it says itself what it left.
    """
    gap = shown.gap
    if gap.index or gap.difference in REFUSALS | _MISSES:
        return False
    those = [each if isinstance(each, Finding) else each.finding for each in found]
    return any(
        each.operation == shown.probe.call.operation
        and each.parameter == shown.probe.parameter
        and each.manifestation != Manifestation.RESPONSE
        and (bool(each.parameter) or is_of_field(each, gap))
        for each in those
    )


def _is_given_alike(call: Call, ours: Seen, theirs: Seen) -> bool:
    """Whether earlier answers gave a call something on both sides, or on neither: a marker, a receipt."""
    for each in placeholders(call.params):
        if isinstance(each, Ref):
            given = []
            for seen in (ours, theirs):
                try:
                    given.append(bool(resolve(each, {}, seen.setup)))
                except Unresolved:
                    given.append(False)
            if given[0] != given[1]:
                return False
    return True


def _costing(found: Finding | Pending, pairs: int) -> Finding | Pending:
    """What was found, with the call pairs that it took."""
    if isinstance(found, Finding):
        return replace(found, pairs=pairs)
    late = found.late and replace(found.late, pairs=pairs)
    return replace(found, finding=replace(found.finding, pairs=pairs), late=late)


def _form(case: Case, probe: Probe) -> str:
    return f"{case.setup} {probe.call!r}"
