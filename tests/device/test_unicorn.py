"""C programs on the processor in this process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from likewise.device import (
    Answered,
    Call,
    Command,
    Crashed,
    Limits,
    Program,
    ProgramRefused,
    Refused,
    TimedOut,
    buffer,
    delete_breakpoint,
    dump,
    dump_locals,
    f32,
    f64,
    i8,
    i32,
    i64,
    invoke,
    pause,
    read_memory,
    resume,
    run_until,
    set_breakpoint,
    set_local,
    step_over,
    struct,
    u8,
    wait_for_breakpoint,
    write_memory,
)
from likewise.device.cortex.layout import MACHINES
from likewise.device.cortex.room import Room
from likewise.device.inventory import Board
from likewise.device.testee import Answer, Testee
from likewise.device.testees.cortex import CortexTestee

pytestmark = pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="needs arm-none-eabi-gcc")

SOURCE = """
#include <stdint.h>
int add(int a, int b) { return a + b; }
int64_t twice(int64_t a) { return a * 2; }
float half(float x) { return x * 0.5f; }
double third(double x) { return x / 3.0; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
struct point { int x; short y; double z; unsigned low : 3; unsigned high : 5; };
void move(struct point *p, int d) { p->x += d; p->y += d; p->z *= 2; p->high = p->low; }
struct point make(int x) { struct point p = {x, 2, 3.0, 1, 2}; return p; }
int many(int a, int b, int c, int d, int e, int64_t f) { return a + 2*b + 3*c + 4*d + 5*e + (int)(f >> 32); }
int hang(void) { for (;;) {} }
int crash(void) { __asm__ volatile("udf #1"); return 0; }
int counter = 5;
int bump(void) { return ++counter; }
void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = 'a' + i; }
int8_t negate(int8_t x) { return -x; }
_Bool odd(unsigned x) { return x & 1; }
int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
int spend(int n) { volatile int i = 0; while (i < n) i++; return i; }
int deeper(int n) { volatile char room[200]; room[0] = n; return deeper(n + 1) + room[0]; }
int ruin(int *at, int n) { while (n--) *at++ = n; return 1; }
int scribble(int *at) { *at = 1; return 1; }
int where = 0;
int main(void) { int a = 3; a = add(a, 4); while (where) *(volatile int *)where = a; return a; }
"""
PROGRAM = Program(text=SOURCE, suffix=".c", name="sample.c")
KINDS = ["unicorn", pytest.param("qemu", marks=[pytest.mark.server])]


@contextmanager
def opened(kind: str, program: Program, machine: str = "lm3s6965evb") -> Iterator[Testee]:
    if kind == "qemu" and not shutil.which("qemu-system-arm"):
        pytest.skip("needs qemu-system-arm")
    testee = Board(name=kind, kind=kind, options={"machine": machine}).open()
    try:
        testee.connect(Limits())
        testee.upload(program, Limits())
        yield testee
    finally:
        testee.close()


@pytest.fixture(params=KINDS)
def board(request: pytest.FixtureRequest) -> Iterator[Testee]:
    with opened(request.param, PROGRAM) as testee:
        yield testee


def ask(board: Testee, *commands: Command, limit: float = 5.0) -> list[Answer]:
    """All answers, asked as the runner does."""
    answers: list[Answer] = []
    while len(answers) < len(commands):
        new = board.execute([Call(each, limit) for each in commands[len(answers) :]])
        answers += new
        if isinstance(new[-1], Crashed | TimedOut):
            break
    return answers


def data(board: Testee, *commands: Command, limit: float = 5.0) -> list[object]:
    answers = ask(board, *commands, limit=limit)
    return [each.data if isinstance(each, Answered) else each for each in answers]


def test_numbers_of_every_width(board: Testee) -> None:
    assert data(
        board,
        invoke("add", 3, 4),
        invoke("add", 2**31 - 1, 1),
        invoke("twice", 2**40 + 1),
        invoke("half", f32(-0.0)),
        invoke("half", f32.of(2)),
        invoke("third", 1.0),
        invoke("negate", -128),
        invoke("odd", 3),
    ) == [i32(7), i32(-(2**31)), i64(2**41 + 2), f32(-0.0), f32.of(1), f64(1 / 3), i8(-128), u8(1)]


class Index:
    """An integer that is not Python's, as numpy has them."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_whatever_is_an_integer_is_taken_for_one(board: Testee) -> None:
    given = [invoke("add", Index(3), True), invoke("add", i32(3), 0xFFFFFFFF), invoke("negate", Index(5))]  # type: ignore[arg-type]
    assert data(board, *given) == [i32(4), i32(2), i8(-5)]
    refused = ask(board, invoke("add", 1), invoke("add", 1, 1 << 32), invoke("add", 1, 0.5))
    assert all(isinstance(each, Refused) for each in refused)


