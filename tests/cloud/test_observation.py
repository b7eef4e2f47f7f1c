"""What a client never asked for, and what its SDK never makes anything of, counts as overlooked."""

from __future__ import annotations

import pytest

from likewise.cloud.marks import ALL_FIELDS, ALL_HEADERS
from likewise.cloud.observation import overlooks
from likewise.model import (
    Difference,
    Discrepancy,
    Implication,
    Interaction,
    Operation,
    Outcome,
    Raised,
    Returned,
)

OK = Returned(value={"status": 200})
REFUSED = Raised(kind="NoSuchBucket", value={"status": 404})


def call(name: str, *seen: str, outcome: Outcome = OK, service: str = "s3") -> Interaction:
    return Interaction(operation=Operation(service, name), arguments={}, outcome=outcome, seen=seen)


def is_overlooked(made: Interaction, place: str, difference: Difference = Difference.VALUE) -> bool:
    found = Discrepancy(
        operation=made.operation,
        difference=difference,
        place=place,
        reference="one",
        candidate="other",
        implication=Implication.WRONG_RESULT,
    )
    return overlooks(made, found)


def is_absence_overlooked(made: Interaction, place: str) -> bool:
    return is_overlooked(made, place, Difference.MISSING)


@pytest.mark.parametrize("name", ["CreateBucket", "HeadObject", "PutObject"])
def test_a_body_that_the_sdk_makes_nothing_of_is_overlooked(name: str) -> None:
    for place in ("body", "body.CreateBucketResponse.Bucket"):
        assert is_overlooked(call(name, "ResponseMetadata"), place)


@pytest.mark.parametrize("name", ["ListObjectsV2", "CopyObject", "GetBucketLocation"])
def test_a_body_that_the_sdk_reads_is_seen_as_a_whole(name: str) -> None:
    assert not is_overlooked(call(name, "ResponseMetadata"), "body")


def test_an_error_s_body_is_read_whatever_the_operation() -> None:
    assert not is_overlooked(call("CreateBucket", "Error", outcome=REFUSED), "body")


def test_fields_are_seen_if_they_were_asked_for() -> None:
    assert not is_overlooked(call("GetObject", "Body"), "body")
    asked = call("HeadObject", "ContentLength")
    assert not is_overlooked(asked, "headers.content-length")
    assert is_overlooked(asked, "headers.content-type")
    assert not is_overlooked(Interaction(operation=asked.operation, arguments={}, outcome=OK), "headers.etag")


def test_who_goes_through_all_fields_sees_that_one_is_not_there() -> None:
    through = call("HeadObject", "ETag", ALL_FIELDS)
    assert not is_absence_overlooked(through, "headers.x-amz-server-side-encryption")
    assert is_absence_overlooked(through, "headers.x-of-no-field")
    assert is_overlooked(through, "headers.content-type")
    assert is_absence_overlooked(call("HeadObject", "ETag"), "headers.x-amz-server-side-encryption")
    listing = call("ListObjectsV2", "Contents", "Key", ALL_FIELDS)
    assert not is_absence_overlooked(listing, "body.ListBucketResult.Contents[0].Owner")
    assert is_overlooked(listing, "body.ListBucketResult.Contents[0].Owner")


def test_who_goes_through_all_headers_sees_that_one_is_not_there() -> None:
    assert not is_absence_overlooked(call("HeadObject", "HTTPHeaders", ALL_HEADERS), "headers.x-any")
    assert is_absence_overlooked(call("HeadObject", "HTTPHeaders", "etag"), "headers.x-any")


def test_who_goes_through_an_error_sees_that_a_detail_is_not_there() -> None:
    through = call("GetObject", "Error", "Code", ALL_FIELDS, outcome=REFUSED)
    assert not is_absence_overlooked(through, "body.Region")
    assert is_absence_overlooked(call("GetObject", "Error", "Code", outcome=REFUSED), "body.Region")


def test_what_users_have_in_a_service_is_seen_as_a_whole() -> None:
    """An attribute of another type than any that the candidate gave is no field that nobody asked for."""
    got = call("GetItem", "Item", "shelf", "S", service="dynamodb")
    assert not is_absence_overlooked(got, "body.Item.more.N")
    assert not is_overlooked(got, "body.Item.Count.N")
    assert is_overlooked(got, "body.ConsumedCapacity.CapacityUnits")


def test_who_asks_how_long_a_body_is_sees_that_it_is_another() -> None:
    """Whatever is missing in it, and asked for by nobody, makes it shorter."""
    told = "ResponseMetadata", "HTTPHeaders"
    assert is_overlooked(call("GetItem", *told, "date", service="dynamodb"), "body.Item")
    assert not is_overlooked(call("GetItem", *told, "content-length", service="dynamodb"), "body.Item")
    assert not is_overlooked(call("GetItem", *told, "x-amz-crc32", service="dynamodb"), "body.Item")
    assert is_overlooked(call("GetItem", *told, "content-length", service="dynamodb"), "headers.etag")


def test_what_the_sdk_makes_of_a_header_is_seen_with_it() -> None:
    """A date that it cannot read is handed over as it came, under a name that no model has."""
    assert not is_overlooked(call("HeadObject", "ExpiresString"), "headers.expires")
    assert is_overlooked(call("HeadObject", "CacheControl"), "headers.expires")
