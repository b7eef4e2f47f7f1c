"""What one attempt at one test did at the boundary, and the recording of a whole run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from likewise.model.interaction import Interaction
from likewise.model.target import Role, Target


class Result(StrEnum):
    """How an attempt at a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNFINISHED = "unfinished"
    """The run ended before the test did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Borrowed:
    """What a test has from an earlier one: the calls made there between two times, for a fixture of both."""

    fixture: str
    test: str
    since: float
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The tear-down of a fixture that several tests may have, in whichever of them comes last."""

    fixture: str
    since: float
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The interactions of one attempt at one test.

    `world` names the state behind the boundary: traces of one world, in their order, build on
    each other's writes; a reset or a fresh namespace starts a new world.
    `unclear` lists why the trace may not be the whole truth (a call that came after the test's end,
    a client that bypassed the routing, …); an unclear trace is never trusted.
    `unseen` lists calls that were made and are not in it, or may be another's: it proves nothing, but its
    result is what came of all of them, and counts on whichever side they were made. Where one of them may
    have changed something (`unseen_writes`), whoever builds on the same state is no better off.
    `borrowed` says which answers to earlier tests this one may have been given, too, and `endings` when it
    did what is not its own: another test might have been the last.
    """

    test: str
    role: Role
    interactions: Sequence[Interaction]
    result: Result = Result.PASSED
    attempt: int = 0
    world: str = ""
    unclear: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    unseen_writes: bool = True
    failure: str = ""
    started: float = 0.0
    ended: float = 0.0
    borrowed: tuple[Borrowed, ...] = ()
    endings: tuple[Ending, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Whether every call is known to be in its place."""
        return not self.doubts

    @property
    def blurs(self) -> bool:
        """Whether what the tests after it find in its world is not fully known."""
        return bool(self.unseen) and self.unseen_writes

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why what is in the trace is not all there was."""
        return self.unclear + self.unseen


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """A trace without secrets: the only form that a store accepts.

    Made by `likewise.canonical.redact` and nowhere else.
    """

    trace: Trace
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a recording comes from. `code` identifies the code under test, tests included.

    `codes` does so for the tests of one file or function, by its node id, where others cannot matter.
    """

    run: str
    started: float = 0.0
    code: str = ""
    codes: dict[str, str] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    identities: tuple[str, ...] = ()
    """Marks of who the clients were told to be; no secrets, and nothing that leads to one."""

    def code_of(self, test: str) -> str:
        """What identifies the code that a test runs."""
        file, *names = test.split("[")[0].split("::")
        own = self.codes.get(f"{file}::{names[0]}") if names else None
        return own or self.codes.get(file, self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The traces of one run, in the order in which they started."""

    provenance: Provenance
    traces: tuple[Trace, ...]
    complete: bool = True

    @property
    def calls(self) -> int:
        """How many interactions the recording holds."""
        return sum(len(trace.interactions) for trace in self.traces)
