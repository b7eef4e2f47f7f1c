"""A pair of servers as the benchmarks name it: service:candidate:reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from likewise.cloud.fuzz.session import Order


def order_for(pair: str, *, seed: int, budget: int, log: Path, **more: Any) -> Order:
    """The order for one campaign on a pair."""
    service, candidate, reference = pair.split(":")
    return Order(
        service=service,
        candidate=candidate,
        reference=reference,
        seed=seed,
        budget=budget,
        log=str(log),
        **more,
    )
