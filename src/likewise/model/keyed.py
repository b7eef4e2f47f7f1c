"""One call in its context: the unit of evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from likewise.model.interaction import Operation

Fingerprint = str
"""The hash of a canonical form, in hexadecimal."""

Spot = tuple[int, int]
"""A call in a world: which trace of the world, which interaction of that trace."""


class Keyed(NamedTuple):
    """An interaction reduced to what must repeat for its answer to be known.

    `key` covers the operation, its request, and the history of the resources it touches, read at
    `width` (0: the resource's own history; 1: with the order of writes that are unrelated to each
    other; each further step takes in one more ancestor's); `form` is the request alone. `context`
    lists the writes in that history; with `needs`, the calls whose answers the request quotes, it is
    what a replay of this call on the reference consists of. (A tuple, for there is one for every call.)
    """

    position: int
    operation: Operation
    form: Fingerprint
    key: Fingerprint
    answer: Fingerprint
    context: tuple[Spot, ...] = ()
    needs: tuple[Spot, ...] = ()
    timed: bool = False
    racy: bool = False
    """Whether it overlapped with a write that it depends on: which came first is not known."""
    width: int = 0
    drawn: bool = False
    """Whether its answer depends on values that were drawn, and not only on which of them are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """Which tokens one candidate run of a test showed at which place.

    Two sketches of the same test on the same code tell constants from what varies.
    """

    test: str
    run: str
    code: str = ""
    when: float = 0.0
    tokens: dict[str, list[str]]
