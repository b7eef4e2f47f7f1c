"""Whole tests on the reference: what is no answer of its says nothing about it."""

from __future__ import annotations

from typing import Any

import pytest

from likewise.cloud.visits import Visits
from likewise.model import (
    Interaction,
    Lost,
    Operation,
    Outcome,
    Provenance,
    Raised,
    Recording,
    Result,
    Returned,
    Role,
    Trace,
)
from likewise.run import Meter

PUT = Operation("blob", "BlockBlob_Upload")


def recording(*outcomes: Outcome, role: Role, result: Result = Result.PASSED) -> Recording:
    calls = tuple(
        Interaction(operation=PUT, arguments={"n": number}, outcome=outcome, order=number)
        for number, outcome in enumerate(outcomes)
    )
    trace = Trace(test="t", role=role, interactions=calls, result=result)
    return Recording(provenance=Provenance(run="r"), traces=(trace,))


def visited(*outcomes: Outcome, said: list[Any]) -> tuple[Trace, ...]:
    """What is let through of a test that ended so on the reference."""

    class Rerunner:
        def rerun(self, tests: object, *, role: Role) -> Recording:
            return recording(*outcomes, role=role, result=Result.FAILED)

    visits = Visits(
        Rerunner(),
        candidate=recording(Returned(value=1), Returned(value=1), role=Role.CANDIDATE),
        running={},
        identities=(),
        meter=Meter(),
        log=None,  # type: ignore[arg-type]
        mention=said.append,
        emit=said.append,
    )
    return visits.rerun(["t"], role=Role.REFERENCE).traces


CANCELLED = Lost(reason="CancelledError: ")


def test_what_a_client_broke_off_because_another_call_was_refused_is_no_fault_of_the_reference() -> None:
    said: list[Any] = []
    (trace,) = visited(Raised(kind="TooMany"), CANCELLED, said=said)
    assert [call.outcome for call in trace.interactions] == [Raised(kind="TooMany")]
    assert trace.unseen, "what became of the other call nobody knows"
    assert said == []


@pytest.mark.parametrize("first", [Returned(value=1), Raised(kind="ServerBusy"), Lost(reason="Broken: pipe")])
def test_what_a_client_broke_off_for_another_reason_says_nothing(first: Outcome) -> None:
    said: list[Any] = []
    assert visited(first, CANCELLED, said=said) == ()
    assert said
