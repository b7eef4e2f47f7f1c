"""How much a ledger holds, and how much of it does not count."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.store.driver import Driver

STANDING = (
    "FROM answers a JOIN evidence e ON e.seq = a.evidence WHERE NOT EXISTS "
    "(SELECT 1 FROM withdrawals w WHERE w.key = a.key AND w.time >= e.time)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts; those of keys are of distinct keys."""

    runs: int
    tests: int
    """Tests with evidence of their own."""
    evidence: int
    answers: int
    keys: int
    ambiguous: int
    """Keys to which a reference gave two different answers that both stand."""
    expired: int
    """Keys whose latest standing answer is too old."""
    superseded: int
    """Pieces of evidence whose keys were made by another canonical version."""
    withdrawn: int
    """Keys of which no answer stands."""
    attempts: int
    discrepancies: int
    audits: int
    leftovers: int
    """Things created on a reference and not seen to be removed."""


def count(driver: Driver, *, canonical_version: int, expired_before: float) -> Statistics:
    """Count everything, in one look at the ledger."""

    def one(sql: str, *parameters: float) -> int:
        return int(driver.query(sql, parameters)[0][0])

    keys = one("SELECT count(DISTINCT key) FROM answers")
    return Statistics(
        runs=one("SELECT count(DISTINCT run) FROM runs"),
        tests=one("SELECT count(DISTINCT test) FROM evidence"),
        evidence=one("SELECT count(*) FROM evidence"),
        answers=one("SELECT count(*) FROM answers"),
        keys=keys,
        ambiguous=one(
            "SELECT count(DISTINCT key) FROM (SELECT a.key AS key "
            f"{STANDING} GROUP BY a.key, e.reference, e.reference_version, e.indexed "
            "HAVING count(DISTINCT a.answer) > 1) AS many"
        ),
        expired=one(
            f"SELECT count(*) FROM (SELECT a.key {STANDING} GROUP BY a.key HAVING max(e.time) < ?) AS old",
            expired_before,
        ),
        superseded=one("SELECT count(*) FROM evidence WHERE indexed <> ?", canonical_version),
        withdrawn=keys - one(f"SELECT count(DISTINCT a.key) {STANDING}"),
        attempts=one("SELECT count(*) FROM attempts"),
        discrepancies=one("SELECT count(*) FROM discrepancies"),
        audits=one("SELECT count(*) FROM audits"),
        leftovers=one("SELECT count(*) FROM created WHERE id NOT IN (SELECT created FROM forgotten)"),
    )
