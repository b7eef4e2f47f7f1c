"""Stretches of crossings that run beside one another, paired by what they did and not by who came first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from likewise.library.comparison.alignment import align_lane
from likewise.library.comparison.bijection import Bijection, Name, receiver_name
from likewise.library.comparison.units import Depth, Form, Unit
from likewise.library.comparison.values import same
from likewise.model import Interaction, Returned


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Two stretches that correspond; `is_sure` unless there were others just like them."""

    reference: Unit
    candidate: Unit
    is_sure: bool = True


Token = tuple[str, str, tuple[object, ...]]
"""A family, what was done in it, and with which objects as far as they are known."""


class Matching:
    """Pairs the stretches of two runs until nothing is left that has an equal on the other side.

    What is the only one of its kind goes first; the objects in it are the same from then on, and tell others
    apart that looked alike. Among those that still look alike, one is as good as another.
    """

    def __init__(self, bijection: Bijection, *, late: tuple[set[Name], set[Name]]) -> None:
        self.bijection = bijection
        self._late = late
        """The reference's and the candidate's objects that may be the same things again as others before."""
        self._vague: frozenset[str] = frozenset()

    def pair_sure(
        self, ours: Sequence[Unit], theirs: Sequence[Unit], depth: Depth
    ) -> tuple[list[Match], list[Unit], list[Unit]]:
        """Only the pairs of which there is one, and what is left."""
        return self._pair(ours, theirs, depth, is_sure=True)

    def pair(
        self, ours: Sequence[Unit], theirs: Sequence[Unit], depth: Depth
    ) -> tuple[list[Match], list[Unit], list[Unit]]:
        """The pairs, and what neither side has an equal of."""
        found, mine, other = self._pair(ours, theirs, depth)
        if mine and other and any(self._late):
            self._vague = frozenset(name[0] for some in self._late for name in some)
            more, mine, other = self._pair(mine, other, depth)
            self._vague = frozenset()
            found += more
        return found, mine, other

    def _pair(
        self, ours: Sequence[Unit], theirs: Sequence[Unit], depth: Depth, *, is_sure: bool = False
    ) -> tuple[list[Match], list[Unit], list[Unit]]:
        sides = _Side(ours, depth, self, is_candidate=False), _Side(theirs, depth, self, is_candidate=True)
        found: list[Match] = []
        while True:
            ours_by, theirs_by = sides[0].grouped(), sides[1].grouped()
            groups = [(mine, theirs_by[token]) for token, mine in ours_by.items() if token in theirs_by]
            if is_sure:
                groups = [pair for pair in groups if len(pair[0]) == 1 == len(pair[1])]
            made = [match for mine, other in groups for match in self._settled(mine, other, sides)]
            if not made and groups:
                made = self._first(groups, sides)
            if not made:
                break
            for match in made:
                sides[0].take(match.reference)
                sides[1].take(match.candidate)
            found += made
        return found, list(sides[0].open), list(sides[1].open)

    def _settled(self, mine: list[Unit], other: list[Unit], sides: tuple[_Side, _Side]) -> list[Match]:
        """The pairs of a group of equals where it cannot matter which goes with which."""
        is_sure = len(mine) == 1 and len(other) == 1
        if not is_sure and (any(map(sides[0].is_tied, mine)) or any(map(sides[1].is_tied, other))):
            return []
        return list(self._bound_in_turn(mine, other, sides, is_sure=is_sure))

    def _bound_in_turn(
        self, mine: list[Unit], other: list[Unit], sides: tuple[_Side, _Side], *, is_sure: bool
    ) -> Iterator[Match]:
        """Pairs of equals, nearest ones first; who cannot be one's pair may still be another's."""
        left = dict.fromkeys(sorted(other, key=_rank))
        for one, nearest in self._nearest(sorted(mine, key=_rank), list(left), sides):
            for two in [nearest, *left] if nearest in left else list(left):
                match = self._bound(one, two, is_sure=is_sure)
                if match is not None:
                    del left[two]
                    yield match
                    break

    def _nearest(
        self, mine: list[Unit], other: list[Unit], sides: tuple[_Side, _Side]
    ) -> list[tuple[Unit, Unit]]:
        """Equals, those first that are equal in everything."""
        waiting: dict[Token, list[Unit]] = defaultdict(list)
        for unit in other:
            waiting[sides[1].whole(unit)].append(unit)
        pairs = []
        for unit in mine:
            if same := waiting[sides[0].whole(unit)]:
                pairs.append((unit, same.pop(0)))
        taken = {unit for pair in pairs for unit in pair}
        rest = ([unit for unit in some if unit not in taken] for some in (mine, other))
        return [*pairs, *zip(*rest, strict=False)]

    def _first(self, groups: list[tuple[list[Unit], list[Unit]]], sides: tuple[_Side, _Side]) -> list[Match]:
        for mine, other in groups:
            for match in self._bound_in_turn(mine, other, sides, is_sure=False):
                return [match]
        return []

    def _bound(self, reference: Unit, candidate: Unit, *, is_sure: bool) -> Match | None:
        """Two stretches as a pair with everything in them, unless something in them is another's already."""
        inner = self.bijection.inner
        ours, theirs = (each.form(Depth.ALL, inner) for each in (reference, candidate))
        if ours.parts == theirs.parts:
            names = list(zip(ours.names, theirs.names, strict=True))
            if self._vague:
                names = [(a, b) for a, b in names if a not in self._late[0] and b not in self._late[1]]
            forward, backward = self.bijection.forward, self.bijection.backward
            if any(forward.get(a, b) != b or backward.get(b, a) != a for a, b in names):
                return None
            for a, b in names:
                self.bijection.pair(a, b)
        else:
            bind(reference.interactions, candidate.interactions, self.bijection)
        return Match(reference=reference, candidate=candidate, is_sure=is_sure)

    def known(self, name: Name, *, is_candidate: bool) -> Name | None:
        """What the reference calls an object of which both runs are known to have it."""
        if is_candidate:
            return self.bijection.backward.get(name)
        return name if name in self.bijection.forward else None

    def is_vague(self, name: Name) -> bool:
        """Whether it depends on what was still alive whether this is an object of its own."""
        return name[0] in self._vague


