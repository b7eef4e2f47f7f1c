"""What counts as a secret at AWS and Azure, and which ones this environment holds."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from likewise.canonical.redact import MARK, Form, Secrets
from likewise.cloud.marks import AZURITE_KEY

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
        AZURITE_KEY,
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
