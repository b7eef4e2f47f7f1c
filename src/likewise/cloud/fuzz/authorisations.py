"""Which operations were called by whom, and how the sides differed over it: one cause shows in many calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from likewise.cloud.fuzz.identities import Flaw, Identity

TAKEN = "taken by the "
REFERENCE, CANDIDATE = f"{TAKEN}reference only", f"{TAKEN}candidate only"
FAILING = ", the other one fails"
"""What is added where it is not that the other side refuses a call."""
REFUSED = "refused alike"
"""What is not taken by either, in the same words."""
MANY = 3
"""Operations of which the same must be true before it may be so of all of them."""
SEVERAL = 2
"""The same for the identities that an operation is called by."""
Cell = tuple[str, str]
"""An operation, and by whom it is called."""
_UNSIGNED = frozenset({Flaw.CHANGED, Flaw.METHOD, Flaw.RESOURCE})
"""Flaws that show whether it is looked at what was signed."""


@dataclass(slots=True)
class Authorisations:
    """What was asked by others than the account's owner.

    The way in which a call is taken is a text: which side alone takes it, or what the two say where both
    refuse it.
    """

    cells: dict[Cell, set[str]] = field(default_factory=dict)
    """The ways in which each call is taken; none where both take it."""
    confirmed: dict[Cell, set[str]] = field(default_factory=dict)
    """Those of them that are findings."""

    def note(self, operation: str, identity: Identity, ways: Iterable[str]) -> None:
        """Take in how a call by somebody went."""
        self.cells.setdefault((operation, str(identity)), set()).update(ways)

    def confirm(self, operation: str, identity: Identity, way: str) -> None:
        """It is certain that the sides differ so."""
        self.note(operation, identity, (way,))
        self.confirmed.setdefault((operation, str(identity)), set()).add(way)

    def explains(self, operation: str, identity: Identity, way: str) -> bool:
        """Whether the sides are known to differ so whatever this one calls, or whoever calls this."""
        mine = (operation, str(identity))
        if way in self.confirmed.get(mine, ()):
            return False
        if way in self.confirmed.get((operation, str(identity.means)), ()):
            return True  # it is not a matter of what is wrong
        known = [cell for cell, ways in self.confirmed.items() if way in ways]
        if sum(cell[1] == mine[1] for cell in known) >= MANY and self.is_of_all(mine[1], way):
            return True
        return sum(cell[0] == mine[0] for cell in known) >= SEVERAL and self.is_by_all(mine[0], way)

    def is_of_all(self, identity: str, way: str) -> bool:
        """Whether the sides differ so over most of what somebody calls: no matter what that is."""
        return _are_most([ways for cell, ways in self.cells.items() if cell[1] == identity], way, MANY)

    def is_by_all(self, operation: str, way: str) -> bool:
        """Whether the sides differ so over most who call something without the right to: it is open."""
        flawed = [ways for cell, ways in self.cells.items() if cell[0] == operation and _is_flawed(cell[1])]
        return _are_most(flawed, way, SEVERAL)

    def groups(self, way: str) -> list[list[Cell]]:
        """The calls over which the sides differ so, those of one cause together."""
        groups: list[list[Cell]] = []
        for cell in (cell for cell, ways in self.cells.items() if way in ways):
            alike = [group for group in groups if any(self._are_alike(cell, each, way) for each in group)]
            groups = [group for group in groups if group not in alike]
            groups.append([*(each for group in alike for each in group), cell])
        return groups

    def _are_alike(self, one: Cell, other: Cell, way: str) -> bool:
        if one[1] == other[1]:
            return self.is_of_all(one[1], way)
        if one[0] != other[0]:
            return False
        is_open = self.is_by_all(one[0], way) or self._is_by_means(one, other, way)
        return is_open or _are_kin(one[1], other[1])

    def _is_by_means(self, one: Cell, other: Cell, way: str) -> bool:
        """Whether all who show their rights in the way of two callers are taken so, whatever is wrong."""
        means = one[1].partition(", ")[0]
        those = [
            ways for cell, ways in self.cells.items() if cell[0] == one[0] and _is_flawed(cell[1], means)
        ]
        return means == other[1].partition(", ")[0] and all(way in ways for ways in those)

    def as_json(self) -> list[list[object]]:
        """For the log; others may go on noting meanwhile."""
        return [[*cell, sorted(ways.copy())] for cell, ways in sorted(self.cells.copy().items())]

    def add(self, data: Iterable[Sequence[object]]) -> None:
        """Take in another's."""
        for operation, identity, ways in _read(data):
            self.cells.setdefault((operation, identity), set()).update(ways)


def _is_flawed(identity: str, means: str = "") -> bool:
    """Whether something is wrong with an identity, of any means or of these."""
    return identity.startswith(f"{means}, ") if means else ", " in identity


def _are_kin(one: str, other: str) -> bool:
    """Whether two identities have the same flaw, or the same means and a flaw that does not matter."""
    (means, _, flaw), (others, _, another) = one.partition(", "), other.partition(", ")
    if means == others and ("" in (flaw, another) or {flaw, another} <= _UNSIGNED):
        return True
    return flaw == another != ""


def _are_most(those: Sequence[set[str]], way: str, least: int) -> bool:
    """Whether most calls are taken so; what is said where both refuse, of those that both refuse."""
    if not way.startswith(TAKEN):
        those = [ways for ways in those if any(not each.startswith(TAKEN) for each in ways)]
    count = sum(way in ways for ways in those)
    return count >= least and 2 * count > len(those)


def _read(data: Iterable[Sequence[object]]) -> Iterator[tuple[str, str, list[str]]]:
    for operation, identity, ways in data:
        if not isinstance(ways, list):
            raise TypeError("the ways in which sides differ are a list")
        yield str(operation), str(identity), [str(each) for each in ways]
