"""The text format, as far as places go: which line of a .wat file an instruction comes from.

The binary says nothing of its source. The instructions of a function stand in the text in an order that
folding determines, so the two are walked side by side; a function where they do not agree has no lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from likewise.device.wasm.code import instructions
from likewise.device.wasm.module import Module

_TOKEN = re.compile(r'\(;|;;[^\n]*|"(?:\\.|[^"\\])*"|[()]|[^\s()";]+|\s+|.', re.DOTALL)
_INSTRUCTION = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
_TYPES = {"param", "result", "type", "local", "export", "import"}
_BLOCKS = {"block", "loop", "if"}
_NOT_INSTRUCTIONS = {"nan", "inf", "func", "extern", "funcref", "externref"}


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Form:
    """Something in parentheses: atoms with their places, and forms."""

    place: Place
    items: list[tuple[str, Place] | Form] = field(default_factory=list)
    closed: Place = Place(0, 0)

    @property
    def head(self) -> str:
        """The first word."""
        first = self.items[0] if self.items else None
        return first[0] if isinstance(first, tuple) else ""


def forms(text: str) -> list[Form]:
    """The outermost forms of a text; what is not closed ends with the text."""
    top = Form(Place(1, 1))
    open_forms = [top]
    for token, place in _tokens(text):
        if token == "(":
            inner = Form(place)
            open_forms[-1].items.append(inner)
            open_forms.append(inner)
        elif token == ")":
            if len(open_forms) > 1:
                open_forms.pop().closed = place
        else:
            open_forms[-1].items.append((token, place))
    return [item for item in top.items if isinstance(item, Form)]


def _tokens(text: str) -> Iterator[tuple[str, Place]]:
    line, begin, at = 1, 0, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None
        token = found[0]
        if token == "(;":
            token = _comment(text, at)
        elif not token.isspace() and not token.startswith(";;"):
            yield token, Place(line, at - begin + 1)
        if "\n" in token:
            line += token.count("\n")
            begin = at + token.rindex("\n") + 1
        at += len(token)


def _comment(text: str, at: int) -> str:
    depth, here = 0, at
    for found in re.compile(r"\(;|;\)").finditer(text, at):
        depth += 1 if found[0] == "(;" else -1
        here = found.end()
        if depth == 0:
            return text[at:here]
    return text[at:]


def lines(text: str, data: bytes, module: Module) -> dict[int, Place]:
    """For each instruction's offset in the file, its place in the text."""
    modules = [form for form in forms(text) if form.head == "module"]
    fields = modules[0].items if modules else list(forms(text))
    bodies = [
        form for form in fields if isinstance(form, Form) and form.head == "func" and not _is_imported(form)
    ]
    functions = [each for each in module.functions if each.start >= 0]
    found: dict[int, Place] = {}
    if len(bodies) != len(functions):
        return found
    for form, function in zip(bodies, functions, strict=True):
        written = [*_sequence(form.items[1:]), ("end", form.closed)]
        coded = instructions(data, function.start, function.end)
        if coded is None or [each.name for each in coded] != [name for name, _ in written]:
            continue
        found |= {each.at: place for each, (_, place) in zip(coded, written, strict=True)}
    return found


def _is_imported(form: Form) -> bool:
    return any(isinstance(item, Form) and item.head == "import" for item in form.items)


def _sequence(items: list[tuple[str, Place] | Form]) -> Iterator[tuple[str, Place]]:
    """The instructions in a sequence, in the order of the binary."""
    previous = ""
    for item in items:
        if isinstance(item, Form):
            yield from _folded(item)
            continue
        name, place = item
        if not _is_instruction(name, previous):
            previous = "" if previous == "ref.null" else previous
            continue
        previous = name
        yield name, place


def _is_instruction(name: str, previous: str) -> bool:
    if name in _NOT_INSTRUCTIONS or (previous == "v128.const" and "x" in name and "." not in name):
        return False
    return _INSTRUCTION.fullmatch(name) is not None


def _folded(form: Form) -> Iterator[tuple[str, Place]]:
    head = form.head
    if head in _TYPES:
        return
    if head == "then":
        yield from _sequence(form.items[1:])
    elif head == "else":
        yield "else", form.place
        yield from _sequence(form.items[1:])
    elif head == "if":
        parts = [item for item in form.items[1:] if isinstance(item, Form) and item.head not in _TYPES]
        branches = [part for part in parts if part.head in ("then", "else")]
        yield from _sequence([part for part in parts if part not in branches])
        yield head, form.place
        for part in branches:
            yield from _folded(part)
        yield "end", form.closed
    elif head in _BLOCKS:
        yield head, form.place
        yield from _sequence(form.items[1:])
        yield "end", form.closed
    else:
        yield from _sequence([item for item in form.items[1:] if isinstance(item, Form)])
        yield head, form.place
