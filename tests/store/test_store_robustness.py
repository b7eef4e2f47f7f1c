"""Whatever happens to a process, a disk or a file, a ledger loses nothing and says what is wrong."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from store_samples import attempt, evidence, keyed

from likewise.model import ConfigurationError, FormatTooNew, LedgerCorrupt, StoreFull
from likewise.store import LedgerUnavailable, migrations, open_ledger
from likewise.store.driver import Driver
from likewise.store.sqlite import SqliteDriver

HERE = str(Path(__file__).parent)

WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from store_samples import attempt, evidence, keyed
from likewise.store import open_ledger
location, name, rounds = sys.argv[2], sys.argv[3], int(sys.argv[4])
with open_ledger(location) as ledger:
    for number in range(rounds):
        ledger.add_attempts([attempt(name, when=float(number))])
        ledger.add_evidence(evidence(name, when=float(number), calls=2), keyed(f"{name}-{number}", "shared"))
        print(number, flush=True)
"""


def start_writer(location: str, name: str, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, HERE, location, name, str(rounds)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing(location: str) -> None:
    """They also create the ledger at once: it does not exist when they start."""
    rounds = 40
    writers = {name: start_writer(location, name, rounds) for name in ("p0", "p1", "p2")}
    for writer in writers.values():
        writer.communicate()
        assert writer.returncode == 0
    with open_ledger(location, read_only=True) as ledger:
        for name in writers:
            assert len(ledger.attempts(name)) == rounds
            assert len(list(ledger.evidence([name]))) == rounds
            assert len(ledger.answers(f"{name}-{number}" for number in range(rounds))) == rounds
        assert len(ledger.answers(["shared"])["shared"]) == rounds * len(writers)
        assert ledger.check() == []


@pytest.mark.slow
def test_a_process_killed_while_it_writes_leaves_a_readable_ledger(location: str) -> None:
    for seen in (3, 11, 25):
        writer = start_writer(location, f"killed{seen}", 10_000)
        assert writer.stdout is not None
        for _ in range(seen):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        for read_only in (True, False):
            with open_ledger(location, read_only=read_only) as ledger:
                # Everything that was said to be done is there, and nothing is there by half.
                assert len(ledger.attempts(f"killed{seen}")) > last
                proofs = list(ledger.evidence([f"killed{seen}"]))
                assert len(proofs) > last
                assert len(ledger.answers(f"killed{seen}-{each.when:.0f}" for _, each in proofs)) == len(
                    proofs
                )
                assert ledger.check() == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.mark.parametrize("content", [b"not a database at all\n" * 300, b"SQLite format 3", b"{}"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_database_is_refused_and_left_untouched(
    path: Path, content: bytes, read_only: bool
) -> None:
    path.write_bytes(content)
    with pytest.raises(LedgerCorrupt, match="left untouched") as caught:
        open_ledger(path, read_only=read_only)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_damaged_database_is_refused_and_left_untouched(path: Path) -> None:
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt(when=float(number)) for number in range(500)])
    damaged = bytearray(path.read_bytes())
    damaged[100:4096] = os.urandom(3996)
    path.write_bytes(damaged)
    with pytest.raises(LedgerCorrupt, match=r"ledger\.sqlite: not a ledger"):
        open_ledger(path)
    assert path.read_bytes() == damaged


def test_a_damaged_page_is_found_when_it_is_read(path: Path) -> None:
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt(when=float(number)) for number in range(2000)])
    damaged = bytearray(path.read_bytes())
    for start in range(40 * 4096, len(damaged), 4096):
        damaged[start : start + 200] = b"\xee" * 200
    path.write_bytes(damaged)
    with open_ledger(path) as ledger:
        assert ledger.check() != []
        with pytest.raises(LedgerCorrupt):
            ledger.attempts("t::a")


def test_a_changed_body_is_not_taken_for_evidence(path: Path) -> None:
    with open_ledger(path) as ledger:
        ledger.add_evidence(evidence(), keyed("k"))
        other = ledger.add_evidence(evidence("t::b"), [])
        ledger.driver.execute(
            "UPDATE evidence SET body = (SELECT body FROM evidence WHERE id = ?) WHERE id <> ?",
            (other, other),
        )
        with pytest.raises(LedgerCorrupt, match="not what its id says"):
            list(ledger.evidence(["t::a"]))


