"""The command and its subcommands, each imported only when it is used."""

from __future__ import annotations

import errno
import importlib
import os
from collections.abc import Callable
from typing import Any

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "explain": ("explain:explain", "Say why a test has its verdict: which call, what both sides said."),
    "report": ("report:report", "Show the last run again, or write it as a page, JSON or JUnit."),
    "savings": ("savings:savings", "Show what each run cost and saved."),
    "ledger": ("ledger:ledger", "Look into the ledger, or merge ledgers."),
    "simulate": ("simulate:simulate", "Replay recorded runs: what would each policy have saved?"),
    "upgrade": ("upgrade:upgrade", "Say what a new version of a package changes for this client."),
    "compare": ("comparing:compare", "Compare two library recordings."),
    "accept": ("comparing:accept", "Approve changes of the last comparison."),
    "library": ("library:library", "What of a library the tests reach; how much they would notice."),
    "corpus": ("corpus:corpus", "Keep what the real service answered; check a candidate against it."),
    "run": ("run:run", "Run a suite that is not pytest against the candidate."),
    "device": ("device:device", "Run managed tests on boards and simulators, compare their recordings."),
    "fuzz": ("fuzz:fuzz", "Find where two targets differ, through the real SDK."),
    "discrepancies": ("discrepancies:discrepancies", "Show what fuzzing found, with reproducers."),
    "coverage": ("discrepancies:coverage", "Show which operations fuzzing reached."),
    "clean": ("clean:clean", "Delete what earlier runs left on a reference."),
    "scan": ("scan:scan", "Prove that no secret reached the disk."),
    "config": ("config:config", "Show the configuration and where each value comes from."),
    "doctor": ("doctor:doctor", "Say what is installed, what is missing, and how to get it."),
    "install": ("doctor:install", "Install servers that Likewise can start."),
}
"""Where each command is, and what the overview says of it."""


class Commands(click.Group):
    """Commands that are imported when they are called, and errors that are said, not thrown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(f"likewise.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong is one message and exit code 2."""
        return guarded(ctx, lambda: super(Commands, self).invoke(ctx))


def guarded(ctx: click.Context, work: Callable[[], Any]) -> Any:
    """Do some work; errors of ours become a message, others one that asks to be told about."""
    try:
        return work()
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        from likewise.model import LikewiseError

        if not isinstance(error, LikewiseError) and os.environ.get("LIKEWISE_DEBUG"):
            raise
        click.echo(f"likewise: {_message(error, LikewiseError)}", err=True)
        ctx.exit(2)


_BY_ERRNO = {
    errno.ENOENT: "Check the name.",
    errno.EACCES: "Check the permissions of the file and of its directory.",
    errno.EROFS: "Work in a directory that can be written.",
    errno.ENOSPC: "Make room, and run the same again.",
}
"""What to do about a file that the system does not let us use."""


_BROUGHT_BY = {
    **dict.fromkeys(("elftools", "serial", "unicorn"), "device"),
    **dict.fromkeys(("pywasm", "wasmtime"), "wasm"),
    **dict.fromkeys(("boto3", "botocore"), "aws"),
    "azure": "azure",
    "distributed": "dask",
    "psycopg": "postgres",
    "yaml": "openapi",
}
"""Packages that may be missing, and the extra that brings each."""


def _message(error: Exception, ours: type[Exception]) -> str:
    if isinstance(error, ours):
        return str(error)
    if isinstance(error, OSError) and error.filename is not None:
        todo = _BY_ERRNO.get(error.errno or 0, "Check its name, and that it may be used so.")
        return f"{error.filename}: {error.strerror}. {todo} [file]"
    extra = _BROUGHT_BY.get((error.name or "").partition(".")[0]) if isinstance(error, ImportError) else None
    if extra is not None:
        return f"{error}. Install what this needs: pip install 'likewise[{extra}]' [not-installed]"
    return (
        f"unexpected {type(error).__name__}: {error}. This is a fault of Likewise; "
        "LIKEWISE_DEBUG=1 shows where. [unexpected]"
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="likewise", prog_name="likewise")
def main() -> None:
    """Which results on the emulator to trust, which to prove on the real cloud, and which are flaky.

    Runs are made with: pytest --likewise [--likewise-verify]
    """
