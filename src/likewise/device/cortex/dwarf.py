"""Debug information: types, functions, variables, source lines, stack frames."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from likewise.device.cortex.types import Array, Function, Member, Pointer, Scalar, Structure, Type, Unknown
from likewise.device.values import KINDS

_ENCODINGS = {2: "u", 4: "f", 5: "i", 6: "i", 7: "u", 8: "u", 16: "u"}
_ALIASES = frozenset(
    {
        "DW_TAG_typedef",
        "DW_TAG_const_type",
        "DW_TAG_volatile_type",
        "DW_TAG_restrict_type",
        "DW_TAG_atomic_type",
    }
)
_NAMES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
DEEP = 64
"""How deep types may be nested before we stop looking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A place in the source, and the address at which its code begins."""

    file: str
    line: int
    column: int
    address: int
    is_statement: bool = True


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable: its type and the bytes of its location expression at the address asked for."""

    name: str
    type: Type
    expression: list[int]


@dataclass(frozen=True, slots=True)
class Frame:
    """How to find a caller: the register and offset of the frame address, and where registers are saved."""

    register: int
    offset: int
    saved: dict[int, int]
    """Register → offset from the frame address."""


class Debug:
    """What DWARF sections say; nothing, where there are none."""

    def __init__(self, dwarf: Any) -> None:
        self._dwarf = dwarf
        self._types: dict[int, Type | None] = {}

    @cached_property
    def _units(self) -> list[Any]:
        return list(self._dwarf.iter_CUs()) if self._dwarf is not None else []

    @cached_property
    def _subprograms(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for unit in self._units:
            for entry in unit.iter_DIEs():
                if entry.tag == "DW_TAG_subprogram" and "DW_AT_low_pc" in entry.attributes:
                    found[_name(_origin(entry))] = entry
        return found

    @cached_property
    def functions(self) -> dict[str, Function]:
        """Every function with code, by name."""
        return {name: self._function(name, entry) for name, entry in self._subprograms.items() if name}

    @cached_property
    def globals(self) -> dict[str, Type]:
        """The types of global variables, by name."""
        found: dict[str, Type] = {}
        for unit in self._units:
            for entry in unit.get_top_DIE().iter_children():
                if entry.tag == "DW_TAG_variable" and "DW_AT_location" in entry.attributes:
                    kind = self._type_of(_origin(entry))
                    if kind is not None:
                        found[_name(_origin(entry))] = kind
        return found

    def structure(self, name: str) -> Structure | None:
        """A structure by its name or the name of its typedef."""
        for unit in self._units:
            for entry in unit.iter_DIEs():
                if (
                    entry.tag in ("DW_TAG_structure_type", "DW_TAG_union_type", "DW_TAG_typedef")
                    and _name(entry) == name
                ):
                    found = self._type(entry)
                    if isinstance(found, Structure):
                        return found
        return None

    def _function(self, name: str, entry: Any) -> Function:
        low, high = _range(entry)
        origin = _origin(entry)
        children = list(origin.iter_children())
        return Function(
            name=name,
            address=low,
            end=high,
            parameters=tuple(
                (_name(each), self._type_of(each) or Unknown("?", 4))
                for each in children
                if each.tag == "DW_TAG_formal_parameter"
            ),
            result=self._type_of(origin),
            is_variadic=any(each.tag == "DW_TAG_unspecified_parameters" for each in children),
        )

    def _type_of(self, entry: Any) -> Type | None:
        """The type of whatever has one; None is void."""
        if "DW_AT_type" not in entry.attributes:
            return None
        return self._type(entry.get_DIE_from_attribute("DW_AT_type"))

    def _type(self, entry: Any, depth: int = 0) -> Type | None:
        if entry.offset in self._types:
            return self._types[entry.offset]
        self._types[entry.offset] = Unknown(_name(entry), 4)  # a structure may point to itself
        found = self._read_type(entry, depth) if depth < DEEP else Unknown(_name(entry), 0)
        self._types[entry.offset] = found
        return found

    def _read_type(self, entry: Any, depth: int) -> Type | None:
        size = _number(entry, "DW_AT_byte_size")
        match entry.tag:
            case "DW_TAG_base_type":
                return _scalar(_name(entry), size, _number(entry, "DW_AT_encoding"))
            case "DW_TAG_pointer_type":
                target = self._below(entry, depth)
                return Pointer(target)
            case "DW_TAG_enumeration_type":
                under = self._below(entry, depth)
                return under if isinstance(under, Scalar) else _scalar(_name(entry), size, 7)
            case "DW_TAG_structure_type" | "DW_TAG_union_type":
                members = tuple(self._members(entry, depth))
                return Structure(_name(entry), size, members)
            case "DW_TAG_array_type":
                return self._array(entry, depth)
            case tag if tag in _ALIASES:
                return self._below(entry, depth)
        return Unknown(_name(entry) or entry.tag, size)

    def _below(self, entry: Any, depth: int) -> Type | None:
        if "DW_AT_type" not in entry.attributes:
            return None
        return self._type(entry.get_DIE_from_attribute("DW_AT_type"), depth + 1)

    def _members(self, entry: Any, depth: int) -> Iterator[Member]:
        for each in entry.iter_children():
            if each.tag != "DW_TAG_member":
                continue
            kind = self._below(each, depth) or Unknown("?", 4)
            offset, width = _number(each, "DW_AT_data_member_location"), _number(each, "DW_AT_bit_size")
            shift = 0
            if width and "DW_AT_data_bit_offset" in each.attributes:
                place = _number(each, "DW_AT_data_bit_offset")
                offset = place // (kind.size * 8) * kind.size
                shift = place - offset * 8
            elif width:
                shift = kind.size * 8 - width - _number(each, "DW_AT_bit_offset")
            yield Member(_name(each), offset, kind, width, shift)

    def _array(self, entry: Any, depth: int) -> Type:
        kind = self._below(entry, depth) or Unknown("?", 1)
        counts = []
        for each in entry.iter_children():
            if each.tag == "DW_TAG_subrange_type":
                bound = "DW_AT_upper_bound" in each.attributes
                counts.append(
                    _number(each, "DW_AT_upper_bound") + 1 if bound else _number(each, "DW_AT_count")
                )
        for count in reversed(counts):
            kind = Array(kind, count)
        return kind

    @cached_property
    def lines(self) -> list[Line]:
        """Every row of the line tables by address; the end of a sequence has line 0."""
        rows: list[Line] = []
        for unit in self._units:
            program = self._dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            files, first = program["file_entry"], 0 if program["version"] >= 5 else 1
            for entry in program.get_entries():
                state = entry.state
                if state is None:
                    continue
                index = state.file - first
                name = files[index].name.decode(errors="replace") if 0 <= index < len(files) else "?"
                rows.append(
                    Line(
                        file=PurePath(name).name,
                        line=0 if state.end_sequence else state.line,
                        column=state.column,
                        address=state.address,
                        is_statement=state.is_stmt,
                    )
                )
        # The end of one sequence may be the start of the next: the start counts.
        return sorted(rows, key=lambda each: (each.address, each.line != 0))

    @cached_property
    def _addresses(self) -> list[int]:
        return [each.address for each in self.lines]

    def line_at(self, pc: int) -> Line | None:
        """The row that covers an address."""
        place = bisect.bisect_right(self._addresses, pc) - 1
        if place < 0 or self.lines[place].line == 0:
            return None
        return self.lines[place]

    def address_of(self, file: str, line: int) -> int | None:
        """The first instruction of a line, or of the next one with code, as debuggers do."""
        name = PurePath(file).name
        rows = [each for each in self.lines if each.file == name and each.line >= line and each.is_statement]
        if not rows:
            return None
        nearest = min(each.line for each in rows)
        return min(each.address for each in rows if each.line == nearest)

    def body_of(self, function: Function) -> int:
        """The first instruction after a function's prologue: where its second row begins."""
        rows = [each for each in self.lines if function.address <= each.address < function.end and each.line]
        later = [each.address for each in rows if each.address > function.address]
        return min(later, default=function.address)

    def locals_at(self, pc: int) -> list[Variable]:
        """The parameters and variables that exist at an address; an inner one hides an outer one."""
        for entry in self._subprograms.values():
            low, high = _range(entry)
            if low <= pc < high:
                found: dict[str, Variable] = {}
                self._collect(entry, pc, found)
                return list(found.values())
        return []

    def _collect(self, entry: Any, pc: int, found: dict[str, Variable]) -> None:
        for each in entry.iter_children():
            if each.tag in _NAMES:
                origin = _origin(each)
                kind = self._type_of(origin)
                if kind is not None and _name(origin):
                    found[_name(origin)] = Variable(_name(origin), kind, self._location(each, pc))
            elif each.tag == "DW_TAG_lexical_block" and _covers(each, pc):
                self._collect(each, pc, found)

    def _location(self, entry: Any, pc: int) -> list[int]:
        from elftools.dwarf.locationlists import LocationExpr, LocationParser

        attribute = entry.attributes.get("DW_AT_location")
        if attribute is None:
            return []
        parser = LocationParser(self._dwarf.location_lists())
        found = parser.parse_from_attribute(attribute, entry.cu["version"], entry)
        if isinstance(found, LocationExpr):
            return list(found.loc_expr)
        base = _number(entry.cu.get_top_DIE(), "DW_AT_low_pc")
        for each in found:
            if not hasattr(each, "loc_expr"):
                base = each.base_address
            else:
                start = 0 if getattr(each, "is_absolute", False) else base
                if start + each.begin_offset <= pc < start + each.end_offset:
                    return list(each.loc_expr)
        return []

    def frame_base(self, pc: int) -> list[int]:
        """The expression that locals are relative to."""
        for entry in self._subprograms.values():
            low, high = _range(entry)
            if low <= pc < high and "DW_AT_frame_base" in entry.attributes:
                value = entry.attributes["DW_AT_frame_base"].value
                return list(value) if isinstance(value, list) else []
        return []

    @cached_property
    def _frames(self) -> list[tuple[int, int, Any]]:
        if self._dwarf is None:
            return []
        entries: list[Any] = []
        if self._dwarf.has_CFI():
            entries += self._dwarf.CFI_entries()
        if self._dwarf.has_EH_CFI():
            entries += self._dwarf.EH_CFI_entries()
        found = []
        for each in entries:
            if "initial_location" in each.header:
                start = each.header["initial_location"] & ~1
                found.append((start, start + each.header["address_range"], each))
        return found

    def frame_at(self, pc: int) -> Frame | None:
        """How the frame at an address is laid out."""
        for start, end, entry in self._frames:
            if start <= pc < end:
                row: Any = None
                for each in entry.get_decoded().table:
                    if each["pc"] & ~1 <= pc:
                        row = each
                if row is None or row["cfa"].reg is None:
                    return None
                saved = {
                    register: rule.arg
                    for register, rule in row.items()
                    if isinstance(register, int) and rule.type == "OFFSET"
                }
                return Frame(row["cfa"].reg, row["cfa"].offset, saved)
        return None


def _scalar(name: str, size: int, encoding: int) -> Type:
    letter = _ENCODINGS.get(encoding)
    kind = KINDS.get(f"{letter}{size * 8}")
    return Scalar(kind, name) if kind is not None else Unknown(name, size)


def _name(entry: Any) -> str:
    attribute = entry.attributes.get("DW_AT_name")
    return attribute.value.decode(errors="replace") if attribute is not None else ""


def _number(entry: Any, attribute: str) -> int:
    found = entry.attributes.get(attribute)
    return found.value if found is not None and isinstance(found.value, int) else 0


def _origin(entry: Any) -> Any:
    """What an entry stands for: declarations carry the name and the types."""
    for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if attribute in entry.attributes:
            return _origin(entry.get_DIE_from_attribute(attribute))
    return entry


def _range(entry: Any) -> tuple[int, int]:
    low, high = entry.attributes.get("DW_AT_low_pc"), entry.attributes.get("DW_AT_high_pc")
    if low is None or high is None:
        return 0, 0
    return low.value, high.value if high.form == "DW_FORM_addr" else low.value + high.value


def _covers(entry: Any, pc: int) -> bool:
    low, high = _range(entry)
    return low <= pc < high if high else True