class _Side:
    """What of one run is not paired yet."""

    def __init__(
        self, units: Sequence[Unit], depth: Depth, matching: Matching, *, is_candidate: bool
    ) -> None:
        self.open: dict[Unit, None] = dict.fromkeys(units)
        self._matching, self._is_candidate = matching, is_candidate
        inner = matching.bijection.inner
        self._forms = {unit: unit.form(depth, inner) for unit in units}
        self._texts = {unit: form.text for unit, form in self._forms.items()}
        self._names = {
            unit: {name for name in form.names if not matching.is_vague(name)}
            for unit, form in self._forms.items()
        }
        uses = Counter(name for names in self._names.values() for name in names)
        self._shared = {name for name, count in uses.items() if count > 1}
        self._tokens: dict[Unit, tuple[int, Token]] = {}

    def grouped(self) -> dict[Token, list[Unit]]:
        """What is open, equals together."""
        groups: dict[Token, list[Unit]] = defaultdict(list)
        for unit in self.open:
            groups[self._token(unit)].append(unit)
        return groups

    def is_tied(self, unit: Unit) -> bool:
        """Whether it uses objects that others use as well, and that nothing is known of."""
        known = self._matching.known
        return any(
            known(name, is_candidate=self._is_candidate) is None for name in self._names[unit] & self._shared
        )

    def take(self, unit: Unit) -> None:
        """It has found its equal."""
        del self.open[unit]

    def whole(self, unit: Unit) -> Token:
        """Everything that a stretch did."""
        form = unit.form(Depth.ALL, self._matching.bijection.inner)
        return unit.family, form.text, self._resolved(form)

    def _token(self, unit: Unit) -> Token:
        bound = len(self._matching.bijection.forward)
        cached = self._tokens.get(unit)
        if cached is not None and (cached[0] == bound or not self._names[unit]):
            return cached[1]
        token = (unit.family, self._texts[unit], self._resolved(self._forms[unit]))
        self._tokens[unit] = (bound, token)
        return token

    def _resolved(self, form: Form) -> tuple[object, ...]:
        local: dict[Name, int] = {}
        resolved: list[object] = []
        for name in form.names:
            if self._matching.is_vague(name):
                continue
            known = self._matching.known(name, is_candidate=self._is_candidate)
            resolved.append(known if known is not None else local.setdefault(name, len(local)))
        return tuple(resolved)


def bind(ours: Sequence[Interaction], theirs: Sequence[Interaction], bijection: Bijection) -> None:
    """Pair the objects of two stretches that run in step, as far as they do."""
    for pair in align_lane(list(ours), list(theirs)):
        if pair.reference is not None and pair.candidate is not None:
            bind_one(pair.reference, pair.candidate, bijection)


def bind_one(one: Interaction, other: Interaction, bijection: Bijection) -> None:
    """Pair the objects of two crossings, part by part as far as they have the same parts."""
    receivers = receiver_name(one.receiver), receiver_name(other.receiver)
    if receivers[0] is not None and receivers[1] is not None:
        bijection.pair(receivers[0], receivers[1])
    same(one.arguments, other.arguments, bijection)
    if isinstance(one.outcome, Returned) and isinstance(other.outcome, Returned):
        same(one.outcome.value, other.outcome.value, bijection)


def _rank(unit: Unit) -> tuple[int, int]:
    return unit.rank
