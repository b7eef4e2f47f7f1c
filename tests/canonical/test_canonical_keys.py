"""Keys say what must repeat: not names, not unrelated order, not how often one looked; all else counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from small_worlds import call, get, look, put, trace_of

from likewise.canonical import Familiarity, World, key_world, masked_sequence, sketch
from likewise.model import (
    Effect,
    Interaction,
    Keyed,
    Lost,
    Raised,
    Scope,
    Touch,
    Trace,
    Value,
)
from proofs import doubts, learned
from traffic import SERVERS, Script, draw_script, play

services = st.sampled_from(sorted(SERVERS))
seeds = st.integers(0, 10_000)
few = settings(max_examples=30, deadline=None)
START = 1_790_000_000


def keyed(trace: Trace, familiarity: Familiarity) -> list[Keyed]:
    return key_world([trace], {trace.test: familiarity})[0]


def seen(trace: Trace, familiarity: Familiarity) -> set[tuple[str, str]]:
    return {(call.key, call.answer) for call in keyed(trace, familiarity)}


@few
@given(services, seeds)
def test_reading_the_same_trace_again_gives_the_same_sketch_and_keys(service: str, seed: int) -> None:
    script = draw_script(service, seed)
    one, same = play(service, script, seed=seed), play(service, script, seed=seed)
    assert sketch(one, run="1") == sketch(same, run="1")
    familiarity = learned([one, play(service, script, seed=seed + 1)])
    assert keyed(one, familiarity) == keyed(one, familiarity) == keyed(same, familiarity)


@few
@given(services, seeds)
def test_two_runs_that_differ_in_made_up_values_have_equal_keys_and_answers(service: str, seed: int) -> None:
    script = draw_script(service, seed)
    first, second = (play(service, script, seed=seed + number) for number in range(2))
    familiarity = learned([first, second])
    ours, theirs = keyed(first, familiarity), keyed(second, familiarity)
    assert [call.key for call in ours] == [call.key for call in theirs]
    assert [call.answer for call in ours] == [call.answer for call in theirs]
    assert [call.context for call in ours] == [call.context for call in theirs]


@few
@given(services, seeds)
def test_a_run_after_two_others_asks_nothing_new(service: str, seed: int) -> None:
    script = draw_script(service, seed)
    first, second, third = (play(service, script, seed=seed + number) for number in range(3))
    assert doubts([first, second], third) == []


@few
@given(services, seeds)
def test_the_first_run_alone_is_exact(service: str, seed: int) -> None:
    """Nothing varies on one run's word: another run's names are another request."""
    script = draw_script(service, seed)
    first, second = (play(service, script, seed=seed + number) for number in range(2))
    alone = Familiarity([sketch(first, run="1")])
    assert keyed(first, alone)[0].key != keyed(second, alone)[0].key
    assert keyed(first, alone) == keyed(first, Familiarity())


@few
@given(services, seeds, st.randoms(use_true_random=False))
def test_unrelated_calls_may_come_in_any_order(service: str, seed: int, random: Random) -> None:
    script = draw_script(service, seed)
    roots = sorted({step.where[0] for step in script})
    assume(len(roots) == 2)
    assume(not any(step.other and step.other[0] != step.where[0] for step in script))
    other = _interleaved(script, random)
    first, second, third = (
        play(service, steps, seed=seed + number) for number, steps in enumerate((script, script, other))
    )
    familiarity = learned([first, second, third])
    assert seen(third, familiarity) == seen(first, familiarity)


def _interleaved(script: Script, random: Random) -> Script:
    """The same steps with each root's in their order, and those of different roots in any."""
    waiting = {
        root: [step for step in script if step.where[0] == root] for root in {s.where[0] for s in script}
    }
    mixed = []
    while any(waiting.values()):
        root = random.choice(sorted(root for root, steps in waiting.items() if steps))
        mixed.append(waiting[root].pop(0))
    return tuple(mixed)


@few
@example("dynamodb", 913, 7)  # one run's table ends in digits only by chance, and names things in a batch
@given(services, seeds, st.integers(7, 9))
def test_looking_more_often_than_six_times_changes_nothing(service: str, seed: int, times: int) -> None:
    """The first look at a table that is being made is another matter: it settles how time counts."""
    script = draw_script(service, seed)
    looks = {"get", "head", "list", "tags", "query", "scan", "peek", "count"}
    six_times, polled = (
        tuple(step for step in script for _ in range(several if step.verb in looks else 1))
        for several in (6, times)
    )
    first, second = play(service, six_times, seed=seed), play(service, polled, seed=seed + 1)
    familiarity = learned([first, second])
    assert seen(first, familiarity) == seen(second, familiarity)


