"""Contexts that a case goes on with: what was called in them is what its set-up would have called."""

from __future__ import annotations

from typing import Any

from fake_side import FakeSide, failure

from likewise.cloud.fuzz.calls import Call, Name, Ref
from likewise.cloud.fuzz.sides.contexts import places_of
from likewise.cloud.fuzz.sides.execution import Case, Lane, Probe
from likewise.cloud.fuzz.sides.pairing import Pair

BUCKET = {"Bucket": Name("bucket")}


def call(operation: str, **params: Any) -> Call:
    return Call(service="s3", operation=operation, params={**BUCKET, **params})


MAKE, HEAD = call("CreateBucket"), call("HeadBucket")
PUT, GET, REMOVE = (call(name, Key="a") for name in ("PutObject", "GetObject", "DeleteObject"))


def sent(lane: Lane, setup: tuple[Call, ...], *probes: Probe, anew: bool = False) -> int:
    before = lane.side.sent
    lane.do(Case(setup=setup, probes=probes), anew=anew)
    return lane.side.sent - before


def test_a_case_goes_on_where_another_one_wrote_what_its_set_up_writes() -> None:
    side = FakeSide()
    lane = Lane(side, tag="r", run="fuzzy")
    assert sent(lane, (MAKE, GET), Probe(call=PUT, observers=(GET,))) == 4
    assert sent(lane, (MAKE, PUT), Probe(call=GET)) == 1, "the bucket and the object are there"
    assert sent(lane, (MAKE, PUT, GET), Probe(call=REMOVE)) == 1, "and it was just looked at"
    assert sent(lane, (MAKE, PUT), Probe(call=GET)) == 3, "now it is gone"
    assert sent(lane, (MAKE, PUT), Probe(call=GET), anew=True) == 3, "what is confirmed starts from scratch"
    assert len(side.buckets) == 3


def test_a_case_begins_in_a_context_that_has_only_the_first_calls_of_its_set_up() -> None:
    lane = Lane(FakeSide(), tag="r", run="fuzzy")
    assert sent(lane, (MAKE,), Probe(call=HEAD)) == 2
    (seen,) = lane.do(Case(setup=(MAKE, PUT), probes=(Probe(call=GET),)), anew=False)
    assert lane.side.sent == 4
    assert [each.success for each in (*seen.setup, *seen.answers)] == [True] * 3


def test_what_was_asked_before_a_write_is_not_what_is_asked_after_it() -> None:
    assert places_of((MAKE, GET, PUT, GET), (MAKE, PUT, GET)) == [0, 2, 3]
    assert places_of((MAKE, PUT), (MAKE, GET, PUT)) == [], "a look is missing that would have come before"
    assert places_of((MAKE, PUT, REMOVE), (MAKE, PUT)) == [], "more was written"
    assert places_of((MAKE,), (MAKE, PUT)) == [0]


def test_references_mean_the_same_call_wherever_it_stands() -> None:
    begin = call("CreateMultipartUpload", Key="a")
    there = call("UploadPart", UploadId=Ref(2, ("UploadId",)))
    wanted = call("UploadPart", UploadId=Ref(1, ("UploadId",)))
    assert places_of((MAKE, HEAD, begin, there), (MAKE, begin, wanted)) == [0, 2, 3]
    other = call("UploadPart", UploadId=Ref(0, ("UploadId",)))
    assert places_of((MAKE, HEAD, begin, other), (MAKE, begin, wanted)) == []


def test_nobody_goes_on_where_only_one_side_took_a_write() -> None:
    def refusing(given: Call, _: int, side: FakeSide) -> Any:
        return failure(501, "NotImplemented") if given.operation == "PutObject" else None

    lanes = [Lane(FakeSide(), tag="r", run="fuzzy"), Lane(FakeSide(refusing), tag="c", run="fuzzy")]
    pair = Pair(*lanes)
    pair.do(Case(setup=(MAKE,), probes=(Probe(call=PUT),)), anew=False)
    pair.do(Case(setup=(MAKE, PUT), probes=(Probe(call=GET),)), anew=False)
    pair.close()
    assert [each.side.sent for each in lanes] == [5, 5]


def test_what_is_called_after_a_removal_or_once_more_is_called_just_after_it() -> None:
    """A server may still be at work on what it was told last, and say so only to who is quick."""
    lane = Lane(FakeSide(), tag="r", run="fuzzy")
    end = call("DeleteBucket")
    sent(lane, (MAKE,), Probe(call=end))
    assert sent(lane, (MAKE, end), Probe(call=MAKE)) == 3, "it was removed long ago"
    sent(lane, (MAKE,), Probe(call=end))
    assert sent(lane, (MAKE, end), Probe(call=HEAD)) == 1, "who only looks sees what is there"
    sent(lane, (MAKE,), Probe(call=PUT))
    sent(lane, (MAKE,), Probe(call=HEAD))
    assert sent(lane, (MAKE, PUT), Probe(call=PUT)) == 2, "the bucket is there, and is written to twice now"
