"""A folder of .wast core tests on wasmtime: rate, and every expectation mutated once.

    python benchmarks/device/core_tests.py [folder]

The sources of Debian's binaryen (`apt-get source binaryen`) have most of the official scripts in test/spec.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path

from likewise.device.execution import judge
from likewise.device.expectations import Fails
from likewise.device.program import Program, ProgramRefused
from likewise.device.results import Mark
from likewise.device.scenario import NOTHING, Scenario, Step
from likewise.device.testee import Answer, Call, Limits, Testee, ends_run
from likewise.device.testees.wasmtime import open_testee
from likewise.device.values import Nan, Number
from likewise.device.wasm import traps
from likewise.device.wasm.core_tests import import_core_tests

LIMITS = Limits()
TRAPS = (traps.DIVIDE, traps.OVERFLOW, traps.MEMORY, traps.TABLE, traps.UNREACHABLE)


def run(testee: Testee, scenario: Scenario) -> list[Answer]:
    """The answers to a scenario's steps, up to a hang."""
    testee.connect(LIMITS)
    if scenario.program is not None:
        assert isinstance(scenario.program, Program)
        testee.upload(scenario.program, LIMITS)
    answers: list[Answer] = []
    while len(answers) < len(scenario.steps):
        rest = scenario.steps[len(answers) : len(answers) + testee.batch]
        answers += testee.execute([Call(step.do, 10.0) for step in rest])
        if ends_run(answers[-1]):
            testee.recover(LIMITS)
            break
    return answers


def mutated(expected: object, rng: random.Random) -> object:
    """The same expectation, wrong by one bit, class or kind of trap."""
    match expected:
        case Number():
            return expected.kind.of(expected.bits ^ 1 << rng.randrange(expected.kind.width))
        case Nan():
            return expected.kind(0.0)
        case Fails(kind="trap", message=message):
            return Fails("trap", rng.choice([name for name in TRAPS if name != message]))
        case list():
            return [mutated(expected[0], rng), *expected[1:]]
        case None:
            return 0
        case _:
            return None


def main() -> None:
    """Print what was found."""
    default = Path(__file__).parents[2] / "examples" / "device" / "core"
    core = import_core_tests(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
    testee, rng = open_testee("wasm", {}), random.Random(1)
    marks: Counter[str] = Counter()
    cpu, steps, mutants, survived = 0.0, 0, 0, 0
    for scenario in core.scenarios:
        started = time.process_time()
        try:
            answers = run(testee, scenario)
        except ProgramRefused:
            marks["module refused"] += 1
            continue
        found = [judge(step, answer, {})[0] for step, answer in zip(scenario.steps, answers, strict=False)]
        cpu += time.process_time() - started
        steps += len(found)
        marks.update(str(mark) for mark in found)
        for step, answer, mark in zip(scenario.steps, answers, found, strict=False):
            if mark is Mark.PASSED and step.expect is not NOTHING:
                wrong = Step(step.title, step.do, expect=mutated(step.expect, rng))
                mutants += 1
                survived += judge(wrong, answer, {})[0] is not Mark.FAILED
    testee.close()
    print(f"{len(core.scenarios)} scenarios, {steps} steps: {dict(marks)}; {len(core.omitted)} omitted")
    print(f"{steps / cpu:.0f} steps per CPU second, instantiation and judging included")
    print(f"{mutants} expectations mutated, {survived} not noticed")


if __name__ == "__main__":
    main()
