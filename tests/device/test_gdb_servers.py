"""The same client on servers that can do more and less; they complain where they are asked too much."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from gdbstub import Knows, Stub

from likewise.device import (
    Answered,
    Call,
    Command,
    Controls,
    Limits,
    Program,
    Refused,
    Scenario,
    Step,
    Suite,
    Testee,
    TimedOut,
    dump_locals,
    i32,
    invoke,
    resume,
    run_until,
    set_breakpoint,
    set_local,
    step_over,
    wait_for_breakpoint,
)
from likewise.device.cortex.compiling import load_image
from likewise.device.cortex.layout import Layout
from likewise.device.cortex.remote import Remote, frame
from likewise.device.cortex.remotecore import RemoteCore
from likewise.device.fleet import Fleet
from likewise.device.inventory import Board
from likewise.device.links import Deadline
from likewise.device.results import Mark
from likewise.device.testee import DeviceError

pytestmark = pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="needs arm-none-eabi-gcc")
LIMITS = Limits(step=20, connect=20, upload=60, reset=20, recover=20)
PROGRAM = Program(
    text="""
int counter = 5;
int add(int a, int b) { return a + b; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int many(int a, int b, int c, int d, int e, int f) {
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * f))));
}
int count(void) { return ++counter; }
int hang(void) { for (;;) {} }
int main(void) {
    int n = 1;
    n = add(n, 2);
    counter = n;
    for (;;) {}
}
""",
    suffix=".c",
    name="servers.c",
)
SERVERS = {
    "nothing but the least": Knows(),
    "the registers of the first servers": Knows(old_registers=True),
    "one register at a time": Knows(all_registers=False, one_register=True),
    "no breakpoints": Knows(breakpoints=False),
    "small packets": Knows(features=b"PacketSize=a0", packet=0xA0),
    "loses what comes too early": Knows(reads_on=False, one_register=True),
    "everything": Knows(
        features=b"PacketSize=1000;QStartNoAckMode+;qXfer:features:read+",
        vcont=True,
        binary=True,
        one_register=True,
        packet=0x1000,
    ),
    "another reset": Knows(reset=b"system_reset"),
}


@pytest.fixture(params=SERVERS.values(), ids=SERVERS.keys())
def stub(request: pytest.FixtureRequest) -> Iterator[Stub]:
    server = Stub(request.param).start()
    yield server
    server.close()
    assert not server.complaints


@pytest.fixture
def testee(stub: Stub) -> Iterator[Testee]:
    found = attached(stub.address)
    found.connect(LIMITS)
    found.upload(PROGRAM, LIMITS)
    yield found
    found.close()


def attached(address: str, **options: object) -> Testee:
    return Board(name="bench", kind="gdb", exclusive=False, options={"address": address, **options}).open()


def do(testee: Testee, command: Command, limit: float = 20.0) -> object:
    (answer,) = testee.execute([Call(command, limit)])
    return answer.data if isinstance(answer, Answered) else answer


def test_calls_alone_with_memory_on_the_stack_and_many_together(testee: Testee) -> None:
    assert do(testee, invoke("add", 3, 4)) == i32(7)
    assert do(testee, invoke("many", 1, 2, 3, 4, 5, 6)) == i32(654321)
    found = do(testee, invoke("sum", list(range(100)), 100))
    assert isinstance(found, dict)
    assert found["result"] == i32(4950)
    calls = [Call(invoke("add", n, 1), 20.0) for n in range(60)]
    answers: list[object] = []
    while len(answers) < len(calls):
        answers += testee.execute(calls[len(answers) :])
    assert answers == [Answered(data=i32(n + 1)) for n in range(60)]


def test_breakpoints_steps_locals_and_a_call_in_between(testee: Testee) -> None:
    found = do(testee, run_until("add"))
    assert isinstance(found, dict)
    assert found["function"] == "add"
    assert do(testee, invoke("add", 30, 4)) == i32(34)
    assert do(testee, dump_locals()) == {"a": i32(1), "b": i32(2)}, "the call left the program as it was"
    do(testee, set_local("b", 40))
    do(testee, set_breakpoint("servers.c:13"))
    do(testee, resume())
    found = do(testee, wait_for_breakpoint())
    assert isinstance(found, dict)
    assert (found["function"], found["line"]) == ("main", 13)
    assert do(testee, dump_locals()) == {"n": i32(41)}
    found = do(testee, step_over())
    assert isinstance(found, dict)
    assert found["line"] == 14
    assert do(testee, invoke("count")) == i32(42)


def test_a_hang_is_stopped_and_a_reset_begins_anew(testee: Testee, stub: Stub) -> None:
    assert do(testee, invoke("count")) == i32(6)
    assert do(testee, invoke("hang"), 0.05) == TimedOut(after=0.05)
    testee.recover(LIMITS)
    before = stub.resets
    testee.reset(LIMITS)
    assert stub.resets == before + 1
    assert do(testee, invoke("count")) == i32(6)


def test_a_reset_that_did_nothing_is_no_reset() -> None:
    server = Stub(Knows(reset=b"restart")).start()
    testee = attached(server.address)
    testee.connect(LIMITS)
    with pytest.raises(DeviceError, match=r"does not reset the processor.*'reset halt' did nothing"):
        testee.upload(PROGRAM, LIMITS)
    testee.close()
    testee = attached(server.address, reset="restart")
    testee.connect(LIMITS)
    testee.upload(PROGRAM, LIMITS)
    assert do(testee, invoke("add", 3, 4)) == i32(7)
    testee.close()
    server.close()


def test_a_server_that_dies_is_at_its_step_and_is_reached_again() -> None:
    server = Stub(Knows()).start()

    def hang_up(_: Controls) -> None:
        server.hang_up()

    suite = Suite(
        scenarios=[
            Scenario("dies", PROGRAM, [Step("hang up", hang_up), Step("add", invoke("add", 1, 2))]),
            Scenario("lives", PROGRAM, [Step("add", invoke("add", 1, 2), expect=i32(3))]),
        ],
        limits=LIMITS,
    )
    board = Board(name="bench", kind="gdb", exclusive=False, options={"address": server.address})
    report = Fleet(suite, [board]).run()
    server.close()
    assert [each.mark for each in report.scenarios] == [Mark.FAILED, Mark.PASSED]
    assert report.scenarios[0].notes[0].title == "add"
    assert not server.complaints


def test_a_server_that_cannot_change_registers_is_refused_when_it_is_reached() -> None:
    server = Stub(Knows(all_registers=False)).start()
    with pytest.raises(DeviceError, match="the registers cannot be changed"):
        attached(server.address).connect(LIMITS)
    server.close()


@pytest.mark.server
@pytest.mark.skipif(not shutil.which("qemu-system-arm"), reason="needs qemu-system-arm")
def test_a_qemu_that_somebody_started(tmp_path: Path) -> None:
    program = tmp_path / "program.elf"
    program.write_bytes(load_image(PROGRAM, Layout(), 60).content)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [
        "qemu-system-arm",
        "-M",
        "lm3s6965evb",
        "-kernel",
        str(program),
        "-nographic",
        "-monitor",
        "none",
    ]
    qemu = subprocess.Popen(
        [*command, "-serial", "none", "-S", "-gdb", f"tcp:127.0.0.1:{port}"], stdin=subprocess.DEVNULL
    )
    try:
        testee = attached(f"127.0.0.1:{port}")
        testee.connect(LIMITS)
        testee.upload(PROGRAM, LIMITS)
        assert do(testee, invoke("count")) == i32(6)
        assert do(testee, invoke("hang"), 0.05) == TimedOut(after=0.05)
        testee.recover(LIMITS)
        testee.reset(LIMITS)
        assert do(testee, invoke("count")) == i32(6)
        do(testee, run_until("add"))
        assert do(testee, dump_locals()) == {"a": i32(1), "b": i32(2)}
        assert isinstance(do(testee, invoke("nowhere")), Refused)
        testee.close()
    finally:
        qemu.kill()
        qemu.wait()


class Belated:
    """A link to a server that was interrupted just as its processor came to the bell: it says so later."""

    description = "belated"

    def __init__(self, pc: int) -> None:
        self.pc, self.heard = pc, b""
        self._said = b""
        self._stops = [b"T05watch:20000100;", b"T02thread:01;"]

    def write(self, data: bytes, deadline: Deadline) -> None:
        self.heard += data
        if b"\x03" in data or b"$c#" in data:
            self._say(self._stops.pop())
        elif b"$p" in data:
            self._say(self.pc.to_bytes(4, "little").hex().encode())
        else:
            self._say(b"OK")

    def read(self, deadline: Deadline) -> bytes:
        said, self._said = self._said, b""
        assert said, "nothing more will come"
        return said

    def close(self) -> None: ...

    def _say(self, payload: bytes) -> None:
        self._said += frame(payload)


@pytest.mark.parametrize(("pc", "rung"), [(0x2000005E, True), (0x20000040, False)])
def test_a_bell_that_rings_as_the_processor_is_interrupted_is_not_heard_in_the_next_call(
    pc: int, rung: bool
) -> None:
    link = Belated(pc)
    core = RemoteCore(Remote(link))
    assert core.set_bell(0x20000100, ringer=0x2000005E)
    core.is_running = True
    core.halt(1.0)
    assert core.is_rung is rung
    assert (b"$c#" in link.heard) is rung
    assert not core.is_running
