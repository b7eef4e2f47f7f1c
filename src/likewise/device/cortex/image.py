"""A program as an ELF file: what to load where, symbols, and its debug information."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from likewise.device.cortex.dwarf import Debug, Line
from likewise.device.cortex.types import Function, Type
from likewise.device.program import ProgramRefused

HARD_FLOAT = 0x400


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Bytes to be loaded. `load` is where they are stored, `address` where they are used."""

    address: int
    load: int
    data: bytes
    size: int
    """With what is zero at the end."""


class Image:
    """An ELF file for Cortex-M. Everything beyond the segments is read when it is asked for."""

    def __init__(self, content: bytes, *, where: str) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.elf.elffile import ELFFile

        self.content, self.where = content, where
        try:
            self._elf: Any = ELFFile(io.BytesIO(content))
        except ELFError as error:
            raise ProgramRefused(
                "not an ELF file", where=where, why=str(error), todo="Give a .c, .s or .elf file for ARM."
            ) from error
        if self._elf.get_machine_arch() != "ARM" or not self._elf.little_endian:
            raise ProgramRefused(
                f"a program for {self._elf.get_machine_arch()}",
                where=where,
                why="this testee runs little-endian ARM Thumb",
                todo="Build it with arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb.",
            )
        self.entry: int = self._elf["e_entry"]
        self.has_hard_floats = bool(self._elf["e_flags"] & HARD_FLOAT)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """What is to be loaded."""
        return tuple(
            Segment(address=each["p_vaddr"], load=each["p_paddr"], data=each.data(), size=each["p_memsz"])
            for each in self._elf.iter_segments()
            if each["p_type"] == "PT_LOAD" and each["p_memsz"]
        )

    @cached_property
    def symbols(self) -> dict[str, tuple[int, int, str]]:
        """Address, size and sort (`STT_FUNC`, `STT_OBJECT`) by name."""
        table = self._elf.get_section_by_name(".symtab")
        if table is None:
            return {}
        return {
            each.name: (each["st_value"], each["st_size"], each["st_info"]["type"])
            for each in table.iter_symbols()
            if each.name and not each.name.startswith("$") and each["st_shndx"] != "SHN_UNDEF"
        }

    @cached_property
    def debug(self) -> Debug:
        """Types, variables, lines and frames."""
        return Debug(self._elf.get_dwarf_info() if self._elf.has_dwarf_info() else None)

    @cached_property
    def _functions(self) -> dict[str, Function | None]:
        return {}

    def function(self, name: str) -> Function | None:
        """A function by name, with its types where they are known."""
        if name not in self._functions:
            self._functions[name] = self._find(name)
        return self._functions[name]

    def _find(self, name: str) -> Function | None:
        address, size, sort = self.symbols.get(name, (0, 0, ""))
        if sort != "STT_FUNC":
            return None
        start = address & ~1
        known = self.debug.functions.get(name)
        if known is not None and known.address == start:
            return known
        return Function(name=name, address=start, end=start + max(size, 2))

    @cached_property
    def _ranges(self) -> list[tuple[int, int, str]]:
        found = [
            (address & ~1, (address & ~1) + max(size, 2), name)
            for name, (address, size, sort) in self.symbols.items()
            if sort == "STT_FUNC"
        ]
        return sorted(found)

    def function_at(self, pc: int) -> str:
        """The name of the function at an address; empty where there is none."""
        for start, end, name in self._ranges:
            if start <= pc < end:
                return name
        return ""

    def line_at(self, pc: int) -> Line | None:
        """Where in the source an address is."""
        return self.debug.line_at(pc)

    def variable(self, name: str) -> tuple[int, Type | None, int] | None:
        """Address, type and size of a global variable."""
        if name not in self.symbols or self.symbols[name][2] == "STT_FUNC":
            return None
        address, size, _ = self.symbols[name]
        return address, self.debug.globals.get(name), size

    @property
    def vectors(self) -> tuple[int, int]:
        """The first stack pointer and the first instruction, from the vector table where there is one."""
        first = min(self.segments, key=lambda each: each.load)
        stack, start = (int.from_bytes(first.data[at : at + 4], "little") for at in (0, 4))
        if start & 1 and any(s.address <= (start & ~1) < s.address + s.size for s in self.segments):
            return stack, start
        return 0, self.entry | 1
