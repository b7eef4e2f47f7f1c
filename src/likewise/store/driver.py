"""What a database has to offer to carry a ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from likewise.model import LikewiseError

Row = tuple[Any, ...]
Keys = Sequence[str] | Sequence[int]


class LedgerAbsent(LikewiseError):
    """There is no ledger at this place."""

    slug = "ledger-absent"


class LedgerUnavailable(LikewiseError):
    """The ledger is there, but cannot be opened or written to."""

    slug = "ledger-unavailable"


class Driver(Protocol):
    """One open database. SQL is what SQLite and PostgreSQL share, with `?` for parameters."""

    location: str
    """Where the database is, fit to be shown to people: without a password."""
    read_only: bool
    types: ClassVar[Mapping[str, str]]
    """What this database calls `serial`, `blob` and `real`, and what it adds to a `clustered` table."""

    def tables(self) -> set[str]:
        """The tables that are there."""

    def transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """All of it or nothing; inside another transaction, part of that one.

        A `durable` one is on the disk, not only handed to the system, when it ends.
        """

    @property
    def in_transaction(self) -> bool:
        """Whether the calling thread is inside a transaction."""

    def lock_schema(self) -> None:
        """Keep every other process from creating or upgrading tables until the transaction ends."""

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """The rows of a statement."""

    def query_among(self, sql: str, keys: Keys, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of a statement that holds `{among}` where a set of any size is meant.

        `{among}` is the last parameter.
        """

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement that has no rows."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> int:
        """Add the rows that are not there yet; how many those were."""

    def check(self) -> list[str]:
        """What the database itself finds wrong with its pages."""

    def close(self) -> None:
        """Let go of the database."""
