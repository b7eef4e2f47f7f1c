"""The loop: decide, rerun, replay, audit; simulate. Emits events, never prints."""

from likewise.run.cases import Settings
from likewise.run.conclusion import Conclusion
from likewise.run.meter import Meter
from likewise.run.ports import Emit, Ledger, Replayed, Replayer, Rerunner, Slice
from likewise.run.simulate import (
    POLICIES,
    Opaque,
    PolicyCount,
    RunCount,
    Total,
    count_context,
    count_published,
    opaque,
)

__all__ = [
    "POLICIES",
    "Conclusion",
    "Emit",
    "Ledger",
    "Meter",
    "Opaque",
    "PolicyCount",
    "Replayed",
    "Replayer",
    "Rerunner",
    "RunCount",
    "Settings",
    "Slice",
    "Total",
    "count_context",
    "count_published",
    "opaque",
]
