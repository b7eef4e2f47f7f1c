"""Every verdict's reason as a sentence, with the next step. Positions are counted from one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from likewise.model import (
    AllAnswersKnown,
    AmbiguousAnswers,
    AnswersDiffer,
    CallsRace,
    CandidateFailed,
    DiscrepantOperations,
    EvidenceExpired,
    Flaky,
    NewTiming,
    NoCalls,
    NoDiscrepantOperations,
    ReferenceResultKnown,
    Rerun,
    RerunReason,
    Result,
    SequenceSeen,
    Standing,
    TestReport,
    Trust,
    TrustReason,
    Unclear,
    UnseenCalls,
    UnseenSequence,
    Verdict,
    Wavers,
)
from likewise.report.words import day, plural, printable, some

VERIFY = "run with --likewise-verify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A reason for a person: `slug` for machines, `label` for groups, a sentence, the next step if any."""

    slug: str
    label: str
    text: str
    todo: str = ""
    hint: str = ""
    """The next step in a few words, for a line of counts."""


def explain(verdict: Verdict) -> Explanation:
    """Why a verdict is what it is."""
    match verdict:
        case Trust(reason=reason):
            return explain_trust(reason)
        case Rerun(reason=reason):
            return explain_rerun(reason)
        case Flaky(reason=reason):
            return explain_wavering(reason)
        case _:
            assert_never(verdict)


def conclude(report: TestReport) -> Explanation:
    """What came of a test in the end, and why."""
    why = explain(report.verdict)
    match report.standing:
        case Standing.TRUSTED | Standing.FLAKY | Standing.UNDECIDED:
            return why
        case Standing.PROVED:
            made = f" with {plural(report.reference_calls, 'call')}" if report.reference_calls else ""
            text = f"Proved on the reference in this run{made}. It was asked for this reason: {why.text}"
            return Explanation(slug=why.slug, label="proved now", text=text)
        case Standing.DISCREPANT:
            todo = f"See what it did call by call: likewise explain {shlex.quote(printable(report.test))}"
            return Explanation(
                slug=why.slug, label="discrepant", text=_discrepant(report, why.text), todo=todo
            )
        case _:
            assert_never(report.standing)


def _discrepant(report: TestReport, why: str) -> str:
    answers = len({each.position for each in report.discrepancies})
    seen = f"{plural(answers, 'call')} answered differently" if answers else "no call was seen to differ"
    if report.reference is None:
        return f"{why} Here {seen}." if answers else why
    if report.reference is report.candidate:
        return f"{_capital(_ended(report.candidate))} on both sides, but {seen}."
    ours, theirs = _ended(report.candidate), _ended(report.reference)
    return f"{_capital(ours)} on the candidate, {theirs} on the reference, which counts; {seen}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def explain_trust(reason: TrustReason) -> Explanation:
    """Why the candidate's result stands."""
    match reason:
        case NoCalls():
            return Explanation(
                slug="no-calls",
                label="no calls",
                text="The test makes no calls, so the candidate cannot have mattered.",
            )
        case AllAnswersKnown():
            return Explanation(
                slug="all-answers-known",
                label="all answers known",
                text=f"The reference is known to answer {_all_calls(reason.calls)} in the same context "
                f"just as the candidate did; the oldest proof is of {day(reason.since)}.",
            )
        case ReferenceResultKnown():
            return Explanation(
                slug="reference-result-known",
                label="result on the reference known",
                text=f"The whole test ran on the reference with the same code on {day(reason.when)} and "
                f"{_ended(reason.result)}; that result counts.",
            )
        case SequenceSeen():
            return Explanation(
                slug="sequence-seen",
                label="sequence seen",
                text="The run before proved the same whole sequence of calls on the reference.",
            )
        case NoDiscrepantOperations():
            return Explanation(
                slug="no-discrepant-operations",
                label="no operation known to differ",
                text="None of the operations that the test uses is known to differ from the reference.",
            )
        case _:
            assert_never(reason)


def explain_rerun(reason: RerunReason) -> Explanation:
    """Why the reference has to be asked."""
    match reason:
        case UnseenCalls():
            return _unseen_calls(reason)
        case UnseenSequence():
            return _unseen_sequence(reason)
        case DiscrepantOperations():
            return _discrepant_operations(reason)
        case AnswersDiffer():
            return _answers_differ(reason)
        case AmbiguousAnswers():
            return _ambiguous(reason)
        case NewTiming():
            return _new_timing(reason)
        case CallsRace():
            return _calls_race(reason)
        case EvidenceExpired():
            return _expired(reason)
        case Unclear():
            return _unclear(reason)
        case CandidateFailed():
            return _candidate_failed(reason)
        case _:
            assert_never(reason)


