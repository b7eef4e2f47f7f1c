"""Every difference that was seen, before it is asked what follows from what, and the calls it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.explaining import Explanations
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.likeness import tops
from likewise.cloud.fuzz.evidence import IDENTITY, Evidence, Given, Sample
from likewise.cloud.fuzz.findings import Finding, manifestation_of
from likewise.cloud.fuzz.planning.plans import Planner, is_read
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.model import Difference, Implication

Asked = tuple[str, Given]
"""An operation, and arguments of a call: mostly those in which it was unlike the usual one."""
Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a difference was seen: by which call, after which writes."""

    signature: Signature
    shown: Asked
    before: frozenset[Asked]


class Sightings:
    """Keeps what was seen; whose doing it was may be known only later."""

    def __init__(self, planner: Planner, known: Explanations) -> None:
        self._planner, self._known = planner, known
        self._seen: dict[_Place, tuple[Probe, Gap]] = {}
        self._taken: dict[Asked, set[frozenset[_Place]]] = {}
        """Calls that both sides answered alike, by all their arguments, each with what reads then showed."""
        self._dismissed: set[Signature] = set()
        """Differences that did not show again, or that are none: values that never repeat."""
        self._blamed: dict[Signature, set[str]] = {}
        """The operations whose fault a difference turned out to be."""

    def see(
        self,
        case: Case,
        probe: Probe,
        gaps: Sequence[Gap],
        answers: tuple[Sequence[Answer], Sequence[Answer]],
    ) -> None:
        """Take in what a probe and the reads after it showed, as far as their answers were compared."""
        places = {gap: self._note(case.setup, probe, gap) for gap in gaps}
        compared = list(zip((probe.call, *probe.observers), *answers, strict=False))
        for number, (call, left, right) in enumerate(compared):
            is_whole = number or is_read(call.operation) or len(compared) > 1
            if left.success and right.success and is_whole and all(gap.index != number for gap in gaps):
                after = frozenset(place for gap, place in places.items() if gap.index > number == 0)
                self._taken.setdefault((call.operation, self._given(call)), set()).add(after)

    def part(self, setup: Sequence[Call], ours: Seen, theirs: Seen) -> None:
        """The sides went apart in a set-up: the first write that only one of them took differs."""
        for number, (call, left, right) in enumerate(zip(setup, ours.setup, theirs.setup, strict=False)):
            if left.success != right.success and not is_read(call.operation):
                gap = Gap(
                    operation=call.operation,
                    index=0,
                    difference=Difference.SUCCESS,
                    place="",
                    reference=left.summary(),
                    candidate=right.summary(),
                    implication=Implication.between(reference=left.success, candidate=right.success),
                )
                self._note(setup[:number], Probe(call=call), gap)
                return

    def dismiss(self, gap: Gap) -> None:
        """A difference does not always show, or is none."""
        self._dismissed.add(gap.signature)

    def blame(self, gap: Gap, finding: Finding) -> None:
        """A difference is a finding: it is known whose fault it is."""
        self._blamed.setdefault(gap.signature, set()).add(finding.operation)

    def is_dismissed(self, gap: Gap) -> bool:
        """Whether a difference turned out to be none, and nowhere to be one."""
        return gap.signature in self._dismissed and gap.signature not in self._blamed

    def evidence(self) -> Evidence:
        """Every call that agreed, and every one that a difference comes from, as far as it is known now.

        Others may go on noting: what was taken is copied first, for what reads showed of it was seen before.
        """
        taken = {asked: looks.copy() for asked, looks in self._taken.copy().items()}
        found, from_whom = Evidence(), {place: self._culprits(place) for place in self._seen.copy()}
        for place, those in from_whom.items():
            for operation, unusual in those:
                is_own = operation == place.shown[0]
                sample = _sample(self._seen[place][1], is_own=is_own)
                found.differ(self._name(operation), unusual, sample)
        for (operation, given), looks in taken.items():
            named = ({name for place in after for name, _ in from_whom[place]} for after in looks)
            if any(operation not in names for names in named):
                found.agree(self._name(operation), given)
        return found

    def _note(self, setup: Sequence[Call], probe: Probe, gap: Gap) -> _Place:
        calls = (probe.call, *probe.observers)
        writes = [*setup, *calls[: gap.index]]
        before = frozenset(self._asked(call, probe) for call in writes if not is_read(call.operation))
        place = _Place(gap.signature, self._asked(calls[gap.index], probe), before)
        self._seen.setdefault(place, (probe, gap))
        return place

    def _culprits(self, place: _Place) -> list[Asked]:
        """The calls that a difference comes from: writes before it that are known for it, or the call itself.

        Where nobody knows, it may be the write that was looked at or the read that looked.
        """
        probe, gap = self._seen[place]
        if self.is_dismissed(gap):
            return []
        names = {name for name, _ in place.before}
        blamed = self._blamed.get(gap.signature, set())
        sources = self._known.sources(names, probe, gap) | {
            name for name in names if self._name(name) in blamed
        }
        if sources:
            return [each for each in place.before if each[0] in sources]
        is_open = gap.index > 0 and gap.signature not in self._blamed
        return [place.shown, *([self._asked(probe.call, probe)] if is_open else [])]

    def _asked(self, call: Call, probe: Probe) -> Asked:
        """A call by what is unusual in it: what it is given besides, or what was varied."""
        usual = self._planner.typical(call.operation).keys()
        varied = tops(probe.parameter) if call is probe.call else set()
        given = (name for name in self._given(call) if name not in usual or name in varied)
        return call.operation, Given(given)

    def _given(self, call: Call) -> Given:
        required = {each.name for each in self._planner.grammar.operations[call.operation].required}
        return Given(_arguments(call, required))

    def _name(self, operation: str) -> str:
        return self._planner.grammar.operations[operation].alias or operation


def _arguments(call: Call, required: set[str]) -> Iterator[str]:
    yield from (name for name in call.params if name not in required)
    if not call.identity.is_owner:
        yield IDENTITY


def _sample(gap: Gap, *, is_own: bool) -> Sample:
    return Sample(
        kind=str(gap.difference),
        place=gap.place,
        reference=gap.reference,
        candidate=gap.candidate,
        implication=str(gap.implication),
        manifestation=str(manifestation_of(response=is_own, state=not is_own)),
    )
