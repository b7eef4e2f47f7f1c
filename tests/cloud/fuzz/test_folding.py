"""What has the cause of another finding is no finding of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_side import OPERATIONS, FakeSide, Trick, campaign, failure, success
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref
from likewise.cloud.fuzz.catalogue.known import argument
from likewise.cloud.fuzz.differences.causes import (
    AFTER,
    CONSTRAINT,
    ERROR,
    NOT_IMPLEMENTED,
    NULL,
    STATES,
    condition,
    likely_cause,
)
from likewise.cloud.fuzz.differences.folding import (
    follows_from,
    follows_from_deafness,
    follows_from_idleness,
    follows_from_omission,
    is_of_part,
    is_same_absence,
    is_same_asked,
    is_same_end,
    is_same_field,
    is_same_message,
    is_same_order,
    is_same_page,
    is_same_refusal,
)
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.likeness import last_name
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.inquiry import _is_said_of_state
from likewise.cloud.fuzz.inquiry.minimising import Look, Shown
from likewise.cloud.fuzz.log import Log, read
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.following import companions
from likewise.model import Difference, Implication


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)


def catalogue(
    trick: Trick,
    folder: Path,
    budget: int = 900,
    *,
    other: Trick | None = None,
    operations: tuple[str, ...] = OPERATIONS,
) -> list[Finding]:
    """The catalogue of a campaign where the reference plays a trick, and the candidate perhaps another."""
    sides = FakeSide(trick, "one"), FakeSide(other, "two")
    running = campaign(*sides, budget=budget, operations=operations)
    log = Log(folder / "log.jsonl", header={"service": "s3"})
    for event in running.run():
        if isinstance(event, Finding):
            log.finding(event)
    running.pair.close()
    log.close()
    return read([folder / "log.jsonl"]).ranked()


def test_an_operation_that_does_nothing_is_one_finding(tmp_path: Path) -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        return success(Nothing="done") if call.operation == "DeleteObject" else None

    (found,) = catalogue(trick, tmp_path)
    assert (found.operation, found.manifestation) == ("DeleteObject", "both")


def test_a_write_that_does_nothing_is_one_finding_though_only_a_parameter_shows_it(tmp_path: Path) -> None:
    """As it is usually called it leaves what is there in any case, and no read tells."""

    def honest(call: Call, _: int, side: FakeSide) -> Answer | None:
        bucket = side.buckets.get(str(call.params.get("Bucket")))
        if call.operation not in ("PutBucketAcl", "GetBucketAcl") or bucket is None:
            return None
        if call.operation == "GetBucketAcl":
            return success(Grants=[{"Permission": each} for each in bucket.get("acl", ("FULL_CONTROL",))])
        given = call.params.get("ACL", "private")
        if given not in ("private", "public-read") or call.params.keys() - {"Bucket", "ACL"}:
            return failure(400, "InvalidArgument", "Not that.")
        bucket["acl"] = ("FULL_CONTROL",) if given == "private" else ("FULL_CONTROL", "READ")
        return success()

    def idle(call: Call, number: int, side: FakeSide) -> Answer | None:
        return success() if call.operation == "PutBucketAcl" else honest(call, number, side)

    operations = ("CreateBucket", "PutBucketAcl", "GetBucketAcl")
    (found,) = catalogue(idle, tmp_path, other=honest, operations=operations)
    assert (found.operation, found.manifestation, found.idle) == ("PutBucketAcl", "state", 0)


def test_what_a_side_that_does_nothing_takes_is_no_finding_of_its_own() -> None:
    calls = [Call(service="s3", operation=name, params={}) for name in ("PutBucketAcl", "GetBucketAcl")]
    write = sample_finding("PutBucketAcl", kind="length", shown_by="GetBucketAcl", idle=0, hash="1")
    taken = sample_finding(
        "PutBucketAcl", kind="success", reference="success (200)", candidate="400 No", hash="2"
    )
    assert follows_from_idleness(taken, write)
    assert not follows_from_idleness(taken, replace(write, idle=None))
    assert not follows_from_idleness(taken, replace(write, idle=1)), "that side refuses it"
    assert not follows_from_idleness(replace(taken, kind="error code"), write), "both refuse it"
    assert not follows_from_idleness(write, write)
    read = sample_finding("GetBucketAcl", kind="success", sequence=tuple(calls), hash="3")
    assert follows_from_idleness(read, write)
    assert not follows_from_idleness(replace(read, sequence=tuple(calls[1:])), write)


def test_two_writes_that_do_nothing_are_two_findings_though_one_read_shows_both(tmp_path: Path) -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        return success() if call.operation in ("CopyObject", "RenameObject") else None

    def honest(call: Call, _: int, side: FakeSide) -> Answer | None:
        objects = side.buckets.get(str(call.params.get("Bucket")), {})
        if call.operation in ("CopyObject", "RenameObject") and objects:
            objects[str(call.params["Key"])] = b"copy"
            return success()
        return None

    running = campaign(
        FakeSide(trick, "one"),
        FakeSide(honest, "two"),
        budget=900,
        operations=("CreateBucket", "PutObject", "CopyObject", "RenameObject", "ListObjectsV2"),
    )
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {each.operation for each in found if each.manifestation == "state"} == {
        "CopyObject",
        "RenameObject",
    }


def test_an_operation_that_is_always_denied_is_one_finding(tmp_path: Path) -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        return failure(403, "AccessDenied", "Not you.") if call.operation == "GetObject" else None

    (found,) = catalogue(trick, tmp_path)
    assert (found.operation, found.cause) == ("GetObject", "authorisation not enforced")


def test_a_refused_parameter_is_one_finding_whatever_else_is_wrong(tmp_path: Path) -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        refused = call.operation == "PutObject" and "CacheControl" in call.params
        return failure(400, "InvalidArgument", "No CacheControl here.") if refused else None

    (found,) = catalogue(trick, tmp_path)
    assert (found.operation, found.parameter, found.kind) == ("PutObject", "CacheControl", "success")


def test_another_refusal_of_the_same_operation_is_another_finding(tmp_path: Path) -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "PutObject" and "CacheControl" in call.params:
            return failure(400, "InvalidArgument", "No CacheControl here.")
        answer = side.honest(call)
        if call.operation == "PutObject" and answer.code == "NoSuchBucket":
            return failure(404, "NoBucket", "Where?")
        return answer

    assert {each.kind for each in catalogue(trick, tmp_path)} == {"success", "error code"}


def test_the_order_of_things_that_only_their_identifiers_tell_apart_is_an_order(tmp_path: Path) -> None:
    from likewise.cloud.fuzz.differences.bonds import Bonds

    bonds = Bonds()
    pairs = [("aaaaaaaa", "11111111"), ("bbbbbbbb", "22222222")]
    assert all(bonds.hold(*pair) for pair in pairs)
    assert bonds.are_permuted([("aaaaaaaa", "22222222"), ("bbbbbbbb", "11111111")])
    assert not bonds.are_permuted([("aaaaaaaa", "22222222"), ("bbbbbbbb", "22222222")])
    assert not bonds.are_permuted([("aaaaaaaa", "22222222")])


def test_a_server_that_fails_over_a_parameter_is_one_finding_whatever_the_other_says_to_it() -> None:
    crash = sample_finding(
        kind="success", cause="null reference", condition="c", parameter="N", reference="500 Oops"
    )
    same = {"kind": "error code", "cause": "null reference", "condition": "c", "reference": "500 Oops"}
    assert is_same_refusal(sample_finding(parameter="N", **same), crash)
    assert is_same_refusal(sample_finding(parameter="N and M", **same), crash)
    assert not is_same_refusal(sample_finding(parameter="M", **same), crash)
    assert not is_same_refusal(sample_finding(parameter="N", **same | {"reference": "500 Ouch"}), crash)


def test_a_list_is_as_short_as_the_limit_that_its_side_names() -> None:
    limit = sample_finding(place="MaxParts", reference="1", candidate="1000")
    shorter = sample_finding(kind="length", place="Parts", reference="1", candidate="2")
    assert is_same_page(shorter, limit)
    assert not is_same_page(shorter, sample_finding(place="MaxParts", reference="3", candidate="1000"))
    assert not is_same_page(shorter, sample_finding(place="Size", reference="1", candidate="1000"))
    assert not is_same_page(limit, shorter)
    none = sample_finding(kind="extra", place="Versions", reference="None", candidate="[{'Key': 'k'}]")
    assert is_same_page(none, limit), "the page was full before the list began"
    assert not is_same_page(none, sample_finding(place="MaxParts", reference="1000", candidate="1"))


def test_what_is_refused_for_one_of_several_parameters_is_known_by_its_status() -> None:
    alone = sample_finding(
        kind="success", condition="c", parameter="N", reference="success (200)", candidate="400"
    )
    both = {"kind": "error code", "condition": "c", "parameter": "M and N", "reference": "415 NotThat"}
    assert is_same_refusal(sample_finding(candidate="400", **both), alone)
    assert not is_same_refusal(sample_finding(candidate="404", **both), alone)
    assert not is_same_refusal(sample_finding(candidate="400", **both | {"parameter": "M and O"}), alone)


def test_what_needs_another_parameter_is_given_along_with_it() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    plan = planner.plan("Scan")
    call = replace(plan.call, params={**plan.call.params, "TotalSegments": 7})
    probe = Probe(call=call, parameter="TotalSegments", value_class="boundary", note="7")
    said = failure(400, "ValidationException", "The Segment parameter is required as well")
    (both,) = companions(probe, planner, (said, said))
    assert (both.call.params["TotalSegments"], both.call.params["Segment"]) == (7, 0)
    assert both.parameter == "TotalSegments and Segment"
    assert list(companions(probe, planner, (success(), success()))) == []


def test_two_texts_for_one_failure_are_a_matter_of_the_text() -> None:
    gap = Gap(
        operation="GetObject",
        index=0,
        difference=Difference.MESSAGE,
        place="",
        reference="One.",
        candidate="Another.",
        implication=Implication.MISLEADING,
    )
    both = (failure(500, "NotSupported", "One."), failure(500, "NotSupported", "Another."))
    assert likely_cause(gap, *both, settles=False, never=(False, False)).name == ERROR


def test_what_is_not_supported_for_one_call_is_a_constraint_where_the_operation_is_known() -> None:
    gap = Gap(
        operation="PutObject",
        index=0,
        difference=Difference.SUCCESS,
        place="",
        reference="400",
        candidate="success",
        implication=Implication.UNSAFE,
    )
    refused = failure(400, "AccessControlListNotSupported", "The bucket does not allow ACLs")
    known = likely_cause(gap, refused, success(), settles=False, never=(False, False))
    assert known.name == CONSTRAINT
    unknown = likely_cause(gap, refused, success(), settles=False, never=(True, False))
    assert unknown.name == NOT_IMPLEMENTED
    header = failure(501, "NotImplemented", "A header you provided implies functionality that is not there")
    assert likely_cause(gap, header, success(), settles=False, never=(False, False)).name == CONSTRAINT
    lacking = likely_cause(gap, success(), header, settles=False, never=(False, False))
    assert lacking.name == NOT_IMPLEMENTED, "the stand-in lacks what the reference has"
    code = replace(gap, difference=Difference.CODE, implication=Implication.MISLEADING)
    crash = likely_cause(code, refused, failure(500, "500", ""), settles=False, never=(False, False))
    assert crash.name == NULL


def test_a_thing_that_is_not_there_is_one_finding_by_its_name_or_by_what_was_made() -> None:
    errors = (("NoSuchBucket", "it does not exist"), ("", ""))
    same = {"kind": "success", "place": "", "errors": errors}
    state = sample_finding(condition=STATES["no parent"], **same)
    named = {"condition": "c", "parameter": "Bucket"}
    assert is_same_absence(sample_finding(value_class="unknown resource", **named, **same), state)
    assert not is_same_absence(state, sample_finding(value_class="unknown resource", **named, **same))
    assert not is_same_absence(sample_finding(value_class="too long", **named, **same), state)
    other = same | {"errors": (("NoSuchVersion", "no"), ("", ""))}
    assert not is_same_absence(sample_finding(value_class="unknown resource", **named, **other), state)


def test_a_parameter_of_the_write_before_it_is_no_condition_of_a_read() -> None:
    """The ledger would trust a test that reads without it, though another call gave it."""
    given = {"parameter": "SSECustomerKey", "value_class": "typical"}
    own = sample_finding("HeadObject", condition="only when SSECustomerKey is given", **given)
    assert argument(own) == "x-amz-server-side-encryption-customer-key"
    after = sample_finding(
        "HeadObject", condition=f"{AFTER}PutObject, only when SSECustomerKey is given", **given
    )
    assert argument(after) == ""


def test_a_thing_is_also_removed_while_something_lies_in_it() -> None:
    planner = Planner(load("s3"), hints_of("s3"))
    states = Cases(planner, 1, ("DeleteBucket",)).states()
    (task,) = states["filled key"]
    assert [call.operation for call in task.case.setup] == ["CreateBucket", "PutObject"]
    (probe,) = task.case.probes
    assert probe.call.operation == "DeleteBucket"
    assert condition(probe, task.case.setup, shows_typically=False) == STATES["filled"]
    assert condition(probe, task.case.setup[:1], shows_typically=False) == ""


def test_a_parameter_that_is_refused_for_a_part_of_it_is_the_part_s_finding() -> None:
    said = (("InvalidRequest", "No."), ("", ""))
    part = sample_finding("PutBucketWebsite", kind="success", parameter="Website.Rules", errors=said)
    whole = replace(part, parameter="Website")
    assert is_of_part(whole, part)
    assert not is_of_part(part, whole)
    assert not is_of_part(replace(whole, errors=(("Other", "No."), ("", ""))), part)
    assert not is_of_part(replace(whole, parameter="Web"), part)


def test_one_text_for_all_that_may_be_wrong_is_one_finding() -> None:
    one = sample_finding("Query", kind="message", reference="No.", candidate="The key is missing", hash="1")
    two = replace(one, candidate="The index is unknown", hash="2")
    assert is_same_message(two, one)
    assert not is_same_message(one, two), "one of them stays"
    assert not is_same_message(replace(two, reference="Not so."), one)
    assert not is_same_message(replace(two, operation="Scan"), one)


def test_what_shows_after_a_write_that_leaves_something_else_follows_from_it() -> None:
    put = {"Bucket": "b", "Key": "k", "StorageClass": "GLACIER"}
    write = sample_finding(
        "PutObject", manifestation="state", parameter="StorageClass", shown_by="HeadObject"
    )
    calls = [Call(service="s3", operation=name, params=put) for name in ("PutObject", "GetObject")]
    read = sample_finding("GetObject", kind="success", sequence=tuple(calls))
    assert follows_from(read, write)
    plain = replace(calls[0], params={"Bucket": "b", "Key": "k"})
    assert not follows_from(replace(read, sequence=(plain, calls[1])), write), "it is not given there"
    assert not follows_from(read, replace(write, manifestation="response"))
    assert not follows_from(read, replace(write, parameter="Body")), "that is always given"
    assert not follows_from(write, write)


def test_what_only_one_side_was_given_tells_nothing_about_the_call() -> None:
    """A list that gives no marker differs itself, and not once more in the page after it."""
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    first = Call(service="s3", operation="ListObjectsV2", params={"Bucket": Name("bucket"), "MaxKeys": 1})
    token = {"ContinuationToken": Ref(0, ("NextContinuationToken",))}
    second = Probe(call=replace(first, params={**first.params, **token}))
    case = Case(setup=(first,), probes=(second,))

    def seen(token: str, *keys: str) -> Seen:
        page = success(Contents=[{"Key": each} for each in keys])
        return Seen(setup=[success(NextContinuationToken=token)], answers=[page])

    both = running.inquiry.gaps(case, second, seen("one", "b"), seen("two", "c"))
    assert [each.place for each in both[0]] == ["Contents[].Key"]
    assert running.inquiry.gaps(case, second, seen("", "b"), seen("two", "c")) == ([], set())
    running.pair.close()


def test_a_write_that_is_taken_everywhere_and_leaves_the_old_identifier_does_nothing() -> None:
    gap = Gap(
        operation="GetObject",
        index=1,
        difference=Difference.IDENTITY,
        place="ETag",
        reference="identifier 2 of this sequence",
        candidate="a new identifier",
        implication=Implication.WRONG_RESULT,
    )
    put = Call(service="s3", operation="PutObject", params={"Bucket": Name("bucket"), "Key": Name("key")})
    shown = Shown(
        gap=gap, case=Case(probes=(Probe(call=put),)), look=Look(gaps=[gap], seen=None), confirmed=2
    )
    for trick, side in ((lambda *_: success(ETag="1"), 0), (None, None)):
        running = campaign(FakeSide(trick, "one"), FakeSide(name="two"))
        assert running.inquiry._blame._leaves_alone(shown) == side
        running.pair.close()


def test_a_refusal_without_a_text_is_known_by_its_code() -> None:
    said = (("InvalidHeaderValue", ""), ("", ""))
    alone = sample_finding(kind="success", condition="c", parameter="Range", errors=said)
    call = replace(alone.sequence[-1], params={"Range": "x"})
    both = {"kind": "error code", "condition": "c", "parameter": "Range", "sequence": (call,)}
    assert is_same_refusal(sample_finding(errors=(said[0], ("ConditionNotMet", "")), **both), alone)
    assert not is_same_refusal(sample_finding(errors=(("Other", ""), ("ConditionNotMet", "")), **both), alone)


def test_an_answer_to_a_value_with_which_something_else_is_left_says_the_same_again() -> None:
    put = Call(service="s3", operation="PutObject", params={"Bucket": Name("bucket"), "Key": Name("key")})
    gap = Gap(
        operation="PutObject",
        index=0,
        difference=Difference.VALUE,
        place="Expires",
        reference="1",
        candidate="2",
        implication=Implication.WRONG_RESULT,
    )
    case = Case(probes=(Probe(call=put, parameter="Expires", value_class="boundary"),))
    shown = Shown(gap=gap, case=case, look=Look(gaps=[gap], seen=None), confirmed=2)
    left = sample_finding("PutObject", parameter="Expires", manifestation="state")
    assert _is_said_of_state(shown, [left])
    assert not _is_said_of_state(shown, [replace(left, manifestation="response")])
    assert not _is_said_of_state(shown, [replace(left, parameter="Body")])


def test_a_field_that_differs_alike_in_two_parts_of_an_answer_is_one_finding() -> None:
    said = {"operation": "ListObjectVersions", "kind": "value", "reference": "False", "candidate": "True"}
    one = sample_finding(place="Versions[].IsLatest", hash="1", **said)
    calls = (*one.sequence, one.sequence[-1])
    two = replace(one, place="DeleteMarkers[].IsLatest", hash="2", sequence=calls)
    assert is_same_field(two, one)
    assert not is_same_field(one, two), "the shorter one stays"
    assert not is_same_field(replace(two, place="DeleteMarkers[].Key"), one)
    assert not is_same_field(replace(two, reference="True", candidate="False"), one)


def test_something_else_that_differs_after_a_write_does_not_follow_from_it() -> None:
    put = Call(service="s3", operation="PutObject", params={"Bucket": "b", "Metadata": {}, "Tagging": "a=b"})
    get = Call(service="s3", operation="GetObject", params={"Bucket": "b"})
    write = sample_finding(
        operation="PutObject",
        parameter="Metadata",
        place="Metadata.colour",
        kind="value",
        manifestation="state",
        sequence=(put, get),
    )
    read = replace(write, operation="CopyObject", parameter="", hash="other", manifestation="state")
    assert follows_from(read, write)
    assert not follows_from(replace(read, place="TagCount"), write)


def _tags(heeds: bool) -> Trick:
    """A store that keeps the tags of objects, and heeds those that an object is put with, or does not."""
    kept: dict[tuple[str, str], list[str]] = {}

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        where = (str(call.params.get("Bucket")), str(call.params.get("Key")))
        match call.operation:
            case "PutObject" if where[0] in side.buckets:
                kept[where] = [str(call.params["Tagging"])] if heeds and "Tagging" in call.params else []
            case "PutObjectTagging" if where in kept:
                kept[where] = ["set"]
                return success()
            case "GetObjectTagging" if where in kept:
                return success(TagSet=[{"Key": each} for each in kept[where]])
            case "PutObjectTagging" | "GetObjectTagging":
                return failure(404, "NoSuchKey")
        return None

    return trick


def test_a_parameter_that_one_side_does_not_heed_is_the_fault_of_the_write(tmp_path: Path) -> None:
    some = ("CreateBucket", "PutObject", "GetObject", "PutObjectTagging", "GetObjectTagging")
    found = catalogue(_tags(heeds=False), tmp_path, other=_tags(heeds=True), operations=some)
    assert [(each.operation, each.manifestation, each.parameter) for each in found] == [
        ("PutObject", "state", "Tagging")
    ]


def test_a_list_leaves_out_what_another_read_shows_and_the_write_is_not_in_doubt(tmp_path: Path) -> None:
    """Else nothing more would be looked for after a bucket was made."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "ListBuckets":
            return success(Buckets=[{"Name": each} for each in sorted(side.buckets)[:-1]])
        if call.operation == "GetBucketLocation":
            bucket = call.params["Bucket"]
            return success(Place="here") if bucket in side.buckets else failure(404, "NoSuchBucket")
        if call.operation == "HeadBucket":
            return failure(404, "404")
        if call.operation == "GetObject":
            answer = side.honest(call)
            return replace(answer, code="NotThere") if answer.code == "NoSuchKey" else answer
        return None

    def place(call: Call, _: int, side: FakeSide) -> Answer | None:
        return trick(call, _, side) if call.operation == "GetBucketLocation" else None

    some = (*OPERATIONS, "GetBucketLocation")
    found = catalogue(trick, tmp_path, other=place, operations=some)
    assert {"ListBuckets", "GetObject"} <= {each.operation for each in found}


