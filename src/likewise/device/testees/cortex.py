"""A Cortex-M over the GDB remote protocol: a QEMU board started for you, or any server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from likewise.device.commands import Command, Invoke, Receive, Send
from likewise.device.cortex import batch
from likewise.device.cortex.bell import Bell
from likewise.device.cortex.boards import AUTOMATIC, Attached, Emulated, Rig
from likewise.device.cortex.caller import HALT, Caller
from likewise.device.cortex.compiling import load_image
from likewise.device.cortex.core import CoreLost, CoreTimedOut
from likewise.device.cortex.debugger import Debugger, exception_name
from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import Layout
from likewise.device.cortex.remote import RemoteError
from likewise.device.cortex.remotecore import RemoteCore
from likewise.device.cortex.room import MOST, TRIPS, Room
from likewise.device.inventory import read_options
from likewise.device.links import Deadline
from likewise.device.program import Program
from likewise.device.receiving import wanted_of
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
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
from likewise.device.testees.unicorn import read_layout
from likewise.model import ConfigurationError


class CortexTestee:
    """One Cortex-M. `rig` is how it is reached, loaded and reset."""

    __test__ = False

    def __init__(self, name: str, layout: Layout, rig: Rig) -> None:
        self.name, self._layout, self._rig = name, layout, rig
        self.batch = MOST * TRIPS
        self._image: Image | None = None
        self._debugger: Debugger | None = None
        self._caller: Caller | None = None
        self._bell: Bell | None = None
        self._received = bytearray()

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
        self._image = image
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
        """Runs of plain calls in few trips, everything else one by one."""
        if self._image is None or self._debugger is None:
            return [Refused(kind="no program", message="upload one first")]
        answers: list[Answer] = []
        try:
            self._execute(calls, answers)
        except CoreLost as error:
            answers.append(Lost(reason=self._how(error)))
        except CoreTimedOut:
            answers.append(TimedOut(after=calls[len(answers)].limit))
        except RemoteError as error:
            answers.append(Refused(kind="server", message=str(error)))
        return answers

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
        room = Room(image, layout)
        self.batch = room.calls * TRIPS
        packets += core.memory_writes(room.stub, batch.STUB)
        packets += core.writes(room.registers)
        for answer in core.ask(packets):
            if answer != b"OK":
                raise RemoteError(f"memory could not be prepared ({answer[:20]!r})")
        faults = _fault_handlers(image)
        for address in faults:
            core.set_stop(address)
        self._debugger = Debugger(core, image, faults, ends=room.ends)
        self._bell = Bell(core, room, watches=self._rig.has_bell)
        self._caller = Caller(core, image, room, self._debugger.stopped_in_call, self._bell)
        self._received.clear()

    def _execute(self, calls: Sequence[Call], answers: list[Answer]) -> None:
        assert self._caller is not None
        first = calls[0]
        if isinstance(first.command, Invoke):
            self._caller.execute(calls, answers)
        else:
            answers.append(self._debug(first.command, first.limit))

    def _debug(self, command: Command, limit: float) -> Answer:
        assert self._debugger is not None
        assert self._caller is not None
        self._caller.settle()
        if self._bell is not None and not self._core.is_running:
            self._bell.disarm()
        if isinstance(command, Send | Receive):
            return self._talk(command, limit)
        self._caller.is_started = True
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
    known = {**_LAYOUT, "address": "", "reset": AUTOMATIC, "uart": "", "baud": 115200}
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
