"""Everything known about one test: its verdict, its calls, what both sides said, and since when."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import click

from likewise.cli.common import NotFound, configuration, last_run_path, runs
from likewise.cloud.session import read_recording
from likewise.compare import summary
from likewise.model import (
    AmbiguousAnswers,
    AnswersDiffer,
    Attempt,
    Discrepancy,
    EvidenceExpired,
    Flaky,
    Implication,
    Interaction,
    NewTiming,
    Operation,
    Rerun,
    Role,
    RunStarted,
    TestReport,
    Trace,
    UnseenCalls,
    UnseenSequence,
)
from likewise.report import machine, words
from likewise.report.reasons import conclude
from likewise.store import Ledger, LedgerAbsent, open_ledger

AROUND = 2
ATTEMPTS = 6
MOST = 6
"""Differences of one call that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Since when a difference is known, and in how many runs it was seen."""

    run: str
    when: float
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What the ledger holds for a test."""

    pieces: int
    origins: dict[str, int]
    references: tuple[str, ...]
    oldest: float
    newest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """What is known about one test."""

    test: str
    run: str
    report: TestReport | None
    """None where the run's verdicts are no longer kept: only those of the last run are."""
    started: RunStarted | None
    discrepancies: tuple[tuple[Discrepancy, Seen | None], ...]
    trace: Trace | None
    attempts: tuple[Attempt, ...]
    proof: Proof | None


def compile_dossier(nodeid: str, *, run: str | None, location: str | None) -> Dossier:
    """Gather what the last run, its recording and the ledger say about a test."""
    last = _last()
    recorded = runs()
    chosen = _choose_run(run, last, recorded)
    is_last = last is not None and last.finished.run == chosen
    reports = {report.test: report for report in last.finished.tests} if last is not None and is_last else {}
    recording = read_recording(recorded[chosen]).traces if chosen in recorded else ()
    traces = {trace.test: trace for trace in recording}
    candidates = {trace.test: trace for trace in recording if trace.role is Role.CANDIDATE}
    test = find(nodeid, {**reports, **traces})
    report = reports.get(test)
    found = Dossier(
        test=test,
        run=chosen,
        report=report,
        started=last.started if last is not None and report is not None else None,
        discrepancies=tuple((each, None) for each in report.discrepancies) if report else (),
        trace=candidates.get(test) or traces.get(test),
        attempts=(),
        proof=None,
    )
    return _with_ledger(found, location)


def _last() -> machine.LastRun | None:
    try:
        return machine.load(last_run_path())
    except machine.LastRunAbsent:
        return None


def _choose_run(run: str | None, last: machine.LastRun | None, recorded: dict[str, Any]) -> str:
    known = [*recorded, *([last.finished.run] if last is not None else [])]
    if not known:
        raise NotFound("there is no run to explain yet", todo="Make one: pytest --likewise")
    if run is None:
        return last.finished.run if last is not None else known[-1]
    matches = [each for each in dict.fromkeys(known) if each == run] or [
        each for each in dict.fromkeys(known) if run in each
    ]
    if len(matches) == 1:
        return matches[0]
    todo = f"Runs are: {words.some(list(reversed(known)), 5)}." if not matches else ""
    several = f"several runs match {run!r}: {words.some(matches, 5)}"
    raise NotFound(several if matches else f"there is no run {run!r}", todo=todo)


