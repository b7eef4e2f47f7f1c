"""A WebAssembly interpreter that can be stopped before any instruction: pywasm, driven from outside.

Its loop announces each instruction to its log before executing it. Whoever listens there may stop the
loop by an exception; after the position is put back by one, the loop can be entered again.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pywasm.core as core
import pywasm.log as log
import pywasm.opcode as opcodes

from likewise.device.values import KINDS, Number
from likewise.device.wasm import traps
from likewise.device.wasm.assembling import Assembled
from likewise.device.wasm.code import instructions
from likewise.device.wasm.module import Function
from likewise.model import LikewiseError

CLOCK = 0xFF
"""The clock is read every so many instructions, less one."""
_FAILURES = (AssertionError, ArithmeticError, IndexError, KeyError, ValueError, TypeError, RecursionError)


class Trapped(LikewiseError):
    """The program trapped."""

    slug = "trap"


class TooLong(LikewiseError):
    """The program was not done in time."""

    slug = "too-long"


class Unlinkable(LikewiseError):
    """Something that a module imports is not there, or is something else."""

    slug = "unlinkable"


class _Stopped(Exception):
    """The loop was left before an instruction."""


_LISTENING = threading.local()


def _announced(*words: object) -> None:
    listener = getattr(_LISTENING, "listener", None)
    if listener is not None and len(words) == 2 and words[0] == "    ":
        listener(words[1])


log.debugln = _announced


@dataclass(slots=True)
class _Run:
    """One activation of the machine: the program, or a function called while that is paused."""

    stack: Any
    results: tuple[str, ...]
    base: int = 1
    values: list[Number] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frame:
    """One function in progress; `pc` is the offset of its next instruction, −1 at its end."""

    function: Function | None
    pc: int
    locals: tuple[Number, ...]


Here = Callable[[int, int], bool]
"""Whether to stop before the instruction at this offset, with so many functions in progress."""


class Stepper:
    """Modules in one store, and one program that can be stepped through."""

    def __init__(self) -> None:
        self._runtime: Any = core.Runtime()
        self._offsets: dict[int, int] = {}
        self._codes: dict[int, tuple[Assembled, Function]] = {}
        self._program: _Run | None = None
        self._instruction: Any = None
        self._operands: tuple[Any, ...] = ()

    def instantiate(self, assembled: Assembled, deadline: float) -> Any:
        """Add a module; its start function runs."""
        try:
            description = core.ModuleDesc.from_reader(io.BytesIO(assembled.data))
        except _FAILURES as error:
            raise Unlinkable("the module cannot be read", why=f"{type(error).__name__} {error}") from error
        self._note(assembled, description)
        outer, self._machine.stack = self._machine.stack, core.Stack()
        try:
            externs = self._externs(description)
            return self._listened(lambda: self._machine.instance(description, externs), None, deadline)
        finally:
            self._machine.stack = outer

    def _externs(self, description: Any) -> list[Any]:
        found = []
        for each in description.imps:
            extern = self._runtime.imports.get(each.module, {}).get(each.name)
            if extern is None:
                raise Unlinkable(f"unknown import {each.module}.{each.name}")
            if not self._fits(each, extern, description):
                raise Unlinkable(f"incompatible import {each.module}.{each.name}")
            found.append(extern)
        return found

    def _fits(self, wanted: Any, extern: Any, description: Any) -> bool:
        store = self._machine.store
        if wanted.kind != extern.kind:
            return False
        match wanted.kind:
            case 0:
                return bool(store.func[extern.data].type == description.type[wanted.desc])
            case 1:
                table = store.tabl[extern.data]
                return bool(table.type.type == wanted.desc.type and table.suit(wanted.desc.limits))
            case 2:
                return bool(store.mems[extern.data].suit(wanted.desc.limits))
            case _:
                held = store.glob[extern.data]
                return bool(held.data.type == wanted.desc.type and held.mut == wanted.desc.mut)

    def provide(self, module: str, instance: Any) -> None:
        """Let later modules import from this one."""
        self._runtime.imports[module] = {each.name: each.data for each in instance.exps}

    def stub(self, module: str, name: str, signature: Any) -> None:
        """Let an imported function be one that traps when it is called."""

        def missing(machine: Any, arguments: Any) -> Any:
            raise Trapped(f"unknown import {module}.{name} was called")

        extern = self._runtime.allocate_func_host(signature, missing)
        self._runtime.imports.setdefault(module, {})[name] = extern

    @property
    def imports(self) -> dict[str, dict[str, Any]]:
        """What modules can import."""
        found: dict[str, dict[str, Any]] = self._runtime.imports
        return found

    @property
    def _machine(self) -> Any:
        return self._runtime.machine

    def _note(self, assembled: Assembled, description: Any) -> None:
        """Where each instruction of the interpreter lies in the file."""
        own = [each for each in assembled.module.functions if each.start >= 0]
        for function, code in zip(own, description.func, strict=False):
            self._codes[id(code.expr.data)] = (assembled, function)
            known = instructions(assembled.data, function.start, function.end) or []
            written = [each for each in known if each.name not in ("end", "else")]
            flat = list(_flat(code.expr.data))
            if len(written) == len(flat):
                self._offsets |= {id(each): where.at for each, where in zip(flat, written, strict=True)}
        self._kept = [*getattr(self, "_kept", []), description]

    def invoke(self, address: int, arguments: Sequence[Number], deadline: float) -> list[Number]:
        """Call a function from outside; a program that is paused stays as it is."""
        run = self._set_up(address, arguments)
        outer, self._machine.stack = self._machine.stack, run.stack
        try:
            self._listened(self._machine.evaluate, None, deadline)
            return self._results(run)
        finally:
            self._machine.stack = outer

    def start(self, address: int) -> None:
        """Make a function the program, paused before its first instruction."""
        self._program = self._set_up(address, ())

    def proceed(self, here: Here, deadline: float) -> bool:
        """Let the program run until `here` is true of an instruction; False where it ended before."""
        run = self._program
        if run is None:
            return False
        outer, self._machine.stack = self._machine.stack, run.stack
        try:
            self._listened(self._machine.evaluate, here, deadline)
        except _Stopped:
            return True
        except Trapped:
            self._program = None
            raise
        finally:
            run.stack = self._machine.stack
            self._machine.stack = outer
        self._program = None
        return False

    @property
    def is_active(self) -> bool:
        """Whether there is a program that has not ended."""
        return self._program is not None

    def frames(self) -> list[Frame]:
        """The functions in progress, innermost first."""
        run = self._program
        if run is None:
            return []
        found, labels = [], list(run.stack.label)
        for frame in reversed(run.stack.frame[run.base :]):
            own = labels[frame.label :]
            labels = labels[: frame.label]
            code = own[0].instr if own else []
            entry = self._codes.get(id(code))
            found.append(
                Frame(
                    function=entry[1] if entry else None,
                    pc=self._next_offset(own, entry),
                    locals=tuple(_number(each) for each in frame.locals.data),
                )
            )
        return found

    def _next_offset(self, labels: Sequence[Any], entry: tuple[Assembled, Function] | None) -> int:
        for label in reversed(labels):
            if label.index < len(label.instr):
                return self._offsets.get(id(label.instr[label.index]), -1)
        return entry[1].end if entry else -1

    def set_local(self, index: int, number: Number) -> None:
        """Change a local of the innermost function."""
        assert self._program is not None
        self._program.stack.frame[-1].locals.data[index] = _value(number)

    def global_value(self, address: int) -> Number:
        """The value of a global variable."""
        return _number(self._machine.store.glob[address].data)

    def memory(self, address: int) -> bytearray:
        """The bytes of a memory; changing them changes it."""
        held: bytearray = self._machine.store.mems[address].data
        return held

    def _set_up(self, address: int, arguments: Sequence[Number]) -> _Run:
        outer, stack = self._machine.stack, core.Stack()
        function = self._machine.store.func[address]
        self._machine.stack = stack
        try:
            stack.frame.append(core.Frame(core.ModuleInst(), core.LocalsInst([]), 0, 0, 0))
            stack.value.extend(_value(each) for each in arguments)
            self._machine.evaluate_call(address)
        finally:
            self._machine.stack = outer
        return _Run(stack=stack, results=tuple(repr(kind) for kind in function.type.rets))

    def _results(self, run: _Run) -> list[Number]:
        count = len(run.results)
        return [_number(each) for each in run.stack.value[-count:]] if count else []

    def _listened(self, work: Callable[[], Any], here: Here | None, deadline: float) -> Any:
        count = 0

        def listen(instruction: Any) -> None:
            nonlocal count
            self._instruction = instruction
            self._operands = tuple(self._machine.stack.value[-2:])
            if count & CLOCK == 0 and time.monotonic() >= deadline:
                self._step_back()
                raise TooLong("the program was not done in time")
            count += 1
            depth = len(self._machine.stack.frame)
            if here is not None and here(self._offsets.get(id(instruction), -1), depth):
                self._step_back()
                raise _Stopped

        before = getattr(_LISTENING, "listener", None)
        _LISTENING.listener = listen
        try:
            return work()
        except _FAILURES as error:
            raise Trapped(self._trap() or f"{type(error).__name__} {error}".strip()) from error
        finally:
            _LISTENING.listener = before

    def _step_back(self) -> None:
        self._machine.stack.label[-1].index -= 1

    def _trap(self) -> str:
        """Which trap it was: the interpreter only says that something did not hold."""
        if self._instruction is None:
            return ""
        name = str(opcodes.name.get(self._instruction.opcode, ""))
        return _trap_of(name, [_number(each) for each in self._operands if repr(each.type) in KINDS])


def _trap_of(name: str, operands: Sequence[Number]) -> str:
    last = operands[-1] if operands else None
    if "unreachable" in name:
        return traps.UNREACHABLE
    if ".div" in name or ".rem" in name:
        return traps.DIVIDE if last is not None and last.bits == 0 else traps.OVERFLOW
    if "trunc" in name:
        return traps.CONVERSION if last is not None and last.is_nan else traps.OVERFLOW
    if "load" in name or "store" in name or name.startswith("memory"):
        return traps.MEMORY
    if name == "call_indirect" or name.startswith(("table", "elem")):
        return traps.TABLE
    return traps.EXHAUSTED if name == "call" else ""


def _flat(code: Sequence[Any]) -> Iterator[Any]:
    for each in code:
        yield each
        for part in each.args:
            if isinstance(part, list) and part and isinstance(part[0], core.Inst):
                yield from _flat(part)


def _number(value: Any) -> Number:
    kind = KINDS.get(repr(value.type))
    if kind is None:
        raise Unlinkable(f"a value of type {value.type!r} cannot be shown")
    return kind.from_bytes(bytes(value.data))


def _value(number: Number) -> Any:
    types = {
        "i32": core.ValType.i32,
        "i64": core.ValType.i64,
        "f32": core.ValType.f32,
        "f64": core.ValType.f64,
    }
    return core.ValInst(types[number.kind.name](), bytearray(number.data.ljust(16, b"\0")))
