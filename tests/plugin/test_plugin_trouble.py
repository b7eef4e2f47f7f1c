"""When things go wrong in the middle: interrupts, dying emulators, children that hang."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from plugin_suites import SERVED, Suite

from likewise.cloud.session import read_recording
from likewise.plugin import rerun
from likewise.plugin.rerun import TOO_LONG

pytest_plugins = ["pytester"]


def is_running(pid: int) -> bool:
    """Whether the process exists and is more than a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.server
@pytest.mark.slow
def test_ctrl_c_stops_the_server_and_keeps_what_was_recorded(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
import pathlib
import time

def test_one(pytestconfig):
    from likewise.plugin.enabled import SESSION
    boto3.client("s3").list_buckets()
    side = pytestconfig.stash[SESSION]._side
    pathlib.Path("pid").write_text(str(side.running[0].pid))

def test_two():
    boto3.client("s3").list_buckets()
    pathlib.Path("waiting").touch()
    time.sleep(60)
"""
    )
    with (suite.root / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "no:randomly", "--likewise"],
            cwd=suite.root,
            stdout=output,
            stderr=output,
        )
        deadline = time.monotonic() + 60
        while not (suite.root / "waiting").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 2
    assert not is_running(int((suite.root / "pid").read_text()))
    assert not suite.is_concluded
    assert "2 tests recorded, kept in .likewise/recordings/" in (suite.root / "output").read_text()
    recording = read_recording(suite.root.glob(".likewise/recordings/*/main.jsonl"))
    assert [(trace.test, trace.result.value) for trace in recording.traces] == [
        ("test_it.py::test_one", "passed"),
        ("test_it.py::test_two", "unfinished"),
    ]
    assert all(len(trace.interactions) == 1 for trace in recording.traces)


@pytest.mark.server
def test_an_emulator_that_dies_ends_the_run_with_the_reason(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
import os
import signal
import time

def test_one(pytestconfig):
    from likewise.plugin.enabled import SESSION
    os.kill(pytestconfig.stash[SESSION]._side.running[0].pid, signal.SIGKILL)
    time.sleep(0.3)

def test_two(): pass
def test_three(): pass
"""
    )
    result = suite.run("--likewise")
    assert result.ret == 2
    text = result.stdout.str()
    assert "moto 5.2.5 has ended in the middle of the run" in text
    assert "test_three" not in text
    assert "2 tests recorded, kept in" in text
    assert "Traceback" not in text


@pytest.mark.slow
def test_a_child_that_takes_too_long_is_interrupted_and_may_clean_up(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it="""
import pathlib
import sys
import time

import pytest

IS_CHILD = any("--likewise-child" in each for each in sys.argv)

@pytest.fixture
def thing():
    yield
    if IS_CHILD:
        pathlib.Path("cleaned").touch()

def test_one(): pass
def test_hangs(thing):
    if IS_CHILD:
        time.sleep(60)
"""
    )
    conftest = suite.root / "conftest.py"
    conftest.write_text(
        conftest.read_text()
        + "\nimport likewise.plugin.conclusion as c\nc.LEAST_SECONDS, c.SLOWER = 8.0, 0.0\n"
    )
    suite.order(reruns=[[["test_it.py::test_one", "test_it.py::test_hangs"], "candidate"]])
    result = suite.run("--likewise")
    assert "took longer than 8 s" in " ".join(result.stdout.str().split())
    assert (suite.root / "cleaned").exists()
    (found,) = suite.concluded["reruns"]
    assert [(each["test"], each["result"]) for each in found["traces"]] == [
        ("test_it.py::test_one", "passed"),
        ("test_it.py::test_hangs", "unfinished"),
    ]


def test_a_child_that_does_not_listen_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerun, "GRACE", 0.2)
    deaf = "import signal, sys, time; [signal.signal(s, signal.SIG_IGN) for s in (2, 15)]; print(1); "
    child = subprocess.Popen(
        [sys.executable, "-c", deaf + "sys.stdout.flush(); time.sleep(60)"], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    assert rerun._end(child) == TOO_LONG
    assert child.returncode == -signal.SIGKILL
    child.stdout.close()


def test_asyncio_timeout_and_random_order_go_together(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it="""
import asyncio
import time

import pytest

@pytest.mark.asyncio
async def test_async(): await asyncio.sleep(0)

@pytest.mark.timeout(0.5)
def test_slow(): time.sleep(30)

@pytest.mark.parametrize("n", range(5))
def test_many(n): pass
"""
    )
    result = suite.pytester.runpytest_subprocess("--likewise", "-p", "randomly", timeout=60)
    assert result.ret == 1
    found = {each["test"].partition("::")[2]: each["result"] for each in suite.concluded["traces"]}
    assert found == {"test_async": "passed", "test_slow": "failed"} | {
        f"test_many[{n}]": "passed" for n in range(5)
    }


def test_a_recording_that_cannot_be_written_is_one_message(suite: Suite) -> None:
    (suite.root / ".likewise").write_text("not a folder")
    suite.pytester.makepyfile(test_it="def test_it(): pass\n")
    result = suite.run("--likewise")
    text = result.stdout.str() + result.stderr.str()
    assert result.ret == 4
    assert "Traceback" not in text
    assert ".likewise" in text
