"""Operations are called in every way that users call them, and the first values of all have their turn."""

from __future__ import annotations

from itertools import islice

import pytest
from fake_side import FakeSide, campaign, failure

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Text
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.minimising import Look, Minimiser
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import AND
from likewise.cloud.fuzz.sides.execution import Case, Lane, Probe
from likewise.cloud.fuzz.sides.standing import is_replaced
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.gains import Gains
from likewise.cloud.fuzz.tasks.schedule import EARLY, NEXT, Schedule
from likewise.cloud.fuzz.tasks.usual import Usual
from likewise.model import Difference, Implication

SOME = ("CreateTable", "DescribeTable", "PutItem", "GetItem", "Query", "Scan")


def planner(service: str = "dynamodb") -> Planner:
    return Planner(load(service), hints_of(service))


def test_every_way_of_every_service_can_be_planned() -> None:
    for service in ("s3", "dynamodb", "blob", "queue", "table"):
        plans = planner(service)
        for way in plans.hints.ways:
            plan = plans.plan(way)
            assert plan.call.operation == way.partition(":")[0]
            members = {member.name for member in plans.grammar.operations[plan.call.operation].members}
            assert set(plan.call.params) <= members, way
            placed = [each for each in (*plan.setup, plan.call) if "call=-1" in repr(each.params)]
            assert not placed, f"{way} refers to something that is not made before"


def test_a_way_has_the_set_up_that_it_needs_in_the_order_that_is_said() -> None:
    plan = planner("s3").plan("GetObject:version")
    assert [call.operation for call in plan.setup] == ["CreateBucket", "PutBucketVersioning", "PutObject"]
    assert plan.call.params["VersionId"] == Ref(2, ("VersionId",))
    assert "GlobalSecondaryIndexes" in planner().plan("Query:index").setup[0].params


def test_what_a_policy_forbids_was_there_before_it_and_another_bucket_is_there_besides() -> None:
    def before(service: str, way: str) -> list[str]:
        return [call.operation for call in planner(service).plan(way).setup]

    assert before("s3", "HeadBucket:closed") == ["CreateBucket", "PutObject", "PutBucketPolicy"]
    assert before("s3", "CopyObject:elsewhere") == ["CreateBucket", "CreateBucket", "PutObject"]
    assert before("dynamodb", "DescribeTable:closed") == ["CreateTable", "PutItem", "PutResourcePolicy"]


def test_expressions_and_what_was_there_before_them_are_given_together_everywhere() -> None:
    ways = planner().hints.ways
    assert all(f"{name}:both" in ways for name in ("GetItem", "PutItem", "UpdateItem", "DeleteItem"))
    assert {"KeyConditionExpression", "QueryFilter"} <= planner().plan("Query:both").call.params.keys()
    assert {"FilterExpression", "ScanFilter"} <= planner().plan("Scan:both").call.params.keys()


def test_each_way_is_tried_and_named_by_what_is_given_besides() -> None:
    cases = Cases(planner(), 1, SOME)
    tasks = cases.states()["way"]
    probes = {probe.state: probe for task in tasks for probe in task.case.probes}
    wanted = {f"way {name}" for name in cases.planner.hints.ways if name.partition(":")[0] in SOME}
    after = {"way DescribeTable:index": "way CreateTable:index", "way GetItem:kinds": "way PutItem:kinds"}
    assert probes.keys() == wanted - after.keys()
    for read, write in after.items():
        assert probes[write].observers[0].operation in read, "it is asked there"
    alone = Cases(planner(), 1, ("GetItem",)).states()["way"]
    probes |= {probe.state: probe for task in alone for probe in task.case.probes}
    assert probes["way Query:index"].parameter == "IndexName"
    assert probes["way GetItem:names"].parameter == AND.join(
        ("ProjectionExpression", "ExpressionAttributeNames")
    )
    assert probes["way GetItem:kinds"].parameter == "", "only what was there before is another"
    assert len({task.name for task in tasks}) == len(tasks)


