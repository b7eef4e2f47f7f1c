"""Requests to Blob, Queue and Table as clients of other languages write them."""

from __future__ import annotations

from corpus_cases import CorpusCase, accepted, agrees, refused
from corpus_cases_azure import BLOB, BLOCK, BOX, ENTITY, TABLE, http

SIGNED = "SharedKey storagename:0="
LEASE = "5b7a8d3e-0000-4444-8888-123456789abc"
OTHER = "5b7a8d3e-0000-4444-8888-000000000000"
PLACE = "/utcontainer0123456/blob1"
FOREVER = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1"}
TAKEN = http("PUT", PLACE, "comp=lease", status=201, headers=FOREVER)
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
]
