"""Rewrite the values in a request by place: never a name, a number, or the user's own content.

Everything that is not rewritten stays as it was, byte by byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote, unquote
from xml.sax.saxutils import escape, unescape

Rewrite = Callable[[str], str]
"""Gives the value to put in a value's place."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_AFTER = re.compile(r"\s*:")
_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL
)
_ATTRIBUTE = re.compile(r"(\s(?!xmlns)[\w:.-]+\s*=\s*)(\"[^\"]*\"|'[^']*')")
_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?', re.IGNORECASE)
_QUOTES = {"&quot;": '"', "&apos;": "'"}


def rewrite_path(path: str, rewrite: Rewrite) -> str:
    """Each segment of a path is a value."""
    return "/".join(_recoded(segment, rewrite) for segment in path.split("/"))


def rewrite_query(query: str, rewrite: Rewrite) -> str:
    """Each value of a query is one."""
    if not query:
        return query
    pairs = []
    for piece in query.split("&"):
        name, equals, value = piece.partition("=")
        pairs.append(name + equals + _recoded(value, rewrite, plus=True) if value else piece)
    return "&".join(pairs)


def _recoded(text: str, rewrite: Rewrite, *, plus: bool = False) -> str:
    value = unquote(text.replace("+", " ") if plus else text)
    new = rewrite(value)
    return text if new == value else quote(new, safe="-_.~" if plus else "-_.~!$'()*,;:@=")


def rewrite_url(url: str, rewrite: Rewrite) -> str:
    """A URL or a path with a query, such as the source of a copy."""
    before, mark, query = url.partition("?")
    scheme, colon, rest = before.partition("://")
    if colon:
        host, slash, path = rest.partition("/")
        before = scheme + colon + host + slash + rewrite_path(path, rewrite)
    else:
        before = rewrite_path(before, rewrite)
    return before + mark + rewrite_query(query, rewrite)


_URLS = frozenset({"x-amz-copy-source", "x-amz-rename-source", "x-ms-copy-source"})
_FIXED = frozenset(
    {"content-type", "content-md5", "x-amz-target", "x-ms-version", "accept", "dataserviceversion"}
)


def rewrite_headers(headers: dict[str, str], rewrite: Rewrite) -> dict[str, str]:
    """Each header is a value, but for those that only describe the message."""
    changed = {}
    for name, text in headers.items():
        if name in _FIXED or name.startswith("x-amz-checksum-"):
            changed[name] = text
        else:
            changed[name] = rewrite_url(text, rewrite) if name in _URLS else rewrite(text)
    return changed


def rewrite_body(
    body: bytes, content_type: str, rewrite: Rewrite, *, key: Rewrite = str, move: Rewrite = str
) -> bytes:
    """The values in a body of a known format.

    `key` rewrites the keys of JSON objects, which are names where a service has names for keys; `move`
    rewrites the addresses inside a batch.
    """
    first = body.lstrip()[:1]
    if content_type.startswith("multipart/mixed"):
        return _multipart(body, content_type, rewrite, move)
    if first not in (b"{", b"[", b"<") and not content_type.startswith("application/x-www-form-urlencoded"):
        return body
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    if first == b"<":
        return rewrite_xml(text, rewrite).encode()
    return (
        rewrite_json(text, rewrite, key) if first in (b"{", b"[") else rewrite_query(text, rewrite)
    ).encode()


def rewrite_json(text: str, rewrite: Rewrite, key: Rewrite = str) -> str:
    """The strings of a JSON text; everything else stays as it was typed."""

    def replaced(match: re.Match[str]) -> str:
        try:
            value = json.loads(match[0])
        except ValueError:
            return match[0]
        new = key(value) if _AFTER.match(text, match.end()) else rewrite(value)
        return match[0] if new == value else json.dumps(new)

    return _STRING.sub(replaced, text)


def rewrite_xml(text: str, rewrite: Rewrite) -> str:
    """The text nodes and attributes of an XML text."""

    def attribute(match: re.Match[str]) -> str:
        mark, value = match[2][0], unescape(match[2][1:-1], _QUOTES)
        new = rewrite(value)
        if new == value:
            return match[0]
        return f"{match[1]}{mark}{escape(new, {mark: '&quot;' if mark == chr(34) else '&apos;'})}{mark}"

    done: list[str] = []
    end = 0
    for match in _MARKUP.finditer(text):
        done.append(_node(text[end : match.start()], rewrite))
        done.append(_ATTRIBUTE.sub(attribute, match[0]) if match[0][1] not in "!?/" else match[0])
        end = match.end()
    done.append(_node(text[end:], rewrite))
    return "".join(done)


def _node(text: str, rewrite: Rewrite) -> str:
    if not text or text.isspace():
        return text
    value = unescape(text, _QUOTES)
    new = rewrite(value)
    return text if new == value else escape(new)


def _multipart(body: bytes, content_type: str, rewrite: Rewrite, move: Rewrite) -> bytes:
    found = _BOUNDARY.search(content_type)
    if found is None:
        return body
    mark = b"--" + found[1].strip().encode()
    first, *pieces = body.split(mark)
    if not pieces:
        return body
    inner = [_part(piece, rewrite, move) for piece in pieces[:-1]]
    return mark.join([first, *inner, pieces[-1]])


def _part(piece: bytes, rewrite: Rewrite, move: Rewrite) -> bytes:
    head, gap, content = _split_head(piece)
    headers = head.decode("latin-1").lower()
    nested = re.search(r"content-type:\s*(multipart/[^\r\n]*)", head.decode("latin-1"), re.IGNORECASE)
    if nested:
        return head + gap + _multipart(content, nested[1], rewrite, move)
    if "application/http" not in headers:
        return piece
    return head + gap + _message(content, rewrite, move)


def _message(content: bytes, rewrite: Rewrite, move: Rewrite) -> bytes:
    """A request inside a batch: its line, its headers, its body."""
    head, gap, body = _split_head(content.lstrip(b"\r\n"))
    end = head[len(head.rstrip(b"\r\n")) :]
    line, *headers = head.decode("latin-1").splitlines()
    method, _, rest = line.strip().partition(" ")
    url, _, version = rest.rpartition(" ")
    pairs = [(name, text.strip()) for name, _, text in (header.partition(":") for header in headers) if name]
    names = {name.lower(): name for name, _ in pairs}
    changed = rewrite_headers({name.lower(): text for name, text in pairs}, rewrite)
    payload = body.rstrip(b"\r\n")
    new = rewrite_body(payload, changed.get("content-type", ""), rewrite)
    if "content-length" in changed and payload != new:
        changed["content-length"] = str(len(new))
    lines = [f"{method} {rewrite_url(move(url), rewrite)} {version}"]
    lines += [f"{names[name]}: {text}" for name, text in changed.items()]
    return "\r\n".join(lines).encode("latin-1") + end + gap + new + body[len(payload) :]


def _split_head(piece: bytes) -> tuple[bytes, bytes, bytes]:
    for gap in (b"\r\n\r\n", b"\n\n"):
        start = len(piece) - len(piece.lstrip(b"\r\n"))
        at = piece.find(gap, start)
        if at >= 0:
            return piece[:at], gap, piece[at + len(gap) :]
    return piece, b"", b""
