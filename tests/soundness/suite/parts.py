"""Each call of `together.py` is proved here, in equal context, and none of its questions is asked."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

KEY = {"shelf": {"S": "upper"}, "slot": {"S": "a"}}


def put(dynamodb: Any, table: str) -> None:
    dynamodb.put_item(TableName=table, Item=KEY)


def delete(dynamodb: Any, table: str) -> None:
    dynamodb.delete_item(TableName=table, Key=KEY)


def get(dynamodb: Any, table: str) -> Any:
    return dynamodb.get_item(TableName=table, Key=KEY).get("Item")


def overwritten(s3: Any, bucket: str, *contents: bytes) -> bytes:
    for content in contents:
        s3.put_object(Bucket=bucket, Key="k", Body=content)
    found: bytes = s3.get_object(Bucket=bucket, Key="k")["Body"].read()
    return found


def test_put(dynamodb: Any, table: str) -> None:
    put(dynamodb, table)
    assert get(dynamodb, table) == KEY


def test_delete_what_is_there(dynamodb: Any, table: str) -> None:
    put(dynamodb, table)
    delete(dynamodb, table)


def test_delete_what_is_not(dynamodb: Any, table: str) -> None:
    delete(dynamodb, table)
    assert get(dynamodb, table) is None


def test_object_deleted(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    s3.delete_object(Bucket=bucket, Key="k")


def test_object_absent(s3: Any, bucket: str) -> None:
    s3.delete_object(Bucket=bucket, Key="k")
    with pytest.raises(ClientError):
        s3.head_object(Bucket=bucket, Key="k")


def test_overwritten_twice_otherwise(s3: Any, bucket: str) -> None:
    assert overwritten(s3, bucket, b"another", b"second", b"third") == b"third"


def test_overwritten_once(s3: Any, bucket: str) -> None:
    assert overwritten(s3, bucket, b"first", b"second") == b"second"
