"""What follows from a difference that is known is told from what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_side import FakeSide, campaign, failure, success
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Answer, Call, Name
from likewise.cloud.fuzz.differences.explaining import Explanations
from likewise.cloud.fuzz.differences.folding import (
    follows_from_deafness,
    follows_from_loss,
    is_same_lateness,
    is_same_refusal,
)
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.likeness import concerns
from likewise.cloud.fuzz.findings import Finding, from_json
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.inquiry import Inquiry, _is_said_of_state
from likewise.cloud.fuzz.inquiry.minimising import Look, Shown
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.cloud.fuzz.sides.sharing import Shared
from likewise.model import Difference, Implication

PUT = Call(service="s3", operation="PutObject", params={"Bucket": Name("bucket"), "Key": Name("key")})


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)


def gap(operation: str, place: str, difference: Difference = Difference.VALUE, index: int = 0) -> Gap:
    return Gap(
        operation=operation,
        index=index,
        difference=difference,
        place=place,
        reference="1",
        candidate="2",
        implication=Implication.WRONG_RESULT,
    )


def test_a_side_that_does_not_heed_a_parameter_takes_whatever_it_is_given() -> None:
    deaf = sample_finding("PutObject", parameter="Expires", manifestation="state", deaf=0)
    given = {"kind": "success", "reference": "success (200)", "candidate": "400 InvalidArgument"}
    taken = sample_finding("PutObject", parameter="Expires", **given)
    assert follows_from_deafness(taken, deaf)
    assert follows_from_deafness(replace(taken, parameter="Body and Expires"), deaf)
    assert not follows_from_deafness(taken, replace(deaf, deaf=1)), "it is the other side that takes it"
    assert not follows_from_deafness(taken, replace(deaf, deaf=None))
    assert not follows_from_deafness(replace(taken, parameter="Body"), deaf)
    assert from_json(deaf.as_json()).deaf == 0


def test_the_side_that_does_not_heed_a_parameter_is_found_out() -> None:
    """It keeps what it is given as if that parameter had not been."""

    def heeding(call: Call, _: int, side: FakeSide) -> Answer | None:
        kind = call.params.get("ContentType")
        if call.operation != "PutObject" or kind is None or call.params["Bucket"] not in side.buckets:
            return None
        answer = side.honest(call)
        side.buckets[call.params["Bucket"]][call.params["Key"]] = (call.params.get("Body"), kind)
        return answer

    running = campaign(FakeSide(name="one"), FakeSide(heeding, "two"), budget=900)
    inquiry, plan = running.inquiry, running.cases.plan("PutObject")
    call = replace(plan.call, params={**plan.call.params, "ContentType": "text/plain"})
    probe = running.cases.probe(plan.setup, call, parameter="ContentType", value_class="typical")
    case = Case(setup=plan.setup, probes=(probe,))
    look = inquiry.look(case)
    (read,) = [each for each in look.gaps if each.operation == "GetObject"]
    found = inquiry._blame.find_deaf(Shown(gap=read, case=case, look=look, confirmed=1))
    running.pair.close()
    assert found == 0


def test_who_does_not_heed_a_parameter_is_found_out_by_another_read_where_one_is_new_each_time() -> None:
    def side(name: str, *, heeds: bool) -> FakeSide:
        kinds: dict[tuple[str, str], str] = {}
        count = iter(range(10**6))

        def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
            answer = side.honest(call)
            place = (str(call.params.get("Bucket")), str(call.params.get("Key")))
            if call.operation == "PutObject":
                kinds[place] = str(call.params.get("ContentType", "")) if heeds else ""
            if call.operation == "GetObject" and answer.success:
                return success(Kind=kinds[place], Fresh=f"fresh {name} {next(count)}")
            if call.operation == "ListObjectsV2" and answer.success:
                mine = [kind for (bucket, _), kind in kinds.items() if bucket == place[0]]
                return success(Contents=[{"Kind": kind} for kind in mine])
            return answer

        return FakeSide(trick, name)

    running = campaign(side("one", heeds=False), side("two", heeds=True), budget=900)
    inquiry, plan = running.inquiry, running.cases.plan("PutObject")
    call = replace(plan.call, params={**plan.call.params, "ContentType": "text/plain"})
    probe = running.cases.probe(plan.setup, call, parameter="ContentType", value_class="typical")
    case = Case(setup=plan.setup, probes=(probe,))
    look = inquiry.look(case)
    (read,) = [each for each in look.gaps if each.operation == "GetObject" and each.place == "Kind"]
    found = inquiry._blame.find_deaf(Shown(gap=read, case=case, look=look, confirmed=1))
    running.pair.close()
    assert found == 0


def test_the_side_that_does_not_heed_what_a_read_is_given_is_found_out() -> None:
    def heeding(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation != "ListObjectsV2" or "MaxKeys" not in call.params:
            return None
        return success(Contents=side.honest(call).fields["Contents"][: call.params["MaxKeys"]])

    running = campaign(FakeSide(name="one"), FakeSide(heeding, "two"), budget=900)
    inquiry, plan = running.inquiry, running.cases.plan("ListObjectsV2")
    call = replace(plan.call, params={**plan.call.params, "MaxKeys": 1})
    probe = Probe(call=call, parameter="MaxKeys", value_class="typical")
    case = Case(setup=plan.setup, probes=(probe,))
    look = inquiry.look(case)
    found = inquiry._blame.find_deaf(Shown(gap=look.gaps[0], case=case, look=look, confirmed=1))
    running.pair.close()
    assert found == 0


def test_what_everybody_shares_is_compared_while_both_took_the_same_of_it() -> None:
    """In the order in which a side was called, whoever called it, and whenever that is looked at."""
    planner = Planner(load("queue"), hints_of("queue"))
    whole = planner.plan("Service_SetProperties").call
    parts = whole.params["body"]["StorageServiceProperties"]
    part = replace(whole, params={"body": {"StorageServiceProperties": {"Cors": {**parts["Cors"], "a": 1}}}})
    named = planner.plan("Queue_SetMetadata").call
    ours, theirs = Shared(), Shared()
    for call, sides in ((whole, (ours, theirs)), (named, (ours,))):
        for side in sides:
            side.note(call)
    assert ours.copy() == theirs.copy(), "what is somebody's own is not shared"
    theirs.note(part)
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    inquiry = Inquiry(running.pair, running.inquiry.judge, planner)
    read = Probe(call=replace(whole, operation="Service_GetProperties", params={}))

    def differ(*setup: Call) -> bool:
        seen = [
            Seen(
                setup=[success()] * len(setup),
                answers=[success(body={"Cors": number})],
                shared=side.copy(),
            )
            for number, side in enumerate((ours, theirs))
        ]
        return bool(inquiry.gaps(Case(setup=setup, probes=(read,)), read, seen[0], seen[1])[0])

    assert not differ(whole), "only one side took what was written last"
    ours.note(replace(part, params={"body": {"StorageServiceProperties": {"HourMetrics": {}}}}))
    theirs.note(replace(part, params={"body": {"StorageServiceProperties": {"HourMetrics": {}}}}))
    assert not differ(whole), "that was another part"
    ours.note(part)
    assert differ(whole)
    assert not differ(), "others have written to it"
    running.pair.close()


def test_what_everybody_shares_and_one_side_keeps_otherwise_is_the_fault_of_the_write() -> None:
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    blame = running.inquiry._blame
    blame._planner = Planner(load("queue"), hints_of("queue"))
    plan = blame._planner.plan("Service_SetProperties:metrics")
    case = Case(probes=(Probe(call=plan.call),))
    kept = replace(
        gap("Service_GetProperties", "body.StorageServiceProperties.HourMetrics.IncludeAPIs", index=1),
        reference="false",
        candidate="true",
    )
    running.pair.close()

    def is_kept(each: Gap) -> bool:
        return blame._is_kept_otherwise(
            Shown(gap=each, case=case, look=Look(gaps=[], seen=None), confirmed=1)
        )

    assert is_kept(kept)
    assert not is_kept(replace(kept, place="body.StorageServiceProperties.HourMetrics.Other"))
    assert not is_kept(replace(kept, operation="Queue_GetProperties")), "others may bear witness"
    assert not is_kept(replace(kept, difference=Difference.EXTRA))


def test_what_is_asked_for_by_a_field_that_is_kept_otherwise_follows_from_that() -> None:
    known = Explanations()
    known.blame("PutObject", [gap("GetObject", "body.colour", index=1)])
    listed = Call(service="s3", operation="ListObjectsV2", params={"Prefix": "colour eq true"})
    case = Case(setup=(PUT,), probes=(Probe(call=listed),))
    seen = (Seen(setup=[], answers=[success()], prefix=""),) * 2
    fewer = gap("ListObjectsV2", "Contents", Difference.LENGTH)
    assert known.explains(case, case.probes[0], fewer, seen)
    other = Probe(call=replace(listed, params={"Prefix": "shape eq true"}))
    assert not known.explains(case, other, fewer, seen)
    assert known.explains(case, other, gap("ListObjectsV2", "body.value[].colour"), seen)
    assert not known.explains(case, other, gap("ListObjectsV2", "body.value[].shape"), seen)


def test_an_answer_that_says_what_was_kept_says_the_same_again() -> None:
    case = Case(probes=(Probe(call=PUT),))
    shown = Shown(gap=gap("PutObject", "b"), case=case, look=Look(gaps=[], seen=None), confirmed=2)
    left = sample_finding("PutObject", place="value[].b", manifestation="state")
    assert _is_said_of_state(shown, [left])
    assert not _is_said_of_state(shown, [replace(left, place="value[].c")])
    assert not _is_said_of_state(shown, [replace(left, candidate="3")])


def test_what_an_answer_says_at_once_and_a_read_for_a_while_is_one_finding() -> None:
    copy = Call(service="s3", operation="CopyObject", params={})
    late = sample_finding("CopyObject", place="headers.x-ms-copy-status", cause="asynchronous behaviour")
    late = replace(late, shown_by="HeadObject", sequence=(copy, PUT), reference="pending")
    said = sample_finding("CopyObject", place="headers.x-ms-copy-status", reference="pending")
    assert is_same_lateness(said, late)
    assert not is_same_lateness(replace(said, place="headers.etag"), late)
    assert not is_same_lateness(replace(said, reference="failed"), late)
    assert not is_same_lateness(said, replace(late, cause="other bug"))


def test_a_server_that_fails_over_something_has_not_taken_what_the_other_refuses() -> None:
    known = Explanations()
    bad = failure(400, "InvalidInput", "An error occurred.")
    refused = replace(gap("PutObject", "", Difference.SUCCESS), index=0)
    probe = Probe(call=replace(PUT, params={"Body": "a"}), parameter="Body.a")

    def seen(*answers: Answer) -> tuple[Seen, Seen]:
        ours, theirs = (Seen(setup=[], answers=[answer], prefix="") for answer in answers)
        return ours, theirs

    known.refuse(probe, refused, seen(bad, success()))
    other = replace(gap("PutObject", "", Difference.CODE), index=0)
    case = Case(probes=(probe,))
    assert known.explains(case, probe, other, seen(bad, failure(404, "NoSuchBucket", "None.")))
    assert not known.explains(case, probe, other, seen(bad, failure(500, "", "")))


def test_what_a_call_as_a_whole_says_is_elsewhere_unless_it_says_what_is_refused() -> None:
    errors = (("InvalidInput", "An error occurred."), ("", ""))
    item = replace(PUT, params={"Body": {"json": {"x": "seven"}}})
    unchecked = sample_finding(
        "PutObject", kind="success", parameter="Body.x", condition="c", errors=errors, sequence=(item,)
    )
    crash = {"kind": "error code", "cause": "null reference", "errors": (errors[0], ("500", ""))}
    key = replace(PUT, params={"Body": {"json": {"key": 7}}})
    assert not is_same_refusal(sample_finding("PutObject", sequence=(key,), **crash), unchecked)
    assert is_same_refusal(sample_finding("PutObject", sequence=(item,), **crash), unchecked)
    whole = {"parameter": "Body", **crash}
    assert not is_same_refusal(sample_finding("PutObject", sequence=(key,), **whole), unchecked)
    assert is_same_refusal(sample_finding("PutObject", sequence=(item,), **whole), unchecked)
    unchecked = replace(unchecked, parameter="Body")
    assert not is_same_refusal(sample_finding("PutObject", sequence=(key,), **whole), unchecked)
    assert is_same_refusal(sample_finding("PutObject", sequence=(item,), **whole), unchecked)


def test_a_server_that_fails_in_a_state_fails_in_it_whatever_the_other_says() -> None:
    crash = sample_finding(kind="success", cause="null reference", condition="c", reference="500 Oops")
    again = sample_finding(kind="error code", cause="null reference", parameter="N", reference="500 Oops")
    assert is_same_refusal(again, crash)
    assert not is_same_refusal(replace(again, reference="500 Ouch"), crash)


def test_a_list_that_lacks_its_last_item_is_not_late_because_others_come_after_it() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "ListBuckets" and answer.success:
            return success(Buckets=answer.fields["Buckets"][:-1])
        return answer

    sides = FakeSide(trick, "one"), FakeSide(name="two")
    running = campaign(*sides, budget=300, operations=("CreateBucket", "HeadBucket", "ListBuckets"))
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {each.operation for each in found} == {"ListBuckets"}
    assert "asynchronous behaviour" not in {each.cause for each in found}


def test_an_operation_that_one_side_refuses_is_called_in_another_way() -> None:
    """A tree of keys is taken by both, a plain key by one: then trees tell the rest."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "PutObject" and "/" not in call.params.get("Key", ""):
            return failure(400, "InvalidArgument", "Keys have two parts.")
        if call.operation == "PutObject" and call.params.get("CacheControl"):
            return failure(400, "InvalidRequest", "It is not kept.")
        return None

    sides = FakeSide(trick, "one"), FakeSide(name="two")
    running = campaign(*sides, budget=900, operations=("CreateBucket", "PutObject"))
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {each.errors[0][0] for each in found} == {"InvalidArgument", "InvalidRequest"}


