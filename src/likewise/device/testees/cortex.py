"""A Cortex-M over the GDB remote protocol: a QEMU board started for you, or any server."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from likewise.device.commands import Command, Invoke, Receive, Send
from likewise.device.cortex import batch
from likewise.device.cortex.boards import Attached, Emulated, Rig
from likewise.device.cortex.calling import Prepared, place, prepare, read_result
from likewise.device.cortex.compiling import load_image
from likewise.device.cortex.core import LR, PC, SP, THUMB, XPSR, CoreLost, CoreTimedOut
from likewise.device.cortex.debugger import Debugger, exception_name
from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import Layout
from likewise.device.cortex.remote import RemoteError
from likewise.device.cortex.remotecore import RemoteCore
from likewise.device.cortex.types import Unfit
from likewise.device.inventory import read_options
from likewise.device.links import Deadline
from likewise.device.program import Program
from likewise.device.receiving import wanted_of
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
    Crashed,
    DeviceError,
    LimitReached,
    Limits,
    LinkLost,
    Lost,
    Refused,
    Testee,
    TimedOut,
    Unsupported,
)
from likewise.device.testees.unicorn import RED_ZONE, read_layout
from likewise.device.values import NotRepresentable
from likewise.model import ConfigurationError

MOST = 512
"""Calls in one trip at most."""
SAMPLE = 0.003
"""Seconds after which a trip that is not back is looked at: which call is it in?"""
HALT = 2.0
"""Seconds that a processor may take to stop when it is told to."""


class CortexTestee:
    """One Cortex-M. `rig` is how it is reached, loaded and reset."""

    __test__ = False

    def __init__(self, name: str, layout: Layout, rig: Rig) -> None:
        self.name, self._layout, self._rig = name, layout, rig
        self.batch = MOST
        self._image: Image | None = None
        self._debugger: Debugger | None = None
        self._is_started = False
        self._received = bytearray()
        self._known: dict[Invoke, Prepared] = {}

    @property
    def version(self) -> str:
        """What stands behind it."""
        return self._rig.version

    def connect(self, limits: Limits) -> None:
        """Attach to the server, or make sure that there is a QEMU."""
        self._guard(lambda: self._rig.connect(Deadline(limits.connect)), "connect")

    def upload(self, program: Program, limits: Limits) -> None:
        """Load a program, compiled where it is source."""
        image = load_image(program, self._layout, limits.compile)
        self._image, self._known = image, {}
        deadline = Deadline(limits.upload)
        self._guard(lambda: self._rig.load(image, deadline), "upload")
        self._guard(lambda: self._make_ready(deadline), "upload")

    def reset(self, limits: Limits) -> None:
        """Reset instead of reflash."""
        if self._image is None:
            raise DeviceError("there is no program", where=self.name, todo="Upload one first.")
        deadline = Deadline(limits.reset)

        def work() -> None:
            if self._core.is_running:
                self._core.halt(deadline.left)
            self._core.clear_stops()
            self._rig.reset(deadline)
            self._make_ready(deadline)

        self._guard(work, "reset")

    def execute(self, calls: Sequence[Call]) -> list[Answer]:
        """Runs of plain calls in one trip, everything else one by one."""
        if self._image is None or self._debugger is None:
            return [Refused(kind="no program", message="upload one first")]
        try:
            return self._execute(calls)
        except CoreLost as error:
            return [Lost(reason=self._how(error))]
        except CoreTimedOut:
            return [TimedOut(after=calls[0].limit)]
        except RemoteError as error:
            return [Refused(kind="server", message=str(error))]

    def recover(self, limits: Limits) -> None:
        """Stop it if it can be stopped; otherwise start or attach anew."""
        try:
            if self._core.is_running:
                self._core.halt(min(HALT, limits.recover))
            self._core.registers_pc()
        except (CoreLost, CoreTimedOut, DeviceError):
            self._rig.close()
            self._guard(lambda: self._rig.connect(Deadline(limits.recover)), "recovery")

    def close(self) -> None:
        """Let go; a QEMU that was started ends."""
        self._rig.close()

    @property
    def _core(self) -> RemoteCore:
        return self._rig.core

    def _guard(self, work: object, awaited: str) -> None:
        """What the link does outside of commands, as errors of ours."""
        assert callable(work)
        try:
            work()
        except CoreTimedOut as error:
            cause = error.__cause__
            after = cause.after if isinstance(cause, LimitReached) else 0.0
            raise LimitReached(awaited, after=after, where=self.name) from error
        except CoreLost as error:
            raise LinkLost(f"lost during {awaited}", where=self.name, why=self._how(error)) from error
        except RemoteError as error:
            raise DeviceError(f"{awaited} failed", where=self.name, why=str(error)) from error

    def _how(self, error: CoreLost) -> str:
        return "; ".join(each for each in (str(error), self._rig.how_it_ended()) if each)

    def _make_ready(self, deadline: Deadline) -> None:
        """Variables as C has them at the start, the stub in RAM, breakpoints on fault handlers."""
        core, image, layout = self._core, self._image, self._layout
        assert image is not None
        packets: list[bytes] = []
        for segment in image.segments:
            in_ram = layout.ram <= segment.address < layout.top
            if in_ram and segment.address != segment.load:
                packets += core.memory_writes(segment.address, segment.data)
            if in_ram and segment.size > len(segment.data):
                zeros = bytes(segment.size - len(segment.data))
                packets += core.memory_writes(segment.address + len(segment.data), zeros)
        stack, start = image.vectors
        self._stack = (stack or layout.top) & ~7
        used = [
            each.address + each.size for each in image.segments if layout.ram <= each.address < layout.top
        ]
        free = (max(used, default=layout.ram) + 7) & ~7
        room = max(0, self._stack - free)
        self._scratch = (free + room // 3) & ~7
        self._pieces = self._scratch + len(batch.STUB) + 2
        self.batch = max(1, min(MOST, (room // 3 - len(batch.STUB)) // batch.SIZE))
        self._back = self._scratch + batch.DONE
        packets += core.memory_writes(self._scratch, batch.STUB)
        packets += core.writes({SP: self._stack, PC: start & ~1, LR: 0xFFFFFFFF, XPSR: THUMB})
        for answer in core.ask(packets):
            if answer != b"OK":
                raise RemoteError(f"memory could not be prepared ({answer[:20]!r})")
        faults = _fault_handlers(image)
        for address in (self._back, *faults):
            core.set_stop(address)
        self._debugger = Debugger(core, image, faults)
        self._is_started = False
        self._received.clear()

    def _execute(self, calls: Sequence[Call]) -> list[Answer]:
        first = calls[0]
        if not isinstance(first.command, Invoke):
            return [self._debug(first.command, first.limit)]
        ready: list[Prepared] = []
        for call in calls[: self.batch]:
            found = self._prepare(call.command) if isinstance(call.command, Invoke) else None
            if not isinstance(found, Prepared):
                break
            if not found.is_plain:
                if not ready:
                    ready.append(found)
                break
            ready.append(found)
        if not ready:
            refusal = self._prepare(first.command)
            assert isinstance(refusal, Refused)
            return [refusal]
        if self._core.is_running:
            self._core.halt(HALT)
        if len(ready) == 1:
            return [self._call(ready[0], first.limit)]
        return self._call_many(ready, [call.limit for call in calls[: len(ready)]])

    def _prepare(self, command: Invoke) -> Prepared | Refused:
        image = self._image
        assert image is not None
        try:
            function = image.function(command.function)
            if function is None:
                return Refused(kind="no such function", message=f"{command.function} is not in {image.where}")
            return prepare(image, function, command.arguments)
        except (Unfit, NotRepresentable) as error:
            return Refused(kind="wrong value", message=str(error))

    def _debug(self, command: Command, limit: float) -> Answer:
        assert self._debugger is not None
        if isinstance(command, Send | Receive):
            return self._talk(command, limit)
        self._is_started = True
        return self._debugger.execute(command, limit)

    def _talk(self, command: Send | Receive, limit: float) -> Answer:
        uart = self._rig.uart
        if uart is None:
            return Unsupported(what=f"{command.name}: this board has no UART that we know of")
        deadline = Deadline(limit)
        try:
            if isinstance(command, Send):
                uart.write(command.data, deadline)
                return Answered()
            while (size := wanted_of(command, self._received)) is None:
                self._received += uart.read(deadline)
        except LimitReached:
            return TimedOut(after=limit)
        except LinkLost as error:
            return Lost(reason=str(error))
        data = bytes(self._received[:size])
        del self._received[:size]
        return Answered(data=data)

    def _enter(self) -> tuple[list[int] | None, int]:
        """The registers to put back afterwards, and the stack to use."""
        if not self._is_started:
            return None, self._stack
        before = self._core.registers()
        return before, (before[SP] - RED_ZONE) & ~7

    def _leave(self, before: list[int] | None) -> None:
        if before is not None:
            self._core.set_registers(dict(enumerate(before)))

    def _call(self, prepared: Prepared, limit: float) -> Answer:
        """One call: everything before it in one write, everything after it in another."""
        core, deadline = self._core, Deadline(limit)
        before, stack = self._enter()
        words, placed, end = place(prepared, self._pieces)
        if placed and end > self._stack - RED_ZONE:
            return Refused(kind="no memory", message=f"{end - self._pieces} bytes of arguments do not fit")
        packets = [packet for at, piece in placed for packet in core.memory_writes(at, piece.data)]
        over = words[4:]
        if over:
            stack = (stack - 4 * len(over)) & ~7
            packets += core.memory_writes(stack, b"".join(word.to_bytes(4, "little") for word in over))
        registers = dict(enumerate(words[:4])) | {
            SP: stack,
            LR: self._back | 1,
            PC: prepared.function.address,
        }
        core.go_after(packets + core.writes(registers), deadline)
        core.wait_for_stop(deadline)
        reads = [packet for at, piece in placed for packet in core.memory_reads(at, len(piece.data))]
        r0, r1, pc, *memory = core.ask([b"p0", b"p1", b"pf", *reads])
        trouble = self._elsewhere(_word(pc))
        if trouble is not None:
            return trouble
        pieces: dict[int, bytes] = {}
        for _, piece in placed:
            count = len(core.memory_reads(0, len(piece.data)))
            pieces[piece.argument] = bytes.fromhex(b"".join(memory[:count]).decode())
            del memory[:count]
        self._leave(before)
        return Answered(data=read_result(prepared, _word(r0), _word(r1), pieces))

    def _elsewhere(self, pc: int) -> Answer | None:
        """What it means that a call did not come back to where it should."""
        if pc == self._back:
            return None
        assert self._debugger is not None
        self._is_started = True
        return self._debugger.stopped_in_call(pc)

    def _call_many(self, ready: Sequence[Prepared], limits: Sequence[float]) -> list[Answer]:
        """All of them in one trip; a hang or fault belongs to the first that is not done."""
        core = self._core
        before, stack = self._enter()
        table = (self._pieces + 7) & ~7
        entries = [
            batch.Entry(each.function.address, tuple(word for word in each.words if isinstance(word, int)))
            for each in ready
        ]
        data = batch.pack(entries)
        registers = {batch.FIRST: table, batch.LAST: table + len(data), SP: stack, PC: self._scratch}
        packets = core.memory_writes(table, data) + core.writes(registers)
        core.go_after(packets, Deadline(max(limits[0], HALT)))
        hung = self._watch(table, limits)
        reads = core.memory_reads(table, len(data))
        pc, *memory = core.ask([b"pf", *reads])
        left = batch.unpack(bytes.fromhex(b"".join(memory).decode()))
        answers: list[Answer] = []
        for prepared, (function, r0, r1) in zip(ready, left, strict=True):
            if function:
                if hung:
                    answers.append(TimedOut(after=limits[len(answers)]))
                else:
                    trouble = self._elsewhere(_word(pc))
                    answers.append(trouble or Crashed(kind="lost", message="the loop ended early"))
                return answers
            answers.append(Answered(data=read_result(prepared, r0, r1, {})))
        self._leave(before)
        return answers

    def _watch(self, table: int, limits: Sequence[float]) -> bool:
        """Wait for a trip, looking now and then which call it is in; whether that one hangs."""
        core = self._core
        call, seen = 0, time.monotonic()
        while True:
            try:
                core.wait_for_stop(Deadline(SAMPLE))
                return False
            except CoreTimedOut:
                core.halt(HALT)
            if core.registers_pc() == self._back:
                return False
            now = time.monotonic()
            while call < len(limits) and core.read(table + call * batch.SIZE, 4) == bytes(4):
                call, seen = call + 1, now
            if call < len(limits) and now - seen >= limits[call]:
                return True
            core.go()


def _word(answer: bytes) -> int:
    if len(answer) < 8:
        raise CoreLost(f"a register could not be read ({answer[:20]!r})")
    return int.from_bytes(bytes.fromhex(answer[:8].decode()), "little")


def _fault_handlers(image: Image) -> dict[int, str]:
    """Where the vectors of the faults lead to."""
    first = min(image.segments, key=lambda each: each.load)
    found: dict[int, str] = {}
    if image.vectors[0] == 0:
        return found  # no vector table
    for number in (3, 4, 5, 6):
        address = int.from_bytes(first.data[number * 4 : number * 4 + 4], "little")
        if address & 1:
            found.setdefault(address & ~1, exception_name(number))
    return found


_LAYOUT = {"machine": "lm3s6965evb", "cpu": "", "flash": -1, "flash_size": 0, "ram": -1, "ram_size": 0}


def open_qemu(name: str, options: Mapping[str, object]) -> Testee:
    """`kind = "qemu"`, `machine = "lm3s6965evb"`."""
    given = read_options(options, _LAYOUT, where=name)
    return CortexTestee(name, read_layout(given, where=name), Emulated(name, str(given["machine"])))


def open_server(name: str, options: Mapping[str, object]) -> Testee:
    """`kind = "gdb"`, `address = "host:port"`; `reset` is the server's own command, `uart` a serial port."""
    known = {**_LAYOUT, "address": "", "reset": "reset halt", "uart": "", "baud": 115200}
    given = read_options(options, known, where=name)
    host, _, port = str(given["address"]).rpartition(":")
    if not host or not port.isdigit():
        raise ConfigurationError(
            f"wrong address {given['address']!r}",
            where=f"board {name!r}",
            todo='Write address = "localhost:3333" (OpenOCD, pyOCD) or "localhost:2331" (J-Link).',
        )
    baud = given["baud"]
    assert isinstance(baud, int)
    rig = Attached(name, host, int(port), reset=str(given["reset"]), uart=str(given["uart"]), baud=baud)
    return CortexTestee(name, read_layout(given, where=name), rig)
