"""A request taken apart: what a service needs to name the operation and the resources it touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote

from likewise.cloud.sums import Sums
from likewise.model import Value

_CLOUDS = (".amazonaws.com", ".core.windows.net")


@dataclass(slots=True, kw_only=True)
class Call:
    """One request and its answer while they are being read; each step fills in what the next one needs.

    `path` is as sent, still encoded; `host` has the port. `status` is None where no answer came.
    A service fills in `operation` (empty where it knows none), `account` and `names`.
    `parts` are the inner calls of a batch.
    """

    method: str
    host: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    content: bytes | None = None
    sums: Sums | None = None
    """The checksums of what was sent, where `content` only describes it."""
    status: int | None = None
    response_headers: Mapping[str, str] = field(default_factory=dict)
    response_content: bytes | None = None
    started: float = 0.0
    hint: str = ""
    operation: str = ""
    account: str = ""
    names: list[str] = field(default_factory=list)
    request: Value = None
    response: Value = None
    parts: list[Call] = field(default_factory=list)
    has_failed: bool = False
    """Whether the answer is an error in spite of its status."""

    @property
    def is_refused(self) -> bool:
        """Whether an answer came and said no, or not here: nothing has changed."""
        return self.status is not None and (self.status >= 300 or self.has_failed)


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that read better without quotation marks."""
    return frozenset(text.split())


def split_url(url: str, host: str = "") -> tuple[str, str, str]:
    """Host with port, path as sent, query as sent.

    A Host header wins where the URL has no port, or is that of a proxy on the way to a cloud.
    """
    rest = url.partition("://")[2] if "://" in url else url
    rest = rest.partition("#")[0]
    before, _, query = rest.partition("?")
    netloc, slash, path = before.partition("/")
    netloc = netloc.rpartition("@")[2].lower()
    if host and (not netloc or (":" not in netloc and ":" in host) or host.endswith(_CLOUDS)):
        netloc = host.lower()
    return netloc, slash + path or "/", query


@lru_cache(maxsize=4096)
def _query(text: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for piece in text.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((decode(name.replace("+", " ")), decode(value.replace("+", " "))))
    return tuple(pairs)


def read_query(text: str) -> dict[str, str]:
    """A query string, decoded; values of a name that repeats are joined by commas."""
    if not text:
        return {}
    query: dict[str, str] = {}
    for name, value in _query(text):
        query[name] = f"{query[name]},{value}" if name in query else value
    return query


def decode(text: str) -> str:
    """Percent-decoded text."""
    return unquote(text) if "%" in text else text
