"""pip and uv, and what their failures mean."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from likewise.model import LikewiseError

_CONFLICT = re.compile(
    r"ResolutionImpossible|conflicting dependencies|No solution found|are incompatible|unsatisfiable", re.I
)
_ABSENT = re.compile(
    r"No matching distribution found for (\S+)|Could not find a version that satisfies the requirement (\S+)"
    r"|there is no version of (\S+)|Because (\S+) was not found",
    re.I,
)
_OFFLINE = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Failed to establish a new connection"
    r"|Network is unreachable|dns error|Connection refused|network connectivity is disabled",
    re.I,
)
_BUILD = re.compile(
    r"error: subprocess-exited-with-error|Failed to build|metadata-generation-failed|Failed building", re.I
)


class InstallFailed(LikewiseError):
    """An environment could not be built."""

    slug = "install-failed"


class ResolutionImpossible(InstallFailed):
    """Two requirements cannot both be met."""

    slug = "resolution-impossible"


class VersionAbsent(InstallFailed):
    """No such version can be found where the installer looks."""

    slug = "version-absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where distributions come from: the installer's own settings, or wheel directories alone."""

    wheels: tuple[Path, ...] = ()

    def options(self) -> list[str]:
        """What pip and uv both understand."""
        if not self.wheels:
            return []
        return ["--no-index", *(part for each in self.wheels for part in ("--find-links", str(each)))]


class Installer(Protocol):
    """Something that makes environments and installs into them."""

    name: str

    def create(self, home: Path, *, python: Path, log: Path) -> None:
        """Make an empty environment."""

    def install(self, python: Path, wanted: Iterable[str], *, source: Source, log: Path) -> None:
        """Install requirements, or raise InstallFailed."""

    def conflicts(self, python: Path) -> tuple[str, ...]:
        """What in an environment does not fit together, a sentence each."""


class Pip:
    """The installer that every Python has."""

    name = "pip"

    def create(self, home: Path, *, python: Path, log: Path) -> None:
        """A venv with pip in it."""
        _run([str(python), "-m", "venv", str(home)], log=log, what="an environment")

    def install(self, python: Path, wanted: Iterable[str], *, source: Source, log: Path) -> None:
        """`pip install`."""
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        _run([*pip, *source.options(), *wanted], log=log, what="the requirements")

    def conflicts(self, python: Path) -> tuple[str, ...]:
        """`pip check`."""
        return _lines([str(python), "-m", "pip", "check"])


class Uv:
    """The quick one."""

    name = "uv"

    def __init__(self, program: str) -> None:
        self._program = program

    def create(self, home: Path, *, python: Path, log: Path) -> None:
        """A venv; without pip, as nothing needs it."""
        _run([self._program, "venv", "--python", str(python), str(home)], log=log, what="an environment")

    def install(self, python: Path, wanted: Iterable[str], *, source: Source, log: Path) -> None:
        """`uv pip install`."""
        uv = [self._program, "pip", "install", "--python", str(python), *source.options(), *wanted]
        _run(uv, log=log, what="the requirements")

    def conflicts(self, python: Path) -> tuple[str, ...]:
        """`uv pip check`."""
        return _lines([self._program, "pip", "check", "--python", str(python)])


def choose(name: str | None) -> Installer:
    """The installer of this name; without one pip, whose settings every project already has."""
    if name in (None, "pip"):
        return Pip()
    program = shutil.which("uv")
    if program is None:
        raise InstallFailed("there is no uv on the PATH", todo="Install it, or use --installer pip.")
    return Uv(program)


def _lines(command: list[str]) -> tuple[str, ...]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    text = done.stdout + done.stderr
    return tuple(
        line.strip() for line in text.splitlines() if " requires " in line or " has requirement " in line
    )


def _run(command: list[str], *, log: Path, what: str) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        output.write(f"$ {shlex.join(command)}\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    with log.open("a", encoding="utf-8") as output:
        output.write(said)
    if done.returncode:
        raise explain(said, what=what, where=str(log))


def explain(said: str, *, what: str, where: str) -> InstallFailed:
    """What an installer's failure means, in one sentence, with its own last words."""
    last = " / ".join(
        line.strip() for line in said.strip().splitlines() if re.search(r"error|×|╰|Because|requires", line)
    )[-600:]
    why = last or said.strip()[-400:] or "it said nothing"
    if _OFFLINE.search(said):
        return InstallFailed(
            f"{what} cannot be installed: no index can be reached",
            where=where,
            why=why,
            todo="Check the network, or give a directory of wheels: --wheels DIR.",
        )
    if _CONFLICT.search(said):
        return ResolutionImpossible(
            "the requirements contradict each other",
            where=where,
            why=_conflict(said) or why,
            todo="Loosen one of them, or give others: -r FILE.",
        )
    if found := _ABSENT.search(said):
        name = next(group for group in found.groups() if group)
        return VersionAbsent(
            f"there is nothing to install for {name}",
            where=where,
            why=_available(said) or why,
            todo="Check the name and the version; with --wheels, the directory must hold all that is needed.",
        )
    if _BUILD.search(said):
        return InstallFailed(
            f"{what} cannot be built",
            where=where,
            why=why,
            todo="The whole log is in that file. A wheel, or a compiler and headers, may be missing.",
        )
    return InstallFailed(
        f"{what} cannot be installed", where=where, why=why, todo="The whole log is in that file."
    )


def _conflict(said: str) -> str:
    told = [
        line.strip() for line in said.splitlines() if re.search(r" depends on | requested | requires ", line)
    ]
    return "; ".join(dict.fromkeys(told))[:600]


def _available(said: str) -> str:
    found = re.search(r"\(from versions: ([^)]*)\)", said)
    if found is None:
        return ""
    versions = found[1].split(", ")
    return "there is none at all" if found[1] == "none" else "there are " + ", ".join(versions[-12:])
