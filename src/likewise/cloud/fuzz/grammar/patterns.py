"""A text that fits a regular expression, as documents and errors ask for one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MOST = 64
"""Repetitions of a part that are written at most."""
_CATEGORIES = {"DIGIT": "0", "WORD": "a", "SPACE": " ", "NOT_DIGIT": "a", "NOT_WORD": "-", "NOT_SPACE": "a"}
_CHARACTERS = "aA0-_. /:@"


def fitting(pattern: str, *, least: int = 0) -> str | None:
    """A short text of this form, with as many characters as are asked for if the form allows; or None."""
    try:
        form = re.compile(pattern)
        texts = [_written(parser.parse(pattern), extra) for extra in dict.fromkeys((0, 1, least))]
    except (re.error, RecursionError, OverflowError):
        return None
    found = [text for text in texts if form.search(text)]
    return next((text for text in found if len(text) >= max(1, least)), found[0] if found else None)


def _written(nodes: Iterable[tuple[Any, Any]], extra: int) -> str:
    return "".join(_piece(str(kind), value, extra) for kind, value in nodes)


def _piece(kind: str, value: Any, extra: int) -> str:
    """The text for one part of a pattern; parts that may come several times come `extra` times more."""
    match kind:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return next(each for each in _CHARACTERS if ord(each) != value)
        case "ANY":
            return "a"
        case "IN":
            return _one_of(value)
        case "BRANCH":
            return _written(value[1][0], extra)
        case "SUBPATTERN":
            return _written(value[-1], extra)
        case "ATOMIC_GROUP":
            return _written(value, extra)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, inner = value
            return _written(inner, extra) * min(int(low) + extra, int(high), MOST)
    return ""  # anchors, and what only looks


def _one_of(choices: list[tuple[Any, Any]]) -> str:
    """A character of a class."""
    kinds = [(str(kind), value) for kind, value in choices]
    if kinds[0][0] == "NEGATE":
        excluded = re.compile("[" + "".join(map(_source, kinds[1:])) + "]")
        return next((each for each in _CHARACTERS if not excluded.match(each)), "~")
    kind, value = kinds[0]
    if kind == "RANGE":
        return chr(value[0])
    return _CATEGORIES.get(str(value).removeprefix("CATEGORY_"), "a") if kind == "CATEGORY" else chr(value)


def _source(choice: tuple[str, Any]) -> str:
    kind, value = choice
    if kind == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        letter = name.removeprefix("NOT_")[0]
        return "\\" + (letter if name.startswith("NOT_") else letter.lower())
    return re.escape(chr(value))
