"""Requests inside a request: addressed to the candidate, and signed for its account."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from likewise.cloud.fuzz.corpus.cases import Wire
from likewise.cloud.fuzz.corpus.shared_key import SharedKey

_INNER = re.compile(
    r"^(?P<method>[A-Z]+) (?P<url>\S+) (?P<version>HTTP/1\.1)(?P<headers>(?:\r?\n[\w-]+:[^\r\n]*)*)", re.M
)
_HEADER = re.compile(r"\r?\n([\w-]+): *([^\r\n]*)")
_SIGNED = frozenset({"authorization", "x-ms-date"})


def is_batch(wire: Wire) -> bool:
    """Whether a request holds others."""
    return wire.path.endswith("/$batch") or "comp=batch" in wire.query.split("&")


def readdressed(body: bytes, address: Callable[[str], str], key: SharedKey) -> bytes:
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
            headers |= key.headers(inner["method"], url, headers, 0)
        told = "".join(f"\r\n{name}: {value}" for name, value in headers.items())
        return f"{inner['method']} {line} {inner['version']}{told}"

    return _INNER.sub(moved, body.decode("latin-1")).encode("latin-1")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
