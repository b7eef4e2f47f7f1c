"""`likewise upgrade`: what a new version of a package changes for this client."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.common import HOME
from likewise.cli.comparing import output_options, present

if TYPE_CHECKING:
    from likewise.library.environments import Builder

PATH = click.Path(path_type=Path)


def environment_options(command: click.decorators.FC) -> click.decorators.FC:
    """How environments are built."""
    for option in (
        click.option(
            "-r",
            "--requirements",
            "files",
            multiple=True,
            type=PATH,
            help="Requirements instead of those that the folder has.",
        ),
        click.option("--extra", "extras", multiple=True, help="An extra of the client that its tests need."),
        click.option("--no-project", is_flag=True, help="Do not install the client itself."),
        click.option(
            "--wheels",
            multiple=True,
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="Install from this directory alone, without any index.",
        ),
        click.option("--installer", type=click.Choice(["pip", "uv"]), help="Default: pip."),
        click.option("--python", type=PATH, help="The interpreter to build environments with."),
    ):
        command = option(command)
    return command


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("package")
@click.option("--from", "reference", metavar="V", help="The reference; default: the version in use.")
@click.option("--to", "candidate", metavar="V", help="The candidate.")
@environment_options
@click.option("--reference-python", type=PATH, help="An existing environment for the reference.")
@click.option("--candidate-python", type=PATH, help="An existing environment for the candidate.")
@click.option("--times", default=2, show_default=True, help="Runs on each side; one learns no masks.")
@click.option("--keep", type=PATH, help="Where the recordings go; default: .likewise/upgrades/…")
@output_options
@click.argument("command", nargs=-1, required=True, metavar="-- pytest …", type=click.UNPROCESSED)
@click.pass_context
def upgrade(
    ctx: click.Context,
    package: str,
    reference: str | None,
    candidate: str | None,
    files: tuple[Path, ...],
    extras: tuple[str, ...],
    no_project: bool,
    wheels: tuple[Path, ...],
    installer: str | None,
    python: Path | None,
    reference_python: Path | None,
    candidate_python: Path | None,
    times: int,
    keep: Path | None,
    command: tuple[str, ...],
    form: str | None,
    everything: bool,
    exit_zero: bool,
) -> None:
    """Run the client's tests on two versions of PACKAGE and say what changed at the boundary.

    In the client's folder: two environments are built from its own requirements, or taken as they are,
    the same tests run twice in each. Ends with 0 where nothing differs, and with 1 where something does.
    """
    from likewise.library.runs import parse_suite
    from likewise.library.upgrade import Upgrade, between, build

    here = Path.cwd()
    suite = parse_suite(command, here)
    if reference_python and candidate_python:
        environments = between(reference_python.absolute(), candidate_python.absolute(), package)
    elif reference_python or candidate_python:
        raise click.UsageError("--reference-python and --candidate-python belong together")
    elif candidate is None:
        raise click.UsageError("Missing option '--to': the version to upgrade to")
    else:
        builder = _builder(files, extras, wheels, installer, python, install_project=not no_project)
        environments = build(builder, package, reference=reference, candidate=candidate)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    found = Upgrade(
        package=package,
        environments=environments,
        suite=suite,
        folder=(keep or here / HOME / "upgrades" / f"{package}-{stamp}").absolute(),
        times=max(1, times),
        say=_say,
    ).run()
    present(ctx, found, form=form, everything=everything, exit_zero=exit_zero)


def _builder(
    files: tuple[Path, ...],
    extras: tuple[str, ...],
    wheels: tuple[Path, ...],
    installer: str | None,
    python: Path | None,
    *,
    install_project: bool,
) -> Builder:
    """Builds environments for the client in this folder."""
    from likewise.library.environments import Builder, Source, choose, default_cache, find_recipe

    requirements = tuple(path.absolute() for path in files)
    return Builder(
        recipe=find_recipe(Path.cwd(), files=requirements, extras=extras, install_project=install_project),
        cache=default_cache(),
        installer=choose(installer),
        source=Source(wheels=tuple(path.absolute() for path in wheels)),
        python=python.absolute() if python else Path(sys.executable),
        say=_say,
    )


def _say(line: str) -> None:
    click.echo(f"likewise: {line}", err=True)