def explain_wavering(reason: Wavers) -> Explanation:
    """Why a test's result means nothing."""
    where = f" at call {reason.position + 1}" if reason.position >= 0 else ""
    return Explanation(
        slug="wavers",
        label="wavers",
        text=f"Attempts at the same code differ{where}: {printable(reason.what)}.",
        todo="Make the test deterministic (wait for state instead of time, sort what has no order, seed what "
        "is random); until then its result is not trusted.",
    )


def _ended(result: Result) -> str:
    return "was skipped" if result is Result.SKIPPED else str(result)


def _all_calls(count: int) -> str:
    return "the only call" if count == 1 else f"all {count:,} calls"


def _from(position: int, operations: Sequence[str]) -> str:
    return f"call {position + 1} ({some(operations)})" if operations else f"call {position + 1}"


def _unseen_calls(reason: UnseenCalls) -> Explanation:
    return Explanation(
        slug="unseen-calls",
        label="new calls",
        hint=VERIFY,
        text=f"The reference has not answered {plural(reason.count, 'call')} in this context yet, "
        f"the first is {_from(reason.first_new, reason.operations)}.",
        todo="Prove them: pytest --likewise --likewise-verify",
    )


def _unseen_sequence(reason: UnseenSequence) -> Explanation:
    return Explanation(
        slug="unseen-sequence",
        label="new sequences",
        hint=VERIFY,
        text=f"The run before did not make the same calls: they are new from call {reason.first_new + 1} on.",
        todo="Prove it: pytest --likewise --likewise-verify",
    )


def _discrepant_operations(reason: DiscrepantOperations) -> Explanation:
    return Explanation(
        slug="discrepant-operations",
        label="using operations known to differ",
        hint=VERIFY,
        text=f"The test uses what is known to differ: {some(reason.operations)}.",
        todo="Run it on the reference: pytest --likewise --likewise-verify",
    )


def _answers_differ(reason: AnswersDiffer) -> Explanation:
    return Explanation(
        slug="answers-differ",
        label="answers that differ",
        hint=VERIFY,
        text="The reference is known to answer differently, first at "
        f"{_from(reason.first, reason.operations)}.",
        todo="See whether the test's result depends on it: pytest --likewise --likewise-verify",
    )


def _ambiguous(reason: AmbiguousAnswers) -> Explanation:
    return Explanation(
        slug="ambiguous-answers",
        label="ambiguous",
        hint=VERIFY,
        text="The reference gave two different answers in the same context, first at "
        f"{_from(reason.first, reason.operations)}, so neither can be relied on.",
        todo="Such calls go to the reference each time: pytest --likewise --likewise-verify",
    )


def _calls_race(reason: CallsRace) -> Explanation:
    return Explanation(
        slug="calls-race",
        label="racing calls",
        hint=VERIFY,
        text="Two threads or tasks used the same resource at the same time, so what the answer should be "
        f"is not certain, first at {_from(reason.first, reason.operations)}.",
        todo="Only the whole test shows it: pytest --likewise --likewise-verify",
    )


def _new_timing(reason: NewTiming) -> Explanation:
    return Explanation(
        slug="new-timing",
        label="new timings",
        hint=VERIFY,
        text="The answer may depend on time, and the reference was not seen after such a delay, first at "
        f"{_from(reason.first, reason.operations)}.",
        todo="Only the whole test shows it: pytest --likewise --likewise-verify",
    )


def _expired(reason: EvidenceExpired) -> Explanation:
    return Explanation(
        slug="evidence-expired",
        label="expired",
        hint=VERIFY,
        text=f"The proof for {_from(reason.first, reason.operations)} is of {day(reason.when)} and too old.",
        todo="Renew it: pytest --likewise --likewise-verify (the limit is expiry_days in [tool.likewise])",
    )


def _unclear(reason: Unclear) -> Explanation:
    return Explanation(
        slug="unclear",
        label="unclear",
        text=f"What the test did is not fully known: {'; '.join(map(printable, reason.why))}.",
        todo="Wait for the test's threads and tasks before it ends, and create clients without a fixed "
        "endpoint; or run it on the reference: pytest --likewise --likewise-verify, or for a command "
        "likewise run --verify",
    )


def _candidate_failed(reason: CandidateFailed) -> Explanation:
    return Explanation(
        slug="candidate-failed",
        label="failed on the candidate only, so far",
        hint=VERIFY,
        text="The test failed on the candidate, and of "
        f"{plural(reason.unknown, 'call')} it is not known whether the reference agrees: "
        "the failure may be the candidate's.",
        todo="Find out before worrying: pytest --likewise --likewise-verify",
    )
