"""Whether a difference is only a matter of time is found out without waiting, and nothing gets lost by it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
from fake_side import FakeSide, Trick, campaign, failure, success

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.campaign import Campaign, Done, Event
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.inquiry.timing import BRIEF, ENOUGH, LAG, MANY, PART, _is_gone, _span
from likewise.cloud.fuzz.sides.execution import Keeper, Probe
from likewise.model import Difference, Implication

STEADY = ("HeadBucket", "GetObject")
OPERATIONS = ("CreateBucket", "HeadBucket", "PutObject", "GetObject", "ListObjectsV2", "DeleteObject")
OPERATIONS_LISTED = (*OPERATIONS, "ListBuckets")


class Clock:
    """A clock that only sleeping and calls move."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if seconds:
            self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.time", clock)
    return clock


def refusing(call: Call, *_: object) -> Answer | None:
    """Two reads that never find anything: each might just be late."""
    return failure(404, "NoSuchThing") if call.operation in STEADY else None


def hiding(clock: Clock, seconds: float) -> Trick:
    """A list that shows what was put into a bucket only after some time."""
    written: dict[object, float] = {}

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        bucket = call.params.get("Bucket")
        if call.operation == "PutObject":
            written[bucket] = clock.now
        if call.operation == "ListObjectsV2" and clock.now - written.get(bucket, -1e9) < seconds:
            return success(Contents=[])
        return None

    return trick


def events(running: Campaign) -> list[Event]:
    found = list(running.run())
    running.pair.close()
    return found


def findings(running: Campaign) -> list[Finding]:
    return [event for event in events(running) if isinstance(event, Finding)]


def test_one_wait_at_the_end_serves_everything_that_may_be_late(clock: Clock) -> None:
    found = findings(campaign(FakeSide(refusing, "one"), FakeSide(name="two"), budget=150))
    assert {each.operation for each in found} == set(STEADY)
    assert clock.slept == [LAG]


@pytest.mark.parametrize("step", [0.0, 0.002])
def test_a_list_that_is_late_by_time_is_asynchronous_behaviour(clock: Clock, step: float) -> None:
    def slowly(call: Call, number: int, side: FakeSide) -> Answer | None:
        clock.now += step
        return hide(call, number, side)

    hide = hiding(clock, 2.0)
    found = findings(campaign(FakeSide(slowly, "one"), FakeSide(name="two"), operations=OPERATIONS))
    assert {each.cause for each in found} == {"asynchronous behaviour"}


def test_the_same_campaign_finds_the_same_however_fast_the_servers_are(clock: Clock) -> None:
    def found(step: float) -> list[tuple[str, str, tuple[Call, ...]]]:
        def trick(call: Call, number: int, side: FakeSide) -> Answer | None:
            clock.now += step
            return refusing(call)

        those = findings(campaign(FakeSide(trick, "one"), FakeSide(name="two"), budget=300))
        return [(each.hash, each.cause, each.sequence) for each in those]

    assert found(0.0) == found(0.05) == found(5.0)


def test_an_interrupted_campaign_still_says_what_it_was_not_certain_of(clock: Clock) -> None:
    """And what it has no time for is done again by the campaign that resumes."""

    class Interrupted(BaseException):
        pass

    def trick(call: Call, count: int, side: FakeSide) -> Answer | None:
        if count == 110:
            raise Interrupted
        return refusing(call)

    running = campaign(FakeSide(trick, "one"), FakeSide(name="two"))
    before: list[Event] = []
    with pytest.raises(Interrupted):
        before.extend(running.run())
    assert not [event for event in before if isinstance(event, Finding)]
    done = frozenset(event.task for event in before if isinstance(event, Done))
    late = [event for event in running.finish() if isinstance(event, Finding)]
    running.pair.close()
    resumed = campaign(FakeSide(refusing, "one"), FakeSide(name="two"), done=done)
    again = {each.operation for each in findings(resumed)}
    assert {each.operation for each in late} == set(STEADY)
    assert again == set(STEADY)


@pytest.mark.parametrize("budget", [60, 90, 150, 400])
def test_what_still_stands_is_asked_within_the_budget_and_then_removed(clock: Clock, budget: int) -> None:
    noted: set[str] = set()
    asked: list[float] = []

    def trick(call: Call, number: int, side: FakeSide) -> Answer | None:
        if call.operation in STEADY and call.params["Bucket"] not in side.buckets:
            asked.append(clock.now)
        return refusing(call)

    keeper = Keeper(noted.add, noted.discard)
    reference = FakeSide(trick, "one")
    findings(campaign(reference, FakeSide(name="two"), budget=budget, keeper=keeper))
    assert reference.sent <= budget
    assert LAG not in asked, "a bucket was gone when it was to be asked again"
    assert set(reference.buckets) <= noted
    assert set(reference.buckets) <= set(keeper.left) | set(keeper.names)