@few
@given(services, seeds)
def test_only_writes_and_quoted_answers_come_before_a_call(service: str, seed: int) -> None:
    """What a replay would repeat lies before the call, and its context consists of writes, tried or done."""
    script = draw_script(service, seed)
    trace = play(service, script, seed=seed)
    for each in keyed(trace, learned([trace, play(service, script, seed=seed + 1)])):
        assert all(spot < (0, each.position) for spot in (*each.context, *each.needs))
        calls = [trace.interactions[position] for _, position in each.context]
        assert all(call.is_write or any(touch.attempted for touch in call.touches) for call in calls)


# Small worlds, by hand.


KNOWN = Familiarity()


def key_of_last(*calls: Interaction, familiarity: Familiarity = KNOWN) -> str:
    return keyed(trace_of(*calls), familiarity)[-1].key


def test_what_was_overwritten_matters_once() -> None:
    """A server that keeps the old shows it to who overwrote it, and not to who wrote where nothing was."""
    assert key_of_last(put("a", value="1"), put("a", value="2"), get("a")) != key_of_last(
        put("a", value="2"), get("a")
    )
    assert key_of_last(put("a", value="1"), put("a", value="2"), get("a")) != key_of_last(
        put("a", value="3"), put("a", value="2"), get("a")
    )
    earlier = trace_of(*[put("a", value="3")] * 5)
    once, again = trace_of(put("a", value="1"), put("a", value="2"), get("a")), []
    for traces in ([once], [earlier, once]):
        again.append(key_world(traces, {})[-1][-1].key)
    assert again[0] == again[1]


def test_how_often_one_test_sets_the_same_matters() -> None:
    """A server that loses the fourth change of something would show what it was after the third."""
    keys = {key_of_last(*[put("a", value="1")] * times, get("a")) for times in range(1, 6)}
    assert len(keys) == 5
    many = [key_of_last(*[put("a", value="1")] * times, get("a")) for times in (40, 50)]
    assert many[0] == many[1]


def test_how_often_something_was_changed_before_it_was_overwritten_does_not_matter() -> None:
    once, thrice = ([add("a", value="1")] * times for times in (1, 3))
    assert key_of_last(*once, put("a"), get("a")) == key_of_last(*thrice, put("a"), get("a"))


def remake(*resource: str) -> Interaction:
    return call("make", *resource, effect=Effect.ABSORB, scope=Scope.SUBTREE)


def remove(*resource: str) -> Interaction:
    return call("remove", *resource, effect=Effect.ABSORB, scope=Scope.SUBTREE)


def test_what_was_remade_is_not_as_good_as_new_to_who_removed_it() -> None:
    """A server that keeps what was in it shows that to nobody else."""
    new = key_of_last(remake("x"), get("x", "a"))
    assert new != key_of_last(remake("x"), remove("x"), remake("x"), get("x", "a"))
    assert key_of_last(remake("x"), remove("x"), remake("x"), get("x", "a")) != key_of_last(
        remake("x"), put("x", "a"), remove("x"), remake("x"), get("x", "a")
    )


def test_what_an_earlier_test_removed_is_as_good_as_new() -> None:
    earlier = trace_of(remake("x"), put("x", "a"), remove("x"), test="earlier")
    later = trace_of(remake("x"), get("x", "a"), test="later")
    [_, [_, after]] = key_world([earlier, later], {})
    assert after.key == key_of_last(remake("x"), get("x", "a"))


def test_what_was_written_matters() -> None:
    assert key_of_last(put("a", value="1"), get("a")) != key_of_last(put("a", value="2"), get("a"))
    assert key_of_last(put("a"), get("a")) != key_of_last(get("a"))


def test_a_refused_read_changes_nothing() -> None:
    refused = call("get", "a", value="1", outcome=Raised(kind="no"))
    assert key_of_last(refused, get("a")) == key_of_last(get("a"))


def refused(*resource: str, value: Value = "1", kind: str = "no") -> Interaction:
    return call("put", *resource, value=value, outcome=Raised(kind=kind), attempted=True)


