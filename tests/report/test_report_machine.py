"""A run as JSON, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from report_strategies import finished_runs, values
from runs_by_hand import STARTED, a_run

from likewise.model import FormatTooNew, Notice, RunFinished, Settled, Value
from likewise.report import Collector, LastRun, as_json, load, save, write_json
from likewise.report.machine import LastRunAbsent, LastRunCorrupt
from likewise.report.packing import pack, unpack
from likewise.report.restoring import finished


@given(values)
def test_values_survive_json(value: Value) -> None:
    plain = json.loads(json.dumps(pack(value)))
    assert repr(unpack(plain)) == repr(value)


@settings(max_examples=60, deadline=None)
@given(finished_runs)
def test_a_run_survives_json(run: RunFinished) -> None:
    assert finished(json.loads(json.dumps(as_json(run)))) == run


def test_a_saved_run_is_loaded_as_it_was(tmp_path: Path) -> None:
    run = LastRun(
        finished=a_run(),
        started=STARTED,
        notices=(Notice(slug="a", text="b"),),
        operations={"t": frozenset({"s3.PutObject"})},
    )
    save(tmp_path / "x" / "last-run.json", run)
    assert load(tmp_path / "x" / "last-run.json") == run
    assert [each.name for each in (tmp_path / "x").iterdir()] == ["last-run.json"]


def test_the_shape_is_the_documented_one(tmp_path: Path) -> None:
    write_json(tmp_path / "run.json", a_run())
    raw = json.loads((tmp_path / "run.json").read_text())
    assert set(raw) == {
        "version",
        "run",
        "spending",
        "savings",
        "counts",
        "audits",
        "leftovers",
        "tests",
    }
    assert raw["counts"] == {"trusted": 51, "proved": 2, "discrepant": 4, "flaky": 1, "undecided": 4}
    assert raw["audits"] == {"clean": 240, "failed": 0, "bound": 0.0125}
    test = next(each for each in raw["tests"] if each["test"].endswith("test_new_one"))
    assert test["verdict"]["kind"] == "rerun"
    assert test["verdict"]["reason"] == "unseen-calls"
    assert test["verdict"]["details"] == {"first_new": 2, "operations": ["s3.PutObject"], "count": 3}


def test_absent_corrupt_and_newer_are_three_things(tmp_path: Path) -> None:
    path = tmp_path / "last-run.json"
    with pytest.raises(LastRunAbsent):
        load(path)
    for content in ("", "[]", "{}", '{"likewise": "last run", "version": 1}', "\udcff"):
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(LastRunCorrupt):
            load(path)
    path.write_text('{"likewise": "last run", "version": 999}')
    with pytest.raises(FormatTooNew):
        load(path)


def test_a_collector_has_a_run_only_when_it_is_finished() -> None:
    collector = Collector()
    collector(STARTED)
    collector(Settled(report=a_run().tests[0]))
    collector(Notice(slug="a", text="b"))
    collector(Notice(slug="a", text="b"))
    assert collector.last_run() is None
    collector(a_run())
    run = collector.last_run({"t": ["s3.PutObject"]})
    assert run == LastRun(
        finished=a_run(),
        started=STARTED,
        notices=(Notice(slug="a", text="b"),),
        operations={"t": frozenset({"s3.PutObject"})},
    )
