"""Requests to the target that go past the SDKs: presigned URLs, and whoever speaks HTTP by himself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType, ModuleType
from typing import Any, Protocol
from urllib.parse import urlsplit
from weakref import WeakSet

from likewise.cloud.recorder.endpoints import Endpoints, caller
from likewise.cloud.recorder.neighbours import STARTING, Neighbours
from likewise.cloud.recorder.patches import Patches

_REQUEST = "a request outside the SDKs went to the target"
_CONNECTION = "something outside the SDKs connected to the target"
_DEFAULT_PORTS = {80, 443}


class Miss(Protocol):
    """Is told of a call that is in no trace."""

    def __call__(self, what: str, *, writes: bool) -> None: ...


class Outside:
    """Notices requests of this process that no SDK makes; what they did is in no trace.

    `miss` is told what, and whether it may have changed anything, in the context of whoever made the
    request.
    """

    def __init__(self, endpoints: Endpoints, neighbours: Neighbours, miss: Miss) -> None:
        self.in_sdk: ContextVar[bool] = ContextVar("likewise.in_sdk", default=False)
        self._endpoints, self._neighbours, self._miss = endpoints, neighbours, miss
        self._noted: WeakSet[Any] = WeakSet()

    def follow_http(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow `http.client`, which requests, urllib and urllib3 all end in."""

        def make(inner: Any) -> Any:
            def putrequest(connection: Any, method: str, url: str, *args: Any, **more: Any) -> Any:
                if is_active() and not self.in_sdk.get():
                    self._noted.add(connection)
                    self._note(method, _authority(connection.host, connection.port), url)
                return inner(connection, method, url, *args, **more)

            return putrequest

        patches.replace(module.HTTPConnection, "putrequest", make)

    def follow_responses(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow `responses`, by which moto answers what requests would have sent."""

        def make(inner: Any) -> Any:
            def on_request(mock: Any, adapter: Any, request: Any, *args: Any, **more: Any) -> Any:
                if is_active() and not self.in_sdk.get():
                    parts = urlsplit(str(request.url))
                    self._note(str(request.method), parts.netloc, f"{parts.path}?{parts.query}")
                return inner(mock, adapter, request, *args, **more)

            return on_request

        patches.replace(module.RequestsMock, "_on_request", make)

    def follow_sockets(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow `socket`, for connections that other libraries make."""

        def make(inner: Any) -> Any:
            def connect(sock: Any, address: Any) -> Any:
                if not is_active() or not isinstance(address, tuple):
                    return inner(sock, address)
                is_target = self._hear(f"{address[0]}:{address[1]}", sys._getframe(1))
                try:
                    return inner(sock, address)
                finally:
                    if is_target:
                        self._neighbours.note_own(_local_port(sock))

            return connect

        for name in ("connect", "connect_ex"):
            patches.override(module.socket, name, make)

    def follow_processes(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow a module that starts processes."""

        def make(inner: Any) -> Any:
            def start(*args: Any, **more: Any) -> Any:
                if is_active():
                    self._neighbours.expect(sys._getframe(1))
                return inner(*args, **more)

            return start

        for owner, name in STARTING[module.__name__]:
            patches.replace(getattr(module, owner) if owner else module, name, make)

    def _hear(self, authority: str, connecting: FrameType) -> bool:
        """Whether a connection is to the target; one that no SDK makes is noted."""
        if not self._endpoints.is_target(authority):
            return False
        if not self.in_sdk.get() and not self._is_noted(connecting):
            self._miss(f"{_CONNECTION}: {authority}", writes=True)
        return True

    def _is_noted(self, frame: FrameType | None) -> bool:
        """Whether a request that is noted already is why this connection is made."""
        while frame is not None:
            who = frame.f_locals.get("self")
            if any(each is who for each in self._noted):
                return True
            frame = frame.f_back
        return False

    def _note(self, method: str, authority: str, url: str) -> None:
        if self._endpoints.is_target(authority):
            from likewise.cloud.interpret import may_change  # heavy, and few suites need it

            path = url.partition("?")[0]  # what follows may be a signature
            self._miss(
                f"{_REQUEST}: {method} {path} at {caller(sys._getframe(2))}",
                writes=may_change(method, f"http://{authority}{url}"),
            )


def _local_port(sock: Any) -> int:
    try:
        return int(sock.getsockname()[1])
    except OSError:  # it could not be connected at all
        return 0


def _authority(host: object, port: object) -> str:
    return str(host) if port in _DEFAULT_PORTS else f"{host}:{port}"
