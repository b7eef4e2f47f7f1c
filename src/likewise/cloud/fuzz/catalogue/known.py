"""What a campaign found, as the ledger keeps it: operations that differ, and the condition under which."""

from __future__ import annotations

from collections.abc import Iterator

from likewise.cloud.fuzz.differences.causes import AFTER
from likewise.cloud.fuzz.evidence import IDENTITY, Evidence, Sample
from likewise.cloud.fuzz.findings import Finding, digest
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.log import Campaigns
from likewise.model import Difference, Discrepancy, Implication, Manifestation, Operation

UNSEEN = frozenset({"content-length", "x-ms-copy-source-authorization"})
"""What is not kept of a recorded call: the one the content says as well, the other is secret."""


def discrepancies(found: Campaigns) -> Iterator[Discrepancy]:
    """What differs, for the ledger; the test that found it is the finding itself.

    What has the cause of another finding is here as well: a call of its operation differs all the same. So is
    what no finding is about, because it was explained by one.
    """
    evidence = {service: tally.evidence for service, tally in found.tallies.items()}
    told: set[tuple[str, str, str]] = set()
    for finding in (*found.ranked(), *found.folded.values()):
        for each in _of_finding(finding, evidence.get(finding.service, Evidence())):
            told.add((finding.service, each.operation.name, each.condition))
            yield each
    for service, known in evidence.items():
        for operation in known.differing:
            for wire in conditions(service, operation, known):
                if not {(service, operation, wire), (service, operation, "")} & told:
                    yield from _of_sample(service, operation, wire, known)


def _of_finding(finding: Finding, evidence: Evidence) -> Iterator[Discrepancy]:
    for operation in (finding.operation, *finding.also):
        wire = argument(finding)
        is_sure = wire in conditions(finding.service, operation, evidence)
        where = Operation(finding.service, operation)
        yield _discrepancy(where, finding, name=finding.hash, condition=wire if is_sure else "")


def _of_sample(service: str, operation: str, wire: str, evidence: Evidence) -> Iterator[Discrepancy]:
    """An operation that differs, as other findings say or imply, by one of its own differences."""
    name = next(
        (each for each in evidence.condition(operation) if _wire(service, operation, each) == wire), ""
    )
    sample = evidence.sample(operation, name)
    if sample is not None:
        name = digest(service, operation, wire, sample.kind, sample.place)
        yield _discrepancy(Operation(service, operation), sample, name=name, condition=wire)


def _discrepancy(operation: Operation, shown: Finding | Sample, *, name: str, condition: str) -> Discrepancy:
    return Discrepancy(
        operation=operation,
        difference=Difference(shown.kind),
        place=shown.place,
        reference=shown.reference,
        candidate=shown.candidate,
        implication=Implication(shown.implication),
        manifestation=Manifestation(shown.manifestation),
        test=f"fuzz:{name}",
        condition=condition,
    )


def conditions(service: str, operation: str, evidence: Evidence) -> frozenset[str]:
    """The arguments without all of which a call is known not to differ, as the protocol calls them.

    It is the empty text alone where any call may: no such arguments are known, or a recorded call does not
    show whether it had one.
    """
    wires = frozenset(_wire(service, operation, name) for name in evidence.condition(operation))
    return wires if wires and "" not in wires else frozenset({""})


def argument(finding: Finding) -> str:
    """The optional argument without which a call cannot show the finding; nothing where there is none."""
    if not finding.identity.is_owner:
        return IDENTITY
    name = finding.parameter.partition(".")[0].partition("[")[0]
    if not finding.condition or finding.value_class == "missing" or finding.condition.startswith(AFTER):
        return ""  # that of another operation is no condition of the read that shows its trace
    return _wire(finding.service, finding.operation, name)


def _wire(service: str, operation: str, name: str) -> str:
    """An optional argument as a recorded call shows it; nothing where it does not."""
    shape = load(service).operations.get(operation)
    member = shape.member(name) if shape is not None and name else None
    if name == IDENTITY:
        return IDENTITY
    if member is None or member.required or member.wire.lower() in UNSEEN:
        return ""
    return member.wire
