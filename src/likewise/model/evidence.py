"""What earlier runs established on the reference."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from likewise.model.keyed import Fingerprint
from likewise.model.target import Target
from likewise.model.trace import Trace


class Origin(StrEnum):
    """How a piece of evidence was obtained."""

    WHOLE = "whole test"
    SLICE = "sliced replay"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A world of redacted traces in which the calls at `proved` carry the reference's own answers.

    `traces` ends with the trace of `test`; those before it are what it builds on. The traces are
    kept, not only their keys, so that keys can be computed anew when what is known about the test
    or the canonical form itself improves.
    """

    test: str
    run: str
    origin: Origin
    reference: Target
    when: float
    traces: tuple[Trace, ...]
    proved: tuple[int, ...]
    canonical_version: int


class Answer(NamedTuple):
    """One answer that the reference gave to one key, and how well that is established.

    There is one for nearly every call: a tuple is made several times faster than a dataclass.
    """

    key: Fingerprint
    answer: Fingerprint
    evidence: Fingerprint
    position: int
    test: str
    reference: str
    when: float
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A key that no longer counts from `when` on: an audit or a replay contradicted it."""

    key: Fingerprint
    reason: str
    when: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How one attempt at a test ended on one side, and the fingerprint of what it did there."""

    test: str
    run: str
    target: str
    role: str
    attempt: int
    result: str
    shape: Fingerprint
    code: str
    when: float
    failure: str = ""
    """What failed, in pytest's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One skipped key proved again on the reference."""

    key: Fingerprint
    operation: str
    clean: bool
    run: str
    when: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one run cost on the reference, and what running everything there would have cost."""

    run: str
    when: float
    policy: str
    tests: int
    calls: int
    """Calls that the suite makes when run once."""
    reference_calls: int
    """Calls that the reference received, replays and audits included."""
    seconds: float
    reference_seconds: float
    money: float
    """List price of running the whole suite on the reference, in US dollars."""
    reference_money: float
    by_operation: dict[str, int]
    """Reference calls by operation."""
    unsettled: int = 0
    """Of `calls`, those of tests that are not settled: neither made on the reference nor saved."""
