"""What goes wrong on the way to the reference, and what is left behind then: nothing unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.marks import BY_NAME, key_mark
from likewise.cloud.replay import replayer as module
from likewise.cloud.replay import sending
from likewise.model import (
    BudgetReached,
    CredentialsMissing,
    Interaction,
    Raised,
    ReplayImpossible,
    Returned,
    TargetUnavailable,
)
from likewise.run import Meter

from .conftest import Log, Scripted, piece, replayer

Start = Callable[..., Scripted]
SIGNED = "AWS4-HMAC-SHA256 Credential={}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
BUCKET = "inventory-12345678"


def s3(method: str, target: str, status: int = 200, *, key: str = "mine", **more: Any) -> Interaction:
    """One recorded S3 call."""
    return recorded(
        Exchange(
            method=method,
            url=f"http://127.0.0.1:5000{target}",
            headers={"authorization": SIGNED.format(key), **more.get("headers", {})},
            body=more.get("body"),
            status=status,
            response_headers=more.get("answers", {}),
            response_body=more.get("content", b""),
            seen=more.get("seen"),
        )
    )


def dynamodb(
    operation: str, request: dict[str, Any], answer: dict[str, Any], status: int = 200
) -> Interaction:
    return recorded(
        Exchange(
            method="POST",
            url="http://127.0.0.1:5000/",
            headers={
                "x-amz-target": f"DynamoDB_20120810.{operation}",
                "content-type": "application/x-amz-json-1.0",
                "authorization": SIGNED.format("mine"),
            },
            body=json.dumps(request).encode(),
            status=status,
            response_body=json.dumps(answer).encode(),
        )
    )


def recorded(exchange: Exchange) -> Interaction:
    return Interpreter().interpret(exchange, order=0)


def error(code: str) -> str:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Nobody sleeps; how long they would have is kept."""
    slept: list[float] = []
    monkeypatch.setattr(sending.time, "sleep", slept.append)
    return slept


def test_a_throttled_call_is_sent_again_and_counted(scripted: Start, impatient: list[float]) -> None:
    reference = scripted().say(503, error("SlowDown")).say(429).say(200)
    meter = Meter()
    (call,) = replayer(reference, meter=meter).replay(piece((s3("GET", "/b/k"),))).calls
    assert isinstance(call.outcome, Returned)
    assert meter.calls == 3
    assert impatient == sorted(impatient)


def test_throttling_that_does_not_end_is_the_answer(scripted: Start) -> None:
    reference = scripted()
    for _ in range(5):
        reference.say(503, error("SlowDown"))
    meter = Meter()
    (call,) = replayer(reference, meter=meter).replay(piece((s3("GET", "/b/k"),))).calls
    assert isinstance(call.outcome, Raised)
    assert call.outcome.kind == "SlowDown"
    assert meter.calls == 5


def test_other_failures_are_answers_and_not_tried_again(scripted: Start) -> None:
    reference = scripted().say(500, error("InternalError"))
    (call,) = replayer(reference).replay(piece((s3("GET", "/b/k"),))).calls
    assert isinstance(call.outcome, Raised)
    assert len(reference.sent) == 1


def test_a_slice_beyond_the_budget_sends_nothing(scripted: Start) -> None:
    reference = scripted()
    with pytest.raises(BudgetReached):
        replayer(reference, meter=Meter(1)).replay(piece((s3("GET", "/b/k"), s3("GET", "/b/k"))))
    assert reference.sent == []
    assert reference.resets == 0


def test_a_reference_that_is_down_is_named(scripted: Start) -> None:
    reference = scripted()
    reference.stop()
    reference.stop = lambda: None  # type: ignore[method-assign]
    with pytest.raises(TargetUnavailable, match=r"nobody answers at http://127\.0\.0\.1"):
        replayer(reference).replay(piece((s3("GET", "/b/k"),)))


