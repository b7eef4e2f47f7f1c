"""Calls of processes that a test starts: nobody records those, but the system's table shows connections."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

STARTING = {
    "subprocess": (("Popen", "__init__"),),
    "os": (("", "system"), ("", "posix_spawn"), ("", "posix_spawnp")),
    "multiprocessing.process": (("BaseProcess", "start"),),
}
"""Where processes are started: module → class, if any, and function."""
_ASKING = frozenset({"platform", "uuid", "ctypes.util"})
"""Modules of Python that ask the system about itself, by commands of their own choice, which call nobody."""
_CLOSED = "0"
_LISTENING = "0A"
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOOPBACK = frozenset({"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"})


class Neighbours:
    """Tells whether another process called a target on this machine, from the first start of one on.

    A connection of somebody else's is one that this process neither made nor holds, and no target does that
    calls itself, as for a copy. One that is closed counts once, and one that was open before the first start
    does not: whoever has lent us the target keeps some. Elsewhere than on Linux nobody can be seen.
    """

    def __init__(self, endpoints: Iterable[str]) -> None:
        self._ports = {port for each in endpoints if (port := _local_port(each))}
        self._is_looking = False
        self._known: frozenset[str] = frozenset()
        self._before: frozenset[str] = frozenset()
        """The sockets that somebody else had open before the first start."""
        self._own: set[str] = set()

    def expect(self, starting: FrameType | None = None) -> None:
        """A process is about to be started; by whom, a frame tells."""
        if not self._is_looking and self._ports and _TABLES[0].exists() and not _asks_system(starting):
            self._is_looking = True
            now = _clients(self._ports)
            self._known = frozenset(now)
            self._before = frozenset(now.values()) - _own_sockets() - {_CLOSED}

    def note_own(self, port: int) -> None:
        """This process connects to a target from this port."""
        if self._is_looking:
            self._own.add(f"{port:04X}")

    def called(self) -> bool:
        """Whether somebody else was there since the last look."""
        if not self._is_looking:
            return False
        before, settled = self._own.copy(), self._before | _own_sockets()
        now = _clients(self._ports)
        settled |= _own_sockets()  # one may come or go at any moment
        others = {
            client: socket
            for client, socket in now.items()
            if client.rpartition(":")[2] not in self._own and socket not in settled
        }
        if others:
            served = _sockets_of_servers(self._ports)
            others = {client: socket for client, socket in others.items() if socket not in served}
        fresh = others.keys() - self._known
        self._known = frozenset(now)
        self._own -= before - {client.rpartition(":")[2] for client in now}
        return bool(fresh) or any(socket != _CLOSED for socket in others.values())


def _local_port(endpoint: str) -> int:
    authority = endpoint.rpartition("://")[2].partition("/")[0]
    host, _, port = authority.rpartition(":")
    return int(port) if host in ("127.0.0.1", "localhost", "[::1]") and port.isdigit() else 0


def _clients(ports: set[int]) -> dict[str, str]:
    """The clients' ends of connections to these ports: where they are, and the socket, or 0 once closed."""
    found: dict[str, str] = {}
    for table in _TABLES:
        if table.exists():
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                host, _, port = fields[2].rpartition(":")
                if int(port, 16) in ports and host in _LOOPBACK:
                    found[fields[1]] = fields[9]
    return found


def _own_sockets() -> set[str]:
    return _sockets(Path("/proc/self"))


def _sockets(process: Path) -> set[str]:
    """The sockets that a process has open; none where that is over, or not ours to know."""
    found: set[str] = set()
    try:
        files = list((process / "fd").iterdir())
    except OSError:
        return found
    for each in files:
        try:
            target = os.readlink(each)  # noqa: PTH115 - a socket is no path
        except OSError:
            continue  # the one that listed the others, or closed meanwhile
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


def _sockets_of_servers(ports: set[int]) -> set[str]:
    """The sockets of the processes that listen on these ports."""
    listening: set[str] = set()
    for table in _TABLES:
        if table.exists():
            rows = [line.split() for line in table.read_text().splitlines()[1:]]
            listening |= {
                row[9] for row in rows if row[3] == _LISTENING and int(row[1].rpartition(":")[2], 16) in ports
            }
    found: set[str] = set()
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and not listening.isdisjoint(held := _sockets(process)):
            found |= held
    return found


def _asks_system(frame: FrameType | None) -> bool:
    """Whether it is Python itself that starts a process, to ask the system something."""
    while frame is not None and frame.f_globals.get("__name__") == "subprocess":
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") in _ASKING