def test_more_than_four_arguments_and_aligned_pairs(board: Testee) -> None:
    assert data(board, invoke("many", 1, 2, 3, 4, 5, 7 << 32)) == [i32(1 + 4 + 9 + 16 + 25 + 7)]


@pytest.mark.parametrize("board", ["qemu"], indirect=True)
@pytest.mark.server
def test_a_program_may_write_over_what_calls_need(board: Testee) -> None:
    """QEMU watches a word of ours instead of a breakpoint: another's write is not the end of a call."""
    assert isinstance(board, CortexTestee)
    assert board._caller is not None
    room = board._caller._room
    batched = ask(board, *[invoke("add", 3, 4)] * 2, invoke("scribble", room.bell), invoke("add", 3, 4))
    assert batched[:2] == [Answered(data=i32(7))] * 2
    assert isinstance(batched[2], Crashed)
    board.reset(Limits())
    assert data(board, invoke("scribble", room.bell)) == [i32(1)]
    assert data(board, invoke("scribble", room.stub)) == [i32(1)]
    assert data(board, *[invoke("add", 3, 4)] * 3) == [i32(7)] * 3
    (answer,) = ask(board, invoke("scribble", room.stub), *[invoke("add", 3, 4)] * 3)
    assert isinstance(answer, Crashed)  # the one that did it
    board.reset(Limits())
    assert data(board, invoke("add", 3, 4)) == [i32(7)]
    ask(board, run_until("main"))  # before that, the program clears its variables
    assert ask(board, write_memory("where", room.bell), resume(), read_memory("where"))[1:] == [
        Answered(data={"mode": "running"}),
        Answered(data=i32(room.bell)),
    ]
    assert data(board, wait_for_breakpoint(), limit=0.2) == [TimedOut(after=0.2)], "nothing has stopped it"


def test_memory_by_pointer(board: Testee) -> None:
    summed, moved, filled, length = data(
        board,
        invoke("sum", [1, 2, 3], 3),
        invoke("move", struct(x=1, y=2, z=1.5, low=5, high=1), 10),
        invoke("fill", buffer(size=5), 4),
        invoke("length", "four"),
    )
    assert summed == {"result": i32(6), "arguments": [[i32(1), i32(2), i32(3)], 3]}
    assert isinstance(moved, dict)
    point = moved["arguments"][0]
    assert point == {"x": i32(11), "y": point["y"], "z": f64(3.0), "low": 5, "high": 5}
    assert point["y"].value == 12
    assert isinstance(filled, dict)
    assert filled["arguments"][0] == b"abcd\0"
    assert isinstance(length, dict)
    assert length["result"] == i32(4)


def test_a_structure_comes_back(board: Testee) -> None:
    (made,) = data(board, invoke("make", 9))
    assert isinstance(made, dict)
    assert (made["x"], made["z"], made["high"]) == (i32(9), f64(3.0), 2)


def test_state_lives_until_the_reset(board: Testee) -> None:
    assert data(board, invoke("bump"), invoke("bump"), read_memory("counter")) == [i32(6), i32(7), i32(7)]
    assert data(board, write_memory("counter", 41), invoke("bump"))[1] == i32(42)
    board.reset(Limits())
    assert data(board, invoke("bump")) == [i32(6)]


@pytest.mark.parametrize("ahead", [1, 40])
def test_a_call_that_takes_all_of_the_stack_is_the_one_that_is_named(board: Testee, ahead: int) -> None:
    """Whether the board has a fault for it or not (this one of QEMU's has none)."""
    answers = ask(board, *[invoke("add", 3, 4)] * ahead, invoke("deeper", 0), invoke("add", 3, 4), limit=1.0)
    assert answers[:ahead] == [Answered(data=i32(7))] * ahead
    assert len(answers) == ahead + 1
    assert isinstance(answers[-1], Crashed | TimedOut)
    board.recover(Limits())
    board.reset(Limits())
    assert data(board, invoke("add", 3, 4)) == [i32(7)]


def test_a_run_of_calls_that_is_written_over_is_no_answer_to_any(board: Testee) -> None:
    room = board._caller._room  # type: ignore[attr-defined]
    calls = [invoke("add", 3, 4)] * 3 + [invoke("ruin", room.pieces, 50), invoke("crash")]
    *answers, last = ask(board, *calls)
    assert isinstance(last, Crashed)
    assert answers == [Answered(data=each) for each in (i32(7), i32(7), i32(7), i32(1))[: len(answers)]]
    if not answers:  # all in one trip; where the machine is busy, some of them go alone
        assert "which, is not known" in last.message


