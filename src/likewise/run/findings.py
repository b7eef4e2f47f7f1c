"""Name the differences between what the two sides answered to the same calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from likewise.canonical import Familiarity
from likewise.compare import align, compare_outcomes
from likewise.decide import close_slice
from likewise.model import Difference, Discrepancy, Interaction, Keyed, Outcome, Raised, Spot, Trace
from likewise.run.cases import Overlooks
from likewise.run.reading import AnswersInWorlds, Reading, answers_in_worlds, canonical_answers

Answered = Mapping[Spot, Interaction]
"""The reference's answers to a replay, by where the calls stand in their world."""
_Match = tuple[int, int]
"""Where the same call stands in a test's run on the reference and in that on the candidate."""


_ALWAYS_SEEN = frozenset(
    (Difference.SUCCESS, Difference.STATUS, Difference.CODE, Difference.MESSAGE, Difference.SILENCE)
)
"""Differences that reach the client whether it looks or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """What a replay showed: calls that differ, and calls that prove nothing since they build on those."""

    found: Mapping[Spot, list[Discrepancy]]
    tainted: frozenset[Spot]
    overlooked: Mapping[Spot, list[Discrepancy]]
    """Differences in places where the client never looked: they taint nothing."""

    def of(self, place: int) -> list[Discrepancy]:
        """The differences in one trace of the world."""
        return [each for spot, several in sorted(self.found.items()) if spot[0] == place for each in several]


def split(
    found: Iterable[Discrepancy], call: Interaction, overlooks: Overlooks
) -> tuple[list[Discrepancy], list[Discrepancy]]:
    """Discrepancies that the client may have seen, and those in places where it never looked."""
    seen: list[Discrepancy] = []
    overlooked: list[Discrepancy] = []
    for each in found:
        hidden = each.difference not in _ALWAYS_SEEN and overlooks(call, each)
        (overlooked if hidden else seen).append(each)
    return seen, overlooked


def with_answers(traces: Iterable[Trace], answered: Answered) -> list[Trace]:
    """The same traces with the reference's answers in place of the candidate's."""
    return [
        replace(
            trace,
            interactions=tuple(
                replace(call, outcome=answered[number, position].outcome)
                if (number, position) in answered
                else call
                for position, call in enumerate(trace.interactions)
            ),
        )
        for number, trace in enumerate(traces)
    ]


def compare_replay(
    traces: Sequence[Trace],
    keyed: Sequence[Sequence[Keyed]],
    familiarity: Mapping[str, Familiarity],
    answered: Answered,
    overlooks: Overlooks,
) -> Differing:
    """Compare a world's calls with the reference's answers to a replay of some of them."""
    ours = canonical_answers(traces, familiarity, answered.keys())
    theirs = canonical_answers(with_answers(traces, answered), familiarity, answered.keys())
    found: dict[Spot, list[Discrepancy]] = {}
    overlooked: dict[Spot, list[Discrepancy]] = {}
    tainted: set[Spot] = set()
    for spot in sorted(answered):
        differs = ours[spot] != theirs[spot]
        before = close_slice(keyed, [spot])
        follows = any(other in found or other in tainted for other in before if other != spot)
        if follows or (differs and keyed[spot[0]][spot[1]].racy):
            tainted.add(spot)
        elif differs:
            mine = traces[spot[0]].interactions[spot[1]]
            several = compare_outcomes(
                operation=mine.operation,
                reference=answered[spot].outcome,
                candidate=mine.outcome,
                reference_form=theirs[spot],
                candidate_form=ours[spot],
                test=traces[spot[0]].test,
                position=spot[1],
            )
            seen, hidden = split(several, mine, overlooks)
            if seen or not hidden:
                found[spot] = seen
            if hidden:
                overlooked[spot] = hidden
    return Differing(found=found, tainted=frozenset(tainted), overlooked=overlooked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A test's two whole runs."""

    candidate: Reading
    reference: Reading


def compare_wholes(
    pairs: Sequence[Pair], familiarity: Mapping[str, Familiarity]
) -> dict[str, list[Discrepancy]]:
    """Compare the two whole runs of each test, call by call in equal context; every world is read once.

    Where no such call differs though the results do, the contexts do (one side may have been emptied
    before the test, the other not): then the first request that one side accepted and the other refused,
    or that they refused differently, is the finding.
    """
    aligned = [(pair, _differing(pair), _refused(pair)) for pair in pairs]
    wanted: list[tuple[Reading, int]] = []
    for pair, *several in aligned:
        for left, right in chain(*several):
            wanted += [(pair.reference, left), (pair.candidate, right)]
    forms = answers_in_worlds(wanted, familiarity)
    return {
        pair.candidate.trace.test: _compare_at(pair, _comparable(pair, differing, forms), forms)
        or _compare_at(pair, refused, forms)
        for pair, differing, refused in aligned
    }


def _comparable(pair: Pair, matches: Iterable[_Match], forms: AnswersInWorlds) -> list[_Match]:
    """Without the calls whose answers may differ only because either run drew values of its own.

    Where the results differ, that is no excuse.
    """
    if pair.candidate.trace.result is not pair.reference.trace.result:
        return list(matches)
    return [
        (left, right)
        for left, right in matches
        if forms.draws(pair.reference, left) == forms.draws(pair.candidate, right)
    ]


def _differing(pair: Pair) -> list[_Match]:
    """The calls that were answered differently in equal context."""
    theirs = {call.position: call for call in pair.reference.calls}
    ours = {call.position: call for call in pair.candidate.calls}
    return [
        (left, right)
        for left, right in _aligned(pair)
        if not (theirs[left].racy or ours[right].racy)
        and theirs[left].key == ours[right].key
        and theirs[left].answer != ours[right].answer
    ]


def _refused(pair: Pair) -> list[_Match]:
    """Where the results differ, the first request that was accepted and refused, or refused differently."""
    if pair.candidate.trace.result is pair.reference.trace.result:
        return []
    theirs = {call.position: call for call in pair.reference.calls}
    ours = {call.position: call for call in pair.candidate.calls}
    for left, right in _aligned(pair):
        mine, yours = pair.candidate.trace.interactions[right], pair.reference.trace.interactions[left]
        if theirs[left].form == ours[right].form and _kind(mine.outcome) != _kind(yours.outcome):
            return [(left, right)]
    return []


def _aligned(pair: Pair) -> Sequence[_Match]:
    return align(reference=pair.reference.calls, candidate=pair.candidate.calls).pairs


def _kind(outcome: Outcome) -> str:
    return outcome.kind if isinstance(outcome, Raised) else type(outcome).__name__


def _compare_at(pair: Pair, matches: Iterable[_Match], forms: AnswersInWorlds) -> list[Discrepancy]:
    found: list[Discrepancy] = []
    for left, right in matches:
        mine, yours = pair.candidate.trace.interactions[right], pair.reference.trace.interactions[left]
        found += compare_outcomes(
            operation=mine.operation,
            reference=yours.outcome,
            candidate=mine.outcome,
            reference_form=forms.of(pair.reference, left),
            candidate_form=forms.of(pair.candidate, right),
            test=pair.candidate.trace.test,
            position=right,
        )
    return found
