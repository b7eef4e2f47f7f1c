"""Whether the items of an answer belong, one by one, to the items of a list that was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from likewise.canonical.familiarity import ASKED, Familiarity
from likewise.canonical.forms import Call
from likewise.canonical.leaves import keys_of, leaves
from likewise.model import Value


def is_as_asked(
    shown: Sequence[AbstractSet[str]], call: Call, familiarity: Familiarity, names: Mapping[str, str]
) -> bool:
    """Whether each item of an answer names nothing but what the item at its place in the request names.

    `shown` are the names in each item. Where all of them are alike, no place can be told from another.
    """
    if all(each == shown[0] for each in shown):
        return False
    prefix = f"{call.operation}{ASKED}"
    for items, path in _lists(call.arguments, ""):
        if len(items) == len(shown) and all(
            each <= _named(item, prefix + path, familiarity, names)
            for each, item in zip(shown, items, strict=True)
        ):
            return True
    return False


def _lists(value: Value, path: str) -> Iterator[tuple[list[Value], str]]:
    """The lists of a request, each with the path of its items."""
    if isinstance(value, dict):
        for key, below, _ in keys_of(path, value):
            yield from _lists(value[key], below)
    elif isinstance(value, list):
        yield value, path + "[]"
        for item in value:
            yield from _lists(item, path + "[]")


def _named(item: Value, place: str, familiarity: Familiarity, names: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    for below, leaf in leaves(item, place):
        cut = familiarity.at(below).cut(leaf)
        if cut is not None:
            found.update(names[variable] for variable in cut.variables if variable in names)
    return found
