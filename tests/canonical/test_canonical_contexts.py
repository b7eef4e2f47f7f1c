"""What was removed leaves no more than that something was; what expires counts by when."""

from __future__ import annotations

import pytest
from small_worlds import call, get, look, put, remove, trace_of

from likewise.canonical import Familiarity, key_world
from likewise.model import Effect, Interaction, Keyed, Trace
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
