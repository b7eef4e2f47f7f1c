"""Whole tests on the reference: what kept them from its answers, and what they left there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from likewise.cloud.replay import cleaning, names
from likewise.cloud.replay.cleaning import Created, CreatedLog
from likewise.cloud.replay.replayer import CREDENTIALS
from likewise.cloud.replay.request import read_endpoint, region_of
from likewise.cloud.targets import Running
from likewise.model import (
    CredentialsMissing,
    Interaction,
    Lost,
    Notice,
    Operation,
    Raised,
    Recording,
    Result,
    Returned,
    Role,
    TargetUnavailable,
    TimedOut,
    Trace,
)
from likewise.run import Emit, Meter, Rerunner

THROTTLED = frozenset(
    [
        "SlowDown",
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
        "ServerBusy",
        "503",
        "429",
    ]
)
"""Refusals that only ask for less haste; a number where an answer has no body to say it in."""
EXPIRED = frozenset(["ExpiredToken", "ExpiredTokenException"])
"""Refusals that no test can have meant; other keys may be wrong on purpose."""
UNREAD = "not interpreted"
CANCELLED = "CancelledError"
"""Begins the reason why a call has no answer that the client itself did not wait for."""


class Mishap(StrEnum):
    """Why a call has no answer that says anything about the reference."""

    THROTTLED = "throttled"
    UNREACHABLE = TargetUnavailable.slug
    REFUSED = CredentialsMissing.slug
    UNFINISHED = "unfinished"
    """The whole run was broken off; whoever did that says so."""


class Visits:
    """A Rerunner that lets only answers of the reference through.

    A test that lost its connection, was not let in or was throttled to the end says nothing about the
    reference: it is left out, counted and named, and stays undecided. What the SDK repeated until it was
    served is no answer at all. What the candidate did to the same test just so (a time-out on purpose) is
    no mishap.
    `identities` are the marks of the keys that the suite's clients normally have; `mention` is told
    what is left on the reference.
    """

    def __init__(
        self,
        inner: Rerunner,
        *,
        candidate: Recording,
        running: Mapping[str, Running],
        identities: Collection[str],
        meter: Meter,
        log: CreatedLog,
        mention: Callable[[str], None],
        emit: Emit,
    ) -> None:
        self._inner, self._meter, self._log = inner, meter, log
        self._mention, self._emit = mention, emit
        self._running = {name: each for name, each in running.items() if not each.is_ours}
        self._identities = frozenset(identities)
        self._run = candidate.provenance.run
        self._usual = {
            (trace.test, *_sign(call)) for trace in candidate.traces for call in trace.interactions
        }

    def rerun(self, tests: Sequence[str], *, role: Role) -> Recording:
        """The recording of these tests on that side, without those that met a mishap there."""
        recording = self._inner.rerun(tests, role=role)
        if role is not Role.REFERENCE:
            return recording
        self._list_left(recording)
        given = frozenset(recording.provenance.identities)
        refused = (self._identities | given | _only(recording)) - _accepted(recording)
        kept, spoiled = [], dict[Mishap, list[tuple[Trace, Interaction]]]()
        for trace in recording.traces:
            trace = self._without_cancelled(trace)
            calls = self._answered(trace)
            why = Mishap.UNFINISHED if trace.test and trace.result is Result.UNFINISHED else None
            for call in calls:
                if why is None and (why := self._mishap(trace.test, call, refused)):
                    spoiled.setdefault(why, []).append((trace, call))
            if why is None:
                kept.append(replace(trace, interactions=tuple(calls)))
            else:
                self._count(calls)
        for why, cases in spoiled.items():
            self._emit(_notice(why, cases, given))
        return replace(recording, traces=tuple(kept))

    def _without_cancelled(self, trace: Trace) -> Trace:
        """A trace without the calls that its client broke off once another one had been refused.

        That is no fault of the reference's: who waits for several at once lets go of the rest. What became of
        those nobody knows, so that the trace is not whole.
        """
        rest = [call for call in trace.interactions if not _is_cancelled(call)]
        refusals = [call for call in rest if isinstance(call.outcome, Raised) and not _is_throttled(call)]
        if len(rest) == len(trace.interactions) or self._usual.issuperset(
            (trace.test, *_sign(call)) for call in refusals
        ):
            return trace
        self._count([call for call in trace.interactions if _is_cancelled(call)])
        unseen = (*trace.unseen, "calls were broken off when another one was refused")
        return replace(trace, interactions=tuple(rest), unseen=unseen, unseen_writes=True)

    def _answered(self, trace: Trace) -> list[Interaction]:
        """The calls without those that were throttled and made again by the SDK."""
        calls: list[Interaction] = []
        repeated: set[tuple[Operation, str]] = set()
        for call in reversed(trace.interactions):
            same = (call.operation, repr(call.arguments))
            if _is_throttled(call) and same in repeated and (trace.test, *_sign(call)) not in self._usual:
                self._count([call])
                continue
            repeated.add(same)
            calls.append(call)
        return calls[::-1]

    def _mishap(self, test: str, call: Interaction, refused: frozenset[str]) -> Mishap | None:
        """What kept a call from its answer; `refused` are the usual keys that were never accepted."""
        if (test, *_sign(call)) in self._usual:
            return None
        match call.outcome:
            case TimedOut():
                return Mishap.UNREACHABLE
            case Lost(reason=reason) if not reason.startswith(UNREAD):
                return Mishap.UNREACHABLE
            case Raised(kind=kind) if kind in CREDENTIALS:
                is_out = kind in EXPIRED or call.wire.get("key") in refused
                return Mishap.REFUSED if is_out and call.arguments.get("identity") != "anonymous" else None
        return Mishap.THROTTLED if _is_throttled(call) else None

    def _count(self, calls: Sequence[Interaction]) -> None:
        for call in calls:
            self._meter.count(call.operation)
            self._meter.seconds += call.ended - call.started

    def _list_left(self, recording: Recording) -> None:
        """Note what the tests made and did not delete. They made it, so nobody else deletes it unasked."""
        left: dict[Created, Running] = {}
        for call in (call for trace in recording.traces for call in trace.interactions):
            name, running = names.created_name(call), self._running.get(call.operation.service)
            if not name or running is None or isinstance(call.outcome, Raised):
                continue
            created = Created(call.operation.service, name, region_of(call))
            if names.creates(call):
                left[created] = running
            elif isinstance(call.outcome, Returned):
                left.pop(created, None)
                self._log.forget_created(str(running.target), f"{OF_TEST} {created}")
        for created, running in left.items():
            self._list(created, running)

    def _list(self, created: Created, running: Running) -> None:
        target, resource = str(running.target), f"{OF_TEST} {created}"
        url = running.endpoint(created.service)
        hint = cleaning.command(created, read_endpoint(url or "https://cloud"), real=running.real)
        self._log.forget_created(target, resource)
        self._log.remember_created(self._run, target, resource, hint)
        self._mention(f"{created} on {target} (made by a test that did not delete it): {hint}")


OF_TEST = "a test's"
"""In front of what a test made: `likewise clean` lists such a thing, and leaves deleting it to people."""


def _sign(call: Interaction) -> tuple[Operation, str]:
    """An operation and how it failed, for telling what is usual from what is not."""
    match call.outcome:
        case Raised(kind=kind):
            return call.operation, kind
        case outcome:
            return call.operation, type(outcome).__name__


def _accepted(recording: Recording) -> frozenset[str]:
    """The marks of the keys that the reference let in at least once."""
    calls = (call for trace in recording.traces for call in trace.interactions)
    return frozenset(str(call.wire.get("key", "")) for call in calls if isinstance(call.outcome, Returned))


def _only(recording: Recording) -> frozenset[str]:
    """The mark of the key that all clients had on the reference, where they had one."""
    calls = (call for trace in recording.traces for call in trace.interactions)
    used = {str(call.wire["key"]) for call in calls if call.wire.get("key")}
    return frozenset(used if len(used) == 1 else ())


def _is_cancelled(call: Interaction) -> bool:
    return isinstance(call.outcome, Lost) and call.outcome.reason.startswith(CANCELLED)


def _is_throttled(call: Interaction) -> bool:
    return isinstance(call.outcome, Raised) and call.outcome.kind in THROTTLED


def _notice(why: Mishap, cases: Sequence[tuple[Trace, Interaction]], given: frozenset[str]) -> Notice:
    tests = list(dict.fromkeys(trace.test for trace, _ in cases if trace.test))
    call = cases[0][1]
    who = f"{len(tests)} test{'s' if len(tests) != 1 else ''}" if tests else "what all tests share"
    said = f"{call.operation}: {_said(call)}"
    match why:
        case Mishap.THROTTLED:
            text = f"The reference throttled {who} to the end ({said}): a matter of haste only."
            todo = "Give the SDK more retries, or raise the reference's limits, and run again."
        case Mishap.UNREACHABLE:
            text = f"The reference did not answer {who} ({said})."
            todo = "Run again when it is back."
        case Mishap.REFUSED if call.wire.get("key") not in given:
            text = f"The reference did not let {who} in ({said}): the clients had keys of their own."
            todo = (
                "Let them take the keys of the environment: a fixture that sets AWS_ACCESS_KEY_ID, or a "
                "client with keys in the code, takes them away."
            )
        case _:
            text = f"The reference did not accept the credentials of {who} ({said})."
            todo = (
                "Sign in again (aws sso login, az login) or correct the keys: these are wrong or out of date."
            )
    kept = "Such results count for nothing; what was proved is kept."
    return Notice(slug=why, text=f"{text} {kept} {todo}")


def _said(call: Interaction) -> str:
    match call.outcome:
        case Raised(kind=kind, message=message):
            return f"{kind}: {message}".rstrip(". :")
        case TimedOut(after=after):
            return f"nothing for {after:g} s"
        case Lost(reason=reason):
            return reason.rstrip(".")
        case Returned():
            return "answered"
