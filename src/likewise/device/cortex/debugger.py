"""Debugger commands on a processor and its program's debug information."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from likewise.device.commands import (
    AtAddress,
    AtLine,
    Command,
    DeleteBreakpoint,
    Dump,
    DumpLocals,
    InFunction,
    Location,
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
from likewise.device.cortex.core import LR, PC, SP, XPSR, Core, CoreTimedOut, Stopped
from likewise.device.cortex.frames import Frames
from likewise.device.cortex.image import Image
from likewise.device.cortex.types import Type, Unfit, read_value, write_value
from likewise.device.links import Deadline
from likewise.device.testee import Answer, Answered, Crashed, Data, Refused, TimedOut, Unsupported
from likewise.device.values import NotRepresentable, Number, u32

PAUSE_LIMIT = 2.0
EXCEPTIONS = {2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault", 11: "SVCall"}


def exception_name(number: int) -> str:
    """The name of an exception by its number; 0 is none."""
    return EXCEPTIONS.get(number, f"unexpected interrupt {number - 16}" if number >= 16 else "HardFault")


class Debugger:
    """Executes everything but calls.

    `faults` are the addresses of fault handlers, by address; `ends` are where calls have come back to.
    """

    def __init__(
        self, core: Core, image: Image, faults: dict[int, str], *, ends: tuple[int, ...] = ()
    ) -> None:
        self._core, self._image, self._faults, self._ends = core, image, faults, ends
        self._frames = Frames(core, image)
        self.breakpoints: set[int] = set()

    def execute(self, command: Command, limit: float) -> Answer:
        """One command. Raises CoreLost."""
        try:
            return self._execute(command, limit)
        except CoreTimedOut:
            return TimedOut(after=limit)
        except (Unfit, NotRepresentable) as error:
            return Refused(kind="wrong value", message=str(error))

    def _execute(self, command: Command, limit: float) -> Answer:
        match command:
            case SetBreakpoint() | DeleteBreakpoint():
                return self._change_breakpoint(command)
            case Pause():
                return self._stopped(self._core.interrupt(limit))
            case Resume():
                return self._resume(limit)
            case RunUntil():
                return self._run_until(command.at, limit)
            case WaitForBreakpoint():
                return self._wait_for_breakpoint(command, limit)
            case ReadMemory() | WriteMemory():
                with self._standing():
                    return self._read(command) if isinstance(command, ReadMemory) else self._write(command)
            case StepInto() | StepOver() | Dump() | DumpLocals() | SetLocal():
                return self._while_stopped(command, limit)
        return Unsupported(what=command.name)

    def _while_stopped(self, command: Command, limit: float) -> Answer:
        if self._core.is_running:
            if isinstance(command, Dump):
                return Answered(data={"mode": "running"})
            return Refused(kind="running", message=f"{command.name} needs a program that is paused")
        match command:
            case StepInto():
                return self._step_line(limit, over=False)
            case StepOver():
                return self._step_line(limit, over=True)
            case SetLocal():
                return self._set_local(command)
            case DumpLocals():
                return Answered(data=self._locals())
            case _:
                return Answered(data=self.where())

    def find(self, place: Location) -> int | None:
        """The address of a location."""
        match place:
            case AtAddress():
                return place.address & ~1
            case AtLine():
                return self._image.debug.address_of(place.file, place.line)
            case InFunction():
                function = self._image.function(place.name)
                return None if function is None else self._image.debug.body_of(function)

    def where(self) -> dict[str, Data]:
        """Where a paused program is."""
        stack = self._frames.stack()
        top: dict[str, Data] = stack[0] if stack else {}
        frames: list[Data] = list(stack)
        return {"mode": "paused", **top, "callstack": frames}

    def _stopped(self, stopped: Stopped) -> Answer:
        """What a stop means: a fault handler is a crash, everything else a place."""
        if stopped.fault:
            return Crashed(kind=stopped.fault, message=self._frames.blame(stopped.pc))
        if stopped.pc & ~1 in self._faults:
            number = self._core.registers()[XPSR] & 0x1FF
            return Crashed(kind=exception_name(number), message=self._frames.blame(stopped.pc))
        return Answered(data=self.where())

    def stopped_in_call(self, pc: int) -> Answer:
        """What it means that a called function stopped before it returned."""
        answer = self._stopped(Stopped(pc))
        if isinstance(answer, Crashed):
            return answer
        place = self._frames.blame(pc)
        if pc in self.breakpoints:
            return Refused(kind="breakpoint", message=f"{place}, before it returned")
        return Refused(kind="stopped", message=f"{place}, before it returned")

    def _change_breakpoint(self, command: SetBreakpoint | DeleteBreakpoint) -> Answer:
        address = self.find(command.at)
        if address is None:
            return Refused(kind="no such place", message=f"{command.at} is not in {self._image.where}")
        with self._standing():
            if isinstance(command, SetBreakpoint):
                self.breakpoints.add(address)
                self._core.set_stop(address)
            elif address in self.breakpoints:
                self.breakpoints.discard(address)
                self._core.clear_stop(address)
            else:
                return Refused(kind="no such breakpoint", message=f"none is set at {command.at}")
        return Answered(data={"address": Number(u32, address)})

    @contextmanager
    def _standing(self) -> Iterator[None]:
        """Stop a program that runs for a moment; one that has come to a breakpoint meanwhile stays there."""
        if not self._core.is_running:
            yield
            return
        pc = self._core.interrupt(PAUSE_LIMIT).pc & ~1
        yield
        if pc not in self.breakpoints and pc not in self._faults:
            self._core.go()

    def _resume(self, limit: float) -> Answer:
        if not self._core.is_running:
            self._leave(limit)
            self._core.go()
        return Answered(data={"mode": "running"})

    def _leave(self, limit: float) -> None:
        """Get off a breakpoint before running on: the same one would stop it at once."""
        pc = self._core.registers()[PC]
        if pc in self.breakpoints:
            self._core.clear_stop(pc)
            self._core.step(limit)
            self._core.set_stop(pc)

    def _run_until(self, place: Location, limit: float) -> Answer:
        address = self.find(place)
        if address is None:
            return Refused(kind="no such place", message=f"{place} is not in {self._image.where}")
        deadline = Deadline(limit)
        if self._core.is_running:
            self._core.interrupt(limit)
        self._core.set_stop(address)
        try:
            self._leave(deadline.left)
            self._core.go()
            return self._stopped(self._core.wait(deadline.left))
        finally:
            if address not in self.breakpoints and not self._core.is_running:
                self._core.clear_stop(address)

    def _wait_for_breakpoint(self, command: WaitForBreakpoint, limit: float) -> Answer:
        deadline = Deadline(limit)
        wanted = None if command.at is None else self.find(command.at)
        if command.at is not None and wanted is None:
            return Refused(kind="no such place", message=f"{command.at} is not in {self._image.where}")
        if not self._core.is_running and not self.breakpoints:
            return Refused(kind="paused", message="the program is paused and no breakpoint is set")
        while True:
            if self._core.is_running:
                stopped = self._core.wait(deadline.left)
            else:
                stopped = Stopped(self._core.registers()[PC])
            answer = self._stopped(stopped)
            if not isinstance(answer, Answered) or wanted is None or stopped.pc == wanted:
                return answer
            self._leave(deadline.left)
            self._core.go()

    def _step_line(self, limit: float, *, over: bool) -> Answer:
        """Instruction by instruction until another line begins; calls are run through where asked."""
        deadline = Deadline(limit)
        before = self._core.registers()
        start = self._image.line_at(before[PC])
        name, stack = self._image.function_at(before[PC]), before[SP]
        if start is None:
            return self._stopped(self._off_breakpoint(deadline))
        stopped = self._off_breakpoint(deadline)
        while True:
            if stopped.fault or stopped.pc in self._faults or stopped.pc in self._ends:
                return self._stopped(stopped)
            if deadline.is_over:
                raise CoreTimedOut
            line = self._image.line_at(stopped.pc)
            here = self._image.function_at(stopped.pc)
            if (over or line is None) and here != name and self._core.registers()[SP] <= stack:
                stopped = self._finish_call(deadline)
                if stopped.pc in self.breakpoints and self._image.function_at(stopped.pc) != name:
                    return self._stopped(stopped)
                continue
            begins = line is not None and line.is_statement and line.address == stopped.pc
            if line is not None and begins and (line.line, line.file) != (start.line, start.file):
                return self._stopped(stopped)
            if here != name and begins:
                return self._stopped(stopped)
            stopped = self._off_breakpoint(deadline)

    def _off_breakpoint(self, deadline: Deadline) -> Stopped:
        return self._core.step(deadline.left)

    def _finish_call(self, deadline: Deadline) -> Stopped:
        """Run until the function that was just entered returns."""
        back = self._core.registers()[LR] & ~1
        self._core.set_stop(back)
        try:
            self._core.go()
            return self._core.wait(deadline.left)
        finally:
            if back not in self.breakpoints and not self._core.is_running:
                self._core.clear_stop(back)

    def _locals(self) -> dict[str, Data]:
        found: dict[str, Data] = {}
        for variable, place in self._frames.locals():
            data = place.read(variable.type.size)
            found[variable.name] = None if data is None else read_value(variable.type, data)
        return found

    def _set_local(self, command: SetLocal) -> Answer:
        known = list(self._frames.locals())
        names = [variable.name for variable, _ in known]
        if isinstance(command.local, int) and 0 <= command.local < len(known):
            index = command.local
        elif command.local in names:
            index = names.index(str(command.local))
        else:
            have = ", ".join(names) or "none"
            return Refused(kind="no such local", message=f"{command.local!r}; there are: {have}")
        variable, place = known[index]
        if not place.write(write_value(variable.type, command.value)):
            return Refused(kind="no place", message=f"{variable.name} has no place in memory here")
        return Answered(data=self._locals())

    def _read(self, command: ReadMemory) -> Answer:
        place = self._memory(command.at)
        if isinstance(place, Refused):
            return place
        address, kind, size = place
        length = command.length if command.length is not None else kind.size if kind else size or 4
        data = self._core.read(address, length)
        if data is None:
            return Refused(kind="no memory", message=f"0x{address:x}, {length} bytes")
        if kind is None or command.length is not None:
            return Answered(data=data)
        return Answered(data=read_value(kind, data))

    def _write(self, command: WriteMemory) -> Answer:
        place = self._memory(command.at)
        if isinstance(place, Refused):
            return place
        address, kind, _ = place
        value = command.data
        if isinstance(value, bytes):
            data = value
        elif isinstance(value, Number):
            data = value.data
        elif kind is not None:
            data = write_value(kind, value)
        else:
            return Refused(kind="wrong value", message="at an address a number needs its type: u32(…)")
        if not self._core.write(address, data):
            return Refused(kind="no memory", message=f"0x{address:x}, {len(data)} bytes")
        return Answered()

    def _memory(self, at: int | str) -> tuple[int, Type | None, int] | Refused:
        if isinstance(at, int):
            return at, None, 0
        found = self._image.variable(at)
        if found is None:
            return Refused(kind="no such variable", message=f"{at!r} is not in {self._image.where}")
        return found
