"""Study mode: what differs and what fixing it would bring."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from runs_by_hand import differ, discrepant, trusted

from likewise.model import Result, Standing
from likewise.model import TestReport as Report
from likewise.report import study


def on_both(test: str, *operations: str, candidate: str = "passed", reference: str = "passed") -> Report:
    report = discrepant(test, *(differ(name) for name in operations), reference=Result(reference))
    return Report(
        test=test,
        standing=Standing.DISCREPANT,
        verdict=report.verdict,
        candidate=Result(candidate),
        reference=report.reference,
        discrepancies=report.discrepancies,
    )


REPORTS = [
    on_both("unsafe", "s3.PutObject", reference="failed"),
    on_both("alarm", "s3.CopyObject", "s3.PutObject", candidate="failed"),
    on_both("same", "s3.PutObject"),
    on_both("clean"),
    on_both("strange", candidate="failed"),
    on_both("cut", "s3.PutObject", reference="unfinished"),
    trusted("never"),
]
USED = {report.test: {"s3.PutObject", "s3.GetObject"} for report in REPORTS}


def test_discrepant_tests_and_results_are_counted() -> None:
    found = study.examine(REPORTS, USED)
    assert found.discrepant == ("unsafe", "alarm", "same", "strange")
    assert found.unsafe == ("unsafe",)
    assert found.false_alarms == ("alarm", "strange")
    assert found.unexplained == ("strange",)
    assert found.not_compared == ("cut", "never")


def test_operations_come_by_number_of_tests_with_the_discrepant_ones_marked() -> None:
    found = study.examine(REPORTS, USED)
    assert [(use.operation, use.tests, use.discrepant_tests) for use in found.operations] == [
        ("s3.PutObject", 5, 3),
        ("s3.GetObject", 5, 0),
        ("s3.CopyObject", 1, 1),
    ]


def test_fixes_clear_most_tests_soonest() -> None:
    found = study.examine(REPORTS, USED)
    assert [(fix.operation, fix.clears, fix.cleared) for fix in found.fixes] == [
        ("s3.PutObject", 2, 2),
        ("s3.CopyObject", 1, 3),
    ]


@given(
    st.dictionaries(st.text(max_size=3), st.frozensets(st.sampled_from("abcdef"), min_size=1), max_size=12)
)
def test_all_fixes_together_clear_every_test_and_no_operation_comes_twice(
    blamed: dict[str, frozenset[str]],
) -> None:
    order = study.fixes(blamed)
    assert (order[-1].cleared if order else 0) == len(blamed)
    assert sum(fix.clears for fix in order) == len(blamed)
    assert len({fix.operation for fix in order}) == len(order)
    done: set[str] = set()
    for fix in order:
        done.add(fix.operation)
        assert fix.cleared == sum(names <= done for names in blamed.values())


def test_table_and_json_say_the_same() -> None:
    found = study.examine(REPORTS, USED)
    file = io.StringIO()
    study.render(Console(file=file, width=100), found)
    assert "5 tests on both sides: 4 discrepant (80 %); results: 1 unsafe, 2 false alarms" in file.getvalue()
    plain = study.as_json(found)
    assert plain["operations"][0] == {"operation": "s3.PutObject", "tests": 5, "discrepant_tests": 3}
    assert plain["fixes"][0] == {"operation": "s3.PutObject", "clears": 2, "cleared": 2}
