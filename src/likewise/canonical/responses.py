"""What came back, under what is known to vary."""

from __future__ import annotations

from collections.abc import Mapping as Names
from collections.abc import Sequence
from typing import NamedTuple

from likewise.canonical.familiarity import ANSWERED, Familiarity
from likewise.canonical.hashing import APART
from likewise.canonical.leaves import SIMPLE, Leaves, below_of, leaves, outcome_value
from likewise.canonical.places import Parts, Place
from likewise.canonical.requests import content_of, kind_of, room_in
from likewise.model import Fingerprint, Mapping, Outcome, Returned, Scalar, Value
from likewise.model.tuples import maker


class Answered(NamedTuple):
    """A leaf of an answer; without parts it is constant, and `text` says it with its place."""

    place: str
    parts: Parts | None
    text: str
    introduced: tuple[tuple[str, str], ...]
    is_start: bool
    kind: type


class Heard(NamedTuple):
    """A part of an answer; where it is `constant`, that says all its leaves with their places."""

    leaves: list[Answered]
    constant: str | None
    introduced: tuple[tuple[str, str], ...]
    """The variables, each with the place that gave it first."""
    lists: bool
    """Whether a list in it has more than one item."""
    kind: type


class AnswerForm:
    """The parts of an answer under what is known to vary, and what follows from them."""

    __slots__ = ("fixed", "introduced", "last", "lists", "of", "parts")

    def __init__(self, of: object, parts: list[Heard]) -> None:
        self.of = of
        """What came back: as long as it is kept, nothing else has its identity."""
        self.parts = parts
        self.introduced: tuple[tuple[str, str], ...] = ()
        """The variables, each with the place that gave it."""
        self.lists = False
        """Whether a list has more than one item."""
        self.fixed = True
        """Whether the answer is the same under any names."""
        for _, constant, introduced, lists, _ in parts:
            if constant is None or lists:
                self.fixed = False
                self.lists = self.lists or lists
                if introduced:
                    self.introduced = (
                        _once([*self.introduced, *introduced]) if self.introduced else introduced
                    )
        self.last: tuple[Names[str, str], Fingerprint] | None = None
        """The names given last, and the fingerprint under them: who polls gets the same answer often."""


_new_answered, _new_heard = maker(Answered), maker(Heard)


class _Spot:
    """A place in the answers to one operation, and what stood there so far."""

    __slots__ = ("leaves", "parts", "path", "place", "whole")

    def __init__(self, path: str, place: Place) -> None:
        self.path = path
        self.place = place
        self.leaves: dict[Scalar, Answered] = {}
        self.whole: dict[Scalar, Heard] = {}
        """Leaves that were a part of the answer each."""
        self.parts: dict[bytes, Heard] = {}
        """Mappings and lists, by their content."""

    def hear(self, leaf: Scalar) -> Answered:
        """A leaf as it counts."""
        found = self.place.cut(leaf)
        kind = kind_of(leaf)
        path = self.path
        if found is None:
            known = _new_answered((path, None, f"{path}{APART}{leaf!r}", (), path.endswith("[]+"), kind))
        else:
            introduced = tuple([(variable, path + slot) for variable, slot in found.slots])
            known = _new_answered((path, found.parts, "", introduced, False, kind))
        self.leaves[leaf] = known
        return known

    def hear_alone(self, leaf: Scalar) -> Heard:
        """A leaf that is a part of the answer."""
        heard = self.hear(leaf)
        _, parts, text, introduced, _, kind = heard
        found = ([heard], text if parts is None else None, _once(introduced), False, kind)
        known = self.whole[leaf] = _new_heard(found)
        return known


class Responses:
    """What the answers to one operation in one test had in common so far, leaf by leaf and part by part."""

    __slots__ = ("_layouts", "_operation", "_spots", "_whole")

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._whole: dict[int, AnswerForm] = {}
        self._layouts: dict[tuple[str, ...], list[tuple[str, _Spot]]] = {}
        self._spots: dict[str, _Spot] = {}

    def form(self, outcome: Outcome, familiarity: Familiarity) -> AnswerForm:
        """What came back, under what is known to vary."""
        value = outcome.value if isinstance(outcome, Returned) else None
        whole: object = outcome if value is None else value
        form = self._whole.get(id(whole))
        if form is None:
            layout = self._laid_out(value, familiarity) if isinstance(value, dict) else None
            if layout is None:
                parts = [self._heard(leaves(outcome_value(outcome)), familiarity)]
            else:
                parts = self._parts(layout, value, familiarity)  # type: ignore[arg-type]
            form = room_in(self._whole)[id(whole)] = AnswerForm(whole, parts)
        return form

    def _laid_out(self, value: Mapping, familiarity: Familiarity) -> list[tuple[str, _Spot]] | None:
        """The keys of an answer in their order, each with its place; None where there are none, or vary."""
        layout = self._layouts.get(keys := tuple(value))
        if layout is None and (below := below_of(".returned", value)):
            layout = [(key, self._spot(path, familiarity)) for key, path, _ in below]
            room_in(self._layouts)[keys] = layout
        return layout

    def _parts(
        self, layout: list[tuple[str, _Spot]], value: Mapping, familiarity: Familiarity
    ) -> list[Heard]:
        """The parts of an answer; one that comes again is looked at once only."""
        found: list[Heard] = []
        for key, spot in layout:
            part = value[key]
            kind = part.__class__
            if kind in SIMPLE:
                known = spot.whole.get(part)  # type: ignore[arg-type]
                if known is None or known[4] is not kind:
                    known = spot.hear_alone(part)  # type: ignore[arg-type]
            else:
                known = self._part(spot, part, familiarity)
            found.append(known)
        return found

    def _part(self, spot: _Spot, value: Value, familiarity: Familiarity) -> Heard:
        content = content_of(value)
        if content is None:
            return self._heard(leaves(value, spot.path), familiarity)
        known = spot.parts.get(content)
        if known is None:
            known = room_in(spot.parts)[content] = self._heard(leaves(value, spot.path), familiarity)
        return known

    def _spot(self, path: str, familiarity: Familiarity) -> _Spot:
        spot = self._spots.get(path)
        if spot is None:
            spot = self._spots[path] = _Spot(path, familiarity.at(self._operation + ANSWERED + path))
        return spot

    def _heard(self, leaves: Leaves, familiarity: Familiarity) -> Heard:
        spots = self._spots
        found: list[Answered] = []
        introduced: list[tuple[str, str]] = []
        starts: list[str] = []
        varies = False
        for path, leaf in leaves:
            spot = spots.get(path) or self._spot(path, familiarity)
            known = spot.leaves.get(leaf)
            if known is None or known[5] is not leaf.__class__:
                known = spot.hear(leaf)
            found.append(known)
            if known[1] is not None:
                varies = True
                introduced += known[3]
            elif known[4]:
                starts.append(path)
        constant = None if varies else APART.join([leaf.text for leaf in found])
        lists = len(set(starts)) < len(starts)
        return _new_heard((found, constant, _once(introduced), lists, dict))


def _once(introduced: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Variables, each with the first of its places."""
    if len(introduced) < 2:
        return tuple(introduced)
    first: dict[str, str] = {}
    for variable, place in introduced:
        first.setdefault(variable, place)
    return tuple(first.items())
