"""A server that is started when it is first needed, if it ever is."""

from __future__ import annotations

import threading
from pathlib import Path

from likewise.cloud.targets.packages import require
from likewise.cloud.targets.running import Running, foreign
from likewise.cloud.targets.server import Server, start_server
from likewise.cloud.targets.spec import Spec
from likewise.model import Role, Target


class Deferred(Running):
    """Stands for a server until somebody calls it; that it is installed is found out at once."""

    is_ours = True

    def __init__(self, spec: Spec, *, role: Role, cache: Path, services: frozenset[str]) -> None:
        self.target = Target(name=spec.name, role=role, version=require(spec, cache=cache).version)
        self._spec, self._role, self._cache, self._services = spec, role, cache, services
        self._starting = threading.Lock()
        self._server: Server | None = None

    @property
    def server(self) -> Server:
        """The server, started by now; TargetUnavailable where it does not start."""
        with self._starting:
            if self._server is None:
                self._server = start_server(
                    self._spec, role=self._role, cache=self._cache, services=self._services
                )
            return self._server

    def endpoint(self, service: str) -> str | None:
        """Where the service answers."""
        return self.server.endpoint(service)

    def environment(self) -> dict[str, str]:
        """The variables that send a suite here."""
        return self.server.environment()

    def cleared(self) -> frozenset[str]:
        """Everything of the user's own that could send a suite elsewhere."""
        return foreign(self._services)

    def reset(self) -> bool:
        """Remove all state."""
        return self.server.reset()

    def is_alive(self) -> bool:
        """Whether it can be called: before its start nothing speaks against it."""
        return self._server is None or self._server.is_alive()

    def stop(self) -> None:
        """End what was started."""
        if self._server is not None:
            self._server.stop()
