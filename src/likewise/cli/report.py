"""`likewise report`: the last run again, for people and for machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.common import as_json_option, configuration, console, emit, last_run_path

if TYPE_CHECKING:
    from likewise.report.machine import LastRun

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option("--html", type=FILE, metavar="FILE", help="Write one self-contained page.")
@click.option("--junit", type=FILE, metavar="FILE", help="Write JUnit XML.")
@click.option(
    "--github",
    is_flag=True,
    help="Print Markdown; inside a workflow, add it to the step's summary and print annotations.",
)
@click.option("--study", is_flag=True, help="Operations by tests, and what fixing them would clear.")
@as_json_option
def report(html: Path | None, junit: Path | None, github: bool, study: bool, as_json: bool) -> None:
    """Show the last run again. Without an option: as after the run."""
    from likewise.report import machine

    run = machine.load(last_run_path())
    if html is not None:
        _write_html(html, run)
        click.echo(f"wrote {html}", err=True)
    if junit is not None:
        from likewise.report.junit import write_junit

        write_junit(junit, run.finished)
        click.echo(f"wrote {junit}", err=True)
    if github:
        _github(run)
    if study:
        _study(run, as_json=as_json)
    elif as_json:
        emit(machine.as_json(run.finished))
    elif not (html or junit or github):
        from likewise.report.terminal import Terminal

        terminal = Terminal(console())
        for event in (run.started, *run.notices, run.finished):
            if event is not None:
                terminal(event)


def _write_html(path: Path, run: LastRun) -> None:
    from likewise.report.html import write_html
    from likewise.store import LedgerAbsent, open_ledger

    try:
        with open_ledger(configuration().ledger, read_only=True) as ledger:
            spendings = ledger.spendings()
    except LedgerAbsent:
        spendings = []  # the page shows this run alone
    write_html(
        path,
        run.finished,
        started=run.started,
        spendings=spendings,
        operations=run.operations,
        notices=run.notices,
    )


def _github(run: LastRun) -> None:
    from likewise.report.github import as_annotations, as_markdown

    markdown = as_markdown(run.finished, started=run.started)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        click.echo(markdown)
        return
    with Path(summary).open("a", encoding="utf-8") as file:
        file.write(markdown)
    for line in as_annotations(run.finished):
        click.echo(line)


def _study(run: LastRun, *, as_json: bool) -> None:
    from likewise.report import study

    found = study.examine(run.finished.tests, run.operations)
    if as_json:
        emit(study.as_json(found))
    else:
        study.render(console(), found)