@pytest.mark.parametrize("ahead", [0, 3, 1300])
def test_a_hang_is_at_its_own_call(board: Testee, ahead: int) -> None:
    answers = ask(board, *[invoke("bump")] * ahead, invoke("hang"), invoke("bump"), limit=0.2)
    assert answers[:-1] == [Answered(data=i32(6 + n)) for n in range(ahead)]
    assert answers[-1] == TimedOut(after=0.2)
    board.recover(Limits())
    board.upload(PROGRAM, Limits())
    assert data(board, invoke("bump")) == [i32(6)]


@pytest.mark.parametrize("ahead", [0, 3, 1300])
def test_a_fault_is_at_its_own_call(board: Testee, ahead: int) -> None:
    answers = ask(board, *[invoke("bump")] * ahead, invoke("crash"), invoke("bump"))
    assert len(answers) == ahead + 1
    last = answers[-1]
    assert isinstance(last, Crashed)
    assert last.kind == "HardFault"
    assert "in crash (" in last.message
    board.recover(Limits())
    board.upload(PROGRAM, Limits())
    assert data(board, invoke("add", 1, 1)) == [i32(2)]


def test_what_cannot_be_called_is_refused_and_the_rest_goes_on(board: Testee) -> None:
    answers = ask(
        board,
        invoke("nowhere"),
        invoke("add", 1),
        invoke("add", 2**40, 1),
        invoke("half", i32(1)),
        invoke("bump"),
    )
    assert [type(each) for each in answers] == [Refused, Refused, Refused, Refused, Answered]
    said = [f"{each.kind}: {each.message}" for each in answers if isinstance(each, Refused)]
    assert said[0] == "no such function: nowhere is not in sample.c"
    assert said[1] == "wrong value: add takes int a, int b; 1 arguments were given"


def test_calls_from_within_a_paused_program(board: Testee) -> None:
    paused, locals_, called, still = data(
        board, run_until("main"), dump_locals(), invoke("add", 20, 1), dump()
    )
    assert isinstance(paused, dict)
    assert isinstance(still, dict)
    assert (paused["function"], called) == ("main", i32(21))
    assert still["pc"] == paused["pc"], "the program is where it was"
    assert isinstance(locals_, dict)
    assert set(locals_) == {"a"}


def test_a_breakpoint_inside_a_call(board: Testee) -> None:
    _, called, inside, changed = data(
        board, set_breakpoint("add"), invoke("add", 1, 2), dump_locals(), set_local("a", 40)
    )
    assert isinstance(called, Refused)
    assert called.kind == "breakpoint"
    assert inside == {"a": i32(1), "b": i32(2)}
    assert changed == {"a": i32(40), "b": i32(2)}


def test_a_call_that_stopped_and_goes_on_does_not_take_the_calls_behind_it_along(board: Testee) -> None:
    """Those were made in the meantime: each is made once."""
    before = [set_breakpoint("add"), invoke("bump"), invoke("add", 1, 2), *[invoke("bump")] * 3]
    assert [each for each in data(board, *before) if not isinstance(each, dict)][2:] == [
        i32(7),
        i32(8),
        i32(9),
    ]
    after = [delete_breakpoint("add"), resume(), wait_for_breakpoint(), pause(), *[invoke("bump")] * 3]
    ask(board, *after[:3], limit=0.2)  # whether it stops where it came back is the board's matter
    assert data(board, *after[3:])[1:] == [i32(10), i32(11), i32(12)]


def test_stepping_out_of_a_call_ends_where_it_came_back(board: Testee) -> None:
    steps = [step_over()] * 2
    *_, last, called = data(
        board, set_breakpoint("add"), *[invoke("add", 1, 2)] * 2, *steps, dump(), invoke("bump")
    )
    assert isinstance(last, dict)
    assert (last["mode"], last["function"], called) == ("paused", "", i32(6))


@pytest.fixture(params=KINDS)
def small(request: pytest.FixtureRequest) -> Iterator[Testee]:
    """8 KiB of RAM."""
    program = Program(text=SMALL, suffix=".c", name="small.c")
    with opened(request.param, program, "lm3s811evb") as testee:
        yield testee


