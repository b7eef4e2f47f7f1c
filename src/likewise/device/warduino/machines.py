"""How one gets to a WARDuino: a virtual machine that is started, a server, a serial port."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from likewise.device.links import Deadline, Link, end, ended, open_process, open_serial, open_tcp
from likewise.device.testee import DeviceError
from likewise.run.leash import start_leashed


class Machine(Protocol):
    """A place where a WARDuino runs."""

    @property
    def starts_programs(self) -> bool:
        """Whether opening it starts the machine anew with a program."""
        ...

    def open(self, program: bytes, deadline: Deadline) -> Link:
        """A link to it. Raises DeviceError."""
        ...


class _Owning:
    """A link that takes something down with it."""

    def __init__(self, link: Link, process: subprocess.Popen[bytes] | None, folder: Path) -> None:
        self._link, self._process, self._folder = link, process, folder

    @property
    def description(self) -> str:
        how = ended(self._process) if self._process is not None and self._process.poll() is not None else ""
        return f"{self._link.description} ({how})" if how else self._link.description

    def write(self, data: bytes, deadline: Deadline) -> None:
        self._link.write(data, deadline)

    def read(self, deadline: Deadline) -> bytes:
        return self._link.read(deadline)

    def close(self) -> None:
        self._link.close()
        if self._process is not None:
            end(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Spawned:
    """A virtual machine started for each program; over its stdin and stdout, or a socket of its own."""

    command: tuple[str, ...]
    over_tcp: bool = False

    @property
    def starts_programs(self) -> bool:
        return True

    def open(self, program: bytes, deadline: Deadline) -> Link:
        if shutil.which(self.command[0]) is None:
            raise DeviceError(
                "the virtual machine cannot be started",
                where=self.command[0],
                why="there is no such program",
                todo="Give the path of WARDuino's command line program as `command`.",
            )
        folder = Path(tempfile.mkdtemp(prefix="likewise-warduino-"))
        try:
            file = folder / "program.wasm"
            file.write_bytes(program)
            if self.over_tcp:
                return self._over_tcp(folder, file, deadline)
            link = open_process([*self.command, str(file), "--no-socket", "--paused"], description="WARDuino")
            return _Owning(link, None, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _over_tcp(self, folder: Path, file: Path, deadline: Deadline) -> Link:
        with contextlib.closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = start_leashed([*self.command, str(file), "--socket", str(port), "--paused"])
        try:
            return _Owning(open_tcp("127.0.0.1", port, deadline), process, folder)
        except BaseException:
            end(process)
            raise


@dataclass(frozen=True, slots=True)
class Server:
    """A virtual machine that somebody else runs."""

    host: str
    port: int

    @property
    def starts_programs(self) -> bool:
        return False

    def open(self, program: bytes, deadline: Deadline) -> Link:
        return open_tcp(self.host, self.port, deadline)


@dataclass(frozen=True, slots=True)
class Board:
    """A board on a serial port."""

    port: str
    baud: int = 115200

    @property
    def starts_programs(self) -> bool:
        return False

    def open(self, program: bytes, deadline: Deadline) -> Link:
        return open_serial(self.port, baud=self.baud)
