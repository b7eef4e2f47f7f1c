from __future__ import annotations

import pytest

from likewise.decide import contends
from likewise.model import Effect, Interaction, Operation, Result, Returned, Role, Scope, Touch, Trace

TABLE = ("aws", "dynamodb", "orders")
ITEM = (*TABLE, "7")


def call(lane: str, started: float, touch: Touch) -> Interaction:
    return Interaction(
        operation=Operation(service="s", name="Op"),
        arguments={},
        outcome=Returned(value=None),
        touches=(touch,),
        lane=lane,
        started=started,
        ended=started + 1.0,
    )


def trace(*calls: Interaction) -> Trace:
    return Trace(test="t", role=Role.CANDIDATE, result=Result.PASSED, interactions=calls)


WRITE = Touch(resource=ITEM, effect=Effect.WRITE)
LIST = Touch(resource=TABLE, effect=Effect.READ, scope=Scope.SUBTREE)
ELSEWHERE = Touch(resource=("aws", "dynamodb", "stock"), effect=Effect.READ, scope=Scope.SUBTREE)


def test_lanes_contend_though_the_conflicting_calls_did_not_collide() -> None:
    assert contends(trace(call("main", 0.0, LIST), call("worker", 0.5, LIST), call("worker", 5.0, WRITE)))


@pytest.mark.parametrize(
    "calls",
    [
        (call("main", 0.0, LIST), call("main", 0.5, WRITE)),
        (call("setup", 0.0, WRITE), call("test", 2.0, LIST), call("setup", 4.0, WRITE)),
        (call("main", 0.0, ELSEWHERE), call("worker", 0.5, WRITE)),
        (call("main", 0.0, LIST), call("worker", 0.5, LIST)),
    ],
    ids=["one lane", "one after the other", "different things", "nothing written"],
)
def test_lanes_do_not_contend(calls: tuple[Interaction, ...]) -> None:
    assert not contends(trace(*calls))
