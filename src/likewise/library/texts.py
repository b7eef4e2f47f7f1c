"""Texts without what only says where something lay in one process or on one disk."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_INSTALLED = re.compile(r"(?:[A-Za-z]:)?[/\\][^\s'\"<>:,;()]*?[/\\](?:site|dist)-packages(?=[/\\]|\b)")
_TEMPORARY = re.compile(r"pytest-of-[\w.-]+([/\\])pytest-\d+")
_DRAWN = re.compile(r"(?<=[/\\])tmp[a-z0-9_]{8}(?![A-Za-z0-9_])")
"""How `tempfile` names what it makes."""

_FREE = r"(?:3276[89]|327[7-9]\d|32[89]\d\d|3[3-9]\d{3}|[4-6]\d{4})(?!\d)"
"""Ports that the system chooses begin at 32768."""
_SERVED = re.compile(rf"(?<![\w.])(127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1\]):{_FREE}")
"""A server of the test's own."""
_HOSTS = ("127.0.0.1:", "localhost:", "0.0.0.0:", "[::1]:")
_PORT = re.compile(rf"(port\W{{1,3}}){_FREE}", re.IGNORECASE)


def plain_text(text: str) -> str:
    """A text without what only says where something lay in this process or on this disk."""
    if "0x" in text:
        text = _ADDRESS.sub("0x…", text)
    if "-packages" in text:
        text = _INSTALLED.sub("…/site-packages", text)
    if "pytest-of-" in text:
        text = _TEMPORARY.sub(r"pytest-of-…\1pytest-…", text)
    if "tmp" in text:
        text = _DRAWN.sub("tmp…", text)
    if ":" in text and any(host in text for host in _HOSTS):
        text, served = _SERVED.subn(r"\1:…", text)
        if served:
            text = _PORT.sub(r"\1…", text)
    return text


def text_of(content: bytes) -> str | None:
    """The text that some bytes are, where they are one."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def is_free_port(value: object) -> bool:
    """Whether a number, or a text that is one, may be a port that the system chose."""
    return isinstance(value, int | str) and re.fullmatch(_FREE, str(value)) is not None
