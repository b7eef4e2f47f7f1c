"""Where a process runs that is asked and answers: beside the one who asks, while they only take turns."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Protocol

BRIEF = 0.002
"""Seconds that a visit may take so that the next one is made nearby too."""


class Near(Protocol):
    """What is done within this goes quicker where both sides only take turns."""

    @property
    def is_near(self) -> bool:
        """Whether both share a processor at the moment."""
        ...

    def __enter__(self) -> object:
        """A visit begins."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It is over."""
        ...

    def part(self) -> None:
        """The other side works for longer: it may do so on any processor."""
        ...


class Apart:
    """Nothing is known of where the other side runs."""

    is_near = False

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to do."""

    def part(self) -> None:
        """It is."""


class Nearness:
    """Keeps this thread and a process on one processor during visits.

    Woken on another processor, which may have to be woken itself, each side waits several times as long
    for its turn. A visit that is not brief is parted from, and the next begins apart.
    """

    def __init__(self, process: int, processor: Callable[[], int]) -> None:
        """`processor` says where this thread runs."""
        self._process, self._processor = process, processor
        self._theirs = os.sched_getaffinity(process)
        self._ours: set[int] = set()
        self._place = -1
        """The processor that the process is held at."""
        self._begun = 0.0
        self._is_brief = True
        self.is_near = False

    def __enter__(self) -> None:
        """Both to the processor on which this thread is."""
        self._begun = time.monotonic()
        if not self._is_brief:
            self.part()
            return
        self._ours = os.sched_getaffinity(0)
        here = self._processor()
        if len(self._ours) < 2 or here not in self._ours & self._theirs:
            return
        self.is_near = True
        if not _move(0, {here}):
            self.is_near = False
        elif self._place != here:
            self._place = here
            self._move_process({here})

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """This thread may run anywhere again; the process stays for the next visit."""
        self._is_brief = time.monotonic() - self._begun < BRIEF
        self._leave()

    def part(self) -> None:
        """Both may run anywhere again."""
        self._leave()
        if self._place >= 0:
            self._place = -1
            self._move_process(self._theirs)

    def _leave(self) -> None:
        if self.is_near:
            self.is_near = False
            _move(0, self._ours)

    def _move_process(self, places: Iterable[int]) -> None:
        with contextlib.suppress(OSError):  # it has ended
            for thread in Path(f"/proc/{self._process}/task").iterdir():
                _move(int(thread.name), places)


def near(process: int) -> Near:
    """Visits to a process of ours; apart where the system does not let one choose processors."""
    try:
        processor = ctypes.CDLL(None).sched_getcpu
        os.sched_setaffinity(process, os.sched_getaffinity(process))
        return Nearness(process, processor)
    except (AttributeError, OSError):
        return Apart()


def _move(thread: int, places: Iterable[int]) -> bool:
    try:
        os.sched_setaffinity(thread, places)
    except OSError:  # it has ended, or we may not
        return False
    return True
