"""An interaction as a template and the variables in it."""

from __future__ import annotations

import marshal
import re
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from likewise.canonical.familiarity import ANSWERED, ASKED, Familiarity
from likewise.canonical.hashing import APART, fingerprint, joined_fingerprint
from likewise.canonical.leaves import (
    KEY,
    NAMED,
    SIMPLE,
    Leaves,
    below_of,
    is_name,
    leaves,
    outcome_value,
)
from likewise.canonical.places import Cut, Parts, template_of
from likewise.canonical.tokens import TIME, looks_random
from likewise.model import Fingerprint, Interaction, Outcome, Returned, Scalar, Value
from likewise.model.tuples import maker
from likewise.model.unopened import Passing

GIVEN = "q"
"""Begins the names of variables that the client chose."""
RETURNED = "r"
"""Begins the names of variables that an answer in the context introduced."""
QUOTED = "x"
"""Begins the names of variables that an answer elsewhere introduced."""

Call = Interaction | Passing
K = TypeVar("K")
V = TypeVar("V")

_WHOLE = [("", "", False)]
_FRESH = "\x04fresh"
_MOST_KEPT = 4096
"""How many values of one operation are remembered in a test: requests and answers come again and again."""


class Asked(NamedTuple):
    """A leaf of a request: what of it must repeat, of how many parts that is joined, and its variables."""

    text: str
    size: int
    variables: tuple[str, ...]
    kind: type


class Answered(NamedTuple):
    """A leaf of an answer; without parts it is constant, and `text` says it with its place."""

    place: str
    parts: Parts | None
    text: str
    introduced: tuple[tuple[str, str], ...]
    is_start: bool
    kind: type


class AnswerForm:
    """The leaves of an answer under what is known to vary, and what follows from them."""

    __slots__ = ("fixed", "introduced", "last", "leaves", "lists", "of")

    def __init__(self, of: object, leaves: list[Answered]) -> None:
        self.of = of
        """What came back: as long as it is kept, nothing else has its identity."""
        self.leaves = leaves
        introduced: dict[str, str] = {}
        starts: list[str] = []
        varies = False
        for leaf in leaves:
            if leaf.parts is not None:
                varies = True
                for variable, origin in leaf.introduced:
                    introduced.setdefault(variable, origin)
            elif leaf.is_start:
                starts.append(leaf.place)
        self.introduced = tuple(introduced.items())
        """The variables, each with the place that gave it."""
        self.lists = len(set(starts)) < len(starts)
        """Whether a list has more than one item."""
        self.fixed = not varies and not self.lists
        """Whether the answer is the same under any names."""
        self.last: tuple[Mapping[str, str], Fingerprint] | None = None
        """The names given last, and the fingerprint under them: who polls gets the same answer often."""


class Form(NamedTuple):
    """What of an interaction must repeat, and the variables that count only by identity."""

    operation: str
    template: Fingerprint
    variables: tuple[str, ...]
    answer: AnswerForm


_new_asked, _new_answered, _new_form = maker(Asked), maker(Answered), maker(Form)


def compile_form(interaction: Call, familiarity: Familiarity) -> Form:
    """The form of an interaction, given what is known to vary."""
    operation = str(interaction.operation)
    seen: _Seen | None = familiarity.memo.get(operation)
    if seen is None:
        seen = familiarity.memo[operation] = _Seen(operation)
    template, variables = seen.request(interaction.arguments, familiarity)
    return _new_form((operation, template, variables, seen.answer(interaction.outcome, familiarity)))


