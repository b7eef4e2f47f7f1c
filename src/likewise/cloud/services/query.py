"""What of a query says what is asked, and on what terms, but not who asks."""

from __future__ import annotations

from collections.abc import Mapping

from likewise.cloud.ages import away, span
from likewise.cloud.services.call import words
from likewise.model import Value

_SIGNATURE = words(
    """
    x-amz-algorithm x-amz-credential x-amz-date x-amz-signedheaders x-amz-signature
    x-amz-security-token x-amz-content-sha256 x-amz-user-agent awsaccesskeyid signature x-id
    sig skoid sktid skt ske sks skv saoid suoid scid api-version
    """
)
_LIMITS = words("se st")
"""From when and until when a link is good."""


def semantic_query(query: Mapping[str, str], now: float = 0.0) -> dict[str, Value]:
    """The query without signatures and credentials; of limits of time, how far they are off.

    A server may want a link to be good for a short time only, or from certain addresses.
    """
    if not query:
        return {}
    dated = "Signature" in query  # only then is Expires part of a signature
    found: dict[str, Value] = {}
    for name, text in query.items():
        low = name.lower()
        if low in _SIGNATURE:
            continue
        if dated and name == "Expires":
            name = "x-amz-expires"  # as the newer kind of signature says it
        elif low not in _LIMITS or "sig" not in query:
            found[name] = text
            continue
        there = away(text, now)
        found[name] = text if there is None else span(there)
    return found
