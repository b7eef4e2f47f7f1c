"""Shared access signatures of Azure, by the SDK's own functions: right ones, and wrong in one way."""

from __future__ import annotations

import importlib
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.grammar.azure import PACKAGES
from likewise.cloud.fuzz.identities import POLICY, Flaw, Identity, Means

DAY = timedelta(days=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
ELSEWHERE = "192.0.2.1"
"""An address that nobody has: it is kept for documentation."""
OTHER = "other"
"""What the name of another thing ends with."""


def fields_of(connection: str) -> dict[str, str]:
    """The parts of a connection string."""
    parts = (part.partition("=") for part in connection.split(";") if part)
    return {name: value for name, _, value in parts}


def with_wrong_key(connection: str) -> str:
    """A connection string with a key of the right form that is nobody's."""
    fields = fields_of(connection)
    if not fields.get("AccountKey"):
        raise ValueError("there is no account key that another could stand for")
    fields["AccountKey"] = b64encode(b"likewise" * 8).decode()
    return ";".join(f"{name}={value}" for name, value in fields.items())


def signature(identity: Identity, call: Call, connection: str, url: str) -> str:
    """What the query of a call must say; ValueError where there is no key to sign with, or no such flaw."""
    fields = fields_of(connection)
    if not fields.get("AccountKey"):
        raise ValueError("there is no account key to sign with")
    if identity.flaw is Flaw.PROTOCOL and not url.startswith("http:"):
        raise ValueError("it is https that is spoken here")
    sign = _account if identity.means is Means.ACCOUNT_SAS else _service
    return sign(identity, call, (fields["AccountName"], fields["AccountKey"]))


def _account(identity: Identity, call: Call, account: tuple[str, str]) -> str:
    package = importlib.import_module(PACKAGES[call.service])
    kinds = package.ResourceTypes.from_string(identity.scope)
    terms = {"permission": identity.rights, **_terms(identity, call.service)}
    who = _named(account) if call.service == "table" else account
    return str(package.generate_account_sas(*who, resource_types=kinds, **terms))


def _service(identity: Identity, call: Call, account: tuple[str, str]) -> str:
    package = importlib.import_module(PACKAGES[call.service])
    names = [str(call.params[place]) for place in _PLACES[identity.scope]]
    if identity.flaw is Flaw.RESOURCE:
        names[-1] += OTHER
    sign = getattr(package, f"generate_{identity.scope}_sas")
    if identity.means is Means.POLICY_SAS:
        terms: Mapping[str, Any] = {"policy_id": POLICY}
    else:
        terms = {"permission": identity.rights, **_terms(identity, call.service)}
    if call.service == "table":
        return str(sign(*_named(account), *names, **terms))
    return str(sign(account[0], *names, account_key=account[1], **terms))


_PLACES = {
    "blob": ("container", "blob"),
    "container": ("container",),
    "queue": ("queue",),
    "table": ("table",),
}


def _named(account: tuple[str, str]) -> tuple[Any]:
    from azure.core.credentials import AzureNamedKeyCredential

    return (AzureNamedKeyCredential(*account),)


def _terms(identity: Identity, service: str) -> dict[str, Any]:
    """From when to when a signature holds, and for whom."""
    now = datetime.now(UTC)
    match identity.flaw:
        case Flaw.EXPIRED:
            return {"start": LONG_AGO, "expiry": LONG_AGO + DAY}
        case Flaw.EARLY:
            return {"start": now + DAY, "expiry": now + 2 * DAY}
        case Flaw.PROTOCOL:
            return {"expiry": now + DAY, "protocol": "https"}
        case Flaw.ADDRESS:
            return {"expiry": now + DAY, "ip_address_or_range" if service == "table" else "ip": ELSEWHERE}
    return {"expiry": now + DAY}
