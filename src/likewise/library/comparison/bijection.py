"""Objects of two runs, paired on the way: numbers differ between runs, identity must not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from likewise.library.comparison.aliases import Aliases
from likewise.model import Interaction, Returned, Value

Name = tuple[str, int]
"""An object within a test: its type, and its number among those of that type."""


@dataclass(slots=True)
class Bijection:
    """Which object of the candidate's run is which of the reference's.

    `inner` are private types that one version alone has: what took their place is no change by its name.
    """

    forward: dict[Name, Name] = field(default_factory=dict)
    backward: dict[Name, Name] = field(default_factory=dict)
    inner: frozenset[str] = frozenset()
    aliases: Aliases = field(default_factory=Aliases)
    """What is no object, and is known by identity all the same."""

    def pair(self, reference: Name, candidate: Name) -> bool:
        """Pair two objects unless one of them is another's already; whether they are a pair now."""
        known = self.forward.get(reference)
        if known is not None:
            return known == candidate
        if candidate in self.backward:
            return False
        self.forward[reference] = candidate
        self.backward[candidate] = reference
        return True

    def are_alike(self, reference: str, candidate: str) -> bool:
        """Whether two types are the same as far as a client is concerned."""
        return reference == candidate or reference in self.inner or candidate in self.inner

    def repair(self, reference: Name, candidate: Name) -> None:
        """Pair two objects from now on, whatever they were before: a difference is reported once."""
        self.backward.pop(self.forward.get(reference, candidate), None)
        self.forward.pop(self.backward.get(candidate, reference), None)
        self.forward[reference] = candidate
        self.backward[candidate] = reference


def private_types(interactions: Iterable[Interaction]) -> set[str]:
    """The types that are private by their names, of objects that were used or came back."""
    found = set()
    for each in interactions:
        name = receiver_name(each.receiver)
        if name is not None:
            found.add(name[0])
        if isinstance(each.outcome, Returned) and (name := name_of(each.outcome.value)) is not None:
            found.add(name[0])
    return {name for name in found if name.rpartition(".")[2].startswith("_")}


def names_in(value: Value) -> set[Name]:
    """Every object that a value holds."""
    found: set[Name] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if (name := name_of(each)) is not None:
                found.add(name)
            else:
                waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
    return found


def name_of(value: Value) -> Name | None:
    """The object that a value stands for, where it stands for one."""
    if isinstance(value, dict) and value.get("is") == "object" and isinstance(value.get("id"), int):
        number = value["id"]
        assert isinstance(number, int)
        return str(value.get("type", "")), number
    return None


def receiver_name(receiver: str) -> Name | None:
    """The object that a receiver is; None for functions and modules."""
    kind, mark, number = receiver.rpartition("#")
    return (kind, int(number)) if mark and number.isdigit() else None
