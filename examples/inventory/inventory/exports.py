"""CSV exports of the stock: several categories at once, one S3 object each."""

import csv
import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import boto3

from inventory.items import Items

COLUMNS = ("sku", "name", "price", "stock")


class Exports:
    """The exports in one bucket, under a folder per day."""

    def __init__(self, bucket: str, *, items: Items, client: Any = None) -> None:
        self.bucket = bucket
        self.items = items
        self.client = client or boto3.client("s3")

    def export(self, category: str) -> str:
        """Write one category's articles and return the export's key."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self.items.in_category(category))
        now = datetime.now(UTC)
        key = f"exports/{now:%Y-%m-%d}/{category}.csv"
        self.client.put_object(
            Bucket=self.bucket,
            Key=key,
            Body=text.getvalue().encode(),
            ContentType="text/csv",
            Metadata={"exported-at": now.isoformat(), "category": category},
        )
        return key

    def export_all(self, categories: Iterable[str], *, workers: int = 4) -> list[str]:
        """Write several categories at the same time and return the keys in the order asked for."""
        with ThreadPoolExecutor(max_workers=workers) as pool:
            return list(pool.map(self.export, categories))

    def read(self, key: str) -> list[dict[str, str]]:
        """Read an export back as rows."""
        body = self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read().decode()
        return list(csv.DictReader(io.StringIO(body)))

    def link(self, key: str, *, seconds: int = 300) -> str:
        """Give a link under which an export can be fetched without credentials for a while."""
        link = self.client.generate_presigned_url(
            "get_object", Params={"Bucket": self.bucket, "Key": key}, ExpiresIn=seconds
        )
        return str(link)
