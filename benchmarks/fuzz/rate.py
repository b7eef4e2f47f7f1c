"""How many call pairs a second does a campaign make, against two bare SDK loops that make the same calls?

    python benchmarks/fuzz/rate.py [--budget 1500] [--rounds 3] [SERVICE:CANDIDATE:REFERENCE…]

A campaign notes every call that it sends. Two plain loops, one thread and one connection a side like the
campaign, then send the same calls with the same parameters to freshly started servers of the same kinds and
do nothing with the answers. Campaign and loops take turns. Besides wall time, the processor time of this
process and of all servers is given: it does not depend on other load.

Both are timed from when servers and clients are there and have answered one call until the last answer.
Everything that a campaign does beside calls is in between, the wait at its end as well. Before that was so,
making the clients and the first call, for which servers and SDK load much of what they consist of, counted
for the loops only, and looking up the processor time at each report counted for the campaign only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pairs import order_for

from likewise.cloud.fuzz import session
from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.session import Order, run_worker
from likewise.cloud.fuzz.sides import open_side
from likewise.model import Role

PAIRS = ("s3:moto:ministack", "dynamodb:moto:dynalite")
FIRST = {"s3": "ListBuckets", "dynamodb": "ListTables"}
"""What is asked before anything is timed."""


def main() -> None:
    """Measure each pair and print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="*", default=PAIRS)
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for pair in options.pairs:
        rounds = [measure(pair, options.budget, seed) for seed in range(1, options.rounds + 1)]
        summary = {key: round(statistics.median(each[key] for each in rounds), 3) for key in rounds[0]}
        print(json.dumps({"pair": pair, "rounds": len(rounds), **summary}), flush=True)


def measure(pair: str, budget: int, seed: int) -> dict[str, float]:
    """One campaign and the two loops that repeat its calls."""
    sent: dict[Role, list[Call]] = {Role.REFERENCE: [], Role.CANDIDATE: []}
    with tempfile.TemporaryDirectory() as folder, noted(sent):
        order = order_for(pair, seed=seed, budget=budget, log=Path(folder) / "log.jsonl")
        with timed() as watch:
            run_worker(order)
    ours = watch.rates(len(sent[Role.REFERENCE]))
    bare = loops(order, sent).rates(len(sent[Role.REFERENCE]))
    return {
        "campaign_pairs_a_second": ours[0],
        "bare_pairs_a_second": bare[0],
        "share_by_wall": ours[0] / bare[0],
        "campaign_ms_a_pair": ours[1],
        "bare_ms_a_pair": bare[1],
        "share_by_processor": bare[1] / ours[1],
    }


@contextmanager
def noted(sent: dict[Role, list[Call]]) -> Iterator[None]:
    """Sides that note what they are asked after a first call, for as long as this lasts."""
    module: Any = session
    plain = module.open_side

    def opened(running: Any, service: str, *, timeout: float) -> Any:
        side = warm(plain(running, service, timeout=timeout))
        ask = side.call

        def call(each: Call) -> Answer:
            before = side.sent
            answer: Answer = ask(each)
            if side.sent > before:
                sent[running.target.role].append(each)
            return answer

        side.call = call
        return side

    module.open_side = opened
    try:
        yield
    finally:
        module.open_side = plain


def warm(side: Any) -> Any:
    """A side whose server has answered a call."""
    side.call(Call(service=side.service, operation=FIRST[side.service], params={}))
    side.sent = 0
    return side


class Watch:
    """Time and processor time between its start and its stop."""

    def __init__(self) -> None:
        self._began, self._ended = (0.0, 0.0), (0.0, 0.0)

    def start(self) -> None:
        self._began = time.perf_counter(), processor()

    def stop(self) -> None:
        self._ended = time.perf_counter(), processor()

    def rates(self, calls: int) -> tuple[float, float]:
        """Pairs a second, and milliseconds of processor time a pair."""
        seconds, spent = (end - start for start, end in zip(self._began, self._ended, strict=True))
        return calls / seconds, 1000 * spent / calls


@contextmanager
def timed() -> Iterator[Watch]:
    """A watch that runs while both sides of a session are open; starting and stopping them does not count."""
    module: Any = session
    plain = module.opened
    watch = Watch()

    @contextmanager
    def opened(order: Order) -> Iterator[Any]:
        with plain(order) as sides:
            watch.start()
            try:
                yield sides
            finally:
                watch.stop()

    module.opened = opened
    try:
        yield watch
    finally:
        module.opened = plain


def processor() -> float:
    """Seconds of processor time of this process and of everything that it started and that still runs."""
    total, ticks = 0.0, os.sysconf("SC_CLK_TCK")
    family = {os.getpid()}
    rows = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended in the meantime
            rows[int(entry.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks)
    grown = True
    while grown:
        more = {number for number, (parent, _) in rows.items() if parent in family} - family
        family |= more
        grown = bool(more)
    for number in family:
        total += rows.get(number, (0, 0.0))[1]
    return total


def loops(order: Order, sent: dict[Role, list[Call]]) -> Watch:
    """Both bare loops at once on fresh servers."""
    reference = session.start(order.reference, Role.REFERENCE, order.service)
    candidate = session.start(order.candidate, Role.CANDIDATE, order.service)
    try:
        threads = [
            threading.Thread(
                target=loop,
                args=(
                    warm(open_side(running, order.service, timeout=order.timeout)),
                    sent[running.target.role],
                ),
            )
            for running in (reference, candidate)
        ]
        watch = Watch()
        watch.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        watch.stop()
        return watch
    finally:
        reference.stop()
        candidate.stop()


def loop(side: Any, calls: list[Call]) -> None:
    """The plain SDK, call after call."""
    from botocore.exceptions import BotoCoreError, ClientError

    client = side._client
    for call in calls:
        try:
            answer = client._make_api_call(call.operation, dict(call.params))
            if "Body" in answer:
                answer["Body"].read()
        except (ClientError, BotoCoreError):
            continue


if __name__ == "__main__":
    main()
