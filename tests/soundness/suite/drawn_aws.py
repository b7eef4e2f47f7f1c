"""Tests whose answers depend on values that they draw: pages, ranges, counts, orders of storing."""

import random
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key


@pytest.fixture(scope="session")
def s3() -> Any:
    return boto3.client("s3", region_name="us-east-1")


@pytest.fixture
def bucket(s3: Any) -> str:
    name = f"drawn-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name)
    return name


@pytest.fixture
def table() -> Any:
    return boto3.resource("dynamodb", region_name="us-east-1").create_table(
        TableName=f"drawn-{uuid.uuid4()}",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
    )


@pytest.fixture(scope="module")
def shared(s3: Any) -> str:
    name = f"shared-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name)
    s3.put_object(Bucket=name, Key=f"k-{uuid.uuid4().hex}", Body=b"hello")
    return name


def stored(s3: Any, bucket: str) -> list[str]:
    keys = [str(uuid.uuid4()) for _ in range(4)]
    for number, key in enumerate(keys):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x" * (number + 1))
    return keys


def filled(table: Any) -> list[str]:
    keys = [str(uuid.uuid4()) for _ in range(4)]
    for number, key in enumerate(keys):
        table.put_item(Item={"pk": "p", "sk": key, "n": number})
    return keys


def pages(ask: Callable[..., Any], **more: Any) -> Iterator[Any]:
    while True:
        page = ask(**more)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        more["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def test_pages_of_objects(s3: Any, bucket: str) -> None:
    keys = stored(s3, bucket)
    found = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, PaginationConfig={"PageSize": 3})
    assert [each["Key"] for page in found for each in page["Contents"]] == sorted(keys)


def test_objects_after_one(s3: Any, bucket: str) -> None:
    keys = sorted(stored(s3, bucket))
    assert len(s3.list_objects_v2(Bucket=bucket, StartAfter=keys[1])["Contents"]) == 2


def test_first_object(s3: Any, bucket: str) -> None:
    keys = stored(s3, bucket)
    assert s3.list_objects_v2(Bucket=bucket, MaxKeys=1)["Contents"][0]["Key"] == min(keys)


def test_random_content(s3: Any, bucket: str) -> None:
    content = random.SystemRandom().randbytes(random.SystemRandom().randint(10, 4000))
    s3.put_object(Bucket=bucket, Key="k", Body=content)
    assert s3.head_object(Bucket=bucket, Key="k")["ContentLength"] == len(content)


def test_all_buckets(s3: Any, bucket: str) -> None:
    more = f"another-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=more)
    assert {bucket, more} <= {each["Name"] for each in s3.list_buckets()["Buckets"]}


def test_pages_of_items(table: Any) -> None:
    keys = filled(table)
    found = pages(table.query, KeyConditionExpression=Key("pk").eq("p"), Limit=3)
    assert [each["sk"] for each in found] == sorted(keys)


def test_latest_item(table: Any) -> None:
    keys = filled(table)
    found = table.query(KeyConditionExpression=Key("pk").eq("p"), ScanIndexForward=False, Limit=1)
    assert found["Items"][0]["sk"] == max(keys)


def test_items_after_one(table: Any) -> None:
    keys = filled(table)
    found = table.query(KeyConditionExpression=Key("pk").eq("p") & Key("sk").gt(keys[1]))
    assert found["Count"] == sum(key > keys[1] for key in keys)


def test_filtered_pages_of_items(table: Any) -> None:
    filled(table)
    only = Attr("n").gt(1)
    found = pages(table.query, KeyConditionExpression=Key("pk").eq("p"), FilterExpression=only, Limit=2)
    assert len(list(found)) == 2


def test_sums(table: Any) -> None:
    steps = [random.SystemRandom().randint(1, 999) for _ in range(3)]
    for step in steps:
        table.update_item(
            Key={"pk": "p", "sk": "s"},
            UpdateExpression="ADD v :step",
            ExpressionAttributeValues={":step": step},
        )
    assert table.get_item(Key={"pk": "p", "sk": "s"})["Item"]["v"] == sum(steps)


def test_threads(s3: Any, bucket: str) -> None:
    keys = [uuid.uuid4().hex for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: s3.put_object(Bucket=bucket, Key=key, Body=b"x"), keys))
    assert len(s3.list_objects_v2(Bucket=bucket)["Contents"]) == 4


def test_shared_list(s3: Any, shared: str) -> None:
    assert s3.list_objects_v2(Bucket=shared, MaxKeys=1)["KeyCount"] == 1


def test_shared_head(s3: Any, shared: str) -> None:
    s3.head_bucket(Bucket=shared)


def test_shared_name(shared: str) -> None:
    assert shared
