"""`likewise fuzz`: find where two targets differ, through the real SDK."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.common import HOME, as_json_option, configuration, ledger_option, root
from likewise.model import ConfigurationError
from likewise.report.words import plural

if TYPE_CHECKING:
    from likewise.cloud.fuzz.log import Campaigns
    from likewise.cloud.fuzz.session import Order


@click.command()
@click.argument("service")
@click.option("--candidate", metavar="T", help="The stand-in: a target by name or URL.")
@click.option("--reference", metavar="T", help="What is true: a target by name or URL.")
@click.option("--budget", type=click.IntRange(min=1), help="Calls that the reference may get.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="How long to go on.")
@click.option("--ops", metavar="A,B*", help="Only these operations; patterns are allowed.")
@click.option("--seed", type=int, help="The same seed repeats the same campaign.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes that share the work.",
)
@click.option("--executor", metavar="URL", help="dask://HOST:PORT hands the workers' parts to a cluster.")
@click.option("--resume", is_flag=True, help="Go on where the last such campaign ended.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Known findings; only new ones make the exit code 1. Written where it is absent.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds to wait for an answer.",
)
@click.option("--strategy", type=click.Choice(["hybrid", "random", "breadth"]), default="hybrid", hidden=True)
@click.option("--log", "log_path", type=click.Path(path_type=Path), hidden=True)
@ledger_option
@as_json_option
def fuzz(service: str, **options: Any) -> None:
    """Find where a candidate differs from a reference: s3, dynamodb, blob, queue, table or openapi:FILE.

    Each difference is confirmed on fresh names, minimised, and explained. Everything found is kept as
    it is found: Ctrl-C loses nothing, --resume continues.
    """
    from likewise.cli.fuzz_screen import Screen, show_end
    from likewise.cloud.fuzz.cluster import check_executor
    from likewise.cloud.fuzz.log import parts, read
    from likewise.cloud.fuzz.workers import Crew

    known = _known(options["baseline"])
    check_executor(options["executor"])
    order, path = _order(service, options)
    if options["resume"]:
        order = _resumed(order, read(parts(path)))
    else:
        for old in parts(path):
            _set_aside(old)
    screen = Screen(quiet=options["as_json"] and not sys.stderr.isatty(), minutes=order.minutes)
    crew = Crew(order, workers=options["workers"], executor=options["executor"], watch=screen.show)
    crew.run()
    screen.end()
    found = read(parts(path))
    if crew.trouble is not None and not found.headers:
        raise crew.trouble  # nothing was begun
    if crew.interrupted and not found.headers:
        click.echo("interrupted before the first call", err=True)
        raise click.exceptions.Exit(130)
    _into_ledger(found, order, options["location"])
    is_whole = crew.trouble is None and not crew.interrupted
    new = _compared(options["baseline"], known, found, is_whole=is_whole)
    if options["as_json"]:
        click.echo(json.dumps(_as_json(found, order.seed), indent=2))
    else:
        show_end(found, _as_json(found, order.seed), path, interrupted=crew.interrupted)
    if crew.trouble is not None:
        raise crew.trouble
    if options["baseline"] is not None and new:
        raise click.exceptions.Exit(1)
    if crew.interrupted:
        raise click.exceptions.Exit(130)


def _order(service: str, options: dict[str, Any]) -> tuple[Order, Path]:
    from likewise.cloud.fuzz.log import campaign_name
    from likewise.cloud.fuzz.session import Order, check_targets, operations_of, random_seed

    ops = tuple(each.strip() for each in (options["ops"] or "").split(",") if each.strip())
    operations_of(service, ops)
    settings = configuration(options["location"])
    sides = {}
    for role in ("candidate", "reference"):
        chosen = options[role] or getattr(settings, role)
        chosen = chosen.get(service) if isinstance(chosen, dict) else chosen
        if not chosen:
            raise ConfigurationError(f"no {role} is named", todo=f"Add --{role} NAME or --{role} URL.")
        sides[role] = chosen
    seed = options["seed"]
    folder = root() / HOME / "fuzz"
    if seed is None:
        seed = _last_seed(folder, service, sides) if options["resume"] else random_seed()
    path = options["log_path"] or folder / f"{campaign_name(service, **sides, seed=seed)}.jsonl"
    budget, minutes = options["budget"], options["minutes"]
    if budget is None and minutes is None:
        budget = 2000
    order = Order(
        service=service,
        candidate=sides["candidate"],
        reference=sides["reference"],
        seed=seed,
        budget=budget,
        minutes=minutes,
        operations=ops,
        log=str(path),
        timeout=options["timeout"],
        strategy=options["strategy"],
        ledger=settings.ledger,
    )
    check_targets(order)
    return order, path


def _last_seed(folder: Path, service: str, sides: dict[str, str]) -> int:
    from likewise.cloud.fuzz.log import campaign_name

    stem = campaign_name(service, **sides, seed=0).rpartition("_")[0]
    logs = sorted(folder.glob(f"{stem}_*.jsonl"), key=lambda each: each.stat().st_mtime)
    if not logs:
        raise ConfigurationError("there is no such campaign to resume", todo="Start one without --resume.")
    return int(logs[-1].stem.removeprefix(f"{stem}_").partition("-")[0])


def _resumed(order: Order, found: Campaigns) -> Order:
    from dataclasses import replace

    return replace(order, done=frozenset(found.done), known=frozenset(found.findings | found.folded))


def _set_aside(path: Path) -> None:
    """An earlier campaign with the same name keeps its log: its findings stay in the catalogue."""
    for number in range(1, 10_000):
        kept = path.with_suffix(f".{number}.old")
        if not kept.exists():
            path.rename(kept)
            return


def _as_json(found: Campaigns, seed: int) -> dict[str, Any]:
    from likewise.cloud.fuzz.catalogue.reproducers import concrete
    from likewise.cloud.fuzz.findings import step

    keys = ("operation", "kind", "implication", "manifestation", "cause", "condition", "hash")
    called: set[str] = set()
    succeeded: set[str] = set()
    for tally in found.tallies.values():
        called |= tally.called
        succeeded |= tally.succeeded
    discrepancies = []
    for finding in found.ranked():
        data = finding.as_json()
        steps = [step(call, concrete(call.params)) for call in finding.sequence]
        also = {"also": data["also"]} if finding.also else {}
        discrepancies.append(
            {**{key: data[key] for key in keys[:-1]}, "sequence": steps, **also, "hash": data["hash"]}
        )
    return {
        "discrepancies": discrepancies,
        "calls": found.sent,
        "pairs": sum(tally.pairs for tally in found.tallies.values()),
        "operations": {"called": len(called), "succeeded": len(succeeded)},
        "seed": seed,
    }


def _into_ledger(found: Campaigns, order: Order, location: str | None) -> None:
    """Let the policies `api` and `combined` know which operations differ, and when."""
    from likewise.cloud.fuzz.catalogue.known import discrepancies
    from likewise.store import open_ledger

    known = list(discrepancies(found))
    if not known:
        return
    with open_ledger(configuration(location).ledger) as ledger:
        ledger.add_discrepancies(f"fuzz-{order.service}-{order.seed}", known)


def _known(baseline: Path | None) -> frozenset[str] | None:
    """The findings of a baseline, or nothing where it is to be written; read before anything is called."""
    if baseline is None or not baseline.exists():
        return None
    try:
        return frozenset(json.loads(baseline.read_text())["findings"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            "not a baseline", where=str(baseline), why=str(error), todo="Delete it to have it written anew."
        ) from error


def _compared(
    baseline: Path | None, known: frozenset[str] | None, found: Campaigns, *, is_whole: bool
) -> list[str]:
    """The findings that the baseline does not know; it is written where there is none."""
    if baseline is None:
        return []
    if known is None:
        _write_baseline(baseline, found, is_whole=is_whole)
        return []
    new = [each for each in found.ranked() if each.hash not in known]
    for each in new:
        click.echo(f"not in {baseline}: {each.hash} {each.service}.{each.operation}: {each.kind}", err=True)
    if new:
        click.echo(
            f"{plural(len(new), 'new finding')}; to accept all, delete {baseline} and run again", err=True
        )
    return [each.hash for each in new]


def _write_baseline(baseline: Path, found: Campaigns, *, is_whole: bool) -> None:
    """Half a campaign is no baseline: what it had no time to find would count as new."""
    if not is_whole:
        click.echo(f"{baseline} is not written: the campaign did not come to its end", err=True)
        return
    lines = {each.hash: f"{each.service}.{each.operation}: {each.kind}" for each in found.ranked()}
    baseline.parent.mkdir(parents=True, exist_ok=True)
    baseline.write_text(json.dumps({"version": 1, "findings": lines}, indent=2) + "\n")
    click.echo(f"baseline with {plural(len(lines), 'finding')} written to {baseline}", err=True)
