"""Looks for secrets in files: the proof that none reached the disk."""

from __future__ import annotations

import gzip
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from likewise.canonical.redact import Secrets
from likewise.cloud.secrets import RULES


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Leak:
    """A secret in a file. `line` is 0 where a file has no lines."""

    path: str
    line: int
    kind: str


def scan(paths: Iterable[Path | str], *, secrets: Secrets = RULES) -> list[Leak]:
    """Every secret in the files at or below `paths`; databases and compressed content are opened."""
    leaks: set[Leak] = set()
    for path in sorted({file for each in paths for file in _files(Path(each))}):
        for line, content in _contents(path):
            for kind in _kinds(content, secrets):
                leaks.add(Leak(path=str(path), line=line, kind=kind))
    return sorted(leaks)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (each for each in path.rglob("*") if each.is_file())
    elif path.is_file():
        yield path


def _contents(path: Path) -> Iterator[tuple[int, bytes]]:
    """What a file holds, line by line where it has lines."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content.startswith(b"SQLite format 3\0"):
        yield 0, content
        yield from ((0, cell) for cell in _cells(path))
    elif b"\0" in content[:1024] or path.name.endswith(("-wal", "-journal")):
        yield 0, content
    else:
        yield from enumerate(content.split(b"\n"), start=1)


def _cells(path: Path) -> Iterator[bytes]:
    """Every cell of a database that is text or bytes, decompressed where it is compressed."""
    with sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            quoted = str(table).replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}"'):
                for cell in row:
                    if isinstance(cell, str):
                        yield cell.encode()
                    elif isinstance(cell, bytes):
                        yield _decompressed(cell)
    connection.close()


def _decompressed(cell: bytes) -> bytes:
    try:
        return zlib.decompress(cell)
    except zlib.error:
        return cell  # not compressed, or not by us


def _kinds(content: bytes, secrets: Secrets) -> Iterator[str]:
    text = content.decode("latin-1")
    lowered = text.lower()
    for form in secrets.patterns:
        if any(needle in lowered for needle in form.needles) and form.pattern.search(text):
            yield form.kind
    for value in secrets.values:
        if value in text:
            yield "known secret"
    for match in _named(secrets.names).finditer(text):
        yield match[1].lower()


@lru_cache(maxsize=4)
def _named(names: frozenset[str]) -> re.Pattern[str]:
    """A secret field with its value in plain text, as JSON writes it."""
    plain = sorted((name for name in names if ":" not in name), key=len, reverse=True)
    return re.compile(rf'(?i)"({"|".join(map(re.escape, plain))})"\s*:\s*\[?\s*"[^"]{{4,}}"')
