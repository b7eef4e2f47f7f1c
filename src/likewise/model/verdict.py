"""Decisions, each with its reason and its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from likewise.model.discrepancy import Discrepancy
from likewise.model.keyed import Fingerprint
from likewise.model.trace import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCalls:
    """Nothing crossed the boundary, so the stand-in cannot have mattered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllAnswersKnown:
    """The reference gave the same answer to every call in the same context; `since` is the oldest proof."""

    calls: int
    since: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceSeen:
    """The whole masked sequence was validated on the reference in the run before."""

    sequence: Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDiscrepantOperations:
    """None of the operations is known to differ."""

    operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceResultKnown:
    """The same code already ran as a whole on the reference; that result counts."""

    result: Result
    when: float
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenCalls:
    """Calls that the reference has not answered in this context yet."""

    first_new: int
    operations: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenSequence:
    """The whole masked sequence is new from this call on."""

    first_new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscrepantOperations:
    """The test uses operations that are known to differ."""

    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersDiffer:
    """The reference is known to answer differently."""

    first: int
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousAnswers:
    """The reference gave two different answers in the same context: never safe."""

    first: int
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTiming:
    """A timed call came after a delay that the reference has not been seen at."""

    first: int
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsRace:
    """Two lanes used the same resource at the same time, so what the answer should be is not certain."""

    first: int
    operations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceExpired:
    """The proof is older than the ledger's limit."""

    first: int
    operations: tuple[str, ...]
    when: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """The trace may not be the whole truth."""

    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFailed:
    """The test failed on the candidate in a context where the reference is not known to agree."""

    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureInDoubt:
    """A fixture that an earlier test set up got answers that the reference is not known to agree with."""

    fixture: str
    test: str
    operations: tuple[str, ...]
    differs: bool
    """Whether the reference is known to answer otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsDiffered:
    """The test ended otherwise when it last ran on the reference, and no answer says why."""

    result: Result
    when: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wavers:
    """Attempts at the same code did different things, or ended differently."""

    what: str
    position: int = -1


TrustReason = NoCalls | AllAnswersKnown | ReferenceResultKnown | SequenceSeen | NoDiscrepantOperations
RerunReason = (
    UnseenCalls
    | UnseenSequence
    | DiscrepantOperations
    | AnswersDiffer
    | AmbiguousAnswers
    | NewTiming
    | CallsRace
    | EvidenceExpired
    | Unclear
    | CandidateFailed
    | FixtureInDoubt
    | ResultsDiffered
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """The candidate's result stands."""

    reason: TrustReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The reference must be asked.

    `replay` lists the positions whose replay would settle it; where it is empty, or `whole` is set,
    only the whole test on the reference will do.
    """

    reason: RerunReason
    replay: tuple[int, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky:
    """The test is not deterministic enough for its result to mean anything."""

    reason: Wavers


Verdict = Trust | Rerun | Flaky


class Standing(StrEnum):
    """Where a test stands when the run is over."""

    TRUSTED = "trusted"
    PROVED = "proved"
    """Proved on the reference in this run."""
    DISCREPANT = "discrepant"
    """The two sides differ in a way this test can see."""
    FLAKY = "flaky"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReport:
    """Everything a run concluded about one test."""

    __test__ = False  # not a test class, whatever pytest thinks of its name

    test: str
    standing: Standing
    verdict: Verdict
    candidate: Result
    reference: Result | None = None
    calls: int = 0
    reference_calls: int = 0
    saved: int = 0
    discrepancies: tuple[Discrepancy, ...] = ()
    overlooked: tuple[Discrepancy, ...] = ()
    """Differences in parts of answers that the test never looked at."""
    notes: tuple[str, ...] = field(default=())

    @property
    def is_settled(self) -> bool:
        """Whether the result on the reference is known, or shown to be the candidate's."""
        match self.standing:
            case Standing.DISCREPANT:
                return self.reference is not None
            case standing:
                return standing in (Standing.TRUSTED, Standing.PROVED)

    @property
    def counts_as(self) -> Result:
        """The result on the side that counts: the reference's where it ran, else the candidate's."""
        return self.candidate if self.reference is None else self.reference
