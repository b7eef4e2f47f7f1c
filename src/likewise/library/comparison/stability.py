"""What varies between two runs of the same version: never a break."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from likewise.library.comparison.divergence import Manner, Spot
from likewise.library.comparison.drawing import Draws, shared_draws
from likewise.library.comparison.walk import diverge
from likewise.model import Trace, Value

_TOKEN = re.compile(r"\w+|\W")


@dataclass(slots=True)
class Stability:
    """The places that vary from run to run, and the tests that do not repeat themselves."""

    words: dict[Spot, set[int] | None] = field(default_factory=dict)
    """Which words of a text vary; None where all of the value does."""
    unstable: set[str] = field(default_factory=set)

    @property
    def masks(self) -> int:
        """How many places do not count."""
        return sum(1 for spot in self.words if not spot.test)

    def learn(self, one: Trace, other: Trace, *, draws: Draws | None = None) -> None:
        """Two runs of a test on one version: what differs between them means nothing."""
        if one.result is not other.result:
            self.unstable.add(one.test)
            return

        def note(spot: Spot, ours: Value, theirs: Value) -> bool:
            if spot.place in (Manner.MISSING, Manner.NEW):
                self.unstable.add(one.test)
            varying = _varying(ours, theirs)
            for each in (spot, spot.anywhere):
                known = self.words.get(each, set())
                self.words[each] = None if known is None or varying is None else known | varying
            return True  # so that the next place is asked about as well

        diverge(one, other, is_quiet=note, draws=draws)

    def learn_all(self, one: dict[str, Trace], other: dict[str, Trace]) -> None:
        """Two whole runs on one version; a test that only one of them has does not repeat itself."""
        self.unstable |= one.keys() ^ other.keys()
        draws = shared_draws(one, other)
        for test in one.keys() & other.keys():
            self.learn(one[test], other[test], draws=draws)

    def is_quiet(self, spot: Spot, reference: Value, candidate: Value) -> bool:
        """Whether a difference is one that the same version shows with itself."""
        for each in (spot, spot.anywhere):
            if each in self.words:
                words = self.words[each]
                if words is None:
                    return True
                differing = _varying(reference, candidate)
                if differing is None or differing <= words:
                    return True
        return False


def _varying(one: Value, other: Value) -> set[int] | None:
    """The words in which two texts differ; None for anything that is not two texts of as many words."""
    if not isinstance(one, str) or not isinstance(other, str):
        return None
    ours, theirs = _TOKEN.findall(one), _TOKEN.findall(other)
    if len(ours) != len(theirs):
        return None
    return {number for number, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b}


def by_test(traces: Iterable[Trace]) -> dict[str, Trace]:
    """The last attempt at each test."""
    return {trace.test: trace for trace in traces}
