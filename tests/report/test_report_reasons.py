"""Every reason has a sentence, and every doubt a next step."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from report_strategies import reports, verdicts
from runs_by_hand import differ, discrepant, proved, trusted, undecided

from likewise.model import Rerun, RerunReason, Result, Trust, TrustReason, UnseenCalls, Verdict, Wavers
from likewise.model import TestReport as Report
from likewise.report.reasons import _WORDINGS, conclude, explain


def test_every_kind_of_reason_is_worded_once() -> None:
    kinds = {*get_args(TrustReason), *get_args(RerunReason), Wavers}
    assert set(_WORDINGS) == kinds
    assert len({wording.slug for wording in _WORDINGS.values()}) == len(kinds)


@given(verdicts)
def test_every_verdict_has_a_sentence(verdict: Verdict) -> None:
    why = explain(verdict)
    assert why.text.endswith(".")
    assert why.label
    assert why.slug


@given(verdicts)
def test_every_doubt_has_a_next_step_and_no_trust_needs_one(verdict: Verdict) -> None:
    assert bool(explain(verdict).todo) is not isinstance(verdict, Trust)


@given(reports)
def test_every_report_has_a_conclusion(report: Report) -> None:
    assert conclude(report).text


def test_positions_are_counted_from_one() -> None:
    reason = UnseenCalls(first_new=16, operations=("s3.PutObject",), count=2)
    assert "2 calls" in explain(Rerun(reason=reason)).text
    assert "call 17 (s3.PutObject)" in explain(Rerun(reason=reason)).text


def test_trust_says_since_when() -> None:
    assert "2026-09-21" in explain(trusted("t").verdict).text


def test_a_proved_test_is_not_told_to_be_proved() -> None:
    assert "with 2 calls" in conclude(proved("t")).text
    assert conclude(proved("t")).todo == ""
    assert "--likewise-verify" in conclude(undecided("t")).todo


def test_a_different_result_says_which_side_counts() -> None:
    text = conclude(discrepant("t", differ())).text
    assert (
        text == "Passed on the candidate, failed on the reference, which counts; 1 call answered differently."
    )
    text = conclude(discrepant("t", differ(), reference=Result.PASSED)).text
    assert text == "Passed on both sides, but 1 call answered differently."
