"""A testee that answers what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from likewise.device.commands import Command, Invoke
from likewise.device.flakiness import ONCE, Analysis
from likewise.device.fleet import Fleet
from likewise.device.inventory import Board
from likewise.device.program import Program
from likewise.device.results import SuiteReport
from likewise.device.scenario import Scenario, Suite
from likewise.device.testee import Answer, Answered, Call, DeviceError, Limits, Unsupported, ends_run

Reply = Answer | Callable[[], Answer] | Exception


class Scripted:
    """Answers each function with what `replies` has for its name; counts what is done to it."""

    __test__ = False
    version = "scripted"

    def __init__(self, name: str = "board", *, batch: int = 1, **replies: Reply) -> None:
        self.name, self.batch, self.replies = name, batch, replies
        self.uploads: list[str] = []
        self.log: list[str] = []
        self.refuses: dict[str, Exception] = {}
        self.recovery: Exception | None = None
        self.connection: Exception | None = None

    def connect(self, limits: Limits) -> None:
        self.log.append("connect")
        if self.connection is not None:
            raise self.connection

    def upload(self, program: Program, limits: Limits) -> None:
        self.uploads.append(program.title)
        self.log.append(f"upload {program.title}")
        if program.title in self.refuses:
            raise self.refuses[program.title]

    def reset(self, limits: Limits) -> None:
        self.log.append("reset")

    def execute(self, calls: Sequence[Call]) -> list[Answer]:
        answers: list[Answer] = []
        for call in calls:
            answer = self._answer(call.command)
            answers.append(answer)
            if ends_run(answer):
                break
        return answers

    def _answer(self, command: Command) -> Answer:
        self.log.append(command.name)
        if not isinstance(command, Invoke):
            return Unsupported(what=command.name)
        reply = self.replies.get(command.function, Answered(data=None))
        if isinstance(reply, Exception):
            raise reply
        return reply() if callable(reply) else reply

    def recover(self, limits: Limits) -> None:
        self.log.append("recover")
        if self.recovery is not None:
            raise self.recovery

    def close(self) -> None:
        self.log.append("close")


def board(name: str = "board") -> Board:
    return Board(name=name, kind="scripted", exclusive=False)


def run(
    scenarios: Sequence[Scenario] | Suite,
    *testees: Scripted,
    share: bool = False,
    schedule: str = "default",
    limits: Limits | None = None,
    analysis: Analysis = ONCE,
    **named: object,
) -> SuiteReport:
    """A suite on scripted testees."""
    boards = list(testees) or [Scripted()]
    suite = (
        scenarios
        if isinstance(scenarios, Suite)
        else Suite(
            scenarios=scenarios, share=share, schedule=schedule, limits=limits or Limits(step=1, action=1)
        )
    )
    by_name = {each.name: each for each in boards}
    return Fleet(
        suite,
        [board(each.name) for each in boards],
        analysis=analysis,
        open_testee=lambda each: by_name[each.name],
        **named,  # type: ignore[arg-type]
    ).run()


__all__ = ["DeviceError", "Scripted", "board", "run"]
