"""What varies at a place, and how that cuts the values that stand there."""

from __future__ import annotations

from typing import NamedTuple

from likewise.canonical.hashing import APART
from likewise.canonical.tokens import CURSOR, SIZE, TIME, cut, is_long, looks_random, pieces
from likewise.model import Scalar
from likewise.model.tuples import maker

Parts = list[tuple[str, str]]
"""Literals, each followed by a variable, the last by none."""

_JOINTS = "-_+=~."
_ENCODING = "-_"
"""What letters of both cases and digits leave to be encoded with: as likely at the ends as anywhere."""
_ENDS = tuple(_ENCODING)
_SOME_TIME = "\x04time"
"""Stands for a time, and for a length, that varies."""
_VARIABLE = "\x05"
_MOST_KEPT = 16384
"""How many texts of a place are remembered as they were cut: lists show the same ones again and again."""


class Cut(NamedTuple):
    """A value cut at what varies in it."""

    parts: Parts
    template: str
    """What must repeat: the literals, and marks where variables stand, joined."""
    size: int
    """How many pieces the template joins."""
    variables: tuple[str, ...]
    slots: tuple[tuple[str, str], ...]
    """The variables, each with where among the parts it stands."""


_new_cut = maker(Cut)


class Place:
    """What the runs of a test showed at one place, and what varies there."""

    __slots__ = ("_constants", "_cuts", "_is_clock", "_is_sized", "_known", "_lonely", "_varies")

    def __init__(
        self,
        constants: set[str],
        lonely: set[str],
        *,
        varies: bool,
        cuts: dict[object, Cut],
        is_clock: bool = False,
        is_sized: bool = False,
    ) -> None:
        self._constants = constants
        """What more than one run showed."""
        self._lonely = lonely
        """What one run showed and another one of the same code did without."""
        self._varies = varies
        self._is_clock = is_clock
        """Whether digits that vary here count seconds: by chance two are equal, so they have no identity."""
        self._is_sized = is_sized
        """Whether what is generated here is as long in every run: then its length is no chance."""
        self._known: dict[str, Cut | None] = {}
        self._cuts = cuts
        """Texts by what varies in them: one may stand at several places."""

    def cut(self, leaf: Scalar) -> Cut | None:
        """A leaf cut at its variables; None where nothing varies.

        Neighbouring variables joined by mere hyphens or the like are one, and so is a leaf that is
        nothing else: where a generated value has its hyphens is as random as the rest of it. A time
        stays by itself, for it has no identity to lend.
        """
        if not self._varies or leaf is None:
            return None
        if not isinstance(leaf, str):
            literals, tokens = pieces(leaf)
            varying = [*map(self._is_variable, tokens)]
            return _cut(literals, tokens, varying) if True in varying else None
        known = self._known.get(leaf, self)
        if known is not self:
            return known  # type: ignore[return-value]
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
            self._cuts.clear()
        found = self._text(leaf)
        if found is not None and self._is_sized:
            found = _sized(found)
        self._known[leaf] = found
        return found

    def _text(self, text: str) -> Cut | None:
        literals, tokens = cut(text)
        constants, lonely = self._constants, self._lonely
        variables: list[str] = []
        for token in tokens:
            if token not in constants and (token in lonely or (len(token) > 5 and looks_random(token))):
                variables.append(token)
        if not variables:
            return None
        if len(variables) == 1 and len(tokens) > 1 and "" not in literals[1:-1]:
            # As in most texts: no neighbour joins it.
            known = self._cuts.get(once := (text, at := tokens.index(variables[0])))
            if known is None:
                known = self._cuts[once] = _cut_once(text, literals, tokens, at)
            return known
        varying = self._varying(literals, tokens)
        if self._is_clock and len(tokens) == 1 and text == tokens[0]:
            tokens = (TIME + text,)
        known = self._cuts.get(key := (text, tokens[0], *varying))
        if known is None:
            known = self._cuts[key] = _cut(literals, tokens, varying)
        return known

    def _is_variable(self, token: str) -> bool:
        return token not in self._constants and (token in self._lonely or looks_random(token))

    def _varying(self, literals: tuple[str, ...], tokens: tuple[str, ...]) -> list[bool]:
        """Which tokens vary; digits at the end of a varying word are part of it."""
        lonely, constants = self._lonely, self._constants
        varying = [token not in constants and (token in lonely or looks_random(token)) for token in tokens]
        if "" in literals[1:-1] and True in varying and False in varying:
            for number in range(1, len(tokens)):
                if varying[number - 1] and not varying[number] and not literals[number]:
                    varying[number] = tokens[number].isdigit() and not _is_nameless(tokens[number - 1])
        return varying


