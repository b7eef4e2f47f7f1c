"""Recording in one process: from the library's name to a file."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from likewise.canonical.redact import Secrets, redact
from likewise.library import crossing, native, noting
from likewise.library.hub import Hub
from likewise.library.intercepting import helpers
from likewise.library.loading import Asserts, Client, Finder
from likewise.library.modules import brought_by
from likewise.library.naming import Naming
from likewise.library.targets import Targets
from likewise.model import ConfigurationError, LikewiseError, Provenance, Result, Role, Target, Trace
from likewise.store import RecordingWriter, iterate

_SECRET = re.compile(r"(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|ACCESS_?KEY)", re.IGNORECASE)


class LibrarySession:
    """Rewrites the client's imports and writes what crosses; one for each process that runs tests."""

    def __init__(self, *, libraries: Sequence[str], folders: Sequence[Path], asserts: Asserts) -> None:
        self.libraries = tuple(dict.fromkeys(name for each in libraries for name in import_names(each)))
        naming = Naming(self.libraries)
        self._secrets = secrets_of(os.environ.items())
        self._waiting: list[Trace] = []
        self._has_frozen = False
        self._writer: RecordingWriter | None = None
        self._native = native.load()
        self._recorder = noting.recorder_of(self._native)(on_trace=self._write)
        self._hub = Hub(self._recorder, Targets(naming))
        self._finder = Finder(Client(folders, naming), self._hub, asserts)

    def start(self) -> None:
        """Rewrite what is imported from now on.

        The collector does not look at what is there before the client comes: that stays, and to go
        through it as often as recording makes objects would cost more than recording them.
        """
        self._finder.install(helpers(self._hub, self._native))
        if gc.isenabled() and not gc.get_freeze_count():
            gc.freeze()
            self._has_frozen = True

    def record(self, path: Path, provenance: Provenance) -> None:
        """Write to this file, what was recorded before included."""
        self._writer = RecordingWriter(path, provenance)
        for trace in self._waiting:
            self._write(trace)
        self._waiting.clear()

    def begin(self, test: str, *, attempt: int) -> None:
        """A test begins."""
        self._recorder.open(test, attempt=attempt)

    def end(self, *, result: Result, failure: str) -> None:
        """The test that began last is over."""
        self._recorder.close(result=result, failure=failure)

    def finish(self) -> tuple[str, ...]:
        """Close the file; what could not be recorded, counted and named."""
        self._finder.remove()
        missed = self._missed()
        if self._writer is not None:
            if missed:
                self._write(
                    Trace(test=crossing.RECORDER, role=Role.REFERENCE, interactions=(), unclear=missed)
                )
            try:
                self._writer.close()
            except LikewiseError as error:
                self._recorder.miss(f"the end of the recording: {error}")
            self._writer = None
        return self._missed()

    def _missed(self) -> tuple[str, ...]:
        return tuple(f"{what} ({count} times)" for what, count in sorted(self._recorder.missed.items()))

    def thaw(self) -> None:
        """Give the collector back what it did not look at; best when everything else is over."""
        if self._has_frozen:
            gc.unfreeze()
            self._has_frozen = False

    def _write(self, trace: Trace) -> None:
        if self._writer is None:
            self._waiting.append(trace)
        elif trace.interactions or not trace.test.startswith((crossing.IMPORT, crossing.FIXTURE)):
            try:
                self._writer.add(redact(trace, secrets=self._secrets))
            except Exception as error:  # the suite goes on; what is missing is counted and named
                self._recorder.miss(f"a whole trace: {type(error).__name__}: {error}")


def import_names(name: str) -> tuple[str, ...]:
    """The import names of a distribution or module: `python-dateutil` is imported as `dateutil`."""
    is_module = all(part.isidentifier() for part in name.split("."))
    if is_module and _is_there(name):
        return (name,)  # what follows reads the metadata of everything that is installed
    plain = _normal(name)
    found = [
        module
        for each in importlib.metadata.distributions()
        if _normal(each.metadata["Name"] or "") == plain
        for module in brought_by(each)
    ]
    if is_module and (not found or name in found):
        return (name,)  # the client may put its folder on the path only later
    if found:
        return tuple(sorted(set(found)))
    raise ConfigurationError(
        f"there is no library called {name!r} here",
        why="neither a distribution nor a module of that name is installed",
        todo="Install it into this environment, or check the name.",
    )


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def version_of(module: str) -> str:
    """The version of the distribution that an import name comes from."""
    for name in (module, module.partition(".")[0]):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    owners = importlib.metadata.packages_distributions().get(module.partition(".")[0], ())
    for owner in sorted(owners, key=lambda each: not _brings(each, module)):
        return importlib.metadata.version(owner)
    return ""


def _brings(distribution: str, module: str) -> bool:
    names = brought_by(importlib.metadata.distribution(distribution))
    return any(module == name or module.startswith(f"{name}.") for name in names)


def targets_of(libraries: Iterable[str]) -> tuple[Target, ...]:
    """The libraries as what stands behind the boundary."""
    return tuple(Target(name=each, role=Role.REFERENCE, version=version_of(each)) for each in libraries)


def secrets_of(environment: Iterable[tuple[str, str]]) -> Secrets:
    """What this environment holds that must not be written anywhere."""
    return Secrets(
        values=frozenset(value for name, value in environment if _SECRET.search(name) and len(value) >= 8)
    )


def join(parts: Sequence[Path], into: Path, provenance: Provenance) -> None:
    """The recordings that several processes made of one run, as one; imports and shared fixtures once."""
    with RecordingWriter(into, provenance) as writer:
        for trace in _once(parts):
            writer.add(redact(trace, secrets=Secrets()))


def _once(parts: Sequence[Path]) -> Iterator[Trace]:
    seen: set[str] = set()
    for part in parts:
        for trace in iterate(part):
            if trace.test.startswith((crossing.IMPORT, crossing.FIXTURE)):
                if trace.test in seen:
                    continue
                seen.add(trace.test)
            yield trace


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
