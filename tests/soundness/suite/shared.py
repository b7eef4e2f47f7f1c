"""Clients as the environment has them, and a name for each test that nobody used before."""

import os
import uuid
from typing import Any

import boto3
import pytest
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient
from botocore.config import Config

LOOKS = int(os.environ.get("SUITE_LOOKS", "0"))
"""How often each fixture looks at what it has made: calls that one answer proves all of."""
CONFIG = Config(retries={"max_attempts": 0}, connect_timeout=10, read_timeout=30)


@pytest.fixture(scope="session")
def s3() -> Any:
    return boto3.client("s3", config=CONFIG)


@pytest.fixture(scope="session")
def dynamodb() -> Any:
    return boto3.client("dynamodb", config=CONFIG)


@pytest.fixture(scope="session")
def blobs() -> Any:
    return BlobServiceClient.from_connection_string(
        os.environ["AZURE_STORAGE_CONNECTION_STRING"], retry_total=0
    )


@pytest.fixture(scope="session")
def queues() -> Any:
    return QueueServiceClient.from_connection_string(
        os.environ["AZURE_STORAGE_CONNECTION_STRING"], retry_total=0
    )


@pytest.fixture(scope="session")
def tables() -> Any:
    return TableServiceClient.from_connection_string(
        os.environ["AZURE_STORAGE_CONNECTION_STRING"], retry_total=0
    )


@pytest.fixture
def mark(request: pytest.FixtureRequest) -> str:
    """The service and the test: what all that a test makes can be told by."""
    service = request.node.path.stem.removeprefix("test_")
    return f"{service}-{request.node.originalname.removeprefix('test_').replace('_', '')}"


@pytest.fixture
def name(mark: str) -> str:
    """The mark, then twelve characters that are new each time."""
    return f"{mark}-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def bucket(s3: Any, name: str) -> str:
    s3.create_bucket(Bucket=name)
    for _ in range(LOOKS):
        s3.head_bucket(Bucket=name)
    return name


@pytest.fixture
def table(dynamodb: Any, name: str) -> str:
    dynamodb.create_table(
        TableName=name,
        KeySchema=[
            {"AttributeName": "shelf", "KeyType": "HASH"},
            {"AttributeName": "slot", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "shelf", "AttributeType": "S"},
            {"AttributeName": "slot", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    for _ in range(1 + LOOKS):
        assert dynamodb.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE"
    return name


@pytest.fixture
def container(blobs: Any, name: str) -> Any:
    container = blobs.create_container(name)
    for _ in range(LOOKS):
        container.get_container_properties()
    return container


@pytest.fixture
def queue(queues: Any, name: str) -> Any:
    queue = queues.create_queue(name)
    for _ in range(LOOKS):
        queue.get_queue_access_policy()
    return queue


@pytest.fixture
def entities(tables: Any) -> Any:
    """A table; its name holds letters and digits only, so its entities carry the mark."""
    table = tables.create_table(f"t{uuid.uuid4().hex[:12]}")
    for _ in range(LOOKS):
        table.get_table_access_policy()
    return table
