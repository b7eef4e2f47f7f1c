"""Is nothing reported where the same server stands on both sides?

    python benchmarks/fuzz/same.py [--budget 20000] [--workers 1] [--seed 1] [--keep FOLDER] [PAIR…]

A pair is SERVICE or SERVICE:SERVER; without one, every service runs on every server that is listed here.
The exit code says whether anything was reported.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from likewise.cloud.fuzz.log import Campaigns, read

PAIRS = {
    "s3": ("moto", "s3rver"),
    "dynamodb": ("moto", "dynalite"),
    "blob": ("azurite",),
    "queue": ("azurite",),
    "table": ("azurite",),
}


def main() -> None:
    """Run the pairs one after the other and print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="*")
    parser.add_argument("--budget", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, help="where the logs go; removed afterwards where it is not given"
    )
    options = parser.parse_args()
    reported = 0
    print("| service | server | workers | calls | pairs | operations | discrepancies | unstable | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    with ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for service, server in wanted(options.pairs):
            began = time.monotonic()
            home = folder / f"{service}-{server}-{options.workers}"
            found = campaign(home, service, server, options)
            reported += len(found.findings)
            tallies = found.tallies.values()
            cells = [service, server, options.workers, found.sent, sum(each.pairs for each in tallies)]
            cells += [len(set().union(*(each.called for each in tallies))), len(found.findings)]
            cells += [len(found.unstable), round(time.monotonic() - began)]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            for each in found.ranked():
                print(f"    {each.operation}: {each.kind} {each.place}: {each.reference} | {each.candidate}")
    sys.exit(1 if reported else 0)


def wanted(pairs: list[str]) -> list[tuple[str, str]]:
    """Services and servers as they were asked for."""
    found = []
    for each in pairs or PAIRS:
        service, _, server = each.partition(":")
        found += [(service, name) for name in ([server] if server else PAIRS[service])]
    return found


def campaign(home: Path, service: str, server: str, options: argparse.Namespace) -> Campaigns:
    """What a user would get: the command itself, in a folder of its own."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "likewise.toml").touch()
    command = [
        sys.executable,
        "-m",
        "likewise.cli",
        "fuzz",
        service,
        "--candidate",
        server,
        "--reference",
        server,
    ]
    command += ["--budget", options.budget, "--workers", options.workers, "--seed", options.seed, "--json"]
    done = subprocess.run([*map(str, command)], cwd=home, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{service} on {server}: {done.stderr}")
    found = read(sorted((home / ".likewise" / "fuzz").glob("*.jsonl")))
    said = json.loads(done.stdout)
    assert len(said["discrepancies"]) == len(found.findings)
    return found


if __name__ == "__main__":
    main()
