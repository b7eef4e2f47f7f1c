"""WARDuino, a WebAssembly virtual machine for microcontrollers, through its debug protocol (0.8)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from likewise.device.commands import Command
from likewise.device.links import Deadline
from likewise.device.program import Program, ProgramRefused
from likewise.device.testee import (
    Answer,
    Call,
    DeviceError,
    LimitReached,
    Limits,
    LinkLost,
    Lost,
    Refused,
    TimedOut,
    one_by_one,
)
from likewise.device.values import f32
from likewise.device.warduino import messages
from likewise.device.warduino.control import Control
from likewise.device.warduino.dialogue import Dialogue
from likewise.device.warduino.machines import Board, Machine, Server, Spawned
from likewise.device.warduino.messages import Code
from likewise.device.warduino.replies import Reply, Structure, Word
from likewise.device.wasm import patterns
from likewise.device.wasm.assembling import Assembled, assemble
from likewise.model import ConfigurationError, LikewiseError

BATCH = 64
"""Handed over together; sent one by one, since the machine answers nested calls out of order."""
ONE = f32(1.0)


class Warduino:
    """One virtual machine or board. What can be asked of it is in `likewise.device.warduino.control`."""

    __test__ = False

    def __init__(self, name: str, machine: Machine, *, floats: str = "auto", updates: bool = False) -> None:
        """`updates` replaces programs in a machine that runs, instead of starting it anew."""
        self._name, self._machine = name, machine
        self._floats = {"decimal": 10, "hex": 16}.get(floats)
        self._updates = updates or not machine.starts_programs
        self._program: Assembled | None = None
        self._control: Control | None = None

    @property
    def name(self) -> str:
        """The board's name."""
        return self._name

    @property
    def version(self) -> str:
        """The protocol; the machine does not tell its version."""
        return "WARDuino, debug protocol 0.8"

    @property
    def batch(self) -> int:
        """How many commands are handed over at once."""
        return BATCH

    def connect(self, limits: Limits) -> None:
        """Open the link; a machine that is started for us is asked how it writes floats."""
        if self._control is not None:
            return
        deadline = Deadline(limits.connect)
        blank = patterns.constant_module("f32", ONE.data)
        self._open(blank, deadline)
        if self._machine.starts_programs and self._floats is None:
            self._learn_floats(deadline)

    def upload(self, program: Program, limits: Limits) -> None:
        """Assemble the program, and start the machine with it or replace the module in it."""
        assembled = assemble(program, limits.compile)
        deadline = Deadline(limits.upload)
        self._program = None
        if self._updates:
            self._update(program.title, assembled, deadline)
        else:
            self._open(assembled.data, deadline)
        self._program = assembled
        self._require().load(assembled, self._floats or 10)

    def reset(self, limits: Limits) -> None:
        """Back to the first instruction, paused, without breakpoints."""
        self._require().restart(Deadline(limits.reset))

    def execute(self, calls: Sequence[Call]) -> Sequence[Answer]:
        """One command after the other, each bound to its own echo."""
        return one_by_one(calls, lambda call: self._answer(call.command, call.limit))

    def _answer(self, command: Command, limit: float) -> Answer:
        control = self._control
        if control is None:
            return Lost(reason=f"{self._name} is not connected")
        try:
            return control.answer(command, Deadline(limit))
        except LimitReached:
            return TimedOut(after=limit)
        except LinkLost as error:
            return Lost(reason=str(error))
        except LikewiseError as error:
            return Refused(kind=error.slug, message=str(error))

    def recover(self, limits: Limits) -> None:
        """Start the machine anew; one that is not ours is paused and reset, over a new link if need be."""
        deadline = Deadline(limits.recover)
        program = self._program
        if self._machine.starts_programs:
            self._open(program.data if program else patterns.constant_module("f32", ONE.data), deadline)
        else:
            self._calm(deadline)
        if program is not None:
            self._require().load(program, self._floats or 10)

    def close(self) -> None:
        """Close the link; a machine that was started for us ends."""
        control, self._control = self._control, None
        if control is not None:
            control.dialogue.link.close()

    def _require(self) -> Control:
        if self._control is None:
            raise DeviceError("not connected", where=self._name)
        return self._control

    def _open(self, program: bytes, deadline: Deadline) -> None:
        self.close()
        self._control = Control(Dialogue(self._machine.open(program, deadline)))

    def _calm(self, deadline: Deadline) -> None:
        """Pause and reset a machine that cannot be started anew."""
        attempts = 2 if self._control is not None else 1
        for attempt in range(attempts):
            try:
                if attempt or self._control is None:
                    self._open(b"", deadline)
                self._require().restart(
                    Deadline(max(deadline.left / (attempts - attempt), 0.05)), pauses=True
                )
                return
            except DeviceError:
                if attempt == attempts - 1:
                    self.close()
                    raise

    def _update(self, title: str, assembled: Assembled, deadline: Deadline) -> None:
        has_floats = any(patterns.needs_adapter(each.signature) for each in assembled.module.functions)
        if has_floats and self._floats is None:
            self._replace(patterns.constant_module("f32", ONE.data), title, deadline)
            self._learn_floats(deadline)
        self._replace(assembled.data, title, deadline)

    def _replace(self, data: bytes, title: str, deadline: Deadline) -> None:
        control = self._require()
        control.prepare(deadline)

        def is_done(reply: Reply) -> bool | None:
            if reply == Word("REFUSED"):
                raise ProgramRefused("the machine does not take the module", where=title)
            return reply == Word("MODULE") or None

        message = messages.update_module(data)
        control.dialogue.ask(Code.UPDATE_MODULE, message, is_done, deadline, "module taken over")

    def _learn_floats(self, deadline: Deadline) -> None:
        """Versions write patterns of floats in decimal or in hexadecimal digits: 1.0 tells which.

        Nothing is assumed where no answer comes: the wrong base would make wrong verdicts.
        """

        def base(reply: Reply) -> int | None:
            stack = reply.value.get("stack") if isinstance(reply, Structure) else None
            if not isinstance(stack, list) or not stack or not isinstance(stack[-1], dict):
                return None
            written = str(stack[-1].get("value", "")).lower().removeprefix("0x")
            return {f"{ONE.bits:x}": 16, str(ONE.bits): 10}.get(written, 10)

        ask = self._require().dialogue.ask
        what = "float, to see how it is written (say so with `floats` if this cannot be asked)"
        self._floats = ask(Code.INVOKE, messages.invoke(1, ()), base, deadline, what)


