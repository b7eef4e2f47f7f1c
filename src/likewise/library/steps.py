"""Stand-ins of the pure helper for what is iterated, awaited or entered by a client's syntax.

The client never sees them: a loop, an `await` or a `with` uses them up.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from likewise.library.helper import Helper


class _Stepped:
    """Passes on what a generator may be told, each time as one step; a step looks two frames up."""

    _inner: Any

    def __iter__(self) -> Self:
        return self

    def send(self, value: Any) -> Any:
        """Pass a value in."""
        return self._step(self._inner.__next__) if value is None else self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        """Pass an exception in."""
        return self._step(self._inner.throw, *error)

    def close(self) -> None:
        """Give it up."""
        if hasattr(self._inner, "close"):
            self._inner.close()

    def _step(self, work: Any, *args: Any) -> Any:
        raise NotImplementedError


class Items(_Stepped):
    """An iterator or generator of the library, each item a crossing."""

    def __init__(self, helper: Helper, at: str, source: Any, inner: Any) -> None:
        self._helper, self._at, self._source, self._inner = helper, at, source, inner

    def __next__(self) -> Any:
        if self._inner is None:
            self._inner = iter(self._source)
        return self._step(self._inner.__next__)

    def _step(self, work: Any, *args: Any) -> Any:
        helper = self._helper
        helper.state.frames.append(sys._getframe(2))
        try:
            value = work(*args)
        except StopIteration as end:
            if end.value is not None:
                helper.ask(helper.hub.item, self._at, self._source, end.value, None)
            raise
        except GeneratorExit:
            raise
        except BaseException as error:
            helper.ask(helper.hub.item, self._at, self._source, None, error)
            raise
        finally:
            helper.state.frames.pop()
        if not helper.state.busy:
            helper.ask(helper.hub.item, self._at, self._source, value, None)
        return value


class Awaitable:
    """Something of the library that is awaited; its result is one crossing."""

    def __init__(self, helper: Helper, at: str, source: Any, origin: Any) -> None:
        self._helper, self._at, self._source, self._origin = helper, at, source, origin

    def __await__(self) -> Any:
        helper = self._helper
        token = (
            None
            if helper.state.busy
            else helper.ask(helper.hub.begin_step, self._at, self._source, self._origin)
        )
        try:
            value = yield from Inside(helper, self._source.__await__())
        except BaseException as error:
            if token is not None:
                helper.ask(helper.hub.fail, token, error)
            raise
        if token is not None:
            helper.ask(helper.hub.end, token, value)
        return value


class Inside(_Stepped):
    """Marks each step of an awaited coroutine as being inside the library."""

    def __init__(self, helper: Helper, inner: Any) -> None:
        self._helper, self._inner = helper, inner

    def __next__(self) -> Any:
        return self._step(self._inner.__next__)

    def _step(self, work: Any, *args: Any) -> Any:
        frames = self._helper.state.frames
        frames.append(sys._getframe(2))
        try:
            return work(*args)
        finally:
            frames.pop()


class AsyncItems:
    """An asynchronous iterator or generator of the library."""

    def __init__(self, helper: Helper, at: str, inner: Any) -> None:
        self._helper, self._at, self._inner = helper, at, inner

    def __aiter__(self) -> AsyncItems:
        return self

    def __anext__(self) -> Awaitable:
        return Awaitable(self._helper, self._at, type(self._inner).__anext__(self._inner), self._inner)


class Manager:
    """A context manager of the library."""

    def __init__(self, helper: Helper, at: str, inner: Any) -> None:
        self._helper, self._at, self._inner = helper, at, inner

    def __enter__(self) -> Any:
        return self._cross("__enter__")

    def __exit__(self, *error: Any) -> Any:
        return self._cross("__exit__", *error)

    def _cross(self, name: str, *args: Any) -> Any:
        helper, inner = self._helper, self._inner
        method = getattr(type(inner), name)
        token = (
            None
            if helper.state.busy
            else helper.ask(helper.hub.begin_member, self._at, "call", inner, name, ())
        )
        return helper.cross(token, sys._getframe(2), method, inner, *args)


class AsyncManager:
    """An asynchronous context manager of the library."""

    def __init__(self, helper: Helper, at: str, inner: Any) -> None:
        self._helper, self._at, self._inner = helper, at, inner

    def __aenter__(self) -> Awaitable:
        made = type(self._inner).__aenter__(self._inner)
        return Awaitable(self._helper, self._at, made, "__aenter__")

    def __aexit__(self, *error: Any) -> Awaitable:
        made = type(self._inner).__aexit__(self._inner, *error)
        return Awaitable(self._helper, self._at, made, "__aexit__")
