"""The instructions of a function's code: where each begins, and what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.device.wasm.leb128 import NotLeb128, read_signed, read_unsigned


def _words(text: str) -> list[str]:
    return text.split()


_COMPARED = _words("eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u")
_COMPUTED = _words("clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr")
_FLOATING = _words("abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign")
_CONVERTED = _words("""
i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s i64.extend_i32_u
i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u
f32.convert_i64_s f32.convert_i64_u f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s
f64.convert_i64_u f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32
f64.reinterpret_i64 i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s
""")
_MEMORY = _words("""
i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s i64.load8_u
i64.load16_s i64.load16_u i64.load32_s i64.load32_u i32.store i64.store f32.store f64.store i32.store8
i32.store16 i64.store8 i64.store16 i64.store32
""")
_PREFIXED = _words("""
i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u i64.trunc_sat_f32_s
i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u memory.init data.drop memory.copy memory.fill
table.init elem.drop table.copy table.grow table.size table.fill
""")
_NUMBERS_AFTER_PREFIX = (0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1)


def _names() -> dict[int, str]:
    names = {0: "unreachable", 1: "nop", 2: "block", 3: "loop", 4: "if", 5: "else", 0x0B: "end"}
    names |= {
        0x0C: "br",
        0x0D: "br_if",
        0x0E: "br_table",
        0x0F: "return",
        0x10: "call",
        0x11: "call_indirect",
    }
    names |= {0x12: "return_call", 0x13: "return_call_indirect"}
    names |= {0x1A: "drop", 0x1B: "select", 0x1C: "select"}
    names |= {0x20: "local.get", 0x21: "local.set", 0x22: "local.tee", 0x23: "global.get", 0x24: "global.set"}
    names |= {0x25: "table.get", 0x26: "table.set", 0x3F: "memory.size", 0x40: "memory.grow"}
    names |= {0x41: "i32.const", 0x42: "i64.const", 0x43: "f32.const", 0x44: "f64.const"}
    names |= {0xD0: "ref.null", 0xD1: "ref.is_null", 0xD2: "ref.func"}
    names |= dict(enumerate(_MEMORY, 0x28)) | dict(enumerate(_CONVERTED, 0xA7))
    for first, kind, verbs in (
        (0x45, "i32", ["eqz", *_COMPARED]),
        (0x50, "i64", ["eqz", *_COMPARED]),
        (0x5B, "f32", _words("eq ne lt gt le ge")),
        (0x61, "f64", _words("eq ne lt gt le ge")),
        (0x67, "i32", _COMPUTED),
        (0x79, "i64", _COMPUTED),
        (0x8B, "f32", _FLOATING),
        (0x99, "f64", _FLOATING),
    ):
        names |= {first + place: f"{kind}.{verb}" for place, verb in enumerate(verbs)}
    return names


NAMES = _names()
_ONE_NUMBER = {0x0C, 0x0D, 0x10, 0x12, *range(0x20, 0x27), 0x3F, 0x40, 0xD2}
_TWO_NUMBERS = {0x11, 0x13, *range(0x28, 0x3F)}
_SIGNED = {0x02, 0x03, 0x04, 0x41, 0x42, 0xD0}


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its offset in the file, its name in the text format."""

    at: int
    name: str


def instructions(data: bytes, start: int, end: int) -> list[Instruction] | None:
    """The instructions from `start` to the last one, at `end`; None where one is not known here."""
    found, at = [], start
    try:
        while at <= end:
            behind, name = _one(data, at)
            if not name:
                return None
            found.append(Instruction(at, name))
            at = behind
    except (IndexError, NotLeb128):
        return None
    return found


def _one(data: bytes, at: int) -> tuple[int, str]:
    opcode, here = data[at], at + 1
    name = NAMES.get(opcode, "")
    match opcode:
        case 0x43:
            return here + 4, name
        case 0x44:
            return here + 8, name
        case 0x0E:
            count, here = read_unsigned(data, here)
            return _skip(data, here, count + 1), name
        case 0x1C:
            count, here = read_unsigned(data, here)
            return here + count, name
        case 0xFC:
            which, here = read_unsigned(data, here)
            if which >= len(_PREFIXED):
                return here, ""
            return _skip(data, here, _NUMBERS_AFTER_PREFIX[which]), _PREFIXED[which]
        case _ if opcode in _SIGNED:
            return read_signed(data, here)[1], name
        case _:
            count = 1 if opcode in _ONE_NUMBER else 2 if opcode in _TWO_NUMBERS else 0
            return _skip(data, here, count), name


def _skip(data: bytes, at: int, count: int) -> int:
    for _ in range(count):
        at = read_unsigned(data, at)[1]
    return at
