"""Order counts within a thread or task, and not between them; who is who is told by what they do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from library_traces import call, thing, trace

from likewise.library.comparison import Manner, diverge
from likewise.model import Interaction, Trace, Value

SETTINGS = settings(deadline=None, max_examples=30)
Lanes = dict[str, list[Interaction]]


def woven(lanes: Lanes, *, seed: int = 0) -> Trace:
    """One run: the lanes in some interleaving, each in its own order."""
    luck = random.Random(seed)
    left = {name: list(calls) for name, calls in lanes.items() if calls}
    found = []
    for order in itertools.count(1):
        if not left:
            break
        name = luck.choice(sorted(left))
        found.append(replace(left[name].pop(0), lane=name, order=order))
        left = {name: calls for name, calls in left.items() if calls}
    return trace(*found)


def numbered(lanes: Sequence[list[Interaction]], family: str = "task one") -> Lanes:
    return {family if not number else f"{family} {number + 1}": calls for number, calls in enumerate(lanes)}


def turn(number: int, *calls: Interaction) -> list[Interaction]:
    """Crossings of a worker's job."""
    return [replace(each, wire={**each.wire, "turn": number}) for each in calls]


def found(reference: Lanes, candidate: Lanes, *, seed: int = 1) -> list[tuple[str, Manner]]:
    divergences = diverge(woven(reference), woven(candidate, seed=seed))
    return [(each.spot.operation, each.manner) for each in divergences]


def ask(number: int, answer: Value, *, at: int = 1) -> Interaction:
    return call("ask", answer, at=at, arguments={"0": number})


@SETTINGS
@given(st.permutations(range(5)), st.integers(0, 9))
def test_it_does_not_matter_which_lane_has_which_number(order: list[int], seed: int) -> None:
    def lane(number: int, name: int) -> list[Interaction]:
        return [ask(number, thing(name)), call("text", f"{number}", at=2, receiver=f"Node#{name}")]

    reference = numbered([lane(number, number + 1) for number in range(5)])
    candidate = numbered([lane(number, place + 1) for place, number in enumerate(order)])
    assert found(reference, candidate, seed=seed) == []


@SETTINGS
@given(st.permutations(range(4)))
def test_lanes_that_do_the_same_are_told_apart_by_the_objects_that_others_know(order: list[int]) -> None:
    def run(names: Sequence[int]) -> Lanes:
        told: list[Value] = [thing(name) for name in names]
        seen = [call("size", number, at=9, receiver=f"Node#{name}") for number, name in enumerate(names)]
        alike = [[call("make", thing(name)), call("touch", receiver=f"Node#{name}", at=2)] for name in names]
        return {"main": [call("gathered", told, at=8), *seen], **numbered(alike)}

    reference, candidate = run([1, 2, 3, 4]), run([each + 1 for each in order])
    assert found(reference, candidate) == []


def test_an_object_is_the_same_in_the_task_that_it_is_handed_to() -> None:
    def run(names: Sequence[int], answers: Sequence[str]) -> Lanes:
        makers = [[ask(number, thing(name))] for number, name in enumerate(names)]
        users = [
            [call("text", text, at=2, receiver=f"Node#{name}")]
            for name, text in zip(names, answers, strict=True)
        ]
        return {**numbered(makers, "task maker"), **numbered(users[::-1], "task user")}

    reference = run([1, 2, 3], ["a", "b", "c"])
    assert found(reference, run([3, 1, 2], ["a", "b", "c"])) == []
    swapped = found(reference, run([3, 1, 2], ["a", "c", "b"]))
    assert swapped, "at the users, or at the makers if these come later"


def test_a_swap_of_two_results_is_found_whoever_comes_first() -> None:
    reference = numbered([[ask(1, "one")], [ask(2, "two")], [ask(3, "three")]])
    candidate = numbered([[ask(3, "three")], [ask(2, "one")], [ask(1, "two")]])
    assert found(reference, candidate) == [("lib.ask", Manner.VALUE)] * 2


def test_a_swap_within_lanes_that_differ_elsewhere_is_found() -> None:
    def lane(kind: str, result: int) -> list[Interaction]:
        return [call("label", kind, arguments={"0": kind}), call("next", result, at=2)]

    reference = numbered([lane("a", 1), lane("b", 2)])
    assert found(reference, numbered([lane("b", 2), lane("a", 1)])) == []
    assert found(reference, numbered([lane("a", 2), lane("b", 1)])) == [("lib.next", Manner.VALUE)] * 2


def test_order_within_a_lane_counts() -> None:
    def lane(number: int, *, back: bool = False) -> list[Interaction]:
        calls = [ask(number, 1), ask(number, 2, at=2)]
        return calls[::-1] if back else calls

    reference = numbered([lane(1), lane(2)])
    assert found(reference, numbered([lane(2), lane(1)])) == []
    assert found(reference, numbered([lane(2), lane(1, back=True)])) != []


