"""What a run comes down to: the numbers and sentences that every report shows."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from likewise.model import AuditBound, Result, RunFinished, Spending, Standing, TestReport
from likewise.report.reasons import explain
from likewise.report.words import about, plural, seconds, share

SUSPECT = (Standing.DISCREPANT, Standing.FLAKY)
AGAIN = "pytest --likewise --likewise-verify"


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What was not spent on the reference. Calls of tests that are not settled are not saved."""

    calls: int
    made: int
    unsettled: int
    saved: int
    """Negative where proving cost more than running everything once, as a first run may."""
    seconds: float
    money: float


def savings(spending: Spending, reports: Sequence[TestReport]) -> Savings:
    """What a run saved against running the whole suite once on the reference."""
    unsettled = sum(report.calls for report in reports if not report.is_settled)
    return spared(replace(spending, unsettled=min(unsettled, spending.calls)))


def spared(spending: Spending) -> Savings:
    """What was saved, calls of unsettled tests left out."""
    calls = spending.calls
    settled = calls - spending.unsettled
    saved = settled - spending.reference_calls
    return Savings(
        calls=calls,
        made=spending.reference_calls,
        unsettled=spending.unsettled,
        saved=saved,
        # Both sides have their own pace: a call that was spared is taken to last as long as it did here.
        seconds=spending.seconds * saved / calls if calls else 0.0,
        money=(spending.money * settled / calls if calls else 0.0) - spending.reference_money,
    )


def counts(reports: Sequence[TestReport]) -> dict[Standing, int]:
    """How many tests stand where; every standing is there."""
    found = Counter(report.standing for report in reports)
    return {standing: found[standing] for standing in Standing}


def counts_line(reports: Sequence[TestReport]) -> str:
    """All tests in one line, the undecided with their reasons."""
    number = counts(reports)
    parts = [
        f"{number[Standing.TRUSTED]:,} trusted",
        f"{number[Standing.PROVED]:,} proved now",
        f"{number[Standing.DISCREPANT]:,} discrepant",
        f"{number[Standing.FLAKY]:,} flaky",
        undecided_phrase(reports),
    ]
    return f"{plural(len(reports), 'test')}: {', '.join(parts)}"


def undecided_phrase(reports: Sequence[TestReport]) -> str:
    """How many tests are undecided, and why: `undecided 4: 3 new calls (…), 1 unclear`."""
    undecided = [report for report in reports if report.standing is Standing.UNDECIDED]
    if not undecided:
        return "0 undecided"
    reasons = Counter((explain(report.verdict).label, explain(report.verdict).hint) for report in undecided)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    said: set[str] = set()
    parts = []
    for (label, hint), number in ordered:
        once = f" ({hint})" if hint and hint not in said else ""
        said.add(hint)
        parts.append(f"{number:,} {label}{once}")
    return f"undecided {len(undecided):,}: {', '.join(parts)}"


def savings_line(spending: Spending, reports: Sequence[TestReport]) -> str:
    """What was saved, in one sentence."""
    found = savings(spending, reports)
    if not found.calls:
        return "no calls were recorded"
    if found.saved < 0:
        settled = found.calls - found.unsettled
        head = f"saved none yet: made {plural(found.made, 'reference call')} to settle {settled:,}"
    else:
        percent = share(found.saved, found.calls)
        head = f"saved {found.saved:,} of {plural(found.calls, 'reference call')} ({percent})"
        if found.saved and (amounts := _amounts(found)):
            head += f", {amounts}"
        head += f"; made {found.made:,}"
    return head + (f"; {found.unsettled:,} of tests not settled" if found.unsettled else "")


def _amounts(found: Savings) -> str:
    if found.money <= 0:
        return f"about {seconds(found.seconds)}" if found.seconds > 0 else ""
    return about(found.money) + (f" and {seconds(found.seconds)}" if found.seconds > 0 else "")


def cost_line(spending: Spending) -> str:
    """What the calls that were made cost; empty where none was."""
    if not spending.reference_calls:
        return ""
    return (
        f"{plural(spending.reference_calls, 'reference call')} took "
        f"{seconds(spending.reference_seconds)} and cost {about(spending.reference_money)}"
    )


def audits_line(audits: AuditBound) -> str:
    """What the audits say about skipped calls; empty before the first."""
    if audits.failed:
        return (
            f"{audits.failed:,} of {plural(audits.clean + audits.failed, 'audit')} failed: "
            "what they contradict no longer counts"
        )
    if audits.bound is None:
        return ""
    most = share(math.ceil(audits.bound * 1000) / 1000, 1)  # a bound is rounded up
    return f"{plural(audits.clean, 'clean audit')}: at most {most} of skipped calls wrong (95 %)"


def next_step(finished: RunFinished, *, was_asked: bool = False) -> str:
    """The one thing to do next; empty where nothing is left to do.

    `was_asked` says that this run asked the reference and that its notices name what kept it from
    proving the rest.
    """
    number = counts(finished.tests)
    if finished.leftovers:
        return "Delete what is left on the reference: likewise clean"
    if number[Standing.UNDECIDED]:
        first = next(report for report in finished.tests if report.standing is Standing.UNDECIDED)
        todo = explain(first.verdict).todo
        if was_asked and AGAIN in todo:
            return f"Do what the notes say and run again; what is proved stays proved: {AGAIN}"
        return todo or f"See why: likewise explain {shlex.quote(first.test)}"
    if number[Standing.DISCREPANT] or number[Standing.FLAKY]:
        first = min(finished.tests, key=_urgency)
        return f"See what it did call by call: likewise explain {shlex.quote(first.test)}"
    if finished.tests and not finished.spending.calls:
        return "No test called the candidate. See where clients are sent: likewise config"
    return ""


def result_differs(report: TestReport) -> bool:
    """Whether a test ran on both sides and ended differently."""
    return report.reference is not None and report.reference is not report.candidate


def _urgency(report: TestReport) -> tuple[bool, bool, bool]:
    failed = report.counts_as is Result.FAILED
    return not (result_differs(report) and failed), not result_differs(report), report.standing not in SUSPECT
