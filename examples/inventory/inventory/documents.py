"""Data sheets and pictures of articles: one S3 object each, under the article's own prefix."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import boto3
from botocore.exceptions import ClientError


class Documents:
    """The documents in one bucket."""

    def __init__(self, bucket: str, *, client: Any = None) -> None:
        self.bucket = bucket
        self.client = client or boto3.client("s3")

    def create(self) -> None:
        """Create the bucket in the client's region."""
        region = self.client.meta.region_name
        where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        self.client.create_bucket(Bucket=self.bucket, **where)

    def attach(self, sku: str, name: str, body: bytes, *, kind: str, author: str) -> str:
        """Store a document with its checksum and return its ETag."""
        answer = self.client.put_object(
            Bucket=self.bucket,
            Key=f"{sku}/{name}",
            Body=body,
            ContentType=kind,
            ContentMD5=base64.b64encode(hashlib.md5(body).digest()).decode(),
            Metadata={"author": author, "sku": sku},
        )
        return str(answer["ETag"])

    def replace(self, sku: str, name: str, body: bytes, *, etag: str) -> str:
        """Store a new edition if the old one is still the one that the caller has seen."""
        answer = self.client.put_object(Bucket=self.bucket, Key=f"{sku}/{name}", Body=body, IfMatch=etag)
        return str(answer["ETag"])

    def read(self, sku: str, name: str) -> bytes:
        """Read a document's content."""
        answer = self.client.get_object(Bucket=self.bucket, Key=f"{sku}/{name}")
        return bytes(answer["Body"].read())

    def describe(self, sku: str, name: str) -> dict[str, Any] | None:
        """Return type, size and metadata of a document, or None if there is none."""
        try:
            answer = self.client.head_object(Bucket=self.bucket, Key=f"{sku}/{name}")
        except ClientError as error:
            if error.response["Error"]["Code"] in ("404", "NoSuchKey"):
                return None
            raise
        return {"kind": answer["ContentType"], "size": answer["ContentLength"], **answer["Metadata"]}

    def names(self, sku: str, *, page: int = 1000) -> Iterator[str]:
        """List an article's documents, reading page by page."""
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, Prefix=f"{sku}/", PaginationConfig={"PageSize": page}
        )
        for found in pages:
            for entry in found.get("Contents", []):
                yield entry["Key"].removeprefix(f"{sku}/")

    def skus(self) -> list[str]:
        """List the articles that have documents."""
        answer = self.client.list_objects_v2(Bucket=self.bucket, Delimiter="/")
        return [entry["Prefix"].rstrip("/") for entry in answer.get("CommonPrefixes", [])]

    def copy_all(self, sku: str, *, to: str) -> int:
        """Give an article's documents to another article too; returns how many."""
        names = list(self.names(sku))
        for name in names:
            self.client.copy_object(
                Bucket=self.bucket,
                Key=f"{to}/{name}",
                CopySource={"Bucket": self.bucket, "Key": f"{sku}/{name}"},
            )
        return len(names)

    def remove_all(self, sku: str) -> int:
        """Delete an article's documents; returns how many there were."""
        names = list(self.names(sku))
        if names:
            self.client.delete_objects(
                Bucket=self.bucket, Delete={"Objects": [{"Key": f"{sku}/{name}"} for name in names]}
            )
        return len(names)
