"""Looking into a difference: is it real, what is the least that shows it, whose fault is it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Answer, Call, Ref, placeholders
from likewise.cloud.fuzz.cases import shifted
from likewise.cloud.fuzz.causes import condition, likely_cause
from likewise.cloud.fuzz.execution import Case, Pair, Probe, Seen
from likewise.cloud.fuzz.findings import Finding, digest, manifestation_of
from likewise.cloud.fuzz.judging import Bonds, Gap, Judge, generalised
from likewise.cloud.fuzz.plans import Planner, is_read
from likewise.model import Difference

ATTEMPTS = 3
LIMIT = 10
"""Call pairs that minimising may take, beyond the first confirmation."""
EXISTENCE = frozenset({Difference.SUCCESS, Difference.LENGTH})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstable:
    """A difference that does not always show, and how often it did."""

    operation: str
    signature: tuple[str, ...]
    shown: int
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One run of a case with a single probe: what differed, and the answers."""

    gaps: list[Gap]
    seen: tuple[Seen, Seen] | None

    def find(self, gap: Gap) -> Gap | None:
        """The same difference, if it showed."""
        return next((each for each in self.gaps if each.signature == gap.signature), None)


class Inquiry:
    """Investigates differences on a pair of sides."""

    def __init__(self, pair: Pair, judge: Judge, planner: Planner) -> None:
        self.pair, self.judge, self.planner = pair, judge, planner
        self.explained: dict[str, set[tuple[str, ...]]] = {}
        """Differences in reads that a mutating operation is to blame for, by that operation."""
        self.ineffective: set[str] = set()
        """Operations that succeed on one side without doing anything there."""
        self.has_succeeded: tuple[set[str], set[str]] = (set(), set())
        self.unstable: list[Unstable] = []

    def gaps(self, case: Case, probe: Probe, ours: Seen, theirs: Seen) -> list[Gap]:
        """Every difference that a probe shows; none where the set-up itself went differently."""
        if [a.success for a in ours.setup] != [a.success for a in theirs.setup]:
            return []
        bonds, found = Bonds(), []
        calls = (probe.call, *probe.observers)
        for number, (left, right) in enumerate(zip(ours.answers, theirs.answers, strict=False)):
            call = calls[number]
            self._note(call.operation, left, right)
            prefixes = (ours.prefix, theirs.prefix) if self._is_shared(call.operation) else ("", "")
            found += self.judge.gaps(
                call.operation, number, left, right, prefixes=prefixes, bonds=bonds
            )
            if number == 0 and any(each.difference in EXISTENCE for each in found):
                break
        return [each for each in found if not self._is_explained(case, probe, each)]

    def _note(self, operation: str, ours: Answer, theirs: Answer) -> None:
        for which, answer in enumerate((ours, theirs)):
            if answer.success:
                self.has_succeeded[which].add(operation)

    def _is_shared(self, operation: str) -> bool:
        """Whether a read gives what everybody on the server has."""
        shape = self.planner.grammar.operations[operation]
        return is_read(operation) and not any(
            member.name in self.planner.hints.names for member in shape.required
        )

    def _is_explained(self, case: Case, probe: Probe, gap: Gap) -> bool:
        before = {call.operation for call in case.setup}
        if gap.index:
            before.add(probe.call.operation)
        if before & self.ineffective:
            return True
        return any(_bare(gap) in self.explained.get(name, ()) for name in before)

    def look(self, setup: Sequence[Call], probe: Probe) -> Look:
        """Run one probe from scratch on fresh names."""
        case = Case(setup=tuple(setup), probes=(probe,))
        seen = self.pair.do(case)
        if not seen:
            return Look(gaps=[], seen=None)
        ours, theirs = seen[0]
        return Look(gaps=self.gaps(case, probe, ours, theirs), seen=(ours, theirs))

    def investigate(self, case: Case, probe: Probe, gap: Gap) -> Finding | None:
        """A finding, if the difference is one; what does not repeat is kept with its rate."""
        before = self._used()
        first = self.look(case.setup, probe)
        again = first.find(gap)
        if again is None:
            return self._waver(case, probe, gap)
        if self._is_fresh(gap, again):
            self.judge.volatile.add((gap.operation, gap.place))
            return None
        setup, probe, last = self._minimised(case.setup, probe, gap, first)
        if last.seen is None:
            return None
        blamed, state = self._blame(setup, probe, gap, last)
        return self._finding(setup, probe, gap, last, blamed, state, self._used() - before)

    def _used(self) -> int:
        return self.pair.reference.side.sent

    def _is_fresh(self, gap: Gap, again: Gap) -> bool:
        """Whether both sides gave a value of their own making: it differs from time to time on each side."""
        return (
            gap.difference is Difference.VALUE
            and gap.reference != again.reference
            and gap.candidate != again.candidate
        )

    def _waver(self, case: Case, probe: Probe, gap: Gap) -> None:
        shown = sum(self.look(case.setup, probe).find(gap) is not None for _ in range(ATTEMPTS - 1))
        self.unstable.append(
            Unstable(
                operation=gap.operation, signature=gap.signature, shown=1 + shown, tries=1 + ATTEMPTS
            )
        )

    def _minimised(
        self, setup: tuple[Call, ...], probe: Probe, gap: Gap, first: Look
    ) -> tuple[tuple[Call, ...], Probe, Look]:
        """The least set-up that still shows it; the last run that did is the second confirmation."""
        limit = self._used() + LIMIT
        lean = replace(probe, observers=probe.observers[gap.index - 1 : gap.index] if gap.index else ())
        wanted = gap if not gap.index else replace(gap, index=1)
        best, last, confirmed = setup, first, False
        for shorter in reductions(setup, probe.call):
            if self._used() >= limit:
                break
            look = self.look(shorter, replace(lean, call=_moved(probe.call, setup, shorter)))
            if look.find(wanted) is not None:
                best, last, confirmed = shorter, look, True
                break
        call = _moved(probe.call, setup, best)
        observers = tuple(_moved(each, (*setup, probe.call), (*best, call)) for each in probe.observers)
        probe = replace(probe, call=call, observers=observers)
        if gap.index or not confirmed:
            again = self.look(best, probe)
            if again.find(gap) is not None:
                last = again
        return best, probe, last

    def _blame(self, setup: tuple[Call, ...], probe: Probe, gap: Gap, look: Look) -> tuple[str, bool]:
        """Which operation differs: the one whose answer shows it, or one before it that left another state."""
        if gap.index == 0:
            return gap.operation, False
        mine = probe.call.operation
        witnesses = {each.index for each in look.gaps if each.index and _concerns(each, gap)}
        blamed = len(witnesses) > 1 or (
            len(probe.observers) == 1 or gap.difference in EXISTENCE
        ) and self._has_no_effect(setup, probe, gap, look)
        if not blamed:
            return gap.operation, False
        self.explained.setdefault(mine, set()).update(
            _bare(each) for each in look.gaps if each.index in witnesses | {gap.index}
        )
        if gap.difference in EXISTENCE and not probe.parameter:
            self.ineffective.add(mine)
        return mine, True

    def _has_no_effect(self, setup: tuple[Call, ...], probe: Probe, gap: Gap, look: Look) -> bool:
        """Whether one side answers as if the probe had never been made, and the other does not."""
        assert look.seen is not None
        read = probe.observers[gap.index - 1]
        if any(isinstance(each, Ref) and each.call >= len(setup) for each in placeholders(read.params)):
            return False
        without = self.look(setup, Probe(call=read))
        if without.seen is None:
            return False
        unchanged = []
        for which in (0, 1):
            before, after = without.seen[which].answers[0], look.seen[which].answers[gap.index]
            unchanged.append(
                (before.success, before.code) == (after.success, after.code)
                and self.judge.normalised(before.fields, which) == self.judge.normalised(after.fields, which)
            )
        return unchanged[0] != unchanged[1]

    def _settles(self, setup: tuple[Call, ...], probe: Probe, gap: Gap) -> bool:
        """Whether the two sides come to agree when a read is repeated for a while."""
        is_look = is_read(gap.operation) and (gap.index > 0 or bool(setup))
        if not is_look or gap.difference in (Difference.MESSAGE, Difference.ORDER, Difference.CODE):
            return False
        lean = replace(probe, observers=probe.observers[gap.index - 1 : gap.index] if gap.index else ())
        ours, theirs = self.pair.repeat(Case(setup=setup, probes=(lean,)), times=4)
        prefixes = ("", "")
        return not self.judge.gaps(gap.operation, 0, ours, theirs, prefixes=prefixes, bonds=Bonds())

    def _finding(
        self,
        setup: tuple[Call, ...],
        probe: Probe,
        gap: Gap,
        look: Look,
        blamed: str,
        state: bool,
        pairs: int,
    ) -> Finding:
        assert look.seen is not None
        ours, theirs = (seen.answers[min(gap.index, len(seen.answers) - 1)] for seen in look.seen)
        never = (gap.operation not in self.has_succeeded[0], gap.operation not in self.has_succeeded[1])
        cause = likely_cause(gap, ours, theirs, settles=self._settles(setup, probe, gap), never=never)
        responds = state and any(each.index == 0 for each in look.gaps)
        observed = probe.observers[gap.index - 1 : gap.index] if gap.index else ()
        parameter = probe.parameter if gap.index == 0 or state else ""
        what = condition(probe, shows_typically=not parameter and probe.state in ("present", "walk"))
        key = parameter if gap.difference is Difference.SUCCESS else ""
        said = (generalised(gap.reference), generalised(gap.candidate)) if gap.difference is not Difference.VALUE else ()
        return Finding(
            service=self.planner.service,
            operation=blamed,
            kind=str(gap.difference),
            place=gap.place,
            implication=str(gap.implication),
            manifestation=str(manifestation_of(response=not state or responds, state=state)),
            cause=cause.name,
            condition=what,
            evidence=cause.evidence,
            reference=gap.reference,
            candidate=gap.candidate,
            shown_by=gap.operation,
            sequence=(*setup, probe.call, *observed),
            hash=digest(self.planner.service, blamed, str(gap.difference), gap.place, *said, key),
            parameter=probe.parameter,
            value_class=probe.value_class,
            pairs=pairs,
            public=self.planner.grammar.operations[blamed].public,
        )


