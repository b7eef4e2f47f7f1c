"""The rules for AWS and Azure find real secrets, keep what is none, and prove files clean."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from botocore.session import Session

from likewise.canonical.redact import MARK, redact
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.leaks import Leak, scan
from likewise.cloud.secrets import RULES, gather, sensitive_names
from likewise.model import Interaction, Operation, Redacted, Returned, Role, Trace, Value

ACCOUNT_KEY = b64encode(bytes(range(64))).decode()
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
PUT = Operation("s3", "PutObject")
KEY_ID = "AKIA" + "Q7RT5WZX2M4N6P8B"


def clean(arguments: dict[str, Value], operation: Operation = PUT) -> dict[str, Value]:
    call = Interaction(operation=operation, arguments=arguments, outcome=Returned(value=None))
    trace = Trace(test="t", role=Role.CANDIDATE, interactions=(call,))
    return redact(trace, secrets=RULES).trace.interactions[0].arguments


@pytest.mark.parametrize(
    "text",
    [
        f"id {KEY_ID}",
        "ASIA" + "Q7RT5WZX2M4N6P8B",
        f"token={JWT}",
        ACCOUNT_KEY,
        f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={ACCOUNT_KEY};EndpointSuffix=x",
        "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=abcdefghijkl=",
        f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20260101/us-east-1/s3/aws4_request, Signature=00",
        f"SharedKey account:{b64encode(b'x' * 32).decode()}",
        "Bearer abcdefghijklmnopqrstuvwxyz",
        "-----BEGIN RSA PRIVATE KEY-----\nMII",
    ],
)
def test_a_text_that_is_or_holds_a_secret_goes(text: str) -> None:
    assert isinstance(clean({"anything": text})["anything"], Redacted)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a/c/b?sv=1&se=2030&sp=r&sig=abc%2Bd%3D", f"https://a/c/b?sv=1&se=2030&sp=r&sig={MARK}"),
        (
            "https://b.s3/k?X-Amz-Credential=AK/1&X-Amz-Expires=9&X-Amz-Signature=00ff",
            f"https://b.s3/k?X-Amz-Credential={MARK}&X-Amz-Expires=9&X-Amz-Signature={MARK}",
        ),
        ("https://a/c?sig=x&se=1", f"https://a/c?sig={MARK}&se=1"),
        ("sig=zzzz&sv=1", f"sig={MARK}&sv=1"),
        ("sv=1&sig=zzzz", f"sv=1&sig={MARK}"),
        ("next=https%3A%2F%2Fa%2Fc%3Fsig%3Dzzzz", f"next=https%3A%2F%2Fa%2Fc%3Fsig%3D{MARK}"),
    ],
)
def test_a_signed_url_loses_its_signature_and_keeps_its_terms(url: str, expected: str) -> None:
    assert clean({"before": "x", "url": url, "after": "y"}) == {"before": "x", "url": expected, "after": "y"}
    assert clean({"url": expected}) == {"url": expected}


@pytest.mark.parametrize(
    "text",
    [
        "1B2M2Y8AsgTpgAmY7PhCfg==",
        b64encode(b"x" * 32).decode(),
        b64encode(b"y" * 200).decode(),
        "design=blue&signal=1",
        "eyJub3QiOiJhIGp3dCJ9",
        "Asia/Tokyo",
        "the bearer of news",
        "https://a/b?prefix=x&marker=y",
        "NextToken=abcdef",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert clean({"anything": text}) == {"anything": text}


def test_sensitive_parameters_go_in_their_service_only() -> None:
    assert isinstance(clean({"x-amz-server-side-encryption-customer-key": "k"}).popitem()[1], Redacted)
    assert isinstance(clean({"KeyId": "k"})["KeyId"], Redacted)
    assert clean({"KeyId": "k"}, Operation("dynamodb", "PutItem")) == {"KeyId": "k"}
    assert clean({"Value": "k"}, Operation("table", "Query")) == {"Value": "k"}


def test_the_static_rules_cover_what_the_sdk_calls_sensitive_in_our_services() -> None:
    session = Session()
    for service in ("s3", "dynamodb"):
        names = sensitive_names(session.get_service_model(service))
        assert (service == "s3") == bool(names)
        plain = {name.partition(":")[2] for name in names}
        known = RULES.names | {name.removeprefix("s3:") for name in RULES.names}
        forwarded = {name for name in plain if name.startswith("x-amz-fwd-header-")}
        assert plain - forwarded <= known


def test_a_user_delegation_key_in_an_answer_goes() -> None:
    body = (
        b"<UserDelegationKey><SignedOid>o</SignedOid><SignedService>b</SignedService>"
        b"<Value>c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=</Value></UserDelegationKey>"
    )
    exchange = Exchange(
        method="POST",
        url="https://acct.blob.core.windows.net/?restype=service&comp=userdelegationkey",
        headers={"x-ms-version": "2025-01-05", "authorization": "Bearer abcdefghijklmnopqrst"},
        body=b"<KeyInfo><Start>2026</Start></KeyInfo>",
        status=200,
        response_headers={"content-type": "application/xml"},
        response_body=body,
    )
    call = Interpreter().interpret(exchange, order=0)
    trace = Trace(test="t", role=Role.CANDIDATE, interactions=(call,))
    text = repr(redact(trace, secrets=RULES).trace)
    assert "c2VjcmV0" not in text
    assert "SignedOid" in text


def test_sts_credentials_in_an_answer_go() -> None:
    body = (
        b"<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>%s</AccessKeyId>"
        b"<SecretAccessKey>plainlysecret</SecretAccessKey><SessionToken>plainlytoken</SessionToken>"
        b"</Credentials></AssumeRoleResult></AssumeRoleResponse>" % KEY_ID.encode()
    )
    exchange = Exchange(
        method="POST",
        url="https://sts.amazonaws.com/",
        headers={"content-type": "application/x-www-form-urlencoded"},
        body=b"Action=AssumeRole",
        status=200,
        response_headers={"content-type": "text/xml"},
        response_body=body,
        operation_hint="AssumeRole",
        service_hint="sts",
    )
    call = Interpreter().interpret(exchange, order=0)
    text = repr(redact(Trace(test="t", role=Role.CANDIDATE, interactions=(call,)), secrets=RULES).trace)
    assert "plainly" not in text
    assert KEY_ID not in text


def test_gather_takes_the_environments_own_secrets_in_every_spelling() -> None:
    secret = "wJalr/XUtn+FEMI=K7MDENG7"
    secrets = gather(
        {
            "AWS_SECRET_ACCESS_KEY": secret,
            "SOME_CONNECTION": f"AccountName=a;AccountKey={ACCOUNT_KEY};",
            "MINE": "house-key-123",
            "HOME": "/root/12345678",
        },
        extra=["MINE"],
        more=["profile-key-1234"],
    )
    texts = [
        f"a {secret} b",
        quote(secret, safe=""),
        ACCOUNT_KEY[:-2],
        "house-key-123",
        "profile-key-1234",
        *(b64encode(pad + secret.encode() + b"tail").decode() for pad in (b"", b"1", b"12", b"123")),
    ]
    for text in texts:
        call = Interaction(
            operation=Operation("s3", "X"), arguments={"f": text + " "}, outcome=Returned(value=None)
        )
        trace = Trace(test="t", role=Role.CANDIDATE, interactions=(call,))
        found = redact(trace, secrets=secrets).removed
        assert found == (0 if text == ACCOUNT_KEY[:-2] else 1), text
    assert not any("/root" in value for value in secrets.values)
    assert "mine" in secrets.names


def test_published_emulator_keys_are_not_hunted_for_but_go_from_secret_places() -> None:
    azurite = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    secrets = gather({"AWS_SECRET_ACCESS_KEY": "testing", "C": f"AccountKey={azurite}"})
    assert secrets.values == frozenset()
    assert isinstance(clean({"SecretAccessKey": "testing"})["SecretAccessKey"], Redacted)
    assert isinstance(clean({"x": azurite})["x"], Redacted)


def test_scan_finds_secrets_in_text_databases_and_compressed_content(tmp_path: Path) -> None:
    (tmp_path / "clean.jsonl").write_text('{"a": 1}\n{"sig": {"$": "redacted"}, "u": "?sig=(redacted)"}\n')
    (tmp_path / "bad.jsonl").write_text(f'{{"a": 1}}\n{{"b": "{KEY_ID}"}}\n')
    (tmp_path / "named.html").write_text(json.dumps({"SecretAccessKey": "plainlysecret"}))
    (tmp_path / "known.txt").write_bytes(b"x house-key-123 y")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(JWT.encode()))
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("CREATE TABLE facts (content BLOB)")
    connection.execute(
        "INSERT INTO facts VALUES (?)", [zlib.compress(b"x" * 99 + b" " + ACCOUNT_KEY.encode())]
    )
    connection.execute("INSERT INTO facts VALUES (?)", [zlib.compress(f"?sig={'z' * 20}".encode())])
    connection.commit()
    connection.close()
    secrets = gather({"K": "house-key-123"}, extra=["K"])
    found = [(Path(leak.path).name, leak.line, leak.kind) for leak in scan([tmp_path], secrets=secrets)]
    assert found == [
        ("bad.jsonl", 2, "key id"),
        ("known.txt", 1, "known secret"),
        ("ledger.db", 0, "account key"),
        ("ledger.db", 0, "signature"),
        ("named.html", 1, "secretaccesskey"),
        ("packed.jsonl.gz", 1, "token"),
    ]
    assert scan([tmp_path / "clean.jsonl", tmp_path / "absent"]) == []
    assert isinstance(scan([tmp_path / "bad.jsonl"])[0], Leak)
