"""How many distinct confirmed findings does each strategy make in the same number of call pairs?

    python benchmarks/fuzz/strategies.py [--budget 2000] [--seeds 1 2] [PAIR…]

A PAIR is SERVICE:CANDIDATE:REFERENCE. The strategies take turns on servers of their own, freshly started. The
budget counts every call that the reference gets: set-up, comparison, confirmation, minimisation.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from pairs import order_for

from likewise.cloud.fuzz.log import Campaigns, read
from likewise.cloud.fuzz.session import run_worker
from likewise.cloud.fuzz.strategies import NAMES

PAIRS = ("s3:moto:ministack", "dynamodb:moto:dynalite")


def main() -> None:
    """Run every strategy on every pair with every seed, and say how many times as many ours finds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="*", default=PAIRS)
    parser.add_argument("--budget", type=int, default=2000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--strategies", nargs="+", default=list(NAMES))
    parser.add_argument("--keep", type=Path, help="A folder for the logs.")
    options = parser.parse_args()
    for pair in options.pairs:
        counts: dict[str, list[int]] = {name: [] for name in options.strategies}
        for seed in options.seeds:
            for name in options.strategies:
                found = campaign(pair, name, seed, options.budget, options.keep)
                counts[name].append(len(found.findings))
                print(described(pair, name, seed, found), flush=True)
        means = {name: statistics.mean(each) for name, each in counts.items()}
        ours = means.get("hybrid", 0.0)
        ratios = {name: round(ours / mean, 2) for name, mean in means.items() if name != "hybrid" and mean}
        print(json.dumps({"pair": pair, "findings": counts, "ours_against": ratios}), flush=True)


def campaign(pair: str, name: str, seed: int, budget: int, keep: Path | None) -> Campaigns:
    """One campaign on fresh servers."""
    with tempfile.TemporaryDirectory() as folder:
        log = (keep or Path(folder)) / f"{pair.replace(':', '-')}-{name}-{seed}.jsonl"
        log.unlink(missing_ok=True)
        run_worker(order_for(pair, seed=seed, budget=budget, log=log, strategy=name))
        return read([log])


def described(pair: str, name: str, seed: int, found: Campaigns) -> str:
    """A line about one campaign."""
    findings = found.ranked()
    steps = statistics.median([len(each.sequence) for each in findings] or [0])
    spent = statistics.median([each.pairs for each in findings] or [0])
    operations = len({each.operation for each in findings})
    return (
        f"{pair} {name} seed {seed}: {len(findings)} findings in {operations} operations, "
        f"{found.sent} calls, {len(found.unstable)} unstable; "
        f"median reproducer {steps} calls, looked into in {spent} pairs"
    )


if __name__ == "__main__":
    main()
