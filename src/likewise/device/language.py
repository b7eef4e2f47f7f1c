"""The verbs a suite is written with; each makes a command."""

from __future__ import annotations

from pathlib import Path

from likewise.device.commands import (
    Argument,
    Buffer,
    DeleteBreakpoint,
    Dump,
    DumpCallbacks,
    DumpLocals,
    Evaluate,
    Invoke,
    Location,
    Pause,
    ReadMemory,
    Receive,
    Reset,
    Resume,
    RunUntil,
    Send,
    SetBreakpoint,
    SetLocal,
    StepInto,
    StepOver,
    Struct,
    Upload,
    WaitForBreakpoint,
    WriteMemory,
    location,
)
from likewise.device.program import Program, program
from likewise.device.values import Number


def invoke(function: str, *arguments: Argument) -> Invoke:
    """Call a function: `invoke("add", 3, i64(4))`."""
    return Invoke(function, arguments)


def buffer(data: bytes = b"", *, size: int = 0) -> Buffer:
    """Bytes passed by pointer; at least `size` of them."""
    return Buffer(bytes(data), max(size, len(data)))


def struct(type: str = "", /, **members: object) -> Struct:
    """A structure passed by pointer, members by name."""
    return Struct(members, type)


def set_local(local: str | int, value: float | Number) -> SetLocal:
    """Change a local variable of the paused function."""
    return SetLocal(local, value)


def upload(given: Program | str | Path) -> Upload:
    """Replace the program."""
    return Upload(program(given))


def reset() -> Reset:
    """Start again, as after the upload."""
    return Reset()


def pause() -> Pause:
    """Stop the program where it is."""
    return Pause()


def resume() -> Resume:
    """Let the program run; do not wait."""
    return Resume()


def set_breakpoint(at: Location | str | int) -> SetBreakpoint:
    """Stop at a function, a `file:line` or an address."""
    return SetBreakpoint(location(at))


def delete_breakpoint(at: Location | str | int) -> DeleteBreakpoint:
    """No longer stop there."""
    return DeleteBreakpoint(location(at))


def step() -> StepInto:
    """Go on to the next source line, into functions."""
    return StepInto()


def step_over() -> StepOver:
    """Go on to the next source line of this function."""
    return StepOver()


def run_until(at: Location | str | int) -> RunUntil:
    """Let the program run until it comes there."""
    return RunUntil(location(at))


def wait_for_breakpoint(at: Location | str | int | None = None) -> WaitForBreakpoint:
    """Wait until the program stops at a breakpoint."""
    return WaitForBreakpoint(None if at is None else location(at))


def dump() -> Dump:
    """Where the program is."""
    return Dump()


def dump_locals() -> DumpLocals:
    """The local variables of the paused function."""
    return DumpLocals()


def dump_callbacks() -> DumpCallbacks:
    """The callbacks that the program has registered."""
    return DumpCallbacks()


def read_memory(at: int | str, length: int | None = None) -> ReadMemory:
    """Bytes at an address, or a global variable with its type."""
    return ReadMemory(at, length)


def write_memory(at: int | str, data: bytes | float | Number) -> WriteMemory:
    """Change bytes at an address, or a global variable."""
    return WriteMemory(at, data)


def send(data: bytes | str) -> Send:
    """Send bytes to the program."""
    return Send(data.encode() if isinstance(data, str) else data)


def receive(until: bytes = b"\n", *, count: int = 0) -> Receive:
    """Wait for bytes from the program."""
    return Receive(until, count)


def evaluate(source: str) -> Evaluate:
    """Run source text on a testee with an interpreter."""
    return Evaluate(source)
