"""States that change by themselves: tables being made, altered or deleted."""

from __future__ import annotations

from likewise.model import Outcome, Raised, Returned, Value

ON_THE_WAY = frozenset({"CREATING", "UPDATING", "DELETING"})


def is_under_way(candidate: Outcome, reference: Outcome) -> bool:
    """Whether the candidate shows a table's final state and the reference one on the way to it."""
    theirs = _states(reference)
    if not theirs & ON_THE_WAY:
        return False
    if isinstance(candidate, Raised):
        return candidate.kind == "ResourceNotFoundException" and "DELETING" in theirs
    return _states(candidate) == {"ACTIVE"} and "DELETING" not in theirs


def is_on_the_way(body: bytes) -> bool:
    """Whether a description speaks of anything that is not final."""
    return any(f'"{state}"'.encode() in body for state in ON_THE_WAY)


def _states(outcome: Outcome) -> set[str]:
    """The states of a table and its indexes, in the answer that only DescribeTable gives."""
    value: Value = outcome.value if isinstance(outcome, Returned) else None
    for name in ("body", "Table"):
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        return set()
    indexes = value.get("GlobalSecondaryIndexes")
    states = [value.get("TableStatus")]
    for index in indexes if isinstance(indexes, list) else ():
        states.append(index.get("IndexStatus") if isinstance(index, dict) else None)
    return {str(state) for state in states if state}
