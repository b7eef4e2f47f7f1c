"""Findings as the ledger keeps them: operations that differ, each with the condition under which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from likewise.cloud.fuzz.differences.causes import AFTER
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.model import Difference, Discrepancy, Implication, Manifestation, Operation


def discrepancies(findings: Iterable[Finding]) -> Iterator[Discrepancy]:
    """What differs, for the ledger; the test that found it is the finding itself."""
    for finding in findings:
        yield Discrepancy(
            operation=Operation(finding.service, finding.operation),
            difference=Difference(finding.kind),
            place=finding.place,
            reference=finding.reference,
            candidate=finding.candidate,
            implication=Implication(finding.implication),
            manifestation=Manifestation(finding.manifestation),
            test=f"fuzz:{finding.hash}",
            condition=argument(finding),
        )


def argument(finding: Finding) -> str:
    """The optional argument without which a call cannot show the finding; nothing where there is none."""
    name = finding.parameter.partition(".")[0].partition("[")[0]
    shape = load(finding.service).operations.get(finding.operation)
    member = shape.member(name) if shape is not None and name else None
    if member is None or member.required or not finding.condition or finding.value_class == "missing":
        return ""
    if finding.condition.startswith(AFTER):
        return ""  # it is another operation's, whose trace the read shows
    return member.wire
