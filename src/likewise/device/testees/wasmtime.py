"""A WebAssembly testee in process, at the speed of compiled code: wasmtime. It has no debugger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version as installed
from typing import Any

import wasmtime

from likewise.device.commands import Command, Invoke, ReadMemory, Reset, Upload, WriteMemory
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
from likewise.device.values import KINDS, Number
from likewise.device.wasm import patterns, traps
from likewise.device.wasm.arguments import ArgumentsRefused, fit
from likewise.device.wasm.assembling import Assembled, assemble
from likewise.device.wasm.commands import Instantiate, InvokeIn, ReadGlobal, ReadNothing, Register, Validate
from likewise.device.wasm.module import Signature
from likewise.device.wasm.spectest import SPECTEST
from likewise.device.wasm.watchdog import Watchdog
from likewise.model import ConfigurationError, LikewiseError

BATCH = 256
STACK = 512 * 1024
"""Bytes; enough for what the core tests nest, and soon exhausted where they mean to exhaust it."""
NEVER = 1 << 40
"""Ticks of the engine's clock, which ticks only when a call takes too long."""
_BITS = {"i32": 0xFFFF_FFFF, "f32": 0xFFFF_FFFF}


class _Callable:
    """An exported function with its types; floats cross as patterns."""

    __slots__ = ("function", "kinds", "signature")

    def __init__(self, function: Any, signature: Signature) -> None:
        self.function, self.signature = function, signature
        self.kinds = [(KINDS[kind], _BITS.get(kind, (1 << 64) - 1)) for kind in signature.results]