def test_every_operation_is_asked_early_for_what_is_somebody_elses() -> None:
    tasks = list(Cases(planner("s3"), 1, ("GetObject",)).sweep("GetObject"))
    early = [probe for task in tasks if task.keys[-1] in EARLY for probe in task.case.probes]
    (other,) = (probe for probe in early if probe.value_class == "other owner")
    assert other.parameter == "ExpectedBucketOwner"
    assert not any(each.parameter == other.parameter for each in early if each is not other)


def test_an_answer_that_leaves_out_what_is_usual_says_nothing_of_it() -> None:
    usual = Usual()
    item = {"id": "a", "rank": 1}
    usual.note("Query", Answer(success=True, fields={"Items": [item], "Count": 1, "Next": ""}))
    assert usual.is_all_in("Query", Answer(success=True, fields={"Items": [item, item], "Count": 2}))
    assert not usual.is_all_in("Query", Answer(success=True, fields={"Items": [{"id": "a"}] * 2, "Count": 2}))
    assert not usual.is_all_in("Query", Answer(success=True, fields={"Count": 2})), "in which order?"
    assert usual.is_all_in("Scan", Answer(success=True, fields={}))


def test_texts_that_mean_nothing_are_given_several_at_a_time() -> None:
    tasks = list(Cases(planner("s3"), 1, ("PutObject",)).sweep("PutObject"))
    first = [probe for task in tasks for probe in task.case.probes if probe.value_class.startswith("wrong")]
    (kinds, *_) = (set(probe.value_class.split(AND)) for probe in first if AND in probe.parameter)
    assert kinds == {"wrong format"}


def test_a_value_of_another_kind_may_hold_nothing() -> None:
    tasks = list(Cases(planner(), 1, ("UpdateItem",)).sweep("UpdateItem"))
    early = [probe for task in tasks if task.keys[-1] in EARLY for probe in task.case.probes]
    values = [probe.call.params.get("ExpressionAttributeValues", {}).get(":one") for probe in early]
    assert {"SS": []} in values


def test_what_is_written_or_removed_is_looked_for_in_the_list_as_well() -> None:
    objects = planner("s3")
    assert objects.observers("DeleteBucketMetricsConfiguration") == (
        "GetBucketMetricsConfiguration",
        "ListBucketMetricsConfigurations",
    )
    assert "ListBuckets" in objects.observers("DeleteBucket")


def test_an_old_name_of_an_operation_is_not_swept_again() -> None:
    cases = Cases(planner("s3"), 1, ("PutBucketLifecycle", "PutBucketLifecycleConfiguration"))
    assert not list(cases.sweep("PutBucketLifecycle"))
    assert list(cases.sweep("PutBucketLifecycleConfiguration"))


def test_parts_that_are_parameters_elsewhere_have_their_typical_values() -> None:
    probes = [
        probe
        for task in Cases(planner(), 1, ("TransactWriteItems",)).sweep("TransactWriteItems")
        for probe in task.case.probes
        if (probe.parameter, probe.value_class) == ("TransactItems[].Delete", "typical")
    ]
    (delete,) = (probe.call.params["TransactItems"][0]["Delete"] for probe in probes)
    assert delete == {"TableName": Name("table"), "Key": hints_of("dynamodb").values["Key"]}


def test_where_little_is_found_first_values_of_everything_come_before_second_ones() -> None:
    plan = Schedule(Cases(planner(), 1, SOME), Gains(), hopeless=set(), failed={}, walks=None)
    swept = []
    for task in islice(plan.tasks(), 400):
        plan.gains.note(task.keys, 30, 0)
        swept += [task.keys[-1]] if task.phase == "sweep" else []
    last = max(number for number, key in enumerate(swept) if key in EARLY)
    before = [key for key in swept[:last] if key not in EARLY]
    assert len(before) < 0.1 * last
    following = [key for key in swept[last + 1 :] if key in NEXT]
    assert len(following) > 0.8 * len(swept[last + 1 : last + 1 + len(following)])


