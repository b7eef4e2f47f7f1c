"""Equal values do not differ, a change is found where it was made, and swapped sides tell the same story."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.canonical import Familiarity, canonical_answer
from likewise.compare import Change, align, compare_outcomes, compare_values, implication, summary
from likewise.model import (
    Difference,
    Discrepancy,
    Implication,
    Interaction,
    Keyed,
    Lost,
    Operation,
    Outcome,
    Raised,
    Returned,
    TimedOut,
    Value,
)

keys = st.text("abcxyz", min_size=1, max_size=3) | st.sampled_from(("value", "status", "message", "raised"))
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text("abc", max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
outcomes = (
    st.builds(Returned, value=values)
    | st.builds(
        Raised, kind=st.sampled_from(("A", "B")), message=st.sampled_from(("", "m", "n")), value=values
    )
    | st.just(TimedOut(after=1.0))
    | st.just(Lost(reason="reset"))
)
some = settings(max_examples=120, deadline=None)
OPERATION = Operation("s", "o")

MIRRORED = {Difference.MISSING: Difference.EXTRA, Difference.EXTRA: Difference.MISSING}
IMPLIED = {
    Implication.UNSAFE: Implication.FALSE_ALARM,
    Implication.FALSE_ALARM: Implication.UNSAFE,
}


def compared(reference: Outcome, candidate: Outcome) -> list[Discrepancy]:
    def form(outcome: Outcome) -> Value:
        call = Interaction(operation=OPERATION, arguments={}, outcome=outcome)
        return canonical_answer(call, Familiarity(), {})

    return compare_outcomes(
        operation=OPERATION,
        reference=reference,
        candidate=candidate,
        reference_form=form(reference),
        candidate_form=form(candidate),
        test="t",
        position=3,
    )


@some
@given(values)
def test_a_value_does_not_differ_from_itself(value: Value) -> None:
    assert list(compare_values(reference=value, candidate=value)) == []


@some
@given(values, values)
def test_values_differ_if_and_only_if_they_are_not_equal(one: Value, other: Value) -> None:
    assert bool(list(compare_values(reference=one, candidate=other))) == (
        repr(_in_order(one)) != repr(_in_order(other))
    )


def _in_order(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(each) for each in value] if isinstance(value, list) else value


def _mirror(change: Change) -> tuple[object, ...]:
    difference = MIRRORED.get(change.difference, change.difference)
    return difference, change.place, repr(change.candidate), repr(change.reference)


@some
@given(values, values)
def test_swapped_sides_mirror_every_change(one: Value, other: Value) -> None:
    there = [
        (change.difference, change.place, repr(change.reference), repr(change.candidate))
        for change in compare_values(reference=other, candidate=one)
    ]
    assert [_mirror(change) for change in compare_values(reference=one, candidate=other)] == there


@some
@given(outcomes, outcomes)
def test_swapped_sides_mirror_every_discrepancy(one: Outcome, other: Outcome) -> None:
    here, there = compared(one, other), compared(other, one)
    assert [
        (
            MIRRORED.get(each.difference, each.difference),
            each.place,
            IMPLIED.get(each.implication, each.implication),
            repr(each.candidate),
            repr(each.reference),
        )
        for each in here
    ] == [
        (each.difference, each.place, each.implication, repr(each.reference), repr(each.candidate))
        for each in there
    ]


@some
@given(outcomes, outcomes)
def test_outcomes_that_differ_in_what_a_client_sees_give_a_discrepancy(one: Outcome, other: Outcome) -> None:
    found = compared(one, other)
    silent = isinstance(one, TimedOut | Lost) and type(one) is type(other)
    assert bool(found) == (not silent and _shown(one) != _shown(other))
    assert all((each.test, each.position, each.operation) == ("t", 3, OPERATION) for each in found)


def _shown(outcome: Outcome) -> tuple[object, ...]:
    match outcome:
        case Returned():
            return "returned", repr(_in_order(outcome.value))
        case Raised():
            return "raised", outcome.kind, outcome.message, repr(_in_order(outcome.value))
        case _:
            return (type(outcome).__name__,)


@some
@given(st.dictionaries(keys, values, min_size=1, max_size=3), st.data(), st.booleans())
def test_one_injected_change_is_found_at_its_place(
    value: dict[str, Value], data: st.DataObject, refused: bool
) -> None:
    paths = list(_paths(value))
    path = data.draw(st.sampled_from(paths))
    changed = _with(value, path, "somewhere else")
    sides = [Raised(kind="A", value=each) if refused else Returned(value=each) for each in (value, changed)]
    (found,) = compared(sides[0], sides[1])
    assert _steps(found.place) == [str(step) for step in path]
    assert found.candidate == "somewhere else"


Path = tuple[str | int, ...]


def _paths(value: Value, above: Path = ()) -> Iterator[Path]:
    """Where leaves stand; an empty container counts as one."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _paths(inner, (*above, key))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _paths(inner, (*above, number))
    else:
        yield above


