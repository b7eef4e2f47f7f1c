"""What a callable is to the boundary: whose it is, what it is called, on which object it works."""

from __future__ import annotations

import datetime
import functools
import sys
import types
import weakref
from enum import IntEnum
from typing import Any

from likewise.library.naming import Naming, module_of
from likewise.model import Operation


class Standing(IntEnum):
    """What a type is to the boundary; the numbers are those of native.c."""

    FOREIGN = 0
    OWN = 1
    """The library's."""
    DERIVED = 2
    """Somebody else's, and extends the library's."""
    PARTIAL = 3
    CACHED = 4
    DESCRIPTOR = 5
    WRAPPER = 6
    CYTHON = 7
    CONTEXT = 8
    """A context manager made of a generator: whose it is depends on the generator."""
    ZONED = 9
    """A date with a time, or a time: what it does is up to its time zone, which may be the library's."""


_TOUCHING = frozenset({Standing.OWN, Standing.DERIVED})
NOTHING: Any = object()
"""The receiver of what has none."""
Found = tuple[Operation, Any]
"""An operation of the library and the object that it works on."""
_KINDS: dict[type, Standing] = {
    functools.partial: Standing.PARTIAL,
    type(functools.lru_cache(lambda: None)): Standing.CACHED,
    types.WrapperDescriptorType: Standing.DESCRIPTOR,
    types.MethodDescriptorType: Standing.DESCRIPTOR,
    types.ClassMethodDescriptorType: Standing.DESCRIPTOR,
    types.MethodWrapperType: Standing.WRAPPER,
}
ZONED = (datetime.datetime, datetime.time)
_CONTEXTS = ("_GeneratorContextManager", "_AsyncGeneratorContextManager")
_CYTHON = ("cython_function_or_method", "fused_cython_function")
_MRO = type.__dict__["__mro__"].__get__
_BARE: Any = vars(object)
"""What every object can do: not the library's behaviour where the library leaves it as it is."""


