"""What a crossing left behind on both sides: where the outcomes, arguments and observed states differ."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.compare import Change
from likewise.library.comparison.bijection import Bijection
from likewise.library.comparison.values import Within, changes, same
from likewise.model import Difference, Interaction, Lost, Mapping, Outcome, Raised, Returned, TimedOut, Value


def differences(
    reference: Interaction, candidate: Interaction, bijection: Bijection, *, is_shared: bool
) -> Iterator[tuple[Within, str]]:
    """Every change and its place; the state of an object that others use as well says nothing."""
    yield from _outcome_changes(reference.outcome, candidate.outcome, bijection)
    for part in ("after", "state"):
        ours, theirs = reference.wire.get(part), candidate.wire.get(part)
        if part == "state":
            if is_shared:
                continue
            ours, theirs = _comparable(ours, theirs)
        if not same(ours, theirs, bijection):
            for change in changes(ours, theirs, bijection):
                if part == "state" and _is_kept_otherwise(change):
                    continue
                yield change, f"{part}.{change.place}" if change.place or part == "after" else part


def is_kept_otherwise(reference: Interaction, candidate: Interaction) -> bool:
    """Whether the objects that two calls were told to have other fields."""
    ours, theirs = reference.wire.get("state"), candidate.wire.get("state")
    return isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() != theirs.keys()


def _is_kept_otherwise(change: Change) -> bool:
    """Whether an object keeps things in a container of another type: that is no effect of a call."""
    is_type = change.difference is Difference.TYPE
    return is_type and _is_container(change.reference) and _is_container(change.candidate)


def _is_container(value: Value) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and value.get("is") in _CONTAINERS)


_CONTAINERS = frozenset({"tuple", "set", "frozenset", "deque", "dict", "sub", "many"})


def _outcome_changes(ours: Outcome, theirs: Outcome, bijection: Bijection) -> Iterator[tuple[Within, str]]:
    match ours, theirs:
        case Returned(), Returned():
            if not same(ours.value, theirs.value, bijection):
                for change in changes(ours.value, theirs.value, bijection):
                    yield change, f"returned.{change.place}" if change.place else "returned"
        case Raised(), Raised():
            if ours.kind != theirs.kind:
                yield _change(Difference.CODE, ours.kind, theirs.kind), "raised"
            if not same(ours.message, theirs.message, bijection):
                yield _change(Difference.MESSAGE, ours.message, theirs.message), "message"
            elif not same(ours.value, theirs.value, bijection):
                for change in changes(ours.value, theirs.value, bijection):
                    yield change, f"error.{change.place}"
        case (TimedOut(), TimedOut()) | (Lost(), Lost()):
            return
        case (Lost(), _) | (_, Lost()):
            yield _change(Difference.SILENCE, _brief(ours), _brief(theirs)), "ended"
        case _:
            yield _change(Difference.SUCCESS, _brief(ours), _brief(theirs)), "raised"


def _comparable(ours: Value, theirs: Value) -> tuple[Value, Value]:
    """Two observed states without what need not be a change: what is new, private, or held nothing."""
    ours, theirs = (each if isinstance(each, dict) else {} for each in (ours, theirs))
    if ours.get("is") == "outline":
        # Which attributes an object has is the library's business; that it was left with none is a change.
        is_bare = bool(ours["names"]) and theirs.get("names") == []
        return (ours, theirs) if is_bare else ({}, {})
    ours, theirs = _fielded(ours, theirs), _fielded(theirs, ours)
    kept = {key for key, each in ours.items() if key in theirs or not (key.startswith("_") or each is None)}
    one, other = ({key: each for key, each in state.items() if key in kept} for state in (ours, theirs))
    return {"is": "state", **one}, {"is": "state", **other}


def _fielded(state: Mapping, other: Mapping) -> Mapping:
    """A state in which what lies behind a property has the name of the field that the other side has."""
    return {key[1:] if key[:1] == "_" and key[1:] in other else key: each for key, each in state.items()}


def _change(difference: Difference, reference: Value, candidate: Value) -> Within:
    return Within(difference=difference, place="", reference=reference, candidate=candidate)


def _brief(outcome: Outcome) -> Value:
    match outcome:
        case Returned():
            return outcome.value
        case Raised():
            return f"{outcome.kind}: {outcome.message}"
        case _:
            return None


def value_of(outcome: Outcome) -> Value:
    """What came back, or was raised, as data."""
    return outcome.value if isinstance(outcome, Returned | Raised) else None
