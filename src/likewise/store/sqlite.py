"""The ledger's driver for SQLite."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from likewise.model import LedgerCorrupt, LikewiseError, StoreFull
from likewise.store.driver import Keys, LedgerAbsent, LedgerUnavailable, Row
from likewise.store.home import make_folder

LEAST_ROOM = 1 << 16
MAGIC = b"SQLite format 3\x00"
CHUNK = 20_000
PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""


class SqliteDriver:
    """One connection to a SQLite file; threads of a process may share it."""

    types: ClassVar[Mapping[str, str]] = {
        "serial": "INTEGER PRIMARY KEY",
        "blob": "BLOB",
        "real": "REAL",
        "clustered": "WITHOUT ROWID",
    }

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.location = str(path)
        self.read_only = read_only
        self._lock = threading.RLock()
        self._depth = 0
        self._refuse_foreign()
        with self._explained():
            self._connection = self._connect()
            self._tune()

    def tables(self) -> set[str]:
        return {name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")}

    @property
    def in_transaction(self) -> bool:
        with self._lock:
            return self._depth > 0

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[None]:
        with self._lock, self._explained():
            if self._depth:
                yield
                return
            if durable:
                self._connection.execute("PRAGMA synchronous = FULL")
            # IMMEDIATE: waits for another writer here, where nothing is lost, and not half-way.
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth = 0
                if durable:
                    self._connection.execute("PRAGMA synchronous = NORMAL")

    def lock_schema(self) -> None:
        """Nothing to do: a write transaction shuts out every other writer."""

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        with self._lock, self._explained():
            return self._connection.execute(sql, parameters).fetchall()

    def query_among(self, sql: str, keys: Keys, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        statement = sql.format(among="IN (SELECT value FROM json_each(?))")
        for start in range(0, len(keys), CHUNK):
            yield from self.query(statement, (*parameters, json.dumps(keys[start : start + CHUNK])))

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        with self._lock, self._explained():
            self._connection.execute(sql, parameters)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> int:
        places = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) ON CONFLICT DO NOTHING"
        with self.transaction():
            return self._connection.executemany(sql, rows).rowcount if rows else 0

    def check(self) -> list[str]:
        found = [text for (text,) in self.query("PRAGMA quick_check")]
        return [] if found == ["ok"] else found

    def close(self) -> None:
        with self._lock, self._explained():
            self._connection.close()

    def _refuse_foreign(self) -> None:
        """Look before SQLite does: it would replace some files that it does not recognise."""
        try:
            with self.path.open("rb") as file:
                head = file.read(len(MAGIC))
        except FileNotFoundError as error:
            if self.read_only:
                raise LedgerAbsent(
                    "there is no ledger",
                    where=self.location,
                    todo="Check the name; a run with --likewise makes one.",
                ) from error
            return
        except OSError as error:
            raise LedgerUnavailable(
                "the ledger cannot be opened",
                where=self.location,
                why=error.strerror or str(error),
                todo="Check that it is a file that you may read.",
            ) from error
        if head and head != MAGIC:
            raise self._corrupt("it is not a SQLite database")

    def _connect(self) -> sqlite3.Connection:
        address = self.path.absolute().as_uri()
        if not self.read_only:
            try:
                make_folder(self.path.parent)
            except OSError as error:
                raise self._unavailable(error.strerror or str(error)) from error
            return self._open(f"{address}?mode=rwc")
        connection = self._open(f"{address}?mode=ro")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            connection.close()
            # Reading needs files next to the database, unless nobody can be writing to it.
            code = error.sqlite_errorcode & 0xFF
            if (
                code not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
                or Path(f"{self.path}-wal").exists()
            ):
                raise
            return self._open(f"{address}?mode=ro&immutable=1")
        return connection

    def _open(self, address: str) -> sqlite3.Connection:
        return sqlite3.connect(
            address, uri=True, isolation_level=None, timeout=PATIENCE, check_same_thread=False
        )

    def _tune(self) -> None:
        self._connection.execute("PRAGMA cache_size = -65536")
        if self.read_only:
            return
        # With a write-ahead log NORMAL cannot corrupt the file: a power cut may lose the last
        # transactions, never a part of one, and the end of the process loses nothing.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 8000")
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # Switching does not wait for the other process that is switching just now.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: sqlite3.Error) -> LikewiseError | sqlite3.Error:
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_FULL:
                return self._full(error)
            case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if self._has_no_room():
                return self._full(error)
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return self._corrupt(str(error))
            case sqlite3.SQLITE_READONLY:
                return self._unavailable(
                    "it was opened for reading only" if self.read_only else "it may not be written to"
                )
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return LedgerUnavailable(
                    "another process holds the ledger",
                    where=self.location,
                    why=f"waited {PATIENCE:.0f} s: {error}",
                    todo="Wait for it to finish, or give each suite a ledger of its own and merge them.",
                )
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR | sqlite3.SQLITE_AUTH:
                return self._unavailable(str(error))
        return error

    def _has_no_room(self) -> bool:
        """Whether the disk is too full for what SQLite keeps beside the ledger; it does not say so itself."""
        try:
            return shutil.disk_usage(self.path.parent).free < LEAST_ROOM
        except OSError:
            return False  # the directory is the trouble

    def _full(self, error: sqlite3.Error) -> StoreFull:
        return StoreFull(
            "the ledger cannot grow",
            where=self.location,
            why=str(error),
            todo="What was in it before stays whole. Make room on the disk and run again.",
        )

    def _corrupt(self, why: str) -> LedgerCorrupt:
        return LedgerCorrupt(
            "not a ledger",
            where=self.location,
            why=why,
            todo="The file was left untouched. Restore it from a copy, or move it away to begin a new one.",
        )

    def _unavailable(self, why: str) -> LedgerUnavailable:
        return LedgerUnavailable(
            "the ledger cannot be opened or written",
            where=self.location,
            why=why,
            todo="Check the permissions of the file and of its directory, or name another ledger.",
        )
