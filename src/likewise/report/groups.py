"""Every discrepancy once: grouped by operation, then by difference and place, most harmful first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from likewise.model import Difference, Discrepancy, Implication, Operation, TestReport
from likewise.report.words import KINDS, SEVERITY

_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The same difference at the same place, wherever it was seen. Places in lists are one place."""

    operation: Operation
    difference: Difference
    place: str
    implication: Implication
    tests: tuple[str, ...]
    examples: tuple[Discrepancy, ...]
    """One for each pair of values, in the order seen."""
    count: int
    """How often it was seen in all."""
    is_telling: bool = False
    """Seen only in tests whose results differ between the sides: likely to be why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationGroup:
    """All that differs in one operation."""

    operation: Operation
    groups: tuple[Group, ...]
    tests: tuple[str, ...]

    @property
    def worst(self) -> Implication:
        """The most harmful of its differences."""
        return self.groups[0].implication


def collect(reports: Iterable[TestReport]) -> tuple[OperationGroup, ...]:
    """All discrepancies of a run, each with the tests that saw it."""
    found: dict[tuple[Operation, Difference, str, Implication], list[Discrepancy]] = {}
    ended_differently: set[str] = set()
    for report in reports:
        if report.reference is not None and report.reference is not report.candidate:
            ended_differently.add(report.test)
        for each in report.discrepancies:
            place = _INDEX.sub("[]", each.place)
            key = (each.operation, each.difference, place, each.implication)
            found.setdefault(key, []).append(_seen_by(each, report.test))
    by_operation: dict[Operation, list[Group]] = {}
    for (operation, difference, place, implication), some in found.items():
        group = Group(
            operation=operation,
            difference=difference,
            place=place,
            implication=implication,
            tests=tuple(dict.fromkeys(each.test for each in some)),
            examples=_examples(some),
            count=len(some),
            is_telling=all(each.test in ended_differently for each in some),
        )
        by_operation.setdefault(operation, []).append(group)
    operations = [_operation(operation, groups) for operation, groups in by_operation.items()]
    return tuple(sorted(operations, key=_operation_order))


def _seen_by(discrepancy: Discrepancy, test: str) -> Discrepancy:
    if discrepancy.test:
        return discrepancy
    return Discrepancy(
        operation=discrepancy.operation,
        difference=discrepancy.difference,
        place=discrepancy.place,
        reference=discrepancy.reference,
        candidate=discrepancy.candidate,
        implication=discrepancy.implication,
        manifestation=discrepancy.manifestation,
        test=test,
        position=discrepancy.position,
    )


def _examples(some: list[Discrepancy]) -> tuple[Discrepancy, ...]:
    distinct = {(repr(each.reference), repr(each.candidate)): each for each in reversed(some)}
    return tuple(reversed(distinct.values()))


def _operation(operation: Operation, groups: list[Group]) -> OperationGroup:
    ordered = tuple(sorted(groups, key=_group_order))
    tests = tuple(dict.fromkeys(test for group in ordered for test in group.tests))
    return OperationGroup(operation=operation, groups=ordered, tests=tests)


def _group_order(group: Group) -> tuple[int, bool, int, int, str]:
    kind = KINDS.index(group.difference)
    return SEVERITY.index(group.implication), not group.is_telling, kind, -len(group.tests), group.place


def _operation_order(found: OperationGroup) -> tuple[int, bool, int, int, Operation]:
    severity, is_common, kind, *_ = _group_order(found.groups[0])
    return severity, is_common, kind, -len(found.tests), found.operation
