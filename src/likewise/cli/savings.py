"""`likewise savings`: what every run cost and saved."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli.common import as_json_option, emit, ledger_option, read_ledger, table
from likewise.report.digest import spared
from likewise.report.words import moment, money, seconds, share

if TYPE_CHECKING:
    from likewise.model import Spending


@click.command()
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N runs.")
@ledger_option
@as_json_option
def savings(last: int | None, location: str | None, as_json: bool) -> None:
    """Show what each run cost on the reference and what it saved, with totals.

    Saved is what running the whole suite once on the reference would have cost, less what was spent and
    less the calls of tests that ended undecided or flaky, or whose result there nobody knows though
    answers differ.
    """
    with read_ledger(location) as found:
        spendings = found.spendings()
    shown = spendings[-last:] if last else spendings
    if as_json:
        emit(
            {"runs": [asdict(each) | {"saved": spared(each).saved} for each in shown], "total": _total(shown)}
        )
        return
    if not shown:
        click.echo("no runs yet: pytest --likewise")
        return
    total = _total(shown)
    spared_each = [spared(each) for each in shown]
    rows: list[tuple[object, ...]] = [
        (
            moment(each.when),
            each.policy,
            each.tests,
            each.calls,
            each.reference_calls,
            found.saved,
            share(max(0, found.saved), each.calls),
            _amount(found.money),
            _time(found.seconds),
        )
        for each, found in zip(shown, spared_each, strict=True)
    ]
    calls, saved = int(total["calls"]), int(total["saved"])
    columns = ("when (UTC)", "policy", "tests", "calls", "made", "saved", "share", "money", "time")
    sums = ("total", "", "", calls, int(total["reference_calls"]), saved, share(max(0, saved), calls))
    amounts = (
        _amount(sum(each.money for each in spared_each)),
        _time(sum(each.seconds for each in spared_each)),
    )
    rows.append((*sums, *amounts))
    table(columns, rows, right=columns[2:])


def _amount(dollars: float) -> str:
    return money(dollars) if dollars else "-"


def _time(duration: float) -> str:
    return f"{'-' if duration < 0 else ''}{seconds(abs(duration))}" if duration else "-"


def _total(spendings: list[Spending]) -> dict[str, float]:
    names = ("calls", "reference_calls", "seconds", "reference_seconds", "money", "reference_money")
    sums: dict[str, float] = {name: sum(getattr(each, name) for each in spendings) for name in names}
    return sums | {"runs": len(spendings), "saved": sum(spared(each).saved for each in spendings)}
