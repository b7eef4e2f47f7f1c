"""An interaction as a template and the variables in it."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from likewise.canonical.familiarity import ANSWERED, ASKED, Familiarity
from likewise.canonical.hashing import APART, fingerprint, joined_fingerprint
from likewise.canonical.leaves import SIMPLE, Leaves, below_of, leaves, outcome_value
from likewise.canonical.places import Cut, Parts, template_of
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
