"""A campaign is kind: to servers that misbehave, to the budget, to what it made, to who interrupts it."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fake_side import FakeSide, campaign, failure, success

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer, Call, Name, pause_of
from likewise.cloud.fuzz.campaign import Campaign, Done
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.inquiry.inquiry import Unstable
from likewise.cloud.fuzz.sides import open_side
from likewise.cloud.fuzz.sides.execution import Keeper, Lane
from likewise.cloud.fuzz.sides.removal import remove
from likewise.model import Role, TargetUnavailable


def findings(running: Campaign) -> list[Finding]:
    try:
        return [event for event in running.run() if isinstance(event, Finding)]
    finally:
        running.pair.close()


def test_the_same_server_on_both_sides_differs_nowhere() -> None:
    running = campaign(FakeSide(name="one"), FakeSide(name="two"), budget=None)
    assert findings(running) == []
    assert running.inquiry.unstable == []
    assert running.tally.called == set(running.cases.operations)


def test_both_sides_see_the_same_names_inside_their_own_buckets() -> None:
    reference, candidate = FakeSide(name="one"), FakeSide(name="two")
    seen: tuple[set[str], set[str]] = set(), set()
    for side, keys in zip((reference, candidate), seen, strict=True):
        side.trick = lambda call, *_, keys=keys: keys.add(str(call.params.get("Key")))  # type: ignore[func-returns-value,misc]
    findings(campaign(reference, candidate, budget=200))
    assert seen[0] <= seen[1], "the budget ends on the reference's side only"
    assert not set(reference.buckets) & set(candidate.buckets)


@pytest.mark.parametrize("budget", [1, 7, 40, 41, 120])
def test_the_budget_is_never_exceeded(budget: int) -> None:
    reference = FakeSide(
        lambda call, *_: failure(403, "AccessDenied") if call.operation == "GetObject" else None
    )
    findings(campaign(reference, FakeSide(), budget=budget))
    assert reference.sent <= budget


@pytest.mark.parametrize("budget", [20, 33, 60, 150])
def test_what_was_made_is_deleted_or_listed_whatever_the_budget(budget: int) -> None:
    noted: set[str] = set()
    keeper = Keeper(noted.add, noted.discard)
    reference = FakeSide()
    findings(campaign(reference, FakeSide(), budget=budget, keeper=keeper))
    assert reference.sent <= budget
    assert set(reference.buckets) <= noted
    assert set(reference.buckets) <= set(keeper.left) | set(keeper.names)


def test_what_cannot_be_deleted_is_listed_with_the_reason() -> None:
    noted: set[str] = set()
    keeper = Keeper(noted.add, noted.discard)
    reference = FakeSide(
        lambda call, *_: failure(403, "Locked") if call.operation == "DeleteBucket" else None
    )
    findings(campaign(reference, FakeSide(), budget=60, keeper=keeper))
    assert reference.buckets
    assert set(reference.buckets) <= noted
    assert all("Locked" in why or "budget" in why for why in keeper.left.values())


def test_an_interruption_at_any_call_keeps_what_was_found_and_cleans_up() -> None:
    class Interrupted(BaseException):
        pass

    def trick_at(number: int):  # type: ignore[no-untyped-def]
        def trick(call: Call, count: int, _: FakeSide) -> Answer | None:
            if count == number:
                raise Interrupted
            return failure(403, "AccessDenied") if call.operation == "HeadBucket" else None

        return trick

    for number in (3, 10, 31, 64):
        noted: set[str] = set()
        reference = FakeSide(trick_at(number))
        running = campaign(reference, FakeSide(), keeper=Keeper(noted.add, noted.discard))
        events: Iterator[object] = running.run()
        with pytest.raises(Interrupted):
            list(events)
        assert set(reference.buckets) <= noted
        running.pair.close()


def test_throttling_is_waited_for_and_never_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.sides.execution.PAUSES", (0.0, 0.0, 0.0, 0.0))
    reference = FakeSide(lambda _, count, __: failure(503, "SlowDown") if count % 5 == 0 else None)
    noted: set[str] = set()
    running = campaign(reference, FakeSide(), budget=400, keeper=Keeper(noted.add, noted.discard))
    assert findings(running) == []
    assert reference.sent <= 400
    assert not noted, "clean-up is patient, too"


def test_a_server_that_no_longer_answers_ends_the_campaign_with_all_that_was_found() -> None:
    def trick(call: Call, count: int, _: FakeSide) -> Answer | None:
        if count > 120:
            return Answer(success=False, silence="ReadTimeoutError")
        return failure(403, "AccessDenied") if call.operation == "HeadBucket" else None

    running = campaign(FakeSide(trick), FakeSide())
    found: list[object] = []
    with pytest.raises(TargetUnavailable, match="no longer answers"):
        found.extend(running.run())
    running.pair.close()
    assert any(isinstance(event, Finding) and event.operation == "HeadBucket" for event in found)


def test_a_server_that_dies_of_a_call_is_started_again_and_the_call_is_the_finding() -> None:
    """The state of the dead server is gone: nothing that follows in that context counts."""
    dead = [False]

    def trick(call: Call, _: int, side: FakeSide) -> Answer | None:
        if call.operation == "GetObject" and len(str(call.params.get("Key", ""))) > 1000:
            dead[0] = True
            side.buckets.clear()
        return Answer(success=False, silence="ConnectionClosedError") if dead[0] else None

    reference = FakeSide(trick)
    running = campaign(reference, FakeSide(), budget=None)

    def revive() -> FakeSide | None:
        if not dead[0]:
            return None
        dead[0] = False
        again = FakeSide(trick)
        again.sent = reference.sent
        return again

    running.pair.reference.revive = revive
    found = findings(running)
    assert {(each.operation, each.kind) for each in found} == {("GetObject", "silence")}
    assert [each.signature[0] for each in running.inquiry.unstable] == []


def test_a_difference_that_comes_and_goes_is_no_finding() -> None:
    def trick(call: Call, count: int, _: FakeSide) -> Answer | None:
        return failure(500, "InternalError") if call.operation == "HeadBucket" and count % 7 < 2 else None

    running = campaign(FakeSide(trick), FakeSide(), budget=500)
    doubts = [event for event in running.run() if isinstance(event, Unstable | Finding)]
    running.pair.close()
    assert any(isinstance(each, Unstable) for each in doubts)
    assert not [each for each in doubts if isinstance(each, Finding)]


def test_a_resumed_campaign_does_not_do_again_what_is_done() -> None:
    from likewise.cloud.fuzz.campaign import Done

    first = campaign(FakeSide(), FakeSide(), budget=80)
    done = frozenset(event.task for event in first.run() if isinstance(event, Done))
    first.pair.close()
    second = campaign(FakeSide(), FakeSide(), budget=80, done=done)
    again = {event.task for event in second.run() if isinstance(event, Done)}
    second.pair.close()
    assert done
    assert again
    assert not done & again


def test_a_server_is_left_alone_for_as_long_as_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """429 says it without any code; Retry-After says how long."""
    slept: list[float] = []
    monkeypatch.setattr("likewise.cloud.fuzz.sides.execution.time.sleep", slept.append)
    answers = iter([Answer(success=False, status=429, code="429", pause=pause_of("7")), success()])
    lane = Lane(FakeSide(lambda *_: next(answers)), tag="r", run="fuzzy")
    call = Call(service="s3", operation="ListBuckets", params={})
    assert lane.one(call, lane.names(), []).success
    assert slept == [7.0]
    assert [pause_of(text) for text in ("900", "Wed, 21 Oct 2026 07:28:00 GMT", "", None)] == [30.0, 0, 0, 0]


def test_what_was_refused_was_never_made_and_is_not_listed() -> None:
    remembered: list[str] = []
    keeper = Keeper(remembered.append, remembered.remove)
    lane = Lane(FakeSide(lambda call, *_: failure(403, "AccessDenied")), tag="r", run="fuzzy")
    lane.keeper = keeper
    make = Call(service="s3", operation="CreateBucket", params={"Bucket": Name("bucket")})
    lane.one(make, lane.names(), [])
    assert not remembered
    names = lane.names()
    lane.side.trick = None  # type: ignore[attr-defined]
    lane.one(make, names, [])
    assert not lane.one(make, names, []).success, "it is there already"
    assert len(remembered) == len(keeper.names) == 1


def test_credentials_that_nobody_accepts_end_the_campaign_with_what_to_do() -> None:
    denied = FakeSide(lambda *_: failure(403, "InvalidAccessKeyId"), "one")
    running = campaign(denied, FakeSide(name="two"))
    with pytest.raises(TargetUnavailable, match="does not accept these credentials"):
        list(running.run())
    assert denied.sent < 60


def test_credentials_that_were_accepted_are_not_doubted_for_what_one_operation_says() -> None:
    codes = iter([*["AuthenticationFailed"] * 20, *["ExpiredToken"] * 3])

    def strict(call: Call, *_: Any) -> Answer | None:
        return None if call.operation == "CreateBucket" else failure(403, next(codes))

    lane = Lane(FakeSide(strict, "one"), tag="b", run="r")
    names = lane.names()
    assert lane.one(Call(service="s3", operation="CreateBucket", params={"Bucket": "b"}), names, []).success
    read = Call(service="s3", operation="GetBucketAcl", params={"Bucket": "b"})
    denials = [lane.one(read, names, []) and lane.denials for _ in range(23)]
    assert denials == [*[0] * 20, 1, 2, 3]


@pytest.mark.parametrize("operation", ["GetBucketLocation", "ListBuckets"])
@pytest.mark.parametrize("head", ["429 Too Many Requests", "200 OK"])
def test_an_answer_that_the_sdk_cannot_read_is_silence_or_a_failure_never_an_end(
    operation: str, head: str
) -> None:
    said = f"HTTP/1.1 {head}\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<a><".encode()

    class Nonsense(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(said)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Nonsense) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"s3+http://a:b@127.0.0.1:{server.server_address[1]}"
        running = targets.start(targets.find(url), role=Role.REFERENCE, services=frozenset({"s3"}))
        params = {"Bucket": "b"} if operation == "GetBucketLocation" else {}
        answer = open_side(running, "s3").call(Call(service="s3", operation=operation, params=params))
        server.shutdown()
    assert not answer.success
    assert not answer.refused


def _odd(call: Call, _: int, side: FakeSide) -> Answer | None:
    """A side that always refuses an object, and always lists in another order."""
    if call.operation == "ListObjectsV2" and call.params["Bucket"] in side.buckets:
        return success(Contents=side.honest(call).fields["Contents"][::-1])
    return failure(403, "AccessDenied") if call.operation == "GetObject" else None


@pytest.mark.parametrize("budget", range(20, 140, 4))
def test_what_the_budget_is_too_small_to_confirm_is_not_said_to_be_unstable(budget: int) -> None:
    """None of it is chance; and whoever resumes does those tasks again, and finds it."""
    running = campaign(FakeSide(_odd, "one"), FakeSide(name="two"), budget=budget)
    events = list(running.run())
    running.pair.close()
    assert running.inquiry.unstable == []
    done = frozenset(each.task for each in events if isinstance(each, Done))
    meter = running.pair.reference.meter
    assert meter is not None
    assert running._cut or not meter.is_over
    assert not running._cut & done
    resumed = campaign(FakeSide(_odd, "one"), FakeSide(name="two"), done=done)
    found = [each for each in events if isinstance(each, Finding)] + findings(resumed)
    assert {each.operation for each in found} == {"GetObject", "ListObjectsV2"}


def test_a_policy_that_forbids_to_look_into_a_bucket_is_removed_before_the_bucket_is_emptied() -> None:
    objects, policy, asked = ["key"], [True], []

    def ask(operation: str, params: Mapping[str, Any]) -> Answer:
        asked.append(operation)
        match operation:
            case "DeleteBucket" if objects:
                return failure(409, "BucketNotEmpty")
            case "ListObjectVersions" | "DeleteObject" if policy:
                return failure(403, "AccessDenied")
            case "ListObjectVersions":
                return success(Versions=[{"Key": each} for each in objects])
            case "DeleteObject":
                objects.remove(params["Key"])
            case "DeleteBucketPolicy":
                policy.clear()
        return success()

    assert remove("s3", "bucket", ask) == ""
    assert not objects
    assert "DeleteBucketPolicy" in asked
