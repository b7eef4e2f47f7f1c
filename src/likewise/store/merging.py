"""The union of ledgers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from likewise.store import tables
from likewise.store.driver import Driver, Row
from likewise.store.ledger import Ledger

CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """How many rows each table gained."""

    added: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many rows were new in all."""
        return sum(self.added.values())


def merge(into: Ledger, *others: Ledger) -> MergeReport:
    """Add everything the others hold. Doing it again, or in another order, changes nothing."""
    added = {table.name: 0 for table in (*tables.FACTS, tables.EVIDENCE)}
    for other in others:
        for table in tables.FACTS:
            for rows in _chunks(other.driver, table.name, table.names):
                added[table.name] += into.driver.insert(table.name, table.names, rows)
        added["evidence"] += _merge_evidence(into.driver, other.driver)
    return MergeReport(added=added)


def _merge_evidence(into: Driver, other: Driver) -> int:
    """Evidence comes with its index rows; where both have it, the later canonical version's rows stay."""
    added = 0
    columns = tables.EVIDENCE.names[1:]
    for heads in _chunks(other, "evidence", ("id", "seq", "indexed")):
        ids = [identity for identity, _, _ in heads]
        with into.transaction():
            here = {identity: indexed for identity, _, indexed in _heads(into, ids)}
            missing = [identity for identity in ids if identity not in here]
            if missing:
                sql = f"SELECT {', '.join(columns)} FROM evidence WHERE id {{among}}"
                added += into.insert("evidence", columns, list(other.query_among(sql, missing)))
            better = {
                seq: (identity, indexed)
                for identity, seq, indexed in heads
                if identity not in here or indexed > here[identity]
            }
            _copy_index(into, other, better)
    return added


def _copy_index(into: Driver, other: Driver, sources: dict[int, tuple[str, int]]) -> None:
    if not sources:
        return
    seqs = {
        identity: seq for identity, seq, _ in _heads(into, [identity for identity, _ in sources.values()])
    }
    sql = f"SELECT {', '.join(tables.ANSWERS_COLUMNS)} FROM answers WHERE evidence {{among}}"
    rows = [(seqs[sources[row[0]][0]], *row[1:]) for row in other.query_among(sql, sorted(sources))]
    for identity, indexed in sources.values():
        into.execute("DELETE FROM answers WHERE evidence = ?", (seqs[identity],))
        into.execute("UPDATE evidence SET indexed = ? WHERE seq = ?", (indexed, seqs[identity]))
    into.insert("answers", tables.ANSWERS_COLUMNS, rows)


def _heads(driver: Driver, ids: Sequence[str]) -> list[Row]:
    return list(driver.query_among("SELECT id, seq, indexed FROM evidence WHERE id {among}", ids))


def _chunks(driver: Driver, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
    """All rows, some at a time, by id, so that no look at the database lasts long."""
    sql = f"SELECT {', '.join(columns)} FROM {table} WHERE id > ? ORDER BY id LIMIT {CHUNK}"
    last = ""
    while rows := driver.query(sql, (last,)):
        yield rows
        last = rows[-1][0]
