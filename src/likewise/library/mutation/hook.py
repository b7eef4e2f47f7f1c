"""A pytest plugin for one mutant: the library is imported with one function changed.

Loaded with `-p` before anything of the suite is imported. No file of the library is touched.
"""

from __future__ import annotations

import ast
import importlib.machinery
import json
import os
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

from likewise.library.mutation.operators import Mutation, apply

VARIABLE = "LIKEWISE_MUTANT"
SELECTION = "LIKEWISE_SELECTION"
"""A file that names the tests to run, a line each; a line that ends in `::*` is all of a file."""
TOO_LATE = 70
"""The exit code of a process in which the library was imported before it could be changed."""


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles a module from its changed source; compiled files are neither read nor written."""

    def __init__(self, fullname: str, path: str, mutation: Mutation) -> None:
        super().__init__(fullname, path)
        self._mutation = mutation

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path), filename=self.path)
        code = compile(apply(tree, self._mutation), self.path, "exec", dont_inherit=True)
        assert isinstance(code, CodeType)
        return code


class _Finder:
    """Finds one module, as the others would, and gives it another loader."""

    def __init__(self, module: str, mutation: Mutation) -> None:
        self._module, self._mutation = module, mutation

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._module:
            return None
        place = sys.meta_path.index(self)
        for finder in sys.meta_path[place + 1 :]:
            find = getattr(finder, "find_spec", None)
            if find is None:
                continue
            spec: importlib.machinery.ModuleSpec | None = find(fullname, path, target)
            if spec is not None and spec.origin is not None:
                spec.loader = _Loader(fullname, spec.origin, self._mutation)
                return spec
        return None


def install() -> None:
    """Change what the environment says is to be changed."""
    text = os.environ.get(VARIABLE)
    if not text:
        return
    raw = json.loads(text)
    module = raw.pop("module")
    if module in sys.modules:
        sys.stderr.write(f"likewise: {module} was imported before it could be changed\n")
        os._exit(TOO_LATE)
    sys.meta_path.insert(0, _Finder(module, Mutation(**raw)))


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep only the tests that can reach the change."""
    chosen = os.environ.get(SELECTION)
    if not chosen:
        return
    with open(chosen, encoding="utf-8") as lines:  # noqa: PTH123 - the suite may have patched pathlib
        wanted = {line.rstrip("\n") for line in lines}
    kept = [
        item
        for item in items
        if item.nodeid in wanted or f"{item.nodeid.partition('::')[0]}::*" in wanted or "*" in wanted
    ]
    dropped = [item for item in items if item not in set(kept)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


install()
