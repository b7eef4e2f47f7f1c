"""Prove a seeded share of the skipped calls again, so that trust is measured and not assumed."""

from __future__ import annotations

import random
from collections.abc import Iterable

from likewise.decide import CallStanding, Rules, place
from likewise.model import Audit, Keyed, LikewiseError, Notice, ReplayImpossible, Standing, Trust, Withdrawal
from likewise.run.cases import Case, Settings
from likewise.run.findings import compare_replay
from likewise.run.ports import Emit, Ledger
from likewise.run.proving import Prover


def audit(
    cases: Iterable[Case],
    *,
    prover: Prover,
    ledger: Ledger,
    rules: Rules,
    settings: Settings,
    run: str,
    emit: Emit,
) -> None:
    """Replay some trusted calls; one that answers otherwise withdraws its key and its operation's."""
    skipped = [
        (case, call)
        for case in cases
        if case.standing is None and isinstance(case.verdict, Trust)
        for call in case.reading.calls
        if not call.timed and place(call, prover.known.answers, rules) is CallStanding.EQUAL
    ]
    wanted = min(settings.audit_budget, len(skipped), round(len(skipped) * settings.audit_share + 0.5))
    chooser = random.Random(f"{settings.seed} {run}")
    for case, call in chooser.sample(skipped, wanted):
        try:
            _audit_one(case, call, prover=prover, ledger=ledger, settings=settings, run=run)
        except ReplayImpossible:
            continue  # says nothing about the call: another one is drawn next time
        except LikewiseError as error:
            emit(Notice(slug=error.slug, text=f"Audits stopped. {error}"))
            return


def _audit_one(
    case: Case, call: Keyed, *, prover: Prover, ledger: Ledger, settings: Settings, run: str
) -> None:
    reading = case.reading
    answered = prover.ask(case, reading.slice([call.position]))
    differing = compare_replay(
        reading.so_far, reading.keyed, prover.known.familiarity, answered, settings.overlooks
    )
    found = differing.of(reading.place)
    operation = str(call.operation)
    ledger.add_audits([Audit(key=call.key, operation=operation, clean=not found, run=run, when=settings.now)])
    if not found:
        return
    for other in reading.calls:
        if str(other.operation) == operation:
            reason = f"an audit of {operation} failed"
            ledger.withdraw(Withdrawal(key=other.key, reason=reason, when=settings.now))
    case.find(found)
    case.standing = Standing.DISCREPANT
    case.notes.append(f"an audit contradicted the ledger: {found[0].explain()}")
