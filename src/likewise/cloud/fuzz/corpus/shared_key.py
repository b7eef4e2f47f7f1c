"""The key of an account, and the signature that it gives to a request whatever its headers are called.

The policies of the SDKs sign what the SDKs send: a range under the names that only they use, and headers in
small letters. A recorded request may come from anybody's client.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from email.utils import formatdate
from urllib.parse import unquote, urlsplit

from likewise.cloud.fuzz.sides.shared_access import fields_of

_SIGNED = (
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
)
"""Headers whose values are signed, in this order, present or not; x-ms-* are signed under their names."""


class SharedKey:
    """Signs requests for one account."""

    def __init__(self, service: str, connection: str) -> None:
        fields = fields_of(connection)
        self._service = service
        self._account, self._key = fields.get("AccountName", ""), fields.get("AccountKey", "")

    @property
    def exists(self) -> bool:
        """Whether the account has a key to sign with."""
        return bool(self._key)

    def headers(self, method: str, url: str, headers: Mapping[str, str], length: int) -> dict[str, str]:
        """What authorises a request with a body of that length; nothing where the account has no key."""
        if not self._key:
            return {}
        now = {"x-ms-date": formatdate(usegmt=True)}
        given = {name.lower(): value.strip() for name, value in {**headers, **now}.items()}
        text = self._of_table(method, url, given) if self._service == "table" else ""
        text = text or self._of_storage(method, url, given, length)
        made = hmac.new(base64.b64decode(self._key), text.encode(), hashlib.sha256).digest()
        return now | {"Authorization": f"SharedKey {self._account}:{base64.b64encode(made).decode()}"}

    def _of_storage(self, method: str, url: str, given: dict[str, str], length: int) -> str:
        from azure.storage.blob._shared.authentication import _storage_header_sort

        given = given | {"content-length": str(length) if length else ""}
        named = _storage_header_sort([(name, given[name]) for name in given if name.startswith("x-ms-")])
        lines = [method, *(given.get(name, "") for name in _SIGNED), *(f"{a}:{b}" for a, b in named)]
        asked: dict[str, list[str]] = {}
        for part in urlsplit(url).query.split("&"):
            name, _, value = part.partition("=")
            if name:
                asked.setdefault(name.lower(), []).append(unquote(value))
        query = [f"{name}:{','.join(sorted(values))}" for name, values in sorted(asked.items())]
        return "\n".join([*lines, self._resource(url), *query])

    def _of_table(self, method: str, url: str, given: Mapping[str, str]) -> str:
        comp = [part for part in urlsplit(url).query.split("&") if part.startswith("comp=")]
        resource = self._resource(url) + "".join(f"?{part}" for part in comp[:1])
        parts = (given.get("content-md5", ""), given.get("content-type", ""), given["x-ms-date"])
        return "\n".join([method, *parts, resource])

    def _resource(self, url: str) -> str:
        return f"/{self._account}{urlsplit(url).path}"
