"""QEMU boards, started and ended for a testee."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from likewise.device.links import Deadline, FileLink, end, ended, open_unix, socket_folder
from likewise.device.testee import DeviceError, LinkLost
from likewise.run.leash import start_leashed

QEMU = "qemu-system-arm"


class Qemu:
    """One running board: its GDB server and its first UART, as links. It ends with this process."""

    def __init__(self, machine: str, program: bytes, *, name: str, deadline: Deadline) -> None:
        self._name = name
        self._folder = socket_folder("likewise-qemu-")
        self._process: subprocess.Popen[bytes] | None = None
        self.links: list[FileLink] = []
        try:
            self._start(machine, program, deadline)
        except BaseException:
            self.close()
            raise

    @property
    def gdb(self) -> FileLink:
        """The GDB server."""
        return self.links[0]

    @property
    def uart(self) -> FileLink:
        """The first UART."""
        return self.links[1]

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid if self._process is not None else 0

    def _start(self, machine: str, program: bytes, deadline: Deadline) -> None:
        folder = self._folder
        kernel, said = folder / "program.elf", folder / "said"
        try:
            kernel.write_bytes(program)
            log = said.open("wb")
        except OSError as error:
            raise DeviceError(
                "the program cannot be given to QEMU",
                where=str(kernel),
                why=error.strerror or str(error),
                todo="Make room in the folder for temporary files, or set TMPDIR to another one.",
            ) from error
        sockets = [folder / "gdb", folder / "uart"]
        command = [find_qemu(self._name), "-M", machine, "-kernel", str(kernel)]
        command += ["-nographic", "-monitor", "none", "-S"]
        for number, place in enumerate(sockets):
            command += ["-chardev", f"socket,path={place},server=on,wait=off,id=c{number}"]
        command += ["-gdb", "chardev:c0", "-serial", "chardev:c1"]
        with log:
            self._process = start_leashed(command, stdout=log, stderr=log)
        for place in sockets:
            self.links.append(self._open(place, said, deadline))

    def _open(self, place: Path, said: Path, deadline: Deadline) -> FileLink:
        """Connect to a socket of QEMU's, but do not wait for one that has ended."""
        while True:
            try:
                return open_unix(place, Deadline(min(0.05, deadline.left)))
            except DeviceError as error:
                assert self._process is not None
                if self._process.poll() is not None:
                    raise LinkLost(
                        "QEMU did not start",
                        where=self._name,
                        why=said.read_text(errors="replace").strip()[-500:] or ended(self._process),
                        todo="Check the machine's name and that the program fits its memory.",
                    ) from error
                if deadline.is_over:
                    raise

    def how_it_ended(self) -> str:
        """In words; nothing while it runs."""
        return ended(self._process) if self._process is not None else ""

    def close(self) -> None:
        """End the board."""
        for link in self.links:
            link.close()
        if self._process is not None:
            end(self._process)
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)


def find_qemu(name: str) -> str:
    """Where QEMU is."""
    found = shutil.which(QEMU)
    if found is None:
        raise DeviceError(
            "QEMU is not installed", where=name, todo="Install it with: apt-get install qemu-system-arm"
        )
    return found
