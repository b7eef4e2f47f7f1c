"""Prove a seeded share of the skipped calls again, so that trust is measured and not assumed."""

from __future__ import annotations

import random
from collections.abc import Iterable

from likewise.decide import CallStanding, Rules, place
from likewise.model import (
    Audit,
    Fingerprint,
    Keyed,
    LikewiseError,
    Notice,
    Operation,
    ReplayImpossible,
    Standing,
    Trust,
    Withdrawal,
)
from likewise.run.cases import Case, Settings
from likewise.run.findings import Differing, compare_replay
from likewise.run.ports import Emit, Ledger
from likewise.run.proving import Prover

CALLS_EACH = 5
"""What an audit may cost, on the average of runs: calls with long histories are audited less often."""


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
        if case.standing is None and isinstance(case.verdict, Trust) and not case.reading.trace.unseen
        for call in case.reading.calls
        if not call.timed and place(call, prover.known.answers, rules) is CallStanding.EQUAL
    ]
    wanted = min(settings.audit_budget, len(skipped), round(len(skipped) * settings.audit_share + 0.5))
    chooser = random.Random(f"{settings.seed} {run}")
    left = CALLS_EACH * wanted
    for case, call in chooser.sample(skipped, wanted):
        cost = len(case.reading.slice([call.position]))
        if cost > left and chooser.random() * cost >= left:
            continue  # its turn comes in some later run: on the average of runs, audits cost what they may
        left -= cost
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
    differing = _differences(case, [call.position], prover=prover, settings=settings)
    if differing.found:
        # A call may quote what an earlier one was told without our noticing, where that never varies (the
        # token of a page, say). So nothing is contradicted until all that the test did before is repeated.
        differing = _differences(case, range(call.position + 1), prover=prover, settings=settings)
    if differing.tainted and not differing.found:
        return  # calls that raced came out otherwise: that says nothing
    # What the call builds on may belong to an earlier test: a difference there is no clean audit either.
    clean = not differing.found
    audited = Audit(key=call.key, operation=str(call.operation), clean=clean, run=run, when=settings.now)
    ledger.add_audits([audited])
    if clean:
        return
    contradicted = [call, *(reading.keyed[place][position] for place, position in sorted(differing.found))]
    for key, operation in _class_of(contradicted, reading.calls).items():
        reason = f"an audit of {operation} failed"
        ledger.withdraw(Withdrawal(key=key, reason=reason, when=settings.now))
    found = [each for _, several in sorted(differing.found.items()) for each in several]
    case.find(found)
    case.standing = Standing.DISCREPANT
    case.notes.extend(f"an audit contradicted the ledger: {each.explain()}" for each in found[:1])


def _differences(case: Case, positions: Iterable[int], *, prover: Prover, settings: Settings) -> Differing:
    """What the reference answers otherwise, now that it is asked again."""
    reading = case.reading
    answered = prover.ask(case, reading.slice(positions))
    return compare_replay(
        reading.so_far, reading.keyed, prover.known.familiarity, answered, settings.overlooks
    )


def _class_of(contradicted: Iterable[Keyed], calls: Iterable[Keyed]) -> dict[Fingerprint, Operation]:
    """The keys of some calls, and of all others of the test that call the same operations."""
    keys = {call.key: call.operation for call in contradicted}
    operations = set(keys.values())
    return keys | {call.key: call.operation for call in calls if call.operation in operations}
