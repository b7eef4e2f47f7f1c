"""Key the worlds of a recording, those of a large one in several processes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from likewise.model import Keyed, Operation, Trace
from likewise.model.tuples import maker
from likewise.model.unopened import spans_of
from likewise.run.familiarities import AT_ONCE, Familiarities
from likewise.run.offshoot import Offshoot, processors
from likewise.run.reading import Chains, Reading, key_chains, readings_of

FEW = 4000
"""With fewer calls than this, sharing the work costs more than it saves."""

OWN_DUTIES = 0.08
"""What this process alone can do (ask the ledger, take in what copies hand back), as a part of the work."""

_new_keyed = maker(Keyed)
World = Sequence[Trace]
Heed = Callable[[Sequence[Chains]], None]
"""Takes the chains of a world as soon as they are there: copies may still be at work on other worlds."""
Take = Callable[[World, list[Chains]], None]
Rest = Callable[[], None]


def read_worlds(
    worlds: Sequence[World], familiarity: Familiarities, heed: Heed = lambda chains: None
) -> list[list[Reading]]:
    """One reading for each attempt at a test, by world."""
    done: dict[int, list[Chains]] = {}

    def take(world: World, chains: list[Chains]) -> None:
        done[id(world)] = chains
        heed(chains)

    sharers = processors() if sum(map(_calls, worlds)) >= FEW else 1
    if sharers > 1:
        rest: Rest = _nothing
        for block in _blocks(worlds):
            rest = _share(block, familiarity, sharers, take, meanwhile=rest)
        rest()
    else:
        for world in worlds:
            take(world, key_chains(world, familiarity))
    return [readings_of(world, done[id(world)]) for world in worlds]


def _nothing() -> None:
    """Before the first block there is nothing to take in."""


def _share(
    block: Sequence[World], familiarity: Familiarities, sharers: int, take: Take, *, meanwhile: Rest
) -> Rest:
    """Key the worlds of a block; those of tests that are still being learned stay in this process.

    What the ledger knows is fetched before: the copies must not use its connection. What they hand back is
    taken in by calling what this returns, best while those of the next block are at work.
    """
    familiarity.fetch(list(dict.fromkeys(trace.test for world in block for trace in world)))
    movable = [world for world in block if all(familiarity.is_settled(trace.test) for trace in world)]
    _, *others = _shares(movable, sharers)
    moved = {id(world) for share in others for world in share}
    with ExitStack() as stack:
        offshoots = [
            stack.enter_context(Offshoot(partial(_packed_share, share, familiarity))) for share in others
        ]
        meanwhile()
        for world in block:
            if id(world) not in moved:
                take(world, key_chains(world, familiarity))
        handed = [offshoot.result() for offshoot in offshoots]

    def rest() -> None:
        for share, packed in zip(others, handed, strict=True):
            for world, chains in zip(share, packed, strict=True):
                take(world, _unpacked(chains, world))

    return rest


def _blocks(worlds: Sequence[World]) -> Iterator[list[World]]:
    """Worlds in their order, of so many tests together as the ledger is asked for at once."""
    block: list[World] = []
    tests = 0
    for world in worlds:
        block.append(world)
        tests += len(world)
        if tests >= AT_ONCE:
            yield block
            block, tests = [], 0
    if block:
        yield block


def _shares(worlds: Sequence[World], sharers: int) -> list[list[World]]:
    """Worlds dealt out so that all shares have about as many calls."""
    shares: list[list[World]] = [[] for _ in range(sharers)]
    loads = [0.0] * sharers
    loads[0] = OWN_DUTIES * sum(map(_calls, worlds))
    for world in sorted(worlds, key=_calls, reverse=True):
        least = loads.index(min(loads))
        shares[least].append(world)
        loads[least] += _calls(world)
    return shares


def _calls(world: World) -> int:
    return sum(len(trace.interactions) for trace in world)


def _packed_share(share: Sequence[World], familiarity: Familiarities) -> list[Any]:
    return [_packed(key_chains(world, familiarity)) for world in share]


def _packed(world: Sequence[Chains]) -> list[Any]:
    """Keyed calls as plain data; what they are calls of is known on both sides."""
    return [[[_fields(call) for call in chain] for chain in chains] for chains in world]


def _fields(call: Keyed) -> tuple[Any, ...]:
    return call[0], None, *call[2:]


def _unpacked(packed: Sequence[Any], world: World) -> list[Chains]:
    return [
        tuple(
            [
                tuple([_keyed(span.operation, each) for each in chain])
                for span, chain in zip(spans_of(trace.interactions), chains, strict=True)
            ]
        )
        for trace, chains in zip(world, packed, strict=True)
    ]


def _keyed(operation: Operation, packed: tuple[Any, ...]) -> Keyed:
    return _new_keyed((packed[0], operation, *packed[2:]))
