"""A pytest plugin that notes which functions of a library a suite reaches, their lines, what they return.

It stands on `sys.settrace`, not on the recorder, so that it can say what the recorder should have seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

VARIABLE = "LIKEWISE_PROBE"
"""`{"folders": […], "into": FILE}`: the library's own folders or files, and where the findings go."""
EVERYWHERE = "*"
COUNTED = (bool, int, float, str, bytes, list, dict, set, tuple, frozenset, type(None))


class _Reached:
    """What is known about one function."""

    __slots__ = ("boundary", "lines", "tests", "types", "values")

    def __init__(self) -> None:
        self.boundary = False
        self.lines: set[int] = set()
        self.tests: set[str] = set()
        self.types: set[str] = set()
        self.values: set[str] = set()


class Probe:
    """Follows the library's functions while tests run."""

    def __init__(self, folders: list[str], into: str) -> None:
        self._folders = tuple(folders)
        self._into = into
        self._found: dict[CodeType, _Reached] = {}
        self._ours: dict[CodeType, bool] = {}
        self.where = EVERYWHERE

    def start(self) -> None:
        """Follow this thread, and those to come."""
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def _is_ours(self, code: CodeType) -> bool:
        known = self._ours.get(code)
        if known is None:
            known = self._ours[code] = code.co_filename.startswith(self._folders)
        return known

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        if event != "call" or not self._is_ours(code):
            return None
        reached = self._found.get(code)
        if reached is None:
            reached = self._found[code] = _Reached()
        reached.tests.add(self.where)
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename.startswith("<"):
            caller = caller.f_back  # generated code, such as the methods of dataclasses
        if caller is not None and not self._is_ours(caller.f_code):
            reached.boundary = True
        lines, types, values = reached.lines, reached.types, reached.values

        def inside(frame: FrameType, event: str, arg: object) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            elif event == "return":
                kind = type(arg)
                types.add(kind.__name__ if kind in COUNTED else "object")
                if len(values) < 3:
                    values.add(
                        repr(arg) if kind in (bool, type(None)) or arg in _EMPTY.get(kind, ()) else "…"
                    )
            return inside

        return inside

    def write(self) -> None:
        """Put what was found into the file."""
        found = [
            {
                "file": code.co_filename,
                "qualname": code.co_qualname,
                "line": code.co_firstlineno,
                "boundary": each.boundary,
                "lines": sorted(each.lines),
                "tests": sorted(each.tests),
                "types": sorted(each.types),
                "values": sorted(each.values),
            }
            for code, each in self._found.items()
        ]
        with open(self._into, "w", encoding="utf-8") as target:  # noqa: PTH123 - the suite may have patched pathlib
            json.dump(found, target)

    @pytest.hookimpl(tryfirst=True, wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """What a fixture reaches may serve all tests of the file."""
        self.where = f"{item.nodeid.partition('::')[0]}::*"
        self.start()
        return (yield)

    @pytest.hookimpl(tryfirst=True, wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Attribute what is reached to the test."""
        self.where = item.nodeid
        self.start()
        return (yield)

    @pytest.hookimpl(tryfirst=True, wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        """Finalisers belong to the test as well."""
        self.start()
        result = yield
        self.where = EVERYWHERE
        return result

    def pytest_sessionfinish(self) -> None:
        """Stop, and write."""
        sys.settrace(None)
        threading.settrace(None)
        self.write()


_EMPTY: dict[type, tuple[object, ...]] = {
    int: (0,),
    float: (0.0,),
    str: ("",),
    bytes: (b"",),
    list: ([],),
    dict: ({},),
    set: (set(),),
    tuple: ((),),
    frozenset: (frozenset(),),
}


def pytest_configure(config: pytest.Config) -> None:
    """Begin when the options are known."""
    if text := os.environ.get(VARIABLE):
        probe = Probe(**json.loads(text))
        config.pluginmanager.register(probe, "likewise-probe")
        probe.start()
