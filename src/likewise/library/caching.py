"""Rewritten modules, kept from one run to the next: rewriting costs more than compiling.

An entry is named by the hash of everything that it depends on, so that none is ever out of date.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from pathlib import Path
from types import CodeType

MOST = 4_000
"""Entries that are kept; beyond these the older half goes."""
_REWRITERS = ("rewriting.py", "expressions.py", "operators.py", "handing.py")
"""What an entry depends on, and only where there is none is imported."""
Entry = tuple[CodeType, frozenset[str]]
"""A rewritten module and the attributes that it sets."""


def folder() -> Path:
    """Where Likewise keeps what can be made again."""
    given = os.environ.get("LIKEWISE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "likewise"


class Cache:
    """Finds and keeps rewritten modules. A cache that cannot be read or written is an empty one."""

    def __init__(self) -> None:
        self._folder = folder() / "rewritten"
        digest = hashlib.blake2b(digest_size=16)
        for name in _REWRITERS:
            digest.update(Path(__file__).with_name(name).read_bytes())
        digest.update(importlib.util.MAGIC_NUMBER + sys.version.encode())
        self._base = digest.digest()

    def place(self, source: bytes, *parts: str) -> Path:
        """Where the rewritten form of a source belongs; `parts` is what else it depends on."""
        digest = hashlib.blake2b(self._base, digest_size=16)
        for part in (*(part.encode("utf-8", "surrogateescape") for part in parts), source):
            digest.update(len(part).to_bytes(8, "big") + part)
        return self._folder / digest.hexdigest()

    def get(self, place: Path) -> Entry | None:
        """What was kept at a place, if it is whole."""
        try:
            code, stored = marshal.loads(place.read_bytes())
        except (OSError, ValueError, EOFError, TypeError):
            return None
        return (code, stored) if isinstance(code, CodeType) else None

    def put(self, place: Path, entry: Entry) -> None:
        """Keep an entry; it appears whole or not at all."""
        with contextlib.suppress(OSError):  # nothing depends on it
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
                file.write(marshal.dumps(entry))
            Path(file.name).replace(place)

    def prune(self) -> None:
        """Let the older half go where there is too much."""
        with contextlib.suppress(OSError):
            every = list(self._folder.iterdir()) if self._folder.is_dir() else []
            if len(every) > MOST:
                for place in sorted(every, key=lambda each: each.stat().st_mtime)[: len(every) // 2]:
                    place.unlink(missing_ok=True)
