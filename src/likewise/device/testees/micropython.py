"""MicroPython on a board or in QEMU, through its raw REPL; losses on the line are noticed and made good."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path

from likewise.device import commands
from likewise.device.commands import Argument, Command
from likewise.device.links import Deadline
from likewise.device.micropython import agent
from likewise.device.micropython.boards import FIRMWARE, Board, Microbit, OnSerialPort, OverTcp
from likewise.device.micropython.packing import (
    LONGEST,
    Called,
    Evaluated,
    Item,
    NotAResult,
    literal,
    result,
)
from likewise.device.micropython.repl import BlockFailed, Repl
from likewise.device.micropython.session import Session
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
    Unsupported,
)
from likewise.device.values import Number
from likewise.model import ConfigurationError

BATCH = 256
"""Handed over together; sent in messages of at most 32 steps, each ahead of the answer to the last."""

SMALL = 1 << 29
"""Whole numbers below this are machine words on the smallest devices; others travel as text."""


class MicroPython:
    """One device. Programs are .py files; functions are called by name, with dots where they need them."""

    __test__ = False

    def __init__(self, name: str, board: Board) -> None:
        self._name, self._board = name, board
        self._repl: Repl | None = None
        self._session: Session | None = None
        self._program: str | None = None
        self._lost = 0
        self._is_fresh = False

    @property
    def name(self) -> str:
        """The board's name."""
        return self._name

    @property
    def version(self) -> str:
        """What the board is; MicroPython tells its version only where it has room to."""
        return "MicroPython"

    @property
    def batch(self) -> int:
        """How many commands are handed over at once."""
        return BATCH

    @property
    def retries(self) -> int:
        """How often something had to be sent again because a part of it was lost."""
        repl = self._repl.losses if self._repl else 0
        return self._lost + repl + (self._session.retries if self._session else 0)

    def connect(self, limits: Limits) -> None:
        """Open the console and enter the raw REPL."""
        if self._repl is None:
            self._open(Deadline(limits.connect))

    def upload(self, program: Program, limits: Limits) -> None:
        """Reboot softly and run the program there."""
        if program.kind != ".py":
            raise ProgramRefused(
                f"{program.kind or 'a program without a suffix'} is nothing that MicroPython runs",
                where=program.title,
                todo="Give a .py file.",
            )
        source = program.read().decode("utf-8", "replace")
        self._program = None
        self._begin(source, program.title, Deadline(limits.upload))
        self._program = source

    def reset(self, limits: Limits) -> None:
        """Reboot softly and run the program again; MicroPython keeps nothing over a reboot."""
        if self._program is None:
            raise DeviceError("there is no program to start", where=self._name, todo="Upload one first.")
        self._begin(self._program, "the program", Deadline(max(limits.reset, limits.upload)))

    def execute(self, calls: Sequence[Call]) -> Sequence[Answer]:
        """As many calls as go together, up to the first that is not for the agent."""
        items: list[Item] = []
        limits: list[float] = []
        for call in calls:
            item = self._item(call.command)
            if not isinstance(item, Called | Evaluated):
                if items:
                    break
                return [item]
            items.append(item)
            limits.append(call.limit)
        return self._perform(items, limits)

    def recover(self, limits: Limits) -> None:
        """Interrupt and reboot; a board in QEMU is started anew."""
        deadline = Deadline(limits.recover)
        self._end_session()
        self._is_fresh = False
        if self._board.starts or self._repl is None:
            self._close_link()
            self._open(deadline)
            return
        try:
            self._repl.reboot(Deadline(deadline.left / 2))
        except DeviceError:
            self._close_link()
            self._open(deadline)

    def close(self) -> None:
        """Close the console."""
        self._close_link()
        self._program = None

    def _open(self, deadline: Deadline) -> None:
        link = self._board.open(deadline)
        self._repl = Repl(link)
        try:
            self._repl.enter(deadline)
        except BaseException:
            self._close_link()
            raise
        self._is_fresh = self._board.starts

    def _end_session(self) -> None:
        session, self._session = self._session, None
        self._lost += session.retries if session else 0

    def _close_link(self) -> None:
        self._end_session()
        repl, self._repl = self._repl, None
        if repl is not None:
            self._lost += repl.losses
            repl.link.close()

    def _begin(self, source: str, title: str, deadline: Deadline) -> None:
        if self._repl is None:
            raise DeviceError("not connected", where=self._name)
        self._end_session()
        if not self._is_fresh:
            self._repl.reboot(deadline)
        self._is_fresh = False
        self._repl.load(agent.SOURCE, deadline, what="agent")
        try:
            self._repl.load(source, deadline, what=title)
        except BlockFailed as error:
            raise ProgramRefused("the program does not run", where=title, why=error.why) from error
        session = Session(self._repl)
        session.begin(deadline)
        self._session = session

    def _perform(self, items: Sequence[Item], limits: Sequence[float]) -> Sequence[Answer]:
        if self._session is None:
            return [Lost(reason=f"{self._name} runs no program")]
        try:
            outcome = self._session.perform(items, limits)
            answers: list[Answer] = [result(each) for each in outcome.results]
        except LinkLost as error:
            return [Lost(reason=str(error))]
        except (LimitReached, NotAResult) as error:
            return [Lost(reason=f"no answer could be had without losses: {error}")]
        if outcome.hung:
            answers.append(TimedOut(after=limits[len(answers)]))
        return answers

    def _item(self, command: Command) -> Item | Answer:
        match command:
            case commands.Invoke(function=function, arguments=arguments):
                return _call(function, arguments)
            case commands.Evaluate(source=source):
                return _evaluation(source)
            case commands.DumpLocals():
                return Unsupported(what="locals: MicroPython has no debugger")
            case _:
                return Unsupported(what=f"{command.name} on MicroPython")


