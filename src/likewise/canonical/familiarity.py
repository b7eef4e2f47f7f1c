"""Learn what varies: a constant is what two runs of the same test show at the same place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from likewise.canonical.leaves import Leaves, both_leaves
from likewise.canonical.places import CONSTANT, CursorPlace, Cut, Parts, Place
from likewise.canonical.tokens import is_long, is_near, looks_random, pieces
from likewise.model import Scalar, Sketch, Trace

ASKED, ANSWERED = "?", "!"
"""A place is learned per operation, apart for what it asks and what it is answered."""

_Told = tuple[tuple[str, ...] | None, ...]
"""What each run showed at a place; None where it never came to that place."""

Cursors = Callable[[str], str]
"""Says what kind of cursor stands at a place, if any: what is answered at one place may be sent back at
another one of its kind. A place is an operation, `ASKED` or `ANSWERED`, and the path below."""


def no_cursors(place: str) -> str:
    """For a boundary that has none."""
    return ""


def sketch(trace: Trace, *, run: str, code: str = "", when: float = 0.0) -> Sketch:
    """Which tokens a trace shows at which place."""
    shown: dict[str, set[str]] = {}
    for interaction in trace.interactions:
        operation = str(interaction.operation)
        asked, answered = both_leaves(interaction)
        _show(shown, operation + ASKED, asked)
        _show(shown, operation + ANSWERED, answered)
    return Sketch(
        test=trace.test,
        run=run,
        code=code,
        when=when,
        tokens={place: sorted(tokens) for place, tokens in shown.items()},
    )


def _show(shown: dict[str, set[str]], prefix: str, leaves: Leaves) -> None:
    for place, leaf in leaves:
        if leaf is None:
            continue
        if tokens := pieces(leaf)[1]:
            known = shown.get(learned := prefix + place)
            if known is None:
                shown[learned] = set(tokens)
            else:
                known.update(tokens)


def operations_in(known: Sketch) -> set[str]:
    """The operations that a run called."""
    return set(map(_operation, known.tokens))


class Familiarity:
    """What the candidate runs of one test say about what varies in it.

    A token is variable only on positive evidence: it stood in one run, and another run of the same
    code, which called that operation as well, did without it at that place. What two runs showed is a
    constant, unless each run shows again what the one before it left behind (`_left_behind`). On code seen
    once, a token is variable only if it looks random and stands at a place that varied before. Everything
    else is a constant and must repeat exactly. Only `cursors` need no evidence: servers write them in ways
    of their own, some the same in every run.
    """

    __slots__ = ("_alike", "_called", "_cursors", "_cuts", "_places", "memo", "sketches")

    def __init__(self, sketches: Iterable[Sketch] = (), *, cursors: Cursors = no_cursors) -> None:
        self._cursors = cursors
        self.sketches = tuple({(sketch.run, sketch.test): sketch for sketch in sketches}.values())
        self._called: list[set[str]] | None = None
        self._places: dict[str, Place] = {}
        self._alike: dict[_Told, Place] = {}
        """What follows from that which each run showed at a place: the same wherever they showed it."""
        self._cuts: dict[object, Cut] = {}
        self.memo: dict[Any, Any] = {}
        """For whoever works with this familiarity to put aside what follows from it."""

    def parts(self, place: str, leaf: Scalar) -> Parts | None:
        """The parts of a leaf at a place; None where nothing varies."""
        found = self.at(place).cut(leaf)
        return None if found is None else found.parts

    def at(self, place: str) -> Place:
        """What is known of a place."""
        known = self._places.get(place)
        if known is None:
            known = self._learned(place)
            if kind := self._cursors(place):
                known = CursorPlace(kind, known)
            self._places[place] = known
        return known

    def can_tell(self, operation: str) -> bool:
        """Whether two runs called an operation, so that what varies in its answers is known."""
        return sum(operation in called for called in self._operations()) > 1

    def rest(self) -> None:
        """Let go of what only saved time."""
        self._cuts.clear()
        self._places.clear()
        self._alike.clear()
        self.memo.clear()

    def _learned(self, place: str) -> Place:
        if len(self.sketches) == 2:  # as nearly always
            one, other = self.sketches
            if (shown := one.tokens.get(place)) is not None and shown == other.tokens.get(place):
                return CONSTANT  # most places: nothing to tell apart
        told = [known.tokens.get(place) for known in self.sketches]
        alike = tuple([None if tokens is None else tuple(tokens) for tokens in told])
        if None in alike:
            alike = self._without_strangers(place, alike)
        learned = self._alike.get(alike)
        if learned is None:
            learned = self._alike[alike] = self._told_apart(place, alike)
        return learned

    def _without_strangers(self, place: str, told: _Told) -> _Told:
        """What the runs told, with nothing at all for those that never called the operation of a place."""
        operation = _operation(place)
        return tuple(
            [
                () if tokens is None and operation not in called else tokens
                for tokens, called in zip(told, self._operations(), strict=True)
            ]
        )

    def _operations(self) -> list[set[str]]:
        """What each run called."""
        if self._called is None:
            self._called = [operations_in(known) for known in self.sketches]
        return self._called

    def _told_apart(self, place: str, told: _Told) -> Place:
        shown = [(known.code, known.tokens[place]) for known in self.sketches if place in known.tokens]
        if not shown:
            # Only the other side has this place: what looks generated there would not repeat either. Runs
            # that never called the operation say nothing of that.
            return Place(set(), set(), varies=told.count(None) > 1, cuts=self._cuts)
        if len(shown) > 1 and all(tokens == shown[0][1] for _, tokens in shown):
            return CONSTANT
        constants, once = _shared_and_lonely(shown)
        callers = Counter(
            known.code for known, tokens in zip(self.sketches, told, strict=True) if tokens != ()
        )
        lonely = set().union(*(tokens for code, tokens in once.items() if callers[code] > 1))
        for code, times in callers.items():
            if times > 2:
                left = _left_behind(self._shown_in_turn(place, code))
                constants -= left
                lonely |= left
        if not lonely:
            return CONSTANT
        return Place(
            constants,
            lonely,
            varies=True,
            cuts=self._cuts,
            is_clock=self._is_clock(place, lonely),
            is_sized=self._is_sized(place, lonely),
        )

    def _shown_in_turn(self, place: str, code: str) -> list[list[str]]:
        """What the runs of a code showed at a place, the oldest first."""
        runs = sorted([known for known in self.sketches if known.code == code], key=lambda known: known.when)
        return [known.tokens.get(place, []) for known in runs]

    def _is_sized(self, place: str, lonely: set[str]) -> bool:
        """Whether each run of a code generated values of the same lengths at a place."""
        sizes: dict[str, frozenset[int]] = {}
        for known in self.sketches:
            tokens = known.tokens.get(place)
            if tokens is None:
                continue
            found = frozenset([len(token) for token in tokens if token in lonely and is_long(token)])
            if found and sizes.setdefault(known.code, found) != found:
                return False
        return bool(sizes)

    def _is_clock(self, place: str, lonely: set[str]) -> bool:
        """Whether all that varies at a place are times near those at which the runs were made."""
        return all(
            is_near(token, known.when)
            for known in self.sketches
            for token in known.tokens.get(place, ())
            if token in lonely
        )


def _left_behind(runs: Sequence[Iterable[str]]) -> set[str]:
    """What looks random and is in two runs that follow each other, as if the first one had left it behind.

    A single such pair may as well be a constant that somebody changed then. But where a run shows what the
    one before it showed, and the one after it what only itself did, that is what happens from run to run.
    """
    where: dict[str, list[int]] = {}
    for number, tokens in enumerate(runs):
        for token in tokens:
            where.setdefault(token, []).append(number)
    pairs: dict[int, set[str]] = {}
    for token, numbers in where.items():
        if len(numbers) == 2 and numbers[0] + 1 == numbers[1] and looks_random(token):
            pairs.setdefault(numbers[0], set()).add(token)
    return set().union(*(found for at, found in pairs.items() if at - 1 in pairs or at + 1 in pairs))


def _operation(place: str) -> str:
    return place.partition(ASKED)[0].partition(ANSWERED)[0]


def _shared_and_lonely(shown: list[tuple[str, list[str]]]) -> tuple[set[str], dict[str, set[str]]]:
    """What more than one run showed, and for each code what only one run did."""
    if len(shown) == 2 and shown[0][0] == shown[1][0]:  # as nearly always
        code, tokens = shown[0]
        first, second = set(tokens), set(shown[1][1])
        return first & second, {code: first ^ second}
    constants: set[str] = set()
    once: dict[str, set[str]] = {}
    for code, tokens in shown:
        fresh = set(tokens)
        for others in once.values():
            twice = others & fresh
            others -= twice
            constants |= twice
        fresh -= constants
        once[code] = once[code] | fresh if code in once else fresh
    return constants, once
