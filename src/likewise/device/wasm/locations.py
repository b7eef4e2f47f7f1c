"""Where a breakpoint lies in a module: a function, a line of its text, an offset in the file."""

from __future__ import annotations

from pathlib import PurePath

from likewise.device.commands import AtAddress, AtLine, InFunction, Location
from likewise.device.testee import Data
from likewise.device.wasm.assembling import Assembled
from likewise.model import LikewiseError


class NoSuchPlace(LikewiseError):
    """The program has no such function or line."""

    slug = "no-such-place"


def offset(assembled: Assembled | None, at: Location) -> int:
    """The offset of the first instruction there."""
    if isinstance(at, AtAddress):
        return at.address
    if assembled is None:
        raise NoSuchPlace(f"{at} is not known", why="no program was uploaded")
    if isinstance(at, InFunction):
        function = assembled.module.function(at.name)
        if function is None or function.start < 0:
            names = sorted(each.name for each in assembled.module.functions if each.start >= 0)
            raise NoSuchPlace(f"no function {at.name!r}", todo=f"There are: {', '.join(names[:20])}.")
        return function.start
    assert isinstance(at, AtLine)
    if PurePath(at.file).name != PurePath(assembled.file).name:
        raise NoSuchPlace(
            f"{at.file} is not the program", why=f"that is {assembled.file or 'without a file'}"
        )
    found = assembled.first_on(at.line)
    if found is None:
        why = "no instruction begins there" if assembled.lines else "the program says nothing of lines"
        raise NoSuchPlace(f"no code at {at}", why=why)
    return found


def place(assembled: Assembled | None, pc: int) -> dict[str, Data]:
    """Function, file, line and column of an address, as far as they are known."""
    if assembled is None:
        return {"function": None, "file": None, "line": None, "column": None, "pc": pc}
    function = assembled.module.function_at(pc)
    where = assembled.place(pc)
    return {
        "function": function.name if function else None,
        "file": assembled.file or None if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "pc": pc,
    }
