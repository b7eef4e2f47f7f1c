"""Calls whose answers depend on how drawn values lie to each other."""

from __future__ import annotations

from small_worlds import call, put, trace_of

from likewise.canonical import Familiarity, World, key_world
from likewise.model import Interaction, Keyed, Scope, Trace
from proofs import learned

LOW, MIDDLE, HIGH = "0a1b2c3d4e5f", "5f4e3d2c1b0a", "f0e1d2c3b4a5"
OTHER = "1c2d3e4f5a6b", "6b5a4f3e2d1c", "e1f2a3b4c5d6"
FURTHER = "2d3e4f5a6b1c", "7a6b5f4e3d2c", "d1e2f3a4b5c6"


def first(name: str) -> Interaction:
    return call("first", "x", answer={"name": name}, scope=Scope.SUBTREE)


def page(*names: str, texts: tuple[str, ...] = ("v", "v", "v")) -> Trace:
    """Things under these names, stored in their order, and the first of them."""
    stored = [put("x", name, value=text) for name, text in zip(names, texts, strict=True)]
    return trace_of(*stored, first(min(names)))


def known(*traces: Trace) -> Familiarity:
    """All names vary, and the texts of these traces do not."""
    texts = tuple(str(each.arguments["value"]) for each in traces[0].interactions[:-1])
    return learned([*traces, page(*FURTHER, texts=texts)])


def last(trace: Trace, familiarity: Familiarity, *, disputed: dict[str, str] | None = None) -> Keyed:
    world = World({trace.test: familiarity}, disputed=disputed or {})
    return world.read(trace)[-1][-1]


def disputed(one: Trace, other: Trace) -> tuple[Keyed, Keyed]:
    """The last call of each, where the reference is known to have answered it in a way of its own."""
    familiarity = known(one, other)
    (key,) = {last(each, familiarity).key for each in (one, other)}
    doubt = {key: "something else"}
    return last(one, familiarity, disputed=doubt), last(other, familiarity, disputed=doubt)


def test_how_drawn_names_lie_is_in_the_key_once_an_answer_is_disputed() -> None:
    texts = ("one", "two", "three")
    up, down = disputed(page(LOW, MIDDLE, HIGH, texts=texts), page(*reversed(OTHER), texts=texts))
    assert up.key != down.key
    assert up.drawn
    alike, again = disputed(page(LOW, MIDDLE, HIGH, texts=texts), page(*OTHER, texts=texts))
    assert (alike.key, alike.answer) == (again.key, again.answer)


def test_things_that_are_alike_but_for_their_names_lie_alike_in_any_order() -> None:
    up, down = disputed(page(LOW, MIDDLE, HIGH), page(*reversed(OTHER)))
    assert (up.key, up.answer) == (down.key, down.answer)


def test_another_answer_under_names_that_lie_alike_differs() -> None:
    texts = ("one", "two", "three")
    right = page(LOW, MIDDLE, HIGH, texts=texts)
    wrong = Trace(
        test=right.test,
        role=right.role,
        interactions=(*page(*OTHER, texts=texts).interactions[:-1], first(OTHER[2])),
    )
    one, other = disputed(right, wrong)
    assert one.key == other.key
    assert one.answer != other.answer


def test_what_is_not_disputed_is_keyed_as_ever() -> None:
    trace = page(LOW, MIDDLE, HIGH)
    familiarity = known(trace)
    (calls,) = key_world([trace], {trace.test: familiarity})
    assert not any(each.drawn for each in calls)
    agreed = {calls[-1].key: calls[-1].answer}
    assert last(trace, familiarity, disputed=agreed) == calls[-1]


def test_a_count_that_varies_with_what_was_drawn_is_known_for_these_values_only() -> None:
    def counted(step: str, total: str) -> Trace:
        return trace_of(put("x", "n", value=step), call("get", "x", "n", answer=total))

    one, other = counted("17", "18"), counted("4711", "4712")
    familiarity = learned([one, other])
    (key,) = {last(each, familiarity).key for each in (one, other)}
    doubt = {key: "something else"}
    assert last(one, familiarity, disputed=doubt).key != last(other, familiarity, disputed=doubt).key
    assert last(one, familiarity, disputed=doubt) == last(counted("17", "18"), familiarity, disputed=doubt)
