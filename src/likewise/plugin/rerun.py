"""Runs whole tests again, in a process of their own, against one side."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from likewise.cloud.session import read_recording
from likewise.cloud.side import Side
from likewise.model import Notice, Recording, Role, Target
from likewise.plugin.child import Order
from likewise.plugin.identity import Run
from likewise.plugin.screen import short
from likewise.run import Emit
from likewise.store import RERUNS, RecordingAbsent, RecordingEmpty

NORMAL = frozenset({pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED})
GRACE = 20.0
"""Seconds for fixtures to clean up behind the boundary once a child was told to end."""
TAIL = 3
APART = 1.0
"""Seconds between what ran and its repetition: dates that tell seconds differ then, and are seen to vary."""


class ChildRuns:
    """A Rerunner: each rerun is `pytest` with the user's own arguments, restricted to the given tests.

    `limit` is how many seconds one rerun may take. A child that ends badly is reported with the end
    of its log; what it recorded counts. Where it could not start at all, its error is raised.
    """

    def __init__(self, config: pytest.Config, run: Run, *, emit: Emit, limit: float) -> None:
        self._config, self._run, self._emit, self._limit = config, run, emit, limit
        self._count = 0
        self._ended = time.monotonic()
        """When tests ran last: this is made when the suite has ended."""
        self._sides: dict[Role, Side] = {}

    def may_use(self, side: Side) -> None:
        """Children may use the servers of this side, one after the other, instead of starting their own."""
        self._sides[side.role] = side

    def rerun(self, tests: Sequence[str], *, role: Role) -> Recording:
        """The recording of these tests on that side; tests that did not run are missing from it."""
        self._count += 1
        folder = self._run.folder
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{role}-{self._count}"
        order = Order(
            role=role,
            tests=tuple(tests),
            recording=folder / RERUNS / f"{name}.jsonl",
            run=self._run,
            lent=self._sides[role].lend() if role in self._sides else (),
        )
        order.recording.parent.mkdir(exist_ok=True)
        paper = order.recording.with_suffix(".order.json")
        order.write(paper)
        log = order.recording.with_suffix(".log")
        if role is Role.CANDIDATE:
            time.sleep(max(0.0, self._ended + APART - time.monotonic()))
        try:
            with log.open("wb") as output:
                code = self._run_child(self._command(role, paper), output)
        finally:
            self._ended = time.monotonic()
            paper.unlink()
        error = order.reported()
        if error is not None:
            order.trouble.unlink()
            raise error
        if code not in NORMAL:
            self._complain(code, log, count=len(tests), role=role)
        return _read(order)

    def _command(self, role: Role, paper: Path) -> list[str]:
        config = self._config
        # `python -m` puts the working directory on the path; the `pytest` command does not.
        is_module = Path(sys.argv[0]).name == "__main__.py"
        command = [
            sys.executable,
            *([] if is_module else ["-P"]),
            "-m",
            "pytest",
            f"--likewise-child={paper}",
        ]
        if config.pluginmanager.hasplugin("pytest_cov"):
            command.append("--no-cov")
        seed = getattr(config.option, "randomly_seed", None)
        if role is Role.REFERENCE and isinstance(seed, int):
            # Both sides are compared, so both get the same dice; a repetition on the candidate gets its own.
            command.append(f"--randomly-seed={seed}")
        # The user's arguments come last: they may end with `--` and names.
        return command + [str(each) for each in config.invocation_params.args]

    def _run_child(self, command: list[str], output: IO[bytes]) -> int:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST_")
        }
        child = subprocess.Popen(
            command,
            cwd=self._config.invocation_params.dir,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # A group of its own: Ctrl-C comes to the parent alone, which passes it on once. A second
            # one would break off the child's cleaning up.
            process_group=0,
        )
        try:
            return child.wait(timeout=self._limit)
        except subprocess.TimeoutExpired:
            return _end(child)
        except BaseException:
            _end(child)
            raise

    def _complain(self, code: int, log: Path, *, count: int, role: Role) -> None:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        tail = " | ".join([line.strip() for line in lines if line.strip("=- ")][-TAIL:])
        how = f"took longer than {self._limit:.0f} s" if code == TOO_LONG else f"ended with exit code {code}"
        text = (
            f"The rerun of {count} test{'s' if count != 1 else ''} on the {role} {how}. "
            f"What it recorded until then counts. Its log is {short(log)} and ends with: {tail or 'nothing'}"
        )
        self._emit(Notice(slug="rerun-crashed", text=text))


TOO_LONG = -1000
"""Stands for the exit code of a child that had to be ended."""


def _end(child: subprocess.Popen[bytes]) -> int:
    """Ask as a person would, so that fixtures clean up; then insist."""
    try:
        for ask in (signal.SIGINT, signal.SIGTERM):
            if child.poll() is None:
                child.send_signal(ask)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=GRACE)
    finally:  # also when the user loses patience meanwhile
        if child.poll() is None:
            child.kill()
            child.wait()
    return TOO_LONG


def _read(order: Order) -> Recording:
    try:
        return read_recording([order.recording])
    except (RecordingAbsent, RecordingEmpty):
        provenance = replace(order.run.provenance(), targets=(Target(name="", role=order.role),))
        return Recording(provenance=provenance, traces=(), complete=False)
