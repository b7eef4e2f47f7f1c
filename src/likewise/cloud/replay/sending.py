"""Send requests as they are, byte by byte: one connection kept open per endpoint, limits on time."""

from __future__ import annotations

import http.client
import os
import select
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from likewise.cloud.exchange import header_name
from likewise.cloud.replay.request import Endpoint, Request
from likewise.model import TargetUnavailable

CONNECT_LIMIT = 10.0
ANSWER_LIMIT = 60.0
RETRIES = 4
"""How often a call is sent again because the reference asked for less haste."""

_THROTTLED = (
    b"SlowDown",
    b"ProvisionedThroughputExceeded",
    b"ThrottlingException",
    b"RequestLimitExceeded",
    b"ServerBusy",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; header names as `header_name` has them."""

    status: int
    headers: dict[str, str]
    body: bytes
    reason: str = ""
    retries: int = 0
    """How often the reference had asked for less haste before."""

    @property
    def is_throttled(self) -> bool:
        """Whether the reference only asked for less haste."""
        if self.status == 429:
            return True
        if self.status not in (400, 500, 503):
            return False
        code = self.headers.get("x-ms-error-code", "").encode()
        return any(sign in self.body[:2000] or sign == code for sign in _THROTTLED)


class Connections:
    """Open connections, one per endpoint."""

    def __init__(self, *, answer_limit: float = ANSWER_LIMIT) -> None:
        self._open: dict[Endpoint, http.client.HTTPConnection] = {}
        self._limit = answer_limit

    def send(self, request: Request, *, before: Callable[[], None]) -> Answer:
        """Send a request; again, a little later each time, while the reference is throttling.

        `before` is called right before each time something is sent.
        """
        pause = 0.2
        for attempt in range(RETRIES + 1):
            before()
            answer = self._once(request)
            if not answer.is_throttled or attempt == RETRIES:
                return replace(answer, retries=attempt) if attempt else answer
            time.sleep(pause)
            pause *= 2
        raise AssertionError("unreachable")

    def _once(self, request: Request) -> Answer:
        connection = self._connection(request.endpoint)
        try:
            connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", request.endpoint.host)
            connection.putheader("Accept-Encoding", "identity")
            if request.body or request.method in ("PUT", "POST", "PATCH", "MERGE"):
                connection.putheader("Content-Length", str(len(request.body)))
            for name, text in request.headers.items():
                if name not in ("host", "content-length", "accept-encoding"):
                    connection.putheader(name, text.encode("utf-8"))
            connection.endheaders(request.body or None)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._drop(request.endpoint)
            raise _unavailable(request, error) from error
        except BaseException:
            # A connection with half a request or half an answer in it is of no use to anybody.
            self._drop(request.endpoint)
            raise
        if response.will_close:
            self._drop(request.endpoint)
        headers: dict[str, str] = {}
        for name, text in response.getheaders():
            known = header_name(name)
            headers[known] = f"{headers[known]}, {text}" if known in headers else text
        return Answer(status=response.status, headers=headers, body=body, reason=response.reason)

    def _connection(self, endpoint: Endpoint) -> http.client.HTTPConnection:
        connection = self._open.get(endpoint)
        if connection is not None and _is_stale(connection):
            self._drop(endpoint)
            connection = None
        if connection is None:
            connection = self._open[endpoint] = _connect(endpoint, self._limit)
        return connection

    def _drop(self, endpoint: Endpoint) -> None:
        if connection := self._open.pop(endpoint, None):
            connection.close()

    def close(self) -> None:
        """Close everything."""
        for endpoint in list(self._open):
            self._drop(endpoint)


def _is_stale(connection: http.client.HTTPConnection) -> bool:
    """Whether the other side has closed the connection while nobody was looking."""
    if connection.sock is None:
        return True
    return bool(select.select([connection.sock], [], [], 0)[0])


def _connect(endpoint: Endpoint, limit: float) -> http.client.HTTPConnection:
    parts = urlsplit(endpoint.url)
    host, port = parts.hostname or "", parts.port
    proxy = None if proxy_bypass(host) else getproxies().get(endpoint.scheme)
    via = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else None
    if endpoint.scheme != "https":
        connection = http.client.HTTPConnection(host, port, timeout=CONNECT_LIMIT)
    else:
        bundle = os.environ.get("AWS_CA_BUNDLE") or os.environ.get("REQUESTS_CA_BUNDLE")
        context = ssl.create_default_context(cafile=bundle or None)
        first, first_port = (via.hostname or "", via.port) if via else (host, port)
        connection = http.client.HTTPSConnection(first, first_port, timeout=CONNECT_LIMIT, context=context)
        if via:
            connection.set_tunnel(host, port or 443)
    try:
        connection.connect()
    except OSError as error:
        raise TargetUnavailable(
            f"nobody answers at {endpoint.scheme}://{endpoint.host}",
            why=str(error) or type(error).__name__,
            todo="Start the reference or correct its address; what was proved so far is kept.",
        ) from error
    connection.sock.settimeout(limit)
    if isinstance(connection.sock, socket.socket):
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _unavailable(request: Request, error: Exception) -> TargetUnavailable:
    slow = isinstance(error, TimeoutError)
    return TargetUnavailable(
        f"the reference at {request.endpoint.scheme}://{request.endpoint.host} "
        + ("did not answer in time" if slow else "closed the connection"),
        where=f"{request.method} {request.path}",
        why=str(error) or type(error).__name__,
        todo="What was proved so far is kept; run again when it is back.",
    )
