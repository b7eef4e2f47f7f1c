"""Opening a ledger: finding it, creating it, bringing an older one up to date, refusing what it is not."""

from __future__ import annotations

from pathlib import Path

from likewise.model import LedgerCorrupt
from likewise.store import migrations, tables
from likewise.store.driver import Driver, LedgerAbsent, LedgerUnavailable
from likewise.store.ledger import Ledger
from likewise.store.sqlite import SqliteDriver

DEFAULT = Path(".likewise/ledger.sqlite")


def open_ledger(location: str | Path = DEFAULT, *, read_only: bool = False) -> Ledger:
    """The ledger in a SQLite file, or at a `postgresql://` URL; made where there is none yet.

    With `read_only` nothing is made, changed or upgraded.
    """
    driver = _connect(location, read_only=read_only)
    try:
        _prepare(driver)
    except BaseException:
        driver.close()
        raise
    return Ledger(driver)


def _connect(location: str | Path, *, read_only: bool) -> Driver:
    if isinstance(location, str) and location.startswith(("postgresql://", "postgres://")):
        from likewise.store.postgres import PostgresDriver  # a team's choice: nobody else pays for it

        return PostgresDriver(location, read_only=read_only)
    return SqliteDriver(Path(location), read_only=read_only)


def _prepare(driver: Driver) -> None:
    form = migrations.LEDGER
    version = _version(driver)
    if version == form.version:
        return
    if version is not None:
        form.refuse_newer(version=version, where=driver.location)
    if driver.read_only:
        _refuse_read_only(driver, version)
    with driver.transaction():
        driver.lock_schema()
        version = _version(driver)  # another process may have been faster
        if version is None:
            for statement in tables.creation(driver.types):
                driver.execute(statement)
            driver.insert("meta", ("name", "value"), [("likewise", "ledger"), ("version", str(form.version))])
        elif version != form.version:
            form.upgrade(driver, version=version, where=driver.location)
            driver.execute("UPDATE meta SET value = ? WHERE name = 'version'", (str(form.version),))


def _version(driver: Driver) -> int | None:
    """The version of the ledger, or None where there is nothing at all yet."""
    present = driver.tables()
    if not present:
        return None
    meta: dict[str, str] = dict(driver.query("SELECT name, value FROM meta")) if "meta" in present else {}
    version = meta.get("version", "")
    if meta.get("likewise") != "ledger" or not version.isdecimal():
        raise _foreign(driver, "it is a database, but not a ledger")
    if not migrations.LEDGER.knows(int(version)):
        raise _foreign(driver, f"there has never been a ledger of version {version}")
    return int(version)


def _foreign(driver: Driver, why: str) -> LedgerCorrupt:
    return LedgerCorrupt(
        "not a ledger",
        where=driver.location,
        why=why,
        todo="It was left untouched. Name another place for the ledger.",
    )


def _refuse_read_only(driver: Driver, version: int | None) -> None:
    if version is None:
        raise LedgerAbsent(
            "there is no ledger yet", where=driver.location, todo="A run with --likewise makes one."
        )
    raise LedgerUnavailable(
        f"the ledger has the older format version {version}",
        where=driver.location,
        why="it cannot be brought up to date while opened for reading only",
        todo="Run pytest --likewise once, or open it where it may be written.",
    )
