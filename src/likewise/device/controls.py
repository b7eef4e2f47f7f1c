"""What an action, or a plain test, holds of a testee: its commands as methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from likewise.device import language
from likewise.device.commands import Argument, Command, Location, Reset, Upload
from likewise.device.expectations import plain
from likewise.device.program import Program, ProgramRefused, program
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
    Crashed,
    DeviceError,
    LimitReached,
    Limits,
    Lost,
    Refused,
    Testee,
    TimedOut,
    Unsupported,
    WithArguments,
)
from likewise.device.values import Number
from likewise.model import LikewiseError


class CommandFailed(LikewiseError):
    """A command did not complete; `answer` says how."""

    slug = "command-failed"

    def __init__(self, what: str, answer: Answer, *, where: str) -> None:
        self.answer = answer
        super().__init__(what, where=where)


class CommandUnsupported(CommandFailed):
    """The testee has no such command."""

    slug = "unsupported"


class Taken(LikewiseError):
    """An action went on using the testee after its time was over."""

    slug = "testee-taken"


def describe(answer: Answer) -> str:
    """An answer in a few words."""
    match answer:
        case Answered():
            return "completed"
        case Refused() | Crashed():
            what = f"{answer.kind}: {answer.message}" if answer.message else answer.kind
            return what if isinstance(answer, Refused) else f"the program crashed ({what})"
        case TimedOut():
            return f"no answer within {answer.after:g} s"
        case Lost():
            return f"the testee was lost: {answer.reason}"
        case Unsupported():
            return f"unsupported{f': {answer.what}' if answer.what else ''}"


def perform(testee: Testee, command: Command, limit: float, limits: Limits) -> Answer:
    """Execute one command, uploads and resets included; whatever happens is its answer."""
    try:
        if isinstance(command, Upload):
            testee.upload(command.program, limits)
            return Answered()
        if isinstance(command, Reset):
            testee.reset(limits)
            return Answered()
    except (ProgramRefused, DeviceError) as error:
        return answer_to(error)
    return testee.execute([Call(command, limit)])[0]


def answer_to(error: ProgramRefused | DeviceError) -> Answer:
    """What was raised outside of any command, as an answer."""
    if isinstance(error, ProgramRefused):
        return Refused(kind="program refused", message=str(error))
    return TimedOut(after=error.after) if isinstance(error, LimitReached) else Lost(reason=str(error))


class Controls:
    """A testee as actions and plain tests use it: plain values, and exceptions where a command fails."""

    __test__ = False

    def __init__(self, testee: Testee, limits: Limits, *, folder: Path | None = None) -> None:
        self._testee, self._limits, self._folder = testee, limits, folder
        self._is_over = False
        self.answer: Answer | None = None
        """What the last command answered: machine types, and memory that was passed by pointer."""
        self.trouble: Answer | None = None
        """The first answer after which the testee has to be recovered."""
        self.uploaded: Program | None = None

    @property
    def name(self) -> str:
        """The board's name."""
        return self._testee.name

    def retire(self) -> None:
        """Take the testee back: whoever still holds this is refused from now on."""
        self._is_over = True

    def ask(self, command: Command, *, timeout: float | None = None) -> Answer:
        """Execute a command; its answer, whatever it is."""
        if self._is_over:
            raise Taken(
                "the testee is no longer yours", where=self.name, why="the time for this action is over"
            )
        if self.trouble is not None:
            return Lost(reason=f"an earlier command took the testee away: {describe(self.trouble)}")
        answer = perform(self._testee, command, timeout or self._limits.step, self._limits)
        self.answer = answer
        if isinstance(answer, Crashed | TimedOut | Lost):
            self.trouble = answer
        elif isinstance(command, Upload):
            self.uploaded = command.program
        return answer

    def execute(self, command: Command, *, timeout: float | None = None) -> Any:
        """Execute a command; the result as Python has it. Raises CommandFailed."""
        answer = self.ask(command, timeout=timeout)
        if isinstance(answer, Answered):
            data = answer.data
            return plain(data["result"] if isinstance(data, WithArguments) else data)
        kind = CommandUnsupported if isinstance(answer, Unsupported) else CommandFailed
        raise kind(f"{command.name}: {describe(answer)}", answer, where=self.name)

    def invoke(self, function: str, *arguments: Argument, timeout: float | None = None) -> Any:
        """Call a function."""
        return self.execute(language.invoke(function, *arguments), timeout=timeout)

    def upload(self, given: Program | str | Path) -> None:
        """Replace the program."""
        self.execute(Upload(program(given, beside=self._folder)))

    def reset(self) -> None:
        """Start again, as after the upload."""
        self.execute(language.reset())

    def set_local(self, local: str | int, value: float | Number) -> Any:
        """Change a local variable."""
        return self.execute(language.set_local(local, value))

    def pause(self) -> Any:
        """Stop the program where it is."""
        return self.execute(language.pause())

    def resume(self) -> Any:
        """Let the program run."""
        return self.execute(language.resume())

    def set_breakpoint(self, at: Location | str | int) -> Any:
        """Stop there."""
        return self.execute(language.set_breakpoint(at))

    def delete_breakpoint(self, at: Location | str | int) -> Any:
        """No longer stop there."""
        return self.execute(language.delete_breakpoint(at))

    def step(self) -> Any:
        """Go on to the next line, into functions."""
        return self.execute(language.step())

    def step_over(self) -> Any:
        """Go on to the next line of this function."""
        return self.execute(language.step_over())

    def run_until(self, at: Location | str | int, *, timeout: float | None = None) -> Any:
        """Run until there."""
        return self.execute(language.run_until(at), timeout=timeout)

    def wait_for_breakpoint(
        self, at: Location | str | int | None = None, *, timeout: float | None = None
    ) -> Any:
        """Wait until the program stops at a breakpoint."""
        return self.execute(language.wait_for_breakpoint(at), timeout=timeout)

    def dump(self) -> Any:
        """Where the program is."""
        return self.execute(language.dump())

    def dump_locals(self) -> Any:
        """The local variables."""
        return self.execute(language.dump_locals())

    def dump_callbacks(self) -> Any:
        """The callbacks."""
        return self.execute(language.dump_callbacks())

    def read_memory(self, at: int | str, length: int | None = None) -> Any:
        """Bytes at an address, or a global variable."""
        return self.execute(language.read_memory(at, length))

    def write_memory(self, at: int | str, data: bytes | float | Number) -> Any:
        """Change bytes or a global variable."""
        return self.execute(language.write_memory(at, data))

    def send(self, data: bytes | str) -> Any:
        """Send bytes to the program."""
        return self.execute(language.send(data))

    def receive(self, until: bytes = b"\n", *, count: int = 0, timeout: float | None = None) -> Any:
        """Wait for bytes from the program."""
        return self.execute(language.receive(until, count=count), timeout=timeout)

    def evaluate(self, source: str, *, timeout: float | None = None) -> Any:
        """Run source text on an interpreter."""
        return self.execute(language.evaluate(source), timeout=timeout)
