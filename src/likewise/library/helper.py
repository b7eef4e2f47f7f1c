"""What rewritten clients call, in pure Python: what every helper means, and the way without a compiler."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from likewise.library.crossing import Kind
from likewise.library.recorder import Recorder
from likewise.library.targets import DERIVED, FOREIGN, OWN, Target, Targets

_ROUTINE = ("function", "method", "builtin_function_or_method", "method-wrapper")


class Helper:
    """Decides whether something crosses the boundary, and lets it cross either way."""

    def __init__(self, recorder: Recorder, targets: Targets) -> None:
        self._recorder, self._targets = recorder, targets
        self._standings: dict[type, int] = {}
        self._thread = threading.local()

    def names(self) -> dict[str, Callable[..., Any]]:
        """The helpers by the names that rewritten code calls them by."""
        return {"call": self.call, "method": self.method, "load": self.load}

    def call(self, at: str, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`callee(*args, **kwargs)`"""
        if getattr(self._thread, "busy", False):
            return callee(*args, **kwargs)
        target = self._target(callee)
        if target is None:
            return callee(*args, **kwargs)
        return self._cross(at, Kind.CALL, target, lambda: callee(*args, **kwargs), args, kwargs)

    def method(self, at: str, holder: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """`holder.name(*args, **kwargs)`"""
        return self.call(at, self.load(at, holder, name), *args, **kwargs)

    def load(self, at: str, holder: Any, name: str, /) -> Any:
        """`holder.name`"""
        kind = type(holder)
        if getattr(self._thread, "busy", False):
            return getattr(holder, name)
        if isinstance(holder, ModuleType):
            return self._load_global(at, holder, name)
        standing = self._standing(kind)
        if standing == FOREIGN:
            return getattr(holder, name)
        member = self._targets.member(kind, name)
        if member is None:
            return getattr(holder, name)
        target = Target(library=member.library, name=member.name, receiver=holder, has_receiver=True)
        return self._read(at, target, lambda: getattr(holder, name))

    def _load_global(self, at: str, module: ModuleType, name: str) -> Any:
        library = self._targets.naming.owner(module.__name__)
        if not library:
            return getattr(module, name)
        path = module.__name__[len(library) :].strip(".")
        target = Target(library=library, name=f"{path}.{name}" if path else name)
        return self._read(at, target, lambda: getattr(module, name))

    def _read(self, at: str, target: Target, read: Callable[[], Any]) -> Any:
        """A read that is noted unless what it gives is something to be called or looked into."""
        try:
            value = read()
        except BaseException as error:
            token = self._begin(at, Kind.READ, target, (), None)
            self._end(token, None, error)
            raise
        if type(value).__name__ not in _ROUTINE and not isinstance(value, ModuleType | type):
            token = self._begin(at, Kind.READ, target, (), None)
            self._end(token, value, None)
        return value

    def _cross(
        self,
        at: str,
        kind: Kind,
        target: Target,
        work: Callable[[], Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None,
    ) -> Any:
        token = self._begin(at, kind, target, args, kwargs)
        try:
            value = work()
        except BaseException as error:
            self._end(token, None, error)
            raise
        self._end(token, value, None)
        return value

    def _begin(self, at: str, kind: Kind, target: Target, args: Any, kwargs: Any) -> Any:
        self._thread.busy = True
        try:
            return self._recorder.begin(at, kind, target, args, kwargs)
        except Exception as error:
            self._recorder.miss(f"{target.name}: {type(error).__name__}")
            return None
        finally:
            self._thread.busy = False

    def _end(self, token: Any, value: object, error: BaseException | None) -> None:
        if token is None:
            return
        self._thread.busy = True
        try:
            if error is None:
                self._recorder.end(token, value)
            else:
                self._recorder.fail(token, error)
        except Exception as trouble:
            self._recorder.miss(f"{token.target.name}: {type(trouble).__name__}")
        finally:
            self._thread.busy = False

    def _target(self, callee: Any) -> Target | None:
        self._thread.busy = True
        try:
            return self._targets.find(callee)
        except Exception as error:
            self._recorder.miss(f"a callable of type {type(callee).__name__}: {type(error).__name__}")
            return None
        finally:
            self._thread.busy = False

    def _standing(self, kind: type) -> int:
        found = self._standings.get(kind)
        if found is None:
            found = self._standings[kind] = self._targets.standing(kind)
        return found


__all__ = ["DERIVED", "FOREIGN", "OWN", "Helper"]
