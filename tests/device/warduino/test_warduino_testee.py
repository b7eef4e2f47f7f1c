"""The client of WARDuino against a peer that keeps to the documented protocol, over every link."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import socket
import sys
import threading
import tty
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from peer import Peer

from likewise.device.commands import (
    AtLine,
    Command,
    DeleteBreakpoint,
    Dump,
    DumpCallbacks,
    DumpLocals,
    InFunction,
    Invoke,
    Pause,
    ReadMemory,
    Resume,
    RunUntil,
    SetBreakpoint,
    SetLocal,
    StepInto,
    StepOver,
    WaitForBreakpoint,
    WriteMemory,
)
from likewise.device.links import Deadline, FileLink
from likewise.device.program import Program
from likewise.device.testee import Answer, Answered, Call, Limits, Lost, Refused, TimedOut, Unsupported
from likewise.device.testees.warduino import Warduino, open_testee
from likewise.device.values import f32, f64, i32, i64
from likewise.device.warduino.commands import (
    ContinueFor,
    DumpAll,
    DumpEvents,
    Halt,
    Inspect,
    PopEvent,
    PushEvent,
)
from likewise.model import ConfigurationError

pytestmark = pytest.mark.skipif(shutil.which("wat2wasm") is None, reason="wabt is not installed")
PEER = Path(__file__).with_name("peer.py")
LIMITS = Limits(connect=30.0, upload=30.0, reset=30.0, recover=30.0)
PROGRAM = Program(
    name="fac.wat",
    suffix=".wat",
    text="""(module
  (memory (export "memory") 1)
  (data (i32.const 16) "likewise")
  (func $square (export "square") (param $x i32) (result i32)
    local.get $x
    local.get $x
    i32.mul)
  (func $main (export "main") (local $i i32) (local $f f64)
    (loop $again
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      local.get $i
      call $square
      drop
      br $again))
  (func (export "add64") (param i64 i64) (result i64) (i64.add (local.get 0) (local.get 1)))
  (func (export "same32") (param f32) (result f32) local.get 0)
  (func (export "same64") (param f64) (result f64) local.get 0)
  (func (export "divide") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func (export "nothing"))
  (func (export "fall") unreachable)
  (func (export "fall_with") (param i32) unreachable)
  (func (export "fall_for") (param i32) (result i32) unreachable)
  (func (export "slow") (result i32) i32.const 9)
  (func (export "hang") (loop br 0)))
