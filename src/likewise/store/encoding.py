"""The nouns as JSON bytes and back; the only module that knows the library that does it.

Equal nouns have equal bytes where `ordered`, so that the hash of the bytes can be an id.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, Generic, NoReturn, TypeVar, assert_never, cast

IS_SHARED = "msgspec" in sys.modules
"""Whether somebody else in this process had that library first."""

import msgspec  # noqa: E402 - only before its import can be told who had it first

from likewise.model import (  # noqa: E402
    Difference,
    Discrepancy,
    Effect,
    Evidence,
    Fingerprint,
    Implication,
    Interaction,
    Lost,
    Manifestation,
    Mapping,
    Operation,
    Origin,
    Outcome,
    Raised,
    Result,
    Returned,
    Role,
    Scope,
    Target,
    TimedOut,
    Trace,
)
from likewise.model.unopened import Span, Unopened  # noqa: E402
from likewise.store.shared import Shared  # noqa: E402
from likewise.store.values import Undecodable, escape, pack, unescape, unpack  # noqa: E402

T = TypeVar("T")
Raw = dict[str, Any]
"""An object as JSON has it, before anything is known about it."""


class _Struct(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Small on disk, and refuses fields it does not know."""


V = TypeVar("V")
"""How values are held: as JSON has them, or as raw bytes that nobody has looked into yet."""
_NOTHING: Any = None
"""What is left out on disk. (A type of its own for "or nothing" would make the decoder look inside.)"""


class _Returned(_Struct, Generic[V], tag_field="is", tag="returned"):
    value: V = _NOTHING


class _Raised(_Struct, Generic[V], tag_field="is", tag="raised"):
    kind: str
    message: str = ""
    value: V = _NOTHING


class _TimedOut(_Struct, tag_field="is", tag="timed out"):
    after: Any


class _Lost(_Struct, tag_field="is", tag="lost"):
    reason: str


_Outcome = _Returned[V] | _Raised[V] | _TimedOut | _Lost


class _Touch(msgspec.Struct):
    resource: tuple[str, ...]
    effect: Effect
    scope: Scope = Scope.SELF
    timed: bool = False


class _Call(_Struct, Generic[V]):
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


class _Trace(_Struct, Generic[V]):
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


class _Line(_Struct, Generic[V]):
    trace: _Trace[V] | None = None
    end: bool = False
    traces: int = 0


class _Evidence(_Struct, Generic[V]):
    test: str
    run: str
    origin: Origin
    reference: Target
    when: float
    traces: list[_Trace[V]]
    proved: tuple[int, ...]
    canonical_version: int


class _Proved(msgspec.Struct):
    proved: tuple[int, ...]


class _Discrepancy(_Struct):
    run: str
    service: str
    name: str
    difference: Difference
    place: str
    reference: Any
    candidate: Any
    implication: Implication
    manifestation: Manifestation
    test: str
    position: int
    condition: str = ""


_encoder = msgspec.json.Encoder()
_ordered = msgspec.json.Encoder(order="deterministic")
_untyped = msgspec.json.Decoder()
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}

_ESCAPED = b'{"escaped":'


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
    if content.startswith(_ESCAPED):
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
    return encode(_Line(trace=_wire_trace(trace)))


def encode_end_line(traces: int) -> bytes:
    """The last line of a recording."""
    return encode(_Line(end=True, traces=traces))


def decode_line(content: bytes, *, reject: Callable[[str], NoReturn]) -> Trace | int:
    """A line of a recording: a trace, or at its end how many there were; raises Undecodable.

    The interactions of the trace are opened when they are first looked into, and rejected where a value
    in them turns out to be none; all else about them is sure already.
    """
    if content.startswith(_ESCAPED):
        return convert_line(decode_raw(content))
    line = decode(_Line[msgspec.Raw], content)
    if line.end or line.trace is None:
        return _model_line(line, _open_raw)
    spans = [
        Span(operation=_operation(call.service, call.name), seconds=call.ended - call.started)
        for call in line.trace.interactions
    ]
    return _model_trace(line.trace, Unopened(spans=spans, source=[partial(_opened, content, reject)]))


