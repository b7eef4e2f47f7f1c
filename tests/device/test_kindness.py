"""What goes wrong around a board is said clearly, at the right step, and the run goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from likewise.device import Answered, Call, Controls, Limits, Program, Scenario, Step, Suite, i32, invoke
from likewise.device.cortex.compiling import CacheUnusable, compile_program
from likewise.device.cortex.core import CoreLost
from likewise.device.cortex.layout import Layout
from likewise.device.cortex.remote import Remote, frame
from likewise.device.fleet import Fleet
from likewise.device.inventory import Board
from likewise.device.links import Deadline, open_tcp, socket_folder
from likewise.device.micropython.boards import FIRMWARE
from likewise.device.results import Mark
from likewise.device.testee import Answer
from likewise.device.testees.cortex import CortexTestee
from likewise.model import Lost

SOURCE = Program(text="int one(void) { return 1; }", suffix=".c")
needs_compiler = pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="needs arm-none-eabi-gcc")
needs_qemu = pytest.mark.skipif(not shutil.which("qemu-system-arm"), reason="needs qemu-system-arm")


def remote_saying(*chunks: bytes) -> tuple[Remote, list[bytes]]:
    """A GDB server that says these bytes, whatever it is asked; and what it heard."""
    server = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def serve() -> None:
        connection, _ = server.accept()
        with connection, server, contextlib.suppress(OSError):  # a client that gave up
            for chunk in chunks:
                heard.append(connection.recv(1000))
                connection.sendall(chunk)
            heard.append(connection.recv(1000))

    threading.Thread(target=serve, daemon=True).start()
    return Remote(open_tcp("127.0.0.1", server.getsockname()[1], Deadline(10))), heard


def test_garbage_and_half_packets_on_the_link() -> None:
    remote, _ = remote_saying(b"\xff\x00noise+$half" + frame(b"OK"))
    assert remote.ask(b"?", Deadline(10)) == b"OK"
    assert remote.garbage > 0
    remote.close()


def test_a_damaged_packet_is_asked_for_again() -> None:
    remote, heard = remote_saying(b"+$OK#00", frame(b"OK"))
    assert remote.ask(b"m0,2", Deadline(10)) == b"OK"
    assert heard[1] == b"-"
    assert remote.damaged == 1
    remote.close()


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 4000])
def test_a_packet_ends_with_the_sum_of_its_bytes(size: int) -> None:
    payload = bytes(range(128, 256)) * (size // 128 + 1)
    assert frame(payload[:size])[-2:] == b"%02x" % (sum(payload[:size]) & 0xFF)
    assert frame(b"\xff" * size)[-2:] == b"%02x" % (255 * size & 0xFF)


def test_a_link_that_only_damages_is_lost_not_endless() -> None:
    remote, _ = remote_saying(*[b"$OK#00"] * 8)
    with pytest.raises(CoreLost, match="damaged"):
        remote.ask(b"m0,2", Deadline(10))
    remote.close()


def test_run_lengths_and_escapes_are_undone() -> None:
    remote, _ = remote_saying(frame(b"0* 7}\x03"))
    assert remote.ask(b"m0,2", Deadline(10)) == b"00007#"
    remote.close()


@needs_compiler
def test_a_full_disk_in_the_cache_costs_time_not_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_CACHE", "/proc/nowhere")
    with pytest.warns(CacheUnusable, match="cannot be kept"):
        assert compile_program(SOURCE, Layout(), 60)[:4] == b"\x7fELF"


@needs_compiler
def test_what_was_compiled_is_found_again_and_a_changed_header_is_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "p.c").write_text('#include "h.h"\nint f(void) { return N; }')
    (tmp_path / "h.h").write_text("#define N 1")
    program = Program(path=tmp_path / "p.c")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = compile_program(program, Layout(), 60)
        assert compile_program(program, Layout(), 60) == first
        kept = list((tmp_path / "cache").rglob("*.elf"))
        assert len(kept) == 1
        (tmp_path / "h.h").write_text("#define N 2")
        assert compile_program(program, Layout(), 60) != first


@needs_compiler
@needs_qemu
@pytest.mark.server
def test_a_killed_qemu_is_at_its_step_and_the_next_scenario_runs() -> None:
    opened: list[CortexTestee] = []

    def open_board(board: Board) -> CortexTestee:
        testee = board.open()
        assert isinstance(testee, CortexTestee)
        opened.append(testee)
        return testee

    def kill(testee: Controls) -> None:
        os.kill(opened[0]._rig.pid, signal.SIGKILL)  # type: ignore[attr-defined]

    suite = Suite(
        scenarios=[
            Scenario(
                "dies", SOURCE, [Step("kill", kill), Step("one", invoke("one")), Step("two", invoke("one"))]
            ),
            Scenario("lives", SOURCE, [Step("one", invoke("one"), expect=i32(1))]),
        ]
    )
    report = Fleet(suite, [Board(name="q", kind="qemu", exclusive=False)], open_testee=open_board).run()
    assert [each.mark for each in report.scenarios] == [Mark.FAILED, Mark.PASSED]
    notes = report.scenarios[0].notes
    assert (notes[0].title, notes[0].mark) == ("one", Mark.FAILED)
    assert "SIGKILL" in notes[0].why
    assert opened[0]._rig.pid == 0, "nothing is left running"  # type: ignore[attr-defined]


@needs_compiler
@needs_qemu
@pytest.mark.server
def test_what_was_answered_before_a_qemu_died_in_the_midst_of_many_calls_stays_answered() -> None:
    testee = Board(name="q", kind="qemu", exclusive=False).open()
    assert isinstance(testee, CortexTestee)
    adds = Program(text="int add(int a, int b) { return a + b; }", suffix=".c")
    try:
        testee.connect(Limits())
        testee.upload(adds, Limits())
        answers: list[Answer] = []
        while len(answers) < 5000:
            answers += testee.execute([Call(invoke("add", n, 1), 5.0) for n in range(len(answers), 10_000)])
        threading.Timer(0.002, os.kill, (testee._rig.pid, signal.SIGKILL)).start()  # type: ignore[attr-defined]
        while isinstance(answers[-1], Answered):
            at = len(answers)
            answers += testee.execute([Call(invoke("add", n, 1), 5.0) for n in range(at, at + 2048)])
    finally:
        testee.close()
    assert isinstance(answers.pop(), Lost)
    assert answers == [Answered(data=i32(n + 1)) for n in range(len(answers))]


HOLDS = """
import sys, time
from likewise.device import Limits, Program
from likewise.device.inventory import Board
testee = Board(name="q", kind=sys.argv[1], exclusive=False).open()
testee.connect(Limits())
if sys.argv[1] == "qemu":
    testee.upload(Program(text="int one(void) { return 1; }", suffix=".c"), Limits())
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder that sockets can be in, however deep pytest's own are."""
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        yield Path(folder)


