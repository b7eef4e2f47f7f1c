"""What only calls together show: every one of them is answered as it is in `parts.py`."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from test_parts import KEY, delete, get, overwritten, put


def test_deleted_item(dynamodb: Any, table: str) -> None:
    put(dynamodb, table)
    delete(dynamodb, table)
    assert get(dynamodb, table) is None


def test_deleted_object(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    s3.delete_object(Bucket=bucket, Key="k")
    with pytest.raises(ClientError):
        s3.head_object(Bucket=bucket, Key="k")


def test_second_look(dynamodb: Any, table: str) -> None:
    put(dynamodb, table)
    assert get(dynamodb, table) == get(dynamodb, table) == KEY


def test_innocent(dynamodb: Any, table: str) -> None:
    put(dynamodb, table)
    assert get(dynamodb, table) == KEY


def test_overwritten_twice(s3: Any, bucket: str) -> None:
    assert overwritten(s3, bucket, b"first", b"second", b"third") == b"third"
