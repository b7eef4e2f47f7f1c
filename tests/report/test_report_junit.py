"""JUnit XML."""

from __future__ import annotations

from pathlib import Path

from defusedxml import ElementTree
from hypothesis import given, settings
from report_strategies import finished_runs
from runs_by_hand import a_run, differ, discrepant, spending, trusted

from likewise.model import AuditBound, RunFinished
from likewise.report import as_junit, write_junit


def test_each_test_is_a_case_with_verdict_and_reason(tmp_path: Path) -> None:
    write_junit(tmp_path / "x" / "junit.xml", a_run())
    suite = ElementTree.parse(tmp_path / "x" / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("62", "1", "0")
    case = next(each for each in suite.iter("testcase") if each.get("name") == "test_new_one")
    assert case.get("classname") == "tests.test_documents"
    properties = {each.get("name"): each.get("value") for each in case.iter("property")}
    assert properties["likewise.verdict"] == "rerun"
    assert properties["likewise.reason"] == "unseen-calls"
    assert properties["likewise.standing"] == "undecided"


def test_a_test_fails_where_it_fails_on_the_side_that_counts() -> None:
    suite = ElementTree.fromstring(as_junit(a_run()))[0]
    failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["test_only_if_absent"]
    assert failed[0].find("failure").get("message") == "failed on the reference"
    assert "PreconditionFailed" in failed[0].find("system-out").text


def test_hostile_values_stay_text() -> None:
    bad = "<failure/>\x00\x1b]]>&\ud800"
    run = RunFinished(
        run="r",
        spending=spending(),
        tests=(discrepant(bad, differ(reference=bad, place=bad)), trusted(bad)),
        audits=AuditBound(clean=0, failed=0),
    )
    suite = ElementTree.fromstring(as_junit(run))[0]
    assert len(list(suite.iter("testcase"))) == 2
    assert len(list(suite.iter("failure"))) == 1


@settings(max_examples=40, deadline=None)
@given(finished_runs)
def test_any_run_is_well_formed(run: RunFinished) -> None:
    assert len(list(ElementTree.fromstring(as_junit(run)).iter("testcase"))) == len(run.tests)
