"""Markdown and annotations for GitHub."""

from __future__ import annotations

from hypothesis import given, settings
from report_strategies import finished_runs
from runs_by_hand import STARTED, a_run, differ, discrepant, spending

from likewise.model import AuditBound, RunFinished
from likewise.report import as_annotations, as_markdown

HOSTILE = "`x` | <b>@team</b>\n::error::pwned\n| a | b |"


def hostile_run() -> RunFinished:
    return RunFinished(
        run=HOSTILE,
        spending=spending(),
        tests=(discrepant(f"tests/a,b:c.py::{HOSTILE}", differ(reference=HOSTILE, place=HOSTILE)),),
        audits=AuditBound(clean=0, failed=0),
        leftovers=(HOSTILE,),
    )


def test_the_summary_has_counts_savings_and_a_table() -> None:
    text = as_markdown(a_run(), started=STARTED)
    assert text.startswith("## Likewise\n\n**62 tests: 51 trusted")
    assert "- saved 779 of 840 reference calls" in text
    assert "| `s3.PutObject` | **unsafe**: one side refuses |" in text
    assert "Left on the reference" in text


def test_rows_have_the_same_number_of_cells_whatever_the_values() -> None:
    text = as_markdown(hostile_run())
    rows = [line for line in text.splitlines() if line.startswith("| ") and "operation" not in line]
    differences = [row for row in rows if "unsafe" in row]
    assert len(differences) == 1
    assert differences[0].replace("\\|", "").count("|") == 6


def test_nothing_mentions_anybody_outside_code() -> None:
    text = as_markdown(hostile_run())
    outside = [part for number, part in enumerate(text.split("``")) if number % 2 == 0]
    assert not any("@team" in part for part in outside)


def test_an_annotation_is_one_line_at_the_file() -> None:
    (line,) = as_annotations(hostile_run())
    assert "\n" not in line
    assert line.startswith("::error file=tests/a%2Cb%3Ac.py,title=discrepant%3A ")


def test_only_tests_that_need_a_look_are_annotated() -> None:
    levels = [line.split()[0] for line in as_annotations(a_run())]
    assert sorted(levels) == ["::error", *["::notice"] * 4, *["::warning"] * 4]


@settings(max_examples=40, deadline=None)
@given(finished_runs)
def test_any_run_can_be_written(run: RunFinished) -> None:
    assert as_markdown(run).startswith("## Likewise\n")
    assert all("\n" not in line for line in as_annotations(run))
