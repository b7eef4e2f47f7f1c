"""Findings are real, as short as can be, blamed on the right call, and said under the right condition."""

from __future__ import annotations

from uuid import uuid4

import pytest
from fake_side import FakeSide, Trick, campaign, failure, success

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Text
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.shortening import reductions, sliced
from likewise.cloud.fuzz.inquiry.shrinking import are_several, loosened, reduced, simpler
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import shown
from likewise.cloud.fuzz.sides.execution import Case, Lane, Probe


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)


def find(trick: Trick, budget: int = 900, **options: object) -> list[Finding]:
    """What a campaign finds where the reference plays a trick and the candidate is honest."""
    running = campaign(FakeSide(trick, "one"), FakeSide(name="two"), budget=budget, **options)  # type: ignore[arg-type]
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert all(each.confirmed >= 2 for each in found)
    assert all(len(each.sequence) <= 4 for each in found), [each.sequence for each in found]
    return found


def test_a_read_that_differs_by_itself_is_shown_without_the_write_that_revealed_it() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "GetObject" and answer.success:
            return success(**answer.fields, Extra="1")
        return answer

    (found,) = find(trick)
    assert (found.operation, found.kind, found.place) == ("GetObject", "missing", "Extra")
    assert [call.operation for call in found.sequence] == ["CreateBucket", "PutObject", "GetObject"]
    assert (found.implication, found.manifestation, found.condition) == ("wrong result", "response", "")


def test_a_field_of_one_side_has_one_hash_whatever_fresh_value_it_holds() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "GetObject" and answer.success:
            return success(**answer.fields, Id=str(uuid4()))
        return answer

    (first,), (second,) = find(trick), find(trick)
    assert first.reference != second.reference
    assert first.hash == second.hash


def test_a_lost_write_is_the_fault_of_the_write_and_shows_in_the_state() -> None:
    found = find(lambda call, *_: success(ETag="1") if call.operation == "PutObject" else None)
    lost = [each for each in found if each.manifestation in ("state", "both")]
    assert {each.operation for each in lost} == {"PutObject"}
    assert {each.cause for each in lost} == {"other bug"}


def test_a_write_that_is_refused_and_made_nevertheless_is_the_fault_of_the_write() -> None:
    def refusing(*, first: bool) -> Trick:
        def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
            if call.operation != "PutObject" or "IfMatch" not in call.params:
                return None
            if first:
                side.honest(call)
            return failure(412, "PreconditionFailed")

        return trick

    sides = FakeSide(refusing(first=True), "one"), FakeSide(refusing(first=False), "two")
    running = campaign(*sides, budget=900, operations=("CreateBucket", "PutObject", "GetObject"))
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {(each.operation, each.manifestation, each.cause) for each in found} == {
        ("PutObject", "state", "other bug")
    }
    assert all("IfMatch" in each.parameter and len(each.sequence) <= 4 for each in found)


def test_a_write_that_is_seen_late_is_asynchronous_behaviour() -> None:
    left: dict[str, int] = {}

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        place = f"{call.params.get('Bucket')}/{call.params.get('Key')}"
        if call.operation == "PutObject":
            left[place] = 3
        elif call.operation == "GetObject" and left.get(place, 0) > 0:
            left[place] -= 1
            return failure(404, "NoSuchKey")
        return None

    found = find(trick, operations=("CreateBucket", "PutObject", "GetObject"))
    assert {each.cause for each in found} == {"asynchronous behaviour"}
    assert {each.operation for each in found} <= {"PutObject", "GetObject"}


def test_a_name_that_cannot_be_used_again_at_once_is_asynchronous_behaviour() -> None:
    waiting: dict[str, int] = {}

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        bucket = str(call.params.get("Bucket"))
        if call.operation == "CreateBucket" and waiting.get(bucket, 0) > 0:
            waiting[bucket] -= 1
            return failure(409, "Pending")
        if call.operation == "DeleteBucket" and bucket in side.buckets:
            waiting[bucket] = 2
        return None

    (found,) = find(trick, operations=("CreateBucket", "DeleteBucket"))
    assert (found.operation, found.cause) == ("CreateBucket", "asynchronous behaviour")
    assert found.implication == "unsafe"
    assert found.condition == "only after what it names was deleted"


def test_a_constraint_is_named_with_the_simplest_value_that_meets_it() -> None:
    def trick(call: Call, *_: object) -> Answer | None:
        is_refused = call.operation == "PutObject" and "ContentLanguage" in call.params
        return failure(400, "InvalidArgument") if is_refused else None

    found = find(trick, budget=2500, operations=("CreateBucket", "PutObject"))
    (given,) = [each for each in found if each.implication == "unsafe"]
    assert given.condition == "only when ContentLanguage is given ('en')"
    assert given.cause == "constraint not checked"
    assert set(given.sequence[-1].params) == {"Bucket", "Key", "ContentLanguage"}


