"""One user of a board at a time, across threads, processes and workers."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
import time
from pathlib import Path
from typing import IO

from likewise.device.links import Deadline
from likewise.device.testee import LimitReached

PAUSE = 0.02
"""Seconds between two looks at a lock that somebody else holds."""


class BoardLock:
    """A lock file per board. The system lets go of it when its process ends, however it ends."""

    def __init__(self, board: str, *, folder: Path | None = None) -> None:
        self.board = board
        name = re.sub(r"[^\w.-]", "_", board)
        place = folder if folder is not None else _shared_folder()
        place.mkdir(parents=True, exist_ok=True)
        self._path, self._queue = place / f"{name}.lock", place / f"{name}.queue"
        self._file: IO[str] | None = None

    def acquire(self, limit: float) -> None:
        """Wait for the board. Raises LimitReached, with who has it."""
        if self._file is not None:
            return
        deadline = Deadline(limit)
        with self._queue.open("a") as queue:
            fcntl.flock(queue, fcntl.LOCK_SH)  # tells the holder that somebody waits
            file = self._path.open("a+")
            while not _try(file):
                if deadline.is_over:
                    holder = self._holder()
                    file.close()
                    raise LimitReached(
                        f"free board {self.board!r}",
                        after=limit,
                        where=str(self._path),
                        why=f"process {holder} has it" if holder else "another process has it",
                        todo="Wait for that run, or end it.",
                    )
                time.sleep(PAUSE)
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for the board."""
        with self._queue.open("a") as queue:
            return not _try(queue)

    def release(self) -> None:
        """Let the next one have it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _holder(self) -> str:
        with contextlib.suppress(OSError):
            return self._path.read_text(encoding="utf-8").strip()
        return ""


def _try(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _shared_folder() -> Path:
    """The same for every process of this user on this machine: a board is there once."""
    return Path(tempfile.gettempdir()) / f"likewise-boards-{os.getuid()}"