def test_a_refused_write_may_have_been_done_all_the_same() -> None:
    """Only who looks later can tell; how it was refused may tell what was done before that."""
    plain = key_of_last(put("a"), get("a"))
    assert key_of_last(put("a"), refused("a"), get("a")) != plain
    assert key_of_last(put("a"), refused("a"), get("a")) != key_of_last(
        put("a"), refused("a", kind="never"), get("a")
    )
    assert key_of_last(put("a"), refused("b"), get("a")) == plain
    assert key_of_last(put("a"), refused("b"), look()) != key_of_last(put("a"), look())
    *_, after = keyed(trace_of(put("a"), refused("a"), get("a")), KNOWN)
    assert after.context == ((0, 0), (0, 1))


def test_a_probe_may_have_been_taken_for_taking() -> None:
    """Who looks at what others take away may have taken it; among several lanes it is a mere look."""
    probe = call("peek", "a", attempted=True)
    assert key_of_last(put("a"), probe, get("a")) != key_of_last(put("a"), get("a"))
    assert key_of_last(put("a"), probe, get("a")) == key_of_last(put("a"), probe, probe, get("a"))
    first, again = keyed(trace_of(put("a"), probe, probe), KNOWN)[1:]
    assert first.context == again.context == ((0, 0),)
    aside = call("put", "b", effect=Effect.ABSORB, lane="thread-1")
    assert key_of_last(put("a"), aside, probe, get("a")) == key_of_last(put("a"), aside, get("a"))


def test_who_tries_until_it_works_may_try_any_number_of_times() -> None:
    once, often = (key_of_last(put("a"), *[refused("a")] * times, get("a")) for times in (1, 7))
    assert once == often
    assert once != key_of_last(put("a"), refused("a"), put("a", value="2"), refused("a"), get("a"))


def test_what_an_earlier_test_tried_in_vain_does_not_matter() -> None:
    """Else a test would depend on all that ran before it."""
    for then in (get("a"), put("a", value="2")):
        calls = (then, get("a"))
        earlier, later = trace_of(put("a"), refused("a"), test="earlier"), trace_of(*calls, test="later")
        alone = key_world([trace_of(put("a"), test="earlier"), later], {})[-1]
        assert [call.key for call in key_world([earlier, later], {})[-1]] == [call.key for call in alone]


def test_those_who_try_the_same_in_vain_at_once_do_not_race() -> None:
    one, other = (replace(refused("a"), lane=lane, started=1.0, ended=1.1) for lane in ("main", "other"))
    assert not any(call.racy for call in keyed(trace_of(put("a"), one, other), KNOWN))
    winner = replace(put("a", value="2"), lane="other", started=1.0, ended=1.1)
    assert keyed(trace_of(one, winner), KNOWN)[0].racy
    reader = replace(get("a"), lane="other", started=1.0, ended=1.1)
    assert keyed(trace_of(one, reader), KNOWN)[1].racy


def test_a_write_without_an_answer_may_have_happened() -> None:
    lost = call("put", "a", value="1", effect=Effect.WRITE, outcome=Lost(reason="reset"))
    assert key_of_last(lost, get("a")) != key_of_last(get("a"))


def test_a_list_depends_on_what_is_below_and_not_on_its_order() -> None:
    listed = call("list", scope=Scope.SUBTREE)
    assert key_of_last(put("a"), listed) != key_of_last(listed)
    assert key_of_last(put("a"), put("b"), listed) == key_of_last(put("b"), put("a"), listed)
    assert key_of_last(put("a"), get("b")) == key_of_last(get("b"))


def test_a_list_depends_on_the_order_of_what_follows_from_another() -> None:
    """A rule set before or after something was stored is not the same."""
    rule = call("rule", value="r", effect=Effect.WRITE)
    listed = call("list", scope=Scope.SUBTREE)
    assert key_of_last(rule, put("a"), listed) != key_of_last(put("a"), rule, listed)


def add(*resource: str, value: Value) -> Interaction:
    return call("add", *resource, value=value, effect=Effect.WRITE)


def test_the_order_of_writes_to_the_same_thing_matters() -> None:
    assert key_of_last(add("a", value="1"), add("a", value="2"), get("a")) != key_of_last(
        add("a", value="2"), add("a", value="1"), get("a")
    )


