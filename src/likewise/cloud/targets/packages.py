"""Where servers are installed, and the installing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shlex
import shutil
import site
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from likewise.cloud.targets.spec import NodePackage, PythonPackage, Spec
from likewise.model import TargetUnavailable

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A package that is there: how to run it, and which version it is."""

    program: tuple[str, ...]
    version: str
    environment: dict[str, str] = field(default_factory=dict)


def default_cache() -> Path:
    """Where servers and their logs live: $LIKEWISE_CACHE, or ~/.cache/likewise."""
    chosen = os.environ.get("LIKEWISE_CACHE")
    return Path(chosen) if chosen else Path.home() / ".cache" / "likewise"


def home_of(spec: Spec, *, cache: Path) -> Path:
    """The directory in which this version of a server is installed, or would be."""
    return cache / "servers" / f"{spec.name}-{spec.version}"


def install_command(spec: Spec) -> str:
    """The exact command that installs a server."""
    return f"{shlex.quote(sys.executable)} -m likewise.cloud.targets install {spec.name}"


def locate(spec: Spec, cache: Path) -> Installed | None:
    """Find a server: in the running interpreter if it may live there, else in the cache; None if absent."""
    match spec.recipe and spec.recipe.package:
        case PythonPackage() as package:
            return _in_interpreter(package) or _in_environment(package, spec=spec, cache=cache)
        case NodePackage() as package:
            return _in_prefix(package, spec=spec, cache=cache)
        case _:
            return None


def require(spec: Spec, *, cache: Path) -> Installed:
    """Find a server, or say how to install it."""
    found = locate(spec, cache=cache)
    if found is not None:
        return found
    assert spec.recipe is not None
    if isinstance(spec.recipe.package, NodePackage) and shutil.which("node") is None:
        raise TargetUnavailable(
            f"{spec.name} cannot run",
            why="it needs node and npm, and there is no node on the PATH",
            todo=f"Install Node.js 20 or newer, then: {install_command(spec)}",
        )
    raise TargetUnavailable(f"{spec.name} is not installed", todo=f"Install it with: {install_command(spec)}")


def install(spec: Spec, *, cache: Path, say: Say = lambda line: None) -> Installed:
    """Install a server under the cache unless it is there; two at once wait for each other."""
    if spec.recipe is None:
        raise TargetUnavailable(
            f"{spec.name} is nothing that can be installed", todo="It needs no installation."
        )
    with _alone(cache / "servers" / f"{spec.name}.lock"):
        found = locate(spec, cache=cache)
        if found is not None:
            say(f"{spec.name} {found.version} is installed")
            return found
        home = home_of(spec, cache=cache)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        say(f"installing {spec.name} {spec.version} into {home}")
        match spec.recipe.package:
            case PythonPackage() as package:
                _install_python(package, home=home, say=say)
            case NodePackage() as package:
                _install_node(package, version=spec.version, home=home, say=say)
        (home / "complete").write_text(_stamp(spec))
    done = require(spec, cache=cache)
    say(f"{spec.name} {done.version} is installed")
    return done


def _stamp(spec: Spec) -> str:
    """What an installation consists of; one that was made from something else does not count."""
    assert spec.recipe is not None
    match spec.recipe.package:
        case PythonPackage() as package:
            return "\n".join((*package.requirements, *package.hashes))
        case NodePackage() as package:
            return f"{package.distribution}@{spec.version}"


def _is_complete(home: Path, *, spec: Spec) -> bool:
    try:
        return (home / "complete").read_text() == _stamp(spec)
    except FileNotFoundError:
        return False


def _in_interpreter(package: PythonPackage) -> Installed | None:
    if not package.extra or importlib.util.find_spec(package.module.partition(".")[0]) is None:
        return None
    try:
        version = importlib.metadata.version(package.distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    for needed in package.needs:
        if importlib.util.find_spec(needed) is None:
            return None
    # The server must see the packages that this interpreter sees, though its home is another.
    seen = {"PYTHONUSERBASE": site.getuserbase()}
    if "PYTHONPATH" in os.environ:
        seen["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return Installed(program=(sys.executable, "-m", package.module), version=version, environment=seen)


def _in_environment(package: PythonPackage, *, spec: Spec, cache: Path) -> Installed | None:
    home = home_of(spec, cache=cache)
    if not _is_complete(home, spec=spec):
        return None
    scripts = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
    program = (
        (str(scripts / package.program),)
        if package.program
        else (str(scripts / "python"), "-m", package.module)
    )
    return Installed(program=program, version=spec.version) if Path(program[0]).exists() else None


def _in_prefix(package: NodePackage, *, spec: Spec, cache: Path) -> Installed | None:
    home = home_of(spec, cache=cache)
    node = shutil.which("node")
    root = home / "node_modules" / package.distribution
    if node is None or not _is_complete(home, spec=spec) or not (root / package.entry).exists():
        return None
    version = str(json.loads((root / "package.json").read_text())["version"])
    return Installed(program=(node, str(root / package.entry)), version=version)


def _install_python(package: PythonPackage, *, home: Path, say: Say) -> None:
    _run([sys.executable, "-m", "venv", str(home / "venv")], log=home / "install.log", say=say)
    python = home / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = home / "requirements.txt"
    hashes = "".join(f" \\\n    --hash=sha256:{each}" for each in package.hashes)
    wanted.write_text("\n".join(package.requirements) + hashes + "\n")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(wanted)]
    _run(pip, log=home / "install.log", say=say)


def _install_node(package: NodePackage, *, version: str, home: Path, say: Say) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise TargetUnavailable(
            f"{package.distribution} cannot be installed",
            why="there is no npm on the PATH",
            todo="Install Node.js 20 or newer, which brings npm, and try again.",
        )
    # Install scripts of strangers are not run: no server here needs them.
    flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    command = [npm, "install", "--prefix", str(home), *flags, f"{package.distribution}@{version}"]
    _run(command, log=home / "install.log", say=say)


def _run(command: list[str], *, log: Path, say: Say) -> None:
    say("running: " + shlex.join(command))
    with log.open("ab") as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        raise TargetUnavailable(
            f"installing failed with exit code {done.returncode}: {shlex.join(command)}",
            why=tail or "it said nothing",
            todo=f"The whole log is {log}.",
        )


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock between processes."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as handle:
        try:
            import fcntl
        except ImportError:  # a system without it: two installations at once are the user's to avoid
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
