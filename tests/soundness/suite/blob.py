"""What a team asserts about blobs; each test says in its name what the reference does otherwise."""

from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceModifiedError


def test_deleted_slowly(blobs: Any, container: Any) -> None:
    container.delete_container()
    blobs.create_container(container.container_name)


def test_lease_expired(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    lease = blob.acquire_lease(lease_duration=15)
    lease.renew()
    lease.release()


def test_lease_not_enforced(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    lease = blob.acquire_lease(lease_duration=15)
    with pytest.raises(HttpResponseError):
        blob.upload_blob(b"y", overwrite=True)
    lease.release()


def test_other_code(container: Any) -> None:
    container.upload_blob("b", b"x")
    with pytest.raises(ResourceExistsError) as refused:
        container.upload_blob("b", b"y")
    assert refused.value.error_code == "BlobAlreadyExists"


def test_metadata_changed(container: Any) -> None:
    blob = container.upload_blob("b", b"x", metadata={"colour": "red"})
    assert blob.get_blob_properties().metadata == {"colour": "red"}


def test_list_order(container: Any) -> None:
    for name in "abc":
        container.upload_blob(name, b"x")
    assert [each.name for each in container.list_blobs()] == ["a", "b", "c"]


def test_page_size(container: Any) -> None:
    for name in "abc":
        container.upload_blob(name, b"x")
    assert len([list(page) for page in container.list_blobs().by_page()]) == 1


def test_starting_over(container: Any) -> None:
    for name in "abc":
        container.upload_blob(name, b"x")
    pages = container.list_blobs(results_per_page=2).by_page()
    assert [[each.name for each in next(pages)] for _ in range(2)] == [["a", "b"], ["c"]]


def test_write_swallowed(container: Any) -> None:
    blob = container.upload_blob("b", b"first")
    blob.upload_blob(b"second", overwrite=True, metadata={"swallow": "yes"})
    assert blob.download_blob().readall() == b"second"


def test_copied_later(container: Any) -> None:
    source = container.upload_blob("b", b"x")
    target = container.get_blob_client("c")
    assert target.start_copy_from_url(source.url)["copy_status"] == "success"


def test_condition_ignored(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    first = blob.get_blob_properties().etag
    blob.upload_blob(b"y", overwrite=True)
    with pytest.raises(ResourceModifiedError):
        blob.upload_blob(b"z", overwrite=True, etag=first, match_condition=MatchConditions.IfNotModified)


def test_other_default(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    assert blob.get_blob_properties().content_settings.content_type == "application/octet-stream"


def test_not_authorised(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    blob.create_snapshot()


def test_checksum_differs(container: Any) -> None:
    blob = container.upload_blob("b", b"hello")
    told = blob.get_blob_properties().content_settings.content_md5
    assert told.hex() == "5d41402abc4b2a76b9719d911017c592"


def test_checksum_missing(container: Any) -> None:
    blob = container.upload_blob("b", b"hello")
    assert blob.download_blob().properties.content_settings.content_md5 is not None


def test_metadata_spelled_differently(container: Any) -> None:
    blob = container.upload_blob("b", b"x", metadata={"ColourOf": "red"})
    assert blob.get_blob_properties().metadata == {"ColourOf": "red"}


def test_other_reason(container: Any) -> None:
    """Without a body, what the status line says is all the message there is."""
    with pytest.raises(HttpResponseError, match="does not exist"):
        container.get_blob_client("b").get_blob_properties()


def test_innocent_round_trip(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    assert blob.download_blob().readall() == b"x"
    container.delete_container()


def test_innocent_lease(container: Any) -> None:
    blob = container.upload_blob("b", b"x")
    lease = blob.acquire_lease(lease_duration=15)
    lease.renew()
    blob.upload_blob(b"y", overwrite=True, lease=lease)
    lease.release()
    assert blob.download_blob().readall() == b"y"
