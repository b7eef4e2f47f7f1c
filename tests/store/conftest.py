"""Databases for the store's tests: a SQLite file, or a private PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from likewise.store import Ledger, open_ledger

INSTALL = "apt-get install postgresql"
_numbers = count()


def _server_binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if found:
        return found[-1].parent
    on_path = shutil.which("pg_ctl")
    return Path(on_path).parent if on_path else None


def _unprivileged() -> str | None:
    """The user to start the server as: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The start of the URL of a private server; append the database's name."""
    pytest.importorskip("psycopg", reason="pip install 'likewise[postgres]'")
    binaries = _server_binaries()
    if binaries is None:
        pytest.skip(f"no PostgreSQL server here; install one with: {INSTALL}")
    user = _unprivileged()
    # A short path: the socket's name is limited to about 100 characters.
    folder = Path(tempfile.mkdtemp(prefix="lw-pg-"))
    if user:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        subprocess.run(
            command, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )

    data = str(folder / "data")
    settings = f"-k {folder} -c listen_addresses= -c fsync=off -c shared_buffers=16MB"
    control = str(binaries / "pg_ctl")
    try:
        run(str(binaries / "initdb"), "-D", data, "-U", "likewise", "-A", "trust", "--no-sync")
        run(control, "-D", data, "-o", settings, "-w", "-l", str(folder / "log"), "start")
        try:
            yield f"postgresql://likewise@/{{}}?host={folder}"
        finally:
            run(control, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_databases() -> list[str]:
    """The databases made so far: making one takes longer than most tests."""
    return []


@pytest.fixture
def postgres_location(postgres_server: str, postgres_databases: list[str]) -> Callable[[], str]:
    """Makes the URL of one more database without a ledger in it."""
    import psycopg

    used = count()

    def make() -> str:
        number = next(used)
        if number == len(postgres_databases):
            postgres_databases.append(f"ledger_{number}")
            with psycopg.connect(postgres_server.format("postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {postgres_databases[number]}")
        url = postgres_server.format(postgres_databases[number])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA IF EXISTS likewise CASCADE")
        return url

    return make


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.server)])
def new_location(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes the location of one more ledger that does not exist yet."""
    if request.param == "postgres":
        make: Callable[[], str] = request.getfixturevalue("postgres_location")
        return make
    return lambda: str(tmp_path / f"some where {next(_numbers)}" / "ledger.sqlite")


@pytest.fixture
def location(new_location: Callable[[], str]) -> str:
    return new_location()


@pytest.fixture
def ledger(location: str) -> Iterator[Ledger]:
    with open_ledger(location) as opened:
        yield opened
