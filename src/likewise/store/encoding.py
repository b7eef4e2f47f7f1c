"""The nouns as JSON bytes and back; the only module that knows the library that does it.

Equal nouns have equal bytes where `ordered`, so that the hash of the bytes can be an id.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, assert_never, cast

IS_SHARED = "msgspec" in sys.modules
"""Whether somebody else in this process had that library first."""

import msgspec  # noqa: E402 - only before its import can be told who had it first

from likewise.model import (  # noqa: E402
    Effect,
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
    Touch,
    Trace,
)
from likewise.model.rows import Row, Rows  # noqa: E402
from likewise.store.shared import Shared  # noqa: E402
from likewise.store.values import Undecodable, escape, pack, unescape, unpack  # noqa: E402

if TYPE_CHECKING:
    from likewise.model import Fingerprint
    from likewise.model.unopened import Passing

T = TypeVar("T")
Raw = dict[str, Any]
"""An object as JSON has it, before anything is known about it."""


class Loose(msgspec.Struct):
    """Takes the fields that it knows from among others."""


class Small(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Small on disk, and refuses fields it does not know."""


V = TypeVar("V")
"""How values are held: as JSON has them, or as raw bytes that nobody has looked into yet."""
Unread = msgspec.Raw
"""Those bytes."""
_NOTHING: Any = None
"""What is left out on disk. (A type of its own for "or nothing" would make the decoder look inside.)"""


class _Returned(Small, Generic[V], tag_field="is", tag="returned"):
    value: V = _NOTHING


class _Raised(Small, Generic[V], tag_field="is", tag="raised"):
    kind: str
    message: str = ""
    value: V = _NOTHING


class _TimedOut(Small, tag_field="is", tag="timed out"):
    after: Any


class _Lost(Small, tag_field="is", tag="lost"):
    reason: str


_Outcome = _Returned[V] | _Raised[V] | _TimedOut | _Lost


class _Touch(Loose):
    resource: tuple[str, ...]
    effect: Effect
    scope: Scope = Scope.SELF
    timed: bool = False


class _Call(Small, Generic[V]):
    service: str
    name: str
    arguments: V
    outcome: _Outcome[V]
    touches: tuple[_Touch, ...] = ()
    receiver: str = ""
    order: int = 0
    lane: str = "main"
    started: float = 0.0
    ended: float = 0.0
    wire: V = _NOTHING
    seen: tuple[str, ...] | None = None


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


class _Line(Small, Generic[V]):
    trace: WireTrace[V] | None = None
    part: WireTrace[V] | None = None
    end: bool = False
    traces: int = 0


class _Passed(Loose):
    """A call in a line that was checked before, as far as who only goes through its calls needs it."""

    service: str
    name: str
    arguments: Unread
    outcome: _Outcome[Unread]
    touches: tuple[Touch, ...] = ()
    lane: str = "main"
    started: float = 0.0
    ended: float = 0.0


class _PassedTrace(Loose):
    interactions: list[_Passed]


class _PassedLine(Loose):
    trace: _PassedTrace | None = None
    part: _PassedTrace | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Some interactions of a trace that goes on in a later line."""

    trace: Trace


_encoder = msgspec.json.Encoder()
_ordered = msgspec.json.Encoder(order="deterministic")
_untyped = msgspec.json.Decoder()
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}

ESCAPED = b'{"escaped":'


def identify(content: bytes) -> Fingerprint:
    """The id of a piece of content: equal content has the same id wherever it was written."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def encode(noun: object, *, ordered: bool = False) -> bytes:
    """A noun that holds no `Value` as JSON; `ordered` makes equal content equal bytes."""
    encoder = _ordered if ordered else _encoder
    try:
        return encoder.encode(noun)
    except UnicodeEncodeError:
        return encoder.encode({"escaped": escape(msgspec.to_builtins(noun))})


def decode(kind: type[T], content: bytes) -> T:
    """What `encode` made of a noun of this kind; raises Undecodable."""
    if content.startswith(ESCAPED):
        return convert(kind, decode_raw(content))
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        noun: T = decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Undecodable(str(error)) from error
    return noun


def decode_json(content: bytes) -> Any:
    """JSON of anybody's as it stands; raises Undecodable."""
    try:
        return _untyped.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Undecodable(str(error)) from error


def decode_raw(content: bytes) -> Raw:
    """A JSON object as it stands, for formats whose version is not known yet; raises Undecodable."""
    raw = decode_json(content)
    if isinstance(raw, dict) and raw.keys() == {"escaped"}:
        raw = unescape(raw["escaped"])
    if not isinstance(raw, dict):
        raise Undecodable(f"Expected an object, got {type(raw).__name__}")
    return raw


def convert(kind: type[T], raw: Raw) -> T:
    """A raw object as a noun of this kind; raises Undecodable."""
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise Undecodable(str(error)) from error


def encode_trace_line(trace: Trace) -> bytes:
    """One line of a recording, without its line end."""
    try:
        return encode(_Line(trace=wire_trace(trace)))
    except TypeError:
        if not isinstance(trace.interactions, Rows) or not trace.interactions.plain:
            raise
        # Some text was of a type of its own, which only packing makes plain.
        unsure = replace(trace, interactions=Rows(rows=trace.interactions.rows))
        return encode(_Line(trace=wire_trace(unsure)))


def encode_part_line(trace: Trace) -> bytes:
    """One line of a recording that holds the interactions of a trace so far."""
    return encode(_Line(part=wire_trace(trace)))


