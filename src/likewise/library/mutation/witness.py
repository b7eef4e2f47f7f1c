"""A pytest plugin that notes all that a client's own code does and holds, by test and function.

It knows nothing of the boundary: every line that a client's function runs, the plain values that it holds
there, what it raises and returns, what tests print, and which files, processes and connections are opened. A
mutant with which all of that is the same cannot be told from the original by this client's suite.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest

VARIABLE = "LIKEWISE_WITNESS"
"""`{"root": FOLDER, "into": FILE}`: the client's folder, and where the digests go."""
SEED = 20_011
LONG, MANY, DEEP = 2_000, 200, 4
"""Characters of a text, items of a container and levels of containers that are looked at."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_VARYING = re.compile(r"0x[0-9a-f]{6,}|likewise-mutant-\w+|pytest-of-\w+/pytest-\d+|/tmp/\w+")
"""Addresses and the names of folders for a while."""
_OUTSIDE = ("os.", "shutil.", "socket.", "subprocess.", "sqlite3.", "tempfile.", "http.client.", "urllib.")


class Witness:
    """Follows the client's functions while tests run."""

    def __init__(self, root: str, into: str) -> None:
        self._root, self._into = os.path.join(root, ""), into  # noqa: PTH118 - the suite may patch pathlib
        self._ours: dict[CodeType, str] = {}
        self._found: dict[str, Any] = {}
        self._test = ""
        self._is_looking = threading.local()

    def _name(self, code: CodeType) -> str:
        known = self._ours.get(code)
        if known is None:
            name = code.co_filename
            is_ours = name.startswith(self._root) and "-packages" not in name and "/.venv/" not in name
            known = f"{name[len(self._root) :]}::{code.co_qualname}" if is_ours else ""
            self._ours[code] = known
        return known

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        name = self._name(frame.f_code) if event == "call" and self._test else ""
        return self._inside if name else None

    def _inside(self, frame: FrameType, event: str, arg: Any) -> Any:
        if self._test and not getattr(self._is_looking, "now", False):
            self._is_looking.now = True
            try:
                name = self._name(frame.f_code)
                self._note(f"lines {name}", f"{event}{frame.f_lineno}")
                held = {key: _plain(value) for key, value in sorted(frame.f_locals.items())}
                own = getattr(frame.f_locals.get("self"), "__dict__", None)
                if type(own) is dict:
                    held["self."] = _plain(own)
                if event == "exception":
                    held["raised"] = f"{arg[0].__name__}: {_text(arg[1])}"
                elif event == "return":
                    held["returned"] = _plain(arg)
                self._note(f"values {name}", repr(held))
            finally:
                self._is_looking.now = False
        return self._inside

    def _note(self, key: str, text: str) -> None:
        place = f"{self._test}\t{key}"
        digest = self._found.get(place)
        if digest is None:
            digest = self._found[place] = hashlib.blake2b(digest_size=8)
        digest.update(_VARYING.sub("…", text).encode("utf-8", "surrogatepass"))

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Hear of what goes out of the process."""
        if not self._test or getattr(self._is_looking, "now", False):
            return
        if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
            self._note("outside", f"{event}{args[0]!s}{args[1]}")
        elif event.startswith(_OUTSIDE) and event not in ("os.listdir", "os.scandir"):
            self._note("outside", f"{event}{[each for each in args if isinstance(each, str)]}")

    @pytest.hookimpl(tryfirst=True, wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """All of a test, its fixtures included."""
        self._test = item.nodeid
        random.seed(SEED)
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self._test = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """How each phase of a test ended, and what it printed."""
        told = [text for name, text in report.sections if "log" not in name.lower()]
        self._note(f"report {report.when}", f"{report.outcome}{told}")

    def pytest_sessionfinish(self) -> None:
        """Write what was found."""
        threading.settrace(None)
        found = {place: digest.hexdigest() for place, digest in self._found.items()}
        with open(self._into, "w", encoding="utf-8") as target:  # noqa: PTH123 - the suite may have patched pathlib
            json.dump(found, target)


def _plain(value: Any, deep: int = DEEP) -> Any:
    """What plain things a value holds; of anything else only its type."""
    kind = type(value)
    if kind in _PLAIN:
        return value[:LONG] if kind is str or kind is bytes else value
    if deep and kind in (list, tuple):
        return [_plain(each, deep - 1) for each in value[:MANY]]
    if deep and kind in (set, frozenset):
        return sorted(repr(_plain(each, deep - 1)) for each in value)[:MANY]
    if deep and kind is dict:
        return [(_plain(key, deep - 1), _plain(each, deep - 1)) for key, each in list(value.items())[:MANY]]
    if kind.__name__ == "ndarray" and kind.__module__ == "numpy" and not value.dtype.hasobject:
        return str(value.dtype), value.shape, value.tobytes()
    for base in _PLAIN[1:]:
        if issubclass(kind, base):
            return kind.__name__, base.__repr__(value)[:LONG]
    return kind.__qualname__


def _text(error: object) -> str:
    try:
        return str(error)[:LONG]
    except Exception as trouble:
        return type(trouble).__name__


def pytest_configure(config: pytest.Config) -> None:
    """Begin when the options are known."""
    if text := os.environ.get(VARIABLE):
        witness = Witness(**json.loads(text))
        config.pluginmanager.register(witness, "likewise-witness")
        sys.addaudithook(witness.audit)
