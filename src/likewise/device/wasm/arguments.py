"""Arguments take the types of a function's parameters; nothing is cut or rounded on the way."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.device.commands import Argument
from likewise.device.values import KINDS, Kind, NotRepresentable, Number
from likewise.device.wasm.module import Signature
from likewise.model import LikewiseError


class ArgumentsRefused(LikewiseError):
    """A function cannot be called with these arguments."""

    slug = "arguments-refused"


def fit(function: str, signature: Signature, arguments: Sequence[Argument]) -> list[Number]:
    """Each argument as a number of its parameter's type."""
    wanted = signature.parameters
    if len(wanted) != len(arguments):
        raise ArgumentsRefused(f"it takes {len(wanted)} arguments, not {len(arguments)}", where=function)
    return [number(argument, kind, function) for argument, kind in zip(arguments, wanted, strict=True)]


def number(argument: object, type_name: str, where: str) -> Number:
    """One argument as a number of this type; patterns of whole numbers may be given unsigned."""
    kind = KINDS.get(type_name)
    if kind is None:
        raise ArgumentsRefused(f"a parameter of type {type_name} cannot be given here", where=where)
    if isinstance(argument, Number):
        return _retyped(argument, kind, where)
    if isinstance(argument, int) and not kind.is_float and argument >= 0:
        kind_unsigned = KINDS["u" + type_name[1:]]
        return kind.of(_checked(kind_unsigned, argument, where).bits)
    if isinstance(argument, int | float):
        return _checked(kind, argument, where)
    raise ArgumentsRefused(f"{argument!r} is not a number", where=where)


def _checked(kind: Kind, value: float, where: str) -> Number:
    try:
        return kind(value)
    except (NotRepresentable, OverflowError) as error:
        raise ArgumentsRefused(f"{value!r} is no {kind.name}", where=where, why=str(error)) from error


def _retyped(given: Number, kind: Kind, where: str) -> Number:
    if given.kind.is_float != kind.is_float:
        raise ArgumentsRefused(f"{given} is no {kind.name}", where=where)
    if given.kind.size == kind.size:
        return kind.of(given.bits)
    if kind.is_float:
        raise ArgumentsRefused(f"{given} is no {kind.name}", where=where)
    return _checked(kind, given.value, where)
