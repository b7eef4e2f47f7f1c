"""What a client never asked for, and what its SDK never makes anything of, counts as overlooked."""

from __future__ import annotations

import pytest

from likewise.cloud.observation import overlooks
from likewise.model import Interaction, Operation, Outcome, Raised, Returned

OK = Returned(value={"status": 200})


def call(name: str, *seen: str, outcome: Outcome = OK) -> Interaction:
    return Interaction(operation=Operation("s3", name), arguments={}, outcome=outcome, seen=seen)


@pytest.mark.parametrize("name", ["CreateBucket", "HeadObject", "PutObject"])
def test_a_body_that_the_sdk_makes_nothing_of_is_overlooked(name: str) -> None:
    for place in ("body", "body.CreateBucketResponse.Bucket"):
        assert overlooks(call(name, "ResponseMetadata"), place)


@pytest.mark.parametrize("name", ["ListObjectsV2", "CopyObject", "GetBucketLocation"])
def test_a_body_that_the_sdk_reads_is_seen_as_a_whole(name: str) -> None:
    assert not overlooks(call(name, "ResponseMetadata"), "body")


def test_an_error_s_body_is_read_whatever_the_operation() -> None:
    refused = Raised(kind="NoSuchBucket", value={"status": 404})
    assert not overlooks(call("CreateBucket", "Error", outcome=refused), "body")


def test_fields_are_seen_if_they_were_asked_for() -> None:
    assert not overlooks(call("GetObject", "Body"), "body")
    asked = call("HeadObject", "ContentLength")
    assert not overlooks(asked, "headers.content-length")
    assert overlooks(asked, "headers.content-type")
    assert not overlooks(Interaction(operation=asked.operation, arguments={}, outcome=OK), "headers.etag")
