"""What an earlier write leaves behind, what is asked where there is nothing, and whose fault that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fake_side import FakeSide, Trick, campaign, failure, success

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, placeholders
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.minimising import Look, Minimiser, Shown
from likewise.cloud.fuzz.inquiry.remains import as_shown, remains
from likewise.cloud.fuzz.inquiry.timing import Check, Lateness
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.cloud.fuzz.sides.sharing import Shared
from likewise.cloud.fuzz.sides.standing import in_full
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.looks import looked
from likewise.model import Difference, Implication


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.inquiry.timing.LAG", 0.0)


def call(operation: str, **params: Any) -> Call:
    return Call(service="queue", operation=operation, params={"queue": Name("queue"), **params})


def gap(kind: Difference, reference: str, candidate: str, operation: str = "Queue_GetProperties") -> Gap:
    return Gap(
        operation=operation,
        index=0,
        difference=kind,
        place="headers.x-ms-meta-*",
        reference=reference,
        candidate=candidate,
        implication=Implication.WRONG_RESULT,
    )


MADE = call("Queue_Create", metadata={"colour": "blue"})
SET, READ = call("Queue_SetMetadata", metadata={"size": "big"}), call("Queue_GetProperties")


def test_what_an_earlier_write_gave_and_a_later_one_did_not_is_left_over() -> None:
    assert remains(gap(Difference.MISSING, "blue", "None"), (MADE,), SET)
    assert remains(gap(Difference.VALUE, "blue", "big"), (MADE,), SET)
    assert remains(gap(Difference.MISSING, "{'colour': 'blue'}", "None"), (MADE,), SET)
    assert not remains(gap(Difference.MISSING, "big", "None"), (MADE,), SET), "it was given just now"
    assert not remains(gap(Difference.MISSING, "red", "None"), (MADE,), SET), "nobody gave it"
    assert not remains(gap(Difference.SUCCESS, "blue", "None"), (MADE,), SET)
    named = call("Queue_Create", metadata={"key": "size"})
    assert not remains(gap(Difference.MISSING, "{'size': 'b'}", "None"), (named,), SET), "it gave that, too"


def test_a_list_that_grows_by_what_is_done_once_more_says_nothing_of_how_much_it_lists() -> None:
    assert remains(gap(Difference.LENGTH, "1", "2"), (MADE, SET), SET)
    assert not remains(gap(Difference.LENGTH, "1", "2"), (MADE,), SET), "it may be another thing"
    made = call("CreateBackup", BackupName="one")
    assert not remains(gap(Difference.LENGTH, "1", "2"), (made,), made), "it makes another one"
    tag, other = (call("TagResource", Tags=[{"Key": key, "Value": "1"}]) for key in ("a", "b"))
    both = call("TagResource", Tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": "1"}])
    assert remains(gap(Difference.LENGTH, "2", "3"), (tag,), both)
    assert not remains(gap(Difference.LENGTH, "1", "2"), (tag,), other)


def test_a_read_with_something_left_over_is_what_shows_the_write_before_it() -> None:
    seen = Seen(setup=[success(), success()], answers=[success()])
    look = Look(gaps=[gap(Difference.MISSING, "blue", "None")], seen=(seen, seen))
    case = Case(setup=(MADE, SET), probes=(Probe(call=READ),))
    shown = Shown(gap=look.gaps[0], case=case, look=look, confirmed=1)
    turned = as_shown(shown)
    assert turned == Case(setup=(MADE,), probes=(Probe(call=SET, observers=(READ,)),))
    assert as_shown(replace(shown, case=Case(setup=(MADE,), probes=(Probe(call=READ),)))) is None


def keeping(*, old: bool) -> Trick:
    """A server whose objects have metadata; one that is put over another has that one's, if `old`."""
    kept: dict[tuple[str, str], dict[str, str]] = {}

    def trick(each: Call, _: int, side: FakeSide) -> Answer | None:
        answer, place = side.honest(each), (str(each.params.get("Bucket")), str(each.params.get("Key")))
        if each.operation == "PutObject" and answer.success:
            given = each.params.get("Metadata") or {}
            kept[place] = {**(kept.get(place, {}) if old else {}), **given}
        if each.operation == "DeleteObject":
            kept.pop(place, None)
        if each.operation == "GetObject" and answer.success:
            return success(**answer.fields, Metadata=kept.get(place, {}))
        return answer

    return trick


def findings(reference: Trick, candidate: Trick | None, **options: Any) -> list[Finding]:
    running = campaign(FakeSide(reference, "one"), FakeSide(candidate, "two"), **options)
    found = [event for event in running.run() if isinstance(event, Finding)]
    running.pair.close()
    return found


def test_a_write_that_keeps_what_was_there_is_to_blame_and_shown_in_few_calls() -> None:
    operations = ("CreateBucket", "PutObject", "GetObject")
    found = findings(keeping(old=True), keeping(old=False), budget=1500, operations=operations)
    assert {(each.operation, each.manifestation) for each in found} == {("PutObject", "state")}
    assert min(len(each.sequence) for each in found) <= 4


def test_what_may_be_given_besides_is_given_where_there_is_nothing_as_well() -> None:
    def trick(each: Call, _: int, side: FakeSide) -> Answer | None:
        objects = side.buckets.get(str(each.params.get("Bucket")), {})
        is_absent = each.operation == "DeleteObject" and str(each.params.get("Key")) not in objects
        return failure(500, "Broken") if is_absent and "BypassGovernanceRetention" in each.params else None

    operations = ("CreateBucket", "PutObject", "DeleteObject", "GetObject")
    found = findings(trick, None, budget=900, operations=operations)
    assert {(each.operation, each.parameter) for each in found} == {
        ("DeleteObject", "BypassGovernanceRetention")
    }


