"""What tests and snapshots notice of changes to a library, on the pinned clients.

    python benchmarks/library/mutants.py NAME … [--sample 40] [--seed 1] [--jobs 1]

`likewise library mutate` on the client's own suite in the environment of its reference, at most `--sample`
mutants of each sort, drawn with `--seed`. Prints a row for each sort beside the published one, what both
missed and what the tests alone noticed; everything goes to `mutants-NAME.json` beside the client's source.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import measure
from recorder import of_pair

HEAD = (
    "| client | library | mutants | that could be noticed | equivalent "
    "| by tests | by snapshots | by tests only |\n"
    "|---|---|---|---|---|---|---|---|\n"
    "| published, Java | | extreme | 158 | | 89 % | 96 % | |"
)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+")
    parser.add_argument("--sample", default="40")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", default="1")
    options = parser.parse_args()
    pairs = measure.load()
    print(HEAD, flush=True)
    for name in options.names:
        pair = pairs[name]
        data = mutate(pair, ["--sample", options.sample, "--seed", options.seed, "--jobs", options.jobs])
        if data is not None:
            show(pair, data)


def mutate(pair: measure.Pair, more: list[str]) -> dict[str, Any] | None:
    """The campaign's own report, or nothing where it could not be run."""
    bench = of_pair(pair)
    command = [sys.executable, "-m", "likewise.cli", "library", "mutate", pair.library, "--json", *more]
    done = subprocess.run(
        [*command, "--python", bench.python, "--", "pytest", *pair.arguments],
        cwd=bench.folder,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{pair.name}: likewise library mutate ended with {done.returncode}", file=sys.stderr)
        return None
    (pair.home / f"mutants-{pair.name}.json").write_text(done.stdout)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def show(pair: measure.Pair, data: dict[str, Any]) -> None:
    """The rows of one pair."""
    for sort in ("extreme", "fine"):
        each = data[sort]
        whole = max(1, each["counted"])
        shares = [f"{each[key]} ({100 * each[key] / whole:.0f} %)" for key in ("by_tests", "by_snapshots")]
        print(
            f"| {pair.client} {pair.version} | {pair.library} {pair.reference} | {sort} | {each['counted']} "
            f"| {each['equivalent']} | {shares[0]} | {shares[1]} | {each['by_tests_only']} |",
            flush=True,
        )
    for each in data["mutants"]:
        name = f"{each['operation']} line {each['line']}: {each['operator']}: {each['about']}"
        if each["fate"] == "missed":
            print(f"    missed: {name}", flush=True)
        elif each["by_tests"] and not each["by_snapshots"]:
            print(f"    by tests only: {name}", flush=True)


if __name__ == "__main__":
    main()
