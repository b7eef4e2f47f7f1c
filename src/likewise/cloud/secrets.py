"""What counts as a secret at AWS and Azure, which ones this environment holds, and whether any leaked."""

from __future__ import annotations

import gzip
import re
import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from likewise.canonical.redact import MARK, Form, Secrets

_NAMES = frozenset(
    {
        # headers and query fields that sign or carry keys
        "authorization",
        "proxy-authorization",
        "x-amz-security-token",
        "x-amz-s3session-token",
        "x-amz-signature",
        "x-amz-credential",
        "x-amz-server-side-encryption-customer-key",
        "x-amz-copy-source-server-side-encryption-customer-key",
        "x-ms-encryption-key",
        "x-ms-source-encryption-key",
        "x-ms-copy-source-authorization",
        "x-ms-file-rename-source-authorization",
        "sig",
        # fields of requests and answers
        "secretaccesskey",
        "sessiontoken",
        "ssecustomerkey",
        "copysourcessecustomerkey",
        "webidentitytoken",
        "samlassertion",
        "tradeintoken",
        "accountkey",
        "sharedaccesskey",
        "sharedaccesssignature",
        "connectionstring",
        "access_token",
        "refresh_token",
        "id_token",
        "client_secret",
        "client_assertion",
        "secretstring",
        "secretbinary",
        # the key in the answer; its other fields say for whom and how long
        "getuserdelegationkey:value",
        # what the SDK's own model calls sensitive
        "s3:ssekmskeyid",
        "s3:ssekmsencryptioncontext",
        "s3:kmskeyarn",
        "s3:kmskeyid",
        "s3:kmsmasterkeyid",
        "s3:keyid",
        "s3:x-amz-server-side-encryption-context",
        "s3:x-amz-server-side-encryption-aws-kms-key-id",
    }
)

_SIGNED = (
    "X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|AWSAccessKeyId|Signature|sig|"
    "WebIdentityToken|SAMLAssertion|SecretAccessKey|SessionToken|client_secret"
)

FORMS = (
    Form(
        kind="connection string",
        pattern=re.compile(
            r"(?i)(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?!" + re.escape(MARK) + r")[^;\s]{8,}"
        ),
        needles=("accountkey=", "sharedaccesskey=", "sharedaccesssignature="),
    ),
    Form(
        kind="signature",
        pattern=re.compile(
            rf"(?i)((?:^|[?&\s\0]|%3F|%26)(?:{_SIGNED})(?:=|%3D))(?!{re.escape(MARK)})[^&\s\"'<>]+(?<!%26)"
        ),
        needles=tuple(f"{name.lower()}{sign}" for name in _SIGNED.split("|") for sign in ("=", "%3d")),
        part=True,
    ),
    Form(
        kind="authorization",
        pattern=re.compile(
            r"(?i)AWS4-(?:HMAC|ECDSA-P256)-SHA256 Credential=|\bAWS [A-Z0-9]{16,}:[A-Za-z0-9+/=]{20,}"
            r"|\bSharedKey(?:Lite)? [a-z0-9-]+:[A-Za-z0-9+/]{40,}|\bBearer [A-Za-z0-9._~+/-]{16,}"
        ),
        needles=("credential=", "aws ", "sharedkey", "bearer "),
        least=20,
    ),
    Form(
        kind="key id",
        pattern=re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        needles=("akia", "asia"),
        least=20,
    ),
    Form(
        kind="token",
        pattern=re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"),
        needles=("eyj",),
        least=26,
    ),
    Form(
        kind="account key",
        pattern=re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])"),
        needles=("==",),
        least=88,
    ),
    Form(
        kind="private key",
        pattern=re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
        needles=("private key-----",),
        least=27,
    ),
)

RULES = Secrets(
    names=_NAMES,
    patterns=FORMS,
    renewable=frozenset(
        {"authorization", "proxy-authorization", "x-amz-security-token", "x-amz-s3session-token", "cookie"}
    ),
)
"""The rules alone, with no secret of this environment."""

_VARIABLES = (
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "AZURE_PASSWORD",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
)

_IN_TEXT = re.compile(r"(?i)(?:AccountKey|SharedAccessKey)=([^;\s]+)|[?&;\s](?:sig)=([^&;\s]+)")

_PUBLIC = frozenset(
    {
        # The keys that emulators publish: no secrets, and too common a text to hunt for everywhere.
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "FOOBARKEY",
        "FOOBARSECRET",
        "AKIAIOSFODNN7EXAMPLE",
    }
)
_LEAST = 8
"""Shorter values are emulators' (`test`, `testing`, `minio`), and would be found in half of all texts."""


