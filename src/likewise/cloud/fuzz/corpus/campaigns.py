"""The sequences of campaigns as cases: those that a campaign makes, and those of its findings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from likewise.cloud.fuzz.calls import Call, Name, placeholders
from likewise.cloud.fuzz.corpus.cases import Case
from likewise.cloud.fuzz.corpus.writing import case_of
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.session import operations_of
from likewise.cloud.fuzz.tasks.cases import Cases, Task


def read_campaign(path: Path) -> list[Case]:
    """The findings of a campaign's log, each with its minimised sequence and no answers yet."""
    found = read([path])
    return [
        case_of(each.service, each.sequence, [None] * len(each.sequence), id=each.hash, reference="")
        for each in found.ranked()
        if _is_portable(each.sequence)
    ]


def sequences(service: str, *, seed: int, operations: tuple[str, ...], most: int) -> list[Case]:
    """What a campaign with this seed does first: every operation in every state, then values."""
    planner = Planner(load(service), hints_of(service))
    cases = Cases(planner, seed, operations_of(service, operations))
    return list(itertools.islice(_cases(service, seed, cases), most))


def _cases(service: str, seed: int, cases: Cases) -> Iterator[Case]:
    for task in _tasks(cases):
        for number, probe in enumerate(task.case.probes):
            calls = (*task.case.setup, probe.call)
            if _is_portable(calls):
                name = f"{service}/{seed}/{task.name}/{number}"
                yield case_of(service, calls, [None] * len(calls), id=name, reference="")


def _tasks(cases: Cases) -> Iterator[Task]:
    yield from cases.present()
    for tasks in cases.states().values():
        yield from tasks
    for operation in cases.operations:
        yield from cases.sweep(operation)


def _is_portable(calls: Sequence[Call]) -> bool:
    """Whether a sequence says nothing about one server's own address."""
    names = (each for call in calls for each in placeholders(call.params))
    return not any(isinstance(each, Name) and each.kind == "endpoint" for each in names)
