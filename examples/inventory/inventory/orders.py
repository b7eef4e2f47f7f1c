"""Orders: placed by customers, fulfilled by the worker, one transaction each."""

import uuid
from datetime import UTC, datetime
from typing import Any

import boto3
from botocore.exceptions import ClientError

from inventory.records import Record, create_table, from_attributes, to_attributes


class OutOfStock(Exception):
    """There is less in the warehouse than was ordered."""


class Orders:
    """The orders of one table; the stock they draw on lies in another."""

    def __init__(self, table: str, *, items_table: str, client: Any = None) -> None:
        self.table = table
        self.items_table = items_table
        self.client = client or boto3.client("dynamodb")

    def create(self) -> None:
        """Create the table, with an index that lists the orders of one state by the time they were placed."""
        create_table(
            self.client, table=self.table, key="order", index="by-state", index_keys=("state", "placed")
        )

    def place(self, sku: str, amount: int, *, order: str | None = None) -> str:
        """Note an order for later and return its number."""
        number = order or f"order-{uuid.uuid4()}"
        record = {
            "order": number,
            "sku": sku,
            "amount": amount,
            "state": "pending",
            "placed": datetime.now(UTC).isoformat(),
        }
        self.client.put_item(
            TableName=self.table,
            Item=to_attributes(record),
            ConditionExpression="attribute_not_exists(#order)",
            ExpressionAttributeNames={"#order": "order"},
        )
        return number

    def get(self, order: str) -> Record:
        """Read one order."""
        answer = self.client.get_item(TableName=self.table, Key={"order": {"S": order}}, ConsistentRead=True)
        return from_attributes(answer["Item"])

    def in_state(self, state: str) -> list[Record]:
        """List the orders of one state, oldest first."""
        pages = self.client.get_paginator("query").paginate(
            TableName=self.table,
            IndexName="by-state",
            KeyConditionExpression="#state = :state",
            ExpressionAttributeNames={"#state": "state"},
            ExpressionAttributeValues={":state": {"S": state}},
        )
        return [from_attributes(item) for page in pages for item in page["Items"]]

    def reserve(self, sku: str, amount: int, *, token: str) -> None:
        """Take from the stock; a retry with the same token takes nothing more."""
        self.client.transact_write_items(
            ClientRequestToken=token, TransactItems=[{"Update": self._take(sku, amount)}]
        )

    def fulfil(self, order: str) -> None:
        """Take the ordered amount from the stock and close the order, both or neither."""
        record = self.get(order)
        try:
            self.client.transact_write_items(
                TransactItems=[
                    {"Update": self._take(record["sku"], int(record["amount"]))},
                    {"Update": self._close(order, state="done")},
                ]
            )
        except ClientError as error:
            reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
            if reasons[:1] == ["ConditionalCheckFailed"]:
                raise OutOfStock(record["sku"]) from error
            raise

    def reject(self, order: str) -> None:
        """Close an order that cannot be served."""
        self.client.update_item(**self._close(order, state="rejected"))

    def _take(self, sku: str, amount: int) -> Record:
        return {
            "TableName": self.items_table,
            "Key": {"sku": {"S": sku}},
            "UpdateExpression": "SET stock = stock - :amount, version = version + :one",
            "ConditionExpression": "stock >= :amount",
            "ExpressionAttributeValues": to_attributes({":amount": amount, ":one": 1}),
        }

    def _close(self, order: str, *, state: str) -> Record:
        return {
            "TableName": self.table,
            "Key": {"order": {"S": order}},
            "UpdateExpression": "SET #state = :state",
            "ConditionExpression": "#state = :pending",
            "ExpressionAttributeNames": {"#state": "state"},
            "ExpressionAttributeValues": to_attributes({":state": state, ":pending": "pending"}),
        }
