"""Two recordings of a suite, step by step: where the simulator differs from the board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from likewise.compare import compare_outcomes, summary
from likewise.model import (
    Difference,
    Discrepancy,
    Implication,
    Interaction,
    Outcome,
    Raised,
    Recording,
    Returned,
    Trace,
    Value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two testees did differently."""

    scenarios: int
    steps: int
    discrepancies: tuple[Discrepancy, ...]
    only_reference: tuple[str, ...]
    """Scenarios that only the reference's recording has."""
    only_candidate: tuple[str, ...]


def compare_recordings(*, reference: Recording, candidate: Recording) -> Comparison:
    """The last attempt at each scenario on both sides; steps are paired by their place."""
    theirs, ours = _last(reference), _last(candidate)
    both = [test for test in theirs if test in ours]
    found: list[Discrepancy] = []
    steps = 0
    for test in both:
        steps += min(len(theirs[test].interactions), len(ours[test].interactions))
        found += compare_traces(reference=theirs[test], candidate=ours[test])
    return Comparison(
        scenarios=len(both),
        steps=steps,
        discrepancies=tuple(found),
        only_reference=tuple(test for test in theirs if test not in ours),
        only_candidate=tuple(test for test in ours if test not in theirs),
    )


def compare_traces(*, reference: Trace, candidate: Trace) -> Iterator[Discrepancy]:
    """Every difference between two runs of one scenario."""
    pairs = zip(reference.interactions, candidate.interactions, strict=False)
    for place, (theirs, ours) in enumerate(pairs):
        yield from compare_outcomes(
            operation=theirs.operation,
            reference=theirs.outcome,
            candidate=ours.outcome,
            reference_form=_form(theirs.outcome),
            candidate_form=_form(ours.outcome),
            test=candidate.test,
            position=place,
        )
    shorter = min(len(reference.interactions), len(candidate.interactions))
    if len(reference.interactions) > shorter:
        yield _lone(reference.interactions[shorter], candidate.test, shorter, missing=True)
    elif len(candidate.interactions) > shorter:
        yield _lone(candidate.interactions[shorter], candidate.test, shorter, missing=False)


def _lone(call: Interaction, test: str, place: int, *, missing: bool) -> Discrepancy:
    """A step that only one side came to: the other broke off before."""
    answered, nothing = summary(call.outcome), "not reached"
    return Discrepancy(
        operation=call.operation,
        difference=Difference.CALL_MISSING if missing else Difference.CALL_EXTRA,
        place="",
        reference=answered if missing else nothing,
        candidate=nothing if missing else answered,
        implication=Implication.FALSE_ALARM if missing else Implication.UNSAFE,
        test=test,
        position=place,
    )


def _form(outcome: Outcome) -> Value:
    match outcome:
        case Returned():
            return {"returned": outcome.value}
        case Raised():
            return {"raised": outcome.kind, "message": outcome.message}
        case _:
            return None


def _last(recording: Recording) -> dict[str, Trace]:
    return {trace.test: trace for trace in sorted(recording.traces, key=lambda each: each.attempt)}
