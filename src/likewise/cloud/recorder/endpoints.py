"""Clients that talk to somewhere else than Likewise sent them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType

_INNER = frozenset(
    {
        "aioboto3",
        "aiobotocore",
        "aiohttp",
        "asyncio",
        "azure",
        "boto3",
        "botocore",
        "concurrent",
        "contextlib",
        "contextvars",
        "functools",
        "http",
        "likewise",
        "moto",
        "requests",
        "responses",
        "s3transfer",
        "threading",
        "unittest",
        "urllib",
        "urllib3",
    }
)
"""Packages whose frames say nothing about who made a call."""


_HERE = ("127.0.0.1", "localhost", "::1")


class Endpoints:
    """The hosts that clients are expected to talk to; where none are named, everything is expected."""

    def __init__(self, expected: Iterable[str]) -> None:
        self._expected = tuple(_host(each) for each in expected)
        self._known: dict[str, str] = {}
        self._usual = "\0" if self._expected else ""
        """How the URL began to which there was no objection last: as nearly all do."""
        self.is_mocked = False

    def objection(self, url: str) -> str:
        """Why a request to `url` bypasses Likewise; empty where it does not."""
        if url.startswith(self._usual):
            return ""
        host = url.split("/", 3)[2]
        found = self._known.get(host)
        if found is None:
            found = self._known[host] = self._judge(host, url)
        if not found:
            self._usual = f"{url.partition('://')[0]}://{host}/"
        return "" if self.is_mocked and _is_mockable(host) else found

    def is_target(self, authority: str) -> bool:
        """Whether a host, with its port unless that is the usual one, is where the suite is to call."""
        if self.is_mocked and _is_mockable(authority):
            return True
        name = authority.lower()
        host, _, port = name.rpartition(":")
        if host in _HERE:
            return any(f"{each}:{port}" in self._expected for each in _HERE)
        return self._is_expected(name)

    def _is_expected(self, name: str) -> bool:
        return any(name == each or name.endswith("." + each) for each in self._expected)

    def _judge(self, host: str, url: str) -> str:
        """The first look at a host. A bucket before an expected host (virtual-host style) is that host."""
        name = host.rpartition("@")[2].lower()
        if self._is_expected(name):
            return ""
        scheme = url.partition("://")[0]
        where = caller(sys._getframe(2))
        return f"client at {where} is hard-wired to {scheme}://{name} and bypasses likewise"


def _host(endpoint: str) -> str:
    return endpoint.partition("://")[2].partition("/")[0].lower() if "://" in endpoint else endpoint.lower()


def _is_mockable(host: str) -> bool:
    """Whether moto's mock answers for the host, so that nothing leaves the process."""
    return host.partition(":")[0].endswith((".amazonaws.com", ".amazonaws.com.cn"))


def caller(frame: FrameType | None) -> str:
    """File and line of the innermost frame that is neither an SDK's nor ours."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _INNER:
            return f"{_shorten(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return "an unknown place"


def _shorten(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else filename