def test_somebody_elses_database_is_refused_and_left_untouched(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (name TEXT, value TEXT)")
    connection.close()
    with pytest.raises(LedgerCorrupt, match="a database, but not a ledger"):
        open_ledger(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("meta",)]
    connection.close()


def test_an_empty_file_becomes_a_ledger_when_written_and_is_none_when_read(path: Path) -> None:
    path.touch()
    with pytest.raises(Exception, match="there is no ledger yet"):
        open_ledger(path, read_only=True)
    assert path.stat().st_size == 0
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt()])
    assert path.stat().st_size > 0


def test_a_ledger_of_a_newer_version_is_refused(location: str) -> None:
    with open_ledger(location) as ledger:
        ledger.add_attempts([attempt()])
        ledger.driver.execute("UPDATE meta SET value = '2' WHERE name = 'version'")
    for read_only in (True, False):
        with pytest.raises(FormatTooNew, match="format version 2"):
            open_ledger(location, read_only=read_only)


def test_a_ledger_of_an_older_version_is_brought_forward_once(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invented version 0 had no table of audits."""
    with open_ledger(location) as ledger:
        ledger.add_attempts([attempt()])
        ledger.driver.execute("DROP TABLE audits")
        ledger.driver.execute("UPDATE meta SET value = '0' WHERE name = 'version'")
    with pytest.raises(LedgerCorrupt, match="there has never been a ledger of version 0"):
        open_ledger(location)
    steps: list[str] = []

    def v0_to_v1(driver: Driver) -> Driver:
        steps.append(driver.location)
        driver.execute("CREATE TABLE audits (id TEXT PRIMARY KEY, clean INTEGER NOT NULL)")
        return driver

    monkeypatch.setattr(migrations, "LEDGER", replace(migrations.LEDGER, steps={0: v0_to_v1}))
    with pytest.raises(LedgerUnavailable, match="older format version 0"):
        open_ledger(location, read_only=True)
    for _ in range(2):
        with open_ledger(location) as ledger:
            assert len(ledger.attempts("t::a")) == 1
            assert ledger.audit_counts() == (0, 0)
    assert len(steps) == 1


def test_an_upgrade_that_fails_changes_nothing(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_ledger(location).close()

    def v1_to_v2(driver: Driver) -> Driver:
        driver.execute("DROP TABLE audits")
        raise RuntimeError("power cut")

    with monkeypatch.context() as later:
        later.setattr(migrations, "LEDGER", replace(migrations.LEDGER, version=2, steps={1: v1_to_v2}))
        with pytest.raises(RuntimeError):
            open_ledger(location)
    with open_ledger(location) as ledger:
        assert ledger.audit_counts() == (0, 0)


def test_a_full_disk_keeps_what_was_there_and_says_what_to_do(path: Path) -> None:
    """A limit on the database's pages is what a full disk looks like to SQLite."""
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt()])
        pages = ledger.driver.query("PRAGMA page_count")[0][0]
        ledger.driver.query(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreFull, match="Make room"):
            ledger.add_attempts([attempt(when=float(number)) for number in range(2, 5000)])
        assert len(ledger.attempts("t::a")) == 1
        ledger.driver.query("PRAGMA max_page_count = 1000000")
        ledger.add_attempts([attempt(when=2.0)])
        assert len(ledger.attempts("t::a")) == 2
    with open_ledger(path) as ledger:
        assert ledger.check() == []


