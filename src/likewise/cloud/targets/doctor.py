"""What is installed here, what is missing, and the command that installs it."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from likewise.cloud.targets import SPECS, default_cache, install_command, locate
from likewise.cloud.targets.spec import NodePackage

State = Literal["ready", "missing", "not needed"]

LIBRARIES: tuple[tuple[str, str, bool], ...] = (
    ("boto3", "likewise[aws]", True),
    ("aioboto3", "aioboto3", False),
    ("azure-storage-blob", "likewise[azure]", True),
    ("azure-storage-queue", "likewise[azure]", True),
    ("azure-data-tables", "likewise[azure]", True),
    ("azure-identity", "azure-identity", False),
    ("pytest-xdist", "pytest-xdist", False),
    ("psycopg", "likewise[postgres]", False),
)
"""Distribution, what to install, and whether a suite is likely to need it."""

NODE_HINT = "install Node.js 20 or newer from your system's packages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked for; `hint` is the exact command to get it where it is absent."""

    name: str
    state: State
    version: str = ""
    hint: str = ""


def examine(cache: Path | None = None, *, wanted: frozenset[str] | None = None) -> list[Finding]:
    """Look for Python, the SDKs, the servers, Node and the PostgreSQL driver.

    With `wanted`, names of libraries and targets that the configuration uses, whatever else is absent
    is not needed; without, only what few suites use is.
    """
    servers = _servers(cache or default_cache(), wanted)
    asks_for_node = any(each.state == "missing" and _runs_on_node(each.name) for each in servers)
    return [
        Finding(name="python", state="ready", version=platform.python_version()),
        *(_library(name, source, usual, wanted) for name, source, usual in LIBRARIES),
        *servers,
        *(_program(name, is_needed=asks_for_node) for name in ("node", "npm")),
    ]


def _library(name: str, source: str, usual: bool, wanted: frozenset[str] | None) -> Finding:
    try:
        return Finding(name=name, state="ready", version=importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        is_needed = usual if wanted is None else name in wanted
        return Finding(name=name, state=_absent(is_needed), hint=f"pip install '{source}'")


def _servers(cache: Path, wanted: frozenset[str] | None) -> list[Finding]:
    findings = []
    for spec in SPECS.values():
        if spec.recipe is None:
            continue
        found = locate(spec, cache=cache)
        if found is not None:
            findings.append(Finding(name=spec.name, state="ready", version=found.version))
        else:
            state = _absent(wanted is None or spec.name in wanted)
            findings.append(
                Finding(name=spec.name, state=state, version=spec.version, hint=install_command(spec))
            )
    return findings


def _runs_on_node(name: str) -> bool:
    spec = SPECS[name]
    return spec.recipe is not None and isinstance(spec.recipe.package, NodePackage)


def _program(name: str, *, is_needed: bool) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name=name, state=_absent(is_needed), hint=NODE_HINT)
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            timeout=20,
            stdin=subprocess.DEVNULL,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(name=name, state="missing", hint=f"{path} does not run ({error}); {NODE_HINT}")
    return Finding(name=name, state="ready", version=done.stdout.strip().removeprefix("v"))


def _absent(is_needed: bool) -> State:
    return "missing" if is_needed else "not needed"
