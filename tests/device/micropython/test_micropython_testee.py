"""MicroPython on a micro:bit in QEMU: results, refusals, hangs, and a line that loses characters."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence

import pytest

from likewise.device.commands import Command, Dump, Evaluate, Invoke
from likewise.device.links import Deadline, Link
from likewise.device.micropython.boards import FIRMWARE, QEMU, Microbit
from likewise.device.program import Program, ProgramRefused
from likewise.device.testee import Answer, Answered, Call, Limits, Refused, TimedOut, Unsupported
from likewise.device.testees.micropython import MicroPython

pytestmark = [
    pytest.mark.server,
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which(QEMU) is None or not FIRMWARE.exists(), reason="no micro:bit in QEMU here"
    ),
]
LIMITS = Limits(connect=60.0, upload=120.0, reset=120.0, recover=60.0)
PROGRAM = Program(
    suffix=".py",
    text="""
def add(x, y):
    return x + y

def half(x):
    return x / 2

def hang():
    while True:
        pass

n = 0
def tick():
    global n
    n += 1
    print("ticking", n)
    return n
""",
)


class Lossy:
    """A link that loses every so many of the characters sent to the device."""

    def __init__(self, link: Link, rng: random.Random) -> None:
        self._link, self._rng = link, rng
        self.lost = 0
        self.is_lossy = False

    @property
    def description(self) -> str:
        return self._link.description

    def write(self, data: bytes, deadline: Deadline) -> None:
        if self.is_lossy and len(data) > 3 and self._rng.random() < 0.02:
            at = self._rng.randrange(len(data))
            data = data[:at] + data[at + 1 :]
            self.lost += 1
        self._link.write(data, deadline)

    def read(self, deadline: Deadline) -> bytes:
        return self._link.read(deadline)

    def close(self) -> None:
        self._link.close()


class LossyMicrobit(Microbit):
    """A micro:bit behind such a link."""

    __slots__ = ()
    link: Lossy | None = None

    def open(self, deadline: Deadline) -> Link:
        type(self).link = Lossy(Microbit.open(self, deadline), random.Random(3))
        assert type(self).link is not None
        return type(self).link


@pytest.fixture(scope="module")
def board() -> Iterator[MicroPython]:
    testee = MicroPython("microbit", LossyMicrobit())
    testee.connect(LIMITS)
    testee.upload(PROGRAM, LIMITS)
    yield testee
    testee.close()


def ask(testee: MicroPython, *commands: Command, limit: float = 20.0) -> Sequence[Answer]:
    return testee.execute([Call(each, limit) for each in commands])


def test_results_and_refusals_step_by_step(board: MicroPython) -> None:
    answers = ask(
        board,
        Invoke("add", (3, 4)),
        Invoke("add", (-5, 2**40)),
        Invoke("half", (3,)),
        Invoke("tick"),
        Invoke("tick"),
        Invoke("cube", (3,)),
        Invoke("add", ("a", "b")),
        Evaluate("n"),
        Evaluate("n = 7\nm = 3"),
        Evaluate("[n, m, (1, None)]"),
        Invoke("add", (1,)),
    )
    assert [each.data for each in answers[:5] if isinstance(each, Answered)] == [7, 2**40 - 5, 1.5, 1, 2]
    assert answers[5] == Refused(kind="NameError", message="name 'cube' is not defined")
    assert answers[6:10] == [
        Answered(data="ab"),
        Answered(data=2),
        Answered(data=None),
        Answered(data=[7, 3, [1, None]]),
    ]
    assert isinstance(answers[10], Refused)
    assert answers[10].kind == "TypeError"
    assert isinstance(ask(board, Dump())[0], Unsupported)


def test_no_wrong_verdict_where_characters_are_lost(board: MicroPython) -> None:
    """Each step is executed once and answered rightly; what was sent again is counted."""
    rng = random.Random(1)
    pairs = [(rng.randrange(1000), rng.randrange(1000)) for _ in range(400)]
    calls = [Call(Invoke("add", pair), 20.0) for pair in pairs]
    before = board.retries
    link = LossyMicrobit.link
    assert link is not None
    ask(board, Evaluate("n = 0"))
    link.is_lossy = True
    answers: list[Answer] = []
    while len(answers) < len(calls):
        answers += board.execute(calls[len(answers) :])
    ticks = ask(board, *[Invoke("tick")] * 64)
    link.is_lossy = False
    assert answers == [Answered(data=x + y) for x, y in pairs]
    assert ticks == [Answered(data=count) for count in range(1, 65)]
    assert link.lost > 0
    assert board.retries > before


def test_a_hang_is_pinned_to_its_step(board: MicroPython) -> None:
    answers = ask(board, Invoke("add", (1, 1)), Invoke("hang"), Invoke("add", (2, 2)), limit=2.0)
    assert answers == [Answered(data=2), TimedOut(after=2.0)]
    board.recover(LIMITS)
    board.reset(LIMITS)
    assert ask(board, Invoke("tick")) == [Answered(data=1)]


def test_what_follows_a_hang_is_not_executed_though_it_was_sent_ahead(board: MicroPython) -> None:
    board.reset(LIMITS)
    calls = [*[Invoke("tick")] * 31, Invoke("hang"), Invoke("tick"), Invoke("tick")]
    answers = ask(board, *calls, limit=2.0)
    assert answers == [*(Answered(data=n) for n in range(1, 32)), TimedOut(after=2.0)]
    assert ask(board, Evaluate("n")) == [Answered(data=31)]


def test_a_program_that_raises_is_refused(board: MicroPython) -> None:
    with pytest.raises(ProgramRefused, match="wrong from the start"):
        board.upload(Program(suffix=".py", text="raise ValueError('wrong from the start')"), LIMITS)
    board.upload(PROGRAM, LIMITS)
    assert ask(board, Invoke("add", (20, 22))) == [Answered(data=42)]
