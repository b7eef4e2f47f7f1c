"""The report as one page that needs nothing else: no network, no framework."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from likewise.model import Notice, RunFinished, RunStarted, Spending, Standing, TestReport
from likewise.report import digest, words
from likewise.report.groups import Group, OperationGroup, collect
from likewise.report.reasons import conclude

LONGEST = 4_000
"""Characters of a value that the page shows."""
EXAMPLES = 3
RUNS = 40
"""Runs in the drawing of savings."""


def write_html(
    path: Path,
    finished: RunFinished,
    *,
    started: RunStarted | None = None,
    spendings: Sequence[Spending] = (),
    operations: Mapping[str, Iterable[str]] | None = None,
    notices: Sequence[Notice] = (),
) -> None:
    """Write a run as a page; `spendings` are those of all runs, `operations` what each test used."""
    page = as_html(finished, started=started, spendings=spendings, operations=operations, notices=notices)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(page.encode("utf-8", "backslashreplace"))


def as_html(
    finished: RunFinished,
    *,
    started: RunStarted | None = None,
    spendings: Sequence[Spending] = (),
    operations: Mapping[str, Iterable[str]] | None = None,
    notices: Sequence[Notice] = (),
) -> str:
    """A run as a page. Every value is escaped where it is put in."""
    environment = Environment(
        loader=PackageLoader("likewise.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = digest.counts(finished.tests)
    groups = collect(finished.tests)
    return environment.get_template("report.html.j2").render(
        run=finished.run,
        when=words.moment(finished.spending.when),
        policy=started.policy if started else finished.spending.policy,
        targets=words.targets(started.targets) if started else "",
        tests=len(finished.tests),
        counts=[(str(standing), number) for standing, number in numbers.items()],
        cards=_cards(finished),
        undecided=digest.undecided_phrase(finished.tests) if numbers[Standing.UNDECIDED] else "",
        next_step=digest.next_step(finished),
        notices=[notice.text for notice in dict.fromkeys(notices)],
        leftovers=finished.leftovers,
        differences=[_operation(group) for group in groups],
        flaky=[_row(report) for report in finished.tests if report.standing is Standing.FLAKY],
        rows=[_row(report) for report in _ordered(finished.tests)],
        operations=_operations(finished, groups, operations or {}),
        chart=draw_savings(spendings or [finished.spending]),
    )


def _cards(finished: RunFinished) -> list[dict[str, str]]:
    saved = digest.savings(finished.spending, finished.tests)
    spending = finished.spending
    cards = [
        {
            "title": "reference calls saved",
            "value": words.share(max(0, saved.saved), saved.calls),
            "text": digest.savings_line(spending, finished.tests),
        },
        {
            "title": "spent on the reference",
            "value": words.money(spending.reference_money),
            "text": digest.cost_line(spending) or "no call was made",
        },
    ]
    bound = digest.audits_line(finished.audits)
    if finished.audits.failed:
        value = f"{finished.audits.failed:,} failed"
    elif finished.audits.bound is None:
        value, bound = "none yet", "audits prove skipped calls again, and bound how many may be wrong"
    else:
        value = "≤ " + bound.partition("at most ")[2].partition(" of")[0]
    return [*cards, {"title": "wrongly skipped", "value": value, "text": bound}]


def _ordered(reports: Sequence[TestReport]) -> list[TestReport]:
    first = (Standing.DISCREPANT, Standing.FLAKY, Standing.UNDECIDED, Standing.PROVED, Standing.TRUSTED)
    return sorted(reports, key=lambda report: first.index(report.standing))


def _row(report: TestReport) -> dict[str, Any]:
    why = conclude(report)
    path, _, name = words.printable(report.test).partition("::")
    return {
        "path": path if name else "",
        "test": name or path,
        "standing": str(report.standing),
        "candidate": str(report.candidate),
        "reference": "" if report.reference is None else str(report.reference),
        "differs": report.reference is not None and report.reference is not report.candidate,
        "calls": report.calls,
        "reference_calls": report.reference_calls,
        "why": why.text,
        "todo": why.todo,
        "notes": [words.printable(note) for note in report.notes],
    }


def _operation(found: OperationGroup) -> dict[str, Any]:
    return {
        "operation": words.printable(str(found.operation)),
        "worst": str(found.worst),
        "tests": words.plural(len(found.tests), "test"),
        "groups": [
            _group(group, means=number == 0 or found.groups[number - 1].implication is not group.implication)
            for number, group in enumerate(found.groups)
        ],
    }


def _group(group: Group, *, means: bool) -> dict[str, Any]:
    return {
        "implication": str(group.implication),
        "meaning": words.meaning(group.implication),
        "means": means,
        "telling": words.TELLING if group.is_telling else "",
        "kind": words.kind(group.difference),
        "place": words.printable(group.place),
        "tests": [words.printable(test) for test in group.tests],
        "examples": [words.sides(example, limit=LONGEST) for example in group.examples[:EXAMPLES]],
        "more": max(0, len(group.examples) - EXAMPLES),
    }


def _operations(
    finished: RunFinished, groups: Sequence[OperationGroup], operations: Mapping[str, Iterable[str]]
) -> list[dict[str, Any]]:
    used = Counter(name for names in operations.values() for name in set(names))
    differing = {str(group.operation): group for group in groups}
    names = {*used, *differing, *finished.spending.by_operation}
    rows = [
        {
            "operation": words.printable(name),
            "tests": max(used[name], len(differing[name].tests) if name in differing else 0),
            "discrepant": len(differing[name].tests) if name in differing else 0,
            "worst": str(differing[name].worst) if name in differing else "",
            "reference_calls": finished.spending.by_operation.get(name, 0),
        }
        for name in names
    ]
    return sorted(
        rows, key=lambda row: (-row["discrepant"], -row["tests"], -row["reference_calls"], row["operation"])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One run in the drawing: calls that were made on the reference, and those that were saved."""

    x: float
    width: float
    made_y: float
    made_height: float
    saved_y: float
    saved_height: float
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing of 100 by 40 units, stretched to the page's width."""

    bars: tuple[Bar, ...]
    most: int
    first: str
    last: str
    runs: int
    saved: str


def _spared(each: Spending) -> int:
    return max(0, each.calls - each.unsettled - each.reference_calls)


def draw_savings(spendings: Sequence[Spending]) -> Chart:
    """Calls made and saved over the last runs."""
    shown = list(spendings)[-RUNS:]
    most = max((max(each.calls, each.reference_calls) for each in shown), default=0) or 1
    step = 100 / max(len(shown), 8)
    bars = []
    for number, each in enumerate(shown):
        made = 40 * each.reference_calls / most
        spared = _spared(each)
        saved = 40 * spared / most
        bars.append(
            Bar(
                x=round(number * step + step * 0.1, 3),
                width=round(step * 0.8, 3),
                made_y=round(40 - made, 3),
                made_height=round(made, 3),
                saved_y=round(40 - made - saved, 3),
                saved_height=round(saved, 3),
                title=f"{words.moment(each.when)}: {each.reference_calls:,} made, {spared:,} saved "
                f"({words.share(spared, each.calls)}), policy {each.policy}",
            )
        )
    calls = sum(each.calls for each in spendings)
    saved_in_all = sum(map(_spared, spendings))
    return Chart(
        bars=tuple(bars),
        most=most,
        first=words.day(shown[0].when) if shown else "",
        last=words.day(shown[-1].when) if shown else "",
        runs=len(shown),
        saved=f"{saved_in_all:,} of {words.plural(calls, 'call')} saved "
        f"({words.share(saved_in_all, calls)}) over {words.plural(len(spendings), 'run')}",
    )
