"""How much later the first test begins with `--likewise`, the start of servers left out.

Usage: python benchmarks/startup/measure.py [--rounds 15]

One suite of one test, run with and without `--likewise` in turn; its candidate is moto in the suite's own
process, so that no server is started. The seconds are those from the start of the process to the first
line of the test, and what the process took of a processor until then: medians of the differences between
neighbours.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUITE = """
import json, os, time
import boto3

def test_begins():
    with open(os.environ["BEGUN"], "w") as file:
        json.dump([time.time(), time.process_time()], file)
"""
CONFIGURATION = """
[tool.likewise]
candidate = "mock_aws"
reference = "moto"
services = ["s3"]
"""
LIMIT = 0.3


def main() -> int:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "test_suite.py").write_text(SUITE)
        (project / "pyproject.toml").write_text(CONFIGURATION)
        for arguments in ((), ("--likewise",)):
            _run(project, *arguments)  # compiles what is imported
        pairs = [(_run(project), _run(project, "--likewise")) for _ in range(rounds)]
    wall = statistics.median(ours[0] - plain[0] for plain, ours in pairs)
    processor = statistics.median(ours[1] - plain[1] for plain, ours in pairs)
    print(f"pytest alone, wall s         {statistics.median(plain[0] for plain, _ in pairs):>6.3f}")
    print(f"more with --likewise, wall s {wall:>6.3f}   (limit {LIMIT})")
    print(f"more with --likewise, CPU s  {processor:>6.3f}")
    print(f"load average, processors     {os.getloadavg()[0]:>6.1f}   {os.cpu_count()}")
    return 0


def _run(project: Path, *arguments: str) -> tuple[float, float]:
    """Wall and processor seconds until the test begins."""
    begun = project / "begun.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    started = time.time()
    subprocess.run(
        command, cwd=project, env=os.environ | {"BEGUN": str(begun)}, check=True, stdout=subprocess.DEVNULL
    )
    when, processor = json.loads(begun.read_text())
    return when - started, processor


if __name__ == "__main__":
    sys.exit(main())
