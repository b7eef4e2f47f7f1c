"""Seeded differences in who may call what: each is about one operation and one kind of caller.

moto takes nearly everybody, so the reference refuses there; Azurite refuses whom it should, so there the
reference also takes some of them. Those of a service are active at once.
"""

# ruff: noqa: E501  (one seed, one line)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from likewise.cloud import rewriting as r
from likewise.cloud.rewriting import Request, Rule
from likewise.cloud.rewriting.signature import is_signed_with
from likewise.cloud.targets.empty import account_sas
from seeds.more import ALARM, UNSAFE
from seeds.seed import AUTH, Seed, seed

Predicate = Callable[[Request], bool]
SIGNED = frozenset(["sv", "ss", "srt", "sp", "se", "st", "spr", "sip", "sig", "sr", "si", "tn"])
"""What a shared access signature says in a query."""


def _anonymous(request: Request) -> bool:
    return not request.header("Authorization") and "sig" not in request.query and not _presigned(request)


def _forged(request: Request) -> bool:
    """Signed, and not with the secret of moto's own."""
    has_key = "Credential=testing/" in request.header("Authorization")
    return has_key and not is_signed_with(request, secret="testing")


def _unknown(request: Request) -> bool:
    given = request.header("Authorization")
    return "Credential=" in given and "Credential=testing/" not in given


def _tokened(request: Request) -> bool:
    return bool(request.header("X-Amz-Security-Token"))


def _presigned(request: Request) -> bool:
    return "X-Amz-Signature" in request.query


def _expired_url(request: Request) -> bool:
    stamp = request.query.get("X-Amz-Date", "")
    if not stamp:
        return False
    age = datetime.now(UTC) - datetime.strptime(stamp, "%Y%m%dT%H%M%S%z")
    return age.total_seconds() > int(request.query["X-Amz-Expires"])


def _misused(request: Request) -> bool:
    """A presigned address that says something else than was signed, still in time."""
    return _presigned(request) and not is_signed_with(request, secret="testing")


def _sas(level: str, said: Predicate = lambda _: True) -> Predicate:
    """Called with a signature of the account's or of a service's, and what else is so."""
    mark = "srt" if level == "account" else "sig"
    other = "none" if level == "account" else "srt"
    return lambda request: mark in request.query and other not in request.query and said(request)


def _years(start: str) -> Predicate:
    """Whether a signature expires in a year that begins so."""
    return lambda request: request.query.get("se", "").startswith(start)


def _lets_in(which: str, whom: Predicate) -> Rule:
    """Take calls of somebody whom the server below refuses: they come to it with the account's rights."""

    def admit(request: Request) -> Request:
        path, _, query = request.target.partition("?")
        kept = [piece for piece in query.split("&") if piece and piece.partition("=")[0] not in SIGNED]
        bare = request.with_header("Authorization", None)
        return replace(bare, target=f"{path}?{'&'.join([*kept, account_sas()])}")

    matches = r.matching(which)
    return Rule(name="lets_in", matches=lambda request: matches(request) and whom(request), on_request=admit)


def _signs(which: str, whom: Predicate) -> Rule:
    """The same on moto, which believes whoever says who it is."""
    matches = r.matching(which)
    said = "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    return Rule(
        name="signs",
        matches=lambda request: matches(request) and whom(request),
        on_request=lambda request: request.with_header("Authorization", said),
    )


def _shuts_out(which: str, whom: Predicate) -> Rule:
    matches = r.matching(which)
    return r.deny(lambda request: matches(request) and whom(request))


ROWS: list[tuple[str, str, str, Rule, str, str, str]] = [
    # S3
    ("s3", "authorisation", "ListObjectsV2", _shuts_out("s3.ListObjectsV2", _anonymous), UNSAFE, AUTH, "response"),
    ("s3", "authorisation", "PutObject", _shuts_out("s3.PutObject", _forged), UNSAFE, AUTH, ""),
    ("s3", "authorisation", "ListBuckets", _shuts_out("s3.ListBuckets", _unknown), UNSAFE, AUTH, "response"),
    ("s3", "authorisation", "GetObject", _shuts_out("s3.GetObject", _expired_url), UNSAFE, AUTH, "response"),
    ("s3", "authorisation", "DeleteObject", _shuts_out("s3.DeleteObject", _misused), UNSAFE, AUTH, ""),
    ("s3", "authorisation", "GetObject", _signs("s3.GetObject", _anonymous), ALARM, AUTH, "response"),
    ("s3", "authorisation", "GetBucketTagging", _shuts_out("s3.GetBucketTagging", _anonymous), UNSAFE, AUTH, "response"),
    # DynamoDB
    ("dynamodb", "authorisation", "Scan", _shuts_out("dynamodb.Scan", _anonymous), UNSAFE, AUTH, "response"),
    ("dynamodb", "authorisation", "DeleteTable", _shuts_out("dynamodb.DeleteTable", _forged), UNSAFE, AUTH, ""),
    ("dynamodb", "authorisation", "PutItem", _shuts_out("dynamodb.PutItem", _tokened), UNSAFE, AUTH, ""),
    ("dynamodb", "authorisation", "UpdateItem", _shuts_out("dynamodb.UpdateItem", _forged), UNSAFE, AUTH, ""),
    # Blob
    ("blob", "authorisation", "Blob_Download", _lets_in("blob.Blob_Download", _anonymous), ALARM, AUTH, "response"),
    ("blob", "authorisation", "Service_ListContainersSegment", _shuts_out("blob.Service_ListContainersSegment", _sas("account", lambda request: "sip" in request.query)), UNSAFE, AUTH, "response"),
    ("blob", "authorisation", "Blob_Delete", _lets_in("blob.Blob_Delete", _sas("service", _years("2020"))), ALARM, AUTH, ""),
    ("blob", "authorisation", "Container_ListBlobFlatSegment", _shuts_out("blob.Container_ListBlobFlatSegment", _anonymous), UNSAFE, AUTH, "response"),
    ("blob", "authorisation", "Container_Create", _shuts_out("blob.Container_Create", _sas("account")), UNSAFE, AUTH, ""),
    # Queue
    ("queue", "authorisation", "Messages_Enqueue", _lets_in("queue.Messages_Enqueue", _sas("service", lambda request: "a" not in request.query.get("sp", "a"))), ALARM, AUTH, ""),
    ("queue", "authorisation", "Messages_Peek", _lets_in("queue.Messages_Peek", lambda request: bool(request.header("Authorization"))), ALARM, AUTH, "response"),
    ("queue", "authorisation", "Messages_Dequeue", _lets_in("queue.Messages_Dequeue", _sas("service", lambda request: "si" in request.query)), ALARM, AUTH, ""),
    # Table
    ("table", "authorisation", "Table_InsertEntity", _lets_in("table.Table_InsertEntity", _sas("account", lambda request: "st" in request.query and not _years("2020")(request))), ALARM, AUTH, ""),
    ("table", "authorisation", "Table_QueryEntities", _shuts_out("table.Table_QueryEntities", _sas("service", lambda request: "sip" in request.query)), UNSAFE, AUTH, "response"),
    ("table", "authorisation", "Table_Query", _lets_in("table.Table_Query", _anonymous), ALARM, AUTH, "response"),
]  # fmt: skip

AUTHORISATION: tuple[Seed, ...] = tuple(seed(*row, group=15) for row in ROWS)
