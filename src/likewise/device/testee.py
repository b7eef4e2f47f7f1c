"""What every testee is to the rest: connect, upload, execute commands, reset, recover, close.

A new testee is one file in `likewise.device.testees`, the link below it one in `likewise.device.links`.
Commands are types, results are data: whatever happens while a command is executed is its answer.
What happens outside of commands (connect, upload, reset, recover) is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, Protocol, runtime_checkable

from likewise.device.commands import Command
from likewise.device.program import Program
from likewise.device.values import Number
from likewise.model import ConfigurationError, LikewiseError, Lost, Raised, Returned, TimedOut
from likewise.model.tuples import maker

Data = None | bool | int | float | str | bytes | Number | list["Data"] | dict[str, "Data"]
"""What an answer carries: plain data, with `Number` where a machine's type is known."""


class WithArguments(dict[str, Data]):
    """A call's `result` with what its `arguments` hold afterwards. Expected as a whole, it is its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The command completed. Expectations name paths in `data`: `"callstack[0].function"`."""

    data: Data = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The command was understood and did not succeed (a trap, no such function); the testee goes on."""

    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed:
    """The program died of the command (a fault); the testee must be recovered before it goes on."""

    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """This testee has no such command: neither pass nor fail."""

    what: str = ""


Answer = Answered | Refused | Crashed | TimedOut | Lost | Unsupported
"""`TimedOut` and `Lost` are the core's: no answer within the limit; the link or the testee is gone."""


class Call(NamedTuple):
    """One command with its time limit in seconds."""

    command: Command
    limit: float


called = maker(Call)
"""A call, of command and limit; made for every step."""


def ends_run(answer: Answer) -> bool:
    """Whether nothing more can be executed before the testee is recovered."""
    return isinstance(answer, Crashed | TimedOut | Lost)


def one_by_one(calls: Sequence[Call], answer: Callable[[Call], Answer]) -> list[Answer]:
    """Execute one call after the other, up to the first answer that ends the run."""
    answers: list[Answer] = []
    for call in calls:
        answers.append(answer(call))
        if ends_run(answers[-1]):
            break
    return answers


class DeviceError(LikewiseError):
    """Something about a board or its link, outside of any command."""

    slug = "device"


class LinkLost(DeviceError):
    """The link to a testee broke: unplugged, closed, its process ended."""

    slug = "link-lost"


class LimitReached(DeviceError):
    """What was awaited did not come within its limit, or not for as long as it was given."""

    slug = "limit-reached"

    def __init__(self, awaited: str, *, after: float, where: str = "", why: str = "", todo: str = "") -> None:
        self.awaited, self.after = awaited, after
        super().__init__(f"no {awaited} within {after:g} s", where=where, why=why, todo=todo)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long each kind of wait may take, in seconds; a step may say its own."""

    step: float = 5.0
    connect: float = 10.0
    upload: float = 30.0
    compile: float = 300.0
    """Zig builds its own library first, once."""
    reset: float = 5.0
    action: float = 10.0
    recover: float = 10.0

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not 0 < value < inf:
                raise ConfigurationError(
                    f"a time limit of {value!r} s", where=f"Limits({name}=…)", todo="Give seconds above 0."
                )


@runtime_checkable
class Testee(Protocol):
    """One board, simulator or virtual machine. Used by one thread at a time.

    `name` is the board's name in the inventory; `version` what stands behind it, for recordings.
    `batch` is how many commands are worth sending together (1: one by one).
    """

    __test__: bool = False  # not a test class, whatever pytest thinks of its name

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def batch(self) -> int: ...

    def connect(self, limits: Limits) -> None:
        """Start or attach to the testee. Raises DeviceError; nothing stays running where it does."""
        ...

    def upload(self, program: Program, limits: Limits) -> None:
        """Make this the program, ready from its first instruction. Raises DeviceError or ProgramRefused.

        Memory is as a fresh upload leaves it; breakpoints are gone.
        """
        ...

    def reset(self, limits: Limits) -> None:
        """Back to the state after the upload, without another one. Raises DeviceError."""
        ...

    def execute(self, calls: Sequence[Call]) -> Sequence[Answer]:
        """Execute commands in order and answer each; at least one is answered.

        Ends after an answer that `ends_run`, which is the last one then: it belongs to exactly the
        command that hung or crashed. May answer fewer commands than given; the rest is asked again.
        Never raises for what a testee or link does.
        """
        ...

    def recover(self, limits: Limits) -> None:
        """After a hang, crash or loss: interrupt, reset or restart, whatever it takes.

        Afterwards `reset` (where the program survived) or `upload` works. Raises DeviceError where
        nothing helps; the board is given up then.
        """
        ...

    def close(self) -> None:
        """Let go of everything; nothing stays running. May be called twice, and in any state."""
        ...


class Opener(Protocol):
    """How the inventory makes a testee: `kind = "unicorn"` names a class or function like this."""

    def __call__(self, name: str, options: Mapping[str, object]) -> Testee:
        """A testee that is not yet connected. Raises ConfigurationError for options it does not know."""
        ...


__all__ = [
    "Answer",
    "Answered",
    "Call",
    "Crashed",
    "Data",
    "DeviceError",
    "LimitReached",
    "Limits",
    "LinkLost",
    "Lost",
    "Opener",
    "Raised",
    "Refused",
    "Returned",
    "Testee",
    "TimedOut",
    "Unsupported",
    "WithArguments",
    "ends_run",
    "one_by_one",
]
