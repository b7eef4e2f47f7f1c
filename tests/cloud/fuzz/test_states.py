"""States that an operation is asked for in: what it names is held, of another form, oddly named."""

from __future__ import annotations

from fake_side import FakeSide

from likewise.cloud.fuzz.calls import Call, Name, Ref, Text, resolve
from likewise.cloud.fuzz.differences.causes import condition
from likewise.cloud.fuzz.grammar import Member, load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.descriptions import _is_own_name
from likewise.cloud.fuzz.names import length
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.sides.execution import Lane, Names, Probe
from likewise.cloud.fuzz.sides.standing import is_replaced
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.schedule import EARLY
from likewise.cloud.fuzz.tasks.states import (
    ASKED,
    HELD,
    KEYED,
    MADE,
    MARKS,
    altered,
    cased,
    ended,
    held,
    oddly,
    otherwise,
    pages,
    ways,
)

BLOBS = Planner(load("blob"), hints_of("blob"))
ROWS = Planner(load("table"), hints_of("table"))


def names(calls: tuple[Call, ...]) -> list[str]:
    return [call.operation for call in calls]


def test_what_is_leased_is_written_without_a_key_with_another_and_with_the_right_one() -> None:
    those = list(held(BLOBS, "Blob_SetMetadata", BLOBS.plan("Blob_SetMetadata")))
    assert {tuple(names(each.setup)) for each in those} == {
        ("Container_Create", "BlockBlob_Upload", "Blob_AcquireLease")
    }
    keys = [each.call.params.get("lease_id") for each in those]
    lease = those[0].setup[-1].params["proposed_lease_id"]
    assert keys[:2] == [None, None]
    assert those[1].labels["parameter"] == "if_match", "which of two mistakes is named is a matter of taste"
    assert keys[2] not in (None, lease)
    assert keys[3] == lease, "at last, for it changes something"
    made = list(held(BLOBS, "BlockBlob_Upload", BLOBS.plan("BlockBlob_Upload")))
    assert "if_none_match" in [each.labels.get("parameter") for each in made]


def test_what_was_put_into_another_state_is_asked_for_by_every_operation_that_it_fits() -> None:
    (only,) = altered(BLOBS, "Blob_SetHTTPHeaders", BLOBS.plan("Blob_SetHTTPHeaders"))
    assert names(only.setup) == ["Container_Create", "BlockBlob_Upload", "Blob_SetTier"]
    assert only.setup[-1].params["tier"] == "Archive"
    (made,) = altered(BLOBS, "BlockBlob_Upload", BLOBS.plan("BlockBlob_Upload"))
    assert names(made.setup)[-2:] == ["BlockBlob_Upload", "Blob_SetTier"], "it is there before"
    assert not list(altered(BLOBS, "PageBlob_Resize", BLOBS.plan("PageBlob_Resize"))), "of another form"
    assert not list(altered(BLOBS, "Blob_SetTier", BLOBS.plan("Blob_SetTier")))


def test_what_an_operation_makes_itself_is_there_before_it_is_held() -> None:
    first, *_ = held(BLOBS, "PageBlob_Create", BLOBS.plan("PageBlob_Create"))
    assert names(first.setup) == ["Container_Create", "PageBlob_Create", "Blob_AcquireLease"]
    assert not list(held(BLOBS, "Blob_RenewLease", BLOBS.plan("Blob_RenewLease")))
    assert not list(held(ROWS, "Table_UpdateEntity", ROWS.plan("Table_UpdateEntity")))


def test_an_operation_on_one_form_of_a_thing_is_asked_of_the_others() -> None:
    those = list(otherwise(BLOBS, "AppendBlob_AppendBlock", BLOBS.plan("AppendBlob_AppendBlock")))
    assert [names(each.setup)[-1] for each in those] == ["BlockBlob_Upload", "PageBlob_Create"]


def test_what_an_operation_goes_on_with_was_ended_by_each_that_can() -> None:
    objects = Planner(load("s3"), hints_of("s3"))
    those = list(ended(objects, "UploadPart"))
    assert [names(each.setup)[-1] for each in those] == ["AbortMultipartUpload", "CompleteMultipartUpload"]
    assert all(each.call.params["UploadId"] == Ref(1, ("UploadId",)) for each in those)
    assert not list(ended(objects, "CreateMultipartUpload"))


def test_what_lies_inside_gets_a_name_with_marks_everywhere() -> None:
    name = "Table_QueryEntitiesWithPartitionAndRowKey"
    (only,) = oddly(ROWS, ROWS.plan(name))
    odd = Text((Name("row"), MARKS))
    assert only.call.params["row_key"] == odd
    assert only.setup[-1].params["body"]["json"]["RowKey"] == odd
    assert only.setup[0].params["body"]["json"]["TableName"] == Name("table"), "what contains it has its own"
    assert not list(oddly(BLOBS, BLOBS.plan("Blob_CopyFromURL"))), "an address writes it in its own way"


def test_what_is_there_is_asked_for_by_a_name_that_differs_in_capital_letters_only() -> None:
    table, row = cased(ROWS, ROWS.plan("Table_QueryEntitiesWithPartitionAndRowKey"))
    assert table.call.params["table"] == Text((Name("table"), ASKED))
    assert table.setup[0].params["body"]["json"]["TableName"] == Text((Name("table"), MADE))
    assert (row.call.params["table"], row.call.params["row_key"]) == (
        Name("table"),
        Text((Name("row"), ASKED)),
    )
    (blob,) = cased(BLOBS, BLOBS.plan("Blob_GetProperties"))
    assert blob.call.params == {"container": Name("container"), "blob": Text((Name("blob"), ASKED))}
    assert MADE.lower() == ASKED.lower()
    assert not list(cased(BLOBS, BLOBS.plan("Container_GetProperties"))), "containers have small letters only"
    assert not list(cased(BLOBS, BLOBS.plan("BlockBlob_Upload"))), "nothing is there before"