@SETTINGS
@given(st.lists(st.integers(0, 2), min_size=9, max_size=9), st.integers(0, 9))
def test_workers_may_take_their_jobs_as_they_come(workers: list[int], seed: int) -> None:
    def run(chosen: Sequence[int], wrong: int = -1) -> Lanes:
        lanes: list[list[Interaction]] = [[], [], []]
        for job, worker in enumerate(chosen):
            answer = "wrong" if job == wrong else f"{job}"
            lanes[worker] += turn(job, ask(job, thing(job + 1)), call("text", answer, at=2))
        return numbered([lane for lane in lanes if lane], "thread pool")

    reference = run([0, 1, 2] * 3)
    assert found(reference, run(workers), seed=seed) == []
    assert found(reference, run(workers, wrong=4), seed=seed) == [("lib.text", Manner.VALUE)]


def test_jobs_that_no_one_queue_can_have_given_out_are_another_order() -> None:
    def run(*workers: Sequence[int]) -> Lanes:
        lanes = [[each for job in jobs for each in turn(job, ask(job, job))] for jobs in workers]
        return numbered(lanes, "thread pool")

    reference = run([0, 2, 4], [1, 3, 5])
    assert found(reference, run([0, 1], [2, 3, 4, 5])) == []
    assert found(reference, run([4, 2, 0], [5, 3, 1])) != []


def test_one_lane_alone_keeps_its_order_whatever_its_turns() -> None:
    reference = {"thread pool": [*turn(0, ask(0, 0)), *turn(1, ask(1, 1))]}
    assert found(reference, {"thread pool": [*turn(0, ask(1, 1)), *turn(1, ask(0, 0))]}) != []


def test_what_is_in_an_object_that_several_lanes_use_is_luck_and_in_others_is_not() -> None:
    def run(*states: Value) -> Lanes:
        lanes = [
            [call("add", arguments={"0": number}, receiver="Bag#1", state={"items": state})]
            for number, state in enumerate(states)
        ]
        return numbered(lanes, "thread pool")

    assert found(run([0], [0, 1]), run([1, 0], [1])) == []
    assert found(run([0]), run([1])) == [("lib.add", Manner.EFFECT)]


@SETTINGS
@given(st.permutations(range(4)))
def test_a_client_may_go_through_the_objects_of_a_race_as_they_came(order: list[int]) -> None:
    """Every task makes an object; whoever is done first is closed first."""

    def run(names: Sequence[int], closed: Sequence[int], results: Sequence[int]) -> Lanes:
        made = [[ask(number, thing(name))] for number, name in enumerate(names)]
        end = [call("close", receiver=f"Node#{name}", at=3) for name in closed]
        return {**numbered(made), "main": [*end, call("all", [thing(name) for name in results], at=4)]}

    def woven_last(lanes: Lanes) -> Trace:
        first = woven({name: calls for name, calls in lanes.items() if name != "main"}).interactions
        last = woven({"main": lanes["main"]}).interactions
        return trace(*first, *(replace(each, order=each.order + len(first)) for each in last))

    names = [each + 1 for each in order]
    reference = woven_last(run([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]))
    assert diverge(reference, woven_last(run(names, [1, 2, 3, 4], names))) == []
    swapped = [names[1], names[0], *names[2:]]
    assert diverge(reference, woven_last(run(names, [1, 2, 3, 4], swapped))) != []


@pytest.mark.parametrize("kind", ["set", "frozenset"])
def test_objects_in_a_set_have_no_order(kind: str) -> None:
    def run(one: int, other: int) -> Trace:
        both: Value = {"is": kind, "items": [thing(1), thing(2)]}
        return trace(ask(1, thing(one)), ask(2, thing(other), at=2), call("both", both, at=3))

    assert diverge(run(1, 2), run(2, 1)) == []


def test_another_object_in_a_set_is_found() -> None:
    def run(in_set: int) -> Trace:
        both: Value = {"is": "set", "items": [thing(1), thing(in_set)]}
        made = [ask(number, thing(number), at=number) for number in (1, 2, 3)]
        return trace(*made, call("both", both, at=4))

    assert diverge(run(2), run(2)) == []
    assert [each.spot.operation for each in diverge(run(2), run(3))] == ["lib.both"]


def test_many_equal_tasks_are_compared_in_little_time() -> None:
    """Two thousand lanes with an object each: pairing them one by one would take minutes."""
    lanes = [
        [call("make", thing(number)), call("text", "x", receiver=f"Node#{number}", at=2)]
        for number in range(2_000)
    ]
    assert found(numbered(lanes), numbered(lanes[::-1])) == []
