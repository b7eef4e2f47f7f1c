"""Byte links to testees, with a time limit on every wait: process, TCP, Unix socket, pty, serial port."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

from likewise.device.testee import LimitReached, LinkLost
from likewise.run.leash import start_leashed

CHUNK = 1 << 16
SELECTABLE = 1024
"""From here on file descriptors are too large for `select`."""
LONGEST = 90
"""Bytes in the path of a folder for sockets: theirs may have 103 on every system."""
GRACE = 1.0
"""Seconds that a process gets to end after it was asked to."""


class Deadline:
    """A moment by which something must have happened; waits along the way share it."""

    __slots__ = ("_end", "limit")

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        """Seconds until then, never below 0."""
        return max(0.0, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() >= self._end


class Link(Protocol):
    """Bytes to and from a testee."""

    @property
    def description(self) -> str:
        """What the link leads to, for messages."""
        ...

    def write(self, data: bytes, deadline: Deadline) -> None:
        """Send all of it. Raises LinkLost or LimitReached."""
        ...

    def read(self, deadline: Deadline) -> bytes:
        """Whatever has arrived, at least one byte. Raises LinkLost or LimitReached."""
        ...

    def close(self) -> None:
        """Let go, and end what was started for the link. May be called twice."""
        ...


class FileLink:
    """A link over file descriptors: all the links below are made of this."""

    def __init__(
        self,
        *,
        reading: int,
        writing: int,
        description: str,
        on_close: Callable[[], None],
        after_read: Callable[[], None] | None = None,
        explain: Callable[[], str] = str,
    ) -> None:
        """`explain` says what else is known where the link breaks: how a process ended."""
        self._reading, self._writing, self._description = reading, writing, description
        self._on_close, self._after_read, self._explain = on_close, after_read, explain
        self._is_open = True
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        self._readable = select.poll()
        self._readable.register(reading, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(writing, select.POLLOUT)

    @property
    def description(self) -> str:
        """What the link leads to."""
        return self._description

    def write(self, data: bytes, deadline: Deadline) -> None:
        """Send all of it, waiting where the other side is slow to take it."""
        rest = memoryview(data)
        while rest:
            self._check()
            try:
                rest = rest[os.write(self._writing, rest) :]
            except BlockingIOError:
                if not self._writable.poll(deadline.left * 1000):
                    raise LimitReached(
                        "room for more bytes", after=deadline.limit, where=self._description
                    ) from None
            except OSError as error:
                self._lost(error)

    def read(self, deadline: Deadline) -> bytes:
        """Whatever has arrived; end of file is a lost link."""
        while True:
            self._check()
            if not self._arrives(deadline.left):
                if deadline.is_over:
                    raise LimitReached("answer", after=deadline.limit, where=self._description)
                continue
            try:
                data = os.read(self._reading, CHUNK)
            except BlockingIOError:
                continue  # somebody else was quicker
            except OSError as error:
                self._lost(error)
            if not data:
                self._lost(None)
            if self._after_read is not None:
                self._after_read()
            return data

    def close(self) -> None:
        """Let go once."""
        if self._is_open:
            self._is_open = False
            self._on_close()

    def _arrives(self, left: float) -> bool:
        """Wait for bytes, exactly: `poll` rounds up to milliseconds; `select` knows only small numbers."""
        try:
            if self._reading < SELECTABLE:
                return bool(select.select((self._reading,), (), (), left)[0])
            return bool(self._readable.poll(left * 1000))
        except OSError as error:
            self._lost(error)

    def _check(self) -> None:
        if not self._is_open:
            raise LinkLost("the link is closed", where=self._description)

    def _lost(self, error: OSError | None) -> NoReturn:
        gone = error is None or error.errno in (errno.EPIPE, errno.ECONNRESET, errno.EIO, errno.ENXIO)
        why = "" if error is None else os.strerror(error.errno or 0)
        raise LinkLost(
            "the link broke" if gone else "the link failed",
            where=self._description,
            why="; ".join(each for each in (why, self._explain()) if each),
            todo="Check the cable, the server or the process behind it.",
        ) from error


def open_process(command: Sequence[str], *, description: str = "") -> FileLink:
    """Start a program and talk to it over its stdin and stdout; it ends with the link."""
    if shutil.which(command[0]) is None:
        raise LinkLost(
            "the program cannot be started",
            where=str(command[0]),
            why="there is no such program",
            todo="Install it, or correct its path.",
        )
    process = start_leashed(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    streams = (process.stdin, process.stdout)

    def close() -> None:
        for stream in streams:
            with contextlib.suppress(OSError):
                stream.close()
        end(process)

    return FileLink(
        reading=process.stdout.fileno(),
        writing=process.stdin.fileno(),
        description=description or Path(command[0]).name,
        on_close=close,
        explain=lambda: ended(process),
    )


def ended(process: subprocess.Popen[bytes]) -> str:
    """How a process ended, in words; nothing while it runs."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.2)  # the pipe closes a moment before the process can be asked
    code = process.returncode
    if code is None:
        return ""
    if code < 0:
        return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended with exit code {code}"


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, then insist."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def open_tcp(host: str, port: int, deadline: Deadline) -> FileLink:
    """Connect to a TCP server, again and again until it listens or the limit is reached.

    Small messages leave at once and are acknowledged at once: without this, two machines that wait
    for each other's acknowledgement lose 40 ms a message.
    """
    connection = _connect(lambda: socket.create_connection((host, port), 1.0), f"{host}:{port}", deadline)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    quick = getattr(socket, "TCP_QUICKACK", None)

    def acknowledge() -> None:
        if quick is not None:
            connection.setsockopt(socket.IPPROTO_TCP, quick, 1)

    acknowledge()
    return _over_socket(connection, f"{host}:{port}", acknowledge)


def socket_folder(prefix: str) -> Path:
    """A new folder for sockets, elsewhere than usual where its path would be too long for them."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    if len(os.fsencode(folder)) <= LONGEST:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))


def open_unix(path: Path, deadline: Deadline) -> FileLink:
    """Connect to a Unix socket, again and again until it listens or the limit is reached."""

    def connect() -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
        except BaseException:
            connection.close()
            raise
        return connection

    return _over_socket(_connect(connect, str(path), deadline), str(path), None)


def _connect(connect: Callable[[], socket.socket], where: str, deadline: Deadline) -> socket.socket:
    while True:
        try:
            return connect()
        except OSError as error:
            if deadline.is_over:
                raise LimitReached(
                    "connection",
                    after=deadline.limit,
                    where=where,
                    why=error.strerror or str(error),
                    todo="Check that the server listens there.",
                ) from error
            time.sleep(0.005)


def _over_socket(
    connection: socket.socket, description: str, acknowledge: Callable[[], None] | None
) -> FileLink:
    number = connection.fileno()
    return FileLink(
        reading=number,
        writing=number,
        description=description,
        on_close=connection.close,
        after_read=acknowledge,
    )


def open_serial(port: str, *, baud: int = 115200) -> FileLink:
    """Open a serial port or pty through pyserial."""
    import serial

    try:
        device = serial.Serial(port, baud, timeout=0, exclusive=True)
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise LinkLost(
            "the serial port cannot be opened",
            where=port,
            why=str(error),
            todo="Check that it is plugged in, that you may use it, and that no other program does.",
        ) from error
    number = device.fileno()
    attributes = termios.tcgetattr(number)
    # Otherwise an empty line reads as no bytes at all, just as one that was unplugged.
    attributes[6][termios.VMIN] = 1
    termios.tcsetattr(number, termios.TCSANOW, attributes)
    return FileLink(reading=number, writing=number, description=port, on_close=device.close)
