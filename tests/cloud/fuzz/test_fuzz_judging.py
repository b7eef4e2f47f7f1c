"""What counts as a difference between two answers, and what does not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.causes import ASYNCHRONOUS, likely_cause
from likewise.cloud.fuzz.differences.crowds import goes_on, listed, without_others
from likewise.cloud.fuzz.differences.judging import Gap, Judge, generalised
from likewise.cloud.fuzz.differences.trees import are_near, differences, masked
from likewise.cloud.fuzz.inquiry.timing import may_be_early
from likewise.model import Difference, Implication

PATTERNS = (re.compile(r"lwaaaaa[0-9a-z]{4}r([a-z][a-z]|)"), re.compile(r"lwaaaaa[0-9a-z]{4}c([a-z][a-z]|)"))


@pytest.fixture
def judge() -> Judge:
    return Judge(PATTERNS, ("http://127.0.0.1:1111", "http://127.0.0.1:2222/devstoreaccount1"))


def ok(**fields: Any) -> Answer:
    return Answer(success=True, status=200, fields=fields)


def bad(code: str, message: str = "", status: int = 404) -> Answer:
    return Answer(success=False, status=status, code=code, message=message)


def gaps(judge: Judge, reference: Answer, candidate: Answer) -> list[Gap]:
    return judge.gaps("GetThing", 0, reference, candidate, bonds=Bonds())


class TestWhatIsTheSame:
    """Names, addresses, times and fresh identifiers never count."""

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            ("lwaaaaa0001rbm", "lwaaaaa0007cbm"),
            ("see http://127.0.0.1:1111/x", "see http://127.0.0.1:2222/x"),
            ("2026-11-16T01:35:05+00:00", "2026-11-16T01:35:07+00:00"),
            ("Mon, 16 Nov 2026 01:35:05 GMT", "Mon, 16 Nov 2026 01:36:05 GMT"),
            ("9d912b0c-085f-4b42-9c90-6aa650942ec6", "8d912b0c-085f-4b42-9c90-6aa650942ec6"),
            ('"0x21A1724AA178400"', '"0x251F433C3E777E0"'),
            (
                "arn:aws:dynamodb:us-east-1:123456789012:table/x",
                "arn:aws:dynamodb:eu-west-1:000000000000:table/x",
            ),
        ],
    )
    def test_values_that_mean_the_same(self, judge: Judge, ours: str, theirs: str) -> None:
        assert gaps(judge, ok(Field=ours), ok(Field=theirs)) == []

    def test_an_identifier_that_stands_for_two_things_is_a_difference(self, judge: Judge) -> None:
        one, two = "9d912b0c-085f-4b42-9c90-6aa650942ec6", "8d912b0c-085f-4b42-9c90-6aa650942ec6"
        other, third = "7d912b0c-085f-4b42-9c90-6aa650942ec6", "6d912b0c-085f-4b42-9c90-6aa650942ec6"
        assert gaps(judge, ok(A=one, B=two), ok(A=other, B=third)) == []
        (gap,) = gaps(judge, ok(A=one, B=one), ok(A=other, B=third))
        assert gap.place == "B"

    def test_a_learned_place_counts_by_identity_only(self, judge: Judge) -> None:
        assert len(gaps(judge, ok(Id="abc"), ok(Id="xyz"))) == 1
        judge.volatile.add(("GetThing", "Id"))
        assert gaps(judge, ok(Id="abc"), ok(Id="xyz")) == []

    def test_what_others_have_is_left_out_of_a_list_of_everything(self, judge: Judge) -> None:
        ours = ok(Buckets=[{"Name": "lwaaaaa0001rbm"}, {"Name": "somebody-elses"}], Count=2)
        theirs = ok(Buckets=[{"Name": "lwaaaaa0001cbm"}], Count=1)
        prefixes = ("lwaaaaa0001r", "lwaaaaa0001c")
        assert judge.gaps("ListThings", 0, ours, theirs, prefixes=prefixes, bonds=Bonds()) == []

    def test_a_call_that_the_sdk_refused_says_nothing(self, judge: Judge) -> None:
        assert gaps(judge, Answer(success=False, refused="too long"), ok()) == []


class TestWhatDiffers:
    """Each kind of difference is named, at its place, with what it means."""

    @pytest.mark.parametrize(
        ("reference", "candidate", "difference", "implication"),
        [
            (bad("NoSuchKey"), ok(), Difference.SUCCESS, Implication.UNSAFE),
            (ok(), bad("NoSuchKey"), Difference.SUCCESS, Implication.FALSE_ALARM),
            (bad("A"), bad("B"), Difference.CODE, Implication.MISLEADING),
            (bad("A", status=404), bad("A", status=500), Difference.STATUS, Implication.MISLEADING),
            (bad("A", "no"), bad("A", "never"), Difference.MESSAGE, Implication.MISLEADING),
            (ok(A=1), ok(A=2), Difference.VALUE, Implication.WRONG_RESULT),
            (ok(A=1), ok(A="1"), Difference.TYPE, Implication.WRONG_RESULT),
            (ok(A=1), ok(), Difference.MISSING, Implication.WRONG_RESULT),
            (ok(), ok(A=1), Difference.EXTRA, Implication.WRONG_RESULT),
            (ok(A=[1]), ok(A=[1, 2]), Difference.LENGTH, Implication.WRONG_RESULT),
            (ok(A=[1, 2]), ok(A=[2, 1]), Difference.ORDER, Implication.WRONG_RESULT),
            (ok(), Answer(success=False, silence="timeout"), Difference.SILENCE, Implication.FALSE_ALARM),
        ],
    )
    def test_kinds(
        self,
        judge: Judge,
        reference: Answer,
        candidate: Answer,
        difference: Difference,
        implication: Implication,
    ) -> None:
        (gap,) = gaps(judge, reference, candidate)
        assert (gap.difference, gap.implication) == (difference, implication)

    def test_items_in_another_order_are_still_compared_with_each_other(self, judge: Judge) -> None:
        ours = ok(Items=[{"Key": "a", "Size": 1}, {"Key": "b", "Size": 2}])
        theirs = ok(Items=[{"Key": "b", "Size": 2}, {"Key": "a", "Size": 9}])
        found = {(gap.difference, gap.place) for gap in gaps(judge, ours, theirs)}
        assert found == {(Difference.ORDER, "Items"), (Difference.VALUE, "Items[].Size")}

    def test_the_signature_does_not_depend_on_names(self, judge: Judge) -> None:
        first = gaps(judge, bad("A", "no 'x' in 3"), bad("A", "nothing of 'x' in 3"))
        second = gaps(judge, bad("A", "no 'y' in 44"), bad("A", "nothing of 'y' in 44"))
        assert first[0].signature == second[0].signature


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(TREES)
def test_a_tree_does_not_differ_from_itself(tree: Any) -> None:
    assert list(differences(tree, tree)) == []


@given(TREES, TREES)
def test_unequal_trees_differ_somewhere(ours: Any, theirs: Any) -> None:
    same = ours == theirs and repr(ours) == repr(theirs)
    found = list(differences(ours, theirs))
    assert (not found) == same or ours == theirs


def test_times_far_apart_are_not_the_same_moment() -> None:
    assert not are_near("2026-11-16T01:35:05Z", "2010-11-16T01:35:05Z")
    assert not are_near("2026-11-16T01:35:05Z", "soon")


def test_a_list_that_no_longer_grows_says_nothing_about_what_is_not_on_it() -> None:
    plain = re.compile("never")
    judge, many = Judge((plain, plain), ("", "")), [f"other{number}" for number in range(50)]

    def gaps(ours: list[str], theirs: list[str], name: str) -> int:
        reference, candidate = (Answer(success=True, fields={"Names": each}) for each in (ours, theirs))
        found = judge.gaps("ListThings", 0, reference, candidate, prefixes=(name, name), bonds=Bonds())
        return len(found)

    assert gaps([*many[:20]], [*many[:20], "mine1"], "mine1") == 1, "it lacks one"
    assert gaps([*many[:20]], [*many[:20], "mine1"], "mine1") == 1, "what is judged again is no longer list"
    assert gaps([*many], [*many[:30], "mine2"], "mine2") == 1, "it has grown, and lacks one"
    assert gaps([*many], [*many[:31], "mine3"], "mine3") == 0, "a page of fifty is full"
    assert gaps(["mine4"], [], "mine4") == 1, "nobody else is there"


def test_a_number_is_not_the_text_that_looks_like_it(judge: Judge) -> None:
    """What is shown of both sides tells the types apart: equal texts would pass for chance."""
    (gap,) = gaps(judge, ok(Count="3"), ok(Count=3))
    assert (gap.difference, gap.reference, gap.candidate) == (Difference.TYPE, "'3'", "3")


def test_an_answer_that_goes_on_is_a_page() -> None:
    assert goes_on({"TableNames": ["a"], "LastEvaluatedTableName": "a"})
    assert goes_on({"body": {"EnumerationResults": {"NextMarker": "x"}}})
    assert not goes_on({"body": {"EnumerationResults": {"NextMarker": ""}}, "NextPage": None})


def test_a_structure_that_is_empty_on_one_side_is_one_difference() -> None:
    full = {"Answer": {"Config": {"Id": "a", "IsEnabled": True}}}
    empty: dict[str, Any] = {"Answer": {"Config": {}}}
    (found,) = differences(full, empty)
    assert found == (Difference.MISSING, "Answer.Config", full["Answer"]["Config"], None)
    assert [each[:2] for each in differences(empty, full)] == [(Difference.EXTRA, "Answer.Config")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('Value \'[{"a":"b"}]\' is wrong', 'Value \'[{"a":"b"}, {"c":"d"}]\' is wrong'),
        ('Value \'[{"a":…', 'Value \'[{"a":"b"}, {"c":"d…'),
        ("Keys: [rank, x], found 1", "Keys: [rank], found 22"),
        ("Table: <tm> not found", "Table: <tm>-xxxxxxx not found"),
    ],
)
def test_what_a_message_repeats_of_the_call_makes_no_other_finding(one: str, other: str) -> None:
    assert generalised(one) == generalised(other)


def test_messages_that_say_something_else_stay_apart() -> None:
    assert generalised("Value 'a' is too long") != generalised("Value 'a' is too short")
    assert generalised("It's not the user's") != generalised("It's the user's")


def test_a_marker_that_names_a_thing_is_no_thing_on_the_list() -> None:
    assert listed({"TableNames": ["mine1", "other"], "LastEvaluatedTableName": "mine1"}, "mine") == 1
    assert listed({"body": {"Queues": {"Queue": [{"Name": "mine"}, {"Name": "mine2"}]}}}, "mine") == 2
    assert listed({"body": {"Queues": {"Queue": {"Name": "mine"}}}}, "mine") == 1


def test_a_token_to_go_on_with_is_each_sides_own(judge: Judge) -> None:
    """Nobody can read anything into it; that one side has none, or gives one for two pages, differs."""
    ours, theirs = ok(NextContinuationToken="bHcwa20="), ok(NextContinuationToken="9ade369cec90")
    assert gaps(judge, ours, theirs) == []
    assert gaps(judge, ours, ok()) != []
    assert gaps(judge, ok(NextMarker="<bm>"), ok(NextMarker="other")) != []
    bonds = Bonds()
    judge.bind("ListObjectsV2", ours, theirs, bonds)
    again = ok(NextContinuationToken="bHcwa3g=")
    found = judge.gaps("ListObjectsV2", 0, again, theirs, bonds=bonds)
    assert [each.difference for each in found] == [Difference.IDENTITY]


def test_a_thing_that_was_not_ready_for_a_while_on_one_side_differs_in_its_state(judge: Judge) -> None:
    quick = ok(Table={"TableStatus": "ACTIVE"})
    slow = replace(quick, between="CREATING")
    (gap,) = gaps(judge, slow, quick)
    assert (gap.difference, gap.reference, gap.candidate) == (Difference.VALUE, "CREATING", "ACTIVE")
    assert may_be_early(gap, (slow, quick), ())
    assert gaps(judge, slow, slow) == gaps(judge, quick, quick) == []


def test_a_message_that_repeats_much_or_little_is_the_same_message(judge: Judge) -> None:
    def said(count: int) -> Gap:
        listed = ", ".join(["{id=1}"] * count)
        ours = bad("V", f"Value '[{listed}]' at 'keys' must have length of at most 2", 400)
        theirs = bad("V", f"Value '[{listed}]' is too long", 400)
        (found,) = gaps(judge, ours, theirs)
        return found

    assert said(3).signature == said(80).signature


def test_what_a_crowded_list_says_besides_its_things_and_their_number_counts() -> None:
    answer = {
        "Names": ["lwa1", "lwb1"],
        "Kind": "all",
        "KeyCount": 2,
        "NextToken": "x",
        "headers": {"etag": "1"},
    }
    ours = without_others(answer, "lwa", crowded=True)
    assert {name: ours[name] for name in ("Names", "Kind")} == {"Names": ["lwa1"], "Kind": "all"}
    assert "NextToken" not in ours
    more = {**answer, "Names": ["lwa1", "lwb1", "lwb2"], "KeyCount": 3, "headers": {"etag": "2"}}
    assert without_others(more, "lwa", crowded=True) == ours, "whatever others have"
    bare = {name: value for name, value in answer.items() if name != "KeyCount"}
    assert without_others(bare, "lwa", crowded=True) != ours, "but it is said how many there are"


def test_a_text_of_milliseconds_is_a_time() -> None:
    """A revision that is read off a clock: it is another one each time, and says nothing."""
    assert masked({"RevisionId": "1763443200123"}) == masked({"RevisionId": "1763443209456"})
    assert are_near("1763443200123", "1763443209456")
    assert not are_near("1763443200123", "1763529600123"), "a day later"
    assert masked("4763443200123") == "4763443200123", "a time far from now"
    assert masked("176344320012") == "176344320012"


def test_a_page_of_others_that_says_it_is_the_last_is_a_difference_where_there_is_more(judge: Judge) -> None:
    prefixes = ("lwaaaaa0001r", "lwaaaaa0001c")

    def listing(count: int, marker: str) -> Answer:
        return ok(Things=[{"Name": f"other{number}"} for number in range(count)], NextMarker=marker)

    def asked(ours: Answer, theirs: Answer) -> list[str]:
        found = judge.gaps("ListThings", 0, ours, theirs, prefixes=prefixes, bonds=Bonds())
        return [each.place for each in found]

    assert asked(listing(1, ""), listing(1, "more")) == [], "nobody knows how many there are"
    assert asked(listing(30, ""), listing(30, "")) == []
    assert asked(listing(1, ""), listing(1, "more")) == ["whether there is more"]
    assert asked(listing(1, "more"), listing(1, "other")) == []
    assert asked(listing(25, ""), listing(25, "more")) == [], "it may be the end of what is left"


def test_who_somebody_is_does_not_count_but_what_is_said_of_them_does(judge: Judge) -> None:
    group = {"Type": "Group", "URI": "http://acs.amazonaws.com/groups/global/AllUsers"}
    reference, candidate = (
        ok(Grants=[{"Grantee": group}]),
        ok(Grants=[{"Grantee": {**group, "URI": "other"}}]),
    )
    assert [gap.place for gap in gaps(judge, reference, candidate)] == ["Grants[].Grantee.URI"]
    assert (
        gaps(judge, ok(Owner={"ID": "a", "DisplayName": "b"}), ok(Owner={"ID": "c", "DisplayName": "d"}))
        == []
    )
    # Who calls somebody otherwise than the other side does, and elsewhere does not, says something else.
    (other,) = gaps(judge, ok(Owner={"DisplayName": "d"}), ok(Owner={"DisplayName": "e"}))
    assert (other.difference, other.place) == (Difference.VALUE, "Owner.DisplayName")
    (less,) = gaps(judge, ok(Owner={"ID": "a", "DisplayName": "b"}), ok(Owner={"ID": "c"}))
    assert (less.difference, less.place) == (Difference.MISSING, "Owner.DisplayName")


def test_a_side_that_hardly_answers_in_time_is_no_better_than_one_that_does_not(judge: Judge) -> None:
    late = Answer(success=False, silence="timeout", seconds=10.0)
    assert len(gaps(judge, ok(), late)) == 1
    assert gaps(judge, replace(ok(), seconds=9.0), late) == []


def test_where_a_list_is_not_there_what_is_said_of_its_pages_follows(judge: Judge) -> None:
    cut = ok(Markers=[{"Key": "k"}], IsTruncated=True, NextKeyMarker="k")
    whole = ok(Markers=[{"Key": "k"}], Versions=[{"Key": "k"}], IsTruncated=False)
    assert [gap.place for gap in gaps(judge, cut, whole)] == ["Versions"]
    assert len(gaps(judge, cut, ok(Markers=[{"Key": "k"}], IsTruncated=False))) == 2


def test_where_a_page_has_other_things_the_next_one_begins_elsewhere(judge: Judge) -> None:
    first, second = ok(Things=[{"Key": "a"}], NextKey="a"), ok(Things=[{"Key": "b"}], NextKey="b")
    assert [gap.place for gap in gaps(judge, first, second)] == ["Things[].Key"]
    assert [gap.place for gap in gaps(judge, first, ok(Things=[{"Key": "a"}], NextKey="b"))] == ["NextKey"]


def test_what_an_error_says_besides_its_text_counts(judge: Judge) -> None:
    said = replace(
        bad("TransactionCanceledException", "no"),
        fields={"Error": {}, "CancellationReasons": [{"Code": "A"}]},
    )
    other = replace(said, fields={"Error": {"Extra": "x"}, "CancellationReasons": [{"Code": "B"}]})
    (gap,) = gaps(judge, said, other)
    assert (gap.difference, gap.place) == (Difference.VALUE, "CancellationReasons[].Code")
    # Where the texts differ already, that is what is told.
    assert [gap.difference for gap in gaps(judge, said, replace(other, message="not so"))] == [
        Difference.MESSAGE
    ]


def test_a_set_has_no_order(judge: Judge) -> None:
    assert gaps(judge, ok(Item={"s": {"SS": ["a", "b"]}}), ok(Item={"s": {"SS": ["b", "a"]}})) == []
    (gap,) = gaps(judge, ok(Item={"s": {"L": ["a", "b"]}}), ok(Item={"s": {"L": ["b", "a"]}}))
    assert gap.difference is Difference.ORDER


def test_a_table_that_is_gone_late_on_one_side_differs_though_both_say_that_it_is_gone(judge: Judge) -> None:
    gone = bad("ResourceNotFoundException", status=400)
    late = replace(gone, between="DELETING")
    (gap,) = gaps(judge, late, gone)
    assert (gap.reference, gap.candidate) == ("DELETING", "gone")
    cause = likely_cause(gap, late, gone, settles=False, never=(False, False))
    assert cause.name == ASYNCHRONOUS


def test_metadata_differs_in_one_place_whatever_the_client_calls_it(judge: Judge) -> None:
    def said(text: str) -> Answer:
        return ok(headers={"x-ms-meta-colour": text, "x-ms-meta-shape": text, "etag": "1"})

    found = gaps(judge, said("BLUE"), said("blue"))
    assert {each.place for each in found} == {"headers.x-ms-meta-*"}
    assert len({each.signature for each in found}) == 1


def test_nothing_that_is_said_is_told_from_what_is_not_there(judge: Judge) -> None:
    (found,) = gaps(judge, ok(a=1, b=None), ok(a=1))
    assert (found.difference, found.reference, found.candidate) == (Difference.MISSING, "null", "None")