def test_lists_of_one_name_in_two_parts_of_an_answer_are_in_one_other_order() -> None:
    first = sample_finding("BlockBlob_GetBlockList", kind="order", place="body.BlockList.Committed.Block")
    second = replace(first, place="body.BlockList.Uncommitted.Block", hash="1" * 16)
    assert is_same_order(first, second) != is_same_order(second, first), "one of them stays"
    assert not is_same_order(first, replace(second, place="body.BlockList.Uncommitted.Name"))
    assert not is_same_order(first, replace(second, kind="value"))


def test_a_field_that_differs_under_every_name_that_is_asked_for_is_one_finding() -> None:
    def asked(name: str) -> Finding:
        call = Call(service="table", operation="Table_QueryEntities", params={"select": f"n,{name}"})
        found = sample_finding("Table_QueryEntities", kind="missing", place=f"body.value[].{name}")
        found = replace(found, parameter="select", sequence=(call,), hash=name)
        return replace(found, reference="null", candidate="None")

    first, second = asked("none"), asked("other")
    assert is_same_asked(first, second) != is_same_asked(second, first), "one of them stays"
    assert not is_same_asked(first, replace(second, place="body.value[].strange")), "nobody asked for that"
    assert not is_same_asked(first, replace(second, candidate="1"))


