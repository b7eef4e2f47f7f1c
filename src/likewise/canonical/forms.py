"""An interaction as a template and the variables in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from likewise.canonical.familiarity import ANSWERED, ASKED, Familiarity, Parts
from likewise.canonical.fingerprint import fingerprint
from likewise.canonical.leaves import (
    KEY,
    NAMED,
    answer_leaves,
    is_name,
    leaves,
    outcome_value,
    request_leaves,
)
from likewise.canonical.tokens import TIME, looks_random
from likewise.model import Fingerprint, Interaction, Scalar, Value

GIVEN = "q"
"""Begins the names of variables that the client chose."""
RETURNED = "r"
"""Begins the names of variables that an answer in the context introduced."""
QUOTED = "x"
"""Begins the names of variables that an answer elsewhere introduced."""

_SOME_TIME = "\x04time"
_VARIABLE = "\x05"
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
    answer: tuple[tuple[str, Scalar, Parts | None], ...]


def compile_form(interaction: Interaction, familiarity: Familiarity) -> Form:
    """The form of an interaction, given what is known to vary."""
    operation = str(interaction.operation)
    literals: list[str] = [operation]
    variables: list[str] = []
    for place, leaf in request_leaves(interaction):
        literals.append(place)
        parts = familiarity.parts(operation + ASKED + place, leaf)
        if parts is None:
            literals.append(leaf if isinstance(leaf, str) else f"\x02{leaf!r}")
            continue
        for literal, variable in parts:
            literals.append(literal)
            if not variable:
                continue
            if variable.startswith(TIME):
                literals.append(_SOME_TIME)
            else:
                literals.append(_VARIABLE)
                variables.append(variable)
    introduced: dict[str, str] = {}
    answer: list[tuple[str, Scalar, Parts | None]] = []
    for place, leaf in answer_leaves(interaction):
        parts = familiarity.parts(operation + ANSWERED + place, leaf)
        answer.append((place, leaf, parts))
        for slot, (_, variable) in enumerate(parts or ()):
            if variable and variable not in introduced and not variable.startswith(TIME):
                introduced[variable] = f"{place}/{slot}"
    return Form(
        operation=operation,
        template=fingerprint(literals),
        variables=tuple(variables),
        introduced=tuple(introduced.items()),
        answer=tuple(answer),
    )


def answer_of(
    interaction: Interaction, form: Form, familiarity: Familiarity, names: Mapping[str, str]
) -> Fingerprint:
    """The fingerprint of the canonical answer."""
    if any(place.endswith(("[]+", KEY)) for place, _, _ in form.answer):
        # Lists may have to be put in order first, generated keys need their names.
        return answer_fingerprint(canonical_answer(interaction, familiarity, names))
    naming = _Naming(names)
    found: list[str] = []
    for place, leaf, parts in form.answer:
        found.append(place)
        found.append(repr(leaf if parts is None else naming.render(parts)))
    return fingerprint(found)


def canonical_answer(interaction: Interaction, familiarity: Familiarity, names: Mapping[str, str]) -> Value:
    """The answer with every variable under its name.

    A variable that nothing before introduced counts as fresh if it looks generated; one that does not
    (a count, a state, a word) must repeat exactly. Items that the client gave random names are put into
    an order that does not depend on these, with a note on how the list was really ordered.
    """
    prefix = str(interaction.operation) + ANSWERED
    return _Answer(prefix, familiarity, _Naming(names)).render(outcome_value(interaction.outcome), "")


def answer_fingerprint(value: Value) -> Fingerprint:
    """The hash of a canonical answer."""
    found: list[str] = []
    for place, leaf in leaves(value):
        found.append(place)
        found.append(repr(leaf))
    return fingerprint(found)


class _Naming:
    """Names variables: known ones by their name, generated ones as fresh, others not at all."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.fresh: dict[str, str] = {}
        self.blank = False

    def ages(self) -> dict[str, int]:
        """Every name with its place in the order of introduction."""
        return {name: age for age, name in enumerate(self._names.values())}

    def render(self, parts: Parts) -> str:
        return "".join(literal + self._name(variable) for literal, variable in parts)

    def _name(self, variable: str) -> str:
        if not variable:
            return ""
        if variable.startswith(TIME):
            return "⟨time⟩"
        if name := self._names.get(variable):
            return f"⟨{name}⟩"
        if not looks_random(variable):
            return variable
        if self.blank:
            return self.fresh.get(variable, _FRESH)
        return self.fresh.setdefault(variable, f"⟨new {len(self.fresh) + 1}⟩")


class _Answer:
    def __init__(self, prefix: str, familiarity: Familiarity, naming: _Naming) -> None:
        self._prefix = prefix
        self._familiarity = familiarity
        self._naming = naming

    def render(self, value: Value, place: str) -> Value:
        if isinstance(value, dict):
            return self._mapping(value, place)
        if isinstance(value, list):
            return self._list(value, place + "[]")
        parts = self._familiarity.parts(self._prefix + place, value)
        return value if parts is None else self._naming.render(parts)

    def _mapping(self, value: Mapping[str, Value], place: str) -> Value:
        rendered: dict[str, Value] = {}
        for key in sorted(value):
            if not is_name(key):
                rendered[key] = self.render(value[key], f"{place}.{key}")
                continue
            name = str(self.render(key, place + KEY))
            while name in rendered:
                name += " "
            rendered[name] = self.render(value[key], place + NAMED)
        return rendered

    def _list(self, items: list[Value], place: str) -> Value:
        known = dict(self._naming.fresh)
        rendered = [self.render(item, place) for item in items]
        if len(items) < 2 or f"⟨{GIVEN}" not in repr(rendered):
            return rendered
        if len(self._naming.fresh) > len(known) and not self._naming.blank:
            # Number fresh variables after sorting, so that their numbers do not depend on the order.
            self._naming.fresh, self._naming.blank = known, True
            shapes = [repr(self.render(item, place)) for item in items]
            self._naming.blank = False
            order = sorted(range(len(items)), key=shapes.__getitem__)
            ordered = [self.render(items[index], place) for index in order]
        else:
            ordered = sorted(rendered, key=repr)
        return {"⟨order⟩": _ordering(items, rendered, self._naming.ages()), "⟨items⟩": ordered}


_GIVEN_NAME = re.compile(f"⟨({GIVEN}\\d+)⟩")


def _ordering(items: list[Value], rendered: list[Value], ages: Mapping[str, int]) -> str:
    """How a list of things that the client named is ordered, in terms that do not depend on the names.

    `ages` tells which of the names came first.
    """
    texts = [_lead(item, form) for item, form in zip(items, rendered, strict=True)]
    if texts == sorted(texts):
        return "ascending"
    if texts == sorted(texts, reverse=True):
        return "descending"
    named = [[ages[name] for name in _GIVEN_NAME.findall(repr(form)) if name in ages] for form in rendered]
    return "as introduced" if named == sorted(named) else "none"


def _lead(item: Value, form: Value) -> str:
    """What of an item holds the client's name for it; its canonical form where nothing does."""
    if f"⟨{GIVEN}" not in repr(form):
        return repr(form)
    if isinstance(item, dict) and isinstance(form, dict):
        for key in sorted(item):
            if f"⟨{GIVEN}" in repr(form.get(key)):
                return _lead(item[key], form[key])
    return item if isinstance(item, str) else repr(item)
