"""What a file does not hold of a recorded request, so that it cannot be sent as it was."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from likewise.cloud.fuzz.corpus.cases import Recorded, Step

_TAKEN_OUT = re.compile(r"sanitized|redacted|\*{3,}", re.IGNORECASE)
"""What recorders put in the place of a secret, or of what would change from run to run."""
_BY_OTHERS = "authorization"
_APPENDED = ("appendblock", "block")
_A_USER = "which a shared key does not give"


def hole(service: str, step: Step, recorded: Recorded | None) -> str:
    """Why a request cannot be sent as it was; nothing where it can."""
    assert step.wire is not None
    headers, query = step.headers, parse_qs(step.wire.query, keep_blank_values=True)
    comp = query.get("comp", [""])[0]
    if comp == "userdelegationkey":
        return f"it needs the token of a user, {_A_USER}"
    if headers.get(_BY_OTHERS, "").lower().startswith("bearer"):
        return f"it was authorised with the token of a user, {_A_USER}"
    if "x-ms-copy-source-authorization" in headers:
        return f"its source is read with the token of a user, {_A_USER}"
    if comp == "stats":
        return "the recording asked the secondary address of the account"
    for name, value in headers.items():
        if name != _BY_OTHERS and _TAKEN_OUT.fullmatch(value.strip()):
            return f"{name} was taken out of the file"
    if service == "blob" and "x-ms-copy-source" not in headers and _has_source(step, comp, query, recorded):
        return "it copies from somewhere, and the source is not in the file"
    return ""


def _has_source(step: Step, comp: str, query: dict[str, list[str]], recorded: Recorded | None) -> bool:
    """Whether a request can only have been one that copies: it says so, or was accepted without content."""
    assert step.wire is not None
    if any(name.startswith("x-ms-source-") for name in step.headers):
        return True
    accepted = recorded is not None and recorded.success
    if not accepted or step.wire.method != "PUT" or step.params.get("body") is not None:
        return False
    if step.params.get("body_length"):
        return False
    if comp == "page":
        return step.headers.get("x-ms-page-write", "").lower() == "update"
    is_whole = "/" in step.wire.path.strip("/") and not comp and "restype" not in query
    return comp in _APPENDED or (is_whole and "x-ms-blob-type" not in step.headers)
