"""How long deciding takes: one run of 100,000 recorded calls against a ledger that knows them.

Usage: python benchmarks/deciding/measure.py [CALLS]

Prints processor seconds (of all its processes) and wall seconds per 100,000 calls and the peak memory of the
deciding process and of the largest of its copies, which shares most of it, with plain JSON decoding of the
same recording in the same run as the yardstick: on a machine that has other work to do, both grow alike. The
load says how much other work there was.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from likewise.canonical.redact import redact
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.secrets import RULES
from likewise.decide import Discrepant
from likewise.model import Provenance, Role, Target, Trace
from likewise.run import Conclusion, Meter, Settings
from likewise.store import RecordingWriter, open_ledger, read

PER_TEST = 50
REFERENCE = Target(name="reference", role=Role.REFERENCE)


def main() -> int:
    """Record twice, prove once, then decide in a process of its own."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for run in ("first", "second", "third"):
            _record(place / f"{run}.jsonl", run, calls // PER_TEST)
        for run in ("first", "second"):
            _apart(_prove, place, run)
        plain = _apart(_decode, place, "third")
        ours = _apart(_decide, place, "third")
    share = 100_000 / calls
    print(f"calls                    {calls:>10,}")
    print(f"deciding, CPU s / 100k   {ours.processor * share:>10.2f}")
    print(f"... of one process       {ours.own * share:>10.2f}")
    print(f"deciding, wall s / 100k  {ours.wall * share:>10.2f}   (limit 10)")
    print(f"peak memory, MB          {ours.memory:>10.0f}   (limit 500)")
    print(f"... of a copy of it, MB  {ours.copy:>10.0f}")
    print(f"json decoding, CPU s     {plain.processor * share:>10.2f}")
    print(f"deciding : json decoding {ours.processor / plain.processor:>10.1f}")
    print(f"load average, processors {os.getloadavg()[0]:>10.1f}   {os.cpu_count()}")
    print(f"trusted                  {ours.said}")
    return 0


class _Measured(NamedTuple):
    """Seconds and megabytes of a piece of work in a process of its own, and what it said."""

    processor: float
    own: float
    """Of the processor seconds, those of the process itself: what it took, had nobody kept it waiting."""
    wall: float
    memory: float
    copy: float
    said: str


def _apart(work: Callable[[Path, str], str], place: Path, run: str) -> _Measured:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work, place, run))


def _measured(work: Callable[[Path, str], str], place: Path, run: str) -> _Measured:
    processor, wall = time.process_time(), time.perf_counter()
    said = work(place, run)
    own = time.process_time() - processor
    copies = resource.getrusage(resource.RUSAGE_CHILDREN)
    return _Measured(
        processor=own + copies.ru_utime + copies.ru_stime,
        own=own,
        wall=time.perf_counter() - wall,
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        copy=copies.ru_maxrss / 1024,
        said=said,
    )


def _decode(place: Path, run: str) -> str:
    with (place / f"{run}.jsonl").open("rb") as lines:
        return str(sum(1 for line in lines if json.loads(line)))


def _prove(place: Path, run: str) -> str:
    """Keep a whole run as evidence, as if it had been on the reference."""
    from likewise.decide import Rules
    from likewise.model import Origin
    from likewise.run.memory import Memory

    recording = read(place / f"{run}.jsonl")
    with open_ledger(place / "ledger.sqlite") as ledger:
        memory = Memory(ledger, reference=REFERENCE, rules=Rules(reference=str(REFERENCE)))
        memory.learn(recording)
        known = memory.look_up(recording)
        if run == "second":
            with ledger.batch():
                for readings in known.readings.by_test.values():
                    memory.keep(readings[-1], known, origin=Origin.WHOLE, run=run, when=time.time())
    return run


def _decide(place: Path, run: str) -> str:
    recording = read(place / f"{run}.jsonl")
    settings = Settings(
        policy="context",
        reference=REFERENCE,
        now=time.time(),
        not_before=0.0,
        discrepant=Discrepant(names=None),
        price=lambda operation: 0.0,
    )
    with open_ledger(place / "ledger.sqlite") as ledger:
        conclusion = Conclusion(ledger=ledger, settings=settings, meter=Meter(), emit=lambda event: None)
        finished = conclusion.conclude(recording)
    trusted = sum(report.standing == "trusted" for report in finished.tests)
    return f"{trusted} of {len(finished.tests)} tests"


def _record(path: Path, run: str, tests: int) -> None:
    provenance = Provenance(run=run, started=time.time(), code="same")
    writer = RecordingWriter(path, provenance)
    for number in range(tests):
        writer.add(redact(_trace(number), secrets=RULES))
    writer.close()


def _trace(number: int) -> Trace:
    interpreter = Interpreter()
    bucket = f"bench-{uuid.uuid4()}"
    steps: list[tuple[str, str, bytes | None, int, bytes]] = [("PUT", f"/{bucket}", None, 200, b"")]
    for each in range((PER_TEST - 4) // 2):
        key = f"/{bucket}/folder/{each}-{uuid.uuid4()}.json"
        body = json.dumps({"test": number, "step": each, "id": str(uuid.uuid4())}).encode()
        steps += [("PUT", key, body, 200, b""), ("GET", key, None, 200, body)]
    listing = _listing(bucket, [step[1] for step in steps if step[0] == "PUT"][1:])
    steps += [("GET", f"/{bucket}?list-type=2", None, 200, listing)] * 3
    calls = tuple(
        interpreter.interpret(_exchange(order, *step), order=order) for order, step in enumerate(steps)
    )
    name = f"tests/test_bench.py::test_{number}"
    return Trace(test=name, role=Role.CANDIDATE, world=name, interactions=calls)


def _listing(bucket: str, keys: list[str]) -> bytes:
    items = "".join(
        f"<Contents><Key>{key.split('/', 2)[2]}</Key><Size>80</Size></Contents>" for key in sorted(keys)
    )
    return f"<ListBucketResult><Name>{bucket}</Name>{items}</ListBucketResult>".encode()


def _exchange(order: int, method: str, path: str, body: bytes | None, status: int, answer: bytes) -> Exchange:
    content = "application/xml" if b"<" in answer else "binary/octet-stream"
    return Exchange(
        method=method,
        url=f"http://127.0.0.1:5000{path}",
        headers={"content-type": "application/json", "user-agent": "bench"},
        body=body,
        status=status,
        response_headers={"content-type": content, "x-amz-request-id": str(uuid.uuid4())},
        response_body=answer,
        started=float(order),
        ended=order + 0.5,
        service_hint="s3",
    )


if __name__ == "__main__":
    sys.exit(main())
