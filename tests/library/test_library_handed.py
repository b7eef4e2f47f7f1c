"""What builtins do with a library's objects crosses too; shared fixtures and endless texts harm nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from likewise.model import Interaction, Raised, Recording
from likewise.store import read

LIBRARY = """
class Never(Exception):
    def __str__(self):
        while True:
            pass

class Thing:
    def __repr__(self):
        return "Thing"

def __getattr__(name):
    if name == "Late":
        return Thing
    raise AttributeError(name)

def boom():
    raise Never(1)

def call(function):
    return function()

def start():
    return {"a": 1}

def stop(given):
    return None
"""
TESTS = '''
import things
import pytest

@pytest.fixture(scope="module")
def shared():
    held = things.start()
    yield held
    things.stop(held)

def test_endless(shared):
    with pytest.raises(things.Never):
        things.boom()

def test_containers(shared):
    held = [things.Thing(), things.Thing()]
    assert repr(held) == "[Thing, Thing]"
    assert f"{held}" == "[Thing, Thing]"
    assert "{}".format(held[0]) == "Thing"
    assert "%s" % (held[0],) == "Thing"
    assert len(sorted(held, key=repr)) == 2
    print(held[0])

def test_stubs():
    def nothing():
        """Only said."""
    def passing(): pass
    things.call(nothing)
    things.call(passing)

def test_module():
    assert getattr(things, "Late") is things.Thing
    assert things.Late is things.Thing
    made = type("Made", (things.Thing,), {"__module__": "things"})
    assert repr(made()) == "Thing"
'''


def run(root: Path, *options: str, pure: str = "") -> Recording:
    """Run the suite with the recorder; what it wrote."""
    (root / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly -p no:asyncio -p no:cacheprovider\n")
    (root / "installed").mkdir(exist_ok=True)
    (root / "installed" / "things.py").write_text(LIBRARY)
    (root / "test_things.py").write_text(TESTS)
    out = root / f"{len(list(root.glob('*.recording')))}.recording"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    path = os.pathsep.join([str(root / "installed"), *sys.path])
    watching = ["--likewise-library=things", f"--likewise-library-out={out}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *watching, *options],
        cwd=root,
        env=kept | {"PYTHONPATH": path, "LIKEWISE_PURE": pure},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "4 passed" in done.stdout, done.stdout + done.stderr
    return read(out)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """The suite with the usual helper."""
    return run(tmp_path_factory.mktemp("native"))


def of(recording: Recording, test: str) -> list[Interaction]:
    """The interactions of one test."""
    (trace,) = [trace for trace in recording.traces if trace.test.endswith(test)]
    return list(trace.interactions)


def names(recording: Recording, test: str) -> list[str]:
    """What one test used."""
    return [each.operation.name for each in of(recording, test)]


def test_an_exception_whose_text_never_ends_is_recorded_without_it(native: Recording) -> None:
    (raised,) = [each.outcome for each in of(native, "test_endless")]
    assert isinstance(raised, Raised)
    assert raised.message == "(no text: TooLong)"


def test_builtins_that_ask_objects_inside_containers_are_seen(native: Recording) -> None:
    shown = ["Thing.__repr__", "Thing.__repr__", "Thing.__format__", "Thing.__repr__"]
    by_key = ["Thing.__repr__", "Thing.__repr__"]
    assert names(native, "test_containers")[2:] == [*shown, *by_key, "Thing.__str__"]


def test_functions_without_a_body_are_callbacks_too(native: Recording) -> None:
    found = names(native, "test_stubs")
    assert [name.rpartition(".")[2] for name in found if name.startswith("callback")] == [
        "nothing",
        "passing",
    ]


def test_what_a_module_is_asked_for_is_read_and_a_made_class_bears_its_parents_name(
    native: Recording,
) -> None:
    assert names(native, "test_module") == ["Late", "Late", "Thing.__repr__"]


def test_both_helpers_record_the_same(native: Recording, tmp_path: Path) -> None:
    pure = run(tmp_path, pure="1")
    for test in ("test_endless", "test_containers", "test_stubs", "test_module"):
        assert of(pure, test) == of(native, test)


@pytest.mark.slow
def test_a_shared_fixture_has_a_trace_of_its_own_whichever_worker_made_it(tmp_path: Path) -> None:
    found = [trace.test for trace in run(tmp_path, "-n", "2").traces]
    assert found.count("(fixture) test_things.py::shared") == 1
    assert found.count("(fixture) test_things.py::shared (ends)") == 1
