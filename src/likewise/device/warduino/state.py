"""What WARDuino's dumps mean in terms of the program: function, line, call stack, locals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from likewise.device.testee import Data
from likewise.device.values import Number
from likewise.device.warduino.replies import NotAReply, typed
from likewise.device.wasm.assembling import Assembled
from likewise.device.wasm.locations import place
from likewise.device.wasm.module import Function


def whole(value: object, what: str) -> int:
    """A whole number, in decimal or as a text with 0x."""
    try:
        if isinstance(value, str):
            return int(value, 0)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise NotAReply(f"{what} is not a number", why=repr(value))


def frames(raw: object) -> list[dict[str, Any]]:
    """The frames of functions, innermost first; blocks and guards are left out."""
    entries = [each for each in raw if isinstance(each, dict)] if isinstance(raw, list) else []
    return [each for each in reversed(entries) if whole(each.get("type", 0), "a frame's type") == 0]


def callstack(assembled: Assembled | None, raw: object, pc: int) -> list[Data]:
    """Innermost first: where each function stands."""
    found: list[Data] = []
    for frame in frames(raw):
        entry = place(assembled, pc)
        index = whole(frame.get("fidx", -1), "a function's index")
        functions = assembled.module.functions if assembled else ()
        if 0 <= index < len(functions):
            entry["function"] = functions[index].name
        entry["index"] = index
        found.append(entry)
        pc = whole(frame.get("callsite", frame.get("ra", -1)), "a return address")
    return found


def current(assembled: Assembled | None, state: dict[str, object]) -> Function | None:
    """The function of the innermost frame."""
    innermost = frames(state.get("callstack"))
    if assembled is None or not innermost:
        return None
    index = whole(innermost[0].get("fidx", -1), "a function's index")
    functions = assembled.module.functions
    return functions[index] if 0 <= index < len(functions) else None


def locals_on_stack(function: Function, state: dict[str, object], *, floats: int) -> list[Number] | None:
    """The function's locals, parameters first, from the operand stack; None where they are not all there."""
    innermost = frames(state.get("callstack"))
    stack = state.get("stack")
    if not innermost or not isinstance(stack, list) or "sp" not in innermost[0]:
        return None
    first = whole(innermost[0]["sp"], "a stack pointer") + 1
    by_index = {
        whole(entry.get("idx", place), "an index"): entry
        for place, entry in enumerate(stack)
        if isinstance(entry, dict)
    }
    try:
        entries = [by_index[first + offset] for offset in range(len(function.locals))]
    except KeyError:
        return None
    numbers = [typed(entry, floats=floats) for entry in entries]
    if [number.kind.name for number in numbers] != list(function.locals):
        return None
    return numbers


def named(function: Function, numbers: Sequence[Number]) -> dict[str, Data]:
    """Locals by name where they have one, by number where not."""
    return {
        (function.local_names[index] if index < len(function.local_names) else "") or str(index): number
        for index, number in enumerate(numbers)
    }


def may_be_left_over(function: Function) -> bool:
    """Whether what a trap leaves on the stack (all locals at least) may look like the function's results."""
    results = function.signature.results
    return not results or len(function.locals) <= len(results)


def depth(state: dict[str, object]) -> int:
    """How many values are on the stack; each call begins with an empty one."""
    stack = state.get("stack")
    if not isinstance(stack, list):
        raise NotAReply("no stack in the reply to an invoke", why=str(state)[:200])
    return sum(isinstance(each, dict) for each in stack)


def result(state: dict[str, object], kinds: Sequence[str], *, floats: int) -> Data:
    """What a function left on the stack: as many values as it gives, of the right types."""
    if not kinds:
        return None
    stack = state.get("stack")
    entries = [each for each in stack if isinstance(each, dict)] if isinstance(stack, list) else []
    entries.sort(key=lambda each: whole(each.get("idx", 0), "an index"))
    numbers = [typed(each, floats=floats) for each in entries]
    got = [number.kind.name for number in numbers]
    if got != list(kinds):
        raise NotAReply(
            f"the function gives {', '.join(kinds)}, on the stack is {', '.join(got) or 'nothing'}"
        )
    return numbers[0] if len(numbers) == 1 else list(numbers)


def events(state: dict[str, object]) -> list[Data]:
    """Topic and payload of each event."""
    found = state.get("events")
    return [dict(each) for each in found if isinstance(each, dict)] if isinstance(found, list) else []
