"""Attribute values of DynamoDB as files write them: as on the wire, as the SDK takes them, or plain."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_TYPES = frozenset({"S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"})
_MAPS = frozenset({"Item", "Key", "ExclusiveStartKey", "ExpressionAttributeValues"})
"""Parameters that are attributes by name."""
_LISTS = frozenset({"AttributeValueList", "Parameters"})
"""Parameters that are lists of values."""
_CONDITIONS = frozenset({"AttributeUpdates", "Expected"})
"""Parameters whose members have a value each."""


def has_wire_bytes(value: Any) -> bool:
    """Whether bytes are given as the text that goes over the wire, which the SDK would encode again."""
    if isinstance(value, Mapping):
        texts = [value.get("B"), *(value["BS"] if isinstance(value.get("BS"), list) else ())]
        return any(isinstance(text, str) for text in texts) or any(map(has_wire_bytes, value.values()))
    return isinstance(value, list) and any(map(has_wire_bytes, value))


def plain(value: object) -> str:
    """Bytes and times as JSON holds them."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def typed(value: Any, *, was_accepted: bool) -> Any:
    """Parameters as they can have been sent.

    Attributes without types were given to the resources of boto3, which add them. In what was accepted, a
    text that is no base64 is the bytes themselves.
    """
    if isinstance(value, list):
        return [typed(inner, was_accepted=was_accepted) for inner in value]
    if not isinstance(value, Mapping):
        return value
    found = {}
    for key, inner in value.items():
        if key in ("B", "BS") and was_accepted:
            found[key] = _bytes(inner)
        elif key == "N" and was_accepted and isinstance(inner, int | float) and not isinstance(inner, bool):
            found[key] = str(inner)
        elif key in _MAPS and _is_untyped(inner):
            found[key] = _attributes(inner)
        elif key in _LISTS and isinstance(inner, list):
            found[key] = [_typed(each, was_accepted=was_accepted) for each in inner]
        elif key in _CONDITIONS and isinstance(inner, Mapping):
            found[key] = {name: _valued(each, was_accepted=was_accepted) for name, each in inner.items()}
        elif key == "Keys" and isinstance(inner, list) and any(map(_is_untyped, inner)):
            found[key] = [_attributes(item) for item in inner]
        else:
            found[key] = typed(inner, was_accepted=was_accepted)
    return found


def _typed(value: Any, *, was_accepted: bool) -> Any:
    """One value with its type; an object is taken to have it."""
    if isinstance(value, Mapping) or (value is None and not was_accepted):
        return typed(value, was_accepted=was_accepted)
    return _attributes({"": value})[""]


def _valued(condition: Any, *, was_accepted: bool) -> Any:
    """What is expected of an attribute, or to become of it."""
    found = typed(condition, was_accepted=was_accepted)
    if isinstance(found, Mapping) and "Value" in found:
        return {**found, "Value": _typed(found["Value"], was_accepted=was_accepted)}
    return found


def _is_untyped(attributes: Any) -> bool:
    """Whether an attribute is a value by itself, which no request over the wire can hold."""
    if not isinstance(attributes, Mapping) or _TYPES & attributes.keys() == attributes.keys():
        return False
    return any(not isinstance(each, Mapping) for each in attributes.values())


def _attributes(item: Mapping[str, Any]) -> dict[str, Any]:
    from boto3.dynamodb.types import TypeSerializer

    add = TypeSerializer().serialize
    return {name: each if _is_typed(each) else add(_decimal(each)) for name, each in item.items()}


def _is_typed(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1 and value.keys() <= _TYPES


def _decimal(value: Any) -> Any:
    """A value as boto3 takes it: its numbers are decimal."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, Mapping):
        return {key: _decimal(inner) for key, inner in value.items()}
    return [_decimal(inner) for inner in value] if isinstance(value, list) else value


def _bytes(value: Any) -> Any:
    if isinstance(value, list):
        return [_bytes(inner) for inner in value]
    if not isinstance(value, str):
        return typed(value, was_accepted=True)
    try:
        base64.b64decode(value, validate=True)
    except ValueError:
        return value.encode()
    return value
