"""`likewise library`: what of a library the tests reach, and how much of a change they would notice."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.common import HOME, as_json_option, emit, table
from likewise.report.words import plural, share

if TYPE_CHECKING:
    from likewise.library.mutation.campaign import Judgement, Tally
    from likewise.library.runs import Runner

PUBLISHED = ("extreme, published for Java", 158, "-", "89 %", "96 %", "-")
"""What clients' tests and their snapshots noticed of another language's libraries."""
COMMAND = click.argument("command", nargs=-1, required=True, metavar="-- pytest …", type=click.UNPROCESSED)
PYTHON = click.option(
    "--python", type=click.Path(path_type=Path), help="The environment; default: the one in use."
)


@click.group()
def library() -> None:
    """What of a library the tests reach; how much of a change in it they would notice."""


def _runner(python: Path | None, command: tuple[str, ...]) -> Runner:
    from likewise.library.environments import default_cache, existing
    from likewise.library.runs import Runner, parse_suite

    environment = existing(python.absolute() if python else Path(sys.executable))
    return Runner(suite=parse_suite(command, Path.cwd()), environment=environment, bridge=default_cache())


def _modules(runner: Runner, names: tuple[str, ...]) -> tuple[str, ...]:
    inventory = runner.environment.inventory
    found: list[str] = []
    for name in names:
        each = inventory.find(name)
        found += each.modules if each is not None and name not in each.modules else [name]
    return tuple(dict.fromkeys(found))


@library.command()
@click.argument("package")
@PYTHON
@as_json_option
@COMMAND
def footprint(package: str, python: Path | None, as_json: bool, command: tuple[str, ...]) -> None:
    """Show what of PACKAGE the tests reach, and what the client's code uses that they do not."""
    from likewise.library.footprint import footprint as measure
    from likewise.library.runs import read_run

    runner = _runner(python, command)
    modules = _modules(runner, (package,))
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        path = Path(folder) / "footprint.recording"
        finished = runner.record(modules, path)
        recording = read_run(path, finished, where=package)
    found = measure(recording, root=Path.cwd(), libraries=modules)
    if not found.uses and not found.unreached:
        from likewise.library.mutation.reach import locate

        locate(runner.environment, modules)  # a name that nothing has is no library that is not reached
    if as_json:
        emit(
            {
                "library": package,
                "tests": found.tests,
                "reached": [asdict(each) for each in found.uses],
                "unreached": [asdict(each) for each in found.unreached],
            }
        )
        return
    click.echo(f"{plural(found.tests, 'test')} reach {plural(len(found.uses), 'operation')} of {package}")
    rows = [(each.operation, each.crossings, each.tests, each.lines[0]) for each in found.uses]
    if rows:
        table(("operation", "crossings", "tests", "first line"), rows, right=("crossings", "tests"))
    if found.unreached:
        click.echo(f"\nused by the client, reached by no test ({len(found.unreached)}):")
        for each in found.unreached:
            click.echo(f"  {each.name} at {each.at}")


@library.command()
@click.argument("package")
@PYTHON
@click.option("--only", type=click.Choice(["extreme", "fine"]), help="One sort of mutants only.")
@click.option("--inner", is_flag=True, help="Also functions that only the library itself calls.")
@click.option("--sample", type=int, metavar="N", help="At most N mutants of each sort.")
@click.option("--seed", default=0, show_default=True, help="Chooses the sample.")
@click.option("--jobs", "-j", default=min(2, os.cpu_count() or 1), show_default=True, help="Runs at once.")
@click.option(
    "--limit", type=float, metavar="S", help="Seconds for a mutant; default: by the suite's own time."
)
@as_json_option
@COMMAND
def mutate(
    package: str,
    python: Path | None,
    only: str | None,
    inner: bool,
    sample: int | None,
    seed: int,
    jobs: int,
    limit: float | None,
    as_json: bool,
    command: tuple[str, ...],
) -> None:
    """Change PACKAGE on purpose, one place at a time: what do the tests notice, what do snapshots?"""
    from likewise.library.mutation.campaign import Campaign, Fate, Plan

    runner = _runner(python, command)
    folder = Path.cwd() / HOME / "mutants"
    campaign = Campaign(
        runner=runner,
        libraries=_modules(runner, (package,)),
        folder=folder,
        plan=Plan(
            extreme=only != "fine",
            fine=only != "extreme",
            inner=inner,
            sample=sample,
            seed=seed,
            jobs=jobs,
            limit=limit,
        ),
        say=_say,
    )
    judged: list[Judgement] = []
    try:
        for each in campaign.run():
            judged.append(each)
            if each.fate is not Fate.EQUIVALENT:
                _say(f"{len(judged)}: {each.fate}: {each.mutant.name}")
    except KeyboardInterrupt:
        _say("interrupted: what was judged so far counts")
    _show(package, judged, as_json=as_json)


def _show(package: str, judged: list[Judgement], *, as_json: bool) -> None:
    from likewise.library.mutation.campaign import Fate, tally

    sorts = {
        "extreme": tally([each for each in judged if each.mutant.is_extreme]),
        "fine": tally([each for each in judged if not each.mutant.is_extreme]),
    }
    if as_json:
        counts = {name: asdict(each) | {"counted": each.counted} for name, each in sorts.items()}
        emit(
            {
                "library": package,
                **counts,
                "mutants": [
                    {
                        "operation": each.mutant.reached.operation,
                        "operator": each.mutant.mutation.operator,
                        "line": each.mutant.mutation.line,
                        "about": each.mutant.mutation.about,
                        "fate": str(each.fate),
                        "by_tests": each.by_tests,
                        "by_snapshots": each.by_snapshots,
                        "why": each.mutant.equivalent or each.unusable,
                    }
                    for each in judged
                ],
            }
        )
        return
    rows = [_row(name, each) for name, each in sorts.items() if each.mutants]
    columns = ("mutants", "that could be noticed", "equivalent", "by tests", "by snapshots", "by tests only")
    table(columns, [*rows, PUBLISHED], right=columns[1:])
    for each in judged:
        if each.fate is Fate.MISSED:
            click.echo(f"missed: {each.mutant.name}")


def _row(name: str, counted: Tally) -> tuple[object, ...]:
    whole = counted.counted
    return (
        name,
        whole,
        counted.equivalent,
        f"{counted.by_tests} ({share(counted.by_tests, whole)})",
        f"{counted.by_snapshots} ({share(counted.by_snapshots, whole)})",
        counted.by_tests_only,
    )


def _say(line: str) -> None:
    click.echo(f"likewise: {line}", err=True)
