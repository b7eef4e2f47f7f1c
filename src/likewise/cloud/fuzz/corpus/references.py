"""References of recorded parameters to earlier answers: `${2.ETag}`, `${3.Contents[0].Key}`, `${4[0].id}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.values import Unplayable

ITEMS = "items"
"""Under which an answer has what a list gave."""
_REFERENCE = re.compile(r"\$\{(\d+)(?:\.|(?=\[))([^}]+)\}")
_PLACE = re.compile(r"[^.\[\]]+|\[\d+\]")
_OUTER = ("headers", "body")
"""Where the answer to a plain request has what it says."""
_QUOTES = "'\""


def references(value: Any) -> list[int]:
    """The calls, from 1, to whose answers a parameter refers."""
    return [int(found[1]) for found in _REFERENCE.finditer(repr(value)) if int(found[1])]


def put_references(
    value: Any, answers: Sequence[Answer | None], names: Mapping[str, str] | None = None
) -> Any:
    """A parameter with every `${k.Key}` replaced by what the k-th call (from 1) answered.

    `names` are those of the replay, recorded to fresh, of which a key may be one.
    """
    known = names or {}
    if isinstance(value, str):
        whole = _REFERENCE.fullmatch(value)
        if whole:
            return _value(whole, answers, known)
        return _REFERENCE.sub(lambda found: str(_value(found, answers, known)), value)
    if isinstance(value, Mapping):
        return {
            put_references(key, answers, known): put_references(inner, answers, known)
            for key, inner in value.items()
        }
    return [put_references(inner, answers, known) for inner in value] if isinstance(value, list) else value


def _value(found: re.Match[str], answers: Sequence[Answer | None], names: Mapping[str, str]) -> Any:
    number = int(found[1])
    if not 1 <= number <= len(answers):
        raise Unplayable(f"{found[0]} refers to a call that is not before it")
    said = answers[number - 1]
    fields = said.fields if said is not None else {}
    path = [part.strip("[]").strip(_QUOTES) for part in _PLACE.findall(found[2])]
    for outer in (fields, *(fields.get(name) for name in _OUTER)):
        if (value := _followed(outer, path, names)) is not None:
            return value
    how = said.summary() if said is not None else "nothing"
    raise Unplayable(f"call {number} gave no {found[2]} on the candidate ({how})")


def _followed(value: Any, path: Sequence[str], names: Mapping[str, str]) -> Any:
    """What stands at a place; None where nothing does."""
    for part in path:
        if isinstance(value, Mapping) and part.isdigit() and part not in value:
            value = value.get(ITEMS)
        if isinstance(value, list) and len(value) == 1 and not part.isdigit():
            value = value[0]  # of one, nobody says which
        if isinstance(value, list):
            value = value[int(part)] if part.isdigit() and int(part) < len(value) else None
        elif isinstance(value, Mapping):
            value = _member(value, names.get(part, part))
        else:
            return None
    return value


def _member(value: Mapping[Any, Any], name: str) -> Any:
    """What a mapping has under a name, or under one that only another language would write otherwise."""
    if name in value:
        return value[name]
    return next((inner for key, inner in value.items() if _folded(str(key)) == _folded(name)), None)


def _folded(name: str) -> str:
    return re.sub("[-_]", "", name).lower()
