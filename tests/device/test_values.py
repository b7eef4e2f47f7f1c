"""Numbers of a machine are equal only where every bit is."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.device.values import KINDS, NotRepresentable, f32, f64, i8, i32, i64, u8, u32, u64


def test_minus_zero_is_not_zero() -> None:
    assert f32(-0.0) != f32(0.0)
    assert f64(-0.0) != f64(0.0)


def test_denormals_keep_their_bits() -> None:
    assert f32.of(1).value == 2.0**-149
    assert f32(2.0**-149).bits == 1
    assert f64(5e-324).bits == 1


def test_nan_by_payload_and_by_class() -> None:
    assert f32.of(0x7FC00001) == f32.of(0x7FC00001)
    assert f32.of(0x7FC00001) != f32.of(0x7FC00000)
    assert f32.nan("canonical").accepts(f32.of(0xFFC00000))
    assert not f32.nan("canonical").accepts(f32.of(0x7FC00001))
    assert f32.nan("arithmetic").accepts(f32.of(0x7FC00001))
    assert not f32.nan("arithmetic").accepts(f32.of(0x7F800001))
    assert f32.nan().accepts(f32.of(0x7F800001))
    assert not f32.nan().accepts(f32.of(0x7F800000)), "infinity is not a NaN"
    assert not f32.nan().accepts(f64.of(0x7FF8000000000000)), "another width"


def test_sign_is_a_way_of_reading_not_a_difference() -> None:
    assert i32(-1) == u32(0xFFFFFFFF)
    assert i8(-1) != u32(0xFF)
    assert i32(0) != f32(0.0), "an integer is not a float"


def test_64_bits_are_kept() -> None:
    assert i64(2**62 + 1).value == 2**62 + 1
    assert u64(2**64 - 1).data == b"\xff" * 8


@pytest.mark.parametrize(("kind", "value"), [(i8, 128), (u8, -1), (i32, 2**31), (u64, 2**64), (i32, 0.5)])
def test_what_does_not_fit_is_refused(kind: object, value: float) -> None:
    with pytest.raises(NotRepresentable):
        kind(value)  # type: ignore[operator]


@given(st.sampled_from(list(KINDS.values())), st.integers(0, 2**64 - 1))
def test_every_pattern_survives_memory_and_pickling(kind: object, bits: int) -> None:
    number = kind.of(bits & ((1 << kind.width) - 1))  # type: ignore[attr-defined]
    assert kind.from_bytes(number.data) == number  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(number)) == number
    if not number.is_nan:
        assert kind(number.value) == number  # type: ignore[operator]
