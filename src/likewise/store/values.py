"""Values in a form that JSON can hold, and back, without loss.

Values are plain JSON where JSON can say them. What it cannot say is an object with a single key
that starts with `$`; user data that looks like one is wrapped in `{"$dict": …}`, so nothing is
ambiguous. Text that UTF-8 cannot hold (lone surrogates) makes the whole object an escaped one.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

from likewise.model import Opaque, Redacted, Value

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


class Undecodable(ValueError):
    """The bytes are not what they should be; the text says where and why."""


_PLAIN = frozenset({str, int, bool, type(None)})


def pack(value: Value) -> Any:
    """A value as plain JSON data."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if isfinite(value) else _pack_scalar(value)  # type: ignore[arg-type]
    if isinstance(value, dict):
        packed = {name: v if type(v) in _PLAIN else pack(v) for name, v in value.items()}
        if len(packed) == 1 and next(iter(packed)).startswith("$"):
            return {"$dict": packed}
        return packed
    if isinstance(value, list):
        return [v if type(v) in _PLAIN else pack(v) for v in value]
    return _pack_scalar(value)


def _pack_scalar(value: Value) -> Any:
    match value:
        case float():
            return value if isfinite(value) else {"$float": repr(value)}
        case bytes():
            return {"$bytes": b64encode(value).decode("ascii")}
        case Opaque():
            return {"$opaque": [value.length, value.digest]}
        case Redacted():
            return {"$redacted": value.kind}
        case str() | int():  # subclasses: enumerations and the like are stored as what they extend
            return str.__str__(value) if isinstance(value, str) else int(value)
        case _:
            raise TypeError(
                f"{type(value).__name__} is not plain data: a recorder let it through: {value!r:.100}"
            )


def unpack(value: Any) -> Any:
    """What `pack` was given; raises Undecodable. The data it is given is changed in place."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((name, content),) = value.items()
            if name.startswith("$"):
                return _unpack_tag(name, content)
        _unpack_all(value, value.items())
    elif isinstance(value, list):
        _unpack_all(value, enumerate(value))
    return value


def _unpack_all(holder: Any, places: Iterable[tuple[Any, Any]]) -> None:
    for place, content in places:
        kind = type(content)
        if kind is dict or kind is list:
            unpacked = unpack(content)
            if unpacked is not content:
                holder[place] = unpacked


def _unpack_tag(tag: str, content: Any) -> Value:
    try:
        match tag:
            case "$dict":
                _unpack_all(content, content.items())
                return dict(content)
            case "$bytes":
                return b64decode(content, validate=True)
            case "$opaque":
                length, digest = content
                return Opaque(length=length, digest=digest)
            case "$redacted":
                return Redacted(kind=content)
            case "$float":
                return float(content)
    except (ValueError, TypeError, AttributeError) as error:
        raise Undecodable(f"Wrong content of a {tag!r} value: {error}") from error
    raise Undecodable(f"Unknown kind of value {tag!r}")


def escape(plain: Any) -> Any:
    """Plain data with every lone surrogate in its text spelled out."""
    return _map_text(plain, _escape)


def unescape(plain: Any) -> Any:
    """What `escape` was given."""
    return _map_text(plain, _unescape)


def _map_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): _map_text(v, change) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [_map_text(v, change) for v in value]
    return value


def _escape(text: str) -> str:
    doubled = text.replace("\\", "\\\\")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", doubled)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)
