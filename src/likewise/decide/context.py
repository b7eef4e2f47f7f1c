"""The `context` policy: each call in its context must have had the same answer from the reference."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf

from likewise.model import (
    AllAnswersKnown,
    AmbiguousAnswers,
    Answer,
    AnswersDiffer,
    CallsRace,
    CandidateFailed,
    EvidenceExpired,
    Fingerprint,
    Keyed,
    NewTiming,
    NoCalls,
    Rerun,
    RerunReason,
    Result,
    Trace,
    Trust,
    Unclear,
    UnseenCalls,
)


class CallStanding(StrEnum):
    """What the ledger says about one call."""

    EQUAL = "equal"
    DIFFERENT = "different"
    AMBIGUOUS = "ambiguous"
    EXPIRED = "expired"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What counts as evidence: from which reference, and how fresh (seconds since the epoch)."""

    reference: str = ""
    not_before: float = 0.0


Answers = Mapping[Fingerprint, Sequence[Answer]]


def place(call: Keyed, answers: Answers, rules: Rules, *, overlooked: bool = False) -> CallStanding:
    """Where one call stands. A key that ever gave two different answers is ambiguous, fresh or not."""
    given = _given(call, answers, rules)
    if not given:
        return CallStanding.UNKNOWN
    said, newest = given[0].answer, given[0].when
    for other in given[1:]:
        if other.answer != said:
            return CallStanding.AMBIGUOUS
        newest = max(newest, other.when)
    if newest < rules.not_before:
        return CallStanding.EXPIRED
    equal = overlooked or said == call.answer
    return CallStanding.EQUAL if equal else CallStanding.DIFFERENT


def judge(
    trace: Trace,
    calls: Sequence[Keyed],
    answers: Answers,
    rules: Rules,
    *,
    overlooked: Container[int] = (),
) -> Trust | Rerun:
    """Decide on one test; the most serious doubt gives the reason.

    A different answer at one of the `overlooked` positions differs only where the test never looked:
    it cannot have mattered.
    """
    if trace.doubts:
        return Rerun(reason=Unclear(why=trace.doubts), whole=True)
    if not calls:
        return Trust(reason=NoCalls())
    since = known_since(calls, answers, rules)
    if since is not None:
        return Trust(reason=AllAnswersKnown(calls=len(calls), since=since))
    standings = [place(call, answers, rules, overlooked=call.position in overlooked) for call in calls]
    doubts = sum(standing is not CallStanding.EQUAL for standing in standings)
    if not doubts:
        oldest = min(_newest(call, answers, rules) for call in calls)
        return Trust(reason=AllAnswersKnown(calls=len(calls), since=oldest))
    if trace.result is Result.FAILED and CallStanding.DIFFERENT not in standings:
        return Rerun(reason=CandidateFailed(unknown=doubts), whole=True)
    return _doubtful(calls, standings, answers, rules)


def known_since(calls: Sequence[Keyed], answers: Answers, rules: Rules) -> float | None:
    """Since when each of these calls is known to be answered alike; None where that takes a closer look.

    As nearly always, one answer stands for all that were given to a key.
    """
    oldest = inf
    for call in calls:
        given = answers.get(call.key, ())
        if len(given) != 1:
            return None
        (answer,) = given
        if answer.answer != call.answer or answer.reference != rules.reference:
            return None
        if answer.when < oldest:
            oldest = answer.when
    return oldest if oldest >= rules.not_before else None


def _given(call: Keyed, answers: Answers, rules: Rules) -> Sequence[Answer]:
    """What the reference in question said; others may have said something else."""
    given = answers.get(call.key, ())
    if len(given) == 1 and given[0].reference == rules.reference:
        return given  # as nearly always
    return [answer for answer in given if answer.reference == rules.reference]


def _newest(call: Keyed, answers: Answers, rules: Rules) -> float:
    return max([answer.when for answer in _given(call, answers, rules)])


def _doubtful(
    calls: Sequence[Keyed], standings: Sequence[CallStanding], answers: Answers, rules: Rules
) -> Rerun:
    by_standing: dict[CallStanding, list[Keyed]] = {}
    for call, standing in zip(calls, standings, strict=True):
        by_standing.setdefault(standing, []).append(call)
    replay = tuple(
        call.position
        for call, standing in zip(calls, standings, strict=True)
        if standing in (CallStanding.UNKNOWN, CallStanding.EXPIRED, CallStanding.AMBIGUOUS)
    )
    unknown = by_standing.get(CallStanding.UNKNOWN, [])
    timed = [call for call in unknown if call.timed]
    racing = [
        call
        for call, standing in zip(calls, standings, strict=True)
        if call.racy and standing is not CallStanding.EQUAL
    ]
    reason: RerunReason
    different = [call for call in by_standing.get(CallStanding.DIFFERENT, ()) if not call.racy]
    if different:
        reason = AnswersDiffer(first=different[0].position, operations=_names(different))
    elif racing:
        reason = CallsRace(first=racing[0].position, operations=_names(racing))
    elif timed:
        reason = NewTiming(first=timed[0].position, operations=_names(timed))
    elif ambiguous := by_standing.get(CallStanding.AMBIGUOUS):
        reason = AmbiguousAnswers(first=ambiguous[0].position, operations=_names(ambiguous))
    elif unknown:
        reason = UnseenCalls(first_new=unknown[0].position, operations=_names(unknown), count=len(unknown))
    else:
        expired = by_standing[CallStanding.EXPIRED]
        when = _newest(expired[0], answers, rules)
        reason = EvidenceExpired(first=expired[0].position, operations=_names(expired), when=when)
    return Rerun(reason=reason, replay=replay, whole=bool(different or racing or timed))


def _names(calls: Sequence[Keyed]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(call.operation) for call in calls))
