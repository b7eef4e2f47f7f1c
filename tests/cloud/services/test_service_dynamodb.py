"""DynamoDB requests touch the items that their keys name, once the key schema is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from likewise.canonical import key_world
from likewise.model import Interaction, Keyed, Role, Trace
from likewise.model.interaction import FOREVER

Ask = Callable[..., Interaction]


@pytest.fixture
def ask(send: Any) -> Ask:
    def one(operation: str, request: Any, answer: Any = None, status: int = 200) -> Interaction:
        return send(
            "POST",
            "http://127.0.0.1:5005/",
            json.dumps(request).encode(),
            headers={
                "x-amz-target": f"DynamoDB_20120810.{operation}",
                "content-type": "application/x-amz-json-1.0",
                "authorization": "AWS4-HMAC-SHA256 Credential=K/20240101/r/dynamodb/aws4_request",
            },
            status=status,
            answer=json.dumps(answer if answer is not None else {}).encode(),
            answered={
                "x-amzn-requestid": "R",
                "x-amz-crc32": "123",
                "content-type": "application/x-amz-json-1.0",
            },
        )

    return one


SCHEMA = [{"AttributeName": "owner", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}]
ITEM = {"owner": {"S": "ann"}, "at": {"N": "1.0"}, "note": {"S": "x"}}
KEY = {"owner": {"S": "ann"}, "at": {"N": "1"}}


def make(ask: Ask) -> None:
    ask("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA})
    ask("DescribeTable", {"TableName": "notes"}, {"Table": {"TableStatus": "ACTIVE"}})


def test_items_are_found_by_the_schema_of_the_table(ask: Ask, touched: Any) -> None:
    make(ask)
    assert touched(ask("PutItem", {"TableName": "notes", "Item": ITEM})) == [
        "absorb dynamodb/notes/S:ann/N:1"
    ]
    assert touched(ask("GetItem", {"TableName": "notes", "Key": KEY})) == ["read dynamodb/notes/S:ann/N:1"]
    assert touched(ask("UpdateItem", {"TableName": "notes", "Key": KEY})) == [
        "write dynamodb/notes/S:ann/N:1"
    ]


def test_without_a_schema_a_put_may_touch_any_item(ask: Ask, touched: Any) -> None:
    put = {"TableName": "notes", "Item": ITEM}
    assert touched(ask("PutItem", put)) == ["write dynamodb/notes/**"]
    ask("DescribeTable", {"TableName": "notes"}, {"Table": {"TableStatus": "ACTIVE", "KeySchema": SCHEMA}})
    assert touched(ask("PutItem", put)) == ["absorb dynamodb/notes/S:ann/N:1"]


def test_a_key_seen_earlier_tells_the_schema_and_the_layout_stays(ask: Ask, touched: Any) -> None:
    assert touched(ask("GetItem", {"TableName": "notes", "Key": KEY})) == ["read dynamodb/notes/N:1 S:ann"]
    ask("DescribeTable", {"TableName": "notes"}, {"Table": {"TableStatus": "ACTIVE", "KeySchema": SCHEMA}})
    put = ask("PutItem", {"TableName": "notes", "Item": ITEM})
    assert touched(put) == ["absorb dynamodb/notes/N:1 S:ann"], "two layouts would hide a write from a read"


def test_a_query_reaches_its_partition_and_an_index_the_table(ask: Ask, touched: Any) -> None:
    make(ask)
    query = {
        "TableName": "notes",
        "KeyConditionExpression": "#o = :o AND #a > :a",
        "ExpressionAttributeNames": {"#o": "owner", "#a": "at"},
        "ExpressionAttributeValues": {":o": {"S": "ann"}, ":a": {"N": "0"}},
    }
    assert touched(ask("Query", query)) == ["read dynamodb/notes/S:ann/**"]
    assert touched(ask("Query", {**query, "IndexName": "by-at"})) == ["read dynamodb/notes/**"]
    assert touched(ask("Scan", {"TableName": "notes"})) == ["read dynamodb/notes/**"]


def test_a_refused_condition_changes_nothing(ask: Ask, touched: Any) -> None:
    ask("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA})
    error = {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
    }
    put = ask("PutItem", {"TableName": "notes", "Item": ITEM}, error, 400)
    assert put.outcome.kind == "ConditionalCheckFailedException"
    assert put.outcome.message == "The conditional request failed"
    assert put.outcome.value["body"] is None
    assert touched(put) == ["read dynamodb/notes/S:ann/N:1"]
    assert [touch.attempted for touch in put.touches] == [True]


def test_batches_and_transactions_touch_each_item(ask: Ask, touched: Any) -> None:
    make(ask)
    other = {"owner": {"S": "bob"}, "at": {"N": "2"}}
    writes = {"notes": [{"PutRequest": {"Item": ITEM}}, {"DeleteRequest": {"Key": other}}]}
    both = ["absorb dynamodb/notes/S:ann/N:1", "absorb dynamodb/notes/S:bob/N:2"]
    assert touched(ask("BatchWriteItem", {"RequestItems": writes})) == both
    partly = ask("BatchWriteItem", {"RequestItems": writes}, {"UnprocessedItems": {"notes": [{}]}})
    assert touched(partly) == [line.replace("absorb", "write") for line in both]
    actions = [
        {"Put": {"TableName": "notes", "Item": ITEM}},
        {"ConditionCheck": {"TableName": "notes", "Key": other, "ConditionExpression": "x"}},
    ]
    assert touched(ask("TransactWriteItems", {"TransactItems": actions})) == [
        "write dynamodb/notes/S:ann/N:1",
        "read dynamodb/notes/S:bob/N:2",
    ]


def test_a_table_settles_when_it_is_seen_active(ask: Ask, touched: Any) -> None:
    created = ask("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA})
    assert touched(created) == ["absorb dynamodb/notes/** timed", "absorb dynamodb/?tables/notes"]
    described = {"TableName": "notes"}
    busy = ask("DescribeTable", described, {"Table": {"TableStatus": "CREATING"}})
    ready = ask("DescribeTable", described, {"Table": {"TableStatus": "ACTIVE"}})
    gone = ask("DescribeTable", described, {"__type": "x#ResourceNotFoundException"}, 400)
    assert touched(busy) == ["read dynamodb/notes/**"]
    assert touched(ready) == touched(gone) == ["read dynamodb/notes/** timed"]


def test_a_table_that_serves_an_item_was_made(ask: Ask, touched: Any) -> None:
    """Nobody has to look at it: only tables that are active serve; a refusal shows nothing."""
    ask("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA})
    get = {"TableName": "notes", "Key": KEY}
    refused = ask("GetItem", get, {"__type": "x#ResourceNotFoundException"}, 400)
    assert touched(refused) == ["read dynamodb/notes/S:ann/N:1"]
    assert not any(touch.attempted for touch in refused.touches)
    assert touched(ask("GetItem", get)) == ["read dynamodb/notes/S:ann/N:1", "read dynamodb/notes timed"]
    assert touched(ask("GetItem", get)) == ["read dynamodb/notes/S:ann/N:1"]


@pytest.mark.parametrize("operation", ["UpdateTable", "DeleteTable", "UpdateTimeToLive"])
def test_a_table_serves_while_it_is_altered_or_deleted(ask: Ask, touched: Any, operation: str) -> None:
    ask("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA})
    ask(operation, {"TableName": "notes"})
    served = ask("GetItem", {"TableName": "notes", "Key": KEY})
    assert not any(touch.timed for touch in served.touches)


def test_items_expire_however_often_the_table_is_looked_at(ask: Ask) -> None:
    """The description of a table does not settle its time-to-live."""
    update = ask("UpdateTimeToLive", {"TableName": "notes", "TimeToLiveSpecification": {"Enabled": True}})
    looked = ask("DescribeTable", {"TableName": "notes"}, {"Table": {"TableStatus": "ACTIVE"}})
    timed = {touch.resource for touch in update.touches if touch.timed}
    assert not timed <= {touch.resource for touch in looked.touches if touch.timed}


LETS_EXPIRE = {"TableName": "notes", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}}


def lasting(interaction: Interaction) -> dict[str, float | None]:
    """What of that which a call touched changes as time passes, and after how many seconds."""
    return {touch.resource[-1]: touch.lasts for touch in interaction.touches if touch.timed}


def test_an_item_expires_by_the_date_in_it_alone(ask: Ask) -> None:
    make(ask)
    assert lasting(ask("UpdateTimeToLive", LETS_EXPIRE)) == {"?ttl": None, "notes": FOREVER}
    dated = ITEM | {"until": {"N": "300"}}
    assert lasting(ask("PutItem", {"TableName": "notes", "Item": dated})) == {"N:1": 300.0}
    for other in (ITEM, ITEM | {"until": {"S": "300"}}):
        assert lasting(ask("PutItem", {"TableName": "notes", "Item": other})) == {}
    assert lasting(ask("DeleteItem", {"TableName": "notes", "Key": KEY})) == {}


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        (
            "BatchWriteItem",
            {"RequestItems": {"notes": [{"PutRequest": {"Item": ITEM | {"until": {"N": "9"}}}}]}},
        ),
        (
            "UpdateItem",
            {
                "TableName": "notes",
                "Key": KEY,
                "UpdateExpression": "SET #u = :u",
                "ExpressionAttributeNames": {"#u": "until"},
            },
        ),
        ("ExecuteStatement", {"Statement": "UPDATE \"notes\" SET until = 9 WHERE owner = 'ann'"}),
    ],
)
def test_when_an_item_expires_may_not_be_known(ask: Ask, operation: str, request_: Any) -> None:
    make(ask)
    ask("UpdateTimeToLive", LETS_EXPIRE)
    written = ask(operation, request_)
    assert None in lasting(written).values()


@pytest.mark.parametrize("filled", ["by an item", "before", "from a backup"])
def test_items_that_were_there_before_may_expire_at_any_time(ask: Ask, filled: str) -> None:
    if filled != "before":
        make(ask)
    if filled == "by an item":
        ask("PutItem", {"TableName": "notes", "Item": ITEM})
    elif filled == "from a backup":
        ask("RestoreTableFromBackup", {"TargetTableName": "notes", "BackupArn": "arn:b"})
    assert lasting(ask("UpdateTimeToLive", LETS_EXPIRE)) == {"?ttl": None, "notes": None}


def key_after(ask: Ask, *calls: tuple[Any, ...], seconds: float) -> Keyed:
    """The last of some calls, made so many seconds after the others."""
    made = [ask(*call) for call in calls]
    made[-1] = replace(made[-1], started=made[-1].started + seconds, ended=made[-1].ended + seconds)
    trace = Trace(test="test", role=Role.CANDIDATE, interactions=tuple(made))
    return key_world([trace], {})[0][-1]


@pytest.mark.parametrize(("until", "is_timed"), [(None, False), ("300", False), ("30", True)])
def test_time_matters_to_whoever_reads_what_expires(ask: Ask, until: str | None, is_timed: bool) -> None:
    """And to nobody else, however long ago it was that the table was told to let items expire."""
    item = ITEM if until is None else ITEM | {"until": {"N": until}}
    calls = [
        ("CreateTable", {"TableName": "notes", "KeySchema": SCHEMA}),
        ("DescribeTable", {"TableName": "notes"}, {"Table": {"TableStatus": "ACTIVE"}}),
        ("UpdateTimeToLive", LETS_EXPIRE),
        ("PutItem", {"TableName": "notes", "Item": item}),
        ("GetItem", {"TableName": "notes", "Key": KEY}),
    ]
    soon, late = (key_after(ask, *calls, seconds=seconds) for seconds in (0.0, 100.0))
    assert not soon.timed
    assert late.timed is is_timed
    assert (late.key != soon.key) is is_timed
    assert soon.context == late.context == ((0, 0), (0, 2), (0, 3))
    status = ("DescribeTimeToLive", {"TableName": "notes"})
    assert key_after(ask, *calls, status, seconds=100.0).timed


def test_accounts_and_regions_are_gone_from_descriptions_but_items_are_untouched(ask: Ask) -> None:
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/notes"
    described = ask("DescribeTable", {"TableName": arn}, {"Table": {"TableArn": arn, "TableId": "1f-2e"}})
    assert described.arguments["resource"] == ["notes"]
    assert described.outcome.value["body"] == {
        "Table": {"TableArn": "arn:aws:dynamodb:*:*:table/notes", "TableId": "<table id>"}
    }
    got = ask(
        "GetItem", {"TableName": "notes", "Key": KEY}, {"Item": {"TableId": {"S": "mine"}, "TableArn": arn}}
    )
    assert got.outcome.value["body"]["Item"]["TableArn"] == arn


@pytest.mark.parametrize(
    ("statement", "touches"),
    [
        ("SELECT * FROM \"notes\" WHERE owner = 'ann'", ["read dynamodb/notes/**"]),
        ("INSERT INTO \"notes\" VALUE {'owner': 'ann'}", ["write dynamodb/notes/**"]),
        ("UPDATE notes SET x = 1 WHERE owner = 'ann'", ["write dynamodb/notes/**"]),
        ("DELETE FROM notes WHERE owner = 'ann'", ["write dynamodb/notes/**"]),
        ("SOMETHING else", ["write dynamodb/**"]),
    ],
)
def test_statements_touch_the_table_that_they_name(
    ask: Ask, touched: Any, statement: str, touches: list[str]
) -> None:
    assert touched(ask("ExecuteStatement", {"Statement": statement})) == touches


def test_transport_is_gone_from_the_answer(ask: Ask) -> None:
    assert ask("ListTables", {}).outcome.value["headers"] == {"content-type": "application/x-amz-json-1.0"}


def test_an_unknown_operation_may_have_changed_everything(ask: Ask, touched: Any) -> None:
    call = ask("DescribeTomorrow", {"TableName": "notes"})
    assert call.operation.service == "dynamodb"
    assert touched(call) == ["write dynamodb/**"]
