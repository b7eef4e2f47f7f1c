"""What a callable is to the boundary: whose it is, what it is called, on which object it works."""

from __future__ import annotations

import functools
import types
from dataclasses import dataclass
from typing import Any

from likewise.library.naming import Naming, module_of

FOREIGN, OWN, DERIVED = 0, 1, 2
"""A type: nobody's business; the library's own; one that extends the library's."""
_LRU = type(functools.lru_cache(lambda: None))
_DESCRIPTORS = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
)
_MISSING = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something of a library that can be used: `name` is public, without the library's own."""

    library: str
    name: str
    receiver: object = None
    has_receiver: bool = False


class Targets:
    """Finds the target of a call; answers depend on types and modules only, never on values."""

    def __init__(self, naming: Naming) -> None:
        self.naming = naming

    def standing(self, kind: type) -> int:
        """What a type is to the boundary."""
        if self.naming.owner(module_of(kind)):
            return OWN
        return FOREIGN if self.naming.class_of(kind) is None else DERIVED

    def member(self, kind: type, name: str) -> Target | None:
        """An operation or attribute of a type's instances, where the library provides it."""
        for each in type.__dict__["__mro__"].__get__(kind):
            if name in vars(each):
                owned = self.naming.owner(module_of(each))
                # What the library's class takes over from a builtin type is its own behaviour, too.
                if owned or self.standing(kind) == OWN:
                    return self.named(kind, name)
                return None
        return self.named(kind, name) if self.standing(kind) == OWN else None

    def named(self, kind: type, name: str) -> Target | None:
        """A member's name under the library class that is nearest to the type."""
        nearest = self.naming.class_of(kind)
        if nearest is None:
            return None
        path = f"{self.naming.name_of_class(nearest)}.{name}"
        return Target(library=self.naming.owner(module_of(nearest)), name=path)

    def find(self, thing: Any) -> Target | None:
        """The target of a callable, or None where it is not the library's."""
        kind = type(thing)
        if kind is types.FunctionType:
            return self._function(thing)
        if kind is types.MethodType:
            return self._bound(thing.__func__, thing.__self__)
        if kind is types.BuiltinFunctionType:
            return self._builtin(thing)
        if isinstance(thing, type):
            return self._class(thing)
        if kind is functools.partial:
            return self.find(thing.func)
        if kind is _LRU:
            return self.find(thing.__wrapped__)
        if kind is types.MethodWrapperType:
            return self._on(thing.__self__, thing.__name__)
        if kind in _DESCRIPTORS:
            return self.named(thing.__objclass__, thing.__name__) if self._owns(thing.__objclass__) else None
        if kind.__name__ in ("cython_function_or_method", "fused_cython_function"):
            return self._by_module(thing)
        member = self.member(kind, "__call__") if self.standing(kind) else None
        return _on(member, thing)

    def _owns(self, kind: type) -> bool:
        return self.standing(kind) == OWN

    def _function(self, thing: types.FunctionType) -> Target | None:
        module = thing.__globals__.get("__name__")
        library = self.naming.owner(module)
        if not library:
            return None
        name = self.naming.public(str(module), thing.__code__.co_qualname)
        return Target(library=library, name=name)

    def _bound(self, function: Any, receiver: object) -> Target | None:
        found = self.find(function)
        if found is None:
            return None
        kind = receiver if isinstance(receiver, type) else type(receiver)
        named = self.named(kind, found.name.rpartition(".")[2]) if self.standing(kind) else found
        return _on(named, receiver)

    def _builtin(self, thing: Any) -> Target | None:
        holder = thing.__self__
        if holder is None or isinstance(holder, types.ModuleType):
            return self._by_module(thing)
        if isinstance(holder, type):
            return _on(self.named(holder, thing.__name__), holder) if self.standing(holder) else None
        return self._on(holder, thing.__name__)

    def _on(self, holder: object, name: str) -> Target | None:
        kind = type(holder)
        return _on(self.member(kind, name), holder) if self.standing(kind) else None

    def _by_module(self, thing: Any) -> Target | None:
        module = getattr(thing, "__module__", None)
        library = self.naming.owner(module)
        if not library:
            return None
        return Target(library=library, name=self.naming.public(str(module), thing.__qualname__))

    def _class(self, thing: type) -> Target | None:
        standing = self.standing(thing)
        if standing == OWN:
            owner = self.naming.owner(module_of(thing))
            return Target(library=owner, name=self.naming.name_of_class(thing))
        if standing == DERIVED and self._is_made_by_library(thing):
            nearest = self.naming.class_of(thing)
            assert nearest is not None
            owner = self.naming.owner(module_of(nearest))
            return Target(library=owner, name=self.naming.name_of_class(nearest))
        return None

    def _is_made_by_library(self, thing: type) -> bool:
        """Whether making an instance of a client's class runs the library's code at once."""
        if self.member(type(thing), "__call__") is not None and type(thing) is not type:
            return True
        for name in ("__new__", "__init__"):
            for each in thing.__mro__:
                if name in vars(each):
                    if self.naming.owner(module_of(each)):
                        return True
                    break
        return False


def _on(target: Target | None, receiver: object) -> Target | None:
    if target is None:
        return None
    return Target(library=target.library, name=target.name, receiver=receiver, has_receiver=True)
