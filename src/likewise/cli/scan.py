"""`likewise scan`: no secret reached the disk."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import click

from likewise.cli.common import HOME, NotFound, as_json_option, configuration, emit, root, table
from likewise.report.words import plural


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATH…]")
@as_json_option
def scan(paths: tuple[Path, ...], as_json: bool) -> None:
    """Look for secrets in files, by default in all that Likewise wrote for this project.

    Looks for the forms of keys, signatures and tokens, and for the values that this environment holds.
    Exit code 1 where one is found.
    """
    from likewise.cloud.leaks import scan as look
    from likewise.cloud.secrets import gather

    places = list(paths) or [root() / HOME]
    files = [file for place in places for file in _files(place)]
    if not files:
        raise NotFound(
            "there is nothing to scan",
            where=", ".join(map(str, places)),
            todo="Name a file or a directory, or make a run: pytest --likewise",
        )
    known = gather(os.environ, extra=configuration().extra_secrets)
    leaks = look(files, secrets=known)
    if as_json:
        emit({"files": len(files), "leaks": [asdict(leak) for leak in leaks]})
    elif leaks:
        table(
            ("file", "line", "what"),
            [(leak.path, leak.line or "-", leak.kind) for leak in leaks],
            right=["line"],
        )
        found = f"{plural(len(leaks), 'secret')} in {plural(len(files), 'file')}"
        click.echo(f"{found}: change them where they are valid, then delete the files.")
    else:
        click.echo(f"no secrets in {plural(len(files), 'file')}")
    if leaks:
        raise click.exceptions.Exit(1)


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(each for each in place.rglob("*") if each.is_file())
    return [place] if place.is_file() else []
