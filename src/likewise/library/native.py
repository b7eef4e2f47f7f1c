"""The helper in C: compiled once for each interpreter where there is a compiler, otherwise absent."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from likewise.library.caching import folder

SOURCE = Path(__file__).with_name("native.c")
INCLUDED = ("data.c", "noting.c")
SECONDS = 120


def load() -> ModuleType | None:
    """The compiled helper, or None where it cannot be had."""
    if os.environ.get("LIKEWISE_PURE") or sys.implementation.name != "cpython":
        return None
    try:
        path = _place()
        if not path.exists():
            _compile(path)
        spec = importlib.util.spec_from_file_location(
            "native", path, loader=importlib.machinery.ExtensionFileLoader("native", str(path))
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (OSError, ImportError, subprocess.SubprocessError):
        return None
    return module


def _place() -> Path:
    """A file of its own for each source and interpreter, in the user's cache."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    digest = hashlib.blake2b(SOURCE.read_bytes() + sys.version.encode(), digest_size=8)
    for name in INCLUDED:
        digest.update(SOURCE.with_name(name).read_bytes())
    return folder() / "native" / f"native-{digest.hexdigest()}{suffix}"


def _compile(path: Path) -> None:
    """Compile beside the place and move it there, so that nobody ever loads half a file."""
    import sysconfig  # once for each interpreter

    path.parent.mkdir(parents=True, exist_ok=True)
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    include = {sysconfig.get_path(name) for name in ("include", "platinclude")}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        made = Path(folder) / path.name
        flags = ["-shared", "-fPIC", "-O2", *(f"-I{place}" for place in sorted(include))]
        if sys.platform == "darwin":
            flags += ["-undefined", "dynamic_lookup"]
        command = [*compiler, *flags, str(SOURCE), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
        made.replace(path)
