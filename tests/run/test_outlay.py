"""Asking the reference never costs more than running every test there once, but for a small stake."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import KINDS, Loop, Suite, get, listed, put

from likewise.model import Operation, Standing
from likewise.run import Meter
from likewise.run.outlay import STAKE, STAKE_SHARE, Outlay

NAMES = [f"name{number}" for number in range(8)]


def suite(*, shared: bool) -> Suite:
    """Eight tests: one call in three asks something that another test asks, too."""
    scripts = {
        f"t{number}": (put(name), get(name), put("common"), listed(), get("common"), get(name))
        for number, name in enumerate(NAMES)
    }
    return Suite(scripts, shared=shared)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kind", ["", *KINDS])
def test_proving_costs_no_more_than_running_everything_once(tmp_path: Path, kind: str, shared: bool) -> None:
    made = suite(shared=shared)
    calls = sum(map(len, made.scripts.values()))
    made.wrong = dict.fromkeys([*NAMES[1::2], "common"], kind) if kind else {}
    found = Loop(made, tmp_path / "ledger.sqlite").run()
    stake = max(STAKE, STAKE_SHARE * calls) if kind else 0
    assert 0 < found.reference_calls <= calls + stake


def spent(calls: int) -> Meter:
    meter = Meter()
    meter.count(Operation("box", "put"), calls)
    return meter


def test_a_replay_is_refused_where_its_loss_would_not_be_covered() -> None:
    """All tests together take 1000 calls: before anything was gained, a twentieth of that is at stake."""
    cold = Outlay(plain=1000, meter=spent(0))
    assert cold.pays(50, whole=100, still=1000)
    assert not cold.pays(51, whole=100, still=1000)
    gained = Outlay(plain=1000, meter=spent(100))
    assert gained.pays(150, whole=300, still=800)
    assert not gained.pays(151, whole=300, still=800)


def test_a_replay_that_is_likely_to_differ_does_not_pay() -> None:
    outlay = Outlay(plain=1000, meter=spent(0))
    assert outlay.pays(80, whole=100, still=100)
    for _ in range(3):
        outlay.note_answers(differed=True)
    assert not outlay.pays(80, whole=100, still=100)


def test_completing_proofs_stays_below_the_plain_run_but_for_the_stake() -> None:
    assert Outlay(plain=197, meter=spent(150)).leaves(47)
    assert not Outlay(plain=197, meter=spent(197)).leaves(STAKE + 1)


@pytest.mark.parametrize("kind", ["", "answers"])
def test_what_is_left_once_another_test_has_run_is_replayed(tmp_path: Path, kind: str) -> None:
    """Cold, two tests that begin alike: one runs as a whole, and of the other only its own end is asked."""
    common = tuple(step for name in "abc" for step in (put(name), get(name)))
    made = Suite({"t1": common, "t2": (*common, put("d"), get("d"))}, wrong={"d": kind} if kind else {})
    found = Loop(made, tmp_path / "ledger.sqlite").run()
    assert [len(piece.calls) for piece in found.reference.replays] == [2]
    assert found.whole == (["t1", "t2"] if kind else ["t1"]), "which differs runs there in the end"
    assert found.reference_calls == len(common) + 2 + (len(made.scripts["t2"]) if kind else 0)
    assert found.standings["t2"] is (Standing.DISCREPANT if kind else Standing.PROVED)


def test_without_means_to_replay_every_test_that_asks_something_new_runs_whole(tmp_path: Path) -> None:
    common = tuple(step for name in "abc" for step in (put(name), get(name)))
    made = Suite({"t1": common, "t2": (*common, put("d"), get("d"))})
    found = Loop(made, tmp_path / "ledger.sqlite").run(impossible=True)
    assert found.whole == ["t1", "t2"]


def test_a_shared_world_is_replayed_in_parts_where_all_at_once_would_risk_too_much(tmp_path: Path) -> None:
    """Eight tests on one state ask for eight things that are not there, and each for one of its own."""
    missing = tuple(get(f"missing{number}") for number in range(8))
    made = Suite({name: (*missing, put(name), get(name)) for name in NAMES}, shared=True)
    found = Loop(made, tmp_path / "ledger.sqlite").run()
    assert found.whole == NAMES[:1]
    assert [len(piece.calls) for piece in found.reference.replays] == [2 * 3, 2 * 4]
    assert set(found.standings.values()) == {Standing.PROVED}
