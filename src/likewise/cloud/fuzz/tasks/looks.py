"""Reads that a set-up makes before a write: they see what is there before anything was put there."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.cloud.fuzz.planning.plans import Planner, is_read
from likewise.cloud.fuzz.planning.sequences import unset
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen

UNSET = "unset"


def looks_of(case: Case, planner: Planner) -> Iterator[tuple[int, Case]]:
    """Reads of a set-up by their places, each as the case of its operation where nothing is set yet."""
    for place, call in enumerate(case.setup):
        if not is_read(call.operation):
            continue
        less = unset(planner, call.operation)
        before = tuple(each for each in case.setup[:place] if not is_read(each.operation))
        if less is not None and less.call == call and less.setup == before == case.setup[: len(before)]:
            yield place, Case(setup=before, probes=(Probe(call=call, state=UNSET),))


def looked(seen: Seen, place: int, case: Case) -> Seen:
    """What one side answered to such a read, as an answer to its case."""
    return Seen(
        setup=seen.setup[: len(case.setup)],
        answers=[seen.setup[place]],
        prefix=seen.prefix,
        fresh=seen.fresh,
        recent=seen.recent,
    )
