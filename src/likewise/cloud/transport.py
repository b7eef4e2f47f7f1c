"""What the transport says of an answer, for those who ask for it by name.

Request ids, dates, the server's name and how often the SDK had to try vary with everything and nothing, so
that they count for nobody. But who asks for one of them by its name has a reason to, and gets an answer that
says it, under a key of its own: what others were answered tells nothing about it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from likewise.cloud.ages import moment
from likewise.cloud.marks import BY_NAME
from likewise.cloud.services.headers import matters_in_answer
from likewise.model import Value

LOOKS = "looks"
"""Where arguments say what is asked for by name."""
_RETRIES = "retryattempts"
_SDK = {"requestid": ("x-amz-request-id", "x-amzn-requestid"), "hostid": ("x-amz-id-2",)}
"""What the SDK has names of its own for."""
_IDENTITIES = frozenset({"x-amz-request-id", "x-amzn-requestid", "x-amz-id-2", "x-amz-cf-id"})
_OF_BODY = frozenset({"x-amz-crc32", "content-length"})
_ATTEMPT = re.compile(r"attempt=(\d+)")


def asked_for(seen: Collection[str] | None) -> list[str]:
    """What a client asked for by name that nobody else is told, in lower case."""
    names = {name[len(BY_NAME) :].lower() for name in seen or () if name.startswith(BY_NAME)}
    return sorted(name for name in names if not matters_in_answer(name))


def retries_in(headers: Mapping[str, str]) -> int:
    """How often the SDK had tried before, as it says itself."""
    found = _ATTEMPT.search(headers.get("amz-sdk-request", ""))
    return max(0, int(found[1]) - 1) if found else 0


def told(asked: Collection[str], headers: Mapping[str, str], retries: int) -> dict[str, Value]:
    """What the transport says about these: of what is new each time, only that it is there."""
    found: dict[str, Value] = {}
    for name in asked:
        if name == _RETRIES:
            found[name] = retries
        elif name in _SDK:
            found[name] = "<id>" if any(headers.get(each) for each in _SDK[name]) else ""
        elif text := headers.get(name):
            found[name] = _timeless(name, text)
    return found


def _timeless(name: str, text: str) -> str:
    if name in _IDENTITIES:
        return "<id>"
    if name in _OF_BODY:
        return "<of the body>"
    return "<now>" if name == "date" and moment(text) is not None else text
