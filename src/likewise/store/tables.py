"""The ledger's tables, for every database the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

META = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of facts: each row is known by the hash of its `body` and never changes.

    The other columns repeat what look-ups need; they are derived from the body.
    """

    name: str
    columns: tuple[str, ...]
    indexes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in the order of a row."""
        return tuple(column.split()[0] for column in self.columns)

    def statements(self, types: Mapping[str, str]) -> list[str]:
        """What creates the table in a database with these types."""
        columns = ", ".join(self.columns).format(**types)
        return [f"CREATE TABLE {self.name} ({columns})", *_indexes(self.name, self.indexes)]


def _fact(name: str, *columns: str, indexes: tuple[str, ...] = ()) -> Table:
    return Table(
        name=name,
        columns=("id TEXT PRIMARY KEY", *columns, "body {blob} NOT NULL"),
        indexes=indexes,
    )


def _indexes(table: str, indexes: tuple[str, ...]) -> list[str]:
    return [
        f"CREATE INDEX {table}_by_{index.split(',')[0].strip()} ON {table} ({index})" for index in indexes
    ]


RUNS = _fact("runs", "run TEXT NOT NULL", "time {real} NOT NULL")
SKETCHES = _fact("sketches", "test TEXT NOT NULL", "time {real} NOT NULL", indexes=("test, time",))
WITHDRAWALS = _fact("withdrawals", "key TEXT NOT NULL", "time {real} NOT NULL", indexes=("key, time",))
ATTEMPTS = _fact("attempts", "test TEXT NOT NULL", "time {real} NOT NULL", indexes=("test, time",))
DISCREPANCIES = _fact(
    "discrepancies",
    "run TEXT NOT NULL",
    "test TEXT NOT NULL",
    "operation TEXT NOT NULL",
    indexes=("test",),
)
AUDITS = _fact("audits", "key TEXT NOT NULL", "clean INTEGER NOT NULL", "time {real} NOT NULL")
SPENDINGS = _fact("spendings", "run TEXT NOT NULL", "time {real} NOT NULL")
CREATED = _fact("created", "target TEXT NOT NULL", "resource TEXT NOT NULL", "time {real} NOT NULL")
FORGOTTEN = _fact("forgotten", "created TEXT NOT NULL", indexes=("created",))

FACTS = (
    RUNS,
    SKETCHES,
    WITHDRAWALS,
    ATTEMPTS,
    DISCREPANCIES,
    AUDITS,
    SPENDINGS,
    CREATED,
    FORGOTTEN,
)

EVIDENCE = Table(
    name="evidence",
    columns=(
        "seq {serial}",
        "id TEXT NOT NULL UNIQUE",
        "test TEXT NOT NULL",
        "time {real} NOT NULL",
        "origin TEXT NOT NULL",
        "reference TEXT NOT NULL",
        "reference_version TEXT NOT NULL",
        "indexed INTEGER NOT NULL",
        "body {blob} NOT NULL",
    ),
    indexes=("test, time",),
)
"""`seq` stands for the evidence inside this database only; `indexed` is the canonical version of its
rows in `answers`, which are derived and replaced when that version or what is known of the test grows."""

ANSWERS_COLUMNS = ("evidence", "position", "width", "key", "answer", "operation")


def creation(types: Mapping[str, str]) -> list[str]:
    """Every statement that an empty database needs."""
    answers = (
        "CREATE TABLE answers (evidence BIGINT NOT NULL, position INTEGER NOT NULL, width INTEGER NOT NULL, "
        "key TEXT NOT NULL, answer TEXT NOT NULL, operation TEXT NOT NULL, "
        f"PRIMARY KEY (evidence, position, width, key)) {types['clustered']}"
    )
    tables = [statement for table in (*FACTS, EVIDENCE) for statement in table.statements(types)]
    return [META, *tables, answers, "CREATE INDEX answers_by_key ON answers (key)"]
