"""`likewise config`: what is in force, and where it comes from."""

from __future__ import annotations

import click

from likewise.cli.common import as_json_option, configuration, emit, table


@click.command()
@as_json_option
def config(as_json: bool) -> None:
    """Show the configuration and where each value comes from."""
    found = configuration()
    rows = found.describe()
    if as_json:
        values = {key: {"value": value, "from": source} for key, value, source in rows}
        emit({"root": str(found.root), "values": values})
        return
    click.echo(f"project: {found.root}")
    inside = f"{found.root}/"
    table(
        ("key", "value", "from"),
        [(key, _shown(value).replace(inside, ""), source.replace(inside, "")) for key, value, source in rows],
    )


def _shown(value: object) -> str:
    match value:
        case None | () | "":
            return "-"
        case tuple():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{name}: {inner}" for name, inner in value.items())
        case _:
            return str(value)