@pytest.mark.parametrize("given", ["Key", "ExpectedBucketOwner"])
def test_what_follows_from_a_write_that_seemed_lost_is_looked_at_again(clock: Clock, given: str) -> None:
    """As long as it is open whether PutObject does anything, nothing after it can be judged.

    What was asked then is asked again, whatever it is `given`: the answers said nothing.
    """

    def trick(call: Call, number: int, side: FakeSide) -> Answer | None:
        is_new = clock.now - written.get(call.params.get("Bucket"), -1e9) < 2.0
        if call.operation == "PutObject":
            written[call.params.get("Bucket")] = clock.now
        if call.operation in ("GetObject", "ListObjectsV2") and is_new:
            return failure(404, "NoSuchKey") if call.operation == "GetObject" else success(Contents=[])
        is_there = call.params.get("Key") in side.buckets.get(str(call.params.get("Bucket")), ())
        if call.operation == "DeleteObject" and given in call.params and is_there:
            side.honest(call)
            return success(Extra="1")
        return None

    written: dict[object, float] = {}
    found = findings(
        campaign(FakeSide(trick, "one"), FakeSide(name="two"), operations=OPERATIONS, budget=3000)
    )
    assert {(each.operation, each.cause) for each in found if each.kind == "missing"} == {
        ("DeleteObject", "other bug")
    }
    assert {each.cause for each in found if each.kind != "missing"} == {"asynchronous behaviour"}


def test_a_list_that_gives_a_page_at_a_time_is_not_late(clock: Clock) -> None:
    """What is ours may be on a later page, whoever else has made something in the meantime."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "ListBuckets":
            return success(Buckets=side.honest(call).fields["Buckets"][:1])
        return None

    running = campaign(
        FakeSide(trick, "one"), FakeSide(name="two"), operations=("CreateBucket", "ListBuckets")
    )
    found = findings(running)
    assert found
    assert {each.cause for each in found} == {"other bug"}


def test_what_is_late_after_two_writes_is_one_finding_in_as_few_calls_as_may_be(clock: Clock) -> None:
    """The list is late after a deletion, too; the shorter of both sequences is kept."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        bucket = str(call.params.get("Bucket"))
        before = list(side.buckets.get(bucket, ()))
        if call.operation in ("PutObject", "DeleteObject"):
            stale[bucket] = (clock.now, before)
        since, those = stale.get(bucket, (-1e9, []))
        if call.operation == "ListObjectsV2" and clock.now - since < 2.0:
            return success(Contents=[{"Key": each} for each in those])
        return None

    stale: dict[str, tuple[float, list[str]]] = {}
    operations = ("CreateBucket", "PutObject", "DeleteObject", "ListObjectsV2")
    running = campaign(FakeSide(trick, "one"), FakeSide(name="two"), operations=operations)
    found = findings(running)
    assert {each.cause for each in found} == {"asynchronous behaviour"}
    assert len({each.hash for each in found}) == 1
    assert len(found[-1].sequence) == 3


@pytest.mark.parametrize(("stayed", "waited"), [(ENOUGH, BRIEF), (ENOUGH - 1, LAG)])
def test_the_wait_at_the_end_is_brief_where_many_differences_have_stayed(
    clock: Clock, stayed: int, waited: float
) -> None:
    running = campaign(FakeSide(refusing, "one"), FakeSide(name="two"), budget=150)
    running.inquiry.lateness._stayed = [LAG] * stayed
    assert {each.operation for each in findings(running)} == set(STEADY)
    assert clock.slept == [waited]


