"""Plain Python values to DynamoDB attributes and back."""

from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

Record = dict[str, Any]

_serialise = TypeSerializer().serialize
_deserialise = TypeDeserializer().deserialize


def to_attributes(record: Record) -> dict[str, Any]:
    """Turn a record into what DynamoDB takes."""
    return {name: _serialise(value) for name, value in record.items()}


def from_attributes(attributes: dict[str, Any]) -> Record:
    """Turn what DynamoDB gives into a record."""
    return {name: _deserialise(value) for name, value in attributes.items()}


def create_table(client: Any, *, table: str, key: str, index: str, index_keys: tuple[str, str]) -> None:
    """Create a table with one string key and one index over two string attributes, and wait for it."""
    client.create_table(
        TableName=table,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in sorted({key, *index_keys})
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": [
                    {"AttributeName": index_keys[0], "KeyType": "HASH"},
                    {"AttributeName": index_keys[1], "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    )
    client.get_waiter("table_exists").wait(TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
