"""`likewise clean`: delete what earlier runs created on a reference and could not delete."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli.common import (
    NotFound,
    as_json_option,
    configuration,
    emit,
    ledger_option,
    read_ledger,
    table,
)
from likewise.model import Role
from likewise.report.words import moment, plural, some

if TYPE_CHECKING:
    from likewise.cloud.replay.sending import Connections
    from likewise.cloud.targets import Running
    from likewise.store import Configuration, Created


@click.command()
@click.option("--yes", is_flag=True, help="Delete without asking.")
@click.option("--list", "only_list", is_flag=True, help="Only show what is left.")
@click.option(
    "--forget",
    "gone",
    multiple=True,
    metavar="WHAT",
    help="Note that WHAT was deleted by hand; may be repeated.",
)
@ledger_option
@as_json_option
def clean(yes: bool, only_list: bool, gone: tuple[str, ...], location: str | None, as_json: bool) -> None:
    """Delete what earlier runs created on a reference and could not delete.

    Only what the ledger says Likewise itself created is touched. With --json nothing is deleted unless
    --yes is there too. Exit code 1 where something is still left.
    """
    if gone:
        _forget(gone, location)
    with read_ledger(location) as found:
        left = found.created()
    only_list = only_list or bool(gone)
    if only_list or not left or (as_json and not yes):
        _show(left, as_json=as_json)
        return
    settings = configuration(location)
    tests = [each for each in left if not _is_ours(each)]
    mine = [each for each in left if each not in tests and _is_configured(each, settings)]
    others = [each for each in left if each not in mine and each not in tests]
    if not as_json:
        _show(left, as_json=False)
        if others:
            click.echo(
                f"{plural(len(others), 'thing')} on a reference that is not configured here: configure it, "
                "or delete by hand with the commands above."
            )
        if tests:
            click.echo(
                f"{plural(len(tests), 'thing')} made by tests that ran there: whether it is theirs alone "
                "only you know. Delete by hand with the commands above, then note it with: "
                f"likewise clean --forget {shlex.quote(tests[0].resource)}"
            )
    if not mine:
        raise click.exceptions.Exit(1)
    if not yes:
        click.confirm(f"Delete {plural(len(mine), 'thing')} on the reference?", abort=True)
    failed = _delete(mine, settings)
    if as_json:
        emit(
            {
                "deleted": len(mine) - len(failed),
                "left": [asdict(each) for each in (*failed, *others, *tests)],
            }
        )
    else:
        click.echo(f"deleted {len(mine) - len(failed)} of {plural(len(left), 'thing')}")
        for each, why in failed.items():
            click.echo(f"  {each.resource} is still there ({why}): {each.hint}")
    if failed or others or tests:
        raise click.exceptions.Exit(1)


def _forget(gone: Sequence[str], location: str | None) -> None:
    from likewise.store import open_ledger

    with read_ledger(location) as found:
        known = {each.resource: each.target for each in found.created()}
    for name in gone:
        if name not in known:
            hint = f"What is left: {some(sorted(known), 5)}." if known else "Nothing is left."
            raise NotFound(f"the ledger does not know of {name!r}", todo=hint)
    with open_ledger(configuration(location).ledger) as ledger:
        for name in gone:
            ledger.forget_created(known[name], name)


def _show(left: Sequence[Created], *, as_json: bool) -> None:
    if as_json:
        emit([asdict(each) for each in left])
    elif not left:
        click.echo("nothing is left on any reference")
    else:
        rows = [(moment(each.when), each.target, each.resource, each.hint) for each in left]
        table(("created (UTC)", "on", "what", "to delete it by hand"), rows)


def _is_ours(created: Created) -> bool:
    """Whether Likewise made it, under a name of its own, and not a test that ran on the reference."""
    from likewise.cloud.replay.cleaning import KINDS

    return created.resource.partition(" ")[0] in KINDS


def _is_configured(created: Created, settings: Configuration) -> bool:
    from likewise.cloud.side import plan

    if settings.reference is None:
        return False
    names = [spec.name for spec, _ in plan(settings, Role.REFERENCE)]
    return any(created.target == name or created.target.startswith(f"{name} ") for name in names)


def _delete(wanted: Sequence[Created], settings: Configuration) -> dict[Created, str]:
    """Delete them, newest first, and note it in the ledger; those that are still there, with why."""
    from likewise.cloud.replay.sending import Connections
    from likewise.cloud.side import open_side
    from likewise.store import open_ledger

    failed: dict[Created, str] = {}
    connections = Connections()
    with open_side(settings, Role.REFERENCE) as side, open_ledger(settings.ledger) as ledger:
        running = {str(each.target): each for each in side.running}
        for each in reversed(wanted):
            target = running.get(each.target)
            why = f"it is on {each.target}" if target is None else _delete_one(each, target, connections)
            if why:
                failed[each] = why
            else:
                ledger.forget_created(each.target, each.resource)
    connections.close()
    return failed


def _delete_one(created: Created, target: Running, connections: Connections) -> str:
    """Delete one thing with all that is in it; why it is still there, or nothing."""
    from likewise.cloud.replay import cleaning
    from likewise.cloud.replay.request import Request, read_endpoint
    from likewise.cloud.replay.sending import Answer
    from likewise.cloud.replay.signing import address, signer
    from likewise.model import Operation

    thing = cleaning.read_created(created.resource)
    if thing is None:
        return "it is not known how to delete such a thing"
    credentials = signer(thing.service, target)
    url = address(thing.service, target, credentials, region=thing.region)
    if url is None:
        return f"it is not known where {target.target} answers for {thing.service}"

    def send(request: Request, operation: Operation) -> Answer:
        return connections.send(credentials.sign(request), before=lambda: None)

    return cleaning.delete(thing, read_endpoint(url), send)
