"""Threads and tasks, named so that two runs of a test call them alike."""

from __future__ import annotations

import re
import sys
import threading
from typing import Any

_DIGITS = re.compile(r"\d+")


class Lanes:
    """Numbers the threads and tasks of one test, each kind in the order of its first crossing."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[str, object]] = {}
        self._counts: dict[str, int] = {}
        self._main = threading.main_thread().ident

    def current(self) -> str:
        """The lane of the thread or task that is running."""
        task = _task()
        if task is not None:
            coroutine = task.get_coro()
            return self._of(task, f"task {getattr(coroutine, '__qualname__', type(coroutine).__name__)}")
        if threading.get_ident() == self._main:
            return "main"
        thread = threading.current_thread()
        return self._of(thread, "thread " + _DIGITS.sub("", thread.name).strip("-_ "))

    def _of(self, thing: object, base: str) -> str:
        known = self._names.get(id(thing))
        if known is None:
            number = self._counts[base] = self._counts.get(base, 0) + 1
            known = self._names[id(thing)] = (base if number == 1 else f"{base} {number}", thing)
        return known[0]


def _task() -> Any:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or asyncio._get_running_loop() is None:
        return None
    return asyncio.current_task()
