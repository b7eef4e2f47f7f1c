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
    for call in _whatever_was_drawn(second):
        answers.setdefault(call.key, set()).add(call.answer)
    return frozenset(
        call.position
        for call in _whatever_was_drawn(first)
        if call.key in answers and call.answer not in answers[call.key]
    )


def refusals_waver(first: Reading, second: Reading) -> frozenset[int]:
    """Those of them that one run was refused and the other was not, or otherwise."""
    ends: dict[str, set[str]] = {}
    for call in _whatever_was_drawn(second):
        ends.setdefault(call.key, set()).add(_end(second, call))
    calls = _whatever_was_drawn(first)
    return frozenset(
        position
        for position in answers_waver(first, second)
        if _end(first, calls[position]) not in ends[calls[position].key]
    )


def requests_waver(first: Reading, second: Reading) -> bool:
    """Whether the runs asked the same after as many writes, but of other ones among them.

    As if chance had chosen which: the next run may choose others again.
    """
    keys = {call.key for call in _whatever_was_drawn(second)}
    asked = {(call.form, len(call.context)) for call in second.calls}
    return any(
        call.key not in keys and (call.form, len(call.context)) in asked
        for call in _whatever_was_drawn(first)
    )


def _whatever_was_drawn(reading: Reading) -> list[Keyed]:
    """The calls of a run, by keys that do not tell how drawn values lie."""
    return [chain[0] if chain[-1].drawn else chain[-1] for chain in reading.chains]


def _end(reading: Reading, call: Keyed) -> str:
    outcome = reading.trace.interactions[call.position].outcome
    return outcome.kind if isinstance(outcome, Raised) else type(outcome).__name__


def _seen(calls: Sequence[Keyed]) -> set[tuple[str, str]]:
    return {(call.form, call.answer) for call in calls}
