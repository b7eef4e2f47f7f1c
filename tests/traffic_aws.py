"""S3 and DynamoDB, small and faithful."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from random import Random
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from likewise.cloud.exchange import Exchange
from traffic_scripts import Place, Plan, Server, Step


class S3(Server):
    service = "s3"
    wide = frozenset({"list", "drop"})

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.buckets: dict[str, dict[str, dict[str, Any]]] = {}
        self.uploads: dict[str, dict[str, str]] = {}

    @staticmethod
    def plan(random: Random) -> Iterable[Step]:
        plan = Plan(random, roots=("photos", "backups"), leaves=5)
        yield from plan.each_root("create")
        body = ["put", "put", "put_new", "get", "head", "get_if", "delete", "list", "copy", "tag", "tags"]
        yield from plan.body([*body, "multipart"], extra={"multipart": ("start", "part", "part", "finish")})
        yield from plan.each_root("list")
        if random.random() < 0.5:
            yield from plan.each_leaf("delete")
            yield from plan.each_root("drop")

    def subject(self, step: Step) -> Place:
        if step.verb in ("start", "part"):
            return (*step.where, "upload", *(step.value[:1] if step.verb == "part" else ""))
        return (*step.where, "content") if step.verb not in (*self.wide, "create", "finish") else step.where

    def _send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        headers: dict[str, str] | None = None,
        answer: tuple[int, dict[str, str], bytes],
    ) -> Exchange:
        signature = "AWS4-HMAC-SHA256 Credential=K/20240101/eu/s3/aws4_request, Signature=" + self.hex(64)
        status, answered, content = answer
        return Exchange(
            method=method,
            url=f"http://127.0.0.1:9000/{path}",
            headers={"authorization": signature, "x-amz-date": self.hex(8), **(headers or {})},
            body=body,
            status=status,
            response_headers={
                "x-amz-request-id": self.hex(16),
                "content-type": "application/xml",
                "content-length": str(len(content)),
                **answered,
            },
            response_body=b"" if method == "HEAD" else content,
        )

    def _path(self, where: Place) -> tuple[str, str, str]:
        bucket = self.name(where[0])
        key = self.name(where[1]) + ".json" if len(where) > 1 else ""
        return bucket, key, f"{bucket}/{key}" if key else bucket

    def _no(self, status: int, code: str, detail: str) -> tuple[int, dict[str, str], bytes]:
        text = f"<Error><Code>{code}</Code><Message>{code} it is</Message>{detail}"
        return status, {}, f"{text}<RequestId>{self.hex(16)}</RequestId></Error>".encode()

    def _found(self, bucket: str, key: str) -> tuple[int, dict[str, str], bytes] | dict[str, Any]:
        if bucket not in self.buckets:
            return self._no(404, "NoSuchBucket", f"<BucketName>{bucket}</BucketName>")
        if key not in self.buckets[bucket]:
            return self._no(404, "NoSuchKey", f"<Key>{key}</Key>")
        return self.buckets[bucket][key]

    def create(self, step: Step) -> Exchange:
        bucket, _, path = self._path(step.where)
        if bucket in self.buckets:
            return self._send("PUT", path, answer=self._no(409, "BucketAlreadyOwnedByYou", ""))
        self.buckets[bucket] = {}
        return self._send("PUT", path, answer=(200, {"location": f"/{bucket}"}, b""))

    def drop(self, step: Step) -> Exchange:
        bucket, _, path = self._path(step.where)
        if bucket not in self.buckets:
            return self._send("DELETE", path, answer=self._no(404, "NoSuchBucket", ""))
        if self.buckets[bucket]:
            return self._send("DELETE", path, answer=self._no(409, "BucketNotEmpty", ""))
        del self.buckets[bucket]
        return self._send("DELETE", path, answer=(204, {}, b""))

    def put(self, step: Step, *, new: bool = False) -> Exchange:
        bucket, key, path = self._path(step.where)
        body = self.text(step).encode()
        headers = {"x-amz-meta-kind": "sample"} | ({"if-none-match": "*"} if new else {})
        if bucket not in self.buckets:
            return self._send("PUT", path, body, headers=headers, answer=self._no(404, "NoSuchBucket", ""))
        if new and key in self.buckets[bucket]:
            return self._send(
                "PUT", path, body, headers=headers, answer=self._no(412, "PreconditionFailed", "")
            )
        etag = self._store(step.where, bucket, key, body)
        return self._send("PUT", path, body, headers=headers, answer=(200, {"etag": etag}, b""))

    def put_new(self, step: Step) -> Exchange:
        return self.put(step, new=True)

    def _store(self, where: Place, bucket: str, key: str, body: bytes) -> str:
        etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
        self.buckets[bucket][key] = {"body": body, "etag": etag, "date": self.http_date(), "tag": ""}
        self.seen[where, "etag"] = etag
        return etag

    def get(self, step: Step, method: str = "GET", headers: dict[str, str] | None = None) -> Exchange:
        bucket, key, path = self._path(step.where)
        match self._found(bucket, key):
            case dict() as there if headers and there["etag"] != headers["if-match"]:
                answer = self._no(412, "PreconditionFailed", "")
            case dict() as there:
                answer = (200, {"etag": there["etag"], "last-modified": there["date"]}, there["body"])
            case refusal:
                answer = refusal
        return self._send(method, path, headers=headers, answer=answer)

    def head(self, step: Step) -> Exchange:
        return self.get(step, "HEAD")

    def get_if(self, step: Step) -> Exchange:
        return self.get(step, headers={"if-match": self.seen.get((step.where, "etag"), '"none"')})

    def delete(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        if bucket not in self.buckets:
            return self._send("DELETE", path, answer=self._no(404, "NoSuchBucket", ""))
        self.buckets[bucket].pop(key, None)
        return self._send("DELETE", path, answer=(204, {}, b""))

    def list(self, step: Step) -> Exchange:
        bucket, _, path = self._path(step.where)
        url = f"{path}?list-type=2&max-keys=1000"
        if bucket not in self.buckets:
            return self._send("GET", url, answer=self._no(404, "NoSuchBucket", ""))
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{self.iso_date()}</LastModified>"
            f"<ETag>{there['etag']}</ETag><Size>{len(there['body'])}</Size></Contents>"
            for key, there in sorted(self.buckets[bucket].items())
        )
        count = len(self.buckets[bucket])
        text = (
            f"<ListBucketResult><Name>{bucket}</Name><KeyCount>{count}</KeyCount>{entries}</ListBucketResult>"
        )
        return self._send("GET", url, answer=(200, {}, text.encode()))

    def copy(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        origin, source, source_path = self._path(step.other)
        headers = {"x-amz-copy-source": quote("/" + source_path)}
        there = self._found(origin, source)
        if not isinstance(there, dict):
            return self._send("PUT", path, headers=headers, answer=there)
        if bucket not in self.buckets:
            return self._send("PUT", path, headers=headers, answer=self._no(404, "NoSuchBucket", ""))
        etag = self._store(step.where, bucket, key, there["body"])
        text = f"<CopyObjectResult><ETag>{etag}</ETag><LastModified>{self.iso_date()}</LastModified>"
        answer = (200, {}, (text + "</CopyObjectResult>").encode())
        return self._send("PUT", path, headers=headers, answer=answer)

    def tag(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        entry = f"<Tag><Key>stage</Key><Value>{escape(self.text(step))}</Value></Tag>"
        body = f"<Tagging><TagSet>{entry}</TagSet></Tagging>".encode()
        there = self._found(bucket, key)
        if not isinstance(there, dict):
            return self._send("PUT", path + "?tagging", body, answer=there)
        there["tag"] = entry
        return self._send("PUT", path + "?tagging", body, answer=(200, {}, b""))

    def tags(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        there = self._found(bucket, key)
        if isinstance(there, dict):
            there = (200, {}, f"<Tagging><TagSet>{there['tag']}</TagSet></Tagging>".encode())
        return self._send("GET", path + "?tagging", answer=there)

    def start(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        if bucket not in self.buckets:
            return self._send("POST", path + "?uploads", answer=self._no(404, "NoSuchBucket", ""))
        upload = base64.b64encode(self.random.randbytes(24)).decode().translate({43: "-", 47: "_"})
        self.seen[step.where, "upload"] = upload
        self.uploads[upload] = {}
        text = f"<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{key}</Key>"
        text += f"<UploadId>{upload}</UploadId></InitiateMultipartUploadResult>"
        return self._send("POST", path + "?uploads", answer=(200, {}, text.encode()))

    def part(self, step: Step) -> Exchange:
        _, _, path = self._path(step.where)
        number, _, value = self.text(step).partition(" ")
        upload = self.seen.get((step.where, "upload"), "gone")
        url = f"{path}?partNumber={number}&uploadId={upload}"
        if upload not in self.uploads:
            return self._send("PUT", url, value.encode(), answer=self._no(404, "NoSuchUpload", ""))
        self.uploads[upload][number] = value
        etag = f'"{hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()}"'
        return self._send("PUT", url, value.encode(), answer=(200, {"etag": etag}, b""))

    def finish(self, step: Step) -> Exchange:
        bucket, key, path = self._path(step.where)
        upload = self.seen.get((step.where, "upload"), "gone")
        parts = self.uploads.pop(upload, None)
        held = parts or {}
        listed = "".join(f"<Part><PartNumber>{number}</PartNumber></Part>" for number in sorted(held))
        body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
        url = f"{path}?uploadId={upload}"
        if parts is None or bucket not in self.buckets:
            return self._send("POST", url, body, answer=self._no(404, "NoSuchUpload", ""))
        etag = self._store(step.where, bucket, key, "".join(held[number] for number in sorted(held)).encode())
        text = f"<CompleteMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{key}</Key><ETag>{etag}</ETag>"
        return self._send(
            "POST", url, body, answer=(200, {}, (text + "</CompleteMultipartUploadResult>").encode())
        )


class DynamoDB(Server):
    service = "dynamodb"
    wide = frozenset({"query", "scan", "describe", "drop"})

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.tables: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}

    @staticmethod
    def plan(random: Random) -> Iterable[Step]:
        plan = Plan(random, roots=("orders", "users"), leaves=5, partitions=2)
        yield from plan.each_root("create")
        yield from plan.each_root("describe")
        body = ["put", "put", "put_new", "get", "get", "update", "add", "delete", "query", "scan"]
        yield from plan.body([*body, "batch", "transact"])
        yield from plan.each_root("scan")
        if random.random() < 0.5:
            yield from plan.each_root("drop")

    def _send(self, operation: str, request: dict[str, Any], status: int, answer: dict[str, Any]) -> Exchange:
        signature = "AWS4-HMAC-SHA256 Credential=K/20240101/eu/dynamodb/aws4_request, Signature=" + self.hex(
            64
        )
        return Exchange(
            method="POST",
            url="http://127.0.0.1:8000/",
            headers={
                "authorization": signature,
                "x-amz-target": f"DynamoDB_20120810.{operation}",
                "content-type": "application/x-amz-json-1.0",
            },
            body=json.dumps(request).encode(),
            status=status,
            response_headers={"x-amzn-requestid": self.uuid(), "content-type": "application/x-amz-json-1.0"},
            response_body=json.dumps(answer).encode(),
        )

    def _no(self, operation: str, request: dict[str, Any], code: str) -> Exchange:
        return self._send(
            operation, request, 400, {"__type": f"com.amazonaws#{code}", "message": f"{code} it is"}
        )

    def _key(self, where: Place) -> dict[str, Any]:
        return {"pk": {"S": self.name(where[1])}, "sk": {"S": self.name(where[2])}}

    def _table(self, where: Place) -> dict[tuple[str, str], dict[str, Any]] | None:
        return self.tables.get(self.name(where[0]))

    @staticmethod
    def _spot(key: dict[str, Any]) -> tuple[str, str]:
        return key["pk"]["S"], key["sk"]["S"]

    def create(self, step: Step) -> Exchange:
        name = self.name(step.where[0])
        schema = [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ]
        request = {"TableName": name, "KeySchema": schema, "BillingMode": "PAY_PER_REQUEST"}
        if name in self.tables:
            return self._no("CreateTable", request, "ResourceInUseException")
        self.tables[name] = {}
        self.seen[step.where, "id"] = self.uuid()
        return self._send(
            "CreateTable", request, 200, {"TableDescription": self._described(step.where, name)}
        )

    def _described(self, where: Place, name: str) -> dict[str, Any]:
        return {
            "TableName": name,
            "TableStatus": "ACTIVE",
            "TableId": self.seen[where, "id"],
            "CreationDateTime": round(self.now, 3),
            "ItemCount": len(self.tables.get(name, ())),
            "TableArn": f"arn:aws:dynamodb:eu:000000000000:table/{name}",
        }

    def describe(self, step: Step) -> Exchange:
        name = self.name(step.where[0])
        if name not in self.tables:
            return self._no("DescribeTable", {"TableName": name}, "ResourceNotFoundException")
        return self._send(
            "DescribeTable", {"TableName": name}, 200, {"Table": self._described(step.where, name)}
        )

    def drop(self, step: Step) -> Exchange:
        name = self.name(step.where[0])
        if self.tables.pop(name, None) is None:
            return self._no("DeleteTable", {"TableName": name}, "ResourceNotFoundException")
        described = self._described(step.where, name)
        return self._send("DeleteTable", {"TableName": name}, 200, {"TableDescription": described})

    def put(self, step: Step, *, new: bool = False) -> Exchange:
        key, table = self._key(step.where), self._table(step.where)
        item = {**key, "note": {"S": self.text(step)}, "hits": {"N": "1"}}
        request: dict[str, Any] = {"TableName": self.name(step.where[0]), "Item": item}
        if new:
            request["ConditionExpression"] = "attribute_not_exists(pk)"
        if table is None:
            return self._no("PutItem", request, "ResourceNotFoundException")
        if new and self._spot(key) in table:
            return self._no("PutItem", request, "ConditionalCheckFailedException")
        table[self._spot(key)] = item
        return self._send("PutItem", request, 200, {})

    def put_new(self, step: Step) -> Exchange:
        return self.put(step, new=True)

    def get(self, step: Step) -> Exchange:
        key, table = self._key(step.where), self._table(step.where)
        request = {"TableName": self.name(step.where[0]), "Key": key, "ConsistentRead": True}
        if table is None:
            return self._no("GetItem", request, "ResourceNotFoundException")
        there = table.get(self._spot(key))
        return self._send("GetItem", request, 200, {"Item": there} if there else {})

    def update(self, step: Step, *, add: bool = False) -> Exchange:
        key, table = self._key(step.where), self._table(step.where)
        request: dict[str, Any] = {
            "TableName": self.name(step.where[0]),
            "Key": key,
            "ReturnValues": "ALL_NEW",
            "UpdateExpression": "ADD hits :v" if add else "SET note = :v",
            "ExpressionAttributeValues": {":v": {"N": "2"} if add else {"S": self.text(step)}},
        }
        if table is None:
            return self._no("UpdateItem", request, "ResourceNotFoundException")
        item = dict(table.get(self._spot(key), key))
        if add:
            item["hits"] = {"N": str(int(item.get("hits", {"N": "0"})["N"]) + 2)}
        else:
            item["note"] = {"S": self.text(step)}
        table[self._spot(key)] = item
        return self._send("UpdateItem", request, 200, {"Attributes": item})

    def add(self, step: Step) -> Exchange:
        return self.update(step, add=True)

    def delete(self, step: Step) -> Exchange:
        key, table = self._key(step.where), self._table(step.where)
        request = {"TableName": self.name(step.where[0]), "Key": key}
        if table is None:
            return self._no("DeleteItem", request, "ResourceNotFoundException")
        table.pop(self._spot(key), None)
        return self._send("DeleteItem", request, 200, {})

    def query(self, step: Step) -> Exchange:
        table, partition = self._table(step.where), self.name(step.where[1])
        request = {
            "TableName": self.name(step.where[0]),
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": partition}},
        }
        if table is None:
            return self._no("Query", request, "ResourceNotFoundException")
        items = [table[spot] for spot in sorted(table) if spot[0] == partition]
        return self._send(
            "Query", request, 200, {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        )

    def scan(self, step: Step) -> Exchange:
        table = self._table(step.where)
        request = {"TableName": self.name(step.where[0])}
        if table is None:
            return self._no("Scan", request, "ResourceNotFoundException")
        spots = sorted(table, key=lambda spot: (hashlib.sha1(spot[0].encode()).digest(), spot[1]))
        items = [table[spot] for spot in spots]
        return self._send(
            "Scan", request, 200, {"Items": items, "Count": len(items), "ScannedCount": len(items)}
        )

    def batch(self, step: Step) -> Exchange:
        name, table = self.name(step.where[0]), self._table(step.where)
        kept = {**self._key(step.where), "note": {"S": self.text(step)}}
        writes = [{"PutRequest": {"Item": kept}}, {"DeleteRequest": {"Key": self._key(step.other)}}]
        request = {"RequestItems": {name: writes}}
        if table is None:
            return self._no("BatchWriteItem", request, "ResourceNotFoundException")
        table[self._spot(kept)] = kept
        table.pop(self._spot(self._key(step.other)), None)
        return self._send("BatchWriteItem", request, 200, {"UnprocessedItems": {}})

    def transact(self, step: Step) -> Exchange:
        name, table = self.name(step.where[0]), self._table(step.where)
        kept = {**self._key(step.where), "note": {"S": self.text(step)}}
        check = {
            "TableName": name,
            "Key": self._key(step.other),
            "ConditionExpression": "attribute_exists(pk)",
        }
        request = {"TransactItems": [{"Put": {"TableName": name, "Item": kept}}, {"ConditionCheck": check}]}
        if table is None:
            return self._no("TransactWriteItems", request, "ResourceNotFoundException")
        if self._spot(self._key(step.other)) not in table:
            return self._no("TransactWriteItems", request, "TransactionCanceledException")
        table[self._spot(kept)] = kept
        return self._send("TransactWriteItems", request, 200, {})
