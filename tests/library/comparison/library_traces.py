"""Library traces written by hand."""

from __future__ import annotations

from typing import Any

from likewise.library import crossing
from likewise.library.comparison import Side
from likewise.library.crossing import Kind
from likewise.model import (
    Interaction,
    Operation,
    Outcome,
    Provenance,
    Raised,
    Recording,
    Result,
    Returned,
    Role,
    Target,
    Trace,
    Value,
)
from likewise.model.rows import interaction


def call(
    name: str,
    outcome: Value | Outcome = None,
    *,
    at: int = 1,
    arguments: dict[str, Value] | None = None,
    receiver: str = "",
    kind: Kind = Kind.CALL,
    **more: Any,
) -> Interaction:
    """One crossing at a line of `client.py`."""
    row = crossing.row(
        f"client.py:{at}:0",
        kind,
        operation=Operation("lib", name),
        receiver=receiver,
        arguments=arguments or {},
        outcome=outcome if isinstance(outcome, Returned | Raised) else Returned(value=outcome),
        order=0,
        lane="main",
        **more,
    )
    return interaction(row)


def trace(*calls: Interaction, test: str = "test_a", result: Result = Result.PASSED) -> Trace:
    """One test's crossings, in their order."""
    return Trace(test=test, role=Role.REFERENCE, interactions=calls, result=result)


def side(*traces: Trace, version: str = "1.0", again: tuple[Trace, ...] | None = None) -> Side:
    """A version with one recording, or two."""
    provenance = Provenance(run="r", targets=(Target(name="lib", role=Role.REFERENCE, version=version),))
    repeated = () if again is None else (Recording(provenance=provenance, traces=again),)
    return Side(recording=Recording(provenance=provenance, traces=traces), again=repeated)


def thing(number: int, kind: str = "Node") -> Value:
    """An opaque object."""
    return {"is": "object", "type": kind, "id": number}
