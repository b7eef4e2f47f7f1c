"""What happens when Likewise is enabled: a session in each process that runs tests, one conclusion."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from likewise.cloud.session import ProcessSession
from likewise.cloud.side import plan
from likewise.model import LikewiseError, Role
from likewise.plugin.attempts import CONCLUSION, Attempts
from likewise.plugin.child import Order, Selection
from likewise.plugin.conclusion import Conclusion
from likewise.plugin.identity import Run
from likewise.plugin.options import WORKER, distributes
from likewise.store import Configuration, load

SESSION = pytest.StashKey[ProcessSession]()
TROUBLE = pytest.StashKey[str]()
NOWHERE = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AZURE_STORAGE_CONNECTION_STRING": "UseDevelopmentStorage=true",
}
"""For a worker without a target: a conftest that calls at import must not reach the user's account."""


def prepare(config: pytest.Config) -> None:
    """Check the configuration and, where this process will run tests, start its session."""
    namespace = config.known_args_namespace
    order = _order(namespace)
    try:
        configuration = settings(config.rootpath, namespace)
        if order is None:
            check(configuration)
        if order is not None or os.environ.get(WORKER) or not distributes(namespace):
            _start(config, configuration, order)
    except LikewiseError as error:
        if order is not None:
            order.report(error)
        if os.environ.get(WORKER) and order is None:
            config.stash[TROUBLE] = str(error)  # there is nobody to show it yet
            os.environ.update(NOWHERE)
        else:
            raise pytest.UsageError(str(error)) from None
    except KeyboardInterrupt:
        if order is not None or os.environ.get(WORKER):
            raise
        # pytest itself is not ready yet to be interrupted.
        sys.stderr.write("likewise: interrupted while the candidate was started. No test ran.\n")
        raise SystemExit(pytest.ExitCode.INTERRUPTED) from None


def settings(root: Path, namespace: argparse.Namespace) -> Configuration:
    """The project's configuration with what the command line says instead."""
    configuration = load(root)
    for key in ("policy", "budget", "candidate", "reference", "ledger"):
        value = getattr(namespace, f"likewise_{key}", None)
        if value is not None:
            sources = {**configuration.sources, key: f"--likewise-{key}"}
            configuration = replace(configuration, **{key: value}, sources=sources)
    if "://" not in configuration.ledger:
        configuration = replace(configuration, ledger=str(Path.cwd() / configuration.ledger))
    return configuration


def check(configuration: Configuration) -> None:
    """Find what is wrong with the targets before any test runs; the reference counts in every run."""
    plan(configuration, Role.CANDIDATE)
    plan(configuration, Role.REFERENCE)


def enable(config: pytest.Config) -> None:
    """Register the hooks that this process needs."""
    order = _order(config.option)
    given: dict[str, Any] | None = getattr(config, "workerinput", {}).get("likewise")
    try:
        if order is not None:
            _record(config, order, run=order.run, path=order.recording)
            config.pluginmanager.register(Selection(order), "likewise-selection")
        elif given is not None:
            _work(config, Run.from_plain(given))
        else:
            _conclude(config)
    except LikewiseError as error:
        if order is not None:
            order.report(error)
        raise pytest.UsageError(str(error)) from None


def _conclude(config: pytest.Config) -> None:
    configuration = settings(config.rootpath, config.option)
    run = Run.begin(
        config.rootpath,
        test_files=config.getini("python_files"),
        tests=[*config.getini("python_functions"), *config.getini("python_classes")],
    )
    run.make_folder()
    config.pluginmanager.register(Conclusion(config, configuration, run), CONCLUSION)
    if distributes(config.option):
        if SESSION in config.stash:
            config.stash[SESSION].stop()
    else:
        _record(config, None, run=run, path=run.folder / "main.jsonl")


def _work(config: pytest.Config, run: Run) -> None:
    worker = os.environ.get(WORKER, "worker")
    if TROUBLE in config.stash:
        config.pluginmanager.register(Stranded(config, config.stash[TROUBLE]), "likewise-stranded")
    else:
        _record(config, None, run=run, path=run.folder / f"{worker}.jsonl")


def _start(config: pytest.Config, configuration: Configuration, order: Order | None) -> None:
    role = Role.CANDIDATE if order is None else order.role
    session = ProcessSession(
        configuration=configuration,
        role=role,
        worker=os.environ.get(WORKER, "main"),
        lent=() if order is None else order.lent,
    )
    config.add_cleanup(session.stop)
    session.start()
    config.stash[SESSION] = session


def _record(config: pytest.Config, order: Order | None, *, run: Run, path: Path) -> None:
    if SESSION not in config.stash:  # loaded too late for the early hook
        _start(config, settings(config.rootpath, config.option), order)
    session = config.stash[SESSION]
    session.record(path, run.provenance())
    logs = config.rootpath / ".likewise" / "logs" / run.id if config.option.likewise_keep else None
    config.pluginmanager.register(Attempts(config, session, logs), "likewise-attempts")


def _order(namespace: argparse.Namespace) -> Order | None:
    path = getattr(namespace, "likewise_child", None)
    return Order.read(Path(path)) if path else None


class Stranded:
    """A worker whose target did not start: it collects nothing, runs nothing and says why."""

    def __init__(self, config: pytest.Config, why: str) -> None:
        config.workeroutput["likewise_stranded"] = why  # type: ignore[attr-defined]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Import no file of the suite: without a target its calls could go anywhere."""
        session.items = []
        session.config.hook.pytest_collection_finish(session=session)
        return True
