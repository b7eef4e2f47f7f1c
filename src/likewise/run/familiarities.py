"""What is known to vary in each test of a recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from likewise.canonical import Cursors, Familiarity, no_cursors, operations_in
from likewise.model import Sketch

ENOUGH = 2
"""With this many sketches of a test stored, a run whose calls are all known need not be sketched."""


AT_ONCE = 256
"""For so many tests together the ledger is asked what it has seen of them."""


class Familiarities(Mapping[str, Familiarity]):
    """Familiarity by test, worked out when it is needed and let go of when others are.

    Tests are needed one after the other as they stand in a recording; what is known of all of them at
    once would take more room than the recording.
    """

    def __init__(
        self,
        tests: tuple[str, ...],
        stored: Callable[[Sequence[str]], Mapping[str, list[Sketch]]],
        sketched: Callable[[str], list[Sketch]],
        *,
        cursors: Cursors = no_cursors,
    ) -> None:
        self._cursors = cursors
        self._tests = {test: number for number, test in enumerate(tests)}
        self._order = tests
        self._stored, self._sketched = stored, sketched
        self._near: Mapping[str, list[Sketch]] = {}
        self._made: dict[str, Familiarity] = {}
        self._kept: dict[str, Familiarity] = {}
        self._learned: set[str] = set()

    def __getitem__(self, test: str) -> Familiarity:
        made = self._kept.get(test) or self._made.get(test)
        if made is None:
            stored = self._sketches(test)
            own = self._sketched(test) if len(stored) < ENOUGH or test in self._learned else []
            made = Familiarity([*stored, *own], cursors=self._cursors)
            if own:  # once these are in the ledger, it would not give the same again
                self._kept[test] = made
            else:
                if len(self._made) >= AT_ONCE:
                    self._made.clear()
                self._made[test] = made
        return made

    def fetch(self, tests: Sequence[str]) -> None:
        """Have at hand what the ledger has seen of these tests."""
        found = self._stored(tests)
        self._near = {test: found.get(test, []) for test in tests}

    def is_settled(self, test: str) -> bool:
        """Whether what is stored of a test that is at hand says enough, without this run's own traces."""
        return len(self._near[test]) >= ENOUGH and test not in self._learned

    def _sketches(self, test: str) -> list[Sketch]:
        if test not in self._near:
            number = self._tests[test]
            self.fetch(self._order[number : number + AT_ONCE])
        return self._near[test]

    def __contains__(self, test: object) -> bool:
        return test in self._tests

    def learn_from_this_run(self, tests: Iterable[str]) -> None:
        """From now on, take this run's own traces of these tests into account."""
        for test in tests:
            self._learned.add(test)
            self._made.pop(test, None)
            self._kept.pop(test, None)

    def look_back(self, test: str, operations: Iterable[str], longer: Callable[[], Iterable[Sketch]]) -> None:
        """Have two runs of a test that called each of these operations, if they are among the `longer` past.

        What a test called long ago, before others came to do that for it, varied just as much.
        """
        known = self[test].sketches
        called = Counter(operation for each in known for operation in operations_in(each))
        rare = {operation for operation in operations if called[operation] < ENOUGH}
        if rare:
            older = [each for each in longer() if not rare.isdisjoint(operations_in(each))]
            self._kept[test] = Familiarity([*known, *older], cursors=self._cursors)

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._tests)