class Wasmtime:
    """Modules in one store; the last one added is meant where none is named."""

    __test__ = False

    def __init__(self, name: str, *, unknown_imports: str = "trap") -> None:
        self._name, self._unknown = name, unknown_imports
        self._program: Assembled | None = None
        self._compiled: dict[bytes, Any] = {}
        self._engine: Any = None
        self._watchdog: Watchdog | None = None

    @property
    def name(self) -> str:
        """The board's name."""
        return self._name

    @property
    def version(self) -> str:
        """The engine and its version."""
        return f"wasmtime {installed('wasmtime')}"

    @property
    def batch(self) -> int:
        """Calls are cheap; many at once save the framework's work."""
        return BATCH

    def connect(self, limits: Limits) -> None:
        """Set the engine up."""
        if self._engine is None:
            config = wasmtime.Config()
            config.epoch_interruption = True
            config.max_wasm_stack = STACK
            config.cranelift_nan_canonicalization = False
            self._engine = wasmtime.Engine(config)
            self._watchdog = Watchdog(self._engine.increment_epoch)
        self._clear()

    def upload(self, program: Program, limits: Limits) -> None:
        """Assemble, compile and instantiate the program in a fresh store."""
        self._program = assemble(program, limits.compile)
        self._restart(program.title, limits.upload)

    def reset(self, limits: Limits) -> None:
        """The uploaded program in a fresh store."""
        self._restart("the program", limits.reset)

    def execute(self, calls: Sequence[Call]) -> Sequence[Answer]:
        """One call after the other."""
        return one_by_one(calls, lambda call: self._answer(call.command, call.limit))

    def recover(self, limits: Limits) -> None:
        """What hung was interrupted; only a fresh store is needed."""
        self.connect(limits)
        if self._program is not None:
            self._restart("the program", limits.recover)

    def close(self) -> None:
        """Let the engine go."""
        if self._watchdog is not None:
            self._watchdog.close()
        self._watchdog = self._engine = None
        self._compiled.clear()

    def _clear(self) -> None:
        self._store: Any = wasmtime.Store(self._engine)
        self._store.set_epoch_deadline(NEVER)
        self._linker: Any = wasmtime.Linker(self._engine)
        self._linker.allow_shadowing = True
        self._instances: dict[str, tuple[Any, Assembled]] = {}
        self._calls: dict[tuple[str, str], _Callable | None] = {}
        self._has_spectest = False

    def _restart(self, title: str, limit: float) -> None:
        if self._program is None:
            raise DeviceError("there is no program to start", where=self._name, todo="Upload one first.")
        self._clear()
        program = self._program
        done = self._guarded(lambda: self._instantiate(program, "", self._unknown), limit)
        if not isinstance(done, Answered):
            why = f"no end within {limit:g} s" if isinstance(done, TimedOut) else done.message
            raise ProgramRefused("the program cannot be instantiated", where=title, why=why)

    def _answer(self, command: Command, limit: float) -> Answer:
        match command:
            case Invoke(function=function, arguments=arguments):
                return self._invoke("", function, arguments, limit)
            case InvokeIn(function=function, arguments=arguments, module=module):
                return self._invoke(module, function, arguments, limit)
            case ReadGlobal(variable=variable, module=module):
                return self._read_global(variable, module, limit)
            case Instantiate(program=program, module=module):
                return self._add(program, module, limit)
            case Register(name_for_imports=given, module=module):
                return self._register(given, module)
            case ReadNothing():
                return Answered()
            case Validate(program=program):
                return self._validate(program)
            case ReadMemory(at=at, length=length):
                return self._read_memory(at, length)
            case WriteMemory(at=at, data=data):
                return self._write_memory(at, data)
            case Upload(program=program):
                return self._quietly(lambda: self.upload(program, Limits(upload=limit, compile=limit)))
            case Reset():
                return self._quietly(lambda: self.reset(Limits(reset=limit)))
            case _:
                return Unsupported(what=f"{command.name} on wasmtime, which has no debugger")

    def _quietly(self, work: Any) -> Answer:
        try:
            work()
        except LikewiseError as error:
            return Refused(kind=error.slug, message=str(error))
        return Answered()

    def _guarded(self, work: Any, limit: float) -> Answered | Refused | TimedOut:
        watchdog = self._watchdog
        assert watchdog is not None
        self._store.set_epoch_deadline(1)
        watchdog.guard(limit)
        try:
            data = work()
        except wasmtime.Trap as trap:
            if watchdog.rest():
                return TimedOut(after=limit)
            return Refused(kind="trap", message=_wording(trap))
        except wasmtime.WasmtimeError as error:
            watchdog.rest()
            text = str(error)
            if "unknown import" in text or "incompatible import" in text:
                return Refused(kind="unlinkable", message=text)
            return Refused(kind="refused", message=text)
        finally:
            watchdog.rest()
        return Answered(data=data)

    def _invoke(self, module: str, function: str, arguments: Sequence[Any], limit: float) -> Answer:
        key = (module, function)
        if key not in self._calls:
            self._calls[key] = self._find(module, function)
        found = self._calls[key]
        if found is None:
            return Refused(kind="no such function", message=self._missing(module, function))
        try:
            numbers = fit(function, found.signature, arguments)
        except ArgumentsRefused as error:
            return Refused(kind=error.slug, message=str(error))
        given = [each.bits for each in numbers]
        answer = self._guarded(lambda: found.function(self._store, *given), limit)
        if not isinstance(answer, Answered):
            return answer
        return Answered(data=_results(answer.data, found.kinds))

    def _missing(self, module: str, function: str) -> str:
        if module not in self._instances:
            return f"no module {module or 'is there'}"
        _, assembled = self._instances[module]
        names = sorted(name for kind, name in assembled.module.exports if kind == "function")
        return f"{function!r} is not exported; exported: {', '.join(names[:20]) or 'nothing'}"

    def _find(self, module: str, function: str) -> _Callable | None:
        if module not in self._instances:
            return None
        instance, assembled = self._instances[module]
        index = assembled.module.exports.get(("function", function))
        exported = instance.exports(self._store)
        if index is None or function not in exported:
            return None
        signature = assembled.module.functions[index].signature
        if any(kind not in KINDS for kind in (*signature.parameters, *signature.results)):
            return _Callable(exported[function], Signature(parameters=signature.parameters))
        raw = exported[function]
        if patterns.needs_adapter(signature):
            raw = self._adapted(patterns.function_adapter(signature), raw)
        return _Callable(raw, signature)

    def _adapted(self, adapter: bytes, item: Any) -> Any:
        compiled = self._compiled.get(adapter)
        if compiled is None:
            compiled = self._compiled[adapter] = wasmtime.Module(self._engine, adapter)
        return wasmtime.Instance(self._store, compiled, [item]).exports(self._store)["f"]

    def _read_global(self, variable: str, module: str, limit: float) -> Answer:
        instance = self._instances.get(module)
        if instance is None or ("global", variable) not in instance[1].module.exports:
            return Refused(kind="no such global", message=f"{variable!r} is not exported")
        item = instance[0].exports(self._store)[variable]
        kind = item.type(self._store)
        name = str(kind.content)
        if name not in KINDS:
            return Unsupported(what=f"globals of type {name}")
        adapter = patterns.global_adapter(name, is_mutable=kind.mutable)
        read = self._adapted(adapter, item)
        answer = self._guarded(lambda: read(self._store), limit)
        if isinstance(answer, Answered):
            return Answered(data=_results(answer.data, [(KINDS[name], _BITS.get(name, (1 << 64) - 1))]))
        return answer

    def _add(self, program: Program, module: str, limit: float) -> Answer:
        try:
            assembled = assemble(program, limit)
        except LikewiseError as error:
            return Refused(kind=error.slug, message=str(error))
        return self._guarded(lambda: self._instantiate(assembled, module, "refuse"), limit)

    def _instantiate(self, assembled: Assembled, module: str, unknown: str) -> None:
        compiled = self._compiled.get(assembled.data)
        if compiled is None:
            compiled = self._compiled[assembled.data] = wasmtime.Module(self._engine, assembled.data)
        if not self._has_spectest and any(each.module == "spectest" for each in assembled.module.imports):
            self._has_spectest = True
            spectest = wasmtime.Module(self._engine, SPECTEST)
            self._linker.define_instance(
                self._store, "spectest", self._linker.instantiate(self._store, spectest)
            )
        linker = self._linker
        if unknown == "trap":
            linker.define_unknown_imports_as_traps(compiled)
        elif unknown == "default":
            linker.define_unknown_imports_as_default_values(self._store, compiled)
        entry = (linker.instantiate(self._store, compiled), assembled)
        self._instances[""] = entry
        if module:
            self._instances[module] = entry
        self._calls.clear()

    def _register(self, given: str, module: str) -> Answer:
        if module not in self._instances:
            return Refused(kind="no such module", message=module)
        self._linker.define_instance(self._store, given, self._instances[module][0])
        return Answered()

    def _validate(self, program: Program) -> Answer:
        if program.kind != ".wasm":
            return Unsupported(what=f"{program.kind}: the text format is the assembler's matter")
        try:
            wasmtime.Module.validate(self._engine, program.read())
        except wasmtime.WasmtimeError as error:
            return Refused(kind="invalid", message=str(error))
        except LikewiseError as error:
            return Refused(kind=error.slug, message=str(error))
        return Answered(data=True)

    def _memory(self) -> Any:
        if "" in self._instances:
            for item in self._instances[""][0].exports(self._store).by_index:
                if isinstance(item, wasmtime.Memory):
                    return item
        return None

    def _read_memory(self, at: int | str, length: int | None) -> Answer:
        memory = self._memory()
        if memory is None or not isinstance(at, int):
            return Unsupported(what="memory that the program does not export, or by name")
        count = 1 if length is None else length
        if not 0 <= at <= at + count <= memory.data_len(self._store):
            return Refused(kind="trap", message=traps.MEMORY)
        return Answered(data=bytes(memory.read(self._store, at, at + count)))

    def _write_memory(self, at: int | str, data: Any) -> Answer:
        memory = self._memory()
        if memory is None or not isinstance(at, int):
            return Unsupported(what="memory that the program does not export, or by name")
        raw = data.data if isinstance(data, Number) else data
        if not isinstance(raw, bytes | bytearray):
            return Refused(kind="untyped", message=f"{data!r} has no width; give bytes or a typed number")
        if not 0 <= at <= at + len(raw) <= memory.data_len(self._store):
            return Refused(kind="trap", message=traps.MEMORY)
        memory.write(self._store, bytes(raw), at)
        return Answered()


def _results(raw: Any, kinds: Sequence[tuple[Any, int]]) -> Data:
    if not kinds:
        return None
    if len(kinds) == 1:
        kind, mask = kinds[0]
        return Number(kind, raw & mask)
    return [Number(kind, each & mask) for each, (kind, mask) in zip(raw, kinds, strict=True)]


def _wording(trap: Any) -> str:
    text = str(trap.message)
    cause = text.partition("Caused by:")[2] or text
    return traps.named(cause) or traps.named(text) or cause.strip()


def open_testee(name: str, options: Mapping[str, object]) -> Wasmtime:
    """`kind = "wasm"`: `unknown_imports` is "trap" (when called), "refuse" or "default" (to 0)."""
    for option in options:
        if option not in ("unknown_imports", "root"):
            raise ConfigurationError(
                f"unknown option {option!r}", where=f"board {name!r}", todo="Known: unknown_imports."
            )
    unknown = str(options.get("unknown_imports", "trap"))
    if unknown not in ("trap", "refuse", "default"):
        raise ConfigurationError(
            f"unknown_imports is {unknown!r}", where=f"board {name!r}", todo="Give trap, refuse or default."
        )
    return Wasmtime(name, unknown_imports=unknown)