def find(nodeid: str, tests: Iterable[str]) -> str:
    """The test whose id this is, or is the end of; where none or several are, an error with the nearest."""
    known = list(dict.fromkeys(tests))
    ends = (
        lambda test: test == nodeid,
        lambda test: test.endswith((f"::{nodeid}", f"/{nodeid}")),
        lambda test: test.partition("[")[0].endswith((f"::{nodeid}", f"/{nodeid}")),
        lambda test: nodeid in test,
    )
    for fits in ends:
        matches = [test for test in known if fits(test)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NotFound(
                f"{len(matches)} tests match {nodeid!r}: {words.some(matches, 5)}",
                todo="Give more of the id.",
            )
    near = difflib.get_close_matches(nodeid, known, n=3, cutoff=0.5)
    short = {test.rpartition("::")[2]: test for test in known}
    near += [short[name] for name in difflib.get_close_matches(nodeid.rpartition("::")[2], short, n=3)]
    hint = (
        f"Did you mean {' or '.join(dict.fromkeys(near))}?"
        if near
        else "Tests that made no calls are not kept."
    )
    raise NotFound(f"no test {nodeid!r} in this run", todo=hint)


def _with_ledger(dossier: Dossier, location: str | None) -> Dossier:
    try:
        ledger = open_ledger(configuration(location).ledger, read_only=True)
    except LedgerAbsent:
        return dossier
    with ledger:
        known = ledger.discrepancies([dossier.test])
        started = {each.run: each.started for each in ledger.runs()}
        current = [each for each, _ in dossier.discrepancies]
        if dossier.report is None:
            current = [each for run, each in known if run == dossier.run]
        return Dossier(
            test=dossier.test,
            run=dossier.run,
            report=dossier.report,
            started=dossier.started,
            discrepancies=tuple((each, _since(each, known, started)) for each in current),
            trace=dossier.trace,
            attempts=tuple(ledger.attempts(dossier.test)[-ATTEMPTS:]),
            proof=_proof(ledger, dossier.test),
        )


def _since(
    each: Discrepancy, known: Iterable[tuple[str, Discrepancy]], started: dict[str, float]
) -> Seen | None:
    same = (each.operation, each.difference, each.place)
    found = {run for run, other in known if (other.operation, other.difference, other.place) == same}
    if not found:
        return None
    first = min(found, key=lambda run: (started.get(run, float("inf")), run))
    return Seen(run=first, when=started.get(first, 0.0), runs=len(found))


def _proof(ledger: Ledger, test: str) -> Proof | None:
    origins: Counter[str] = Counter()
    references: dict[str, None] = {}
    moments = []
    for _, evidence in ledger.evidence([test]):
        origins[str(evidence.origin)] += 1
        references[str(evidence.reference)] = None
        moments.append(evidence.when)
    if not moments:
        return None
    return Proof(
        pieces=len(moments),
        origins=dict(origins),
        references=tuple(references),
        oldest=min(moments),
        newest=max(moments),
    )


def doubts(report: TestReport | None) -> frozenset[int]:
    """The calls that a verdict is about."""
    if report is None:
        return frozenset()
    found = {each.position for each in report.discrepancies}
    match report.verdict:
        case Rerun(reason=UnseenCalls(first_new=first) | UnseenSequence(first_new=first)):
            found.add(first)
        case Rerun(
            reason=AnswersDiffer(first=first)
            | AmbiguousAnswers(first=first)
            | NewTiming(first=first)
            | EvidenceExpired(first=first)
        ):
            found.add(first)
        case Flaky(reason=reason):
            found.add(reason.position)
        case _:
            pass
    return frozenset(position for position in found if position >= 0)


def plain(dossier: Dossier) -> dict[str, Any]:
    """A dossier as JSON data; positions count from 0."""
    return {
        "test": dossier.test,
        "run": dossier.run,
        "report": None if dossier.report is None else machine.report_as_json(dossier.report),
        "discrepancies": [
            machine.discrepancy_as_json(each) | {"since": None if seen is None else asdict(seen)}
            for each, seen in dossier.discrepancies
        ],
        "calls": [_call(position, call) for position, call in enumerate(_calls(dossier))],
        "doubts": sorted(doubts(dossier.report)),
        "attempts": [asdict(each) for each in dossier.attempts],
        "proof": None if dossier.proof is None else asdict(dossier.proof),
    }


def _calls(dossier: Dossier) -> Sequence[Interaction]:
    return dossier.trace.interactions if dossier.trace is not None else ()


def _call(position: int, call: Interaction) -> dict[str, Any]:
    return {
        "position": position,
        "operation": str(call.operation),
        "lane": call.lane,
        "outcome": summary(call.outcome),
    }


def show(dossier: Dossier, *, all_calls: bool) -> None:
    """Print a dossier."""
    say = click.echo
    say(words.printable(dossier.test))
    if dossier.report is None:
        say(
            f"run {dossier.run}: its verdicts are no longer kept; "
            "this is what the ledger and its recording hold"
        )
    else:
        _show_verdict(dossier, dossier.report)
    _show_discrepancies(dossier)
    _show_calls(dossier, all_calls=all_calls)
    if dossier.proof is not None:
        proof = dossier.proof
        origins = ", ".join(f"{number} by {origin}" for origin, number in proof.origins.items())
        say(
            f"\nproof in the ledger: {words.plural(proof.pieces, 'piece')} ({origins}) from "
            f"{words.some(proof.references)}, {words.day(proof.oldest)} to {words.day(proof.newest)}"
        )
    if dossier.attempts:
        say("\nlast attempts")
    for attempt in dossier.attempts:
        target = "" if attempt.target == attempt.role else f" {words.printable(attempt.target)}"
        why = f": {words.printable(attempt.failure)}" if attempt.failure else ""
        say(f"  {words.moment(attempt.when)}  {attempt.result} on the {attempt.role}{target}{why}")


def _show_verdict(dossier: Dossier, report: TestReport) -> None:
    why = conclude(report)
    sides = f"{report.candidate} on the candidate"
    if report.reference is not None:
        sides += f", {report.reference} on the reference"
    click.echo(f"{report.standing}: {sides}; counts as {report.counts_as}")
    about = f"run {dossier.run}"
    if dossier.started is not None:
        about += f", policy {dossier.started.policy}, {words.targets(dossier.started.targets)}"
    click.echo(about)
    click.echo(f"why: {why.text}")
    if why.todo and "likewise explain" not in why.todo:
        click.echo(f"next: {why.todo}")
    for note in report.notes:
        click.echo(f"note: {words.printable(note)}")


def _show_discrepancies(dossier: Dossier) -> None:
    """What differs, call by call, most harmful first within a call."""
    said: set[Implication] = set()
    by_call: dict[tuple[int, Operation], list[tuple[Discrepancy, Seen | None]]] = {}
    for each, seen in dossier.discrepancies:
        by_call.setdefault((each.position, each.operation), []).append((each, seen))
    for (position, operation), found in by_call.items():
        number = f"call {position + 1}, " if position >= 0 else ""
        click.echo(f"\n{number}{operation}")
        found.sort(key=lambda pair: words.harm(pair[0]))
        for each, _ in found[:MOST]:
            _show_discrepancy(each, means=each.implication not in said)
            said.add(each.implication)
        if len(found) > MOST:
            click.echo(f"  and {len(found) - MOST} more differences (--json shows all)")
        if since := [seen for _, seen in found if seen is not None]:
            first = min(since, key=lambda seen: seen.when)
            times = words.plural(max(seen.runs for seen in since), "run")
            click.echo(f"  known since {words.day(first.when)} (run {first.run}), seen in {times}")


def _show_discrepancy(each: Discrepancy, *, means: bool) -> None:
    reference, candidate = words.sides(each, limit=600)
    place = f" at {words.printable(each.place)}" if each.place else ""
    click.echo(f"  {each.implication}: {words.kind(each.difference)}{place}")
    if means:
        click.echo(f"    {words.meaning(each.implication)}")
    click.echo(f"    reference: {reference}")
    click.echo(f"    candidate: {candidate}")


def _show_calls(dossier: Dossier, *, all_calls: bool) -> None:
    calls = _calls(dossier)
    if not calls:
        return
    marked = doubts(dossier.report)
    wanted = set(range(len(calls)))
    if not all_calls:
        near = {p + step for p in marked for step in range(-AROUND, AROUND + 1)} or set(range(2 * AROUND + 1))
        wanted &= near
    more = "" if len(wanted) == len(calls) else f", {len(wanted)} of {len(calls)} shown (--calls shows all)"
    click.echo(f"\ncalls on the candidate{more}")
    width = max(len(str(calls[position].operation)) for position in wanted)
    before = -1
    for position in sorted(wanted):
        if position > before + 1:
            click.echo("     …")
        before = position
        call = calls[position]
        mark = ">" if position in marked else " "
        about = words.shorten(words.printable(_resource(call)), 60)
        outcome = words.shorten(words.printable(summary(call.outcome)), 60)
        click.echo(f"{mark} {position + 1:4d}  {call.operation!s:<{width}}  {about}  ->  {outcome}")
    if before < len(calls) - 1:
        click.echo("     …")


def _resource(call: Interaction) -> str:
    """What a call was about: the first thing it touches, else its arguments."""
    if call.touches and len(call.touches[0].resource) > 1:
        return "/".join(call.touches[0].resource[1:])
    return words.show(dict(call.arguments))
