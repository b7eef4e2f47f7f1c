"""The client's own tests, run in an environment with the recorder switched on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from likewise.library.comparison.groups import is_test
from likewise.library.environments import Environment
from likewise.model import LikewiseError, Recording
from likewise.store import RecordingAbsent, read

NO_TESTS, USAGE, INTERNAL, INTERRUPTED = 5, 4, 3, 2
NEEDED = ("msgspec",)
"""What the recorder imports besides the standard library."""
STEADY = {"PYTHONHASHSEED": "0", "TZ": "UTC"}
"""What would make two runs on one version differ."""
_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_FIXTURE = re.compile(r"fixture '(\w+)' not found")
_UNCOLLECTED = re.compile(r"^ERROR ([^\s:]+\.py)(?: - (.*))?$", re.MULTILINE)
_PLUGIN = re.compile(r"PluginValidationError: Plugin '([^']+)' for hook")
_OPTION = re.compile(r"unrecognized arguments: (.*)")


class SuiteUnusable(LikewiseError):
    """The client's tests cannot be run as they were asked for."""

    slug = "suite-unusable"


class RecorderUnusable(LikewiseError):
    """The recorder cannot be loaded into an environment."""

    slug = "recorder-unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A command that runs the client's tests with pytest, in the client's folder."""

    arguments: tuple[str, ...]
    """What stands behind `pytest`."""
    root: Path

    def command(self, python: Path, *more: str) -> list[str]:
        """The command for one environment."""
        return [str(python), "-m", "pytest", *more, *self.arguments]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that came to its end."""

    code: int
    output: str
    is_late: bool = False
    """Whether it was stopped at its time limit."""


def parse_suite(command: Sequence[str], root: Path) -> Suite:
    """The suite behind a command such as `pytest tests` or `python -m pytest -q`."""
    words = list(command)
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        name, _, value = words.pop(0).partition("=")
        os.environ[name] = value
    if (
        len(words) >= 3
        and re.fullmatch(r"python[\d.]*", Path(words[0]).name)
        and words[1:3] == ["-m", "pytest"]
    ):
        return Suite(arguments=tuple(words[3:]), root=root)
    if words and Path(words[0]).name in ("pytest", "py.test"):
        return Suite(arguments=tuple(words[1:]), root=root)
    raise SuiteUnusable(
        f"not a pytest command: {shlex.join(command) or '(nothing)'}",
        todo="Write it as you would without Likewise: -- pytest tests",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs one suite in one environment, as the same client each time."""

    suite: Suite
    environment: Environment
    bridge: Path
    """Where the recorder is made visible to environments that do not have it."""
    extra: Mapping[str, str] = field(default_factory=dict)

    def record(
        self,
        libraries: Sequence[str],
        into: Path,
        *,
        plugins: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        limit: float | None = None,
    ) -> Finished:
        """Run the suite once and write what crossed to a file."""
        into.parent.mkdir(parents=True, exist_ok=True)
        into.unlink(missing_ok=True)
        watched = [f"--likewise-library={name}" for name in libraries]
        named = [*self._plugin(), *(part for each in plugins for part in ("-p", each))]
        command = [*named, *watched, f"--likewise-library-out={into}", *options]
        return self.run(command, variables=variables, limit=limit)

    def run(
        self,
        options: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        limit: float | None = None,
    ) -> Finished:
        """Run the suite once with further options."""
        command = self.suite.command(self.environment.python, *self._steady(), *options)
        process = subprocess.Popen(
            command,
            cwd=self.suite.root,
            env=self._variables(variables or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            _stop(process)
            return Finished(code=-1, output=process.communicate()[0], is_late=True)
        except BaseException:
            _stop(process)
            raise
        return Finished(code=process.returncode, output=output)

    def _plugin(self) -> list[str]:
        """Where the environment has Likewise, pytest finds the plugin by itself."""
        has_it = self.environment.inventory.find("likewise") is not None
        return [] if has_it else ["-p", "likewise.plugin"]

    def _steady(self) -> list[str]:
        """Plugins that shuffle tests would make every run another one."""
        installed = self.environment.inventory.distributions
        shuffling = {"pytest-randomly": "randomly", "pytest-random-order": "random_order"}
        return [
            part for name, plugin in shuffling.items() if name in installed for part in ("-p", f"no:{plugin}")
        ]

    def _variables(self, more: Mapping[str, str]) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHONHOME"))}
        for name in ("VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"):
            kept.pop(name, None)
        # Even where metadata name Likewise, it may not be there to import: an editable install, say.
        paths = [str(build_bridge(self.bridge, self.environment))]
        paths += filter(None, [os.environ.get("PYTHONPATH")])
        programs = str(self.environment.python.parent)
        return {
            **kept,
            **STEADY,
            "PYTHONPYCACHEPREFIX": str(self.bridge / "bytecode"),  # nothing is left in the client's folder
            "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")]),
            "PYTHONPATH": os.pathsep.join(paths),
            **self.extra,
            **more,
        }


