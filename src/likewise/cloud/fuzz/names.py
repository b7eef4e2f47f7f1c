"""Names of things that calls make: which kind is at the top of a server, and how long they are."""

from __future__ import annotations

KINDS = {"s3": "bucket", "dynamodb": "table", "blob": "container", "queue": "queue", "table": "table"}
LENGTHS = (14, 5)
"""Characters of the names that things at the top of a server are given, and things inside them."""


def length(kind: str) -> int:
    """How long the name of a thing is."""
    return LENGTHS[0] if kind in KINDS.values() else LENGTHS[1]
