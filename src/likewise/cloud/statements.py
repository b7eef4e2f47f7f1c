"""What answers state of content that was sent: how long it is, and its MD5.

Of random content neither repeats, so that nothing else would tell a server that states something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from likewise.cloud.contents import Contents
from likewise.cloud.services import Call, Service
from likewise.cloud.services.digests import OTHER
from likewise.cloud.services.headers import agrees
from likewise.model import Touch, Value

_LENGTH, _OF_BODY, _OF_WHOLE = "content-length", "content-md5", "x-ms-blob-content-md5"
_OTHER_LENGTH, _OTHER_CONTENT = "not the length of what was sent", "not the MD5 of what was sent"


def mark_statements(call: Call, service: Service, contents: Contents, touches: tuple[Touch, ...]) -> None:
    """Say which of an answer's statements are not those of what was sent, where that is known as a whole."""
    # Beside a body, length and MD5 are those of this very body.
    names = (_LENGTH, _OF_BODY, _OF_WHOLE) if call.method == "HEAD" else (_OF_WHOLE,)
    told = call.response_headers
    stated: Mapping[str, Value] = {name: told[name] for name in names if name in told}
    if stated and (whole := contents.whole(touches)) is not None:
        call.response_headers = {**told, **dict(_wrong(stated, whole))}
    for resource, entry in service.listed(call):
        if (whole := contents.held(resource)) is not None:
            entry |= dict(_wrong(entry, whole))


def _wrong(stated: Mapping[str, Value], whole: bytes) -> Iterator[tuple[str, str]]:
    for name, text in stated.items():
        field = name.lower()
        if not isinstance(text, str) or not text:
            continue
        if field == _LENGTH and text.isdecimal() and int(text) != len(whole):
            yield name + OTHER, _OTHER_LENGTH
        elif field in (_OF_BODY, _OF_WHOLE) and not agrees(field, text, whole):
            yield name + OTHER, _OTHER_CONTENT
