"""`likewise corpus`: what the real service answered, kept in a file, against any candidate."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from likewise.cli.common import as_json_option, emit, table

if TYPE_CHECKING:
    from likewise.cloud.fuzz.corpus.cases import Case, Verdict
    from likewise.cloud.fuzz.corpus.replay import Player
    from likewise.cloud.fuzz.corpus.traffic import Traffic
    from likewise.cloud.targets import Running
    from likewise.model import Role

FILES = click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)

OUTPUT = click.Path(dir_okay=False, path_type=Path)
T = TypeVar("T")
INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""
MOMENT = 0.2
"""Seconds that a process may need to end."""


@click.group()
def corpus() -> None:
    """Keep what the real service answered, and check candidates against it without an account."""


@corpus.command()
@FILES
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    required=True,
    metavar="T",
    help="A target or a URL; may be repeated, each case goes to the first that has its service.",
)
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Known differences, one id a line: others fail.",
)
@as_json_option
def check(files: tuple[Path, ...], candidates: tuple[str, ...], baseline: Path | None, as_json: bool) -> None:
    """Play recorded cases on a candidate and say where it differs from the recorded answers."""
    from likewise.cloud.fuzz.corpus.reading import read_corpora
    from likewise.cloud.fuzz.corpus.replay import Player

    entries = read_corpora(files)
    found: list[Verdict] = []
    is_whole = False
    with ExitStack() as stack:
        player = Player(_start(stack, candidates, entries))
        with _progress(entries) as progress:
            try:
                for entry in progress:
                    verdicts = list(player.verdicts([entry]))
                    if _has_ended(player, verdicts):
                        stack.close()
                        player = Player(_start(stack, candidates, entries))
                        verdicts = list(player.verdicts([entry]))  # perhaps it had ended before
                        if _has_ended(player, verdicts):
                            stack.close()  # what the case does ends it; the next one starts on a new one
                            player = Player(_start(stack, candidates, entries))
                    found += verdicts
                is_whole = True
            except KeyboardInterrupt:
                click.echo(f"likewise: interrupted after {len(found)} verdicts.", err=True)
    rows = [_row(verdict) for verdict in found]
    if as_json:
        emit({"cases": rows})
    else:
        _show(rows)
    if not is_whole:
        raise click.exceptions.Exit(INTERRUPTED)  # nobody takes a part for all of it
    _exit(rows, baseline)


def _has_ended(player: Player, verdicts: Sequence[Verdict]) -> bool:
    """Whether a candidate is gone; a process still ends for a moment after its last connection has."""
    from likewise.cloud.fuzz.corpus.cases import NotComparable

    if any(isinstance(each, NotComparable) and each.is_silent for each in verdicts):
        time.sleep(MOMENT)
    return not player.is_alive()


def _progress(items: list[T]) -> AbstractContextManager[Iterable[T]]:
    return click.progressbar(items, file=sys.stderr, label="cases", hidden=not sys.stderr.isatty())


def _readable(
    entries: Sequence[Case | Traffic],
) -> tuple[list[Case | Traffic], list[dict[str, str]]]:
    """Entries that say something, and what is wrong with the others."""
    from likewise.cloud.fuzz.corpus.cases import Case

    broken = [each for each in entries if isinstance(each, Case) and each.unreadable]
    kept = [each for each in entries if not isinstance(each, Case) or not each.unreadable]
    return kept, [{"id": each.id, "reason": each.unreadable} for each in broken]


def _services(entries: Sequence[Case | Traffic]) -> set[str]:
    from likewise.cloud.fuzz.corpus.cases import Case

    return {
        service
        for entry in entries
        for service in ((entry.service,) if isinstance(entry, Case) else entry.services)
    }


def _start(
    stack: ExitStack, names: tuple[str, ...], entries: Sequence[Case | Traffic], role: Role | None = None
) -> list[Running]:
    from likewise.cloud import targets
    from likewise.model import ConfigurationError, Role

    needed = _services(entries) & targets.SERVICES
    running = []
    for name in names:
        spec = targets.find(name)
        offered = targets.SERVICES if "" in spec.endpoints else spec.services
        wanted = frozenset(needed & offered)
        if wanted:
            needed -= wanted
            running.append(
                stack.enter_context(targets.start(spec, role=role or Role.CANDIDATE, services=wanted))
            )
    if not running and entries and role is not None:  # to be recorded there; else each case is told so
        raise ConfigurationError(
            f"{', '.join(names)} has none of the services in these files",
            todo=f"They hold cases of {', '.join(sorted(_services(entries)))}.",
        )
    return running


def _row(verdict: Verdict) -> dict[str, Any]:
    from likewise.cloud.fuzz.corpus.cases import Agrees, Differs

    row: dict[str, Any] = {"id": verdict.case, "verdict": "not comparable", "reason": verdict.reason}
    match verdict:
        case Differs():
            row |= {"verdict": "differs", "implication": verdict.implication.name}
            row["message_differs"] = verdict.message_differs
        case Agrees():
            row |= {"verdict": "agrees", "implication": None, "message_differs": verdict.message_differs}
        case _:
            row |= {"implication": None, "message_differs": None}
    return row


def _show(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["verdict"] != "agrees":
            click.echo(f"{row['verdict']:<15}{row['implication'] or '':<13}{row['id']}\n    {row['reason']}")
    counts = [
        (name, sum(row["verdict"] == name for row in rows))
        for name in ("agrees", "differs", "not comparable")
    ]
    messages = sum(row["verdict"] == "agrees" and bool(row["message_differs"]) for row in rows)
    table(("verdict", "cases"), [*counts, ("agrees, with another message", messages)], right=("cases",))


def _exit(rows: list[dict[str, Any]], baseline: Path | None) -> None:
    if baseline is None:
        return
    known = {line.strip() for line in baseline.read_text().splitlines()} if baseline.exists() else set()
    fresh = [row["id"] for row in rows if row["verdict"] == "differs" and row["id"] not in known]
    if fresh:
        click.echo(f"likewise: {len(fresh)} differences are not in {baseline}: {', '.join(fresh)}", err=True)
        sys.exit(1)


@corpus.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--reference", "references", multiple=True, required=True, metavar="T", help="A target or a URL."
)
@click.option("--into", type=OUTPUT, required=True, metavar="FILE", help="The corpus to write.")
@click.option(
    "--service", "services", multiple=True, help="Also the sequences of a campaign for this service."
)
@click.option("--ops", metavar="A,B*", help="Of those, only these operations; patterns are allowed.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of those: the campaign's seed.")
@click.option(
    "--sequences", "most", type=int, default=500, show_default=True, help="At most so many of those."
)
@click.option("--budget", type=click.IntRange(min=1), help="Calls that the reference may get.")
@as_json_option
def record(
    files: tuple[Path, ...],
    references: tuple[str, ...],
    into: Path,
    services: tuple[str, ...],
    ops: str | None,
    seed: int,
    most: int,
    budget: int | None,
    as_json: bool,
) -> None:
    """Play sequences on a reference and keep its answer to every call.

    FILES hold sequences, with or without answers: published cases, corpora, logs of campaigns. On the real
    clouds every call is paid for; what a sequence makes gets a fresh name and is deleted after it.
    """
    from likewise.cloud.fuzz.corpus.campaigns import sequences
    from likewise.cloud.fuzz.corpus.reading import read_corpora

    wanted = tuple(each.strip() for each in (ops or "").split(",") if each.strip())
    entries = read_corpora(files)
    for service in services:
        entries += sequences(service, seed=seed, operations=wanted, most=most)
    if not entries:
        raise click.UsageError("Name FILES with sequences, or --service.")
    _record(entries, references, into, budget, as_json)


def _record(
    entries: Sequence[Case | Traffic],
    references: tuple[str, ...],
    into: Path,
    budget: int | None,
    as_json: bool,
) -> None:
    from likewise.cloud.fuzz.corpus.cases import Case, NotComparable
    from likewise.cloud.fuzz.corpus.replay import Player
    from likewise.cloud.fuzz.corpus.writing import write_corpus
    from likewise.model import Role

    entries, broken = _readable(entries)
    cases = [entry for entry in entries if isinstance(entry, Case)]
    kept: list[Case] = []
    skipped = broken + [
        {"id": entry.id, "reason": "recorded traffic already has its answers"}
        for entry in entries
        if not isinstance(entry, Case)
    ]
    is_whole = False
    with ExitStack() as stack:
        player = Player(_start(stack, references, entries, Role.REFERENCE))
        with _progress(cases) as progress:
            try:
                for case in progress:
                    if budget is not None and player.sent + _cost(case) > budget:
                        reason = f"the budget does not suffice: {player.sent} of {budget} calls are made"
                        skipped.append({"id": case.id, "reason": reason})
                        continue
                    found = player.record(case)
                    if isinstance(found, NotComparable):
                        skipped.append({"id": found.case, "reason": found.reason})
                    else:
                        kept.append(found)
                is_whole = True
            except KeyboardInterrupt:
                click.echo(f"likewise: interrupted; the {len(kept)} cases so far are kept.", err=True)
    _report_written(into, write_corpus(into, kept), skipped, as_json)
    if not is_whole:
        raise click.exceptions.Exit(INTERRUPTED)


def _cost(case: Case) -> int:
    """Calls that a case takes at most: its own, and those that remove all that each of them can have made."""
    return 4 * len(case.steps) + 3


@corpus.command()
@FILES
@click.option("--into", type=OUTPUT, required=True, metavar="FILE", help="The corpus to write.")
@as_json_option
def merge(files: tuple[Path, ...], into: Path, as_json: bool) -> None:
    """Write the union of corpora, published cases, HAR files and recordings as one corpus."""
    from likewise.cloud.fuzz.corpus.reading import read_corpora
    from likewise.cloud.fuzz.corpus.writing import write_corpus

    entries, skipped = _readable(read_corpora(files))
    _report_written(into, write_corpus(into, entries), skipped, as_json)


@corpus.command()
@FILES
@click.option("--into", type=OUTPUT, metavar="FILE", help="Where to write it; default: standard output.")
def export(files: tuple[Path, ...], into: Path | None) -> None:
    """Print cases as one JSON list of {"id", "service", "sequence", "real_cloud"}, for other tools."""
    from likewise.cloud.fuzz.corpus.cases import Case
    from likewise.cloud.fuzz.corpus.reading import read_corpora
    from likewise.cloud.fuzz.corpus.writing import row

    entries, broken = _readable(read_corpora(files))
    for each in broken:
        click.echo(f"likewise: left out: {each['id']}: {each['reason']}", err=True)
    rows = [row(entry) for entry in entries if isinstance(entry, Case)]
    if len(rows) < len(entries):
        click.echo(
            f"likewise: {len(entries) - len(rows)} entries are recorded traffic, which has no such form.",
            err=True,
        )
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    if into is None:
        click.echo(text)
    else:
        into.write_text(text + "\n", encoding="utf-8")


def _report_written(into: Path, count: int, skipped: list[dict[str, str]], as_json: bool) -> None:
    if as_json:
        emit({"into": str(into), "entries": count, "skipped": skipped})
        return
    click.echo(f"{into}: {count} entries")
    for each in skipped:
        click.echo(f"not recorded: {each['id']}: {each['reason']}")
