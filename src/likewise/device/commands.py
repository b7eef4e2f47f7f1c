"""What a testee can be told, each command a type. Users add theirs by subclassing `Command`."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from likewise.device.program import Program
from likewise.device.values import Number

Plain: TypeAlias = int | float | bool | str | bytes | bytearray | Number | None
Argument: TypeAlias = "Plain | Buffer | Struct | list[Any] | tuple[Any, ...]"
"""What a function can be called with. Untyped numbers take the type of the parameter."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """Bytes passed by pointer, `size` of them at least; what stands there afterwards is in the result."""

    data: bytes = b""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Struct:
    """A structure passed by pointer, its members by name; what stands there afterwards is in the result.

    `type` is the structure's name in the program where the parameter does not tell it.
    """

    members: dict[str, object]
    type: str = ""


@dataclass(frozen=True, slots=True)
class InFunction:
    """The first instruction of a function after its prologue."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class AtLine:
    """The first instruction of a source line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class AtAddress:
    """An instruction's address."""

    address: int

    def __str__(self) -> str:
        return f"0x{self.address:x}"


Location = InFunction | AtLine | AtAddress


def location(place: Location | str | int) -> Location:
    """`"main"`, `"uart.c:42"` or `0x1f0` as a location."""
    if isinstance(place, int):
        return AtAddress(place)
    if isinstance(place, str):
        found = re.fullmatch(r"(.+):(\d+)", place)
        return AtLine(found[1], int(found[2])) if found else InFunction(place)
    return place


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a testee is told to do."""

    @property
    def name(self) -> str:
        """The command's name in reports: `invoke mul`, `step_over`."""
        verb = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        subject = getattr(self, fields(self)[0].name) if fields(self) else None
        return f"{verb} {subject}" if isinstance(subject, str | Location | int) else verb


@dataclass(frozen=True, slots=True)
class Invoke(Command):
    """Call a function and wait for its result."""

    function: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class SetLocal(Command):
    """Change a local variable of the paused function, by name or index."""

    local: str | int
    value: int | float | Number


@dataclass(frozen=True, slots=True)
class Upload(Command):
    """Replace the program."""

    program: Program


@dataclass(frozen=True, slots=True)
class Reset(Command):
    """Start the program again from its first instruction, as it was uploaded."""


@dataclass(frozen=True, slots=True)
class Pause(Command):
    """Stop the program where it is."""


@dataclass(frozen=True, slots=True)
class Resume(Command):
    """Let the program run; do not wait."""


@dataclass(frozen=True, slots=True)
class SetBreakpoint(Command):
    """Stop the program whenever it comes here."""

    at: Location


@dataclass(frozen=True, slots=True)
class DeleteBreakpoint(Command):
    """No longer stop here."""

    at: Location


@dataclass(frozen=True, slots=True)
class StepInto(Command):
    """Go on to the next source line (where lines are known), into functions."""


@dataclass(frozen=True, slots=True)
class StepOver(Command):
    """Go on to the next source line of this function, over calls."""


@dataclass(frozen=True, slots=True)
class RunUntil(Command):
    """Let the program run until it comes here."""

    at: Location


@dataclass(frozen=True, slots=True)
class WaitForBreakpoint(Command):
    """Wait until the program stops at a breakpoint; at this one, if one is named."""

    at: Location | None = None


@dataclass(frozen=True, slots=True)
class Dump(Command):
    """Where the program is: function, file, line, column, mode, pc, call stack."""


@dataclass(frozen=True, slots=True)
class DumpLocals(Command):
    """The local variables of the paused function."""


@dataclass(frozen=True, slots=True)
class DumpCallbacks(Command):
    """Which callbacks the program has registered."""


@dataclass(frozen=True, slots=True)
class ReadMemory(Command):
    """Bytes at an address or of a global variable; a variable alone is read with its type."""

    at: int | str
    length: int | None = None


@dataclass(frozen=True, slots=True)
class WriteMemory(Command):
    """Change bytes at an address, or a global variable."""

    at: int | str
    data: bytes | int | float | Number


@dataclass(frozen=True, slots=True)
class Send(Command):
    """Send bytes to the program, over its UART or whatever it listens to."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Receive(Command):
    """Wait for bytes from the program: up to and including `until`, or `count` of them."""

    until: bytes = b"\n"
    count: int = 0


@dataclass(frozen=True, slots=True)
class Evaluate(Command):
    """Run source text on the testee, where it has an interpreter; the result is the value's."""

    source: str
