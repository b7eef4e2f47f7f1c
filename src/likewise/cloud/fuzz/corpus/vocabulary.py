"""What the services call their operations and parameters, whatever a client of some language makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

STREAMS = "dynamodbstreams"
"""DynamoDB's second service, at the same address: it reads what changed in a table."""
_MODELS = {"s3": ("s3",), "dynamodb": ("dynamodb", STREAMS)}
_ENDINGS = re.compile(r"(?:command|async|request|withcontext|withoptions)$")
"""What the SDKs of other languages add to the name of an operation."""
_ALIASES = {
    "s3": {
        "uploadfileobj": "PutObject",
        "downloadfileobj": "GetObject",
        "downloadfile": "GetObject",
        "copy": "CopyObject",
    },
    "dynamodb": {
        "put": "PutItem",
        "get": "GetItem",
        "update": "UpdateItem",
        "delete": "DeleteItem",
        "batchget": "BatchGetItem",
        "batchwrite": "BatchWriteItem",
        "transactget": "TransactGetItems",
        "transactwrite": "TransactWriteItems",
    },
}
"""Methods of the more convenient clients, and what they send."""
_WAITS = re.compile(r"wait")
_AWAITED = {"dynamodb": ("DescribeTable", ("TableName",)), "s3": ("HeadBucket", ("Bucket",))}
_AWAITED_OBJECT = ("HeadObject", ("Bucket", "Key"))
"""What is asked again and again until it is there, and the parameters that say of what."""
_MANAGED = {"Fileobj": "Body"}
_PLAIN = ("SourceClient", "Config", "Callback", "Filename")
"""Parameters of boto3's transfers: the content, and what is not sent."""
_GENERATED = re.compile(r"[A-Z]\w*_[A-Z]\w*")
_DOCUMENT = "Policy"
"""A text that is a document: files may hold it as the object that it is."""


def operation(service: str, name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """An operation as the service names it, with its parameters; one that there is not stays as it is."""
    plain = name.rpartition(".")[2].rpartition(":")[2]
    folded = _folded(plain)
    known = _operations(service)
    for text in (folded, _ENDINGS.sub("", folded)):
        if text in known:
            return known[text], _parameters(service, known[text], params)
    if folded in _ALIASES[service]:
        return _transferred(service, _ALIASES[service][folded], params)
    if known and _WAITS.match(folded):
        asked, names = _AWAITED_OBJECT if service == "s3" and params.get("Key") else _AWAITED[service]
        return asked, {name: params[name] for name in names if name in params}
    camel = "".join(part.capitalize() for part in plain.split("_")) if plain.islower() else plain
    return camel, dict(params)


def method(name: str) -> str:
    """A public method of Azure's clients as Python's SDK names it; what the services call theirs stays."""
    if _GENERATED.fullmatch(name):
        return name
    called, bracket, how = name.partition("(")
    *packages, last = called.split(".")
    last = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower().removesuffix("_async")
    kind = re.sub("Async", "", packages[-1]) if packages else ""
    return f"{kind}.{last}{bracket}{how}" if kind else f"{last}{bracket}{how}"


@lru_cache
def enumerated(service: str) -> frozenset[str]:
    """Parameters whose values are words of the service, never somebody's names."""
    return frozenset(
        name
        for model in _models(service)
        for shape in (model.shape_for(each) for each in model.shape_names)
        if shape.type_name == "structure"
        for name, member in shape.members.items()
        if getattr(member, "enum", None)
    )


def _transferred(service: str, sent: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    extra = params.get("ExtraArgs")
    given = {name: value for name, value in params.items() if name not in (*_PLAIN, "ExtraArgs")}
    named = {_MANAGED.get(name, name): value for name, value in given.items()}
    if sent == "GetObject":
        named.pop("Body", None)
    return sent, _parameters(service, sent, named | dict(extra if isinstance(extra, Mapping) else {}))


def _parameters(service: str, name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters under the service's names, where they have those of another language."""
    shape = next(
        (
            model.operation_model(name).input_shape
            for model in _models(service)
            if name in model.operation_names
        ),
        None,
    )
    if shape is None:
        return dict(params)
    members = {_folded(member) for member in shape.members}
    is_foreign = bool(params) and not shape.members.keys() & params.keys()
    if is_foreign and all(_folded(key) in members for key in params):
        params = _spelled(params, shape)
    if isinstance(params.get(_DOCUMENT), Mapping) and _DOCUMENT in shape.members:
        return {**params, _DOCUMENT: json.dumps(params[_DOCUMENT])}
    return dict(params)


def _spelled(value: Any, shape: Any) -> Any:
    if shape.type_name == "structure" and isinstance(value, Mapping):
        known = {_folded(member): member for member in shape.members}
        named = {known.get(_folded(key), key): inner for key, inner in value.items()}
        return {
            key: _spelled(inner, shape.members[key]) if key in shape.members else inner
            for key, inner in named.items()
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [_spelled(inner, shape.member) for inner in value]
    if shape.type_name == "map" and isinstance(value, Mapping):
        return {key: _spelled(inner, shape.value) for key, inner in value.items()}
    return value


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


@lru_cache
def _operations(service: str) -> dict[str, str]:
    return {_folded(name): name for model in _models(service) for name in model.operation_names}


@lru_cache
def _models(service: str) -> tuple[Any, ...]:
    """What the SDK knows of a service; nothing where it is not installed."""
    try:
        import botocore.session
    except ImportError:
        return ()
    session = botocore.session.Session()
    return tuple(session.get_service_model(name) for name in _MODELS[service])
