"""Where a process runs that is asked and answers: beside the one who asks, while they only take turns."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
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

    @property
    def is_held(self) -> bool:
        """Whether it is said at the moment where both run."""
        ...

    def __enter__(self) -> object:
        """A visit begins."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It is over."""
        ...

    def tour(self) -> AbstractContextManager[None]:
        """The other side works, and both have something to do at the same time."""
        ...

    def attend(self) -> None:
        """The other side works for longer, and is to listen to us meanwhile."""
        ...

    def part(self) -> None:
        """The other side works for longer: it may do so on any processor."""
        ...


class Apart:
    """Nothing is known of where the other side runs."""

    is_near = is_held = False

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to do."""

    def tour(self) -> AbstractContextManager[None]:
        """Nothing to do."""
        return contextlib.nullcontext()

    def attend(self) -> None:
        """Nothing to do."""

    def part(self) -> None:
        """It is."""


class Nearness:
    """Says where this thread and those of a process run: its first, which listens, and others, which work.

    During visits all share one processor: woken on another one, which may have to be woken itself, each
    side waits several times as long for its turn. A visit that is not brief is parted from, and the next
    begins apart. On a tour those that work leave our processor to us, since one that computes without end
    would let us in only with the next tick; attended, the one that listens is on ours as well.
    """

    def __init__(self, process: int, processor: Callable[[], int]) -> None:
        """`processor` says where this thread runs."""
        self._process, self._processor = process, processor
        self._theirs = frozenset(os.sched_getaffinity(process))
        self._free = (self._theirs, self._theirs)
        self._places = self._free
        """Where the thread that listens may be, and those that work."""
        self._ours: set[int] = set()
        self._begun = 0.0
        self._is_brief = True
        self.is_near = self.is_held = False

    def __enter__(self) -> None:
        """Both to the processor on which this thread is."""
        self._begun = time.monotonic()
        if not self._is_brief:
            self.part()
            return
        here = self._here()
        self.is_near = self._hold(here, here, here)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """This thread may run anywhere again; the process stays for the next visit."""
        self._is_brief = time.monotonic() - self._begun < BRIEF
        self._leave()

    @contextlib.contextmanager
    def tour(self) -> Iterator[None]:
        """Those that work to other processors than this thread's; they stay there for the next tour."""
        here = self._here()
        away = self._theirs - here
        self._hold(here, away, away)
        try:
            yield
        finally:
            self._leave()

    def attend(self) -> None:
        """As on a tour, and the one that listens comes to us."""
        here = self._here()
        self._hold(here, here, self._theirs - here)

    def part(self) -> None:
        """Both may run anywhere again."""
        self._leave()
        self._place(self._free)

    def _here(self) -> frozenset[int]:
        return frozenset({self._processor()})

    def _hold(self, ours: frozenset[int], listening: frozenset[int], working: frozenset[int]) -> bool:
        """Whether it is so; not where there is no choice, or it is not ours."""
        if not self.is_held:
            self._ours = os.sched_getaffinity(0)
        if len(self._ours) < 2 or not ours <= self._theirs or not working or not _move(0, ours):
            return False
        self.is_held = True
        self._place((listening, working))
        return True

    def _leave(self) -> None:
        self.is_near = False
        if self.is_held:
            self.is_held = False
            _move(0, self._ours)

    def _place(self, places: tuple[frozenset[int], frozenset[int]]) -> None:
        if places == self._places:
            return
        self._places = places
        with contextlib.suppress(OSError):  # it has ended
            for thread in Path(f"/proc/{self._process}/task").iterdir():
                number = int(thread.name)
                _move(number, places[number != self._process])


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