def test_an_answer_that_is_random_on_both_sides_is_no_finding() -> None:
    """The order of a list changes from call to call on each side."""

    def trick(call: Call, count: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "ListObjectsV2" and answer.success:
            items = list(answer.fields["Contents"])
            turn = (count * 7919) % max(1, len(items))
            return success(Contents=items[turn:] + items[:turn])
        return answer

    running = campaign(FakeSide(trick, "one"), FakeSide(trick, "two"), budget=900)
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert found == []


def test_a_list_that_lacks_its_last_item_is_a_finding_however_many_there_are() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "ListObjectsV2" and answer.success:
            return success(Contents=answer.fields["Contents"][:-1])
        return answer

    found = find(trick, operations=("CreateBucket", "PutObject", "ListObjectsV2"))
    assert {(each.operation, each.kind, each.cause) for each in found} == {
        ("ListObjectsV2", "length", "other bug")
    }


def planner() -> Planner:
    return Planner(load("s3"), hints_of("s3"))


def test_a_slice_keeps_makers_what_is_referred_to_and_what_wrote_the_same_thing() -> None:
    def call(operation: str, **params: object) -> Call:
        return Call(service="s3", operation=operation, params=params)

    bucket, key = Name("bucket"), Name("key")
    setup = (
        call("CreateBucket", Bucket=bucket),
        call("PutBucketTagging", Bucket=bucket),
        call("CreateMultipartUpload", Bucket=bucket, Key=key),
        call("PutBucketWebsite", Bucket=bucket),
    )
    probe = Probe(call=call("AbortMultipartUpload", Bucket=bucket, Key=key, UploadId=Ref(2, ("UploadId",))))
    slim = sliced(setup, probe, planner())
    assert slim is not None
    assert [each.operation for each in slim] == ["CreateBucket", "CreateMultipartUpload"]
    kept = sliced(setup, Probe(call=call("GetBucketTagging", Bucket=bucket)), planner())
    assert kept is not None
    assert [each.operation for each in kept] == ["CreateBucket", "PutBucketTagging"]


def test_reads_before_a_write_are_left_out_at_once() -> None:
    calls = [
        Call(service="s3", operation=name, params={"Bucket": Name("bucket")})
        for name in ("CreateBucket", "GetBucketAcl", "PutBucketTagging", "GetBucketTagging")
    ]
    tried = [[call.operation for call in each] for each in reductions(tuple(calls), calls[0])]
    assert tried[:3] == [[], ["CreateBucket"], ["CreateBucket", "PutBucketTagging"]]


def test_a_list_of_parts_has_several_to_list() -> None:
    plan = planner().plan("ListParts", many=True)
    parts = [each.params["PartNumber"] for each in plan.setup if each.operation == "UploadPart"]
    assert sorted(parts) == [1, 2, 3]


def test_simpler_calls_are_tried_with_the_usual_value_then_with_less() -> None:
    call = Call(
        service="s3",
        operation="PutObject",
        params={"Bucket": Name("bucket"), "Key": Name("key"), "Body": b"x", "CacheControl": "x" * 2000},
    )
    forms = simpler(Probe(call=call, parameter="CacheControl", value_class="too long"), planner())
    assert forms[0].call.params["CacheControl"] == "no-cache"
    assert forms[0].value_class == "typical"
    assert "Body" not in forms[1].call.params
    assert [len(each.call.params["CacheControl"]) for each in forms[2:]] == [8, 64, 256, 1024]


def test_what_is_refused_for_something_that_was_given_may_be_refused_for_something_made_up() -> None:
    call = Call(service="s3", operation="GetObject", params={"Bucket": "b", "VersionId": Ref(3, ("V",))})
    forms = simpler(Probe(call=call, parameter="VersionId", value_class="typical", state="way"), planner())
    made_up = [form for form in forms if isinstance(form.call.params.get("VersionId"), str)]
    assert {form.value_class for form in made_up} == {"unknown resource"}


def test_values_get_simpler_by_kind() -> None:
    assert list(reduced([{"a": 1}, {"b": 2}])) == [[{"a": 1}], [{"b": 2}]]
    assert list(reduced({"a": 1, "b": 2})) == [{"b": 2}, {"a": 1}]
    assert list(reduced({"a": ["x" * 100]})) == [{"a": ["x" * 8]}, {"a": ["x" * 64]}]
    assert list(reduced(-5)) == [-1]
    assert list(reduced(True)) == []
    assert list(reduced("short")) == []


def test_a_value_is_shown_by_what_it_stands_for() -> None:
    assert shown(Text((Name("queue"), "xx"))) == "'<queue>xx'"
    assert shown({Name("table"): Ref(0, ("Id",))}) == "{'<table>': '<given>'}"
    assert len(shown("x" * 100)) <= 40


def walked(operation: str, **params: object) -> Probe:
    return Probe(call=Call(service="dynamodb", operation=operation, params=params), state="walk")


def test_a_call_with_several_oddities_is_tried_with_one_at_a_time() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    probe = walked(
        "PutItem", TableName=Name("table"), Item={"key": {"N": "x", "SS": []}}, ReturnValues="UPDATED_NEW"
    )
    forms = loosened(probe, planner)
    usual = planner.typical("PutItem")
    assert forms[0].call.params == usual
    assert [each.parameter for each in forms[1:]] == ["Item", "ReturnValues"]
    assert forms[2].call.params == {**usual, "ReturnValues": "UPDATED_NEW"}


def test_what_may_be_several_mistakes_is_told_from_one() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    usual = planner.typical("PutItem")
    assert not are_several(walked("PutItem", **usual), planner)
    assert not are_several(walked("PutItem", **usual, ReturnValues="UPDATED_NEW"), planner)
    assert are_several(
        walked("PutItem", **usual, ReturnValues="UPDATED_NEW", ConditionExpression="x"), planner
    )
    assert not are_several(walked("PutItem", **{**usual, "Item": {"key": {"N": "x"}}}), planner)
    odd = {**usual, "Item": {"key": {"N": "x", "SS": []}}}
    assert are_several(walked("PutItem", **odd), planner), "two types in one value"
    lacking = {name: value for name, value in planner.typical("Query").items() if name == "TableName"}
    assert are_several(walked("Query", **lacking, FilterExpression=""), planner), (
        "it lacks what it needs, too"
    )


def test_cases_that_begin_alike_share_their_set_up_until_something_is_written() -> None:
    side = FakeSide()
    lane = Lane(side, tag="r", run="fuzzy")
    bucket = {"Bucket": Name("bucket")}
    make, look, put = (
        Call(service="s3", operation=name, params=params)
        for name, params in (
            ("CreateBucket", bucket),
            ("HeadBucket", bucket),
            ("PutObject", {**bucket, "Key": "a"}),
        )
    )

    def made(call: Call, *, anew: bool) -> int:
        lane.do(Case(setup=(make,), probes=(Probe(call=call),)), anew=anew)
        return len(side.buckets)

    assert [made(look, anew=False) for _ in range(3)] == [1, 1, 1]
    assert made(look, anew=True) == 2, "what is confirmed is confirmed from scratch"
    assert made(put, anew=False) == 2, "in one that nothing was written to"
    assert made(look, anew=False) == 2, "and then in the other"
    assert made(put, anew=False) == 2
    assert made(look, anew=False) == 3, "and in none afterwards"


def test_a_list_that_leaves_out_the_last_one_is_to_blame_where_no_other_read_shows_the_write() -> None:
    def unread(call: Call, _: int, side: FakeSide) -> Answer | None:
        return failure(501, "NotImplemented") if call.operation == "GetObject" else None

    def trick(call: Call, number: int, side: FakeSide) -> Answer | None:
        answer = unread(call, number, side) or side.honest(call)
        if call.operation == "ListObjectsV2" and answer.success:
            return success(Contents=answer.fields["Contents"][:-1])
        return answer

    running = campaign(
        FakeSide(trick, "one"),
        FakeSide(unread, "two"),
        budget=900,
        operations=("CreateBucket", "PutObject", "ListObjectsV2"),
    )
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {(each.operation, each.kind) for each in found} == {("ListObjectsV2", "length")}


def test_what_else_a_write_answers_does_not_make_its_state_a_matter_of_the_response() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        if call.operation == "PutObject" and answer.success:
            return success(**answer.fields, Besides="1")
        if call.operation == "GetObject" and answer.success:
            return success(**answer.fields, Kind="one")
        if call.operation == "ListObjectsV2" and answer.success:
            items = [{**each, "Kind": "one"} for each in answer.fields["Contents"]]
            return success(**{**answer.fields, "Contents": items})
        return answer

    found = {(each.operation, each.place): each.manifestation for each in find(trick)}
    assert found["PutObject", "Besides"] == "response"
    kinds = {where: said for where, said in found.items() if "Kind" in where[1]}
    assert kinds
    assert "both" not in kinds.values()
