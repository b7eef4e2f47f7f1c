"""A Cortex-M in this process: needs nothing but `pip install likewise[device]`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from likewise.device.commands import Command, Invoke, Receive, Send
from likewise.device.cortex import batch
from likewise.device.cortex.caller import Caller
from likewise.device.cortex.compiling import load_image
from likewise.device.cortex.core import PC, CoreTimedOut, Stopped
from likewise.device.cortex.debugger import Debugger
from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import MACHINES, Layout
from likewise.device.cortex.room import Room
from likewise.device.inventory import read_options
from likewise.device.links import Deadline
from likewise.device.nearness import Apart
from likewise.device.program import Program
from likewise.device.receiving import wanted_of
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
    Crashed,
    DeviceError,
    Limits,
    Refused,
    Testee,
    TimedOut,
)
from likewise.model import ConfigurationError

PAGE = 0x1000
PERIPHERALS, PERIPHERALS_SIZE = 0x40000000, 0x100000
SYSTEM, SYSTEM_SIZE = 0xE0000000, 0x100000
UART = 0x4000C000
UART_FLAGS, NOTHING_RECEIVED = 0x18, 0x10
SLICE = 0.01
"""Seconds of running that are caught up with where a running program is paused or sent something."""


class UnicornCore:
    """The processor: Unicorn, a watchdog, and a UART."""

    def __init__(self, layout: Layout) -> None:
        import unicorn
        from unicorn import arm_const

        self._unicorn = unicorn
        mode = unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS
        self._cpu: Any = unicorn.Uc(unicorn.UC_ARCH_ARM, mode)
        model = getattr(arm_const, f"UC_CPU_ARM_{layout.cpu.upper().replace('-', '_')}", None)
        if model is None:
            raise ConfigurationError(
                f"unknown processor {layout.cpu!r}", todo="Use cortex-m0, -m3, -m4, -m7 or -m33."
            )
        self._cpu.ctl_set_cpu_model(model)
        self._layout = layout
        self._ids = [getattr(arm_const, f"UC_ARM_REG_R{number}") for number in range(16)]
        self._ids.append(arm_const.UC_ARM_REG_XPSR)
        self._cpu.mem_map(
            layout.flash, _pages(layout.flash_size), unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC
        )
        self._cpu.mem_map(layout.ram, _pages(layout.ram_size))
        self._cpu.mem_map(SYSTEM, SYSTEM_SIZE)
        self._cpu.mmio_map(PERIPHERALS, PERIPHERALS_SIZE, self._load, None, self._store, None)
        self._stops: set[int] = set()
        self._last = Stopped(0)
        self._cpu.ctl_exits_enabled(True)
        self.near = Apart()
        self.received: bytearray = bytearray()
        self.sent: bytearray = bytearray()
        self.is_running = False
        self._watchdog = Watchdog(self._cpu.emu_stop)

    def close(self) -> None:
        self._watchdog.close()

    def registers(self) -> list[int]:
        values: list[int] = [self._cpu.reg_read(each) for each in self._ids]
        return values

    def set_registers(self, values: Mapping[int, int]) -> None:
        for register, value in values.items():
            self._cpu.reg_write(self._ids[register], value)

    def read(self, address: int, length: int) -> bytes | None:
        try:
            return bytes(self._cpu.mem_read(address, length))
        except self._unicorn.UcError:
            return None

    def write(self, address: int, data: bytes) -> bool:
        try:
            self._cpu.mem_write(address, data)
        except self._unicorn.UcError:
            return False
        if self._layout.flash <= address < self._layout.flash + self._layout.flash_size:
            self._cpu.ctl_flush_tb()
        return True

    def set_stop(self, address: int) -> None:
        self._stops.add(address)
        self._set_exits()

    def clear_stop(self, address: int) -> None:
        self._stops.discard(address)
        self._set_exits()

    def clear_stops(self) -> None:
        self._stops = set()
        self._set_exits()

    def _set_exits(self) -> None:
        self._cpu.ctl_set_exits(sorted(self._stops))

    def start(
        self, memory: Sequence[tuple[int, bytes]], registers: Mapping[int, int], deadline: Deadline
    ) -> None:
        for address, data in memory:
            self._cpu.mem_write(address, data)
        self.set_registers(registers)
        self.is_running = True

    def wait_for_stop(self, deadline: Deadline) -> None:
        self._last = self._run(self._cpu.reg_read(self._ids[PC]), deadline.left)
        self.is_running = False

    def collect(self, memory: Sequence[tuple[int, int]]) -> tuple[int, int, int, list[bytes]]:
        self.is_running = False
        read, ids = self._cpu.reg_read, self._ids
        found = [bytes(self._cpu.mem_read(address, length)) for address, length in memory]
        return read(ids[0]), read(ids[1]), read(ids[PC]), found

    def halt(self, limit: float) -> None:
        self.is_running = False

    @property
    def fault(self) -> str:
        """What the last run died of, if it did."""
        return self._last.fault

    def _run(self, start: int, limit: float) -> Stopped:
        """Run from an address until a stop; raises CoreTimedOut after the limit."""
        try:
            with self._watchdog.guard(limit) as guard:
                self._cpu.emu_start(start | 1, 0)
        except self._unicorn.UcError as error:
            pc = self._cpu.reg_read(self._ids[PC])
            return Stopped(pc, f"HardFault: {error}")
        pc = self._cpu.reg_read(self._ids[PC])
        if guard.barked and pc not in self._stops:
            raise CoreTimedOut
        return Stopped(pc)

    def step(self, limit: float) -> Stopped:
        start = self._cpu.reg_read(self._ids[PC])
        stops, self._stops = self._stops, set()
        self._set_exits()
        self._cpu.ctl_flush_tb()  # a block that was translated whole would be run whole
        try:
            self._cpu.emu_start(start | 1, 0, count=1)
        except self._unicorn.UcError as error:
            return Stopped(start, f"HardFault: {error}")
        finally:
            self._stops = stops
            self._set_exits()
        return Stopped(self._cpu.reg_read(self._ids[PC]))

    def go(self) -> None:
        self.is_running = True

    def wait(self, limit: float) -> Stopped:
        stopped = self._run(self._cpu.reg_read(self._ids[PC]), limit)
        self.is_running = False
        return stopped

    def interrupt(self, limit: float) -> Stopped:
        if self.is_running:
            try:
                return self.wait(min(SLICE, limit))
            except CoreTimedOut:
                self.is_running = False
        return Stopped(self._cpu.reg_read(self._ids[PC]))

    def _load(self, _cpu: Any, offset: int, _size: int, _data: Any) -> int:
        if offset == UART - PERIPHERALS:
            return self.received.pop(0) if self.received else 0
        if offset == UART - PERIPHERALS + UART_FLAGS:
            return 0 if self.received else NOTHING_RECEIVED
        return 0

    def _store(self, _cpu: Any, offset: int, _size: int, value: int, _data: Any) -> None:
        if offset == UART - PERIPHERALS:
            self.sent.append(value & 0xFF)


class Guard:
    """One run that the watchdog looks after."""

    __slots__ = ("_dog", "barked")

    def __init__(self, dog: Watchdog) -> None:
        self._dog = dog
        self.barked = False

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *error: object) -> None:
        with self._dog.lock:
            self._dog.guarded = None


class Watchdog:
    """Stops a run that takes too long. Sleeps from deadline to deadline, so short runs cost it nothing."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self.lock = threading.Lock()
        self.guarded: Guard | None = None
        self._deadline = 0.0
        self._wakes_at = float("inf")
        self._wake = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def guard(self, limit: float) -> Guard:
        """Look after the run that begins now."""
        found = Guard(self)
        with self.lock:
            self._deadline = time.monotonic() + limit
            self.guarded = found
            sooner = self._deadline < self._wakes_at
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
            self._thread.start()
        elif sooner:
            self._wake.set()
        return found

    def close(self) -> None:
        """End the thread."""
        self._closed = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _watch(self) -> None:
        while not self._closed:
            with self.lock:
                left = self._deadline - time.monotonic()
                if self.guarded is not None and left <= 0:
                    self.guarded.barked = True
                    self._stop()
                    left = 0.0005  # the stop may have come a moment before the start: again
                elif left <= 0:
                    left = 1.0
                self._wakes_at = time.monotonic() + left
            self._wake.wait(left)
            self._wake.clear()


