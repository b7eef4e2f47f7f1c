"""What of a library a client's tests reach, and what its code uses that they do not."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from likewise.library.comparison.drawing import is_draw
from likewise.library.comparison.groups import is_test, line_of
from likewise.model import Recording

SKIPPED = frozenset(
    {
        "node_modules",
        "__pycache__",
        "site-packages",
        "build",
        "dist",
        "venv",
        ".venv",
        "env",
        ".tox",
        ".nox",
        ".git",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """An operation that the tests reach."""

    operation: str
    crossings: int
    tests: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """A line of the client that names something of the library, and that no test reaches."""

    name: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """The part of a library that matters to a client."""

    uses: tuple[Use, ...]
    unreached: tuple[Unreached, ...]
    tests: int


def footprint(recording: Recording, *, root: Path, libraries: Iterable[str]) -> Footprint:
    """The footprint of one recorded run of a client in this folder."""
    counts: Counter[str] = Counter()
    tests: dict[str, set[str]] = defaultdict(set)
    lines: dict[str, set[str]] = defaultdict(set)
    reached: set[str] = set()
    for trace in recording.traces:
        for each in trace.interactions:
            if is_draw(each):
                continue
            name, at = str(each.operation), line_of(str(each.wire.get("at", "")))
            count = each.wire.get("count", 1)
            counts[name] += count if isinstance(count, int) else 1
            tests[name].add(trace.test)
            lines[name].add(at)
            reached.add(at)
    uses = tuple(
        Use(operation=name, crossings=count, tests=len(tests[name]), lines=tuple(sorted(lines[name])))
        for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    )
    named = dict.fromkeys(each for path in client_files(root) for each in names_in(path, root, libraries))
    return Footprint(
        uses=uses,
        unreached=tuple(each for each in named if each.at not in reached),
        tests=sum(1 for trace in recording.traces if is_test(trace.test)),
    )


def client_files(root: Path) -> Iterator[Path]:
    """The client's own modules, tests left out."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if any(part in SKIPPED or part.endswith(".egg-info") for part in parts[:-1]):
            continue
        if any(part in ("tests", "test") for part in parts[:-1]) or _is_test_file(path.name):
            continue
        yield path


def _is_test_file(name: str) -> bool:
    return (
        name.startswith("test_")
        or name.endswith("_test.py")
        or name in ("conftest.py", "setup.py", "noxfile.py")
    )


def names_in(path: Path, root: Path, libraries: Iterable[str]) -> Iterator[Unreached]:
    """Every use of a name that comes from a library by an import in this file."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    known = _imports(tree, tuple(libraries))
    if not known:
        return
    place = path.relative_to(root).as_posix()
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            name = _dotted(node, inner)
            head, _, rest = name.partition(".")
            if head in known and isinstance(getattr(node, "ctx", None), ast.Load):
                yield Unreached(
                    name=f"{known[head]}.{rest}" if rest else known[head], at=f"{place}:{node.lineno}"
                )


def _imports(tree: ast.Module, libraries: tuple[str, ...]) -> dict[str, str]:
    """The names under which a file knows a library, and what they stand for."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if _belongs(each.name, libraries):
                    known[each.asname or each.name.partition(".")[0]] = (
                        each.name if each.asname else each.name.partition(".")[0]
                    )
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and not node.level
            and _belongs(node.module, libraries)
        ):
            for each in node.names:
                known[each.asname or each.name] = f"{node.module}.{each.name}"
    return known


def _belongs(module: str, libraries: tuple[str, ...]) -> bool:
    return any(module == each or module.startswith(f"{each}.") for each in libraries)


def _dotted(node: ast.AST, inner: set[int]) -> str:
    """`a.b.c` as text; what it is made of is noted, so that it is not told again."""
    if isinstance(node, ast.Name):
        inner.add(id(node))
        return node.id
    if isinstance(node, ast.Attribute):
        inner.add(id(node))
        head = _dotted(node.value, inner)
        return f"{head}.{node.attr}" if head else ""
    return ""
