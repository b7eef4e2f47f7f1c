"""Which headers matter, and the checksums among them that only repeat a body."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from likewise.cloud.marks import key_mark
from likewise.cloud.services.call import Call, words
from likewise.cloud.services.masks import path_of
from likewise.cloud.services.service import Service
from likewise.cloud.sums import digest_of
from likewise.model import Value

_ALWAYS = words(
    """
    cache-control content-disposition content-encoding content-language content-type expires range origin
    if-match if-none-match if-modified-since if-unmodified-since if-range x-http-method
    access-control-request-method access-control-request-headers
    """
)
_ANSWERED = words(
    """
    accept-ranges cache-control content-disposition content-encoding content-language content-length
    content-length≢ content-md5 content-md5≢ content-range content-type etag etag≢ expires last-modified
    location preference-applied
    access-control-allow-origin access-control-allow-methods access-control-max-age
    """
)
_TRANSPORT = words(
    """
    x-amz-date x-amz-security-token x-amz-user-agent x-amz-target x-amz-api-version x-amz-trailer
    x-amz-decoded-content-length x-amz-invocation-id x-amz-request-id x-amz-id-2 x-amz-cf-id x-amz-crc32
    x-amz-s3session-token
    x-ms-date x-ms-client-request-id x-ms-request-id x-ms-return-client-request-id
    x-ms-correlation-request-id x-ms-useragent x-ms-copy-source-authorization x-ms-activity-id
    """
)
_SPOKEN = "x-ms-version"
"""The version of the protocol: a client may choose it, and what it asks for depends on it; a server's is its
own affair."""
_ENVIRONMENT = words("x-amz-bucket-region x-amz-access-point-alias x-amz-bucket-arn")
_NEVER = _TRANSPORT | _ENVIRONMENT
_OWNERS = words("x-amz-expected-bucket-owner x-amz-source-expected-bucket-owner")
_SOURCES = frozenset({"x-amz-copy-source", "x-amz-rename-source", "x-ms-copy-source"})


@lru_cache(maxsize=4096)
def _matters(name: str) -> bool:
    return name not in _NEVER and (name in _ALWAYS or name.startswith(("x-amz-", "x-ms-")))


@lru_cache(maxsize=4096)
def matters_in_answer(name: str) -> bool:
    """Whether what a header of an answer says counts for everybody."""
    if name in _NEVER or name == _SPOKEN:
        return False
    return name in _ANSWERED or name.startswith(("x-amz-", "x-ms-"))


Digest = Callable[[str], bytes]
"""Gives the checksum of a body by the name of an algorithm."""

CHECKSUMS = {
    "content-md5": "md5",
    "x-ms-blob-content-md5": "md5",
    "x-amz-content-sha256": "sha256",
    "x-amz-checksum-crc32": "crc32",
    "x-amz-checksum-sha1": "sha1",
    "x-amz-checksum-sha256": "sha256",
}
"""Headers that repeat the body. Checksums that nothing here can compute stay as they are."""
_SIGNED = "x-amz-content-sha256"
"""Part of the signature, and so of every request."""
_ANNOUNCED = "x-amz-sdk-checksum-algorithm"
"""Says which checksum the SDK adds: ahead of the body, or after it where the line is encrypted."""
RIGHT = "<right>"
"""Stands for a checksum that fits its body."""


def request_headers(call: Call, service: Service | None) -> dict[str, Value]:
    """The headers of a request that matter; of a checksum that fits its body, only that it is there."""
    kept: dict[str, Value] = {}
    extra = service.request_headers if service else frozenset()
    for name, text in call.headers.items():
        if name in CHECKSUMS:
            _keep_checksum(kept, name, text, call)
        elif name in _SOURCES and service is not None:
            kept[name] = service.copy_source(text)
            if "sig=" in text.partition("?")[2]:
                kept[f"{name}?sig"] = RIGHT  # a server may want it, or not
        elif name in _OWNERS:
            kept[name] = "<account>"
        elif _matters(name) or name in extra:
            if name == "content-encoding":
                text = _without_chunking(text)
                if not text:
                    continue
            elif name == "content-type":
                text = _without_boundary(text)
            kept[name] = text
    return kept


def _keep_checksum(kept: dict[str, Value], name: str, text: str, call: Call) -> None:
    body = call.content
    if name == _SIGNED and (body is None or (not text[:1].isdigit() and not text.islower())):
        return
    if body is None:
        kept[name] = text
    elif not _agrees(name, text, call.sums.digest if call.sums else partial(digest_of, body)):
        kept[name] = {"wrong": text}
    elif name != _SIGNED and not (name.startswith("x-amz-") and _ANNOUNCED in call.headers):
        kept[name] = RIGHT  # it varies with the content, but a server may want none, or one


def _agrees(name: str, text: str, digest: Digest) -> bool:
    if name == _SIGNED:
        return text.startswith(("UNSIGNED-PAYLOAD", "STREAMING-")) or text == digest("sha256").hex()
    try:
        return b64decode(text, validate=True) == digest(CHECKSUMS[name])
    except (binascii.Error, ValueError):
        return False


def agrees(name: str, text: str, body: bytes) -> bool:
    """Whether a checksum under this name is that of a body."""
    return _agrees(name, text, partial(digest_of, body))


def response_headers(call: Call, service: Service | None) -> dict[str, Value]:
    """The headers of an answer that matter; of a checksum of either body, only that it is there."""
    kept: dict[str, Value] = {}
    for name, text in call.response_headers.items():
        if not matters_in_answer(name):
            continue
        if name == "content-length" and call.response_content is not None and call.method != "HEAD":
            continue
        if name in CHECKSUMS and _repeats(name, text, call):
            kept[name] = RIGHT  # it varies with the content, but a client can see whether there is one
            continue
        if name in _SOURCES and service is not None:
            kept[name] = service.copy_source(text)
            continue
        if name == "content-type":
            text = _without_boundary(text)
        elif name == "location":
            text = path_of(text).removeprefix(f"/{call.account}")
        kept[name] = text
    return kept


def _repeats(name: str, text: str, call: Call) -> bool:
    bodies = (call.response_content, call.content)
    return any(body is not None and agrees(name, text, body) for body in bodies)


def _without_chunking(text: str) -> str:
    return ",".join(word for word in text.replace(" ", "").split(",") if word != "aws-chunked")


def _without_boundary(text: str) -> str:
    return text.partition("; boundary")[0].partition(";boundary")[0]


def identity(call: Call) -> str:
    """How the caller says who it is: nothing for a signed request, which is the usual thing."""
    signature = call.headers.get("authorization", "")
    if signature:
        return "bearer" if signature[:7].lower() == "bearer " else ""
    if "X-Amz-Signature" in call.query or "Signature" in call.query:
        return "presigned"
    return "shared access" if "sig" in call.query else "anonymous"


_KEY = re.compile(r"Credential=([^/,\s]+)/|^AWS ([^:\s]+):|^SharedKey(?:Lite)? ([^:\s]+):")


def signed_with(headers: Mapping[str, str]) -> str:
    """The mark of the key that a request was signed with, or nothing."""
    found = _KEY.search(headers.get("authorization", ""))
    return key_mark(next(filter(None, found.groups()))) if found else ""


_UNREPEATABLE = words(
    "authorization date x-amz-date x-ms-date x-amz-security-token x-amz-signature cookie connection"
)


def wire_headers(headers: Mapping[str, str]) -> dict[str, Value]:
    """The headers that a repeated request can start from; signature and date will be new."""
    return {name: text for name, text in headers.items() if name not in _UNREPEATABLE}
