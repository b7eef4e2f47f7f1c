"""Find tests that do different things, or end differently, on the same code."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.model import Keyed, Raised, Result, Wavers
from likewise.run.reading import Reading


def results_waver(results: Sequence[Result]) -> Wavers | None:
    """Attempts at the same code that ended differently."""
    ended = [result for result in results if result in (Result.PASSED, Result.FAILED)]
    if len(set(ended)) < 2:
        return None
    return Wavers(what=", then ".join(ended))


def calls_waver(first: Reading, second: Reading) -> Wavers | None:
    """Two runs of the same code that differ in more than names, order and how often they poll."""
    ours, theirs = _seen(first.calls), _seen(second.calls)
    for here, there, where in ((ours, theirs, first), (theirs, ours, second)):
        for call in where.calls:
            if (call.form, call.answer) not in there and (call.form, call.answer) in here:
                return Wavers(what=f"{call.operation} in one run only", position=call.position)
    return None


def answers_waver(first: Reading, second: Reading) -> frozenset[int]:
    """The calls of one run that another of the same code made in the same context, with other answers."""
    answers: dict[str, set[str]] = {}
    for call in second.calls:
        answers.setdefault(call.key, set()).add(call.answer)
    return frozenset(
        call.position for call in first.calls if call.key in answers and call.answer not in answers[call.key]
    )


def refusals_waver(first: Reading, second: Reading) -> frozenset[int]:
    """Those of them that one run was refused and the other was not, or otherwise."""
    ends: dict[str, set[str]] = {}
    for call in second.calls:
        ends.setdefault(call.key, set()).add(_end(second, call))
    return frozenset(
        position
        for position in answers_waver(first, second)
        if _end(first, first.calls[position]) not in ends[first.calls[position].key]
    )


def _end(reading: Reading, call: Keyed) -> str:
    outcome = reading.trace.interactions[call.position].outcome
    return outcome.kind if isinstance(outcome, Raised) else type(outcome).__name__


def _seen(calls: Sequence[Keyed]) -> set[tuple[str, str]]:
    return {(call.form, call.answer) for call in calls}