def test_an_ambiguous_key_is_read_with_the_order_and_then_with_more_of_the_tree() -> None:
    listed = call("list", "x", scope=Scope.SUBTREE)
    one = trace_of(put("y"), put("x", "a"), put("x", "b"), listed)
    two = trace_of(put("x", "b"), put("x", "a"), listed)
    narrow = keyed(one, KNOWN)[-1].key
    assert narrow == keyed(two, KNOWN)[-1].key
    [*_, ordered] = key_world([one], {}, ambiguous={narrow})[0]
    [*_, other] = key_world([two], {}, ambiguous={narrow})[0]
    assert (ordered.width, other.width) == (1, 1)
    assert ordered.key != other.key
    [*_, wide] = key_world([one], {}, ambiguous={narrow, ordered.key})[0]
    assert wide.width == 2
    assert len(ordered.context) == 2
    assert len(wide.context) == 3


def test_what_was_there_before_is_known_once_it_was_asked_for() -> None:
    """A table that an earlier run left behind, say: asked again, it is still there."""

    def left(*, beside: int, again: str = "there") -> Trace:
        others = [add("b", value="v")] * beside
        return trace_of(get("a", answer="there"), *others, get("a", answer=again))

    before = [left(beside=1), trace_of(get("a", answer="none"), get("a", answer="none"))]
    assert [call.position for call, _ in doubts(before, left(beside=2))] == [0, 2]
    assert [call.position for call, _ in doubts(before, left(beside=2, again="none"))] == [0, 2, 3]


def test_a_second_look_is_another_question_and_so_is_a_sixth_one_but_no_more() -> None:
    """On a server that shows something a few times only, or not at once, these differ."""
    one = trace_of(get("a"), put("a"), *[get("a")] * 8, get("b"))
    before, _, *looks, _ = keyed(one, KNOWN)
    first, second, *_, sixth, seventh, eighth = looks
    assert len({before.key, *(look.key for look in looks)}) == 7
    assert sixth.key == seventh.key == eighth.key
    assert (second.needs, second.context) == (((0, 2),), first.context)
    assert sixth.needs == eighth.needs == tuple((0, position) for position in range(2, 7))


def test_who_looked_in_an_earlier_test_does_not_matter() -> None:
    earlier, later = trace_of(get("a"), test="earlier"), trace_of(get("a"), test="later")
    [[one], [other]] = key_world([earlier, later], {})
    assert one.key == other.key


def test_what_was_asked_before_is_replayed_with_whoever_asks_again() -> None:
    one = trace_of(put("a"), get("a"), get("a"))
    _, first, second = keyed(one, KNOWN)
    _, again, repeated = key_world([one], {}, ambiguous={first.key, second.key})[0]
    assert (again.width, again.needs) == (1, ())
    assert (repeated.width, repeated.needs, repeated.context) == (0, ((0, 1),), second.context)
    assert repeated.key not in (first.key, second.key)


def test_a_timed_write_puts_the_class_of_time_into_the_key() -> None:
    def leased(after: float) -> Keyed:
        lease = call("lease", "a", effect=Effect.WRITE, timed=True, at=0.0)
        return keyed(trace_of(lease, get("a", at=after)), KNOWN)[-1]

    assert leased(0.3).key == leased(0.7).key
    assert leased(0.3).key != leased(2.0).key != leased(70.0).key
    assert (leased(0.3).timed, leased(2.0).timed) == (False, True)


def test_time_no_longer_counts_once_somebody_saw_the_change_settled() -> None:
    def described(after: float) -> Keyed:
        create = call("create", "a", effect=Effect.WRITE, timed=True)
        look = call("describe", "a", effect=Effect.READ, timed=True, at=0.1)
        return keyed(trace_of(create, look, get("a", at=after)), KNOWN)[-1]

    assert described(0.3).key == described(99.0).key
    assert not described(99.0).timed


NAMES = ("f81d4fae7dec", "0a50c91e6bf6", "7b1d4fae7d11", "22e5c91e6b01")


def twice(build: Callable[[str, str], Trace]) -> tuple[Trace, Familiarity]:
    """A test that makes up two names, and what two runs of it teach."""
    runs = [build(*NAMES[:2]), build(*NAMES[2:])]
    return runs[0], learned(runs)


