"""Traces and their interactions as they are written, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar, assert_never, cast

from likewise.model import (
    Borrowed,
    Effect,
    Ending,
    Interaction,
    Lost,
    Mapping,
    Operation,
    Outcome,
    Raised,
    Result,
    Returned,
    Role,
    Scope,
    TimedOut,
    Trace,
)
from likewise.model.rows import Row, Rows
from likewise.store.encoding import Loose, Small, Unread, decode_json
from likewise.store.shared import Shared
from likewise.store.values import Undecodable, pack, unpack

V = TypeVar("V")
"""How values are held: as JSON has them, or `Unread`."""
_NOTHING: Any = None
"""What is left out on disk. (A type of its own for "or nothing" would make the decoder look inside.)"""


class WireReturned(Small, Generic[V], tag_field="is", tag="returned"):
    value: V = _NOTHING


class _Raised(Small, Generic[V], tag_field="is", tag="raised"):
    kind: str
    message: str = ""
    value: V = _NOTHING


class _TimedOut(Small, tag_field="is", tag="timed out"):
    after: Any


class _Lost(Small, tag_field="is", tag="lost"):
    reason: str


WireOutcome = WireReturned[V] | _Raised[V] | _TimedOut | _Lost


class _Touch(Loose):
    resource: tuple[str, ...]
    effect: Effect
    scope: Scope = Scope.SELF
    timed: bool = False
    lasts: float | None = None
    attempted: bool = False


class _Call(Small, Generic[V]):
    service: str
    name: str
    arguments: V
    outcome: WireOutcome[V]
    touches: tuple[_Touch, ...] = ()
    receiver: str = ""
    order: int = 0
    lane: str = "main"
    started: float = 0.0
    ended: float = 0.0
    wire: V = _NOTHING
    seen: tuple[str, ...] | None = None


class _Borrowed(Small):
    fixture: str
    test: str
    since: float
    until: float


class _Ending(Small):
    fixture: str
    since: float
    until: float


class WireTrace(Small, Generic[V]):
    test: str
    role: Role
    interactions: list[_Call[V]]
    result: Result = Result.PASSED
    attempt: int = 0
    world: str = ""
    unclear: tuple[str, ...] = ()
    failure: str = ""
    started: float = 0.0
    ended: float = 0.0
    unseen: tuple[str, ...] = ()
    unseen_writes: bool = True
    borrowed: tuple[_Borrowed, ...] = ()
    endings: tuple[_Ending, ...] = ()


def wire_trace(trace: Trace) -> WireTrace[Any]:
    return WireTrace(
        trace.test,
        trace.role,
        _wire_calls(trace.interactions),
        trace.result,
        trace.attempt,
        trace.world,
        trace.unclear,
        trace.failure,
        trace.started,
        trace.ended,
        trace.unseen,
        trace.unseen_writes,
        tuple(_Borrowed(each.fixture, each.test, each.since, each.until) for each in trace.borrowed),
        tuple(_Ending(each.fixture, each.since, each.until) for each in trace.endings),
    )


def _wire_calls(calls: Sequence[Interaction]) -> list[_Call[Any]]:
    if not isinstance(calls, Rows):
        return [_wire_call(call) for call in calls]
    if not calls.plain:
        return [_packed_row(row) for row in calls.rows]
    return [
        _plain_row(row) if is_plain else _packed_row(row)
        for row, is_plain in zip(calls.rows, calls.plain, strict=True)
    ]


def _plain_row(row: Row) -> _Call[Any]:
    """A row whose values JSON can say as they stand."""
    operation, arguments, outcome, receiver, order, lane, wire = row
    made = WireReturned(outcome.value) if type(outcome) is Returned else _wire_outcome(outcome)
    service, name = operation.service, operation.name
    return _Call(service, name, arguments, made, (), receiver, order, lane, 0.0, 0.0, wire or None, None)


def _packed_row(row: Row) -> _Call[Any]:
    operation, arguments, outcome, receiver, order, lane, wire = row
    made = _wire_outcome(outcome)
    service, name = operation.service, operation.name
    return _Call(
        service, name, pack(arguments), made, (), receiver, order, lane, 0.0, 0.0, pack(wire) or None, None
    )


def _wire_call(call: Interaction) -> _Call[Any]:
    return _Call(
        call.operation.service,
        call.operation.name,
        pack(call.arguments),
        _wire_outcome(call.outcome),
        cast(tuple[_Touch, ...], call.touches),  # written alike
        call.receiver,
        call.order,
        call.lane,
        call.started,
        call.ended,
        pack(call.wire) or None,
        call.seen,
    )


def _wire_outcome(outcome: Outcome) -> WireOutcome[Any]:
    match outcome:
        case Returned():
            return WireReturned(pack(outcome.value))
        case Raised():
            return _Raised(outcome.kind, outcome.message, pack(outcome.value))
        case TimedOut():
            return _TimedOut(pack(outcome.after))
        case Lost():
            return _Lost(outcome.reason)
        case _:
            assert_never(outcome)


def model_trace(wire: WireTrace[V], interactions: Sequence[Interaction]) -> Trace:
    return Trace(
        test=wire.test,
        role=wire.role,
        interactions=interactions,
        result=wire.result,
        attempt=wire.attempt,
        world=wire.world,
        unclear=wire.unclear,
        unseen=wire.unseen,
        unseen_writes=wire.unseen_writes,
        failure=wire.failure,
        started=wire.started,
        ended=wire.ended,
        borrowed=tuple(
            Borrowed(fixture=each.fixture, test=each.test, since=each.since, until=each.until)
            for each in wire.borrowed
        ),
        endings=tuple(
            Ending(fixture=each.fixture, since=each.since, until=each.until) for each in wire.endings
        ),
    )


def model_calls(calls: Iterable[_Call[V]], open_value: Callable[[V], Any]) -> tuple[Interaction, ...]:
    """Calls as interactions."""
    shared = Shared(open_value, folded=Unread)
    return tuple(
        [
            Interaction(
                operation=operation_of(call.service, call.name),
                arguments=as_mapping(shared.opened(call.arguments)),
                outcome=model_outcome(call.outcome, shared.opened),
                touches=shared.touches(call.touches),
                receiver=call.receiver,
                order=call.order,
                lane=call.lane,
                started=call.started,
                ended=call.ended,
                wire=as_mapping(shared.opened(call.wire)) if call.wire is not None else {},
                seen=call.seen,
            )
            for call in calls
        ]
    )


@lru_cache(maxsize=4096)
def operation_of(service: str, name: str) -> Operation:
    return Operation(service, name)


def model_outcome(wire: WireOutcome[V], open_value: Callable[[Any], Any]) -> Outcome:
    match wire:
        case WireReturned():
            return Returned(value=open_value(wire.value))
        case _Raised():
            return Raised(kind=wire.kind, message=wire.message, value=open_value(wire.value))
        case _TimedOut():
            return TimedOut(after=unpack(wire.after))
        case _Lost():
            return Lost(reason=wire.reason)
        case _:
            assert_never(wire)


def open_raw(raw: Unread | bytes | None) -> Any:
    """A value as it was, from its bytes: most hold no tag at all, and then it is one already."""
    if raw is None:
        return None
    content = bytes(raw)
    value = decode_json(content)
    return unpack(value) if b'"$' in content else value


def as_mapping(value: Any) -> Mapping:
    if type(value) is not dict:
        raise Undecodable(f"Expected an object for the arguments or the wire, got {type(value).__name__}")
    return value
