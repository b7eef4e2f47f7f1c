"""Two servers that write differently where a list goes on are asked, and answer, the same."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import md5
from itertools import count
from urllib.parse import quote

import pytest

from likewise.canonical import Familiarity, key_world, sketch
from likewise.cloud import cursors
from likewise.cloud.cursors import cursor_at
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.model import Provenance, Recording, Role, Target, Trace
from likewise.run import count_context

PAGES = (("a", "b"), ("c", "d"), ("e",))
XML = {"content-type": "application/xml"}
JSON = {"content-type": "application/json"}

Write = Callable[[str], str]
Page = Callable[[str, tuple[str, ...], str], Exchange]
"""A page, given the cursor that asks for it, what it lists, and the cursor of the next one."""


def digest(name: str) -> str:
    return md5(name.encode(), usedforsecurity=False).hexdigest()


def encoded(name: str) -> str:
    return b64encode(f"{name}.txt".encode()).decode()


def s3(after: str, names: tuple[str, ...], following: str) -> Exchange:
    sent = f"&continuation-token={quote(after)}" if after else ""
    listed = "".join(f"<Contents><Key>{name}</Key></Contents>" for name in names)
    echo = f"<ContinuationToken>{after}</ContinuationToken>" if after else ""
    more = f"<NextContinuationToken>{following}</NextContinuationToken>" if following else ""
    return Exchange(
        method="GET",
        url=f"http://127.0.0.1:5000/shelf?list-type=2&max-keys=2{sent}",
        status=200,
        service_hint="s3",
        response_headers=XML,
        response_body=f"<ListBucketResult>{listed}{echo}{more}</ListBucketResult>".encode(),
    )


def azure(service: str, address: str, listed: Callable[[str], str]) -> Page:
    def page(after: str, names: tuple[str, ...], following: str) -> Exchange:
        sent = f"&marker={quote(after)}" if after else ""
        items = "".join(map(listed, names))
        return Exchange(
            method="GET",
            url=f"http://127.0.0.1:10000/account/{address}comp=list{sent}",
            status=200,
            service_hint=service,
            response_headers=XML,
            response_body=(
                f"<EnumerationResults><Marker>{after}</Marker>{items}<NextMarker>{following}</NextMarker>"
                "</EnumerationResults>"
            ).encode(),
        )

    return page


blob = azure("blob", "c?restype=container&", lambda name: f"<Blobs><Blob><Name>{name}</Name></Blob></Blobs>")
queue = azure("queue", "?", lambda name: f"<Queues><Queue><Name>{name}</Name></Queue></Queues>")


def table(after: str, names: tuple[str, ...], following: str) -> Exchange:
    """A list of entities goes on in two cursors, which one server may write alike and another may not."""
    sent = f"?NextPartitionKey=p{quote(after[:2])}&NextRowKey={quote(after)}" if after else ""
    told = {
        "x-ms-continuation-nextpartitionkey": f"p{following[:2]}",
        "x-ms-continuation-nextrowkey": following,
    }
    return Exchange(
        method="GET",
        url=f"http://127.0.0.1:10002/account/things(){sent}",
        status=200,
        service_hint="table",
        response_headers={**JSON, **(told if following else {})},
        response_body=json.dumps(
            {"value": [{"PartitionKey": "p", "RowKey": name} for name in names]}
        ).encode(),
    )


def dynamodb(after: str, names: tuple[str, ...], following: str) -> Exchange:
    asked = {"Statement": "SELECT * FROM things", "Limit": 2, **({"NextToken": after} if after else {})}
    found = {
        "Items": [{"name": {"S": name}} for name in names],
        **({"NextToken": following} if following else {}),
    }
    return Exchange(
        method="POST",
        url="http://127.0.0.1:8000/",
        headers={"x-amz-target": "DynamoDB_20120810.ExecuteStatement", **JSON},
        body=json.dumps(asked).encode(),
        status=200,
        service_hint="dynamodb",
        response_headers=JSON,
        response_body=json.dumps(found).encode(),
    )


SERVICES = {"s3": s3, "blob": blob, "queue": queue, "table": table, "dynamodb": dynamodb}


def listing(page: Page, write: Write) -> Trace:
    """A list read page by page."""
    interpreter = Interpreter()
    after, calls = "", []
    for number, names in enumerate(PAGES):
        following = write(names[-1]) if number + 1 < len(PAGES) else ""
        calls.append(interpreter.interpret(page(after, names, following), order=number))
        after = following
    return Trace(test="t", role=Role.CANDIDATE, interactions=tuple(calls))


@pytest.mark.parametrize("service", SERVICES)
def test_what_another_server_calls_its_cursors_does_not_count(service: str) -> None:
    ours, theirs = (listing(SERVICES[service], write) for write in (digest, encoded))
    known = Familiarity([sketch(ours, run=run) for run in ("1", "2")], cursors=cursor_at)
    (mine,), (other,) = (key_world([trace], {"t": known}) for trace in (ours, theirs))
    assert [(call.key, call.answer) for call in mine] == [(call.key, call.answer) for call in other]
    assert len({call.key for call in mine}) == len(PAGES)


@pytest.mark.parametrize("service", SERVICES)
def test_a_list_whose_cursors_are_new_in_each_run_is_known_after_one(service: str) -> None:
    """Nothing has to be learned for that, neither from another run nor from a repetition."""
    numbers = count(1000)
    runs = [
        Recording(
            provenance=Provenance(
                run=f"run {run}",
                started=0.0,
                targets=(Target(name="cloud", role=Role.REFERENCE),),
                code="c",
            ),
            traces=(listing(SERVICES[service], lambda name: encoded(f"{next(numbers)}{name}")),),
        )
        for run in range(2)
    ]
    found = count_context(runs, cursors=cursor_at)
    assert found.unrepeated is not None
    assert found.warm.saved == found.unrepeated.saved == len(PAGES)


@pytest.mark.parametrize(
    "place",
    [
        "s3.ListObjects?.query.marker",
        "s3.ListObjects!.returned.body.ListBucketResult.NextMarker",
        "s3.ListObjectVersions!.returned.body.ListVersionsResult.NextVersionIdMarker",
        "s3.ListMultipartUploads!.returned.body.ListMultipartUploadsResult.NextUploadIdMarker",
        "s3.PutObject!.returned.headers.etag",
        "s3.ListObjectsV2!.returned.body.ListBucketResult.Contents[].ContinuationToken",
        "blob.Blob_AcquireLease!.returned.headers.x-ms-lease-id",
        "blob.Container_ListBlobFlatSegment!.returned.body.EnumerationResults.Blobs.Blob[].Metadata.Marker",
        "table.Table_QueryEntities!.returned.body.value[].NextMarker",
        "table.Table_InsertEntity?.body.NextRowKey",
        "dynamodb.Scan!.returned.body.LastEvaluatedKey.NextToken",
        "dynamodb.PutItem?.body.Item.NextToken.S",
        "http.GET /*?.query.marker",
    ],
)
def test_names_versions_and_what_users_store_are_no_cursors(place: str) -> None:
    assert cursor_at(place) == ""


def test_what_is_bound_in_a_replay_is_what_is_compared_by_identity() -> None:
    assert cursors.NAMES["blob"] == {"nextmarker", "marker", "x-ms-snapshot"}
    assert cursors.NAMES["s3"] == {"nextcontinuationtoken", "continuationtoken"}
