"""Calls by others than the account's owner: how the sides differ over them, and what has one cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from likewise.cloud.fuzz.authorisations import CANDIDATE, FAILING, REFERENCE, REFUSED, Authorisations, Cell
from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.differences.causes import AUTHORISATION
from likewise.cloud.fuzz.differences.judging import Gap, generalised
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.identities import EVERYBODY, NOBODY, Means
from likewise.model import Difference

NAMED = 4
"""Identities that are put into words."""


def way_of(gap: Gap | Finding) -> str:
    """How the sides differ over a call, whatever it is and whoever makes it."""
    kind = gap.difference if isinstance(gap, Gap) else gap.kind
    if kind == Difference.SUCCESS:
        taken = gap.reference.startswith("success")
        refused = gap.candidate if taken else gap.reference
        return (REFERENCE if taken else CANDIDATE) + (FAILING if refused.startswith("5") else "")
    return " | ".join((str(kind), gap.place, generalised(gap.reference), generalised(gap.candidate)))


def ways_of(gaps: Sequence[Gap], answers: tuple[Answer, Answer]) -> list[str]:
    """How a call was taken; nothing where both sides took it."""
    told = [way_of(gap) for gap in gaps if not gap.index and gap.difference in _REFUSALS]
    return told or ([] if all(each.success for each in answers) else [REFUSED])


_REFUSALS = frozenset(
    {Difference.SUCCESS, Difference.CODE, Difference.STATUS, Difference.MESSAGE, Difference.SILENCE}
)


def gathered(
    findings: Sequence[Finding], authorisations: Mapping[str, Authorisations]
) -> tuple[list[Finding], list[Finding]]:
    """Findings over calls by others with one for each cause, and those that are no longer by themselves.

    The one that is left is in the fewest calls, by whom one thinks of first; it names the other operations.
    """
    by_way: dict[tuple[str, str], list[Finding]] = {}
    kept = [each for each in findings if each.identity.is_owner]
    for each in findings:
        if not each.identity.is_owner:
            by_way.setdefault((each.service, way_of(each)), []).append(each)
    folded: list[Finding] = []
    for (service, way), those in by_way.items():
        known = authorisations.get(service, Authorisations())
        for each in those:
            known.note(each.operation, each.identity, (way,))
        for group in known.groups(way):
            mine = sorted((each for each in those if _cell(each) in group), key=_order)
            if mine:
                kept.append(_of_all(mine, group))
                folded += mine[1:]
    return kept, folded


def _cell(finding: Finding) -> Cell:
    return finding.operation, str(finding.identity)


_FIRST = (NOBODY, EVERYBODY)


def _order(finding: Finding) -> tuple[object, ...]:
    who = finding.identity
    rank = _FIRST.index(who) if who in _FIRST else len(_FIRST)
    means = list(Means).index(who.means)
    return rank, means, bool(who.flaw), len(finding.sequence), finding.operation, finding.hash


def _of_all(those: Sequence[Finding], group: Sequence[Cell]) -> Finding:
    """The first of several findings, with the words for all of them; what any of them has wrong counts."""
    first = those[0]
    wrong = next((each for each in those if each.cause == AUTHORISATION), first)
    others = sorted({operation for operation, _ in group} - {first.operation})
    words = list(dict.fromkeys(each.identity.words for each in those))
    more = len({identity for _, identity in group}) - len(words[:NAMED])
    said = ", or ".join(words[:NAMED]) + (f", or in {more} other ways" if more > 0 else "")
    is_several = len(words) > 1 or more > 0
    return replace(
        first,
        also=tuple(others),
        condition=f"only when called {said}" if is_several else first.condition,
        cause=wrong.cause,
        evidence=wrong.evidence,
    )
