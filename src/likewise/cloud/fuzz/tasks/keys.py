"""By what it is known what was asked, what was looked into, and what was found."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.cloud.fuzz.differences.causes import ASYNCHRONOUS
from likewise.cloud.fuzz.differences.judging import Gap, generalised
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.planning.variants import AND, general
from likewise.cloud.fuzz.sides.execution import Probe
from likewise.model import Difference


def targets_of(probe: Probe) -> set[tuple[str, str, str]]:
    """The (operation, parameter, class) triples that a probe is about."""
    if not probe.call.identity.is_owner:
        return {(probe.call.operation, "identity", str(probe.call.identity))}
    places = (probe.parameter or probe.state).split(AND)
    classes = (probe.value_class or "typical").split(AND)
    return {(probe.call.operation, place, kind) for place, kind in zip(places, classes, strict=True)}


def values_of(probe: Probe) -> set[tuple[str, str, str]]:
    """The values that a probe gives, by parameter: what is known of one says nothing of the next."""
    places, notes = probe.parameter.split(AND), [probe.note.replace(AND, " & ")]
    if len(places) > 1:
        notes = probe.note.split(AND)
    return {(_subject(probe), place, note) for place, note in zip(places, notes, strict=True)}


def asked_by(probe: Probe) -> tuple[str, str, str]:
    """Which value of which parameter a probe is about."""
    return _subject(probe), probe.parameter, f"{probe.value_class} {probe.note}"


def _subject(probe: Probe) -> str:
    """The operation, and the state if it is not the usual one: it is asked for by itself."""
    return probe.call.operation if probe.state == "present" else f"{probe.call.operation} {probe.state}"


def key_of(gap: Gap, probe: Probe) -> tuple[str, ...]:
    """What is looked into once: a refusal by parameter, everything else by what differs.

    That something is not there, or not as it should be, says nothing of who left it so: each write is looked
    into, until it is known that the read itself is to blame.
    """
    if gap.difference is Difference.SUCCESS and gap.index == 0:
        return (*gap.signature, general(probe.parameter) or probe.state)
    if gap.index:
        return (*gap.signature, "after", probe.call.operation)
    return gap.signature


def own_signatures(gaps: Sequence[Gap], finding: Finding) -> set[tuple[str, ...]]:
    """Differences in reads after a write which the read itself is to blame for, whatever was written.

    What it shows late after one write it may lack for good after another.
    """
    if finding.cause == ASYNCHRONOUS:
        return set()
    return {
        gap.signature
        for gap in gaps
        if gap.index
        and gap.operation == finding.operation == finding.shown_by
        and (str(gap.difference), gap.place) == (finding.kind, finding.place)
    }


def keys_of(gap: Gap, parts: Sequence[str], probe: Probe) -> set[tuple[str, ...]]:
    """By what it may be known: what is refused for one of several parameters is so for that one alone."""
    alone = parts if gap.index == 0 and probe.call.identity.is_owner else ()
    return {key_of(gap, probe), gap.signature, *((*gap.signature, general(part)) for part in alone)}


def key_of_finding(finding: Finding) -> tuple[str, ...]:
    """The key of what led to a finding, in the simplest form that shows it."""
    said = (generalised(finding.reference), generalised(finding.candidate))
    about = general(finding.parameter) if finding.identity.is_owner else str(finding.identity)
    return (finding.shown_by, finding.kind, finding.place, *said, about)
