"""A finished run back from its JSON."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from likewise.model import (
    AllAnswersKnown,
    AmbiguousAnswers,
    AnswersDiffer,
    AuditBound,
    CallsRace,
    CandidateFailed,
    Difference,
    Discrepancy,
    DiscrepantOperations,
    EvidenceExpired,
    FixtureInDoubt,
    Flaky,
    Implication,
    Manifestation,
    NewTiming,
    NoCalls,
    NoDiscrepantOperations,
    Operation,
    ReferenceResultKnown,
    Rerun,
    Result,
    ResultsDiffered,
    Role,
    RunFinished,
    RunStarted,
    SequenceSeen,
    Spending,
    Standing,
    Target,
    TestReport,
    Trust,
    Unclear,
    UnseenCalls,
    UnseenSequence,
    Verdict,
    Wavers,
)
from likewise.report.packing import unpack

T = TypeVar("T")
Json = dict[str, Any]

TRUSTS: dict[str, type[NoCalls | AllAnswersKnown | SequenceSeen | NoDiscrepantOperations]] = {
    "no-calls": NoCalls,
    "all-answers-known": AllAnswersKnown,
    "sequence-seen": SequenceSeen,
    "no-discrepant-operations": NoDiscrepantOperations,
}
RERUNS: dict[
    str,
    type[
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
    ],
] = {
    "unseen-calls": UnseenCalls,
    "unseen-sequence": UnseenSequence,
    "discrepant-operations": DiscrepantOperations,
    "answers-differ": AnswersDiffer,
    "ambiguous-answers": AmbiguousAnswers,
    "new-timing": NewTiming,
    "calls-race": CallsRace,
    "evidence-expired": EvidenceExpired,
    "unclear": Unclear,
    "candidate-failed": CandidateFailed,
    "fixture-in-doubt": FixtureInDoubt,
    "results-differed": ResultsDiffered,
}


def finished(raw: Json) -> RunFinished:
    """What `as_json` was given; raises ValueError, KeyError or TypeError for anything else."""
    audits = raw["audits"]
    return RunFinished(
        run=raw["run"],
        spending=_plain(Spending, raw["spending"]),
        tests=tuple(_report(test) for test in raw["tests"]),
        audits=AuditBound(clean=audits["clean"], failed=audits["failed"]),
        leftovers=tuple(raw["leftovers"]),
    )


def started(raw: Json | None) -> RunStarted | None:
    """The beginning of a run, where it was kept."""
    if raw is None:
        return None
    targets = tuple(
        Target(name=each["name"], role=Role(each["role"]), version=each["version"]) for each in raw["targets"]
    )
    return RunStarted(run=raw["run"], policy=raw["policy"], budget=raw["budget"], targets=targets)


def _plain(kind: type[T], raw: Json) -> T:
    """A dataclass of plain fields; JSON's lists are tuples, and fields of later versions are left out."""
    names = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in raw.items() if key in names})


def _report(raw: Json) -> TestReport:
    return TestReport(
        test=raw["test"],
        standing=Standing(raw["standing"]),
        verdict=_verdict(raw["verdict"]),
        candidate=Result(raw["candidate"]),
        reference=None if raw["reference"] is None else Result(raw["reference"]),
        calls=raw["calls"],
        reference_calls=raw["reference_calls"],
        saved=raw["saved"],
        discrepancies=tuple(discrepancy(each) for each in raw["discrepancies"]),
        notes=tuple(raw["notes"]),
    )


def _verdict(raw: Json) -> Verdict:
    match raw["kind"]:
        case "trust" if raw["reason"] == "reference-result-known":
            details = raw["details"]
            known = ReferenceResultKnown(
                result=Result(details["result"]), when=details["when"], failure=details.get("failure", "")
            )
            return Trust(reason=known)
        case "trust":
            return Trust(reason=_plain(TRUSTS[raw["reason"]], raw["details"]))
        case "rerun":
            reason = _plain(RERUNS[raw["reason"]], raw["details"])
            return Rerun(reason=reason, replay=tuple(raw["replay"]), whole=raw["whole"])
        case "flaky":
            return Flaky(reason=_plain(Wavers, raw["details"]))
        case other:
            raise ValueError(f"unknown verdict {other!r}")


def discrepancy(raw: Json) -> Discrepancy:
    """One difference back from its JSON."""
    service = raw["service"]
    return Discrepancy(
        operation=Operation(service, raw["operation"].removeprefix(f"{service}.")),
        difference=Difference(raw["difference"]),
        place=raw["place"],
        reference=unpack(raw["reference"]),
        candidate=unpack(raw["candidate"]),
        implication=Implication(raw["implication"]),
        manifestation=Manifestation(raw["manifestation"]),
        test=raw["test"],
        position=raw["position"],
    )
