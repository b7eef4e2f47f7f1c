"""Checksums that botocore computes only with a package that few have: computed here instead."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_POLYNOMIALS = {"CRC32C": (0x82F63B78, 4), "CRC64NVME": (0x9A6C9329AC4BC9B5, 8)}
"""Reversed polynomial and width in bytes."""


class Summing:
    """A serialiser that adds the checksum of a body where it is asked for by algorithm only."""

    def __init__(self, serializer: Any) -> None:
        self._serializer = serializer

    def serialize_to_request(self, parameters: Mapping[str, Any], operation_model: Any) -> Any:
        """The request of a call."""
        request = self._serializer.serialize_to_request(parameters, operation_model)
        algorithm = str(parameters.get("ChecksumAlgorithm", ""))
        headers = request.get("headers", {})
        if algorithm in _POLYNOMIALS and operation_model.http_checksum:
            name = f"x-amz-checksum-{algorithm.lower()}"
            content = _content(request.get("body"))
            if content is not None and not any(name in str(given).lower() for given in headers):
                headers[name] = checksum(algorithm, content)
        return request


def _content(body: Any) -> bytes | None:
    if hasattr(body, "read") and hasattr(body, "seek"):
        content = body.read()
        body.seek(0)
        return bytes(content)
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, bytes | bytearray) else None


def checksum(algorithm: str, content: bytes) -> str:
    """The sum in the form that S3's headers have."""
    table, width = _table(algorithm), _POLYNOMIALS[algorithm][1]
    full = (1 << (8 * width)) - 1
    value = full
    for byte in content:
        value = table[(value ^ byte) & 0xFF] ^ (value >> 8)
    return base64.b64encode((value ^ full).to_bytes(width, "big")).decode()


@lru_cache
def _table(algorithm: str) -> tuple[int, ...]:
    polynomial = _POLYNOMIALS[algorithm][0]
    rows = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ polynomial if value & 1 else value >> 1
        rows.append(value)
    return tuple(rows)
