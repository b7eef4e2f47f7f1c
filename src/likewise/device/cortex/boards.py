"""How a Cortex-M is reached, loaded and reset: QEMU, or a server that drives a real one."""

from __future__ import annotations

import contextlib
import re
import subprocess
import time
from functools import cache
from typing import Protocol

from likewise.device.cortex.core import PC, CoreLost, CoreTimedOut
from likewise.device.cortex.image import Image
from likewise.device.cortex.qemu import Qemu, find_qemu
from likewise.device.cortex.remote import Remote, RemoteError, check, escape
from likewise.device.cortex.remotecore import RemoteCore
from likewise.device.links import Deadline, Link, open_serial, open_tcp
from likewise.device.nearness import near
from likewise.device.testee import DeviceError

MARKER = 0x5A5AA5A5
AUTOMATIC = "automatic"
RESETS = ("reset halt", "system_reset", "reset")
"""How OpenOCD and pyOCD, QEMU, and J-Link are told to reset."""
NOWHERE = 0x20000000
"""An address that no processor starts at."""
PATIENCE = 1.0
"""Seconds in which a reset shows."""
UNKNOWN = re.compile(r"unknown command|invalid command|unrecognized|not supported|no such command", re.I)


class Rig(Protocol):
    """What lies between a testee and its processor."""

    @property
    def core(self) -> RemoteCore:
        """The processor. Raises CoreLost where there is none."""
        ...

    @property
    def uart(self) -> Link | None:
        """Where the program listens and talks."""
        ...

    @property
    def version(self) -> str:
        """What it is."""
        ...

    @property
    def has_bell(self) -> bool:
        """Whether a watched word stops it just before it is written to, and sooner than a breakpoint does."""
        ...

    def connect(self, deadline: Deadline) -> None:
        """Reach it."""
        ...

    def load(self, image: Image, deadline: Deadline) -> None:
        """Put a program on it; it stands still afterwards."""
        ...

    def reset(self, deadline: Deadline) -> None:
        """Reset processor and peripherals; it stands still afterwards."""
        ...

    def how_it_ended(self) -> str:
        """What is known about its end."""
        ...

    def close(self) -> None:
        """Let go."""
        ...


class Emulated:
    """A QEMU board: started anew for every program, which is what flashing is there."""

    def __init__(self, name: str, machine: str) -> None:
        self._name, self._machine = name, machine
        self._qemu: Qemu | None = None
        self._core: RemoteCore | None = None

    @property
    def core(self) -> RemoteCore:
        """The processor."""
        if self._core is None:
            raise CoreLost("there is no QEMU running")
        return self._core

    @property
    def uart(self) -> Link | None:
        """The first UART."""
        return self._qemu.uart if self._qemu is not None else None

    @property
    def version(self) -> str:
        """QEMU's version and the machine."""
        return f"{_version()} {self._machine}"

    @property
    def has_bell(self) -> bool:
        """At each breakpoint, but not at a watched word, QEMU throws all its translations away."""
        return True

    @property
    def pid(self) -> int:
        """QEMU's process."""
        return self._qemu.pid if self._qemu is not None else 0

    def connect(self, deadline: Deadline) -> None:
        """Make sure that there is a QEMU; it starts with the first program."""
        find_qemu(self._name)

    def load(self, image: Image, deadline: Deadline) -> None:
        """Start a board with the program in its flash."""
        self.close()
        self._qemu = Qemu(self._machine, image.content, name=self._name, deadline=deadline)
        self._core = RemoteCore(Remote(self._qemu.gdb), near=near(self._qemu.pid), reads_on_stopping=True)
        self._core.open(deadline)

    def reset(self, deadline: Deadline) -> None:
        """QEMU resets a moment after it said so: wait until a register shows it."""
        core = self.core
        core.set_registers({0: MARKER})
        core.command("system_reset", deadline.left)
        while core.registers()[0] == MARKER:
            if deadline.is_over:
                raise CoreTimedOut
            time.sleep(0.0002)

    def how_it_ended(self) -> str:
        """How QEMU ended, where it did."""
        return self._qemu.how_it_ended() if self._qemu is not None else ""

    def close(self) -> None:
        """End QEMU."""
        if self._core is not None:
            self._core.near.part()
        self._core = None
        if self._qemu is not None:
            self._qemu.close()
            self._qemu = None


