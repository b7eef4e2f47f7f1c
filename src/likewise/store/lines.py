"""The lines of a recording: a trace, a part of one, or the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NoReturn

from likewise.model import Interaction, Outcome, Returned, Touch, Trace
from likewise.model.rows import Rows
from likewise.store.encoding import ESCAPED, Loose, Raw, Small, Unread, convert, decode, decode_raw, encode
from likewise.store.values import Undecodable, unpack
from likewise.store.wire import (
    V,
    WireOutcome,
    WireReturned,
    WireTrace,
    as_mapping,
    model_calls,
    model_outcome,
    model_trace,
    open_raw,
    operation_of,
    wire_trace,
)

if TYPE_CHECKING:
    from likewise.model.unopened import Passing


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
    outcome: WireOutcome[Unread]
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
        Span(operation=operation_of(call.service, call.name), seconds=call.ended - call.started)
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
    returned: dict[bytes, Returned] = {}
    found: list[Passing] = []

    def opened(raw: Any) -> Any:
        content = bytes(raw) if raw is not None else b"null"
        value = values.get(content, values)
        if value is values:
            value = values[content] = open_raw(content)
        return value

    def outcome(wire: WireOutcome[Unread]) -> Outcome:
        if not isinstance(wire, WireReturned):
            return model_outcome(wire, opened)
        content = bytes(wire.value) if wire.value is not None else b"null"
        known = returned.get(content)
        if known is None:
            known = returned[content] = Returned(value=open_raw(content))
        return known

    try:
        for call in trace.interactions:
            found.append(
                new(
                    (
                        operation_of(call.service, call.name),
                        as_mapping(opened(call.arguments)),
                        outcome(call.outcome),
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


def _model_line(line: _Line[V], open_value: Callable[[V], Any]) -> Trace | Part | int:
    if line.end:
        return line.traces
    wire = line.trace or line.part
    if wire is None:
        raise Undecodable("Expected a trace or the end of the recording")
    trace = model_trace(wire, model_calls(wire.interactions, open_value))
    return trace if line.trace else Part(trace)
