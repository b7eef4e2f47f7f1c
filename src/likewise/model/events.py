"""What a run tells its reporters, in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.model.evidence import Spending
from likewise.model.target import Target
from likewise.model.verdict import TestReport, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run begins."""

    run: str
    policy: str
    targets: tuple[Target, ...]
    budget: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A long piece of work advances."""

    phase: str
    done: int
    total: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The first verdict on a test, from the ledger alone."""

    test: str
    verdict: Verdict
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The last word on a test."""

    report: TestReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the user should know, with what to do about it."""

    slug: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditBound:
    """What the audits so far say about wrongly skipped calls (95 % bound: 3/n after n clean ones)."""

    clean: int
    failed: int

    @property
    def bound(self) -> float | None:
        """The upper bound of the wrong-skip rate, or None before the first clean audit."""
        return min(1.0, 3 / self.clean) if self.clean and not self.failed else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """A run is over; everything a summary needs."""

    run: str
    spending: Spending
    tests: tuple[TestReport, ...]
    audits: AuditBound
    leftovers: tuple[str, ...] = field(default=())
    """What was created on the reference and could not be deleted."""


Event = RunStarted | Progress | Decided | Settled | Notice | RunFinished
