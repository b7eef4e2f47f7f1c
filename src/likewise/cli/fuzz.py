"""`likewise fuzz`: find where two targets differ, through the real SDK."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.common import HOME, as_json_option, configuration, ledger_option, root
from likewise.model import ConfigurationError

if TYPE_CHECKING:
    from likewise.cloud.fuzz.log import Campaigns
    from likewise.cloud.fuzz.session import Order, Status


@click.command()
@click.argument("service")
@click.option("--candidate", metavar="T", help="The stand-in: a target by name or URL.")
@click.option("--reference", metavar="T", help="What is true: a target by name or URL.")
@click.option("--budget", type=click.IntRange(min=1), help="Calls that the reference may get.")
@click.option("--minutes", type=float, help="How long to go on.")
@click.option("--ops", metavar="A,B*", help="Only these operations; patterns are allowed.")
@click.option("--seed", type=int, help="The same seed repeats the same campaign.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--executor", metavar="URL", help="dask://HOST:PORT hands the workers' parts to a cluster.")
@click.option("--resume", is_flag=True, help="Go on where the last such campaign ended.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Known findings; only new ones make the exit code 1. Written where it is absent.",
)
@click.option("--timeout", type=float, default=10.0, show_default=True, help="Seconds to wait for an answer.")
@click.option("--strategy", type=click.Choice(["hybrid", "random", "breadth"]), default="hybrid", hidden=True)
@click.option("--log", "log_path", type=click.Path(path_type=Path), hidden=True)
@ledger_option
@as_json_option
def fuzz(service: str, **options: Any) -> None:
    """Find where a candidate differs from a reference: s3, dynamodb, blob, queue, table or openapi:FILE.

    Each difference is confirmed on fresh names, minimised, and explained. Everything found is kept as
    it is found: Ctrl-C loses nothing, --resume continues.
    """
    from likewise.cloud.fuzz.log import read
    from likewise.cloud.fuzz.workers import Crew

    known = _known(options["baseline"])
    order, path = _order(service, options)
    earlier = sorted(path.parent.glob(f"{path.stem}*.jsonl"))
    if options["resume"]:
        order = _resumed(order, read(earlier))
    else:
        for old in earlier:
            _set_aside(old)
    screen = _Screen(quiet=options["as_json"] and not sys.stderr.isatty())
    crew = Crew(order, workers=options["workers"], executor=options["executor"], watch=screen.show)
    crew.run()
    screen.end()
    found = read(sorted(path.parent.glob(f"{path.stem}*.jsonl")))
    _into_ledger(found, order, options["location"])
    new = _compared(options["baseline"], known, found)
    if options["as_json"]:
        click.echo(json.dumps(_as_json(found, order.seed), indent=2))
    else:
        _show(found, order, path, new, interrupted=crew.interrupted)
    if crew.trouble is not None:
        raise crew.trouble
    if options["baseline"] is not None and new:
        raise click.exceptions.Exit(1)
    if crew.interrupted:
        raise click.exceptions.Exit(130)


def _order(service: str, options: dict[str, Any]) -> tuple[Order, Path]:
    from likewise.cloud.fuzz.log import campaign_name
    from likewise.cloud.fuzz.session import Order, check_targets, operations_of, random_seed

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
    ops = tuple(each.strip() for each in (options["ops"] or "").split(",") if each.strip())
    operations_of(service, ops)
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
    from likewise.cloud.fuzz.reproducers import concrete

    keys = ("operation", "kind", "implication", "manifestation", "cause", "condition", "hash")
    called: set[str] = set()
    succeeded: set[str] = set()
    for tally in found.tallies.values():
        called |= tally.called
        succeeded |= tally.succeeded
    discrepancies = []
    for finding in found.ranked():
        data = finding.as_json()
        steps = [{"op": call.operation, "params": concrete(call.params)} for call in finding.sequence]
        discrepancies.append(
            {**{key: data[key] for key in keys[:-1]}, "sequence": steps, "hash": data["hash"]}
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
    from likewise.cloud.fuzz.known import discrepancies
    from likewise.store import open_ledger

    if not found.findings:
        return
    with open_ledger(configuration(location).ledger) as ledger:
        ledger.add_discrepancies(f"fuzz-{order.service}-{order.seed}", discrepancies(found.ranked()))


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


def _compared(baseline: Path | None, known: frozenset[str] | None, found: Campaigns) -> list[str]:
    """The findings that the baseline does not know; it is written where there is none."""
    if baseline is None:
        return []
    if known is None:
        lines = {each.hash: f"{each.service}.{each.operation}: {each.kind}" for each in found.ranked()}
        baseline.write_text(json.dumps({"version": 1, "findings": lines}, indent=2) + "\n")
        return []
    return [each.hash for each in found.ranked() if each.hash not in known]


def _show(found: Campaigns, order: Order, path: Path, new: list[str], *, interrupted: bool) -> None:
    from likewise.cloud.fuzz.pages import text

    for line in text(found, limit=30):
        click.echo(line)
    data = _as_json(found, order.seed)
    click.echo(
        f"{len(found.findings):,} discrepancies; {data['calls']:,} reference calls, {data['pairs']:,} pairs, "
        f"{data['operations']['called']} operations called, {data['operations']['succeeded']} succeeded; "
        f"seed {order.seed}"
    )
    if found.findings:
        began = min(each.get("when", 0.0) for each in found.headers)
        last = max(found.first_seen.values()) - began
        click.echo(f"the last new one after {max(0.0, last):,.0f} s")
    if new:
        click.echo(f"{len(new)} of them are not in the baseline: {', '.join(new[:10])}")
    if interrupted:
        click.echo("interrupted; everything until here is kept. Continue with --resume.")
    click.echo(f"log: {path}")
    click.echo(f"all of it, with reproducers: likewise discrepancies --service {order.service} --markdown")


class _Screen:
    """The line that says where a campaign is."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._last, self._live = quiet, 0.0, sys.stderr.isatty()

    def show(self, status: Status) -> None:
        """Say it, not too often."""
        now = time.monotonic()
        if self._quiet or now - self._last < (0.2 if self._live else 10.0):
            return
        self._last = now
        rate = status.sent / status.seconds if status.seconds else 0.0
        left = f", budget left {status.left:,}" if status.left is not None else ""
        line = (
            f"{status.sent:,} calls ({rate:.0f}/s), {status.called} operations reached, "
            f"{status.findings} discrepancies (last new after {status.last_new:.0f} s){left}"
        )
        click.echo(f"\r\x1b[K{line}" if self._live else line, err=True, nl=not self._live)

    def end(self) -> None:
        """Make room for what comes."""
        if self._live and not self._quiet:
            click.echo("\r\x1b[K", err=True, nl=False)
