"""`likewise simulate`: what each policy would have saved on recorded runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.common import as_json_option, emit, table
from likewise.report.words import share

if TYPE_CHECKING:
    from likewise.model import Recording
    from likewise.run import Opaque, PolicyCount

CONTEXT = "context"
PUBLISHED = ("api", "sequence", "combined")
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("histories", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[HISTORY…]")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice((CONTEXT, *PUBLISHED)),
    help="May be repeated; default: all that the history allows.",
)
@click.option("--discrepant", type=FILE, metavar="FILE", help="Operations known to differ, one a line.")
@click.option(
    "--fingerprints",
    type=FILE,
    metavar="FILE",
    help="An opaque history: {run: {test: [fingerprint, …]}}, oldest run first.",
)
@click.option("--apis", type=FILE, metavar="FILE", help="Of an opaque history: {test: [operation, …]}.")
@as_json_option
def simulate(
    histories: tuple[Path, ...],
    policies: tuple[str, ...],
    discrepant: Path | None,
    fingerprints: Path | None,
    apis: Path | None,
    as_json: bool,
) -> None:
    """Replay recorded runs in order and count what each policy would have saved.

    HISTORY is a recording of Likewise (a file, or a run's directory), a HAR file, or JSON Lines of
    exchanges; several are runs in the order given. The recorded answers serve as the reference's.
    The first run only fills the ledger and is left out of the sums. What the context policy learns live
    from repeating a test on the candidate, it learns here from the next run of the same code; the table
    also says what share it would save without that.
    """
    if fingerprints is None:
        if apis is not None:
            raise click.UsageError("--apis belongs to --fingerprints; other histories say it themselves.")
        if not histories:
            raise click.UsageError("Name at least one HISTORY, or --fingerprints FILE.")
        context = partial(_context, unrepeated=not as_json)  # only the table shows it
        counted = _count_recordings(histories, policies or (CONTEXT, *PUBLISHED), discrepant, context)
    else:
        if histories:
            raise click.UsageError("Give either HISTORY files or --fingerprints, not both.")
        if CONTEXT in policies:
            raise click.UsageError(
                "--policy context needs the calls themselves, which an opaque history does not have; "
                f"use one of {', '.join(PUBLISHED)}, or give recorded runs."
            )
        counted = _count_opaque(fingerprints, apis, policies or PUBLISHED, discrepant)
    if as_json:
        emit({"policies": {policy: _as_json(found) for policy, found in counted.items()}})
    else:
        _show(counted)


def _count_recordings(
    histories: tuple[Path, ...],
    policies: tuple[str, ...],
    discrepant: Path | None,
    context: Callable[[list[Recording]], PolicyCount],
) -> dict[str, PolicyCount]:
    from likewise.cli.histories import read_histories
    from likewise.run import opaque

    recordings = read_histories(histories)
    if policies == (CONTEXT,):
        return {CONTEXT: context(recordings)}
    published = _count_published(
        [opaque(recording) for recording in recordings],
        tuple(policy for policy in policies if policy != CONTEXT),
        discrepant,
    )
    return {policy: published.get(policy) or context(recordings) for policy in dict.fromkeys(policies)}


def _context(recordings: list[Recording], *, unrepeated: bool) -> PolicyCount:
    from likewise.cloud.cursors import cursor_at
    from likewise.run import count_context

    return count_context(recordings, cursors=cursor_at, unrepeated=unrepeated)


def _count_opaque(
    fingerprints: Path, apis: Path | None, policies: tuple[str, ...], discrepant: Path | None
) -> dict[str, PolicyCount]:
    from likewise.cli.histories import read_apis, read_fingerprints

    operations = read_apis(apis) if apis is not None else {}
    runs = read_fingerprints(fingerprints, operations)
    if set(policies) != {"sequence"}:
        if apis is None:
            click.echo(
                "likewise: without --apis nobody knows what a test calls, so it may call anything.", err=True
            )
        elif unlisted := {test for run in runs for test in run.sequences} - operations.keys():
            click.echo(
                f"likewise: {apis} does not list {len(unlisted)} of the tests ({min(unlisted)!r} …): "
                "counted as published, they call nothing that differs.",
                err=True,
            )
            listed = dict.fromkeys(unlisted, ()) | operations
            runs = [replace(run, operations=listed) for run in runs]
    return _count_published(runs, tuple(dict.fromkeys(policies)), discrepant)


def _count_published(
    runs: list[Opaque], policies: tuple[str, ...], discrepant: Path | None
) -> dict[str, PolicyCount]:
    from likewise.cli.histories import read_discrepant
    from likewise.decide.published import Discrepant
    from likewise.run import count_published

    if discrepant is None and set(policies) - {"sequence"}:
        click.echo(
            "likewise: without --discrepant nobody has looked which operations differ, so any may; "
            "the policies api and combined go by that.",
            err=True,
        )
    known = Discrepant(names=None if discrepant is None else read_discrepant(discrepant))
    return {policy: count_published(policy, runs, known) for policy in policies}


def _as_json(found: PolicyCount) -> dict[str, Any]:
    warm, cold = found.warm, found.cold
    plain: dict[str, Any] = {
        "runs": [asdict(run) for run in found.runs],
        "calls": warm.calls,
        "saved": warm.saved,
        "share": warm.share,
    }
    if found.tests_only is not None:
        plain["tests_only"] = {"saved": found.tests_only.saved, "share": found.tests_only.share}
        plain["cold"] = {"calls": cold.calls, "saved": cold.saved, "share": cold.share}
    return plain


def _show(counted: dict[str, PolicyCount]) -> None:
    names = list(counted)
    first = counted[names[0]]
    columns = ("run", "tests", "calls", *(f"saved by {name}" for name in names))
    rows: list[tuple[object, ...]] = [
        (run.run, run.tests, run.calls, *(counted[name].runs[number].saved for name in names))
        for number, run in enumerate(first.runs)
    ]
    rows.append(("without the first", "", first.warm.calls, *(counted[name].warm.saved for name in names)))
    rows.append(("share", "", "", *(_share(counted[name].warm) for name in names)))
    if CONTEXT in counted:
        rows.append(
            ("share with the first", "", "", *(_only(name, _share(counted[name].cold)) for name in names))
        )
        others = {
            "share with the first, nothing repeated": counted[CONTEXT].unrepeated,
            "share by whole tests": counted[CONTEXT].tests_only,
        }
        for title, total in others.items():
            if total is not None:
                rows.append((title, "", "", *(_only(name, _share(total)) for name in names)))
    table(columns, rows, right=columns[1:])


def _share(total: Any) -> str:
    return share(total.saved, total.calls)


def _only(name: str, text: str) -> str:
    return text if name == CONTEXT else ""
