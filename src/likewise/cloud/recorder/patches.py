"""Replaced attributes that can be put back, and seams in modules that may be imported later."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from threading import local
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

Make = Callable[[Any], Any]
"""Builds the replacement from the original."""


_INHERITED = object()
"""Stands for what a class has from another one."""


class Patches:
    """Replacements in force, undone in reverse order.

    An attribute that somebody else has replaced in the meantime is left alone: the replacement then
    stays in their chain, so every replacement must itself pass through once its owner is inactive.
    """

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any, Any]] = []

    def replace(self, owner: Any, name: str, make: Make) -> None:
        """Replace an attribute that `owner` itself defines; one that it lacks is left alone."""
        original = vars(owner).get(name)
        if original is None:
            return
        replacement = make(original)
        setattr(owner, name, replacement)
        self._done.append((owner, name, original, replacement))

    def override(self, owner: type, name: str, make: Make) -> None:
        """Give a class an attribute of its own in place of one that it inherits, or replace its own."""
        if name in vars(owner):
            self.replace(owner, name, make)
            return
        replacement = make(getattr(owner, name))
        setattr(owner, name, replacement)
        self._done.append((owner, name, _INHERITED, replacement))

    def undo(self) -> None:
        """Put every original back."""
        while self._done:
            owner, name, original, replacement = self._done.pop()
            if vars(owner).get(name) is not replacement:
                continue
            if original is _INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


class ImportWatch:
    """Calls back once for each watched module: now if it is imported, else right after its import.

    Nothing is imported on its behalf. A finder is needed because a test may import its SDK and use
    it in one breath, with no moment in between at which a look at `sys.modules` would do.
    """

    def __init__(self, watched: dict[str, Callable[[ModuleType], None]]) -> None:
        self._watched = dict(watched)
        self._searching = local()

    def start(self) -> None:
        """Call back for what is there and wait for the rest."""
        for name in list(self._watched):
            module = sys.modules.get(name)
            if module is not None and not _is_importing(module):
                self._watched.pop(name)(module)
        if self._watched and self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Wait no longer."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Let the other finders find the module, and be told when it has been executed."""
        # Another watch asks all finders too, this one among them: it must not ask back.
        if fullname not in self._watched or getattr(self._searching, "name", "") == fullname:
            return None
        self._searching.name = fullname
        try:
            for finder in sys.meta_path:
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    self._follow(spec)
                    return spec
        finally:
            self._searching.name = ""
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            original(module)
            callback = self._watched.pop(module.__name__, None) if self in sys.meta_path else None
            if callback is not None:
                callback(module)

        loader.exec_module = exec_module


def _is_importing(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))
