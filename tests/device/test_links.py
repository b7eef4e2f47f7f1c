"""Links wait no longer than they may, and say what broke."""

from __future__ import annotations

import os
import pty
import signal
import socket
import sys
import threading

import pytest

from likewise.device.links import Deadline, FileLink, open_process, open_serial, open_tcp
from likewise.device.testee import LimitReached, LinkLost

ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"


def line(link: FileLink) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += link.read(Deadline(10))
    return data


def test_process_is_talked_to_and_ended() -> None:
    link = open_process([sys.executable, "-c", ECHO])
    link.write(b"hello\n", Deadline(10))
    assert line(link) == b"HELLO\n"
    link.close()
    link.close()
    with pytest.raises(LinkLost, match="closed"):
        link.read(Deadline(1))


def test_silence_is_a_limit_reached() -> None:
    link = open_process([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        with pytest.raises(LimitReached, match=r"no answer within 0\.05 s"):
            link.read(Deadline(0.05))
    finally:
        link.close()


def test_killed_process_says_how_it_ended() -> None:
    link = open_process([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    try:
        with pytest.raises(LinkLost, match="SIGKILL"):
            link.read(Deadline(10))
    finally:
        link.close()
    assert signal.SIGKILL == 9


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(LinkLost, match="cannot be started"):
        open_process(["/nowhere/board"])


def test_tcp_and_its_end() -> None:
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        connection.sendall(connection.recv(100) + b"!")
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    link = open_tcp("127.0.0.1", server.getsockname()[1], Deadline(10))
    link.write(b"hi", Deadline(10))
    assert link.read(Deadline(10)) == b"hi!"
    with pytest.raises(LinkLost, match="broke"):
        link.read(Deadline(10))
    link.close()
    thread.join()
    server.close()


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(LimitReached, match="connection"):
        open_tcp("127.0.0.1", port, Deadline(0.05))


def test_unplugged_serial_port() -> None:
    board, port = pty.openpty()
    link = open_serial(os.ttyname(port))
    os.close(port)
    os.write(board, b"ready")
    assert link.read(Deadline(10)) == b"ready"
    os.close(board)
    with pytest.raises(LinkLost):
        link.read(Deadline(10))
    link.close()


def test_no_such_serial_port() -> None:
    with pytest.raises(LinkLost, match="plugged in"):
        open_serial("/dev/ttyNOWHERE")
