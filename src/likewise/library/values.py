"""Live objects as stable data, without running more of anybody's code than has to be.

One `Values` for each test: opaque objects are numbered per test and type.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import hashlib
import ipaddress
import pathlib
import re
import types
import uuid
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from likewise.library import tables
from likewise.library.patience import Patience, TooLong
from likewise.model import Mapping, Value

DEEP = 6
"""Levels of containers that are looked into."""
LONG = 2_000
"""Characters or bytes of a text that are kept whole."""
HEAD = 200
MANY = 100
"""Items of a container that are kept."""
NODES = 1_500
"""Parts of one value that are looked at."""
HELD = 5_000
"""Objects without weak references that are kept alive in a test so that their numbers stay theirs."""
_PLAIN = frozenset({type(None), bool, float})
_ROUTINES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)
_BIG = 1 << 63
_SHOWN: tuple[type, ...] = (
    decimal.Decimal,
    fractions.Fraction,
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
)
"""Types whose own text says everything and runs nobody else's code."""
_BASES: tuple[tuple[type, Any], ...] = (
    (str, str.__str__),
    (bool, bool),
    (int, int.__int__),
    (float, float.__float__),
    (bytes, bytes.__getitem__),
    (tuple, tuple.__iter__),
    (list, list.__iter__),
    (dict, dict.items),
    (frozenset, frozenset.__iter__),
    (set, set.__iter__),
)


