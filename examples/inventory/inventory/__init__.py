"""Stock, orders and documents of a small warehouse, kept in DynamoDB and S3."""

from inventory.documents import Documents
from inventory.exports import Exports
from inventory.items import Conflict, Items
from inventory.orders import Orders, OutOfStock
from inventory.worker import Worker

__all__ = ["Conflict", "Documents", "Exports", "Items", "Orders", "OutOfStock", "Worker"]
