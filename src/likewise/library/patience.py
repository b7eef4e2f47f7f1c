"""Ends what somebody else's code does for too long on the recorder's behalf.

Only Python code can be ended: the exception comes between two of its instructions.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TypeVar

LIMIT = 1.0
"""Seconds that a text may take."""
Made = TypeVar("Made")


class TooLong(BaseException):
    """It did not end in time. No `except Exception` of the code that is ended catches it."""


class Patience:
    """Runs short work with a limit; one thread watches for all, while there is something to watch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[int, float] = {}
        self._ended: set[int] = set()
        self._is_watching = False

    def run(self, work: Callable[[], Made]) -> Made:
        """What the work gives; TooLong where it goes on and on."""
        me = threading.get_ident()
        if me in self._running:
            return work()
        with self._lock:
            self._running[me] = time.monotonic() + LIMIT
            is_watched, self._is_watching = self._is_watching, True
        if not is_watched:
            threading.Thread(target=self._watch, name="likewise-patience", daemon=True).start()
        try:
            return work()
        finally:
            self._leave(me)

    def _leave(self, me: int) -> None:
        with self._lock:
            del self._running[me]
            was_ended = me in self._ended
            self._ended.discard(me)
        if was_ended:
            with contextlib.suppress(TooLong):  # it may have been sent and not have come yet
                for _ in range(100):
                    time.sleep(0)

    def _watch(self) -> None:
        import ctypes  # few suites come here

        while True:
            time.sleep(LIMIT / 8)
            with self._lock:
                if not self._running:
                    self._is_watching = False
                    return
                now = time.monotonic()
                for thread in [each for each, until in self._running.items() if until < now]:
                    self._ended.add(thread)
                    self._running[thread] = now + LIMIT
                    raised = ctypes.py_object(TooLong)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
