"""An interaction as a template and the variables in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from likewise.canonical.familiarity import Familiarity, answer_place, request_place
from likewise.canonical.fingerprint import fingerprint
from likewise.canonical.leaves import leaves, outcome_value
from likewise.canonical.tokens import TIME, looks_random, pieces
from likewise.model import Fingerprint, Interaction, Value

Naming = Callable[[str], str]
"""Gives a variable its name within one key."""

_SOME_TIME = "\x04time"
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
        parts, tokens = pieces(leaf)
        literals.append(parts[0])
        learned = request_place(interaction, place)
        for token, literal in zip(tokens, parts[1:], strict=True):
            if not familiarity.varies(learned, token):
                literals.append(token)
            elif token.startswith(TIME):
                literals.append(_SOME_TIME)
            else:
                literals.append("\x05")
                variables.append(token)
            literals.append(literal)
    return Form(
        operation=str(interaction.operation),
        template=fingerprint(literals),
        variables=tuple(variables),
        introduced=_introduced(interaction, familiarity),
    )


def _introduced(interaction: Interaction, familiarity: Familiarity) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for place, leaf in leaves(outcome_value(interaction.outcome)):
        learned = answer_place(interaction, place)
        for slot, token in enumerate(pieces(leaf)[1]):
            if token not in found and not token.startswith(TIME) and familiarity.varies(learned, token):
                found[token] = f"{place}/{slot}"
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
        parts, tokens = pieces(value)
        if not tokens:
            return value
        learned = answer_place(self._interaction, place)
        if not any(self._familiarity.varies(learned, token) for token in tokens):
            return value
        rendered = [parts[0]]
        for token, literal in zip(tokens, parts[1:], strict=True):
            rendered.append(self._token(token, learned))
            rendered.append(literal)
        return "".join(rendered)

    def _token(self, token: str, learned: str) -> str:
        if not self._familiarity.varies(learned, token):
            return token
        if token.startswith(TIME):
            return "⟨time⟩"
        if name := self._names.get(token):
            return f"⟨{name}⟩"
        if looks_random(token):
            return self._fresh.setdefault(token, f"⟨new {len(self._fresh) + 1}⟩")
        return token

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
    """How a list is ordered, in terms that do not depend on random values."""
    texts = [_lead(item) for item in items]
    if texts == sorted(texts):
        return "ascending"
    if texts == sorted(texts, reverse=True):
        return "descending"
    named = [_shape(item) for item in rendered]
    return "as introduced" if named == sorted(named) else "none"


def answer_fingerprint(value: Value) -> Fingerprint:
    """The hash of a canonical answer."""
    parts: list[str] = []
    for place, leaf in leaves(value):
        parts.append(place)
        parts.append(repr(leaf))
    return fingerprint(parts)
