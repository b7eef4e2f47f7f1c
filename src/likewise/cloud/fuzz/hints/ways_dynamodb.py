"""How else DynamoDB is called: expressions, indexes, batches, transactions and statements of other kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.hints.parts_dynamodb import (
    ALL_KINDS,
    BOTH,
    BY_ID,
    COMPARED,
    DELETE,
    FAILS,
    FEWER,
    HOLDS,
    INDEXED,
    INSERT,
    IS_SEVEN,
    ITEM,
    KEY,
    KINDS,
    LOCAL,
    MORE_FAILS,
    MORE_HOLDS,
    MORE_WORDS,
    OLD_TOO,
    ONE,
    ORDERED,
    OTHER,
    OTHER_KEY,
    OTHER_ROW,
    ROW,
    SECOND,
    SELECT,
    SEVEN,
    STREAM,
    TABLE,
    TEXTUAL,
    THERE,
    THROUGHPUT,
    UPDATE,
    WORDS,
    asks,
    denying,
    filters,
    queries,
    transacts,
    updates,
)

DENIED = ("GetItem", "Query", "Scan", "UpdateItem", "DeleteItem")

WAYS: dict[str, Mapping[str, Any]] = {
    "CreateTable:index": {"GlobalSecondaryIndexes": [BY_ID]},
    "CreateTable:fewer": {"GlobalSecondaryIndexes": [FEWER]},
    "CreateTable:provisioned": {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT},
    "CreateTable:both": {
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": THROUGHPUT,
        "GlobalSecondaryIndexes": [{**BY_ID, "ProvisionedThroughput": THROUGHPUT}],
    },
    "CreateTable:tagged": {"Tags": [{"Key": "colour", "Value": "blue"}]},
    "CreateTable:local": LOCAL,
    "CreateTable:text": TEXTUAL,
    "CreateTable:protected": {"DeletionProtectionEnabled": True},
    "DeleteTable:protected": {"TableName": TABLE},
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
    "UpdateTable:faster": {
        "BillingMode": None,
        "GlobalSecondaryIndexUpdates": [
            {
                "Update": {
                    "IndexName": "by-id",
                    "ProvisionedThroughput": {**THROUGHPUT, "ReadCapacityUnits": 9},
                }
            }
        ],
    },
    "UpdateTable:scaled": {
        "BillingMode": None,
        "ProvisionedThroughput": {"ReadCapacityUnits": 9, "WriteCapacityUnits": 8},
    },
    "UpdateTable:fewer": {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": FEWER}],
    },
    "UpdateTable:quiet": {"StreamSpecification": {"StreamEnabled": False}},
    "UpdateTable:less": {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-id"}}]},
    "UpdateTimeToLive:off": {"TimeToLiveSpecification": {"Enabled": False, "AttributeName": "expires"}},
    "UpdateContinuousBackups:off": {
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}
    },
    "DescribeTable:index": {"TableName": TABLE},
    "PutItem:kinds": {"Item": KINDS},
    "PutItem:new": {"ConditionExpression": "attribute_not_exists(id)"},
    "PutItem:if": {"ConditionExpression": IS_SEVEN, "ExpressionAttributeValues": SEVEN},
    "PutItem:text": {"Item": {"id": {"S": ITEM}, "name": {"S": "prefix and more"}, "n": {"N": "7"}}},
    "PutItem:holds": asks(HOLDS),
    "PutItem:fails": asks(FAILS, **OLD_TOO),
    "PutItem:expected": {"Expected": COMPARED},
    "PutItem:old": {"Expected": {"n": {"Value": {"N": "7"}}}},
    "DeleteItem:holds": asks(HOLDS),
    "DeleteItem:fails": asks(FAILS, **OLD_TOO),
    "DeleteItem:expected": {"Expected": ORDERED},
    "DeleteItem:old": {"Expected": {"n": {"Value": {"N": "7"}}}},
    "DeleteItem:none": {"Key": OTHER_KEY},
    "PutItem:names": {
        "ConditionExpression": "#n = :seven",
        "ExpressionAttributeNames": {"#n": "n"},
        "ExpressionAttributeValues": SEVEN,
    },
    "GetItem:none": {"Key": OTHER_KEY},
    "GetItem:kinds": {"TableName": TABLE},
    "GetItem:names": {"ProjectionExpression": "#n, l[0]", "ExpressionAttributeNames": {"#n": "n"}},
    "DeleteItem:if": {"ConditionExpression": IS_SEVEN, "ExpressionAttributeValues": SEVEN},
    "UpdateItem:plus": updates("SET n = n + :one", ONE),
    "UpdateItem:more": updates("SET n = n + :one", ONE),
    "UpdateItem:add": updates("ADD n :one", ONE),
    "UpdateItem:remove": updates("REMOVE s, l[0]"),
    "UpdateItem:union": updates("ADD ss :more", {":more": {"SS": ["c"]}}),
    "UpdateItem:subtract": updates("DELETE ss :less", {":less": {"SS": ["a"]}}),
    "UpdateItem:append": updates("SET l = list_append(l, :more)", {":more": {"L": [{"S": "y"}]}}),
    "UpdateItem:default": updates("SET fresh = if_not_exists(nowhere, :one)", ONE),
    "UpdateItem:nested": updates("SET m.deep = :one", ONE),
    "UpdateItem:names": updates("SET #n = :one", ONE, ExpressionAttributeNames={"#n": "n"}),
    "UpdateItem:if": updates("SET s = :seven", SEVEN, ConditionExpression=IS_SEVEN),
    "UpdateItem:holds": updates("SET n = :seven", WORDS, ConditionExpression=HOLDS),
    "UpdateItem:fails": updates("SET n = :seven", WORDS, ConditionExpression=FAILS, **OLD_TOO),
    "UpdateItem:several": updates(
        "SET n = n - :one, l[0] = :seven, s = :te REMOVE b ADD fresh :one",
        {**ONE, **SEVEN, ":te": {"S": "te"}},
    ),
    "UpdateItem:kinds": updates(
        "SET a = :a, m = :m, z = :z, blob1 = :raw, ns = :ns, bs = :bs",
        {
            ":a": {"BOOL": False},
            ":m": KINDS["m"],
            ":z": {"NULL": True},
            ":raw": KINDS["raw"],
            ":ns": KINDS["ns"],
            ":bs": KINDS["bs"],
        },
    ),
    "UpdateItem:removed": updates("REMOVE m.deep, m.#l[0]", ExpressionAttributeNames={"#l": "list"}),
    "UpdateItem:changed": updates("SET n = :one", ONE, ReturnValues="UPDATED_OLD"),
    "UpdateItem:put": {
        "UpdateExpression": None,
        "ExpressionAttributeValues": None,
        "AttributeUpdates": {"n": {"Value": {"N": "1"}, "Action": "PUT"}, "s": {"Action": "DELETE"}},
    },
    "UpdateItem:fresh": {"Key": OTHER_KEY, **updates("SET n = :one", ONE)},
    "UpdateItem:kept": updates("SET n = if_not_exists(n, :one)", ONE),
    "UpdateItem:filled": updates("SET fresh = if_not_exists(fresh, :one)", ONE),
    "UpdateItem:counted": updates(
        "SET n = if_not_exists(n, :one) + :one, fresh = if_not_exists(fresh, :one) + :one", ONE
    ),
    "UpdateItem:ahead": updates("SET l = list_append(:more, l)", {":more": {"L": [{"S": "y"}]}}),
    "UpdateItem:begun": updates(
        "SET fresh = list_append(if_not_exists(fresh, :none), :more)",
        {":none": {"L": []}, ":more": {"L": [{"S": "y"}]}},
    ),
    "UpdateItem:set": updates("ADD fresh :more", {":more": {"SS": ["b", "a"]}}),
    "UpdateItem:swapped": updates("SET s = n, n = s"),
    "UpdateItem:apart": updates("DELETE ss :less", {":less": {"SS": ["c"]}}),
    "UpdateItem:beside": updates("SET m.fresh = :one REMOVE m.deep", ONE),
    "UpdateItem:more-holds": updates("SET n = :seven", MORE_WORDS, ConditionExpression=MORE_HOLDS),
    "UpdateItem:more-fails": updates("SET n = :seven", MORE_WORDS, ConditionExpression=MORE_FAILS),
    "UpdateItem:plain": {
        "UpdateExpression": None,
        "ExpressionAttributeValues": None,
        "AttributeUpdates": {"n": {"Value": {"N": "1"}, "Action": "ADD"}},
    },
    "Query:index": {"IndexName": "by-id"},
    "Query:sure": {"IndexName": "by-id", "ConsistentRead": True},
    "Query:between": queries("id = :id AND #rank BETWEEN :a AND :z", a={"N": "1"}, z={"N": "2"}),
    "Query:less": queries("id = :id AND #rank <= :z", z={"N": "2"}),
    "Query:equal": queries("id = :id AND #rank = :a", a={"N": "1"}),
    "Query:above": queries("id = :id AND #rank > :a", a={"N": "1"}),
    "Query:below": queries("id = :id AND #rank < :z", z={"N": "2"}),
    "Query:from": queries("id = :id AND #rank >= :a", a={"N": "2"}),
    "Query:begins": queries("id = :id AND begins_with(#name, :a)", a={"S": "prefix"}),
    "Query:local": {"IndexName": "by-n", **queries("id = :id AND n > :a", a={"N": "1"})},
    "Query:projected": {"IndexName": "by-id", "Select": "ALL_PROJECTED_ATTRIBUTES"},
    "Query:chosen": {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "n, l[1]"},
    "Query:holds": filters(HOLDS, ExpressionAttributeValues={":id": {"S": ITEM}, **WORDS}),
    "Query:fails": filters(FAILS, ExpressionAttributeValues={":id": {"S": ITEM}, **WORDS}),
    "Query:names": {
        **queries("#key = :id"),
        "ExpressionAttributeNames": {"#key": "id"},
    },
    "Query:filter": {
        **queries("id = :id", one={"N": "1"}),
        "FilterExpression": "n > :one AND size(s) > :one",
    },
    "Query:plain": {
        "KeyConditionExpression": None,
        "ExpressionAttributeValues": None,
        "KeyConditions": {"id": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": ITEM}]}},
    },
    "Query:plainly": {
        "KeyConditionExpression": None,
        "ExpressionAttributeValues": None,
        "KeyConditions": {
            "id": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": ITEM}]},
            "rank": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"N": "2"}]},
        },
        "QueryFilter": {"n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "7"}]}},
    },
    "Query:nothing": {"ExpressionAttributeValues": {":id": {"S": OTHER}}},
    "Scan:index": {"IndexName": "by-id"},
    "Scan:filter": {
        "FilterExpression": "contains(s, :part) AND n > :one",
        "ExpressionAttributeValues": {":part": {"S": "e"}, **ONE},
    },
    "Scan:holds": filters(HOLDS),
    "Scan:fails": filters(FAILS),
    "Scan:compared": {"ScanFilter": COMPARED},
    "Scan:ordered": {"ScanFilter": ORDERED},
    "Scan:either": {
        "ScanFilter": {**ORDERED, "n": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "1"}]}},
        "ConditionalOperator": "OR",
    },
    "Scan:chosen": {"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "n, l[1]"},
    "Scan:local": {"IndexName": "by-n"},
    "Scan:other": {"Segment": 1, "TotalSegments": 2},
    "Scan:none": {"FilterExpression": "attribute_exists(nowhere)"},
    "Scan:names": {"ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}},
    "Scan:part": {"Segment": 0, "TotalSegments": 2},
    "Scan:more-holds": filters(MORE_HOLDS, ExpressionAttributeValues=MORE_WORDS),
    "Scan:more-fails": filters(MORE_FAILS, ExpressionAttributeValues=MORE_WORDS),
    "BatchGetItem:two": {"RequestItems": {TABLE: {"Keys": [OTHER_KEY, KEY]}}},
    "BatchGetItem:none": {"RequestItems": {TABLE: {"Keys": [OTHER_KEY]}}},
    "BatchGetItem:names": {
        "RequestItems": {
            TABLE: {
                "Keys": [KEY],
                "ProjectionExpression": "#n",
                "ExpressionAttributeNames": {"#n": "n"},
            }
        }
    },
    "BatchGetItem:tables": {
        "RequestItems": {SECOND: {"Keys": [KEY]}, TABLE: {"Keys": [KEY]}},
        "ReturnConsumedCapacity": "TOTAL",
    },
    "BatchWriteItem:two": {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}}, {"PutRequest": {"Item": OTHER_ROW}}]}
    },
    "BatchWriteItem:tables": {
        "RequestItems": {table: [{"PutRequest": {"Item": ROW}}] for table in (SECOND, TABLE)},
        "ReturnConsumedCapacity": "TOTAL",
    },
    "BatchWriteItem:kinds": {"RequestItems": {TABLE: [{"PutRequest": {"Item": KINDS}}]}},
    "BatchWriteItem:mixed": {
        "RequestItems": {TABLE: [{"DeleteRequest": {"Key": KEY}}, {"PutRequest": {"Item": OTHER_ROW}}]}
    },
    "BatchWriteItem:delete": {"RequestItems": {TABLE: [{"DeleteRequest": {"Key": KEY}}]}},
    "TransactGetItems:two": {
        "TransactItems": [{"Get": {"TableName": TABLE, "Key": each}} for each in (OTHER_KEY, KEY)]
    },
    "TransactGetItems:none": transacts(Get={"Key": OTHER_KEY}),
    "TransactGetItems:names": transacts(
        Get={"Key": KEY, "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}}
    ),
    "TransactWriteItems:tables": {
        "TransactItems": [{"Put": {"TableName": table, "Item": ROW}} for table in (SECOND, TABLE)],
        "ReturnConsumedCapacity": "TOTAL",
    },
    "RestoreTableFromBackup:indexed": {"TargetTableName": Name("table", 5)},
    "TransactWriteItems:delete": transacts(Delete={"Key": KEY}),
    "TransactWriteItems:update": transacts(
        Update={"Key": KEY, "UpdateExpression": "SET n = :seven", "ExpressionAttributeValues": SEVEN}
    ),
    "TransactWriteItems:check": transacts(
        ConditionCheck={"Key": KEY, "ConditionExpression": "attribute_exists(id)"}, Put={"Item": OTHER_ROW}
    ),
    "TransactWriteItems:kinds": transacts(Put={"Item": KINDS}),
    "TransactWriteItems:holds": transacts(Put={"Item": ROW, **asks(HOLDS)}),
    "TransactWriteItems:fails": transacts(
        Update={
            "Key": KEY,
            "UpdateExpression": "SET #n = :seven",
            "ExpressionAttributeNames": {"#n": "n"},
            "ConditionExpression": "#n < :one",
            "ExpressionAttributeValues": {**ONE, **SEVEN},
            **OLD_TOO,
        },
        Put={"Item": OTHER_ROW},
    ),
    "TransactWriteItems:gone": transacts(
        Delete={
            "Key": KEY,
            "ConditionExpression": "#n = :seven",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": SEVEN,
        }
    ),
    "TransactWriteItems:checked": transacts(
        ConditionCheck={
            "Key": KEY,
            "ConditionExpression": "#n < :one",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": ONE,
            **OLD_TOO,
        }
    ),
    "TransactWriteItems:two": transacts(Put={"Item": OTHER_ROW}, Delete={"Key": KEY}),
    "TransactWriteItems:refused": transacts(
        Put={"Item": ROW, "ConditionExpression": "attribute_exists(nowhere)"}
    ),
    "ExecuteStatement:insert": INSERT,
    "ExecuteStatement:update": UPDATE,
    "ExecuteStatement:delete": DELETE,
    "ExecuteStatement:all": {"Statement": Text(('SELECT * FROM "', TABLE, '"'))},
    "ExecuteStatement:given": SELECT,
    "ExecuteStatement:filtered": {
        "Statement": Text(
            ('SELECT id, n FROM "', TABLE, "\" WHERE id = '", ITEM, "' AND n > 1 AND s = 'text'")
        )
    },
    "ExecuteStatement:again": {
        "Statement": Text(('INSERT INTO "', TABLE, "\" VALUE {'id': '", ITEM, "', 'rank': 1}"))
    },
    "BatchExecuteStatement:insert": {"Statements": [INSERT]},
    "BatchExecuteStatement:update": {"Statements": [UPDATE]},
    "BatchExecuteStatement:delete": {"Statements": [DELETE]},
    "BatchExecuteStatement:two": {"Statements": [SELECT, INSERT]},
    "ExecuteTransaction:insert": {"TransactStatements": [INSERT]},
    "ExecuteTransaction:update": {"TransactStatements": [UPDATE]},
    "ExecuteTransaction:reads": {"TransactStatements": BOTH},
    "BatchExecuteStatement:reads": {"Statements": BOTH},
    "ExecuteTransaction:delete": {"TransactStatements": [DELETE]},
    "ExecuteTransaction:two": {"TransactStatements": [UPDATE, INSERT]},
    "PutResourcePolicy:denied": denying(
        "GetItem", "Query", "Scan", "UpdateItem", "DeleteItem", "BatchGetItem"
    ),
    "PutResourcePolicy:closed": denying("PutItem", "BatchWriteItem"),
    **{f"{name}:denied": {"TableName": TABLE} for name in DENIED},
    "BatchGetItem:denied": {"RequestItems": {TABLE: {"Keys": [KEY]}}},
    "BatchWriteItem:denied": {"RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}}]}},
    "PutItem:denied": {"TableName": TABLE},
    "PutResourcePolicy:again": {"ExpectedRevisionId": Ref(-1, ("PutResourcePolicy", "RevisionId"))},
    "TagResource:two": {"Tags": [{"Key": "size", "Value": "big"}, {"Key": "colour", "Value": "red"}]},
    "UntagResource:none": {"TagKeys": ["nowhere"]},
}


NEEDS: dict[str, tuple[str, ...]] = {
    **{f"{name}:denied": ("PutResourcePolicy:denied", "PutItem") for name in (*DENIED, "BatchGetItem")},
    "BatchWriteItem:denied": ("PutResourcePolicy:closed",),
    "PutItem:denied": ("PutResourcePolicy:closed",),
    "DeleteTable:protected": ("CreateTable:protected",),
    "UpdateTable:faster": ("CreateTable:both",),
    "UpdateTable:scaled": ("CreateTable:provisioned",),
    "UpdateTable:quiet": ("CreateTable:stream",),
    "PutItem:text": ("CreateTable:text",),
    **{f"PutItem:{way}": THERE for way in ("holds", "fails", "expected", "old", "names")},
    "UpdateItem:removed": ALL_KINDS,
    "UpdateItem:more": (*THERE, "UpdateItem:plus"),
    "Query:begins": ("CreateTable:text", "PutItem:text"),
    "Query:local": ("CreateTable:local", "PutItem"),
    "Query:projected": INDEXED,
    "Scan:local": ("CreateTable:local", "PutItem"),
    "BatchWriteItem:mixed": THERE,
    **{f"TransactWriteItems:{way}": THERE for way in ("holds", "fails", "gone", "checked")},
    "PutResourcePolicy:again": ("CreateTable", "PutResourcePolicy"),
    "UpdateTable:less": ("CreateTable:index",),
    "UpdateTimeToLive:off": ("CreateTable", "UpdateTimeToLive"),
    "UpdateContinuousBackups:off": ("CreateTable", "UpdateContinuousBackups"),
    "DescribeTable:index": ("CreateTable:index",),
    "PutItem:new": THERE,
    "PutItem:if": THERE,
    "GetItem:kinds": ALL_KINDS,
    "UpdateItem:union": ALL_KINDS,
    "UpdateItem:subtract": ALL_KINDS,
    "UpdateItem:nested": ALL_KINDS,
    "UpdateItem:apart": ALL_KINDS,
    "UpdateItem:beside": ALL_KINDS,
    **{f"{name}:more-{how}": ALL_KINDS for name in ("UpdateItem", "Scan") for how in ("holds", "fails")},
    "Query:index": INDEXED,
    "Query:sure": INDEXED,
    "Scan:index": INDEXED,
    "BatchGetItem:two": ("CreateTable", "BatchWriteItem:two"),
    "BatchGetItem:tables": ("CreateTable:second", "BatchWriteItem:tables"),
    "BatchWriteItem:tables": ("CreateTable:second", "CreateTable"),
    "TransactWriteItems:tables": ("CreateTable:second", "CreateTable"),
    "RestoreTableFromBackup:indexed": ("CreateTable:index", "CreateBackup"),
    "BatchWriteItem:delete": THERE,
    "TransactGetItems:two": ("CreateTable", "BatchWriteItem:two"),
    "TransactWriteItems:delete": THERE,
    "TransactWriteItems:update": THERE,
    "TransactWriteItems:check": THERE,
    "TransactWriteItems:two": THERE,
    "TransactWriteItems:refused": THERE,
    "TagResource:two": ("CreateTable", "TagResource"),
    "ExecuteTransaction:reads": ("CreateTable", "BatchWriteItem:two"),
    "BatchExecuteStatement:reads": ("CreateTable", "BatchWriteItem:two"),
}
