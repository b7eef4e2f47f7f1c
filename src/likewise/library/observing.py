"""What can be seen of an object after it was told something and said nothing, or was made.

Only what is cheap and pure: the public attributes that lie in the instance itself, the private ones behind
properties, and a length.
"""

from __future__ import annotations

import weakref
from typing import Any

from likewise.library.values import Values
from likewise.model import Mapping, Value

MOST = 30
"""Attributes that are looked at."""
_CONTAINERS = (list, dict, set, bytearray)


def state(thing: Any, values: Values) -> Value:
    """The observed state, or None where there is none to see."""
    if isinstance(thing, type):
        return None
    made: Mapping = {}
    kind = type(thing)
    if isinstance(thing, _CONTAINERS):
        made["value"] = values.data(thing)
    elif "__len__" in vars(kind) and _is_plain_length(kind):
        made["length"] = len(thing)
    try:
        held = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        held = {}
    if type(held) is dict:
        names = [name for name in held if type(name) is str]
        values.names(names)
        behind = _fields_behind(kind)
        for name in [name for name in names if name[:1] != "_" or name in behind][:MOST]:
            made[name] = values.data(held[name])
    return made or None


def public(state: Value) -> Value:
    """A state without the fields behind properties, which only another version may have to look at."""
    if not isinstance(state, dict):
        return state
    return {name: each for name, each in state.items() if name[:1] != "_"}


def _fields_behind(kind: type) -> frozenset[str]:
    """The private fields behind properties of the same name: what was a field in another version."""
    key = id(kind)
    known = _BEHIND.get(key)
    if known is None:
        every = (part for each in _MRO(kind) for part in vars(each).items())
        names = frozenset(f"_{name}" for name, part in every if type(part) is property)
        known = _BEHIND[key] = weakref.ref(kind, lambda _: _BEHIND.pop(key, None)), names
    return known[1]


_MRO = type.__dict__["__mro__"].__get__
_BEHIND: dict[int, tuple[object, frozenset[str]]] = {}
"""By the addresses of types, as long as these live."""


def outline(thing: Any) -> Value:
    """A public attribute that a constructor left in an object, by name; None where it cannot have any.

    Which ones there are is the library's business: one of them tells that it left something.
    """
    try:
        held = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return None
    if type(held) is not dict or isinstance(thing, type):
        return None
    for name in held:
        if type(name) is str and name[:1] != "_":
            return {"is": "outline", "names": [name]}
    return {"is": "outline", "names": []}


def _is_plain_length(kind: type) -> bool:
    """Whether a length is counted in C, where counting changes nothing."""
    return type(vars(kind)["__len__"]).__name__ == "wrapper_descriptor"
