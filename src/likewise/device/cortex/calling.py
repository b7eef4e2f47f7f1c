"""The procedure call standard of ARM, for builds that pass floats in core registers."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.device.commands import Argument, Buffer, Struct
from likewise.device.cortex.image import Image
from likewise.device.cortex.types import (
    Array,
    Function,
    Pointer,
    Scalar,
    Structure,
    Type,
    Unfit,
    Unknown,
    describe,
    number_of,
    read_value,
    write_value,
)
from likewise.device.testee import Data, WithArguments
from likewise.device.values import Number, i32, u32

WORDS_IN_REGISTERS = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """Memory that an argument points to: what goes in, and how it is read afterwards."""

    argument: int
    data: bytes
    type: Type | None
    """None: as bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call as words, before it is known where its memory will be."""

    function: Function
    words: tuple[int | Piece, ...]
    """Registers first, then the stack; a piece stands for its address."""
    result: Piece | None = None
    """Where a structure is returned."""
    arguments: tuple[Argument, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether four registers are all it takes."""
        return len(self.words) <= WORDS_IN_REGISTERS and all(isinstance(each, int) for each in self.words)

    @property
    def pieces(self) -> list[Piece]:
        """All memory it needs."""
        return [each for each in self.words if isinstance(each, Piece)]


@dataclass(slots=True)
class _Words:
    """Words in the order of registers and stack; 64-bit values begin at an even one."""

    taken: list[int | Piece] = field(default_factory=list)

    def add(self, number: Number) -> None:
        if number.kind.size == 8:
            if len(self.taken) % 2:
                self.taken.append(0)
            self.taken += [number.bits & 0xFFFFFFFF, number.bits >> 32]
        elif number.kind.is_float or not number.kind.is_signed:
            self.taken.append(number.bits)
        else:
            self.taken.append(int(number.value) & 0xFFFFFFFF)  # narrow signed arguments are extended


def prepare(image: Image, function: Function, arguments: tuple[Argument, ...]) -> Prepared:
    """Fit arguments to a function's parameters. Raises Unfit, or NotRepresentable."""
    parameters = function.parameters
    _check_count(function, arguments)
    words = _Words()
    result: Piece | None = None
    if isinstance(function.result, Structure) and function.result.size > 4:
        result = Piece(-1, bytes(function.result.size), function.result)
        words.taken.append(result)
    for index, argument in enumerate(arguments):
        kind = parameters[index][1] if parameters is not None and index < len(parameters) else None
        if image.has_hard_floats and isinstance(kind, Scalar) and kind.kind.is_float:
            raise Unfit(
                "the program passes floats in floating-point registers; build it with -mfloat-abi=softfp"
            )
        try:
            _add(image, words, index, argument, kind)
        except Unfit as unfit:
            raise Unfit(f"argument {index} of {function.name}: {unfit}") from None
    return Prepared(function=function, words=tuple(words.taken), result=result, arguments=arguments)


def _check_count(function: Function, arguments: tuple[Argument, ...]) -> None:
    parameters = function.parameters
    if parameters is None or len(arguments) == len(parameters):
        return
    if function.is_variadic and len(arguments) > len(parameters):
        return
    takes = ", ".join(f"{describe(kind)} {name}".strip() for name, kind in parameters) or "nothing"
    raise Unfit(f"{function.name} takes {takes}; {len(arguments)} arguments were given")


def _add(image: Image, words: _Words, index: int, argument: Argument, kind: Type | None) -> None:
    match argument:
        case Buffer():
            words.taken.append(Piece(index, argument.data.ljust(argument.size, b"\0"), None))
        case bytes() | bytearray():
            words.taken.append(Piece(index, bytes(argument), None))
        case str():
            words.taken.append(Piece(index, argument.encode() + b"\0", None))
        case Struct():
            structure = _structure(image, argument, kind)
            words.taken.append(Piece(index, write_value(structure, argument.members), structure))
        case list() | tuple():
            element = kind.target if isinstance(kind, Pointer) else None
            array = Array(element if element is not None else Scalar(i32), len(argument))
            words.taken.append(Piece(index, write_value(array, argument), array))
        case None:
            words.taken.append(0)
        case _:
            words.add(_number(argument, kind))


def _structure(image: Image, argument: Struct, kind: Type | None) -> Structure:
    if argument.type:
        found = image.debug.structure(argument.type)
        if found is None:
            raise Unfit(f"the program has no structure {argument.type!r}")
        return found
    if isinstance(kind, Pointer) and isinstance(kind.target, Structure):
        return kind.target
    if isinstance(kind, Structure):
        raise Unfit(f"{describe(kind)} by value is not supported; pass it by pointer")
    raise Unfit(f"a structure was given where the program has {describe(kind)}; name its type")


def _number(argument: object, kind: Type | None) -> Number:
    if isinstance(kind, Scalar):
        return number_of(kind.kind, argument)
    if isinstance(kind, Pointer):
        return number_of(u32, argument)
    if isinstance(kind, Structure | Array | Unknown):
        raise Unfit(f"{describe(kind)} by value is not supported; pass it by pointer")
    if isinstance(argument, Number):
        return argument
    if isinstance(argument, float):
        raise Unfit("without debug information a float needs its type: f32(…) or f64(…)")
    return number_of(i32, argument)


def place(prepared: Prepared, start: int) -> tuple[list[int], list[tuple[int, Piece]], int]:
    """The words with addresses, where each piece of memory goes, and the end of it all."""
    words: list[int] = []
    placed: list[tuple[int, Piece]] = []
    for each in prepared.words:
        if isinstance(each, int):
            words.append(each)
        else:
            start = (start + 7) & ~7
            placed.append((start, each))
            words.append(start)
            start += len(each.data)
    return words, placed, start


def read_result(prepared: Prepared, r0: int, r1: int, memory: dict[int, bytes]) -> Data:
    """What a call returned; with the memory it was given, where it was given some (by argument)."""
    kind = prepared.function.result
    result: Data
    if prepared.function.parameters is None:
        result = Number(i32, r0)
    elif kind is None:
        result = None
    elif isinstance(kind, Structure):
        data = memory[-1] if prepared.result is not None else r0.to_bytes(4, "little")
        result = read_value(kind, data)
    else:
        result = read_value(kind, (r0 | r1 << 32).to_bytes(8, "little"))
    pieces = {piece.argument: piece for piece in prepared.pieces if piece.argument >= 0}
    if not pieces:
        return result
    values: list[Data] = []
    for index, argument in enumerate(prepared.arguments):
        piece = pieces.get(index)
        if piece is None:
            values.append(argument if isinstance(argument, Number | int | float | None) else repr(argument))
        else:
            values.append(memory[index] if piece.type is None else read_value(piece.type, memory[index]))
    return WithArguments(result=result, arguments=values)