def test_identity_matters() -> None:
    """Reading the first of two made-up names is not reading the second, whatever they are called."""

    def build(read: int) -> Callable[[str, str], Trace]:
        return lambda one, two: trace_of(
            call("both", "box", value=[one, two], effect=Effect.WRITE),
            call("get", "box", value=(one, two)[read]),
        )

    first, familiarity = twice(build(0))
    second = build(1)(*NAMES[2:])
    assert keyed(first, familiarity)[0].key == keyed(second, familiarity)[0].key
    assert keyed(first, familiarity)[1].key != keyed(second, familiarity)[1].key


def test_identity_matters_in_answers() -> None:
    def build(answered: int) -> Callable[[str, str], Trace]:
        return lambda one, two: trace_of(
            call("both", "box", value=[one, two], effect=Effect.WRITE),
            call("get", "box", answer=(one, two)[answered]),
        )

    first, familiarity = twice(build(0))
    second = build(1)(*NAMES[2:])
    assert keyed(first, familiarity)[1].key == keyed(second, familiarity)[1].key
    assert keyed(first, familiarity)[1].answer != keyed(second, familiarity)[1].answer


def test_names_that_share_a_date_keep_their_identity() -> None:
    """A date loses its identity when it varies; what stands beside it does not."""

    def build(read: int) -> Callable[[str, str], Trace]:
        def run(one: str, two: str) -> Trace:
            day = "2024-05-01" if one == NAMES[0] else "2024-05-02"
            names = [f"{day}-{one}", f"{day}-{two}"]
            return trace_of(
                call("both", "box", value=list(names), effect=Effect.WRITE),
                call("get", "box", value=names[read]),
            )

        return run

    first, familiarity = twice(build(0))
    second = build(1)(*NAMES[2:])
    assert keyed(first, familiarity)[1].key != keyed(second, familiarity)[1].key


LISTED = [("0a50c91e6bf6", "f81d4fae7dec"), ("f81d4fae7d11", "22e5c91e6b01")]
"""Two names as two runs made them up, in the order in which they were stored: rising, then falling."""


def listing(order: Callable[[list[str]], list[str]]) -> list[Keyed]:
    """The call that lists two made-up names, in each run."""
    runs = [
        trace_of(put(one), put(two), call("list", answer=list[Value](order([one, two])), scope=Scope.SUBTREE))
        for one, two in LISTED
    ]
    familiarity = learned(runs)
    return [keyed(run, familiarity)[-1] for run in runs]


def test_a_list_ordered_by_made_up_names_is_equal_in_every_run() -> None:
    first, second = listing(sorted)
    assert (first.key, first.answer) == (second.key, second.answer)
    backwards = listing(lambda names: sorted(names, reverse=True))[0]
    assert (backwards.key, backwards.answer == first.answer) == (first.key, False)


def entity(stream: str, row: str, note: str, version: str) -> dict[str, Value]:
    return {"Data": f'{{"id": "{note}"}}', "Partition": stream, "Row": row, "tag": f'W/"{version}"'}


def stored(rows: list[str], versions: list[str], *, run: int, order: int = 1) -> Trace:
    """A run that stores rows of a stream at once, each with a note that it makes up, and lists them."""
    random = Random(run)
    stream = f"stream-{random.randrange(16**12):012x}"
    notes = [f"{random.randrange(16**12):012x}" for _ in rows]
    kept = [entity(stream, *each) for each in zip(rows, notes, versions, strict=True)]
    touches = tuple(Touch(resource=("s", stream, row), effect=Effect.ABSORB) for row in rows)
    tags: list[Value] = [{"row": each["Row"], "tag": each["tag"]} for each in kept]
    batch = call("batch", stream, value=list[Value](notes), answer=tags, effect=Effect.ABSORB)
    listed = call("list", stream, answer=list[Value](kept[::order]), scope=Scope.SUBTREE)
    return trace_of(replace(batch, touches=touches), listed)


def version(second: int, run: int) -> str:
    return f"2026-11-{10 + run}T04%3A00%3A{second:02}.{1193959 + run}Z"


def test_a_list_is_ordered_by_what_names_its_items_and_not_by_what_they_hold() -> None:
    """What two of them hold was made up, and is in rising order in half of all runs."""
    rows = ["00001", "00002"]
    runs = [stored(rows, [version(1, run), version(2, run)], run=run) for run in range(6)]
    familiarity = learned(runs)
    listed = [keyed(run, familiarity)[-1] for run in runs]
    assert len({(each.key, each.answer) for each in listed}) == 1
    backwards = keyed(stored(rows, [version(1, 0), version(2, 0)], run=0, order=-1), familiarity)[-1]
    assert (backwards.key, backwards.answer == listed[0].answer) == (listed[0].key, False)