def _call(function: str, arguments: Sequence[Argument]) -> Item | Answer:
    plain = [each.value if isinstance(each, Number) else each for each in arguments]
    for each in plain:
        if not isinstance(each, int | float | str | bytes | bytearray | None):
            return Unsupported(what=f"an argument like {each!r} on MicroPython")
    whole = [each for each in plain if type(each) is int and -SMALL < each < SMALL]
    if (
        len(whole) == len(plain)
        and all(-SMALL < each < SMALL for each in whole)
        and function.isidentifier()
        and len(plain) < 10
    ):
        return Called(function, tuple(whole))
    return _line(f"{function}({','.join(literal(each) for each in plain)})")


def _evaluation(source: str) -> Item | Answer:
    try:
        ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return _line(f"exec({source!r},globals())")
    return _line(" ".join(source.strip().splitlines()) if "\n" not in source.strip() else f"eval({source!r})")


def _line(source: str) -> Item | Answer:
    if len(source.encode()) > LONGEST - 1:
        return Refused(
            kind="too long", message=f"{len(source)} characters; {LONGEST - 1} can be sent at once"
        )
    return Evaluated(source)


def open_testee(name: str, options: Mapping[str, object]) -> MicroPython:
    """`kind = "micropython"`: `port` (serial port or pty, with `baud`) or `address` ("host:port")."""
    where = f"board {name!r}"
    _check(options, ("port", "baud", "address"), where)
    if ("port" in options) == ("address" in options):
        raise ConfigurationError(
            "it must be said where the board is",
            where=where,
            todo='Give port = "/dev/ttyACM0" or address = "host:port".',
        )
    if "port" in options:
        return MicroPython(name, OnSerialPort(str(options["port"]), int(str(options.get("baud", 115200)))))
    host, _, port = str(options["address"]).rpartition(":")
    if not port.isdigit():
        raise ConfigurationError(f"address is {options['address']!r}", where=where, todo='Give "host:port".')
    return MicroPython(name, OverTcp(host or "127.0.0.1", int(port)))


def open_microbit(name: str, options: Mapping[str, object]) -> MicroPython:
    """`kind = "microbit"`: a micro:bit in QEMU; `firmware` names another .hex file."""
    _check(options, ("firmware",), f"board {name!r}")
    firmware = Path(str(options.get("root", "."))) / str(options.get("firmware", FIRMWARE))
    return MicroPython(name, Microbit(firmware))


def _check(options: Mapping[str, object], known: Sequence[str], where: str) -> None:
    for option in options:
        if option not in (*known, "root"):
            todo = f"Known: {', '.join(known)}."
            raise ConfigurationError(f"unknown option {option!r}", where=where, todo=todo)
