"""`likewise simulate`: histories of every kind, the exact JSON, and its errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from likewise.model import Provenance, Redaction, Role, Trace
from likewise.store import RERUNS, RecordingWriter

HOST = "https://account.blob.core.windows.net"


def exchange(
    run: object, test: str, seq: int, path: str, *, method: str = "GET", status: int = 200
) -> dict[str, Any]:
    return {
        "run": run,
        "test": test,
        "seq": seq,
        "t0": 10.0 * seq,
        "t1": 10.0 * seq + 1,
        "request": {"method": method, "url": HOST + path, "headers": {}, "body": ""},
        "response": {"status": status, "headers": {}, "body": ""},
    }


def suite(run: object) -> list[dict[str, Any]]:
    return [
        exchange(run, "a", 0, "/c?restype=container", method="PUT", status=201),
        exchange(run, "a", 1, "/c/b", method="GET", status=404),
        exchange(run, "b", 2, "/c/b2", method="GET", status=404),
    ]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return str(path)


def policies(result: Any) -> dict[str, Any]:
    return json.loads(result.stdout)["policies"]


def test_the_json_is_the_documented_object(likewise, project: Path) -> None:
    history = write(project / "h.jsonl", [row for run in (0, 1) for row in suite(run)])
    found = policies(likewise("simulate", history, "--json"))
    assert list(found) == ["context", "api", "sequence", "combined"]
    assert set(found["sequence"]) == {"runs", "calls", "saved", "share"}
    assert set(found["context"]) == {"runs", "calls", "saved", "share", "tests_only", "cold"}
    assert set(found["context"]["tests_only"]) == {"saved", "share"}
    assert set(found["context"]["cold"]) == {"calls", "saved", "share"}
    assert found["sequence"]["runs"] == [
        {"run": "0", "tests": 2, "calls": 3, "saved": 0},
        {"run": "1", "tests": 2, "calls": 3, "saved": 3},
    ]
    assert (found["sequence"]["calls"], found["sequence"]["saved"], found["sequence"]["share"]) == (3, 3, 1.0)
    assert found["context"]["calls"] == 3, "the first run is left out of the sums"
    assert found["context"]["cold"]["calls"] == 6, "and in where it is said"


def test_only_the_wanted_policies_are_counted_in_the_wanted_order(likewise, project: Path) -> None:
    history = write(project / "h.jsonl", suite(0) + suite(1))
    found = policies(likewise("simulate", history, "--policy", "sequence", "--policy", "context", "--json"))
    assert list(found) == ["sequence", "context"]


def test_several_files_are_runs_in_the_order_given(likewise, project: Path) -> None:
    second, first = write(project / "a.jsonl", suite("late")), write(project / "b.jsonl", suite("early"))
    found = policies(likewise("simulate", first, second, "--policy", "sequence", "--json"))
    assert [run["run"] for run in found["sequence"]["runs"]] == ["early", "late"]


def test_a_missing_list_of_discrepant_operations_is_noted_and_means_any(likewise, project: Path) -> None:
    history = write(project / "h.jsonl", suite(0) + suite(1))
    result = likewise("simulate", history, "--policy", "api", "--json")
    assert "without --discrepant" in result.stderr
    assert policies(result)["api"]["saved"] == 0
    (project / "none.txt").write_text("\n  \n")
    result = likewise("simulate", history, "--policy", "api", "--discrepant", "none.txt", "--json")
    assert result.stderr == ""
    assert policies(result)["api"]["saved"] == 3


def test_har_files_are_one_run_each(likewise, project: Path) -> None:
    entries = [
        {
            "pageref": row["test"],
            "startedDateTime": f"2026-01-01T00:00:{row['seq']:02}Z",
            "time": 5,
            "request": {"method": row["request"]["method"], "url": row["request"]["url"], "headers": []},
            "response": {"status": row["response"]["status"], "headers": [], "content": {}},
        }
        for row in suite(0)
    ]
    log = {"log": {"pages": [{"id": "a", "title": "a"}, {"id": "b", "title": "b"}], "entries": entries}}
    for name, text in (("one.har", json.dumps(log)), ("two.har", "\ufeff" + json.dumps(log, indent=2))):
        (project / name).write_text(text, encoding="utf-8")
    found = policies(likewise("simulate", "one.har", "two.har", "--policy", "sequence", "--json"))
    assert [(run["run"], run["tests"]) for run in found["sequence"]["runs"]] == [("one", 2), ("two", 2)]


def test_recordings_of_the_workers_of_a_run_are_one_run(likewise, project: Path) -> None:
    for run, workers in (("r1", ("gw0", "gw1")), ("r2", ("main",))):
        for number, worker in enumerate(workers):
            path = project / ".likewise" / "recordings" / run / f"{worker}.jsonl"
            trace = Trace(test=f"t{number}", role=Role.CANDIDATE, interactions=(), world=worker)
            with RecordingWriter(path, Provenance(run=run)) as writer:
                writer.add(Redaction(trace=trace))
    found = policies(likewise("simulate", ".likewise/recordings", "--policy", "sequence", "--json"))
    assert [(run["run"], run["tests"]) for run in found["sequence"]["runs"]] == [("r1", 2), ("r2", 1)]


OPAQUE = {
    "r0": {"a": ["1", "2"], "b": ["3"]},
    "r1": {"a": ["1", "2"], "b": ["4"]},
    "r2": {"a": ["9"], "b": ["4"]},
}


@pytest.fixture
def opaque(project: Path) -> tuple[str, ...]:
    (project / "f.json").write_text(json.dumps(OPAQUE))
    (project / "a.json").write_text(json.dumps({"a": ["PutBlob"], "b": ["GetBlob"]}))
    (project / "d.txt").write_text("  PutBlob \n\n")
    return ("simulate", "--fingerprints", "f.json", "--apis", "a.json", "--discrepant", "d.txt", "--json")


def test_what_a_run_did_again_is_no_part_of_its_directory(likewise, project: Path) -> None:
    folder = project / "r1"
    (folder / RERUNS).mkdir(parents=True)
    write(folder / "main.jsonl", suite(0))
    write(folder / RERUNS / "candidate-1.jsonl", suite(0))
    found = policies(likewise("simulate", str(folder), "--policy", "sequence", "--json"))
    assert [(run["tests"], run["calls"]) for run in found["sequence"]["runs"]] == [(2, 3)]


def test_opaque_histories_are_counted_as_published(likewise, opaque: tuple[str, ...]) -> None:
    found = policies(likewise(*opaque))
    assert list(found) == ["api", "sequence", "combined"]
    assert [run["saved"] for run in found["api"]["runs"]] == [0, 1, 1], "b uses nothing discrepant"
    assert [run["saved"] for run in found["sequence"]["runs"]] == [0, 2, 1], "against the run before only"
    assert [run["saved"] for run in found["combined"]["runs"]] == [0, 3, 1]
    assert (found["combined"]["calls"], found["combined"]["saved"]) == (5, 4)


def test_a_test_that_the_list_of_apis_leaves_out_counts_as_published(
    likewise, project: Path, opaque: tuple[str, ...]
) -> None:
    (project / "a.json").write_text(json.dumps({"a": ["PutBlob"]}))
    result = likewise(*opaque)
    assert "does not list 1 of the tests ('b' …)" in result.stderr
    assert [run["saved"] for run in policies(result)["api"]["runs"]] == [0, 1, 1], "it is not on the list"
    assert [run["saved"] for run in policies(result)["combined"]["runs"]] == [0, 3, 1]


def test_opaque_histories_do_not_do_for_context(likewise, opaque: tuple[str, ...]) -> None:
    result = likewise(*opaque, "--policy", "context", exit_code=2)
    assert "--policy context needs the calls themselves" in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty", "", "it is empty"),
        ("text", "hello\n", "its first line is not JSON"),
        ("number", "1\n", "its first line is not an object"),
        ("object", '{"a": 1}\n', "not an exchange"),
        ("pretty", "{\n}\n", "not a HAR file"),
        ("newer", '{"likewise": "recording", "version": 999}\n', "format version 999"),
    ],
)
def test_what_is_no_history_is_refused_by_name(
    likewise, project: Path, name: str, content: str, said: str
) -> None:
    (project / name).write_text(content)
    result = likewise("simulate", name, exit_code=2)
    assert said in result.stderr
    assert name in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [(), ("--apis", "f.json", "f.json"), ("--fingerprints", "f.json", "f.json"), ("absent.jsonl",)],
)
def test_options_that_do_not_go_together_are_refused(
    likewise, project: Path, arguments: tuple[str, ...]
) -> None:
    (project / "f.json").write_text("{}")
    assert likewise("simulate", *arguments, exit_code=2).stdout == ""


def test_a_wrong_shape_of_fingerprints_is_refused(likewise, project: Path) -> None:
    (project / "f.json").write_text('{"r0": {"a": "12"}}')
    result = likewise("simulate", "--fingerprints", "f.json", exit_code=2)
    assert "test 'a' of run 'r0' is not a list of texts" in result.stderr


def test_people_get_a_table_with_runs_and_sums(likewise, project: Path) -> None:
    history = write(project / "h.jsonl", suite(0) + suite(1))
    text = likewise("simulate", history).stdout
    assert "without the first" in text
    assert "saved by combined" in text
