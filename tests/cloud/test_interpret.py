"""Any exchange becomes an interaction; what cannot be understood is taken to have changed everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cloud.bodies import WRITTEN
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import WIRE_LIMIT, Interpreter
from likewise.model import Effect, Interaction, Lost, Returned, Scope, TimedOut, Value

SIGNED = {"authorization": "AWS4-HMAC-SHA256 Credential=K/20240101/r/s3/aws4_request, Signature=f"}


def read(exchange: Exchange) -> Interaction:
    return Interpreter().interpret(exchange, order=7)


def test_a_foreign_request_may_have_changed_everything() -> None:
    found = read(Exchange(method="post", url="https://example.org/a/b?x=1", body=b'{"a": 1}', status=200))
    assert str(found.operation) == "http.POST /*/*?x"
    assert found.arguments["body"] == {"a": 1}
    assert {touch.resource[0] for touch in found.touches} >= {
        "http",
        "s3",
        "dynamodb",
        "blob",
        "queue",
        "table",
    }
    assert all(touch.effect is Effect.WRITE and touch.scope is Scope.SUBTREE for touch in found.touches)


def test_another_aws_service_is_nobodys() -> None:
    headers = {"x-amz-target": "AmazonSQS.SendMessage", **SIGNED}
    headers["authorization"] = headers["authorization"].replace("/s3/", "/sqs/")
    found = read(Exchange(method="POST", url="http://127.0.0.1:5000/", headers=headers, status=200))
    assert found.operation.service == "http"


def test_order_lane_and_times_are_kept() -> None:
    found = read(
        Exchange(
            method="GET", url="http://h/b/k", headers=SIGNED, status=200, lane="t1", started=1.0, ended=2.5
        )
    )
    assert (found.order, found.lane, found.started, found.ended) == (7, "t1", 1.0, 2.5)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [("Connection reset by peer", Lost), ("Read timeout on endpoint URL", TimedOut), ("", Lost)],
)
def test_no_answer_may_still_have_changed_something(failure: str, kind: type) -> None:
    """A write that got no answer counts as a write, but not as one that wiped what was there."""
    found = read(Exchange(method="PUT", url="http://h/b/k", headers=SIGNED, body=b"1", failure=failure))
    assert isinstance(found.outcome, kind)
    assert found.touches[0].effect is Effect.WRITE


def test_a_hint_wins_over_guessing() -> None:
    exchange = Exchange(
        method="GET", url="http://h/b", status=200, service_hint="s3", operation_hint="ListObjects"
    )
    assert str(read(exchange).operation) == "s3.ListObjects"


def test_a_large_body_is_not_kept_for_repeating() -> None:
    large = Exchange(
        method="PUT", url="http://h/b/k", headers=SIGNED, body=b"x" * (WIRE_LIMIT + 1), status=200
    )
    assert "body" not in read(large).wire
    assert read(large).wire["method"] == "PUT"


def test_what_can_be_repeated_has_no_signature_and_no_date() -> None:
    headers = {**SIGNED, "x-amz-date": "d", "date": "d", "x-amz-security-token": "t", "x-amz-acl": "private"}
    assert read(Exchange(method="PUT", url="http://h/b", headers=headers, status=200)).wire["headers"] == {
        "x-amz-acl": "private"
    }


_PLACES = [
    ("http://127.0.0.1:5000/bucket/key", SIGNED),
    ("http://127.0.0.1:5000/bucket?delete", SIGNED),
    ("http://127.0.0.1:5000/bucket/key?uploads", SIGNED),
    ("http://127.0.0.1:10000/devstoreaccount1/c?restype=container&comp=list", {"x-ms-version": "1"}),
    ("http://127.0.0.1:10000/devstoreaccount1/c/b?comp=block", {"x-ms-version": "1"}),
    ("http://127.0.0.1:10001/devstoreaccount1/q/messages", {"x-ms-version": "1"}),
    ("http://127.0.0.1:10002/devstoreaccount1/$batch", {"content-type": "multipart/mixed; boundary=a"}),
    ("http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='a", {"x-ms-version": "1"}),
    *(
        ("http://127.0.0.1:5000/", {"x-amz-target": f"DynamoDB_20120810.{name}"})
        for name in (
            "PutItem",
            "BatchWriteItem",
            "TransactWriteItems",
            "Query",
            "CreateTable",
            "DescribeTable",
        )
    ),
]
_BODIES = st.one_of(
    st.none(),
    st.binary(max_size=200),
    st.sampled_from(
        [
            b'{"TableName": 5, "Key": [], "Item": "x", "KeySchema": {"a": 1}}',
            b'{"TableName": "t", "Key": {"a": {"N": "x"}}, "RequestItems": {"t": [1, {"PutRequest": 2}]}}',
            b'{"RequestItems": [], "TransactItems": [1, {"Put": 2}], "KeySchema": [1]}',
            b'{"Table": [], "TableName": "t", "KeySchema": [{"KeyType": "HASH"}]}',
            b"<Delete><Object/><Object><Key/></Object></Delete>",
            b"<Error/>",
            b'{"odata.error": 1, "__type": 2, "message": {"value": 3}}',
            b"--a\r\nContent-Type: application/http\r\n\r\nPOST\r\n--a--",
            b"--a\r\nContent-Type: application/http\r\n\r\nPOST /x HTTP/1.1\r\n\r\n{\r\n--a--",
            b"--a\r\n\r\nHTTP/1.1\r\n--a--",
        ]
    ),
)


@given(
    method=st.sampled_from(["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH", "MERGE", "OPTIONS", "X"]),
    place=st.sampled_from(_PLACES),
    body=_BODIES,
    answer=_BODIES,
    status=st.sampled_from([None, 200, 201, 202, 204, 304, 400, 404, 409, 500]),
    kind=st.sampled_from(["", "application/xml", "application/json", "multipart/mixed; boundary=a"]),
)
def test_no_exchange_is_refused_and_a_refusal_changes_nothing(
    method: str,
    place: tuple[str, dict[str, str]],
    body: bytes | None,
    answer: bytes | None,
    status: int | None,
    kind: str,
) -> None:
    found = read(
        Exchange(
            method=method,
            url=place[0],
            headers=place[1],
            body=body,
            status=status,
            response_headers={"content-type": kind},
            response_body=answer,
        )
    )
    assert found.touches
    if status is not None and status >= 400:
        assert not found.is_write


@given(st.text(max_size=60))
def test_no_address_is_refused(text: str) -> None:
    for headers in (SIGNED, {"x-ms-version": "1"}, {}):
        read(Exchange(method="GET", url=text, headers=headers, status=200))
        read(Exchange(method="PUT", url=f"http://127.0.0.1/{text}", headers=headers, status=200))


def test_what_is_handed_out_as_text_counts_as_it_is_written() -> None:
    """A policy is compared by its values, and by how it is written: the SDK gives a test the text."""

    def policy(text: bytes) -> Value:
        url = "http://h/b?policy"
        found = read(Exchange(method="GET", url=url, headers=SIGNED, status=200, response_body=text))
        assert str(found.operation) == "s3.GetBucketPolicy"
        assert isinstance(found.outcome, Returned)
        assert isinstance(found.outcome.value, dict)
        return found.outcome.value["body"]

    told = policy(b'{"Version": "1", "Statement": ["a\\"b", 5]}')
    assert isinstance(told, dict)
    assert (told["Version"], told["Statement"]) == ("1", ['a"b', 5])
    others = [policy(b'{"Version": "2", "Statement": ["c", -7.5]}')]
    others += map(
        policy, [b'{"Version":"1","Statement":["a",5]}', b'{"Statement": ["a", 5], "Version": "1"}']
    )
    assert [isinstance(each, dict) and each[WRITTEN] == told[WRITTEN] for each in others] == [
        True,
        False,
        False,
    ]
