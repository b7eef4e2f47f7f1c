"""What was removed leaves no more than that something was; what expires counts by when."""

from __future__ import annotations

import pytest
from small_worlds import call, get, look, put, remove, trace_of

from likewise.canonical import Familiarity, key_world
from likewise.model import Effect, Interaction, Keyed, Opaque, Scope, Trace, Value
from proofs import learned

NAMES = ("f81d4fae7dec", "0a50c91e6bf6", "7b1d4fae7d11", "22e5c91e6b01")


def last_of(*calls: Interaction, familiarity: Familiarity) -> Keyed:
    trace = trace_of(*calls)
    return key_world([trace], {trace.test: familiarity})[0][-1]


def used(*names: str, then: tuple[Interaction, ...] = ()) -> Trace:
    """Things with made-up names that came and went, and a look at what is left."""
    calls = [each for name in names for each in (put("box", name), remove("box", name))]
    return trace_of(*calls, *then, look("box"))


KNOWN = learned([used(*NAMES[:2]), used(*NAMES[2:])])


def test_how_many_things_of_a_kind_came_and_went_does_not_matter() -> None:
    once = last_of(*used(NAMES[0]).interactions, familiarity=KNOWN)
    twice = last_of(*used(*NAMES[:2]).interactions, familiarity=KNOWN)
    assert once.key == twice.key
    assert len(once.context) == len(twice.context) == 1


def test_that_something_came_and_went_matters() -> None:
    """A side on which removing does nothing must not be taken for one that was never used."""
    never = last_of(look("box"), familiarity=KNOWN)
    once = last_of(*used(NAMES[0]).interactions, familiarity=KNOWN)
    assert never.key != once.key


def test_what_is_still_there_matters_one_by_one() -> None:
    one = last_of(*used(NAMES[0], then=(put("box", NAMES[2]),)).interactions, familiarity=KNOWN)
    two = last_of(
        *used(NAMES[0], then=(put("box", NAMES[2]), put("box", NAMES[3]))).interactions, familiarity=KNOWN
    )
    none = last_of(*used(NAMES[0]).interactions, familiarity=KNOWN)
    assert len({one.key, two.key, none.key}) == 3


def test_asking_for_what_was_removed_is_not_asking_for_what_never_was() -> None:
    calls = (put("box", NAMES[0]), remove("box", NAMES[0]), put("box", NAMES[1]), remove("box", NAMES[1]))
    removed = last_of(*calls, call("find", "box", NAMES[1], value=1), familiarity=KNOWN)
    never = last_of(*calls, call("find", "box", NAMES[2], value=1), familiarity=KNOWN)
    assert removed.key != never.key
    assert (0, 3) in {*removed.context, *removed.needs}, "its replay removes that very thing"


def test_things_that_share_a_name_with_what_is_there_are_not_alike() -> None:
    """Who left the group that somebody is still in did something else than who left another one."""
    stays = put("box", NAMES[0], "a")
    here = last_of(stays, remove("box", NAMES[0], "b"), look("box"), familiarity=KNOWN)
    elsewhere = last_of(stays, remove("box", NAMES[1], "b"), look("box"), familiarity=KNOWN)
    assert here.key != elsewhere.key


def taken(lasts: float | None, at: float = 0.0) -> Interaction:
    return call("take", "box", "a", effect=Effect.WRITE, timed=True, lasts=lasts, at=at)


@pytest.mark.parametrize("end", [(), (remove("box", "a", at=0.1),)])
def test_before_it_expires_it_does_not_matter_how_much_time_has_passed(end: tuple[Interaction, ...]) -> None:
    """Also after the thing was removed: that this was in vain would show when its time is over."""

    def after(seconds: float, lasts: float | None = 30.0) -> Keyed:
        calls = (put("box", "a"), taken(lasts), *end, look("box", at=seconds))
        return last_of(*calls, familiarity=Familiarity())

    assert after(0.5).key == after(28.0).key
    assert not after(28.0).timed
    assert after(30.0).timed, "just then anything may be the case"
    assert len({after(28.0).key, after(30.0).key, after(32.0).key, after(40.0).key}) == 4
    assert after(0.5, None).key != after(28.0, None).key, "nobody said for how long"
    assert after(28.0, None).timed


def test_of_several_periods_each_counts() -> None:
    def after(seconds: float) -> Keyed:
        return last_of(taken(5.0), taken(60.0, at=1.0), look("box", at=seconds), familiarity=Familiarity())

    assert after(2.0).key != after(20.0).key, "the first one is over"
    assert after(7.0).key != after(70.0).key


def test_what_was_overwritten_is_not_removed() -> None:
    """Two things that are there are two, though they were written alike."""
    one = last_of(put("box", NAMES[0]), look("box"), familiarity=KNOWN)
    two = last_of(put("box", NAMES[0]), put("box", NAMES[1]), look("box"), familiarity=KNOWN)
    assert one.key != two.key
    assert last_of(put("box", "a"), get("box", "a"), familiarity=KNOWN).key != one.key


def emptied(*before: Interaction) -> Trace:
    """Everything in a box is thrown away at once, and somebody looks what is left."""
    empty = call("empty", "box", effect=Effect.ABSORB, scope=Scope.SUBTREE)
    return trace_of(*before, empty, look("box"))


