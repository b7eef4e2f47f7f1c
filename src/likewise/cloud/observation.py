"""Whether a client can have seen a place of an answer, told from the fields it asked for."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from likewise.cloud.marks import ALL_FIELDS, ALL_HEADERS, DATA
from likewise.cloud.services.digests import OTHER
from likewise.model import Difference, Discrepancy, Interaction, Raised

_SEGMENT = re.compile(r"[^.\[\]]+")
_HEADERS = "headers"
_BODY = "body"
_DATA = frozenset(name.lower() for name in DATA)
_OF_BODY = frozenset({"content-length", "content-md5", "x-amz-crc32"})
"""Headers that tell of a body as a whole: who looks at one of them notices whatever differs there."""
_MADE = {"expiresstring": "expires"}
"""Fields that the SDK makes of others and its models do not name."""
_BESIDE_BODY = frozenset({"header", "headers", "statusCode"})


def overlooks(call: Interaction, found: Discrepancy) -> bool:
    """Whether the client certainly never looked at the place where this call's answer differs.

    A header counts as seen if it, or the field that the SDK makes of it, was asked for. In a body every
    field on the way to a place must have been asked for; one that the SDK knows and nobody asked for
    hides all below it. Fields that the SDK does not know, and services whose SDK reads everything, are
    always seen; so are an error's code and message, which are no part of its body here, and what users
    have in a service. Who asked how long a body is has seen that it is another. A field that the candidate
    does not give is seen, too, by who goes through all fields.
    """
    if call.seen is None:
        return False
    fields = _fields(call.operation.service, call.operation.name)
    if fields is None:
        return False
    names = (_fold(name) for name in call.seen if name not in (ALL_FIELDS, ALL_HEADERS))
    seen = {wire for name in names for wire in fields.get(name, (name,))}
    segments = [_fold(segment) for segment in _SEGMENT.findall(found.place)]
    is_absent = found.difference is Difference.MISSING
    if not segments:
        return False
    known = {wire for wires in fields.values() for wire in wires}
    if segments[0] == _HEADERS:
        header = ".".join(segments[1:])
        if is_absent and ALL_HEADERS in call.seen:
            return False
        seen_by = known if is_absent and ALL_FIELDS in call.seen else seen
        return not any(_covers(name, header) for name in seen_by)
    if not _OF_BODY.isdisjoint(map(_fold, call.seen)):
        return False
    if (
        segments[0] == _BODY
        and not isinstance(call.outcome, Raised)
        and not _reads_body(call.operation.service, call.operation.name)
    ):
        return True  # the SDK makes nothing of it
    if is_absent and ALL_FIELDS in call.seen:
        return False
    if isinstance(call.outcome, Raised):
        # The details of an error are handed over as they came: what was not asked for by name is unseen.
        return len(segments) > 1 and segments[1] not in seen
    for segment in segments:
        if segment in known and segment not in seen:
            return True
        if segment in _DATA:
            return False  # seen as a whole: see `recorder.looking`
    return False


def _covers(name: str, header: str) -> bool:
    return header.startswith(name[:-1]) if name.endswith("*") else name == header


def _fold(name: str) -> str:
    """A name whatever its case; what is said of a field is seen with it."""
    return name.lower().removesuffix(OTHER)


@cache
def _fields(service: str, operation: str) -> dict[str, tuple[str, ...]] | None:
    """Every field of an operation's answer as the SDK names it, with its own name and that on the wire."""
    model = _model(service)
    if model is None or operation not in model.operation_names:
        return None
    found: dict[str, set[str]] = {}
    _walk(model.operation_model(operation).output_shape, found, set())
    found |= {name: {name, *found[other]} for name, other in _MADE.items() if other in found}
    return {name: tuple(wires) for name, wires in found.items()}


@cache
def _reads_body(service: str, operation: str) -> bool:
    """Whether anything that the SDK makes of an operation's answer is taken from its body."""
    shape = _model(service).operation_model(operation).output_shape
    members = shape.members.values() if shape is not None else ()
    return any(member.serialization.get("location") not in _BESIDE_BODY for member in members)


def _walk(shape: Any, found: dict[str, set[str]], done: set[str]) -> None:
    if shape is None or shape.name in done:
        return
    done.add(shape.name)
    if shape.type_name == "structure":
        for name, member in shape.members.items():
            wire = member.serialization.get("name", name)
            if member.serialization.get("location") == "headers":
                wire += "*"
            found.setdefault(_fold(name), set()).update((_fold(name), _fold(wire)))
            _walk(member, found, done)
    elif shape.type_name == "list":
        wire = shape.member.serialization.get("name")
        if wire:
            # Items carry a name of their own on the wire; asking for the list asks for its items.
            for wires in found.values():
                if _fold(shape.name) in wires:
                    wires.add(_fold(wire))
        _walk(shape.member, found, done)
    elif shape.type_name == "map":
        _walk(shape.value, found, done)


@cache
def _model(service: str) -> Any:
    if service not in ("s3", "dynamodb"):
        return None
    try:
        import botocore.loaders
        import botocore.model
    except ImportError:
        return None
    loader = botocore.loaders.Loader()
    return botocore.model.ServiceModel(loader.load_service_model(service, "service-2"), service)
