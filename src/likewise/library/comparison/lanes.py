"""Which thread or task of one run is which of the other.

Order counts within a lane and not between lanes. Lanes of one family, such as the workers of a pool, are
paired by what they did. Workers that took their jobs otherwise than in the other run are compared job by job,
as long as all of them took them in one order: a queue hands out what comes first to whoever comes first.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from likewise.library.comparison.alignment import Pair, align_lane
from likewise.library.comparison.alone import Alone, alone, brought_by
from likewise.library.comparison.bijection import Bijection, Name, names_in, receiver_name
from likewise.library.comparison.matching import Match, Matching
from likewise.library.comparison.units import Depth, Unit, late_names
from likewise.model import Interaction

MAIN = "main"
_LANE = re.compile(r"(.*?)(?: (\d+))?", re.DOTALL)


def align(
    reference: Sequence[Interaction], candidate: Sequence[Interaction], inner: frozenset[str] = frozenset()
) -> Iterator[Pair]:
    """Pair the crossings of two runs of one test, lane by lane, in the order in which they began.

    `inner` are the private types that one side alone has.
    """
    for stretch in sorted(_stretches(reference, candidate, inner), key=_start):
        yield from stretch


Stretch = list[Pair]
"""Crossings of both runs in the order in which they are compared."""


def _start(stretch: Stretch) -> tuple[bool, int]:
    """Where it begins in the reference's run, or, after all of these, in the candidate's."""
    orders = [pair.reference.order for pair in stretch if pair.reference is not None]
    return (False, min(orders)) if orders else (True, min((pair.order for pair in stretch), default=0))


def _stretches(
    reference: Sequence[Interaction], candidate: Sequence[Interaction], inner: frozenset[str]
) -> list[Stretch]:
    ours, theirs = _families(reference), _families(candidate)
    single: list[tuple[Sequence[Interaction], Sequence[Interaction]]] = []
    several: _Several = []
    for name in dict.fromkeys([*ours, *theirs]):
        mine, other = ours.get(name, []), theirs.get(name, [])
        if len(mine) <= 1 and len(other) <= 1:
            single.append((mine[0].interactions if mine else (), other[0].interactions if other else ()))
        else:
            several.append((mine, other))
    if not several:
        return [list(align_lane(list(mine), list(other))) for mine, other in single]
    racing = {unit.interactions[0].lane for mine, other in several for unit in [*mine, *other]}
    brought = brought_by(reference, racing), brought_by(candidate, racing)
    lanes = [alone(mine, other, brought=brought, inner=inner) for mine, other in single]
    late = late_names(reference), late_names(candidate)

    def matching(*, is_own: bool = False) -> Matching:
        bijection = Bijection(inner=inner)
        for lane in lanes:
            lane.bind(bijection, is_own=True)
            if not is_own:
                lane.bind(bijection, is_own=False)
        return Matching(bijection, late=late)

    chosen = matching()
    beside = _equal(several, chosen)
    if beside is None:
        chosen = matching(is_own=True)
        beside = list(_differing(several, chosen, lanes))
    return [*(lane.settled(chosen.bijection) for lane in lanes), *beside]


def _families(interactions: Sequence[Interaction]) -> dict[str, list[Unit]]:
    lanes: dict[str, list[Interaction]] = defaultdict(list)
    for each in interactions:
        lanes[each.lane].append(each)
    families: dict[str, list[Unit]] = defaultdict(list)
    for lane, some in lanes.items():
        family, number = _family(lane)
        families[family].append(Unit(family=family, rank=(number, 0), interactions=some))
    return families


_Several = list[tuple[list[Unit], list[Unit]]]
"""The lanes of each family that has several."""


def _equal(several: _Several, matching: Matching) -> list[Stretch] | None:
    """Lanes that did the same, or the same jobs though not the same lane the same ones; None otherwise.

    Either way every object of one run is one of the other's, wherever it went.
    """
    ours, theirs = ([unit for pair in several for unit in pair[side]] for side in (0, 1))
    matches, ours, theirs = matching.pair(ours, theirs, Depth.ALL)
    jobs, mine, other = matching.pair(_jobs(ours), _jobs(theirs), Depth.ALL)
    if mine or other or not _is_one_order(jobs):
        return None
    return [_in_step(each) for each in [*matches, *jobs]]


def _differing(several: _Several, matching: Matching, lanes: list[Alone]) -> Iterator[Stretch]:
    """Lanes that the client gave the same, then jobs, then whatever is left.

    The client is the same in both runs: what it passes tells who is who, and what comes back only where it
    passes the same.
    """
    ours, theirs = ([unit for pair in several for unit in pair[side]] for side in (0, 1))
    matches, ours, theirs = matching.pair_sure(ours, theirs, Depth.INPUTS)
    for lane in lanes:
        lane.bind(matching.bijection, is_own=False)
    more, ours, theirs = matching.pair(ours, theirs, Depth.INPUTS)
    yield from map(_in_step, [*matches, *more])
    for family in dict.fromkeys(unit.family for unit in [*ours, *theirs]):
        mine = [unit for unit in ours if unit.family == family]
        other = [unit for unit in theirs if unit.family == family]
        if len(mine) > 1 or len(other) > 1:
            yield from _job_by_job(mine, other, matching)
        else:
            yield from _by_place(mine, other)


def _job_by_job(ours: list[Unit], theirs: list[Unit], matching: Matching) -> Iterator[Stretch]:
    """Job by job where all lanes took them in one order, or else lanes by their places."""
    matches, mine, other = matching.pair(_jobs(ours), _jobs(theirs), Depth.INPUTS)
    if not _is_one_order(matches):
        yield from _by_place(ours, theirs)
        return
    more, mine, other = matching.pair(mine, other, Depth.START)
    yield from map(_in_step, [*matches, *more])
    yield from _by_place(_joined(mine), _joined(other))


def _by_place(ours: list[Unit], theirs: list[Unit]) -> Iterator[Stretch]:
    mine, other = (sorted(each, key=lambda unit: unit.rank) for each in (ours, theirs))
    for number in range(max(len(mine), len(other))):
        yield list(
            align_lane(
                list(mine[number].interactions) if number < len(mine) else [],
                list(other[number].interactions) if number < len(other) else [],
            )
        )


def _jobs(lanes: list[Unit]) -> list[Unit]:
    """The parts of lanes between which the client's code went back to where it had been."""
    found = []
    for lane in lanes:
        parts: dict[object, list[Interaction]] = defaultdict(list)
        for each in lane.interactions:
            parts[each.wire.get("turn", 0)].append(each)
        for number, some in enumerate(parts.values()):
            found.append(Unit(family=lane.family, rank=(lane.rank[0], number), interactions=some))
    return found


