"""Threads that take turns: one works at a time, and which one never depends on a clock.

Whoever waits for servers lets the others work meanwhile, in a fixed order: the same work gives the same
calls in the same order, however long each of them takes.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence


class Stopped(Exception):
    """Nothing more is to be begun."""


class Turns:
    """A ring of threads; somebody who is alone always has the turn."""

    def __init__(self) -> None:
        self._waiting: deque[threading.Lock] = deque()
        """Whose turn comes next, first to last; who has it is not among them."""
        self._threads: list[threading.Thread] = []
        self._is_stopped = False

    def start(self, works: Sequence[Callable[[], None]]) -> None:
        """Begin each of these in a thread of its own; the first has the first turn."""
        locks = [_closed() for _ in works]
        self._threads = [
            threading.Thread(target=self._take_part, args=each, name="likewise-hand", daemon=True)
            for each in zip(works, locks, strict=True)
        ]
        self._waiting.extend(locks)
        for thread in self._threads:
            thread.start()
        self._wake()

    def pass_on(self) -> None:
        """Let everybody else have a turn."""
        if self._waiting:
            mine = _closed()
            self._waiting.append(mine)
            self._wake()
            mine.acquire()

    def check(self) -> None:
        """Stopped where nothing more is to be begun."""
        if self._is_stopped and threading.current_thread() in self._threads:
            raise Stopped

    def stop(self) -> None:
        """Wait until all have ended; none of them begins anything more."""
        self._is_stopped = True
        for thread in self._threads:
            thread.join()
        self._threads, self._is_stopped = [], False

    def halt(self) -> None:
        """Let nobody begin anything more, without waiting for it."""
        self._is_stopped = True

    def _take_part(self, work: Callable[[], None], turn: threading.Lock) -> None:
        turn.acquire()
        try:
            work()
        finally:
            self._wake()

    def _wake(self) -> None:
        if self._waiting:
            self._waiting.popleft().release()


def _closed() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock
