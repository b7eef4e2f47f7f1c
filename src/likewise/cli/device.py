"""`likewise device`: run suites on boards and simulators."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli import common
from likewise.cli.screen import Screen, overview, show_flakiness

if TYPE_CHECKING:
    from likewise.device.inventory import Board, Inventory
    from likewise.device.junit import JunitWriter
    from likewise.device.results import SuiteReport
    from likewise.device.scenario import Scenario, Suite
    from likewise.model import TestReport


@click.group()
def device() -> None:
    """Managed tests on boards and simulators."""


@device.command("run")
@click.argument("path", metavar="SUITE.py", type=click.Path(path_type=Path))
@click.option(
    "--board", "boards", multiple=True, metavar="NAME", help="A board of the inventory; repeatable."
)
@click.option(
    "--share/--every", default=None, help="Share the scenarios out, or run every one on every board."
)
@click.option(
    "--schedule",
    default=None,
    metavar="S",
    help="default, optimistic or fewest-uploads instead of the suite's.",
)
@click.option(
    "--analyse",
    "--likewise-analyse",
    "analyse",
    default=None,
    metavar="min=N,max=M",
    help="Look for flakiness: everything N times, what wavers up to M times.",
)
@click.option(
    "--only", "only", multiple=True, metavar="TITLE", help="These scenarios and what they depend on."
)
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Record every step.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML with steps.")
@click.option("--verbose", "-v", is_flag=True, help="Show every step.")
@common.as_json_option
def run(
    path: Path,
    boards: tuple[str, ...],
    share: bool | None,
    schedule: str | None,
    analyse: str | None,
    only: tuple[str, ...],
    record: Path | None,
    junit: Path | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Run the suites of a file; exit code 1 where something failed, was skipped or wavers."""
    from likewise.device.discovery import suites_in
    from likewise.device.flakiness import ONCE, parse_analysis
    from likewise.device.junit import JunitWriter
    from likewise.device.recording import recorders
    from likewise.device.summary import as_data

    analysis = ONCE if analyse is None else parse_analysis(analyse)
    inventory = read_inventory(path.absolute().parent)
    reports: list[SuiteReport] = []
    suites = narrowed(suites_in(path), only=only, share=share, schedule=schedule)
    chosen = [inventory.choose(boards or tuple(suite.testees)) for suite in suites]
    with recorders(record, suite=path, boards=[board for each in chosen for board in each]) as recorder_for:
        with JunitWriter(junit) as writer:
            for suite, own in zip(suites, chosen, strict=True):
                report = _run_suite(
                    suite,
                    own,
                    Screen(verbose=verbose, silent=as_json),
                    writer,
                    folder=path.absolute().parent,
                    analysis=analysis,
                    recorder_for=recorder_for,
                )
                reports.append(report)
                if not as_json:
                    overview(report)
                    if analyse is not None:
                        show_flakiness(report)
                if not report.complete:
                    break
            if as_json:
                data = [as_data(report, analysed=analyse is not None) for report in reports]
                common.emit(data[0] if len(data) == 1 else data)
        if not all(report.complete for report in reports):
            sys.exit(130)  # from within, so that the recording is not taken for a whole one
    sys.exit(0 if all(report.passed for report in reports) else 1)


def _run_suite(
    suite: Suite, boards: Sequence[Board], screen: Screen, writer: JunitWriter, **settings: Any
) -> SuiteReport:
    from likewise.device.fleet import Fleet

    report = Fleet(suite, boards, observer=_Both(screen, writer), **settings).run()
    screen.finish()
    writer.close_suite(report)
    return report


@device.command("compare")
@click.argument("reference", type=click.Path(path_type=Path))
@click.argument("candidate", type=click.Path(path_type=Path))
@common.as_json_option
def compare(reference: Path, candidate: Path, as_json: bool) -> None:
    """Compare two recordings of a suite, the board's first: the differences are the simulator's gaps."""
    from likewise.device.comparing import compare_recordings
    from likewise.report.machine import discrepancy_as_json as as_data
    from likewise.store import read

    found = compare_recordings(reference=read(reference), candidate=read(candidate))
    if as_json:
        common.emit(
            {
                "scenarios": found.scenarios,
                "steps": found.steps,
                "discrepancies": [as_data(each) for each in found.discrepancies],
                "only_reference": list(found.only_reference),
                "only_candidate": list(found.only_candidate),
            }
        )
    else:
        for each in found.discrepancies:
            click.echo(f"{each.test} step {each.position}: {each.explain()}")
        for test in found.only_reference:
            click.echo(f"{test}: only in {reference}")
        for test in found.only_candidate:
            click.echo(f"{test}: only in {candidate}")
        number = len(found.discrepancies)
        click.echo(f"{found.scenarios} scenarios, {found.steps} steps compared, {number} discrepancies")
    sys.exit(1 if found.discrepancies or found.only_reference or found.only_candidate else 0)