def build_bridge(cache: Path, environment: Environment) -> Path:
    """A folder through which an environment sees this Likewise, and only what it lacks besides."""
    release = environment.inventory.release[:2]
    named = f"{environment.python}\0{Path(__file__)}".encode()
    folder = cache / "bridge" / hashlib.blake2b(named, digest_size=8).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    _show(folder, "likewise", Path(__file__).parent.parent)
    for name in NEEDED:
        if environment.inventory.find(name) is not None:
            continue
        if release != sys.version_info[:2]:
            raise RecorderUnusable(
                f"the recorder needs {name} in the environment",
                where=str(environment.python),
                why=f"it is a Python {'.'.join(map(str, release))}, this one is "
                f"{sys.version_info[0]}.{sys.version_info[1]}, and {name} is compiled for one of them",
                todo=f"Install likewise, or {name}, there.",
            )
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        _show(folder, name, Path(found.origin).parent)
    return folder


def _show(folder: Path, name: str, target: Path) -> None:
    link = folder / name
    if link.is_symlink() and link.readlink() == target:
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target, target_is_directory=True)


def read_run(path: Path, finished: Finished, *, where: str) -> Recording:
    """The recording of a run; a run that has none is explained by what it said."""
    if finished.code in (NO_TESTS, USAGE, INTERNAL) or finished.code < 0:
        raise explain(finished, where=where)
    try:
        recording = read(path)
    except RecordingAbsent:
        raise explain(finished, where=where) from None
    if not any(is_test(trace.test) for trace in recording.traces):
        raise explain(finished, where=where)  # such as an error while tests are collected
    return recording


def explain(finished: Finished, *, where: str) -> SuiteUnusable:
    """Why a suite did not run, in one sentence, with its own last words."""
    said = finished.output
    last = "\n".join(said.strip().splitlines()[-12:])
    if finished.is_late:
        return SuiteUnusable("the suite did not end in time", where=where, why=last)
    if found := _MODULE.search(said):
        return SuiteUnusable(
            f"the suite needs {found[1]!r}, which the environment lacks",
            where=where,
            why="a requirement is not stated, or belongs to an extra that was not installed",
            todo="Name the extra with --extra, or a requirements file with -r.",
        )
    if found := _FIXTURE.search(said):
        return SuiteUnusable(
            f"the suite needs a pytest plugin that gives the fixture {found[1]!r}",
            where=where,
            todo="Name the extra with --extra, or a requirements file with -r.",
        )
    if found := _PLUGIN.search(said):
        return SuiteUnusable(
            f"the pytest plugin {found[1]!r} does not fit the pytest that was installed",
            where=where,
            why=last,
            todo=f"Leave it out: -- pytest -p no:{found[1]} …, or name an older pytest in a file: -r FILE.",
        )
    if found := _OPTION.search(said):
        return SuiteUnusable(
            f"the suite's options need a pytest plugin: {found[1]}",
            where=where,
            todo="Name the extra with --extra, or a requirements file with -r.",
        )
    if finished.code == NO_TESTS:
        return SuiteUnusable("the command ran no test", where=where, why=last)
    return SuiteUnusable(f"the suite did not run (exit code {finished.code})", where=where, why=last)


def missing_modules(finished: Finished) -> tuple[str, ...]:
    """Modules that the suite asked for in vain."""
    return tuple(dict.fromkeys(_MODULE.findall(finished.output)))


def uncollected(finished: Finished) -> dict[str, str]:
    """Test files that could not be imported, and why as far as a line says it."""
    return {found[1]: found[2] or "" for found in _UNCOLLECTED.finditer(finished.output)}


def _stop(process: subprocess.Popen[str]) -> None:
    """End a run with everything it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
