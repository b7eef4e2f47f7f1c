"""Every verdict that the published tool gets wrong, right here."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from scripted import DeviceError, Scripted, run

from likewise.device import (
    Answered,
    Controls,
    Crashed,
    Lost,
    Refused,
    Scenario,
    Step,
    Suite,
    SuiteWrong,
    TimedOut,
    Unsupported,
    all_of,
    changed,
    decreased,
    dump,
    f32,
    f64,
    fails,
    i32,
    i64,
    increased,
    invoke,
    unchanged,
)
from likewise.device.flakiness import Analysis, examine
from likewise.device.results import Mark, SuiteReport


def one(*steps: Step, **replies: object) -> SuiteReport:
    return run([Scenario("only", "a.c", steps)], Scripted(**replies))  # type: ignore[arg-type]


def marks(report: SuiteReport) -> dict[str, str]:
    return {each.title: each.mark.value for each in report.scenarios}


def test_64_bit_values_are_not_cut_to_32() -> None:
    report = one(Step("wide", invoke("f"), expect=i64(7)), f=Answered(data=i64(2**32 + 7)))
    assert not report.passed


def test_minus_zero_is_not_accepted_as_zero() -> None:
    for kind in (f32, f64):
        assert not one(Step("zero", invoke("f"), expect=kind(0.0)), f=Answered(data=kind(-0.0))).passed
        assert not one(Step("zero", invoke("f"), expect=0.0), f=Answered(data=kind(-0.0))).passed
        assert one(Step("zero", invoke("f"), expect=-0.0), f=Answered(data=kind(-0.0))).passed


def test_a_number_too_large_for_its_type_is_not_infinity() -> None:
    infinite = Answered(data=f32(float("inf")))
    assert not one(Step("large", invoke("f"), expect=1e39), f=infinite).passed
    assert one(Step("infinite", invoke("f"), expect=float("inf")), f=infinite).passed


def test_denormals_are_read_as_they_are() -> None:
    assert one(Step("tiny", invoke("f"), expect=f32(2.0**-149)), f=Answered(data=f32.of(1))).passed
    assert not one(Step("tiny", invoke("f"), expect=f32(0.0)), f=Answered(data=f32.of(1))).passed


def test_two_texts_are_not_equal_because_they_are_no_numbers() -> None:
    assert not one(Step("text", invoke("f"), expect="running"), f=Answered(data="paused")).passed


@pytest.mark.parametrize(
    ("expect", "first", "second", "passes"),
    [
        (changed, 1, 2, True),
        (changed, 1, 1, False),
        (unchanged, 1, 1, True),
        (unchanged, 1, 2, False),
        (increased, 1, 2, True),
        (increased, 2, 1, False),
        (decreased, 2, 1, True),
        (decreased, 1, 1, False),
    ],
)
def test_changes_of_numbers_are_judged(expect: object, first: int, second: int, passes: bool) -> None:
    values = iter([first, second])
    report = one(
        Step("before", invoke("f")),
        Step("after", invoke("f"), expect=expect),
        f=lambda: Answered(data=i32(next(values))),
    )
    assert report.passed is passes
    assert report.steps[Mark.SKIPPED] == 0


def test_a_change_with_nothing_before_it_is_no_pass() -> None:
    report = one(Step("first", invoke("f"), expect=changed), f=Answered(data=i32(1)))
    assert "no earlier step" in report.scenarios[0].notes[0].why


def test_changes_go_by_path() -> None:
    data = iter([{"pc": i32(1), "mode": "a"}, {"pc": i32(2), "mode": "a"}])
    report = one(
        Step("before", invoke("f")),
        Step("after", invoke("f"), expect={"pc": increased, "mode": unchanged}),
        f=lambda: Answered(data=next(data)),
    )
    assert report.passed


def test_minus_zero_after_zero_has_changed() -> None:
    values = iter([f64(0.0), f64(-0.0)])
    steps = (Step("before", invoke("f")), Step("after", invoke("f"), expect=changed))
    assert one(*steps, f=lambda: Answered(data=next(values))).passed


def test_an_action_that_raises_fails() -> None:
    def broken(testee: Controls) -> None:
        raise RuntimeError("no such button")

    report = one(Step("press", broken))
    assert marks(report) == {"only": "failed"}
    assert "RuntimeError: no such button" in report.scenarios[0].notes[0].why


def test_a_coroutine_that_raises_fails() -> None:
    async def broken(testee: Controls) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("no answer")

    assert marks(one(Step("publish", broken))) == {"only": "failed"}


def test_an_action_that_never_ends_times_out_and_loses_the_testee() -> None:
    released = threading.Event()
    heard: list[Exception] = []

    def silent(testee: Controls) -> None:
        released.wait(10)
        try:
            testee.invoke("f")
        except Exception as error:
            heard.append(error)

    testee = Scripted()
    report = run(
        [
            Scenario("hangs", "a.c", [Step("wait", silent, timeout=0.05)]),
            Scenario("goes on", "a.c", [Step("fine", invoke("f"))]),
        ],
        testee,
    )
    calls = testee.log.count("invoke f")
    released.set()
    assert marks(report) == {"hangs": "timed out", "goes on": "passed"}
    deadline = time.monotonic() + 10
    while not heard and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "no longer yours" in str(heard[0])
    assert testee.log.count("invoke f") == calls, "an abandoned action reaches nothing"


@pytest.mark.parametrize("kind", ["generator", "nested", "future"])
def test_an_action_that_has_not_run_is_no_pass(kind: str) -> None:
    """What an action gives back is run to its end, or refused: a generator's body never runs."""

    def generator(testee: Controls) -> Iterator[None]:
        yield testee.invoke("g")

    async def inner() -> None:
        raise RuntimeError("the inner one")

    async def nested(testee: Controls) -> object:
        return inner()

    def future(testee: Controls) -> object:
        found: Future[None] = Future()
        found.set_exception(RuntimeError("later"))
        return found

    report = one(Step("act", {"generator": generator, "nested": nested, "future": future}[kind]))
    assert marks(report) == {"only": "failed"}


