"""Commands carried out on a WARDuino: what is sent for each, what its reply means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatchmethod

from likewise.device import commands
from likewise.device.commands import Argument, Command, Location
from likewise.device.links import Deadline
from likewise.device.testee import Answer, Answered, Data, LimitReached, Refused, Unsupported
from likewise.device.warduino import messages, state
from likewise.device.warduino.commands import (
    ContinueFor,
    DumpAll,
    DumpEvents,
    Halt,
    Inspect,
    PopEvent,
    PushEvent,
)
from likewise.device.warduino.dialogue import Dialogue
from likewise.device.warduino.messages import PARTS, Code
from likewise.device.warduino.outcomes import CHATTER, Outcome, Returned, Trapped, outcome_of
from likewise.device.warduino.replies import (
    At,
    BreakpointSet,
    LocalSet,
    NotAReply,
    Reply,
    Structure,
    Text,
    Word,
)
from likewise.device.warduino.replies import typed as typed_value
from likewise.device.wasm import traps
from likewise.device.wasm.arguments import ArgumentsRefused, fit, number
from likewise.device.wasm.assembling import Assembled
from likewise.device.wasm.locations import offset, place

LOOKS = 5
"""How often the program counter is read after a step: the machine says STEP before it takes it."""


class Control:
    """One machine: the program on it, its breakpoints, whether it runs."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self._program: Assembled | None = None
        self._floats = 10
        self._breakpoints: set[int] = set()
        self._runs = False

    def load(self, program: Assembled, floats: int) -> None:
        """This program is on the machine now, paused at its beginning."""
        self._program, self._floats, self._runs = program, floats, False
        self._breakpoints.clear()
        self.dialogue.forget_stops()

    def prepare(self, deadline: Deadline, *, pauses: bool = False) -> None:
        """Pause what runs, and remove the breakpoints."""
        if self._runs or pauses:
            self._word(Code.PAUSE, "PAUSE", deadline)
            self._runs = False
        for address in tuple(self._breakpoints):
            self._set_breakpoint(address, deadline, is_added=False)
        self.dialogue.forget_stops()

    def restart(self, deadline: Deadline, *, pauses: bool = False) -> None:
        """Reset the program."""
        self.prepare(deadline, pauses=pauses)
        self._word(Code.RESET, "RESET", deadline)

    @singledispatchmethod
    def answer(self, command: Command, deadline: Deadline) -> Answer:
        """Carry out one command. Raises DeviceError or NotAReply, or what the command itself makes wrong."""
        return Unsupported(what=f"{command.name} on WARDuino")

    @answer.register
    def _(self, command: commands.Invoke, deadline: Deadline) -> Answer:
        return self._invoke(command.function, command.arguments, deadline)

    def _invoke(self, name: str, arguments: Sequence[Argument], deadline: Deadline) -> Answer:
        function = self._program.module.function(name) if self._program is not None else None
        if function is None:
            return Refused(kind="no such function", message=f"the program has no function {name!r}")
        try:
            given = fit(name, function.signature, arguments)
        except ArgumentsRefused as error:
            return Refused(kind=error.slug, message=str(error))
        what = f"reply to the invocation of {name} (function {function.index})"
        message = messages.invoke(function.index, given)
        assert self._program is not None
        can_print = any(each.kind == "function" for each in self._program.module.imports)
        said: list[str] = []

        def outcome(reply: Reply) -> Outcome | None:
            if isinstance(reply, Text) and not can_print and not CHATTER.match(reply.text):
                said.append(reply.text)
            return outcome_of(reply)

        def last_words() -> Outcome | None:
            """A program that cannot print has said nothing: it was the machine, whatever its wording."""
            return Trapped(" ".join(said)) if said else None

        results = function.signature.results
        is_unclear = state.may_be_left_over(function)
        before = self._frames(deadline) if is_unclear else []
        reply = self.dialogue.ask(Code.INVOKE, message, outcome, deadline, what, in_silence=last_words)
        if isinstance(reply, Trapped):
            return Refused(kind="trap", message=reply.text)
        assert isinstance(reply, Returned)
        has_returned = state.depth(reply.value) == len(results)
        if not has_returned or (is_unclear and self._is_inside(function.index, before, deadline)):
            return Refused(kind="trap", message=f"{name} did not return, and the machine does not say why")
        return Answered(data=state.result(reply.value, results, floats=self._floats))

    def _frames(self, deadline: Deadline) -> list[object]:
        return _items(self._inspect(("pc", "callstack"), deadline).get("callstack"))

    def _is_inside(self, function: int, before: list[object], deadline: Deadline) -> bool:
        """Whether a call has left its frames: one that returned leaves none, or those from before.

        Those of a program that runs meanwhile are others.
        """
        after = self._frames(deadline)
        if not after or after == before:
            return False
        return not self._runs or function in [
            state.whole(each.get("fidx", -1), "a function's index") for each in state.frames(after)
        ]

    @answer.register
    def _(self, command: commands.SetLocal, deadline: Deadline) -> Answer:
        seen = self._inspect(("pc", "callstack"), deadline)
        function = state.current(self._program, seen)
        if function is None:
            return Refused(kind="not in a function", message="the program stands in no function")
        wanted = command.local
        index = function.local(wanted)
        if index is None:
            return Refused(kind="no such local", message=f"{function.name} has no local {wanted!r}")
        value = number(command.value, function.locals[index], f"local {wanted}")

        def is_set(reply: Reply) -> bool | None:
            return (isinstance(reply, LocalSet) and reply.index == index) or None

        message = messages.set_local(index, value)
        self.dialogue.ask(Code.SET_LOCAL, message, is_set, deadline, f"change of local {wanted}")
        return Answered()

    @answer.register
    def _(self, command: commands.Pause, deadline: Deadline) -> Answer:
        self._word(Code.PAUSE, "PAUSE", deadline)
        self._runs = False
        return Answered(data=self._stopped(self._pc(deadline)))

    @answer.register
    def _(self, command: commands.Resume, deadline: Deadline) -> Answer:
        self._resume(deadline)
        return Answered()

    @answer.register
    def _(self, command: commands.SetBreakpoint, deadline: Deadline) -> Answer:
        return Answered(data={"pc": self._set_breakpoint(self._offset(command.at), deadline, is_added=True)})

    @answer.register
    def _(self, command: commands.DeleteBreakpoint, deadline: Deadline) -> Answer:
        return Answered(data={"pc": self._set_breakpoint(self._offset(command.at), deadline, is_added=False)})

    @answer.register
    def _(self, command: commands.StepInto, deadline: Deadline) -> Answer:
        return self._step(Code.STEP, deadline)

    @answer.register
    def _(self, command: commands.StepOver, deadline: Deadline) -> Answer:
        return self._step(Code.STEP_OVER, deadline)

    @answer.register
    def _(self, command: commands.RunUntil, deadline: Deadline) -> Answer:
        address = self._offset(command.at)
        is_new = address not in self._breakpoints
        self._set_breakpoint(address, deadline, is_added=True)
        self._resume(deadline)
        try:
            stop = self._await_stop(address, deadline)
        finally:
            if is_new:
                self._set_breakpoint(address, Deadline(max(deadline.left, 0.5)), is_added=False)
        return Answered(data=self._stopped(stop.pc))

    @answer.register
    def _(self, command: commands.WaitForBreakpoint, deadline: Deadline) -> Answer:
        address = None if command.at is None else self._offset(command.at)
        return Answered(data=self._stopped(self._await_stop(address, deadline).pc))

    @answer.register
    def _(self, command: commands.Dump, deadline: Deadline) -> Answer:
        mode = "running" if self._runs else "paused"
        seen = self._structure(Code.DUMP, messages.message(Code.DUMP), deadline, "dump")
        self._runs = False
        pc = state.whole(seen.get("pc", -1), "the program counter")
        data = place(self._program, pc)
        data |= {"mode": mode, "callstack": state.callstack(self._program, seen.get("callstack"), pc)}
        data["breakpoints"] = [state.whole(each, "a breakpoint") for each in _items(seen.get("breakpoints"))]
        return Answered(data=data)

    @answer.register
    def _(self, command: commands.DumpLocals, deadline: Deadline) -> Answer:
        seen = self._inspect(("pc", "callstack", "stack"), deadline)
        function = state.current(self._program, seen)
        if function is None:
            return Refused(kind="not in a function", message="the program stands in no function")
        found = state.locals_on_stack(function, seen, floats=self._floats)
        if found is not None:
            return Answered(data=state.named(function, found))
        dumped = self._structure(
            Code.DUMP_LOCALS, messages.message(Code.DUMP_LOCALS), deadline, "dump of the locals"
        )
        data: dict[str, Data] = {}
        for rank, entry in enumerate(_items(dumped.get("locals"))):
            if isinstance(entry, dict):
                index = state.whole(entry.get("index", rank), "an index")
                names = function.local_names
                name = (names[index] if index < len(names) else "") or str(index)
                data[name] = typed_value(entry, floats=self._floats)
        return Answered(data=data)

    @answer.register
    def _(self, command: commands.DumpCallbacks, deadline: Deadline) -> Answer:
        message = messages.message(Code.DUMP_CALLBACKS)
        seen = self._structure(Code.DUMP_CALLBACKS, message, deadline, "dump of the callbacks", "callbacks")
        return Answered(data={"callbacks": _plain(seen.get("callbacks", []))})

    @answer.register
    def _(self, command: commands.ReadMemory, deadline: Deadline) -> Answer:
        if not isinstance(command.at, int):
            return Unsupported(what="memory by name on WARDuino")
        seen = self._inspect(("memory",), deadline).get("memory")
        raw = bytes(state.whole(each, "a byte") & 0xFF for each in _items(_member(seen, "bytes")))
        length = 1 if command.length is None else command.length
        if not 0 <= command.at <= command.at + length <= len(raw):
            return Refused(kind="trap", message=traps.MEMORY)
        return Answered(data=raw[command.at : command.at + length])

    @answer.register
    def _(self, command: Inspect, deadline: Deadline) -> Answer:
        unknown = [part for part in command.parts if part not in PARTS]
        if unknown:
            return Refused(kind="no such part", message=f"{unknown[0]!r}; there are {', '.join(PARTS)}")
        return Answered(data=_plain(self._inspect(command.parts, deadline)))

    @answer.register
    def _(self, command: ContinueFor, deadline: Deadline) -> Answer:
        message = messages.continue_for(command.count)
        self.dialogue.ask(Code.CONTINUE_FOR, message, _is_word("DONE"), deadline, "end of the instructions")
        self._runs = False
        return Answered()

    @answer.register
    def _(self, command: DumpAll, deadline: Deadline) -> Answer:
        seen = self._structure(Code.DUMP_ALL, messages.message(Code.DUMP_ALL), deadline, "dump of all", "pc")
        self._runs = False
        return Answered(data=_plain(seen))

    @answer.register
    def _(self, command: DumpEvents, deadline: Deadline) -> Answer:
        message = messages.message(Code.DUMP_EVENTS)
        seen = self._structure(Code.DUMP_EVENTS, message, deadline, "dump of the events", "events")
        found = state.events(seen)
        if not found:
            # The dump names no range, for which some versions show none of the events.
            found = state.events(self._inspect(("events",), deadline))
        return Answered(data={"events": found})

    @answer.register
    def _(self, command: PopEvent, deadline: Deadline) -> Answer:
        self.dialogue.tell(Code.POP_EVENT, messages.message(Code.POP_EVENT), deadline, "event taken")
        return Answered()

    @answer.register
    def _(self, command: PushEvent, deadline: Deadline) -> Answer:
        message = messages.push_event(command.topic, command.payload)
        self.dialogue.tell(Code.PUSH_EVENT, message, deadline, "event accepted")
        return Answered()

    @answer.register
    def _(self, command: Halt, deadline: Deadline) -> Answer:
        self._word(Code.HALT, "STOP", deadline)
        return Answered()

    def _stopped(self, pc: int) -> dict[str, Data]:
        return {**place(self._program, pc), "mode": "paused"}

    def _offset(self, at: Location) -> int:
        return offset(self._program, at)

    def _word(self, code: Code, word: str, deadline: Deadline) -> None:
        self.dialogue.ask(code, messages.message(code), _is_word(word), deadline, f"word {word}")

    def _resume(self, deadline: Deadline) -> None:
        self.dialogue.forget_stops()
        self._runs = True
        self._word(Code.RUN, "GO", deadline)

    def _set_breakpoint(self, address: int, deadline: Deadline, *, is_added: bool) -> int:
        def is_set(reply: Reply) -> bool | None:
            return (isinstance(reply, BreakpointSet) and reply.address == address) or None

        code = Code.ADD_BREAKPOINT if is_added else Code.REMOVE_BREAKPOINT
        message = messages.breakpoint_at(address, is_added=is_added)
        self.dialogue.ask(code, message, is_set, deadline, f"breakpoint at {address}")
        (self._breakpoints.add if is_added else self._breakpoints.discard)(address)
        return address

    def _await_stop(self, address: int | None, deadline: Deadline) -> At:
        while True:
            stop = self.dialogue.await_stop(deadline)
            self._runs = False
            if address is None or stop.pc == address:
                return stop
            raise NotAReply(f"it stopped at {stop.pc}, not at {address}")

    def _inspect(self, parts: Sequence[str], deadline: Deadline) -> dict[str, object]:
        wanted = parts[-1]
        return self._structure(
            Code.INSPECT, messages.inspect(parts), deadline, f"look at {', '.join(parts)}", wanted
        )

    def _structure(
        self, code: Code, message: bytes, deadline: Deadline, what: str, member: str = ""
    ) -> dict[str, object]:
        def has_member(reply: Reply) -> dict[str, object] | None:
            fits = isinstance(reply, Structure) and (not member or member in reply.value)
            return reply.value if isinstance(reply, Structure) and fits else None

        return self.dialogue.ask(code, message, has_member, deadline, what)

    def _pc(self, deadline: Deadline) -> int:
        return state.whole(self._inspect(("pc",), deadline).get("pc"), "the program counter")

    def _step(self, code: Code, deadline: Deadline) -> Answer:
        """Instruction by instruction to the next source line; one instruction where lines are unknown."""
        before = self._pc(deadline)
        start = place(self._program, before)
        pc = before
        while True:
            pc = self._instruction(code, pc, deadline)
            here = place(self._program, pc)
            is_elsewhere = (here["function"], here["line"]) != (start["function"], start["line"])
            if start["line"] is None or is_elsewhere:
                return Answered(data=self._stopped(pc))

    def _instruction(self, code: Code, pc: int, deadline: Deadline) -> int:
        def stepped(reply: Reply) -> Reply | None:
            return reply if reply == Word("STEP") or isinstance(reply, At) else None

        reply = self.dialogue.ask(code, messages.message(code), stepped, deadline, "step taken")
        if isinstance(reply, At):
            return reply.pc
        for _ in range(LOOKS):
            now = self._pc(deadline)
            if now != pc:
                break
        if deadline.is_over:
            raise LimitReached("next source line", after=deadline.limit, where=self.dialogue.link.description)
        return now


def _is_word(word: str) -> Callable[[Reply], bool | None]:
    return lambda reply: reply == Word(word) or None


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _plain(value: object) -> Data:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if isinstance(value, bool | int | float | str) else None
