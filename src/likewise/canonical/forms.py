"""An interaction as a template and the variables in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from likewise.canonical.familiarity import Familiarity, answer_place, request_place
from likewise.canonical.fingerprint import fingerprint
from likewise.canonical.leaves import leaves, outcome_value
from likewise.canonical.tokens import TIME, looks_random, pieces
from likewise.model import Fingerprint, Interaction, Scalar, Value

Naming = Callable[[str], str]
"""Gives a variable its name within one key."""

GIVEN = "q"
"""Begins the names of variables that the client chose."""
ANSWERED = "r"
"""Begins the names of variables that an answer in the context introduced."""
QUOTED = "x"
"""Begins the names of variables that an answer elsewhere introduced."""

_SOME_TIME = "\x04time"
_VARIABLE = "\x05"
_JOINTS = frozenset(("", "-", "_", "+", "=", "~"))
_FRESH = "\x04fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What of an interaction must repeat, and the variables that count only by identity.

    `introduced` lists the variables of the answer, each with the place that gave it.
    """

    operation: str
    template: Fingerprint
    variables: tuple[str, ...]
    introduced: tuple[tuple[str, str], ...]


def compile_form(interaction: Interaction, familiarity: Familiarity) -> Form:
    """The form of an interaction, given what is known to vary."""
    literals: list[str] = [str(interaction.operation)]
    variables: list[str] = []
    for place, leaf in leaves(interaction.arguments):
        literals.append(place)
        for literal, variable in _parts(leaf, request_place(interaction, place), familiarity):
            literals.append(literal)
            if not variable:
                continue
            if variable.startswith(TIME):
                literals.append(_SOME_TIME)
            else:
                literals.append(_VARIABLE)
                variables.append(variable)
    return Form(
        operation=str(interaction.operation),
        template=fingerprint(literals),
        variables=tuple(variables),
        introduced=_introduced(interaction, familiarity),
    )


def _parts(leaf: Scalar, learned: str, familiarity: Familiarity) -> Iterator[tuple[str, str]]:
    """A leaf as literals, each followed by a variable; the last one by none.

    Neighbouring variables joined by a mere hyphen or the like are one: where a generated value has its
    hyphens is as random as the rest of it.
    """
    literals, tokens = pieces(leaf)
    literal, variable = literals[0], ""
    for token, after in zip(tokens, literals[1:], strict=True):
        if not familiarity.varies(learned, token):
            if variable:
                yield literal, variable
                literal, variable = after_variable, ""
            literal += token + after
            continue
        if variable and after_variable in _JOINTS and not (token + variable).startswith(TIME):
            variable += after_variable + token
        elif variable:
            yield literal, variable
            literal, variable = after_variable, token
        else:
            variable = token
        after_variable = after
    if variable:
        yield literal, variable
        literal = after_variable
    yield literal, ""


def _introduced(interaction: Interaction, familiarity: Familiarity) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for place, leaf in leaves(outcome_value(interaction.outcome)):
        learned = answer_place(interaction, place)
        for slot, (_, variable) in enumerate(_parts(leaf, learned, familiarity)):
            if variable and variable not in found and not variable.startswith(TIME):
                found[variable] = f"{place}/{slot}"
    return tuple(found.items())


def canonical_answer(interaction: Interaction, familiarity: Familiarity, names: Mapping[str, str]) -> Value:
    """The answer with every variable under its name.

    A variable that nothing before introduced counts as fresh if it looks generated; one that does not
    (a count, a state, a word) must repeat exactly. Items of a list that hold variables are put into an
    order that does not depend on them, with a note on how the list was really ordered.
    """
    return _Answer(interaction, familiarity, names).render(outcome_value(interaction.outcome), "")


class _Answer:
    def __init__(self, interaction: Interaction, familiarity: Familiarity, names: Mapping[str, str]) -> None:
        self._interaction = interaction
        self._familiarity = familiarity
        self._names = names
        self._fresh: dict[str, str] = {}

    def render(self, value: Value, place: str) -> Value:
        if isinstance(value, dict):
            return {key: self.render(value[key], f"{place}.{key}") for key in sorted(value)}
        if isinstance(value, list):
            return self._list(value, place + "[]")
        parts = list(_parts(value, answer_place(self._interaction, place), self._familiarity))
        if len(parts) == 1:
            return value
        return "".join(literal + self._name(variable) for literal, variable in parts)

    def _name(self, variable: str) -> str:
        if not variable:
            return ""
        if variable.startswith(TIME):
            return "⟨time⟩"
        if name := self._names.get(variable):
            return f"⟨{name}⟩"
        if looks_random(variable):
            return self._fresh.setdefault(variable, f"⟨new {len(self._fresh) + 1}⟩")
        return variable

    def _list(self, items: list[Value], place: str) -> Value:
        before = len(self._fresh)
        rendered = [self.render(item, place) for item in items]
        if len(items) < 2 or rendered == items:
            return rendered
        if len(self._fresh) > before:
            # Number fresh variables after sorting, so that their numbers do not depend on the order.
            known = dict(list(self._fresh.items())[:before])
            shapes = [_shape(self._blank(item, place)) for item in items]
            order = sorted(range(len(items)), key=shapes.__getitem__)
            self._fresh = known
            ordered = [self.render(items[index], place) for index in order]
        else:
            ordered = sorted(rendered, key=_shape)
        return {"order": _ordering(items, rendered), "items": ordered}

    def _blank(self, item: Value, place: str) -> Value:
        fresh, self._fresh = self._fresh, _Blank(self._fresh)
        try:
            return self.render(item, place)
        finally:
            self._fresh = fresh


class _Blank(dict[str, str]):
    """Gives every fresh variable the same name."""

    def setdefault(self, token: str, name: str = "") -> str:
        return self.get(token, _FRESH)


def _shape(value: Value) -> str:
    return repr(value)


def _lead(item: Value) -> str:
    """What a list is sorted by, if it is: its items' first field, as servers put names first."""
    if isinstance(item, dict) and item:
        return _lead(next(iter(item.values())))
    return item if isinstance(item, str) else _shape(item)


def _ordering(items: list[Value], rendered: list[Value]) -> str:
    """How a list is ordered, in terms that do not depend on random values.

    Names that the client chose may be sorted; identities that the server made up have no order but
    that in which they came to be.
    """
    named = [_lead(item) for item in rendered]
    if any(f"⟨{GIVEN}" in name for name in named) or named == [_lead(item) for item in items]:
        texts = [_lead(item) for item in items]
        if texts == sorted(texts):
            return "ascending"
        if texts == sorted(texts, reverse=True):
            return "descending"
    return "as introduced" if named == sorted(named) else "none"


def answer_fingerprint(value: Value) -> Fingerprint:
    """The hash of a canonical answer."""
    parts: list[str] = []
    for place, leaf in leaves(value):
        parts.append(place)
        parts.append(repr(leaf))
    return fingerprint(parts)