class CursorPlace(Place):
    """A place that holds cursors, in a text of the server's own making: each is one variable as a whole.

    Cursors of different kinds are never the same one, nor is anything else that has their text. No cursor,
    or an empty one, is none.
    """

    __slots__ = ("_kind", "_learned")

    def __init__(self, kind: str, learned: Place) -> None:
        super().__init__(set(), set(), varies=True, cuts={})
        self._kind = kind
        self._learned = learned
        """What is known of the place apart from that."""

    def cut(self, leaf: Scalar) -> Cut | None:
        """A cursor as the variable that it is; what varies in its text may stand elsewhere as well."""
        inner = self._learned.cut(leaf)
        if not isinstance(leaf, str) or not leaf:
            return inner
        whole = _cut(("", ""), (f"{CURSOR}{self._kind}{CURSOR}{leaf}",), [True])
        return whole if inner is None else whole._replace(slots=whole.slots + inner.slots)


CONSTANT = Place(set(), set(), varies=False, cuts={})
"""A place at which nothing varies."""


def _cut(literals: tuple[str, ...], tokens: tuple[str, ...], varying: list[bool]) -> Cut:
    parts = _with_ends(_parts(literals, tokens, varying))
    template = template_of(parts)
    slots = [
        (variable, f"/{slot}")
        for slot, (_, variable) in enumerate(parts)
        if variable and not _is_nameless(variable)
    ]
    variables = tuple([variable for variable, _ in slots])
    return Cut(parts, APART.join(template), len(template), variables, tuple(slots))


def _cut_once(text: str, literals: tuple[str, ...], tokens: tuple[str, ...], at: int) -> Cut:
    """The same where one token of several varies: no neighbour joins it, and it is not the whole text."""
    variable = tokens[at]
    if text.count(variable) == 1 and TIME not in "".join(tokens):
        before, _, after = text.partition(variable)  # without times, its pieces joined are the text itself
    else:
        pieces = [*tokens, *literals]
        pieces[1::2] = tokens
        pieces[::2] = literals
        before, after = "".join(pieces[: 2 * at + 1]), "".join(pieces[2 * at + 2 :])
    parts = [(before, variable), (after, "")]
    if before[-1:] in _ENDS or after[:1] in _ENDS:
        (before, variable), (after, _) = parts = _with_ends(parts)
    if variable[0] == TIME:
        return _new_cut((parts, f"{before}{APART}{_SOME_TIME}{APART}{after}", 3, (), ()))
    template = f"{before}{APART}{_VARIABLE}{APART}{after}"
    return _new_cut((parts, template, 3, (variable,), ((variable, "/0"),)))


def _sized(found: Cut) -> Cut:
    """A cut of which the template says how long each generated value is."""
    sizes = [str(len(variable)) for variable in found.variables if is_long(variable)]
    if not sizes:
        return found
    return found._replace(template=f"{found.template} {' '.join(sizes)}")


def template_of(parts: Parts) -> list[str]:
    """What of a value must repeat: its literals, and marks where variables stand."""
    template: list[str] = []
    for literal, variable in parts:
        template.append(literal)
        if variable:
            template.append(_SOME_TIME if _is_nameless(variable) else _VARIABLE)
    return template


def _parts(literals: tuple[str, ...], tokens: tuple[str, ...], varying: list[bool]) -> Parts:
    if _is_one(literals, tokens, varying):
        return [
            ("", "".join(literal + token for literal, token in zip(literals, (*tokens, ""), strict=True))),
            ("", ""),
        ]
    found: Parts = []
    literal, variable, joint = literals[0], "", ""
    for token, after, varies in zip(tokens, literals[1:], varying, strict=True):
        if variable and varies and _joins(joint) and not _is_nameless(token) and not _is_nameless(variable):
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


def _with_ends(parts: Parts) -> Parts:
    """The same parts, each encoded value with the hyphens and the like that it begins or ends with.

    One that follows a word, or comes before one, sets the value apart from it, and is none of its own.
    """
    for number, (literal, variable) in enumerate(parts[:-1]):
        after, following = parts[number + 1]
        if (literal[-1:] in _ENDS or after[:1] in _ENDS) and _may_be_encoded(variable):
            begins = _end_of(literal, is_bound=number > 0)
            ends = _end_of(after[::-1], is_bound=following != "")[::-1]
            parts[number] = literal.removesuffix(begins), f"{begins}{variable}{ends}"
            parts[number + 1] = after.removeprefix(ends), following
    return parts


def _end_of(literal: str, *, is_bound: bool) -> str:
    """What at the end of a literal belongs to the value after it; what it all follows may be bound to it."""
    rest = literal.rstrip(_ENCODING)
    end = literal[len(rest) :]
    return end[1:] if (rest[-1].isalnum() if rest else is_bound) else end


def _may_be_encoded(variable: str) -> bool:
    return variable.upper() != variable != variable.lower() and looks_random(variable)


def _is_one(literals: tuple[str, ...], tokens: tuple[str, ...], varying: list[bool]) -> bool:
    """Whether a text is one generated value, hyphens and all.

    In long ones a piece or two may be the same in two runs by mere chance.
    """
    if not all(map(_joins, literals)) or any(map(_is_nameless, tokens)):
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


def _is_nameless(token: str) -> bool:
    """Whether a token has no identity when it varies."""
    return token.startswith((TIME, SIZE))