def test_walks_that_the_sdk_refuses_come_to_an_end() -> None:
    plan = Schedule(Cases(planner(), 1, SOME), Gains(), hopeless=set(), failed={}, walks=None)
    walks = 0
    for task in islice(plan.tasks(), 5000):
        walks += task.keys[-1] == "walk"
        plan.gains.note(task.keys, 0 if task.keys[-1] in ("walk", "mixed") else 5, 0)
    assert 0 < walks < 100


def test_what_neither_side_has_is_not_asked_for_ever() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        return failure(500, "500") if call.operation == "PutBucketCors" else None

    sides = FakeSide(trick, "one"), FakeSide(trick, "two")
    asked: list[str] = []
    honest = sides[0].call

    def call(each: Call) -> Answer:
        asked.append(each.operation)
        return honest(each)

    sides[0].call = call  # type: ignore[method-assign]
    running = campaign(*sides, budget=600, operations=("CreateBucket", "PutObject", "PutBucketCors"))
    assert not [event for event in running.run() if hasattr(event, "hash")]
    running.pair.close()
    assert "PutBucketCors" in running.hopeless
    assert asked.count("PutBucketCors") < 30


def test_tags_add_to_those_before_so_the_next_ones_need_a_new_set_up() -> None:
    assert not is_replaced(Call(service="dynamodb", operation="TagResource"))


def test_a_reference_past_what_a_probe_can_do_without_is_followed() -> None:
    """A read by version needs the third of three calls, of which the second does not seem to matter."""
    plans = planner("s3")
    plan = plans.plan("HeadObject:version")
    gap = Gap(
        operation="HeadObject",
        index=0,
        difference=Difference.SUCCESS,
        place="",
        reference="500",
        candidate="success (200)",
        implication=Implication.UNSAFE,
    )
    runs: list[Case] = []

    def batch(case: Case) -> list[Look]:
        runs.append(case)
        return [Look(gaps=[], seen=None)]

    minimiser = Minimiser(lambda case: batch(case)[0], batch, plans)
    minimiser.confirm(Case(setup=plan.setup, probes=(Probe(call=plan.call, parameter="VersionId"),)), [gap])
    assert runs[-1].setup == plan.setup
    for case in runs:
        version = case.probes[0].call.params["VersionId"]
        assert case.setup[version.call].operation == "PutObject"


def test_what_stands_for_a_while_or_was_written_before_is_told_from_what_is_new() -> None:
    """Else a server would seem prompt that had time, or that shows what an earlier call has put there."""
    lane = Lane(FakeSide(), tag="r", run="fuzzy")
    bucket = Call(service="s3", operation="CreateBucket", params={"Bucket": Name("bucket")})
    look = Probe(call=Call(service="s3", operation="HeadBucket", params={"Bucket": Name("bucket")}))
    put = Probe(
        call=Call(service="s3", operation="PutObject", params={"Bucket": Name("bucket"), "Key": Name("key")})
    )
    reads, writes = Case(setup=(bucket,), probes=(look, look)), Case(setup=(bucket,), probes=(put, put))
    assert [each.recent for each in lane.do(reads, anew=False)] == [True, False]
    assert [each.recent for each in lane.do(reads, anew=False)] == [False, False]
    assert [each.fresh for each in lane.do(reads, anew=False)] == [True, True]
    assert [each.fresh for each in lane.do(writes)] == [True, False]


def test_another_form_of_a_thing_takes_the_place_of_the_usual_one() -> None:
    plan = planner("blob").plan("PageBlob_GetPageRanges:snapshot")
    made = [call.operation for call in plan.setup]
    assert made == ["Container_Create", "PageBlob_Create", "PageBlob_UploadPages", "Blob_CreateSnapshot"]
    assert plan.call.params["snapshot"] == Ref(3, ("headers", "x-ms-snapshot"))


def test_a_way_has_a_name_of_its_own() -> None:
    """What reads are given to show a write would else be asked for in that way."""
    for service in ("s3", "dynamodb", "blob", "queue", "table"):
        hints = hints_of(service)
        assert not hints.ways.keys() & hints.related.keys()


