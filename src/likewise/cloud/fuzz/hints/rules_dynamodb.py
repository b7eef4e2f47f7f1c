"""What DynamoDB's documentation says of calls that are right in each part: relations, limits, expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Text
from likewise.cloud.fuzz.hints.parts_dynamodb import (
    ALL_KINDS,
    BY_ID,
    DELETE,
    FEWER,
    INDEXED,
    INSERT,
    ITEM,
    KEY,
    KINDS,
    LOCAL,
    ONE,
    OTHER,
    OTHER_KEY,
    OTHER_ROW,
    ROW,
    SELECT,
    SEVEN,
    STREAM,
    TABLE,
    THERE,
    THROUGHPUT,
    UPDATE,
    denying,
    queries,
    stated,
    transacts,
    updates,
)

HASH, RANGE = (
    {"AttributeName": "id", "KeyType": "HASH"},
    {"AttributeName": "rank", "KeyType": "RANGE"},
)
ID, RANK = (
    {"AttributeName": "id", "AttributeType": "S"},
    {"AttributeName": "rank", "AttributeType": "N"},
)
SPARE = {"AttributeName": "spare", "AttributeType": "S"}
TOKEN = {"ClientRequestToken": "the-same-token-of-a-client"}
NOWHERE = Name("table", 9)
SINGLE = {"KeySchema": [HASH], "AttributeDefinitions": [ID]}


def _indexed(*those: Mapping[str, Any]) -> dict[str, Any]:
    return {"GlobalSecondaryIndexes": list(those)}


def _deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "text"}
    for _ in range(levels):
        value = {"M": {"m": value}}
    return value


def _item(**rest: Any) -> dict[str, Any]:
    """An item with something in it, or without a part of its key."""
    whole = {**ROW, **rest}
    return {"Item": {name: value for name, value in whole.items() if value is not None}}


def _asks(
    condition: str, values: Mapping[str, Any] | None = None, names: Mapping[str, str] | None = None
) -> Any:
    found = {"ConditionExpression": condition, "ExpressionAttributeValues": values}
    return {**found, "ExpressionAttributeNames": names}


_TABLES: dict[str, Mapping[str, Any]] = {
    "CreateTable:spare": {"AttributeDefinitions": [ID, RANK, SPARE]},
    "CreateTable:undefined": {"AttributeDefinitions": [ID]},
    "CreateTable:doubled": {"KeySchema": [HASH, {**RANGE, "KeyType": "HASH"}]},
    "CreateTable:reversed": {"KeySchema": [RANGE, HASH]},
    "CreateTable:ranged": {"KeySchema": [RANGE], "AttributeDefinitions": [RANK]},
    "CreateTable:same": {"KeySchema": [HASH, {**HASH, "KeyType": "RANGE"}], "AttributeDefinitions": [ID]},
    "CreateTable:unpaid": {"BillingMode": "PROVISIONED"},
    "CreateTable:paid": {"ProvisionedThroughput": THROUGHPUT},
    "CreateTable:usual": {"BillingMode": None, "ProvisionedThroughput": THROUGHPUT},
    "CreateTable:free": {"BillingMode": None},
    "CreateTable:lonely": {**LOCAL, **SINGLE},
    "CreateTable:twins": _indexed(BY_ID, BY_ID),
    "CreateTable:bare": _indexed({**BY_ID, "Projection": {"ProjectionType": "INCLUDE"}}),
    "CreateTable:more": _indexed(
        {**FEWER, "Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["n"]}}
    ),
    "CreateTable:unknown": _indexed({**BY_ID, "KeySchema": [{"AttributeName": "no", "KeyType": "HASH"}]}),
    "CreateTable:slow": _indexed({**BY_ID, "ProvisionedThroughput": THROUGHPUT}),
    "CreateTable:viewless": {"StreamSpecification": {"StreamEnabled": True}},
    "CreateTable:viewed": {"StreamSpecification": {**STREAM, "StreamEnabled": False}},
    "CreateTable:rare": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
    "UpdateTable:nothing": {"BillingMode": None},
    "UpdateTable:same": {"BillingMode": None, "ProvisionedThroughput": THROUGHPUT},
    "UpdateTable:unpaid": {"BillingMode": "PROVISIONED"},
    "UpdateTable:missing": {
        "BillingMode": None,
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "nowhere"}}],
    },
    "UpdateTable:twice": {
        "AttributeDefinitions": [ID],
        "GlobalSecondaryIndexUpdates": [{"Create": BY_ID}],
    },
    "UpdateTable:streamed": {"BillingMode": None, "StreamSpecification": STREAM},
    "UpdateTable:silent": {"BillingMode": None, "StreamSpecification": {"StreamEnabled": False}},
    "UpdateTable:protected": {"BillingMode": None, "DeletionProtectionEnabled": True},
    "UpdateTable:open": {"BillingMode": None, "DeletionProtectionEnabled": False},
    "UpdateTimeToLive:other": {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
    "UpdateTimeToLive:never": {"TimeToLiveSpecification": {"Enabled": False, "AttributeName": "expires"}},
    "RestoreTableFromBackup:there": {"TargetTableName": TABLE},
    "RestoreTableToPointInTime:there": {"TargetTableName": TABLE},
    "RestoreTableToPointInTime:timeless": {"UseLatestRestorableTime": None},
    "DescribeTimeToLive:never": {"TableName": TABLE},
    "DescribeContinuousBackups:never": {"TableName": TABLE},
}
_ITEMS: dict[str, Mapping[str, Any]] = {
    "PutItem:empty": _item(id={"S": ""}),
    "PutItem:keyless": _item(rank=None),
    "PutItem:typed": _item(rank={"S": "1"}),
    "PutItem:nothing": _item(s={"S": ""}),
    "PutItem:hollow": _item(m={"M": {}}, l={"L": []}, b={"B": b""}),
    "PutItem:void": _item(ss={"SS": []}),
    "PutItem:same": _item(ss={"SS": ["a", "a"]}),
    "PutItem:one": _item(rank={"N": "01.0"}, n={"N": "1.50"}),
    "PutItem:digits": _item(n={"N": "1" * 39}),
    "PutItem:exact": _item(n={"N": "1" * 38}),
    "PutItem:great": _item(n={"N": "1e126"}),
    "PutItem:tiny": _item(n={"N": "1e-131"}),
    "PutItem:word": _item(n={"N": "seven"}),
    "PutItem:lie": _item(z={"NULL": False}),
    "PutItem:deep": _item(m=_deep(33)),
    "PutItem:long": _item(id={"S": "x" * 2049}),
    "PutItem:huge": _item(s={"S": "x" * 410_000}),
    "PutItem:named": {"Item": {**ROW, "x" * 300: {"S": "long"}, "a.b": {"S": "dot"}, "ü": {"S": "ü"}}},
    "PutItem:new-values": {"ReturnValues": "ALL_NEW"},
    "PutItem:both": {"ConditionExpression": "attribute_exists(id)", "Expected": {"n": {"Exists": False}}},
    "PutItem:spare": _asks("attribute_not_exists(nowhere)", SEVEN),
    "PutItem:lacking": _asks("n = :nine", SEVEN),
    "PutItem:nameless": _asks("#n = :seven", SEVEN),
    "PutItem:unused": _asks("attribute_not_exists(nowhere)", None, {"#n": "n"}),
    "PutItem:loose": {"ExpressionAttributeValues": SEVEN},
    "PutItem:reserved": _asks("name = :seven", SEVEN),
    "PutItem:syntax": _asks("n == :seven", SEVEN),
    "PutItem:unknown": _asks("no_such(n)"),
    "PutItem:marks": _asks("n = :seven", {"seven": {"N": "7"}}),
    "PutItem:mixed": _asks("n = :seven", {":seven": {"S": "7"}}),
    "PutItem:twofold": {**_asks("size(n) = :seven", SEVEN)},
    "PutItem:replaced": {"Item": KEY},
    "GetItem:keyless": {"Key": {"id": {"S": ITEM}}},
    "GetItem:extra": {"Key": {**KEY, "n": {"N": "7"}}},
    "GetItem:typed": {"Key": {**KEY, "rank": {"S": "1"}}},
    "GetItem:empty": {"Key": {**KEY, "id": {"S": ""}}},
    "GetItem:equal": {"Key": {**KEY, "rank": {"N": "1.0"}}},
    "GetItem:reserved": {"ProjectionExpression": "id, name"},
    "GetItem:overlap": {"ProjectionExpression": "l, l[0]"},
    "GetItem:deep": {"ProjectionExpression": "m.deep, m.#l[0]", "ExpressionAttributeNames": {"#l": "list"}},
    "GetItem:absent": {"ProjectionExpression": "nowhere"},
    "GetItem:both": {"ProjectionExpression": "id", "AttributesToGet": ["id"]},
    "GetItem:loose": {"ExpressionAttributeNames": {"#n": "n"}},
    "DeleteItem:keyless": {"Key": {"id": {"S": ITEM}}},
    "DeleteItem:returned": {"ReturnValues": "ALL_NEW"},
    "DeleteItem:never": {"Key": OTHER_KEY, "ConditionExpression": "attribute_exists(id)"},
    "UpdateItem:key": updates("SET id = :one", {":one": {"S": "x"}}),
    "UpdateItem:overlap": updates("SET m.deep = :one, m = :one", ONE),
    "UpdateItem:text": updates("SET s = s + :one", ONE),
    "UpdateItem:sum": updates("ADD s :one", ONE),
    "UpdateItem:listed": updates("SET l = list_append(s, :l)", {":l": {"L": []}}),
    "UpdateItem:absent": updates("SET fresh = nowhere + :one", ONE),
    "UpdateItem:path": updates("SET nowhere.deep = :one", ONE),
    "UpdateItem:beyond": updates("SET l[10] = :one", ONE),
    "UpdateItem:forget": updates("REMOVE nowhere"),
    "UpdateItem:drained": updates("DELETE ss :all", {":all": {"SS": ["a", "b"]}}),
    "UpdateItem:twice": updates("SET n = :one SET s = :one", ONE),
    "UpdateItem:syntax": updates("SET n :one", ONE),
    "UpdateItem:verb": updates("PUT n = :one", ONE),
    "UpdateItem:spare": updates("SET n = :one", {**ONE, **SEVEN}),
    "UpdateItem:lacking": updates("SET n = :nine", ONE),
    "UpdateItem:reserved": updates("SET name = :one", ONE),
    "UpdateItem:both": {"AttributeUpdates": {"n": {"Value": {"N": "1"}, "Action": "PUT"}}},
    "UpdateItem:bare": updates("", None),
    "UpdateItem:nothing": {"UpdateExpression": None, "ExpressionAttributeValues": None, "Key": OTHER_KEY},
    "UpdateItem:less": updates("SET n = :one - n", ONE),
    "UpdateItem:never": {
        "Key": OTHER_KEY,
        **updates("SET n = :one", ONE, ConditionExpression="attribute_exists(id)"),
    },
    **{
        f"UpdateItem:{word.lower().replace('_', '-')}": updates("SET n = :one", ONE, ReturnValues=word)
        for word in ("UPDATED_NEW", "ALL_OLD", "NONE")
    },
}
_READS: dict[str, Mapping[str, Any]] = {
    "Query:hashless": queries("#rank = :a", a={"N": "1"}) | {"ExpressionAttributeValues": {":a": {"N": "1"}}},
    "Query:keyless": queries("id = :id AND n = :a", a={"N": "1"}),
    "Query:or": queries("id = :id OR #rank = :a", a={"N": "1"}),
    "Query:not": queries("id = :id AND #rank <> :a", a={"N": "1"}),
    "Query:hash": queries("id > :id"),
    "Query:number": queries("id = :id AND begins_with(#rank, :a)", a={"N": "1"}),
    "Query:reversed": queries("id = :id AND #rank BETWEEN :z AND :a", a={"N": "1"}, z={"N": "2"}),
    "Query:typed": queries("id = :id AND #rank = :a", a={"S": "1"}),
    "Query:spare": queries("id = :id", a={"S": "1"}),
    "Query:key": {**queries("id = :id", a={"N": "1"}), "FilterExpression": "#r = :a"}
    | {"ExpressionAttributeNames": {"#r": "rank"}},
    "Query:both": {"QueryFilter": {"n": {"ComparisonOperator": "NOT_NULL"}}},
    "Query:unknown": {"IndexName": "nowhere"},
    "Query:counted": {"Select": "COUNT", "ProjectionExpression": "n"},
    "Query:all": {"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "n"},
    "Query:all-fewer": {"IndexName": "by-id", "Select": "ALL_ATTRIBUTES"},
    "Query:fewer": {"IndexName": "by-id"},
    "Query:start": {"ExclusiveStartKey": {"id": {"S": ITEM}}},
    "Query:end": {"ExclusiveStartKey": {**KEY, "rank": {"N": "99"}}},
    "Query:back": {"ScanIndexForward": False, "Limit": 1},
    "Query:costly": {"IndexName": "by-id", "ReturnConsumedCapacity": "INDEXES"},
    "Scan:costly": {"IndexName": "by-id", "ReturnConsumedCapacity": "INDEXES"},
    "Scan:fewer": {"IndexName": "by-id"},
    "Scan:beyond": {"Segment": 2, "TotalSegments": 2},
    "Scan:half": {"TotalSegments": 2},
    "Scan:unknown": {"IndexName": "nowhere"},
    "Scan:sure": {"IndexName": "by-id", "ConsistentRead": True},
    "Scan:sparse": {"IndexName": "by-n"},
    "Scan:counted": {"Select": "COUNT", "FilterExpression": "attribute_exists(nowhere)"},
    "Scan:mixed": {"FilterExpression": "n > :a", "ExpressionAttributeValues": {":a": {"S": "1"}}},
    "Scan:spare": {"FilterExpression": "attribute_exists(n)", "ExpressionAttributeValues": ONE},
    **{
        f"{name}:unused": {"FilterExpression": "attribute_exists(n)", "ExpressionAttributeNames": {"#x": "x"}}
        for name in ("Scan", "Query")
    },
    "DeleteItem:both": {"ConditionExpression": "attribute_exists(id)", "Expected": {"n": {"Exists": False}}},
    "DeleteItem:spare": _asks("attribute_exists(n)", SEVEN),
    "DeleteItem:unused": _asks("attribute_exists(n)", None, {"#x": "x"}),
    "UpdateItem:unused": updates("SET n = :one", ONE, ExpressionAttributeNames={"#x": "x"}),
    "Scan:syntax": {"FilterExpression": "n >", "ExpressionAttributeValues": ONE},
    "Scan:both": {
        "FilterExpression": "attribute_exists(n)",
        "ScanFilter": {"n": {"ComparisonOperator": "NULL"}},
    },
    "BatchGetItem:twice": {"RequestItems": {TABLE: {"Keys": [KEY, KEY]}}},
    "BatchGetItem:unknown": {"RequestItems": {NOWHERE: {"Keys": [KEY]}}},
    "BatchGetItem:keyless": {"RequestItems": {TABLE: {"Keys": [{"id": {"S": ITEM}}]}}},
    "BatchGetItem:sure": {"RequestItems": {TABLE: {"Keys": [KEY], "ConsistentRead": True}}},
    "TransactGetItems:twice": {"TransactItems": [{"Get": {"TableName": TABLE, "Key": KEY}}] * 2},
    "TransactGetItems:unknown": {"TransactItems": [{"Get": {"TableName": NOWHERE, "Key": KEY}}]},
    "TransactGetItems:keyless": transacts(Get={"Key": {"id": {"S": ITEM}}}),
}
_BATCHES: dict[str, Mapping[str, Any]] = {
    "BatchWriteItem:again": {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}}, {"DeleteRequest": {"Key": KEY}}]}
    },
    "BatchWriteItem:both": {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}, "DeleteRequest": {"Key": OTHER_KEY}}]}
    },
    "BatchWriteItem:unknown": {"RequestItems": {NOWHERE: [{"PutRequest": {"Item": ROW}}]}},
    "BatchWriteItem:keyless": {
        "RequestItems": {
            TABLE: [{"PutRequest": {"Item": OTHER_ROW}}, {"PutRequest": {"Item": {"n": {"N": "1"}}}}]
        }
    },
    "TransactWriteItems:token": {**transacts(Put={"Item": ROW}), **TOKEN},
    "TransactWriteItems:again": {**transacts(Put={"Item": ROW}), **TOKEN},
    "TransactWriteItems:counted": {
        **transacts(Update={"Key": KEY, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": ONE}),
        **TOKEN,
    },
    "TransactWriteItems:recounted": {
        **transacts(Update={"Key": KEY, "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": ONE}),
        **TOKEN,
    },
    "TransactWriteItems:other": {**transacts(Put={"Item": OTHER_ROW}), **TOKEN},
    "TransactWriteItems:twice": transacts(Put={"Item": ROW}, Delete={"Key": KEY}),
    "TransactWriteItems:unknown": {"TransactItems": [{"Put": {"TableName": NOWHERE, "Item": ROW}}]},
    "TransactWriteItems:keyless": transacts(Put={"Item": {"n": {"N": "1"}}}),
    "TransactWriteItems:key": transacts(
        Update={
            "Key": KEY,
            "UpdateExpression": "SET id = :x",
            "ExpressionAttributeValues": {":x": {"S": "x"}},
        }
    ),
    "ExecuteStatement:syntax": {"Statement": "SELEC * FROM nothing"},
    "ExecuteStatement:unknown": {"Statement": Text(('SELECT * FROM "', NOWHERE, '"'))},
    "ExecuteStatement:keyless": {"Statement": Text(('DELETE FROM "', TABLE, "\" WHERE id = '", ITEM, "'"))},
    "ExecuteStatement:absent": {**UPDATE, "Parameters": [{"N": "9"}, {"S": OTHER}, {"N": "2"}]},
    "ExecuteStatement:few": {**SELECT, "Parameters": [{"S": ITEM}]},
    "ExecuteStatement:removed": stated("UPDATE", " REMOVE s"),
    "ExecuteStatement:returned": stated(
        "UPDATE",
        " SET n = 9",
    )
    | {"Statement": Text(('UPDATE "', TABLE, '" SET n = 9 WHERE id = ? AND rank = ? RETURNING ALL NEW *'))},
    "ExecuteStatement:one": {"Limit": 1, "Statement": Text(('SELECT * FROM "', TABLE, '"'))},
    "ExecuteStatement:among": {
        "Statement": Text(
            ('SELECT id FROM "', TABLE, "\" WHERE id IN ['", ITEM, "', 'x'] AND begins_with(s, 'te')")
        )
    },
    "ExecuteTransaction:mixed": {"TransactStatements": [SELECT, UPDATE]},
    "ExecuteTransaction:twice": {"TransactStatements": [UPDATE, DELETE]},
    "ExecuteTransaction:fails": {
        "TransactStatements": [
            INSERT,
            {"Statement": Text(('INSERT INTO "', TABLE, "\" VALUE {'id': '", ITEM, "', 'rank': 1}"))},
        ]
    },
    "BatchExecuteStatement:fails": {
        "Statements": [
            {"Statement": Text(('INSERT INTO "', TABLE, "\" VALUE {'id': '", ITEM, "', 'rank': 1}"))},
            INSERT,
        ]
    },
    "BatchExecuteStatement:mixed": {"Statements": [SELECT, {"Statement": "SELEC"}]},
    "TagResource:theirs": {"Tags": [{"Key": "aws:a", "Value": "1"}]},
    "TagResource:again": {"Tags": [{"Key": "colour", "Value": ""}]},
}

WAYS: dict[str, Mapping[str, Any]] = {**_TABLES, **_ITEMS, **_READS, **_BATCHES}

_SPARSE = ("CreateTable:fewer", "PutItem")

NEEDS: dict[str, tuple[str, ...]] = {
    "UpdateTable:same": ("CreateTable:provisioned",),
    "UpdateTable:twice": ("CreateTable:index",),
    "UpdateTable:streamed": ("CreateTable:stream",),
    "UpdateTable:open": ("CreateTable:protected",),
    "UpdateTimeToLive:other": ("CreateTable", "UpdateTimeToLive"),
    "UpdateTimeToLive:never": ("CreateTable",),
    "RestoreTableToPointInTime:timeless": ("CreateTable", "UpdateContinuousBackups"),
    "DescribeTimeToLive:never": ("CreateTable",),
    "DescribeContinuousBackups:never": ("CreateTable",),
    **{
        f"PutItem:{way}": THERE
        for way in (
            "both",
            "lacking",
            "mixed",
            "twofold",
            "replaced",
            "nameless",
            "reserved",
            "syntax",
            "unknown",
        )
    },
    "GetItem:deep": ALL_KINDS,
    "UpdateItem:overlap": ALL_KINDS,
    "UpdateItem:drained": ALL_KINDS,
    **{f"Query:{way}": _SPARSE for way in ("all-fewer", "fewer")},
    "Query:costly": INDEXED,
    "Scan:costly": INDEXED,
    "Scan:sure": INDEXED,
    "Scan:fewer": _SPARSE,
    "Scan:sparse": ("CreateTable:local", "PutItem:short"),
    "BatchWriteItem:again": THERE,
    "TransactWriteItems:again": ("CreateTable", "TransactWriteItems:token", "DeleteItem"),
    "TransactWriteItems:recounted": ("CreateTable", "PutItem", "TransactWriteItems:counted"),
    "TransactWriteItems:counted": THERE,
    "TransactWriteItems:other": ("CreateTable", "TransactWriteItems:token"),
    "TransactWriteItems:twice": THERE,
    "TransactWriteItems:key": THERE,
    "TagResource:again": ("CreateTable", "TagResource"),
}
CLOSED = (
    "DescribeTable",
    "UpdateTable",
    "DeleteTable",
    "DescribeTimeToLive",
    "UpdateTimeToLive",
    "DescribeContinuousBackups",
    "UpdateContinuousBackups",
    "CreateBackup",
    "TagResource",
    "ListTagsOfResource",
    "TransactGetItems",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
)
"""Operations that a policy may forbid, besides those on items."""
WAYS |= {"PutResourcePolicy:all": denying("*"), **{f"{name}:closed": {} for name in CLOSED}}
NEEDS |= {f"{name}:closed": ("PutItem:before", "PutResourcePolicy:all") for name in CLOSED}
WAYS |= {"PutItem:short": {"Item": KEY}, "PutItem:kinds-again": {"Item": {**KINDS, "n": {"N": "7"}}}}

TEXT = {"S": "text"}
UNFIT = {**KEY, "n": TEXT}
WAYS |= {
    "PutItem:unfit": {"Item": UNFIT},
    "UpdateItem:unfit": updates("SET n = :text", {":text": TEXT}),
    "BatchWriteItem:unfit": {"RequestItems": {TABLE: [{"PutRequest": {"Item": UNFIT}}]}},
    "TransactWriteItems:unfit": transacts(Put={"Item": UNFIT}),
    "ExecuteStatement:several": {"Statement": Text(('SELECT * FROM "', TABLE, '"'))},
    "DeleteTable:index": {"TableName": TABLE},
}
"""An attribute that an index goes by, of another kind than was said; several items, several indexes."""
NEEDS |= {
    **{
        f"{name}:unfit": ("CreateTable:local",)
        for name in ("PutItem", "BatchWriteItem", "TransactWriteItems")
    },
    "UpdateItem:unfit": ("CreateTable:local", "PutItem"),
    "ExecuteStatement:several": ("CreateTable", "BatchWriteItem:two"),
    "DeleteTable:index": ("CreateTable:index",),
}