class Values:
    """Makes data of objects; keeps the numbers of the opaque ones."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[str, int, object]] = {}
        self._counts: dict[str, int] = {}
        self._gone: set[str] = set()
        """Types of which an object has died: a new one may be the same thing again, such as a proxy."""
        self._held = 0
        self._nodes = 0
        self.trouble: dict[str, int] = {}
        """What could not be read, and how often."""

    def data(self, thing: object) -> Value:
        """An object as data. Never raises: what cannot be read says so."""
        kind = type(thing)
        if kind in _PLAIN:
            return thing  # type: ignore[return-value]
        if kind is str:
            return thing if len(thing) <= LONG else _long_text(thing)  # type: ignore[arg-type, return-value]
        self._nodes = 0
        try:
            return self._value(thing, kind, ())
        except RecursionError:
            return self._lost("recursion", kind)
        except Exception as error:
            return self._lost(type(error).__name__, kind)

    def label(self, thing: object) -> str:
        """The name of an opaque object in this test: its type and number."""
        name, number = self._number(thing, type(thing))
        return f"{name}#{number}"

    def _lost(self, why: str, kind: type) -> Value:
        text = f"{kind.__name__}: {why}"
        self.trouble[text] = self.trouble.get(text, 0) + 1
        return {"is": "lost", "why": why}

    def _value(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        if kind in _PLAIN:
            return thing  # type: ignore[no-any-return]
        if kind is str:
            return thing if len(thing) <= LONG else _long_text(thing)
        if kind is int:
            return thing if -_BIG <= thing < _BIG else {"is": "value", "type": "int", "text": hex(thing)}
        if kind is bytes:
            return thing if len(thing) <= LONG else _long_bytes(thing)
        self._nodes += 1
        if len(above) >= DEEP or self._nodes > NODES:
            return {"is": "deep", "type": kind.__qualname__}
        if id(thing) in above:
            return {"is": "again", "up": len(above) - above.index(id(thing))}
        made = self._container(thing, kind, above)
        if made is None:
            made = self._other(thing, kind, above)
        return made

    def _container(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        if kind is list:
            return self._items(thing, kind, above)
        if kind is tuple:
            return self._tagged("tuple", thing, above)
        if kind is dict:
            return self._pairs(thing, above)
        if kind is set or kind is frozenset:
            return self._set(thing, kind, above)
        if kind is bytearray:
            return {"is": "sub", "type": "bytearray", "value": self._value(bytes(thing), bytes, above)}
        if kind is collections.deque:
            return self._tagged("deque", thing, above)
        if kind is types.MappingProxyType or kind in _VIEWS:
            return {"is": "sub", "type": kind.__name__, "value": self._items(list(thing), list, above)}
        return None

    def _other(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        if kind in _SHOWN:
            return {"is": "value", "type": kind.__name__, "text": repr(thing)}
        if issubclass(kind, type):
            return {"is": "class", "name": thing.__qualname__}
        if kind in _ROUTINES:
            return {"is": "function", "name": thing.__qualname__}
        if issubclass(kind, types.ModuleType):
            return {"is": "module", "name": thing.__name__}
        if issubclass(kind, BaseException):
            return self.exception(thing, above)
        if issubclass(kind, enum.Enum):
            return {"is": "value", "type": kind.__qualname__, "text": str(thing._name_ or thing._value_)}
        if issubclass(kind, datetime.datetime | datetime.time):
            return _moment(thing, kind)
        if issubclass(kind, _SHOWN):
            base: Any = next(each for each in kind.__mro__ if each in _SHOWN)
            return {"is": "value", "type": kind.__qualname__, "text": base.__repr__(thing)}
        if issubclass(kind, pathlib.PurePath):
            return {"is": "value", "type": kind.__name__, "text": str(thing)}
        if tables.is_table(kind):
            return tables.data(thing, kind, lambda part: self._value(part, type(part), (*above, id(thing))))
        fields = _fields(thing, kind)
        if fields is not None:
            inner = (*above, id(thing))
            held: Mapping = {name: self._value(part, type(part), inner) for name, part in fields}
            made: Mapping = {"is": "data", "type": kind.__qualname__, "fields": held}
            if issubclass(kind, tuple):
                made["length"] = len(held)
            return made
        for base, read in _BASES:
            if issubclass(kind, base):
                return self._sub(thing, kind, base, read, above)
        is_new = id(thing) not in self._numbers
        name, number = self._number(thing, kind)
        made = {"is": "object", "type": name, "id": number}
        if is_new and name in self._gone:
            made["late"] = True
        return made

    def _sub(self, thing: Any, kind: type, base: type, read: Callable[[Any], Any], above: Any) -> Value:
        plain: Any
        if base is bytes:
            plain = bytes.__getitem__(thing, slice(None))
        else:
            plain = read(thing)
            plain = base(plain) if base in (tuple, list, dict, set, frozenset) else plain
        above = (*above, id(thing))
        return {"is": "sub", "type": kind.__qualname__, "value": self._value(plain, base, above)}

    def _items(self, things: Any, kind: type, above: tuple[int, ...]) -> Value:
        inner = (*above, id(things))
        if len(things) <= MANY:
            return [self._value(each, type(each), inner) for each in things]
        head = [self._value(each, type(each), inner) for each in _first(things)]
        return {
            "is": "many",
            "type": kind.__name__,
            "length": len(things),
            "digest": self._digest(things, inner),
            "items": head,
        }

    def _digest(self, things: Iterable[Any], above: tuple[int, ...]) -> str:
        """A digest of a large container: of everything where it holds plain things only."""
        kinds = set(map(type, things))
        if kinds <= _HASHED:
            return _digest(repr(list(things)).encode("utf-8", "surrogatepass"))
        return ""

    def _tagged(self, tag: str, things: Any, above: tuple[int, ...]) -> Value:
        held = self._items(things, type(things), above)
        return {"is": tag, "items": held} if isinstance(held, list) else held

    def _pairs(self, thing: dict[Any, Any], above: tuple[int, ...]) -> Value:
        inner = (*above, id(thing))
        if len(thing) <= MANY:
            return {
                "is": "dict",
                "items": [
                    [self._value(key, type(key), inner), self._value(part, type(part), inner)]
                    for key, part in thing.items()
                ],
            }
        return self._items(list(thing.items()), dict, above)

    def _set(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        inner = (*above, id(thing))
        if len(thing) > 20 * MANY:
            return {"is": "many", "type": kind.__name__, "length": len(thing), "digest": "", "items": []}
        made = sorted((self._value(each, type(each), inner) for each in thing), key=repr)
        if len(made) <= MANY:
            return {"is": kind.__name__, "items": made}
        digest = _digest(repr(made).encode("utf-8", "surrogatepass"))
        return {
            "is": "many",
            "type": kind.__name__,
            "length": len(made),
            "digest": digest,
            "items": made[:MANY],
        }

    def exception(self, error: BaseException, above: tuple[int, ...] = ()) -> Value:
        """An exception: type, message, arguments, cause."""
        inner = (*above, id(error))
        cause = error.__cause__
        made: Mapping = {
            "is": "exception",
            "type": type(error).__qualname__,
            "message": message_of(error),
            "args": [self._value(each, type(each), inner) for each in _ARGS(error)],
        }
        if cause is not None and len(above) < DEEP:
            made["cause"] = self._value(cause, type(cause), inner)
        return made

    def _number(self, thing: object, kind: type) -> tuple[str, int]:
        key = id(thing)
        known = self._numbers.get(key)
        if known is not None:
            return known[0], known[1]
        name = kind.__qualname__
        number = self._counts[name] = self._counts.get(name, 0) + 1
        holder: object
        try:
            holder = weakref.ref(thing, self._forget(key, name))
        except TypeError:
            if self._held >= HELD:
                return name, 0
            self._held += 1
            holder = thing
        self._numbers[key] = (name, number, holder)
        return name, number

    def _forget(self, key: int, name: str) -> Callable[[object], None]:
        numbers, gone = self._numbers, self._gone

        def forget(_: object) -> None:
            numbers.pop(key, None)
            gone.add(name)

        return forget


_PATIENCE = Patience()
_ARGS: Callable[[BaseException], tuple[Any, ...]] = vars(BaseException)["args"].__get__
_HASHED = frozenset({str, int, float, bool, type(None), bytes})
_VIEWS = frozenset({type({}.keys()), type({}.values()), type({}.items())})


def message_of(error: BaseException) -> str:
    """The text of an exception; one that cannot say it says so."""
    try:
        is_builtin = type(type(error).__str__) is types.WrapperDescriptorType
        text = str(error) if is_builtin else _PATIENCE.run(lambda: str(error))
        return text if len(text) <= LONG else text[: LONG - 1] + "…"
    except (Exception, TooLong) as trouble:
        return f"(no text: {type(trouble).__name__})"


def _fields(thing: Any, kind: type) -> list[tuple[str, Any]] | None:
    """The fields of a dataclass, a named tuple or an attrs class; None for anything else."""
    if dataclasses.is_dataclass(kind):
        names = [field.name for field in dataclasses.fields(kind)]
    elif issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
        return list(zip(kind._fields, tuple.__iter__(thing), strict=False))  # type: ignore[attr-defined]
    elif "__attrs_attrs__" in kind.__dict__:
        names = [field.name for field in kind.__attrs_attrs__]  # type: ignore[attr-defined]
    else:
        return None
    return [(name, object.__getattribute__(thing, name)) for name in names if hasattr(thing, name)]


def _moment(thing: Any, kind: type) -> Value:
    base = datetime.datetime if issubclass(kind, datetime.datetime) else datetime.time
    made: Mapping = {"is": "value", "type": kind.__qualname__, "text": base.isoformat(thing)}
    if thing.tzinfo is not None:
        made["tz"] = type(thing.tzinfo).__qualname__
    return made


def _first(things: Any) -> list[Any]:
    return [each for each, _ in zip(things, range(MANY), strict=False)]


def _long_text(text: str) -> Mapping:
    digest = _digest(text.encode("utf-8", "surrogatepass"))
    return {"is": "text", "length": len(text), "digest": digest, "head": text[:HEAD]}


def _long_bytes(content: bytes) -> Mapping:
    return {"is": "blob", "length": len(content), "digest": _digest(content), "head": content[:HEAD]}


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()
