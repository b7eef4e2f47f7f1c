"""What the loop needs from outside: somebody who replays, somebody who reruns, somebody who remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from likewise.model import (
    Answer,
    Attempt,
    Audit,
    Discrepancy,
    Event,
    Evidence,
    Fingerprint,
    Interaction,
    Keyed,
    Provenance,
    Recording,
    Role,
    Sketch,
    Spending,
    Withdrawal,
)

Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Calls of one test to be repeated on the reference, in order, with the candidate's outcomes."""

    test: str
    calls: tuple[Interaction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The same calls with the reference's outcomes, its own values translated back to the candidate's.

    Where the reference generated a value (an ETag, a lease id) at the place where the candidate
    generated one, the outcome carries the candidate's, so that both read alike.
    """

    calls: tuple[Interaction, ...]
    seconds: float = 0.0


class Replayer(Protocol):
    """Repeats slices on the reference, counting every call, and cleans up after itself.

    Raises ReplayImpossible where the slice cannot be repeated by itself, BudgetReached,
    TargetUnavailable or CredentialsMissing where nothing can.
    """

    def replay(self, piece: Slice) -> Replayed:
        """Repeat one slice in a fresh namespace."""
        ...

    def clean_up(self) -> tuple[str, ...]:
        """Delete what was created on the reference; what could not be deleted is listed."""
        ...


class Rerunner(Protocol):
    """Runs whole tests again, in a process of their own, against one side."""

    def rerun(self, tests: Sequence[str], *, role: Role) -> Recording:
        """The recording of these tests on that side; tests that did not run are missing from it."""
        ...


class Ledger(Protocol):
    """What earlier runs established; see `likewise.store`."""

    def add_run(self, provenance: Provenance) -> None: ...
    def add_sketches(self, sketches: Iterable[Sketch]) -> None: ...
    def sketches(self, tests: Iterable[str], *, per_test: int = 4) -> dict[str, list[Sketch]]: ...
    def add_evidence(self, evidence: Evidence, keyed: Iterable[Keyed]) -> Fingerprint: ...
    def evidence(self, tests: Iterable[str]) -> Iterator[tuple[Fingerprint, Evidence]]: ...
    def evidence_of(self, ids: Iterable[Fingerprint]) -> Iterator[tuple[Fingerprint, Evidence]]: ...
    def reindex(
        self, evidence_id: Fingerprint, keyed: Iterable[Keyed], *, canonical_version: int | None = None
    ) -> None: ...
    def answers(self, keys: Iterable[Fingerprint]) -> dict[Fingerprint, tuple[Answer, ...]]: ...
    def withdraw(self, withdrawal: Withdrawal) -> None: ...
    def withdrawals(self, keys: Iterable[Fingerprint]) -> dict[Fingerprint, Withdrawal]: ...
    def add_attempts(self, attempts: Iterable[Attempt]) -> None: ...
    def attempts(self, test: str) -> list[Attempt]: ...
    def attempts_by_test(self, tests: Iterable[str]) -> dict[str, list[Attempt]]: ...
    def add_discrepancies(self, run: str, discrepancies: Iterable[Discrepancy]) -> None: ...
    def discrepant_operations(self) -> dict[str, int]: ...
    def add_audits(self, audits: Iterable[Audit]) -> None: ...
    def audit_counts(self) -> tuple[int, int]: ...
    def add_spending(self, spending: Spending) -> None: ...
