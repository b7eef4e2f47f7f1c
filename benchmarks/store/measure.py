"""How fast the store is, as ratios against the bare standard library in the same run.

    python benchmarks/store/measure.py [--json FILE] [--calls N] [--rows N] [--postgres URL]

Absolute figures depend on the machine; the ratios hardly do.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from likewise.model import (
    Effect,
    Evidence,
    Interaction,
    Keyed,
    Opaque,
    Operation,
    Origin,
    Provenance,
    Redacted,
    Redaction,
    Returned,
    Role,
    Target,
    Touch,
    Trace,
)
from likewise.store import RecordingWriter, iterate, open_ledger, read

CALLS_PER_TEST = 20


def main() -> None:
    """Measure everything and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--calls", type=int, default=40_000)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--postgres", help="also measure this server, in a schema that must be empty")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = recordings(Path(folder), options.calls)
        figures |= ledger(str(Path(folder) / "ledger.sqlite"), Path(folder), options.rows)
        if options.postgres:
            measured = ledger(options.postgres, Path(folder), options.rows)
            figures |= {f"PostgreSQL, {name}": figure for name, figure in measured.items()}
    print(f"{'':52}{'ours/s':>12}{'bare/s':>12}{'ratio':>8}")
    for name, (ours, bare) in figures.items():
        print(f"{name:52}{ours:12,.0f}{bare:12,.0f}{ours / bare:8.2f}")
    if options.json:
        rows = {name: {"ours": ours, "bare": bare} for name, (ours, bare) in figures.items()}
        options.json.write_text(json.dumps(rows, indent=1))


