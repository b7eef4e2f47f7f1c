"""Compiled code in this process that may read a dictionary past its methods.

Python code, and what the standard library has in C, asks a dictionary of a type of its own through its
methods. Other compiled code may take the entries straight from memory, and nobody is told. So a compiled
module counts as such a reader unless it is known to ask, or its file names no function that reads a
dictionary.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from mmap import ACCESS_READ, mmap
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from likewise.store import encoding

ASKING = frozenset(
    {
        # what the SDKs and moto bring: text, bytes, keys and headers, and dictionaries by their methods
        "_awscrt",
        "aiohttp",
        "awscrt",
        "charset_normalizer",
        "cryptography",
        "frozenlist",
        "markupsafe",
        "multidict",
        "propcache",
        "wrapt",
        "yaml",
        "yarl",
        # what watches tests or switches between them, and is given no answers
        "coverage",
        "greenlet",
        "uvloop",
    }
)
"""Packages whose compiled modules were seen to ask, or are never given an answer."""
OWN = "msgspec"
"""The reader that Likewise itself brings; it counts once somebody else uses it."""
_BEHIND = "_cffi_backend"
"""Does for cffi and what cffi built, and for them only, what those are asked to do."""
_COMPILED_BY_METHODS = "__mypyc"
"""How modules end in which mypyc put its code: it takes short cuts with plain dictionaries only."""
_READS = re.compile(rb"PyDict_(?!New|SetItem|DelItem|Clear|Type\b)\w|_cffi_backend")
"""Names by which the interpreter's functions that look into a dictionary are linked."""
_OF_IMPORTS = frozenset(
    {"__class__", "__file__", "__loader__", "__name__", "__package__", "__path__", "__spec__"}
)
"""What an import, and everybody who lists the modules, asks of a module."""


class Readers:
    """Finds such readers as they are imported; one that is there stays."""

    def __init__(self) -> None:
        self._found = OWN if encoding.IS_SHARED else ""
        self._examined: set[str] = set()
        self._files: dict[str, bool] = {}
        self._undo: list[Callable[[], None]] = []

    def find(self) -> str:
        """The name of a reader in this process, or nothing."""
        if not self._found:
            for name in sys.modules.keys() - self._examined:
                self._examined.add(name)
                if self._is_reader(sys.modules.get(name)):
                    self._found = name
                    break
        return self._found

    def watch_own(self) -> None:
        """Notice when somebody else uses the reader that Likewise brings."""
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == OWN and isinstance(module, ModuleType):
                self._watch(module)

    def unwatch(self) -> None:
        """Leave the modules as they were."""
        while self._undo:
            self._undo.pop()()

    def _watch(self, module: ModuleType) -> None:
        kind = type(module)
        listing: set[CodeType] = set()

        class Watched(kind):  # type: ignore[valid-type, misc]
            def __dir__(watched) -> Any:
                listing.add(sys._getframe(1).f_code)
                return kind.__dir__(watched)

            def __getattribute__(watched, name: str) -> Any:
                value = kind.__getattribute__(watched, name)
                if name not in _OF_IMPORTS and (name == "__dict__" or _does_something(value)):
                    user = sys._getframe(1)
                    # Who goes through all names of a module, as freezegun does, looks for something else.
                    if user.f_code not in listing:
                        self._used_by(str(user.f_globals.get("__name__", "")))
                return value

        module.__class__ = Watched
        self._undo.append(lambda: setattr(module, "__class__", kind))

    def _used_by(self, user: str) -> None:
        # An import asks on behalf of somebody who will ask for the same thing next.
        if user.partition(".")[0] not in ("likewise", OWN) and user != "importlib._bootstrap":
            self._found = self._found or OWN

    def _is_reader(self, module: object) -> bool:
        content = getattr(module, "__dict__", {})
        spec = content.get("__spec__")
        file = getattr(spec, "origin", None) or content.get("__file__")
        if not isinstance(file, str) or not file.endswith(tuple(EXTENSION_SUFFIXES)):
            return False
        name = str(getattr(spec, "name", "") or content.get("__name__", ""))
        package = name.partition(".")[0]
        if package in sys.stdlib_module_names or package in ASKING or package in (OWN, _BEHIND):
            return False
        if name.endswith(_COMPILED_BY_METHODS):
            return False
        if file not in self._files:
            self._files[file] = _may_read(Path(file))
        return self._files[file]


def _does_something(value: object) -> bool:
    return callable(value) or isinstance(value, ModuleType)


def _may_read(file: Path) -> bool:
    try:
        with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as content:
            return _READS.search(content) is not None
    except (OSError, ValueError):
        return True  # nobody can tell: it counts
