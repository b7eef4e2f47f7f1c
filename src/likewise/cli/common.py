"""What the commands share: where the project is, its ledger, its runs, and how things are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from likewise.model import LikewiseError

if TYPE_CHECKING:
    from rich.console import Console

    from likewise.store import Configuration, Ledger

F = TypeVar("F", bound=Callable[..., Any])

HOME = ".likewise"
WIDE = 200


def as_json_option(command: F) -> F:
    """`--json`: for machines."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def ledger_option(command: F) -> F:
    """`--ledger`: another ledger than the configured one."""
    return click.option(
        "--ledger", "location", metavar="L", help="A file or postgresql://… instead of the configured one."
    )(command)


def root() -> Path:
    """The project's directory: the nearest one, upwards, with a configuration or earlier runs."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if any((folder / name).exists() for name in (HOME, "likewise.toml", "pyproject.toml")):
            return folder
    return here


def configuration(location: str | None = None) -> Configuration:
    """The project's configuration; `location` is a ledger named on the command line."""
    from likewise.store import load

    found = load(root())
    if location is None:
        return found
    place = location if "://" in location else str(Path.cwd() / location)
    return replace(found, ledger=place, sources={**found.sources, "ledger": "--ledger"})


def read_ledger(location: str | None = None) -> Ledger:
    """The project's ledger, to look into only."""
    from likewise.store import open_ledger

    return open_ledger(configuration(location).ledger, read_only=True)


def last_run_path() -> Path:
    """Where the last run is kept."""
    return root() / HOME / "last-run.json"


def runs() -> dict[str, list[Path]]:
    """The recordings of the project by run, oldest first; each worker wrote one."""
    folder = root() / HOME / "recordings"
    found = {each.name: sorted(each.glob("*.jsonl")) for each in folder.iterdir()} if folder.is_dir() else {}
    return {name: paths for name, paths in sorted(found.items()) if paths}


def console(*, err: bool = False) -> Console:
    """Where tables go."""
    from rich.console import Console

    return Console(stderr=err, highlight=False, file=sys.stderr if err else sys.stdout)


def emit(data: object) -> None:
    """Print JSON."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=not _is_unicode(), default=str))


def _is_unicode() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[str] = ()) -> None:
    """Print a plain table; numbers are written with their thousands apart."""
    from rich.table import Table
    from rich.text import Text

    from likewise.report.words import printable

    grid = Table(box=None, pad_edge=False, header_style="bold")
    numeric = set(right)
    for column in columns:
        grid.add_column(column, justify="right" if column in numeric else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(f"{cell:,}" if isinstance(cell, int) else printable(str(cell))) for cell in row))
    screen = console()
    if not screen.is_terminal:
        screen.width = max(screen.width, WIDE)  # a line in a pipe is read by programs
    with screen.capture() as captured:
        screen.print(grid)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


class NotFound(LikewiseError):
    """Nothing has this name."""

    slug = "not-found"