class Targets:
    """Finds the target of a call; answers depend on types and modules only, never on values."""

    def __init__(self, naming: Naming) -> None:
        self.naming = naming
        self.client_files: set[str] = set()
        self._standings: dict[int, Standing] = {}
        self._members: dict[int, dict[str, Operation | None]] = {}
        self._named: dict[int, dict[str, Operation | None]] = {}
        self._classes: dict[int, Found | None] = {}
        self._living: dict[int, Any] = {}
        self.tables: list[dict[int, Any]] = [self._standings, self._members, self._named, self._classes]
        """What is known by the address of a type, and forgotten when the type dies."""
        self._operations: dict[tuple[str, str], Operation] = {}
        self._functions: dict[tuple[object, str], Operation | None] = {}
        self._adopted: dict[int, tuple[Any, Operation]] = {}
        self._draws: dict[int, tuple[Any, Operation]] = {}

    def operation(self, library: str, name: str) -> Operation:
        """The one operation of that name."""
        known = self._operations.get((library, name))
        if known is None:
            known = self._operations[library, name] = Operation(library, name)
        return known

    def standing(self, kind: type) -> Standing:
        """What a type is to the boundary."""
        known = self._standings.get(id(kind))
        if known is None:
            known = self._find_standing(kind)
            self.remember(kind)
            self._standings[id(kind)] = known
        return known

    def _find_standing(self, kind: type) -> Standing:
        if self.naming.owner(module_of(kind)):
            nearest = self.naming.class_of(kind)
            return Standing.OWN if nearest is kind or nearest is None else Standing.DERIVED
        if kind in _KINDS:
            return _KINDS[kind]
        if kind.__name__ in _CYTHON:
            return Standing.CYTHON
        if kind.__name__ in _CONTEXTS and module_of(kind) == "contextlib":
            return Standing.CONTEXT
        if self.naming.class_of(kind) is not None:
            return Standing.DERIVED
        return Standing.ZONED if issubclass(kind, ZONED) else Standing.FOREIGN

    def remember(self, kind: type) -> None:
        """Forget what is known about a type when it dies: another may live at its address."""
        key = id(kind)

        def forget(_: object) -> None:
            for table in (*self.tables, self._living):
                table.pop(key, None)

        if key not in self._living:
            self._living[key] = weakref.ref(kind, forget)

    def touches(self, kind: type) -> bool:
        """Whether instances of a type are the library's, or extend what is."""
        return self.standing(kind) in _TOUCHING

    def member(self, kind: type, name: str) -> Operation | None:
        """An operation or attribute of a type's instances, where the library provides it."""
        known = self._members.get(id(kind))
        if known is None:
            self.remember(kind)
            known = self._members.setdefault(id(kind), {})
        if name not in known:
            known[name] = self._find_member(kind, name)
        return known[name]

    def _find_member(self, kind: type, name: str) -> Operation | None:
        is_own = self.standing(kind) is Standing.OWN
        for each in _MRO(kind):
            if name in vars(each):
                if each is object or each is type:
                    return None
                # What the library's class takes over from a builtin type is its own behaviour, too.
                return self.named(kind, name) if is_own or self.naming.owner(module_of(each)) else None
        is_special = name.startswith("__") and name.endswith("__")
        return self.named(kind, name) if is_own and not is_special else None

    def is_declared(self, kind: type, name: str) -> bool:
        """Whether any class of a type has an attribute of that name."""
        return any(name in vars(each) for each in _MRO(kind))

    def named(self, kind: type, name: str) -> Operation | None:
        """A member's name under the library class that is nearest to the type."""
        known = self._named.get(id(kind))
        if known is None:
            self.remember(kind)
            known = self._named.setdefault(id(kind), {})
        if name not in known:
            nearest = self.naming.class_of(kind)
            known[name] = None if nearest is None else self._member_of(nearest, name)
        return known[name]

    def _member_of(self, nearest: type, name: str) -> Operation:
        path = f"{self.naming.name_of_class(nearest)}.{name}"
        return self.operation(self.naming.owner(module_of(nearest)), path)

    def find(self, thing: Any) -> Found | None:
        """The target of a callable, or None where it is not the library's."""
        kind = type(thing)
        if kind is types.FunctionType:
            operation = self._function(thing)
            return None if operation is None else (operation, NOTHING)
        if kind is types.MethodType:
            return self._bound(thing.__func__, thing.__self__)
        if kind is types.BuiltinFunctionType:
            return self._builtin(thing)
        if isinstance(thing, type):
            return self._class(thing)
        match self.standing(kind):
            case Standing.PARTIAL:
                return self.find(thing.func)
            case Standing.CACHED:
                return self.find(thing.__wrapped__)
            case Standing.WRAPPER:
                return self._on(thing.__self__, thing.__name__)
            case Standing.DESCRIPTOR:
                of = thing.__objclass__
                operation = self.named(of, thing.__name__) if self.touches(of) else None
                return None if operation is None else (operation, NOTHING)
            case Standing.CYTHON:
                return self._by_module(thing)
            case Standing.OWN | Standing.DERIVED:
                return self._like_function(thing) or self._on(thing, "__call__")
        return None

    def _function(self, thing: types.FunctionType) -> Operation | None:
        key = (thing.__globals__.get("__name__"), thing.__code__.co_qualname)
        if not self.naming.owner(key[0]):
            # Made by somebody else's decorator around a function of the library's, unless that is the client.
            if not self.naming.owner(thing.__module__) or thing.__code__.co_filename in self.client_files:
                return self._draws[id(thing)][1] if id(thing) in self._draws else None
            key = (thing.__module__, thing.__qualname__)
        if key not in self._functions:
            library = self.naming.owner(key[0])
            name = self.naming.public(str(key[0]), key[1]) if library else ""
            self._functions[key] = self.operation(library, name) if library else None
        return self._functions[key]

    def _bound(self, function: Any, receiver: object) -> Found | None:
        found = self.find(function)
        if found is None:
            return None
        kind = receiver if isinstance(receiver, type) else type(receiver)
        if self.touches(kind):
            name = getattr(function, "__name__", None) or found[0].name.rpartition(".")[2]
            return self.named(kind, name) or found[0], receiver
        return found[0], receiver

    def _builtin(self, thing: Any) -> Found | None:
        holder = thing.__self__
        if holder is None or isinstance(holder, types.ModuleType):
            return self._by_module(thing)
        if isinstance(holder, type):
            operation = self.named(holder, thing.__name__) if self.touches(holder) else None
            return None if operation is None else (operation, holder)
        return self._on(holder, thing.__name__)

    def _on(self, holder: object, name: str) -> Found | None:
        kind = type(holder)
        operation = self.member(kind, name) if self.touches(kind) else None
        return None if operation is None else (operation, holder)

    def adopt(self, module: str, name: str, thing: Any) -> bool:
        """Know a compiled function by where it was found where it names no module itself; whether so."""
        library = self.naming.owner(module)
        own = getattr(thing, "__module__", None)
        if not library or self.naming.owner(own) or own in sys.modules:
            return False
        if id(thing) not in self._adopted:
            self._adopted[id(thing)] = thing, self.operation(library, self.naming.public(module, name))
        return True

    def draw(self, module: str, thing: Any) -> None:
        """Know a function of the standard library as one that gives something else in every run."""
        self._adopted[id(thing)] = self._draws[id(thing)] = thing, self.operation(module, thing.__name__)

    def is_draw(self, thing: Any) -> bool:
        """Whether something is such a function."""
        return id(thing) in self._draws

    def _by_module(self, thing: Any) -> Found | None:
        module = getattr(thing, "__module__", None)
        library = self.naming.owner(module)
        if not library:
            adopted = self._adopted.get(id(thing))
            return None if adopted is None else (adopted[1], NOTHING)
        return self.operation(library, self.naming.public(str(module), thing.__qualname__)), NOTHING

    def _like_function(self, thing: Any) -> Found | None:
        """A callable that goes by a function's name, such as a universal function of numpy."""
        name = getattr(thing, "__name__", None)
        library = self.naming.owner(getattr(thing, "__module__", None))
        if type(name) is not str or not library:
            return None
        return self.operation(library, self.naming.public(thing.__module__, name)), NOTHING

    def _class(self, thing: type) -> Found | None:
        if id(thing) not in self._classes:
            found = self._find_class(thing)
            if found is not None and found[1] is thing:
                return found  # it must not be held
            self.remember(thing)
            self._classes[id(thing)] = found
        return self._classes[id(thing)]

    def _find_class(self, thing: type) -> Found | None:
        standing = self.standing(thing)
        if standing is Standing.DERIVED and not self._is_made_by_library(thing):
            return None
        nearest = self.naming.class_of(thing)
        if nearest is None:
            operation = self.member(type(thing), "__call__") if self.touches(type(thing)) else None
            return None if operation is None else (operation, thing)
        owner = self.naming.owner(module_of(nearest))
        return self.operation(owner, self.naming.name_of_class(nearest)), NOTHING

    def _is_made_by_library(self, thing: type) -> bool:
        """Whether making an instance of a client's class runs the library's code at once."""
        if self.touches(type(thing)) and self.member(type(thing), "__call__") is not None:
            return True
        for name in ("__new__", "__init__"):
            for each in _MRO(thing):
                if name in vars(each):
                    if self.naming.owner(module_of(each)):
                        return True
                    break
        return False
