"""What a side does not look at is one finding, whatever it then takes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_side import FakeSide, campaign, failure, success
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.causes import STATES
from likewise.cloud.fuzz.differences.neglect import follows_from_alteration, follows_from_blindness
from likewise.cloud.fuzz.findings import Finding

TAKEN = {"kind": "success", "reference": "success (204)"}


def test_who_takes_a_call_where_there_is_nothing_takes_it_where_something_is_missing() -> None:
    nowhere = sample_finding(candidate="404 NoSuchBucket", condition=STATES["no parent"], **TAKEN)
    unset = sample_finding(candidate="500 500", condition=STATES["unset"], **TAKEN)
    assert follows_from_blindness(unset, nowhere)
    assert not follows_from_blindness(nowhere, unset)
    assert not follows_from_blindness(replace(unset, reference="400 No", candidate="success (200)"), nowhere)
    wrong = replace(unset, parameter="Key", condition="c", value_class="wrong format")
    assert not follows_from_blindness(wrong, nowhere), "it may be checked nevertheless"
    assert follows_from_blindness(replace(wrong, value_class="unknown resource"), nowhere)


def test_who_puts_another_value_in_place_of_one_takes_any() -> None:
    put = Call(service="s3", operation="PutObject", params={"StorageClass": "STANDARD_IA"})
    other = sample_finding(
        "PutObject",
        parameter="StorageClass",
        manifestation="state",
        reference="ONEZONE_IA",
        candidate="STANDARD_IA",
        sequence=(put,),
    )
    wrong = sample_finding(
        "PutObject", parameter="StorageClass", candidate="400 InvalidStorageClass", **TAKEN
    )
    assert follows_from_alteration(wrong, other)
    assert not follows_from_alteration(replace(wrong, parameter="ACL"), other)
    refused = replace(wrong, reference="400 InvalidStorageClass", candidate="success (200)")
    assert not follows_from_alteration(refused, other), "the one that keeps it takes what it should not"


def test_who_does_nothing_with_what_a_call_is_about_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the usual value is the one that is there anyway, so that nothing of it can be seen."""
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)
    lists: dict[tuple[str, str], str] = {}

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        place = (side.running.target, str(call.params.get("Bucket")))
        if call.operation == "GetBucketAcl":
            return success(Grants=[{"Permission": lists.get(place, "private")}])
        if call.operation == "PutBucketAcl" and "ACL" not in call.params:
            return failure(400, "MalformedACLError")
        if call.operation == "PutBucketAcl":
            if side.running.target == "two":
                lists[place] = str(call.params["ACL"])
            return success()
        return success() if call.operation == "PutBucketOwnershipControls" else None

    sides = FakeSide(trick, "one"), FakeSide(trick, "two")
    running = campaign(*sides, operations=("CreateBucket", "PutBucketAcl", "GetBucketAcl"))
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {(each.operation, each.manifestation) for each in found} == {("PutBucketAcl", "state")}
    assert {each.idle for each in found} == {0}