def _opened(content: bytes, reject: Callable[[str], NoReturn]) -> tuple[Interaction, ...]:
    """The interactions in a line that is known to hold a trace."""
    line = decode(_Line[msgspec.Raw], content)
    assert line.trace is not None
    try:
        return _model_calls(line.trace.interactions, _open_raw)
    except Undecodable as error:
        reject(str(error))


def convert_line(raw: Raw) -> Trace | int:
    """`decode_line` of an object that was brought up to the present version."""
    return _model_line(convert(_Line[Any], raw), unpack)


def encode_evidence(evidence: Evidence) -> bytes:
    """Evidence as bytes that are equal where the evidence is."""
    return encode(
        _Evidence(
            evidence.test,
            evidence.run,
            evidence.origin,
            evidence.reference,
            evidence.when,
            [_wire_trace(trace) for trace in evidence.traces],
            evidence.proved,
            evidence.canonical_version,
        ),
        ordered=True,
    )


def decode_evidence(content: bytes) -> Evidence:
    """What `encode_evidence` made; raises Undecodable."""
    if content.startswith(_ESCAPED):
        return _model_evidence(convert(_Evidence[Any], decode_raw(content)), unpack)
    return _model_evidence(decode(_Evidence[msgspec.Raw], content), _open_raw)


def decode_proved(content: bytes) -> tuple[int, ...]:
    """Which positions encoded evidence proves, without the work of decoding the rest."""
    if content.startswith(_ESCAPED):
        return convert(_Proved, decode_raw(content)).proved
    return decode(_Proved, content).proved


def encode_discrepancy(run: str, found: Discrepancy) -> bytes:
    """A discrepancy and the run that found it, as bytes that are equal where those are."""
    return encode(
        _Discrepancy(
            run,
            found.operation.service,
            found.operation.name,
            found.difference,
            found.place,
            pack(found.reference),
            pack(found.candidate),
            found.implication,
            found.manifestation,
            found.test,
            found.position,
            found.condition,
        ),
        ordered=True,
    )


def decode_discrepancy(content: bytes) -> tuple[str, Discrepancy]:
    """What `encode_discrepancy` made; raises Undecodable."""
    wire = decode(_Discrepancy, content)
    return wire.run, Discrepancy(
        operation=Operation(wire.service, wire.name),
        difference=wire.difference,
        place=wire.place,
        reference=unpack(wire.reference),
        candidate=unpack(wire.candidate),
        implication=wire.implication,
        manifestation=wire.manifestation,
        test=wire.test,
        position=wire.position,
        condition=wire.condition,
    )


def _wire_trace(trace: Trace) -> _Trace[Any]:
    return _Trace(
        trace.test,
        trace.role,
        [_wire_call(call) for call in trace.interactions],
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


def _model_line(line: _Line[V], open_value: Callable[[V], Any]) -> Trace | int:
    if line.end:
        return line.traces
    if line.trace is None:
        raise Undecodable("Expected a trace or the end of the recording")
    return _model_trace(line.trace, _model_calls(line.trace.interactions, open_value))


def _model_evidence(wire: _Evidence[V], open_value: Callable[[V], Any]) -> Evidence:
    return Evidence(
        test=wire.test,
        run=wire.run,
        origin=wire.origin,
        reference=wire.reference,
        when=wire.when,
        traces=tuple(
            _model_trace(trace, _model_calls(trace.interactions, open_value)) for trace in wire.traces
        ),
        proved=wire.proved,
        canonical_version=wire.canonical_version,
    )


def _model_trace(wire: _Trace[V], interactions: Sequence[Interaction]) -> Trace:
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


def _model_calls(calls: Iterable[_Call[V]], open_value: Callable[[V], Any]) -> tuple[Interaction, ...]:
    shared = Shared(open_value, folded=msgspec.Raw)
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
                wire={} if call.wire is None else _as_mapping(shared.opened(call.wire)),
                seen=call.seen,
            )
            for call in calls
        ]
    )


@lru_cache(maxsize=4096)
def _operation(service: str, name: str) -> Operation:
    return Operation(service, name)


def _model_outcome(wire: _Outcome[V], open_value: Callable[[V], Any]) -> Outcome:
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


def _open_raw(raw: msgspec.Raw | bytes | None) -> Any:
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
