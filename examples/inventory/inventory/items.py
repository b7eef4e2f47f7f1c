"""What is in the warehouse: one DynamoDB item per article."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import boto3
from botocore.exceptions import ClientError

from inventory.records import Record, create_table, from_attributes, to_attributes

WRITE_BATCH = 25
READ_BATCH = 100


class Conflict(Exception):
    """Somebody else changed the article since it was read."""


class Items:
    """The articles of one table, each with a version that every change raises by one."""

    def __init__(self, table: str, *, client: Any = None) -> None:
        self.table = table
        self.client = client or boto3.client("dynamodb")

    def create(self) -> None:
        """Create the table, with an index that lists a category's articles by name."""
        create_table(
            self.client, table=self.table, key="sku", index="by-category", index_keys=("category", "name")
        )

    def add(self, *, sku: str, name: str, category: str, price: Decimal, stock: int = 0) -> None:
        """Add an article; a known SKU is refused with ConditionalCheckFailedException."""
        record = {
            "sku": sku,
            "name": name,
            "category": category,
            "price": price,
            "stock": stock,
            "version": 1,
        }
        self.client.put_item(
            TableName=self.table,
            Item=to_attributes(record),
            ConditionExpression="attribute_not_exists(sku)",
        )

    def get(self, sku: str) -> Record | None:
        """Read an article as it is now."""
        answer = self.client.get_item(TableName=self.table, Key={"sku": {"S": sku}}, ConsistentRead=True)
        return from_attributes(answer["Item"]) if "Item" in answer else None

    def reprice(self, sku: str, *, price: Decimal, version: int) -> Record:
        """Set a price if the article still has the version that the caller has seen."""
        try:
            answer = self.client.update_item(
                TableName=self.table,
                Key={"sku": {"S": sku}},
                UpdateExpression="SET price = :price, version = version + :one",
                ConditionExpression="version = :version",
                ExpressionAttributeValues=to_attributes({":price": price, ":version": version, ":one": 1}),
                ReturnValues="ALL_NEW",
            )
        except ClientError as error:
            if error.response["Error"]["Code"] == "ConditionalCheckFailedException":
                raise Conflict(sku) from error
            raise
        return from_attributes(answer["Attributes"])

    def restock(self, sku: str, amount: int) -> int:
        """Add to the stock of a known article and return the new stock."""
        answer = self.client.update_item(
            TableName=self.table,
            Key={"sku": {"S": sku}},
            UpdateExpression="ADD stock :amount, version :one",
            ConditionExpression="attribute_exists(sku)",
            ExpressionAttributeValues=to_attributes({":amount": amount, ":one": 1}),
            ReturnValues="UPDATED_NEW",
        )
        return int(answer["Attributes"]["stock"]["N"])

    def in_category(self, category: str, *, page: int = 50) -> Iterator[Record]:
        """List a category by name, reading the index page by page."""
        start: Record = {}
        while True:
            answer = self.client.query(
                TableName=self.table,
                IndexName="by-category",
                KeyConditionExpression="category = :category",
                ExpressionAttributeValues={":category": {"S": category}},
                Limit=page,
                **start,
            )
            yield from map(from_attributes, answer["Items"])
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def load(self, records: Iterable[Record]) -> int:
        """Write many articles without looking at what was there; returns how many."""
        requests = [{"PutRequest": {"Item": to_attributes({"version": 1, **record})}} for record in records]
        for start in range(0, len(requests), WRITE_BATCH):
            self._write(requests[start : start + WRITE_BATCH])
        return len(requests)

    def discard(self, skus: Iterable[str]) -> None:
        """Remove many articles."""
        requests = [{"DeleteRequest": {"Key": {"sku": {"S": sku}}}} for sku in skus]
        for start in range(0, len(requests), READ_BATCH):
            self._write(requests[start : start + READ_BATCH])

    def look_up(self, skus: Iterable[str]) -> dict[str, Record]:
        """Read up to a hundred articles at once; unknown ones are left out."""
        keys = [{"sku": {"S": sku}} for sku in skus]
        answer = self.client.batch_get_item(RequestItems={self.table: {"Keys": keys}})
        records = map(from_attributes, answer["Responses"][self.table])
        return {record["sku"]: record for record in records}

    def _write(self, requests: list[Any]) -> None:
        pending = {self.table: requests}
        while pending:
            pending = self.client.batch_write_item(RequestItems=pending).get("UnprocessedItems", {})
