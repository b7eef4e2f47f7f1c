"""Reads that a set-up makes before a write: they see what is there before anything was put there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from likewise.cloud.fuzz.planning.plans import Planner, is_read
from likewise.cloud.fuzz.planning.sequences import unset
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen

UNSET = "unset"


def reads_of(case: Case) -> Iterator[tuple[int, Case]]:
    """Reads at the end of a set-up by their places, each as a case of its own."""
    for place, call in enumerate(case.setup):
        before = tuple(each for each in case.setup[:place] if not is_read(each.operation))
        if is_read(call.operation) and before == case.setup[: len(before)]:
            yield place, Case(setup=before, probes=(Probe(call=call),))


def looks_of(case: Case, planner: Planner) -> Iterator[tuple[int, Case]]:
    """Reads of a set-up by their places, each as the case of its operation where nothing is set yet."""
    for place, each in reads_of(case):
        (probe,), less = each.probes, unset(planner, each.probes[0].call.operation)
        if less is not None and (less.setup, less.call) == (each.setup, probe.call):
            yield place, replace(each, probes=(replace(probe, state=UNSET),))


def recalled(case: Case, seen: tuple[Seen, Seen]) -> Iterator[tuple[Case, tuple[Seen, Seen]]]:
    """What a set-up saw right before a probe, where nothing else was written before that."""
    if all(each.fresh for each in seen):
        for place, each in reads_of(case):
            yield each, (looked(seen[0], place, each), looked(seen[1], place, each))


def looked(seen: Seen, place: int, case: Case) -> Seen:
    """What one side answered to such a read, as an answer to its case."""
    return Seen(
        setup=seen.setup[: len(case.setup)],
        answers=[seen.setup[place]],
        prefix=seen.prefix,
        fresh=seen.fresh,
        recent=seen.recent,
        shared=seen.shared,
    )
