"""What of a request must repeat, and the variables in it."""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple, TypeVar

from likewise.canonical.familiarity import ASKED, Familiarity
from likewise.canonical.hashing import APART, fingerprint, joined_fingerprint
from likewise.canonical.leaves import SIMPLE, Leaves, below_of, leaves
from likewise.canonical.places import Place, template_of
from likewise.model import Fingerprint, Mapping, Scalar, Value
from likewise.model.tuples import maker

K = TypeVar("K")
V = TypeVar("V")

_MOST_KEPT = 4096
"""How many values of one operation are remembered in a test: requests and answers come again and again."""


class Asked(NamedTuple):
    """A part of a request: what of it must repeat, of how many pieces that is joined, and its variables."""

    text: str
    size: int
    variables: tuple[str, ...]
    kind: type


_new_asked = maker(Asked)


class _Spot:
    """A place in the requests of one operation, and what stood there so far.

    Leaves and lists of them are remembered for all operations of a test of which the same is known there.
    """

    __slots__ = ("items", "leaves", "lists", "parts", "path", "place")

    def __init__(self, path: str, place: Place, memo: dict[Any, Any]) -> None:
        self.path = path
        self.place = place
        shared = memo.get((path, place))
        if shared is None:
            shared = memo[path, place] = {}, {}
        self.leaves: dict[Scalar, Asked] = shared[0]
        self.lists: dict[bytes, Asked] = shared[1]
        """Lists of which the items stand here, by their content."""
        self.parts: dict[bytes, Asked] = {}
        """Whatever else stood here, by its content."""
        self.items: _Spot | None = None
        """Where the items of a list that stands here do."""

    def ask(self, leaf: Scalar) -> Asked:
        """What of a leaf must repeat."""
        found = self.place.cut(leaf)
        kind = kind_of(leaf)
        if found is None:
            known = _new_asked((f"{self.path}{APART}{_constant(leaf)}", 2, (), kind))
        else:
            known = _new_asked((f"{self.path}{APART}{found.template}", found.size + 1, found.variables, kind))
        self.leaves[leaf] = known
        return known

    def ask_list(self, items: list[Value], content: bytes) -> Asked | None:
        """A list of mere leaves, such as the names on the way to a resource; None if it is another one."""
        start = f"{self.path}+{APART}{_constant(None)}"
        texts: list[str] = []
        count = 2 * len(items)
        variables: tuple[str, ...] = ()
        for item in items:
            kind = item.__class__
            if kind not in SIMPLE:
                return None
            known = self.leaves.get(item)  # type: ignore[arg-type]
            if known is None or known[3] is not kind:
                known = self.ask(item)  # type: ignore[arg-type]
            texts += start, known[0]
            count += known[1]
            if known[2]:
                variables += known[2]
        asked = self.lists[content] = _new_asked((APART.join(texts), count, variables, list))
        return asked


_Layout = list[tuple[str | None, _Spot]]


