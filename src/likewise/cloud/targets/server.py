"""Starting a server of ours and living with it."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
import threading
from pathlib import Path

from likewise.cloud.targets import http
from likewise.cloud.targets.packages import Installed, require
from likewise.cloud.targets.process import Process, free_ports, is_running, wait_until
from likewise.cloud.targets.running import Running, aws_environment, azure_environment, foreign
from likewise.cloud.targets.spec import Launch, Plan, Recipe, Spec
from likewise.model import Role, Target, TargetUnavailable

ATTEMPTS = 4
PORT_TAKEN = re.compile(
    rb"address (is )?already in use|EADDRINUSE|already in use|errno 98|errno 48", re.IGNORECASE
)


class Server(Running):
    """A server process that was started for the user."""

    is_ours = True

    def __init__(
        self, *, target: Target, recipe: Recipe, plan: Plan, process: Process, services: frozenset[str]
    ) -> None:
        self.target = target
        self.plan = plan
        self._recipe, self._process, self._services = recipe, process, services
        self._stopping = threading.Lock()
        self._stopped = False

    @property
    def log(self) -> Path:
        """What the server wrote; kept when it ended by itself."""
        return self._process.log

    @property
    def services(self) -> frozenset[str]:
        """What it is used for."""
        return self._services

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def endpoint(self, service: str) -> str | None:
        """Where the service answers; None where this server does not offer it."""
        return self.plan.endpoints.get(service) if service in self._services else None

    def environment(self) -> dict[str, str]:
        """The variables that send a suite here, with keys that are no secret."""
        endpoints = {name: url for name, url in self.plan.endpoints.items() if name in self._services}
        return azure_environment(endpoints) | aws_environment(
            endpoints, access_key=self.plan.access_key, secret_key=self.plan.secret_key
        )

    def cleared(self) -> frozenset[str]:
        """Everything of the user's own that could send a suite elsewhere."""
        return foreign(self._services)

    def reset(self) -> bool:
        """Remove all state; TargetUnavailable if the server does not do it."""
        try:
            self._recipe.wipe(self.plan)
        except OSError as error:
            raise self.trouble(f"{self.target.name} could not be emptied", why=str(error)) from error
        return True

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return not self._stopped and self._process.is_alive()

    def trouble(self, what: str, *, why: str = "", log: Path | None = None) -> TargetUnavailable:
        """The error to raise about this server, with the end of its log."""
        code = self._process.exit_code
        ended = f"it ended with exit code {code}" if code is not None else ""
        reasons = "; ".join(part for part in (why, ended) if part)
        tail = self._process.tail()
        return TargetUnavailable(
            what,
            why=reasons,
            todo=f"Its log, {log or self.log}, ends with:\n{tail}" if tail else "Its log is empty.",
        )

    def stop(self) -> None:
        """End the process and remove its files; the log of a server that ended by itself stays."""
        with self._stopping:
            if self._stopped:
                return
            self._stopped = True
            crashed = not self._process.is_alive()
            self._process.stop(grace=self.plan.grace)
            for path in self.plan.litter:
                path.unlink(missing_ok=True)
            if not crashed:
                shutil.rmtree(self._process.log.parent, ignore_errors=True)


def start_server(spec: Spec, *, role: Role, cache: Path, services: frozenset[str]) -> Server:
    """Start a server and wait until it answers; new ports where somebody else took the first ones."""
    assert spec.recipe is not None
    installed = require(spec, cache=cache)
    for attempt in itertools.count(1):
        server = _launch(spec, installed, role=role, cache=cache, services=services)
        if _is_up(server, spec.recipe):
            return server
        taken = PORT_TAKEN.search(server.log.read_bytes()) or (
            server.is_alive() and _answered_by_others(server)
        )
        error = server.trouble(
            f"{spec.name} {installed.version} did not start",
            why=f"no answer within {spec.recipe.patience:.0f} s" if server.is_alive() else "",
            log=_keep_log(server, cache=cache, name=spec.name),
        )
        server.stop()
        if not taken or attempt == ATTEMPTS:
            raise error
    raise AssertionError("unreachable")


def _launch(spec: Spec, installed: Installed, *, role: Role, cache: Path, services: frozenset[str]) -> Server:
    assert spec.recipe is not None
    runs = cache / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    sweep(runs)
    directory = Path(tempfile.mkdtemp(prefix=f"{spec.name}-{os.getpid()}-", dir=runs))
    launch = Launch(
        program=installed.program,
        ports=free_ports(spec.recipe.ports),
        directory=directory,
        services=services,
    )
    plan = spec.recipe.plan(launch)
    try:
        process = Process(
            plan.argv, environment=installed.environment | plan.environment, directory=directory
        )
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        raise TargetUnavailable(
            f"{spec.name} could not be started",
            why=str(error),
            todo=f"The command was: {' '.join(plan.argv)}",
        ) from error
    target = Target(name=spec.name, role=role, version=installed.version)
    return Server(target=target, recipe=spec.recipe, plan=plan, process=process, services=services)


def _is_up(server: Server, recipe: Recipe) -> bool:
    return wait_until(
        lambda: all(http.answers(url) for url in server.plan.ready) and not _answered_by_others(server),
        limit=recipe.patience,
        process=server._process,
    )


def _answered_by_others(server: Server) -> bool:
    ports = {int(url.split("/")[2].rpartition(":")[2]) for url in server.plan.ready}
    return not all(server._process.owns(port) for port in ports)


def _keep_log(server: Server, *, cache: Path, name: str) -> Path:
    """Put the log of a failed start where the next sweep will not look."""
    logs = cache / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(server.log, logs / f"{name}.log"))


def sweep(runs: Path) -> None:
    """Remove what servers left behind whose owner is gone: they went with it, their files did not."""
    for directory in runs.iterdir():
        owner = directory.name.rsplit("-", 2)[-2:][0]
        if owner.isdigit() and not is_running(int(owner)):
            shutil.rmtree(directory, ignore_errors=True)
