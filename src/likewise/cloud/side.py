"""All targets of one role: which ones the configuration names, started and stopped together."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.cloud import targets
from likewise.model import ConfigurationError, Role, Target
from likewise.store import Configuration

if TYPE_CHECKING:
    from likewise.cloud.targets import Running, Spec
    from likewise.cloud.targets.lending import Loan

    _Start = Callable[[Spec, frozenset[str]], Running]

IN_PROCESS = "mock_aws"
"""The candidate's name where the suite brings moto itself, in its own process: nothing is started."""
_REAL_HOSTS = frozenset(
    {"amazonaws.com", "amazonaws.com.cn", "api.aws", "core.windows.net", "storage.azure.net"}
)
"""Where the real clouds answer: a client that calls elsewhere is not on the reference."""
_USUAL = {Role.CANDIDATE: "moto", Role.REFERENCE: "aws"}
"""What newcomers are told to write."""
_IN_PROCESS_SERVICES = frozenset({"s3", "dynamodb"})


def plan(configuration: Configuration, role: Role) -> tuple[tuple[Spec, frozenset[str]], ...]:
    """The targets of a role, each with the services that it is for; none where the suite brings its own."""
    choice = configuration.candidate if role is Role.CANDIDATE else configuration.reference
    if choice is None:
        raise ConfigurationError(
            f"no {role} is named",
            where="[tool.likewise]",
            todo=f'Write {role} = "{_USUAL[role]}", or another of: {", ".join(targets.SPECS)}, or a URL.',
        )
    if role is Role.CANDIDATE and choice == IN_PROCESS:
        return ()
    services = services_of(configuration)
    if isinstance(choice, str):
        return (_assigned(choice, services),)
    if missing := services - choice.keys():
        raise ConfigurationError(
            f"no {role} is named for {', '.join(sorted(missing))}",
            where="[tool.likewise]",
            todo=f"Add it to the table of the {role}, or take it out of services.",
        )
    names = dict.fromkeys(choice[service] for service in sorted(services))
    return tuple(
        _assigned(name, frozenset(each for each in services if choice[each] == name)) for name in names
    )


def _assigned(name: str, services: frozenset[str]) -> tuple[Spec, frozenset[str]]:
    """A target with services that it must have: found out before anything is started or run."""
    spec = _find(name)
    if unknown := services - targets.SERVICES:
        raise ConfigurationError(
            f"there is no service {', '.join(sorted(unknown))}",
            where="[tool.likewise]",
            todo=f"Services are {', '.join(sorted(targets.SERVICES))}.",
        )
    missing = services - spec.services
    if missing and "" not in spec.endpoints:
        left = sorted(services - missing)
        alone = f"Write services = [{', '.join(map(json.dumps, left))}], or name" if left else "Name"
        raise ConfigurationError(
            f"{spec.name} has no {', '.join(sorted(missing))}",
            where="[tool.likewise]",
            todo=f"{alone} a target for each service.",
        )
    return spec, services


def _find(name: str) -> Spec:
    try:
        return targets.find(name)
    except ConfigurationError as error:
        raise ConfigurationError(error.what, where="[tool.likewise]", todo=error.todo) from error


def services_of(configuration: Configuration) -> frozenset[str]:
    """The services that the configuration names, else all that the candidate has."""
    if configuration.services:
        return frozenset(configuration.services)
    candidate = configuration.candidate
    if candidate == IN_PROCESS:
        return _IN_PROCESS_SERVICES
    if isinstance(candidate, dict):
        return frozenset(candidate)
    return _find(candidate).services if candidate else frozenset()