def test_tables_are_read_page_by_page_too() -> None:
    tasks = Cases(planner("table"), 1, ("Table_QueryEntities", "Table_Query")).states()["second page"]
    given = {probe.call.operation: probe.call.params for task in tasks for probe in task.case.probes}
    assert given["Table_QueryEntities"]["next_row_key"].path == ("headers", "x-ms-continuation-nextrowkey")
    assert given["Table_Query"]["next_table_name"].path == ("headers", "x-ms-continuation-nexttablename")


def test_metadata_is_given_more_of_and_in_a_wrong_form() -> None:
    for service, operation in (("blob", "Blob_SetMetadata"), ("queue", "Queue_SetMetadata")):
        cases = Cases(planner(service), 1, (operation,))
        given = [probe for task in cases.sweep(operation) for probe in task.case.probes]
        names = {name for probe in given for name in probe.call.params.get("metadata", ())}
        assert {"Size_2", "not-valid"} <= names


def test_a_read_is_asked_for_what_the_write_named() -> None:
    plans = planner("table")
    plan = plans.plan("Table_UpdateEntity")
    call = Call(service="table", operation="Table_UpdateEntity", params={**plan.call.params, "row_key": "x"})
    assert [each.params["row_key"] for each in plans.reads(plan.setup, call) if "row_key" in each.params] == [
        "x"
    ]


def test_what_is_known_not_to_be_there_comes_before_what_is_made_up() -> None:
    cases = Cases(planner("blob"), 1, ("Blob_StartCopyFromURL",))
    first = [task for task in cases.sweep("Blob_StartCopyFromURL") if task.keys[-1] == "rank 0"]
    given = [probe.call.params["copy_source"] for task in first for probe in task.case.probes]
    assert any(isinstance(each, Text) and each.parts[-1] == "-none" for each in given)


def test_several_things_with_names_of_their_own_are_made_for_a_list() -> None:
    """Their order differs for who counts, or takes capitals for small letters."""
    for service, way in (
        ("blob", "Container_ListBlobFlatSegment:spelled"),
        ("table", "Table_QueryEntities:spelled"),
        ("queue", "Service_ListQueuesSegment:spelled"),
    ):
        given = [repr(call.params) for call in planner(service).plan(way).setup]
        assert len(set(given)) == len(given) >= 3
    plan = planner("blob").plan("BlockBlob_CommitBlockList:turned")
    blocks = [call.params["block_id"] for call in plan.setup if call.operation == "BlockBlob_StageBlock"]
    assert plan.call.params["body"]["BlockList"]["Latest"] == blocks[::-1]


def test_what_cannot_be_made_twice_is_made_once_whatever_it_is_given() -> None:
    plan = planner("queue").plan("Queue_GetProperties:full")
    assert [call.operation for call in plan.setup] == ["Queue_Create", "Messages_Enqueue"]
    again = planner("queue").plan("Messages_Dequeue:again").setup
    assert [call.operation for call in again] == [
        "Queue_Create",
        "Messages_Enqueue",
        "Messages_Dequeue",
        "MessageId_Update",
    ]
    assert again[-1].params["pop_receipt"].call == 2, "the receipt is that of who took the message"


@pytest.mark.parametrize(
    ("service", "way", "writes"),
    [
        ("blob", "Container_ListBlobHierarchySegment:folders", {"BlockBlob_Upload"}),
        ("blob", "BlockBlob_GetBlockList:turned", {"BlockBlob_StageBlock", "BlockBlob_CommitBlockList"}),
        ("blob", "PageBlob_GetPageRangesDiff:apart", {"Blob_CreateSnapshot", "PageBlob_UploadPages"}),
        ("s3", "ListObjectVersions:removed", {"PutBucketVersioning", "DeleteObjects"}),
        ("dynamodb", "BatchGetItem:tables", {"CreateTable", "BatchWriteItem"}),
    ],
)
def test_lists_hold_several_things_where_their_order_is_to_be_seen(
    service: str, way: str, writes: set[str]
) -> None:
    plan = planner(service).plan(way)
    assert writes <= {call.operation for call in plan.setup}
    assert plan.setup[-1].operation in writes, "nothing is made over what they made"
