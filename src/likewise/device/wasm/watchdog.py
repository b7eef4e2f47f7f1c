"""Calls one function when a piece of work takes longer than it may; one thread serves all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Watchdog:
    """Guards one piece of work at a time. Guarding costs no switch of threads where limits do not shrink."""

    def __init__(self, bark: Callable[[], None]) -> None:
        self._bark = bark
        self._wake = threading.Condition()
        self._due = float("inf")
        self._sleeps_until = 0.0
        self._is_open = True
        self._has_barked = False
        self._thread = threading.Thread(target=self._watch, name="likewise-watchdog", daemon=True)
        self._thread.start()

    def guard(self, limit: float) -> None:
        """From now on, bark after `limit` seconds."""
        self._has_barked = False
        self._due = due = time.monotonic() + limit
        if due < self._sleeps_until:
            with self._wake:
                self._wake.notify()

    def rest(self) -> bool:
        """The work is done; whether it took too long."""
        self._due = float("inf")
        return self._has_barked

    def close(self) -> None:
        """End the thread."""
        self._is_open = False
        with self._wake:
            self._wake.notify()
        self._thread.join()

    def _watch(self) -> None:
        while self._is_open:
            due, now = self._due, time.monotonic()
            if now >= due:
                # Work that ended just now must not be interrupted: what follows it would be.
                if self._due == due:
                    self._has_barked = True
                    self._due = float("inf")
                    self._bark()
                continue
            with self._wake:
                self._sleeps_until = min(due, now + 3600.0)
                if self._due >= self._sleeps_until or self._due == due:
                    self._wake.wait(self._sleeps_until - now)
                self._sleeps_until = 0.0
