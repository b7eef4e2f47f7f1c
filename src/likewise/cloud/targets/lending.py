"""Servers that one process of a run has started and others use as well, instead of starting their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from likewise.cloud import targets
from likewise.cloud.targets.process import Process, is_running
from likewise.cloud.targets.server import Server
from likewise.cloud.targets.spec import Plan
from likewise.model import Role, Target, TargetUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Loan:
    """What another process must know to use a server."""

    name: str
    version: str
    services: frozenset[str]
    pid: int
    log: Path
    plan: Plan

    def to_plain(self) -> dict[str, Any]:
        """Fit to be sent to another process."""
        return {
            "name": self.name,
            "version": self.version,
            "services": sorted(self.services),
            "pid": self.pid,
            "log": str(self.log),
            "endpoints": self.plan.endpoints,
            "ready": self.plan.ready,
            "keys": (self.plan.access_key, self.plan.secret_key),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Loan:
        """What `to_plain` sent."""
        access_key, secret_key = plain["keys"]
        return cls(
            name=plain["name"],
            version=plain["version"],
            services=frozenset(plain["services"]),
            pid=plain["pid"],
            log=Path(plain["log"]),
            plan=Plan(
                argv=(),
                endpoints=dict(plain["endpoints"]),
                ready=tuple(plain["ready"]),
                access_key=access_key,
                secret_key=secret_key,
            ),
        )


class Borrowed(Server):
    """A server that another process of ours started, and will stop."""

    def stop(self) -> None:
        """Leave it to its owner."""


class _Elsewhere(Process):
    """The process of a server that is somebody else's child."""

    def __init__(self, pid: int, log: Path) -> None:
        self._pid, self.log = pid, log

    @property
    def pid(self) -> int:
        """The process id."""
        return self._pid

    @property
    def exit_code(self) -> None:
        """Only its owner learns that."""
        return None

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return is_running(self._pid)

    def stop(self, *, grace: float = 0.5) -> None:
        """Leave it to its owner."""


def lend(server: Server) -> Loan:
    """What others must know to use a server, which goes on to be ours."""
    return Loan(
        name=server.target.name,
        version=server.target.version,
        services=server.services,
        pid=server.pid,
        log=server.log,
        plan=replace(server.plan, environment={}, litter=()),
    )


def borrow(loan: Loan, *, role: Role) -> Server | None:
    """A server that somebody else started, emptied as a new one is; None where it cannot be had."""
    recipe = targets.SPECS[loan.name].recipe
    if recipe is None:
        return None
    server = Borrowed(
        target=Target(name=loan.name, role=role, version=loan.version),
        recipe=recipe,
        plan=loan.plan,
        process=_Elsewhere(loan.pid, loan.log),
        services=loan.services,
    )
    try:
        return server if server.is_alive() and server.reset() else None
    except TargetUnavailable:
        return None
