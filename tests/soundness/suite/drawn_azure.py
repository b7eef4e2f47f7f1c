"""Tests whose answers depend on values that they draw: pages, ranges, counts, orders of storing."""

import os
import random
import uuid
from typing import Any

import pytest
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient

NUMBERS = random.SystemRandom()


def service(kind: Any) -> Any:
    return kind.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"])


@pytest.fixture
def container() -> Any:
    return service(BlobServiceClient).create_container(f"drawn-{uuid.uuid4()}")


@pytest.fixture
def queue() -> Any:
    return service(QueueServiceClient).create_queue(f"drawn-{uuid.uuid4()}")


@pytest.fixture
def table() -> Any:
    return service(TableServiceClient).create_table(f"drawn{uuid.uuid4().hex}")


def filled(table: Any) -> list[str]:
    keys = [str(uuid.uuid4()) for _ in range(4)]
    for number, key in enumerate(keys):
        table.create_entity({"PartitionKey": "p", "RowKey": key, "n": number})
    return keys


def test_pages_of_blobs(container: Any) -> None:
    names = [str(uuid.uuid4()) for _ in range(4)]
    for number, name in enumerate(names):
        container.upload_blob(name, b"x" * (number + 1))
    found = container.list_blobs(results_per_page=3).by_page()
    assert [blob.name for page in found for blob in page] == sorted(names)


def test_random_content(container: Any) -> None:
    content = NUMBERS.randbytes(NUMBERS.randint(10, 4000))
    assert container.upload_blob("b", content).get_blob_properties().size == len(content)


def test_messages_in_turn(queue: Any) -> None:
    texts = [uuid.uuid4().hex for _ in range(4)]
    for text in texts:
        queue.send_message(text)
    assert {message.content for message in queue.receive_messages(messages_per_page=2)} == set(texts)


def test_number_of_messages(queue: Any) -> None:
    number = NUMBERS.randint(1, 4)
    for _ in range(number):
        queue.send_message("text")
    assert queue.get_queue_properties().approximate_message_count == number


def test_pages_of_entities(table: Any) -> None:
    keys = filled(table)
    found = table.list_entities(results_per_page=3).by_page()
    assert [entity["RowKey"] for page in found for entity in page] == sorted(keys)


def test_entities_after_one(table: Any) -> None:
    keys = filled(table)
    found = list(table.query_entities(f"PartitionKey eq 'p' and RowKey gt '{keys[1]}'"))
    assert len(found) == sum(key > keys[1] for key in keys)


def test_filtered_pages_of_entities(table: Any) -> None:
    filled(table)
    found = table.query_entities("n ge 2", results_per_page=1).by_page()
    assert len([entity for page in found for entity in page]) == 2
