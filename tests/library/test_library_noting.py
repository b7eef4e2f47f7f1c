"""What the compiled recorder notes is what the one in Python notes."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.library import native, noting
from likewise.library.crossing import Kind
from likewise.library.recorder import FOLD, KEEP, Recorder
from likewise.library.targets import NOTHING
from likewise.model import Operation, Trace

COMPILED = native.load()
pytestmark = pytest.mark.skipif(COMPILED is None, reason="there is no compiler")
RECORDERS = (noting.recorder_of(None), noting.recorder_of(COMPILED))


class Thing:
    """Nothing is known of it but its identity."""


class Told:
    """Keeps a field behind a property."""

    _hidden = 0

    @property
    def hidden(self) -> int:
        return self._hidden


class Bare:
    """The same without weak references."""

    __slots__ = ()


class Many(list[int]):
    """Extends a builtin type."""


@dataclasses.dataclass
class Fields:
    """One of them looks like the number of an object."""

    id: int
    held: Any


class Unreadable(tuple[Any, ...]):
    """Cannot be looked into."""

    _fields = ("a", 3)


def loop() -> list[Any]:
    made: list[Any] = [1]
    made.append({"inside": (made,)})
    return made


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else "bottom"


SOME_TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "<Thing at 0x7f0011223344>",
            "/usr/lib/python3/site-packages/thing.py",
            "/x/pytest-of-root/pytest-3/a",
            "/var/tmpab12cd_9/x",
            "http://localhost:40123/ on port 40123",
            "it's 'id': 5",
            "'type': 'A', 'id': 5",
            "x" * 2_001,
        ]
    ),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(1 << 70), max_value=1 << 70),
    st.floats(),
    SOME_TEXTS,
    st.binary(max_size=20),
    st.builds(Thing),
    st.builds(Bare),
    st.builds(decimal.Decimal, st.integers()),
    st.sampled_from([Thing, len, loop(), deep(9), Many([1, 2]), range(3), list(range(101)), b"y" * 2_001]),
    st.just(Unreadable((1, 2))),
    st.just({number: str(number) for number in range(101)}),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.lists(inner, max_size=4).map(collections.deque),
        st.dictionaries(SOME_TEXTS, inner, max_size=4),
        st.frozensets(st.integers(), max_size=4),
        st.builds(Fields, st.integers(), inner),
    ),
    max_leaves=12,
)


def note(recorder: Any, at: str, receiver: Any, args: tuple[Any, ...], kwargs: Any, value: Any) -> None:
    token = recorder.begin(at, Kind.CALL, Operation("lib", "f"), receiver, args, kwargs)
    recorder.end(token, value)


def recorded(of: type[Recorder], work: Callable[[Any], None]) -> tuple[Trace, dict[str, int]]:
    traces: list[Trace] = []
    recorder = of(on_trace=traces.append)
    recorder.open("test")
    work(recorder)
    recorder.close()
    return traces[0], recorder.missed


def check(work: Callable[[Any], None]) -> Trace:
    (python, missed), (compiled, missed_too) = (recorded(each, work) for each in RECORDERS)
    assert list(compiled.interactions) == list(python.interactions)
    assert compiled.interactions.plain == python.interactions.plain  # type: ignore[attr-defined]
    assert missed_too == missed
    return compiled


@settings(max_examples=200, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=4), st.dictionaries(SOME_TEXTS, VALUES, max_size=2))
def test_values_are_the_same_kept_and_folded(things: list[Any], kwargs: dict[str, Any]) -> None:
    thing = Thing()

    def work(recorder: Any) -> None:
        for number in range(KEEP + 2):
            note(recorder, "f.py:1:0", thing if number % 2 else NOTHING, tuple(things[1:]), kwargs, things[0])

    check(work)


def test_what_is_beyond_the_digest_is_counted() -> None:
    def work(recorder: Any) -> None:
        for number in range(KEEP + FOLD + 3):
            note(recorder, "f.py:1:0", NOTHING, (), None, number)

    assert check(work).interactions[-1].wire["count"] == FOLD + 3


def test_changed_arguments_states_and_outlines_are_noted() -> None:
    def work(recorder: Any) -> None:
        held: list[int] = []
        told = Told()
        for number in range(KEEP + 5):
            token = recorder.begin("f.py:1:0", Kind.CALL, Operation("lib", "f"), told, (held,), {"same": {}})
            held.append(number)
            told.seen, told._hidden = number, number  # type: ignore[attr-defined]
            recorder.end(token, None)
            made = recorder.begin("f.py:2:0", Kind.CALL, Operation("lib", "Thing"), NOTHING, (), None)
            made.makes = True
            recorder.end(made, told)
            failing = recorder.begin("f.py:3:0", Kind.CALLBACK, Operation("lib", "g"), NOTHING, (held,), None)
            recorder.fail(failing, ValueError("no"))
            over = recorder.begin("f.py:4:0", Kind.ITEM, Operation("lib", "h"), NOTHING, (), None)
            recorder.drop(over)
        recorder.begin("f.py:5:0", Kind.CALL, Operation("lib", "never over"), NOTHING, (), None)

    check(work)


def test_an_object_in_the_place_of_another_has_a_number_of_its_own() -> None:
    def work(recorder: Any) -> None:
        for _ in range(3):
            note(recorder, "f.py:1:0", NOTHING, (), None, Thing())

    ids = [each.outcome.value for each in check(work).interactions]  # type: ignore[union-attr]
    assert ids == [
        {"is": "object", "type": "Thing", "id": 1},
        {"is": "object", "type": "Thing", "id": 2, "late": True},
        {"is": "object", "type": "Thing", "id": 3, "late": True},
    ]


@pytest.mark.parametrize("of", RECORDERS)
def test_objects_in_circles_can_die_meanwhile(of: type[Recorder]) -> None:
    def work(recorder: Any) -> None:
        for _ in range(KEEP + 5):
            thing = Thing()
            thing.itself = thing  # type: ignore[attr-defined]
            note(recorder, "f.py:1:0", thing, (), None, [thing])
            del thing
            gc.collect()

    assert recorded(of, work)[0].interactions[-2].receiver == f"Thing#{KEEP}"


@pytest.mark.parametrize("of", RECORDERS)
def test_nothing_is_kept_alive_by_what_was_noted(of: type[Recorder]) -> None:
    gone = []

    def work(recorder: Any) -> None:
        thing = Thing()
        gone.append(weakref.ref(thing))
        for place in range(KEEP + 2):
            note(recorder, "f.py:1:0", thing, ([thing],), {"a": (thing,)}, place)
        recorder.begin("f.py:2:0", Kind.CALL, Operation("lib", "never over"), thing, (thing,), None)

    kept = recorded(of, work)
    gc.collect()
    assert kept
    assert gone[0]() is None
