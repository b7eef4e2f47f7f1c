"""Hashes of canonical forms."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from likewise.model import Fingerprint

VERSION = 1
"""Raised whenever the canonical form changes; evidence keyed by another version is keyed anew."""

SIZE = 16


_APART = "\x1f"


def fingerprint(parts: Iterable[str]) -> Fingerprint:
    """The hash of a sequence of strings, each kept apart from its neighbours."""
    listed = list(parts)
    joined, salt = _APART.join(listed), b""
    if not listed or joined.count(_APART) >= len(listed):  # a part has the separator in it
        joined, salt = "".join(f"{len(part)}:{part}" for part in listed), b"by length"
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=SIZE, salt=salt).hexdigest()
