"""Exports: content, several at once, links."""

import urllib.request
from decimal import Decimal

import pytest
from botocore.exceptions import ClientError
from inventory import Exports


def test_an_export_holds_the_category(exports: Exports) -> None:
    rows = exports.read(exports.export("tools"))
    assert [(row["sku"], Decimal(row["price"])) for row in rows] == [
        ("file-1", Decimal("8.45")),
        ("saw-1", Decimal("24.95")),
    ]


def test_several_exports_are_written_at_once(exports: Exports) -> None:
    keys = exports.export_all(["fasteners", "tools", "supplies", "garden"])
    assert [key.rsplit("/", 1)[1] for key in keys] == [
        "fasteners.csv",
        "tools.csv",
        "supplies.csv",
        "garden.csv",
    ]
    assert [len(exports.read(key)) for key in keys] == [2, 2, 1, 0]


def test_an_export_is_fetched_by_its_link(exports: Exports) -> None:
    key = exports.export("supplies")
    with urllib.request.urlopen(exports.link(key)) as answer:
        assert answer.read().startswith(b"sku,name,price,stock")


def test_exporting_to_a_missing_bucket_fails(exports: Exports) -> None:
    elsewhere = Exports(exports.bucket + "-gone", items=exports.items, client=exports.client)
    with pytest.raises(ClientError) as caught:
        elsewhere.export("tools")
    assert caught.value.response["Error"]["Code"] == "NoSuchBucket"
