"""`python -m likewise.cloud.targets install NAME…`: for machines that prepare themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from likewise.cloud.targets import default_cache, find, install
from likewise.model import LikewiseError


@click.group()
def main() -> None:
    """Install servers that Likewise can start."""


@main.command("install")
@click.argument("names", nargs=-1, required=True)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    default=None,
    help="Default: $LIKEWISE_CACHE or ~/.cache/likewise.",
)
def install_command(names: tuple[str, ...], cache: Path | None) -> None:
    """Install each server NAME under the cache, unless it is there."""
    try:
        for name in names:
            install(find(name), cache=cache or default_cache(), say=click.echo)
    except LikewiseError as error:
        click.echo(str(error), err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
