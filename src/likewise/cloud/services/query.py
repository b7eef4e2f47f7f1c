"""What of a query says what is asked, and not who asks or until when."""

from __future__ import annotations

from collections.abc import Mapping

from likewise.cloud.services.call import words
from likewise.model import Value

_SIGNATURE = words(
    """
    x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-signedheaders x-amz-signature
    x-amz-security-token x-amz-content-sha256 x-amz-user-agent awsaccesskeyid signature x-id
    sig se st sv skoid sktid skt ske sks skv saoid suoid scid spr sip ses sdd timeout api-version
    """
)


def semantic_query(query: Mapping[str, str]) -> dict[str, Value]:
    """The query without signatures, credentials and limits of time."""
    if not query:
        return {}
    dated = "Signature" in query  # only then is Expires part of a signature
    return {
        name: text
        for name, text in query.items()
        if name.lower() not in _SIGNATURE and not (dated and name == "Expires")
    }
