"""Values as plain JSON data, and back, without loss."""

from __future__ import annotations

import base64
from typing import Any

from likewise.model import Opaque, Redacted, Value


def pack(value: Value) -> Any:
    """A value as plain JSON data."""
    match value:
        case dict():
            packed = {key: pack(inner) for key, inner in value.items()}
            tagged = len(packed) == 1 and next(iter(packed)).startswith("$")
            return {"$dict": packed} if tagged else packed
        case list():
            return [pack(inner) for inner in value]
        case bytes():
            return {"$bytes": base64.b64encode(value).decode()}
        case Opaque():
            return {"$opaque": [value.length, value.digest]}
        case Redacted():
            return {"$redacted": value.kind}
        case float() if value != value or value in (float("inf"), float("-inf")):
            return {"$float": repr(value)}
        case _:
            return value


def unpack(plain: Any) -> Value:
    """What `pack` was given."""
    if isinstance(plain, list):
        return [unpack(inner) for inner in plain]
    if not isinstance(plain, dict):
        return plain  # type: ignore[no-any-return]
    match plain:
        case {"$dict": dict() as inner} if len(plain) == 1:
            return {key: unpack(each) for key, each in inner.items()}
        case {"$bytes": str() as text} if len(plain) == 1:
            return base64.b64decode(text, validate=True)
        case {"$opaque": [int() as length, str() as hashed]} if len(plain) == 1:
            return Opaque(length=length, digest=hashed)
        case {"$redacted": str() as kind} if len(plain) == 1:
            return Redacted(kind=kind)
        case {"$float": str() as text} if len(plain) == 1:
            return float(text)
        case _:
            return {key: unpack(each) for key, each in plain.items()}
