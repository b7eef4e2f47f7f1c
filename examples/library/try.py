"""Upgrade a small library under a small client, offline, and show what Likewise says."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import wheels

HERE = Path(__file__).parent


def main() -> int:
    """Run `likewise upgrade` in a copy of this folder; extra arguments go to it."""
    with tempfile.TemporaryDirectory(prefix="likewise-library-") as folder:
        project = Path(folder) / "parcels"
        project.mkdir()
        for name in ("parcels", "tests"):
            shutil.copytree(HERE / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        wheels.build(Path(folder) / "wheels")
        command = [
            sys.executable,
            "-m",
            "likewise.cli",
            "upgrade",
            "measures",
            "--from",
            "1.0",
            "--to",
            "2.0",
        ]
        command += ["--wheels", str(Path(folder) / "wheels"), *sys.argv[1:], "--", "pytest", "tests"]
        return subprocess.run(command, cwd=project, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