class Requests:
    """What the requests of one operation in one test had in common so far, leaf by leaf and part by part.

    Whole ones are known by their identity, which nobody else can have while they are kept here.
    """

    __slots__ = ("_layouts", "_operation", "_spots", "_whole")

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._whole: dict[int, tuple[Mapping, Fingerprint, tuple[str, ...]]] = {}
        self._layouts: dict[tuple[str, ...], _Layout] = {}
        self._spots: dict[str, _Spot] = {}

    def form(self, arguments: Mapping, familiarity: Familiarity) -> tuple[Fingerprint, tuple[str, ...]]:
        """The fingerprint of what of a request must repeat, and its variables."""
        seen = self._whole.get(id(arguments))
        if seen is not None:
            return seen[1], seen[2]
        layout = self._layouts.get(keys := tuple(arguments)) or self._laid_out(keys, arguments, familiarity)
        texts = [self._operation]
        count = 1
        variables: tuple[str, ...] = ()
        for key, spot in layout:
            value = arguments if key is None else arguments[key]
            kind = value.__class__
            if kind in SIMPLE:
                known = spot.leaves.get(value)  # type: ignore[arg-type]
                if known is None or known[3] is not kind:  # 1 and True are equal, and not the same
                    known = spot.ask(value)  # type: ignore[arg-type]
            else:
                known = self._part(spot, value, familiarity)
            text, size, names, _ = known
            texts.append(text)
            count += size
            if names:
                variables += names
        template = joined_fingerprint(APART.join(texts), count)
        if template is None:
            template = _fingerprint_apart(self._operation, leaves(arguments), familiarity)
        room_in(self._whole)[id(arguments)] = arguments, template, variables
        return template, variables

    def _laid_out(self, keys: tuple[str, ...], arguments: Mapping, familiarity: Familiarity) -> _Layout:
        """The keys of a request in order, each with where its value stands; None for all if they vary."""
        below = below_of("", arguments)
        if below is None:
            return [(None, self._spot("", familiarity))]
        layout: _Layout = [(key, self._spot(path, familiarity)) for key, path, _ in below]
        room_in(self._layouts)[keys] = layout
        return layout

    def _spot(self, path: str, familiarity: Familiarity) -> _Spot:
        spot = self._spots.get(path)
        if spot is None:
            place = familiarity.at(self._operation + ASKED + path)
            spot = self._spots[path] = _Spot(path, place, familiarity.memo)
        return spot

    def _part(self, spot: _Spot, value: Value, familiarity: Familiarity) -> Asked:
        """A part of a request; one that comes again is looked at once only."""
        content = content_of(value)
        if content is None:
            return self._joined(spot, value, familiarity)
        known = spot.parts.get(content)
        if known is not None:
            return known
        if value.__class__ is list and value:
            items = spot.items
            if items is None:
                items = spot.items = self._spot(spot.path + "[]", familiarity)
            known = items.lists.get(content) or items.ask_list(value, content)
            if known is not None:
                return known
        known = room_in(spot.parts)[content] = self._joined(spot, value, familiarity)
        return known

    def _joined(self, spot: _Spot, value: Value, familiarity: Familiarity) -> Asked:
        texts: list[str] = []
        count = 0
        variables: tuple[str, ...] = ()
        spots = self._spots
        for path, leaf in leaves(value, spot.path):
            stands = spots.get(path) or self._spot(path, familiarity)
            known = stands.leaves.get(leaf)
            if known is None or known[3] is not leaf.__class__:
                known = stands.ask(leaf)
            texts.append(known[0])
            count += known[1]
            if known[2]:
                variables += known[2]
        return _new_asked((APART.join(texts), count, variables, value.__class__))


def content_of(value: Value) -> bytes | None:
    """What tells a mapping or a list from all others, types included; None where it holds more than that."""
    try:
        return marshal.dumps(value, 2)  # type: ignore[arg-type]
    except ValueError:
        return None


def room_in(memo: dict[K, V]) -> dict[K, V]:
    """A memo that has room for one more."""
    if len(memo) >= _MOST_KEPT:
        memo.clear()
    return memo


def kind_of(leaf: Scalar) -> type:
    """What tells equal leaves apart; two equal floats may still be written differently."""
    return object if isinstance(leaf, float) else leaf.__class__


def _constant(leaf: Scalar) -> str:
    return leaf if isinstance(leaf, str) else f"\x02{leaf!r}"


def _fingerprint_apart(operation: str, leaves: Leaves, familiarity: Familiarity) -> Fingerprint:
    """The fingerprint of a request that has the separator of parts in one of them."""
    parts = [operation]
    for place, leaf in leaves:
        found = familiarity.at(operation + ASKED + place).cut(leaf)
        parts.append(place)
        parts += [_constant(leaf)] if found is None else template_of(found.parts)
    return fingerprint(parts)
