"""A copy of this process that does a piece of the work and hands the result back."""

from __future__ import annotations

import marshal
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

MOST = 4
"""So many processes at once, this one included: each takes its own memory."""


def processors() -> int:
    """How many processes may share the work: one where a copy of this one would not be safe.

    A copy has only the thread that made it: a lock that another one held would never be let go of.
    """
    tasks = Path("/proc/self/task")
    if sys.platform != "linux" or not tasks.is_dir() or len(list(tasks.iterdir())) > 1:
        return 1
    return min(MOST, len(os.sched_getaffinity(0)))


class Offshoot:
    """Does a piece of work in a copy of this process, which must leave files and connections alone."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._pid: int | None = None
        self._pipe: BinaryIO | None = None

    def __enter__(self) -> Offshoot:
        reader, writer = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:  # no room for another process: the work is done here, when it is asked for
            os.close(reader)
        if self._pid == 0:
            _hand_back(self._work, writer)
        os.close(writer)
        if self._pid is not None:
            self._pipe = os.fdopen(reader, "rb")
        return self

    def result(self) -> Any:
        """What the work gave, as plain data; where the copy came to nothing, it is done here."""
        content = self._pipe.read() if self._pipe else b""
        return marshal.loads(content) if self._end() else self._work()

    def __exit__(self, *error: object) -> None:
        if self._pid is not None:
            os.kill(self._pid, signal.SIGKILL)
            self._end()

    def _end(self) -> bool:
        """Wait for the copy; whether there was one and it did its work."""
        pid, self._pid = self._pid, None
        if self._pipe is not None:
            self._pipe.close()
        return pid is not None and os.waitpid(pid, 0)[1] == 0


def _hand_back(work: Callable[[], Any], writer: int) -> NoReturn:
    """Do the work and end: what the copied process would do at its own end is not the copy's to do."""
    status = 1
    try:
        content = marshal.dumps(work())
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(content)
        status = 0
    finally:
        os._exit(status)
