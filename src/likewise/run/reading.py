"""A recording read under what the ledger knows: every call keyed, every test found in its world."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from likewise.canonical import Familiarity, World
from likewise.decide import close_slice
from likewise.model import Fingerprint, Keyed, Spot, Trace, Value
from likewise.model.unopened import passing

Chains = tuple[tuple[Keyed, ...], ...]
"""The keys of each call of a trace, the narrowest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One test's trace with its calls keyed, in the world it happened in."""

    world: Sequence[Trace]
    """The traces of the world, in order; those after this test's own do not concern it."""
    keyed: Sequence[Sequence[Keyed]]
    chains: Chains
    """Every key of this test's calls, the narrow ones included: what evidence is indexed by."""
    place: int
    """Where in its world the test's trace stands."""

    @property
    def trace(self) -> Trace:
        """The test's own trace."""
        return self.world[self.place]

    @property
    def calls(self) -> Sequence[Keyed]:
        """The test's own calls."""
        return self.keyed[self.place]

    @property
    def so_far(self) -> Sequence[Trace]:
        """The world up to and including this test."""
        return self.world[: self.place + 1]

    def slice(self, positions: Iterable[int]) -> tuple[Spot, ...]:
        """Everything that a replay of these calls must repeat."""
        return close_slice(self.keyed, ((self.place, position) for position in positions))


class Readings:
    """All tests of a recording, each with its attempts in order."""

    def __init__(self, worlds: Iterable[Iterable[Reading]]) -> None:
        self.by_test: dict[str, list[Reading]] = {}
        for readings in worlds:
            for reading in readings:
                self.by_test.setdefault(reading.trace.test, []).append(reading)
        for attempts in self.by_test.values():
            attempts.sort(key=lambda reading: reading.trace.attempt)

    def last(self, test: str) -> Reading:
        """The attempt whose result the run reports."""
        return self.by_test[test][-1]

    def keys(self) -> set[Fingerprint]:
        """Every key that a decision needs."""
        return {
            call.key for attempts in self.by_test.values() for chain in attempts[-1].chains for call in chain
        }

    def using(self, keys: Collection[Fingerprint]) -> set[str]:
        """The tests that one of these keys is needed for."""
        return {
            test
            for test, attempts in self.by_test.items()
            if any(call.key in keys for chain in attempts[-1].chains for call in chain)
        }


def read_world(
    traces: Sequence[Trace],
    familiarity: Mapping[str, Familiarity],
    *,
    ambiguous: Collection[Fingerprint] = frozenset(),
    disputed: Mapping[Fingerprint, Fingerprint] = MappingProxyType({}),
) -> list[Reading]:
    """Key the traces of one world; one reading for each attempt at a test in it."""
    return readings_of(traces, key_chains(traces, familiarity, ambiguous=ambiguous, disputed=disputed))


def key_chains(
    traces: Sequence[Trace],
    familiarity: Mapping[str, Familiarity],
    *,
    ambiguous: Collection[Fingerprint] = frozenset(),
    disputed: Mapping[Fingerprint, Fingerprint] = MappingProxyType({}),
) -> list[Chains]:
    """Key the traces of one world, and let go of what only saved time on the way."""
    world = World(familiarity, ambiguous=ambiguous, disputed=disputed)
    found = [tuple([tuple(chain) for chain in world.read(trace, passing(trace))]) for trace in traces]
    for trace in traces:
        if trace.test in familiarity:
            familiarity[trace.test].rest()
    return found


def readings_of(traces: Sequence[Trace], chains: Sequence[Chains]) -> list[Reading]:
    """One reading for each attempt at a test among the keyed traces of a world."""
    keyed = [tuple([chain[-1] for chain in each]) for each in chains]
    return [
        Reading(world=traces, keyed=keyed, chains=chains[number], place=number)
        for number, trace in enumerate(traces)
        if trace.test
    ]


def worlds_of(traces: Iterable[Trace]) -> list[list[Trace]]:
    """Group traces by the world they happened in, keeping their order."""
    worlds: dict[str, list[Trace]] = {}
    for trace in traces:
        worlds.setdefault(trace.world, []).append(trace)
    return list(worlds.values())


def prune(reading: Reading) -> tuple[Trace, ...]:
    """The test's trace after only those earlier calls of its world that it depends on."""
    wanted = set(reading.slice(call.position for call in reading.calls))
    earlier: list[Trace] = []
    for number, trace in enumerate(reading.world[: reading.place]):
        kept = tuple(
            interaction
            for position, interaction in enumerate(trace.interactions)
            if (number, position) in wanted
        )
        if kept:
            earlier.append(replace(trace, interactions=kept))
    return (*earlier, reading.trace)


def canonical_answers(
    traces: Sequence[Trace], familiarity: Mapping[str, Familiarity], spots: Collection[Spot]
) -> dict[Spot, Value]:
    """The canonical answers of some calls of a world."""
    return _kept(traces, familiarity, spots).kept


def _kept(traces: Sequence[Trace], familiarity: Mapping[str, Familiarity], spots: Collection[Spot]) -> World:
    """A world that was read for the answers to some of its calls."""
    world = World(familiarity)
    wanted: dict[int, set[int]] = {}
    for place, position in spots:
        wanted.setdefault(place, set()).add(position)
    for number, trace in enumerate(traces):
        world.read(trace, keep=wanted.get(number, ()))
    return world


class AnswersInWorlds:
    """The canonical answers of some calls of several worlds."""

    def __init__(self, found: Mapping[int, World]) -> None:
        self._found = found

    def of(self, reading: Reading, position: int) -> Value:
        """The answer to one of the calls that were asked for."""
        return self._found[id(reading.world)].kept[reading.place, position]

    def draws(self, reading: Reading, position: int) -> Sequence[Fingerprint]:
        """How the values lie that were drawn before the call, where its answer may depend on that."""
        return self._found[id(reading.world)].drawn[reading.place, position]


def answers_in_worlds(
    calls: Iterable[tuple[Reading, int]], familiarity: Mapping[str, Familiarity]
) -> AnswersInWorlds:
    """The canonical answers of calls, given by their tests and positions: each world is read only once."""
    worlds: dict[int, Sequence[Trace]] = {}
    spots: dict[int, set[Spot]] = {}
    for reading, position in calls:
        worlds[id(reading.world)] = reading.world
        spots.setdefault(id(reading.world), set()).add((reading.place, position))
    return AnswersInWorlds(
        {
            name: _kept(traces[: max(spots[name])[0] + 1], familiarity, spots[name])
            for name, traces in worlds.items()
        }
    )
