"""Hashes of canonical forms."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from likewise.model import Fingerprint

VERSION = 9
"""Raised whenever the canonical form changes; evidence keyed by another version is keyed anew."""

SIZE = 16


APART = "\x1f"
"""Keeps the parts of a fingerprint apart."""


def fingerprint(parts: Iterable[str]) -> Fingerprint:
    """The hash of a sequence of strings, each kept apart from its neighbours."""
    listed = list(parts)
    known = joined_fingerprint(APART.join(listed), len(listed))
    if known is not None:
        return known
    text = "".join(f"{len(part)}:{part}" for part in listed)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE, salt=b"by length").hexdigest()


def joined_fingerprint(joined: str, parts: int) -> Fingerprint | None:
    """The same of so many parts that are joined already; None where one has the separator in it."""
    if not parts or joined.count(APART) >= parts:
        return None
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()