def recordings(folder: Path, calls: int) -> dict[str, tuple[float, float]]:
    """Interactions per second, against `json` on the same data as plain dictionaries."""
    traces = [trace(number) for number in range(calls // CALLS_PER_TEST)]
    path = folder / "run.jsonl"

    def write() -> None:
        path.unlink(missing_ok=True)
        with RecordingWriter(path, Provenance(run="r")) as writer:
            for each in traces:
                writer.add(Redaction(trace=each))

    plain = [asdict(each) for each in traces]
    bare_path = folder / "bare.jsonl"

    def write_bare() -> None:
        with bare_path.open("w") as file:
            file.writelines(json.dumps(each, default=str) + "\n" for each in plain)

    def read_bare() -> None:
        with bare_path.open() as file:
            for line in file:
                json.loads(line)

    def stream() -> None:
        for trace in iterate(path):
            tuple(trace.interactions)

    def read_whole() -> None:
        for trace in read(path).traces:
            tuple(trace.interactions)

    write()
    assert read(path).traces == tuple(traces)
    written = speed(calls, write, times=3), speed(calls, write_bare, times=3)
    bare = speed(calls, read_bare, times=3)
    return {
        "recording, interactions written": written,
        "recording, interactions read": (speed(calls, read_whole, times=3), bare),
        "recording, interactions checked": (speed(calls, lambda: read(path), times=3), bare),
        "recording, interactions streamed": (speed(calls, stream, times=3), bare),
    }


def ledger(location: str, folder: Path, rows: int) -> dict[str, tuple[float, float]]:
    """Index rows and look-ups per second, against `sqlite3` with a table of keys and nothing else."""
    draw = random.Random(7)
    keys = [draw.randbytes(16).hex() for _ in range(rows)]
    wanted = draw.sample(keys, min(rows, 100_000))
    pieces = [
        evidence(number, keys[start : start + 1000]) for number, start in enumerate(range(0, rows, 1000))
    ]
    bare = sqlite3.connect(folder / f"bare{len(location)}.sqlite", isolation_level=None)
    bare.executescript(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "CREATE TABLE k (key TEXT PRIMARY KEY, answer TEXT)"
    )

    def insert_bare() -> None:
        for start in range(0, rows, 1000):
            bare.execute("BEGIN")
            bare.executemany(
                "INSERT INTO k VALUES (?, ?)", [(key, "a" * 32) for key in keys[start : start + 1000]]
            )
            bare.execute("COMMIT")

    def look_up_bare() -> None:
        for key in wanted:
            bare.execute("SELECT answer FROM k WHERE key = ?", (key,)).fetchone()

    with open_ledger(location) as opened:

        def insert() -> None:
            for proof, keyed in pieces:
                opened.add_evidence(proof, keyed)

        def index() -> None:
            for identity, keyed in stored:
                opened.reindex(identity, keyed)

        def look_up() -> None:
            assert len(opened.answers(wanted)) == len(wanted)

        # A server's work is not in this process's time.
        clock = time.perf_counter if "://" in location else time.process_time
        stored = [(opened.add_evidence(proof, []), keyed) for proof, keyed in pieces]
        indexed = speed(rows, index, clock=clock)
        for identity, _ in stored:
            opened.reindex(identity, [])
        inserted = speed(rows, insert, clock=clock)
        found = speed(len(wanted), look_up, times=3, clock=clock)
    bare_inserted = speed(rows, insert_bare)
    result = {
        "ledger, keys indexed": (indexed, bare_inserted),
        "ledger, keys added with their evidence": (inserted, bare_inserted),
        f"ledger, keys looked up ({len(wanted):,} at once)": (
            found,
            speed(len(wanted), look_up_bare, times=3),
        ),
    }
    bare.close()
    return result


def speed(
    count: int,
    work: Callable[[], object],
    *,
    times: int = 1,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """So many things per second, at best; of the processor's time, which neighbours hardly change."""
    best = float("inf")
    for _ in range(times):
        started = clock()
        work()
        best = min(best, clock() - started)
    return count / best


def trace(number: int) -> Trace:
    """A test with calls as an S3 and DynamoDB suite makes them."""
    return Trace(
        test=f"tests/test_inventory.py::test_{number}",
        role=Role.CANDIDATE,
        interactions=tuple(interactions(number)),
        started=1_700_000_000.0 + number,
    )


def interactions(number: int) -> Iterable[Interaction]:
    """Half of the calls with a body nobody parses and a redacted header, half with a parsed one."""
    for order in range(CALLS_PER_TEST):
        key = f"items/{number}/{order}"
        item = {"id": {"S": key}, "count": {"N": str(order)}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}}
        stored = order % 2 == 0
        yield Interaction(
            operation=Operation("s3", "PutObject") if stored else Operation("dynamodb", "PutItem"),
            arguments={"Bucket": f"b-{number}", "Key": key, "Body": Opaque(length=2048, digest="0" * 32)}
            if stored
            else {"TableName": f"t-{number}", "Item": item, "ReturnValues": "ALL_OLD"},
            outcome=Returned(value={"status": 200, "body": {"ETag": "0" * 32, "Attributes": item}}),
            touches=(Touch(resource=("s3", f"b-{number}", key), effect=Effect.ABSORB),),
            order=order,
            started=1_700_000_000.0 + order,
            ended=1_700_000_000.1 + order,
            wire={
                "method": "PUT",
                "url": f"/b-{number}/{key}",
                "headers": {"content-type": "text/plain", "authorization": Redacted(kind="signature")}
                if stored
                else {
                    "content-type": "application/x-amz-json-1.0",
                    "x-amz-target": "DynamoDB_20120810.PutItem",
                },
            },
        )


def evidence(number: int, keys: list[str]) -> tuple[Evidence, list[Keyed]]:
    """One piece of evidence that proves so many keys, each by a small call."""
    call = Interaction(
        operation=Operation("s3", "GetObject"), arguments={"Key": "k"}, outcome=Returned(value=None)
    )
    traced = Trace(test=f"t{number}", role=Role.REFERENCE, interactions=(call,) * len(keys))
    proof = Evidence(
        test=f"t{number}",
        run="r",
        origin=Origin.WHOLE,
        reference=Target(name="aws", role=Role.REFERENCE),
        when=float(number),
        traces=(traced,),
        proved=tuple(range(len(keys))),
        canonical_version=1,
    )
    keyed = [
        Keyed(position=position, operation=call.operation, form="", key=key, answer="a" * 32)
        for position, key in enumerate(keys)
    ]
    return proof, keyed


if __name__ == "__main__":
    main()
