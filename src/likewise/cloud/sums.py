"""The checksums of a body that requests state beside it."""

from __future__ import annotations

import zlib
from hashlib import md5, sha1, sha256


class Sums:
    """The checksums of a body that goes by in chunks and is too long to be kept."""

    def __init__(self) -> None:
        self._hashes = {
            "md5": md5(usedforsecurity=False),
            "sha1": sha1(usedforsecurity=False),
            "sha256": sha256(),
        }
        self._crc = 0

    def feed(self, chunk: bytes) -> None:
        """Take one chunk."""
        for each in self._hashes.values():
            each.update(chunk)
        self._crc = zlib.crc32(chunk, self._crc)

    def digest(self, algorithm: str) -> bytes:
        """The checksum of all chunks so far."""
        return self._crc.to_bytes(4, "big") if algorithm == "crc32" else self._hashes[algorithm].digest()


def digest_of(body: bytes, algorithm: str) -> bytes:
    """The checksum of a body that is there as a whole."""
    match algorithm:
        case "crc32":
            return zlib.crc32(body).to_bytes(4, "big")
        case "sha256":
            return sha256(body).digest()
        case "sha1":
            return sha1(body, usedforsecurity=False).digest()
    return md5(body, usedforsecurity=False).digest()
