"""How fast steps run on each testee, what the framework adds, and how soon a hang is found.

    python benchmarks/device/rates.py [--steps 40000] [--json]

Rates are per second of wall time; figures per step are processor time of this process. On a machine
whose load is above its cores, rates are lower bounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from likewise.device import Call, Limits, Program, Scenario, Step, Suite, i32, invoke
from likewise.device.execution import Workbench
from likewise.device.fleet import Fleet
from likewise.device.inventory import Board
from likewise.device.recording import recorders
from likewise.device.results import Mark, Silent
from likewise.device.testee import Testee, TimedOut

PROGRAM = Program(
    text="""
int add(int a, int b) { return a + b; }
int hang(void) { for (;;) {} }
int work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
""",
    suffix=".c",
    name="rates.c",
)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds."""
    wall, own = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - own


def steps(count: int) -> list[Step]:
    """Calls with typed expectations, all different."""
    return [Step("add", invoke("add", n, n + 1), expect=i32(2 * n + 1)) for n in range(count)]


def bare(testee: Testee, count: int) -> Callable[[], None]:
    """The same calls straight to the testee: no steps, no expectations."""
    calls = [Call(invoke("add", n, n + 1), 5.0) for n in range(count)]

    def work() -> None:
        done = 0
        while done < count:
            done += len(testee.execute(calls[done : done + testee.batch]))

    return work


def passes(bench: Workbench, scenario: Scenario) -> None:
    """Run it: what is fast and wrong does not count."""
    attempt = bench.run(scenario)
    assert attempt.mark is Mark.PASSED, attempt.notes


def hang(testee: Testee) -> None:
    """Twenty calls and one that does not end, with limits of 0.1 s."""
    calls = [*[Call(invoke("add", 1, 1), 0.1)] * 20, Call(invoke("hang"), 0.1)]
    while calls:
        answers = testee.execute(calls)
        calls = calls[len(answers) :]
    assert isinstance(answers[-1], TimedOut), answers[-1]


def measure(kind: str, count: int) -> dict[str, float]:
    """Rates of one testee."""
    testee = Board(name=kind, kind=kind, exclusive=False).open()
    bench = Workbench(testee, Limits(), observer=Silent())
    scenario = Scenario("adds", PROGRAM, steps(count))
    try:
        passes(bench, Scenario("warm", PROGRAM, steps(600)))
        runs = [timed(lambda: passes(bench, scenario)) for _ in range(3)]
        bares = [timed(bare(testee, count)) for _ in range(3)]
        plain = [Call(invoke("add", n, 1), 5.0) for n in range(count // 20)]
        single, single_own = timed(lambda: [testee.execute([call]) for call in plain])
        singles = [Call(invoke("sum", [1, 2, 3], 3), 5.0)] * (count // 20)
        buffered, _ = timed(lambda: [testee.execute([call]) for call in singles])
        hangs = []
        for _ in range(5):
            passes(bench, Scenario("warm", PROGRAM, steps(10)))
            wall, _ = timed(lambda: hang(testee))
            hangs.append(wall - 0.1)
            bench.mend()
        wall, own = min(runs)
        return {
            "steps/s": count / wall,
            "us/step": own / count * 1e6,
            "bare us/call": min(bares)[1] / count * 1e6,
            "framework us/step": (min(own for _, own in runs) - min(own for _, own in bares)) / count * 1e6,
            "single calls/s": len(plain) / single,
            "single us/call": single_own / len(plain) * 1e6,
            "single calls with memory/s": len(singles) / buffered,
            "hang found after its limit, ms": sorted(hangs)[2] * 1e3,
        }
    finally:
        bench.close()


def two_boards(kind: str) -> float:
    """How much faster two boards are than one on a suite that computes: the median of three turns.

    The machine's own speed changes within seconds, so that what ran one after the other is compared.
    """
    suite = Suite(
        scenarios=[
            Scenario(str(n), PROGRAM, [Step("work", invoke("work", 1_000_000))] * 2) for n in range(12)
        ],
        share=True,
        limits=Limits(step=60),
    )
    boards = [Board(name=f"{kind} {n}", kind=kind, exclusive=False) for n in range(2)]
    ratios = []
    for _ in range(3):
        one, _ = timed(lambda: Fleet(suite, boards[:1]).run())
        two, _ = timed(lambda: Fleet(suite, boards).run())
        ratios.append(one / two)
    return sorted(ratios)[1]


def growth(kind: str) -> float:
    """How much the peak memory grows, in KiB, when 105,000 recorded steps are done instead of 5,000."""
    board = Board(name=kind, kind=kind, exclusive=False)
    few, many = (Scenario(f"{times} times", PROGRAM, steps(5000) * times) for times in (1, 20))
    with (
        tempfile.TemporaryDirectory() as folder,
        recorders(Path(folder) / "run.jsonl", suite=Path(__file__)) as recorder_for,
    ):
        assert recorder_for is not None
        bench = Workbench(board.open(), Limits(), observer=Silent(), recorder=recorder_for(board))
        try:
            passes(bench, few)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            passes(bench, many)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        finally:
            bench.close()


def yardstick() -> float:
    """Milliseconds in which this machine decodes a certain text at the moment: rates go with it."""
    text = json.dumps([{"numbers": list(range(50)), "text": "x" * 50}] * 200)
    wall, _ = timed(lambda: [json.loads(text) for _ in range(400)])
    return wall / 400 * 1e3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    before, speed = os.getloadavg()[0], yardstick()
    found: dict[str, dict[str, float]] = {
        kind: {
            "memory growth over 100,000 recorded steps, KiB": growth(kind),
            **measure(kind, given.steps),
            "two boards against one": two_boards(kind),
        }
        for kind in ("unicorn", "qemu")
    }
    found["machine"] = {
        "load before": before,
        "load after": os.getloadavg()[0],
        "cores": os.cpu_count() or 0,
        "decoding a text, before, ms": speed,
        "decoding a text, after, ms": yardstick(),
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for kind, figures in found.items():
        print(kind)
        for name, value in figures.items():
            print(f"  {name:<46} {value:>12,.2f}")


if __name__ == "__main__":
    main()