@device.command("verify")
@click.argument("path", metavar="SUITE.py", type=click.Path(path_type=Path))
@click.option("--candidate", required=True, metavar="NAME", help="The board to run on: the simulator.")
@click.option("--reference", required=True, metavar="NAME", help="The board that is true.")
@common.as_json_option
def verify(path: Path, candidate: str, reference: str, as_json: bool) -> None:
    """Run on the simulator, and on the board only what is not yet proved there."""
    from likewise.device.discovery import suites_in
    from likewise.device.hybrid import conclude, record_run
    from likewise.device.inventory import project_root
    from likewise.model import Role, Standing
    from likewise.report import Terminal
    from likewise.store import load

    path = path.absolute()
    configuration = load(project_root(path.parent))
    inventory = read_inventory(path.parent)
    simulator, board = inventory.choose((candidate,))[0], inventory.choose((reference,))[0]
    reports: list[TestReport] = []
    for suite in suites_in(path):
        terminal = Terminal(common.console(err=as_json))
        finished = conclude(
            suite=suite,
            path=path,
            recording=record_run(suite, path, simulator, Role.CANDIDATE),
            candidate=simulator,
            reference=board,
            configuration=configuration,
            emit=terminal,
        )
        terminal.close()
        reports += finished.tests
    if as_json:
        common.emit(
            [
                {
                    "test": each.test,
                    "standing": each.standing.value,
                    "candidate": each.candidate.value,
                    "reference": None if each.reference is None else each.reference.value,
                    "steps": each.calls,
                    "reference_steps": each.reference_calls,
                    "discrepancies": [found.explain() for found in each.discrepancies],
                }
                for each in reports
            ]
        )
    good = (Standing.TRUSTED, Standing.PROVED)
    sys.exit(0 if all(each.standing in good and each.counts_as == "passed" for each in reports) else 1)


@device.command("boards")
@common.as_json_option
def boards(as_json: bool) -> None:
    """List the boards of the inventory."""
    found = read_inventory(Path.cwd()).boards.values()
    rows = [
        {"board": each.name, "kind": each.kind, "role": each.role.value, "exclusive": each.exclusive}
        for each in found
    ]
    if as_json:
        common.emit(rows)
    else:
        common.table(list(rows[0]), [[str(each) for each in row.values()] for row in rows])


def read_inventory(folder: Path) -> Inventory:
    """The boards of the project that a folder belongs to."""
    from likewise.device.inventory import project_root
    from likewise.device.inventory import read_inventory as read
    from likewise.store import load

    configuration = load(project_root(folder))
    return read(configuration.boards, root=configuration.root, where=configuration.sources.get("boards", ""))


def narrowed(
    suites: Sequence[Suite], *, only: Sequence[str], share: bool | None, schedule: str | None
) -> list[Suite]:
    """Suites with what the command line says instead; those of which nothing is wanted are left out."""
    from dataclasses import replace

    known = {each.title for suite in suites for each in suite.scenarios}
    missing = [title for title in only if title not in known]
    if missing:
        raise common.NotFound(f"there is no scenario {missing[0]!r}", todo="Check its title.")
    return [
        replace(
            suite,
            scenarios=scenarios,
            share=suite.share if share is None else share,
            schedule=suite.schedule if schedule is None else schedule,
        )
        for suite in suites
        if (scenarios := _wanted(suite, only))
    ]


def _wanted(suite: Suite, only: Sequence[str]) -> list[Scenario]:
    """The scenarios of these titles and what they depend on; without titles all of them."""
    by_title = {each.title: each for each in suite.scenarios}
    wanted: dict[str, None] = {}
    following = [title for title in only if title in by_title] if only else list(by_title)
    while following:
        title = following.pop()
        if title not in wanted:
            wanted[title] = None
            following += by_title[title].dependencies
    return [each for each in suite.scenarios if each.title in wanted]


class _Both:
    """Two observers as one."""

    def __init__(self, *observers: Any) -> None:
        self._observers = observers

    def __getattr__(self, name: str) -> Any:
        def pass_on(*arguments: Any, **named: Any) -> None:
            for each in self._observers:
                getattr(each, name)(*arguments, **named)

        return pass_on
