"""Azure Blob, Queue and Table Storage, small and faithful."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any, ClassVar
from urllib.parse import quote
from xml.sax.saxutils import escape

from likewise.cloud.exchange import Exchange
from traffic_scripts import Place, Plan, Server, Step

Reply = tuple[int, dict[str, str], bytes]
ACCOUNT = "devstoreaccount1"


class Azure(Server):
    port: ClassVar[int]

    def _send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        headers: dict[str, str] | None = None,
        answer: Reply,
    ) -> Exchange:
        status, answered, content = answer
        return Exchange(
            method=method,
            url=f"http://127.0.0.1:{self.port}/{ACCOUNT}/{path}",
            headers={
                "authorization": f"SharedKey {ACCOUNT}:{self.hex(43)}=",
                "x-ms-date": self.http_date(),
                "x-ms-version": "2021-08-06",
                "x-ms-client-request-id": self.uuid(),
                **(headers or {}),
            },
            body=body,
            status=status,
            response_headers={
                "x-ms-request-id": self.uuid(),
                "date": self.http_date(),
                "content-length": str(len(content)),
                **answered,
            },
            response_body=b"" if method == "HEAD" else content,
            service_hint=self.service,
        )

    def _no(self, status: int, code: str) -> Reply:
        stamp = f"RequestId:{self.uuid()}\nTime:{self.iso_date()}"
        text = f"<Error><Code>{code}</Code><Message>{code} it is.\n{stamp}</Message></Error>"
        return status, {"x-ms-error-code": code, "content-type": "application/xml"}, text.encode()


class Blob(Azure):
    service = "blob"
    port = 10000
    wide = frozenset({"list", "drop"})

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.containers: dict[str, dict[str, dict[str, Any]]] = {}
        self.blocks: dict[tuple[str, str], dict[str, bytes]] = {}

    @staticmethod
    def plan(random: Random) -> Iterable[Step]:
        plan = Plan(random, roots=("images", "archive"), leaves=5)
        yield from plan.each_root("create")
        several = {"blocks": ("stage", "stage", "commit"), "leased": ("lease", "put_leased", "release")}
        body = ["put", "put", "put_new", "get", "head", "put_if", "delete", "list", "meta", "copy"]
        yield from plan.body([*body, *several], extra=several)
        yield from plan.each_root("list")
        if random.random() < 0.5:
            yield from plan.each_root("drop")

    def subject(self, step: Step) -> Place:
        if step.verb == "stage":
            return (*step.where, "blocks", step.value[:1])
        looks = ("get", "head", "meta", "lease", "release")
        return (*step.where, "content") if step.verb in looks else step.where

    def _etag(self) -> str:
        return f'"0x{self.hex(15).upper()}"'

    def _path(self, where: Place) -> tuple[str, str, str]:
        container = self.name(where[0])
        blob = self.name(where[1]) + ".bin" if len(where) > 1 else ""
        return container, blob, f"{container}/{blob}" if blob else f"{container}?restype=container"

    def _found(self, container: str, blob: str) -> Reply | dict[str, Any]:
        if container not in self.containers:
            return self._no(404, "ContainerNotFound")
        return self.containers[container].get(blob) or self._no(404, "BlobNotFound")

    def _dated(self, there: dict[str, Any]) -> dict[str, str]:
        return {"etag": there["etag"], "last-modified": there["date"]}

    def create(self, step: Step) -> Exchange:
        container, _, path = self._path(step.where)
        if container in self.containers:
            return self._send("PUT", path, answer=self._no(409, "ContainerAlreadyExists"))
        self.containers[container] = {}
        answer = (201, {"etag": self._etag(), "last-modified": self.http_date()}, b"")
        return self._send("PUT", path, answer=answer)

    def drop(self, step: Step) -> Exchange:
        container, _, path = self._path(step.where)
        if self.containers.pop(container, None) is None:
            return self._send("DELETE", path, answer=self._no(404, "ContainerNotFound"))
        return self._send("DELETE", path, answer=(202, {}, b""))

    def put(self, step: Step, extra: dict[str, str] | None = None) -> Exchange:
        container, blob, path = self._path(step.where)
        body = self.text(step).encode()
        headers = {"x-ms-blob-type": "BlockBlob", "content-type": "application/octet-stream", **(extra or {})}
        there = self._found(container, blob)
        lease = there.get("lease", "") if isinstance(there, dict) else ""
        if container not in self.containers:
            answer = self._no(404, "ContainerNotFound")
        elif lease and headers.get("x-ms-lease-id") != lease:
            answer = self._no(412, "LeaseIdMissing")
        elif not lease and "x-ms-lease-id" in headers:
            answer = self._no(412, "LeaseNotPresentWithBlobOperation")
        elif "if-none-match" in headers and isinstance(there, dict):
            answer = self._no(409, "BlobAlreadyExists")
        elif "if-match" in headers and (not isinstance(there, dict) or there["etag"] != headers["if-match"]):
            answer = self._no(412, "ConditionNotMet")
        else:
            answer = (201, self._dated(self._store(step.where, body, lease)), b"")
        return self._send("PUT", path, body, headers=headers, answer=answer)

    def _store(self, where: Place, body: bytes, lease: str = "") -> dict[str, Any]:
        container, blob, _ = self._path(where)
        there = {"body": body, "etag": self._etag(), "date": self.http_date(), "lease": lease, "meta": {}}
        self.containers[container][blob] = there
        self.seen[where, "etag"] = there["etag"]
        return there

    def put_new(self, step: Step) -> Exchange:
        return self.put(step, {"if-none-match": "*"})

    def put_if(self, step: Step) -> Exchange:
        return self.put(step, {"if-match": self.seen.get((step.where, "etag"), '"none"')})

    def put_leased(self, step: Step) -> Exchange:
        lease = self.seen.get((step.where, "lease"))
        return self.put(step, {"x-ms-lease-id": lease} if lease else None)

    def get(self, step: Step, method: str = "GET") -> Exchange:
        container, blob, path = self._path(step.where)
        there = self._found(container, blob)
        if isinstance(there, dict):
            state = "leased" if there["lease"] else "available"
            headers = {**self._dated(there), **there["meta"], "x-ms-lease-state": state}
            there = (200, {**headers, "content-type": "application/octet-stream"}, there["body"])
        return self._send(method, path, answer=there)

    def head(self, step: Step) -> Exchange:
        return self.get(step, "HEAD")

    def delete(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        there = self._found(container, blob)
        if isinstance(there, dict):
            if there["lease"]:
                there = self._no(412, "LeaseIdMissing")
            else:
                del self.containers[container][blob]
                there = (202, {}, b"")
        return self._send("DELETE", path, answer=there)

    def meta(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        there = self._found(container, blob)
        headers = {"x-ms-meta-note": self.text(step)}
        if isinstance(there, dict):
            if there["lease"]:
                there = self._no(412, "LeaseIdMissing")
            else:
                there |= {"meta": headers, "etag": self._etag(), "date": self.http_date()}
                self.seen[step.where, "etag"] = there["etag"]
                there = (200, self._dated(there), b"")
        return self._send("PUT", path + "?comp=metadata", headers=headers, answer=there)

    def stage(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        number, _, value = self.text(step).partition(" ")
        url = f"{path}?comp=block&blockid=YmxvY2s{number}"
        if container not in self.containers:
            return self._send("PUT", url, value.encode(), answer=self._no(404, "ContainerNotFound"))
        self.blocks.setdefault((container, blob), {})[number] = value.encode()
        return self._send("PUT", url, value.encode(), answer=(201, {}, b""))

    def commit(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        numbers = ("0", "1")
        listed = "".join(f"<Latest>YmxvY2s{number}</Latest>" for number in numbers)
        body = f"<BlockList>{listed}</BlockList>".encode()
        url = path + "?comp=blocklist"
        blocks = self.blocks.get((container, blob), {})
        there = self._found(container, blob)
        if container not in self.containers:
            return self._send("PUT", url, body, answer=self._no(404, "ContainerNotFound"))
        if isinstance(there, dict) and there["lease"]:
            return self._send("PUT", url, body, answer=self._no(412, "LeaseIdMissing"))
        if not all(number in blocks for number in numbers):
            return self._send("PUT", url, body, answer=self._no(400, "InvalidBlockList"))
        self.blocks.pop((container, blob))
        stored = self._store(step.where, b"".join(blocks[number] for number in numbers))
        return self._send("PUT", url, body, answer=(201, self._dated(stored), b""))

    def copy(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        source_container, source, source_path = self._path(step.other)
        headers = {
            "x-ms-copy-source": f"http://127.0.0.1:{self.port}/{ACCOUNT}/{quote(source_path)}",
            "x-ms-requires-sync": "true",
        }
        there = self._found(source_container, source)
        target = self._found(container, blob)
        if not isinstance(there, dict):
            return self._send("PUT", path, headers=headers, answer=there)
        if isinstance(target, dict) and target["lease"]:
            return self._send("PUT", path, headers=headers, answer=self._no(412, "LeaseIdMissing"))
        stored = self._store(step.where, there["body"])
        answered = {**self._dated(stored), "x-ms-copy-id": self.uuid(), "x-ms-copy-status": "success"}
        return self._send("PUT", path, headers=headers, answer=(202, answered, b""))

    def lease(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        there = self._found(container, blob)
        headers = {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "60"}
        if isinstance(there, dict):
            if there["lease"]:
                there = self._no(409, "LeaseAlreadyPresent")
            else:
                there["lease"] = self.seen[step.where, "lease"] = self.uuid()
                there = (201, {**self._dated(there), "x-ms-lease-id": there["lease"]}, b"")
        return self._send("PUT", path + "?comp=lease", headers=headers, answer=there)

    def release(self, step: Step) -> Exchange:
        container, blob, path = self._path(step.where)
        there = self._found(container, blob)
        lease = self.seen.get((step.where, "lease"), "00000000-0000-0000-0000-000000000000")
        headers = {"x-ms-lease-action": "release", "x-ms-lease-id": lease}
        if isinstance(there, dict):
            if there["lease"] != lease:
                there = self._no(409, "LeaseIdMismatchWithLeaseOperation")
            else:
                there["lease"] = ""
                there = (200, self._dated(there), b"")
        return self._send("PUT", path + "?comp=lease", headers=headers, answer=there)

    def list(self, step: Step) -> Exchange:
        container, _, path = self._path(step.where)
        if container not in self.containers:
            return self._send("GET", path + "&comp=list", answer=self._no(404, "ContainerNotFound"))
        entries = "".join(
            f"<Blob><Name>{escape(blob)}</Name><Properties><Etag>{there['etag'][1:-1]}</Etag>"
            f"<Content-Length>{len(there['body'])}</Content-Length></Properties></Blob>"
            for blob, there in sorted(self.containers[container].items())
        )
        text = f'<EnumerationResults ServiceEndpoint="http://127.0.0.1:{self.port}/{ACCOUNT}" '
        text += f'ContainerName="{container}"><Blobs>{entries}</Blobs><NextMarker/></EnumerationResults>'
        answer = (200, {"content-type": "application/xml"}, text.encode())
        return self._send("GET", path + "&comp=list", answer=answer)


class Queue(Azure):
    service = "queue"
    port = 10001
    wide = frozenset({"count", "drop"})

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.queues: dict[str, list[dict[str, str]]] = {}
        self.notes: dict[str, str] = {}

    @staticmethod
    def plan(random: Random) -> Iterable[Step]:
        plan = Plan(random, roots=("jobs", "events"), leaves=0)
        yield from plan.each_root("create")
        yield from plan.body(
            [
                "send",
                "send",
                "send",
                "receive",
                "receive",
                "peek",
                "change",
                "remove",
                "clear",
                "count",
                "meta",
            ]
        )
        yield from plan.each_root("count")
        if random.random() < 0.5:
            yield from plan.each_root("drop")

    def subject(self, step: Step) -> Place:
        return step.where if step.verb in self.wide | {"create"} else (*step.where, str(step.verb == "meta"))

    def create(self, step: Step) -> Exchange:
        queue = self.name(step.where[0])
        status = 204 if queue in self.queues else 201
        self.queues.setdefault(queue, [])
        return self._send("PUT", queue, answer=(status, {}, b""))

    def drop(self, step: Step) -> Exchange:
        queue = self.name(step.where[0])
        if self.queues.pop(queue, None) is None:
            return self._send("DELETE", queue, answer=self._no(404, "QueueNotFound"))
        return self._send("DELETE", queue, answer=(204, {}, b""))

    def _on(
        self, step: Step, method: str, rest: str, body: bytes = b""
    ) -> tuple[list[dict[str, str]] | None, Any]:
        queue = self.name(step.where[0])

        def send(answer: Reply) -> Exchange:
            return self._send(method, queue + rest, body, answer=answer)

        return self.queues.get(queue), send

    def send(self, step: Step) -> Exchange:
        text = self.text(step)
        body = f"<QueueMessage><MessageText>{escape(text)}</MessageText></QueueMessage>".encode()
        messages, send = self._on(step, "POST", "/messages", body)
        if messages is None:
            return send(self._no(404, "QueueNotFound"))
        message = {"id": self.uuid(), "text": text, "receipt": self._receipt(), "hidden": "", "count": "0"}
        messages.append(message)
        return send((201, {}, self._listed([message], content=False)))

    def _receipt(self) -> str:
        return f"{self.hex(24)}AAAA=="

    def _listed(
        self, messages: list[dict[str, str]], *, content: bool = True, receipts: bool = True
    ) -> bytes:
        entries = "".join(
            f"<QueueMessage><MessageId>{each['id']}</MessageId><InsertionTime>{self.http_date()}</InsertionTime>"
            + (f"<PopReceipt>{each['receipt']}</PopReceipt>" if receipts else "")
            + (
                f"<DequeueCount>{each['count']}</DequeueCount><MessageText>{escape(each['text'])}</MessageText>"
                if content
                else ""
            )
            + "</QueueMessage>"
            for each in messages
        )
        return f"<QueueMessagesList>{entries}</QueueMessagesList>".encode()

    def receive(self, step: Step) -> Exchange:
        messages, send = self._on(step, "GET", "/messages?numofmessages=1&visibilitytimeout=30")
        if messages is None:
            return send(self._no(404, "QueueNotFound"))
        taken = [each for each in messages if not each["hidden"]][:1]
        for each in taken:
            each |= {"hidden": "yes", "receipt": self._receipt(), "count": str(int(each["count"]) + 1)}
            self.seen[step.where, "id"], self.seen[step.where, "receipt"] = each["id"], each["receipt"]
        return send((200, {}, self._listed(taken)))

    def peek(self, step: Step) -> Exchange:
        messages, send = self._on(step, "GET", "/messages?peekonly=true&numofmessages=32")
        if messages is None:
            return send(self._no(404, "QueueNotFound"))
        return send(
            (200, {}, self._listed([each for each in messages if not each["hidden"]], receipts=False))
        )

    def _held(self, step: Step) -> tuple[str, str]:
        missing = "00000000-0000-0000-0000-000000000000"
        return self.seen.get((step.where, "id"), missing), self.seen.get((step.where, "receipt"), "none")

    def remove(self, step: Step) -> Exchange:
        held, receipt = self._held(step)
        messages, send = self._on(step, "DELETE", f"/messages/{held}?popreceipt={quote(receipt, safe='')}")
        match = [each for each in messages or () if (each["id"], each["receipt"]) == (held, receipt)]
        if messages is None or not match:
            return send(self._no(404, "MessageNotFound" if messages is not None else "QueueNotFound"))
        messages.remove(match[0])
        return send((204, {}, b""))

    def change(self, step: Step) -> Exchange:
        held, receipt = self._held(step)
        text = self.text(step)
        body = f"<QueueMessage><MessageText>{escape(text)}</MessageText></QueueMessage>".encode()
        rest = f"/messages/{held}?popreceipt={quote(receipt, safe='')}&visibilitytimeout=0"
        messages, send = self._on(step, "PUT", rest, body)
        match = [each for each in messages or () if (each["id"], each["receipt"]) == (held, receipt)]
        if messages is None or not match:
            return send(self._no(404, "MessageNotFound" if messages is not None else "QueueNotFound"))
        match[0] |= {"text": text, "hidden": "", "receipt": self._receipt()}
        self.seen[step.where, "receipt"] = match[0]["receipt"]
        return send((204, {"x-ms-popreceipt": match[0]["receipt"]}, b""))

    def clear(self, step: Step) -> Exchange:
        messages, send = self._on(step, "DELETE", "/messages")
        if messages is None:
            return send(self._no(404, "QueueNotFound"))
        messages.clear()
        return send((204, {}, b""))

    def meta(self, step: Step) -> Exchange:
        queue, note = self.name(step.where[0]), self.text(step)
        headers = {"x-ms-meta-note": note}
        if queue not in self.queues:
            answer = self._no(404, "QueueNotFound")
        else:
            self.notes[queue] = note
            answer = (204, {}, b"")
        return self._send("PUT", f"{queue}?comp=metadata", headers=headers, answer=answer)

    def count(self, step: Step) -> Exchange:
        messages, send = self._on(step, "GET", "?comp=metadata")
        if messages is None:
            return send(self._no(404, "QueueNotFound"))
        note = self.notes.get(self.name(step.where[0]))
        headers = {"x-ms-approximate-messages-count": str(len(messages))}
        return send((200, headers | ({"x-ms-meta-note": note} if note else {}), b""))


class Table(Azure):
    service = "table"
    port = 10002
    wide = frozenset({"query", "scan", "drop"})

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.tables: dict[str, dict[tuple[str, str], dict[str, str]]] = {}

    @staticmethod
    def plan(random: Random) -> Iterable[Step]:
        plan = Plan(random, roots=("Customers", "Devices"), leaves=5, partitions=2)
        yield from plan.each_root("create")
        body = ["insert", "upsert", "upsert", "merge", "get", "get", "replace_if", "delete", "query", "scan"]
        yield from plan.body([*body, "changeset"])
        yield from plan.each_root("scan")
        if random.random() < 0.5:
            yield from plan.each_root("drop")

    def fresh_name(self, logical: str) -> str:
        if logical[0].isupper():  # the name of a table: letters and digits only
            return f"{logical}{self.random.randrange(10**11, 10**12)}"
        return super().fresh_name(logical)

    def _etag(self) -> str:
        self.now += 0.0001
        return (
            "W/\"datetime'" + self.iso_date().replace(":", "%3A").replace(".000", f".{self.hex(7)}") + "'\""
        )

    def _address(self, where: Place) -> tuple[str, tuple[str, str], str]:
        table, spot = self.name(where[0]), (self.name(where[1]), self.name(where[2]))
        return table, spot, f"{table}(PartitionKey='{quote(spot[0])}',RowKey='{quote(spot[1])}')"

    def _json(self, status: int, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        return status, {**headers, "content-type": "application/json"}, json.dumps(body).encode()

    def _no(self, status: int, code: str) -> Reply:
        stamp = f"RequestId:{self.uuid()}\nTime:{self.iso_date()}"
        message = {"lang": "en-US", "value": f"{code} it is.\n{stamp}"}
        return self._json(status, {}, {"odata.error": {"code": code, "message": message}})

    def _write(
        self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str], answer: Reply
    ) -> Exchange:
        content = json.dumps(body).encode() if body is not None else b""
        sent = {
            "content-type": "application/json",
            "accept": "application/json;odata=minimalmetadata",
            **headers,
        }
        return self._send(method, path, content, headers=sent, answer=answer)

    def create(self, step: Step) -> Exchange:
        table = self.name(step.where[0])
        if table in self.tables:
            return self._write(
                "POST", "Tables", {"TableName": table}, {}, self._no(409, "TableAlreadyExists")
            )
        self.tables[table] = {}
        return self._write(
            "POST", "Tables", {"TableName": table}, {"prefer": "return-no-content"}, (204, {}, b"")
        )

    def drop(self, step: Step) -> Exchange:
        table = self.name(step.where[0])
        gone = self.tables.pop(table, None) is None
        return self._write(
            "DELETE",
            f"Tables('{table}')",
            None,
            {},
            self._no(404, "ResourceNotFound") if gone else (204, {}, b""),
        )

    def insert(self, step: Step) -> Exchange:
        table, spot, _ = self._address(step.where)
        body = {"PartitionKey": spot[0], "RowKey": spot[1], "Note": self.text(step)}
        if table not in self.tables:
            answer = self._no(404, "TableNotFound")
        elif spot in self.tables[table]:
            answer = self._no(409, "EntityAlreadyExists")
        else:
            answer = (204, {"etag": self._store(step.where, {"Note": self.text(step)})}, b"")
        return self._write("POST", table, body, {"prefer": "return-no-content"}, answer)

    def _store(self, where: Place, fields: dict[str, str]) -> str:
        table, spot, _ = self._address(where)
        etag = self._etag()
        self.tables[table][spot] = {**fields, "odata.etag": etag}
        self.seen[where, "etag"] = etag
        return etag

    def upsert(self, step: Step, method: str = "PUT", match: str = "") -> Exchange:
        table, spot, path = self._address(step.where)
        there = self.tables.get(table, {}).get(spot)
        fields = {"Extra" if method == "MERGE" else "Note": self.text(step)}
        if table not in self.tables:
            answer = self._no(404, "TableNotFound")
        elif match and there is None:
            answer = self._no(404, "ResourceNotFound")
        elif match and there and match not in ("*", there["odata.etag"]):
            answer = self._no(412, "UpdateConditionNotSatisfied")
        else:
            kept = {**(there or {}), **fields} if method == "MERGE" else fields
            answer = (204, {"etag": self._store(step.where, kept)}, b"")
        return self._write(method, path, fields, {"if-match": match} if match else {}, answer)

    def merge(self, step: Step) -> Exchange:
        return self.upsert(step, "MERGE")

    def replace_if(self, step: Step) -> Exchange:
        return self.upsert(step, match=self.seen.get((step.where, "etag"), "*"))

    def delete(self, step: Step) -> Exchange:
        table, spot, path = self._address(step.where)
        if self.tables.get(table, {}).pop(spot, None) is None:
            answer = self._no(404, "TableNotFound" if table not in self.tables else "ResourceNotFound")
        else:
            answer = (204, {}, b"")
        return self._write("DELETE", path, None, {"if-match": "*"}, answer)

    def _entity(self, spot: tuple[str, str], fields: dict[str, str]) -> dict[str, str]:
        return {"PartitionKey": spot[0], "RowKey": spot[1], **fields}

    def get(self, step: Step) -> Exchange:
        table, spot, path = self._address(step.where)
        there = self.tables.get(table, {}).get(spot)
        if there is None:
            return self._write("GET", path, None, {}, self._no(404, "ResourceNotFound"))
        answer = self._json(200, {"etag": there["odata.etag"]}, self._entity(spot, there))
        return self._write("GET", path, None, {}, answer)

    def scan(self, step: Step, text: str = "") -> Exchange:
        table = self.name(step.where[0])
        path = f"{table}()" + (f"?$filter={quote(text)}" if text else "")
        if table not in self.tables:
            return self._write("GET", path, None, {}, self._no(404, "TableNotFound"))
        entities = [
            self._entity(spot, fields)
            for spot, fields in sorted(self.tables[table].items())
            if not text or f"'{spot[0]}'" in text
        ]
        return self._write("GET", path, None, {}, self._json(200, {}, {"value": entities}))

    def query(self, step: Step) -> Exchange:
        return self.scan(step, f"PartitionKey eq '{self.name(step.where[1])}'")

    def changeset(self, step: Step) -> Exchange:
        """Two writes at once: a replacement and, in the same partition, another."""
        table, _, path = self._address(step.where)
        other = self._address(step.other)[2]
        fields = {"Note": self.text(step)}
        inner, statuses = [], []
        for address, where in ((path, step.where), (other, step.other)):
            url = f"http://127.0.0.1:{self.port}/{ACCOUNT}/{address}"
            inner.append(
                "--changeset\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                f"PUT {url} HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{json.dumps(fields)}\r\n"
            )
            if table in self.tables:
                statuses.append(f"HTTP/1.1 204 No Content\r\nETag: {self._store(where, fields)}\r\n\r\n")
        sent, returned = f"batch_{self.uuid()}", f"batchresponse_{self.uuid()}"
        body = _nested(sent, inner)
        headers = {"content-type": f"multipart/mixed; boundary={sent}"}
        if table not in self.tables:
            return self._send("POST", "$batch", body, headers=headers, answer=self._no(404, "TableNotFound"))
        head = "--changeset\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
        parts = [f"{head}{each}\r\n" for each in statuses]
        answered = {"content-type": f"multipart/mixed; boundary={returned}"}
        return self._send(
            "POST", "$batch", body, headers=headers, answer=(202, answered, _nested(returned, parts))
        )


def _nested(boundary: str, parts: list[str]) -> bytes:
    inner = "".join(parts) + "--changeset--\r\n"
    head = f"--{boundary}\r\nContent-Type: multipart/mixed; boundary=changeset\r\n\r\n"
    return f"{head}{inner}\r\n--{boundary}--\r\n".encode()
