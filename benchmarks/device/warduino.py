"""What the WARDuino client costs and how fast it is against a peer that speaks its protocol.

    python benchmarks/device/warduino.py [--steps 2000] [--json]

The peer (tests/device/warduino/peer.py) interprets WebAssembly in Python and is the slower side by far:
the processor time of the client is what a real machine's rate is bounded by.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import stat
import sys
import tempfile
import time
from pathlib import Path

from likewise.device import Limits, Program, Scenario, Step, i32, invoke
from likewise.device.execution import Workbench
from likewise.device.inventory import Board
from likewise.device.results import Mark, Silent

PEER = Path(__file__).parents[2] / "tests" / "device" / "warduino" / "peer.py"
PROGRAM = Program(
    text="""(module
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "main")))""",
    suffix=".wat",
    name="adds.wat",
)


def measure(link: str, command: Path, count: int) -> dict[str, float]:
    """Rates over one link."""
    options: dict[str, object] = {"command": [str(command)], "link": link, "floats": "decimal"}
    testee = Board(name=link, kind="warduino", exclusive=False, options=options).open()
    bench = Workbench(testee, Limits(step=60), observer=Silent())
    steps = [Step("add", invoke("add", n, n + 1), expect=i32(2 * n + 1)) for n in range(count)]
    try:
        assert bench.run(Scenario("warm", PROGRAM, steps[:20])).mark is Mark.PASSED
        wall, own = time.perf_counter(), time.process_time()
        assert bench.run(Scenario("adds", PROGRAM, steps)).mark is Mark.PASSED
        wall, own = time.perf_counter() - wall, time.process_time() - own
    finally:
        bench.close()
    return {"steps/s": count / wall, "client us/step": own / count * 1e6}


def main() -> None:
    """Measure both links."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder) / "peer"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PEER}" "$@"\n')
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        for link in ("stdio", "tcp"):
            found[link] = measure(link, command, given.steps)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["peer"] = {"us/step": (children.ru_utime + children.ru_stime) / (2 * given.steps) * 1e6}
    found["machine"] = {"load": os.getloadavg()[0], "cores": os.cpu_count() or 0}
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        print(name, "  ".join(f"{what} {value:,.1f}" for what, value in figures.items()))


if __name__ == "__main__":
    main()
