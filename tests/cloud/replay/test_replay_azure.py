"""Recorded Blob, Queue and Table calls, repeated on another Azurite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableServiceClient, UpdateMode
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient

from likewise.cloud.targets import Running
from likewise.model import CredentialsMissing, Returned, Role

from .conftest import Fixed, Log, Pool, piece, record, replayer

pytestmark = [pytest.mark.server, pytest.mark.slow]


def connection(running: Running) -> str:
    return running.environment()["AZURE_STORAGE_CONNECTION_STRING"]


def refused(call: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    with pytest.raises(HttpResponseError):
        call(*arguments, **named)


def leases(running: Running) -> None:
    service = BlobServiceClient.from_connection_string(connection(running), retry_total=0)
    container = service.create_container("leased-things")
    blob = container.get_blob_client("a b/ü.txt")
    tag = blob.upload_blob(b"one")["etag"]
    lease = blob.acquire_lease(15)
    refused(blob.upload_blob, b"two", overwrite=True)
    blob.upload_blob(b"two", overwrite=True, lease=lease)
    lease.renew()
    refused(blob.get_blob_properties, etag=tag, match_condition=MatchConditions.IfNotModified)
    snapshot = blob.create_snapshot(lease=lease)["snapshot"]
    lease.release()
    container.get_blob_client("a b/ü.txt", snapshot=snapshot).download_blob().readall()
    blob.set_blob_metadata({"ColourOf": "red"})
    copy = container.get_blob_client("copy")
    copy.start_copy_from_url(blob.url)
    copy.get_blob_properties()
    for name in ("p1", "p2", "p3"):
        container.upload_blob(name, b"x")
    for page in container.list_blobs(results_per_page=2, include=["snapshots"]).by_page():
        list(page)
    blob.delete_blob(delete_snapshots="include")


def blocks(running: Running) -> None:
    service = BlobServiceClient.from_connection_string(connection(running), retry_total=0)
    container = service.create_container("blocks")
    blob = container.get_blob_client("parts")
    blob.stage_block("MDAwMQ==", b"first ")
    blob.stage_block("MDAwMg==", b"second")
    blob.commit_block_list(["MDAwMQ==", "MDAwMg=="])
    blob.get_block_list("all")
    blob.download_blob().readall()
    list(container.list_blobs())
    service.delete_container("blocks")


def receipts(running: Running) -> None:
    service = QueueServiceClient.from_connection_string(connection(running), retry_total=0)
    queue = service.create_queue("work")
    queue.send_message("first <job> & more")
    queue.send_message("second")
    message = queue.receive_message(visibility_timeout=30)
    message = queue.update_message(message, content="first, changed", visibility_timeout=30)
    queue.peek_messages()
    queue.delete_message(message)
    refused(queue.delete_message, message)
    for left in queue.receive_messages():
        queue.delete_message(left)
    queue.get_queue_properties()
    list(service.list_queues())


def entities(running: Running) -> None:
    service = TableServiceClient.from_connection_string(connection(running), retry_total=0)
    table = service.create_table("people")
    first = {"PartitionKey": "p", "RowKey": "it's 1", "name": "Ann", "age": 31}
    tag = table.create_entity(first)["etag"]
    table.update_entity(
        {**first, "age": 32}, UpdateMode.REPLACE, etag=tag, match_condition=MatchConditions.IfNotModified
    )
    refused(
        table.update_entity,
        {**first, "age": 33},
        UpdateMode.REPLACE,
        etag=tag,
        match_condition=MatchConditions.IfNotModified,
    )
    table.get_entity("p", "it's 1")
    table.submit_transaction(
        [
            ("create", {"PartitionKey": "p", "RowKey": "2", "note": "ü"}),
            ("upsert", {"PartitionKey": "p", "RowKey": "3", "note": "b"}),
        ]
    )
    found = table.get_entity("p", "2")
    table.submit_transaction(
        [
            (
                "update",
                {**found, "note": "c"},
                {"etag": found.metadata["etag"], "match_condition": MatchConditions.IfNotModified},
            ),
            ("delete", {"PartitionKey": "p", "RowKey": "3"}),
        ]
    )
    for number in range(4, 8):
        table.upsert_entity({"PartitionKey": "q", "RowKey": str(number)})
    for page in table.list_entities(results_per_page=2).by_page():
        list(page)
    list(table.query_entities("PartitionKey eq 'q' and RowKey gt '5'"))
    refused(table.get_entity, "p", "3")
    table.delete_entity("p", "2")
    service.delete_table("people")


STORIES = [leases, blocks, receipts, entities]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_the_same_server_gives_the_same_answers(story: Callable[[Running], None], pool: Pool) -> None:
    """Lease ids, receipts, snapshots, ETags that are times: all are live ones, and come back as recorded."""
    candidate, reference = pool.get("azurite", Role.CANDIDATE), pool.get("azurite", Role.REFERENCE)
    calls = record(lambda: story(candidate))
    replayed = replayer(reference).replay(piece(calls))
    assert [call.outcome for call in replayed.calls] == [call.outcome for call in calls]
    assert sum(isinstance(call.outcome, Returned) for call in replayed.calls) > len(calls) / 2


def inventory(running: Running) -> None:
    """Everything that it touches it makes itself, under names that can be made fresh, and leaves behind."""
    blobs = BlobServiceClient.from_connection_string(connection(running), retry_total=0)
    container = blobs.create_container("inventory-photos")
    blob = container.upload_blob("inventory-photos/1", b"1")
    container.get_blob_client("copy").start_copy_from_url(blob.url)
    container.get_blob_client("copy").get_blob_properties()
    container.acquire_lease(-1)
    refused(container.delete_container)
    queues = QueueServiceClient.from_connection_string(connection(running), retry_total=0)
    queue = queues.create_queue("inventory-orders")
    queue.send_message("see inventory-photos/1")
    queue.delete_message(queue.receive_message())
    tables = TableServiceClient.from_connection_string(connection(running), retry_total=0)
    table = tables.create_table("InventoryItems")
    table.submit_transaction([("create", {"PartitionKey": "p", "RowKey": "r", "in": "inventory-photos"})])
    refused(tables.get_table_client("inventoryitems").get_entity, "p", "r")  # any case would do on Azure
    list(table.list_entities())


def brief(running: Running) -> None:
    """The same under names that are words, too: of blobs, of keys, of contents."""
    blobs = BlobServiceClient.from_connection_string(connection(running), retry_total=0)
    container = blobs.create_container("pics", metadata={"of": "pics"})
    blob = container.upload_blob("pics", b"pics")
    container.get_blob_client("pics/copy").start_copy_from_url(blob.url)
    list(container.list_blobs("pics"))
    queues = QueueServiceClient.from_connection_string(connection(running), retry_total=0)
    queue = queues.create_queue("jobs")
    queue.send_message("jobs")
    queue.delete_message(queue.receive_message())
    tables = TableServiceClient.from_connection_string(connection(running), retry_total=0)
    table = tables.create_table("Items")
    table.create_entity({"PartitionKey": "Items", "RowKey": "items", "TableName": "Items"})
    table.get_entity("Items", "items")
    list(table.query_entities("PartitionKey eq 'Items'"))
    refused(tables.get_table_client("Items").create_table)


@pytest.mark.parametrize("story", [inventory, brief])
@pytest.mark.parametrize("real", [True, False])
def test_where_nothing_can_be_reset_names_are_fresh_and_all_is_deleted(
    pool: Pool, real: bool, story: Callable[[Running], None]
) -> None:
    """The user's own things of the same name are neither seen nor touched."""
    candidate, reference = pool.get("azurite", Role.CANDIDATE), pool.get("azurite", Role.REFERENCE)
    calls = record(lambda: story(candidate))
    own = {inventory: "inventory-photos", brief: "pics"}[story]
    blobs = BlobServiceClient.from_connection_string(connection(reference))
    blobs.create_container(own)
    log = Log()
    running = replayer(Fixed(reference, real=real), log=log)
    replayed = running.replay(piece(calls)).calls
    assert [call.outcome for call in replayed] == [call.outcome for call in calls]
    assert running.clean_up() == ()
    assert [each.name for each in blobs.list_containers()] == [own]
    assert not list(QueueServiceClient.from_connection_string(connection(reference)).list_queues())
    assert not list(TableServiceClient.from_connection_string(connection(reference)).list_tables())
    assert log.left == {}
    assert len(log.notes) == 6


def test_a_wrong_key_is_noticed(pool: Pool) -> None:
    candidate, reference = pool.get("azurite", Role.CANDIDATE), pool.get("azurite", Role.REFERENCE)
    calls = record(lambda: inventory(candidate))
    text = connection(reference).replace("AccountKey=Eby8", "AccountKey=Zby8")
    wrong = Fixed(reference, real=False, environment={"AZURE_STORAGE_BLOB_CONNECTION_STRING": text})
    with pytest.raises(CredentialsMissing, match="sign in again"):
        replayer(wrong).replay(piece(calls))