def test_sockets_are_elsewhere_where_temporary_files_have_long_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("a" * 60) / ("b" * 60)
    deep.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    folder = socket_folder("likewise-test-")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(str(folder / "console"))
    shutil.rmtree(folder)
    assert not list(deep.iterdir())


@needs_compiler
@needs_qemu
@pytest.mark.server
@pytest.mark.parametrize("kind", ["qemu", "microbit"])
def test_a_killed_runner_leaves_no_qemu_running(kind: str, short_path: Path) -> None:
    if kind == "microbit" and not FIRMWARE.exists():
        pytest.skip("needs firmware-microbit-micropython")
    environment = os.environ | {"TMPDIR": str(short_path)}
    runner = subprocess.Popen([sys.executable, "-c", HOLDS, kind], env=environment, stdout=subprocess.PIPE)
    assert runner.stdout is not None
    assert runner.stdout.readline() == b"held\n"
    assert commands_with(str(short_path))
    runner.kill()
    runner.communicate()
    for _ in range(1000):
        if not commands_with(str(short_path)):
            return
        time.sleep(0.02)
    raise AssertionError("QEMU still runs")


def commands_with(text: str) -> list[str]:
    """The command lines of running processes that name a text; one that has ended has none."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = each.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if text in line:
                found.append(line)
    return found
