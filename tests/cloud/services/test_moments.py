"""A time among an item's values is one that was sent, or is said to be none."""

from __future__ import annotations

import json
from typing import Any

import pytest

URL = "http://127.0.0.1:8000/"
SIGNED = {
    "authorization": "AWS4-HMAC-SHA256 Credential=K/20260101/us-east-1/dynamodb/aws4_request, Signature=s"
}


@pytest.fixture(name="ask")
def ask_fixture(send: Any) -> Any:
    def ask(operation: str, asked: Any, said: Any) -> Any:
        headers = {**SIGNED, "x-amz-target": f"DynamoDB_20120810.{operation}"}
        call = send(
            "POST", URL, json.dumps(asked).encode(), headers=headers, answer=json.dumps(said).encode()
        )
        return call.outcome.value["body"]

    return ask


def get(ask: Any, **values: Any) -> Any:
    return ask("GetItem", {"TableName": "t", "Key": {"id": {"S": "1"}}}, {"Item": values})["Item"]


@pytest.mark.parametrize(
    ("kind", "sent", "other"),
    [
        ("N", "1763459999", "1763459940"),
        ("N", "1763459999123", "1763459999000"),
        ("N", "1763459999.25", "1763459999"),
        ("S", "2026-11-18T10:00:00.123456+00:00", "2026-11-18T10:00:00.123000+00:00"),
        ("S", "2026-11-18T10:00:00Z", "2026-11-18T11:00:00Z"),
    ],
)
def test_a_time_that_nobody_sent_is_said_to_be_another(ask: Any, kind: str, sent: str, other: str) -> None:
    ask("PutItem", {"TableName": "t", "Item": {"id": {"S": "1"}, "at": {"M": {"x": {kind: sent}}}}}, {})
    assert get(ask, at={kind: sent}) == {"at": {kind: sent}}
    assert kind + "≢" in get(ask, at={"L": [{kind: other}]})["at"]["L"][0]


def test_how_a_number_is_written_makes_it_no_other_time(ask: Any) -> None:
    ask("PutItem", {"TableName": "t", "Item": {"id": {"S": "1"}, "at": {"N": "1763459999.50"}}}, {})
    assert get(ask, at={"N": "1763459999.5"}) == {"at": {"N": "1763459999.5"}}


def test_where_no_time_was_sent_they_are_the_servers(ask: Any) -> None:
    assert get(ask, at={"N": "1763459999"}) == {"at": {"N": "1763459999"}}
    ask("PutItem", {"TableName": "t", "Item": {"id": {"S": "1"}, "at": {"N": "1763459999"}}}, {})
    assert get(ask, n={"N": "17"}, s={"S": "1763459998"}) == {"n": {"N": "17"}, "s": {"S": "1763459998"}}
