"""Core tests become steps, and nothing wrong passes: a mutated expectation turns exactly its step red."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from likewise.device.execution import judge
from likewise.device.expectations import Fails
from likewise.device.results import Mark
from likewise.device.scenario import NOTHING, Scenario, Step
from likewise.device.testee import Call, Limits, Testee
from likewise.device.testees import pywasm, wasmtime
from likewise.device.values import Nan, NanClass, Number
from likewise.device.wasm import traps
from likewise.device.wasm.core_tests import CoreTests, ScriptRefused, import_core_tests

pytestmark = pytest.mark.skipif(shutil.which("wast2json") is None, reason="wabt is not installed")
SCRIPTS = Path(__file__).parents[3] / "examples" / "device" / "core"
LIMITS = Limits()
SAMPLE = 40


@pytest.fixture(scope="module")
def core() -> CoreTests:
    return import_core_tests(SCRIPTS)


@pytest.fixture(scope="module")
def engine() -> Iterator[Testee]:
    testee = wasmtime.open_testee("wasm", {})
    testee.connect(LIMITS)
    yield testee
    testee.close()


def marks(testee: Testee, scenario: Scenario, steps: list[Step]) -> list[Mark]:
    testee.connect(LIMITS)
    if scenario.program is not None:
        assert not isinstance(scenario.program, str | Path)
        testee.upload(scenario.program, LIMITS)
    answers = testee.execute([Call(step.do, 20.0) for step in steps])  # type: ignore[arg-type]
    assert len(answers) == len(steps)
    return [judge(step, answer, {})[0] for step, answer in zip(steps, answers, strict=True)]


def test_every_assertion_is_a_step_and_holds(core: CoreTests, engine: Testee) -> None:
    assert core.omitted == ()
    found = [mark for each in core.scenarios for mark in marks(engine, each, list(each.steps))]
    assert found.count(Mark.FAILED) == 0
    assert found.count(Mark.UNSUPPORTED) == 1  # the text format is the assembler's matter
    assert found.count(Mark.PASSED) == len(found) - 1 > 70


def mutated(expected: object, rng: random.Random) -> object:
    """An expectation that is wrong by one bit, one class or one kind of trap."""
    match expected:
        case Number():
            return expected.kind.of(expected.bits ^ 1 << rng.randrange(expected.kind.width))
        case Nan():
            return expected.kind(rng.choice((0.0, float("inf"), 1.0)))
        case Fails(kind="trap", message=message):
            names = [traps.DIVIDE, traps.OVERFLOW, traps.MEMORY, traps.TABLE, traps.UNREACHABLE]
            return Fails("trap", rng.choice([name for name in names if name != message]))
        case list():
            at = rng.randrange(len(expected))
            return [mutated(each, rng) if place == at else each for place, each in enumerate(expected)]
        case None:
            return rng.choice((0, False, ""))
        case _:
            return None


def test_each_mutated_expectation_turns_exactly_its_step_red(core: CoreTests, engine: Testee) -> None:
    rng = random.Random(5)
    places = [
        (scenario, index)
        for scenario in core.scenarios
        for index, step in enumerate(scenario.steps)
        if step.expect is not NOTHING
    ]
    for scenario, index in rng.sample(places, SAMPLE):
        steps = list(scenario.steps)
        before = marks(engine, scenario, steps)
        wrong = Step(steps[index].title, steps[index].do, expect=mutated(steps[index].expect, rng))
        after = marks(engine, scenario, [*steps[:index], wrong, *steps[index + 1 :]])
        changed = [place for place, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
        if before[index] is Mark.UNSUPPORTED:
            assert changed == []
        else:
            assert changed == [index], (scenario.title, steps[index].title)
            assert after[index] is Mark.FAILED


def test_the_interpreter_agrees_where_it_is_exact(core: CoreTests) -> None:
    """Whole numbers and linking; what pywasm makes of NaNs is not asked here."""
    testee = pywasm.open_testee("wasm-debug", {})
    for scenario in core.scenarios:
        if scenario.title.startswith(("integers.wast:", "linking")):
            found = marks(testee, scenario, list(scenario.steps))
            assert set(found) <= {Mark.PASSED, Mark.UNSUPPORTED}, scenario.title


def test_nan_classes_are_kept(core: CoreTests) -> None:
    nans = [
        step.expect for scenario in core.scenarios for step in scenario.steps if isinstance(step.expect, Nan)
    ]
    assert {nan.which for nan in nans} == {NanClass.CANONICAL, NanClass.ARITHMETIC}


def test_a_script_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.wast").write_text("(module (func")
    found = import_core_tests(tmp_path)
    assert found.scenarios == ()
    assert found.omitted[0].script == "broken.wast"
    with pytest.raises(ScriptRefused):
        import_core_tests(tmp_path / "nothing")
