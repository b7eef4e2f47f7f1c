"""Values survive being written, whatever they look like."""

from __future__ import annotations

import enum
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.model import (
    Interaction,
    Lost,
    Opaque,
    Operation,
    Raised,
    Redacted,
    Returned,
    Role,
    TimedOut,
    Trace,
    Value,
)
from likewise.store import encoding, lines
from likewise.store.values import Undecodable, pack, unpack

text = st.text(st.characters())  # lone surrogates included
names = text | st.sampled_from(["$bytes", "$dict", "$", "$float", "escaped"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | text
    | st.binary()
    | st.builds(Opaque, length=st.integers(0), digest=text)
    | st.builds(Redacted, kind=text)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
mappings = st.dictionaries(names, values, max_size=4)
outcomes = (
    st.builds(Returned, value=values)
    | st.builds(Raised, kind=text, message=text, value=values)
    | st.builds(TimedOut, after=st.floats(0, allow_nan=False))
    | st.builds(Lost, reason=text)
)


def same(one: object, other: object) -> bool:
    """Equality that knows that NaN is NaN and that 1, 1.0 and True are three things."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or repr(one) == repr(other)
    return one == other


def traced(
    arguments: dict[str, Value], outcome: object = None, wire: dict[str, Value] | None = None
) -> Trace:
    call = Interaction(
        operation=Operation("s3", "Get"),
        arguments=arguments,
        outcome=outcome or Returned(value=None),  # type: ignore[arg-type]
        wire=wire or {},
    )
    return Trace(test="t", role=Role.CANDIDATE, interactions=(call,))


@settings(deadline=None)
@given(arguments=mappings, wire=mappings)
def test_every_value_round_trips_through_a_line(arguments: dict[str, Value], wire: dict[str, Value]) -> None:
    line = lines.encode_trace_line(traced(arguments, wire=wire))
    assert b"\n" not in line
    back = lines.decode_line(line, reject=pytest.fail)
    assert isinstance(back, Trace)
    assert same(back.interactions[0].arguments, arguments)
    assert same(back.interactions[0].wire, wire)


@settings(deadline=None)
@given(outcome=outcomes)
def test_every_outcome_round_trips(outcome: object) -> None:
    back = lines.decode_line(lines.encode_trace_line(traced({}, outcome)), reject=pytest.fail)
    assert isinstance(back, Trace)
    seen = back.interactions[0].outcome
    assert type(seen) is type(outcome)
    if isinstance(outcome, Returned | Raised):
        assert isinstance(seen, Returned | Raised)
        assert same(seen.value, outcome.value)
    else:
        assert seen == outcome


@settings(deadline=None)
@given(value=values)
def test_packing_does_not_change_what_it_is_given(value: Value) -> None:
    before = repr(value)
    unpack(pack(value))
    assert repr(value) == before


@pytest.mark.parametrize(
    "value",
    [{"$bytes": "AA=="}, {"$dict": {}}, {"$dict": {"$bytes": "AA=="}}, {"$opaque": [1, "x"]}, {"$": None}],
)
def test_user_data_that_looks_like_a_tag_stays_user_data(value: Value) -> None:
    assert unpack(pack(value)) == value


def test_equal_content_has_equal_bytes_whatever_the_order_of_its_keys() -> None:
    one = encoding.encode({"b": 1, "a": [{"y": 1, "x": 2}]}, ordered=True)
    assert one == encoding.encode({"a": [{"x": 2, "y": 1}], "b": 1}, ordered=True)


def test_enumerations_are_stored_as_what_they_extend() -> None:
    class Colour(enum.StrEnum):
        RED = "red"

    class Number(enum.IntEnum):
        ONE = 1

    assert pack([Colour.RED, Number.ONE]) == ["red", 1]
    assert [type(each) for each in pack([Colour.RED, Number.ONE])] == [str, int]


def test_what_is_not_plain_data_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="complex"):
        pack([1j])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "tag", [{"$unknown": 1}, {"$bytes": "?"}, {"$opaque": [1]}, {"$float": "x"}, {"$dict": 1}]
)
def test_a_tag_nobody_wrote_is_refused(tag: object) -> None:
    with pytest.raises(Undecodable):
        unpack(tag)
