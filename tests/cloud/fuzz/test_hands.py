"""Several tasks at a time: the servers are kept busy, and no clock decides what is asked of them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest
from fake_side import FakeSide, Trick, campaign, failure

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.campaign import Done
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.hands import Hands
from likewise.cloud.fuzz.line import FIRST
from likewise.cloud.fuzz.sides.turns import Turns


def counting(turns: Turns, name: str, steps: int) -> Iterator[str]:
    for number in range(steps):
        turns.check()
        turns.pass_on()
        yield f"{name}{number}"


def test_hands_take_turns_until_each_has_ended() -> None:
    turns = Turns()
    hands = Hands(turns, [counting(turns, name, steps) for name, steps in (("a", 1), ("b", 3), ("c", 2))])
    assert list(hands.run()) == ["a0", "b0", "c0", "b1", "c1", "b2"]


def test_what_goes_wrong_with_one_ends_all_and_is_raised_after_what_was_made() -> None:
    turns = Turns()

    def failing() -> Iterator[str]:
        yield from counting(turns, "x", 2)
        raise KeyError("x")

    made: list[str] = []
    with pytest.raises(KeyError):
        made.extend(Hands(turns, [failing(), counting(turns, "y", 100)]).run())
    assert made == ["x0", "y0", "x1", "y1"]


def test_who_stops_the_hands_gets_what_they_had_made() -> None:
    turns = Turns()
    hands = Hands(turns, [counting(turns, "a", 5000), counting(turns, "b", 5000)])
    events = hands.run()
    made = [next(events), next(events), *hands.stop()]
    assert made[:4] == ["a0", "b0", "a1", "b1"][: len(made)]
    assert len(made) == len(set(made)) < 10_000
    assert list(hands.stop()) == []


def odd(seed: int, calls: list[str]) -> Trick:
    """A server whose answers take any time at all, and some of which are wrong."""
    chance = random.Random(seed)

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        calls.append(f"{call.operation} {sorted(call.params)}")
        if seed:
            time.sleep(chance.choice((0.0, 0.0, 0.0005, 0.003)))
        return failure(403, "AccessDenied") if call.operation in ("HeadBucket", "GetObject") else None

    return trick


def test_the_same_campaign_makes_the_same_calls_however_long_each_answer_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)

    def course(seed: int) -> tuple[list[str], list[str], list[str]]:
        ours: list[str] = []
        theirs: list[str] = []
        running = campaign(FakeSide(odd(seed, ours), "one"), FakeSide(name="two"), budget=250)
        candidate = running.pair.candidate.side
        assert isinstance(candidate, FakeSide)
        candidate.trick = lambda call, *_: theirs.append(call.operation)  # type: ignore[func-returns-value]
        events = [
            each.hash if isinstance(each, Finding) else each.task
            for each in running.run()
            if isinstance(each, Finding | Done)
        ]
        running.pair.close()
        return ours, theirs, events

    first = course(0)
    assert len(first[0]) > 200
    assert first == course(1) == course(2)


def test_several_tasks_are_under_way_at_once_and_each_is_done_once() -> None:
    running = campaign(FakeSide(name="one"), FakeSide(name="two"), budget=300)
    widths: list[int] = []
    running.on_progress = lambda each: widths.append(len(each._line.busy))
    done = [each.task for each in running.run() if isinstance(each, Done)]
    running.pair.close()
    assert max(widths) == FIRST
    assert len(done) == len(set(done)) > 20
    assert not running._line.busy
