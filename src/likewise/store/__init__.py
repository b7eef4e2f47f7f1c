"""Everything on disk or in a database: recordings, the ledger, migrations, the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.model.late import late as _late

if TYPE_CHECKING:
    from likewise.store.books import Created
    from likewise.store.configuration import Configuration, load
    from likewise.store.driver import LedgerAbsent, LedgerUnavailable
    from likewise.store.home import RECORDINGS, RERUNS, make_folder, prune_recordings
    from likewise.store.ledger import Ledger
    from likewise.store.merging import MergeReport, merge
    from likewise.store.opening import DEFAULT, open_ledger
    from likewise.store.recordings import (
        RecordingAbsent,
        RecordingEmpty,
        RecordingExists,
        RecordingWriter,
        iterate,
        provenance,
        read,
        read_many,
    )
    from likewise.store.statistics import Statistics

__all__ = [
    "DEFAULT",
    "RECORDINGS",
    "RERUNS",
    "Configuration",
    "Created",
    "Ledger",
    "LedgerAbsent",
    "LedgerUnavailable",
    "MergeReport",
    "RecordingAbsent",
    "RecordingEmpty",
    "RecordingExists",
    "RecordingWriter",
    "Statistics",
    "iterate",
    "load",
    "make_folder",
    "merge",
    "open_ledger",
    "provenance",
    "prune_recordings",
    "read",
    "read_many",
]

__getattr__ = _late(
    __name__,
    {
        "books": ("Created",),
        "configuration": ("Configuration", "load"),
        "driver": ("LedgerAbsent", "LedgerUnavailable"),
        "home": ("RECORDINGS", "RERUNS", "make_folder", "prune_recordings"),
        "ledger": ("Ledger",),
        "merging": ("MergeReport", "merge"),
        "opening": ("DEFAULT", "open_ledger"),
        "recordings": (
            "RecordingAbsent",
            "RecordingEmpty",
            "RecordingExists",
            "RecordingWriter",
            "iterate",
            "provenance",
            "read",
            "read_many",
        ),
        "statistics": ("Statistics",),
    },
)
