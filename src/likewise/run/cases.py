"""A test on its way to its standing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from likewise.canonical import Cursors, no_cursors
from likewise.decide import Discrepant, contends
from likewise.model import (
    AnswersDiffer,
    Difference,
    Discrepancy,
    Flaky,
    Interaction,
    Operation,
    ReferenceResultKnown,
    Rerun,
    Result,
    Standing,
    Target,
    TestReport,
    Trust,
    Verdict,
)
from likewise.run.reading import Reading

_QUOTED = 160
"""So much of a failure is quoted; all of it is in the ledger."""
Overlooks = Callable[[Interaction, Discrepancy], bool]
"""Whether the client that made a call certainly never looked where its answer differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to decide. Times are seconds since the epoch; `price` gives a call's list price in dollars."""

    policy: str
    reference: Target
    now: float
    not_before: float
    discrepant: Discrepant
    price: Callable[[Operation], float]
    overlooks: Overlooks = lambda call, found: False
    cursors: Cursors = no_cursors
    both: bool = False
    audit_share: float = 0.0
    audit_budget: int = 0
    seed: int = 0

    @property
    def compares_sequences(self) -> bool:
        """Whether the policy looks at a test's whole sequence."""
        return self.policy in ("sequence", "combined")


@dataclass(slots=True)
class Case:
    """What is known of one test so far; without a standing of its own, its verdict gives it one."""

    test: str
    reading: Reading
    verdict: Verdict
    standing: Standing | None = None
    reference: Result | None = None
    reference_calls: int = 0
    discrepancies: list[Discrepancy] = field(default_factory=list)
    overlooked: list[Discrepancy] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    wavering: frozenset[int] = frozenset()
    """The calls that the candidate itself answers differently from run to run."""
    unsteady: bool = False
    """Whether chance chooses what it asks for."""
    refusing: frozenset[int] = frozenset()
    """Those of them that it sometimes refuses, or refuses differently."""

    @property
    def is_open(self) -> bool:
        """Whether the reference still has to be asked."""
        return self.standing is None and isinstance(self.verdict, Rerun)

    @property
    def differs(self) -> bool:
        """Whether the reference is known to answer differently."""
        return isinstance(self.verdict, Rerun) and isinstance(self.verdict.reason, AnswersDiffer)

    @property
    def is_replayable(self) -> bool:
        """Whether a replay of some calls may settle it.

        Where lanes contend, or where answers depend on what was drawn, the next run may meet answers that
        no replay of this one asks for. The result of the whole test covers those, too.
        """
        return (
            self.is_open
            and is_settled_by_replay(self.verdict)
            and not (self.wavering or self.unsteady)
            and not any(call.drawn for call in self.reading.calls)
            and not contends(self.reading.trace)
        )

    @property
    def is_unexplained(self) -> bool:
        """Whether it ended otherwise on the reference, and no answer there says why."""
        ended_otherwise = self.reference is not None and self.reference is not self.reading.trace.result
        return self.standing is Standing.DISCREPANT and ended_otherwise and not self.discrepancies

    def find(self, discrepancies: Iterable[Discrepancy]) -> None:
        """Add discrepancies that were not found before; none can be told in what wavers on the candidate."""
        self.discrepancies += [
            each for each in discrepancies if each not in self.discrepancies and not self._wavers_in(each)
        ]

    def _wavers_in(self, found: Discrepancy) -> bool:
        is_refusal = found.difference in (Difference.SUCCESS, Difference.CODE)
        return found.position in (self.refusing if is_refusal else self.wavering)

    def overlook(self, discrepancies: Iterable[Discrepancy]) -> None:
        """Add differences in places where the test never looked."""
        self.overlooked += [each for each in discrepancies if each not in self.overlooked]

    def quote(self, failure: str) -> None:
        """Note how it failed on the reference: of the candidate's failures pytest has told."""
        told = failure if len(failure) <= _QUOTED else f"{failure[:_QUOTED]}…"
        note = f"on the reference: {told}"
        if failure and note not in self.notes:
            self.notes.append(note)

    def _standing_by_verdict(self) -> Standing:
        remembered = _remembered(self.verdict)
        if remembered and (self.discrepancies or remembered.result is not self.reading.trace.result):
            return Standing.DISCREPANT
        if self.differs and self.wavering and not self.discrepancies:
            return Standing.UNDECIDED  # what differs is what the candidate itself answers differently
        return _standing(self.verdict)

    def report(self) -> TestReport:
        """Everything concluded about the test."""
        calls = len(self.reading.calls)
        remembered = _remembered(self.verdict)
        if remembered and remembered.result is not self.reading.trace.result:
            self.quote(remembered.failure)
        return TestReport(
            test=self.test,
            standing=self.standing or self._standing_by_verdict(),
            verdict=self.verdict,
            candidate=self.reading.trace.result,
            reference=self.reference or (remembered.result if remembered else None),
            calls=calls,
            reference_calls=self.reference_calls,
            saved=max(0, calls - self.reference_calls),
            discrepancies=tuple(self.discrepancies),
            overlooked=tuple(self.overlooked),
            notes=tuple(self.notes),
        )


def is_settled_by_replay(verdict: Verdict) -> bool:
    """Whether repeating some calls is enough, without the whole test."""
    return isinstance(verdict, Rerun) and bool(verdict.replay) and not verdict.whole


def _remembered(verdict: Verdict) -> ReferenceResultKnown | None:
    if isinstance(verdict, Trust) and isinstance(verdict.reason, ReferenceResultKnown):
        return verdict.reason
    return None


def _standing(verdict: Verdict) -> Standing:
    match verdict:
        case Trust():
            return Standing.TRUSTED
        case Flaky():
            return Standing.FLAKY
        case Rerun(reason=AnswersDiffer()):
            return Standing.DISCREPANT
        case Rerun():
            return Standing.UNDECIDED
