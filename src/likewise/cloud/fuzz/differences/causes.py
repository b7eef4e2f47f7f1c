"""The likely cause of a difference, with the evidence for it, and the condition under which it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.judging import BETWEEN, Gap
from likewise.cloud.fuzz.identities import OWNER, Identity
from likewise.cloud.fuzz.planning.plans import ENDS, is_read
from likewise.cloud.fuzz.planning.variants import AND
from likewise.cloud.fuzz.sides.execution import Probe
from likewise.model import Difference

NOT_IMPLEMENTED = "not implemented"
CONSTRAINT = "constraint not checked"
ERROR = "error code or message"
NULL = "null reference"
AUTHORISATION = "authorisation not enforced"
ASYNCHRONOUS = "asynchronous behaviour"
OTHER = "other bug"
SIDES = ("reference", "candidate")
REFERENCE, CANDIDATE = range(2)

_ABSENT = re.compile(r"NotImplemented|UnknownOperation|MethodNotAllowed|Unsupported(?!Media)|NotSupported$")
_UNKNOWN = re.compile(r"NotImplemented|UnknownOperation|MethodNotAllowed")
"""Of these the codes that say so of the operation or of a parameter; others may say it of what they got."""
_DENIED = re.compile(
    r"AccessDenied|Authoriz|Authentic|SignatureDoesNotMatch|InvalidAccessKey|UnrecognizedClient|"
    r"InsufficientAccount|Forbidden|NoAuth|AllAccessDisabled"
)
_PENDING = re.compile(r"BeingDeleted|OperationAborted|BeingCreated|NotReady|InProgress")


def is_absent(answer: Answer) -> bool:
    """Whether an answer says that the server does not have the operation, or cannot do it at all."""
    status = answer.status or 0
    return not answer.success and (status == 405 or status >= 500 or bool(_ABSENT.search(answer.code)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A likely cause and why it is likely."""

    name: str
    evidence: str
    side: int | None = None
    """Whose fault it is by that, the reference's (0) or the candidate's (1), where one is to blame."""


def likely_cause(
    gap: Gap,
    reference: Answer,
    candidate: Answer,
    *,
    settles: bool,
    never: tuple[bool, bool],
    state: bool = False,
    by: Identity = OWNER,
) -> Cause:
    """The first rule that fits.

    `never` says for each side that the operation has only ever failed there; `state`, that the answers
    are those of a read which shows what an earlier write left; `by`, who made the call.
    """
    return (
        _asynchronous(gap, reference, candidate, settles=settles)
        or _not_implemented(gap, (reference, candidate), never)
        or _pending(reference)
        or _broken(gap, (reference, candidate))
        or _seen_in_state(gap, state=state)
        or _refused_by_one(gap, reference, candidate, by)
        or _otherwise(gap, reference, candidate)
    )


def _asynchronous(gap: Gap, reference: Answer, candidate: Answer, *, settles: bool) -> Cause | None:
    """One side takes a while for what the other does at once."""
    if settles:
        return Cause(name=ASYNCHRONOUS, evidence="asked again a little later, both sides agree")
    if gap.place == BETWEEN and bool(reference.between) != bool(candidate.between):
        return Cause(name=ASYNCHRONOUS, evidence=f"for a while {gap.reference} against {gap.candidate}")
    return None


def _not_implemented(gap: Gap, answers: tuple[Answer, Answer], never: tuple[bool, bool]) -> Cause | None:
    """A side does not have the operation: the candidate, or else the reference."""
    if gap.difference is Difference.MESSAGE:
        return None  # both say that it cannot be done, or both that something else is wrong
    missing = _missing_on(CANDIDATE, answers[CANDIDATE], never=never[CANDIDATE])
    if missing or (gap.difference is Difference.SUCCESS and not never[REFERENCE]):
        return missing  # what the reference has and does not take is not for the candidate to take
    return _missing_on(REFERENCE, answers[REFERENCE], never=never[REFERENCE])


def _missing_on(which: int, answer: Answer, *, never: bool) -> Cause | None:
    status = answer.status or 0
    absent = _ABSENT if never else _UNKNOWN
    said = f"the {SIDES[which]} answers {answer.summary()}"
    if not answer.success and (status in (405, 501) or absent.search(answer.code)):
        return Cause(name=NOT_IMPLEMENTED, evidence=said, side=which)
    if status >= 500 and never and not answer.code.strip("0123456789"):
        return Cause(name=NOT_IMPLEMENTED, evidence=f"{said} whatever it is asked", side=which)
    return None


def _pending(reference: Answer) -> Cause | None:
    """The reference is not done yet with what came before."""
    if reference.success or not _PENDING.search(reference.code):
        return None
    return Cause(name=ASYNCHRONOUS, evidence=f"the reference answers {reference.summary()}")


