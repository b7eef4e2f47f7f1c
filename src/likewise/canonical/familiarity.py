"""Learn what varies: a constant is what two runs of the same test show at the same place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from likewise.canonical.leaves import Leaves, both_leaves
from likewise.canonical.tokens import TIME, looks_random, pieces
from likewise.model import Scalar, Sketch, Trace

ASKED, ANSWERED = "?", "!"
"""A place is learned per operation, apart for what it asks and what it is answered."""


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


Parts = list[tuple[str, str]]

_JOINTS = "-_+=~."
_UNCUT: Parts = []
_MOST_CUT = 16384
"""How many leaves of a test are remembered in their parts: lists show the same ones again and again."""


class _Place:
    """What the runs of a test showed at one place."""

    __slots__ = ("constants", "lonely", "varies")

    def __init__(self, shown: list[tuple[str, list[str]]], repeats: dict[str, int]) -> None:
        self.constants: set[str] = set()
        """What more than one run showed."""
        once: dict[str, set[str]] = {}
        for code, tokens in shown:
            fresh = set(tokens)
            for others in once.values():
                twice = others & fresh
                others -= twice
                self.constants |= twice
            fresh -= self.constants
            once[code] = once[code] | fresh if code in once else fresh
        self.lonely = set().union(*(tokens for code, tokens in once.items() if repeats[code] > 1))
        """What one run showed and another one of the same code did without."""
        self.varies = bool(self.lonely)


class Familiarity:
    """What the candidate runs of one test say about what varies in it.

    A token is variable only on positive evidence: it stood in one run, and another run of the same
    code did without it at that place. On code seen once, a token is variable only if it looks random
    and stands at a place that varied before. Everything else is a constant and must repeat exactly.
    """

    __slots__ = ("_cut", "_joined", "_places", "_repeats", "memo", "sketches")

    def __init__(self, sketches: Iterable[Sketch] = ()) -> None:
        self.sketches = tuple({(sketch.run, sketch.test): sketch for sketch in sketches}.values())
        self._repeats: dict[str, int] = {}
        for known in self.sketches:
            self._repeats[known.code] = self._repeats.get(known.code, 0) + 1
        self._places: dict[str, _Place | None] = {}
        self._cut: dict[tuple[str, str], Parts | None] = {}
        self._joined: dict[tuple[object, ...], Parts] = {}
        """The parts of a text by what varies in it: it may stand at several places."""
        self.memo: dict[str, dict[Any, Any]] = {}
        """For whoever works with this familiarity to put aside what follows from it."""

    def varies(self, place: str, token: str) -> bool:
        """Whether a token at a place is a variable."""
        return self._among(self._at(place), token)

    def _among(self, known: _Place | None, token: str) -> bool:
        if known is None:
            # Only the other side has this place: what looks generated there would not repeat either.
            return len(self.sketches) > 1 and looks_random(token)
        return token in known.lonely or (
            known.varies and token not in known.constants and looks_random(token)
        )

    def _at(self, place: str) -> _Place | None:
        if place not in self._places:
            shown = [(known.code, known.tokens[place]) for known in self.sketches if place in known.tokens]
            self._places[place] = _Place(shown, self._repeats) if shown else None
        return self._places[place]

    def parts(self, place: str, leaf: Scalar) -> Parts | None:
        """A leaf as literals, each followed by a variable, the last by none; None where nothing varies.

        Neighbouring variables joined by mere hyphens or the like are one, and so is a leaf that is
        nothing else: where a generated value has its hyphens is as random as the rest of it. A time
        stays by itself, for it has no identity to lend.
        """
        if leaf is None:
            return None
        if not isinstance(leaf, str):
            return self._parts(place, leaf)
        known = self._cut.get((place, leaf), _UNCUT)
        if known is _UNCUT:
            if len(self._cut) >= _MOST_CUT:
                self._cut.clear()
                self._joined.clear()
            known = self._cut[place, leaf] = self._parts(place, leaf)
        return known

    def _parts(self, place: str, leaf: Scalar) -> Parts | None:
        known = self._at(place)
        if known is not None and not known.varies:
            return None
        literals, tokens = pieces(leaf)
        varying = self._varying_among(known, literals, tokens)
        if True not in varying:
            return None
        if not isinstance(leaf, str):
            return _parts(literals, tokens, varying)
        known_parts = self._joined.get(key := (leaf, *varying))
        if known_parts is None:
            known_parts = self._joined[key] = _parts(literals, tokens, varying)
        return known_parts

    def rest(self) -> None:
        """Let go of what only saved time."""
        self._cut.clear()
        self._joined.clear()
        self._places.clear()
        self.memo.clear()

    def _varying_among(
        self, known: _Place | None, literals: tuple[str, ...], tokens: tuple[str, ...]
    ) -> list[bool]:
        """Which tokens of a place that varies do; digits at the end of a varying word are part of it."""
        if known is None:
            varying = [self._among(None, token) for token in tokens]
        else:
            lonely, constants = known.lonely, known.constants
            varying = [
                token in lonely or (token not in constants and looks_random(token)) for token in tokens
            ]
        if True in varying and False in varying:
            for number in range(1, len(tokens)):
                if varying[number - 1] and not varying[number] and not literals[number]:
                    varying[number] = tokens[number].isdigit() and not _is_time(tokens[number - 1])
        return varying


def _parts(literals: tuple[str, ...], tokens: tuple[str, ...], varying: list[bool]) -> Parts:
    if _is_one(literals, tokens, varying):
        return [
            ("", "".join(literal + token for literal, token in zip(literals, (*tokens, ""), strict=True))),
            ("", ""),
        ]
    found: Parts = []
    literal, variable, joint = literals[0], "", ""
    for token, after, varies in zip(tokens, literals[1:], varying, strict=True):
        if variable and varies and _joins(joint) and not _is_time(token) and not _is_time(variable):
            variable += joint + token
        else:
            if variable:
                found.append((literal, variable))
                literal, variable = joint, ""
            if varies:
                variable = token
            else:
                literal += token + after
        joint = after
    if variable:
        found.append((literal, variable))
        literal = joint
    found.append((literal, ""))
    return found


def _is_one(literals: tuple[str, ...], tokens: tuple[str, ...], varying: list[bool]) -> bool:
    """Whether a text is one generated value, hyphens and all.

    In long ones a piece or two may be the same in two runs by mere chance.
    """
    if not all(map(_joins, literals)) or any(map(_is_time, tokens)):
        return False
    if all(varying):
        return True
    by_chance = [token for token, varies in zip(tokens, varying, strict=True) if not varies]
    rest = "".join(token for token, varies in zip(tokens, varying, strict=True) if varies)
    return (
        varying[0]
        and varying[-1]
        and all(len(token) <= 2 for token in by_chance)
        and len(rest) >= 20 + 10 * len(by_chance)
        and "-" not in rest
        and rest.lower() != rest != rest.upper()
    )


def _joins(literal: str) -> bool:
    return not literal.strip(_JOINTS)


def _is_time(token: str) -> bool:
    return token.startswith(TIME)
