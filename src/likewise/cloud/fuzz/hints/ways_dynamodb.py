"""How else DynamoDB is called: expressions, indexes, batches, transactions and statements of other kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Text

TABLE, ITEM, OTHER = Name("table"), Name("item"), Name("item", 1)
KEY = {"id": {"S": ITEM}, "rank": {"N": "1"}}
OTHER_KEY = {"id": {"S": OTHER}, "rank": {"N": "2"}}
ROW = {**KEY, "n": {"N": "8"}, "s": {"S": "other text"}}
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
BY_ID = {
    "IndexName": "by-id",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
FEWER = {**BY_ID, "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]}}
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
IS_SEVEN = "n = :seven"
SEVEN = {":seven": {"N": "7"}}


def _stated(verb: str, rest: str = "", *first: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "Statement": Text((f'{verb} "', TABLE, f'"{rest} WHERE id = ? AND rank = ?')),
        "Parameters": [*first, {"S": ITEM}, {"N": "1"}],
    }


INSERT = {"Statement": Text(('INSERT INTO "', TABLE, "\" VALUE {'id': '", OTHER, "', 'rank': 2, 'n': 3}"))}
UPDATE, DELETE = _stated("UPDATE", " SET n = ?", {"N": "9"}), _stated("DELETE FROM")
SELECT = _stated("SELECT n FROM")


def _updates(expression: str, values: Mapping[str, Any] | None = None, **rest: Any) -> dict[str, Any]:
    return {"UpdateExpression": expression, "ExpressionAttributeValues": values, **rest}


def _queries(condition: str, **values: Any) -> dict[str, Any]:
    given = {f":{name}": value for name, value in values.items()}
    return {
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": {":id": {"S": ITEM}, **given},
    }


def _transacts(**what: Any) -> dict[str, Any]:
    return {"TransactItems": [{kind: {"TableName": TABLE, **rest}} for kind, rest in what.items()]}


ONE: dict[str, Any] = {":one": {"N": "1"}}

WAYS: dict[str, Mapping[str, Any]] = {
    "CreateTable:index": {"GlobalSecondaryIndexes": [BY_ID]},
    "CreateTable:fewer": {"GlobalSecondaryIndexes": [FEWER]},
    "CreateTable:provisioned": {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT},
    "CreateTable:hash": {
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    },
    "UpdateTable:provisioned": {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT},
    "UpdateTable:stream": {"StreamSpecification": STREAM},
    "UpdateTable:more": {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": BY_ID}],
    },
    "UpdateTable:less": {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-id"}}]},
    "UpdateTimeToLive:off": {"TimeToLiveSpecification": {"Enabled": False, "AttributeName": "expires"}},
    "UpdateContinuousBackups:off": {
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}
    },
    "DescribeTable:index": {"TableName": TABLE},
    "PutItem:kinds": {"Item": KINDS},
    "PutItem:new": {"ConditionExpression": "attribute_not_exists(id)"},
    "PutItem:if": {"ConditionExpression": IS_SEVEN, "ExpressionAttributeValues": SEVEN},
    "GetItem:kinds": {"TableName": TABLE},
    "GetItem:names": {"ProjectionExpression": "#n, l[0]", "ExpressionAttributeNames": {"#n": "n"}},
    "DeleteItem:if": {"ConditionExpression": IS_SEVEN, "ExpressionAttributeValues": SEVEN},
    "UpdateItem:add": _updates("ADD n :one", ONE),
    "UpdateItem:remove": _updates("REMOVE s, l[0]"),
    "UpdateItem:union": _updates("ADD ss :more", {":more": {"SS": ["c"]}}),
    "UpdateItem:subtract": _updates("DELETE ss :less", {":less": {"SS": ["a"]}}),
    "UpdateItem:append": _updates("SET l = list_append(l, :more)", {":more": {"L": [{"S": "y"}]}}),
    "UpdateItem:default": _updates("SET fresh = if_not_exists(nowhere, :one)", ONE),
    "UpdateItem:nested": _updates("SET m.deep = :one", ONE),
    "UpdateItem:names": _updates("SET #n = :one", ONE, ExpressionAttributeNames={"#n": "n"}),
    "UpdateItem:if": _updates("SET s = :seven", SEVEN, ConditionExpression=IS_SEVEN),
    "UpdateItem:fresh": {"Key": OTHER_KEY, **_updates("SET n = :one", ONE)},
    "UpdateItem:plain": {
        "UpdateExpression": None,
        "ExpressionAttributeValues": None,
        "AttributeUpdates": {"n": {"Value": {"N": "1"}, "Action": "ADD"}},
    },
    "Query:index": {"IndexName": "by-id"},
    "Query:sure": {"IndexName": "by-id", "ConsistentRead": True},
    "Query:between": _queries("id = :id AND rank BETWEEN :a AND :z", a={"N": "1"}, z={"N": "2"}),
    "Query:less": _queries("id = :id AND rank <= :z", z={"N": "2"}),
    "Query:names": {
        **_queries("#key = :id"),
        "ExpressionAttributeNames": {"#key": "id"},
    },
    "Query:filter": {
        **_queries("id = :id", one={"N": "1"}),
        "FilterExpression": "n > :one AND size(s) > :one",
    },
    "Query:plain": {
        "KeyConditionExpression": None,
        "ExpressionAttributeValues": None,
        "KeyConditions": {"id": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": ITEM}]}},
    },
    "Query:nothing": {"ExpressionAttributeValues": {":id": {"S": OTHER}}},
    "Scan:index": {"IndexName": "by-id"},
    "Scan:filter": {
        "FilterExpression": "contains(s, :part) AND n > :one",
        "ExpressionAttributeValues": {":part": {"S": "e"}, **ONE},
    },
    "Scan:none": {"FilterExpression": "attribute_exists(nowhere)"},
    "Scan:names": {"ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}},
    "Scan:part": {"Segment": 0, "TotalSegments": 2},
    "BatchGetItem:two": {"RequestItems": {TABLE: {"Keys": [OTHER_KEY, KEY]}}},
    "BatchGetItem:names": {
        "RequestItems": {
            TABLE: {
                "Keys": [KEY],
                "ProjectionExpression": "#n",
                "ExpressionAttributeNames": {"#n": "n"},
            }
        }
    },
    "BatchWriteItem:two": {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}}, {"PutRequest": {"Item": OTHER_ROW}}]}
    },
    "BatchWriteItem:delete": {"RequestItems": {TABLE: [{"DeleteRequest": {"Key": KEY}}]}},
    "TransactGetItems:two": {
        "TransactItems": [{"Get": {"TableName": TABLE, "Key": each}} for each in (OTHER_KEY, KEY)]
    },
    "TransactGetItems:names": _transacts(
        Get={"Key": KEY, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}}
    ),
    "TransactWriteItems:delete": _transacts(Delete={"Key": KEY}),
    "TransactWriteItems:update": _transacts(
        Update={"Key": KEY, "UpdateExpression": "SET n = :seven", "ExpressionAttributeValues": SEVEN}
    ),
    "TransactWriteItems:check": _transacts(
        ConditionCheck={"Key": KEY, "ConditionExpression": "attribute_exists(id)"}, Put={"Item": OTHER_ROW}
    ),
    "TransactWriteItems:two": _transacts(Put={"Item": OTHER_ROW}, Delete={"Key": KEY}),
    "TransactWriteItems:refused": _transacts(
        Put={"Item": ROW, "ConditionExpression": "attribute_exists(nowhere)"}
    ),
    "ExecuteStatement:insert": INSERT,
    "ExecuteStatement:update": UPDATE,
    "ExecuteStatement:delete": DELETE,
    "ExecuteStatement:all": {"Statement": Text(('SELECT * FROM "', TABLE, '"'))},
    "ExecuteStatement:given": SELECT,
    "BatchExecuteStatement:insert": {"Statements": [INSERT]},
    "BatchExecuteStatement:update": {"Statements": [UPDATE]},
    "BatchExecuteStatement:delete": {"Statements": [DELETE]},
    "BatchExecuteStatement:two": {"Statements": [SELECT, INSERT]},
    "ExecuteTransaction:insert": {"TransactStatements": [INSERT]},
    "ExecuteTransaction:update": {"TransactStatements": [UPDATE]},
    "TagResource:two": {"Tags": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]},
    "UntagResource:none": {"TagKeys": ["nowhere"]},
}

_INDEXED = ("CreateTable:index", "PutItem")
_THERE = ("CreateTable", "PutItem")
_ALL_KINDS = ("CreateTable", "PutItem:kinds")

NEEDS: dict[str, tuple[str, ...]] = {
    "UpdateTable:less": ("CreateTable:index",),
    "UpdateTimeToLive:off": ("CreateTable", "UpdateTimeToLive"),
    "UpdateContinuousBackups:off": ("CreateTable", "UpdateContinuousBackups"),
    "DescribeTable:index": ("CreateTable:index",),
    "PutItem:new": _THERE,
    "PutItem:if": _THERE,
    "GetItem:kinds": _ALL_KINDS,
    "UpdateItem:union": _ALL_KINDS,
    "UpdateItem:subtract": _ALL_KINDS,
    "UpdateItem:nested": _ALL_KINDS,
    "Query:index": _INDEXED,
    "Query:sure": _INDEXED,
    "Scan:index": _INDEXED,
    "BatchGetItem:two": ("CreateTable", "BatchWriteItem:two"),
    "BatchWriteItem:delete": _THERE,
    "TransactGetItems:two": ("CreateTable", "BatchWriteItem:two"),
    "TransactWriteItems:delete": _THERE,
    "TransactWriteItems:update": _THERE,
    "TransactWriteItems:check": _THERE,
    "TransactWriteItems:two": _THERE,
    "TransactWriteItems:refused": _THERE,
    "TagResource:two": ("CreateTable", "TagResource"),
}