@pytest.mark.parametrize("error", [SystemExit(0), pytest.skip.Exception("later"), GeneratorExit()])
def test_a_predicate_that_ends_the_process_fails_its_step_only(error: BaseException) -> None:
    def predicate(value: object) -> bool:
        raise error

    steps = (Step("judged", invoke("f"), expect=predicate), Step("after", invoke("f")))
    report = one(*steps, f=Answered(data=i32(1)))
    assert report.steps == {Mark.FAILED: 1, Mark.PASSED: 1}


def test_a_predicate_that_gives_a_coroutine_has_not_judged() -> None:
    async def predicate(value: object) -> bool:
        return False

    assert not one(Step("judged", invoke("f"), expect=predicate), f=Answered(data=i32(1))).passed


@pytest.mark.parametrize("expect", [{}, all_of()])
def test_an_expectation_that_everything_meets_is_refused(expect: object) -> None:
    with pytest.raises(SuiteWrong, match="whatever the answer is"):
        Step("empty", invoke("f"), expect=expect)


def test_a_testee_that_ends_the_process_does_not_end_the_run_as_passed() -> None:
    def leave() -> Answered:
        raise SystemExit(0)

    with pytest.raises(DeviceError, match="SystemExit"):
        one(Step("leave", invoke("f")), f=leave)


def test_an_action_result_can_be_expected() -> None:
    report = one(
        Step("read", lambda testee: {"level": testee.invoke("f")}, {"level": 7}), f=Answered(data=i32(7))
    )
    assert report.passed


def test_one_hang_does_not_make_later_scenarios_time_out() -> None:
    hang = iter([TimedOut(after=1.0)])
    testee = Scripted(f=lambda: next(hang, Answered(data=i32(1))))
    report = run(
        [
            Scenario("hangs", "a.c", [Step("hang", invoke("f")), Step("after", invoke("f"))]),
            Scenario("next", "a.c", [Step("fine", invoke("f"), expect=1)]),
        ],
        testee,
    )
    assert marks(report) == {"hangs": "timed out", "next": "passed"}
    assert report.steps == {Mark.TIMED_OUT: 1, Mark.SKIPPED: 1, Mark.PASSED: 1}
    assert testee.log.count("recover") == 1
    assert "step 'hang' took the testee away" in report.scenarios[0].notes[1].why


