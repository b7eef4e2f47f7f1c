"""What identifies the code that a test runs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

_NOT_SOURCE = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})
_WORD = re.compile(rb"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The hash of a project's code, and of what matters to the tests of each file where that is less."""

    whole: str
    by_file: dict[str, str]


def identify(root: Path, test_files: Sequence[str]) -> Code:
    """Hash every Python file at or below `root`, environments and build results left out.

    A test file that no other file mentions matters to its own tests only: pytest alone imports it.
    Data files are left out on purpose: tests write some, and code that differs at every run could
    never be seen twice.
    """
    sources = {path.relative_to(root).as_posix(): content for path, content in _sources(root)}
    hashes = {name: hashlib.blake2b(content, digest_size=16).digest() for name, content in sources.items()}
    apart = _mentioned_nowhere(sources, test_files)
    shared = {name: each for name, each in hashes.items() if name not in apart}
    return Code(
        whole=_join(hashes), by_file={name: _join({**shared, name: hashes[name]}) for name in sorted(apart)}
    )


def _join(hashes: Mapping[str, bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(hashes):
        digest.update(f"{name}\0".encode() + hashes[name])
    return digest.hexdigest()


def _mentioned_nowhere(sources: Mapping[str, bytes], test_files: Sequence[str]) -> set[str]:
    """The test files whose module name stands in no other file, be it in an import or in a text."""
    candidates: dict[bytes, list[str]] = {}
    for name in sources:
        path = PurePosixPath(name)
        if any(fnmatch(path.name, pattern) for pattern in test_files):
            candidates.setdefault(path.stem.encode(), []).append(name)
    mentions = dict.fromkeys(candidates, 0)
    for name, content in sources.items():
        own = PurePosixPath(name).stem.encode()
        for stem in candidates.keys() & set(_WORD.findall(content)) - {own}:
            mentions[stem] += 1
    return {names[0] for stem, names in candidates.items() if len(names) == 1 and not mentions[stem]}


def _sources(root: Path) -> Iterator[tuple[Path, bytes]]:
    for folder, folders, files in os.walk(root):
        folders[:] = [
            each
            for each in folders
            if not each.startswith(".")
            and each not in _NOT_SOURCE
            and not os.path.exists(os.path.join(folder, each, "pyvenv.cfg"))  # noqa: PTH110, PTH118
        ]
        for each in files:
            if each.endswith(".py"):
                path = Path(folder) / each
                try:
                    yield path, path.read_bytes()
                except OSError:
                    continue  # a dangling link, or gone since it was listed
