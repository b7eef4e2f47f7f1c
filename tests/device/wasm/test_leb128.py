"""LEB128 as WebAssembly and WARDuino use it: any width, nothing cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.device.wasm.leb128 import NotLeb128, read_signed, read_unsigned, signed, unsigned


@given(st.integers(0, 2**70))
def test_an_unsigned_number_comes_back(number: int) -> None:
    data = unsigned(number)
    assert read_unsigned(b"x" + data + b"\xff", 1) == (number, 1 + len(data))


@given(st.integers(-(2**70), 2**70))
def test_a_signed_number_comes_back(number: int) -> None:
    data = signed(number)
    assert read_signed(data, 0) == (number, len(data))


def test_known_encodings() -> None:
    assert unsigned(624485) == bytes.fromhex("e58e26")
    assert signed(-123456) == bytes.fromhex("c0bb78")
    assert signed(-(2**63)) == bytes.fromhex("8080808080808080807f")


def test_what_is_cut_off_is_refused() -> None:
    with pytest.raises(NotLeb128):
        read_unsigned(b"\x80", 0)
    with pytest.raises(NotLeb128):
        unsigned(-1)
