"""What rewritten clients call, in pure Python: what every helper means, and the way without a compiler.

It records what native.c records. Unlike native.c it adds a frame of its own to calls of the library.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    ModuleType,
)
from typing import Any

from likewise.library import steps
from likewise.library.callbacks import Callbacks
from likewise.library.handing import SPECIAL, THROUGH, is_zoned, zone_of
from likewise.library.operators import BINARY, COMPARE, INPLACE, MIRRORED, UNARY
from likewise.library.targets import Standing

_TEXT: dict[int, Callable[[Any], Any]] = {115: str, 114: repr, 97: ascii}
_TEXT_NAMES = {115: "__str__", 114: "__repr__", 97: "__repr__"}
_ROUTINES = frozenset({Standing.CYTHON, Standing.WRAPPER, Standing.DESCRIPTOR})
_RUNNING = (GeneratorType, CoroutineType, AsyncGeneratorType)


def _is_stored(holder: Any, name: str) -> bool:
    """Whether an attribute simply lies there, or code of the library was asked for it."""
    if isinstance(holder, ModuleType):
        return name in vars(holder)
    if isinstance(holder, type):
        return True
    for each in type(holder).__mro__:
        if name in vars(each):
            return type(vars(each)[name]) is not property
    if not any(
        "__getattr__" in vars(each) or "__getattribute__" in vars(each) for each in type(holder).__mro__[:-1]
    ):
        return True
    return name in getattr(holder, "__dict__", {})


class Helper(Callbacks):
    """Decides roughly and quickly whether something crosses; the hub decides the rest."""

    # Calls

    def call(self, at: str, callee: Any, /) -> Any:
        """`callee`, fit to be called."""
        if self.state.busy:
            return callee
        if self._is_special(callee):
            return self.hand(at, callee)
        if type(getattr(callee, "__self__", None)) is str and callee.__name__ == "format":
            return self.hand(at, callee)
        if is_zoned(callee) and not self.touches(callee.__self__):
            return self.hand(at, callee)
        if self.ask(self._targets.find, callee) is None:
            return callee
        return self.wrap(at, callee)

    @staticmethod
    def _is_special(callee: Any) -> bool:
        try:
            return getattr(callee, "__func__", callee) in SPECIAL
        except TypeError:
            return False

    def wrap(self, at: str, callee: Any, /) -> Callable[..., Any]:
        """A callable that crosses when it is called."""

        def crossing(*args: Any, **kwargs: Any) -> Any:
            if self.state.busy:
                return callee(*args, **kwargs)
            token = self.ask(self.hub.begin_call, at, callee, args, kwargs or None)
            return self.cross(token, sys._getframe(1), callee, *args, **kwargs)

        return crossing

    def meet(self, *_: Any) -> None:
        """Nothing to note here: asyncio's are among the special ones already."""

    def own(self, thing: Any, /) -> None:
        """Nothing to note here: the targets know it."""

    def hand(self, at: str, callee: Any, /) -> Callable[..., Any]:
        """A builtin that acts on what it is handed, for somebody else to call."""
        return lambda *args, **kwargs: self.builtin(at, callee, *args, **kwargs)

    def builtin(self, at: str, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`callee(*args, **kwargs)`, where it may act on what it is handed."""
        every = [*args, *kwargs.values()]
        is_through = not self._is_special(callee) or callee in THROUGH
        concerned = any(self._concerns(each, is_through) for each in every) or (
            is_zoned(callee) and self.ask(zone_of, self.hub, callee, args, kwargs) is not None
        )
        if self.state.busy or not concerned:
            return callee(*args, **kwargs)
        ready = self.ask(self.hub.prepare, at, callee, args, kwargs or None)
        if ready is None:
            return callee(*args, **kwargs)
        token, given, named = ready
        if token is None:
            return callee(*given, **(named or {}))
        return self.cross(token, sys._getframe(1), callee, *given, **(named or {}))

    def _concerns(self, thing: Any, is_through: bool) -> bool:
        if self.touches(thing) or self.is_running_library(thing):
            return True
        if isinstance(thing, ModuleType) and self.holds(thing):
            return True
        if is_through and self.holds_library(thing):
            return True
        return callable(thing) and self.ask(self._targets.find, thing) is not None

    # Attributes and items

    def load(self, at: str, holder: Any, name: str, /) -> Any:
        """`holder.name`"""
        if not self.holds(holder):
            return getattr(holder, name)
        # A class that extends the library's may answer with code of the client's own.
        is_own = self.ask(self._targets.standing, type(holder)) is Standing.OWN
        frames = self.state.frames
        self.state.frames = [*frames, sys._getframe(1)] if is_own else frames
        try:
            value = getattr(holder, name)
        except BaseException as error:
            self.ask(self.hub.read, at, holder, name, None, error)
            raise
        finally:
            self.state.frames = frames
        if isinstance(holder, ModuleType) and type(value) is BuiltinFunctionType:
            self.ask(self.hub.adopt, holder.__name__, name, value)
        if not self._is_routine(value) or not _is_stored(holder, name):
            self.ask(self.hub.read, at, holder, name, value, None)
        return value

    def _is_routine(self, value: Any) -> bool:
        if isinstance(value, FunctionType | ModuleType | type):
            return True
        if type(value).__name__ in ("method", "builtin_function_or_method"):
            return True
        return self.ask(self._targets.standing, type(value)) in _ROUTINES

    def method(self, at: str, holder: Any, name: str, /) -> Any:
        """`holder.name`, fit to be called."""
        return self.call(at, self.load(at, holder, name))

    def _member(
        self, at: str, kind: str, holder: Any, name: str, given: tuple[Any, ...], work: Any, *args: Any
    ) -> Any:
        token = self.ask(self.hub.begin_member, at, kind, holder, name, given)
        return self.cross(token, sys._getframe(2), work, *args)

    def store(self, at: str, value: Any, holder: Any, name: str, /) -> None:
        """`holder.name = value`"""
        if not self.holds(holder):
            setattr(holder, name, value)
            return
        self._member(at, "store", holder, name, (value,), setattr, holder, name, value)

    def delete(self, at: str, holder: Any, name: str, /) -> None:
        """`del holder.name`"""
        if not self.holds(holder):
            delattr(holder, name)
            return
        self._member(at, "delete", holder, name, (), delattr, holder, name)

    def item(self, at: str, holder: Any, key: Any, /) -> Any:
        """`holder[key]`"""
        if not self.touches(holder):
            return holder[key]
        return self._member(at, "call", holder, "__getitem__", (key,), operator.getitem, holder, key)

    def store_item(self, at: str, value: Any, holder: Any, key: Any, /) -> None:
        """`holder[key] = value`"""
        if not self.touches(holder):
            holder[key] = value
            return
        self._member(at, "call", holder, "__setitem__", (key, value), operator.setitem, holder, key, value)

    def delete_item(self, at: str, holder: Any, key: Any, /) -> None:
        """`del holder[key]`"""
        if not self.touches(holder):
            del holder[key]
            return
        self._member(at, "call", holder, "__delitem__", (key,), operator.delitem, holder, key)

    # Operators

    def _operate(self, at: str, name: str, work: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        if self.touches(a):
            token = self.ask(self.hub.begin_member, at, "call", a, name, (b,))
        elif self.touches(b):
            token = self.ask(self.hub.begin_member, at, "call", b, MIRRORED.get(name, name), (a,))
        elif work in COMPARE and (self.holds_library(a) or self.holds_library(b)):
            first, second = (a, b) if self.holds_library(a) else (b, a)
            token = self.ask(self.hub.begin_member, at, "call", first, name, (second,))
        elif work not in COMPARE and type(a) is str and self.holds_library(b, deep=1):
            token = self.ask(self.hub.begin_member, at, "call", b, "__str__", (a,))
        else:
            return work(a, b)
        return self.cross(token, sys._getframe(2), work, a, b)

    def binary(self, at: str, number: int, name: str, a: Any, b: Any, /) -> Any:
        """`a + b` and its like"""
        return self._operate(at, name, BINARY[number], a, b)

    def inplace(self, at: str, number: int, name: str, a: Any, b: Any, /) -> Any:
        """`a += b` and its like, without the store"""
        return self._operate(at, name, INPLACE[number], a, b)

    def compare(self, at: str, number: int, name: str, a: Any, b: Any, /) -> Any:
        """`a < b` and its like"""
        return self._operate(at, name, COMPARE[number], a, b)

    def unary(self, at: str, number: int, name: str, a: Any, /) -> Any:
        """`-a` and its like"""
        if not self.touches(a):
            return UNARY[number](a)
        return self._member(at, "call", a, name, (), UNARY[number], a)

    def contains(self, at: str, is_not: bool, a: Any, b: Any, /) -> bool:
        """`a in b` or `a not in b`"""

        def work(b: Any, a: Any) -> bool:
            return operator.contains(b, a) is not is_not

        if self.touches(b):
            return bool(self._member(at, "call", b, "__contains__", (a,), work, b, a))
        if self.touches(a):
            return bool(self._member(at, "call", a, "__eq__", (b,), work, b, a))
        if self.holds_library(b):
            return bool(self._member(at, "call", b, "__eq__", (a,), work, b, a))
        return work(b, a)

    def truth(self, at: str, thing: Any, /) -> bool:
        """`bool(thing)`, where only its truth counts"""
        if thing is True or thing is False:
            return thing
        if not self.touches(thing):
            return bool(thing)
        return bool(self._member(at, "call", thing, "__bool__", (), bool, thing))

    def text(self, at: str, value: Any, conversion: int, spec: str, /) -> str:
        """A value inside an f-string"""

        def work(value: Any) -> str:
            return format(_TEXT[conversion](value) if conversion else value, spec)

        if not self.touches(value) and not self.holds_library(value):
            return work(value)
        name = _TEXT_NAMES.get(conversion, "__format__")
        return str(self._member(at, "call", value, name, (spec,), work, value))

    # Step by step

    def _flows(self, thing: Any) -> bool:
        return not self.state.busy and (self.touches(thing) or self.is_running_library(thing))

    def iterate(self, at: str, thing: Any, /) -> Any:
        """`thing`, to be iterated over"""
        return steps.Items(self, at, thing, iter(thing)) if self._flows(thing) else thing

    def items(self, at: str, thing: Any, /) -> Any:
        """The items of `thing`, for somebody else to go through"""
        return steps.Items(self, at, thing, None)

    def wait(self, at: str, thing: Any, /) -> Any:
        """`thing`, to be awaited"""
        return steps.Awaitable(self, at, thing, "item") if self._flows(thing) else thing

    def async_iterate(self, at: str, thing: Any, /) -> Any:
        """`thing`, to be iterated over asynchronously"""
        if not self._flows(thing) or not hasattr(type(thing), "__aiter__"):
            return thing
        return steps.AsyncItems(self, at, type(thing).__aiter__(thing))

    def _manages(self, thing: Any) -> bool:
        if self.state.busy:
            return False
        standing = self.ask(self._targets.standing, type(thing))
        if standing is Standing.CONTEXT:
            return self.is_running_library(thing.gen)
        return standing in (Standing.OWN, Standing.DERIVED)

    def manage(self, at: str, thing: Any, /) -> Any:
        """`thing`, to be entered by `with`"""
        return steps.Manager(self, at, thing) if self._manages(thing) else thing

    def async_manage(self, at: str, thing: Any, /) -> Any:
        """`thing`, to be entered by `async with`"""
        return steps.AsyncManager(self, at, thing) if self._manages(thing) else thing

    def imported(self, at: str, module: str, names: tuple[str, ...], values: tuple[Any, ...], /) -> None:
        """`from module import names`"""
        if not self.state.busy:
            self.ask(self.hub.imported, at, module, names, values)
