"""Import this package as Python does, and not as pytest would import a plugin.

pytest parses whatever comes with a plugin to rewrite its assertions. Much of this package is imported by the
thread that works beside the tests, and CPython does not let two threads parse at the same time: where a
suite does (Hypothesis, pytest itself), one of them fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGE = __name__.partition(".")[0] + "."


class _Plainly(MetaPathFinder):
    """Finds this package's modules ahead of pytest."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module where its package says that it is."""
        return PathFinder.find_spec(fullname, path, target) if fullname.startswith(_PACKAGE) else None


def import_plainly() -> None:
    """From now on."""
    if not any(isinstance(finder, _Plainly) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Plainly())
