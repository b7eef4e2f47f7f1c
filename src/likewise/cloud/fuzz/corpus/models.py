"""Parameters of Azure's public methods that are models or words of the SDK, out of what a file can hold."""

from __future__ import annotations

import base64
import importlib
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

from likewise.cloud.fuzz.grammar.azure import PACKAGES

_MODELS = {
    "analytics_logging": ("BlobAnalyticsLogging", "QueueAnalyticsLogging", "TableAnalyticsLogging"),
    "block_list": ("BlobBlock",),
    "content_settings": ("ContentSettings",),
    "cors": ("CorsRule", "TableCorsRule"),
    "cpk": ("CustomerProvidedEncryptionKey",),
    "delete_retention_policy": ("RetentionPolicy",),
    "hour_metrics": ("Metrics", "TableMetrics"),
    "immutability_policy": ("ImmutabilityPolicy",),
    "minute_metrics": ("Metrics", "TableMetrics"),
    "retention_policy": ("RetentionPolicy", "TableRetentionPolicy"),
    "signed_identifiers": ("AccessPolicy", "TableAccessPolicy"),
    "static_website": ("StaticWebsite",),
}
"""Parameters and fields that are models, and what the packages call these."""
_WORDS = {"match_condition": "MatchConditions", "mode": "UpdateMode"}
"""Parameters that are members of an enumeration which the SDK does not take as a text in any case."""
_TEXT = re.compile(rb"[\t\n\r -~]*")
"""Bytes that are a message as they are; the SDK's policy for others writes them in base64."""
_MEMBER = re.compile(r"(?:\w+\.)*(\w+)\.(\w+)")


def modelled(service: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with the SDK's models in place of their fields, and its words in place of their names."""
    return {name: _value(service, name, value) for name, value in given.items()}


def _value(service: str, name: str, value: Any) -> Any:
    if isinstance(value, str):
        return _word(service, name, value)
    if service == "queue" and name == "content" and isinstance(value, bytes):
        return value.decode() if _TEXT.fullmatch(value) else base64.b64encode(value).decode()
    if name not in _MODELS or value is None:
        return value
    if name == "signed_identifiers" and isinstance(value, Mapping):
        return {key: _model(service, name, policy) if policy else policy for key, policy in value.items()}
    if isinstance(value, list):
        return [_model(service, name, each) for each in value]
    return _model(service, name, value)


def _model(service: str, name: str, fields: Any) -> Any:
    package = importlib.import_module(PACKAGES[service])
    kind = next((getattr(package, each) for each in _MODELS[name] if hasattr(package, each)), None)
    if kind is None or not isinstance(fields, Mapping):
        return fields
    inner = modelled(service, fields)
    if name == "block_list":
        return kind(inner.get("block_id") or inner.get("id"))
    if name == "cors":
        return kind(inner.pop("allowed_origins", []), inner.pop("allowed_methods", []), **inner)
    return kind(**inner)


def _word(service: str, name: str, text: str) -> Any:
    """The member of an enumeration that a text names; the text where it names none."""
    qualified = _MEMBER.fullmatch(text)
    kind = qualified[1] if qualified else _WORDS.get(name, "")
    member = qualified[2] if qualified else text
    for module in (PACKAGES[service], "azure.core"):
        found = getattr(importlib.import_module(module), kind, None) if kind else None
        if isinstance(found, type) and issubclass(found, Enum):
            same = [each for each in found if _folded(member) in (_folded(each.name), _folded(each.value))]
            if same:
                return same[0]
    return text


def _folded(value: object) -> str:
    return str(value).replace("_", "").lower()
