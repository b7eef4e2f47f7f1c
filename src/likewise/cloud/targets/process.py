"""A server process on a leash: its own group, its own log, gone when its parent is gone."""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from likewise.run.leash import leashed

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What a server may see of the user's environment: nothing that could be a secret."""


class Process:
    """One running server.

    It is started, and waited for, by a thread of its own: the kernel ties the leash to the thread that
    started the process, so that thread must live as long as the process does.
    """

    def __init__(self, argv: Sequence[str], *, environment: Mapping[str, str], directory: Path) -> None:
        self.log = directory / "server.log"
        self._argv = leashed(argv)
        self._environment = scrubbed(home=directory) | dict(environment)
        self._directory = directory
        self._owner = os.getpid()
        self._popen: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        started = threading.Event()
        self._keeper = threading.Thread(
            target=self._keep, args=(started,), daemon=True, name="likewise-server"
        )
        self._keeper.start()
        started.wait()
        if self._failure is not None:
            raise self._failure
        atexit.register(self.stop)

    def _keep(self, started: threading.Event) -> None:
        try:
            with self.log.open("ab") as log:
                self._popen = subprocess.Popen(
                    self._argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self._directory,
                    env=self._environment,
                    start_new_session=True,
                )
        except OSError as error:
            self._failure = error
            return
        finally:
            started.set()
        self._popen.wait()

    @property
    def _process(self) -> subprocess.Popen[bytes]:
        assert self._popen is not None
        return self._popen

    @property
    def pid(self) -> int:
        """The process id, which is also its group's."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.poll()

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.exit_code is None

    def owns(self, port: int) -> bool:
        """Whether it is this process that listens on the port, and not somebody who was faster.

        Where the system does not say, the answer is yes.
        """
        inodes = _listening(port)
        if inodes is None:
            return True
        try:
            handles = list(Path(f"/proc/{self.pid}/fd").iterdir())
        except OSError:
            return self.is_alive()
        for handle in handles:
            try:
                link = str(handle.readlink())
            except OSError:
                continue  # closed while we looked
            if link.startswith("socket:[") and link[8:-1] in inodes:
                return True
        return False

    def stop(self, *, grace: float = 0.5) -> None:
        """End the whole group: politely, then not. Does nothing the second time or in a forked child."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        if self.is_alive() and grace > 0:
            self._signal(signal.SIGTERM)
            self._keeper.join(timeout=grace)
        self._signal(signal.SIGKILL)
        self._keeper.join(timeout=10)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return  # the group is empty; on some systems a group of zombies cannot be signalled

    def tail(self, lines: int = 15) -> str:
        """The end of the log."""
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""


def scrubbed(*, home: Path) -> dict[str, str]:
    """An environment without anything of the user's that a server could use or leak."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {
        "HOME": str(home),
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "PYTHONUNBUFFERED": "1",
    }


def free_ports(count: int) -> tuple[int, ...]:
    """Ports that nobody uses at this moment; all are held until all are found, so they differ."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return tuple(each.getsockname()[1] for each in sockets)
    finally:
        for each in sockets:
            each.close()


def accepts(host: str, port: int, *, timeout: float = 1.0) -> bool:
    """Whether somebody accepts connections there."""
    try:
        with socket.create_connection((host, port), timeout=timeout):
            return True
    except OSError:
        return False


def is_running(pid: int) -> bool:
    """Whether a process of this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def wait_until(is_true: Callable[[], bool], *, limit: float, process: Process) -> bool:
    """Poll until the predicate holds; False when the limit is reached or the process has ended."""
    deadline = time.monotonic() + limit
    pause = 0.02
    while time.monotonic() < deadline:
        if not process.is_alive():
            return False
        if is_true():
            return True
        time.sleep(pause)
        pause = min(pause * 1.3, 0.05)
    return False


def _listening(port: int) -> set[str] | None:
    """The inodes of the sockets that listen on a port, or None where the system does not tell."""
    found: set[str] = set()
    told = False
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        try:
            rows = table.read_text().splitlines()[1:]
        except OSError:
            continue
        told = True
        for row in rows:
            fields = row.split()
            if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found if told else None
