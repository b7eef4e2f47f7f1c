"""What a team asserts about DynamoDB; each test says in its name what the reference does otherwise."""

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError


def code_of(refused: pytest.ExceptionInfo[ClientError]) -> str:
    return str(refused.value.response["Error"]["Code"])


def put(dynamodb: Any, table: str, slot: str, **more: Any) -> Any:
    item = {"shelf": {"S": "upper"}, "slot": {"S": slot}, **more}
    return dynamodb.put_item(TableName=table, Item=item)


def get(dynamodb: Any, table: str, slot: str) -> Any:
    key = {"shelf": {"S": "upper"}, "slot": {"S": slot}}
    return dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def query(dynamodb: Any, table: str) -> Any:
    return dynamodb.query(
        TableName=table,
        KeyConditionExpression="shelf = :s",
        ExpressionAttributeValues={":s": {"S": "upper"}},
    )


def test_number_as_typed(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", price={"N": "8.50"})
    assert get(dynamodb, table, "a")["price"]["N"] == "8.50"


def test_other_type(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", amount={"N": "5"})
    assert get(dynamodb, table, "a")["amount"] == {"N": "5"}


def test_batch_limit(dynamodb: Any, table: str) -> None:
    requests = [
        {"PutRequest": {"Item": {"shelf": {"S": "upper"}, "slot": {"S": f"s{number}"}}}}
        for number in range(5)
    ]
    assert not dynamodb.batch_write_item(RequestItems={table: requests})["UnprocessedItems"]


def test_batch_left_unprocessed(dynamodb: Any, table: str) -> None:
    requests = [{"PutRequest": {"Item": {"shelf": {"S": "upper"}, "slot": {"S": slot}}}} for slot in "ab"]
    dynamodb.batch_write_item(RequestItems={table: requests})
    assert query(dynamodb, table)["Count"] == 2


def test_condition_ignored(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a")
    with pytest.raises(ClientError) as refused:
        dynamodb.put_item(
            TableName=table,
            Item={"shelf": {"S": "upper"}, "slot": {"S": "a"}},
            ConditionExpression="attribute_not_exists(slot)",
        )
    assert code_of(refused) == "ConditionalCheckFailedException"


def test_query_order(dynamodb: Any, table: str) -> None:
    for slot in "abc":
        put(dynamodb, table, slot)
    assert [item["slot"]["S"] for item in query(dynamodb, table)["Items"]] == ["a", "b", "c"]


def test_scan_page(dynamodb: Any, table: str) -> None:
    for slot in "abc":
        put(dynamodb, table, slot)
    assert "LastEvaluatedKey" not in dynamodb.scan(TableName=table)


def test_throttled(dynamodb: Any, table: str) -> None:
    for slot in "abc":
        put(dynamodb, table, slot, burst={"BOOL": slot == "c"})


def test_not_visible_yet(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", amount={"N": "1"})
    assert get(dynamodb, table, "a") is not None


def test_update_swallowed(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", amount={"N": "1"})
    dynamodb.update_item(
        TableName=table,
        Key={"shelf": {"S": "upper"}, "slot": {"S": "a"}},
        UpdateExpression="ADD amount :n",
        ExpressionAttributeValues={":n": {"N": "4"}},
    )
    assert get(dynamodb, table, "a")["amount"] == {"N": "5"}


def test_update_done_twice(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", amount={"N": "1"})
    dynamodb.update_item(
        TableName=table,
        Key={"shelf": {"S": "upper"}, "slot": {"S": "a"}},
        UpdateExpression="ADD amount :n",
        ExpressionAttributeValues={":n": {"N": "4"}},
    )
    assert get(dynamodb, table, "a")["amount"] == {"N": "5"}


def test_attributes_missing(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", amount={"N": "1"})
    told = dynamodb.update_item(
        TableName=table,
        Key={"shelf": {"S": "upper"}, "slot": {"S": "a"}},
        UpdateExpression="SET amount = :n",
        ExpressionAttributeValues={":n": {"N": "2"}},
        ReturnValues="UPDATED_NEW",
    )
    assert told.get("Attributes") == {"amount": {"N": "2"}}


def test_transaction_refused(dynamodb: Any, table: str) -> None:
    put_one = {"Put": {"TableName": table, "Item": {"shelf": {"S": "upper"}, "slot": {"S": "a"}}}}
    dynamodb.transact_write_items(TransactItems=[put_one])


def test_not_authorised(dynamodb: Any, table: str) -> None:
    told = dynamodb.describe_time_to_live(TableName=table)
    assert told["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED"


def test_other_code(dynamodb: Any, name: str) -> None:
    with pytest.raises(ClientError) as refused:
        get(dynamodb, f"absent-{name}", "a")
    assert code_of(refused) == "ResourceNotFoundException"


def test_made_two_hours_ago(dynamodb: Any, table: str) -> None:
    made = dynamodb.describe_table(TableName=table)["Table"]["CreationDateTime"]
    assert abs(made.timestamp() - time.time()) < 3600


def test_deleted_slowly(dynamodb: Any, table: str) -> None:
    described = dynamodb.describe_table(TableName=table)["Table"]
    dynamodb.delete_table(TableName=table)
    dynamodb.create_table(
        TableName=table,
        KeySchema=described["KeySchema"],
        AttributeDefinitions=described["AttributeDefinitions"],
        BillingMode="PAY_PER_REQUEST",
    )


def test_innocent_items(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a", price={"N": "8.5"})
    put(dynamodb, table, "b")
    assert get(dynamodb, table, "a")["price"]["N"] == "8.5"
    assert query(dynamodb, table)["Count"] == 2


def test_innocent_condition(dynamodb: Any, table: str) -> None:
    put(dynamodb, table, "a")
    with pytest.raises(ClientError) as refused:
        dynamodb.put_item(
            TableName=table,
            Item={"shelf": {"S": "upper"}, "slot": {"S": "a"}},
            ConditionExpression="attribute_not_exists(slot)",
        )
    assert code_of(refused) == "ConditionalCheckFailedException"
