"""Stretches of crossings as forms: what was done, with the objects that it was done with left open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from likewise.library import crossing
from likewise.library.comparison.alignment import key_of
from likewise.library.comparison.bijection import Name, name_of, receiver_name
from likewise.library.comparison.values import own_name
from likewise.library.texts import plain_text
from likewise.model import Interaction, Raised, Returned, Value

_BY_CLIENT = (crossing.Kind.CALLBACK, crossing.Kind.YIELD, crossing.Kind.DRAW)


class Depth(Enum):
    """How much of two stretches has to be the same for them to be a pair."""

    ALL = "all"
    INPUTS = "inputs"
    START = "start"
    """The inputs of the first crossing alone."""


@dataclass(slots=True, eq=False, kw_only=True)
class Unit:
    """One stretch of one run: a lane, or a part of one."""

    family: str
    rank: tuple[int, int]
    """Its lane's place in the family, and its own in the lane."""
    interactions: Sequence[Interaction]
    forms: dict[Depth, Form] = field(default_factory=dict)

    def form(self, depth: Depth, inner: frozenset[str]) -> Form:
        """What it did, with the objects in it left open."""
        if depth not in self.forms:
            made = Form()
            for each in self.interactions if depth is not Depth.START else self.interactions[:1]:
                _add(made, each, depth, inner)
            self.forms[depth] = made
        return self.forms[depth]


@dataclass(slots=True)
class Form:
    """A text with gaps, and the objects in the gaps."""

    parts: list[str] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text; one gap looks like another."""
        return "\x1f".join(self.parts)


def _add(form: Form, one: Interaction, depth: Depth, inner: frozenset[str]) -> None:
    form.parts.append(repr(key_of(one)))
    form.parts.append(str(one.operation))
    receiver = receiver_name(one.receiver)
    if receiver is None:
        form.parts.append(one.receiver)
    else:
        _add_name(form, receiver, inner)
    for key, each in one.arguments.items():
        form.parts.append(key)
        _add_value(form, each, inner)
    if depth is not Depth.ALL or one.wire.get("kind") in _BY_CLIENT:
        return
    match one.outcome:
        case Returned():
            _add_value(form, one.outcome.value, inner)
        case Raised():
            form.parts += [one.outcome.kind, plain_text(one.outcome.message)]
        case _:
            form.parts.append(type(one.outcome).__name__)
    for part in ("after", "count", "digest"):  # not the state: others may have had a hand in it
        if each := one.wire.get(part):
            form.parts.append(part)
            _add_value(form, each, inner)


def _add_name(form: Form, name: Name, inner: frozenset[str]) -> None:
    form.parts.append("\0" if name[0] in inner else f"\0{name[0]}")
    form.names.append(name)


def _add_value(form: Form, value: Value, inner: frozenset[str]) -> None:
    if isinstance(value, dict):
        if (name := name_of(value)) is not None:
            _add_name(form, name, inner)
        elif value.get("is") == "function":
            form.parts.append(own_name(value.get("name")))
        elif value.get("is") in ("set", "frozenset"):
            form.parts.append(_without_names(value, inner))
        else:
            form.parts.append("{")
            for key, each in value.items():
                if key != "late":
                    form.parts.append(key)
                    _add_value(form, each, inner)
            form.parts.append("}")
    elif isinstance(value, list):
        form.parts.append("[")
        for each in value:
            _add_value(form, each, inner)
        form.parts.append("]")
    else:
        form.parts.append(plain_text(value) if isinstance(value, str) else repr(value))


def _without_names(value: Value, inner: frozenset[str]) -> str:
    """A set: which of its objects comes first says nothing."""
    made = []
    items = value.get("items") if isinstance(value, dict) else None
    for each in items if isinstance(items, list) else ():
        form = Form()
        _add_value(form, each, inner)
        made.append(form.text)
    return "set\x1e" + "\x1e".join(sorted(made))


def late_names(interactions: Iterable[Interaction]) -> set[Name]:
    """Objects that came when another of their type had died, and that may be the same thing again."""
    found: set[Name] = set()
    for one in interactions:
        waiting: list[Value] = [one.arguments, one.wire]
        if isinstance(one.outcome, Returned | Raised):
            waiting.append(one.outcome.value)
        while waiting:
            each = waiting.pop()
            if isinstance(each, dict):
                if each.get("late") and (name := name_of(each)) is not None:
                    found.add(name)
                waiting.extend(each.values())
            elif isinstance(each, list):
                waiting.extend(each)
    return found
