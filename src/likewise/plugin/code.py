"""What identifies the code that a test runs."""

from __future__ import annotations

import ast
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

_NOT_SOURCE = frozenset({"node_modules", "__pycache__", "site-packages", "build", "dist"})
_WORD = re.compile(rb"\w+")
_PARSED = 1_000_000
"""Bytes of test files up to which they are taken apart; more would be felt at the start of every run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The hash of a project's code, and of what matters to single tests where that is less.

    `parts` is by test file, and by top-level function or class as in a node id.
    """

    whole: str
    parts: dict[str, str]


def identify(root: Path, test_files: Sequence[str], tests: Sequence[str]) -> Code:
    """Hash every Python file at or below `root`, environments and build results left out.

    A test file that no other file mentions matters to its own tests only: pytest alone imports it. So
    does a test function, or a class of tests, whose name stands nowhere else in its file. `test_files`
    and `tests` are patterns of their names.
    Data files are left out on purpose: tests write some, and code that differs at every run could
    never be seen twice.
    """
    sources = {path.relative_to(root).as_posix(): content for path, content in _sources(root)}
    hashes = {name: _hash(content) for name, content in sources.items()}
    apart = sorted(_mentioned_nowhere(sources, test_files))
    shared = _join({name: each for name, each in hashes.items() if name not in apart})
    parts = {name: _join({"": shared, name: hashes[name]}) for name in apart}
    if sum(len(sources[name]) for name in apart) <= _PARSED:
        for name in apart:
            rest, own = _take_apart(sources[name], tests)
            around = _join({"": shared, name: _hash(rest)})
            parts |= {f"{name}::{test}": _join({"": around, test: _hash(own[test])}) for test in own}
    return Code(whole=_join(hashes).hex(), parts={part: each.hex() for part, each in parts.items()})


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _join(hashes: Mapping[str, bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(hashes):
        digest.update(f"{name}\0".encode() + hashes[name])
    return digest.digest()


def _mentioned_nowhere(sources: Mapping[str, bytes], test_files: Sequence[str]) -> set[str]:
    """The test files whose module name stands in no other file, be it in an import or in a text."""
    candidates: dict[bytes, list[str]] = {}
    for name in sources:
        path = PurePosixPath(name)
        if any(fnmatch(path.name, pattern) for pattern in test_files):
            candidates.setdefault(path.stem.encode(), []).append(name)
    if not candidates:
        return set()
    mentions = dict.fromkeys(candidates, 0)
    for name, content in sources.items():
        own = PurePosixPath(name).stem.encode()
        for stem in candidates.keys() & set(_WORD.findall(content)) - {own}:
            mentions[stem] += 1
    return {names[0] for stem, names in candidates.items() if len(names) == 1 and not mentions[stem]}


def _take_apart(content: bytes, tests: Sequence[str]) -> tuple[bytes, dict[str, bytes]]:
    """A test file without its tests, and the source of each: those that nothing else in it mentions."""
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError):
        return content, {}
    lines = content.splitlines(keepends=True)
    words = Counter(_WORD.findall(content))
    own: dict[str, bytes] = {}
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if not any(fnmatch(node.name, f"{pattern}*") for pattern in tests) or words[node.name.encode()] != 1:
            continue
        first = min(each.lineno for each in (node, *node.decorator_list)) - 1
        assert node.end_lineno is not None
        own[node.name] = b"".join(lines[first : node.end_lineno])
        lines[first : node.end_lineno] = [b""] * (node.end_lineno - first)
    return b"".join(lines), own


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
