"""Threads and tasks, named so that two runs of a test call them alike."""

from __future__ import annotations

import re
import sys
import threading
import weakref
from collections.abc import Container, Iterable
from types import FrameType
from typing import Any

LOOP = "loop"
"""The lane of what an event loop of the main thread calls outside of any task."""
_THREAD = "thread "
_DIGITS = re.compile(r"\d+")


class Lane:
    """A thread or a task: what it is of, and where it stands among those that were made of the same."""

    __slots__ = ("_last", "born", "family", "turn")

    def __init__(self, family: str, born: tuple[int, ...]) -> None:
        self.family, self.born = family, born
        self.turn = 0
        """How often the client's code has come back, in it, to where it had been."""
        self._last: Position = []

    def step(self, now: Position) -> None:
        """It is here now. Further on in the same calls, or inside of them, is the same turn.

        A worker's next job is another call, or begins where the last one did: another turn.
        """
        for (call, at), (last_call, last_at) in zip(now, self._last, strict=False):
            if call is not last_call or at < last_at:
                self.turn += 1
                break
            if at > last_at:
                break
        else:
            self.turn += len(now) <= len(self._last)
        self._last = now


class Call:
    """Marks one call of a function of the client: a later one may have the same frame."""

    __slots__ = ()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """A frame holds what is called when it is traced, and nobody traces this one."""


Position = list[tuple[object, int]]
"""Calls of the client's functions within one another, outermost first, each with the instruction it is at."""


def position(files: Container[str], root: FrameType | None) -> Position:
    """Where the client's code is in this thread, or in a task from its outermost frame on."""
    found: Position = []
    frame: FrameType | None = sys._getframe(1)
    can_mark = sys.gettrace() is None
    while frame is not None:
        if frame.f_code.co_filename in files:
            call: object = frame.f_trace
            if type(call) is not Call:
                call = frame.f_code
                if can_mark:
                    frame.f_trace = call = Call()
            found.append((call, frame.f_lasti))
        if frame is root:
            break
        frame = frame.f_back
    found.reverse()
    return found


class Lanes:
    """Knows the threads and tasks of one test, without keeping any of them alive."""

    def __init__(self, files: Container[str]) -> None:
        self._files = files
        self._known: dict[int, tuple[Any, Lane]] = {}
        self._main = threading.main_thread().ident
        self._met = 0
        self.sizes: dict[str, int] = {}
        """How many lanes each family has."""

    def current(self) -> Lane | None:
        """The lane of the thread or task that is running; None in the main thread outside of any task."""
        task = _task()
        is_main = threading.get_ident() == self._main
        if task is None and is_main:
            return self._shared if is_looping() else None
        thing = task if task is not None else threading.current_thread()
        known = self._known.get(id(thing))
        if known is None or known[0]() is not thing:
            known = self._known[id(thing)] = (self._watch(thing), self._made(thing, is_task=task is not None))
        lane = known[1]
        lane.step(
            position(self._files, None if task is None else getattr(_coroutine(task), "cr_frame", None))
        )
        return lane

    def are_several(self, family: str) -> bool:
        """Whether a family has several lanes, or may have: a pool starts threads as it likes."""
        return family.startswith(_THREAD) or self.sizes.get(family, 1) > 1

    @property
    def _shared(self) -> Lane:
        self.sizes[LOOP] = 1
        return _LOOP

    def _watch(self, thing: Any) -> Any:
        known, key = self._known, id(thing)

        def forget(_: object) -> None:
            known.pop(key, None)

        return weakref.ref(thing, forget)

    def _made(self, thing: Any, *, is_task: bool) -> Lane:
        """A lane by what it runs; those of one family in the order in which they were made.

        Tasks and threads are counted when they are made, in their names, so that it does not matter
        which of them comes to the library first.
        """
        name = _name(thing)
        if is_task:
            coroutine = _coroutine(thing)
            family = "task " + (getattr(coroutine, "__qualname__", None) or type(coroutine).__name__)
        else:
            family = _THREAD + _DIGITS.sub("", name).strip("-_ ")
        self._met += 1
        self.sizes[family] = self.sizes.get(family, 0) + 1
        counter = getattr(thing, "_counter", None)  # trio's
        made = (counter,) if isinstance(counter, int) else tuple(map(int, _DIGITS.findall(name)))
        return Lane(family, (*made, self._met))


_LOOP = Lane(LOOP, ())


def named(lanes: Iterable[Lane]) -> dict[Lane, str]:
    """Names of lanes: the family's, and from the second one on its place in it."""
    families: dict[str, list[Lane]] = {}
    for lane in dict.fromkeys(lanes):
        families.setdefault(lane.family, []).append(lane)
    names = {}
    for family, some in families.items():
        for number, lane in enumerate(sorted(some, key=lambda each: each.born), start=1):
            names[lane] = family if number == 1 else f"{family} {number}"
    return names


def is_looping() -> bool:
    """Whether an event loop runs in this thread: then a task may be what crosses."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return True
    return "trio" in sys.modules and _trio_task() is not None


def _task() -> Any:
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:
        return asyncio.current_task()
    return _trio_task() if "trio" in sys.modules else None


def _trio_task() -> Any:
    lowlevel = sys.modules.get("trio.lowlevel")
    try:
        return None if lowlevel is None else lowlevel.current_task()
    except (RuntimeError, AttributeError):  # no loop of trio's runs here, or it is still being imported
        return None


def _name(thing: Any) -> str:
    get = getattr(thing, "get_name", None)
    return str(get() if callable(get) else getattr(thing, "name", ""))


def _coroutine(task: Any) -> Any:
    get = getattr(task, "get_coro", None)
    return get() if callable(get) else getattr(task, "coro", None)
