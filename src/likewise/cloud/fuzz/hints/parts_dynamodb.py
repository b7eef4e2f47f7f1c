"""What DynamoDB's calls are put together from: items, keys, indexes, expressions that hold and that fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text

TABLE, ITEM, OTHER = Name("table"), Name("item"), Name("item", 1)
KEY = {"id": {"S": ITEM}, "rank": {"N": "1"}}
OTHER_KEY = {"id": {"S": OTHER}, "rank": {"N": "2"}}
ROW = {**KEY, "n": {"N": "8"}, "s": {"S": "other text"}}
SECOND = Name("table", 1)
"""Another table, of the same form."""
OTHER_ROW = {**OTHER_KEY, "n": {"N": "9"}, "s": {"S": "text"}}
KINDS = {
    **KEY,
    "m": {"M": {"deep": {"S": "text"}, "list": {"L": [{"NULL": True}]}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"bytes", b"more"]},
    "z": {"NULL": True},
    "raw": {"B": b"bytes"},
}
INDEXED, THERE = ("CreateTable:index", "PutItem"), ("CreateTable", "PutItem")
ALL_KINDS = ("CreateTable", "PutItem:kinds")
"""What is there before a call: an item, in a table with an index, or one of every kind of attribute."""
BY_ID = {
    "IndexName": "by-id",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
FEWER = {**BY_ID, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s", "n"]}}
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
IS_SEVEN = "n = :seven"
SEVEN = {":seven": {"N": "7"}}


def stated(verb: str, rest: str = "", *first: Mapping[str, Any]) -> dict[str, Any]:
    """A statement about the one item, with what it is given first."""
    return {
        "Statement": Text((f'{verb} "', TABLE, f'"{rest} WHERE id = ? AND rank = ?')),
        "Parameters": [*first, {"S": ITEM}, {"N": "1"}],
    }


INSERT = {"Statement": Text(('INSERT INTO "', TABLE, "\" VALUE {'id': '", OTHER, "', 'rank': 2, 'n': 3}"))}
UPDATE, DELETE = stated("UPDATE", " SET n = ?", {"N": "9"}), stated("DELETE FROM")
SELECT = stated("SELECT n FROM")
BOTH = [
    {
        "Statement": Text(('SELECT * FROM "', TABLE, '" WHERE id = ? AND rank = ?')),
        "Parameters": [key["id"], key["rank"]],
    }
    for key in (OTHER_KEY, KEY)
]


def updates(expression: str, values: Mapping[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    """An update by an expression."""
    return {"UpdateExpression": expression, "ExpressionAttributeValues": values, **rest}


def queries(condition: str, **values: Any) -> dict[str, Any]:
    """A query by an expression about the one key; words of the language are called otherwise in it."""
    given = {f":{name}": value for name, value in values.items()}
    names = {f"#{name}": name for name in ("rank", "name") if f"#{name}" in condition}
    return {
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {":id": {"S": ITEM}, **given},
        **({"ExpressionAttributeNames": names} if names else {}),
    }


def transacts(**what: Any) -> dict[str, Any]:
    """A transaction of one part of each kind."""
    return {"TransactItems": [{kind: {"TableName": TABLE, **rest}} for kind, rest in what.items()]}


ONE: dict[str, Any] = {":one": {"N": "1"}}
HOLDS = (
    "begins_with(s, :te) AND contains(s, :te) AND attribute_type(n, :number) AND n IN (:one, :seven) "
    "AND n BETWEEN :one AND :seven AND n <> :one AND n >= :seven AND n <= :seven AND size(s) = :four "
    "AND NOT n < :one AND (attribute_exists(b) OR attribute_exists(nowhere)) AND l[0] = :one"
)
FAILS = (
    "n = :one OR n < :one OR n > :seven OR contains(s, :number) OR size(s) > :four OR NOT begins_with(s, :te)"
)
WORDS = {":te": {"S": "te"}, ":number": {"S": "N"}, ":four": {"N": "4"}, **ONE, **SEVEN}
MORE_HOLDS = (
    "attribute_not_exists(nowhere) AND contains(ss, :a) AND size(ss) = :two AND m.deep = :text "
    "AND attribute_type(m, :map) AND begins_with(m.deep, :te) AND size(m) = :two AND m.deep IN (:a, :text) "
    "AND m.deep BETWEEN :a AND :text AND NOT attribute_exists(m.nowhere) AND raw > :bytes AND z = :null"
)
MORE_FAILS = (
    "attribute_not_exists(m.deep) OR attribute_exists(m.nowhere) OR contains(ss, :text) OR m.deep <> :text "
    "OR attribute_type(ss, :map) OR m.deep IN (:a, :two) OR m.deep > :text OR nowhere = :two "
    "OR size(m) < :two OR NOT contains(ss, :a) OR m.list[0] <> :null OR nowhere < :two "
    "OR m.deep BETWEEN :a AND :a"
)
MORE_WORDS = {
    ":a": {"S": "a"},
    ":te": {"S": "te"},
    ":text": {"S": "text"},
    ":two": {"N": "2"},
    ":map": {"S": "M"},
    ":bytes": {"B": b"a"},
    ":null": {"NULL": True},
}
"""Conditions on what is inside others, and on sets: each part of the first holds, none of the second."""
OLD_TOO = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
COMPARED = {
    "n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"N": "7"}]},
    "s": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "te"}]},
    "b": {"ComparisonOperator": "NOT_NULL"},
    "nowhere": {"ComparisonOperator": "NULL"},
}
ORDERED = {
    "n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "7"}]},
    "s": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"S": "ex"}]},
    "id": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "other"}]},
}
TEXTUAL = {
    "KeySchema": [
        {"AttributeName": "id", "KeyType": "HASH"},
        {"AttributeName": "name", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "name", "AttributeType": "S"},
    ],
}
LOCAL = {
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "rank", "AttributeType": "N"},
        {"AttributeName": "n", "AttributeType": "N"},
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by-n",
            "KeySchema": [
                {"AttributeName": "id", "KeyType": "HASH"},
                {"AttributeName": "n", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
}


def filters(expression: str, **rest: Any) -> dict[str, Any]:
    """A filter, and the values that it speaks of."""
    return {"FilterExpression": expression, "ExpressionAttributeValues": WORDS, **rest}


def asks(expression: str, **rest: Any) -> dict[str, Any]:
    """A condition, and the values that it speaks of."""
    return {"ConditionExpression": expression, "ExpressionAttributeValues": WORDS, **rest}


def denying(*operations: str) -> dict[str, Any]:
    """A policy that forbids everybody to do something to a table."""
    words = ",".join(f'"dynamodb:{name}"' for name in operations)
    return {
        "Policy": Text(
            (
                '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":{"AWS":"*"},'
                f'"Action":[{words}],"Resource":"',
                Ref(-1, ("CreateTable", "TableDescription", "TableArn")),
                '"}]}',
            )
        )
    }
