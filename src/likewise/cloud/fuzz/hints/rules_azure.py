"""What Azure's documentation says of what all its storage services have: stored policies, properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

START, EXPIRY = "2031-01-01T00:00:00.0000000Z", "2032-01-01T00:00:00.0000000Z"
RULE = {
    "AllowedOrigins": "http://a.example",
    "AllowedMethods": "GET",
    "AllowedHeaders": "*",
    "ExposedHeaders": "*",
    "MaxAgeInSeconds": 300,
}
KEPT = {"Enabled": True, "Days": 7}
METRICS = {"Version": "1.0", "Enabled": True, "IncludeAPIs": True, "RetentionPolicy": KEPT}
LOGGING = {"Version": "1.0", "Delete": True, "Read": False, "Write": True, "RetentionPolicy": KEPT}


def _policy(name: str | None, **terms: str) -> dict[str, Any]:
    """A stored policy; one without terms leaves them to whoever signs."""
    named = {} if name is None else {"Id": name}
    return {**named, "AccessPolicy": terms} if terms else named


def _stored(*those: Mapping[str, Any]) -> dict[str, Any]:
    return {"body": {"SignedIdentifiers": {"SignedIdentifier": list(those)}}}


def policies(kind: str, rights: str) -> dict[str, Mapping[str, Any]]:
    """How else a kind of thing is given stored policies; `rights` are all that there are, in their order."""
    usual = {"Start": START, "Expiry": EXPIRY, "Permission": rights}
    ways = {
        "six": _stored(*(_policy(f"p{number}", **usual) for number in range(6))),
        "same": _stored(_policy("one", **usual), _policy("one", **{**usual, "Permission": "r"})),
        "named": _stored(_policy("one")),
        "nameless": _stored(_policy(None, **usual)),
        "strange": _stored(_policy("one", **{**usual, "Permission": "r?"})),
        "turned": _stored(_policy("one", **{**usual, "Permission": rights[::-1]})),
        "every": _stored(_policy("one", **usual)),
        "ended": _stored(_policy("one", **{**usual, "Start": EXPIRY, "Expiry": START})),
        "open": _stored(_policy("one", Permission="r")),
        "day": _stored(_policy("one", Start="2031-01-01", Expiry="2032-01-01", Permission="r")),
        "long": _stored(_policy("p" * 65, **usual)),
        "longest": _stored(_policy("p" * 64, **usual)),
    }
    return {f"{kind}_SetAccessPolicy:{way}": given for way, given in ways.items()}


def _properties(**parts: Any) -> dict[str, Any]:
    return {"body": {"StorageServiceProperties": parts}}


PROPERTIES: dict[str, Mapping[str, Any]] = {
    f"Service_SetProperties:{way}": given
    for way, given in {
        "six": _properties(Cors={"CorsRule": [{**RULE, "MaxAgeInSeconds": n} for n in range(6)]}),
        "unruled": _properties(Cors={}),
        "strange": _properties(Cors={"CorsRule": [{**RULE, "AllowedMethods": "GET,FETCH"}]}),
        "negative": _properties(Cors={"CorsRule": [{**RULE, "MaxAgeInSeconds": -1}]}),
        "origins": _properties(Cors={"CorsRule": [{**RULE, "AllowedOrigins": ",".join(["http://x"] * 65)}]}),
        "year": _properties(HourMetrics={**METRICS, "RetentionPolicy": {**KEPT, "Days": 366}}),
        "longest": _properties(HourMetrics={**METRICS, "RetentionPolicy": {**KEPT, "Days": 365}}),
        "never": _properties(HourMetrics={**METRICS, "RetentionPolicy": {**KEPT, "Days": 0}}),
        "endless": _properties(HourMetrics={**METRICS, "RetentionPolicy": {"Enabled": True}}),
        "idle": _properties(HourMetrics={**METRICS, "Enabled": False}),
        "minutes": _properties(MinuteMetrics=METRICS),
        "logged": _properties(Logging=LOGGING),
        "versioned": _properties(Logging={**LOGGING, "Version": "9.9"}),
        "unversioned": _properties(Logging={**LOGGING, "Version": None}),
        "nothing": _properties(),
    }.items()
}
"""How else the properties of a service are set: each part alone, at and beyond its limits."""
