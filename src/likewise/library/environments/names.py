"""From a distribution's name to the names it is imported by, as its own metadata say."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from likewise.library import modules
from likewise.library.environments.recipe import normal
from likewise.model import LikewiseError

_ASK = (
    Path(modules.__file__).read_text()
    + """
import json, sys
seen = {}
for each in importlib.metadata.distributions():
    name = each.metadata["Name"]
    if name and name not in seen:
        seen[name] = {"version": each.version, "modules": brought_by(each)}
found = {"prefix": sys.prefix, "python": list(sys.version_info[:3]), "distributions": seen}
print("LIKEWISE" + json.dumps(found))
"""
)


class PackageAbsent(LikewiseError):
    """The package is not there, or brings nothing to import."""

    slug = "package-absent"


class InterpreterUnusable(LikewiseError):
    """An interpreter cannot be started."""

    slug = "interpreter-unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """An installed distribution."""

    name: str
    version: str
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What an interpreter has installed."""

    python: Path
    prefix: str
    release: tuple[int, ...]
    distributions: dict[str, Distribution]
    """By the normal spelling of their names."""

    def find(self, package: str) -> Distribution | None:
        """A distribution by its name, or by a module that it brings."""
        found = self.distributions.get(normal(package))
        if found is not None:
            return found
        owners = [
            each
            for each in self.distributions.values()
            if any(_is_below(package, name) for name in each.modules)
        ]
        return owners[0] if len(owners) == 1 else None

    def require(self, package: str) -> Distribution:
        """A distribution that must be there and bring something to import."""
        found = self.find(package)
        if found is None:
            raise PackageAbsent(
                f"{package} is not installed",
                where=str(self.python),
                todo="Name the distribution as its installer knows it, or install it there.",
            )
        if not found.modules:
            raise PackageAbsent(
                f"{found.name} {found.version} brings no module to import",
                where=str(self.python),
                todo="Name the package whose modules the client imports.",
            )
        return found

    @property
    def versions(self) -> dict[str, str]:
        """Each distribution's version."""
        return {name: each.version for name, each in sorted(self.distributions.items())}


def take_inventory(python: Path) -> Inventory:
    """Ask an interpreter what it has installed."""
    try:
        done = subprocess.run(
            [str(python), "-c", _ASK], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise InterpreterUnusable(
            "the interpreter cannot be started", where=str(python), why=error.strerror or str(error)
        ) from error
    _, mark, answer = done.stdout.rpartition("LIKEWISE")
    if done.returncode or not mark:
        raise InterpreterUnusable(
            "the interpreter does not say what it has installed",
            where=str(python),
            why=done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}",
        )
    raw = json.loads(answer)
    return Inventory(
        python=python,
        prefix=raw["prefix"],
        release=tuple(raw["python"]),
        distributions={
            normal(name): Distribution(name=name, version=each["version"], modules=tuple(each["modules"]))
            for name, each in raw["distributions"].items()
        },
    )


def _is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
