"""`likewise run`: a suite that is not pytest, against the candidate and, if wanted, the reference."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import click

from likewise.cli.common import configuration, console, last_run_path
from likewise.model import (
    Attempt,
    AuditBound,
    LikewiseError,
    Notice,
    Provenance,
    Rerun,
    Result,
    Role,
    RunFinished,
    RunStarted,
    Spending,
    Standing,
    Target,
    TestReport,
    Trace,
    Unclear,
)

if TYPE_CHECKING:
    from likewise.cloud.side import Side
    from likewise.store import Configuration

UNRECORDED = "its calls were not recorded: the command runs outside Python's SDKs"
SKIPPED = 77
"""The exit code by which automake, and others after it, say that a test was skipped."""


class CommandAbsent(LikewiseError):
    """The command cannot be started."""

    slug = "command-absent"


class RecordingProxy(Protocol):
    """Stands between a command and a side, and sees its calls. Nobody implements it yet."""

    def watch(self, side: Side, *, test: str) -> AbstractContextManager[Mapping[str, str]]:
        """An environment that sends a command to the side through the proxy, while it is open."""
        ...

    def trace(self, test: str) -> Trace | None:
        """What the command did, once it is over; None where nobody saw it."""
        ...


class Unwatched:
    """No proxy: the command calls the side directly, and nobody sees what it does there."""

    @contextlib.contextmanager
    def watch(self, side: Side, *, test: str) -> Iterator[Mapping[str, str]]:
        """The side's own environment."""
        yield side.apply(os.environ)

    def trace(self, test: str) -> Trace | None:
        """Nothing was seen."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One attempt at the command on one side."""

    role: Role
    targets: tuple[Target, ...]
    code: int
    seconds: float

    @property
    def result(self) -> Result:
        """The exit code as a result."""
        return {0: Result.PASSED, SKIPPED: Result.SKIPPED}.get(self.code, Result.FAILED)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
@click.option("--test", "name", metavar="NAME", help="What the command is called in reports.")
@click.option("--verify", is_flag=True, help="Also run it on the reference, whose result then counts.")
def run(command: tuple[str, ...], name: str | None, verify: bool) -> None:
    """Run COMMAND once against the candidate, which is started for it.

    The command gets endpoints and keys in its environment (AWS_ENDPOINT_URL…, AZURE_STORAGE_…), so it
    can be in any language. Its exit code is passed through. Its calls are not recorded, so its result is
    never trusted without --verify. The report goes to standard error;
    likewise report --json shows it again.
    """
    settings = configuration()
    test = name or shlex.join(command)
    proxy: RecordingProxy = Unwatched()
    ran = [_run_on(Role.CANDIDATE, command, settings=settings, test=test, proxy=proxy)]
    if verify:
        ran.append(_run_on(Role.REFERENCE, command, settings=settings, test=test, proxy=proxy))
    identity = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
    started, finished = _conclude(identity, test, ran, policy=settings.policy)
    _note(identity, test, ran, settings)
    _report(started, finished)
    raise click.exceptions.Exit(ran[-1].code)


def _run_on(
    role: Role, command: Sequence[str], *, settings: Configuration, test: str, proxy: RecordingProxy
) -> Ran:
    from likewise.cloud.side import open_side

    with open_side(settings, role) as side:
        if not side.running:
            raise CommandAbsent(
                f"the {role} {side.targets[0].name} lives inside a Python process",
                why="a command cannot be sent to it",
                todo='Name a server, for example candidate = "moto".',
            )
        begin = time.monotonic()
        with proxy.watch(side, test=test) as environment:
            code = _call(command, environment)
        return Ran(role=role, targets=side.targets, code=code, seconds=time.monotonic() - begin)


def _call(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command to its end; an interrupt reaches it too, and its own end counts."""
    try:
        process = subprocess.Popen(command, env=dict(environment))
    except OSError as error:
        raise CommandAbsent(
            "the command cannot be started",
            where=command[0],
            why=error.strerror or str(error),
            todo="Check its name and that it may be executed.",
        ) from error
    interrupted = 0
    while True:
        try:
            code = process.wait()
            return code if code >= 0 else 128 - code
        except KeyboardInterrupt:
            interrupted += 1
            if interrupted > 1:
                process.kill()


def _conclude(identity: str, test: str, ran: Sequence[Ran], *, policy: str) -> tuple[RunStarted, RunFinished]:
    candidate, reference = ran[0], ran[1] if len(ran) > 1 else None
    if reference is None:
        standing = Standing.UNDECIDED
    else:
        standing = Standing.PROVED if reference.result is candidate.result else Standing.DISCREPANT
    report = TestReport(
        test=test,
        standing=standing,
        verdict=Rerun(reason=Unclear(why=(UNRECORDED,)), whole=True),
        candidate=candidate.result,
        reference=None if reference is None else reference.result,
    )
    spending = Spending(
        run=identity,
        when=time.time(),
        policy=policy,
        tests=1,
        calls=0,
        reference_calls=0,
        seconds=0.0 if reference is None else reference.seconds,
        reference_seconds=0.0 if reference is None else reference.seconds,
        money=0.0,
        reference_money=0.0,
        by_operation={},
    )
    targets = tuple(target for each in ran for target in each.targets)
    return RunStarted(run=identity, policy=policy, targets=targets), RunFinished(
        run=identity, spending=spending, tests=(report,), audits=AuditBound(clean=0, failed=0)
    )


def _note(identity: str, test: str, ran: Sequence[Ran], settings: Configuration) -> None:
    """Keep how the attempts ended; what they did is not known, so they are no evidence."""
    from likewise.store import open_ledger

    now = time.time()
    targets = tuple(target for each in ran for target in each.targets)
    attempts = [
        Attempt(
            test=test,
            run=identity,
            target="+".join(map(str, each.targets)),
            role=str(each.role),
            attempt=0,
            result=str(each.result),
            shape="",
            code="",
            when=now,
        )
        for each in ran
    ]
    with open_ledger(settings.ledger) as ledger, ledger.batch():
        ledger.add_run(Provenance(run=identity, started=now, targets=targets))
        ledger.add_attempts(attempts)


def _report(started: RunStarted, finished: RunFinished) -> None:
    from likewise.report import machine, words
    from likewise.report.terminal import Terminal

    name = words.shorten(finished.tests[0].test, 60)
    notice = Notice(slug="calls-unseen", text=f"What {name} did is not known: {UNRECORDED}.")
    machine.save(last_run_path(), machine.LastRun(finished=finished, started=started, notices=(notice,)))
    sys.stdout.flush()
    terminal = Terminal(console(err=True))
    for event in (started, notice, finished):
        terminal(event)