def _with(value: Value, path: Path, leaf: Value) -> Value:
    if not path:
        return leaf
    step, *rest = path
    if isinstance(value, dict):
        return {**value, str(step): _with(value[str(step)], tuple(rest), leaf)}
    assert isinstance(value, list)
    return [_with(each, tuple(rest), leaf) if number == step else each for number, each in enumerate(value)]


def _steps(place: str) -> list[str]:
    return re.findall(r"[^.\[\]]+", place)


@pytest.mark.parametrize(
    ("reference", "candidate", "difference", "place"),
    [
        ({"a": 1}, {"a": 2}, Difference.VALUE, "a"),
        ({"a": 1}, {"a": "1"}, Difference.TYPE, "a"),
        ({"a": 1}, {"a": True}, Difference.TYPE, "a"),
        ({"a": 1}, {}, Difference.MISSING, "a"),
        ({}, {"a": 1}, Difference.EXTRA, "a"),
        ({"a": [1, 2]}, {"a": [2, 1]}, Difference.ORDER, "a"),
        ({"a": [1, 2]}, {"a": [1]}, Difference.LENGTH, "a"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, Difference.VALUE, "a[0].b"),
        ({"status": 200}, {"status": 204}, Difference.STATUS, "status"),
        ({"value": {"message": 1}}, {"value": {"message": 2}}, Difference.VALUE, "value.message"),
    ],
)
def test_every_kind_of_change_has_its_name(
    reference: Value, candidate: Value, difference: Difference, place: str
) -> None:
    (found,) = compared(Returned(value=reference), Returned(value=candidate))
    assert (found.difference, found.place, found.implication) == (difference, place, Implication.WRONG_RESULT)


def test_refusals_differ_by_code_message_and_detail() -> None:
    ours = Raised(kind="NoSuchKey", message="gone", value={"message": 1, "raised": 1, "status": 404})
    theirs = Raised(kind="NotFound", message="lost", value={"message": 2, "raised": 2, "status": 410})
    found = [(each.difference, each.place) for each in compared(ours, theirs)]
    assert found == [
        (Difference.CODE, ""),
        (Difference.MESSAGE, ""),
        (Difference.VALUE, "message"),
        (Difference.VALUE, "raised"),
        (Difference.STATUS, "status"),
    ]
    assert {each.implication for each in compared(ours, theirs)} == {Implication.MISLEADING}


@pytest.mark.parametrize(
    ("reference", "candidate", "difference", "implied"),
    [
        (Returned(value=1), Raised(kind="A"), Difference.SUCCESS, Implication.FALSE_ALARM),
        (Raised(kind="A"), Returned(value=1), Difference.SUCCESS, Implication.UNSAFE),
        (Returned(value=1), TimedOut(after=1.0), Difference.SILENCE, Implication.FALSE_ALARM),
        (Lost(reason="r"), Returned(value=1), Difference.SILENCE, Implication.UNSAFE),
        (Lost(reason="r"), TimedOut(after=1.0), Difference.SILENCE, Implication.MISLEADING),
    ],
)
def test_what_one_side_refuses_or_leaves_unanswered(
    reference: Outcome, candidate: Outcome, difference: Difference, implied: Implication
) -> None:
    (found,) = compared(reference, candidate)
    assert (found.difference, found.implication) == (difference, implied)
    assert implication(reference=reference, candidate=candidate) is implied
    assert summary(reference) in found.explain()


# Pairing the calls of two traces.

calls = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123456")), max_size=8)


def keyed(pairs: list[tuple[str, str]]) -> list[Keyed]:
    return [
        Keyed(position=number, operation=Operation("s", name), form="f", key=name + key, answer="a")
        for number, (name, key) in enumerate(pairs)
    ]


@some
@given(calls)
def test_a_trace_pairs_with_itself(pairs: list[tuple[str, str]]) -> None:
    found = align(reference=keyed(pairs), candidate=keyed(pairs))
    assert found.pairs == tuple((number, number) for number in range(len(pairs)))
    assert (found.missing, found.extra) == ((), ())


@some
@given(calls, calls)
def test_every_call_is_paired_once_or_left_over(
    ours: list[tuple[str, str]], theirs: list[tuple[str, str]]
) -> None:
    found = align(reference=keyed(ours), candidate=keyed(theirs))
    assert sorted([left for left, _ in found.pairs] + list(found.missing)) == list(range(len(ours)))
    assert sorted([right for _, right in found.pairs] + list(found.extra)) == list(range(len(theirs)))
    assert all(ours[left][0] == theirs[right][0] for left, right in found.pairs)
    same = {name + key for name, key in ours} & {name + key for name, key in theirs}
    paired = {ours[left][0] + ours[left][1] for left, right in found.pairs if ours[left] == theirs[right]}
    assert same <= paired


def test_the_same_call_is_found_wherever_it_stands() -> None:
    ours, theirs = keyed([("a", "1"), ("b", "1"), ("c", "1")]), keyed([("c", "1"), ("a", "1"), ("b", "2")])
    assert align(reference=ours, candidate=theirs).pairs == ((0, 1), (1, 2), (2, 0))
