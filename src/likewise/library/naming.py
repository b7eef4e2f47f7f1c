"""Which library something belongs to, and the public name under which a client knows it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

PREFIX = "@likewise."
"""Helpers are builtins whose names no source can spell."""


class Naming:
    """Decides by module names: a library is one or more import names, each with everything below it."""

    def __init__(self, libraries: Iterable[str]) -> None:
        self.libraries = tuple(libraries)
        self._owners: dict[str, str] = {}
        self._public: dict[tuple[str, str], str] = {}

    def owner(self, module: object) -> str:
        """The library that a module's name belongs to, or nothing."""
        if type(module) is not str:
            return ""
        found = self._owners.get(module)
        if found is None:
            fitting = (each for each in self.libraries if module == each or module.startswith(each + "."))
            found = self._owners[module] = max(fitting, key=len, default="")
        return found

    def class_of(self, kind: type) -> type | None:
        """The library class that is nearest to a type: itself, or the first one that it extends."""
        first: type | None = None
        each: type
        for each in type.__dict__["__mro__"].__get__(kind):
            if self.owner(module_of(each)):
                if is_at_home(each):
                    return each
                first = first or each
        return first

    def public(self, module: str, name: str) -> str:
        """The shortest path at which a client can reach a module's name, without the library's own."""
        known = self._public.get((module, name))
        if known is None:
            known = self._public[module, name] = self._shortest(module, name)
        return known

    def name_of_class(self, kind: type) -> str:
        """The public name of a library class, without the library's own name."""
        return self.public(module_of(kind), kind.__qualname__)

    def _shortest(self, module: str, name: str) -> str:
        owner = self.owner(module)
        first = name.partition(".")[0]
        thing = _attribute(sys.modules.get(module), first)
        below = module[len(owner) :].strip(".").split(".") if len(module) > len(owner) else []
        if thing is not None:
            for depth in range(len(below) + 1):
                if any(part.startswith("_") for part in below[:depth]):
                    continue
                place = sys.modules.get(".".join([owner, *below[:depth]]))
                if _attribute(place, first) is thing:
                    return ".".join([*below[:depth], name])
        return ".".join([*(part for part in below if not part.startswith("_")), name])


def _attribute(place: ModuleType | None, name: str) -> Any:
    """What a module holds under a name, without waking a module-level `__getattr__`."""
    return None if place is None else vars(place).get(name)


def is_at_home(kind: type) -> bool:
    """Whether a class can be found where it says it comes from.

    One that a client makes of a library's class with a function of the library bears the library's module.
    """
    place: Any = sys.modules.get(module_of(kind))
    for part in kind.__qualname__.split("."):
        if part == "<locals>":
            return True
        place = None if place is None else vars(place).get(part) if hasattr(place, "__dict__") else None
    return place is kind or not kind.__flags__ & _ON_HEAP


_ON_HEAP = 1 << 9


def module_of(kind: type) -> str:
    """The module that a type says it comes from; nothing where it says something else."""
    try:
        found = type.__dict__["__module__"].__get__(kind)
    except AttributeError:
        return ""
    return found if type(found) is str else ""
