"""A finding for tests that need one and do not care which."""

from __future__ import annotations

from typing import Any

from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.findings import Finding


def sample_finding(operation: str = "ListObjects", **given: Any) -> Finding:
    """One of S3 in which a value differs, but for what is given."""
    usual: dict[str, Any] = {
        "service": "s3",
        "operation": operation,
        "kind": "value",
        "place": "A",
        "implication": "wrong result",
        "manifestation": "response",
        "cause": "other bug",
        "condition": "",
        "evidence": "",
        "reference": "1",
        "candidate": "2",
        "shown_by": operation,
        "sequence": (Call(service="s3", operation=operation, params={}),),
        "hash": "0" * 16,
    }
    return Finding(**usual | given)
