"""Documents: metadata, listing, conditional replacement, copies, deletes."""

from typing import Any

import pytest
from botocore.exceptions import ClientError
from inventory import Documents


def test_a_document_keeps_content_type_and_author(documents: Documents) -> None:
    documents.attach("saw-1", "front.png", b"\x89PNG\r\n\x1a\n...", kind="image/png", author="studio")
    assert documents.read("saw-1", "front.png") == b"\x89PNG\r\n\x1a\n..."
    assert documents.describe("saw-1", "front.png") == {
        "kind": "image/png",
        "size": 11,
        "author": "studio",
        "sku": "saw-1",
    }


def test_a_missing_document_has_no_description_and_no_content(documents: Documents) -> None:
    assert documents.describe("saw-1", "back.png") is None
    with pytest.raises(ClientError) as caught:
        documents.read("saw-1", "back.png")
    assert caught.value.response["Error"]["Code"] == "NoSuchKey"


def test_only_the_edition_that_was_seen_is_replaced(documents: Documents) -> None:
    first = documents.attach("saw-1", "sheet.txt", b"first", kind="text/plain", author="mill")
    second = documents.replace("saw-1", "sheet.txt", b"second", etag=first)
    assert second != first
    with pytest.raises(ClientError) as caught:
        documents.replace("saw-1", "sheet.txt", b"third", etag=first)
    assert caught.value.response["Error"]["Code"] == "PreconditionFailed"
    assert documents.read("saw-1", "sheet.txt") == b"second"


def test_a_catalogue_is_listed_page_by_page(catalogue: Documents) -> None:
    assert list(catalogue.names("saw-1", page=2)) == [f"sheet-{number}.txt" for number in range(6)]


def test_a_catalogue_knows_its_articles(catalogue: Documents) -> None:
    assert catalogue.skus() == ["glue-1", "saw-1"]


def test_a_successor_gets_copies(documents: Documents) -> None:
    documents.attach("saw-1", "sheet.txt", b"sheet", kind="text/plain", author="mill")
    documents.attach("saw-1", "front.png", b"png", kind="image/png", author="studio")
    assert documents.copy_all("saw-1", to="saw-2") == 2
    assert documents.describe("saw-2", "front.png")["author"] == "studio"
    assert documents.remove_all("saw-1") == 2
    assert list(documents.names("saw-1")) == []
    assert list(documents.names("saw-2")) == ["front.png", "sheet.txt"]


def test_a_bucket_with_documents_is_not_deleted(documents: Documents, s3: Any) -> None:
    documents.attach("saw-1", "sheet.txt", b"sheet", kind="text/plain", author="mill")
    with pytest.raises(ClientError) as caught:
        s3.delete_bucket(Bucket=documents.bucket)
    assert caught.value.response["Error"]["Code"] == "BucketNotEmpty"