def test_what_a_read_says_to_several_parameters_differs_for_the_one_that_it_does_not_heed() -> None:
    deaf = sample_finding("ListObjectsV2", kind="length", parameter="Prefix", deaf=0)
    both = sample_finding("ListObjectsV2", kind="value", place="NextMarker", parameter="Prefix and MaxKeys")
    assert follows_from_deafness(both, deaf)
    assert not follows_from_deafness(both, replace(deaf, deaf=None))
    assert not follows_from_deafness(replace(both, parameter="Marker and MaxKeys"), deaf)
    assert not follows_from_deafness(replace(both, kind="error code"), deaf)


def test_a_call_is_taken_again_where_what_it_changes_was_not_heeded() -> None:
    """A queue that has lost its metadata may be made once more without them."""
    given = Call(service="s3", operation="CreateBucket", params={"Bucket": "b", "Tags": "t"})
    bare = replace(given, params={"Bucket": "b"})
    lost = sample_finding("CreateBucket", manifestation="state", parameter="Tags", deaf=0)
    said = {"kind": "success", "reference": "success (200)", "candidate": "409 Exists"}
    again = sample_finding("CreateBucket", sequence=(given, bare), **said)
    assert follows_from_deafness(again, lost)
    assert not follows_from_deafness(replace(again, sequence=(bare, bare)), lost), "nothing was changed"
    assert not follows_from_deafness(again, replace(lost, parameter="ACL")), "something else was"
    assert not follows_from_deafness(again, replace(lost, deaf=1)), "the other side takes it"


