"""A WebAssembly testee in process with a debugger: breakpoints, steps, locals. It interprets slowly."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import singledispatchmethod
from importlib.metadata import version as installed
from typing import Any

from likewise.device import commands
from likewise.device.commands import Argument, Command
from likewise.device.program import Program, ProgramRefused
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
    Data,
    DeviceError,
    Limits,
    Refused,
    TimedOut,
    Unsupported,
    one_by_one,
)
from likewise.device.values import Number
from likewise.device.wasm import traps
from likewise.device.wasm.arguments import ArgumentsRefused, fit, number
from likewise.device.wasm.assembling import Assembled, assemble
from likewise.device.wasm.commands import Instantiate, InvokeIn, ReadGlobal, ReadNothing, Register
from likewise.device.wasm.locations import NoSuchPlace, offset, place
from likewise.device.wasm.spectest import SPECTEST
from likewise.device.wasm.stepping import Here, Stepper, TooLong, Trapped, Unlinkable
from likewise.model import ConfigurationError, LikewiseError

BATCH = 32
SLICE = 0.002
"""Seconds that a program which runs gets for each command that is not about waiting for it."""
STARTS = ("main", "_start", "start", "_main", "Main")


class Pywasm:
    """Modules in one store. The uploaded program's main function is what can be stepped through."""

    __test__ = False

    def __init__(self, name: str) -> None:
        self._name = name
        self._program: Assembled | None = None
        self._clear()

    @property
    def name(self) -> str:
        """The board's name."""
        return self._name

    @property
    def version(self) -> str:
        """The interpreter and its version."""
        return f"pywasm {installed('pywasm')}"

    @property
    def batch(self) -> int:
        """How many commands are handed over at once."""
        return BATCH

    def connect(self, limits: Limits) -> None:
        """Nothing has to be started."""

    def upload(self, program: Program, limits: Limits) -> None:
        """Assemble and instantiate the program, paused before the first instruction of main."""
        self._program = assemble(program, limits.compile)
        self._restart(program.title, limits.upload)

    def reset(self, limits: Limits) -> None:
        """The program in a fresh store, without breakpoints."""
        self._restart("the program", limits.reset)

    def execute(self, calls: Sequence[Call]) -> Sequence[Answer]:
        """One command after the other."""
        return one_by_one(calls, self._answered)

    def recover(self, limits: Limits) -> None:
        """A fresh store."""
        if self._program is not None:
            self._restart("the program", limits.recover)

    def close(self) -> None:
        """Forget everything."""
        self._clear()

    def _clear(self) -> None:
        self._stepper = Stepper()
        self._instances: dict[str, tuple[Any, Assembled]] = {}
        self._breakpoints: set[int] = set()
        self._runs = False
        self._stops: list[int] = []

    def _restart(self, title: str, limit: float) -> None:
        if self._program is None:
            raise DeviceError("there is no program to start", where=self._name, todo="Upload one first.")
        self._clear()
        until = time.monotonic() + limit
        try:
            self._provide_missing(self._program)
            self._instantiate(self._program, "", until)
        except (Trapped, Unlinkable, TooLong) as error:
            raise ProgramRefused("the program cannot be instantiated", where=title, why=error.what) from error
        for name in STARTS:
            address = self._address("", "function", name)
            function = self._program.module.function(name)
            if address is not None and function is not None and not function.signature.parameters:
                self._stepper.start(address)
                break

    def _provide_missing(self, assembled: Assembled) -> None:
        """An import that nobody provides traps when it is called; on the board it would be there."""
        import pywasm.core as core

        types = {
            kind: core.ValType(code)
            for code, kind in ((0x7F, "i32"), (0x7E, "i64"), (0x7D, "f32"), (0x7C, "f64"))
        }
        imported = [each for each in assembled.module.functions if each.start < 0]
        wanted = [each for each in assembled.module.imports if each.kind == "function"]
        for entry, function in zip(wanted, imported, strict=True):
            signature = function.signature
            if entry.module == "spectest" or any(
                kind not in types for kind in (*signature.parameters, *signature.results)
            ):
                continue
            given = core.FuncType(
                [types[kind] for kind in signature.parameters], [types[kind] for kind in signature.results]
            )
            self._stepper.stub(entry.module, entry.name, given)

    def _instantiate(self, assembled: Assembled, module: str, until: float) -> None:
        if "spectest" not in self._stepper.imports and any(
            each.module == "spectest" for each in assembled.module.imports
        ):
            spectest = assemble(Program(text=SPECTEST, suffix=".wat", name="spectest"), 10.0)
            self._stepper.provide("spectest", self._stepper.instantiate(spectest, until))
        entry = (self._stepper.instantiate(assembled, until), assembled)
        self._instances[""] = entry
        if module:
            self._instances[module] = entry

    def _address(self, module: str, kind: str, name: str) -> int | None:
        if module not in self._instances:
            return None
        number_of_kind = {"function": 0, "table": 1, "memory": 2, "global": 3}[kind]
        for each in self._instances[module][0].exps:
            if each.name == name and each.data.kind == number_of_kind:
                return int(each.data.data)
        return None

    def _answered(self, call: Call) -> Answer:
        until = time.monotonic() + call.limit
        waits = isinstance(call.command, commands.WaitForBreakpoint | commands.RunUntil)
        try:
            if self._runs and not waits:
                self._go(min(until, time.monotonic() + SLICE))
            return self._answer(call.command, until)
        except TooLong:
            return TimedOut(after=call.limit)
        except Trapped as error:
            return Refused(kind="trap", message=error.what)
        except LikewiseError as error:
            return Refused(kind=error.slug, message=str(error))

    @singledispatchmethod
    def _answer(self, command: Command, until: float) -> Answer:
        return Unsupported(what=f"{command.name} on pywasm")

    @_answer.register
    def _(self, command: commands.Invoke, until: float) -> Answer:
        return self._invoke("", command.function, command.arguments, until)

    @_answer.register
    def _(self, command: InvokeIn, until: float) -> Answer:
        return self._invoke(command.module, command.function, command.arguments, until)

    def _invoke(self, module: str, name: str, arguments: Sequence[Argument], until: float) -> Answer:
        address = self._address(module, "function", name)
        if address is None:
            return Refused(kind="no such function", message=f"{name!r} is not exported")
        index = self._instances[module][1].module.exports["function", name]
        signature = self._instances[module][1].module.functions[index].signature
        try:
            given = fit(name, signature, arguments)
        except ArgumentsRefused as error:
            return Refused(kind=error.slug, message=str(error))
        results = self._stepper.invoke(address, given, until)
        data: Data = None if not results else results[0] if len(results) == 1 else list(results)
        return Answered(data=data)

    @_answer.register
    def _(self, command: ReadGlobal, until: float) -> Answer:
        address = self._address(command.module, "global", command.variable)
        if address is None:
            return Refused(kind="no such global", message=f"{command.variable!r} is not exported")
        return Answered(data=self._stepper.global_value(address))

    @_answer.register
    def _(self, command: Instantiate, until: float) -> Answer:
        assembled = assemble(command.program, max(until - time.monotonic(), 0.01))
        self._instantiate(assembled, command.module, until)
        return Answered()

    @_answer.register
    def _(self, command: ReadNothing, until: float) -> Answer:
        return Answered()

    @_answer.register
    def _(self, command: Register, until: float) -> Answer:
        if command.module not in self._instances:
            return Refused(kind="no such module", message=command.module)
        self._stepper.provide(command.name_for_imports, self._instances[command.module][0])
        return Answered()

    @_answer.register
    def _(self, command: commands.SetLocal, until: float) -> Answer:
        frames = self._stepper.frames()
        function = frames[0].function if frames else None
        if function is None:
            return Refused(kind="not in a function", message="the program stands in no function")
        wanted = command.local
        index = function.local(wanted)
        if index is None:
            return Refused(kind="no such local", message=f"{function.name} has no local {wanted!r}")
        self._stepper.set_local(index, number(command.value, function.locals[index], f"local {wanted}"))
        return Answered()

    @_answer.register
    def _(self, command: commands.Pause, until: float) -> Answer:
        self._runs = False
        return Answered(data=self._here())

    @_answer.register
    def _(self, command: commands.Resume, until: float) -> Answer:
        if not self._stepper.is_active:
            return Refused(kind="not running", message="the program has no main function, or has ended")
        self._stops.clear()
        self._runs = True
        return Answered()

    @_answer.register
    def _(self, command: commands.SetBreakpoint, until: float) -> Answer:
        where = offset(self._program, command.at)
        self._breakpoints.add(where)
        return Answered(data={"pc": where})

    @_answer.register
    def _(self, command: commands.DeleteBreakpoint, until: float) -> Answer:
        where = offset(self._program, command.at)
        self._breakpoints.discard(where)
        return Answered(data={"pc": where})

    @_answer.register
    def _(self, command: commands.WaitForBreakpoint, until: float) -> Answer:
        wanted = None if command.at is None else offset(self._program, command.at)
        if not self._stops:
            if not self._runs:
                return Refused(kind="not running", message="the program is paused; resume it first")
            self._go(until)
        if not self._stops:
            if self._stepper.is_active:
                raise TooLong("no breakpoint was reached")
            return Refused(kind="not running", message="the program ended without reaching a breakpoint")
        stop = self._stops.pop(0)
        if wanted is not None and stop != wanted:
            raise NoSuchPlace(f"it stopped at {stop}, not at {wanted}")
        return Answered(data={**place(self._program, stop), "mode": "paused"})

    @_answer.register
    def _(self, command: commands.RunUntil, until: float) -> Answer:
        where = offset(self._program, command.at)
        own = where not in self._breakpoints
        self._breakpoints.add(where)
        self._stops.clear()
        self._runs = True
        try:
            return self._answer(commands.WaitForBreakpoint(commands.AtAddress(where)), until)
        finally:
            self._runs = False
            if own:
                self._breakpoints.discard(where)

    @_answer.register
    def _(self, command: commands.StepInto, until: float) -> Answer:
        return self._step(until, over=False)

    @_answer.register
    def _(self, command: commands.StepOver, until: float) -> Answer:
        return self._step(until, over=True)

    def _step(self, until: float, *, over: bool) -> Answer:
        frames = self._stepper.frames()
        if not frames:
            return Refused(kind="not running", message="the program has no main function, or has ended")
        start, depth = place(self._program, frames[0].pc), len(frames) + 1
        known = start["line"] is not None

        def is_elsewhere(at: int, deep: int) -> bool:
            if over and deep > depth:
                return False
            here = place(self._program, at)
            same = (here["function"], here["line"]) == (start["function"], start["line"])
            return not known or not same or deep != depth

        self._runs = False
        self._stepper.proceed(_after_first(is_elsewhere), until)
        return Answered(data=self._here())

    @_answer.register
    def _(self, command: commands.Dump, until: float) -> Answer:
        stack: list[Data] = []
        for frame in self._stepper.frames():
            entry = place(self._program, frame.pc)
            entry["function"] = frame.function.name if frame.function else entry["function"]
            stack.append(entry)
        return Answered(data={**self._here(), "callstack": stack})

    @_answer.register
    def _(self, command: commands.DumpLocals, until: float) -> Answer:
        frames = self._stepper.frames()
        if not frames or frames[0].function is None:
            return Refused(kind="not in a function", message="the program stands in no function")
        names = frames[0].function.local_names
        return Answered(
            data={
                (names[index] if index < len(names) else "") or str(index): value
                for index, value in enumerate(frames[0].locals)
            }
        )

    @_answer.register
    def _(self, command: commands.ReadMemory, until: float) -> Answer:
        memory = self._memory()
        if memory is None or not isinstance(command.at, int):
            return Unsupported(what="memory that the program does not export, or by name")
        length = 1 if command.length is None else command.length
        if not 0 <= command.at <= command.at + length <= len(memory):
            return Refused(kind="trap", message=traps.MEMORY)
        return Answered(data=bytes(memory[command.at : command.at + length]))

    @_answer.register
    def _(self, command: commands.WriteMemory, until: float) -> Answer:
        memory = self._memory()
        if memory is None or not isinstance(command.at, int):
            return Unsupported(what="memory that the program does not export, or by name")
        raw = command.data.data if isinstance(command.data, Number) else command.data
        if not isinstance(raw, bytes | bytearray):
            return Refused(
                kind="untyped", message=f"{command.data!r} has no width; give bytes or a typed number"
            )
        if not 0 <= command.at <= command.at + len(raw) <= len(memory):
            return Refused(kind="trap", message=traps.MEMORY)
        memory[command.at : command.at + len(raw)] = raw
        return Answered()

    def _memory(self) -> bytearray | None:
        if "" in self._instances:
            for each in self._instances[""][0].exps:
                if each.data.kind == 2:
                    return self._stepper.memory(int(each.data.data))
        return None

    def _here(self) -> dict[str, Data]:
        frames = self._stepper.frames()
        here = place(self._program, frames[0].pc if frames else -1)
        here["mode"] = "running" if self._runs else "paused"
        if frames and frames[0].function is not None:
            here["function"] = frames[0].function.name
        return here

    def _go(self, until: float) -> None:
        """Let the program run until a breakpoint, its end or this moment."""

        def is_breakpoint(at: int, deep: int) -> bool:
            return at in self._breakpoints

        try:
            stopped = self._stepper.proceed(_after_first(is_breakpoint), until)
        except TooLong:
            return
        self._runs = False
        if stopped:
            self._stops.append(self._stepper.frames()[0].pc)


def _after_first(here: Here) -> Here:
    """The instruction that the program stands at is not where it stops next."""
    is_first = True

    def later(at: int, deep: int) -> bool:
        nonlocal is_first
        if is_first:
            is_first = False
            return False
        return here(at, deep)

    return later


def open_testee(name: str, options: Mapping[str, object]) -> Pywasm:
    """`kind = "wasm-debug"`: no options."""
    for option in options:
        raise ConfigurationError(
            f"unknown option {option!r}", where=f"board {name!r}", todo="There are none."
        )
    return Pywasm(name)