class Attached:
    """A server such as OpenOCD, pyOCD or J-Link's: flash is written by its own commands."""

    def __init__(self, name: str, host: str, port: int, *, reset: str, uart: str, baud: int) -> None:
        self._name, self._host, self._port = name, host, port
        self._resets = RESETS if reset == AUTOMATIC else (reset,) if reset else ()
        self._uart_port, self._baud = uart, baud
        self._remote: Remote | None = None
        self._core: RemoteCore | None = None
        self._uart: Link | None = None
        self._flash: list[tuple[int, int, int]] = []

    @property
    def core(self) -> RemoteCore:
        """The processor."""
        if self._core is None:
            raise CoreLost("not connected")
        return self._core

    @property
    def uart(self) -> Link | None:
        """The serial port, where one is named; opened with the first use."""
        if self._uart is None and self._uart_port:
            self._uart = open_serial(self._uart_port, baud=self._baud)
        return self._uart

    @property
    def version(self) -> str:
        """Where it is."""
        return f"gdb server {self._host}:{self._port}"

    @property
    def has_bell(self) -> bool:
        """A real processor stops some instructions later."""
        return False

    def connect(self, deadline: Deadline) -> None:
        """Attach."""
        self.close()
        self._remote = Remote(open_tcp(self._host, self._port, deadline))
        self._core = RemoteCore(self._remote)
        self._core.open(deadline)
        self._flash = self._read_map(deadline)

    def _read_map(self, deadline: Deadline) -> list[tuple[int, int, int]]:
        """Start, length and block size of the flash that the server knows."""
        assert self._remote is not None
        answer = self._remote.ask(b"qXfer:memory-map:read::0,1000", deadline)
        found = re.findall(
            rb'<memory type="flash" start="(0x[0-9a-f]+|\d+)" length="(0x[0-9a-f]+|\d+)".*?'
            rb'<property name="blocksize">\s*(0x[0-9a-f]+|\d+)',
            answer,
            re.S | re.I,
        )
        return [(int(a, 0), int(b, 0), int(c, 0)) for a, b, c in found]

    def load(self, image: Image, deadline: Deadline) -> None:
        """Write flash by the server's commands, RAM as memory, then reset."""
        core = self.core
        if core.is_running:
            core.halt(deadline.left)
        core.clear_stops()
        to_flash = [each for each in image.segments if each.data and self._block(each.load)]
        for segment in image.segments:
            if segment.data and segment not in to_flash and not core.write(segment.load, segment.data):
                raise DeviceError(
                    f"there is no memory at 0x{segment.load:x} for {image.where}",
                    where=self._name,
                    todo="Link the program for this board's memory.",
                )
        for segment in to_flash:
            block = self._block(segment.load)
            start = segment.load // block * block
            length = -(-(segment.load + len(segment.data) - start) // block) * block
            self._flash_command(b"vFlashErase:%x,%x" % (start, length), deadline)
        for segment in to_flash:
            for at in range(0, len(segment.data), 512):
                piece = escape(segment.data[at : at + 512])
                self._flash_command(b"vFlashWrite:%x:%s" % (segment.load + at, piece), deadline)
        if to_flash:
            self._flash_command(b"vFlashDone", deadline)
        self.reset(deadline)

    def _block(self, address: int) -> int:
        return next((block for start, length, block in self._flash if start <= address < start + length), 0)

    def _flash_command(self, payload: bytes, deadline: Deadline) -> None:
        assert self._remote is not None
        check(self._remote.ask(payload, deadline), payload[:11].decode())

    def reset(self, deadline: Deadline) -> None:
        """By the server's own command; without one, registers and variables are set, which is all we can."""
        core = self.core
        if core.is_running:
            core.halt(deadline.left)
        said: list[str] = []
        for command in self._resets:
            core.set_registers({PC: NOWHERE})
            try:
                answer = core.command(command, deadline.left).strip()
                patience = 0.0 if UNKNOWN.search(answer) else PATIENCE
            except RemoteError as error:
                answer, patience = str(error), 0.0
            if self._has_left(core, Deadline(min(patience, deadline.left))):
                self._resets = (command,)  # this is the one that this server understands
                return
            said.append(f"{command!r} did nothing" + (f" ({answer})" if answer else ""))
        if said:
            raise DeviceError(
                "the server does not reset the processor",
                where=self._name,
                why="; ".join(said),
                todo='Set reset = "…" to what your server understands, or reset = "" for none.',
            )

    def _has_left(self, core: RemoteCore, deadline: Deadline) -> bool:
        """Whether the processor is no longer where it was put; some servers reset a moment later."""
        while core.registers()[PC] == NOWHERE:
            if deadline.is_over:
                return False
            time.sleep(0.0005)
        return True

    def how_it_ended(self) -> str:
        """The link says it."""
        return ""

    def close(self) -> None:
        """Detach; breakpoints that are in memory would stay in it."""
        if self._core is not None and not self._core.is_running:
            with contextlib.suppress(CoreLost, CoreTimedOut, RemoteError):
                self._core.clear_stops()
        for link in (self._remote, self._uart):
            if link is not None:
                link.close()
        self._remote = self._core = self._uart = None


@cache
def _version() -> str:
    said = subprocess.run([find_qemu("qemu"), "--version"], capture_output=True, check=False).stdout
    found = re.search(rb"version ([\d.]+)", said)
    return f"qemu {found[1].decode()}" if found else "qemu"