def gather(environment: Mapping[str, str], *, extra: Iterable[str] = (), more: Iterable[str] = ()) -> Secrets:
    """The rules, and the secret values that an environment holds.

    `extra` names further environment variables, or fields, that hold secrets. `more` takes secrets
    from elsewhere: keys from a profile, or whole connection strings. Each value is also looked for as
    it appears in URLs and in base64.
    """
    extra, more = list(extra), list(more)
    found = {environment[name] for name in (*_VARIABLES, *extra) if environment.get(name)}
    for text in [*environment.values(), *more]:
        found.update(first or second for first, second in _IN_TEXT.findall(text))
    found.update(text for text in more if not _IN_TEXT.search(text))
    spelled: set[str] = set()
    for value in found:
        if len(value) >= _LEAST and value not in _PUBLIC and not value.isalpha():
            spelled.update(_spellings(value))
    return RULES.including(names=(name.lower() for name in extra), values=spelled)


def _spellings(value: str) -> Iterator[str]:
    yield value
    yield quote(value, safe="")
    yield quote_plus(value)
    yield value.replace("/", "\\/")
    raw = value.encode()
    for shift in range(3):
        # The characters that depend on the neighbours are cut off: what remains is found at any place.
        text = b64encode(b"\0" * shift + raw).decode().rstrip("=")
        whole = text[(0, 2, 3)[shift] : len(text) - (1 if (shift + len(raw)) % 3 else 0)]
        if len(whole) >= _LEAST:
            yield whole


def sensitive_names(service_model: Any) -> frozenset[str]:
    """The fields that an SDK's service model calls sensitive, as names scoped to the service."""
    shapes: dict[str, Any] = service_model._service_description.get("shapes", {})
    sensitive = {name for name, shape in shapes.items() if shape.get("sensitive")}
    service = str(service_model.service_name).lower()
    names: set[str] = set()
    for shape in shapes.values():
        for name, member in shape.get("members", {}).items():
            if member.get("shape") in sensitive:
                names.add(f"{service}:{name.lower()}")
                if "locationName" in member:
                    names.add(f"{service}:{member['locationName'].lower()}")
    return frozenset(names)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Leak:
    """A secret in a file. `line` is 0 where a file has no lines."""

    path: str
    line: int
    kind: str


def scan(paths: Iterable[Path | str], *, secrets: Secrets = RULES) -> list[Leak]:
    """Every secret in the files at or below `paths`; databases and compressed content are opened."""
    leaks: set[Leak] = set()
    for path in sorted({file for each in paths for file in _files(Path(each))}):
        for line, content in _contents(path):
            for kind in _kinds(content, secrets):
                leaks.add(Leak(path=str(path), line=line, kind=kind))
    return sorted(leaks)


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (each for each in path.rglob("*") if each.is_file())
    elif path.is_file():
        yield path


def _contents(path: Path) -> Iterator[tuple[int, bytes]]:
    """What a file holds, line by line where it has lines."""
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content.startswith(b"SQLite format 3\0"):
        yield 0, content
        yield from ((0, cell) for cell in _cells(path))
    elif b"\0" in content[:1024] or path.name.endswith(("-wal", "-journal")):
        yield 0, content
    else:
        yield from enumerate(content.split(b"\n"), start=1)


def _cells(path: Path) -> Iterator[bytes]:
    """Every cell of a database that is text or bytes, decompressed where it is compressed."""
    with sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            quoted = str(table).replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}"'):
                for cell in row:
                    if isinstance(cell, str):
                        yield cell.encode()
                    elif isinstance(cell, bytes):
                        yield _decompressed(cell)
    connection.close()


def _decompressed(cell: bytes) -> bytes:
    try:
        return zlib.decompress(cell)
    except zlib.error:
        return cell  # not compressed, or not by us


def _kinds(content: bytes, secrets: Secrets) -> Iterator[str]:
    text = content.decode("latin-1")
    lowered = text.lower()
    for form in secrets.patterns:
        if any(needle in lowered for needle in form.needles) and form.pattern.search(text):
            yield form.kind
    for value in secrets.values:
        if value in text:
            yield "known secret"
    for match in _named(secrets.names).finditer(text):
        yield match[1].lower()


@lru_cache(maxsize=4)
def _named(names: frozenset[str]) -> re.Pattern[str]:
    """A secret field with its value in plain text, as JSON writes it."""
    plain = sorted((name for name in names if ":" not in name), key=len, reverse=True)
    return re.compile(rf'(?i)"({"|".join(map(re.escape, plain))})"\s*:\s*\[?\s*"[^"]{{4,}}"')