@pytest.mark.parametrize("code", ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"])
def test_refused_credentials_say_what_to_do(scripted: Start, code: str) -> None:
    with pytest.raises(CredentialsMissing, match="sign in again"):
        replayer(scripted().say(403, error(code))).replay(piece((s3("GET", "/b/k"),)))


def test_a_refusal_that_the_candidate_gave_too_is_an_answer(scripted: Start) -> None:
    text = error("InvalidAccessKeyId")
    call = s3("GET", "/b/k", 403, content=text.encode())
    assert replayer(scripted().say(403, text)).replay(piece((call,))).calls == (call,)


def test_requests_are_signed_with_the_reference_s_keys_and_anonymous_ones_stay_so(scripted: Start) -> None:
    reference = scripted().say(200).say(200)
    anonymous = recorded(
        Exchange(method="GET", url="http://b.s3.amazonaws.com/k", headers={}, status=200, service_hint="s3")
    )
    replayer(reference).replay(piece((s3("GET", "/b/k"), anonymous)))
    (_, _, signed, _), (_, path, unsigned, _) = reference.sent
    assert "Credential=theirs/" in signed["authorization"]
    assert "authorization" not in unsigned
    assert path == "/b/k"


def test_the_user_s_own_session_does_not_leak_to_an_emulator(
    scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "the-user-s")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "the-user-s")
    reference = scripted().say(200)
    replayer(reference).replay(piece((s3("GET", "/b/k"),)))
    assert "the-user-s" not in str(reference.sent)


