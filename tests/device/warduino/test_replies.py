"""Replies are understood however they are cut, and where they are not quite JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.device.values import f32, f64, i32, i64
from likewise.device.warduino.replies import (
    At,
    BreakpointSet,
    Echo,
    Lines,
    LocalSet,
    NotAReply,
    Structure,
    Text,
    Word,
    parse,
    read,
    typed,
)

SAID = (
    b'Interrupt: 40\n{"stack": [{"idx":0,"type":"i32","value":7}]}\n\nAT 156!\r\nBP 12!\n'
    b'{"events": [{"topic":"a","payload":"x\ny"}]}\nout of bounds memory access\n'
)


@given(st.lists(st.integers(1, 40)))
def test_how_it_is_cut_does_not_matter(sizes: list[int]) -> None:
    lines, whole, at = Lines(), [], 0
    for size in [*sizes, len(SAID)]:
        whole += lines.feed(SAID[at : at + size])
        at += size
    assert [reply for line in whole if (reply := read(line)) is not None] == [
        Echo(0x40),
        Structure({"stack": [{"idx": 0, "type": "i32", "value": 7}]}),
        At(156),
        BreakpointSet(12),
        Structure({"events": [{"topic": "a", "payload": "x\ny"}]}),
        Text("out of bounds memory access"),
    ]


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("GO!", Word("GO")),
        ("outputSTEP!", Word("STEP")),
        ("Reset WARDuino.", Word("RESET")),
        ("CHANGE Module!", Word("MODULE")),
        ("… Local 3 changed to 41", LocalSet(3, "41")),
        ('blinking{"stack": []}', Structure({"stack": []})),
        ("", None),
    ],
)
def test_a_line(line: str, reply: object) -> None:
    assert read(line) == reply


@pytest.mark.parametrize(
    "text",
    [
        '{"pc":7 "breakpoints":[1,2],"callstack":[]}',
        '{"pc":7,"breakpoints":[1,2],"callstack":[}',
        '{"pc":7,"breakpoints":[1,2]"callstack":[]}',
        '{"pc":7,,"breakpoints":[1,2,],"callstack":[',
    ],
)
def test_a_missing_comma_or_bracket_is_forgiven(text: str) -> None:
    assert parse(text) == {"pc": 7, "breakpoints": [1, 2], "callstack": []}


def test_a_list_that_is_never_closed_ends_with_the_next_key() -> None:
    found = parse('{"callstack":[, "locals": {"count":1,"locals":[{"type":"F32","value":-nan}]}}')
    assert found["callstack"] == []
    assert isinstance(found["locals"], dict)
    assert found["locals"]["count"] == 1


@pytest.mark.parametrize(
    ("entry", "floats", "number"),
    [
        ({"type": "i32", "value": -1}, 10, i32(-1)),
        ({"type": "i64", "value": -(2**63)}, 10, i64(-(2**63))),
        ({"type": "F32", "value": "2147483648"}, 10, f32(-0.0)),
        ({"type": "F32", "value": "80000000"}, 16, f32(-0.0)),
        ({"type": "F32", "value": "1"}, 10, f32.of(1)),
        ({"type": "F64", "value": "9221120237041090560"}, 10, f64.of(0x7FF8000000000000)),
    ],
)
def test_values_by_their_pattern(entry: dict[str, object], floats: int, number: object) -> None:
    assert typed(entry, floats=floats) == number


@pytest.mark.parametrize(
    "entry",
    [{"type": "F32", "value": "4294967296"}, {"type": "q", "value": 1}, {"type": "i32", "value": 1.5}],
)
def test_what_does_not_fit_is_no_value(entry: dict[str, object]) -> None:
    with pytest.raises(NotAReply):
        typed(entry, floats=10)