class UnicornTestee:
    """The embedded default."""

    __test__ = False

    def __init__(self, name: str, layout: Layout) -> None:
        self.name, self._layout = name, layout
        self.version = ""
        self.batch = 1
        self._core: UnicornCore | None = None
        self._image: Image | None = None
        self._debugger: Debugger | None = None
        self._caller: Caller | None = None

    def connect(self, limits: Limits) -> None:
        """Make a processor."""
        try:
            import unicorn
        except ImportError as error:
            raise DeviceError(
                "Unicorn is not installed", where=self.name, todo="pip install 'likewise[device]'"
            ) from error
        self.version = f"unicorn {unicorn.__version__}"
        self._core = UnicornCore(self._layout)

    def upload(self, program: Program, limits: Limits) -> None:
        """Load a program, compiled where it is source."""
        image = load_image(program, self._layout, limits.compile)
        self._image = image
        self.reset(limits)

    def reset(self, limits: Limits) -> None:
        """Memory and registers as after the upload."""
        core, image = self._ready()
        layout = self._layout
        core.write(layout.ram, bytes(layout.ram_size))
        for segment in image.segments:
            for place_ in {segment.load, segment.address}:
                if segment.data and not core.write(place_, segment.data):
                    raise DeviceError(
                        f"there is no memory at 0x{place_:x} for {image.where}",
                        where=self.name,
                        todo="Link the program for this board's memory.",
                    )
        room = Room(image, layout)
        self.batch = room.calls
        core.is_running = False
        core.received.clear()
        core.sent.clear()
        core.clear_stops()
        core.write(room.stub, batch.STUB)
        core.set_stop(room.back)
        core.set_registers(dict.fromkeys(range(16), 0) | room.registers)
        self._debugger = Debugger(core, image, {}, ends=room.ends)
        self._caller = Caller(core, image, room, self._stopped_in_call)

    def execute(self, calls: Sequence[Call]) -> list[Answer]:
        """Runs of calls together, everything else one by one."""
        if self._core is None or self._debugger is None or self._caller is None:
            return [Refused(kind="no program", message="upload one first")]
        first = calls[0]
        answers: list[Answer] = []
        try:
            if isinstance(first.command, Invoke):
                self._caller.execute(calls, answers)
            else:
                answers.append(self._execute(self._core, self._debugger, first.command, first.limit))
        except CoreTimedOut:
            answers.append(TimedOut(after=calls[len(answers)].limit))
        return answers

    def recover(self, limits: Limits) -> None:
        """A new processor: whatever happened to the old one is gone with it."""
        self.close()
        self.connect(limits)

    def close(self) -> None:
        """Let go of the processor."""
        if self._core is not None:
            self._core.close()
            self._core = None

    def _ready(self) -> tuple[UnicornCore, Image]:
        if self._core is None:
            raise DeviceError("not connected", where=self.name)
        if self._image is None:
            raise DeviceError("there is no program", where=self.name, todo="Upload one first.")
        return self._core, self._image

    def _execute(self, core: UnicornCore, debugger: Debugger, command: Command, limit: float) -> Answer:
        assert self._caller is not None
        self._caller.settle()
        self._caller.is_started = True
        if isinstance(command, Send):
            core.received += command.data
            return Answered()
        if isinstance(command, Receive):
            return self._receive(core, command, limit)
        return _named(debugger.execute(command, limit))

    def _stopped_in_call(self, pc: int) -> Answer:
        assert self._core is not None
        assert self._image is not None
        if self._core.fault:
            return _named(Crashed(kind=self._core.fault, message=_blame(self._image, pc)))
        return Refused(kind="breakpoint", message=f"{_blame(self._image, pc)}, before it returned")

    def _receive(self, core: UnicornCore, command: Receive, limit: float) -> Answer:
        deadline = Deadline(limit)
        while (end := wanted_of(command, core.sent)) is None:
            if not core.is_running:
                return Refused(
                    kind="paused", message=f"the program is paused and sent only {bytes(core.sent)!r}"
                )
            try:
                core.wait(min(SLICE, deadline.left))
            except CoreTimedOut:
                if deadline.is_over:
                    return TimedOut(after=limit)
        data = bytes(core.sent[:end])
        del core.sent[:end]
        return Answered(data=data)


