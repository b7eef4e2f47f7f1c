"""`likewise savings`: what every run cost and saved."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from likewise.cli.common import as_json_option, emit, ledger_option, read_ledger, table
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
    less the calls of tests that ended undecided or flaky.
    """
    with read_ledger(location) as found:
        spendings = found.spendings()
    shown = spendings[-last:] if last else spendings
    if as_json:
        emit({"runs": [asdict(each) | {"saved": _saved(each)} for each in shown], "total": _total(shown)})
        return
    if not shown:
        click.echo("no runs yet: pytest --likewise")
        return
    total = _total(shown)
    rows: list[tuple[object, ...]] = [
        (
            moment(each.when),
            each.policy,
            each.tests,
            each.calls,
            each.reference_calls,
            _saved(each),
            share(max(0, _saved(each)), each.calls),
            _amount(_spared(each)[0]),
            _time(_spared(each)[1]),
        )
        for each in shown
    ]
    calls, saved = int(total["calls"]), int(total["saved"])
    columns = ("when (UTC)", "policy", "tests", "calls", "made", "saved", "share", "money", "time")
    sums = ("total", "", "", calls, int(total["reference_calls"]), saved, share(max(0, saved), calls))
    spared = (
        _amount(sum(_spared(each)[0] for each in shown)),
        _time(sum(_spared(each)[1] for each in shown)),
    )
    rows.append((*sums, *spared))
    table(columns, rows, right=columns[2:])


def _saved(each: Spending) -> int:
    return each.calls - each.unsettled - each.reference_calls


def _spared(each: Spending) -> tuple[float, float]:
    """Money and seconds that were not spent, calls of unsettled tests left out.

    A call that was spared is taken to last as long as it did on the candidate.
    """
    if not each.calls:
        return 0.0, 0.0
    settled = 1 - each.unsettled / each.calls
    return each.money * settled - each.reference_money, each.seconds * _saved(each) / each.calls


def _amount(dollars: float) -> str:
    return money(dollars) if dollars > 0 else "-"


def _time(duration: float) -> str:
    return seconds(duration) if duration > 0 else "-"


def _total(spendings: list[Spending]) -> dict[str, float]:
    names = ("calls", "reference_calls", "seconds", "reference_seconds", "money", "reference_money")
    sums: dict[str, float] = {name: sum(getattr(each, name) for each in spendings) for name in names}
    return sums | {"runs": len(spendings), "saved": sum(map(_saved, spendings))}