SMALL = """
int result, kept[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int add(int a, int b) { return a + b; }
int leaf(void) { return 1; }
int down(int n) { volatile int room[32]; room[0] = n; room[31] = n ? down(n - 1) : leaf();
                  return room[0] + room[31]; }
int wide(int n) { volatile char room[3072]; int s = 0; for (int i = 0; i < 3072; i++) room[i] = n;
                  for (int i = 0; i < 3072; i++) s += room[i]; return s; }
int wider(int n) { volatile char room[6000]; for (int i = 0; i < 6000; i++) room[i] = n; return room[0]; }
int check(void) { int s = 0; for (int i = 0; i < 8; i++) s += kept[i]; return s; }
void end(void) {}
int depth = 10;
int main(void) { result = down(depth); end(); for (;;) {} }
"""


def test_a_call_has_much_of_the_memory_for_its_stack(small: Testee) -> None:
    """Before the program has run and afterwards; one that takes more is told so where that is a fault."""
    calls = [invoke("wide", 1), invoke("check"), invoke("add", 1, 2)]
    assert data(small, *calls, run_until("leaf"), *calls)[:3] == [i32(3072), i32(36), i32(3)]
    assert data(small, *calls) == [i32(3072), i32(36), i32(3)]
    if small.name == "unicorn":
        (answer,) = ask(small, invoke("wider", 1))
        assert isinstance(answer, Crashed)
        assert "bytes of stack" in answer.message


def test_calls_have_room_where_the_stack_is_among_the_variables() -> None:
    """As many firmwares have it: what is free then is all behind the variables."""
    image = SimpleNamespace(
        vectors=(0x20000400, 0x101), segments=[SimpleNamespace(address=0x20000000, size=0x1000)]
    )
    room = Room(image, MACHINES["lm3s811evb"])  # type: ignore[arg-type]
    assert 0x20001000 + 1024 <= room.stub < room.pieces < room.top == 0x20002000
    assert room.calls > 10
    assert room.registers[13] == 0x20000400


def test_calls_leave_the_stack_of_a_paused_program_alone(small: Testee) -> None:
    """However much of it there is: fewer calls go together, and where no room is left, none is made."""
    seen = []
    for depth in (5, 20, 30, 50):
        small.reset(Limits())
        ask(small, run_until("main"), write_memory("depth", i32(depth)), run_until("leaf"))
        called = data(small, *[invoke("add", n, 1) for n in range(100)])
        seen.append(called[0] == i32(1))
        if seen[-1]:
            assert called == [i32(n + 1) for n in range(100)]
        else:
            assert all(isinstance(each, Refused) and each.kind == "no room" for each in called)
        ended = data(small, run_until("end"), read_memory("result"))
        assert ended[1] == i32(1 + depth * (depth + 1) // 2)
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {True, False}


def test_a_program_that_does_not_compile(board: Testee) -> None:
    with pytest.raises(
        ProgramRefused, match=r"broken\.c: the program does not compile \((?s:.*)broken\.c:1:22: error"
    ):
        board.upload(Program(text="int f(void) { return }", suffix=".c", name="broken.c"), Limits())


def test_a_program_that_is_not_there(board: Testee, tmp_path: Path) -> None:
    with pytest.raises(ProgramRefused, match="cannot be read"):
        board.upload(Program(path=tmp_path / "none.c"), Limits())


def test_what_is_no_program(board: Testee) -> None:
    with pytest.raises(ProgramRefused, match="not an ELF file"):
        board.upload(Program(text=b"garbage", suffix=".elf"), Limits())


def test_a_call_before_the_program_runs_leaves_it_at_its_beginning(board: Testee) -> None:
    called, reached = data(board, invoke("bump"), run_until("main"))
    assert called == i32(6)
    assert isinstance(reached, dict)
    assert reached["function"] == "main"


def test_slow_calls_among_quick_ones_give_what_each_returns(board: Testee) -> None:
    """Whatever is looked at, cut short and sent again on the way."""
    calls = [invoke("add", n, 1) if n % 20 else invoke("spend", 400_000 + n) for n in range(61)]
    expected = [i32(n + 1) if n % 20 else i32(400_000 + n) for n in range(61)]
    assert data(board, *calls) == expected


def test_a_hang_between_calls_belongs_to_its_call(board: Testee) -> None:
    calls = [*[invoke("bump")] * 7, invoke("hang"), invoke("bump")]
    answers = ask(board, *calls, limit=0.5)
    assert answers == [*(Answered(data=i32(n)) for n in range(6, 13)), TimedOut(after=0.5)]


def test_after_a_hang_that_nobody_recovers_from_calls_go_on(board: Testee) -> None:
    """It is still under way when it is told, and where it was to stop nothing stops any more."""
    assert ask(board, *[invoke("bump")] * 7, invoke("hang"), invoke("bump"), limit=0.1)[7:] == [
        TimedOut(after=0.1)
    ]
    assert data(board, *[invoke("bump")] * 20) == [i32(n) for n in range(13, 33)]
