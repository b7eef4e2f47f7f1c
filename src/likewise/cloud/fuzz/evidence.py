"""Which calls differed and which agreed, by operation and by the arguments that they need not have had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

IDENTITY = "identity"
"""The argument that a call has which somebody else than the account's owner makes."""
Given = frozenset[str]
"""Arguments of a call that it need not have had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One of the differences that calls showed, as an example of them."""

    kind: str
    place: str
    reference: str
    candidate: str
    implication: str
    manifestation: str


@dataclass(slots=True)
class Evidence:
    """Every call that was compared, whatever became of it: a finding, a part of one, or nothing."""

    differing: dict[str, dict[Given, Sample]] = field(default_factory=dict)
    """By operation: in which arguments calls that differ were unlike the usual call, each with an example."""
    agreeing: dict[str, set[Given]] = field(default_factory=dict)
    """By operation: which arguments calls had that both sides took alike."""

    def differ(self, operation: str, unusual: Given, sample: Sample) -> None:
        """A call differed, which in these arguments was not the usual one."""
        self.differing.setdefault(operation, {}).setdefault(unusual, sample)

    def agree(self, operation: str, given: Given) -> None:
        """Both sides took a call with these arguments, and neither it nor what it left differed."""
        self.agreeing.setdefault(operation, set()).add(given)

    def condition(self, operation: str) -> Given:
        """Arguments of which every call that differs has one; none where any call may differ.

        It is claimed only where a call without all of them was tried and agreed. An argument that came along
        is left out where fewer of them differ as well, and where it was in a call that agreed.
        """
        agreeing = self.agreeing.get(operation, set())
        tried = Given().union(*agreeing)
        needed: dict[Given, Given] = {}
        for those in sorted(self.differing.get(operation, ()), key=len):
            less = [kept for each, kept in needed.items() if each < those]
            needed[those] = Given().union(*less, those - tried) if less else those
        found = Given().union(*needed.values())
        is_sure = all(needed) and any(not each & found for each in agreeing)
        return found if is_sure else Given()

    def sample(self, operation: str, argument: str = "") -> Sample | None:
        """A difference that calls of an operation showed, with an argument where one is named."""
        sets = self.differing.get(operation, {})
        fitting = [those for those in sets if not argument or argument in those]
        return sets[min(fitting, key=lambda those: (len(those), sorted(those)))] if fitting else None

    def as_json(self) -> dict[str, Any]:
        """For the log."""
        return {
            "differing": {
                name: [[sorted(those), asdict(sample)] for those, sample in _sorted(sets)]
                for name, sets in sorted(self.differing.items())
            },
            "agreeing": {name: sorted(map(sorted, those)) for name, those in sorted(self.agreeing.items())},
        }

    def add(self, data: Mapping[str, Mapping[str, Iterable[Any]]]) -> None:
        """Take in another's."""
        for name, sets in data.get("differing", {}).items():
            for those, sample in sets:
                self.differ(name, Given(those), Sample(**sample))
        for name, known in data.get("agreeing", {}).items():
            for those in known:
                self.agree(name, Given(those))


def _sorted(sets: Mapping[Given, Sample]) -> Sequence[tuple[Given, Sample]]:
    return sorted(sets.items(), key=lambda each: sorted(each[0]))
