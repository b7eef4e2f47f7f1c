"""`likewise doctor` and `likewise install`: what is here, what is missing, and getting it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from likewise.cli.common import as_json_option, configuration, emit, table

MARKS = {"ready": "ok", "missing": "MISSING", "not needed": "-"}


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also ask for what this project does not use.")
@as_json_option
def doctor(everything: bool, as_json: bool) -> None:
    """Say what is installed, what is missing, and the command that installs it.

    Exit code 1 where something is missing.
    """
    from likewise.cloud.targets.doctor import examine

    findings = examine(wanted=None if everything else _wanted())
    missing = [each for each in findings if each.state == "missing"]
    if as_json:
        emit([asdict(each) for each in findings])
    else:
        table(
            ("", "what", "version", "to get it"),
            [
                (
                    MARKS[each.state],
                    each.name,
                    _version(each.state, each.version),
                    _hint(each.name, each.hint),
                )
                for each in findings
            ],
        )
        click.echo("")
        if missing:
            click.echo("Missing; install with:")
            for hint in dict.fromkeys(_hint(each.name, each.hint) for each in missing if each.hint):
                click.echo(f"  {hint}")
        else:
            click.echo("Everything that is needed is here.")
    if missing:
        raise click.exceptions.Exit(1)


def _hint(name: str, hint: str) -> str:
    from likewise.cloud.targets import SPECS

    return f"likewise install {name}" if hint and name in SPECS else hint


def _version(state: str, version: str) -> str:
    return version if state == "ready" else ""


def _wanted() -> frozenset[str] | None:
    """What the configuration names; None, which asks for all that is usual, where it names nothing."""
    found = configuration()
    names: set[str] = set()
    for choice in (found.candidate, found.reference):
        if choice is not None:
            names.update(choice.values() if isinstance(choice, dict) else (choice,))
    if not names:
        return None
    services = found.services or _services(names)
    if {"s3", "dynamodb"} & set(services):
        names.add("boto3")
    libraries = {"blob": "azure-storage-blob", "queue": "azure-storage-queue", "table": "azure-data-tables"}
    names.update(library for service, library in libraries.items() if service in services)
    if found.ledger.startswith("postgres"):
        names.add("psycopg")
    return frozenset(names)


def _services(names: set[str]) -> frozenset[str]:
    from likewise.cloud.targets import SPECS

    return frozenset().union(*(SPECS[name].services for name in names if name in SPECS))


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    default=None,
    help="Default: $LIKEWISE_CACHE or ~/.cache/likewise.",
)
def install(names: tuple[str, ...], cache: Path | None) -> None:
    """Install each server NAME under the cache, unless it is there."""
    from likewise.cloud import targets

    specs = [targets.find(name) for name in names]  # a typing error is found before anything is done
    for spec in specs:
        found = targets.install(spec, cache=cache or targets.default_cache(), say=click.echo)
        click.echo(f"{spec.name} {found.version} is ready")
