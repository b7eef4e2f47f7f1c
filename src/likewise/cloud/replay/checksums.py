"""Headers that repeat the body, made right again when the body has changed."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import md5, sha1, sha256

from likewise.cloud.replay.request import Request
from likewise.model import ReplayImpossible

_DIGESTS: dict[str, Callable[[bytes], bytes]] = {
    "content-md5": lambda body: md5(body, usedforsecurity=False).digest(),
    "x-amz-checksum-crc32": lambda body: zlib.crc32(body).to_bytes(4, "big"),
    "x-amz-checksum-sha1": lambda body: sha1(body, usedforsecurity=False).digest(),
    "x-amz-checksum-sha256": lambda body: sha256(body).digest(),
}
_PREFIX = "x-amz-checksum-"


def _encoded(name: str, body: bytes) -> str:
    return b64encode(_DIGESTS[name](body)).decode()


def corrected(request: Request, *, original: bytes) -> Request:
    """The request with checksums of its own body, where they were right for the original one.

    A checksum that was wrong stays wrong: the test may have meant it. One that stood after a streamed
    body was not recorded and is computed again.
    """
    headers = dict(request.headers)
    for name, text in request.headers.items():
        if name in _DIGESTS:
            if request.body != original and text == _encoded(name, original):
                headers[name] = _encoded(name, request.body)
        elif name.startswith(_PREFIX) and request.body != original and _is_value(name):
            raise ReplayImpossible(
                f"the checksum {name} of a changed body cannot be computed",
                todo="The whole test has to run.",
            )
    algorithm = headers.get("x-amz-sdk-checksum-algorithm", "").lower()
    if algorithm and not any(name.startswith(_PREFIX) and _is_value(name) for name in headers):
        if _PREFIX + algorithm not in _DIGESTS:
            raise ReplayImpossible(
                f"the {algorithm} checksum of a streamed body was not recorded and cannot be computed",
                todo="The whole test has to run.",
            )
        headers[_PREFIX + algorithm] = _encoded(_PREFIX + algorithm, request.body)
    return replace(request, headers=headers)


def _is_value(name: str) -> bool:
    return name.removeprefix(_PREFIX) not in ("algorithm", "mode", "type")
