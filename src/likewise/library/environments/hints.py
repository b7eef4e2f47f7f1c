"""What a client says in passing about what its tests need: `tests_require`, the `deps` of tox."""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from pathlib import Path

_PLAIN = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,. -]*\])?\s*([<>=!~].*)?(;.*)?")
_TOOLS = frozenset({"tox", "coveralls", "codecov", "flake8", "black", "mypy", "pylint", "isort", "twine"})
"""What a test environment often holds and no test imports."""


def hinted(root: Path) -> tuple[str, ...]:
    """Requirements of tests that no installer reads; they may be out of date, so none of them is needed."""
    found = [*_setup_py(root / "setup.py"), *_setup_cfg(root / "setup.cfg"), *_tox(root)]
    plain = (each.partition(" #")[0].strip() for each in found)
    wanted = [each for each in plain if _PLAIN.fullmatch(each) and re.split(r"\W", each)[0] not in _TOOLS]
    return tuple(dict.fromkeys(wanted))


def _setup_py(path: Path) -> Iterator[str]:
    """The literal `tests_require` of a setup script, which is read and not run."""
    if not path.is_file():
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    named = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "tests_require":
            value = named.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            if isinstance(value, ast.List | ast.Tuple):
                for each in value.elts:
                    if isinstance(each, ast.Constant) and isinstance(each.value, str):
                        yield each.value


def _setup_cfg(path: Path) -> Iterator[str]:
    yield from _lines(path, "options", "tests_require")


def _tox(root: Path) -> Iterator[str]:
    """The requirements of tox's own test environment that hold under any condition."""
    for line in [
        *_lines(root / "tox.ini", "testenv", "deps"),
        *_lines(root / "setup.cfg", "tox:testenv", "deps"),
    ]:
        named = re.fullmatch(r"-r\s*([\w./-]+)", line)
        if named is None:
            yield line
        elif (root / named[1]).is_file():
            yield from (root / named[1]).read_text(errors="replace").splitlines()


def _lines(path: Path, section: str, option: str) -> list[str]:
    if not path.is_file():
        return []
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(path.read_text(errors="replace"))
        text = parser.get(section, option, fallback="") or ""
    except configparser.Error:
        return []
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
