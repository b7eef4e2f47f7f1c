"""Reading worlds: many answers at once are what each of them is by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from likewise.canonical import World
from likewise.model import Returned
from likewise.run.findings import Pair, compare_wholes
from likewise.run.reading import Reading, answers_in_worlds, canonical_answers, read_world
from traffic import SERVERS, draw_script, play


def worlds(service: str, *, wrong: bool = False) -> list[Reading]:
    """Four tests in two worlds, whose every answer may be wrong."""
    found: list[Reading] = []
    for world in range(2):
        traces = [
            replace(
                play(service, draw_script(service, 2 * world + number), seed=0, test=f"t{world}{number}"),
                world=f"{world}",
            )
            for number in range(2)
        ]
        if wrong:
            traces = [
                replace(
                    trace,
                    interactions=tuple(
                        replace(call, outcome=Returned(value={"wrong": True})) for call in trace.interactions
                    ),
                )
                for trace in traces
            ]
        found += read_world(traces, {})
    return found


@pytest.mark.parametrize("service", sorted(SERVERS))
def test_answers_of_several_worlds_are_those_of_each_call(service: str) -> None:
    readings = worlds(service)
    calls = [(reading, call.position) for reading in readings for call in reading.calls]
    found = answers_in_worlds(calls, {})
    for reading, position in calls:
        spot = reading.place, position
        assert found.of(reading, position) == canonical_answers(reading.so_far, {}, {spot})[spot]


def test_whole_runs_are_compared_at_one_reading_of_each_world(monkeypatch: pytest.MonkeyPatch) -> None:
    service = min(SERVERS)
    pairs = [
        Pair(candidate=ours, reference=theirs)
        for ours, theirs in zip(worlds(service), worlds(service, wrong=True), strict=True)
    ]
    alone = {}
    for pair in pairs:
        alone |= compare_wholes([pair], {})
    read = 0
    inner = World.read

    def counted(self: World, *args: object, **more: object) -> object:
        nonlocal read
        read += 1
        return inner(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(World, "read", counted)
    assert compare_wholes(pairs, {}) == alone
    assert sum(len(found) for found in alone.values()) > len(pairs)
    assert 0 < read <= 2 * len(pairs)
