"""`likewise report` and `likewise explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from runs_by_hand import NOON, STARTED, a_run, differ

from likewise.cli.common import NotFound
from likewise.cli.dossier import find
from likewise.model import (
    Attempt,
    Interaction,
    Operation,
    Provenance,
    Raised,
    Redaction,
    Returned,
    Role,
    Trace,
)
from likewise.report import LastRun, save
from likewise.store import DEFAULT, RecordingWriter, open_ledger

ABSENT = "tests/test_documents.py::test_only_if_absent"


@pytest.fixture
def last_run(project: Path) -> Path:
    """A project that has just been run."""
    operations = {test.test: frozenset({"s3.PutObject"}) for test in a_run().tests}
    save(
        project / ".likewise" / "last-run.json",
        LastRun(finished=a_run(), started=STARTED, operations=operations),
    )
    calls = tuple(
        Interaction(
            operation=Operation("s3", "PutObject"),
            arguments={"Key": f"k{number}"},
            outcome=Raised(kind="NoSuchBucket") if number == 3 else Returned(value={"status": 200}),
        )
        for number in range(12)
    )
    trace = Trace(test=ABSENT, role=Role.CANDIDATE, interactions=calls)
    with RecordingWriter(project / ".likewise/recordings/r7/main.jsonl", Provenance(run="r7")) as writer:
        writer.add(Redaction(trace=trace))
    with open_ledger(DEFAULT) as ledger:
        for run, day in (("r2", 2), ("r7", 7)):
            ledger.add_run(Provenance(run=run, started=NOON + day * 86_400))
            ledger.add_discrepancies(run, [differ(test=ABSENT)])
        attempt = Attempt(
            test=ABSENT,
            run="r7",
            target="ministack 1.5.33",
            role="reference",
            attempt=0,
            result="failed",
            shape="",
            code="",
            when=NOON,
        )
        ledger.add_attempts([attempt])
    return project


def test_without_a_run_there_is_a_message(likewise) -> None:
    assert "[last-run-absent]" in likewise("report", exit_code=2).stderr
    assert "Make one: pytest --likewise" in likewise("explain", "x", exit_code=2).stderr


def test_the_last_run_is_shown_again(likewise, last_run: Path) -> None:
    text = likewise("report").stdout
    assert "62 tests: 51 trusted" in text
    assert "candidate moto 5.2.5" in text


def test_the_last_run_is_written_in_every_form(likewise, last_run: Path) -> None:
    likewise("report", "--html", "out/report.html", "--junit", "out/junit.xml")
    assert "Likewise: run r7" in (last_run / "out" / "report.html").read_text(encoding="utf-8")
    assert "likewise.verdict" in (last_run / "out" / "junit.xml").read_text(encoding="utf-8")
    assert json.loads(likewise("report", "--json").stdout)["counts"]["discrepant"] == 4
    assert likewise("report", "--github").stdout.startswith("## Likewise")
    study = json.loads(likewise("report", "--study", "--json").stdout)
    assert study["unsafe"] == [ABSENT]
    assert "what fixing the top operations would clear" in likewise("report", "--study").stdout


def test_in_a_workflow_the_summary_goes_to_its_file(
    likewise, last_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = last_run / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    lines = likewise("report", "--github").stdout.splitlines()
    assert all(line.startswith("::") for line in lines)
    assert summary.read_text(encoding="utf-8").startswith("before\n## Likewise")


def test_a_report_of_a_newer_version_is_refused(likewise, last_run: Path) -> None:
    (last_run / ".likewise" / "last-run.json").write_text('{"likewise": "last run", "version": 9}')
    assert "[format-too-new]" in likewise("report", exit_code=2).stderr


def test_explain_says_which_call_what_both_sides_said_and_since_when(likewise, last_run: Path) -> None:
    text = likewise("explain", "test_only_if_absent").stdout
    for part in (
        ABSENT,
        "discrepant: passed on the candidate, failed on the reference; counts as failed",
        "call 4, s3.PutObject",
        "unsafe: one side refuses",
        "reference: PreconditionFailed",
        "candidate: success (200)",
        "known since 2026-09-23 (run r2), seen in 2 runs",
        ">    4  s3.PutObject",
        "NoSuchBucket",
        "failed on the reference ministack 1.5.33",
    ):
        assert part in text, part
    assert '"k11"' not in text
    assert '"k11"' in likewise("explain", "test_only_if_absent", "--calls").stdout


def test_explain_speaks_json(likewise, last_run: Path) -> None:
    found = json.loads(likewise("explain", ABSENT, "--json").stdout)
    assert found["report"]["standing"] == "discrepant"
    assert found["doubts"] == [3, 6]
    assert found["discrepancies"][0]["since"] == {"run": "r2", "when": NOON + 2 * 86_400, "runs": 2}
    assert len(found["calls"]) == 12
    assert found["attempts"][0]["result"] == "failed"


def test_explain_of_an_older_run_says_that_verdicts_are_not_kept(likewise, last_run: Path) -> None:
    path = last_run / ".likewise/recordings/r2/main.jsonl"
    with RecordingWriter(path, Provenance(run="r2")) as writer:
        writer.add(Redaction(trace=Trace(test=ABSENT, role=Role.CANDIDATE, interactions=())))
    text = likewise("explain", ABSENT, "--run", "r2").stdout
    assert "its verdicts are no longer kept" in text
    assert "reference: PreconditionFailed" in text
    assert "there is no run 'r9'" in likewise("explain", ABSENT, "--run", "r9", exit_code=2).stderr


def test_explain_asks_back_when_a_name_is_wrong_or_not_clear(likewise, last_run: Path) -> None:
    assert f"Did you mean {ABSENT}?" in likewise("explain", "test_only_if_absnt", exit_code=2).stderr
    assert "50 tests match 'test_item'" in likewise("explain", "test_item", exit_code=2).stderr


TESTS = ("a/test_x.py::test_one", "b/test_x.py::test_one", "a/test_x.py::test_one_more", "c.py::t[1]")


@pytest.mark.parametrize(
    ("nodeid", "test"),
    [
        ("a/test_x.py::test_one", "a/test_x.py::test_one"),
        ("b/test_x.py::test_one", "b/test_x.py::test_one"),
        ("test_one_more", "a/test_x.py::test_one_more"),
        ("t[1]", "c.py::t[1]"),
        ("c.py::t", "c.py::t[1]"),
    ],
)
def test_any_clear_end_of_an_id_is_enough(nodeid: str, test: str) -> None:
    assert find(nodeid, TESTS) == test


@pytest.mark.parametrize("nodeid", ["test_one", "test_x.py::test_one", "nothing"])
def test_an_unclear_end_is_not(nodeid: str) -> None:
    with pytest.raises(NotFound):
        find(nodeid, TESTS)
