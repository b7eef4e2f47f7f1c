"""What tests have from earlier ones through fixtures: the answers given to those count for them, too."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.decide import CallStanding, Rules, place
from likewise.model import Borrowed, FixtureInDoubt, Interaction
from likewise.run.memory import Known
from likewise.run.reading import Reading


def lent_calls(reading: Reading, known: Known) -> Iterator[Interaction]:
    """The calls by which the fixtures that a test borrows were set up."""
    for borrowed in reading.trace.borrowed:
        lender = _lender(borrowed, known)
        if lender is not None:
            yield from (lender.trace.interactions[position] for position in _positions(borrowed, lender))


def doubt(reading: Reading, known: Known, *, rules: Rules) -> FixtureInDoubt | None:
    """The first fixture from an earlier test of which some answer differs, or is not known to be alike.

    That the earlier test never looked where an answer differs says nothing: this one may have.
    """
    for borrowed in reading.trace.borrowed:
        lender = _lender(borrowed, known)
        if lender is None:
            return _in_doubt(borrowed, (), differs=False)
        positions = _positions(borrowed, lender)
        standings = {position: place(lender.calls[position], known.answers, rules) for position in positions}
        doubtful = [each for each, standing in standings.items() if standing is not CallStanding.EQUAL]
        if doubtful or lender.trace.unclear:
            names = dict.fromkeys(str(lender.calls[each].operation) for each in doubtful or positions)
            differs = CallStanding.DIFFERENT in standings.values()
            return _in_doubt(borrowed, tuple(names), differs=differs)
    return None


def _lender(borrowed: Borrowed, known: Known) -> Reading | None:
    attempts = known.readings.by_test.get(borrowed.test, ())
    times = ((each, each.trace.started, each.trace.ended) for each in attempts)
    return next((each for each, start, end in times if start <= borrowed.since <= (end or start)), None)


def _positions(borrowed: Borrowed, lender: Reading) -> list[int]:
    return [
        position
        for position, call in enumerate(lender.trace.interactions)
        if borrowed.since <= call.started <= borrowed.until
    ]


def _in_doubt(borrowed: Borrowed, operations: tuple[str, ...], *, differs: bool) -> FixtureInDoubt:
    return FixtureInDoubt(
        fixture=borrowed.fixture, test=borrowed.test, operations=operations, differs=differs
    )