def _named(answer: Answer) -> Answer:
    """Faults by the name they have on every board; what Unicorn calls them is told with it."""
    if isinstance(answer, Crashed) and answer.kind.startswith("HardFault"):
        kind, _, detail = answer.kind.partition(": ")
        return Crashed(kind=kind, message=f"{answer.message}: {detail}" if detail else answer.message)
    return answer


def _blame(image: Image, pc: int) -> str:
    line = image.line_at(pc & ~1)
    where = f" ({line.file}:{line.line})" if line else ""
    return f"in {image.function_at(pc & ~1) or 'unknown code'}{where} at 0x{pc & ~1:x}"


def _pages(size: int) -> int:
    return (size + PAGE - 1) // PAGE * PAGE


def open_testee(name: str, options: Mapping[str, object]) -> Testee:
    """`kind = "unicorn"`, with the memory of a QEMU machine where one is named."""
    known = {"machine": "lm3s6965evb", "cpu": "", "flash": -1, "flash_size": 0, "ram": -1, "ram_size": 0}
    given = read_options(options, known, where=name)
    return UnicornTestee(name, read_layout(given, where=name))


def read_layout(given: Mapping[str, object], *, where: str) -> Layout:
    """The memory of a machine, with what the board's table says otherwise."""
    machine = str(given["machine"])
    if machine not in MACHINES:
        raise ConfigurationError(
            f"unknown machine {machine!r}",
            where=f"board {where!r}",
            todo=f"Known machines: {', '.join(MACHINES)}; or give flash, flash_size, ram, ram_size and cpu.",
        )
    base = MACHINES[machine]
    numbers = {key: given[key] for key in ("flash", "flash_size", "ram", "ram_size")}
    chosen = {
        key: value if isinstance(value, int) and value > (0 if "size" in key else -1) else getattr(base, key)
        for key, value in numbers.items()
    }
    return Layout(cpu=str(given["cpu"] or base.cpu), **chosen)