def test_versions_that_two_things_share_by_chance_are_no_matter() -> None:
    """Entity tags that are read off a clock are the same where the clock is: it tells nothing about them."""
    rows = ["00001", "00002", "00003"]
    seconds = [(1, 2, 3), (1, 1, 2), (1, 2, 2), (1, 1, 1)]
    runs = [stored(rows, [version(at, run) for at in ats], run=run) for run, ats in enumerate(seconds)]
    familiarity = learned(runs)
    assert len({tuple((each.key, each.answer) for each in keyed(run, familiarity)) for run in runs}) == 1


def test_what_an_answer_introduced_is_named_after_it_wherever_it_is_sorted() -> None:
    """Writes that have nothing to do with each other are looked at in any order, even who quotes first."""

    def run(number: int) -> Trace:
        stream, tag = f"stream-{number}1234567", version(1, number)
        made = call("add", stream, "head", answer={"tag": tag}, effect=Effect.WRITE)
        quoting = [call("add", stream, f"{more}", value=tag, effect=Effect.WRITE) for more in range(8)]
        return trace_of(made, *quoting, call("list", stream, answer=[tag], scope=Scope.SUBTREE))

    world = World({"t": learned([run(0), run(1)])})
    world.read(run(0), keep={9})
    assert "⟨r" in str(world.kept[0, 9])


@pytest.mark.parametrize("indexed", [(0, 1, 2), (2, 0, 1), (1, 0)])
def test_which_of_several_that_do_the_same_comes_first_does_not_matter(indexed: tuple[int, ...]) -> None:
    """Several add somebody, then some of them an entry that points there, each when it gets around to it."""

    def run(number: int, entries: tuple[int, ...]) -> Trace:
        users = [f"user-{number}{each}a7f3c9{each}" for each in range(3)]
        boxes = [f"box-{number}{each}b8e4d1{each}" for each in range(3)]
        return trace_of(
            *[put("users", name, value={"name": name}) for name in users],
            *[put("boxes", boxes[each], value={"of": users[each]}) for each in entries],
            call("drop", answer="ok", scope=Scope.SUBTREE),
        )

    in_order = tuple(sorted(indexed))
    runs = [run(0, in_order), run(1, in_order), run(2, indexed)]
    familiarity = learned(runs[:2])
    assert keyed(runs[0], familiarity)[-1].key == keyed(runs[2], familiarity)[-1].key
    others = put("boxes", "box-2c5", value={"of": "user-nobody"})
    strange = trace_of(*runs[2].interactions[:-2], others, runs[2].interactions[-1])
    assert keyed(runs[0], familiarity)[-1].key != keyed(strange, familiarity)[-1].key


@pytest.mark.xfail(
    strict=True,
    reason="few names in the order of storing are also in rising or falling order, by chance: which of "
    "the two orders a server keeps would have to be learned over runs",
)
def test_a_short_list_in_the_order_of_storing_is_equal_in_every_run() -> None:
    first, second = listing(lambda names: names)
    assert first.key == second.key
    assert first.answer == second.answer


@pytest.mark.parametrize(
    ("form", "ahead", "is_equal"),
    [
        ("{}", 0, True),
        ("{}000", 0, True),
        ("{}", 300, True),
        ("{}", 10**9, False),  # a number of that length, but no time that would stand in a test
        ("job-{}", 0, False),  # a name
    ],
)
def test_seconds_counted_near_the_time_of_the_run_have_no_identity(
    form: str, ahead: int, is_equal: bool
) -> None:
    """Whether two of them fall into the same second is chance."""

    def told(second: int) -> str:
        return form.format(START + second + ahead)

    runs = [
        trace_of(put("a", value=told(number * 60)), call("get", "a", value=told(number * 60 + crossed)))
        for number, crossed in enumerate((0, 0, 1))
    ]
    familiarity = Familiarity(
        sketch(trace, run=str(number), when=START + number * 60.0) for number, trace in enumerate(runs)
    )
    keys = [[call.key for call in keyed(trace, familiarity)] for trace in runs]
    assert keys[0] == keys[1]
    assert (keys[1] == keys[2]) is is_equal


