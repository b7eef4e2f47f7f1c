"""`likewise discrepancies` and `likewise coverage`: what campaigns found, and how far they got."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.common import HOME, NotFound, as_json_option, emit, root, table
from likewise.report.words import plural

if TYPE_CHECKING:
    from likewise.cloud.fuzz.findings import Tally
    from likewise.cloud.fuzz.log import Campaigns

COLUMNS = ("reached", "succeeded", "compared", "discrepant", "never")


def _logs(service: str | None) -> list[Path]:
    from likewise.cloud.fuzz.log import file_word

    folder = root() / HOME / "fuzz"
    found = [*folder.glob("*.jsonl"), *folder.glob("*.old")] if folder.is_dir() else []
    begin = "" if service is None else f"{file_word(service)}_"
    return sorted(path for path in found if path.name.startswith(begin))


def _read(service: str | None) -> Campaigns:
    from likewise.cloud.fuzz.log import read

    return read(_logs(service))


@click.command()
@click.option("--service", help="Only this service's.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option("--brief", is_flag=True, help="Markdown with the calls only, without whole scripts.")
@click.option("--html", "as_html", is_flag=True, help="Print one page of HTML.")
@click.option(
    "--reproducers",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a script and a pytest file for each finding.",
)
@as_json_option
def discrepancies(
    service: str | None,
    as_markdown: bool,
    brief: bool,
    as_html: bool,
    reproducers: Path | None,
    as_json: bool,
) -> None:
    """Show the catalogue of findings, by operation, the most harmful first, with reproducers."""
    from likewise.cloud.fuzz.catalogue import pages

    if service is not None and not _logs(service):
        from likewise.cloud.fuzz.grammar import load

        load(service)  # says where there is no such service at all
    found = _read(service)
    if reproducers is not None:
        _write(found, reproducers)
    if as_json:
        emit(
            {
                "discrepancies": [
                    {
                        **finding.as_json(),
                        "candidate_target": found.pairs[finding.hash][0],
                        "reference_target": found.pairs[finding.hash][1],
                        "first_seen": found.first_seen[finding.hash],
                    }
                    for finding in found.ranked()
                ],
                "unstable": found.unstable,
            }
        )
    elif as_markdown:
        click.echo(pages.markdown(found, full=0 if brief else None))
    elif as_html:
        click.echo(pages.page(found))
    else:
        for line in pages.text(found):
            click.echo(line)
        for line in pages.targets(found):
            click.echo(line)
        if not found.headers:
            click.echo(
                "no campaign so far; start one with: likewise fuzz SERVICE --candidate T --reference T"
            )
        elif not found.findings:
            click.echo("nothing found so far")


def _write(found: Campaigns, folder: Path) -> None:
    from likewise.cloud.fuzz.catalogue.reproducers import file_name, pytest_file, script

    folder.mkdir(parents=True, exist_ok=True)
    for finding in found.ranked():
        (folder / f"{file_name(finding)}.py").write_text(script(finding))
        (folder / f"test_{file_name(finding)}.py").write_text(pytest_file(finding))
    count = plural(len(found.findings), "finding")
    click.echo(f"a script and a test for {count} written to {folder}", err=True)


@click.command()
@click.argument("service")
@as_json_option
def coverage(service: str, as_json: bool) -> None:
    """Show what of a service was reached: called, succeeded, compared, discrepant, never; and why not."""
    from likewise.cloud.fuzz.findings import Tally
    from likewise.cloud.fuzz.grammar import load

    grammar = load(service)
    found = _read(service)
    if not grammar.operations:
        raise NotFound(f"no operations for {service}")
    tally = found.tallies.get(service, Tally())
    rows = _rows(service, tally, {finding.operation for finding in found.findings.values()})
    totals: dict[str, float] = {key: sum(bool(row[key]) for row in rows) for key in COLUMNS}
    totals["implemented"] = sum(row["reached"] and not row["why"].startswith("not impl") for row in rows)
    totals["targets"] = sum(row["targets"] for row in rows)
    totals["of_targets"] = sum(row["of_targets"] for row in rows)
    if as_json:
        triples = [list(each) for each in sorted(tally.targets)]
        emit({"service": service, "operations": rows, "totals": totals, "targets": triples})
        return
    table(
        ("operation", *COLUMNS, "parameters × classes"),
        [
            (
                row["operation"],
                *("yes" if row[key] else "-" for key in COLUMNS),
                f"{row['targets']} of {row['of_targets']}",
            )
            for row in rows
        ],
    )
    for row in rows:
        if row["why"]:
            click.echo(f"{row['operation']} never succeeded; {row['why']}")
    said = ", ".join(f"{totals[key]} {key}" for key in COLUMNS)
    click.echo(
        f"{len(rows)} operations: {said}; {totals['succeeded']} of {totals['implemented']} that a side "
        f"implements succeeded; {totals['targets']} of {totals['of_targets']} (operation, parameter, class)"
    )


def _rows(service: str, tally: Tally, differing: set[str]) -> list[dict[str, Any]]:
    from likewise.cloud.fuzz.grammar import load
    from likewise.cloud.fuzz.hints import hints_of
    from likewise.cloud.fuzz.planning.plans import Planner
    from likewise.cloud.fuzz.tasks.cases import Cases

    planner = Planner(load(service), hints_of(service))
    cases = Cases(planner, 0, planner.operations)
    rows = []
    for name in sorted(planner.grammar.operations):
        wanted = cases.targets(name) if name in planner.operations else set()
        sent = {each for each in tally.targets if each[0] == name}
        rows.append(
            {
                "operation": name,
                "reached": name in tally.called,
                "succeeded": name in tally.succeeded,
                "compared": name in tally.compared,
                "discrepant": name in differing,
                "never": name not in tally.called,
                "why": tally.why(name),
                "parameters": len({parameter for _, parameter, _ in sent}),
                "targets": len(sent & wanted),
                "of_targets": len(wanted),
            }
        )
    return rows