def test_a_failed_dependency_counts_though_its_last_step_passed() -> None:
    report = run(
        [
            Scenario(
                "base", "a.c", [Step("bad", invoke("f"), expect=2), Step("good", invoke("f"), expect=1)]
            ),
            Scenario("child", "a.c", [Step("fine", invoke("f"), expect=1)], depends_on=["base"]),
            Scenario("grandchild", "a.c", [Step("fine", invoke("f"))], depends_on=["child"]),
            Scenario("other", "a.c", [Step("fine", invoke("f"))]),
        ],
        Scripted(f=Answered(data=i32(1))),
    )
    assert marks(report) == {"base": "failed", "child": "skipped", "grandchild": "skipped", "other": "passed"}
    causes = {each.title: each.cause for each in report.scenarios}
    assert causes["grandchild"] == "depends on 'base', which failed"
    assert not report.passed


def test_a_cycle_is_named_and_nothing_runs() -> None:
    step = [Step("fine", invoke("f"))]
    with pytest.raises(SuiteWrong, match="'a' → 'c' → 'b' → 'a'"):
        Suite(
            scenarios=[
                Scenario("a", None, step, depends_on=["c"]),
                Scenario("b", None, step, depends_on=["a"]),
                Scenario("c", None, step, depends_on=["b"]),
            ]
        )


def test_a_cycle_far_away_does_not_overflow_the_stack() -> None:
    step = [Step("fine", invoke("f"))]
    chain = [Scenario(str(n), None, step, depends_on=[str(n + 1)]) for n in range(5000)]
    with pytest.raises(SuiteWrong, match="cycle"):
        Suite(scenarios=[*chain, Scenario("5000", None, step, depends_on=["4999"])])


@pytest.mark.parametrize(
    "answer", [Crashed(kind="HardFault"), Lost(reason="the process was ended by SIGSEGV")]
)
def test_a_crash_is_no_pass_even_where_nothing_is_expected(answer: object) -> None:
    report = one(Step("crash", invoke("f")), Step("after", invoke("g")), f=answer)
    assert marks(report) == {"only": "failed"}
    assert report.steps == {Mark.FAILED: 1, Mark.SKIPPED: 1}


def test_a_refusal_is_no_pass_where_nothing_is_expected() -> None:
    assert not one(Step("trap", invoke("f")), f=Refused(kind="trap", message="unreachable")).passed


def test_an_expected_failure_must_be_that_failure() -> None:
    trap = Refused(kind="trap", message="integer divide by zero")
    assert one(Step("trap", invoke("f"), fails("trap", "divide")), f=trap).passed
    assert not one(Step("trap", invoke("f"), fails("trap", "overflow")), f=trap).passed
    assert not one(Step("trap", invoke("f"), fails()), f=Answered()).passed
    assert not one(Step("trap", invoke("f"), fails()), f=TimedOut(after=1.0)).passed, "silence is no failure"


def test_unsupported_is_neither_pass_nor_fail() -> None:
    report = one(Step("dump", dump()), Step("fine", invoke("f")))
    assert marks(report) == {"only": "unsupported"}
    assert report.steps == {Mark.UNSUPPORTED: 1, Mark.PASSED: 1}
    assert report.passed, "the run does not fail of it"
    expected = one(Step("dump", dump(), fails("unsupported")))
    assert marks(expected) == {"only": "unsupported"}, "not even where a failure is expected"
    assert isinstance(Unsupported(), Unsupported)


def test_flakiness_has_a_rate_and_names_the_step() -> None:
    values = iter([1, 2, 1, 1, 2, 1, 1, 1, 1, 1])
    report = run(
        [Scenario("wavers", "a.c", [Step("same", invoke("g")), Step("luck", invoke("f"), expect=1)])],
        Scripted(f=lambda: Answered(data=i32(next(values)))),
        analysis=Analysis(least=3, most=10),
    )
    assert marks(report) == {"wavers": "flaky"}
    found = examine(report.scenarios)[0]
    assert (found.runs, found.failed, found.rate) == (10, 2, 0.2)
    assert [(each.title, each.failed, each.reached) for each in found.steps] == [("luck", 2, 10)]
    assert not report.passed
    assert len(report.scenarios[0].attempts) == 10, "every attempt is kept"