def test_a_side_that_keeps_nothing_of_a_parameter_sees_less_of_several_mistakes() -> None:
    update = replace(PUT, params={"Body": "changed", "Key": "k"})
    lost = sample_finding("PutObject", manifestation="state", reference="hello", candidate="changed")
    lost = replace(lost, sequence=(PUT, update))
    both = sample_finding("PutObject", kind="error code", parameter="Body and Key")
    assert follows_from_loss(both, lost)
    assert not follows_from_loss(replace(both, parameter="Key and Tagging"), lost)
    assert not follows_from_loss(replace(both, parameter="Body"), lost), "that is one mistake"
    assert not follows_from_loss(both, replace(lost, manifestation="response"))


def test_reads_that_are_refused_whatever_was_written_bear_no_witness_against_a_write() -> None:
    """Two reads, each refused for a reason of its own, after the write that makes what they name."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "HeadBucket":
            return failure(403, "AccessDenied")
        return failure(500, "InternalError") if call.operation == "ListObjectsV2" else None

    sides = FakeSide(trick, "one"), FakeSide(name="two")
    running = campaign(*sides, budget=600, operations=("CreateBucket", "HeadBucket", "ListObjectsV2"))
    running.cases.planner._observers["CreateBucket"] = ("HeadBucket", "ListObjectsV2")
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {each.operation for each in found} == {"HeadBucket", "ListObjectsV2"}


def test_a_type_of_a_value_names_no_field() -> None:
    """Else one number that is stored otherwise would account for every other number."""

    def gap(place: str) -> Gap:
        return Gap(
            operation="GetItem",
            index=1,
            difference=Difference.VALUE,
            place=place,
            reference="1",
            candidate="2",
            implication=Implication.WRONG_RESULT,
        )

    assert not concerns(gap("Item.rank.N"), gap("Items[].size.N"))
    assert concerns(gap("Item.rank.N"), gap("Items[].rank.N"))
    assert concerns(gap("Item.l.L[].N"), gap("Items[].l.L[].S"))


def test_what_reads_said_right_before_a_write_needs_not_be_asked_to_know_what_it_did() -> None:
    def forgetful(call: Call, _: int, side: FakeSide) -> Answer | None:
        is_kept = call.operation != "PutObject" or call.params["Bucket"] not in side.buckets
        return None if is_kept else success()

    running = campaign(FakeSide(name="one"), FakeSide(forgetful, "two"), budget=900)
    blame, asked = running.inquiry._blame, list[Case]()
    look = blame._look
    blame._look = lambda case: (asked.append(case), look(case))[1]
    (task,) = [each for each in running.cases.present() if each.operation == "PutObject"]
    list(running._run(task))
    running.pair.close()
    found = [each.pending.finding for each in running._pending]
    assert [each.operation for each in found if each.shown_by == "GetObject"] == ["PutObject"]
    assert not asked


def test_a_side_that_keeps_what_is_usual_instead_of_what_it_was_given_has_written_it_so() -> None:
    place = "ServerSideEncryptionConfiguration.Rules[].ApplyServerSideEncryptionByDefault.SSEAlgorithm"
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    blame = running.inquiry._blame
    plan = blame._planner.plan("PutBucketEncryption:kms")
    read = blame._planner.reads(plan.setup, plan.call)[:1]
    probe = Probe(call=plan.call, observers=read, parameter="ServerSideEncryptionConfiguration")
    case = Case(setup=plan.setup, probes=(probe,))
    running.pair.close()
    kept = replace(gap("GetBucketEncryption", place, index=1), reference="AES256", candidate="aws:kms")

    def is_kept(each: Gap, *, plainly: tuple[Gap, ...] = ()) -> bool:
        taken = success()
        seen = Seen(setup=[], answers=[taken, taken])
        blame._look = lambda _: Look(gaps=list(plainly), seen=(seen, seen))
        blame.alone.clear()
        blame._usual.clear()
        return blame._is_kept_usual(Shown(gap=each, case=case, look=Look(gaps=[], seen=None), confirmed=1))

    assert is_kept(kept)
    assert is_kept(replace(kept, reference="aws:kms", candidate="AES256"))
    assert not is_kept(replace(kept, reference="aws:kms:dsse")), "that is neither"
    assert not is_kept(kept, plainly=(kept,)), "the read says so whatever was written"
    assert not is_kept(replace(kept, difference=Difference.EXTRA))