def test_what_was_given_together_where_there_is_nothing_is_looked_into_one_by_one() -> None:
    """Each would get a call of its own there anyway, and that is then enough."""
    together: list[frozenset[str]] = []

    def trick(each: Call, _: int, side: FakeSide) -> Answer | None:
        objects = side.buckets.get(str(each.params.get("Bucket")), {})
        is_absent = each.operation == "DeleteObject" and str(each.params.get("Key")) not in objects
        if not is_absent or "BypassGovernanceRetention" not in each.params:
            return None
        if len(each.params) > 3:
            together.append(frozenset(each.params))
        return failure(500, "Broken")

    operations = ("CreateBucket", "PutObject", "DeleteObject", "GetObject")
    assert findings(trick, None, budget=300, operations=operations)
    assert together
    assert len(together) == len(set(together)), "what was given together was not asked again"


def test_what_parts_of_a_call_show_one_by_one_is_confirmed_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"IfMatch", "IfModifiedSince", "Range", "PartNumber", "RequestPayer", "IfNoneMatch", "VersionId"}
    given |= {"ResponseCacheControl", "ResponseContentType", "ResponseExpires", "ResponseContentEncoding"}
    asked: list[set[tuple[str, str]]] = []
    honest = Minimiser.foresee

    def foresee(self: Minimiser, setup: tuple[Call, ...], those: Sequence[tuple[Probe, Any]]) -> None:
        asked.append({(probe.parameter, str(probe.value_class)) for probe, _ in those})
        honest(self, setup, those)

    def trick(each: Call, _: int, side: FakeSide) -> Answer | None:
        wrong = sorted(given & each.params.keys())
        is_there = str(each.params.get("Key")) in side.buckets.get(str(each.params.get("Bucket")), {})
        return failure(400, f"Bad{wrong[0]}") if wrong and is_there else None

    monkeypatch.setattr(Minimiser, "foresee", foresee)
    operations = ("CreateBucket", "PutObject", "GetObject")
    assert findings(trick, None, budget=600, operations=operations)
    first = [{name for name, kind in each if kind == "typical"} & given for each in asked]
    assert any(len(each) > 1 for each in first), "first values are given together, and then one by one"


def test_what_is_asked_where_there_is_nothing_does_not_speak_of_what_was_made() -> None:
    planner = Planner(load("s3"), hints_of("s3"))
    cases = Cases(planner, 1, ("DeleteObject", "GetObject"))
    setup = planner.plan("CreateBucket").calls
    usual = Call(service="s3", operation="GetObject", params=planner.typical("GetObject"))
    found = cases.besides(setup, Probe(call=usual, state="unset"))
    assert found
    assert all(each.state == "unset" and each.parameter for each in found)
    given = [part for each in found for part in placeholders(each.call.params)]
    assert not any(isinstance(part, Ref) for part in given)


def test_a_context_goes_on_after_a_write_that_the_next_one_replaces() -> None:
    make, put, get = (
        Call(service="s3", operation=name, params={"Bucket": Name("bucket"), "Key": Name("key")})
        for name in ("CreateBucket", "PutObject", "GetObject")
    )
    assert in_full((make,), put, put, "bucket") == (make, put)
    assert in_full((make, put), put, get, "bucket") == (make, put, put, put)
    assert in_full((make,), make, get, "bucket") == ()


def test_what_everybody_shares_stays_apart_where_a_part_with_nothing_in_it_is_written() -> None:
    def write(version: str) -> Call:
        body = {"StorageServiceProperties": {"DefaultServiceVersion": version}}
        return Call(service="blob", operation="Service_SetProperties", params={"body": body})

    ours, theirs = Shared(), Shared()
    theirs.note(write("odd"))
    for side in (ours, theirs):
        side.note(write(""))
    assert ours.copy() != theirs.copy(), "to some servers nothing is said by that"
    for side in (ours, theirs):
        side.note(write("2020-10-02"))
    assert ours.copy() == theirs.copy()


def test_what_a_set_up_looked_at_is_looked_at_with_what_everybody_shared() -> None:
    seen = Seen(setup=[success()], answers=[success()], shared={"a": "1"})
    assert looked(seen, 0, Case(probes=(Probe(call=READ),))).shared == {"a": "1"}


def test_a_refusal_that_no_waiting_changes_is_not_taken_for_late_when_nobody_can_be_asked() -> None:
    pair: Any = SimpleNamespace(remaining=lambda: 0)
    lateness = Lateness(pair, SimpleNamespace(), is_shared=lambda _: False, looks=lambda *_: ())  # type: ignore[arg-type]
    lateness._late.add("GetObject")

    def is_late(status: int) -> bool:
        difference = gap(Difference.SUCCESS, f"{status} X", "success (200)", "GetObject")
        check = Check(
            gap=difference,
            beside=(),
            kind=("GetObject", "GetObject", Difference.SUCCESS),
            way=((), "GetObject"),
            first=(failure(status, "X"), success()),
            shown=SimpleNamespace(),  # type: ignore[arg-type]
            question=None,
        )
        lateness._open.append("GetObject")
        return lateness.settle(check)

    assert is_late(404)
    assert not is_late(400)
