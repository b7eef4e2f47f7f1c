"""Run the inventory example three times, cold, warm and after a change, and show what Likewise says.

Everything happens in a temporary copy; two independent S3/DynamoDB implementations stand for the
candidate and the reference. Nothing is opened, nothing costs anything.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ACTS = (
    ("cold", "Nothing is known yet: what the emulator answered has to be proved on the reference."),
    ("warm", "The same code again: the ledger knows every answer."),
    ("changed", "One module of the service has changed: only what is new is proved."),
)


def main() -> int:
    """Show the three acts; the exit code is that of the last."""
    with tempfile.TemporaryDirectory(prefix="likewise-try-") as folder:
        project = Path(folder) / "inventory"
        shutil.copytree(HERE / "inventory", project)
        shutil.rmtree(project / "change")
        code = 0
        for number, (name, about) in enumerate(ACTS, start=1):
            if name == "changed":
                shutil.copytree(HERE / "inventory" / "change", project, dirs_exist_ok=True)
            print(f"\n{'=' * 80}\n{number} of {len(ACTS)}: {name}. {about}\n", flush=True)
            started = time.monotonic()
            code = _run(project)
            print(f"({time.monotonic() - started:.0f} s)", flush=True)
    print(_CLOSING)
    return 0 if code in (0, 1) else code


def _run(project: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "--likewise", "--likewise-verify"]
    print("$ pytest --likewise --likewise-verify", flush=True)
    return subprocess.run(command, cwd=project, check=False).returncode


_CLOSING = """
That was a suite on moto, proved against MiniStack. Nothing was paid: the amounts are what the calls
would cost on AWS. The one test that pytest shows as failed fails on moto only. In your project:

    pip install "likewise[aws]"
    [tool.likewise]              # in pyproject.toml
    candidate = "moto"
    reference = "aws"

    pytest --likewise            # never touches the reference
    pytest --likewise --likewise-verify
"""

if __name__ == "__main__":
    sys.exit(main())
