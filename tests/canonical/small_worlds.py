"""Small worlds, by hand: calls on a tree of resources of which a test says what they touch."""

from __future__ import annotations

from likewise.model import (
    Effect,
    Interaction,
    Operation,
    Outcome,
    Returned,
    Role,
    Scope,
    Touch,
    Trace,
    Value,
)


def call(
    name: str,
    *resource: str,
    value: Value = None,
    answer: Value = "ok",
    effect: Effect = Effect.READ,
    scope: Scope = Scope.SELF,
    timed: bool = False,
    lasts: float | None = None,
    at: float = 0.0,
    outcome: Outcome | None = None,
    lane: str = "main",
    attempted: bool = False,
) -> Interaction:
    return Interaction(
        operation=Operation("s", name),
        arguments={"resource": list(resource), "value": value},
        outcome=outcome or Returned(value=answer),
        touches=(
            Touch(
                resource=("s", *resource),
                effect=effect,
                scope=scope,
                timed=timed,
                lasts=lasts,
                attempted=attempted,
            ),
        ),
        started=at,
        ended=at + 0.01,
        lane=lane,
    )


def put(*resource: str, value: Value = "v", answer: Value = "ok") -> Interaction:
    return call("put", *resource, value=value, answer=answer, effect=Effect.ABSORB)


def get(*resource: str, answer: Value = "v", at: float = 0.0) -> Interaction:
    return call("get", *resource, answer=answer, at=at)


def trace_of(*calls: Interaction, test: str = "t") -> Trace:
    return Trace(test=test, role=Role.CANDIDATE, interactions=calls)


def remove(*resource: str, at: float = 0.0) -> Interaction:
    return call("remove", *resource, effect=Effect.REMOVE, at=at)


def look(*resource: str, answer: Value = None, at: float = 0.0) -> Interaction:
    """Look at everything below."""
    return call("list", *resource, answer=answer, scope=Scope.SUBTREE, at=at)