class _Seen:
    """What the calls of one operation in one test had in common so far, leaf by leaf and part by part.

    Values that are shared are known by their identity, which nobody else can have while they are kept here.
    """

    __slots__ = ("_answer_parts", "_answers", "_asked", "_heard", "_operation", "_parts", "_requests")

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._requests: dict[int, tuple[Mapping[str, Value], Fingerprint, tuple[str, ...]]] = {}
        self._asked: dict[tuple[str, Scalar], Asked] = {}
        self._parts: dict[tuple[str, bytes], Asked] = {}
        self._answers: dict[int, AnswerForm] = {}
        self._heard: dict[tuple[str, Scalar], Answered] = {}
        self._answer_parts: dict[tuple[str, bytes], list[Answered]] = {}

    def request(
        self, arguments: dict[str, Value], familiarity: Familiarity
    ) -> tuple[Fingerprint, tuple[str, ...]]:
        """The fingerprint of what of a request must repeat, and its variables."""
        seen = self._requests.get(id(arguments))
        if seen is not None:
            return seen[1], seen[2]
        memo = self._asked
        texts = [self._operation]
        count = 1
        variables: tuple[str, ...] = ()
        for key, place, _ in below_of("", arguments) or _WHOLE:
            value = arguments[key] if place else arguments
            kind = value.__class__
            if kind in SIMPLE:
                known = memo.get((place, value))  # type: ignore[arg-type]
                if known is None or known[3] is not kind:  # 1 and True are equal, and not the same
                    known = self._ask(place, value, familiarity)  # type: ignore[arg-type]
            else:
                known = self._ask_part(place, value, familiarity)
            text, size, names, _ = known
            texts.append(text)
            count += size
            if names:
                variables += names
        template = joined_fingerprint(APART.join(texts), count)
        if template is None:
            template = _fingerprint_apart(self._operation, leaves(arguments), familiarity)
        _room(self._requests)[id(arguments)] = arguments, template, variables
        return template, variables

    def _ask_part(self, place: str, value: Value, familiarity: Familiarity) -> Asked:
        """A part of a request; a mapping that comes again is looked at once only."""
        content = None
        if value.__class__ is list and (found := self._ask_list(place + "[]", value, familiarity)):
            return found
        if value.__class__ is dict and place:
            try:
                content = marshal.dumps(value, 2)  # tells it from all others, types included
            except ValueError:  # it holds more than plain data
                pass
            else:
                known = self._parts.get((place, content))
                if known is not None:
                    return known
        texts: list[str] = []
        count = 0
        variables: tuple[str, ...] = ()
        memo = self._asked
        for leaf in leaves(value, place):
            known = memo.get(leaf)
            if known is None or known[3] is not leaf[1].__class__:
                known = self._ask(*leaf, familiarity)
            text, size, names, _ = known
            texts.append(text)
            count += size
            if names:
                variables += names
        known = _new_asked((APART.join(texts), count, variables, dict))
        if content is not None:
            _room(self._parts)[place, content] = known
        return known

    def _ask_list(self, place: str, items: list[Value], familiarity: Familiarity) -> Asked | None:
        """A list of mere leaves, such as the names on the way to a resource; None if it is another one."""
        memo = self._asked
        start = memo.get((place + "+", None)) or self._ask(place + "+", None, familiarity)
        texts: list[str] = []
        count = start[1] * len(items)
        variables: tuple[str, ...] = ()
        for item in items:
            kind = item.__class__
            if kind not in SIMPLE:
                return None
            known = memo.get((place, item))  # type: ignore[arg-type]
            if known is None or known[3] is not kind:
                known = self._ask(place, item, familiarity)  # type: ignore[arg-type]
            texts.append(known[0])
            count += known[1]
            if known[2]:
                variables += known[2]
        before = start[0] + APART
        if not texts:
            return None
        return _new_asked((before + f"{APART}{before}".join(texts), count, variables, list))

    def _ask(self, place: str, leaf: Scalar, familiarity: Familiarity) -> Asked:
        found = familiarity.at(self._operation + ASKED + place).cut(leaf)
        known = self._asked[place, leaf] = _asked(place, leaf, found)
        return known

    def answer(self, outcome: Outcome, familiarity: Familiarity) -> AnswerForm:
        """What came back, under what is known to vary."""
        value = outcome.value if isinstance(outcome, Returned) else None
        whole: object = outcome if value is None else value
        form = self._answers.get(id(whole))
        if form is not None:
            return form
        found: list[Answered] = []
        if isinstance(value, dict) and (below := below_of(".returned", value)):
            for key, place, _ in below:
                self._hear_part(place, value[key], familiarity, found)
        else:
            self._hear(leaves(outcome_value(outcome)), familiarity, found)
        form = _room(self._answers)[id(whole)] = AnswerForm(whole, found)
        return form

    def _hear_part(self, place: str, value: Value, familiarity: Familiarity, found: list[Answered]) -> None:
        """A part of an answer; a mapping that comes again is looked at once only."""
        if value.__class__ is dict:
            try:
                content = marshal.dumps(value, 2)
            except ValueError:
                pass
            else:
                known = self._answer_parts.get((place, content))
                if known is None:
                    known = _room(self._answer_parts)[place, content] = []
                    self._hear(leaves(value, place), familiarity, known)
                found += known
                return
        self._hear(leaves(value, place), familiarity, found)

    def _hear(self, leaves: Leaves, familiarity: Familiarity, found: list[Answered]) -> None:
        memo = self._heard
        for leaf in leaves:
            known = memo.get(leaf)
            if known is None or known[5] is not leaf[1].__class__:
                place, value = leaf
                learned = familiarity.at(self._operation + ANSWERED + place)
                known = memo[leaf] = _answered(place, value, learned.cut(value))
            found.append(known)


def _room(memo: dict[K, V]) -> dict[K, V]:
    """A memo that has room for one more."""
    if len(memo) >= _MOST_KEPT:
        memo.clear()
    return memo


def _asked(place: str, leaf: Scalar, found: Cut | None) -> Asked:
    if found is None:
        return _new_asked((f"{place}{APART}{_constant(leaf)}", 2, (), _kind(leaf)))
    return _new_asked((f"{place}{APART}{found.template}", found.size + 1, found.variables, _kind(leaf)))


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


def _answered(place: str, leaf: Scalar, found: Cut | None) -> Answered:
    if found is None:
        text = f"{place}{APART}{leaf!r}"
        return _new_answered((place, None, text, (), place.endswith("[]+"), _kind(leaf)))
    introduced = tuple([(variable, place + slot) for variable, slot in found.slots])
    return _new_answered((place, found.parts, "", introduced, False, _kind(leaf)))