def test_a_state_that_turned_out_not_to_matter_is_no_condition() -> None:
    create = Call(service="blob", operation="Container_Create")
    lease = Call(service="blob", operation="Blob_AcquireLease")
    probe = Probe(call=Call(service="blob", operation="Blob_Download"), state="held")
    assert condition(probe, (create, lease), shows_typically=False) == "only while what it names is held"
    assert condition(probe, (create,), shows_typically=False) == ""


def test_a_call_with_a_condition_replaces_nothing_that_it_asks_about() -> None:
    put = Call(service="blob", operation="BlockBlob_Upload", params={"blob": Name("blob")})
    careful = Call(service="blob", operation="BlockBlob_Upload", params={"if_none_match": "*"})
    assert is_replaced(put, put)
    assert not is_replaced(put, careful)


def test_a_condition_is_given_that_holds_where_an_earlier_answer_gave_the_mark() -> None:
    (task, *_) = [
        task
        for task in Cases(ROWS, 1, ("Table_UpdateEntity",)).sweep("Table_UpdateEntity")
        if any(isinstance(probe.call.params.get("etag"), Ref) for probe in task.case.probes)
    ]
    (probe,) = [each for each in task.case.probes if isinstance(each.call.params.get("etag"), Ref)]
    assert probe.call.params["match_condition"] == "IfNotModified"
    assert task.case.setup[probe.call.params["etag"].call].operation == "Table_InsertEntity"
    assert task.keys[-1] in EARLY


def test_what_is_taken_out_is_looked_for_after_a_write_and_never_before() -> None:
    planner = Planner(load("queue"), hints_of("queue"))
    plan = planner.plan("Messages_Enqueue")
    assert "Messages_Dequeue" in names(planner.reads(plan.setup, plan.call))
    assert "Messages_Dequeue" not in names(tuple(planner.looks(plan.setup, plan.call)))


def test_a_list_is_asked_for_what_the_write_before_it_made() -> None:
    """Snapshots, blobs without content and the like are shown only to those who ask for them."""
    for operation, wanted in (("Blob_CreateSnapshot", "snapshots"), ("Blob_SetTags", "tags")):
        plan = BLOBS.plan(operation)
        reads = BLOBS.reads(plan.setup, plan.call)
        lists = [each for each in reads if each.operation == "Container_ListBlobFlatSegment"]
        assert [wanted in each.params["include"] for each in lists] == [True]
    assert "include" not in BLOBS.typical("Container_ListBlobFlatSegment")


def test_a_name_is_as_long_as_it_may_be() -> None:
    member = Member(name="queue", kind="string", maximum=63)
    lane = Lane(FakeSide(), tag="r", run="fuzzy")
    lane.side.service = "queue"
    given = [each.params["queue"] for each in variants((member,), {"queue": Name("queue")}, {})]
    texts = [resolve(each, lane.names(), []) for each in given if isinstance(each, Text)]
    assert 63 in map(len, texts)
    inside = Name("blob")
    assert len(Names("lwfuzzy0001r", "", "container")[inside]) == length("blob")


def test_a_field_of_the_client_is_one_finding_whatever_it_is_called() -> None:
    write = Call(service="table", operation="Table_UpdateEntity", params={"body": {"json": {"extra": 1}}})
    assert _is_own_name("body.value[].extra", (write,))
    assert _is_own_name("headers.x-ms-meta-extra", (write,))
    assert not _is_own_name("body.Timestamp", (write,))


def test_a_read_is_asked_twice_too() -> None:
    (task,) = Cases(BLOBS, 1, ("Blob_GetProperties",)).states()["reread"]
    assert names(task.case.setup)[-1] == task.case.probes[0].call.operation == "Blob_GetProperties"


def test_whether_what_is_held_is_kept_from_others_is_asked_before_keys_are_tried() -> None:
    found = Cases(BLOBS, 1, ("Blob_SetTier",)).states()
    assert {probe.parameter for task in found[HELD] for probe in task.case.probes} == {""}
    assert "lease_id" in {probe.parameter for task in found[KEYED] for probe in task.case.probes}


def test_a_page_is_asked_of_a_list_with_each_thing_that_narrows_it() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    calls = {}
    for name in ("ListBackups", "Scan"):
        tasks = Cases(planner, 1, (name,)).states()["narrow page"]
        calls[name] = [probe.call.params for task in tasks for probe in task.case.probes]
    assert all(params["Limit"] == 1 for those in calls.values() for params in those)
    assert [params["TableName"] for params in calls["ListBackups"]] == [Name("table")]
    assert {"IndexName", "FilterExpression", "Segment"} <= set().union(*calls["Scan"])


def test_a_page_may_have_everything_on_it() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    whole = dict(pages(planner, planner.plan("Scan", many=True)))["whole page"]
    assert names(whole.setup) == ["CreateTable", "PutItem"]
    assert whole.call.params["Limit"] == 1


def test_a_read_that_is_asked_after_a_way_of_writing_needs_no_way_of_its_own() -> None:
    """What a write left shows as such there, and not as what the read says."""
    planner = Planner(load("s3"), hints_of("s3"))
    (read,) = [each for name, each in ways(planner, "GetBucketEncryption") if name.endswith(":kms")]
    ways_of = [
        probe
        for task in Cases(planner, 1, ("GetBucketEncryption", "PutBucketEncryption")).states()["way"]
        for probe in task.case.probes
    ]
    assert read.call in [each for probe in ways_of for each in probe.observers]
    assert read.call.operation not in [probe.call.operation for probe in ways_of]
