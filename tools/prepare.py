"""Install what the tests run against: emulators, and PostgreSQL where this may install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SERVERS = ("azurite", "dynalite", "s3rver", "seaweedfs", "localstack")
POSTGRES = ("apt-get", "install", "-y", "--no-install-recommends", "postgresql")


def main() -> int:
    """Install everything; in CI, whatever is missing afterwards is an error."""
    missing = [*_servers(), *_postgres()]
    for line in missing:
        print(f"missing: {line}", file=sys.stderr)
    return 1 if missing and os.environ.get("CI") else 0


def _servers() -> list[str]:
    if shutil.which("npm") is None:
        return ["node and npm. Install them with: apt-get install nodejs npm"]
    command = [sys.executable, "-m", "likewise.cloud.targets", "install"]
    failed = [name for name in SERVERS if subprocess.run([*command, name], check=False).returncode]
    return [f"{name}. Try: likewise install {name}" for name in failed]


def _postgres() -> list[str]:
    if _has_postgres():
        return []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(POSTGRES, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    return [] if _has_postgres() else [f"PostgreSQL. Install it with: {' '.join(POSTGRES)}"]


def _has_postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) or shutil.which("pg_ctl") is not None


if __name__ == "__main__":
    sys.exit(main())
