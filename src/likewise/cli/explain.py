"""`likewise explain`: why a test has its verdict."""

from __future__ import annotations

import click

from likewise.cli.common import as_json_option, emit, ledger_option


@click.command()
@click.argument("nodeid", metavar="NODEID")
@click.option("--run", "run", metavar="R", help="Another run than the last one.")
@click.option("--calls", "all_calls", is_flag=True, help="Show every call, not only those around the doubt.")
@ledger_option
@as_json_option
def explain(nodeid: str, run: str | None, all_calls: bool, location: str | None, as_json: bool) -> None:
    """Say why a test has its verdict: which call, what both sides said, since when.

    NODEID may be any end of the test's id that is clear: test_orders.py::test_twice, or test_twice.
    """
    from likewise.cli.dossier import compile_dossier, plain, show

    dossier = compile_dossier(nodeid, run=run, location=location)
    if as_json:
        emit(plain(dossier))
    else:
        show(dossier, all_calls=all_calls)