def _kind(leaf: Scalar) -> type:
    """What tells equal leaves apart; two equal floats may still be written differently."""
    return object if isinstance(leaf, float) else leaf.__class__


def answer_of(
    interaction: Call, form: Form, familiarity: Familiarity, names: Mapping[str, str]
) -> Fingerprint:
    """The fingerprint of the canonical answer."""
    answer = form.answer
    if answer.last is not None and (answer.fixed or answer.last[0] is names):
        return answer.last[1]
    known = None if answer.lists and _names_given(answer.leaves, names) else _plainly(answer, names)
    if known is None:
        known = answer_fingerprint(canonical_answer(interaction, familiarity, names))
    answer.last = names, known
    return known


def _plainly(answer: AnswerForm, names: Mapping[str, str]) -> Fingerprint | None:
    """The fingerprint of an answer in which no list is put in order and no key needs its name."""
    naming = _Naming(names)
    texts: list[str] = []
    for place, parts, text, _, _, _ in answer.leaves:
        texts.append(text if parts is None else f"{place}{APART}{naming.render(parts)!r}")
    joined = APART.join(texts)
    if KEY in joined or (answer.lists and _GIVEN_MARK in joined):
        return None
    return joined_fingerprint(joined, 2 * len(texts))


def _names_given(answer: list[Answered], names: Mapping[str, str]) -> bool:
    """Whether an answer holds names that the client gave: its lists may have to be put in order."""
    for leaf in answer:
        for variable, _ in leaf.introduced:
            if names.get(variable, "").startswith(GIVEN):
                return True
    return False


def canonical_answer(interaction: Call, familiarity: Familiarity, names: Mapping[str, str]) -> Value:
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
        text = ""
        for literal, variable in parts:
            name = self._names.get(variable)
            text += f"{literal}⟨{name}⟩" if name else literal + self._name(variable)
        return text

    def _name(self, variable: str) -> str:
        if not variable:
            return ""
        if variable.startswith(TIME):
            return "⟨time⟩"
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
        texts = [repr(form) for form in rendered]
        if len(items) < 2 or not any(_GIVEN_MARK in text for text in texts):
            return rendered
        if len(self._naming.fresh) > len(known) and not self._naming.blank:
            # Number fresh variables after sorting, so that their numbers do not depend on the order.
            self._naming.fresh, self._naming.blank = known, True
            shapes = [repr(self.render(item, place)) for item in items]
            self._naming.blank = False
            order = sorted(range(len(items)), key=shapes.__getitem__)
            ordered = [self.render(items[index], place) for index in order]
        else:
            ordered = [rendered[index] for index in sorted(range(len(items)), key=texts.__getitem__)]
        return {"⟨order⟩": _ordering(items, rendered, texts, self._naming), "⟨items⟩": ordered}


_GIVEN_MARK = f"⟨{GIVEN}"
_GIVEN_NAME = re.compile(f"⟨({GIVEN}\\d+)⟩")


def _ordering(items: list[Value], rendered: list[Value], texts: list[str], naming: _Naming) -> str:
    """How a list of things that the client named is ordered, in terms that do not depend on the names."""
    if all(_is_named(form) for form, text in zip(rendered, texts, strict=True) if _GIVEN_MARK in text):
        orders = [[_lead(item, form, text) for item, form, text in zip(items, rendered, texts, strict=True)]]
    else:
        orders = _columns(items)
    if any(order == sorted(order) for order in orders):
        return "ascending"
    if any(order == sorted(order, reverse=True) for order in orders):
        return "descending"
    ages = naming.ages()
    named = [[ages[name] for name in _GIVEN_NAME.findall(text) if name in ages] for text in texts]
    return "as introduced" if named == sorted(named) else "none"


def _is_named(form: Value) -> bool:
    """Whether an item is listed under a name: a text of its own, not one somewhere inside its content."""
    texts = form.values() if isinstance(form, dict) else (form,)
    return any(isinstance(text, str) and _GIVEN_MARK in text for text in texts)


def _columns(items: list[Value]) -> list[list[str]]:
    """What a list of records may be sorted by: every field in which no two of them are alike."""
    records = [item for item in items if isinstance(item, dict)]
    if len(records) < len(items):
        return []
    shared = sorted(set.intersection(*(set(record) for record in records)))
    columns = [[repr(record[field]) for record in records] for field in shared]
    return [column for column in columns if len(set(column)) == len(column)]


def _lead(item: Value, form: Value, text: str) -> str:
    """What of an item holds the client's name for it; its canonical form where nothing does."""
    if _GIVEN_MARK not in text:
        return text
    if isinstance(item, dict) and isinstance(form, dict):
        for key in sorted(item):
            below = repr(form.get(key))
            if _GIVEN_MARK in below:
                return _lead(item[key], form[key], below)
    return item if isinstance(item, str) else repr(item)
