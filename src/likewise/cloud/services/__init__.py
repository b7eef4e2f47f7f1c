"""The services: which operations they have, and what each one touches."""

from __future__ import annotations

from likewise.cloud.services.blob import Blob
from likewise.cloud.services.call import Call
from likewise.cloud.services.dynamodb import DynamoDB
from likewise.cloud.services.queue import Queue
from likewise.cloud.services.s3 import S3
from likewise.cloud.services.service import Rule, Service
from likewise.cloud.services.table import Table

SERVICES: tuple[type[Service], ...] = (DynamoDB, Blob, Queue, Table, S3)
"""In the order in which they are asked whether a request is theirs: the surest signs first."""

__all__ = ["S3", "SERVICES", "Blob", "Call", "DynamoDB", "Queue", "Rule", "Service", "Table"]