def test_metadata_is_one_field_whatever_its_entries_and_wherever_it_stands() -> None:
    places = ("headers.x-ms-meta-*", "body.Blobs.Blob[].Metadata", "body.Blobs.Blob[].Metadata.*")
    assert {last_name(place) for place in places} == {"metadata"}
    assert last_name("headers.x-ms-lease-state") == last_name("body.Blobs.Blob[].Properties.LeaseState")


def test_a_write_is_not_to_blame_for_a_list_that_leaves_something_out_by_itself() -> None:
    short = sample_finding("ListBuckets", kind="length", place="Buckets", reference="1", candidate="2")
    state = {"manifestation": "state", "shown_by": "ListBuckets", "place": "Buckets"}
    made = sample_finding(
        "CreateBucket", kind="extra", reference="None", candidate="[{'Name': 'a'}]", **state
    )
    assert follows_from_omission(made, short)
    assert not follows_from_omission(short, made)
    assert not follows_from_omission(replace(made, kind="missing"), short), "the other side shows it"
    assert not follows_from_omission(replace(made, shown_by="HeadBucket"), short)
    assert not follows_from_omission(replace(made, idle=0), short), "other reads show nothing of it, either"


def test_a_write_is_not_to_blame_for_a_field_that_a_read_leaves_out_whatever_was_written() -> None:
    less = sample_finding("ListBuckets", kind="extra", place="Buckets[].Owner", reference="None")
    state = {"manifestation": "state", "shown_by": "ListBuckets", "place": "Buckets[].Owner"}
    made = sample_finding("CreateBucket", kind="extra", reference="None", candidate="me", **state)
    assert follows_from_omission(made, less)
    assert not follows_from_omission(replace(made, kind="missing"), less), "the other side leaves it out"
    assert not follows_from_omission(replace(made, place="Buckets[].Name"), less)
    assert not follows_from_omission(made, replace(less, cause="asynchronous behaviour")), (
        "it comes to be there"
    )
    assert not follows_from_omission(replace(made, idle=0), less)


