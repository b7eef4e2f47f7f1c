"""Small nouns for the store's tests."""

from __future__ import annotations

from likewise.model import (
    Attempt,
    Audit,
    Difference,
    Discrepancy,
    Effect,
    Evidence,
    Implication,
    Interaction,
    Keyed,
    Opaque,
    Operation,
    Origin,
    Raised,
    Redacted,
    Returned,
    Role,
    Spending,
    Target,
    Touch,
    Trace,
    Value,
)

PUT = Operation("s3", "PutObject")
GET = Operation("s3", "GetObject")
AWS = Target(name="aws", role=Role.REFERENCE)


def call(operation: Operation = PUT, *, order: int = 0, value: Value = None) -> Interaction:
    return Interaction(
        operation=operation,
        arguments={"Bucket": "b", "Body": Opaque(length=3, digest="ab"), "Token": Redacted(kind="token")},
        outcome=Returned(value=value) if order % 2 == 0 else Raised(kind="NoSuchKey", message="gone"),
        touches=(Touch(resource=("s3", "b"), effect=Effect.WRITE),),
        order=order,
        wire={"raw": b"\x00\xff"},
    )


def trace(test: str = "t::a", *, calls: int = 3, started: float = 0.0, world: str = "") -> Trace:
    return Trace(
        test=test,
        role=Role.REFERENCE,
        interactions=tuple(call(order=order, value={"n": order}) for order in range(calls)),
        started=started,
        world=world,
    )


def evidence(
    test: str = "t::a",
    *,
    calls: int = 3,
    when: float = 100.0,
    reference: Target = AWS,
    version: int = 1,
    run: str = "r1",
    proved: tuple[int, ...] | None = None,
) -> Evidence:
    return Evidence(
        test=test,
        run=run,
        origin=Origin.WHOLE,
        reference=reference,
        when=when,
        traces=(trace("before"), trace(test, calls=calls)),
        proved=tuple(range(calls)) if proved is None else proved,
        canonical_version=version,
    )


def keyed(*keys: str, answer: str = "same", width: int = 0) -> list[Keyed]:
    return [
        Keyed(position=position, operation=PUT, form="f", key=key, answer=answer, width=width)
        for position, key in enumerate(keys)
    ]


def attempt(test: str = "t::a", *, when: float = 1.0, result: str = "passed") -> Attempt:
    return Attempt(
        test=test,
        run="r1",
        target="moto",
        role="candidate",
        attempt=0,
        result=result,
        shape="s",
        code="c",
        when=when,
    )


def discrepancy(test: str = "t::a", operation: Operation = PUT) -> Discrepancy:
    return Discrepancy(
        operation=operation,
        difference=Difference.VALUE,
        place="body.x",
        reference=b"\xff",
        candidate={"$bytes": "not bytes"},
        implication=Implication.WRONG_RESULT,
        test=test,
        position=2,
    )


def audit(key: str = "k", *, clean: bool = True, when: float = 1.0) -> Audit:
    return Audit(key=key, operation="s3.GetObject", clean=clean, run="r1", when=when)


def spending(run: str = "r1", when: float = 1.0) -> Spending:
    return Spending(
        run=run,
        when=when,
        policy="context",
        tests=3,
        calls=10,
        reference_calls=2,
        seconds=1.5,
        reference_seconds=0.5,
        money=0.1,
        reference_money=0.02,
        by_operation={"s3.GetObject": 2},
    )
