"""What the ledger's answers differ in from the candidate's, each pair of answers compared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from likewise.canonical import Familiarity, are_times
from likewise.compare import compare_outcomes
from likewise.decide import CallStanding, Rules, known_since, place
from likewise.model import Answer, Discrepancy, Fingerprint, Interaction, Keyed, Value
from likewise.run.cases import Overlooks
from likewise.run.findings import split
from likewise.run.memory import Known
from likewise.run.ports import Ledger
from likewise.run.reading import Reading, answers_in_worlds, canonical_answers

_Pair = tuple[Fingerprint, Fingerprint, Fingerprint]
"""A key, the candidate's answer to it, and the reference's."""


class Differences:
    """Compares calls with the answers that the ledger holds for their keys."""

    def __init__(self, *, ledger: Ledger, rules: Rules, overlooks: Overlooks) -> None:
        self._ledger = ledger
        self._rules = rules
        self._overlooks = overlooks
        self._compared: dict[_Pair, list[Discrepancy]] = {}
        self._seen: Known | None = None

    def of(self, reading: Reading, known: Known) -> dict[int, list[Discrepancy]]:
        """The differences of each call that the reference is known to answer differently."""
        different = self._different(reading, known)
        if any(_pair(*each) not in self._compared for each in different):
            self._see(known)
            self._compare([(reading, *each) for each in different], known.familiarity)
        return {
            call.position: [
                replace(each, test=reading.trace.test, position=call.position)
                for each in self._compared[_pair(call, answer)]
            ]
            for call, answer in different
            if _pair(call, answer) in self._compared
        }

    def _see(self, known: Known) -> None:
        """Compare what all tests have to be told anyway at once, so that worlds are read only once."""
        if known is self._seen:
            return
        self._seen = known
        readings = [attempts[-1] for attempts in known.readings.by_test.values()]
        self._compare(
            [(reading, *each) for reading in readings for each in self._different(reading, known)],
            known.familiarity,
        )

    def _different(self, reading: Reading, known: Known) -> list[tuple[Keyed, Answer]]:
        if known_since(reading.calls, known.answers, self._rules) is not None:
            return []
        return [
            (call, self._given(call, known))
            for call in reading.calls
            if place(call, known.answers, self._rules) is CallStanding.DIFFERENT
        ]

    def _given(self, call: Keyed, known: Known) -> Answer:
        return next(each for each in known.answers[call.key] if each.reference == self._rules.reference)

    def overlooked(self, reading: Reading, known: Known) -> frozenset[int]:
        """The calls whose differences all lie where the test never looked, if there are any at all.

        There may be none: answers that were kept by another test are cut as that test had learned to.
        """
        calls = reading.trace.interactions
        return frozenset(
            position
            for position, found in self.of(reading, known).items()
            if not split(found, calls[position], self._overlooks)[0]
        )

    def _compare(
        self, different: Iterable[tuple[Reading, Keyed, Answer]], familiarity: Mapping[str, Familiarity]
    ) -> None:
        fresh: dict[_Pair, tuple[Reading, Keyed, Answer]] = {}
        for reading, call, answer in different:
            if (pair := _pair(call, answer)) not in self._compared:
                fresh.setdefault(pair, (reading, call, answer))
        if not fresh:
            return
        ours = answers_in_worlds(
            [(reading, call.position) for reading, call, _ in fresh.values()], familiarity
        )
        theirs = self._reference_answers(
            [(reading.trace.test, answer) for reading, _, answer in fresh.values()], familiarity
        )
        for pair, (reading, call, answer) in fresh.items():
            given = theirs.get((reading.trace.test, answer.evidence, answer.position))
            if given is None:
                continue  # the evidence went away meanwhile: the call stays different
            found = compare_outcomes(
                operation=call.operation,
                reference=given[0].outcome,
                candidate=reading.trace.interactions[call.position].outcome,
                reference_form=given[1],
                candidate_form=ours.of(reading, call.position),
            )
            if not familiarity[reading.trace.test].can_tell(str(call.operation)):
                # A fixture that another test had set up until now: dates do not repeat, which nobody has
                # learned here yet. How far they are off is said beside them.
                found = [each for each in found if not are_times(each.reference, each.candidate)]
            self._compared[pair] = found

    def _reference_answers(
        self, answers: Iterable[tuple[str, Answer]], familiarity: Mapping[str, Familiarity]
    ) -> dict[tuple[str, Fingerprint, int], tuple[Interaction, Value]]:
        """What the reference said, as the test that asks would read it."""
        wanted: dict[Fingerprint, dict[str, set[int]]] = {}
        for test, answer in answers:
            wanted.setdefault(answer.evidence, {}).setdefault(test, set()).add(answer.position)
        found: dict[tuple[str, Fingerprint, int], tuple[Interaction, Value]] = {}
        for identity, evidence in self._ledger.evidence_of(wanted):
            last = len(evidence.traces) - 1
            tests = {trace.test for trace in evidence.traces if trace.test in familiarity}
            for asking, positions in wanted[identity].items():
                # Another test may have learned less, or otherwise, of what varies: both sides are read alike.
                alike = {**{test: familiarity[test] for test in tests}, evidence.test: familiarity[asking]}
                spots = {(last, position) for position in positions}
                for (_, position), form in canonical_answers(evidence.traces, alike, spots).items():
                    found[asking, identity, position] = evidence.traces[-1].interactions[position], form
        return found


def _pair(call: Keyed, answer: Answer) -> _Pair:
    return call.key, call.answer, answer.answer