def test_what_was_ended_is_gone_as_what_never_was() -> None:
    taken = {"kind": "success", "reference": "success (204)", "candidate": "404 NoSuchUpload"}
    unknown = sample_finding(parameter="UploadId", value_class="unknown resource", **taken)
    ended = sample_finding(condition=STATES["ended"], **taken)
    assert is_same_end(ended, unknown)
    assert not is_same_end(replace(ended, candidate="404 NoSuchBucket"), unknown)
    assert not is_same_end(replace(ended, condition=STATES["deleted"]), unknown)
    assert not is_same_end(ended, replace(unknown, value_class="wrong format"))


def test_what_comes_of_a_part_that_one_side_loses_follows_from_it_wherever_just_that_is_given() -> None:
    """Though the whole is always given: with that very value it is the write that leaves something else."""
    rules = [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}, "BucketKeyEnabled": True}]
    name = "ServerSideEncryptionConfiguration"
    put = Call(service="s3", operation="PutBucketEncryption", params={"Bucket": "b", name: {"Rules": rules}})
    get = Call(service="s3", operation="GetObject", params={"Bucket": "b"})
    lost = sample_finding(
        put.operation, parameter=name, place="SSEAlgorithm", manifestation="state", sequence=(put,)
    )
    seen = sample_finding("PutObject", place="BucketKeyEnabled", kind="extra", sequence=(put, get))
    assert follows_from(seen, lost)
    assert not follows_from(replace(seen, place="TagCount"), lost), "it is about something else"
    usual = replace(put, params={"Bucket": "b", name: {"Rules": [{"BucketKeyEnabled": True}]}})
    assert not follows_from(replace(seen, sequence=(usual, get)), lost)
