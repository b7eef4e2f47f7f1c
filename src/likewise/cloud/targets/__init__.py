"""Targets: servers that are started and stopped for the user, endpoints, and the real clouds."""

from __future__ import annotations

import difflib
from pathlib import Path

from likewise.cloud.targets import (
    aws,
    azure,
    azurite,
    dynalite,
    localstack,
    ministack,
    moto,
    s3rver,
    seaweedfs,
    url,
)
from likewise.cloud.targets.packages import Installed, default_cache, install, install_command, locate
from likewise.cloud.targets.running import Running
from likewise.cloud.targets.server import Server, start_server
from likewise.cloud.targets.spec import SERVICES, Spec
from likewise.model import ConfigurationError, Role

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

SPECS: dict[str, Spec] = {
    module.SPEC.name: module.SPEC
    for module in (moto, ministack, seaweedfs, localstack, dynalite, s3rver, azurite, aws, azure)
}


def find(name_or_url: str) -> Spec:
    """The target of this name, or at this URL."""
    if url.is_url(name_or_url):
        return url.parse(name_or_url)
    if name_or_url in SPECS:
        return SPECS[name_or_url]
    close = difflib.get_close_matches(name_or_url.lower(), SPECS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Targets are {', '.join(SPECS)}, or a URL."
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
        return start_server(spec, role=role, cache=cache or default_cache(), services=wanted)
    if spec.endpoints:
        endpoint = url.Endpoint(spec, role=role, services=wanted)
        endpoint.check()
        return endpoint
    real = aws.Aws(role=role) if spec.name == "aws" else azure.Azure(role=role)
    real.check()
    return real