class Side:
    """The running targets of one role, used as if they were one. As a context manager it stops them."""

    def __init__(self, running: tuple[Running, ...], *, role: Role) -> None:
        self.running, self.role = running, role

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def targets(self) -> tuple[Target, ...]:
        """What stands behind the boundary, with versions."""
        if self.running:
            return tuple(each.target for each in self.running)
        return (Target(name=IN_PROCESS, role=self.role, version=_version_of_moto()),)

    @property
    def is_real(self) -> bool:
        """Whether any call is paid for."""
        return any(each.real for each in self.running)

    @property
    def endpoints(self) -> frozenset[str]:
        """Where clients are expected to call; empty where they may call anywhere."""
        if not self.running:
            return frozenset()
        if self.is_real:
            return _REAL_HOSTS
        found = (each.endpoint(service) for each in self.running for service in targets.SERVICES)
        return frozenset(url for url in found if url)

    def endpoint(self, service: str) -> str | None:
        """Where a service answers; None where the SDK itself knows."""
        return next((url for each in self.running if (url := each.endpoint(service))), None)

    def apply(self, base: Mapping[str, str]) -> dict[str, str]:
        """An environment that sends a suite to these targets and nowhere else."""
        cleared = frozenset[str]().union(*(each.cleared() for each in self.running))
        environment = {name: value for name, value in base.items() if name not in cleared}
        for each in reversed(self.running):  # the first target's general endpoint wins
            environment |= each.environment()
        return environment

    def reset(self) -> bool:
        """Remove all state; False where some target keeps its own."""
        done = [each.reset() for each in self.running]  # all of them, whatever the first one says
        return bool(done) and all(done)

    def check(self) -> None:
        """Raise TargetUnavailable where a server that was started for the user has ended."""
        for each in self.running:
            if isinstance(each, targets.Server) and not each.is_alive():
                raise each.trouble(f"{each.target} has ended in the middle of the run")

    def keep_logs(self, folder: Path) -> None:
        """Copy the servers' logs to where they outlive the servers."""
        for each in self.running:
            if isinstance(each, targets.Server):
                folder.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(each.log, folder / f"{each.target.name}-{os.getpid()}.log")

    def lend(self) -> tuple[Loan, ...]:
        """What another process must know to use the servers of this side, started if they were not yet."""
        from likewise.cloud.targets.deferred import Deferred
        from likewise.cloud.targets.lending import lend

        servers = [each.server if isinstance(each, Deferred) else each for each in self.running]
        return tuple(lend(each) for each in servers if isinstance(each, targets.Server) and each.is_alive())

    def stop(self) -> None:
        """End what was started; nothing the second time."""
        for each in self.running:
            each.stop()


def open_side(configuration: Configuration, role: Role, lent: Sequence[Loan] = ()) -> Side:
    """Start every target of a role; where one does not start, those before it are stopped.

    Servers that another process of this run has started are used instead of own ones.
    """
    loans = {loan.name: loan for loan in lent}

    def start(spec: Spec, services: frozenset[str]) -> Running:
        loan = loans.get(spec.name)
        borrowed = _borrow(loan, role) if loan is not None and loan.services == services else None
        return borrowed or targets.start(spec, role=role, services=services)

    return _opened(configuration, role, start)


def prepare_side(configuration: Configuration, role: Role) -> Side:
    """As `open_side`, but servers of ours start when they are first called, if they ever are."""

    def start(spec: Spec, services: frozenset[str]) -> Running:
        if spec.recipe is None:
            return targets.start(spec, role=role, services=services)
        from likewise.cloud.targets.deferred import Deferred

        return Deferred(spec, role=role, cache=targets.default_cache(), services=services)

    return _opened(configuration, role, start)


def _borrow(loan: Loan, role: Role) -> Running | None:
    from likewise.cloud.targets.lending import borrow

    return borrow(loan, role=role)


def _opened(configuration: Configuration, role: Role, start: _Start) -> Side:
    running: list[Running] = []
    try:
        for spec, services in plan(configuration, role):
            running.append(start(spec, services))
    except BaseException:
        for each in running:
            each.stop()
        raise
    return Side(tuple(running), role=role)


def _version_of_moto() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("moto")
    except PackageNotFoundError:
        return ""
