"""Everything that crosses is recorded once, in the client's order, by both helpers alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest
from library_clients import CLIENT, ELSEWHERE, LIBRARY, TESTS, USES

from likewise.library import crossing, native
from likewise.library.crossing import Kind
from likewise.model import Interaction, Lost, Raised, Recording, Returned
from likewise.store import read

OPERATORS = ",setitem,delitem,radd,add,radd,neg,len,contains,contains,getitem,,eq"
"""What `operators` of the client asks of a box, which it makes first."""
Record = Callable[[bool], Recording]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Run the client's tests with one of the helpers, once for each."""
    root = tmp_path_factory.mktemp("client")
    (root / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly -p no:asyncio -p no:cacheprovider\n")
    (root / "installed").mkdir()
    (root / "installed" / "boxes.py").write_text(LIBRARY)
    others = tmp_path_factory.mktemp("others")
    (others / "elsewhere.py").write_text(ELSEWHERE)
    (root / "client.py").write_text(CLIENT)
    (root / "test_client.py").write_text(TESTS)
    path = os.pathsep.join([str(root / "installed"), str(others), *sys.path])

    @cache
    def run(is_pure: bool) -> Recording:
        name = f"{'pure' if is_pure else 'native'}.recording"
        options = ["-q", "--likewise-library=boxes", f"--likewise-library-out={name}"]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options],
            cwd=root,
            env=kept | {"PYTHONPATH": path, "LIKEWISE_PURE": "1" if is_pure else ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"{len(USES) + 1} passed" in done.stdout, done.stdout + done.stderr
        return read(root / name)

    return run


def of(recording: Recording, test: str) -> list[Interaction]:
    """The interactions of one test."""
    (trace,) = [trace for trace in recording.traces if trace.test == test]
    return list(trace.interactions)


def shown(interactions: list[Interaction]) -> list[tuple[str, str, object]]:
    """Kind, operation and outcome of each."""
    return [
        (
            crossing.of(each).kind.value,
            each.operation.name,
            each.outcome.value if isinstance(each.outcome, Returned) else type(each.outcome).__name__,
        )
        for each in interactions
    ]


def named(recording: Recording, test: str) -> list[tuple[str, str]]:
    """Kind and operation of each interaction of a test of the client."""
    return [(kind, name) for kind, name, _ in shown(of(recording, f"test_client.py::test_{test}"))]


def test_both_helpers_record_the_same(record: Record) -> None:
    if native.load() is None:
        pytest.skip("there is no compiler here")
    compiled, pure = record(False), record(True)
    tests = {trace.test for trace in compiled.traces}
    assert tests == {trace.test for trace in pure.traces}
    for test in sorted(tests):
        assert of(compiled, test) == of(pure, test), test


def test_every_kind_of_use_is_seen(record: Record) -> None:
    recording = record(False)
    assert named(recording, "functions") == [("call", "double")] * 4
    assert named(recording, "higher_order") == [("call", "double")] * 4
    assert named(recording, "methods") == [
        ("call", "Box.of"),
        ("read", "Box.first"),
        ("call", "Box.weight"),
        ("call", "Box"),
        ("call", "Box.__call__"),
    ]
    assert named(recording, "operators") == [
        ("call", f"Box.__{name}__" if name else "Box") for name in OPERATORS.split(",")
    ]
    reads = named(recording, "attributes")
    assert reads[:4] == [
        ("call", "Box"),
        ("store", "Box.label"),
        ("delete", "Box.label"),
        ("read", "Box.first"),
    ]
    assert {("read", "Box.kind"), ("read", "LIMIT"), ("read", "Box.label (exists)")} <= set(reads)
    assert named(recording, "contexts") == [
        ("call", "Box"),
        ("call", "Box.__enter__"),
        ("call", "opened"),
        ("call", "opened.__enter__"),
        ("call", "opened.__exit__"),
        ("call", "Box.__exit__"),
        ("call", "Box"),
        ("call", "Box.__enter__"),
        ("call", "Box.__exit__"),
    ]
    assert named(recording, "decorated")[0] == ("call", "deco.<locals>.wrapper")
    steps = [name for kind, name in named(recording, "asynchronous") if kind == "item"]
    assert [steps.count(name) for name in ("fetch", "stream")] == [3, 2]


def test_items_of_generators_and_iterables_are_crossings(record: Record) -> None:
    recording = record(False)
    seen = shown(of(recording, "test_client.py::test_generators"))
    assert [value for kind, name, value in seen if (kind, name) == ("item", "count")] == [0, 1, 2, 0, 0, 1]
    loops = [kind for kind, name, _ in shown(of(recording, "test_client.py::test_loops")) if "iter" in name]
    assert loops == ["item"] * 10


def test_callbacks_and_overrides_are_seen_from_the_client(record: Record) -> None:
    recording = record(False)
    seen = shown(of(recording, "test_client.py::test_callbacks"))
    calls = [(name.rpartition(".")[2], value) for kind, name, value in seen if kind == "callback"]
    assert calls[:3] == [("mine", 3), ("<lambda>", 6), ("failing", "Raised")]
    assert ("<lambda>", 7) in calls, "called in a thread of the library's"
    assert [value for kind, _, value in seen if kind == "yield"] == [1, 2]
    overriding = shown(of(recording, "test_client.py::test_subclass"))
    assert ("callback", "callback Crate.changed", None) in overriding
    assert ("call", "Box.__init__", None) in overriding


def test_callbacks_count_also_where_the_client_called_nothing_of_the_library(record: Record) -> None:
    recording = record(False)
    assert ("callback", "callback Options.__init__") in [
        (kind, name.replace("made.<locals>.", "")) for kind, name in named(recording, "made")
    ]
    assert named(recording, "by_others") == [("callback", "callback by_others.<locals>.<lambda>")]


def test_time_zones_are_asked_by_dates_and_times(record: Record) -> None:
    calls = [name for _, name in named(record(False), "zones") if name != "Zone"]
    assert calls == ["Zone.fromutc", "Zone.fromutc", "Zone.utcoffset", "Zone.tzname"]


def test_what_destructors_do_is_nobodys_doing(record: Record) -> None:
    calls = [name for _, name in named(record(False), "destructors")]
    assert calls == ["Box", "apply", "Box", "Box.first", "double"]


def test_what_a_call_changed_and_what_it_left_is_noted(record: Record) -> None:
    recording = record(False)
    (fill,) = of(recording, "test_client.py::test_mutated")
    assert fill.arguments == {"0": []}
    assert crossing.of(fill).after == {"0": ["filled"]}
    told = {each.operation.name: each for each in of(recording, "test_client.py::test_subclass")}
    assert crossing.of(told["Box.put"]).state == {"items": [1, 2], "label": "plain", "seen": 1}


def test_exceptions_keep_their_message_and_nothing_is_lost(record: Record) -> None:
    recording = record(False)
    raised = [each.outcome for each in of(recording, "test_client.py::test_errors")]
    assert [each.message for each in raised if isinstance(each, Raised)] == [
        "list index out of range",
        "module 'boxes' has no attribute 'missing'",
    ]
    every = [each for trace in recording.traces for each in trace.interactions]
    assert not [each for each in every if isinstance(each.outcome, Lost)]
    assert not [each for each in every if "_times" in each.operation.name], "an inner call"
    assert Kind.REST not in {crossing.of(each).kind for each in every}
