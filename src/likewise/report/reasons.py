"""Every verdict's reason as a sentence, with the next step. Positions are counted from one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from likewise.model import (
    AllAnswersKnown,
    AmbiguousAnswers,
    AnswersDiffer,
    CallsRace,
    CandidateFailed,
    DiscrepantOperations,
    EvidenceExpired,
    FixtureInDoubt,
    NewTiming,
    NoCalls,
    NoDiscrepantOperations,
    ReferenceResultKnown,
    RerunReason,
    Result,
    ResultsDiffered,
    SequenceSeen,
    Standing,
    TestReport,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wording:
    """How one kind of reason is worded; `text` is what of it depends on the case."""

    slug: str
    label: str
    text: Callable[[Any], str]
    todo: str = ""
    hint: str = ""


def explain(verdict: Verdict) -> Explanation:
    """Why a verdict is what it is."""
    wording = _WORDINGS[type(verdict.reason)]
    return Explanation(
        slug=wording.slug,
        label=wording.label,
        text=wording.text(verdict.reason),
        todo=wording.todo,
        hint=wording.hint,
    )


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
    notes = "".join(f" {_capital(note)}." for note in report.notes)
    return f"{_capital(ours)} on the candidate, {theirs} on the reference, which counts; {seen}.{notes}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ended(result: Result) -> str:
    return "was skipped" if result is Result.SKIPPED else str(result)


def _all_calls(count: int) -> str:
    return "the only call" if count == 1 else f"all {count:,} calls"


def _at(reason: Wavers) -> str:
    return f" at call {reason.position + 1}" if reason.position >= 0 else ""


def _first(reason: AnswersDiffer | AmbiguousAnswers | NewTiming | CallsRace | EvidenceExpired) -> str:
    return _from(reason.first, reason.operations)


def _from(position: int, operations: Sequence[str]) -> str:
    return f"call {position + 1} ({some(operations)})" if operations else f"call {position + 1}"


_Reason = TrustReason | RerunReason | Wavers
_WORDINGS: dict[type[_Reason], _Wording] = {
    NoCalls: _Wording(
        slug="no-calls",
        label="no calls",
        text=lambda _: "The test makes no calls, so the candidate cannot have mattered.",
    ),
    AllAnswersKnown: _Wording(
        slug="all-answers-known",
        label="all answers known",
        text=lambda reason: (
            f"The reference is known to answer {_all_calls(reason.calls)} in the same context "
            f"just as the candidate did; the oldest proof is of {day(reason.since)}."
        ),
    ),
    ReferenceResultKnown: _Wording(
        slug="reference-result-known",
        label="result on the reference known",
        text=lambda reason: (
            "The whole test ran on the reference with the same code on "
            f"{day(reason.when)} and {_ended(reason.result)}; that result counts."
        ),
    ),
    SequenceSeen: _Wording(
        slug="sequence-seen",
        label="sequence seen",
        text=lambda _: "The run before proved the same whole sequence of calls on the reference.",
    ),
    NoDiscrepantOperations: _Wording(
        slug="no-discrepant-operations",
        label="no operation known to differ",
        text=lambda _: "None of the operations that the test uses is known to differ from the reference.",
    ),
    UnseenCalls: _Wording(
        slug="unseen-calls",
        label="new calls",
        hint=VERIFY,
        text=lambda reason: (
            f"The reference has not answered {plural(reason.count, 'call')} in this context "
            f"yet, the first is {_from(reason.first_new, reason.operations)}."
        ),
        todo="Prove them: pytest --likewise --likewise-verify",
    ),
    UnseenSequence: _Wording(
        slug="unseen-sequence",
        label="new sequences",
        hint=VERIFY,
        text=lambda reason: (
            f"The run before did not make the same calls: they are new from call {reason.first_new + 1} on."
        ),
        todo="Prove it: pytest --likewise --likewise-verify",
    ),
    DiscrepantOperations: _Wording(
        slug="discrepant-operations",
        label="using operations known to differ",
        hint=VERIFY,
        text=lambda reason: f"The test uses what is known to differ: {some(reason.operations)}.",
        todo="Run it on the reference: pytest --likewise --likewise-verify",
    ),
    AnswersDiffer: _Wording(
        slug="answers-differ",
        label="answers that differ",
        hint=VERIFY,
        text=lambda reason: f"The reference is known to answer differently, first at {_first(reason)}.",
        todo="See whether the test's result depends on it: pytest --likewise --likewise-verify",
    ),
    AmbiguousAnswers: _Wording(
        slug="ambiguous-answers",
        label="ambiguous",
        hint=VERIFY,
        text=lambda reason: (
            "The reference gave two different answers in the same context, first at "
            f"{_first(reason)}, so neither can be relied on."
        ),
        todo="Such calls go to the reference each time: pytest --likewise --likewise-verify",
    ),
    CallsRace: _Wording(
        slug="calls-race",
        label="racing calls",
        hint=VERIFY,
        text=lambda reason: (
            "Two threads or tasks used the same resource at the same time, so what the "
            f"answer should be is not certain, first at {_first(reason)}."
        ),
        todo="Only the whole test shows it: pytest --likewise --likewise-verify",
    ),
    NewTiming: _Wording(
        slug="new-timing",
        label="new timings",
        hint=VERIFY,
        text=lambda reason: (
            "The answer may depend on time, and the reference was not seen after such a "
            f"delay, first at {_first(reason)}."
        ),
        todo="Only the whole test shows it: pytest --likewise --likewise-verify",
    ),
    EvidenceExpired: _Wording(
        slug="evidence-expired",
        label="expired",
        hint=VERIFY,
        text=lambda reason: f"The proof for {_first(reason)} is of {day(reason.when)} and too old.",
        todo="Renew it: pytest --likewise --likewise-verify (the limit is expiry_days in [tool.likewise])",
    ),
    Unclear: _Wording(
        slug="unclear",
        label="unclear",
        text=lambda reason: f"What the test did is not fully known: {'; '.join(map(printable, reason.why))}.",
        todo="Wait for the test's threads and tasks before it ends, and create clients without a fixed "
        "endpoint; or run it on the reference: pytest --likewise --likewise-verify, or for a command "
        "likewise run --verify",
    ),
    CandidateFailed: _Wording(
        slug="candidate-failed",
        label="failed on the candidate only, so far",
        hint=VERIFY,
        text=lambda reason: (
            "The test failed on the candidate, and of "
            f"{plural(reason.unknown, 'call')} it is not known whether the reference agrees: "
            "the failure may be the candidate's."
        ),
        todo="Find out before worrying: pytest --likewise --likewise-verify",
    ),
    FixtureInDoubt: _Wording(
        slug="fixture-in-doubt",
        label="fixture in doubt",
        hint=VERIFY,
        text=lambda reason: (
            f"Its fixture {printable(reason.fixture)} was set up in {printable(reason.test)}, and to what "
            f"that called ({some(reason.operations)}) the reference "
            f"{'answers otherwise' if reason.differs else 'is not known to answer alike'}."
        ),
        todo="Prove it: pytest --likewise --likewise-verify",
    ),
    ResultsDiffered: _Wording(
        slug="results-differed",
        label="ended otherwise on the reference, unexplained",
        hint=VERIFY,
        text=lambda reason: (
            f"Every answer is equal, yet on the reference the test {reason.result} on {day(reason.when)}: "
            "something that is not compared tells the sides apart (a date, a request's id, the inside of a "
            "random token, a value from another test), or the test is flaky."
        ),
        todo="Run it there again: pytest --likewise --likewise-verify",
    ),
    Wavers: _Wording(
        slug="wavers",
        label="wavers",
        text=lambda reason: f"Attempts at the same code differ{_at(reason)}: {printable(reason.what)}.",
        todo="Make the test deterministic (wait for state instead of time, sort what has no order, seed what "
        "is random); until then its result is not trusted.",
    ),
}
"""Every reason there is."""
