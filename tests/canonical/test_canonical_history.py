"""A call depends on the writes to what it touches, above it and, for lists, below, until absorbed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.canonical.history import History
from likewise.model import Effect, Resource, Scope, Touch

resources = st.lists(st.sampled_from("ab"), max_size=3).map(tuple)
touches = st.builds(Touch, resource=resources, effect=st.sampled_from(Effect), scope=st.sampled_from(Scope))
calls = st.lists(st.lists(touches, min_size=1, max_size=2).map(tuple), max_size=12)


def expected(written: list[tuple[Touch, ...]], touch: Touch, width: int) -> set[int]:
    """The same by definition: no tree, every write looked at."""
    alive: dict[Resource, list[int]] = {}
    for number, several in enumerate(written):
        for each in several:
            if each.effect is Effect.READ:
                continue
            if each.effect in (Effect.ABSORB, Effect.REMOVE):
                gone = [
                    resource
                    for resource in alive
                    if resource == each.resource
                    or (each.scope is Scope.SUBTREE and resource[: len(each.resource)] == each.resource)
                ]
                for resource in gone:
                    del alive[resource]
            alive.setdefault(each.resource, []).append(number)
    base = touch.resource[: max(0, len(touch.resource) - width)]
    below = width > 0 or touch.scope is Scope.SUBTREE
    return {
        number
        for resource, numbers in alive.items()
        for number in numbers
        if base[: len(resource)] == resource or (below and resource[: len(base)] == base)
    }


@settings(max_examples=150, deadline=None)
@given(calls, touches, st.integers(0, 2))
def test_the_tree_finds_what_the_definition_says(
    written: list[tuple[Touch, ...]], touch: Touch, width: int
) -> None:
    history = History()
    for number, several in enumerate(written):
        history.write(number, several)
    assert list(history.context((touch,), width)) == sorted(expected(written, touch, width))


@settings(max_examples=150, deadline=None)
@given(calls, touches, st.integers(0, 2))
def test_asking_between_writes_changes_nothing(
    written: list[tuple[Touch, ...]], touch: Touch, width: int
) -> None:
    """What was put aside for who polls is let go of when anything below changes."""
    history = History()
    for number, several in enumerate(written):
        history.write(number, several)
        assert set(history.context((touch,), width)) == expected(written[: number + 1], touch, width)
