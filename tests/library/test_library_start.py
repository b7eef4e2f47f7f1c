"""The recorder starts with little, and meets the rest when the client does."""

from __future__ import annotations

import importlib
import importlib.machinery
import subprocess
import sys
from pathlib import Path
from typing import Any

from likewise.library.hub import Hub
from likewise.library.loading import Client, Finder
from likewise.library.naming import Naming
from likewise.library.recorder import Recorder
from likewise.library.targets import Targets

_START = """
import sys
import likewise.plugin.library
print(*sorted({"sqlite3", "asyncio", "click", "likewise.cli", "likewise.store.ledger"} & sys.modules.keys()))
"""


def test_recording_needs_neither_ledger_nor_command_line_nor_asyncio() -> None:
    done = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_module_is_met_when_somebody_imports_it_and_left_as_it_is(monkeypatch: Any, tmp_path: Path) -> None:
    (tmp_path / "latecomer.py").write_text("there = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    naming = Naming(["nothing"])
    hub = Hub(Recorder(on_trace=lambda trace: None), Targets(naming))
    met: list[bool] = []
    hub.awaited["latecomer"] = lambda: met.append(sys.modules["latecomer"].there)
    finder = Finder(Client([], naming), hub, None)  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    module = importlib.import_module("latecomer")
    monkeypatch.delitem(sys.modules, "latecomer")
    assert met == [True]
    assert type(module.__loader__) is importlib.machinery.SourceFileLoader
    assert module.__spec__ is not None
    assert module.__spec__.loader is module.__loader__
