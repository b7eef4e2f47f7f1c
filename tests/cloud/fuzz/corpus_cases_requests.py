"""Requests to Blob, Queue and Table as clients of other languages write them."""

from __future__ import annotations

from base64 import b64encode

from corpus_cases import CorpusCase, accepted, agrees, incomparable, refused
from corpus_cases_azure import AT, BLOB, BLOCK, BOX, ENTITY, INSERTION, TABLE, http

SIGNED = "SharedKey storagename:0="
LEASE = "5b7a8d3e-0000-4444-8888-123456789abc"
OTHER = "5b7a8d3e-0000-4444-8888-000000000000"
PLACE = "/utcontainer0123456/blob1"
FOREVER = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
TAKEN = http("PUT", PLACE, "comp=lease", status=201, headers=FOREVER)
SANITIZED = "st=2021-08-03T08:52:15Z&spr=https&sig=fakesigval"
SILENT = {"Prefer": "return-no-content"}
ROW = "/uttable0123456%28PartitionKey=%27pk%27,RowKey=%27rk%27%29"
TAG = "W/\"datetime'2022-07-14T00%3A00%3A00.0Z'\""

REQUEST_CASES: list[CorpusCase] = [
    agrees(
        "a name between encoded characters",
        "table",
        TABLE,
        http("DELETE", "/Tables%28%27uttable0123456%27%29", status=204),
        said=accepted(204),
    ),
    agrees(
        "the tag of an entity whose insertion showed nothing, at an encoded path",
        "table",
        TABLE,
        http("POST", "/uttable0123456", status=204, body=ENTITY, headers=SILENT),
        http("MERGE", ROW, status=204, body=ENTITY, headers={"If-Match": TAG}),
        said=accepted(204),
    ),
    agrees(
        "a range under the name that HTTP gives it",
        "blob",
        BOX,
        BLOB,
        http("GET", PLACE, status=206, headers={"Range": "bytes=0-2"}),
        said=accepted(206),
    ),
    agrees(
        "headers in capitals",
        "blob",
        BOX,
        http("PUT", PLACE, status=201, body="x", headers={"X-Ms-Blob-Type": "BlockBlob", "X-Ms-Meta-B": "1"}),
        said=accepted(201),
    ),
    agrees(
        "a version among the headers, and who was authorised",
        "blob",
        BOX | {"params": {"headers": {"Authorization": SIGNED}}},
        {
            "op": "PUT",
            "params": {
                "headers": BLOCK | {"X-Ms-Version": "2018-03-28", "AUTHORIZATION": SIGNED},
                "body": "x",
            },
            "http": {"method": "put", "path": PLACE},
            "real_status": 201,
        },
        said=accepted(201),
    ),
    agrees(
        "a whole address, and headers that are lists",
        "blob",
        BOX,
        BLOB,
        {
            "op": "GET",
            "http": {
                "method": "GET",
                "url": "https://storagename.blob.core.windows.net/utcontainer0123456?restype=container&comp=list",
                "headers": {"x-ms-version": ["2021-08-06"], "Date": ["Thu, 14 Jul 2022 00:00:00 GMT"]},
            },
        },
    ),
    agrees(
        "a blob with a semicolon in its name",
        "blob",
        BOX,
        http("PUT", "/utcontainer0123456/a;b=c", status=201, headers=BLOCK, body="x"),
        said=accepted(201),
    ),
    agrees(
        "a lease of the reference in a call that failed for another reason",
        "blob",
        BOX,
        BLOB,
        TAKEN,
        http(
            "PUT",
            PLACE,
            "comp=lease",
            status=202,
            headers={"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"},
        ),
        http(
            "PUT",
            PLACE,
            "comp=lease",
            status=409,
            code="LeaseIsBrokenAndCannotBeRenewed",
            headers={"x-ms-lease-action": "renew", "x-ms-lease-id": LEASE},
        ),
        said=refused(409, "LeaseIsBrokenAndCannotBeRenewed"),
    ),
    agrees(
        "a lease that nobody has",
        "blob",
        BOX,
        BLOB,
        TAKEN,
        http(
            "PUT",
            PLACE,
            "comp=metadata",
            status=412,
            code="LeaseIdMismatchWithBlobOperation",
            headers={"x-ms-lease-id": OTHER},
        ),
        said=refused(412, "LeaseIdMismatchWithBlobOperation"),
    ),
    agrees(
        "bodies that are objects, lines and base64, and a signature of which little is left",
        "table",
        TABLE | {"params": {"body": {"TableName": "uttable0123456"}}},
        http("POST", "/$batch", SANITIZED, status=202, body=b64encode(INSERTION.encode()).decode()),
        http("GET", AT, SANITIZED, status=200),
        http("POST", "/$batch", SANITIZED, status=202, body=INSERTION.splitlines(keepends=True)),
        said=accepted(202),
    ),
    agrees(
        "data in base64, of which the length is known",
        "blob",
        BOX,
        http(
            "PUT",
            PLACE,
            status=201,
            headers=BLOCK | {"Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="},
            body="aGVsbG8=",
            body_length=5,
        ),
        said=accepted(201),
    ),
    agrees(
        "a cut batch before a question that is answered alike",
        "table",
        TABLE,
        http("POST", "/$batch", status=202, body={"length": 1268, "head": INSERTION[:80]}),
        http("DELETE", "/Tables('uttable0123456')", status=204),
        said=accepted(204),
    ),
    incomparable(
        "a cut batch before a question that it decides",
        "table",
        TABLE,
        http("POST", "/$batch", status=202, body={"length": 1268, "head": INSERTION[:80]}),
        http("GET", AT, status=200),
        because="only the first",
    ),
    agrees(
        "a container with the name of a word of the service",
        "blob",
        http("PUT", "/container", "restype=container", status=201),
        http("GET", "/", "comp=blobs&where=%40container%3D%27container%27%20AND%20a%3D%27b%27", status=200),
    ),
    agrees(
        "a table in another case",
        "table",
        TABLE,
        http("GET", "/UTTABLE0123456()", status=200),
    ),
    incomparable(
        "a source that was taken out",
        "blob",
        BOX,
        BLOB,
        http("PUT", "/utcontainer0123456/b2", status=202, headers={"x-ms-copy-source": "Sanitized"}),
        because="x-ms-copy-source was taken out",
        said=accepted(202),
    ),
    incomparable(
        "a source of which nothing is left",
        "blob",
        BOX,
        http("PUT", PLACE, status=201, headers={"x-ms-blob-type": "AppendBlob"}),
        http("PUT", PLACE, "comp=appendblock", status=201),
        because="the source is not in the file",
        said=accepted(201),
    ),
    incomparable(
        "a request without its length",
        "blob",
        BOX,
        http("PUT", PLACE, status=411, code="MissingContentLengthHeader", headers=BLOCK),
        because="every client here sends it",
        said=refused(411, "MissingContentLengthHeader"),
    ),
]
