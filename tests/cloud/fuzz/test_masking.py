"""What one difference must not hide: another write, another read, another part, another finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_side import FakeSide, campaign, failure, success
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.causes import ASYNCHRONOUS, CONSTRAINT, NULL
from likewise.cloud.fuzz.differences.circles import staying
from likewise.cloud.fuzz.differences.folding import follows_from, is_same_refusal
from likewise.cloud.fuzz.differences.judging import Gap, Judge
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.timing import Lateness, _poorer
from likewise.cloud.fuzz.log import Log, read
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides.execution import Probe
from likewise.cloud.fuzz.tasks.keys import key_of, keys_of, own_signatures
from likewise.model import Difference, Implication

GIVEN = "2031-01-01T10:20:30.1234567Z"
CUT = "2031-01-01T10:20:30Z"


def gap(operation: str = "Container_GetProperties", index: int = 1, **given: Any) -> Gap:
    usual: dict[str, Any] = {
        "difference": Difference.EXTRA,
        "place": "headers.x-ms-meta-*",
        "reference": "None",
        "candidate": "blue",
        "implication": Implication.WRONG_RESULT,
    }
    return Gap(operation=operation, index=index, **usual | given)


def after(write: str) -> Probe:
    return Probe(call=Call(service="blob", operation=write))


def test_what_one_write_leaves_otherwise_says_nothing_of_the_next_one() -> None:
    made, set_ = after("Container_Create"), after("Container_SetMetadata")
    assert key_of(gap(), set_) not in keys_of(gap(), [], made)
    assert gap().signature in keys_of(gap(), [], made), "but for a read that is itself to blame"


def test_a_read_that_is_late_is_not_to_blame_for_what_other_writes_leave() -> None:
    finding = sample_finding("Container_GetProperties", kind="extra", place="headers.x-ms-meta-*")
    assert own_signatures([gap()], finding) == {gap().signature}
    assert own_signatures([gap()], finding_late(finding)) == set()


def finding_late(finding: Finding) -> Finding:
    return sample_finding(finding.operation, kind=finding.kind, place=finding.place, cause=ASYNCHRONOUS)


def test_reads_that_may_be_late_are_asked_after_others() -> None:
    planner = Planner(load("table"), hints_of("table"))
    first, second = planner.observers("Table_UpdateEntity")
    planner.doubted.add(first)
    assert planner.observers("Table_UpdateEntity") == (second, first)


@pytest.mark.parametrize(("calls", "count"), [((), 0), ((GIVEN,), 1)])
def test_a_time_that_the_client_gave_is_not_the_servers_own(calls: Sequence[str], count: int) -> None:
    sent = tuple(Call(service="table", operation="X", params={"body": {"json": {"a": [t]}}}) for t in calls)
    ours, theirs = (Answer(success=True, status=200, fields={"when": text}) for text in (CUT, GIVEN))
    judge = Judge((re.compile("lwr"), re.compile("lwc")), ("http://r.test:1", "http://c.test:1"))
    assert len(judge.gaps("X", 0, ours, theirs, bonds=Bonds(calls=sent))) == count


def test_a_server_that_fails_over_one_part_has_not_refused_another() -> None:
    error = ("InvalidInput", "An error occurred.")
    call = (Call(service="table", operation="Table_InsertEntity", params={"body": {}}),)
    refused = {"errors": (error, ("", "")), "shown_by": "Table_InsertEntity", "sequence": call}
    other = sample_finding(
        "Table_InsertEntity", kind="success", cause=CONSTRAINT, parameter="body.big", condition="x", **refused
    )
    parts = ("body.kind", "body.big", "body.big.inner", "body")
    failing = [
        sample_finding("Table_InsertEntity", kind="error code", cause=NULL, parameter=part, **refused)
        for part in parts
    ]
    assert [is_same_refusal(each, other) for each in failing] == [False, True, True, True]


def test_whether_a_thing_is_there_follows_from_what_a_parameter_did_not_do() -> None:
    held = {"Key": "k", "ObjectLockLegalHoldStatus": "ON"}
    calls = [Call(service="s3", operation=name, params=held) for name in ("PutObject", "DeleteObjects")]
    other = sample_finding(
        "PutObject",
        manifestation="state",
        place="ObjectLockLegalHoldStatus",
        parameter="ObjectLockLegalHoldStatus",
    )
    given = {"manifestation": "both", "kind": "extra", "sequence": (*calls, calls[0])}
    things = sample_finding("DeleteObjects", place="Contents", candidate="[{'Key': 'k'}]", **given)
    field = sample_finding("DeleteObjects", place="Owner", candidate="somebody", **given)
    assert [follows_from(each, other) for each in (things, field)] == [True, False]


def test_of_findings_that_are_put_to_each_other_one_stays() -> None:
    assert staying({"a": {"b"}, "b": {"a"}, "c": {"a"}, "d": set()}, ["c", "b", "a", "d"]) == {"b", "d"}
    assert staying({"a": {"b"}, "b": {"c"}, "c": set()}, ["a", "b", "c"]) == {"c"}


def test_a_log_loses_no_finding_to_a_circle(tmp_path: Path) -> None:
    """A page says by its limit what its length says, and the length says more than the limit."""
    about = {"parameter": "MaxKeys", "deaf": 0, "condition": "only when MaxKeys is given (1)"}
    limit = sample_finding(place="MaxKeys", reference="5000", candidate="1", hash="1" * 16, **about)
    many = sample_finding(kind="length", place="Contents", reference="2", candidate="1", **about)
    log = Log(tmp_path / "log.jsonl", header={})
    for each in (limit, many):
        log.finding(each)
    log.close()
    assert len(read([tmp_path / "log.jsonl"]).findings) == 1


def test_who_gives_nothing_where_the_other_gives_something_is_late_only_if_it_gives_that_later() -> None:
    """Each side takes the message out once: what it answers then is about what is left."""
    found = gap(
        "Messages_Dequeue", difference=Difference.TYPE, place="body.L", reference="{'M': 1}", candidate=""
    )
    assert _poorer(found) == 1
    empty, full = (Answer(success=True, fields={"body": {"L": each}}) for each in ("", {"M": 1}))

    class Asked:
        is_first = shared = False

    agree = Lateness._agree
    assert not agree(None, found, Asked(), empty, empty)  # type: ignore[arg-type]
    assert agree(None, found, Asked(), empty, full)  # type: ignore[arg-type]


def test_a_parameter_that_is_checked_but_not_heeded_is_not_heeded() -> None:
    """The identifier of an upload is another one in every context: that alone changes no answer."""

    def answering(*, heeds: bool) -> FakeSide:
        def trick(call: Call, number: int, _: FakeSide) -> Answer | None:
            if call.operation == "CreateMultipartUpload":
                return success(UploadId=f"upload-{number:08}-{heeds}")
            if call.operation != "ListParts":
                return success()
            marker = int(call.params.get("PartNumberMarker") or 0)
            if marker < 0:
                return failure(400, "InvalidArgument")
            parts = [{"PartNumber": part} for part in (1, 2, 3) if not heeds or part > marker]
            return success(UploadId=call.params.get("UploadId", ""), Parts=parts)

        return FakeSide(trick)

    those = campaign(answering(heeds=False), answering(heeds=True), operations=("ListParts",)).run()
    found = [each for each in those if isinstance(each, Finding) and each.parameter == "PartNumberMarker"]
    assert found
    assert {each.deaf for each in found} == {0}
