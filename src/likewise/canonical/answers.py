"""The canonical answer: every variable under its name, lists in an order that does not depend on names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from likewise.canonical.familiarity import ANSWERED, Familiarity
from likewise.canonical.forms import GIVEN, Call, Form
from likewise.canonical.hashing import APART, fingerprint, joined_fingerprint
from likewise.canonical.leaves import KEY, keys_of, leaves, outcome_value
from likewise.canonical.pairing import is_as_asked
from likewise.canonical.places import Parts, Place
from likewise.canonical.responses import AnswerForm
from likewise.canonical.tokens import SIZE, TIME, is_version, looks_random
from likewise.model import Fingerprint, Value

_FRESH = "\x04fresh"

Things = Mapping[str, int]
"""The names of resources, each with how deep in the tree it stands."""


def answer_of(
    interaction: Call,
    form: Form,
    familiarity: Familiarity,
    names: Mapping[str, str],
    things: Callable[[], Things] = dict,
) -> Fingerprint:
    """The fingerprint of the canonical answer; `things` are asked for only where there are lists."""
    answer = form.answer
    if answer.last is not None and (answer.fixed or answer.last[0] is names):
        return answer.last[1]
    known = None if answer.lists and _needs_order(answer, names) else _plainly(answer, names)
    if known is None:
        known = answer_fingerprint(canonical_answer(interaction, familiarity, names, things))
    answer.last = names, known
    return known


def _plainly(answer: AnswerForm, names: Mapping[str, str]) -> Fingerprint | None:
    """The fingerprint of an answer in which no list is put in order and no key needs its name."""
    naming = _Naming(names)
    texts: list[str] = []
    count = 0
    for heard, constant, _, _, _ in answer.parts:
        count += len(heard)
        if constant is not None:
            texts.append(constant)
            continue
        for place, parts, text, _, _, _ in heard:
            texts.append(text if parts is None else f"{place}{APART}{naming.render(parts)!r}")
    joined = APART.join(texts)
    if KEY in joined or (answer.lists and (_GIVEN_MARK in joined or _TIME_MARK in joined)):
        return None
    return joined_fingerprint(joined, 2 * count)


def _needs_order(answer: AnswerForm, names: Mapping[str, str]) -> bool:
    """Whether an answer holds names that the client gave: its lists may have to be put in order.

    Versions are looked at item by item as well.
    """
    for variable, _ in answer.introduced:
        name = names.get(variable)
        if is_version(variable) if name is None else name.startswith(GIVEN):
            return True
    return False


def canonical_answer(
    interaction: Call,
    familiarity: Familiarity,
    names: Mapping[str, str],
    things: Callable[[], Things] = dict,
) -> Value:
    """The answer with every variable under its name.

    A variable that nothing before introduced counts as fresh if it looks generated; one that does not
    (a count, a state, a word) must repeat exactly. Items that the client gave random names are put into
    an order that does not depend on these, with a note on how the list was really ordered: by the fields
    that name the `things` which the client made, where items have such. Answers to the items of a list
    that was asked for, each at its place, stay there.
    """
    answer = _Answer(interaction, familiarity, names, things)
    return answer.render(outcome_value(interaction.outcome), "")


def answer_by_names(
    interaction: Call,
    familiarity: Familiarity,
    names: Mapping[str, str],
    things: Callable[[], Things] = dict,
) -> Fingerprint | None:
    """The answer with the items of its lists in no order, where that is the one of names made up elsewhere.

    Only for what was answered in two ways: names that nobody here gave come in another order each time, and
    with them what else the items hold. A list that is not in the order of its names is said as it is. None
    where there is no list of such names.
    """
    answer = _AnswerByNames(interaction, familiarity, names, things)
    value = answer.render(outcome_value(interaction.outcome), "")
    return answer_fingerprint(value) if answer.has_names else None


def answer_fingerprint(value: Value) -> Fingerprint:
    """The hash of a canonical answer."""
    found: list[str] = []
    for place, leaf in leaves(value):
        found.append(place)
        found.append(repr(leaf))
    return fingerprint(found)


class _Naming:
    """Names variables: known ones by their name, generated ones as fresh, others not at all."""

    __slots__ = ("_names", "blank", "fresh", "versions")

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.fresh: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        """Read off a clock: two things may get the same by chance, so each item of a list has its own."""
        self.blank = False

    def ages(self) -> dict[str, int]:
        """Every name with its place in the order of introduction."""
        return {name: age for age, name in enumerate(self._names.values())}

    def render(self, parts: Parts) -> str:
        text = ""
        for literal, variable in parts:
            if not variable:
                text += literal
                continue
            name = self._names.get(variable)
            text += f"{literal}⟨{name}⟩" if name else literal + self._name(variable)
        return text

    def _name(self, variable: str) -> str:
        if variable.startswith(TIME):
            return _TIME_MARK
        if variable.startswith(SIZE):
            return "⟨size⟩"
        if not looks_random(variable):
            return variable
        if is_version(variable):
            return self.versions.setdefault(variable, f"⟨version {len(self.versions) + 1}⟩")
        if self.blank:
            return self.fresh.get(variable, _FRESH)
        return self.fresh.setdefault(variable, f"⟨new {len(self.fresh) + 1}⟩")


class _Answer:
    def __init__(
        self,
        interaction: Call,
        familiarity: Familiarity,
        names: Mapping[str, str],
        things: Callable[[], Things],
    ) -> None:
        self._things = things
        self._interaction = interaction
        self._prefix = f"{interaction.operation}{ANSWERED}"
        self._familiarity = familiarity
        self._names = names
        self._naming = _Naming(names)
        self._places: dict[str, Place] = {}

    def render(self, value: Value, place: str) -> Value:
        if isinstance(value, dict):
            return self._mapping(value, place)
        if isinstance(value, list):
            return self._list(value, place + "[]")
        known = self._places.get(place)
        if known is None:
            known = self._places[place] = self._familiarity.at(self._prefix + place)
        found = known.cut(value)
        return value if found is None else self._naming.render(found.parts)

    def _mapping(self, value: dict[str, Value], place: str) -> Value:
        rendered: dict[str, Value] = {}
        for key, below, is_generated in keys_of(place, value):
            name = key
            if is_generated:
                name = str(self.render(key, place + KEY))
                while name in rendered:
                    name += " "
            rendered[name] = self.render(value[key], below)
        return rendered

    def _list(self, items: list[Value], place: str) -> Value:
        known = dict(self._naming.fresh)
        rendered = [self._item(item, place) for item in items]
        texts = [repr(form) for form in rendered]
        if len(items) < 2:
            return rendered
        if not any(_GIVEN_MARK in text for text in texts):
            if order := self._order_in_time(items, texts):
                return {"⟨order⟩": order, "⟨items⟩": rendered}
            return self._named_elsewhere(items, rendered, place, known)
        if is_as_asked([*map(_given_in, texts)], self._interaction, self._familiarity, self._names):
            return rendered
        ordered = self._sorted(items, rendered, place, known)
        ordering = _ordering(items, rendered, texts, self._naming, self._things())
        return {"⟨order⟩": ordering, "⟨items⟩": ordered}

    def _order_in_time(self, items: list[Value], texts: list[str]) -> str:
        """How things are ordered that the client named by times, which have no identity; else nothing."""
        if not all(_TIME_MARK in text for text in texts):
            return ""
        named = {name for thing in self._things() for name in (thing, thing.partition(":")[2])}
        orders = [column for column in _texts(items) if named.issuperset(column)]
        return _direction(orders) or "none" if orders else ""

    def _named_elsewhere(
        self, items: list[Value], rendered: list[Value], place: str, known: dict[str, str]
    ) -> Value:
        """A list in which nothing has a name that the client gave: it stays in its order."""
        return rendered

    def _sorted(
        self, items: list[Value], rendered: list[Value], place: str, known: dict[str, str]
    ) -> list[Value]:
        """Items in the order of their forms; `known` are the fresh variables from before the list."""
        if len(self._naming.fresh) == len(known) or self._naming.blank:
            return sorted(rendered, key=repr)
        # Number fresh variables after sorting, so that their numbers do not depend on the order.
        self._naming.fresh, self._naming.blank = known, True
        shapes = [repr(self._item(item, place)) for item in items]
        self._naming.blank = False
        order = sorted(range(len(items)), key=shapes.__getitem__)
        return [self._item(items[index], place) for index in order]

    def _item(self, item: Value, place: str) -> Value:
        above = self._naming.versions
        self._naming.versions = dict(above)
        rendered = self.render(item, place)
        self._naming.versions = above
        return rendered


class _AnswerByNames(_Answer):
    """An answer whose lists may be in the order of names that nobody here gave."""

    has_names = False
    """Whether a list of such names was met."""

    def _named_elsewhere(
        self, items: list[Value], rendered: list[Value], place: str, known: dict[str, str]
    ) -> Value:
        names = _made_up(items, rendered)
        if not names:
            return rendered
        self.has_names = True
        if names != sorted(names):
            return rendered
        return {"⟨order⟩": "by name", "⟨items⟩": self._sorted(items, rendered, place, known)}


_FRESH_NAME = re.compile(f"⟨new \\d+⟩|{_FRESH}")
_GIVEN_MARK = f"⟨{GIVEN}"
_TIME_MARK = "⟨time⟩"
_GIVEN_NAME = re.compile(f"⟨({GIVEN}\\d+)⟩")


def _given_in(text: str) -> set[str]:
    return set(_GIVEN_NAME.findall(text))


def _ordering(
    items: list[Value], rendered: list[Value], texts: list[str], naming: _Naming, things: Things
) -> str:
    """How a list of things that the client named is ordered, in terms that do not depend on the names."""
    if addresses := _addresses(items, things):
        orders = [addresses]
    elif all(_is_named(form) for form, text in zip(rendered, texts, strict=True) if _GIVEN_MARK in text):
        orders = [[_lead(item, form, text) for item, form, text in zip(items, rendered, texts, strict=True)]]
    else:
        orders = _columns(items)
    if direction := _direction(orders):
        return direction
    ages = naming.ages()
    named = [[ages[name] for name in _GIVEN_NAME.findall(text) if name in ages] for text in texts]
    return "as introduced" if named == sorted(named) else "none"


def _direction(orders: list[list[str]]) -> str:
    if any(order == sorted(order) for order in orders):
        return "ascending"
    return "descending" if any(order == sorted(order, reverse=True) for order in orders) else ""


def _texts(items: list[Value]) -> list[list[str]]:
    """The texts of items: what they say at each place where all of them have one, and no two the same."""
    places: dict[str, list[str]] = {}
    for item in items:
        for place, leaf in leaves(item):
            if isinstance(leaf, str):
                places.setdefault(place, []).append(leaf)
    return [column for column in places.values() if len(column) == len(set(column)) == len(items)]


def _addresses(items: list[Value], things: Things) -> list[str]:
    """The items by where they stand in the tree of resources; nothing where that does not tell them apart.

    Content may hold names as well, and is no reason for any order.
    """
    records = [item for item in items if isinstance(item, dict)]
    if len(records) < len(items):
        return []
    depths: dict[str, int] = {}
    for field in sorted(set.intersection(*(set(record) for record in records))):
        texts = [text for record in records if isinstance(text := record[field], str)]
        known = [things[text] for text in texts if text in things]
        if known and len(texts) == len(records):
            depths[field] = min(known)
    fields = sorted(depths, key=depths.__getitem__)
    found = ["\0".join([str(record[field]) for field in fields]) for record in records]
    return found if len(set(found)) == len(found) else []


def _made_up(items: list[Value], rendered: list[Value]) -> list[str]:
    """The names of items, some of them made up: the one field in which no two are alike, if it is a text."""
    records = [item for item in items if isinstance(item, dict)]
    forms = [form for form in rendered if isinstance(form, dict)]
    if len(records) < len(items) or len(forms) < len(items):
        return []
    found: list[list[str]] = []
    for field in set.intersection(*(set(record) for record in records)):
        texts = [text for record in records if isinstance(text := record[field], str)]
        shown = [str(form.get(field)) for form in forms]
        if len(set(texts)) == len(items) and sum(bool(_FRESH_NAME.search(text)) for text in shown) > 1:
            found.append(texts)
    return found[0] if len(found) == 1 else []


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
