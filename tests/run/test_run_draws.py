"""Answers that depend on the values that a test drew, and tests that do what others did for them before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from boxes import Loop, Suite, first, get, put

from likewise.model import Role, Standing

Make = Callable[[Suite], Loop]
RUNS = 8
DRAWN = tuple(put("a", text, drawn=True) for text in ("one", "two", "three"))


@pytest.fixture
def loop(tmp_path: Path) -> Make:
    return lambda suite: Loop(suite, tmp_path / "ledger.sqlite")


def test_which_of_drawn_names_comes_first_is_no_difference(loop: Make) -> None:
    """Another one in most runs; the result of the whole test on the reference counts from then on."""
    runs = loop(Suite({"t1": (*DRAWN, first())}))
    concluded = [runs.run() for _ in range(RUNS)]
    assert {each.standings["t1"] for each in concluded} <= {Standing.PROVED, Standing.TRUSTED}
    assert not any(each.reports["t1"].discrepancies for each in concluded)
    asked = [each for each in concluded if each.reference_calls]
    assert len(asked) <= 2
    assert sum(len(each.whole) for each in asked) == 1


def test_a_reference_that_gives_the_last_is_never_trusted(loop: Make) -> None:
    runs = loop(Suite({"t1": (*DRAWN, first())}, wrong={"first": "last"}))
    assert {runs.run().standings["t1"] for _ in range(RUNS)} == {Standing.DISCREPANT}
    assert runs.run(code="c2").standings["t1"] is Standing.DISCREPANT


def test_what_a_test_does_for_the_first_time_is_repeated_before_the_reference_is_asked(loop: Make) -> None:
    """As where another one set a fixture up so far: whether its names vary is not known yet."""
    suite = Suite({"t1": (put("a", drawn=True), get("b")), "t2": (get("b"),)})
    runs = loop(suite)
    assert runs.run().whole == ["t1"]
    suite.scripts = {"t1": (get("b"),), "t2": (put("a", drawn=True), get("b"))}
    later = runs.run()
    assert later.reference.reruns == [(Role.CANDIDATE, ("t2",))]
    assert later.standings == {"t1": Standing.TRUSTED, "t2": Standing.TRUSTED}
    assert later.reference_calls == 0


def test_evidence_is_keyed_by_what_varied_when_it_was_given(loop: Make) -> None:
    """Though its test has left that to another one for many runs, which did without it at last."""
    suite = Suite({"t1": (put("a", drawn=True), get("b")), "t2": (get("b"),)})
    runs = loop(suite)
    assert runs.run().whole == ["t1"]
    suite.scripts = {"t1": (get("b"),), "t2": (get("b"),)}
    for _ in range(RUNS):
        assert runs.run().reference_calls == 0
    suite.scripts = {"t1": (get("b"), put("c", drawn=True)), "t2": (put("a", drawn=True), get("b"))}
    later = runs.run()
    assert later.standings["t2"] is Standing.TRUSTED
    assert later.reports["t2"].reference_calls == 0
