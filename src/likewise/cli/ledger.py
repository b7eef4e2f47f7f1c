"""`likewise ledger`: look into it, count it, merge others into it."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
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
from likewise.report.words import moment, plural, targets

if TYPE_CHECKING:
    from likewise.store import Ledger, Statistics

DAY = 86_400.0

ABOUT = {
    "runs": "runs",
    "tests": "tests with evidence of their own",
    "evidence": "pieces of evidence",
    "answers": "answers of a reference",
    "keys": "calls in their context (keys)",
    "ambiguous": "  ambiguous: two different answers, never used",
    "expired": "  expired: too old, not used",
    "withdrawn": "  withdrawn: contradicted, not used",
    "superseded": "pieces of evidence keyed by another version: not used until keyed anew",
    "attempts": "attempts at tests",
    "discrepancies": "differences found",
    "audits": "audits",
    "leftovers": "things left on a reference (likewise clean)",
}


@click.group(invoke_without_command=True)
@click.pass_context
def ledger(ctx: click.Context) -> None:
    """Look into the ledger, or merge ledgers. Without a command: show."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(show)


@ledger.command()
@ledger_option
@as_json_option
def show(location: str | None = None, as_json: bool = False) -> None:
    """Show the runs, the operations found to differ, and what counts."""
    with read_ledger(location) as found:
        statistics = _statistics(found)
        runs, differing, place = found.runs(), found.discrepant_operations(), found.location
    if as_json:
        emit(
            {
                "location": place,
                "statistics": asdict(statistics),
                "discrepant_operations": differing,
                "runs": [
                    {"run": each.run, "started": each.started, "targets": list(map(str, each.targets))}
                    for each in runs
                ],
            }
        )
        return
    click.echo(f"ledger: {place}")
    usable = statistics.keys - statistics.ambiguous - statistics.expired - statistics.withdrawn
    click.echo(
        f"{plural(statistics.keys, 'call')} in context known from {plural(statistics.evidence, 'piece')} "
        f"of evidence for {plural(statistics.tests, 'test')}; about {max(0, usable):,} of these count"
    )
    _doubts(statistics)
    if differing:
        click.echo("")
        table(("operation found to differ", "tests"), list(differing.items()), right=["tests"])
    if runs:
        click.echo("")
        latest = [(moment(each.started), each.run, targets(each.targets)) for each in runs[-10:]]
        table(("last runs (UTC)", "run", "targets"), latest)


def _doubts(statistics: Statistics) -> None:
    for name in ("ambiguous", "expired", "withdrawn", "superseded", "leftovers"):
        if number := getattr(statistics, name):
            click.echo(f"{number:,} {ABOUT[name].strip()}")


@ledger.command()
@ledger_option
@as_json_option
def stats(location: str | None, as_json: bool) -> None:
    """Count what the ledger holds, and how much of it does not count."""
    with read_ledger(location) as found:
        counted = asdict(_statistics(found))
        clean, failed = found.audit_counts()
    if as_json:
        emit(counted | {"audits_clean": clean, "audits_failed": failed})
        return
    rows = [(ABOUT.get(name, name), number) for name, number in counted.items()]
    table(("what", "number"), [*rows, ("  clean", clean), ("  failed", failed)], right=["number"])


def _statistics(found: Ledger) -> Statistics:
    from likewise.canonical import VERSION

    limit = time.time() - configuration().expiry_days * DAY
    return found.statistics(canonical_version=VERSION, expired_before=limit)


@ledger.command()
@click.argument("sources", nargs=-1, required=True, metavar="A B…")
@click.option("--into", metavar="C", help="The ledger that takes it all; default: the configured one.")
@as_json_option
def merge(sources: tuple[str, ...], into: str | None, as_json: bool) -> None:
    """Add what the ledgers A, B… hold to one ledger: a union, in any order, any number of times."""
    from likewise.store import merge as unite
    from likewise.store import open_ledger

    for source in sources:
        if "://" not in source and not Path(source).is_file():
            raise NotFound("there is no ledger", where=source, todo="Check the name of the file.")
    others = [open_ledger(source, read_only=True) for source in sources]
    try:
        with open_ledger(configuration(into).ledger) as target:
            added, place = unite(target, *others), target.location
    finally:
        for other in others:
            other.close()
    gained = {name: number for name, number in added.added.items() if number}
    if as_json:
        emit({"into": place, "added": gained, "total": added.total})
    elif not gained:
        click.echo(f"{place}: nothing new in {plural(len(sources), 'ledger')}")
    else:
        click.echo(f"{place}: added " + ", ".join(f"{number:,} {name}" for name, number in gained.items()))