def _joined(jobs: list[Unit]) -> list[Unit]:
    lanes: dict[int, list[Unit]] = defaultdict(list)
    for job in sorted(jobs, key=lambda unit: unit.rank):
        lanes[job.rank[0]].append(job)
    return [
        Unit(
            family=some[0].family,
            rank=some[0].rank,
            interactions=[each for job in some for each in job.interactions],
        )
        for some in lanes.values()
    ]


def _is_one_order(matches: list[Match]) -> bool:
    """Whether all lanes of both runs may have taken their jobs from one queue."""
    graph: TopologicalSorter[int] = TopologicalSorter()
    for side in ("reference", "candidate"):
        last: dict[int, int] = {}
        sure = [(getattr(each, side), number) for number, each in enumerate(matches) if each.is_sure]
        for unit, number in sorted(sure, key=lambda pair: pair[0].rank):
            lane = unit.rank[0]
            if lane in last:
                graph.add(number, last[lane])
            last[lane] = number
    try:
        graph.prepare()
    except CycleError:
        return False
    return True


def shared(interactions: Iterable[Interaction]) -> set[Name]:
    """The objects that several threads or tasks used while all of them ran: what is in them is luck."""
    spans: dict[str, tuple[int, int]] = {}
    users: dict[Name, set[str]] = defaultdict(set)
    for each in interactions:
        if each.lane == MAIN:
            continue
        spans[each.lane] = (spans.get(each.lane, (each.order, 0))[0], each.order)
        for name in names_in(each.arguments):
            users[name].add(each.lane)
        if (receiver := receiver_name(each.receiver)) is not None:
            users[receiver].add(each.lane)
    return {name for name, lanes in users.items() if len(lanes) > 1 and _run_together(lanes, spans)}


def _run_together(lanes: Iterable[str], spans: dict[str, tuple[int, int]]) -> bool:
    """Whether some lanes ran at the same time; workers of one family are taken to."""
    families = [_family(lane)[0] for lane in lanes]
    ordered = sorted(spans[lane] for lane in lanes)
    return len(set(families)) < len(families) or any(
        later[0] < earlier[1] for earlier, later in itertools.pairwise(ordered)
    )


def _family(lane: str) -> tuple[str, int]:
    found = _LANE.fullmatch(lane)
    assert found is not None
    return found[1], int(found[2] or 1)


def _in_step(match: Match) -> Stretch:
    return list(align_lane(list(match.reference.interactions), list(match.candidate.interactions)))