def encode_end_line(traces: int) -> bytes:
    """The last line of a recording."""
    return encode(_Line(end=True, traces=traces))


def decode_line(content: bytes, *, reject: Callable[[str], NoReturn]) -> Trace | Part | int:
    """A line of a recording: a trace or a part of one, or at its end how many there were; raises Undecodable.

    The interactions are opened when they are first looked into, and rejected where a value in them turns
    out to be none; all else about them is sure already.
    """
    if content.startswith(ESCAPED):
        return convert_line(decode_raw(content))
    from likewise.model.unopened import Opening, Span, Unopened  # who only writes does without

    line = decode(_Line[Unread], content)
    wire = line.trace or line.part
    if line.end or wire is None:
        return _model_line(line, open_raw)
    spans = [
        Span(operation=_operation(call.service, call.name), seconds=call.ended - call.started)
        for call in wire.interactions
    ]
    opening = Opening(to_keep=partial(_opened, content, reject), in_passing=partial(_passed, content, reject))
    trace = model_trace(wire, Unopened(spans=spans, source=[opening]))
    return trace if line.trace else Part(trace)


def _opened(content: bytes, reject: Callable[[str], NoReturn]) -> tuple[Interaction, ...]:
    """The interactions in a line that is known to hold some."""
    line = decode(_Line[Unread], content)
    trace = line.trace or line.part
    assert trace is not None
    try:
        return model_calls(trace.interactions, open_raw)
    except Undecodable as error:
        reject(str(error))


def _passed(content: bytes, reject: Callable[[str], NoReturn]) -> list[Passing]:
    """The same for who goes through them once; equal values are one."""
    from likewise.model.tuples import maker
    from likewise.model.unopened import Passing

    new = maker(Passing)
    line = decode(_PassedLine, content)
    trace = line.trace or line.part
    assert trace is not None
    values: dict[bytes, Any] = {}
    found: list[Passing] = []

    def opened(raw: Any) -> Any:
        content = bytes(raw) if raw is not None else b"null"
        value = values.get(content, values)
        if value is values:
            value = values[content] = open_raw(content)
        return value

    try:
        for call in trace.interactions:
            found.append(
                new(
                    (
                        _operation(call.service, call.name),
                        _as_mapping(opened(call.arguments)),
                        _model_outcome(call.outcome, opened),
                        call.touches,
                        call.lane,
                        call.started,
                        call.ended,
                    )
                )
            )
    except Undecodable as error:
        reject(str(error))
    return found


def convert_line(raw: Raw) -> Trace | Part | int:
    """`decode_line` of an object that was brought up to the present version."""
    return _model_line(convert(_Line[Any], raw), unpack)


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
    )


def _wire_calls(calls: Sequence[Interaction]) -> list[_Call[Any]]:
    if not isinstance(calls, Rows):
        return [_wire_call(call) for call in calls]
    if not calls.plain:
        return [_wire_row(row, pack) for row in calls.rows]
    return [
        _wire_row(row, _as_it_is if is_plain else pack)
        for row, is_plain in zip(calls.rows, calls.plain, strict=True)
    ]


def _as_it_is(value: Any) -> Any:
    return value


def _wire_row(row: Row, packed: Callable[[Any], Any]) -> _Call[Any]:
    operation, arguments, outcome, receiver, order, lane, wire = row
    return _Call(
        operation.service,
        operation.name,
        packed(arguments),
        _Returned(packed(outcome.value)) if type(outcome) is Returned else _wire_outcome(outcome),
        (),
        receiver,
        order,
        lane,
        0.0,
        0.0,
        packed(wire) or None,
        None,
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


def _wire_outcome(outcome: Outcome) -> _Outcome[Any]:
    match outcome:
        case Returned():
            return _Returned(pack(outcome.value))
        case Raised():
            return _Raised(outcome.kind, outcome.message, pack(outcome.value))
        case TimedOut():
            return _TimedOut(pack(outcome.after))
        case Lost():
            return _Lost(outcome.reason)
        case _:
            assert_never(outcome)


def _model_line(line: _Line[V], open_value: Callable[[V], Any]) -> Trace | Part | int:
    if line.end:
        return line.traces
    wire = line.trace or line.part
    if wire is None:
        raise Undecodable("Expected a trace or the end of the recording")
    trace = model_trace(wire, model_calls(wire.interactions, open_value))
    return trace if line.trace else Part(trace)


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
    )


def model_calls(calls: Iterable[_Call[V]], open_value: Callable[[V], Any]) -> tuple[Interaction, ...]:
    """Calls as interactions."""
    shared = Shared(open_value, folded=Unread)
    return tuple(
        [
            Interaction(
                operation=_operation(call.service, call.name),
                arguments=_as_mapping(shared.opened(call.arguments)),
                outcome=_model_outcome(call.outcome, shared.opened),
                touches=shared.touches(call.touches),
                receiver=call.receiver,
                order=call.order,
                lane=call.lane,
                started=call.started,
                ended=call.ended,
                wire=_as_mapping(shared.opened(call.wire)) if call.wire is not None else {},
                seen=call.seen,
            )
            for call in calls
        ]
    )


@lru_cache(maxsize=4096)
def _operation(service: str, name: str) -> Operation:
    return Operation(service, name)


def _model_outcome(wire: _Outcome[V], open_value: Callable[[Any], Any]) -> Outcome:
    match wire:
        case _Returned():
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


def _as_mapping(value: Any) -> Mapping:
    if type(value) is not dict:
        raise Undecodable(f"Expected an object for the arguments or the wire, got {type(value).__name__}")
    return value
