"""Rates, intervals, and how many clean runs settle it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import Scripted, run

from likewise.device import Answered, Scenario, Step, i32, invoke
from likewise.device.flakiness import Analysis, clean_runs_needed, examine, parse_analysis, wilson
from likewise.model import ConfigurationError


def test_the_interval_is_wilsons() -> None:
    """Against the figures of the formula, worked out by hand for 2 of 10."""
    low, high = wilson(2, 10)
    assert (round(low, 4), round(high, 4)) == (0.0567, 0.5098)
    assert wilson(0, 0) == (0.0, 1.0)


def test_after_no_failure_73_clean_runs_are_needed_in_all() -> None:
    assert clean_runs_needed(0, 0) == 73
    assert clean_runs_needed(0, 73) == 0


@given(st.integers(0, 30), st.integers(0, 100))
def test_the_needed_runs_are_the_least_that_do(failed: int, clean: int) -> None:
    runs = failed + clean
    needed = clean_runs_needed(failed, runs)
    assert wilson(failed, runs + needed)[1] < 0.05
    assert needed == 0 or wilson(failed, runs + needed - 1)[1] >= 0.05


def test_steady_scenarios_run_the_least_number_of_times() -> None:
    report = run([Scenario("steady", "a.c", [Step("s", invoke("f"))])], analysis=Analysis(least=4, most=9))
    assert len(report.scenarios[0].attempts) == 4
    assert report.uploads == 1, "attempts reset, they do not upload"


def test_boards_are_told_apart_and_put_together() -> None:
    luck = iter([1, 2] * 10)
    good = Scripted("good", f=Answered(data=i32(1)))
    bad = Scripted("bad", f=lambda: Answered(data=i32(next(luck))))
    scenario = Scenario("s", "a.c", [Step("one", invoke("f"), expect=1)])
    report = run([scenario], good, bad, analysis=Analysis(least=4, most=4))
    found = {each.board: (each.runs, each.failed) for each in examine(report.scenarios)}
    assert found == {"good": (4, 0), "bad": (4, 2), "": (8, 2)}


@pytest.mark.parametrize("text", ["", "min=0", "min=5,max=3", "max", "min=a", "least=3"])
def test_what_is_no_analysis_is_refused(text: str) -> None:
    if text == "":
        assert parse_analysis(text) == Analysis()
    else:
        with pytest.raises(ConfigurationError, match="min=N,max=M"):
            parse_analysis(text)


def test_min_and_max_are_read() -> None:
    assert parse_analysis("min=5,max=50") == Analysis(least=5, most=50)
    assert parse_analysis("min=5") == Analysis(least=5, most=5)
