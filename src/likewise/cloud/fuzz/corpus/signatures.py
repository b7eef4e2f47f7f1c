"""Shared access signatures of a recording, issued anew for the candidate's own account."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from likewise.cloud.fuzz.corpus.cases import Recorded
from likewise.cloud.fuzz.corpus.values import Unplayable
from likewise.cloud.services.call import words

_PARTS = words("sv ss srt sp se st sr si sig sip spr sdd ses tn spk srk epk erk rscc rscd rsce rscl rsct")
"""Query parameters that make up a signature."""
_OF_A_USER = frozenset({"skoid", "sktid", "skt", "ske", "sks", "skv"})
_FIXED = {
    "cache_control": "rscc",
    "content_disposition": "rscd",
    "content_encoding": "rsce",
    "content_language": "rscl",
    "content_type": "rsct",
    "encryption_scope": "ses",
}
"""What a signature fixes beyond who may do what, by the SDK's names for it."""
_INVALID = frozenset({"AuthenticationFailed", "InvalidAuthenticationInfo", "AuthorizationFailure"})
"""What services say of a signature that is wrong, has run out or was withdrawn: a new one would not be."""
_HOUR = timedelta(hours=1)


class Signer:
    """Issues signatures with the key of one account."""

    def __init__(self, service: str, connection: str) -> None:
        self._service = service
        fields = dict(part.split("=", 1) for part in connection.split(";") if "=" in part)
        self._account, self._key = fields.get("AccountName", ""), fields.get("AccountKey", "")

    def renewed(self, path: str, query: str, recorded: Recorded | None) -> str:
        """A query whose signature allows on the candidate what the recorded one allowed.

        Addresses and protocols that it was limited to are left out: the candidate is called from here.
        """
        parts = [part.partition("=") for part in query.split("&") if part]
        given = {name: unquote(value) for name, _, value in parts if name in _PARTS | _OF_A_USER}
        if "sig" not in given:
            return query
        rest = [f"{name}{mark}{value}" for name, mark, value in parts if name not in _PARTS]
        if _OF_A_USER & given.keys() or given.get("sr") == "d":
            raise Unplayable("it is signed with the token of a user, which a shared key does not give")
        if recorded is not None and recorded.code in _INVALID:
            raise Unplayable(
                f"it was refused for its signature ({recorded.code}), which the file cannot hold"
            )
        if not self._key:
            raise Unplayable("it is signed for another account (a shared access signature)")
        if not has_signature(query):
            return "&".join(rest)  # the key of the account allows it as well
        try:
            return "&".join([*rest, self._issue(path, unquote(query), given)])
        except (ValueError, TypeError, KeyError) as error:
            raise Unplayable(f"its shared access signature cannot be issued anew ({error})") from error

    def _issue(self, path: str, query: str, given: Mapping[str, str]) -> str:
        now = datetime.now(UTC)
        common: dict[str, Any] = {
            "permission": given.get("sp"),
            "expiry": now + 24 * _HOUR if "se" in given or "si" not in given else None,
            "start": now - _HOUR if "st" in given else None,
        }
        if "srt" in given:
            return self._of_account(common, given)
        common["policy_id"] = given.get("si")
        if self._service == "table":
            return self._of_table(path, common, given)
        container, _, blob = path.strip("/").partition("/")
        named = {"account_name": self._account, "account_key": self._key}
        if self._service == "queue":
            from azure.storage.queue import generate_queue_sas

            return str(generate_queue_sas(queue_name=container, **named, **common))
        from azure.storage.blob import generate_blob_sas, generate_container_sas

        named |= {name: given[part] for name, part in _FIXED.items() if part in given}
        if given.get("sr") == "c" or not blob:
            return str(generate_container_sas(container_name=container, **named, **common))
        snapshot = next((part[9:] for part in query.split("&") if part.startswith("snapshot=")), None)
        blobs = {"container_name": container, "blob_name": blob}
        return str(generate_blob_sas(**blobs, snapshot=snapshot, **named, **common))

    def _of_account(self, common: Mapping[str, Any], given: Mapping[str, str]) -> str:
        if self._service == "table":
            from azure.core.credentials import AzureNamedKeyCredential
            from azure.data.tables import ResourceTypes, generate_account_sas

            kinds = ResourceTypes.from_string(given["srt"])
            key = AzureNamedKeyCredential(self._account, self._key)
            return str(generate_account_sas(key, resource_types=kinds, **common))
        from azure.storage.blob import generate_account_sas as generate

        more = {"resource_types": given["srt"], "services": given.get("ss", self._service[0])}
        if "ses" in given:
            more["encryption_scope"] = given["ses"]
        return str(generate(self._account, self._key, **more, **common))

    def _of_table(self, path: str, common: Mapping[str, Any], given: Mapping[str, str]) -> str:
        from azure.core.credentials import AzureNamedKeyCredential
        from azure.data.tables import generate_table_sas

        rows = {"start_pk": "spk", "start_rk": "srk", "end_pk": "epk", "end_rk": "erk"}
        limits = {name: given[part] for name, part in rows.items() if part in given}
        key = AzureNamedKeyCredential(self._account, self._key)
        table = path.strip("/").partition("(")[0]
        table = table.upper() if given["tn"].isupper() else table
        return str(generate_table_sas(key, table, **limits, **common))


def has_signature(query: str) -> bool:
    """Whether a query carries a signature, and what it allows: some files keep only that there was one."""
    given = {part.partition("=")[0] for part in query.split("&")}
    return "sig" in given and not given.isdisjoint({"sp", "si"})
