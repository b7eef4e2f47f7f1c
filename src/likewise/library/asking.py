"""What a helper in Python asks before it does anything: whose something is, and who waits for the library."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType, ModuleType
from typing import Any

from likewise.library.handing import CONTAINERS, held
from likewise.library.hub import LIBRARY, Hub

_RUNNING = (GeneratorType, CoroutineType, AsyncGeneratorType)


class State(threading.local):
    """What a thread is doing: busy recording, or inside the library on behalf of these frames."""

    def __init__(self) -> None:
        self.busy = False
        self.hushed: list[bool] = []
        """For each destructor that is running: whether it was busy before."""
        self.frames: list[FrameType] = []


class Asker:
    """Knows whose a thing is, and does what crosses on behalf of a frame of the client."""

    def __init__(self, hub: Hub) -> None:
        self.hub, self._targets = hub, hub.targets
        self.state = State()
        self._tokens: dict[int, Any] = {}
        self._files: dict[str, int] = {}

    def ask(self, question: Callable[..., Any], *args: Any) -> Any:
        """Ask the hub; whatever it runs meanwhile is not recorded."""
        before, self.state.busy = self.state.busy, True
        try:
            return question(*args)
        finally:
            self.state.busy = before

    def cross(self, token: Any, frame: FrameType, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Do what crosses, and tell how it ended; without a token it does not cross after all."""
        if token is None:
            return work(*args, **kwargs)
        self.state.frames.append(frame)
        try:
            value = work(*args, **kwargs)
        except BaseException as error:
            self.ask(self.hub.fail, token, error)
            raise
        finally:
            self.state.frames.pop()
        self.ask(self.hub.end, token, value)
        return value

    def touches(self, thing: Any) -> bool:
        """Whether an object is of the library, or of a class that extends one of the library's."""
        return not self.state.busy and bool(self.ask(self._targets.touches, type(thing)))

    def holds_library(self, thing: Any, *, deep: int = 2) -> bool:
        """Whether a builtin container has the library's objects in it."""
        if self.state.busy or type(thing) not in CONTAINERS:
            return False
        return self.ask(lambda: held(self.hub, thing, deep=deep)) is not None

    def holds(self, holder: Any) -> bool:
        """Whether reading an attribute of something may be a crossing."""
        if self.state.busy:
            return False
        if isinstance(holder, ModuleType):
            return bool(self._targets.naming.owner(vars(holder).get("__name__")))
        if isinstance(holder, type) and self.ask(self._targets.touches, holder):
            return True
        return self.touches(holder)

    def is_running_library(self, thing: Any) -> bool:
        """Whether a generator or coroutine runs the library's code."""
        if not isinstance(thing, _RUNNING):
            return False
        code: Any = next(
            getattr(thing, name) for name in ("gi_code", "cr_code", "ag_code") if hasattr(thing, name)
        )
        return self._file(code) == LIBRARY

    def _file(self, code: Any) -> int:
        if code.co_filename not in self._files:
            self._files[code.co_filename] = self.ask(self.hub.file, code)
        return self._files[code.co_filename]
