"""The client does not notice the recorder, and nothing that a library does to it stops the suite."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from likewise.library import crossing, native
from likewise.library.crossing import Kind
from likewise.store import read

LIBRARY = """
import os
import sys
import warnings

def caller():
    return sys._getframe(1).f_code.co_name

def old():
    warnings.warn("old", DeprecationWarning, stacklevel=2)

def fail():
    raise ValueError("deep")

def recurse(function, depth):
    return depth if depth == 0 else function(depth - 1)

def identity(value):
    return value

def steps():
    try:
        yield 1
        yield 2
    finally:
        steps.closed = True

def patch():
    global identity
    identity = lambda value: ("patched", value)

def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitpid(child, 0)[1]

class Rude:
    def __repr__(self):
        raise RuntimeError("no text")
    def __eq__(self, other):
        raise RuntimeError("no comparison")
    __hash__ = None

class Error(Exception):
    def __str__(self):
        raise RuntimeError("no message")
"""

SUITE = """
import inspect, pickle, sys, threading, traceback, warnings
import lib
from lib import identity

def names():
    value = 1
    identity(value)
    return sorted(locals())

class Point:
    def __init__(self, x):
        self.x = x

def test_frames_and_warnings_are_the_clients():
    assert lib.caller() == "test_frames_and_warnings_are_the_clients"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        lib.old()
    assert seen[0].filename == __file__
    try:
        lib.fail()
    except ValueError as error:
        frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert frames == ["test_frames_and_warnings_are_the_clients", "fail"]

def test_identity_signatures_and_pickles():
    point = Point(1)
    assert identity(point) is point
    assert lib.identity is identity
    assert str(inspect.signature(identity)) == "(value)"
    assert pickle.loads(pickle.dumps(identity)) is identity
    assert pickle.loads(pickle.dumps(point)).x == 1
    assert "assert identity(point) is point" in inspect.getsource(test_identity_signatures_and_pickles)
    assert names() == ["value"]

def test_monkeypatching(monkeypatch):
    monkeypatch.setattr(lib, "caller", lambda: "mine")
    assert lib.caller() == "mine"

def test_recursion():
    def down(depth):
        return lib.recurse(down, depth)
    assert down(200) == 0
    def endless():
        return lib.identity(endless())
    try:
        endless()
    except RecursionError:
        pass

def test_threads():
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(identity(n))) for n in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(results) == list(range(8))

def test_abandoned():
    for each in lib.steps():
        break
    assert lib.steps.closed

def test_fork():
    assert lib.fork() == 0

def test_rude():
    rude = identity(lib.Rude())
    try:
        raise identity(lib.Error())
    except:
        pass

def test_many():
    total = 0
    for number in range(20_000):
        total += identity(1)
    assert total == 20_000

def test_a_library_that_patches_itself():
    lib.patch()
    assert lib.identity(1) == ("patched", 1)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:randomly -p no:asyncio -p no:cacheprovider\n"
    )
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "lib.py").write_text(LIBRARY)
    (tmp_path / "test_suite.py").write_text(SUITE)
    return tmp_path


def run(folder: Path, *options: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    path = os.pathsep.join([str(folder / "installed"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options],
        cwd=folder,
        env=kept | {"PYTHONPATH": path, "LIKEWISE_PURE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_suite_that_passes_passes_with_the_recorder(folder: Path) -> None:
    if native.load() is None:
        pytest.skip("there is no compiler here: the helpers in Python add a frame")
    said = run(folder, "--likewise-library=lib", "--likewise-library-out=a.recording")
    assert "10 passed" in said, said
    recording = read(folder / "a.recording")
    assert recording.complete
    traces = {trace.test.rpartition("::")[2]: trace for trace in recording.traces}
    many = [crossing.of(each) for each in traces["test_many"].interactions]
    assert sum(each.count for each in many) == 20_000
    assert len(many) < 100
    assert many[-1].kind is Kind.REST
    assert {each.operation.name for each in traces["test_rude"].interactions} >= {"Rude", "Error", "identity"}


@pytest.mark.slow
def test_workers_of_xdist_write_one_recording(folder: Path) -> None:
    one = run(folder, "--likewise-library=lib", "--likewise-library-out=one.recording")
    two = run(folder, "-n2", "--likewise-library=lib", "--likewise-library-out=two.recording")
    assert "10 passed" in one, one
    assert "10 passed" in two, two
    alone, spread = read(folder / "one.recording"), read(folder / "two.recording")
    assert {trace.test for trace in alone.traces} == {trace.test for trace in spread.traces}
    assert not (folder / "two.recording.parts").exists()
