"""Paths into an answer: `"callstack[0].function"`, `"[1]"`, `"locals['a.b']"`; the empty path is all."""

from __future__ import annotations

import re
from functools import lru_cache

from likewise.device.testee import Data
from likewise.model import LikewiseError

Path = tuple[str | int, ...]


class PathWrong(LikewiseError):
    """A path cannot be read."""

    slug = "path-wrong"


_PART = re.compile(r"""\.?([^.\[\]'"]+)|\[(-?\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")


@lru_cache(maxsize=4096)
def parse(text: str) -> Path:
    """The names and indices of a path."""
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        found = _PART.match(text, position)
        if found is None or (position == 0 and text[0] == "."):
            raise PathWrong(
                f"{text!r} is not a path",
                why=f"nothing fits from {text[position:]!r} on",
                todo="Write it like callstack[0].function; quote odd names: locals['a.b'].",
            )
        name, index, single, double = found.groups()
        parts.append(
            int(index) if index is not None else next(p for p in (name, single, double) if p is not None)
        )
        position = found.end()
    return tuple(parts)


class Absent(Exception):
    """An answer has nothing at a path; the message says from where on."""


def look_up(data: Data, path: Path) -> Data:
    """What an answer has at a path."""
    here: Data = data
    for depth, part in enumerate(path):
        try:
            if isinstance(here, dict):
                here = here[str(part)]
            elif isinstance(here, list) and isinstance(part, int):
                here = here[part]
            else:
                raise Absent(_missing(path[:depth], f"a {type(here).__name__}", part))
        except KeyError:
            known = ", ".join(sorted(map(str, here))) if isinstance(here, dict) else ""
            raise Absent(_missing(path[:depth], f"only {known or 'nothing'}", part)) from None
        except IndexError:
            raise Absent(_missing(path[:depth], "fewer elements", part)) from None
    return here


def _missing(path: Path, have: str, part: str | int) -> str:
    where = f"{show(path)} " if path else "the answer "
    return (
        f"nothing at {show((*path, part))}: {where}is {have}"
        if have.startswith("a ")
        else (f"nothing at {show((*path, part))}: {where}has {have}")
    )


def show(path: Path) -> str:
    """A path as it is written."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.fullmatch(r"""[^.\[\]'"]+""", part):
            text += f".{part}" if text else part
        else:
            text += f"['{part}']"
    return text
