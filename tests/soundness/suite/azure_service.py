"""A small service on Azure storage: leases, queues with polling, tables, batches, threads."""

import os
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.data.tables import TableServiceClient, UpdateMode
from azure.storage.blob import BlobBlock, BlobServiceClient
from azure.storage.queue import QueueServiceClient


def connected(kind: Any) -> Any:
    return kind.from_connection_string(os.environ["AZURE_STORAGE_CONNECTION_STRING"])


@pytest.fixture(scope="session")
def archive() -> Iterator[Any]:
    """A container that the tests only read."""
    container = connected(BlobServiceClient).create_container(f"archive-{uuid.uuid4()}")
    for year in (2024, 2025):
        container.upload_blob(f"{year}/report.txt", f"report of {year}".encode())
    yield container
    container.delete_container()


@pytest.fixture
def container() -> Iterator[Any]:
    container = connected(BlobServiceClient).create_container(f"files-{uuid.uuid4()}")
    yield container
    container.delete_container()


@pytest.fixture
def queue() -> Iterator[Any]:
    queue = connected(QueueServiceClient).create_queue(f"jobs-{uuid.uuid4()}")
    yield queue
    queue.delete_queue()


@pytest.fixture
def people() -> Iterator[Any]:
    service = connected(TableServiceClient)
    table = service.create_table(f"people{uuid.uuid4().hex}")
    yield table
    service.delete_table(table.table_name)


def test_reports_are_listed_by_year(archive: Any) -> None:
    assert [each.name for each in archive.list_blobs(name_starts_with="2024/")] == ["2024/report.txt"]


def test_a_report_is_read_in_part(archive: Any) -> None:
    assert archive.download_blob("2025/report.txt", offset=0, length=6).readall() == b"report"


def test_a_lease_keeps_others_out(container: Any) -> None:
    blob = container.upload_blob("plan", b"first")
    lease = blob.acquire_lease(lease_duration=30)
    with pytest.raises(HttpResponseError) as refused:
        blob.upload_blob(b"second", overwrite=True)
    assert refused.value.error_code == "LeaseIdMissing"
    blob.upload_blob(b"third", overwrite=True, lease=lease)
    lease.release()
    assert blob.download_blob().readall() == b"third"


def test_a_lease_is_broken_and_taken_again(container: Any) -> None:
    blob = container.upload_blob("plan", b"x")
    first = blob.acquire_lease(lease_duration=-1)
    first.break_lease(lease_break_period=0)
    second = blob.acquire_lease(lease_duration=15)
    assert second.id != first.id
    second.release()


def test_blocks_become_a_blob(container: Any) -> None:
    blob = container.get_blob_client("large")
    names = [uuid.uuid4().hex for _ in range(3)]
    for number, name in enumerate(names):
        blob.stage_block(name, bytes([number]) * 10)
    blob.commit_block_list([BlobBlock(block_id=name) for name in names])
    assert blob.get_blob_properties().size == 30


def test_an_unchanged_blob_is_replaced_only_once(container: Any) -> None:
    blob = container.upload_blob("settings", b"one")
    etag = blob.get_blob_properties().etag
    blob.upload_blob(b"two", overwrite=True, etag=etag, match_condition=MatchConditions.IfNotModified)
    with pytest.raises(HttpResponseError):
        blob.upload_blob(b"three", overwrite=True, etag=etag, match_condition=MatchConditions.IfNotModified)


def test_blobs_are_deleted_together(container: Any) -> None:
    names = [f"part-{number}" for number in range(4)]
    for name in names:
        container.upload_blob(name, b"x")
    container.delete_blobs(*names)
    assert list(container.list_blobs()) == []


def test_uploads_run_side_by_side(container: Any) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: container.upload_blob(f"file-{number}", b"x" * number), range(1, 7)))
    assert sorted(each.name for each in container.list_blobs()) == [f"file-{n}" for n in range(1, 7)]


def test_a_worker_waits_for_its_jobs(queue: Any) -> None:
    """It polls before the job is there, and never the same number of times."""
    done: list[str] = []

    def work() -> None:
        while not done:
            message = queue.receive_message(visibility_timeout=30)
            if message is None:
                time.sleep(0.01)
                continue
            queue.delete_message(message)
            done.append(message.content)

    worker = threading.Thread(target=work)
    worker.start()
    time.sleep(0.2)
    queue.send_message("sweep")
    worker.join(timeout=30)
    assert done == ["sweep"]


def test_jobs_come_in_order(queue: Any) -> None:
    for word in ("first", "second", "third"):
        queue.send_message(word)
    got = []
    for message in queue.receive_messages(messages_per_page=3, visibility_timeout=30):
        got.append(message.content)
        queue.delete_message(message)
    assert got == ["first", "second", "third"]


def test_a_job_is_put_back(queue: Any) -> None:
    queue.send_message("retry me")
    message = queue.receive_message(visibility_timeout=30)
    queue.update_message(message, visibility_timeout=0, content="tried once")
    again = queue.receive_message(visibility_timeout=30)
    assert (again.content, again.dequeue_count) == ("tried once", 2)


def test_a_person_is_found_by_city(people: Any) -> None:
    for name, city in (("ada", "london"), ("emmy", "erlangen"), ("grace", "london")):
        people.create_entity({"PartitionKey": "all", "RowKey": name, "city": city})
    found = people.query_entities("PartitionKey eq 'all' and city eq 'london'")
    assert [each["RowKey"] for each in found] == ["ada", "grace"]


def test_people_under_random_keys(people: Any) -> None:
    keys = [str(uuid.uuid4()) for _ in range(4)]
    for number, key in enumerate(keys):
        people.create_entity({"PartitionKey": "all", "RowKey": key, "number": number})
    assert sorted(each["number"] for each in people.list_entities()) == [0, 1, 2, 3]


def test_a_batch_is_all_or_nothing(people: Any) -> None:
    people.create_entity({"PartitionKey": "all", "RowKey": "ada"})
    with pytest.raises(HttpResponseError):
        people.submit_transaction(
            [
                ("create", {"PartitionKey": "all", "RowKey": "emmy"}),
                ("create", {"PartitionKey": "all", "RowKey": "ada"}),
            ]
        )
    with pytest.raises(ResourceNotFoundError):
        people.get_entity("all", "emmy")


def test_a_stale_change_is_refused(people: Any) -> None:
    people.create_entity({"PartitionKey": "all", "RowKey": "ada", "visits": 1})
    seen = people.get_entity("all", "ada")
    people.update_entity({"PartitionKey": "all", "RowKey": "ada", "visits": 2}, mode=UpdateMode.MERGE)
    seen["visits"] = 9
    with pytest.raises(HttpResponseError):
        people.update_entity(
            seen,
            mode=UpdateMode.REPLACE,
            etag=seen.metadata["etag"],
            match_condition=MatchConditions.IfNotModified,
        )
    assert people.get_entity("all", "ada")["visits"] == 2


def test_a_person_is_not_added_twice(people: Any) -> None:
    people.create_entity({"PartitionKey": "all", "RowKey": "ada"})
    with pytest.raises(ResourceExistsError):
        people.create_entity({"PartitionKey": "all", "RowKey": "ada"})


def test_arithmetic() -> None:
    assert 2 + 2 == 4
