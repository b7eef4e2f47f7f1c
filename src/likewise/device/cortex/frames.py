"""The call stack and the variables of a stopped processor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from likewise.device.cortex.core import LR, PC, SP, Core
from likewise.device.cortex.dwarf import Variable
from likewise.device.cortex.image import Image
from likewise.device.testee import Data
from likewise.device.values import Number, u32

DEEPEST = 64
EXCEPTION = 0xFFFFFFE0
"""From here on a link register means: return from an exception."""
_ADDR, _CONST1U, _REG0, _BREG0, _FBREG, _CFA = 0x03, 0x08, 0x50, 0x70, 0x91, 0x9C


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable is: in memory, in a register, or nowhere."""

    core: Core
    address: int | None = None
    register: int | None = None

    def read(self, size: int) -> bytes | None:
        """Its bytes."""
        if self.address is not None:
            return self.core.read(self.address, size)
        if self.register is not None and size <= 4:
            return self.core.registers()[self.register].to_bytes(4, "little")[:size]
        return None

    def write(self, data: bytes) -> bool:
        """Change it; False where it has no place."""
        if self.address is not None:
            return self.core.write(self.address, data)
        if self.register is not None and len(data) <= 4:
            self.core.set_registers({self.register: int.from_bytes(data, "little")})
            return True
        return False


class Frames:
    """Reads stacks with the program's frame information."""

    def __init__(self, core: Core, image: Image) -> None:
        self._core, self._image = core, image

    def stack(self) -> list[dict[str, Data]]:
        """Every frame, the innermost first."""
        registers = self._core.registers()
        found: list[dict[str, Data]] = []
        is_call = False
        while len(found) < DEEPEST:
            pc = registers[PC] & ~1
            found.append(self._describe(pc, look_at=pc - 1 if is_call else pc))
            outer = self._unwind(registers)
            if outer is None or not self._image.function_at(outer[PC] & ~1):
                break
            is_call = registers[LR] < EXCEPTION or outer[LR] != registers[LR]
            registers = outer
        return found

    def _describe(self, pc: int, *, look_at: int) -> dict[str, Data]:
        line = self._image.line_at(look_at)
        return {
            "function": self._image.function_at(look_at),
            "file": line.file if line else "",
            "line": line.line if line else 0,
            "column": line.column if line else 0,
            "pc": Number(u32, pc),
        }

    def blame(self, pc: int) -> str:
        """What a fault handler interrupted, in words."""
        registers = self._core.registers()
        if registers[LR] >= EXCEPTION:
            outer = self._unwind_exception(registers)
            pc = outer[PC] if outer is not None else pc
        line = self._image.line_at(pc)
        name = self._image.function_at(pc) or "unknown code"
        where = f" ({line.file}:{line.line})" if line else ""
        return f"in {name}{where} at 0x{pc & ~1:x}"

    def _unwind(self, registers: list[int]) -> list[int] | None:
        """The registers of the caller; None where the stack ends or cannot be read."""
        frame = self._image.debug.frame_at(registers[PC] & ~1)
        if frame is None:
            return self._unwind_exception(registers) if registers[LR] >= EXCEPTION else None
        base = registers[frame.register] + frame.offset & 0xFFFFFFFF
        outer = list(registers)
        for register, offset in frame.saved.items():
            if register < PC:
                data = self._core.read(base + offset & 0xFFFFFFFF, 4)
                if data is None:
                    return None
                outer[register] = int.from_bytes(data, "little")
        back = outer[LR]
        outer[SP] = base
        if back >= EXCEPTION:
            return self._unwind_exception(outer)
        if back & ~1 == registers[PC] & ~1 and base == registers[SP]:
            return None
        outer[PC] = back & ~1
        return outer

    def _unwind_exception(self, registers: list[int]) -> list[int] | None:
        """What the processor itself saved when it took an exception."""
        data = self._core.read(registers[SP], 32)
        if data is None:
            return None
        words = [int.from_bytes(data[at : at + 4], "little") for at in range(0, 32, 4)]
        outer = list(registers)
        outer[0:4], outer[12], outer[LR], outer[PC] = words[0:4], words[4], words[5], words[6]
        outer[SP] = registers[SP] + 32 + (4 if words[7] & 0x200 else 0)
        return outer

    def locals(self) -> Iterator[tuple[Variable, Place]]:
        """The variables of the innermost frame."""
        registers = self._core.registers()
        pc = registers[PC] & ~1
        for variable in self._image.debug.locals_at(pc):
            yield variable, self._place(variable.expression, registers, pc)

    def _place(self, expression: list[int], registers: list[int], pc: int) -> Place:
        if not expression:
            return Place(self._core)
        operation, rest = expression[0], expression[1:]
        if operation == _ADDR:
            return Place(self._core, address=int.from_bytes(bytes(rest[:4]), "little"))
        if operation == _FBREG:
            base = self._base(registers, pc)
            return Place(self._core, address=None if base is None else base + _sleb(rest) & 0xFFFFFFFF)
        if _REG0 <= operation < _REG0 + 16 and not rest:
            return Place(self._core, register=operation - _REG0)
        if _BREG0 <= operation < _BREG0 + 16 and _sleb_length(rest) == len(rest):
            return Place(self._core, address=registers[operation - _BREG0] + _sleb(rest) & 0xFFFFFFFF)
        return Place(self._core)

    def _base(self, registers: list[int], pc: int) -> int | None:
        expression = self._image.debug.frame_base(pc)
        if expression == [_CFA]:
            frame = self._image.debug.frame_at(pc)
            return None if frame is None else registers[frame.register] + frame.offset
        place = self._place(expression, registers, pc) if expression[:1] != [_FBREG] else Place(self._core)
        return registers[place.register] if place.register is not None else place.address


def _sleb_length(data: list[int]) -> int:
    return next((at + 1 for at, byte in enumerate(data) if not byte & 0x80), len(data))


def _sleb(data: list[int]) -> int:
    value = shift = 0
    for byte in data[: _sleb_length(data)]:
        value |= (byte & 0x7F) << shift
        shift += 7
    return value - (1 << shift) if data and data[_sleb_length(data) - 1] & 0x40 else value
