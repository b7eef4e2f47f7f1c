"""The page: complete, self-contained, and safe with hostile values."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import given, settings
from report_strategies import finished_runs
from runs_by_hand import NOON, STARTED, a_run, differ, discrepant, spending, trusted

from likewise.model import AuditBound, Notice, RunFinished
from likewise.report.html import as_html, draw_savings, write_html

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7*7 }}</style><!--"


class Page(HTMLParser):
    """The elements of a page, and what it would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_run() -> RunFinished:
    bad = differ(
        f"s3.{HOSTILE}", place=HOSTILE, reference=HOSTILE, candidate={HOSTILE: [HOSTILE]}, test=HOSTILE
    )
    return RunFinished(
        run=HOSTILE,
        spending=spending(HOSTILE),
        tests=(discrepant(HOSTILE, bad), trusted(f"tests/a.py::{HOSTILE}")),
        audits=AuditBound(clean=0, failed=0),
        leftovers=(HOSTILE,),
    )


def test_hostile_values_are_text_wherever_they_stand() -> None:
    page = Page(
        as_html(
            hostile_run(),
            started=STARTED,
            operations={HOSTILE: [HOSTILE]},
            notices=[Notice(slug="x", text=HOSTILE)],
            spendings=[spending(HOSTILE)],
        )
    )
    assert page.tags.count("script") == 1, "only the page's own"
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert page.text.count("<script>alert(1)</script>") > 5
    assert "{{ 7*7 }}" in page.text


def test_the_page_fetches_nothing() -> None:
    text = as_html(a_run(), started=STARTED)
    assert not re.search(r"https?://|url\(|@import|src=|href=", text)
    assert "default-src 'none'" in text


def test_every_test_has_a_row_with_its_standing() -> None:
    text = as_html(a_run())
    assert text.count("<tr data-standing=") == 62
    assert text.count('<tr data-standing="discrepant">') == 4
    assert 'data-standing="flaky" aria-pressed' in text


def test_both_values_of_a_difference_are_there_most_harmful_first() -> None:
    text = Page(as_html(a_run())).text
    assert "PreconditionFailed: At least one of the pre-conditions did not hold" in text
    assert text.index("s3.PutObject") < text.index("s3.ListObjectsV2") < text.index("dynamodb.PutItem")


def test_a_run_without_differences_says_so() -> None:
    run = RunFinished(
        run="r", spending=spending(), tests=(trusted("t"),), audits=AuditBound(clean=0, failed=0)
    )
    assert "No difference between the two sides was seen" in as_html(run)


def test_the_drawing_has_a_bar_for_each_run_within_its_frame() -> None:
    spendings = [
        spending(f"r{day}", calls=100, reference_calls=made, when=NOON + day * 86_400)
        for day, made in enumerate((150, 60, 0))
    ]
    chart = draw_savings(spendings)
    assert len(chart.bars) == 3
    assert chart.most == 150
    for bar in chart.bars:
        assert bar.x >= 0
        assert bar.x + bar.width <= 100
        assert bar.saved_y >= 0
    assert (chart.bars[0].saved_height, chart.bars[2].made_height) == (0, 0)
    assert (chart.first, chart.last) == ("2026-09-21", "2026-09-23")


def test_undecided_calls_are_not_drawn_as_saved() -> None:
    from dataclasses import replace

    chart = draw_savings([replace(spending(calls=100, reference_calls=0), unsettled=100)])
    assert chart.bars[0].saved_height == 0


@settings(max_examples=25, deadline=None)
@given(finished_runs)
def test_any_run_becomes_a_page_with_one_script(run: RunFinished) -> None:
    assert Page(as_html(run, spendings=[run.spending])).tags.count("script") == 1


def test_a_page_is_written_where_it_is_wanted_whatever_the_values(tmp_path: Path) -> None:
    run = RunFinished(
        run="r",
        spending=spending(),
        tests=(trusted("tests/\udcff.py::t"),),
        audits=AuditBound(clean=0, failed=0),
        leftovers=("\udcff",),
    )
    write_html(tmp_path / "new" / "report.html", run)
    assert (tmp_path / "new" / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
