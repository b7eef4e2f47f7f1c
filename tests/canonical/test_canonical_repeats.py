"""A server may take three writes and refuse the fourth, or give two things the same identity."""

from __future__ import annotations

from small_worlds import get, put, remove, trace_of

from likewise.canonical import Familiarity, World, key_world, sketch
from likewise.canonical.repeats import COUNTED, counted
from likewise.decide import close_slice
from likewise.model import Interaction, Keyed, Trace


def name(run: int, number: int) -> str:
    return f"{run}f00{number:02}ba5eba11"


def identity(run: int, number: int) -> str:
    return f"{run}d00{number:02}5caff01d"


def rows(run: int, count: int, *, ids: int = 1_000) -> Trace:
    """Rows under names that nobody chose; after `ids` of them the server begins to repeat its own."""
    calls = [put(name(run, number), answer=identity(run, min(number, ids - 1))) for number in range(count)]
    return trace_of(*calls)


def familiar(count: int = 8) -> Familiarity:
    return Familiarity([sketch(rows(run, count), run=str(run), code="c") for run in (1, 2)])


def keyed(trace: Trace) -> list[Keyed]:
    return key_world([trace], {"t": familiar()})[0]


def test_each_of_several_writes_that_are_alike_has_a_key_of_its_own() -> None:
    several = keyed(rows(1, 6))
    assert len({call.key for call in several}) == 6
    assert [call.key for call in several] == [call.key for call in keyed(rows(2, 6))]
    assert several[0].key == keyed(rows(1, 1))[0].key


def test_the_next_one_is_replayed_after_all_the_others() -> None:
    assert close_slice([keyed(rows(1, 6))], [(0, 4)]) == tuple((0, number) for number in range(5))


def test_another_trace_begins_anew() -> None:
    world = key_world([rows(1, 3), rows(2, 3)], {"t": familiar()})
    assert [call.key for call in world[0]] == [call.key for call in world[1]]


def test_there_is_an_end_to_counting() -> None:
    assert [counted(times) for times in (1, 2, COUNTED)] == [1, 2, COUNTED]
    assert counted(40) == counted(60) == 32


def test_two_things_of_one_identity_are_another_answer() -> None:
    fresh, repeated = keyed(rows(1, 4)), keyed(rows(2, 4, ids=3))
    assert [call.key for call in fresh] == [call.key for call in repeated]
    assert [ours.answer == theirs.answer for ours, theirs in zip(fresh, repeated, strict=True)] == [
        True,
        True,
        True,
        False,
    ]


def test_what_is_repeated_is_said_where() -> None:
    world = World({"t": familiar()})
    world.read(rows(2, 2, ids=1), keep={1})
    (answer,) = world.kept.values()
    assert isinstance(answer, dict)
    assert answer["⟨again⟩"]


def test_what_the_server_always_says_is_nothing_new() -> None:
    """It is no variable at all, so both sides say it."""

    def always(run: int) -> list[Interaction]:
        return [put(name(run, number), answer="ab12cd34ef56") for number in range(3)]

    both = [trace_of(*always(run), get(name(run, 0))) for run in (1, 2)]
    known = Familiarity([sketch(trace, run=str(run), code="c") for run, trace in enumerate(both)])
    world = World({"t": known})
    world.read(both[0], keep={1})
    assert world.kept == {(0, 1): {"returned": "ab12cd34ef56"}}


def last_key(*calls: Interaction) -> str:
    return keyed(trace_of(*calls))[-1].key


def test_what_a_thing_held_two_writes_ago_matters_and_no_longer() -> None:
    """A server may bring back what was there before the last write, in one trace."""

    def after(*values: str) -> str:
        return last_key(*[put("a", value=value) for value in values], get("a"))

    assert after("one", "two", "three") != after("six", "two", "three")
    assert after("one", "five", "two", "three") == after("six", "five", "two", "three")


def test_what_a_thing_held_two_writes_ago_matters_when_it_is_gone() -> None:
    def after(*values: str) -> str:
        return last_key(*[put("a", value=value) for value in values], remove("a"), get("a"))

    assert after("one", "two") != after("six", "two")


def test_what_another_trace_had_put_there_before_is_its_own_affair() -> None:
    def after(earlier: str) -> str:
        traces = [trace_of(put("a", value=earlier), test="earlier"), trace_of(put("a"), put("a"), get("a"))]
        return key_world(traces, {"t": familiar()})[-1][-1].key

    assert after("one") == after("six")