def _broken(gap: Gap, answers: tuple[Answer, Answer]) -> Cause | None:
    """A side fails by itself, or says nothing at all."""
    if gap.difference is Difference.MESSAGE:
        return None  # if both fail, they do so alike
    for which in (CANDIDATE, REFERENCE):
        answer = answers[which]
        if (answer.status or 0) >= 500 and not _UNKNOWN.search(answer.code):
            return Cause(name=NULL, evidence=f"the {SIDES[which]} itself fails with {answer.summary()}")
        if answer.silence:
            return Cause(name=NULL, evidence=f"the {SIDES[which]} gives no answer ({answer.silence})")
    return None


def _seen_in_state(gap: Gap, *, state: bool) -> Cause | None:
    """A read shows what an earlier write did otherwise."""
    if not state:
        return None
    return Cause(name=OTHER, evidence=f"a read then gives {gap.reference} against {gap.candidate}"[:300])


def _refused_by_one(gap: Gap, reference: Answer, candidate: Answer, by: Identity) -> Cause | None:
    """One side checks what the other does not: who calls, or what is asked."""
    if gap.difference is not Difference.SUCCESS:
        return None
    if by.flaw:
        refused, sides = (candidate, SIDES) if reference.success else (reference, SIDES[::-1])
        said = f"the {sides[1]} refuses with {refused.summary()}, the {sides[0]} does not ask"
        return Cause(name=AUTHORISATION, evidence=said)
    if reference.success:
        return None
    said = f"the reference refuses with {reference.summary()}, the candidate"
    if reference.status in (401, 403) or _DENIED.search(reference.code):
        return Cause(name=AUTHORISATION, evidence=f"{said} does not ask")
    return Cause(name=CONSTRAINT, evidence=f"{said} accepts")


def _otherwise(gap: Gap, reference: Answer, candidate: Answer) -> Cause:
    """What is left: both refuse in other words, or both accept and say something else."""
    if not reference.success and not candidate.success:
        return Cause(name=ERROR, evidence=f"{gap.reference} against {gap.candidate}"[:300])
    return Cause(name=OTHER, evidence=f"{gap.difference} at {gap.place or 'the answer'}")


AFTER = "after "
"""How a condition begins that is another operation's, after which a read differs."""
STATES = {
    "unset": "only where nothing was set or put there before",
    "plain": "only where it was not made for that",
    "no parent": "only where what contains it does not exist",
    "deleted": "only after what it names was deleted",
    "filled": "only where something lies in what it names",
    "twice": "only the second time",
    "seen": "only after it was looked at",
    "held": "only while what it names is held",
    "altered": "only where what it names was put into another state before",
    "form": "only where what it names is of another form",
    "ended": "only after what it goes on with was ended",
    "odd": "only where a name has special characters in it",
    "cased": "only where a name differs from another in capital letters alone",
}
_HOLDS = re.compile(r"Lease|Lock|Hold")


def condition(probe: Probe, setup: Sequence[Call], *, shows_typically: bool) -> str:
    """Under which condition a difference shows after a set-up; nothing where it always does."""
    if not probe.call.identity.is_owner:
        return f"only when called {probe.call.identity.words}"
    if shows_typically:
        looked = any(is_read(call.operation) for call in setup) and not is_read(probe.call.operation)
        return STATES["seen"] if looked else ""
    if AND in probe.parameter:
        return f"only when {probe.parameter} are given together ({probe.note})"
    if probe.parameter and probe.value_class:
        return f"only when {probe.parameter} is {_words(probe)}"
    return STATES.get(_state(probe, [call.operation for call in setup]), "")


def _state(probe: Probe, before: Sequence[str]) -> str:
    """The state of a probe, once its set-up has been made as short as it can be."""
    match probe.state:
        case "twice" if probe.call.operation not in before:
            return ""
        case "seen" if not any(is_read(name) for name in before):
            return ""
        case "deleted" if not any(ENDS.search(name) for name in before):
            return "unset" if before else "no parent"
        case "ended" if not any(ENDS.search(name) for name in before):
            return ""
        case "held" if not any(_HOLDS.search(name) for name in before):
            return ""
        case "altered" | "form" | "odd" | "cased" | "unset" if not before:
            return "no parent"
        case "filled" if len(before) < 2:
            return ""
    return probe.state


def _words(probe: Probe) -> str:
    shown = f" ({probe.note})" if probe.note and probe.note != "missing" else ""
    match probe.value_class:
        case "typical":
            return f"given{shown}"
        case "boundary":
            return f"at a limit{shown}"
        case "wrong format":
            return f"not of the right form{shown}"
        case "unknown resource":
            return "that of a thing that does not exist"
        case "already deleted":
            return "that of a thing already deleted"
        case "other owner":
            return "another owner's"
    return f"{probe.value_class}{shown}"
