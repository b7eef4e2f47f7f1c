"""What travels to a MicroPython device: packed numbers, frames that show any loss, exact results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.device.micropython.packing import (
    Called,
    Evaluated,
    NotAResult,
    checksum,
    frame,
    packed,
    payloads,
    result,
)
from likewise.device.micropython.repl import blocks
from likewise.device.testee import Answered, Refused


def unpacked(data: bytes) -> list[int]:
    """The numbers in packed bytes, as the device takes them apart."""
    found, value, unit = [], 0, 1
    for byte in data:
        if byte > 79:
            value += (byte - 80) * unit
            unit *= 47
        else:
            value += (byte - 33) * unit
            found.append(value >> 1 ^ -(value & 1))
            value, unit = 0, 1
    return found


@given(st.lists(st.integers(-(2**40), 2**40), max_size=8))
def test_numbers_come_out_as_they_went_in(numbers: list[int]) -> None:
    data = b"".join(packed(each) for each in numbers)
    assert unpacked(data) == numbers
    assert all(33 <= byte <= 126 for byte in data)


@given(st.binary(min_size=1, max_size=96), st.data())
def test_a_lost_character_is_noticed(payload: bytes, data: st.DataObject) -> None:
    """Whatever follows fills the gap: the checksum does not hold then."""
    whole = frame(7, payload)
    at = data.draw(st.integers(9, len(whole) - 1))
    follower = data.draw(st.integers(0, 255))
    shortened = whole[9:at] + whole[at + 1 :] + bytes([follower])
    assert shortened == payload or checksum(whole[1:4] + shortened) != whole[4:9]


@given(
    st.lists(
        st.one_of(
            st.builds(Called, st.sampled_from(["add", "mul"]), st.tuples(st.integers(-99, 99))),
            st.builds(Evaluated, st.sampled_from(["a", "f(1.5)"])),
        ),
        min_size=1,
        max_size=70,
    )
)
def test_payloads_hold_every_item_once_and_stay_small(items: list[Called | Evaluated]) -> None:
    found = payloads(items, most=32, longest=96)
    assert sum(count for count, _ in found) == len(items)
    assert all(count <= 32 and len(data) <= 96 for count, data in found)
    shown: list[object] = []
    for _, data in found:
        for line in data.split(b"\n"):
            if line.startswith(b":"):
                shown.append(Evaluated(line[1:].decode()))
            else:
                name, _, rest = line.split(b" ", 2)
                shown += [Called(name.decode(), (number,)) for number in unpacked(rest)]
    assert shown == items


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (b"42", Answered(data=42)),
        (b"-7", Answered(data=-7)),
        (b"", Answered(data=None)),
        (b"f8000000000000000", Answered(data=-0.0)),
        (b"r[1, 'a', (2, None)]", Answered(data=[1, "a", [2, None]])),
        (b"r<object>", Answered(data="<object>")),
        (b"!ValueError('wrong',)", Refused(kind="ValueError", message="wrong")),
        (b"!MemoryError()", Refused(kind="MemoryError", message="")),
        (b"m", Refused(kind="MemoryError", message="the device has no room to read the expression")),
    ],
)
def test_results(text: bytes, answer: object) -> None:
    assert repr(result(text)) == repr(answer)


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(NotAResult):
        result(b"4x2")


def test_source_is_cut_between_statements_only() -> None:
    source = "import math\n" + "\n".join(f"def f{n}(x):\n    return {n} + x\n" for n in range(60))
    parts = blocks(source)
    assert "".join(parts) == source
    assert len(parts) > 2
    for part in parts:
        compile(part, "part", "exec")
