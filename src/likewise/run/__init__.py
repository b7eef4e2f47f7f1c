"""The loop: decide, rerun, replay, audit; simulate. Emits events, never prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.model.late import late as _late

if TYPE_CHECKING:
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

__getattr__ = _late(
    __name__,
    {
        "cases": ("Settings",),
        "conclusion": ("Conclusion",),
        "meter": ("Meter",),
        "ports": ("Emit", "Ledger", "Replayed", "Replayer", "Rerunner", "Slice"),
        "simulate": (
            "POLICIES",
            "Opaque",
            "PolicyCount",
            "RunCount",
            "Total",
            "count_context",
            "count_published",
            "opaque",
        ),
    },
)
