"""What a recorded parameter stands for: bytes, times, names, parts of earlier answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

import pytest

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.bindings import Bindings
from likewise.cloud.fuzz.corpus.bodies import Bodies
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step, Wire
from likewise.cloud.fuzz.corpus.checksums import checksum
from likewise.cloud.fuzz.corpus.names import FreshNames
from likewise.cloud.fuzz.corpus.references import put_references
from likewise.cloud.fuzz.corpus.signatures import Signer
from likewise.cloud.fuzz.corpus.values import (
    Moment,
    Unplayable,
    decode,
    filled,
    time_of_recording,
)

MET = Moment(Recorded(ok=True, status=200))
UNMET = Moment(Recorded(ok=False, status=412, code="PreconditionFailed"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"__bytes__": "abc"}, b"abc"),
        ({"__repeat__": "01", "__len__": 5}, b"01010"),
        ({"__b64__": "AAE="}, b"\x00\x01"),
        ({"Key": {"a": [{"__bytes__": "x"}]}}, {"Key": {"a": [b"x"]}}),
        ({"length": 6, "head": "aaa"}, b"aaaaaa"),
        ({"length": 3}, {"length": 3}),
        ({"$bytes": "AAE="}, b"\x00\x01"),
        ({"$bytes": {"S": "x"}}, {"$bytes": {"S": "x"}}),
        ({"$bytes": "AAE=", "other": 1}, {"$bytes": "AAE=", "other": 1}),
    ],
)
def test_marks_become_what_they_stand_for(written: Any, meant: Any) -> None:
    assert decode(written, MET) == meant


@pytest.mark.parametrize("written", [{"__strange__": 1}, {"__repeat__": "", "__len__": 3}, {"__b64__": "!"}])
def test_an_unknown_mark_is_never_guessed(written: Any) -> None:
    with pytest.raises(Unplayable):
        decode({"Body": written}, MET)


@pytest.mark.parametrize("head", ["<?xml version", '{"PartitionKey": "a', "--batch_1", '[{"a": 1'])
def test_a_body_that_says_something_is_not_filled_up(head: str) -> None:
    with pytest.raises(Unplayable, match="are in the file"):
        filled({"length": 1000, "head": head}, "the body")


def test_references_count_from_one_and_keep_their_type() -> None:
    answers = [
        Answer(success=True, fields={"ETag": '"e"', "Versions": [{"VersionId": "v", "Size": 3}]}),
    ]
    found = put_references(
        {
            "a": "${1.ETag}",
            "b": ["x/${1.Versions[0].VersionId}"],
            "c": "${1.Versions[0].Size}",
            "d": "${aws}",
        },
        answers,
    )
    assert found == {"a": '"e"', "b": ["x/v"], "c": 3, "d": "${aws}"}


@pytest.mark.parametrize("text", ["${1.Nothing}", "${2.ETag}", "${0.ETag}"])
def test_a_reference_to_nothing_cannot_be_played(text: str) -> None:
    with pytest.raises(Unplayable):
        put_references(text, [Answer(success=True, fields={"ETag": "e"})])


def test_a_condition_on_time_does_what_it_did_when_it_was_recorded() -> None:
    """The recorded date is long past: what counts is on which side of the last change it lay."""
    now = datetime.now(UTC)
    old = {"__datetime__": "2022-07-13T10:00:00+00:00"}
    met, unmet = (
        decode({"CopySourceIfModifiedSince": old, "IfUnmodifiedSince": old}, moment)
        for moment in (MET, UNMET)
    )
    assert met["CopySourceIfModifiedSince"] < now < met["IfUnmodifiedSince"]
    assert now <= unmet["CopySourceIfModifiedSince"] <= datetime.now(UTC)
    assert unmet["IfUnmodifiedSince"] < now
    assert UNMET.needs_pause


def test_several_conditions_are_as_far_from_now_as_from_the_recording() -> None:
    yesterday, then = "2024-05-01T10:00:00+00:00", "2024-05-02T10:00:00+00:00"
    params = {
        "CopySourceIfMatch": "x",
        "CopySourceIfUnmodifiedSince": {"__datetime__": yesterday},
        "CopySourceIfModifiedSince": {"__datetime__": then},
    }
    latest = time_of_recording(params, [params])
    moment = Moment(Recorded(status=200), latest)
    sent = decode(params, moment)
    now = datetime.now(UTC)
    assert abs(now - timedelta(days=1) - sent["CopySourceIfUnmodifiedSince"]) < timedelta(minutes=1)
    assert abs(now - sent["CopySourceIfModifiedSince"]) < timedelta(minutes=1)
    assert moment.needs_pause
    alone = {"IfUnmodifiedSince": {"__datetime__": yesterday}}
    assert time_of_recording(alone, [params, alone]) is None


def test_a_change_since_a_time_that_lay_ahead_lies_ahead_again() -> None:
    then, ahead = "2024-05-02T10:00:00.5+00:00", "2024-05-03T10:00:00.5+00:00"
    before = {"IfModifiedSince": {"__datetime__": then}}
    params = {"IfModifiedSince": {"__datetime__": ahead}}
    met, unmet = Recorded(status=200), Recorded(status=304, code="304")
    latest = time_of_recording(params, [before, params], met)
    sent = decode(params, Moment(met, latest))
    assert sent["IfModifiedSince"] > datetime.now(UTC) + timedelta(hours=23)
    assert time_of_recording(params, [before, params], unmet) is None
    assert time_of_recording(before, [before, params], met) is None
    assert time_of_recording(params, [params], met) is None
    old = {"IfModifiedSince": {"__datetime__": "2015-01-01T00:00:00+00:00"}}
    assert time_of_recording(params, [old, params], met) is None


def test_a_retention_that_has_run_out_since_is_moved_and_a_constant_is_not() -> None:
    old = {"__datetime__": "2022-07-13T10:00:00.5"}
    assert decode({"RetainUntilDate": old}, MET)["RetainUntilDate"] > datetime.now(UTC)
    refused = Moment(Recorded(ok=False, status=400, code="InvalidArgument"))
    assert decode({"RetainUntilDate": old}, refused)["RetainUntilDate"] < datetime.now()
    assert decode({"Date": old}, MET)["Date"] == datetime(2022, 7, 13, 10, 0, 0, 500000)


def names(service: str, *steps: Step) -> FreshNames:
    return FreshNames(Case(id="c", service=service, steps=steps, recorded=Recorded(ok=True)))


def make(bucket: str) -> Step:
    return Step(operation="CreateBucket", params={"Bucket": bucket})


def test_what_a_case_makes_gets_a_fresh_name_everywhere() -> None:
    fresh = names("s3", make("test-bucket-12345678"), make("b1"), Step(operation="ListBuckets"))
    found = fresh.value(
        {
            "CopySource": "test-bucket-12345678/key",
            "Policy": '{"Resource": "arn:aws:s3:::b1/*"}',
            "Key": "b10",
            "test-bucket-12345678": 1,
        }
    )
    long, short = fresh.fresh["test-bucket-12345678"], fresh.fresh["b1"]
    assert len(long) == 20
    assert len(short) >= 3
    assert found == {
        "CopySource": f"{long}/key",
        "Policy": f'{{"Resource": "arn:aws:s3:::{short}/*"}}',
        "Key": "b10",
        long: 1,
    }


@pytest.mark.parametrize("name", ["UPPERCASE-BUCKET-NAME", "a", "under_score_bucket_name", "abc"])
def test_a_name_for_which_the_last_call_was_refused_stays(name: str) -> None:
    refused = Case(id="c", service="s3", steps=(make(name),), recorded=Recorded(ok=False))
    assert FreshNames(refused).text(name) == name


def test_a_name_that_was_accepted_only_stands_for_one() -> None:
    assert names("s3", make("b1")).text("b1") != "b1"


def test_names_are_found_in_requests_and_bodies() -> None:
    container = Step(
        operation="x", wire=Wire(method="PUT", path="/utcontainer12345", query="restype=container")
    )
    table = Step(
        operation="x",
        params={"body": '{"TableName": "uttable12345"}'},
        wire=Wire(method="POST", path="/Tables"),
    )
    last = Step(operation="x", wire=Wire(method="GET", path="/"))
    assert "utcontainer12345" in names("blob", container, last).fresh
    assert "uttable12345" in names("table", table, last).fresh
    assert not names("blob", Step(operation="x", wire=Wire(method="PUT", path="/c/b")), last).fresh


def answered(**headers: str) -> Answer:
    return Answer(success=True, status=201, fields={"headers": headers})


def test_a_tag_of_the_real_service_becomes_the_candidates_where_it_matched() -> None:
    bound = Bindings()
    bound.note("/c/b", answered(etag='"now"'))

    def sent(name: str, recorded: Recorded) -> str:
        return bound.headers("/c/b", "", {name: '"0x8DA"'}, recorded, frozenset())[name]

    met, unmet = Recorded(status=201), Recorded(status=412, code="ConditionNotMet")
    assert sent("If-Match", met) == '"now"'
    assert sent("If-Match", unmet) == '"0x8DA"'
    assert sent("If-None-Match", unmet) == '"now"'
    assert sent("If-None-Match", met) == '"0x8DA"'
    assert not bound.doubts


def test_a_message_that_the_service_never_knew_stays_unknown() -> None:
    bound = Bindings()
    given = {"QueueMessage": {"MessageId": "m1", "PopReceipt": "p"}}
    bound.note("/q/messages", Answer(success=True, status=201, fields={"body": given}))
    assert bound.path("/q/messages/made-up", is_unknown=True) == "/q/messages/made-up"
    assert bound.path("/q/messages/recorded") == "/q/messages/m1"
    assert bound.path("/q/messages/recorded", is_unknown=True) == "/q/messages/m1"


def test_snapshots_are_bound_in_the_order_in_which_they_were_made() -> None:
    bound = Bindings()
    for value in ("s1", "s2"):
        bound.note("/c/b", answered(**{"x-ms-snapshot": value}))
    ok = Recorded(status=200)
    assert bound.query("/c/b", "comp=x&snapshot=2022-01-01", ok) == "comp=x&snapshot=s1"
    assert bound.query("/c/b", "snapshot=2022-01-02", ok) == "snapshot=s2"
    assert bound.query("/c/b", "snapshot=2022-01-01", ok) == "snapshot=s1"
    assert not bound.doubts
    assert bound.query("/c/b", "snapshot=2022-01-03", ok) == "snapshot=2022-01-03"
    assert bound.doubts


KEY = "AccountName=home;AccountKey=a2V5"


@pytest.mark.parametrize(
    ("service", "path", "query"),
    [
        ("blob", "/c/b", "comp=x&sp=r&se=2019-01-01&sr=b&sv=2019-02-02&sig=abc"),
        ("blob", "/c/b", "sp=r&si=policy&sr=c&sig=abc"),
        ("queue", "/q/messages", "sp=r&se=2019-01-01&sig=abc"),
        ("table", "/t()", "$filter=x&sp=r&se=2019-01-01&st=2018-01-01&tn=t&sig=abc"),
        ("table", "/Tables", "sp=r&se=2019-01-01&srt=s&ss=t&sig=abc"),
    ],
)
def test_a_signature_for_another_account_is_issued_anew(service: str, path: str, query: str) -> None:
    renewed = Signer(service, KEY).renewed(path, query, Recorded(status=200))
    given, old = dict(parse_qsl(renewed)), dict(parse_qsl(query))
    assert given["sig"] != "abc"
    assert given["sp"] == "r"
    assert given.get("se", "9") > "2026"
    for name in ("comp", "$filter", "si", "srt", "st"):
        assert (name in given) == (name in old)


def test_a_signature_that_was_refused_cannot_be_played() -> None:
    with pytest.raises(Unplayable, match="AuthenticationFailed"):
        Signer("blob", KEY).renewed("/c/b", "sig=x", Recorded(status=403, code="AuthenticationFailed"))
    with pytest.raises(Unplayable, match="token of a user"):
        Signer("blob", KEY).renewed("/c/b", "skoid=y&sig=x", None)


def cut(path: str, head: str, length: int, status: int, query: str = "", code: str | None = None) -> Step:
    method = "PUT" if query else "POST"
    return Step(
        operation="x",
        params={"body": {"length": length, "head": head}},
        wire=Wire(method=method, path=path, query=query),
        recorded=Recorded(status=status, code=code),
    )


ENTITY = '{"PartitionKey": "pk", "PartitionKey@odata.type": "Edm.String", "RowKey"'


def test_entities_of_which_only_the_head_is_left_keep_apart() -> None:
    first, second = cut("/t", ENTITY, 711, 201), cut("/t", ENTITY, 713, 201)
    twice = cut("/t", ENTITY, 711, 409, code="EntityAlreadyExists")
    last = Step(operation="x", wire=Wire(method="GET", path="/t(PartitionKey='pk',RowKey='r7')"))
    steps = (first, second, twice, last)
    bodies = Bodies(Case(id="c", service="table", steps=steps, recorded=Recorded(status=200)), str)
    rows = [json.loads(bodies.body(step, step.recorded) or b"")["RowKey"] for step in steps[:3]]
    assert rows[0] == "r7"
    assert rows[1] != "r7"
    assert rows[2] == "r7"


def test_what_an_entity_says_decides_whether_it_is_taken() -> None:
    judged = cut("/t", ENTITY, 711, 400, code="PropertyNameTooLong")
    case = Case(id="c", service="table", steps=(judged,), recorded=Recorded(status=400))
    with pytest.raises(Unplayable, match="decides the answer"):
        Bodies(case, str).body(judged, judged.recorded)


def test_a_list_of_blocks_is_the_blocks_that_were_staged() -> None:
    staged = [
        Step(operation="x", wire=Wire(method="PUT", path="/c/b", query=f"comp=block&blockid={name}"))
        for name in ("YQ%3D%3D", "Yg%3D%3D")
    ]
    wanted = (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        "<BlockList><Latest>YQ==</Latest><Latest>Yg==</Latest></BlockList>"
    )
    whole = cut("/c/b", wanted[:60], len(wanted), 201, query="comp=blocklist")
    other = cut("/c/b", wanted[:60], len(wanted) + 9, 201, query="comp=blocklist")
    for listed, is_whole in ((whole, True), (other, False)):
        case = Case(id="c", service="blob", steps=(*staged, listed), recorded=Recorded(status=201))
        bodies = Bodies(case, str)
        for step in staged:
            bodies.body(step, None)
        if is_whole:
            assert bodies.body(listed, listed.recorded) == wanted.encode()
        else:
            with pytest.raises(Unplayable):
                bodies.body(listed, listed.recorded)


@pytest.mark.parametrize(("code", "is_known"), [("BlobAlreadyExists", True), ("InvalidBlockList", False)])
def test_a_list_of_blocks_is_known_where_it_is_not_what_was_refused(code: str, is_known: bool) -> None:
    staged = Step(operation="x", wire=Wire(method="PUT", path="/c/b", query="comp=block&blockid=YQ%3D%3D"))
    wanted = "<?xml version='1.0' encoding='utf-8'?>\n<BlockList><Latest>YQ==</Latest></BlockList>"
    listed = cut("/c/b", wanted[:60], len(wanted), 409, query="comp=blocklist", code=code)
    bodies = Bodies(Case(id="c", service="blob", steps=(staged, listed), recorded=Recorded(status=409)), str)
    bodies.body(staged, None)
    if is_known:
        assert bodies.body(listed, listed.recorded) == wanted.encode()
    else:
        with pytest.raises(Unplayable):
            bodies.body(listed, listed.recorded)


def test_a_message_keeps_its_length() -> None:
    head = "<?xml version='1.0' encoding='utf-8'?>\n<QueueMessage><MessageText>aGVsb"
    step = cut("/q/messages", head, 900, 201)
    case = Case(id="c", service="queue", steps=(step,), recorded=Recorded(status=201))
    body = Bodies(case, str).body(step, step.recorded) or b""
    assert len(body) == 900
    assert body.endswith(b"</MessageText></QueueMessage>")


def test_a_policy_on_which_a_signature_relies_is_in_force() -> None:
    acl = "<SignedIdentifier><Expiry>2019-10-25T19:13:44Z</Expiry></SignedIdentifier>"
    put = Step(operation="x", params={"body": acl}, wire=Wire(method="PUT", path="/c", query="comp=acl"))
    get = Step(operation="x", wire=Wire(method="GET", path="/c/b", query="si=id&sig=x"))
    recorded = Recorded(status=200)
    relied = Bodies(Case(id="c", service="blob", steps=(put, get), recorded=recorded), str)
    alone = Bodies(Case(id="c", service="blob", steps=(put,), recorded=recorded), str)
    assert b"2019" not in (relied.body(put, None) or b"")
    assert alone.body(put, None) == acl.encode()


def test_a_tag_that_no_service_gives_stays_where_it_was_refused() -> None:
    bound = Bindings()
    bound.note("/c/b", answered(etag='"now"'))
    refused = Recorded(status=400, code="OutOfRangeInput")
    sent = bound.headers("/c/b", "", {"If-Match": "0x111"}, refused, frozenset())
    assert sent == {"If-Match": "0x111"}


def test_a_condition_that_was_not_met_is_a_failure() -> None:
    assert Recorded(status=304).success is False
    assert Recorded(status=206).success is True


@pytest.mark.parametrize(("algorithm", "expected"), [("CRC32C", "4waSgw=="), ("CRC64NVME", "rosUhgp5mIg=")])
def test_checksums_have_their_published_check_values(algorithm: str, expected: str) -> None:
    assert checksum(algorithm, b"123456789") == expected


def test_the_margin_of_a_condition_is_wider_than_a_clock_is_wrong() -> None:
    when = MET.condition("if-unmodified-since")
    assert when is not None
    assert when > datetime.now(UTC) + timedelta(minutes=5)


def test_each_message_keeps_its_own_receipt() -> None:
    bound = Bindings()
    listed = [{"MessageId": "m1", "PopReceipt": "r1"}, {"MessageId": "m2", "PopReceipt": "r2"}]
    bound.note("/q/messages", Answer(success=True, fields={"headers": {}, "body": {"List": listed}}))
    first, second = bound.path("/q/messages/old-1"), bound.path("/q/messages/old-2")
    assert (first, second) == ("/q/messages/m1", "/q/messages/m2")
    ok = Recorded(status=204)
    assert bound.query(second, "popreceipt=x%3D&visibilitytimeout=5", ok) == (
        "popreceipt=r2&visibilitytimeout=5"
    )
    assert bound.query(first, "popreceipt=x", ok) == "popreceipt=r1"
    bound.note(first, answered(**{"x-ms-popreceipt": "r3"}))
    assert bound.query(first, "popreceipt=y", ok) == "popreceipt=r3"
    wrong = Recorded(status=400, code="PopReceiptMismatch")
    assert bound.query(first, "popreceipt=y", wrong) == "popreceipt=y"
