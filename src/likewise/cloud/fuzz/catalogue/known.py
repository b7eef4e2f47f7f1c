"""Findings as the ledger keeps them: operations that differ, each with the condition under which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from likewise.cloud.fuzz.differences.causes import AFTER
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.model import Difference, Discrepancy, Implication, Manifestation, Operation

IDENTITY = "identity"
"""What a recorded call says of its caller under, where that is not the suite's own signature."""


def discrepancies(findings: Iterable[Finding]) -> Iterator[Discrepancy]:
    """What differs, for the ledger; the test that found it is the finding itself."""
    for finding in findings:
        for operation in (finding.operation, *finding.also):
            yield Discrepancy(
                operation=Operation(finding.service, operation),
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
    if not finding.identity.is_owner:
        return IDENTITY
    name = finding.parameter.partition(".")[0].partition("[")[0]
    shape = load(finding.service).operations.get(finding.operation)
    member = shape.member(name) if shape is not None and name else None
    if member is None or member.required or not finding.condition or finding.value_class == "missing":
        return ""
    if finding.condition.startswith(AFTER):
        return ""  # it is another operation's, whose trace the read shows
    return member.wire