PRESIGNED = "?X-Amz-Signature=0&X-Amz-Credential=a/1/us-east-1/s3/aws4_request"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (Exchange(method="GET", url=f"http://127.0.0.1:5000/b/k{PRESIGNED}", status=200), "presigned"),
        (
            Exchange(
                method="PUT",
                url="http://127.0.0.1:5000/b/k",
                headers={"content-length": "9"},
                service_hint="s3",
                status=200,
            ),
            "body was not kept",
        ),
        (Exchange(method="GET", url="http://example.org/", status=200), "no known service"),
        (
            Exchange(
                method="GET",
                url="http://127.0.0.1:5000/b/k",
                headers={"if-modified-since": "Sun, 15 Nov 2026 22:28:59 GMT"},
                service_hint="s3",
                status=200,
            ),
            "a time of the candidate's",
        ),
        (
            Exchange(
                method="PUT",
                url="http://127.0.0.1:5000/b/k",
                headers={"x-amz-content-sha256": "0" * 64},
                body=b"x",
                service_hint="s3",
                status=200,
            ),
            "signed for another body",
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused_before_anything_is_sent(
    scripted: Start, call: Exchange, why: str
) -> None:
    reference = scripted()
    with pytest.raises(ReplayImpossible, match=why):
        replayer(reference).replay(piece((s3("GET", "/b/k"), recorded(call))))
    assert reference.sent == []


def test_calls_made_with_other_keys_than_the_run_s_are_refused(scripted: Start) -> None:
    reference = scripted().say(200)
    with pytest.raises(ReplayImpossible, match="keys other than"):
        replayer(reference, identities=[key_mark("mine")]).replay(piece((s3("GET", "/b/k", key="wrong"),)))
    with pytest.raises(ReplayImpossible, match="keys other than"):
        replayer(reference).replay(piece((s3("GET", "/b/k"), s3("GET", "/b/k", key="wrong"))))
    replayer(reference, identities=[key_mark("mine")]).replay(piece((s3("GET", "/b/k"),)))


def test_what_is_created_is_remembered_before_and_forgotten_after(scripted: Start) -> None:
    """On a reference that cannot be reset; the slice's own delete counts, else the replay deletes."""
    reference = scripted(resettable=False).say(200).say(204)
    log = Log()
    replayer(reference, log=log).replay(piece((s3("PUT", f"/{BUCKET}"),)))
    (_, made, _, _), (method, deleted, _, _) = reference.sent
    assert method == "DELETE"
    assert made == deleted != f"/{BUCKET}"
    assert log.notes == [("remember", f"s3 bucket {made[1:]}"), ("forget", f"s3 bucket {made[1:]}")]


def test_what_was_refused_was_not_created(scripted: Start) -> None:
    reference = scripted(resettable=False).say(409, error("BucketAlreadyExists"))
    log = Log()
    running = replayer(reference, log=log)
    running.replay(piece((s3("PUT", f"/{BUCKET}"),)))
    assert log.left == {}
    assert running.clean_up() == ()
    assert len(reference.sent) == 1


def test_what_cannot_be_deleted_is_listed_with_the_command(scripted: Start) -> None:
    reference = scripted(resettable=False, real=True)
    reference.say(200).say(403, error("AccessDenied")).say(403, error("AccessDenied"))
    log = Log()
    running = replayer(reference, log=log)
    running.replay(piece((s3("PUT", f"/{BUCKET}"),)))
    name = reference.sent[0][1][1:]
    (line,) = running.clean_up()
    assert f"aws s3 rb s3://{name} --force" in line
    assert list(log.left.values()) == [f"aws s3 rb s3://{name} --force"]


def test_an_interrupt_leaves_the_log_right(scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the interrupted call took effect is unknown: it stays remembered, and clean-up deletes it."""
    reference = scripted(resettable=False)
    log = Log()
    running = replayer(reference, log=log)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sending.Connections, "_once", interrupted)
        with pytest.raises(KeyboardInterrupt):
            running.replay(piece((s3("PUT", f"/{BUCKET}"),)))
    (left,) = log.left
    reference.say(404, error("NoSuchBucket"))
    assert running.clean_up() == ()
    assert log.left == {}
    assert reference.sent[0][0] == "DELETE"
    assert left.endswith(reference.sent[0][1][1:])


def test_cleaning_up_a_reference_that_can_be_reset_is_a_reset(scripted: Start) -> None:
    reference = scripted().say(200)
    log = Log()
    running = replayer(reference, log=log)
    running.replay(piece((s3("PUT", f"/{BUCKET}"),)))
    assert reference.sent[0][1] == f"/{BUCKET}"
    assert reference.resets == 1
    assert running.clean_up() == ()
    assert reference.resets == 2
    assert log.notes == []


def describe(status: str) -> dict[str, Any]:
    return {"Table": {"TableName": "t", "TableStatus": status}}


def test_a_table_that_the_candidate_shows_as_active_is_waited_for(
    scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = scripted()
    for status in ("CREATING", "CREATING", "ACTIVE"):
        reference.say(200, json.dumps(describe(status)))
    meter = Meter()
    call = dynamodb("DescribeTable", {"TableName": "t"}, describe("ACTIVE"))
    assert replayer(reference, meter=meter).replay(piece((call,))).calls == (call,)
    assert meter.calls == 3


@pytest.mark.parametrize(("seen", "is_equal"), [((), True), ((f"{BY_NAME}RetryAttempts",), False)])
def test_who_asks_how_often_the_sdk_tried_is_told_that_the_reference_was_busy(
    scripted: Start, seen: tuple[str, ...], is_equal: bool
) -> None:
    reference = scripted().say(503, error("SlowDown")).say(200)
    call = s3("PUT", "/b/k", body=b"x", seen=seen)
    (replayed,) = replayer(reference).replay(piece((call,))).calls
    assert (replayed.outcome == call.outcome) == is_equal


def test_a_table_that_was_seen_to_be_active_is_waited_for_no_more(scripted: Start) -> None:
    """That it is no longer so, though nobody has changed it, is another answer; after a change it is not."""
    reference = scripted()
    for status in ("ACTIVE", "UPDATING"):
        reference.say(200, json.dumps(describe(status)))
    look = dynamodb("DescribeTable", {"TableName": "t"}, describe("ACTIVE"))
    first, second = replayer(reference).replay(piece((look, look))).calls
    assert first.outcome == look.outcome != second.outcome
    change = dynamodb("UpdateTable", {"TableName": "t"}, {"TableDescription": {"TableName": "t"}})
    for status in ("ACTIVE", "", "UPDATING", "ACTIVE"):
        answer = describe(status) if status else {"TableDescription": {"TableName": "t"}}
        reference.say(200, json.dumps(answer))
    *_, last = replayer(reference).replay(piece((look, change, look))).calls
    assert last.outcome == look.outcome


def test_a_table_in_any_other_state_is_not_waited_for(scripted: Start) -> None:
    """Writing to a table that nobody has seen to be active fails on the reference: that is the point."""
    reference = scripted()
    reference.say(200, json.dumps({"TableDescription": {"TableName": "t", "TableStatus": "CREATING"}}))
    reference.say(400, json.dumps({"__type": "x#ResourceNotFoundException", "message": "not yet"}))
    made = {"TableDescription": {"TableName": "t", "TableStatus": "ACTIVE"}}
    calls = (
        dynamodb("CreateTable", {"TableName": "t"}, made),
        dynamodb("PutItem", {"TableName": "t", "Item": {"id": {"S": "1"}}}, {}),
    )
    replayed = replayer(reference).replay(piece(calls))
    assert isinstance(replayed.calls[1].outcome, Raised)
    assert len(reference.sent) == 2


def test_the_checksum_of_a_changed_body_is_made_right_and_a_wrong_one_stays_wrong(scripted: Start) -> None:
    from base64 import b64encode
    from hashlib import md5

    reference = scripted().say(200, x_amz_version_id="their1a2b3c4d").say(200).say(200)
    body = b"<Delete><Object><Key>k</Key><VersionId>mine1a2b3c4d</VersionId></Object></Delete>"
    right, wrong = b64encode(md5(body).digest()).decode(), b64encode(md5(b"").digest()).decode()
    calls = (
        s3("PUT", "/b/k", body=b"x", answers={"x-amz-version-id": "mine1a2b3c4d"}),
        s3("POST", "/b?delete", body=body, headers={"content-md5": right}),
        s3("POST", "/b?delete", body=body, headers={"content-md5": wrong}),
    )
    replayer(reference).replay(piece(calls))
    sent = body.replace(b"mine1a2b3c4d", b"their1a2b3c4d")
    assert [request[3] for request in reference.sent[1:]] == [sent, sent]
    assert reference.sent[1][2]["content-md5"] == b64encode(md5(sent).digest()).decode()
    assert reference.sent[2][2]["content-md5"] == wrong


def test_a_streamed_body_is_sent_whole_with_its_checksum(scripted: Start) -> None:
    reference = scripted().say(200)
    framed = b"3\r\nabc\r\n0\r\nx-amz-checksum-crc32:NSRBwg==\r\n\r\n"
    headers = {
        "content-encoding": "aws-chunked",
        "x-amz-trailer": "x-amz-checksum-crc32",
        "x-amz-decoded-content-length": "3",
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "x-amz-sdk-checksum-algorithm": "CRC32",
    }
    replayer(reference).replay(piece((s3("PUT", "/b/k", body=framed, headers=headers),)))
    (_, _, sent, body), *_ = reference.sent
    assert body == b"abc"
    assert sent["x-amz-checksum-crc32"] == "NSRBwg=="
    assert "content-encoding" not in sent
    assert "x-amz-trailer" not in sent


def test_waiting_has_a_limit(scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_LIMIT", 2)
    reference = scripted()
    for _ in range(3):
        reference.say(200, json.dumps(describe("CREATING")))
    call = dynamodb("DescribeTable", {"TableName": "t"}, describe("ACTIVE"))
    (replayed,) = replayer(reference).replay(piece((call,))).calls
    assert replayed.outcome != call.outcome
