"""Arrays and data frames as data, where they occur; nothing here is imported for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from likewise.model import Mapping, Value

PREVIEW = 8
MOST = 1_000
"""Types of items whose names are remembered."""


Inner = Callable[[Any], Value]
Reader = Callable[[Any, type, Inner], Value]


def reader(kind: type) -> Reader | None:
    """What makes data of a type's instances, where it is, or extends, one of numpy's or pandas' own."""
    return _READERS.get(_family(kind))


def _scalar(thing: Any, kind: type, inner: Inner) -> Value:
    item = thing.item()
    text = repr(item) if isinstance(item, _WRITTEN) else str(thing)
    return {"is": "value", "type": kind.__name__, "text": text}


def _dtype(thing: Any, kind: type, inner: Inner) -> Value:
    return {"is": "value", "type": "dtype", "text": str(thing)}


def _frame(thing: Any, kind: type, inner: Inner) -> Value:
    return {
        "is": "frame",
        "type": kind.__qualname__,
        "shape": [*thing.shape],
        "columns": [[inner(name), inner(column.to_numpy())] for name, column in thing.items()],
        "index": inner(thing.index.to_numpy()),
    }


def _series(thing: Any, kind: type, inner: Inner) -> Value:
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


def _family(kind: type) -> str:
    for each in kind.__mro__:
        module = each.__module__
        if type(module) is str and module.startswith(("numpy", "pandas")):
            found = _FAMILIES.get((module.partition(".")[0], each.__name__))
            if found:
                return found
    return ""


def _array(thing: Any, kind: type, inner: Inner) -> Value:
    dtype = thing.dtype
    name = _NAMES.get(dtype)
    if name is None:
        if len(_NAMES) >= MOST:
            _NAMES.clear()
        name = _NAMES[dtype] = str(dtype)  # takes longer than all the rest
    made: Mapping = {"is": "array", "type": kind.__qualname__, "dtype": name, "shape": [*thing.shape]}
    if dtype.hasobject:
        made["items"] = inner(thing.tolist())
        return made
    made["digest"] = hashlib.blake2b(thing.tobytes(), digest_size=12).hexdigest()
    flat = thing.ravel()
    head = flat[:PREVIEW].tolist()
    is_itself = dtype.kind in _ITSELF and flat.ndim == 1  # a matrix stays one
    made["head"] = head if is_itself else [inner(each) for each in head]
    return made


_ITSELF = frozenset("bi")
"""Kinds of items that are data as they stand: truth values and whole numbers."""
_WRITTEN = (int, float, complex, str, bool)
_NAMES: dict[Any, str] = {}
_READERS: dict[str, Reader] = {
    "ndarray": _array,
    "generic": _scalar,
    "dtype": _dtype,
    "DataFrame": _frame,
    "Series": _series,
    "Index": _series,
}
