"""How one gets to a MicroPython: a serial port or pty, a TCP server, a micro:bit in QEMU."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from likewise.device.links import (
    Deadline,
    Link,
    end,
    ended,
    open_serial,
    open_tcp,
    open_unix,
    socket_folder,
)
from likewise.device.testee import DeviceError
from likewise.run.leash import start_leashed

FIRMWARE = Path("/usr/share/firmware-microbit-micropython/firmware.hex")
QEMU = "qemu-system-arm"


class Board(Protocol):
    """A place where MicroPython runs."""

    @property
    def starts(self) -> bool:
        """Whether opening it starts the board anew."""
        ...

    def open(self, deadline: Deadline) -> Link:
        """A link to its console. Raises DeviceError."""
        ...


@dataclass(frozen=True, slots=True)
class OnSerialPort:
    """A board on a serial port, or whatever is behind a pty."""

    port: str
    baud: int = 115200

    @property
    def starts(self) -> bool:
        return False

    def open(self, deadline: Deadline) -> Link:
        return open_serial(self.port, baud=self.baud)


@dataclass(frozen=True, slots=True)
class OverTcp:
    """A console behind a TCP port."""

    host: str
    port: int

    @property
    def starts(self) -> bool:
        return False

    def open(self, deadline: Deadline) -> Link:
        return open_tcp(self.host, self.port, deadline)


class _Emulated:
    """A link to QEMU, which ends with it."""

    def __init__(self, link: Link, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._link, self._process, self._folder = link, process, folder

    @property
    def description(self) -> str:
        how = ended(self._process) if self._process.poll() is not None else ""
        return f"micro:bit in QEMU ({how})" if how else "micro:bit in QEMU"

    def write(self, data: bytes, deadline: Deadline) -> None:
        self._link.write(data, deadline)

    def read(self, deadline: Deadline) -> bytes:
        return self._link.read(deadline)

    def close(self) -> None:
        self._link.close()
        end(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Microbit:
    """A micro:bit in QEMU, started for each link."""

    firmware: Path = FIRMWARE

    @property
    def starts(self) -> bool:
        return True

    def open(self, deadline: Deadline) -> Link:
        program = shutil.which(QEMU)
        if program is None:
            raise DeviceError("QEMU is not installed", where=QEMU, todo="apt-get install qemu-system-arm")
        if not self.firmware.exists():
            raise DeviceError(
                "the firmware is not there",
                where=str(self.firmware),
                todo="apt-get install firmware-microbit-micropython, or give its path as `firmware`.",
            )
        folder = socket_folder("likewise-microbit-")
        console = folder / "console"
        process = start_leashed(
            [
                *(program, "-M", "microbit", "-display", "none", "-monitor", "none"),
                *("-device", f"loader,file={self.firmware}"),
                # QEMU waits for us, so that nothing of what the board says first is lost.
                *("-chardev", f"socket,path={console},server=on,wait=on,id=console"),
                *("-serial", "chardev:console"),
            ]
        )
        try:
            return _Emulated(open_unix(console, deadline), process, folder)
        except BaseException:
            end(process)
            shutil.rmtree(folder, ignore_errors=True)
            raise
