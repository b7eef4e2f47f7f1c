"""Run the inventory example three times, cold, warm and after a change, and show what Likewise says.

Everything happens in a copy, which stays until the next time, to be looked into; two independent
S3/DynamoDB implementations stand for the candidate and the reference. Nothing is opened, nothing costs
anything.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent / "build" / "try" / "inventory"
ACTS = (
    ("cold", "Nothing is known yet: what the emulator answered has to be proved on the reference."),
    ("warm", "The same code again: the ledger knows every answer."),
    ("changed", "One module of the service has changed: only what is new is proved."),
)


def main() -> int:
    """Show the three acts; the exit code is that of the last."""
    shutil.rmtree(PROJECT, ignore_errors=True)
    shutil.copytree(HERE / "inventory", PROJECT)
    shutil.rmtree(PROJECT / "change")
    code = 0
    for number, (name, about) in enumerate(ACTS, start=1):
        if name == "changed":
            shutil.copytree(HERE / "inventory" / "change", PROJECT, dirs_exist_ok=True)
        print(f"\n{'=' * 80}\n{number} of {len(ACTS)}: {name}. {about}\n", flush=True)
        started = time.monotonic()
        code = _run()
        print(f"({time.monotonic() - started:.0f} s)", flush=True)
    print(_CLOSING.format(folder=_short(PROJECT), commands=_short(Path(sys.executable).parent / "activate")))
    return 0 if code in (0, 1) else code


def _run() -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "--likewise", "--likewise-verify"]
    print("$ pytest --likewise --likewise-verify", flush=True)
    return subprocess.run(command, cwd=PROJECT, check=False).returncode


def _short(path: Path) -> Path:
    """As it is called from here, if it is below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


_CLOSING = """
That was a suite on moto, proved against MiniStack. Nothing was paid: the amounts are what the calls
would cost on AWS. The one test that pytest shows as failed fails on moto only.

Look closer: the suite, its recordings and its ledger are in {folder}.

    source {commands} && cd {folder}
    likewise explain tests/test_orders.py::test_a_retried_reservation_takes_once
    likewise report

In your project:

    pip install "likewise[aws]"
    [tool.likewise]              # in pyproject.toml
    candidate = "moto"
    reference = "aws"

    pytest --likewise            # never touches the reference
    pytest --likewise --likewise-verify
"""

if __name__ == "__main__":
    sys.exit(main())
