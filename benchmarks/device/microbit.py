"""Steps a second on a micro:bit in QEMU over a pty: ours, mpremote and pytest-embedded, in one run.

    pip install mpremote pytest-embedded-serial
    python benchmarks/device/microbit.py [steps]

Every result is checked. The second way loses one character in 5,000 on purpose. `per CPU second` divides by
the processor time of QEMU and client together, since wall time says little on a busy machine.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from likewise.device.commands import Invoke
from likewise.device.links import Deadline, Link
from likewise.device.micropython.boards import FIRMWARE, QEMU, OnSerialPort
from likewise.device.program import Program
from likewise.device.testee import Answer, Answered, Call, Limits
from likewise.device.testees.micropython import MicroPython

SOURCE = "def add(x, y):\n    return x + y\n"
Pairs = list[tuple[int, int]]
Clock = Callable[[], float]
"""Processor seconds of board and client so far."""
Found = tuple[float, float, int, str]
"""Seconds, processor seconds, wrong results, and what else is worth saying."""
LOSS = 1 / 5000
PATIENT = Limits(connect=60.0, upload=120.0)
EMBEDDED = """
import time

def test_steps(dut):
    dut.write(b"\\r\\x03\\x03")
    dut.expect_exact(">>> ")
    for text in ("def add(x,y):return x+y", ""):
        dut.write(text + "\\r")
    dut.expect_exact(">>> ")
    started = time.perf_counter()
    wrong = 0
    for x, y in PAIRS:
        dut.write(f"add({x},{y})\\r")
        found = dut.expect(r"\\n(\\d+)\\r\\n>>> ", timeout=30)
        wrong += int(found.group(1)) != x + y
    open(OUT, "w").write(f"{time.perf_counter() - started} {wrong}")
"""


@contextlib.contextmanager
def microbit() -> Iterator[tuple[str, int]]:
    """A board, the name of its pty and its process id."""
    command = [QEMU, "-M", "microbit", "-display", "none", "-monitor", "none"]
    process = subprocess.Popen(
        [*command, "-device", f"loader,file={FIRMWARE}", "-serial", "pty"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        found = re.search(r"(/dev/pts/\d+)", said)
        assert found is not None, said
        time.sleep(0.5)
        yield found[1], process.pid
    finally:
        process.kill()
        process.wait()


def spent(process: int) -> float:
    """Processor seconds of another process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LossyLink:
    """A serial port that loses characters on the way to the board, beyond those that it really loses."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._rng = random.Random(7)
        self.lost = 0
        self.description = link.description
        self.read, self.close = link.read, link.close

    def write(self, data: bytes, deadline: Deadline) -> None:
        """Send what is left of it."""
        left = bytes(each for each in data if self._rng.random() > LOSS)
        self.lost += len(data) - len(left)
        if left:
            self._link.write(left, deadline)


class LossyPort(OnSerialPort):
    """The same port, with losses."""

    link: LossyLink

    def open(self, deadline: Deadline) -> Link:
        """Open it."""
        type(self).link = LossyLink(OnSerialPort.open(self, deadline))
        return type(self).link


def with_losses(port: str, pairs: Pairs, clock: Clock) -> Found:
    """The same where characters are lost."""
    seconds, cpu, wrong, more = ours(port, pairs, clock, LossyPort)
    return (
        seconds,
        cpu,
        wrong,
        f"{more}, {LossyPort.link.lost} characters lost, of them some before the steps",
    )


def ours(port: str, pairs: Pairs, clock: Clock, board: type[OnSerialPort] = OnSerialPort) -> Found:
    """Through the agent, in batches."""
    testee = MicroPython("microbit", board(port))
    testee.connect(PATIENT)
    try:
        testee.upload(Program(text=SOURCE, suffix=".py"), PATIENT)
        calls = [Call(Invoke("add", pair), 30.0) for pair in pairs]
        answers: list[Answer] = []
        started, before = time.perf_counter(), clock()
        while len(answers) < len(calls):
            answers += testee.execute(calls[len(answers) : len(answers) + testee.batch])
        seconds, cpu = time.perf_counter() - started, clock() - before
        wrong = sum(answer != Answered(data=x + y) for answer, (x, y) in zip(answers, pairs, strict=True))
        return seconds, cpu, wrong, f"{testee.retries} retries"
    finally:
        testee.close()


def mpremote(port: str, pairs: Pairs, clock: Clock) -> Found:
    """The transport of mpremote, one expression a step, in one process."""
    from mpremote.transport_serial import SerialTransport

    transport = SerialTransport(port, baudrate=115200)
    transport.enter_raw_repl(soft_reset=False)
    transport.exec("def add(x,y):\n return x+y\n")
    started, before = time.perf_counter(), clock()
    wrong = sum(int(transport.exec(f"print(add({x},{y}))")) != x + y for x, y in pairs)
    seconds, cpu = time.perf_counter() - started, clock() - before
    transport.close()
    return seconds, cpu, wrong, ""


def embedded(port: str, pairs: Pairs, clock: Clock) -> Found:
    """pytest-embedded's serial service: write a line, expect its result."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        test = Path(folder, "test_steps.py")
        test.write_text(f"PAIRS = {pairs!r}\nOUT = {str(out)!r}\n{EMBEDDED}")
        options = [str(test), "--embedded-services", "serial", "--port", port, "-p", "no:cacheprovider"]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-c",
                os.devnull,
                "--rootdir",
                folder,
                str(test),
                *options,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if not out.exists():
            raise RuntimeError(done.stdout[-500:])
        seconds, wrong = out.read_text().split()
        return float(seconds), float("nan"), int(wrong), "in a process of its own"


def main() -> None:
    """Print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = random.Random(1)
    pairs = [(rng.randrange(100), rng.randrange(100)) for _ in range(count)]
    ways: list[tuple[str, str, int, Callable[[str, Pairs, Clock], Found]]] = [
        ("likewise", "likewise", count, ours),
        ("likewise, losing", "likewise", count, with_losses),
        ("mpremote", "mpremote", 60, mpremote),
        ("pytest-embedded", "pytest_embedded_serial", 20, embedded),
    ]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| way | steps | steps/s | per CPU second | wrong | |\n|---|---|---|---|---|---|")
    for name, module, share, way in ways:
        if importlib.util.find_spec(module) is None:
            print(f"| {name} | not installed |")
            continue
        with microbit() as (port, process):
            seconds, cpu, wrong, more = way(
                port, pairs[:share], lambda process=process: spent(process) + time.process_time()
            )
        rates = f"{share / seconds:.0f} | {share / cpu:.0f}"
        print(f"| {name} | {share} | {rates} | {wrong} | {more} |", flush=True)


if __name__ == "__main__":
    main()
