"""What runs note down besides evidence: who ran, how it ended, what differed, what it cost, what is left."""

from __future__ import annotations

import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from likewise.model import Attempt, Audit, Discrepancy, LedgerCorrupt, Provenance, Spending
from likewise.store import encoding, entries, tables
from likewise.store.driver import Driver, Row
from likewise.store.tables import Table
from likewise.store.values import Undecodable

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """Something that exists on a reference because of a run; `hint` says how to remove it by hand."""

    run: str
    target: str
    resource: str
    hint: str
    when: float


class Books:
    """The part of a ledger that records what happened; `Ledger` adds what follows from it.

    Every method that adds is one transaction; `batch` makes one of many. Adding what is there
    already changes nothing.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    @property
    def location(self) -> str:
        """Where the ledger is, fit to be shown."""
        return self.driver.location

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database; everything that was added is in it already."""
        self.driver.close()

    def batch(self) -> AbstractContextManager[None]:
        """One transaction for everything added inside; keep it short, other writers wait."""
        return self.driver.transaction()

    def check(self) -> list[str]:
        """What the database finds wrong with itself; reads all of it."""
        return self.driver.check()

    def add_run(self, provenance: Provenance) -> None:
        """Note that a run took place."""
        self._add(
            tables.RUNS, [((provenance.run, provenance.started), encoding.encode(provenance, ordered=True))]
        )

    def runs(self) -> list[Provenance]:
        """Every run, oldest first."""
        return self._all(Provenance, tables.RUNS)

    def add_attempts(self, attempts: Iterable[Attempt]) -> None:
        """Note how attempts ended."""
        self._add(
            tables.ATTEMPTS,
            [((each.test, each.when), encoding.encode(each, ordered=True)) for each in attempts],
        )

    def attempts(self, test: str) -> list[Attempt]:
        """Every attempt at a test, oldest first."""
        return self.attempts_by_test([test]).get(test, [])

    def attempts_by_test(self, tests: Iterable[str]) -> dict[str, list[Attempt]]:
        """The attempts at many tests, oldest first."""
        sql = "SELECT body FROM attempts WHERE test {among} ORDER BY test, time, id"
        found: dict[str, list[Attempt]] = defaultdict(list)
        for (body,) in self.driver.query_among(sql, as_texts(tests)):
            attempt = self._read(Attempt, body, tables.ATTEMPTS)
            found[attempt.test].append(attempt)
        return dict(found)

    def add_discrepancies(self, run: str, discrepancies: Iterable[Discrepancy]) -> None:
        """Keep what a run found to differ."""
        self._add(
            tables.DISCREPANCIES,
            [
                ((run, each.test, str(each.operation)), entries.encode_discrepancy(run, each))
                for each in discrepancies
            ],
        )

    def discrepancies(self, tests: Iterable[str] | None = None) -> list[tuple[str, Discrepancy]]:
        """What was found to differ, each with the run that found it."""
        sql = "SELECT body FROM discrepancies"
        order = "ORDER BY operation, test, run, id"
        if tests is None:
            rows: Iterable[Row] = self.driver.query(f"{sql} {order}")
        else:
            rows = self.driver.query_among(f"{sql} WHERE test {{among}} {order}", as_texts(tests))
        return [self._decoded(entries.decode_discrepancy, body, tables.DISCREPANCIES) for (body,) in rows]

    def discrepant_operations(self) -> dict[str, int]:
        """The operations ever found to differ, with the number of tests that saw it."""
        sql = (
            "SELECT operation, count(DISTINCT test) FROM discrepancies GROUP BY operation ORDER BY 2 DESC, 1"
        )
        return dict(self.driver.query(sql))

    def discrepant_conditions(self) -> dict[str, frozenset[str]]:
        """The operations that only differ when one of these arguments is given, with those arguments."""
        found: dict[str, set[str]] = defaultdict(set)
        for _, each in self.discrepancies():
            found[str(each.operation)].add(each.condition)
        return {name: frozenset(those) for name, those in found.items() if "" not in those}

    def add_audits(self, audits: Iterable[Audit]) -> None:
        """Note which skipped keys were proved again, and how that ended."""
        self._add(
            tables.AUDITS,
            [
                ((each.key, int(each.clean), each.when), encoding.encode(each, ordered=True))
                for each in audits
            ],
        )

    def audits(self) -> list[Audit]:
        """Every audit, oldest first."""
        return self._all(Audit, tables.AUDITS)

    def audit_counts(self) -> tuple[int, int]:
        """How many audits were clean, and how many failed."""
        counts: dict[int, int] = dict(self.driver.query("SELECT clean, count(*) FROM audits GROUP BY clean"))
        return counts.get(1, 0), counts.get(0, 0)

    def add_spending(self, spending: Spending) -> None:
        """Note what a run cost."""
        self._add(
            tables.SPENDINGS, [((spending.run, spending.when), encoding.encode(spending, ordered=True))]
        )

    def spendings(self) -> list[Spending]:
        """What every run cost, oldest first."""
        return self._all(Spending, tables.SPENDINGS)

    def remember_created(self, run: str, target: str, resource: str, hint: str = "") -> None:
        """Note what is about to be created on a reference, so that nothing is ever left there unknown.

        To be called before the creating call is made; on the disk when it returns.
        """
        if self.driver.in_transaction:
            raise RuntimeError("remember_created must be on the disk at once and cannot be part of a batch")
        created = Created(run=run, target=target, resource=resource, hint=hint, when=time.time())
        with self.driver.transaction(durable=True):
            self._add(
                tables.CREATED, [((target, resource, created.when), encoding.encode(created, ordered=True))]
            )

    def forget_created(self, target: str, resource: str) -> None:
        """Note that something is no longer there."""
        sql = "SELECT id FROM created WHERE target = ? AND resource = ?"
        with self.driver.transaction():
            rows = self.driver.query(sql, (as_text(target), as_text(resource)))
            self._add(tables.FORGOTTEN, [((identity,), identity.encode()) for (identity,) in rows])

    def created(self) -> list[Created]:
        """What was created and not seen to be removed, oldest first."""
        condition = "WHERE id NOT IN (SELECT created FROM forgotten) ORDER BY time, id"
        return self._all(Created, tables.CREATED, condition)

    def _add(
        self, table: Table, facts: Iterable[tuple[tuple[Any, ...], bytes]], *, compress: bool = False
    ) -> None:
        """Add facts, each as what is derived from it for look-up and its content."""
        rows = [
            (
                encoding.identify(content),
                *(as_text(each) if isinstance(each, str) else each for each in derived),
                zlib.compress(content, 1) if compress else content,
            )
            for derived, content in facts
        ]
        with self.driver.transaction():
            self.driver.insert(table.name, table.names, rows)

    def _all(self, kind: type[T], table: Table, condition: str = "ORDER BY time, id") -> list[T]:
        """Every fact of a table that meets a condition."""
        rows = self.driver.query(f"SELECT body FROM {table.name} {condition}")
        return [self._read(kind, body, table) for (body,) in rows]

    def _read(self, kind: type[T], body: bytes, table: Table) -> T:
        """The noun in a body."""
        return self._decoded(lambda content: encoding.decode(kind, content), body, table)

    def _decoded(self, decode: Callable[[bytes], T], body: bytes, table: Table) -> T:
        """What a decoder makes of a body; raises LedgerCorrupt where it cannot."""
        try:
            return decode(body)
        except (Undecodable, zlib.error) as error:
            raise LedgerCorrupt(
                f"a row of the table {table.name!r} cannot be read",
                where=self.location,
                why=str(error),
                todo="The ledger was left untouched. Restore it from a copy, or move it away to begin anew.",
            ) from error


def as_text(value: str) -> str:
    """A value as a column can hold it; the row's body keeps what it really is."""
    if value.isascii() and "\x00" not in value:
        return value
    return value.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def as_texts(values: Iterable[str]) -> list[str]:
    return [as_text(value) for value in dict.fromkeys(values)]
