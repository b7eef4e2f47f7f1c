"""The grammar of an AWS service, from botocore's own models, examples and paginators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from likewise.cloud.fuzz.grammar import DEPTH, Grammar, Member, OperationShape

KINDS = {"long": "integer", "double": "float", "character": "string"}


@lru_cache
def read(service: str) -> Grammar:
    """Every operation of the service."""
    import botocore.session

    session = botocore.session.get_session()
    model = session.get_service_model(service)
    loader = session.get_component("data_loader")
    examples = _optional(loader, service, "examples-1").get("examples", {})
    paginators = _optional(loader, service, "paginators-1").get("pagination", {})
    operations = {
        name: _operation(
            service, model.operation_model(name), examples.get(name, ()), paginators.get(name, {})
        )
        for name in model.operation_names
    }
    return Grammar(service=service, operations=operations | _aliased(model, operations))


def _aliased(model: Any, operations: dict[str, OperationShape]) -> dict[str, OperationShape]:
    """Operations that are old names of others: deprecated, and the same request."""
    models = [model.operation_model(name) for name in operations]
    current = {
        (each.http.get("method"), each.http.get("requestUri")): each.name
        for each in models
        if not each.deprecated
    }
    places = {each.name: (each.http.get("method"), each.http.get("requestUri")) for each in models}
    return {
        each.name: replace(operations[each.name], alias=current.get(places[each.name], ""))
        for each in models
        if each.deprecated
    }


def _optional(loader: Any, service: str, kind: str) -> dict[str, Any]:
    from botocore.exceptions import UnknownServiceError

    try:
        found: dict[str, Any] = loader.load_service_model(service, kind)
    except UnknownServiceError:
        return {}
    return found


def _operation(service: str, model: Any, examples: Any, paginator: dict[str, Any]) -> OperationShape:
    shape = model.input_shape
    members = tuple(
        _member(name, inner, name in shape.required_members, DEPTH)
        for name, inner in (shape.members.items() if shape else ())
    )
    outputs = frozenset(_names(model.output_shape, DEPTH)) if model.output_shape else frozenset()
    ins, outs = paginator.get("input_token", ()), paginator.get("output_token", ())
    pairs = zip(_listed(outs), _listed(ins), strict=False)
    return OperationShape(
        service=service,
        name=model.name,
        members=members,
        method=model.http.get("method", "POST"),
        outputs=outputs,
        examples=tuple(example.get("input", {}) for example in examples),
        tokens=tuple((out.split(" || ")[0], into) for out, into in pairs),
        limit=paginator.get("limit_key", ""),
        errors=tuple(error.name for error in model.error_shapes),
    )


def _listed(value: str | list[str] | tuple[()]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _member(name: str, shape: Any, required: bool, depth: int) -> Member:
    inner: tuple[Member, ...] = ()
    if depth > 0:
        if shape.type_name == "structure":
            inner = tuple(
                _member(each, child, each in shape.required_members, depth - 1)
                for each, child in shape.members.items()
            )
        elif shape.type_name == "list":
            inner = (_member("", shape.member, True, depth - 1),)
        elif shape.type_name == "map":
            inner = (_member("key", shape.key, True, depth - 1), _member("", shape.value, True, depth - 1))
    limits, place = shape.metadata, shape.serialization
    return Member(
        name=name,
        kind=KINDS.get(shape.type_name, shape.type_name),
        required=required,
        enum=tuple(getattr(shape, "enum", None) or ()),
        minimum=limits.get("min"),
        maximum=limits.get("max"),
        pattern=limits.get("pattern", ""),
        members=inner,
        shape=shape.name,
        wire="" if place.get("location") == "headers" else place.get("name", name),
    )


def _names(shape: Any, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    if shape.type_name == "structure":
        for name, inner in shape.members.items():
            yield name
            yield from _names(inner, depth - 1)
    elif shape.type_name == "list":
        yield from _names(shape.member, depth - 1)
