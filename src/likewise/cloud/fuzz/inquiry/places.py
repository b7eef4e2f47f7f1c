"""What stands where in an answer or a call."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any


def without_texts(value: Any, texts: Container[str]) -> Any:
    """A value without some texts, wherever they stand by themselves."""
    if isinstance(value, Mapping):
        return {key: without_texts(inner, texts) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_texts(inner, texts) for inner in value]
    return "" if isinstance(value, str) and value in texts else value


def holds(value: Any, place: str) -> bool:
    """Whether something stands at a place of an answer."""
    name, _, rest = place.partition(".")
    inner = value.get(name.removesuffix("[]")) if isinstance(value, Mapping) else None
    if not rest:
        return inner is not None and inner not in ([], {}, "")
    if isinstance(inner, list):
        return any(holds(each, rest) for each in inner)
    return holds(inner, rest)


def size(value: Any) -> int:
    """How many things the lists of an answer hold."""
    if isinstance(value, Mapping):
        return sum(map(size, value.values()))
    return len(value) if isinstance(value, list) else 0
