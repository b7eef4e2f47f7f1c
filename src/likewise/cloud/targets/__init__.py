"""Targets: servers that are started and stopped for the user, endpoints, and the real clouds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.cloud.targets.spec import SERVICES, Spec
from likewise.model import ConfigurationError, Role
from likewise.model.late import late as _late

if TYPE_CHECKING:
    from likewise.cloud.targets.packages import Installed, default_cache, install, install_command, locate
    from likewise.cloud.targets.running import Running
    from likewise.cloud.targets.server import Server

__all__ = [
    "SERVICES",
    "SPECS",
    "Installed",
    "Running",
    "Server",
    "Spec",
    "default_cache",
    "find",
    "install",
    "install_command",
    "locate",
    "start",
]

__getattr__ = _late(
    __name__,
    {
        "packages": ("Installed", "default_cache", "install", "install_command", "locate"),
        "running": ("Running",),
        "server": ("Server",),
    },
)


class _Specs(Mapping[str, Spec]):
    """Targets by name, each in a module of that name, which is imported when somebody wants that one."""

    NAMES = ("moto", "ministack", "seaweedfs", "localstack", "dynalite", "s3rver", "azurite", "aws", "azure")

    def __getitem__(self, name: str) -> Spec:
        if name not in self.NAMES:
            raise KeyError(name)
        spec: Spec = import_module(f"{__name__}.{name}").SPEC
        return spec

    def __contains__(self, name: object) -> bool:
        return name in self.NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(self.NAMES)

    def __len__(self) -> int:
        return len(self.NAMES)


SPECS: Mapping[str, Spec] = _Specs()


def find(name_or_url: str) -> Spec:
    """The target of this name, or at this URL."""
    if name_or_url in SPECS:
        return SPECS[name_or_url]
    import difflib

    from likewise.cloud.targets import url

    if url.is_url(name_or_url):
        return url.parse(name_or_url)
    close = difflib.get_close_matches(name_or_url.lower(), SPECS, n=1)
    known = f"Targets are {', '.join(SPECS)}, or a URL."
    hint = f"Did you mean {close[0]}? {known}" if close else known
    raise ConfigurationError(f"unknown target {name_or_url!r}", todo=hint)


def start(
    spec: Spec, *, role: Role, cache: Path | None = None, services: frozenset[str] = frozenset()
) -> Running:
    """Start a target and return when it can be called; without services, all that it has."""
    wanted = services or spec.services
    offered = SERVICES if "" in spec.endpoints else spec.services
    if missing := wanted - offered:
        raise ConfigurationError(
            f"{spec.name} has no {', '.join(sorted(missing))}",
            todo=f"It has {', '.join(sorted(offered))}. Name another target for the rest.",
        )
    if not wanted:
        raise ConfigurationError(
            f"it is not said which services are at {spec.name}", todo=f"Write, for example, s3+{spec.name}."
        )
    if spec.recipe is not None:
        from likewise.cloud.targets.packages import default_cache
        from likewise.cloud.targets.server import start_server

        return start_server(spec, role=role, cache=cache or default_cache(), services=wanted)
    if spec.endpoints:
        from likewise.cloud.targets.url import Endpoint

        endpoint = Endpoint(spec, role=role, services=wanted)
        endpoint.check()
        return endpoint
    return _real(spec, role)


def _real(spec: Spec, role: Role) -> Running:
    from likewise.cloud.targets.aws import Aws
    from likewise.cloud.targets.azure import Azure

    real = Aws(role=role) if spec.name == "aws" else Azure(role=role)
    real.check()
    return real
