"""Imports the client's modules rewritten; every other module is imported as always."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Protocol

from likewise.library import caching, crossing
from likewise.library.hub import Hub
from likewise.library.naming import PREFIX, Naming


class Asserts(Protocol):
    """Rewrites a tree's asserts where the loader that was found would have; knows the test runner."""

    def tag(self, loader: object) -> str:
        """What its work depends on."""

    def rewrite(self, tree: ast.Module, source: bytes, path: str, loader: object) -> None:
        """Change the tree in place."""


_NEVER = frozenset({"likewise", "pytest", "_pytest"})


class Client:
    """Which files are the client's, and how their places are called.

    They are those below its folders, environments left out, and an installed copy of a package that
    lies there.
    """

    def __init__(self, folders: Sequence[Path], naming: Naming) -> None:
        self._folders = [folder.resolve() for folder in folders]
        self._naming = naming
        self._sites = [
            Path(each).resolve() for each in sys.path if each.endswith(("site-packages", "dist-packages"))
        ]
        self._inside: dict[str, str] = {}
        """Where the folders of modules lie; to find that out of a path takes long."""
        self._packages = {name for folder in self._folders for name in _packages(folder)}

    def place(self, module: str, file: str) -> str:
        """The name of a client's file, relative and with slashes; nothing for any other file."""
        if module.partition(".")[0] in _NEVER or self._naming.owner(module) or not file.endswith(".py"):
            return ""
        if file.startswith(_STDLIB_TEXT) and "-packages" not in file:
            return ""
        folder, _, name = file.replace(os.sep, "/").rpartition("/")
        inside = self._inside.get(folder)
        if inside is None:
            inside = self._inside[folder] = self._place_of_folder(Path(folder).resolve())
        if inside == _OUTSIDE or (
            inside.startswith(_SITE) and module.partition(".")[0] not in self._packages
        ):
            return ""
        return f"{inside.removeprefix(_SITE)}/{name}".lstrip("/")

    def _place_of_folder(self, path: Path) -> str:
        for site in self._sites:
            if path.is_relative_to(site):
                return _SITE + _relative(path, site)
        if any(part in ("site-packages", "dist-packages") for part in path.parts):
            return _OUTSIDE
        if path.is_relative_to(Path(sys.prefix).resolve()) or path.is_relative_to(_STDLIB):
            return _OUTSIDE
        for folder in self._folders:
            if path.is_relative_to(folder):
                return _relative(path, folder)
        return _OUTSIDE


_STDLIB_TEXT = os.__file__.removesuffix("os.py")
_STDLIB = Path(_STDLIB_TEXT).resolve()
_OUTSIDE, _SITE = "\0", "\0site:"
"""A folder that is not the client's; what stands before the place of an installed one."""


def _relative(path: Path, folder: Path) -> str:
    found = path.relative_to(folder).as_posix()
    return "" if found == "." else found


def _packages(folder: Path) -> list[str]:
    found = []
    for place in (folder, folder / "src"):
        if place.is_dir():
            found += [each.parent.name for each in place.glob("*/__init__.py")]
            found += [each.stem for each in place.glob("*.py")]
    return [name for name in found if name not in ("tests", "test", "conftest", "setup", "docs")]


class Loader(importlib.machinery.SourceFileLoader):
    """Loads one module of the client, rewritten; reads and writes no bytecode."""

    def __init__(self, name: str, path: str, *, place: str, found: object, finder: Finder) -> None:
        super().__init__(name, path)
        self._place, self._found, self._finder = place, found, finder

    def get_code(self, fullname: str) -> CodeType:
        """The rewritten module."""
        source = self.get_data(self.path)
        finder = self._finder
        libraries = ",".join(finder.naming.libraries)
        kept = finder.cache.place(source, self.path, self._place, libraries, finder.asserts.tag(self._found))
        entry = finder.cache.get(kept)
        if entry is None:
            entry = self._rewritten(source)
            finder.cache.put(kept, entry)
        finder.hub.stored |= entry[1]
        return entry[0]

    def _rewritten(self, source: bytes) -> caching.Entry:
        from likewise.library import rewriting  # only where the cache has nothing

        tree: Any = compile(source, self.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        self._finder.asserts.rewrite(tree, source, self.path, self._found)
        stored = rewriting.rewrite(tree, path=self._place, naming=self._finder.naming)
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code, stored

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; what crosses meanwhile belongs to its import, not to a test."""
        self._finder.hub.client_files.add(self.path)
        recorder = self._finder.hub.recorder
        recorder.open(crossing.IMPORT + module.__name__)
        try:
            super().exec_module(module)
        finally:
            recorder.close()


class Announced:
    """Loads a module as its own loader does, and says so when it is there."""

    def __init__(self, loader: Any, then: Callable[[], None]) -> None:
        self._loader, self._then = loader, then

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As the loader does."""
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """As the loader does; the module is left as if nobody else had had a hand in it."""
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._then()


class Finder:
    """Asks everybody else where a module is, and loads it rewritten if it is the client's."""

    def __init__(self, client: Client, hub: Hub, asserts: Asserts) -> None:
        self.client, self.hub, self.asserts = client, hub, asserts
        self.naming = hub.targets.naming
        self.cache = caching.Cache()
        self._helpers: dict[str, Any] = {}

    def install(self, helpers: dict[str, Callable[..., Any]]) -> None:
        """Begin to rewrite what is imported from now on."""
        self._helpers = {PREFIX + name: helper for name, helper in helpers.items()}
        vars(builtins).update(self._helpers)
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Stop. The helpers stay: what was imported rewritten goes on calling them."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """What the others find, with another loader for the client's files."""
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._take_over(spec)
                if name in self.hub.awaited and spec.loader is not None:
                    then: Any = Announced(spec.loader, self.hub.awaited.pop(name))
                    spec.loader = then
                return spec
        return None

    def _take_over(self, spec: importlib.machinery.ModuleSpec) -> None:
        if spec.origin is None or not spec.has_location:
            return
        place = self.client.place(spec.name, spec.origin)
        found = spec.loader
        is_source = type(found) is importlib.machinery.SourceFileLoader or hasattr(found, "_rewritten_names")
        if place and is_source:
            spec.loader = Loader(spec.name, spec.origin, place=place, found=found, finder=self)