@pytest.mark.parametrize("stale", [False, True])
def test_a_stale_tag_is_not_the_current_one(stale: bool) -> None:
    def build(use_old: bool) -> Callable[[str, str], Trace]:
        return lambda one, two: trace_of(
            put("a", value="1", answer={"tag": one}),
            put("a", value="2", answer={"tag": two}),
            call("get", "a", value=one if use_old else two),
        )

    first, familiarity = twice(build(stale))
    other = build(not stale)(*NAMES[2:])
    assert keyed(first, familiarity)[2].key != keyed(other, familiarity)[2].key
    assert keyed(first, familiarity)[2].needs == (((0, 0),) if stale else ())


def test_a_constant_changed_in_a_later_run_is_never_trusted() -> None:
    runs = [trace_of(put("a", value="hello"), get("a", answer="hello")) for _ in range(2)]
    later = trace_of(put("a", value="hullo"), get("a", answer="hullo"))
    assert len(doubts(runs, later)) == 2


def test_a_value_that_looks_random_but_repeats_is_a_constant() -> None:
    runs = [trace_of(get("f81d4fae7dec")) for _ in range(2)]
    assert doubts(runs, trace_of(get("0a50c91e6bf6")))
    assert not doubts(runs, runs[0])


def test_on_code_seen_once_only_what_looks_random_may_vary() -> None:
    """Another code's runs showed that the place varies; a word there is still a word."""
    old = [trace_of(get(name)) for name in NAMES[:2]]
    known = [sketch(trace, run=str(number), code="old") for number, trace in enumerate(old)]

    def key_on_new_code(name: str) -> str:
        trace = trace_of(get(name))
        return key_of_last(get(name), familiarity=Familiarity([*known, sketch(trace, run="new", code="new")]))

    proof = key_of_last(get(NAMES[0]), familiarity=Familiarity(known))
    assert key_on_new_code(NAMES[2]) == proof
    assert key_on_new_code("inventory") != proof


def test_the_masked_sequence_shows_how_made_up_values_are_built() -> None:
    one, other, capitals = (
        masked_sequence(trace_of(put(name)))
        for name in ("f81d4fae7dec11d0", "0a50c91e6bf6f81d", "0A50C91E6BF6F81D")
    )
    assert one == other != capitals


@few
@given(services, seeds)
def test_the_masked_sequence_has_one_fingerprint_a_call_and_ignores_made_up_values(
    service: str, seed: int
) -> None:
    script = draw_script(service, seed)
    first, second = (play(service, script, seed=seed + number) for number in range(2))
    sequence = masked_sequence(first)
    assert len(sequence) == len(script)
    assert masked_sequence(replace(first, test="other")) == sequence
    assert len(masked_sequence(second)) == len(sequence)


def test_what_each_run_finds_of_the_one_before_varies() -> None:
    names = (*NAMES, "9c3300aa41d7")

    def run(number: int) -> Trace:
        found, left = ([{"id": name}] for name in names[number : number + 2])
        return trace_of(look("box", answer=found), put("box", names[number + 1]), look("box", answer=left))

    runs = [run(number) for number in range(4)]
    assert not doubts(runs[:3], runs[3])
    assert doubts(runs[:1], runs[1]), "two runs may as well have a constant in common"


def test_a_constant_that_changed_once_is_still_a_constant() -> None:
    runs = [trace_of(put("box", name), get("box", name)) for name in (NAMES[0], NAMES[0], NAMES[1])]
    assert doubts(runs[:2], runs[2])
    assert doubts([*runs, runs[2]], trace_of(put("box", NAMES[2]), get("box", NAMES[2])))


def batch(names: tuple[str, ...], answers: tuple[str, ...]) -> Interaction:
    asked: list[Value] = [{"put": name} for name in names]
    answered: list[Value] = [{"at": f"/{name}"} for name in answers]
    return call("batch", "box", value=asked, answer=answered, effect=Effect.WRITE)


def test_answers_one_by_one_to_what_was_asked_stay_in_their_order() -> None:
    """By chance the names rise in one run and fall in the next, which says nothing of the server."""
    runs = [trace_of(batch(pair, pair)) for pair in LISTED]
    assert not doubts(runs, trace_of(batch(LISTED[0], LISTED[0])))
    swapped = trace_of(batch(LISTED[0], LISTED[0][::-1]))
    assert doubts(runs, swapped)
