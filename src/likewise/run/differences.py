"""What the ledger's answers differ in from the candidate's, each pair of answers compared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from likewise.canonical import Familiarity
from likewise.compare import compare_outcomes
from likewise.decide import CallStanding, Rules, known_since, place
from likewise.model import Answer, Discrepancy, Fingerprint, Interaction, Keyed, Value
from likewise.run.cases import Overlooks
from likewise.run.findings import split
from likewise.run.memory import Known
from likewise.run.ports import Ledger
from likewise.run.reading import Reading, canonical_answers

_Pair = tuple[Fingerprint, Fingerprint, Fingerprint]
"""A key, the candidate's answer to it, and the reference's."""


class Differences:
    """Compares calls with the answers that the ledger holds for their keys."""

    def __init__(self, *, ledger: Ledger, rules: Rules, overlooks: Overlooks) -> None:
        self._ledger = ledger
        self._rules = rules
        self._overlooks = overlooks
        self._compared: dict[_Pair, list[Discrepancy]] = {}

    def of(self, reading: Reading, known: Known) -> dict[int, list[Discrepancy]]:
        """The differences of each call that the reference is known to answer differently."""
        if known_since(reading.calls, known.answers, self._rules) is not None:
            return {}
        different = [
            (call, self._given(call, known))
            for call in reading.calls
            if place(call, known.answers, self._rules) is CallStanding.DIFFERENT
        ]
        self._compare(reading, different, known.familiarity)
        return {
            call.position: [
                replace(each, test=reading.trace.test, position=call.position)
                for each in self._compared[_pair(call, answer)]
            ]
            for call, answer in different
            if _pair(call, answer) in self._compared
        }

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
        self, reading: Reading, different: list[tuple[Keyed, Answer]], familiarity: Mapping[str, Familiarity]
    ) -> None:
        fresh = [pair for pair in different if _pair(*pair) not in self._compared]
        if not fresh:
            return
        spots = {(reading.place, call.position) for call, _ in fresh}
        ours = canonical_answers(reading.so_far, familiarity, spots)
        theirs = self._reference_answers(
            [answer for _, answer in fresh], familiarity, familiarity[reading.trace.test]
        )
        for call, answer in fresh:
            if (answer.evidence, answer.position) not in theirs:
                continue  # the evidence went away meanwhile: the call stays different
            outcome, form = theirs[answer.evidence, answer.position]
            self._compared[_pair(call, answer)] = compare_outcomes(
                operation=call.operation,
                reference=outcome.outcome,
                candidate=reading.trace.interactions[call.position].outcome,
                reference_form=form,
                candidate_form=ours[reading.place, call.position],
            )

    def _reference_answers(
        self, answers: list[Answer], familiarity: Mapping[str, Familiarity], own: Familiarity
    ) -> dict[tuple[Fingerprint, int], tuple[Interaction, Value]]:
        wanted: dict[Fingerprint, set[int]] = {}
        for answer in answers:
            wanted.setdefault(answer.evidence, set()).add(answer.position)
        found: dict[tuple[Fingerprint, int], tuple[Interaction, Value]] = {}
        for identity, evidence in self._ledger.evidence_of(wanted):
            last = len(evidence.traces) - 1
            spots = {(last, position) for position in wanted[identity]}
            # Another test may have learned less, or otherwise, of what varies: both sides are read alike.
            tests = {trace.test for trace in evidence.traces if trace.test in familiarity}
            alike = {**{test: familiarity[test] for test in tests}, evidence.test: own}
            for (_, position), form in canonical_answers(evidence.traces, alike, spots).items():
                found[identity, position] = evidence.traces[-1].interactions[position], form
        return found


def _pair(call: Keyed, answer: Answer) -> _Pair:
    return call.key, call.answer, answer.answer
