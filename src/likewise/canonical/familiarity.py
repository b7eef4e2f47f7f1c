"""Learn what varies: a constant is what two runs of the same test show at the same place."""

from __future__ import annotations

from collections.abc import Iterable

from likewise.canonical.leaves import Leaves, answer_leaves, request_leaves
from likewise.canonical.tokens import TIME, looks_random, pieces
from likewise.model import Scalar, Sketch, Trace

ASKED, ANSWERED = "?", "!"
"""A place is learned per operation, apart for what it asks and what it is answered."""


def sketch(trace: Trace, *, run: str, code: str = "", when: float = 0.0) -> Sketch:
    """Which tokens a trace shows at which place."""
    shown: dict[str, set[str]] = {}
    for interaction in trace.interactions:
        operation = str(interaction.operation)
        _show(shown, operation + ASKED, request_leaves(interaction))
        _show(shown, operation + ANSWERED, answer_leaves(interaction))
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
_MOST_CUT = 16384
"""How many leaves of a test are remembered in their parts: lists show the same ones again and again."""


class Familiarity:
    """What the candidate runs of one test say about what varies in it.

    A token is variable only on positive evidence: it stood in one run, and another run of the same
    code did without it at that place. On code seen once, a token is variable only if it looks random
    and stands at a place that varied before. Everything else is a constant and must repeat exactly.
    """

    __slots__ = ("_constants", "_cut", "_memo", "_places", "_varying", "sketches")

    def __init__(self, sketches: Iterable[Sketch] = ()) -> None:
        self.sketches = tuple({(sketch.run, sketch.test): sketch for sketch in sketches}.values())
        repeats: dict[str, int] = {}
        for known in self.sketches:
            repeats[known.code] = repeats.get(known.code, 0) + 1
        self._places: dict[str, dict[str, str | None]] = {}
        for known in self.sketches:
            for place, tokens in known.tokens.items():
                seen = self._places.setdefault(place, {})
                for token in tokens:
                    # None marks a constant; otherwise the code of the only run that showed the token.
                    seen[token] = None if token in seen else known.code
        self._varying: dict[str, bool] = {}
        for place, seen in self._places.items():
            lonely = (code for code in seen.values() if code is not None)
            self._varying[place] = any(repeats[code] > 1 for code in lonely)
        self._constants: set[tuple[str, Scalar]] = set()
        self._cut: dict[tuple[str, Scalar], Parts] = {}
        self._memo: dict[tuple[str, str], bool] = {}
        for place, seen in self._places.items():
            for token, code in seen.items():
                if code is not None and repeats[code] > 1:
                    self._memo[place, token] = True

    def varies(self, place: str, token: str) -> bool:
        """Whether a token at a place is a variable."""
        known = self._memo.get((place, token))
        if known is None:
            known = self._judge(place, token)
            self._memo[place, token] = known
        return known

    def _judge(self, place: str, token: str) -> bool:
        seen = self._places.get(place)
        if seen is None:
            # Only the other side has this place: what looks generated there would not repeat either.
            return len(self.sketches) > 1 and looks_random(token)
        if not self._varying[place]:
            return False
        if token in seen:
            return seen[token] is not None and looks_random(token)
        return looks_random(token)

    def parts(self, place: str, leaf: Scalar) -> Parts | None:
        """A leaf as literals, each followed by a variable, the last by none; None where nothing varies.

        Neighbouring variables joined by mere hyphens or the like are one, and so is a leaf that is
        nothing else: where a generated value has its hyphens is as random as the rest of it. A time
        stays by itself, for it has no identity to lend.
        """
        if leaf is None or (place, leaf) in self._constants:
            return None
        if isinstance(leaf, str) and (known := self._cut.get((place, leaf))) is not None:
            return known
        literals, tokens = pieces(leaf)
        varying = self._varying_among(place, literals, tokens)
        if not any(varying):
            self._constants.add((place, leaf))
            return None
        found = _parts(literals, tokens, varying)
        if isinstance(leaf, str):
            if len(self._cut) >= _MOST_CUT:
                self._cut.clear()
            self._cut[place, leaf] = found
        return found

    def rest(self) -> None:
        """Let go of what only saved time."""
        self._constants.clear()
        self._cut.clear()

    def _varying_among(self, place: str, literals: tuple[str, ...], tokens: tuple[str, ...]) -> list[bool]:
        """Which of the tokens vary; digits at the end of a varying word are part of it."""
        varying: list[bool] = []
        for number, token in enumerate(tokens):
            ends = (
                bool(number) and not literals[number] and token.isdigit() and not _is_time(tokens[number - 1])
            )
            varying.append((ends and varying[-1]) or self.varies(place, token))
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
