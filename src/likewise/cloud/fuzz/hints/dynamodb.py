"""Amazon DynamoDB."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Name, Ref, Text
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.hints import rules_dynamodb, ways_dynamodb
from likewise.cloud.services.call import words

TABLE, ITEM = Name("table"), Name("item")
KEY = {"id": {"S": ITEM}, "rank": {"N": "1"}}
ROW = {**KEY, "n": {"N": "7"}, "s": {"S": "text"}, "l": {"L": [{"N": "1"}, {"S": "x"}]}, "b": {"BOOL": True}}
ARN = Ref(-1, ("CreateTable", "TableDescription", "TableArn"))
OWNER = "123456789012"
INDEX = {
    "IndexName": "rank-first",
    "KeySchema": [{"AttributeName": "rank", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
FILTER = {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]}}

VALUES = {
    "TableName": TABLE,
    "CreateTable.KeySchema": [
        {"AttributeName": "id", "KeyType": "HASH"},
        {"AttributeName": "rank", "KeyType": "RANGE"},
    ],
    "CreateTable.AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "rank", "AttributeType": "N"},
    ],
    "CreateTable.BillingMode": "PAY_PER_REQUEST",
    "CreateTable?LocalSecondaryIndexes": [
        {
            "IndexName": "by-rank",
            "KeySchema": [
                {"AttributeName": "id", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    "SSESpecification": {"Enabled": True},
    "Tags": [{"Key": "colour", "Value": "blue"}],
    "TagKeys": ["colour"],
    "Key": KEY,
    "Item": ROW,
    "ReturnValues": "ALL_OLD",
    "UpdateItem.ReturnValues": "ALL_NEW",
    "UpdateItem.UpdateExpression": "SET n = :one",
    "UpdateItem.ExpressionAttributeValues": {":one": {"N": "1"}},
    "UpdateItem.AttributeUpdates": None,
    "UpdateItem?ConditionExpression": "attribute_exists(id)",
    "ConditionExpression": "attribute_not_exists(nowhere)",
    "ExpressionAttributeNames": None,
    "ExpressionAttributeValues": None,
    "FilterExpression": "attribute_exists(n)",
    "ProjectionExpression": "id, n",
    "AttributesToGet": ["id"],
    "Query.KeyConditionExpression": "id = :id",
    "Query.ExpressionAttributeValues": {":id": {"S": ITEM}},
    "Query.KeyConditions": None,
    "QueryFilter": None,
    "ScanFilter": FILTER,
    "ConditionalOperator": None,
    "Expected": {"nowhere": {"Exists": False}},
    "UpdateItem?Expected": {"n": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "7"}]}},
    "IndexName": None,
    "ExclusiveStartKey": KEY,
    "Segment": None,
    "TotalSegments": None,
    "Limit": 1,
    "Select": "COUNT",
    "BatchGetItem.RequestItems": {TABLE: {"Keys": [KEY]}},
    "BatchWriteItem.RequestItems": {TABLE: [{"PutRequest": {"Item": ROW}}]},
    "TransactGetItems.TransactItems": [{"Get": {"TableName": TABLE, "Key": KEY}}],
    "TransactWriteItems.TransactItems": [{"Put": {"TableName": TABLE, "Item": ROW}}],
    "ExecuteStatement.Statement": Text(('SELECT * FROM "', TABLE, "\" WHERE id = '", ITEM, "'")),
    "BatchExecuteStatement.Statements": [
        {"Statement": Text(('SELECT * FROM "', TABLE, "\" WHERE id = '", ITEM, "' AND rank = 1"))}
    ],
    "ExecuteTransaction.TransactStatements": [
        {"Statement": Text(('SELECT * FROM "', TABLE, "\" WHERE id = '", ITEM, "' AND rank = 1"))}
    ],
    "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"},
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    "BackupName": "backup",
    "ResourceArn": ARN,
    "TableArn": ARN,
    "ContributorInsightsAction": "ENABLE",
    "UpdateTable.BillingMode": "PAY_PER_REQUEST",
    "UpdateTable.ProvisionedThroughput": None,
    "CreateTable.ProvisionedThroughput": None,
    "UpdateTable.AttributeDefinitions": None,
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "Policy": Text(
        (
            '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"*"},'
            '"Action":"dynamodb:GetItem","Resource":"',
            ARN,
            '"}]}',
        )
    ),
    "ResourcePolicy": None,
    "S3Bucket": "likewise-exports",
    "StreamArn": f"arn:aws:kinesis:us-east-1:{OWNER}:stream/likewise",
    "ReplicationGroup": [{"RegionName": "us-east-1"}],
    "ReplicaUpdates": [{"Create": {"RegionName": "us-west-2"}}],
    "UpdateTable.ReplicaUpdates": None,
    "TargetTableName": Name("table", 5),
    "RestoreTableToPointInTime.SourceTableName": TABLE,
    "RestoreTableToPointInTime.UseLatestRestorableTime": True,
    "UpdateGlobalTableSettings.GlobalTableBillingMode": "PAY_PER_REQUEST",
    "S3BucketSource": {"S3Bucket": "likewise-imports"},
    "InputFormat": "CSV",
    "TableCreationParameters": {
        "TableName": Name("table", 6),
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    },
    "GlobalSecondaryIndexes": [INDEX],
    "GlobalSecondaryIndexUpdates": None,
    "ClientRequestToken": "a-token-of-the-client",
    "ListTables?ExclusiveStartTableName": TABLE,
    "ReturnConsumedCapacity": "TOTAL",
    "ReturnItemCollectionMetrics": "SIZE",
    "ConsistentRead": True,
    "ScanIndexForward": False,
    "RecoveryPeriodInDays": None,
}

HINTS = Hints(
    names={"TableName": "table", "GlobalTableName": "table"},
    makers={"table": "CreateTable", "item": "PutItem"},
    sources={
        "BackupArn": ("CreateBackup", ("BackupDetails", "BackupArn")),
        "ExportArn": ("ExportTableToPointInTime", ("ExportDescription", "ExportArn")),
        "ImportArn": ("ImportTable", ("ImportTableDescription", "ImportArn")),
    },
    values=VALUES,
    creates={"CreateTable": words("table"), "ImportTable": words("table")},
    needs={
        "GetItem": ("PutItem",),
        "Query": ("PutItem",),
        "Scan": ("PutItem",),
        "UpdateItem": ("PutItem",),
        "DeleteItem": ("PutItem",),
        "BatchGetItem": ("CreateTable", "PutItem"),
        "BatchWriteItem": ("CreateTable",),
        "TransactGetItems": ("CreateTable", "PutItem"),
        "TransactWriteItems": ("CreateTable",),
        "ExecuteStatement": ("CreateTable", "PutItem"),
        "BatchExecuteStatement": ("CreateTable", "PutItem"),
        "ExecuteTransaction": ("CreateTable", "PutItem"),
        "TagResource": ("CreateTable",),
        "UntagResource": ("CreateTable", "TagResource"),
        "ListTagsOfResource": ("CreateTable", "TagResource"),
        "PutResourcePolicy": ("CreateTable",),
        "GetResourcePolicy": ("CreateTable", "PutResourcePolicy"),
        "DeleteResourcePolicy": ("CreateTable", "PutResourcePolicy"),
        "ListTables": ("CreateTable",),
        "ListBackups": ("CreateTable", "CreateBackup"),
        "RestoreTableToPointInTime": ("CreateTable", "UpdateContinuousBackups"),
        "ExportTableToPointInTime": ("CreateTable", "UpdateContinuousBackups"),
        "ListExports": ("ExportTableToPointInTime",),
        "DescribeGlobalTable": ("CreateGlobalTable",),
        "DescribeGlobalTableSettings": ("CreateGlobalTable",),
        "UpdateGlobalTable": ("CreateGlobalTable",),
        "UpdateGlobalTableSettings": ("CreateGlobalTable",),
        "CreateGlobalTable": ("CreateTable:stream",),
        "DisableKinesisStreamingDestination": ("EnableKinesisStreamingDestination",),
        "UpdateKinesisStreamingDestination": ("EnableKinesisStreamingDestination",),
        "DescribeContributorInsights": ("UpdateContributorInsights",),
        "DescribeTimeToLive": ("UpdateTimeToLive",),
        "DescribeKinesisStreamingDestination": ("EnableKinesisStreamingDestination",),
        "DescribeTableReplicaAutoScaling": ("CreateTable",),
        **ways_dynamodb.NEEDS,
        **rules_dynamodb.NEEDS,
    },
    ways={**ways_dynamodb.WAYS, **rules_dynamodb.WAYS},
    failing={
        "ConditionExpression": {"ConditionExpression": "attribute_exists(nowhere)"},
        "Expected": {"Expected": {"nowhere": {"Value": {"N": "7"}}}},
    },
    holding={"ExpectedRevisionId": ({"ExpectedRevisionId": Ref(-1, ("PutResourcePolicy", "RevisionId"))},)},
    shows={
        "CreateTable.Tags": ("ListTagsOfResource",),
        "CreateTable.ResourcePolicy": ("GetResourcePolicy",),
        "CreateTable.StreamSpecification": ("DescribeTable",),
    },
    related={
        "DescribeTable:restored": ({"TableName": Name("table", 5)},),
        "DescribeTable:imported": ({"TableName": Name("table", 6)},),
        "CreateTable:stream": (
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}},
        ),
    },
    observers={
        "CreateTable": ("DescribeTable", "ListTables"),
        "DeleteTable": ("DescribeTable", "ListTables"),
        "UpdateTable": ("DescribeTable",),
        "PutItem": ("GetItem", "Scan"),
        "UpdateItem": ("GetItem", "Query"),
        "DeleteItem": ("GetItem", "Scan"),
        "BatchWriteItem": ("GetItem", "Scan"),
        "TransactWriteItems": ("GetItem", "Scan"),
        "TagResource": ("ListTagsOfResource",),
        "UntagResource": ("ListTagsOfResource",),
        "UpdateTimeToLive": ("DescribeTimeToLive",),
        "UpdateContinuousBackups": ("DescribeContinuousBackups",),
        "CreateBackup": ("DescribeBackup", "ListBackups"),
        "DeleteBackup": ("DescribeBackup", "ListBackups"),
        "PutResourcePolicy": ("GetResourcePolicy",),
        "DeleteResourcePolicy": ("GetResourcePolicy",),
        "UpdateContributorInsights": ("DescribeContributorInsights",),
        "EnableKinesisStreamingDestination": ("DescribeKinesisStreamingDestination",),
        "DisableKinesisStreamingDestination": ("DescribeKinesisStreamingDestination",),
        "RestoreTableFromBackup": ("DescribeTable:restored", "ListTables"),
        "RestoreTableToPointInTime": ("DescribeTable:restored", "ListTables"),
        "ImportTable": ("DescribeTable:imported", "DescribeImport"),
        "ExecuteStatement": ("Scan",),
        "ExecuteTransaction": ("Scan",),
        "BatchExecuteStatement": ("Scan",),
    },
    removers={"table": "DeleteTable", "item": "DeleteItem"},
    lists=words("ListTables Scan Query ListBackups ListTagsOfResource BatchGetItem"),
)
