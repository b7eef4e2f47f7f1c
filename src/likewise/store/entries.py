"""What the ledger keeps, as JSON bytes that are equal where it is, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

from likewise.model import (
    Difference,
    Discrepancy,
    Evidence,
    Implication,
    Manifestation,
    Operation,
    Origin,
    Target,
)
from likewise.store.encoding import ESCAPED, Loose, Small, Unread, convert, decode, decode_raw, encode
from likewise.store.values import pack, unpack
from likewise.store.wire import V, WireTrace, model_calls, model_trace, open_raw, wire_trace


class _Evidence(Small, Generic[V]):
    test: str
    run: str
    origin: Origin
    reference: Target
    when: float
    traces: list[WireTrace[V]]
    proved: tuple[int, ...]
    canonical_version: int


class _Proved(Loose):
    proved: tuple[int, ...]


class _Discrepancy(Small):
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


def encode_evidence(evidence: Evidence) -> bytes:
    """Evidence as bytes that are equal where the evidence is."""
    return encode(
        _Evidence(
            evidence.test,
            evidence.run,
            evidence.origin,
            evidence.reference,
            evidence.when,
            [wire_trace(trace) for trace in evidence.traces],
            evidence.proved,
            evidence.canonical_version,
        ),
        ordered=True,
    )


def decode_evidence(content: bytes) -> Evidence:
    """What `encode_evidence` made; raises Undecodable."""
    if content.startswith(ESCAPED):
        return _model_evidence(convert(_Evidence[Any], decode_raw(content)), unpack)
    return _model_evidence(decode(_Evidence[Unread], content), open_raw)


def decode_proved(content: bytes) -> tuple[int, ...]:
    """Which positions encoded evidence proves, without the work of decoding the rest."""
    if content.startswith(ESCAPED):
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


def _model_evidence(wire: _Evidence[V], open_value: Callable[[V], Any]) -> Evidence:
    return Evidence(
        test=wire.test,
        run=wire.run,
        origin=wire.origin,
        reference=wire.reference,
        when=wire.when,
        traces=tuple(
            model_trace(trace, model_calls(trace.interactions, open_value)) for trace in wire.traces
        ),
        proved=wire.proved,
        canonical_version=wire.canonical_version,
    )
