"""Requests inside a request: addressed to the candidate, and signed for its account."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.utils import formatdate
from urllib.parse import urlsplit

from likewise.cloud.fuzz.corpus.cases import Wire
from likewise.cloud.fuzz.sides.shared_access import fields_of

_INNER = re.compile(
    r"^(?P<method>[A-Z]+) (?P<url>\S+) (?P<version>HTTP/1\.1)(?P<headers>(?:\r?\n[\w-]+:[^\r\n]*)*)", re.M
)
_HEADER = re.compile(r"\r?\n([\w-]+): *([^\r\n]*)")
_SIGNED = frozenset({"authorization", "x-ms-date"})


def is_batch(wire: Wire) -> bool:
    """Whether a request holds others."""
    return wire.path.endswith("/$batch") or "comp=batch" in wire.query.split("&")


def readdressed(body: bytes, address: Callable[[str], str], connection: str) -> bytes:
    """A batch whose requests go to where an account has its paths, with its key where they were signed.

    Lengths and content stay: what is inside was already given the names of the play.
    """

    def moved(inner: re.Match[str]) -> str:
        parts = urlsplit(inner["url"])
        url = address(parts.path) + (f"?{parts.query}" if parts.query else "")
        line = url if parts.scheme else url.removeprefix(_origin(url))
        headers = dict(_HEADER.findall(inner["headers"]))
        if any(name.lower() == "authorization" for name in headers):
            headers = {name: value for name, value in headers.items() if name.lower() not in _SIGNED}
            headers |= _signature(inner["method"], url, headers, connection)
        told = "".join(f"\r\n{name}: {value}" for name, value in headers.items())
        return f"{inner['method']} {line} {inner['version']}{told}"

    return _INNER.sub(moved, body.decode("latin-1")).encode("latin-1")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _signature(method: str, url: str, headers: dict[str, str], connection: str) -> dict[str, str]:
    """What the SDK adds to a request in a batch; nothing where the account has no key."""
    from azure.core.pipeline import PipelineContext, PipelineRequest
    from azure.core.rest import HttpRequest
    from azure.storage.blob._shared.authentication import SharedKeyCredentialPolicy

    fields = fields_of(connection)
    if not fields.get("AccountKey"):
        return {}
    now = {"x-ms-date": formatdate(usegmt=True)}
    request = HttpRequest(method, url, headers=headers | now)
    policy = SharedKeyCredentialPolicy(fields["AccountName"], fields["AccountKey"])
    policy.on_request(PipelineRequest(request, PipelineContext(None)))
    return now | {"Authorization": request.headers["Authorization"]}