def test_what_kinds_of_things_were_thrown_away_matters_and_not_how_many() -> None:
    """A side that keeps what somebody holds must not be taken for one that was asked to keep nothing."""
    held = call("take", "box", "a", effect=Effect.WRITE)
    keys = [
        last_of(*emptied(*before).interactions, familiarity=Familiarity()).key
        for before in ((put("box", "a"),), (put("box", "a"), held), (put("box", "a"), held, held))
    ]
    assert keys[0] != keys[1] == keys[2]


def test_what_was_done_to_a_thing_before_it_was_removed_matters() -> None:
    def worked_off(*names: str, then: str = "") -> Keyed:
        changed = [call("change", "box", name, effect=Effect.WRITE) for name in names if then]
        puts, removals = [put("box", name) for name in names], [remove("box", name) for name in names]
        return last_of(*puts, *changed, *removals, look("box"), familiarity=KNOWN)

    assert worked_off(NAMES[0]).key == worked_off(*NAMES[:2]).key
    assert worked_off(NAMES[0]).key != worked_off(NAMES[0], then="change").key


def test_what_a_thing_was_before_it_was_removed_matters_to_who_made_it() -> None:
    """A server may keep what was to stay for ever; what an earlier test had there is that test's affair."""

    def worked_off(value: str, *, by_others: bool) -> str:
        made, rest = put("box", NAMES[0], value=value), (remove("box", NAMES[0]), look("box"))
        traces = [trace_of(made, test="earlier"), trace_of(*rest)] if by_others else [trace_of(made, *rest)]
        return key_world(traces, {"t": KNOWN, "earlier": KNOWN})[-1][-1].key

    assert worked_off("for an hour", by_others=False) != worked_off("for ever", by_others=False)
    assert worked_off("for an hour", by_others=True) == worked_off("for ever", by_others=True)


LOWER = ("f81d4fae7dec11d0a76500a0c91e6bf6", "0a50c91e6bf6f81d4fae7dec11d0a765")


def test_how_made_up_names_are_built_matters_unless_a_server_made_them_up() -> None:
    """A server may refuse long names, or write capitals small; what it makes up itself is its own affair."""
    known = learned([trace_of(put("box", name), get("box", name)) for name in LOWER])

    def of(name: str) -> list[str]:
        return [
            each.key for each in key_world([trace_of(put("box", name), get("box", name))], {"t": known})[0]
        ]

    assert of(LOWER[0]) == of(LOWER[1])
    assert not {*of(LOWER[0])} & {*of(LOWER[1].upper())}
    made = [
        trace_of(call("make", "hall", answer=name), put("box", name), get("box", name))
        for name in (*LOWER, LOWER[1].upper())
    ]
    keys = [[each.key for each in key_world([trace], {"t": learned(made[:2])})[0]] for trace in made]
    assert keys[0] == keys[1] == keys[2]


def sent(content: Value) -> list[str]:
    """The keys of what is sent and found again, where another content is sent in every run."""
    return [
        each.key
        for each in key_world([trace_of(put("box", "a", value=content), get("box", "a"))], {"t": SENT})[0]
    ]


def learned_from(*contents: Value) -> Familiarity:
    return learned([trace_of(put("box", "a", value=content), get("box", "a")) for content in contents])


SENT = learned_from(Opaque(length=300, digest="a"), Opaque(length=300, digest="b"))


def test_how_long_random_content_is_matters_where_it_is_as_long_in_every_run() -> None:
    """A server may take so many bytes and no more."""
    assert sent(Opaque(length=300, digest="c")) == sent(Opaque(length=300, digest="d"))
    assert not {*sent(Opaque(length=300, digest="c"))} & {*sent(Opaque(length=400, digest="d"))}


def test_how_long_random_content_is_does_not_matter_where_that_is_for_chance_to_say() -> None:
    lengths = (300, 310, 320, 330)
    contents = [Opaque(length=length, digest=f"{length}") for length in lengths]
    known = learned_from(*contents)
    keys = [
        [call.key for call in key_world([trace_of(put("box", "a", value=content))], {"t": known})[0]]
        for content in contents
    ]
    assert all(each == keys[0] for each in keys)


@pytest.mark.parametrize(("size", "is_known"), [(50, True), (51, False)])
def test_how_long_a_long_name_is_matters_where_it_is_as_long_in_every_run(size: int, is_known: bool) -> None:
    long = [(name * 5)[:50] for name in NAMES[:2]]
    known = learned([trace_of(put("box", name), get("box", name)) for name in long])
    keys = [
        [each.key for each in key_world([trace_of(put("box", name), get("box", name))], {"t": known})[0]]
        for name in (long[0], (NAMES[2] * 5)[:size])
    ]
    assert (keys[0] == keys[1]) is is_known


def test_how_long_long_names_are_does_not_matter_where_that_is_for_chance_to_say() -> None:
    long = [(name * 5)[: 50 + more] for more, name in enumerate(NAMES[:3])]
    known = learned([trace_of(put("box", name), get("box", name)) for name in long])
    keys = [key_world([trace_of(put("box", name))], {"t": known})[0][0].key for name in long]
    assert len({*keys}) == 1


def test_whether_a_random_number_is_sent_as_text_matters() -> None:
    known = learned_from(81734598, 23947612, "39874523", "71239847")
    keys = [
        key_world([trace_of(put("box", "a", value=value))], {"t": known})[0][0].key
        for value in (81734598, 23947612, "39874523", "71239847")
    ]
    assert keys[0] == keys[1] != keys[2] == keys[3]
