"""How the instances of a type become data: decided once for each type, which is not kept alive by that."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import sys
import types
import uuid
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from likewise.library import tables
from likewise.model import Mapping, Value

if TYPE_CHECKING:
    from likewise.library.values import Values

Reader = Callable[["Values", Any, type, tuple[int, ...]], Value]
"""Makes data of an object: who asks, the object, its type, the ids of the containers that it lies in."""
READERS: dict[int, Reader] = {}
"""By the address of a type."""
_LIVING: dict[int, object] = {}
_ROUTINES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
_SHOWN: set[type] = {
    decimal.Decimal,
    complex,
    range,
    slice,
    uuid.UUID,
    datetime.timedelta,
    datetime.date,
    re.Pattern,
    types.EllipsisType,
    types.NotImplementedType,
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
}
"""Types whose own text says everything and runs nobody else's code."""
_BASES: tuple[tuple[type, Any], ...] = (
    (str, str.__str__),
    (bool, bool),
    (int, int.__int__),
    (float, float.__float__),
    (bytes, lambda thing: bytes.__getitem__(thing, slice(None))),
    (tuple, lambda thing: tuple(tuple.__iter__(thing))),
    (list, lambda thing: list(list.__iter__(thing))),
    (dict, lambda thing: dict(dict.items(thing))),
    (frozenset, lambda thing: frozenset(frozenset.__iter__(thing))),
    (set, lambda thing: set(set.__iter__(thing))),
)
_VIEWS = frozenset({types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items())})


def learn(kind: type) -> Reader:
    """Decide on a type, and forget it when it dies: another may live at its address."""
    key = id(kind)

    def forget(_: object) -> None:
        READERS.pop(key, None)
        _LIVING.pop(key, None)

    found = _container(kind) or _simple(kind) or _compound(kind)
    _LIVING[key] = weakref.ref(kind, forget)
    READERS[key] = found
    return found


def _container(kind: type) -> Reader | None:
    if kind is list:
        return lambda values, thing, kind, above: values.items(thing, kind, above)
    if kind is tuple or kind is collections.deque:
        return _tagged
    if kind is dict:
        return lambda values, thing, kind, above: values.pairs(thing, above)
    if kind is set or kind is frozenset:
        return lambda values, thing, kind, above: values.unordered(thing, kind, above)
    if kind is bytearray:
        return _bytearray
    return _view if kind in _VIEWS else None


def _tagged(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    held = values.items(thing, kind, above)
    return {"is": kind.__name__, "items": held} if isinstance(held, list) else held


def _bytearray(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    return {"is": "sub", "type": "bytearray", "value": values.value(bytes(thing), bytes, above)}


def _view(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    return {"is": "sub", "type": kind.__name__, "value": values.items(list(thing), list, above)}


def _simple(kind: type) -> Reader | None:
    """Readers of what holds nothing else."""
    if kind in _SHOWN:
        return lambda values, thing, kind, above: {"is": "value", "type": kind.__name__, "text": repr(thing)}
    if issubclass(kind, type):
        return lambda values, thing, kind, above: {"is": "class", "name": thing.__qualname__}
    if kind in _ROUTINES:
        return lambda values, thing, kind, above: {"is": "function", "name": thing.__qualname__}
    if issubclass(kind, types.ModuleType):
        return lambda values, thing, kind, above: {"is": "module", "name": thing.__name__}
    if issubclass(kind, BaseException):
        return lambda values, thing, kind, above: values.exception(thing, above)
    if issubclass(kind, enum.Enum):
        return _member
    if issubclass(kind, datetime.datetime | datetime.time):
        return _moment
    shown = next((each for each in kind.__mro__ if each in _SHOWN or _is_fraction(each)), None)
    if shown is not None:
        written: Any = shown.__repr__
        return lambda values, thing, kind, above: {
            "is": "value",
            "type": kind.__qualname__,
            "text": written(thing),
        }
    if issubclass(kind, pathlib.PurePath):
        return lambda values, thing, kind, above: {"is": "value", "type": kind.__name__, "text": str(thing)}
    return None


def _is_fraction(kind: type) -> bool:
    """Whether it is `Fraction`, which is imported by those who have one."""
    module = sys.modules.get("fractions")
    return module is not None and kind is module.Fraction


def _member(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    return {"is": "value", "type": kind.__qualname__, "text": str(thing._name_ or thing._value_)}


def _moment(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    base = datetime.datetime if issubclass(kind, datetime.datetime) else datetime.time
    made: Mapping = {"is": "value", "type": kind.__qualname__, "text": base.isoformat(thing)}
    if thing.tzinfo is not None:
        made["tz"] = type(thing.tzinfo).__qualname__
    return made


def _compound(kind: type) -> Reader:
    """Readers of what holds other things, and of what nothing is known about."""
    table = tables.reader(kind)
    if table is not None:
        return table
    names = _field_names(kind)
    if names is not None:
        is_tuple = issubclass(kind, tuple)
        return lambda values, thing, kind, above: _fields(values, thing, kind, above, names, is_tuple)
    for base, read in _BASES:
        if issubclass(kind, base):
            return lambda values, thing, kind, above: {
                "is": "sub",
                "type": kind.__qualname__,
                "value": values.value(read(thing), base, (*above, id(thing))),
            }
    return opaque


def opaque(values: Values, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
    """Nothing but the type and the identity."""
    return values.opaque(thing, kind)


def _field_names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass, a named tuple or an attrs class; None for anything else."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    if issubclass(kind, tuple):
        names = getattr(kind, "_fields", None)
        return names if isinstance(names, tuple) else None
    if "__attrs_attrs__" in kind.__dict__:
        return tuple(field.name for field in kind.__attrs_attrs__)  # type: ignore[attr-defined]
    return None


def _fields(
    values: Values, thing: Any, kind: type, above: tuple[int, ...], names: tuple[str, ...], is_tuple: bool
) -> Value:
    inner = (*above, id(thing))
    if is_tuple and not dataclasses.is_dataclass(kind):
        parts = list(zip(names, tuple.__iter__(thing), strict=False))
    else:
        parts = [(name, object.__getattribute__(thing, name)) for name in names if hasattr(thing, name)]
    held: Mapping = {name: values.value(part, type(part), inner) for name, part in parts}
    made: Mapping = {"is": "data", "type": kind.__qualname__, "fields": held}
    if is_tuple:
        made["length"] = len(held)
    return made
