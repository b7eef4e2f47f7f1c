"""Texts and lists are tried in steps that close in on a limit, wherever they are in a parameter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_side import FakeSide, campaign, failure

from likewise.cloud.fuzz.calls import Answer, Call, Name, Text
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import Member, load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant
from likewise.cloud.fuzz.sides.execution import Probe
from likewise.cloud.fuzz.tasks.bounds import Bounds
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.ranks import by_rank, common
from likewise.cloud.fuzz.tasks.rounds import Rounds
from likewise.cloud.fuzz.tasks.sizes import CONTENT, LINE, sizes

TEXT = Member(name="Value", kind="string")
CHOICE = Member(name="Kind", kind="string", enum=("A", "B"))
TAG = Member(name="", kind="structure", members=(TEXT, CHOICE))
TAGS = Member(name="Tags", kind="list", members=(TAG,))
YES, NO = Answer(success=True), Answer(success=False)


def test_a_text_inside_grows_and_what_is_chosen_from_a_list_does_not() -> None:
    found = [each for each in sizes(TAGS, [{"Value": "blue", "Kind": "A"}], named=()) if "char" in each.note]
    assert {each.place for each in found} == {"Tags[].Value"}
    longest = max(found, key=lambda each: each.size)
    assert longest.value == [{"Value": "x" * longest.size, "Kind": "A"}]
    assert len({each.size for each in found}) > 8


def test_a_list_gets_more_items_that_can_be_told_apart() -> None:
    found = [each for each in sizes(TAGS, [{"Value": "blue", "Kind": "A"}], named=()) if "items" in each.note]
    most = max(found, key=lambda each: each.size)
    assert len(most.value) == most.size
    assert len({each["Value"] for each in most.value}) == most.size
    assert {each["Kind"] for each in most.value} == {"A"}


@pytest.mark.parametrize("text", ["7", "2031-01-01T00:00:00Z", "arn:aws:a:b:c:d", "a=b", "GET,PUT", "<a/>"])
def test_a_text_with_a_form_of_its_own_is_not_stretched(text: str) -> None:
    assert not list(sizes(TEXT, text, named=()))


def test_a_name_grows_only_where_the_operation_makes_what_it_names() -> None:
    member = Member(name="Key", kind="string")
    assert not list(sizes(member, Name("key"), named=()))
    first = next(iter(sizes(member, Name("key"), named={"key"})))
    assert first.value == Text((Name("key"), "x" * first.size))


def probe(size: int, kind: str = ValueClass.BOUNDARY) -> Probe:
    call = Call(service="s3", operation="PutObject")
    note = f"{size} characters"
    return Probe(call=call, parameter="Key", value_class=str(kind), note=note, size=size)


def test_only_sizes_between_what_both_take_and_what_both_refuse_are_open() -> None:
    bounds = Bounds()
    bounds.note(probe(128), YES, YES)
    bounds.note(probe(1024), NO, NO)
    bounds.note(probe(512), YES, NO)
    assert [size for size in (64, 128, 300, 1024, 8192) if bounds.is_open(probe(size))] == [300]


def test_no_size_is_tried_of_what_is_refused_as_it_is() -> None:
    bounds = Bounds()
    bounds.note(probe(0, ValueClass.TYPICAL), NO, NO)
    assert not bounds.is_open(probe(128))


def test_a_limit_between_the_steps_is_found() -> None:
    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        is_long = len(str(call.params.get("ContentLanguage", ""))) > 200
        return failure(400, "TooLong") if call.operation == "PutObject" and is_long else None

    def limited(call: Call, _: int, side: FakeSide) -> Answer | None:
        is_long = len(str(call.params.get("ContentLanguage", ""))) > 900
        return failure(400, "TooLong") if call.operation == "PutObject" and is_long else None

    made = ("CreateBucket", "PutObject")
    running = campaign(FakeSide(trick, "one"), FakeSide(limited, "two"), budget=1200, operations=made)
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    assert {(each.parameter, each.kind) for each in found} == {("ContentLanguage", "success")}
    assert {each.condition for each in found} == {"only when ContentLanguage is at a limit (300 characters)"}


def test_what_all_operations_have_comes_after_what_only_some_have() -> None:
    shared = common(load("s3"))
    assert "ExpectedBucketOwner" in shared
    assert "Tagging" not in shared
    those = [
        Variant(parameter=name, value_class=ValueClass.WRONG_FORMAT, params={})
        for name in ("ExpectedBucketOwner", "Tagging")
    ]
    ranks = by_rank(those, shared)
    assert [each.parameter for rank in sorted(ranks) for each in ranks[rank]] == [
        "Tagging",
        "ExpectedBucketOwner",
    ]


def test_items_of_a_batch_and_attributes_of_an_item_have_sizes() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    cases = Cases(planner, 1, planner.operations)
    tasks = [task for name in ("PutItem", "BatchWriteItem") for task in cases.sweep(name)]
    places = {probe.parameter for task in tasks for probe in task.case.probes if probe.size}
    assert {"Item.s.S", "Item.id.S", "RequestItems.<table>"} <= places


def test_what_contains_the_items_of_a_list_is_the_same_for_all_of_them() -> None:
    item = {"Table": Name("table"), "Key": Name("item"), "Right": "r"}
    (most, *_) = [each for each in sizes(TAGS, [item], named=()) if each.note == "30 items"]
    assert {each["Table"] for each in most.value} == {Name("table")}
    assert {each["Right"] for each in most.value} == {"r"}, "a code is no word"
    assert len({str(each["Key"]) for each in most.value}) == 30


def test_bytes_written_as_text_grow_four_letters_at_a_time() -> None:
    found = list(sizes(TEXT, "YmxvY2stMQ==", named=()))
    assert {len(each.value) % 4 for each in found} == {0}
    assert list(sizes(TEXT, "key=value", named=())) == []


def test_a_number_inside_grows_as_far_as_the_model_allows() -> None:
    days = Member(name="Days", kind="integer")
    rule = Member(name="Rule", kind="structure", members=(days, Member(name="On", kind="boolean")))
    found = list(sizes(rule, {"Days": 10, "On": True}, named=()))
    assert {each.place for each in found} == {"Rule.Days"}
    assert found[0].value == {"Days": 1_000_000, "On": True}, "what is taken there is taken below"
    few = Member(name="Few", kind="integer", maximum=1000)
    assert max(each.size for each in sizes(few, 1, named=())) == 1000


def test_content_is_given_in_bulk_first() -> None:
    member = Member(name="body", kind="any")
    first = [each.size for each in sizes(member, b"hello", named=(), number=0)]
    assert first == [CONTENT]
    assert CONTENT > 2**16
    text = [each.size for each in sizes(TEXT, "blue", named=(), number=0)]
    assert text == [3000], "what goes into an address or a header is cut off where it is longer"
    mark = Member(name="content_md5", kind="blob", wire="Content-MD5")
    assert max(each.size for each in sizes(mark, b"0" * 16, named=())) == LINE, "a header is no content"


def test_names_that_the_client_chooses_grow_as_well() -> None:
    pair = (Member(name="key", kind="string"), TEXT)
    member = Member(name="Metadata", kind="map", members=pair)
    found = [each for each in sizes(member, {"colour": "blue"}, named=(), number=0) if "name" in each.note]
    assert [each.value for each in found] == [{"colour": "blue", "x" * 3000: "blue"}]


def test_what_a_call_is_about_is_tried_empty_and_in_parts_among_the_first() -> None:
    def variant(parameter: str, kind: ValueClass, *, plain: bool = False) -> Variant:
        return Variant(parameter=parameter, value_class=kind, params={}, is_plain=plain)

    empty, part = variant("body", ValueClass.EMPTY), variant("body.Expiry", ValueClass.MISSING, plain=True)
    other = variant("title", ValueClass.EMPTY)
    ranks = by_rank([empty, part, other], typical={"body"})
    assert [rank for rank, those in ranks.items() for each in those if each is not other] == [1, 1]
    assert other in ranks[2]


def test_of_conditions_that_do_not_hold_a_few_come_first() -> None:
    names = [f"if_{number}" for number in range(6)]
    found = [Variant(parameter=name, value_class=ValueClass.UNKNOWN, params={}) for name in names]
    ranks = by_rank(found, shared=set(names))
    assert {rank: len(those) for rank, those in ranks.items()} == {0: 3, 2: 3}


def test_what_is_refused_in_another_way_of_calling_it_still_has_sizes() -> None:
    bounds = Bounds()
    bounds.note(replace(probe(0, ValueClass.TYPICAL), state="way PutObject:other"), NO, NO)
    assert bounds.is_open(probe(128))


def test_an_object_of_json_gets_more_fields_than_tables_take() -> None:
    member = Member(name="body", kind="any")
    found = list(sizes(member, {"json": {"n": 1}}, named=()))
    assert max(each.size for each in found if each.note.endswith("entries")) == 300


def test_a_limit_that_both_sides_are_near_to_is_closed_in_on() -> None:
    member = Member(name="body", kind="any")
    found = [each.size for each in sizes(member, {"Text": "hello"}, named=(), number=5)]
    assert 48 * 1024 < max(found) < 64 * 1024
    assert found == sorted(found, reverse=True), "what is taken there is taken below"


def test_items_whose_texts_have_a_form_are_told_apart_by_their_numbers() -> None:
    """Else nobody sees in which order a server gives them back."""
    rules = [{"AllowedOrigins": "http://a.example", "MaxAgeInSeconds": 300}]
    member = Member(name="body", kind="any")
    found = [each.value for each in sizes(member, {"Rule": rules}, named=()) if each.note == "3 items"]
    assert [rule["MaxAgeInSeconds"] for rule in found[0]["Rule"]] == [300, 301, 302]


def test_numbers_beyond_both_ends_of_a_range_come_first() -> None:
    member = Member(name="n", kind="integer", minimum=0, maximum=60)
    ranks = by_rank(list(variants((member,), {}, {"n": 30})))
    assert {"-1", "61"} <= {each.note for each in ranks[1]}


def test_a_part_waits_for_one_of_its_name_that_is_given_the_same_in_a_structure_like_it() -> None:
    def part(place: str, note: str = "'x'") -> Variant:
        kind = ValueClass.WRONG_FORMAT
        return Variant(parameter=f"body.{place}", value_class=kind, params={}, note=note, is_plain=True)

    first, second, other = part("Hours.Version"), part("Minutes.Version"), part("Hours.Days")
    twins: dict[tuple[str, ...], str] = {}
    ranks = by_rank([first, second, other, part("Minutes.Days", "'y'")], twins=twins)
    assert {rank: [each.parameter for each in those] for rank, those in ranks.items()} == {
        1: ["body.Hours.Version", "body.Hours.Days", "body.Minutes.Days"],
        2: ["body.Minutes.Version"],
    }
    assert [*by_rank([part("Log.Version"), first], twins=twins)] == [2, 1], "another way gives it, too"


def test_the_parts_of_a_body_that_only_another_way_gives_do_not_wait_for_twins() -> None:
    planner = Planner(load("blob"), hints_of("blob"))
    found = Rounds(planner, 1).of("Service_SetProperties")
    first = {each.parameter for one in found if one.rank == 1 for each in one.variants()}
    assert "body.StorageServiceProperties.DefaultServiceVersion" in first
    versions = {name for name in first if name.endswith(".Version")}
    assert len(versions) < 3, "one of three tells whether anybody looks"


def test_a_hash_is_given_in_a_length_that_none_has_among_the_first_values() -> None:
    rounds = Rounds(Planner(load("blob"), hints_of("blob")), 1)
    for operation in ("Blob_SetHTTPHeaders", "BlockBlob_Upload", "AppendBlob_AppendBlock"):
        first = [each for one in rounds.of(operation) if one.rank <= 1 for each in one.variants()]
        assert any(value == b"short" for each in first for value in each.params.values()), operation
