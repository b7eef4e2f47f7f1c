"""Arrays and data frames as data, where they occur; nothing here is imported for it."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from typing import Any

from likewise.model import Mapping, Value

PREVIEW = 8


def is_table(kind: type) -> bool:
    """Whether a type is, or extends, one of numpy's or pandas' own."""
    return _family(kind) != ""


def data(thing: Any, kind: type, inner: Callable[[Any], Value]) -> Value:
    """An array by dtype, shape, hash and its head; a frame by its columns; a scalar by its text."""
    match _family(kind):
        case "ndarray":
            return _array(thing, kind, inner)
        case "generic":
            item = thing.item()
            text = repr(item) if isinstance(item, int | float | complex | str | bool) else str(thing)
            return {"is": "value", "type": kind.__name__, "text": text}
        case "dtype":
            return {"is": "value", "type": "dtype", "text": str(thing)}
        case "DataFrame":
            return {
                "is": "frame",
                "type": kind.__qualname__,
                "shape": [*thing.shape],
                "columns": [[inner(name), inner(column.to_numpy())] for name, column in thing.items()],
                "index": inner(thing.index.to_numpy()),
            }
        case _:
            made: Mapping = {"is": "series", "type": kind.__qualname__, "values": inner(thing.to_numpy())}
            if hasattr(thing, "index") and not callable(thing.index):
                made["index"] = inner(thing.index.to_numpy())
                made["name"] = inner(thing.name)
            return made


_FAMILIES = {
    ("numpy", "ndarray"): "ndarray",
    ("numpy", "generic"): "generic",
    ("numpy", "dtype"): "dtype",
    ("pandas", "DataFrame"): "DataFrame",
    ("pandas", "Series"): "Series",
    ("pandas", "Index"): "Index",
}


_KNOWN: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()


def _family(kind: type) -> str:
    known = _KNOWN.get(kind)
    if known is None:
        known = _KNOWN[kind] = _find_family(kind)
    return known


def _find_family(kind: type) -> str:
    for each in kind.__mro__:
        module = each.__module__
        if type(module) is str and module.startswith(("numpy", "pandas")):
            found = _FAMILIES.get((module.partition(".")[0], each.__name__))
            if found:
                return found
    return ""


def _array(thing: Any, kind: type, inner: Callable[[Any], Value]) -> Value:
    made: Mapping = {
        "is": "array",
        "type": kind.__qualname__,
        "dtype": str(thing.dtype),
        "shape": [*thing.shape],
    }
    if thing.dtype.hasobject:
        made["items"] = inner(thing.tolist())
        return made
    made["digest"] = hashlib.blake2b(thing.tobytes(), digest_size=12).hexdigest()
    made["head"] = [inner(each) for each in thing.ravel()[:PREVIEW].tolist()]
    return made
