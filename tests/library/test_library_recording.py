"""`pytest --likewise-library`: what crosses is recorded, at the client's line, with its values."""

from __future__ import annotations

import os

import pytest

from likewise.library import crossing
from likewise.library.crossing import Kind
from likewise.model import Raised, Recording, Returned
from likewise.store import read

pytest_plugins = ["pytester"]

LIBRARY = """
LIMIT = 3

def double(value):
    return _times(value, 2)

def _times(value, factor):
    return value * factor

class Box:
    def __init__(self, size):
        self.size = size

    def grow(self, by):
        if by < 0:
            raise ValueError(f"cannot grow by {by}")
        self.size += by
        return self.size
"""


@pytest.fixture
def recorded(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Recording:
    pytester.makeini("[pytest]\naddopts = -p no:randomly -p no:asyncio\n")
    folder = pytester.mkdir("installed")
    (folder / "boxes.py").write_text(LIBRARY)
    pytester.makepyfile(
        client="""
        import boxes
        from boxes import double

        def use():
            box = boxes.Box(boxes.LIMIT)
            box.grow(double(2))
            return box.size

        def misuse():
            try:
                boxes.Box(1).grow(by=-1)
            except ValueError:
                return "refused"
        """,
        test_client="""
        import client

        def test_use():
            assert client.use() == 7

        def test_misuse():
            assert client.misuse() == "refused"
        """,
    )
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    done = pytester.runpytest_subprocess("--likewise-library=boxes", "--likewise-library-out=a.recording")
    done.assert_outcomes(passed=2)
    return read(pytester.path / "a.recording")


def test_calls_and_reads_are_recorded_in_order_and_inner_calls_are_not(recorded: Recording) -> None:
    trace = next(trace for trace in recorded.traces if trace.test == "test_client.py::test_use")
    seen = [
        (str(each.operation), crossing.of(each).kind, crossing.of(each).at) for each in trace.interactions
    ]
    assert seen == [
        ("boxes.LIMIT", Kind.READ, "client.py:5:20"),
        ("boxes.Box", Kind.CALL, "client.py:5:10"),
        ("boxes.double", Kind.CALL, "client.py:6:13"),
        ("boxes.Box.grow", Kind.CALL, "client.py:6:4"),
        ("boxes.Box.size", Kind.READ, "client.py:7:11"),
    ]
    assert trace.interactions[3].receiver == "Box#1"
    assert trace.interactions[3].arguments == {"0": 4}
    assert trace.interactions[4].outcome == Returned(value=7)


def test_an_exception_is_recorded_with_its_message(recorded: Recording) -> None:
    trace = next(trace for trace in recorded.traces if trace.test == "test_client.py::test_misuse")
    last = trace.interactions[-1]
    assert isinstance(last.outcome, Raised)
    assert (last.outcome.kind, last.outcome.message) == ("ValueError", "cannot grow by -1")
    assert last.arguments == {"by": -1}
