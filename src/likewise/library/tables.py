"""Arrays and data frames as data, where they occur; nothing here is imported for it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from likewise.model import Mapping, Value

if TYPE_CHECKING:
    from likewise.library.values import Values

PREVIEW = 8
MOST = 1_000
"""Types of items whose names are remembered."""


Reader = Callable[["Values", Any, type, tuple[int, ...]], Value]


def reader(kind: type) -> Reader | None:
    """What makes data of a type's instances, where it is, or extends, one of numpy's or pandas' own."""
    return _READERS.get(_family(kind))


def _scalar(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    item = thing.item()
    text = repr(item) if isinstance(item, _WRITTEN) else str(thing)
    return {"is": "value", "type": kind.__name__, "text": text}


def _dtype(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    return {"is": "value", "type": "dtype", "text": str(thing)}


def _frame(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    inner = _inner(values, thing, above)
    return {
        "is": "frame",
        "type": kind.__qualname__,
        "shape": [*thing.shape],
        "columns": [[inner(name), inner(column.to_numpy())] for name, column in thing.items()],
        "index": inner(thing.index.to_numpy()),
    }


def _series(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    inner = _inner(values, thing, above)
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


def _array(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    dtype = thing.dtype
    name = _NAMES.get(dtype)
    if name is None:
        if len(_NAMES) >= MOST:
            _NAMES.clear()
        name = _NAMES[dtype] = str(dtype)  # takes longer than all the rest
    made: Mapping = {"is": "array", "type": kind.__qualname__, "dtype": name, "shape": [*thing.shape]}
    if dtype.hasobject:
        made["items"] = _inner(values, thing, above)(thing.tolist())
        return made
    made["digest"] = hashlib.blake2b(thing.tobytes(), digest_size=12).hexdigest()
    made["head"] = _head(values, thing, kind, above)
    return made


def _head(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> list[Value]:
    """The first items; those of numpy's own arrays of numbers are data as they stand."""
    head: list[Any] = thing.ravel()[:PREVIEW].tolist()
    dtype = thing.dtype
    if kind.__base__ is object:
        if dtype.kind in "bi":
            return head
        if dtype.kind == "f" and dtype.itemsize <= 8:
            for each in head:
                if each - each != 0.0:  # infinite, or no number
                    values.odd += 1
            return head
    inner = _inner(values, thing, above)
    return [inner(each) for each in head]


def _inner(values: Values, thing: Any, above: tuple[int, ...]) -> Callable[[Any], Value]:
    """Makes data of the parts of something."""
    within = (*above, id(thing))
    return lambda part: values.value(part, type(part), within)


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
