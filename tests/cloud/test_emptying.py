"""A test that fails for want of what an earlier one made is told so; others are left alone."""

from __future__ import annotations

from likewise.cloud.emptying import Emptying
from likewise.cloud.regions import moved
from likewise.model import (
    Effect,
    Interaction,
    Operation,
    Outcome,
    Raised,
    Result,
    Returned,
    Role,
    Touch,
    Trace,
)

OK = Returned(value={"status": 200})
ABSENT = Raised(kind="NoSuchBucket", value={"status": 404})
DENIED = Raised(kind="AccessDenied", value={"status": 403})


def call(name: str, outcome: Outcome = OK, bucket: str = "photos", region: str = "") -> Interaction:
    touches = (Touch(resource=("s3", bucket), effect=Effect.READ),)
    touches = moved(touches, region) if region else touches
    return Interaction(
        operation=Operation("s3", name), arguments={"resource": [bucket]}, outcome=outcome, touches=touches
    )


def trace(world: str, *calls: Interaction, result: Result = Result.FAILED) -> Trace:
    return Trace(test="test", role=Role.CANDIDATE, interactions=calls, world=world, result=result)


def emptied(*before: Interaction) -> Emptying:
    emptying = Emptying()
    assert emptying.missed(trace("1", *before, result=Result.PASSED)) == ""
    return emptying


def test_it_asked_for_what_was_removed() -> None:
    emptying = emptied(call("CreateBucket"))
    assert emptying.missed(trace("2", call("PutObject", ABSENT))) == "s3 photos"


def test_a_test_that_passes_did_not_miss_it() -> None:
    emptying = emptied(call("CreateBucket"))
    assert emptying.missed(trace("2", call("HeadBucket", ABSENT), result=Result.PASSED)) == ""


def test_it_made_it_itself_later() -> None:
    emptying = emptied(call("CreateBucket"))
    assert emptying.missed(trace("2", call("HeadBucket", ABSENT), call("CreateBucket"))) == ""


def test_the_earlier_test_deleted_it_itself() -> None:
    emptying = emptied(call("CreateBucket"), call("DeleteBucket"))
    assert emptying.missed(trace("2", call("PutObject", ABSENT))) == ""


def test_nothing_was_removed_in_between() -> None:
    emptying = emptied(call("CreateBucket"))
    assert emptying.missed(trace("1", call("GetObject", ABSENT))) == ""


def test_another_refusal_or_another_bucket_is_not_it() -> None:
    emptying = emptied(call("CreateBucket"))
    assert emptying.missed(trace("2", call("PutObject", DENIED), call("PutObject", ABSENT, "other"))) == ""


def test_the_same_name_in_another_region_is_another_thing() -> None:
    emptying = emptied(call("CreateBucket", region="eu-west-1"))
    assert emptying.missed(trace("2", call("PutObject", ABSENT))) == ""
    missed = emptying.missed(trace("2", call("PutObject", ABSENT, region="eu-west-1")))
    assert missed == "s3 photos in eu-west-1"
