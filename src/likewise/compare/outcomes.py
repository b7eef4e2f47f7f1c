"""Name every difference between two outcomes of the same call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from likewise.model import (
    Difference,
    Discrepancy,
    Implication,
    Lost,
    Operation,
    Outcome,
    Raised,
    Returned,
    TimedOut,
    Value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference at one place."""

    difference: Difference
    place: str
    reference: Value
    candidate: Value


def implication(*, reference: Outcome, candidate: Outcome) -> Implication:
    """What a difference between these outcomes means for somebody who deploys."""
    return Implication.between(
        reference=isinstance(reference, Returned), candidate=isinstance(candidate, Returned)
    )


def compare_outcomes(
    *,
    operation: Operation,
    reference: Outcome,
    candidate: Outcome,
    reference_form: Value,
    candidate_form: Value,
    test: str = "",
    position: int = -1,
) -> list[Discrepancy]:
    """Every difference between two outcomes, read from their canonical forms."""
    return [
        Discrepancy(
            operation=operation,
            difference=change.difference,
            place=change.place,
            reference=change.reference,
            candidate=change.candidate,
            implication=implication(reference=reference, candidate=candidate),
            test=test,
            position=position,
        )
        for change in _changes(reference, candidate, reference_form, candidate_form)
    ]


def _changes(
    reference: Outcome, candidate: Outcome, reference_form: Value, candidate_form: Value
) -> Iterator[Change]:
    silent = (TimedOut, Lost)
    if isinstance(reference, silent) or isinstance(candidate, silent):
        if type(reference) is not type(candidate):
            yield _change(Difference.SILENCE, "", summary(reference), summary(candidate))
        return
    if type(reference) is not type(candidate):
        yield _change(Difference.SUCCESS, "", summary(reference), summary(candidate))
        return
    if isinstance(reference, Raised) and isinstance(candidate, Raised):
        if reference.kind != candidate.kind:
            yield _change(Difference.CODE, "", reference.kind, candidate.kind)
        for change in compare_values(reference=reference_form, candidate=candidate_form):
            if change.place == "message":
                yield _change(Difference.MESSAGE, "", change.reference, change.candidate)
            elif change.place != "raised":
                yield replace(change, place=_below("value", change.place))
        return
    for change in compare_values(reference=reference_form, candidate=candidate_form):
        yield replace(change, place=_below("returned", change.place))


def _below(part: str, place: str) -> str:
    """A place in a part of an outcome, as seen from that part."""
    rest = place.removeprefix(part)
    return rest.removeprefix(".") if rest != place and rest[:1] in ("", ".", "[") else place


def compare_values(*, reference: Value, candidate: Value, place: str = "") -> Iterator[Change]:
    """Every difference between two values, each at its place."""
    if isinstance(reference, dict) and isinstance(candidate, dict):
        for key in sorted(reference.keys() | candidate.keys()):
            inner = f"{place}.{key}" if place else key
            if key not in candidate:
                yield _change(Difference.MISSING, inner, reference[key], None)
            elif key not in reference:
                yield _change(Difference.EXTRA, inner, None, candidate[key])
            else:
                yield from compare_values(reference=reference[key], candidate=candidate[key], place=inner)
    elif isinstance(reference, list) and isinstance(candidate, list):
        yield from _compare_lists(reference, candidate, place)
    elif type(reference) is not type(candidate):
        yield _change(Difference.TYPE, place, reference, candidate)
    elif reference != candidate:
        status = place.rpartition(".")[2] == "status"
        yield _change(Difference.STATUS if status else Difference.VALUE, place, reference, candidate)


def _compare_lists(reference: list[Value], candidate: list[Value], place: str) -> Iterator[Change]:
    if len(reference) != len(candidate):
        yield _change(Difference.LENGTH, place, reference, candidate)
    elif reference != candidate and sorted(map(repr, reference)) == sorted(map(repr, candidate)):
        yield _change(Difference.ORDER, place, reference, candidate)
    else:
        for number, (ours, theirs) in enumerate(zip(reference, candidate, strict=True)):
            yield from compare_values(reference=ours, candidate=theirs, place=f"{place}[{number}]")


def summary(outcome: Outcome) -> str:
    """An outcome in a few words."""
    match outcome:
        case Returned(value=dict() as value) if "status" in value:
            return f"success ({value['status']})"
        case Returned():
            return "success"
        case Raised():
            return f"{outcome.kind}: {outcome.message}" if outcome.message else outcome.kind
        case TimedOut():
            return "no answer in time"
        case Lost():
            return f"no answer ({outcome.reason})"


def _change(difference: Difference, place: str, reference: Value, candidate: Value) -> Change:
    return Change(difference=difference, place=place, reference=reference, candidate=candidate)
