"""Articles: conditional writes, versions, the category index, batches."""

from decimal import Decimal

import pytest
from botocore.exceptions import ClientError
from inventory import Conflict, Items


def test_an_added_article_reads_back(items: Items) -> None:
    items.add(sku="saw-1", name="Hand saw", category="tools", price=Decimal("24.90"), stock=12)
    saw = items.get("saw-1")
    assert saw is not None
    assert (saw["price"], saw["stock"], saw["version"]) == (Decimal("24.90"), 12, 1)


def test_an_unknown_article_is_none(items: Items) -> None:
    assert items.get("no-such") is None


def test_a_known_sku_is_not_added_twice(stocked: Items) -> None:
    with pytest.raises(ClientError) as caught:
        stocked.add(sku="saw-1", name="Another saw", category="tools", price=Decimal(1))
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"
    assert stocked.get("saw-1")["name"] == "Hand saw"


def test_an_empty_sku_is_refused(items: Items) -> None:
    with pytest.raises(ClientError) as caught:
        items.add(sku="", name="Nothing", category="tools", price=Decimal(1))
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_a_new_price_raises_the_version(stocked: Items) -> None:
    saw = stocked.reprice("saw-1", price=Decimal("19.90"), version=1)
    assert (saw["price"], saw["version"]) == (Decimal("19.90"), 2)


def test_a_stale_version_is_a_conflict(stocked: Items) -> None:
    stocked.reprice("saw-1", price=Decimal("19.95"), version=1)
    with pytest.raises(Conflict):
        stocked.reprice("saw-1", price=Decimal("29.95"), version=1)
    assert stocked.get("saw-1")["price"] == Decimal("19.95")


def test_restocking_adds_up(stocked: Items) -> None:
    assert [stocked.restock("glue-1", 5), stocked.restock("glue-1", 10)] == [8, 18]


def test_restocking_an_unknown_article_is_refused(stocked: Items) -> None:
    with pytest.raises(ClientError, match="conditional request failed"):
        stocked.restock("no-such", 5)


def test_a_category_is_listed_by_name(stocked: Items) -> None:
    assert [item["sku"] for item in stocked.in_category("tools")] == ["file-1", "saw-1"]
    assert list(stocked.in_category("garden")) == []


def test_a_long_category_is_read_page_by_page(items: Items) -> None:
    items.load(
        {"sku": f"bolt-{n}", "name": f"Bolt {n:03}", "category": "fasteners", "price": 1, "stock": n}
        for n in range(60)
    )
    listed = [item["name"] for item in items.in_category("fasteners", page=20)]
    assert listed == [f"Bolt {n:03}" for n in range(60)]


def test_many_articles_are_looked_up_at_once(stocked: Items) -> None:
    found = stocked.look_up(["bolt-8", "nut-8", "no-such"])
    assert {sku: int(item["stock"]) for sku, item in found.items()} == {"bolt-8": 900, "nut-8": 850}


def test_a_discontinued_range_is_discarded(items: Items) -> None:
    skus = [f"lamp-{n}" for n in range(40)]
    items.load({"sku": sku, "name": sku, "category": "lamps", "price": 9, "stock": 0} for sku in skus)
    items.discard(skus)
    assert list(items.in_category("lamps")) == []