def test_a_writer_that_does_not_let_go_is_named_as_the_reason(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likewise.store.sqlite.PATIENCE", 0.1)
    with open_ledger(path) as one, open_ledger(path) as other, one.batch():
        one.add_attempts([attempt()])
        with pytest.raises(LedgerUnavailable, match="another process holds the ledger"):
            other.add_attempts([attempt()])
        assert other.attempts("t::a") == []


def as_nobody(work: Callable[[], str]) -> str:
    """The outcome of some work in a process without rights; permissions do not bind root."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(65534, 65534, 65534)
                os.setresuid(65534, 65534, 65534)
            os.write(sending, work().encode())
        except BaseException as error:
            os.write(sending, repr(error).encode())
        finally:
            os._exit(0)
    os.close(sending)
    os.waitpid(child, 0)
    with os.fdopen(receiving) as outcome:
        return outcome.read()


def test_a_ledger_that_may_not_be_written_can_be_read_and_says_so() -> None:
    folder = Path(tempfile.mkdtemp(prefix="lw-"))
    path = folder / "ledger.sqlite"
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt()])
    path.chmod(0o444)
    folder.chmod(0o555)

    def read() -> str:
        with open_ledger(path, read_only=True) as ledger:
            return str(len(ledger.attempts("t::a")))

    def write() -> str:
        with open_ledger(path) as ledger:
            ledger.add_attempts([attempt(when=9.0)])
        return "written"

    try:
        assert as_nobody(read) == "1"
        refused = as_nobody(write)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    assert "[ledger-unavailable]" in refused
    assert "Check the permissions" in refused


def test_a_place_that_cannot_hold_a_ledger_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerUnavailable, match="Not a directory"):
        open_ledger(tmp_path / "file" / "ledger.sqlite")
    with pytest.raises(LedgerUnavailable, match="Is a directory"):
        open_ledger(tmp_path)


def test_a_copy_of_the_file_is_a_ledger(path: Path, tmp_path: Path) -> None:
    with open_ledger(path) as ledger:
        ledger.add_attempts([attempt()])
    copy = tmp_path / "copy.sqlite"
    shutil.copy(path, copy)
    with open_ledger(copy, read_only=True) as ledger:
        assert len(ledger.attempts("t::a")) == 1


def test_what_was_created_is_written_through_to_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_ledger(path) as ledger:
        assert isinstance(ledger.driver, SqliteDriver)
        seen: list[str] = []
        connection = ledger.driver._connection
        connection.set_trace_callback(seen.append)
        ledger.remember_created("r", "aws", "bucket/a")
        connection.set_trace_callback(None)
        assert seen.index("PRAGMA synchronous = FULL") < seen.index("COMMIT")
        assert ledger.driver.query("PRAGMA synchronous") == [(1,)]


class TestPostgres:
    """What can only go wrong with a server."""

    def test_a_server_that_is_not_there(self, tmp_path: Path) -> None:
        pytest.importorskip("psycopg")
        with pytest.raises(LedgerUnavailable) as caught:
            open_ledger(f"postgresql://me:secret@/db?host={tmp_path}")
        assert "secret" not in str(caught.value)
        assert "Check the server" in str(caught.value)

    def test_a_url_that_is_none(self) -> None:
        pytest.importorskip("psycopg")
        with pytest.raises(ConfigurationError, match="cannot be read") as caught:
            open_ledger("postgresql://me:secret@host/db?nonsense=1")
        assert "secret" not in str(caught.value)

    def test_without_the_package_it_says_which_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        monkeypatch.delitem(sys.modules, "likewise.store.postgres", raising=False)
        with pytest.raises(ConfigurationError, match=r"pip install 'likewise\[postgres\]'"):
            open_ledger("postgresql://host/db")

    @pytest.mark.server
    def test_a_user_without_rights_is_told_which(
        self, postgres_location: Callable[[], str], postgres_server: str
    ) -> None:
        import psycopg

        url = postgres_location()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP ROLE IF EXISTS guest")
            connection.execute("CREATE ROLE guest LOGIN")
        with pytest.raises(LedgerUnavailable, match="right to create and fill the schema 'likewise'"):
            open_ledger(url.replace("likewise@", "guest@"))

    @pytest.mark.server
    def test_a_connection_that_breaks_keeps_nothing_half_done(
        self, postgres_location: Callable[[], str]
    ) -> None:
        import psycopg

        url = postgres_location()
        ledger = open_ledger(url)
        ledger.add_attempts([attempt()])

        def write_and_be_cut_off() -> None:
            with ledger.batch():
                ledger.add_attempts([attempt(when=2.0)])
                with psycopg.connect(url, autocommit=True) as other:
                    other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                time.sleep(0.1)
                ledger.add_attempts([attempt(when=3.0)])

        with pytest.raises(LedgerUnavailable):
            write_and_be_cut_off()
        with open_ledger(url) as again:
            assert len(again.attempts("t::a")) == 1


def test_sqlite_alone_does_not_load_the_drivers_of_others() -> None:
    code = "import likewise.store, sys; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