@pytest.mark.parametrize(("ways", "waited"), [(MANY, BRIEF), (MANY // 2, LAG)])
def test_the_wait_at_the_end_is_brief_where_both_sides_were_prompt_on_many_ways(
    clock: Clock, ways: int, waited: float
) -> None:
    running = campaign(FakeSide(refusing, "one"), FakeSide(name="two"), budget=150)
    running.inquiry.lateness._prompt |= {((), str(number)) for number in range(ways)}
    assert {each.operation for each in findings(running)} == set(STEADY)
    assert clock.slept == [waited]


def test_a_long_campaign_has_time_for_the_whole_wait(clock: Clock) -> None:
    running = campaign(FakeSide(refusing, "one"), FakeSide(name="two"), budget=150)
    running.inquiry.lateness._stayed = [LAG] * ENOUGH
    running.inquiry.lateness._began = -LAG / PART
    findings(running)
    assert clock.slept == [LAG]


def test_nobody_waits_where_the_same_operations_were_prompt_before(clock: Clock) -> None:
    """An object of another kind is not found, but objects are seen as soon as they are put."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        is_odd = call.operation == "GetObject" and "Range" in call.params
        return failure(404, "NoSuchKey") if is_odd else None

    running = campaign(FakeSide(trick, "one"), FakeSide(name="two"), budget=2500)
    assert {each.operation for each in findings(running)} == {"GetObject"}
    assert not clock.slept


def test_two_calls_of_one_investigation_are_asked_about_each_by_itself(clock: Clock) -> None:
    """What the one shows says nothing of the other."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        bucket = str(call.params.get("Bucket"))
        if call.operation == "CreateBucket":
            given[bucket] = {name for name in call.params if name != "Bucket"}
        if call.operation == "HeadBucket" and bucket in side.buckets:
            return success(**dict.fromkeys(given[bucket], "x"))
        return None

    given: dict[str, set[str]] = {}
    running = campaign(
        FakeSide(trick, "one"),
        FakeSide(name="two"),
        operations=("CreateBucket", "HeadBucket"),
        budget=1500,
    )
    found = findings(running)
    assert len({each.place for each in found}) > 1
    assert "asynchronous behaviour" not in {each.cause for each in found}


def test_a_text_that_names_what_was_given_is_not_late() -> None:
    """Asked again, it is not known what in it stands for what; the sides differ all the same."""
    gap = Gap(
        operation="ListObjectsV2",
        index=0,
        difference=Difference.MESSAGE,
        place="",
        reference="there is no <fresh>",
        candidate="nothing there",
        implication=Implication.MISLEADING,
    )
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    question: Any = SimpleNamespace(is_first=False, shared=False, before=())
    answers = (failure(404, "NoSuchKey", "there is no abcdefgh"), failure(404, "NoSuchKey", "nothing there"))
    lateness = running.inquiry.lateness
    assert not lateness._agree(gap, question, *answers)
    assert lateness._agree(gap, question, answers[1], answers[1])
    running.pair.close()


def test_the_wait_is_long_where_something_was_late(clock: Clock) -> None:
    running = campaign(FakeSide(refusing, "one"), FakeSide(name="two"), budget=150)
    running.inquiry.lateness._stayed = [LAG] * ENOUGH
    running.inquiry.lateness._late.add("ListBuckets")
    findings(running)
    assert clock.slept == [LAG]


def test_what_ends_by_itself_because_it_was_asked_to_is_not_late() -> None:
    """A message that is hidden for a second, and on one side is not, is there on both sides afterwards."""

    def span(**params: Any) -> float:
        (name,) = params
        return _span(
            Probe(call=Call(service="queue", operation="Messages_Enqueue", params=params), parameter=name)
        )

    assert span(visibility_timeout=1) == 1
    assert span(message_time_to_live=-1) == span(maxresults=2) == span(lease_duration=True) == math.inf


def test_what_was_removed_is_not_removed_twice_to_learn_whether_a_side_knows_it_yet() -> None:
    delete = Call(service="table", operation="Table_DeleteEntity")
    insert = Call(service="table", operation="Table_InsertEntity")
    answers = (success(), failure(404, "ResourceNotFound"))
    assert _is_gone([insert, delete], answers)
    assert not _is_gone([insert], answers), "nothing was removed"
    assert not _is_gone([insert, delete], (success(), failure(409, "TableBeingDeleted")))


def test_a_list_that_leaves_out_its_last_is_not_late_because_others_make_something(clock: Clock) -> None:
    """Several hands are at work: when one asks again, another may have made a bucket meanwhile."""

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "ListBuckets":
            return success(Buckets=side.honest(call).fields["Buckets"][:-1])
        return None

    found = findings(campaign(FakeSide(trick, "one"), FakeSide(name="two"), operations=OPERATIONS_LISTED))
    assert {(each.operation, each.cause) for each in found} == {("ListBuckets", "other bug")}
