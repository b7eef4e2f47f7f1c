"""`--likewise-library`: record what crosses between the client under test and a library."""

from __future__ import annotations

import ast
import os
import random
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from likewise.library.crossing import FIXTURE
from likewise.library.session import LibrarySession, join, targets_of
from likewise.model import LikewiseError, Provenance, Result
from likewise.plugin.attempts import crash_line, name_of
from likewise.plugin.code import identify
from likewise.plugin.options import WORKER, distributes

SESSION = pytest.StashKey[LibrarySession]()
MISSED = pytest.StashKey[tuple[str, ...]]()
"""What this process could not record, counted and named."""
SEED = 20_011


def prepare(config: pytest.Config) -> None:
    """Rewrite the client's modules from the first one on, where this process runs tests."""
    namespace = config.known_args_namespace
    if distributes(namespace) and not os.environ.get(WORKER):
        return
    try:
        session = LibrarySession(
            libraries=namespace.likewise_library,
            folders=[config.rootpath, config.invocation_params.dir],
            asserts=Asserts(),
        )
    except LikewiseError as error:
        raise pytest.UsageError(str(error)) from None
    session.start()
    config.add_cleanup(session.thaw)
    config.stash[SESSION] = session


def enable(config: pytest.Config) -> None:
    """Register what this process has to do."""
    given: dict[str, Any] | None = getattr(config, "workerinput", {}).get("likewise_library")
    if given is None:
        config.pluginmanager.register(Collector(config), "likewise-library-collector")
    elif SESSION in config.stash:
        path = Path(given["folder"]) / f"{os.environ.get(WORKER, 'worker')}.recording"
        provenance = Provenance(run=given["run"], started=given["started"], code=given["code"])
        register(config, path, provenance)


def register(config: pytest.Config, path: Path, provenance: Provenance) -> None:
    """Record the tests of this process to a file."""
    session = config.stash[SESSION]
    try:
        session.record(path, provenance)
    except LikewiseError as error:
        raise pytest.UsageError(str(error)) from None
    config.pluginmanager.register(Watch(config, session), "likewise-library-watch")


class Collector:
    """In the process that the user started: names the file, joins what workers wrote, says where it is."""

    def __init__(self, config: pytest.Config) -> None:
        now = time.time()
        self._config = config
        self._missed: list[str] = []
        libraries = config.option.likewise_library
        given = config.option.likewise_library_out
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
        name = f"{'+'.join(libraries)}-{stamp}-{os.urandom(3).hex()}"
        folder = config.rootpath / ".likewise" / "library"
        self.path = config.invocation_params.dir / given if given else folder / f"{name}.recording"
        if self.path.exists():
            raise pytest.UsageError(f"--likewise-library-out: there is a file already: {self.path}")
        known = config.stash[SESSION].libraries if SESSION in config.stash else libraries
        self._provenance = Provenance(
            run=name,
            started=now,
            code=identify(config.rootpath, (), ()).whole,
            targets=targets_of(known),
        )
        self._folder = self.path.with_name(self.path.name + ".parts")
        if SESSION in config.stash and not distributes(config.option):
            register(config, self.path, self._provenance)
        else:
            self._folder.mkdir(parents=True, exist_ok=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which run it is part of."""
        node.workerinput["likewise_library"] = {
            "folder": str(self._folder),
            "run": self._provenance.run,
            "started": self._provenance.started,
            "code": self._provenance.code,
        }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hear what a worker could not record."""
        self._missed += (getattr(node, "workeroutput", None) or {}).get("likewise_library_missed", ())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Join what the workers wrote."""
        result = yield
        if self._folder.is_dir():
            parts = sorted(self._folder.glob("*.recording"))
            join(parts, self.path, self._provenance)
            for part in parts:
                part.unlink()
            self._folder.rmdir()
        return result

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the recording is, and what it lacks."""
        terminalreporter.write_sep("-", "likewise: library recording")
        terminalreporter.write_line(f"{self.path}")
        for each in sorted({*self._missed, *self._config.stash.get(MISSED, ())}):
            terminalreporter.write_line(f"not recorded: {each}")


class Watch:
    """Tells the session about every attempt at a test in this process."""

    def __init__(self, config: pytest.Config, session: LibrarySession) -> None:
        self._config, self._session = config, session
        self._counts: dict[str, int] = {}
        self._open = ""
        self._result, self._failure = Result.PASSED, ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Begin before the first fixture is set up, from the same randomness in every run."""
        if self._open:
            self._end()
        test = name_of(item)
        attempt = self._counts[test] = self._counts.get(test, -1) + 1
        self._open, self._result, self._failure = item.nodeid, Result.PASSED, ""
        _reseed()
        self._session.begin(test, attempt=attempt)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """What a fixture does that several tests share is nobody's: which test comes first may vary."""
        if fixturedef.scope == "function" or not self._open:
            return (yield)
        place = f"{fixturedef.baseid}::{fixturedef.argname}" if fixturedef.baseid else fixturedef.argname
        index = getattr(request, "param_index", 0)
        name = f"{FIXTURE}{place}[{index}]" if index else f"{FIXTURE}{place}"
        session = self._session
        # Finalizers run last in, first out: these two come around those of the fixture itself.
        fixturedef.addfinalizer(lambda: session.end(result=Result.PASSED, failure=""))
        session.begin(name, attempt=0)
        try:
            return (yield)
        finally:
            session.end(result=Result.PASSED, failure="")
            fixturedef.addfinalizer(lambda: session.begin(f"{name} (ends)", attempt=0))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Note each phase's result; the attempt ends with its tear-down."""
        report: pytest.TestReport = yield
        if self._open == report.nodeid:
            if report.failed:
                if self._result is not Result.FAILED:
                    self._failure = crash_line(report, self._config.rootpath)
                self._result = Result.FAILED
            elif report.skipped and not hasattr(report, "wasxfail") and self._result is Result.PASSED:
                self._result = Result.SKIPPED
            if call.when == "teardown":
                self._end()
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Close the recording when the last fixture is gone."""
        try:
            return (yield)
        finally:
            if self._open:
                self._result = Result.UNFINISHED
                self._end()
            told: dict[str, Any] = getattr(self._config, "workeroutput", {})
            told["likewise_library_missed"] = self._config.stash[MISSED] = self._session.finish()

    def _end(self) -> None:
        self._open = ""
        self._session.end(result=self._result, failure=self._failure)


def _reseed() -> None:
    random.seed(SEED)
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(SEED)


class Asserts:
    """What pytest would have done to a module that its own hook found."""

    def tag(self, loader: object) -> str:
        """What pytest's rewriting depends on; nothing where it would have left the module alone."""
        if not hasattr(loader, "_rewritten_names"):
            return ""
        return f"pytest {pytest.__version__} {_config(loader).getini('enable_assertion_pass_hook')}"

    def rewrite(self, tree: ast.Module, source: bytes, path: str, loader: object) -> None:
        """Rewrite the asserts in place."""
        if hasattr(loader, "_rewritten_names"):
            from _pytest.assertion.rewrite import rewrite_asserts

            rewrite_asserts(tree, source, path, _config(loader))


def _config(loader: object) -> pytest.Config:
    config = getattr(loader, "config", None)
    assert isinstance(config, pytest.Config)
    return config
