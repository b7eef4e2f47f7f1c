"""Name the differences between what the two sides answered to the same calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from likewise.canonical import Familiarity
from likewise.compare import align, compare_outcomes
from likewise.model import Discrepancy, Evidence, Interaction, Keyed, Spot, Trace
from likewise.run.reading import Reading, canonical_answers


def compare_replay(
    reading: Reading, familiarity: Mapping[str, Familiarity], answered: Mapping[Spot, Interaction]
) -> list[Discrepancy]:
    """Compare a test's own calls with the reference's answers to a replay of them.

    Only the first call that differs is a finding: whatever comes after it may follow from it.
    """
    positions = sorted(position for place, position in answered if place == reading.place)
    candidate = list(reading.world[: reading.place + 1])
    reference = [
        replace(
            trace,
            interactions=tuple(
                answered.get((number, position), interaction)
                for position, interaction in enumerate(trace.interactions)
            ),
        )
        for number, trace in enumerate(candidate)
    ]
    ours = canonical_answers(candidate, familiarity, positions)
    theirs = canonical_answers(reference, familiarity, positions)
    for position in positions:
        if ours[position] != theirs[position]:
            mine = candidate[-1].interactions[position]
            return compare_outcomes(
                operation=mine.operation,
                reference=answered[reading.place, position].outcome,
                candidate=mine.outcome,
                reference_form=theirs[position],
                candidate_form=ours[position],
                test=reading.trace.test,
                position=position,
            )
    return []


def compare_evidence(
    reading: Reading, position: int, evidence: Evidence, proved: int, familiarity: Mapping[str, Familiarity]
) -> list[Discrepancy]:
    """Compare one call with the answer that the ledger holds for its key."""
    world = list(reading.world[: reading.place + 1])
    return _compare_at(
        (world, position), (list(evidence.traces), proved), familiarity, test=reading.trace.test
    )


def compare_whole(
    candidate: Reading, reference: Reading, familiarity: Mapping[str, Familiarity]
) -> list[Discrepancy]:
    """Compare a test's two whole runs, call by call in equal context."""
    by_position = {call.position: call for call in reference.calls}
    mine = {call.position: call for call in candidate.calls}
    found: list[Discrepancy] = []
    ours = list(candidate.world[: candidate.place + 1])
    theirs = list(reference.world[: reference.place + 1])
    for left, right in align(reference=reference.calls, candidate=candidate.calls).pairs:
        if _same_key_other_answer(by_position[left], mine[right]):
            found += _compare_at((ours, right), (theirs, left), familiarity, test=candidate.trace.test)
    return found


def _same_key_other_answer(reference: Keyed, candidate: Keyed) -> bool:
    return reference.key == candidate.key and reference.answer != candidate.answer


def _compare_at(
    candidate: tuple[Sequence[Trace], int],
    reference: tuple[Sequence[Trace], int],
    familiarity: Mapping[str, Familiarity],
    *,
    test: str,
) -> list[Discrepancy]:
    (ours, right), (theirs, left) = candidate, reference
    mine, yours = ours[-1].interactions[right], theirs[-1].interactions[left]
    return compare_outcomes(
        operation=mine.operation,
        reference=yours.outcome,
        candidate=mine.outcome,
        reference_form=canonical_answers(theirs, familiarity, {left})[left],
        candidate_form=canonical_answers(ours, familiarity, {right})[right],
        test=test,
        position=right,
    )
