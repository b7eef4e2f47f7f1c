"""What a side does not look at is one finding, whatever it then takes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_side import FakeSide, campaign, failure, success
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.causes import STATES
from likewise.cloud.fuzz.differences.folding import follows_from_deafness
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.neglect import (
    follows_from_alteration,
    follows_from_blindness,
    is_same_deafness,
    shows_in_refusal,
)
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.inquiry.blame import given_by
from likewise.cloud.fuzz.inquiry.minimising import Look, Shown
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.model import Difference, Implication

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


def test_whatever_a_parameter_that_is_not_heeded_changes_is_one_finding() -> None:
    more = sample_finding(kind="extra", place="Contents", parameter="Marker", deaf=0)
    others = sample_finding(place="Contents[].Key", parameter="Marker", deaf=0)
    taken = sample_finding(kind="success", place="", parameter="Marker", deaf=0)
    assert is_same_deafness(others, more)
    assert is_same_deafness(more, taken)
    assert not is_same_deafness(taken, others)
    both = replace(taken, parameter="Marker and Prefix")
    assert is_same_deafness(both, others), "the one alone is enough"
    assert not is_same_deafness(others, both)
    for change in ({"parameter": "Prefix"}, {"deaf": None}, {"deaf": 1}, {"manifestation": "state"}):
        assert not is_same_deafness(replace(others, **change), more)


def test_what_an_upload_was_given_when_it_began_is_the_fault_of_its_beginning() -> None:
    def call(operation: str, **params: object) -> Call:
        return Call(service="s3", operation=operation, params={"Bucket": "b", "Key": "k", **params})

    begin = call("CreateMultipartUpload", Metadata={"colour": "blue"})
    case = Case(setup=(begin, call("UploadPart")), probes=(Probe(call=call("CompleteMultipartUpload")),))
    gap = Gap(
        operation="GetObject",
        index=1,
        difference=Difference.EXTRA,
        place="Metadata",
        reference="None",
        candidate="{'colour': 'blue'}",
        implication=Implication.WRONG_RESULT,
    )
    shown = Shown(gap=gap, case=case, look=Look(gaps=[gap], seen=None), confirmed=1)
    assert given_by(shown) == "CreateMultipartUpload"
    assert given_by(replace(shown, gap=replace(gap, place="ETag"))) is None
    own = replace(case, probes=(Probe(call=call("CopyObject", Metadata={})),))
    assert given_by(replace(shown, case=own)) is None, "it was given that itself"


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


def test_what_takes_long_to_show_is_looked_into_again_where_it_turns_up_elsewhere() -> None:
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    probe = Probe(call=Call(service="s3", operation="GetObject", params={}))
    gap = Gap(
        operation="GetObject",
        index=0,
        difference=Difference.CODE,
        place="",
        reference="400 A",
        candidate="404 B",
        implication=Implication.MISLEADING,
    )
    five = sample_finding("GetObject", kind="error code", place="", sequence=(probe.call,) * 5, hash="long")
    for sequence, is_over in ((five.sequence, False), (five.sequence[:3], True)):
        running.experience.known.add(gap.signature)
        finding = replace(five, sequence=sequence)
        running._try_again(probe, [gap], finding)
        running._note(finding)
        assert (gap.signature in running.experience.known) is is_over
    running.pair.close()


def test_parameters_that_differ_together_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though both sides take them: which of them it is that one side does not heed is not known yet."""
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "GetObject" and answer.success and "ResponseContentType" in call.params:
            return success(**answer.fields, ContentType=f"{side.running.target}")
        return answer

    sides = FakeSide(trick, "one"), FakeSide(trick, "two")
    running = campaign(*sides, operations=("CreateBucket", "PutObject", "GetObject"), budget=900)
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {each.parameter for each in found} == {"ResponseContentType"}
    asked = {name for _, name, _ in running.experience._asked}
    assert "ResponseContentType" in asked


def test_what_one_side_alone_refuses_is_not_called_before_anything() -> None:
    running = campaign(FakeSide(name="one"), FakeSide(name="two"), operations=("ListObjectVersions",))
    (task,) = running.cases.present()
    assert "PutBucketVersioning" in [call.operation for call in task.case.setup]
    running.hopeless.add("PutBucketVersioning")
    setup = running.experience.effective(task, (), again=False).case.setup
    assert "PutBucketVersioning" not in [call.operation for call in setup]
    assert setup
    running.pair.close()


def test_a_read_that_answers_as_if_a_list_of_names_had_not_been_given_does_not_heed_it() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if not answer.success or "OptionalObjectAttributes" not in call.params:
            return answer
        return success(Contents=[{**each, "More": "x"} for each in answer.fields.get("Contents", ())])

    operations = ("CreateBucket", "PutObject", "ListObjectsV2")
    running = campaign(FakeSide(name="one"), FakeSide(trick, "two"), operations=operations, budget=900)
    found = [each for each in running.run() if isinstance(each, Finding)]
    assert {(each.parameter, each.deaf) for each in found} == {("OptionalObjectAttributes", 0)}


def test_what_a_read_makes_of_what_it_does_not_understand_shows_in_what_the_other_side_refuses() -> None:
    taken = sample_finding(
        parameter="Range", value_class="wrong format", candidate="416 InvalidRange", **TAKEN
    )
    answered = sample_finding(parameter="Range", value_class="typical", deaf=0, kind="status")
    assert shows_in_refusal(answered, taken)
    assert not shows_in_refusal(replace(answered, deaf=None), taken)
    assert not shows_in_refusal(replace(answered, deaf=1), taken), "it is the other that does not heed it"
    assert not shows_in_refusal(replace(answered, parameter="PartNumber"), taken)
    assert not shows_in_refusal(answered, replace(taken, value_class="typical")), "it refuses what is right"


def test_a_read_that_does_not_heed_what_is_right_need_not_look_at_what_is_wrong() -> None:
    given = Call(service="s3", operation="ListParts", params={"PartNumberMarker": 7, "MaxParts": 2})
    wrong = sample_finding(
        "ListParts",
        parameter="MaxParts",
        value_class="wrong format",
        candidate="400 InvalidArgument",
        **TAKEN,
    )
    right = sample_finding(
        "ListParts", parameter="MaxParts", value_class="typical", deaf=0, kind="length", sequence=(given,)
    )
    assert follows_from_deafness(wrong, right)
    assert not shows_in_refusal(right, wrong), "it is not for what is wrong that the lists differ"
    strange = replace(right, sequence=(replace(given, params={"MaxParts": "two"}),))
    assert not follows_from_deafness(wrong, strange), "nobody needs to understand that"
    assert shows_in_refusal(strange, wrong)
    assert not follows_from_deafness(replace(wrong, reference="400 No", candidate="success (200)"), right)