""",
)


class Threaded:
    """The peer in a thread of this process, started anew with each program."""

    starts_programs = True

    def __init__(self, *flags: str) -> None:
        self._flags = flags

    def open(self, program: bytes, deadline: Deadline) -> FileLink:
        ours, theirs = socket.socketpair()
        machine = Peer(program, {*self._flags, "--paused"})
        machine.incoming = machine.outgoing = theirs.fileno()

        def serve() -> None:
            with theirs, contextlib.suppress(OSError):
                machine.serve()

        threading.Thread(target=serve, daemon=True).start()
        number = ours.fileno()
        return FileLink(reading=number, writing=number, description="peer", on_close=ours.close)


@pytest.fixture
def opened() -> Iterator[Callable[[Warduino], Warduino]]:
    """Connects a testee, puts the program on it, and closes it in the end."""
    testees: list[Warduino] = []

    def make(testee: Warduino) -> Warduino:
        testees.append(testee)
        testee.connect(LIMITS)
        testee.upload(PROGRAM, LIMITS)
        return testee

    yield make
    for testee in testees:
        testee.close()


@pytest.fixture
def vm(request: pytest.FixtureRequest, opened: Callable[[Warduino], Warduino]) -> Warduino:
    """As it is, cut into single bytes, floats in hex, among output of the program, or by update."""
    kind = getattr(request, "param", "plain")
    flags = () if kind in ("plain", "update") else (f"--{kind}",)
    return opened(Warduino("vm", Threaded(*flags), updates=kind == "update"))


def command(folder: Path) -> list[str]:
    """The peer as a program."""
    script = folder / "peer"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PEER}" "$@"\n')
    script.chmod(0o755)
    return [str(script)]


def ask(testee: Warduino, *commands: Command, limit: float = 20.0) -> Sequence[Answer]:
    return testee.execute([Call(each, limit) for each in commands])


def data(answer: Answer) -> object:
    assert isinstance(answer, Answered), answer
    return answer.data


@pytest.mark.parametrize("vm", ["plain", "cut", "hex", "chatty", "update"], indirect=True)
def test_values_cross_to_the_last_bit(vm: Warduino) -> None:
    """64-bit arguments are not cut, −0 stays −0, denormals and NaN payloads survive."""
    assert data(ask(vm, Invoke("square", (7,)))[0]) == i32(49)
    assert data(ask(vm, Invoke("add64", (2**62, 2**61)))[0]) == i64(2**62 + 2**61)
    assert data(ask(vm, Invoke("add64", (-(2**63), 1)))[0]) == i64(-(2**63) + 1)
    for number in (f32(-0.0), f32(0.0), f32.of(1), f32.of(0x7FA00001), f32.of(0x40400000), f32(1.5)):
        assert data(ask(vm, Invoke("same32", (number,)))[0]) == number
    for pattern in (1, 1 << 63, 0x7FF0000000000001, 0x4008000000000000, 0x1234567812345678):
        assert data(ask(vm, Invoke("same64", (f64.of(pattern),)))[0]) == f64.of(pattern)


def test_a_trap_is_refused_and_the_machine_goes_on(vm: Warduino) -> None:
    trapped, done, nothing = ask(vm, Invoke("divide", (1, 0)), Invoke("divide", (7, -2)), Invoke("nothing"))
    assert trapped == Refused(kind="trap", message="integer divide by zero")
    assert data(done) == i32(-3)
    assert nothing == Answered(data=None)


@pytest.mark.parametrize("vm", ["wordy"], indirect=True)
def test_a_trap_in_other_words_is_a_trap_long_before_the_limit(vm: Warduino) -> None:
    trapped, done = ask(vm, Invoke("divide", (1, 0)), Invoke("divide", (7, -2)), limit=600.0)
    assert trapped == Refused(kind="trap", message="arithmetic: the divisor is nought")
    assert data(done) == i32(-3)


@pytest.mark.parametrize("vm", ["plain", "mute"], indirect=True)
def test_a_trap_that_leaves_only_a_stack_is_no_result(vm: Warduino) -> None:
    """Arguments that are left there are not taken for results, nor an empty stack for a return."""
    answers = ask(
        vm,
        Invoke("nothing"),
        Invoke("fall"),
        Invoke("fall_with", (3,)),
        Invoke("fall_for", (7,)),
        Invoke("divide", (7, 0)),
        Invoke("slow"),
        Invoke("square", (7,)),
        Invoke("nothing"),
    )
    assert [isinstance(each, Refused) and each.kind for each in answers] == [
        *(False, "trap", "trap", "trap", "trap"),
        *(False, False, False),
    ]
    assert [each.data for each in answers[5:] if isinstance(each, Answered)] == [i32(9), i32(49), None]


@pytest.mark.parametrize("vm", ["plain", "cut", "chatty"], indirect=True)
def test_stepping_breakpoints_and_locals(vm: Warduino) -> None:
    here = data(ask(vm, Dump())[0])
    assert isinstance(here, dict)
    assert (here["function"], here["file"], here["line"], here["mode"]) == ("main", "fac.wat", 9, "paused")
    stop = data(ask(vm, SetBreakpoint(InFunction("square")), Resume(), WaitForBreakpoint())[2])
    assert isinstance(stop, dict)
    assert (stop["function"], stop["line"]) == ("square", 5)
    dump = data(ask(vm, Dump())[0])
    assert isinstance(dump, dict)
    callstack = dump["callstack"]
    assert isinstance(callstack, list)
    assert [frame["function"] for frame in callstack] == ["square", "main"]
    assert data(ask(vm, DumpLocals())[0]) == {"x": i32(1)}
    assert ask(vm, SetLocal("x", 41))[0] == Answered()
    assert data(ask(vm, DumpLocals())[0]) == {"x": i32(41)}
    following = data(ask(vm, StepInto())[0])
    assert isinstance(following, dict)
    assert following["line"] == 6
    removed = ask(vm, DeleteBreakpoint(InFunction("square")), RunUntil(AtLine("fac.wat", 12)), StepOver())
    before, after = data(removed[1]), data(removed[2])
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert (before["line"], after["line"]) == (12, 13)
    found = data(ask(vm, DumpLocals())[0])
    assert isinstance(found, dict)
    assert found["f"] == f64(0.0)
    assert found["i"] == i32(2)


def test_a_reset_forgets_locals_and_breakpoints(vm: Warduino) -> None:
    ask(vm, SetBreakpoint(InFunction("square")), Resume(), WaitForBreakpoint())
    vm.reset(LIMITS)
    assert data(ask(vm, DumpLocals())[0]) == {"i": i32(0), "f": f64(0.0)}
    shown = data(ask(vm, Inspect(("pc", "breakpoints")))[0])
    assert isinstance(shown, dict)
    assert shown["breakpoints"] == []


def test_the_rest_of_the_command_table(vm: Warduino) -> None:
    assert data(ask(vm, ReadMemory(16, 8))[0]) == b"likewise"
    everything = data(ask(vm, DumpAll())[0])
    assert isinstance(everything, dict)
    assert everything.keys() == {"pc", "breakpoints", "callstack", "locals"}
    assert isinstance(ask(vm, WriteMemory(16, b"x"))[0], Unsupported)
    assert data(ask(vm, DumpCallbacks())[0]) == {"callbacks": [{"interrupt_37": [2, 3]}]}
    assert data(ask(vm, PushEvent("interrupt_37", "pressed"), DumpEvents())[1]) == {
        "events": [{"topic": "interrupt_37", "payload": "pressed"}]
    }
    assert data(ask(vm, PopEvent(), DumpEvents())[1]) == {"events": []}
    assert ask(vm, ContinueFor(3), Pause(), Resume(), Pause())[0] == Answered()


def test_an_unknown_function_is_named_without_waiting(vm: Warduino) -> None:
    answer = ask(vm, Invoke("cube", (3,)))[0]
    assert answer == Refused(kind="no such function", message="the program has no function 'cube'")
    assert isinstance(ask(vm, Invoke("square", (1, 2)))[0], Refused)
    assert isinstance(ask(vm, Invoke("square", (2**40,)))[0], Refused)


def test_a_hang_is_that_step_and_the_next_scenario_runs(vm: Warduino) -> None:
    answers = ask(vm, Invoke("square", (2,)), Invoke("hang"), Invoke("square", (3,)), limit=1.0)
    assert answers == [Answered(data=i32(4)), TimedOut(after=1.0)]
    vm.recover(LIMITS)
    vm.reset(LIMITS)
    assert data(ask(vm, Invoke("square", (3,)))[0]) == i32(9)


@pytest.mark.parametrize("vm", ["late"], indirect=True)
def test_a_late_reply_is_not_the_next_command_s(vm: Warduino) -> None:
    """What answers a call that took too long comes before the echo of the next."""
    assert ask(vm, Invoke("slow"), limit=0.05) == [TimedOut(after=0.05)]
    assert data(ask(vm, Invoke("square", (5,)))[0]) == i32(25)


def test_silence_times_out() -> None:
    """A machine that takes no message, as one that does not know a function."""
    testee = Warduino("vm", Threaded("--deaf"), floats="decimal")
    try:
        testee.connect(LIMITS)
        testee.upload(PROGRAM, LIMITS)
        assert ask(testee, Invoke("square", (1,)), limit=0.05) == [TimedOut(after=0.05)]
    finally:
        testee.close()


@pytest.mark.server
@pytest.mark.parametrize("link", ["stdio", "tcp"])
def test_a_machine_that_is_started(tmp_path: Path, link: str, opened: Callable[[Warduino], Warduino]) -> None:
    """It is lost when it ends, which is said, and comes back with its program."""
    testee = opened(open_testee("vm", {"command": command(tmp_path), "link": link}))
    assert data(ask(testee, Invoke("same32", (f32.of(0x40400000),)))[0]) == f32(3.0)
    assert ask(testee, Halt())[0] == Answered()
    assert isinstance(ask(testee, Invoke("square", (1,)))[0], Lost)
    testee.recover(LIMITS)
    assert data(ask(testee, Invoke("square", (6,)))[0]) == i32(36)


def test_over_a_serial_line() -> None:
    """A pty stands for the port; the program gets there by update, as on a board."""
    ours, theirs = pty.openpty()
    for end in (ours, theirs):
        tty.setraw(end)
    machine = Peer(b"\0asm\x01\0\0\0", {"--paused"})
    machine.incoming = machine.outgoing = ours

    def serve() -> None:
        with contextlib.suppress(OSError):
            machine.serve()

    threading.Thread(target=serve, daemon=True).start()
    testee = open_testee("board", {"port": os.ttyname(theirs)})
    try:
        testee.connect(LIMITS)
        testee.upload(PROGRAM, LIMITS)
        assert data(ask(testee, Invoke("same32", (f32(1.5),)))[0]) == f32(1.5)
        testee.recover(LIMITS)
        assert data(ask(testee, Invoke("add64", (2**40, 1)))[0]) == i64(2**40 + 1)
    finally:
        testee.close()
        os.close(theirs)
        os.close(ours)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"command": "x", "address": "h:1"},
        {"address": "nowhere"},
        {"command": "x", "links": 1},
        {"command": "x", "link": "usb"},
    ],
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="vm"):
        open_testee("vm", options)
