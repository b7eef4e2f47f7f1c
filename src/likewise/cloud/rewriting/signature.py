"""Verifying AWS signatures (version 4), in the header or in the query."""

from __future__ import annotations

import hashlib
import hmac
import re
from urllib.parse import quote, unquote

from likewise.cloud.rewriting.messages import Request

AUTHORIZATION = re.compile(
    r"^AWS4-HMAC-SHA256 Credential=(?P<credential>[^,]+), ?SignedHeaders=(?P<headers>[^,]+), ?"
    r"Signature=(?P<signature>\S+)$"
)


def is_signed_with(request: Request, *, secret: str, access_key: str = "") -> bool:
    """Whether the request carries a signature made with this secret (and by this access key)."""
    found = AUTHORIZATION.match(request.header("Authorization"))
    if found is not None:
        credential, names, signature = found["credential"], found["headers"], found["signature"]
        stamp = request.header("X-Amz-Date")
        payload = request.header("X-Amz-Content-Sha256") or hashlib.sha256(request.body).hexdigest()
    elif "X-Amz-Signature" in request.query:
        query = request.query
        credential, names = query.get("X-Amz-Credential", ""), query.get("X-Amz-SignedHeaders", "")
        signature, stamp = query["X-Amz-Signature"], query.get("X-Amz-Date", "")
        payload = "UNSIGNED-PAYLOAD"
    else:
        return False
    caller, _, scope = credential.partition("/")
    if scope.count("/") != 3 or (access_key and caller != access_key):
        return False
    text = "\n".join(("AWS4-HMAC-SHA256", stamp, scope, _digest(_canonical(request, names, payload))))
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    return hmac.compare_digest(_hmac(key, text).hex(), signature)


def _canonical(request: Request, names: str, payload: str) -> str:
    path, _, query = request.target.partition("?")
    pairs = sorted(
        (_encoded(name), _encoded(value))
        for name, _, value in (piece.partition("=") for piece in query.split("&") if piece)
        if name != "X-Amz-Signature"
    )
    headers = "".join(f"{name}:{' '.join(request.header(name).split())}\n" for name in names.split(";"))
    asked = "&".join(f"{name}={value}" for name, value in pairs)
    return "\n".join((request.method, quote(unquote(path), safe="/~"), asked, headers, names, payload))


def _encoded(text: str) -> str:
    return quote(unquote(text), safe="~")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
