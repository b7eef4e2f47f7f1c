"""Cursors count by identity, whatever a server writes there; that there is one, and which it is, counts."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import md5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.canonical import Familiarity, canonical_answer, key_world, sketch
from likewise.model import Effect, Interaction, Keyed, Operation, Returned, Role, Scope, Touch, Trace, Value

LIST, PUT = Operation("shelf", "List"), Operation("shelf", "Put")
KEYS = [f"k{number}" for number in range(7)]

Write = Callable[[str], str]
"""How a server writes a cursor that stands for the last name of a page."""


def digest(name: str) -> str:
    return md5(name.encode(), usedforsecurity=False).hexdigest()


def plain(name: str) -> str:
    return name


def numbered() -> Write:
    """As a server that never says the same twice."""
    given: list[str] = []

    def write(name: str) -> str:
        given.append(name)
        return f"{len(given)}/{name}"

    return write


def cursor_at(place: str) -> str:
    return (
        "next"
        if place in ("shelf.List?.after", "shelf.List!.returned.next", "shelf.List!.returned.echo")
        else ""
    )


def page(after: str, start: int, write: Write, *, size: int = 2, following: str | None = None) -> Interaction:
    """A page of a list, and how it goes on unless it is the last one."""
    names = KEYS[start : start + size]
    answer: dict[str, Value] = {"names": list[Value](names)}
    if after:
        answer["echo"] = after
    if start + size < len(KEYS):
        answer["next"] = write(names[-1]) if following is None else following
    return Interaction(
        operation=LIST,
        arguments={"size": size, "after": after} if after else {"size": size},
        outcome=Returned(value=answer),
        touches=(Touch(resource=("shelf",), effect=Effect.READ, scope=Scope.SUBTREE),),
    )


def listing(write: Write, *, size: int = 2) -> list[Interaction]:
    """All pages, one after the other."""
    pages: list[Interaction] = []
    after = ""
    for start in range(0, len(KEYS), size):
        pages.append(page(after, start, write, size=size))
        after = next_of(pages[-1])
    return pages


def next_of(call: Interaction) -> str:
    assert isinstance(call.outcome, Returned)
    assert isinstance(call.outcome.value, dict)
    return str(call.outcome.value.get("next", ""))


def put(name: str) -> Interaction:
    return Interaction(
        operation=PUT,
        arguments={"name": name},
        outcome=Returned(value={"ok": True}),
        touches=(Touch(resource=("shelf", name), effect=Effect.ABSORB),),
    )


def trace_of(calls: list[Interaction]) -> Trace:
    return Trace(test="t", role=Role.CANDIDATE, interactions=tuple(calls))


def familiarity() -> Familiarity:
    """Two runs showed the very same, cursors included: nothing varies on their word."""
    runs = [sketch(trace_of(listing(digest)), run=run) for run in ("1", "2")]
    return Familiarity(runs, cursors=cursor_at)


def keyed(calls: list[Interaction]) -> list[Keyed]:
    return key_world([trace_of(calls)], {"t": familiarity()})[0]


def seen(calls: list[Interaction]) -> list[tuple[str, str]]:
    return [(call.key, call.answer) for call in keyed(calls)]


@pytest.mark.parametrize("write", [plain, numbered(), lambda name: name * 1500])
def test_two_servers_that_write_cursors_differently_list_alike(write: Write) -> None:
    assert seen(listing(write)) == seen(listing(digest))


@given(st.permutations(range(4)), st.integers(1, 3))
def test_whatever_texts_the_cursors_have_only_which_is_which_counts(order: list[int], size: int) -> None:
    texts = iter([f"{number}" for number in order] * 2)
    assert seen(listing(lambda _: next(texts), size=max(size, 2))) == seen(listing(digest, size=max(size, 2)))


def test_every_page_is_asked_for_by_a_key_of_its_own() -> None:
    calls = keyed(listing(digest))
    assert len({call.key for call in calls}) == len(calls) == 4


@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([plain, digest]))
def test_another_pages_cursor_is_another_request(one: int, other: int, write: Write) -> None:
    pages = listing(write)
    again = [page(next_of(pages[number - 1]), 2 * number, write) for number in (one, other)]
    first, second = (keyed([*pages, each])[-1] for each in again)
    assert (first.key == second.key) == (one == other)
    assert first.key == keyed([*pages, pages[one]])[-1].key


def test_a_server_that_says_the_same_on_each_page_answers_differently() -> None:
    stuck = [page("", 0, plain, following="x"), page("x", 2, plain, following="x")]
    ours, theirs = seen(listing(digest)[:2]), seen(stuck)
    assert ours[0] == theirs[0]
    assert ours[1][0] == theirs[1][0]
    assert ours[1][1] != theirs[1][1]


def test_a_cursor_that_leads_elsewhere_shows_in_the_page_that_it_leads_to() -> None:
    right = listing(digest)
    astray = [right[0], page(next_of(right[0]), 4, digest)]
    assert seen(right[:2])[1][0] == seen(astray)[1][0]
    assert seen(right[:2])[1][1] != seen(astray)[1][1]


def test_an_echo_of_another_cursor_shows() -> None:
    first, second = listing(digest)[:2]
    assert isinstance(second.outcome, Returned)
    assert isinstance(second.outcome.value, dict)
    wrong = Interaction(
        operation=LIST,
        arguments=second.arguments,
        outcome=Returned(value={**second.outcome.value, "echo": "other"}),
        touches=second.touches,
    )
    assert seen([first, second])[1][1] != seen([first, wrong])[1][1]


@pytest.mark.parametrize("nothing", ["", None])
def test_no_cursor_is_not_a_cursor(nothing: str | None) -> None:
    def answer(value: Value) -> str:
        call = Interaction(operation=LIST, arguments={}, outcome=Returned(value=value))
        return keyed([call])[0].answer

    assert len({answer({"next": "a"}), answer({"next": nothing}), answer({})}) == 3
    assert answer({"next": "a"}) == answer({"next": "b"})


def test_a_cursor_that_nobody_was_given_keeps_its_text() -> None:
    ours, theirs = (keyed([page(text, 2, digest)])[0] for text in ("made up", "made up too"))
    assert ours.key != theirs.key
    assert ours.key != keyed(listing(digest))[1].key


def test_what_a_server_says_again_belongs_to_the_list_that_was_read_last() -> None:
    """The one side may say the same as before a write, the other one something new."""

    def calls(write: Write) -> list[Interaction]:
        return [*listing(write)[:2], put("k9"), *listing(write)[:2]]

    assert seen(calls(digest)) == seen(calls(numbered()))
    assert keyed(calls(digest))[1].key != keyed(calls(digest))[4].key


def test_a_page_needs_the_page_that_led_to_it() -> None:
    assert [call.needs for call in keyed(listing(digest))] == [(), ((0, 0),), ((0, 1),), ((0, 2),)]


def test_the_same_text_elsewhere_is_no_cursor() -> None:
    """What is listed must repeat, also where a cursor has its text."""
    calls = listing(plain)
    answer = canonical_answer(calls[0], familiarity(), {})
    assert answer == {"returned": {"names": ["k0", "k1"], "next": "⟨new 1⟩"}}
