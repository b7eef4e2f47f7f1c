"""Which crossing of one run corresponds to which of the other: same place in the client, same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from likewise.library import crossing
from likewise.model import Interaction

Key = tuple[str, str, str]
MOST = 4_000_000
"""Cells of the table that aligns two stretches; longer ones are paired place by place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two crossings that correspond, or one that the other side lacks."""

    reference: Interaction | None
    candidate: Interaction | None

    @property
    def order(self) -> int:
        """Where it stands in the reference's run, or else in the candidate's."""
        one = self.reference or self.candidate
        return one.order if one is not None else 0

    @property
    def any(self) -> Interaction:
        """One of the two."""
        one = self.reference or self.candidate
        assert one is not None
        return one


def key_of(interaction: Interaction) -> Key:
    """What must be the same for two crossings to correspond; what is used there may have changed its name."""
    kind, at = str(interaction.wire.get("kind", "")), str(interaction.wire.get("at", ""))
    is_callback = kind in (crossing.Kind.CALLBACK, crossing.Kind.YIELD)
    folded = kind == crossing.Kind.REST
    if kind == crossing.Kind.READ and at:  # one line may go through many names: `getattr(module, name)`
        return kind, at, attribute_of(interaction)
    return kind, at, str(interaction.operation) if is_callback or folded or not at else ""


def attribute_of(interaction: Interaction) -> str:
    """The last part of an operation's name, which is the attribute's own where one was read."""
    return interaction.operation.name.rpartition(".")[2]


def reflecting(interactions: Iterable[Interaction]) -> set[str]:
    """The places at which the client reads attributes of several names: it does not name them itself."""
    names: dict[str, str] = {}
    found = set()
    for each in interactions:
        if each.wire.get("kind") == crossing.Kind.READ:
            at = str(each.wire.get("at", ""))
            if names.setdefault(at, attribute_of(each)) != attribute_of(each):
                found.add(at)
    return found


def align_lane(reference: list[Interaction], candidate: list[Interaction]) -> Iterator[Pair]:
    """Pair crossings that have one order."""
    ours, theirs = [key_of(each) for each in reference], [key_of(each) for each in candidate]
    shorter = min(len(ours), len(theirs))
    start = 0
    while start < shorter and ours[start] == theirs[start]:
        yield Pair(reference=reference[start], candidate=candidate[start])
        start += 1
    end = 0
    while end < shorter - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    stop_ours, stop_theirs = len(ours) - end, len(theirs) - end
    middle = (reference[start:stop_ours], candidate[start:stop_theirs])
    if (stop_ours - start) * (stop_theirs - start) <= MOST:
        yield from _by_table(*middle, ours[start:stop_ours], theirs[start:stop_theirs])
    else:
        yield from _by_place(*middle)
    for offset in range(end):
        yield Pair(reference=reference[stop_ours + offset], candidate=candidate[stop_theirs + offset])


def _by_table(
    reference: list[Interaction], candidate: list[Interaction], ours: list[Key], theirs: list[Key]
) -> Iterator[Pair]:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            for offset in range(i_end - i):
                yield Pair(reference=reference[i + offset], candidate=candidate[j + offset])
        else:
            for each in reference[i:i_end]:
                yield Pair(reference=each, candidate=None)
            for each in candidate[j:j_end]:
                yield Pair(reference=None, candidate=each)


def _by_place(reference: list[Interaction], candidate: list[Interaction]) -> Iterator[Pair]:
    waiting: dict[Key, list[Interaction]] = defaultdict(list)
    for each in reversed(candidate):
        waiting[key_of(each)].append(each)
    for each in reference:
        same = waiting[key_of(each)]
        yield Pair(reference=each, candidate=same.pop() if same else None)
    for rest in waiting.values():
        for each in reversed(rest):
            yield Pair(reference=None, candidate=each)
