"""The ledger's driver for PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from likewise.model import ConfigurationError, LedgerCorrupt, LikewiseError, StoreFull
from likewise.store.driver import Keys, LedgerUnavailable, Row

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as absent:
    raise ConfigurationError(
        "a ledger in PostgreSQL needs the package psycopg",
        why=str(absent),
        todo="Install it with: pip install 'likewise[postgres]'",
    ) from absent

SCHEMA = "likewise"
CHUNK = 20_000
FEW = 100
"""Up to so many rows, sending them one by one is faster than staging them."""
LOCK = 0x6C696B65


class PostgresDriver:
    """One connection to a PostgreSQL server; the ledger lives in the schema `likewise`."""

    types: ClassVar[Mapping[str, str]] = {
        "serial": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "blob": "BYTEA",
        "real": "DOUBLE PRECISION",
        "clustered": "",
    }

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self.location = _shown(url)
        self.read_only = read_only
        self._lock = threading.RLock()
        self._depth = 0
        with self._explained():
            self._connection = psycopg.connect(url, autocommit=True, application_name="likewise")
            self._connection.execute(f"SET search_path TO {SCHEMA}")
            if read_only:
                self._connection.execute("SET default_transaction_read_only = on")

    def tables(self) -> set[str]:
        rows = self.query("SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = ?", (SCHEMA,))
        return {name for (name,) in rows}

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
            with self._connection.transaction():
                self._depth = 1
                try:
                    if durable:
                        self._connection.execute("SET LOCAL synchronous_commit = on")
                    yield
                finally:
                    self._depth = 0

    def lock_schema(self) -> None:
        self.query("SELECT pg_advisory_xact_lock(?)", (LOCK,))
        self.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        with self._lock, self._explained():
            rows: list[Row] = self._connection.execute(_dialect(sql), parameters).fetchall()
            return rows

    def query_among(self, sql: str, keys: Keys, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        statement = sql.format(among="= ANY(?)")
        for start in range(0, len(keys), CHUNK):
            yield from self.query(statement, (*parameters, list(keys[start : start + CHUNK])))

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        with self._lock, self._explained():
            self._connection.execute(_dialect(sql), parameters)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> int:
        if not rows:
            return 0
        names = ", ".join(columns)
        with self.transaction(), self._connection.cursor() as cursor:
            if len(rows) <= FEW:
                places = ", ".join(["%s"] * len(columns))
                cursor.executemany(
                    f"INSERT INTO {table} ({names}) VALUES ({places}) ON CONFLICT DO NOTHING", rows
                )
                return int(cursor.rowcount)
            # COPY is ten times as fast as INSERT, but knows nothing of rows that are there already.
            cursor.execute(
                f"CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT {names} FROM {table} WITH NO DATA"
            )
            with cursor.copy(f"COPY staged ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM staged ON CONFLICT DO NOTHING")
            added = int(cursor.rowcount)
            cursor.execute("DROP TABLE staged")
            return added

    def check(self) -> list[str]:
        """Nothing: a server looks after its own pages."""
        return []

    def close(self) -> None:
        with self._lock, self._explained():
            self._connection.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> LikewiseError:
        why = " ".join(str(error).split())
        match error:
            case psycopg.errors.DiskFull() | psycopg.errors.OutOfMemory():
                return StoreFull(
                    "the ledger cannot grow",
                    where=self.location,
                    why=why,
                    todo="What was in it before stays whole. Make room on the server and run again.",
                )
            case psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedColumn():
                return LedgerCorrupt(
                    "not a ledger",
                    where=self.location,
                    why=why,
                    todo=f"Nothing was changed. Restore the schema {SCHEMA!r}, or name another database.",
                )
            case psycopg.errors.InsufficientPrivilege() | psycopg.errors.ReadOnlySqlTransaction():
                return LedgerUnavailable(
                    "the ledger may not be written",
                    where=self.location,
                    why="it was opened for reading only" if self.read_only else why,
                    todo=f"Grant the user the right to create and fill the schema {SCHEMA!r}.",
                )
        return LedgerUnavailable(
            "the ledger cannot be reached or refused a statement",
            where=self.location,
            why=why,
            todo="Check the server, the URL, the user and the password. Nothing half-done was kept.",
        )


def _dialect(sql: str) -> str:
    return sql.replace("?", "%s")


def _shown(url: str) -> str:
    """The address without the password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(
            "the ledger's URL cannot be read",
            why=str(error).replace(url, "…").strip(),
            todo="Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE",
        ) from error
    user = f"{parts['user']}@" if "user" in parts else ""
    port = f":{parts['port']}" if "port" in parts else ""
    return f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}"
