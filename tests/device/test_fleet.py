"""Boards at work: uploads, resets, recovery, sharing, locks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from scripted import Scripted, run

from likewise.device import (
    Answered,
    Command,
    Controls,
    DeviceError,
    LinkLost,
    Lost,
    ProgramRefused,
    Scenario,
    Step,
    Suite,
    i32,
    invoke,
)
from likewise.device.inventory import read_inventory
from likewise.device.junit import JunitWriter
from likewise.device.locks import BoardLock
from likewise.device.recording import PART, TraceRecorder, recorders
from likewise.device.results import Mark
from likewise.device.summary import as_data
from likewise.device.testee import Answer, LimitReached
from likewise.model import ConfigurationError, Result, Role, Trace
from likewise.store import read

FINE = [Step("fine", invoke("f"))]


def test_the_same_program_is_reset_not_uploaded() -> None:
    testee = Scripted()
    scenarios = [Scenario(title, "a.c", FINE) for title in "xyz"]
    assert run(scenarios, testee).uploads == 1
    assert testee.log.count("reset") == 2
    assert testee.log[-1] == "close"


def test_a_program_that_is_refused_fails_its_scenarios_and_the_rest_goes_on() -> None:
    testee = Scripted()
    testee.refuses["bad.c"] = ProgramRefused("the program does not compile", where="bad.c", why="line 1")
    report = run(
        [Scenario("one", "bad.c", FINE), Scenario("two", "bad.c", FINE), Scenario("three", "good.c", FINE)],
        testee,
    )
    assert {each.title: each.mark for each in report.scenarios} == {
        "one": Mark.FAILED,
        "two": Mark.FAILED,
        "three": Mark.PASSED,
    }
    assert testee.uploads.count("bad.c") == 1, "it is not compiled again"
    assert "bad.c: the program does not compile (line 1)" in report.scenarios[0].notes[0].why


def test_an_upload_that_takes_too_long_is_named() -> None:
    testee = Scripted()
    testee.refuses["a.c"] = LimitReached("upload", after=30.0, where="board")
    report = run([Scenario("slow", "a.c", FINE)], testee)
    assert report.scenarios[0].mark is Mark.TIMED_OUT
    assert "upload a.c on board: board: no upload within 30 s" in report.scenarios[0].notes[0].why


def test_a_board_that_cannot_be_recovered_leaves_its_work_to_the_others() -> None:
    broken = Scripted("broken", f=Lost(reason="unplugged"))
    broken.recovery = DeviceError("nothing helps", where="broken")
    slow = Scripted("good", f=lambda: (time.sleep(0.05), Answered())[1])
    report = run([Scenario(str(n), "a.c", FINE) for n in range(6)], broken, slow, share=True)
    marks = report.marks
    assert (marks[Mark.FAILED], marks[Mark.PASSED]) == (1, 5)
    assert any("could not be recovered" in each for each in report.problems)
    assert broken.log[-1] == "close"


def test_without_any_board_left_the_rest_is_skipped_with_the_cause() -> None:
    testee = Scripted(f=Lost(reason="unplugged"))
    testee.recovery = LinkLost("gone", where="board")
    report = run([Scenario("one", "a.c", FINE), Scenario("two", "a.c", FINE)], testee)
    assert [each.mark for each in report.scenarios] == [Mark.FAILED, Mark.SKIPPED]
    assert report.scenarios[1].cause == "no board was left to run it on"
    assert not report.passed


def test_a_board_that_cannot_be_connected_to_fails_the_run() -> None:
    testee = Scripted()
    testee.connection = LinkLost("the serial port cannot be opened", where="board")
    report = run([Scenario("one", "a.c", FINE)], testee)
    assert "serial port cannot be opened" in report.scenarios[0].notes[0].why
    assert not report.passed


def test_every_scenario_on_every_board_or_shared_out() -> None:
    scenarios = [Scenario(str(n), "a.c", FINE) for n in range(4)]
    each = run(scenarios, Scripted("a"), Scripted("b"))
    assert len(each.scenarios) == 8
    shared = run(scenarios, Scripted("a"), Scripted("b"), share=True)
    assert sorted(report.title for report in shared.scenarios) == list("0123")


def test_no_board_is_idle_while_work_is_ready() -> None:
    """Two boards meet: each waits inside a step until the other one is inside one, too."""
    meeting = threading.Barrier(2, timeout=20)

    def meet() -> Answered:
        meeting.wait()
        return Answered()

    scenarios = [Scenario(str(n), "a.c", FINE) for n in range(4)]
    report = run(scenarios, Scripted("a", f=meet), Scripted("b", f=meet), share=True)
    assert report.passed


def test_dependencies_are_respected_across_boards() -> None:
    order: list[str] = []

    def noting(title: str) -> Step:
        return Step("note", lambda testee: order.append(title))

    chain = [Scenario("0", "a.c", [noting("0")])]
    chain += [Scenario(str(n), "ab"[n % 2], [noting(str(n))], depends_on=[str(n - 1)]) for n in range(1, 8)]
    report = run(chain, Scripted("a"), Scripted("b"), share=True)
    assert report.passed
    assert order == [str(n) for n in range(8)]


def test_a_batch_gives_the_same_verdicts_as_single_steps() -> None:
    steps = [Step(str(n), invoke("f"), expect=i32(1 if n != 5 else 2)) for n in range(10)]
    for batch in (1, 3, 100):
        report = run([Scenario("s", "a.c", steps)], Scripted(batch=batch, f=Answered(data=i32(1))))
        assert [note.step for note in report.scenarios[0].notes] == [5]
        assert report.steps == {Mark.PASSED: 9, Mark.FAILED: 1}


def test_a_board_is_locked_across_processes(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from likewise.device.locks import BoardLock\n"
            "lock = BoardLock('b', folder=Path(sys.argv[1])); lock.acquire(1); print('ok', flush=True)\n"
            "input(); print(lock.is_wanted, flush=True); input()",
            str(tmp_path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    try:
        assert holder.stdout.readline() == "ok\n"
        lock = BoardLock("b", folder=tmp_path)
        with pytest.raises(LimitReached, match=f"process {holder.pid} has it"):
            lock.acquire(0.05)
        waiting = threading.Thread(target=lock.acquire, args=(60,))
        waiting.start()
        time.sleep(0.1)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "True\n", "the holder hears that somebody waits"
    finally:
        holder.kill()
        holder.wait()
    waiting.join(60)
    assert not waiting.is_alive(), "the system lets go of a lock when its process ends"
    lock.release()


def test_the_inventory_names_what_is_wrong_with_it(tmp_path: Path) -> None:
    boards = read_inventory(
        {"b": {"kind": "qemu", "machine": "microbit", "role": "reference"}}, root=tmp_path
    )
    assert boards.choose(["b"])[0].exclusive is False
    assert boards.choose([])[0].name == "b"
    with pytest.raises(ConfigurationError, match="Known boards: b, unicorn"):
        boards.choose(["c"])
    for wrong, said in (
        ({"machine": "x"}, "needs a kind"),
        ({"kind": "qemu", "limits": {"stp": 1}}, "unknown limit 'stp'"),
        ({"kind": "qemu", "role": "judge"}, "wrong role"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            read_inventory({"b": wrong}, root=tmp_path)
    wrong_option = read_inventory({"b": {"kind": "unicorn", "ramsize": 1}}, root=tmp_path).choose(["b"])[0]
    with pytest.raises(ConfigurationError, match="unknown option 'ramsize'"):
        wrong_option.open()


def test_what_had_to_be_sent_again_is_counted_and_shown(tmp_path: Path) -> None:
    from defusedxml.ElementTree import parse

    class Lossy(Scripted):
        retries = 0

        def _answer(self, command: Command) -> Answer:
            self.retries += 2
            return super()._answer(command)

    writer = JunitWriter(tmp_path / "out.xml")
    suite = Suite(scenarios=[Scenario("one", "a.c", FINE), Scenario("two", "a.c", [*FINE, *FINE])])
    report = run(suite, Lossy(), observer=writer)
    assert [each.retries for each in report.scenarios] == [2, 4]
    data = as_data(report)
    assert data["retries"] == 6
    assert data["results"][1]["attempts"][0]["retries"] == 4
    with writer:
        writer.close_suite(report)
    found = parse(tmp_path / "out.xml").getroot().findall(".//property[@name='likewise.retries']")
    assert [each.get("value") for each in found] == ["2", "4"]


def test_an_interrupted_run_keeps_what_was_done_and_lets_go_of_the_board() -> None:
    """The step under way ends, later ones are skipped, and no thread is left at the board."""
    kept: list[Trace] = []
    testee = Scripted()

    def interrupt(controls: Controls) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)

    steps = [*FINE, Step("interrupted", interrupt), *FINE, *FINE]
    suite = Suite(scenarios=[Scenario("one", "a.c", steps), Scenario("two", "a.c", FINE)])
    report = run(
        suite,
        testee,
        recorder_for=lambda each: TraceRecorder(each.name, Role.CANDIDATE, "suite.py", kept.append),
    )
    assert not report.complete
    assert {each.title: each.mark for each in report.scenarios} == {"one": "skipped", "two": "skipped"}
    assert report.steps == {Mark.PASSED: 2, Mark.SKIPPED: 3}
    assert testee.log[-1] == "close"
    assert [(len(each.interactions), each.result) for each in kept] == [(3, Result.SKIPPED)]


def test_a_recorded_scenario_is_written_as_it_goes_and_read_as_one(tmp_path: Path) -> None:
    """No more than a part of its steps is ever held in memory."""
    path = tmp_path / "run.jsonl"
    held: list[int] = []
    count = 3 * PART + 5

    def look(controls: Controls) -> None:
        held.append(path.read_bytes().count(b"\n") - 1)

    steps = [
        Step("look" if n % PART == 0 else "fine", look if n % PART == 0 else FINE[0].do) for n in range(count)
    ]
    with recorders(path, suite=tmp_path / "suite.py") as recorder_for:
        assert recorder_for is not None
        report = run(Suite(scenarios=[Scenario("long", "a.c", steps)]), Scripted(), recorder_for=recorder_for)
    assert report.steps == {Mark.PASSED: count}
    assert held == [0, 1, 2, 3]
    (trace,) = read(path).traces
    assert [call.order for call in trace.interactions] == list(range(len(trace.interactions)))
    assert len(trace.interactions) >= count
    assert trace.result is Result.PASSED


def test_two_suites_of_a_file_are_in_one_recording_and_one_junit_file(tmp_path: Path) -> None:
    """Also where a board is named twice, and `--only` wants something of one of them."""
    from click.testing import CliRunner
    from defusedxml.ElementTree import parse

    from likewise.cli.device import device

    file = tmp_path / "two.py"
    file.write_text(
        "from likewise.device import Scenario, Step, Suite\n"
        "def suite(*titles):\n"
        "    return Suite(title=titles[0], scenarios=[\n"
        "        Scenario(t, None, [Step('s', lambda testee: 3, expect=3)]) for t in titles])\n"
        "first, second = suite('ä', 'b'), suite('c')\n"
    )
    out, record = tmp_path / "out.xml", tmp_path / "run.jsonl"
    options = [*("--board", "unicorn") * 2, "--junit", str(out), "--record", str(record)]
    done = CliRunner().invoke(device, ["run", str(file), *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert [each.get("tests") for each in parse(out).getroot()] == ["2", "1"]
    assert len(read(record).traces) == 3
    only = CliRunner().invoke(device, ["run", str(file), "--only", "c", "--json"], catch_exceptions=False)
    assert [each["scenario"] for each in json.loads(only.output)["results"]] == ["c"]


def test_junit_has_every_step_and_every_attempt(tmp_path: Path) -> None:
    from defusedxml.ElementTree import parse

    writer = JunitWriter(tmp_path / "out.xml")
    suite = Suite(
        scenarios=[
            Scenario("bad \x00", "a.c", [Step("one", invoke("f"), expect=2), Step("two", invoke("f"))]),
            Scenario("after", "a.c", FINE, depends_on=["bad \x00"]),
        ]
    )
    report = run(suite, Scripted(f=Answered(data=i32(1))), observer=writer)
    with writer:
        writer.close_suite(report)
    root = parse(tmp_path / "out.xml").getroot().find("testsuite")
    assert {key: root.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "2",
        "failures": "1",
        "skipped": "1",
    }
    bad, after = root.findall("testcase")
    assert "FAILED      one: expected 2, is i32 1" in bad.find("system-out").text
    assert "passed      two" in bad.find("system-out").text
    assert "depends on" in after.find("skipped").get("message")


def test_a_run_that_cannot_begin_leaves_no_recording_and_names_the_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from likewise.cli.device import device

    file, record = tmp_path / "suite.py", tmp_path / "run.jsonl"
    file.write_text("from likewise.device import Scenario, Step\n\none = Scenario('a', None, undefined)\n")
    wrong = CliRunner().invoke(device, ["run", str(file), "--record", str(record), "--board", "unicorn"])
    assert f"{file}:3" in str(wrong.exception)
    file.write_text(
        "from likewise.device import Scenario, Step\none = Scenario('a', None, [Step('s', print)])\n"
    )
    unknown = CliRunner().invoke(device, ["run", str(file), "--record", str(record), "--board", "nowhere"])
    assert "unknown board 'nowhere'" in str(unknown.exception)
    assert not record.exists()
