"""Lanes that each run has one of, beside others that it has several of.

What such a lane does has one order, with one exception: objects that came up in other lanes. A client that
goes through them as they came does the same with each, in the order of a race.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from likewise.library.comparison.alignment import Pair, align_lane
from likewise.library.comparison.bijection import Bijection, Name, names_in, receiver_name
from likewise.library.comparison.matching import bind_one
from likewise.library.comparison.units import Depth, Form, Unit
from likewise.model import Interaction, Raised, Returned


@dataclass(slots=True, kw_only=True)
class Alone:
    """One lane in both runs; `brought` are the objects of each run that came up in lanes beside it."""

    pairs: list[Pair]
    brought: tuple[set[Name], set[Name]]
    inner: frozenset[str]

    def bind(self, bijection: Bijection, *, is_own: bool) -> None:
        """Pair its own objects in their order, or those of others where it does something only once."""
        forms = [self._forms(pair) for pair in self.pairs]
        often = Counter(both[0].text for both in forms if both is not None)
        for pair, both in zip(self.pairs, forms, strict=True):
            if pair.reference is None or pair.candidate is None:
                continue
            if both is None or both[0].parts != both[1].parts:
                if not is_own:
                    bind_one(pair.reference, pair.candidate, bijection)
                continue
            is_once = often[both[0].text] == 1
            for ours, theirs in zip(both[0].names, both[1].names, strict=True):
                is_brought = ours in self.brought[0] and theirs in self.brought[1]
                if (is_own and not is_brought) or (is_once and not is_own):
                    bijection.pair(ours, theirs)

    def settled(self, bijection: Bijection) -> list[Pair]:
        """Its crossings; what it does alike with several objects of others goes by the objects."""
        places: dict[str, list[int]] = defaultdict(list)
        for number, pair in enumerate(self.pairs):
            both = self._forms(pair)
            if both is not None and both[0].parts == both[1].parts:
                places[both[0].text].append(number)
        found = list(self.pairs)
        for numbers in places.values():
            for number, other in self._exchanged(numbers, bijection):
                found[number] = Pair(
                    reference=self.pairs[number].reference, candidate=self.pairs[other].candidate
                )
        return found

    def _exchanged(self, numbers: list[int], bijection: Bijection) -> list[tuple[int, int]]:
        """Which of some crossings that are alike goes with which, where objects of others tell."""
        waiting = {number: self._given(self.pairs[number].candidate) for number in numbers}
        chosen, rest = [], []
        for number in numbers:
            given = self._given(self.pairs[number].reference)
            wanted = [bijection.forward.get(name) if name in self.brought[0] else None for name in given]
            fitting = [
                other
                for other, names in waiting.items()
                if any(wanted)
                and all(want is None or want == name for want, name in zip(wanted, names, strict=False))
            ]
            if fitting:
                chosen.append((number, number if number in fitting else fitting[0]))
                del waiting[chosen[-1][1]]
            else:
                rest.append(number)
        return [*chosen, *zip(rest, list(waiting), strict=True)]

    def _given(self, one: Interaction | None) -> list[Name]:
        """The objects that the client put in."""
        assert one is not None
        return Unit(family="", rank=(0, 0), interactions=[one]).form(Depth.INPUTS, self.inner).names

    def _forms(self, pair: Pair) -> tuple[Form, Form] | None:
        if pair.reference is None or pair.candidate is None:
            return None
        one, other = (
            Unit(family="", rank=(0, 0), interactions=[each]).form(Depth.ALL, self.inner)
            for each in (pair.reference, pair.candidate)
        )
        return one, other


def alone(
    ours: Sequence[Interaction],
    theirs: Sequence[Interaction],
    *,
    brought: tuple[set[Name], set[Name]],
    inner: frozenset[str],
) -> Alone:
    """One lane of both runs, in step."""
    return Alone(pairs=list(align_lane(list(ours), list(theirs))), brought=brought, inner=inner)


def brought_by(interactions: Iterable[Interaction], lanes: set[str]) -> set[Name]:
    """The objects that came up in some lanes first."""
    seen: dict[Name, bool] = {}
    for each in interactions:
        names = names_in(each.arguments)
        if isinstance(each.outcome, Returned | Raised):
            names |= names_in(each.outcome.value)
        if (receiver := receiver_name(each.receiver)) is not None:
            names.add(receiver)
        for name in names:
            seen.setdefault(name, each.lane in lanes)
    return {name for name, is_theirs in seen.items() if is_theirs}
