"""Names that differ only in how they are written."""

from __future__ import annotations

import pytest

from likewise.cloud.services.twins import Twins
from likewise.model import Effect, Resource, Scope, Touch


def read_after(*written: Resource, read: Resource, scope: Scope = Scope.SELF) -> set[Resource]:
    twins = Twins()
    for resource in written:
        twins.with_twins((Touch(resource=resource, effect=Effect.WRITE),))
    found = twins.with_twins((Touch(resource=read, effect=Effect.READ, scope=scope),))
    assert {touch.effect for touch in found} == {Effect.READ}
    return {touch.resource for touch in found}


@pytest.mark.parametrize("other", ["INTRO.MP4", "Intro.mp4", "intro.MP4"])
def test_who_reads_a_thing_depends_on_one_that_differs_in_case_only(other: str) -> None:
    """A server that does not tell them apart has overwritten it."""
    names = ("box", "intro.mp4"), ("box", other)
    assert read_after(*names, read=names[0]) == {*names}


def test_the_same_letters_may_be_composed_in_two_ways() -> None:
    names = ("box", "\u00e9"), ("box", "e\u0301")
    assert read_after(*names, read=names[0]) == {*names}


def test_what_holds_others_may_have_a_twin_as_well() -> None:
    north, south = ("rows", "north"), ("rows", "North")
    written = (*north, "1"), (*south, "2")
    assert read_after(*written, read=north, scope=Scope.SUBTREE) == {north, south}


def test_nothing_else_is_read() -> None:
    written = ("box", "a"), ("box", "b"), ("Crate", "c")
    assert read_after(*written, read=("box", "a")) == {("box", "a")}
    assert read_after(("box", "A"), read=("box", "b")) == {("box", "b")}