def open_testee(name: str, options: Mapping[str, object]) -> Warduino:
    """`kind = "warduino"`: `command`, `address` ("host:port") or `port` (serial) says where it runs.

    `link` is "stdio" or "tcp" for a machine started by `command`; `baud` belongs to `port`; `floats` is
    "auto", "decimal" or "hex"; `upload` is "restart" or "update".
    """
    known = ("command", "link", "address", "port", "baud", "floats", "upload")
    where = f"board {name!r}"
    for option in options:
        if option not in (*known, "root"):
            raise ConfigurationError(
                f"unknown option {option!r}", where=where, todo=f"Known: {', '.join(known)}."
            )
    _one_of(options, "link", ("stdio", "tcp"), where)
    _one_of(options, "floats", ("auto", "decimal", "hex"), where)
    _one_of(options, "upload", ("restart", "update"), where)
    ways: dict[str, Callable[[object], Machine]] = {
        "command": lambda given: Spawned(_words(given), options.get("link", "stdio") == "tcp"),
        "address": lambda given: _server(str(given), where),
        "port": lambda given: Board(str(given), int(str(options.get("baud", 115200)))),
    }
    chosen = [way for way in ways if way in options]
    if len(chosen) != 1:
        raise ConfigurationError(
            "it must be said where the machine runs",
            where=where,
            why=f"{' and '.join(chosen)} are given" if chosen else "nothing is given",
            todo='Give one of command = ["wdcli"], address = "host:port", port = "/dev/ttyUSB0".',
        )
    machine = ways[chosen[0]](options[chosen[0]])
    return Warduino(
        name, machine, floats=str(options.get("floats", "auto")), updates=options.get("upload") == "update"
    )


def _one_of(options: Mapping[str, object], option: str, known: Sequence[str], where: str) -> None:
    if option in options and options[option] not in known:
        raise ConfigurationError(
            f"{option} is {options[option]!r}", where=where, todo=f"Give one of {', '.join(known)}."
        )


def _words(given: object) -> tuple[str, ...]:
    return tuple(shlex.split(given)) if isinstance(given, str) else tuple(str(each) for each in _list(given))


def _list(given: object) -> Sequence[object]:
    return given if isinstance(given, Sequence) else (given,)


def _server(address: str, where: str) -> Server:
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise ConfigurationError(f"address is {address!r}", where=where, todo='Give "host:port".')
    return Server(host or "127.0.0.1", int(port))
