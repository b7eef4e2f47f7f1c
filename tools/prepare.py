"""Install what the tests run against: emulators; PostgreSQL and boards where this may install them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SERVERS = ("azurite", "dynalite", "s3rver", "seaweedfs", "localstack")
BOARDS = {
    "qemu-system-arm": "qemu-system-arm",
    "gcc-arm-none-eabi": "arm-none-eabi-gcc",
    "libnewlib-arm-none-eabi": "/usr/lib/arm-none-eabi/newlib",
    "firmware-microbit-micropython": "/usr/share/firmware-microbit-micropython/firmware.hex",
    "wabt": "wast2json",
}
"""Debian packages for managed device tests, and what is there once they are installed."""
POSTGRES = ("apt-get", "install", "-y", "--no-install-recommends", "postgresql")


def main() -> int:
    """Install everything; in CI, whatever is missing afterwards is an error."""
    missing = [*_servers(), *_postgres(), *_boards()]
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


def _boards() -> list[str]:
    missing = _missing_boards()
    install = ("apt-get", "install", "-y", "--no-install-recommends", *missing)
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(install, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        missing = _missing_boards()
    return [f"{package}. Install it with: apt-get install {package}" for package in missing]


def _missing_boards() -> list[str]:
    return [name for name, sign in BOARDS.items() if not (Path(sign).exists() or shutil.which(sign))]


def _has_postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")) or shutil.which("pg_ctl") is not None


if __name__ == "__main__":
    sys.exit(main())