def _bare(gap: Gap) -> tuple[str, ...]:
    return gap.operation, str(gap.difference), gap.place


def _concerns(other: Gap, gap: Gap) -> bool:
    """Whether two differences may be the same thing seen by two reads."""
    if other.difference in EXISTENCE and gap.difference in EXISTENCE:
        return True
    loose = {Difference.MISSING, Difference.EXTRA, Difference.LENGTH, Difference.SUCCESS}
    if other.difference in loose and gap.difference in loose:
        return True
    return other.place.rpartition(".")[2] == gap.place.rpartition(".")[2]


def reductions(setup: tuple[Call, ...], call: Call) -> list[tuple[Call, ...]]:
    """Shorter set-ups to try, the shortest first: nothing, then all but one."""
    if not setup:
        return []
    tries: list[tuple[Call, ...]] = []
    needed = {each.call for each in placeholders(call.params) if isinstance(each, Ref)}
    if not needed:
        tries.append(())
    if len(setup) > 1 and 0 not in needed | _referred(setup[1:]):
        tries.append(setup[:1])
    for number in range(len(setup) - 1, -1, -1):
        if number not in needed | _referred(setup):
            shorter = setup[:number] + setup[number + 1 :]
            if shorter and shorter not in tries:
                moved = {old: new for new, old in enumerate(n for n in range(len(setup)) if n != number)}
                tries.append(tuple(replace(each, params=shifted(each.params, moved)) for each in shorter))
    return [each for each in tries if each != setup]


def _referred(calls: Sequence[Call]) -> set[int]:
    return {
        each.call for call in calls for each in placeholders(call.params) if isinstance(each, Ref)
    }


def _moved(call: Call, before: Sequence[Call], after: Sequence[Call]) -> Call:
    """A call whose references follow the calls they mean into a shorter sequence."""
    if len(before) == len(after):
        return call
    places: dict[int, int] = {}
    for new, kept in enumerate(after):
        for old, there in enumerate(before):
            if there.operation == kept.operation and old not in places and new not in places.values():
                places[old] = new
                break
    return replace(call, params=shifted(call.params, places))
