"""The few plain HTTP calls made to servers of ours, past every SDK and recorder."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit


def call(
    method: str,
    url: str,
    *,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    timeout: float = 10.0,
) -> tuple[int, bytes]:
    """One request, its status and its body; OSError where nobody answers in HTTP."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=timeout)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except http.client.HTTPException as error:
        raise OSError(f"{method} {path}: not an HTTP answer: {error!r}") from error
    finally:
        connection.close()


def must(
    method: str,
    url: str,
    *,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    also: tuple[int, ...] = (),
) -> bytes:
    """One request that has to succeed, or to end with a status listed in `also`."""
    status, answer = call(method, url, body=body, headers=headers)
    if status >= 300 and status not in also:
        raise OSError(f"{method} {urlsplit(url).path}: {status} {answer[:300].decode(errors='replace')}")
    return answer


def answers(url: str) -> bool:
    """Whether a server is up and has no trouble with this URL."""
    try:
        return call("GET", url, timeout=2.0)[0] < 500
    except OSError:
        return False
