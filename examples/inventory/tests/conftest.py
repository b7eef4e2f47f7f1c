"""Clients for the whole session; tables and buckets mostly per test."""

import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import boto3
import pytest
from inventory import Documents, Exports, Items, Orders


@pytest.fixture(scope="session")
def s3() -> Any:
    return boto3.client("s3")


@pytest.fixture(scope="session")
def dynamodb() -> Any:
    return boto3.client("dynamodb")


def drop_bucket(s3: Any, bucket: str) -> None:
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for entry in page.get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=entry["Key"])
    s3.delete_bucket(Bucket=bucket)


def drop_table(dynamodb: Any, table: str) -> None:
    dynamodb.delete_table(TableName=table)
    dynamodb.get_waiter("table_not_exists").wait(TableName=table, WaiterConfig={"Delay": 1})


@pytest.fixture
def items(dynamodb: Any) -> Iterator[Items]:
    """An empty table under a name of its own."""
    items = Items(f"items-{uuid.uuid4().hex[:12]}", client=dynamodb)
    items.create()
    yield items
    drop_table(dynamodb, items.table)


@pytest.fixture
def stocked(items: Items) -> Items:
    """A table with a handful of articles."""
    items.load(
        [
            {
                "sku": "bolt-8",
                "name": "Bolt M8",
                "category": "fasteners",
                "price": Decimal("0.15"),
                "stock": 900,
            },
            {
                "sku": "nut-8",
                "name": "Nut M8",
                "category": "fasteners",
                "price": Decimal("0.12"),
                "stock": 850,
            },
            {"sku": "saw-1", "name": "Hand saw", "category": "tools", "price": Decimal("24.95"), "stock": 12},
            {
                "sku": "file-1",
                "name": "Flat file",
                "category": "tools",
                "price": Decimal("8.45"),
                "stock": 30,
            },
            {
                "sku": "glue-1",
                "name": "Wood glue",
                "category": "supplies",
                "price": Decimal("6.25"),
                "stock": 3,
            },
        ]
    )
    return items


@pytest.fixture
def orders(dynamodb: Any, stocked: Items) -> Iterator[Orders]:
    """The orders table; it has one fixed name, as in production."""
    orders = Orders("inventory-orders", items_table=stocked.table, client=dynamodb)
    orders.create()
    yield orders
    drop_table(dynamodb, orders.table)


@pytest.fixture
def documents(s3: Any) -> Iterator[Documents]:
    """An empty bucket under a name of its own."""
    documents = Documents(f"inventory-documents-{uuid.uuid4()}", client=s3)
    documents.create()
    yield documents
    drop_bucket(s3, documents.bucket)


@pytest.fixture
def exports(documents: Documents, stocked: Items) -> Exports:
    return Exports(documents.bucket, items=stocked, client=documents.client)


@pytest.fixture(scope="session")
def catalogue(s3: Any) -> Iterator[Documents]:
    """A bucket of data sheets that the tests only read."""
    catalogue = Documents(f"inventory-catalogue-{uuid.uuid4()}", client=s3)
    catalogue.create()
    for number in range(6):
        catalogue.attach(
            "saw-1", f"sheet-{number}.txt", f"Sheet {number}".encode(), kind="text/plain", author="mill"
        )
    catalogue.attach("glue-1", "safety.pdf", b"%PDF-1.4 glue", kind="application/pdf", author="lab")
    yield catalogue
    drop_bucket(s3, catalogue.bucket)
