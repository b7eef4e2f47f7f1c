"""Delete what replays created on a reference, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import quote, urlencode

from defusedxml import ElementTree

from likewise.cloud.replay.request import Endpoint, Request
from likewise.cloud.replay.sending import Answer
from likewise.model import LikewiseError, Operation, TargetUnavailable

Send = Callable[[Request, Operation], Answer]
"""Signs, counts and sends."""

KINDS = {"s3": "bucket", "dynamodb": "table", "blob": "container", "queue": "queue", "table": "table"}
IN_REGION = "in region"
PAUSE = 2.0
PATIENCE = 30
"""How often a table that is still being made is asked for before it is given up."""


class CreatedLog(Protocol):
    """Remembers what was created until it is seen to be gone; a ledger is one."""

    def remember_created(self, run: str, target: str, resource: str, hint: str = "") -> None:
        """Note what is about to be created; on the disk when it returns."""
        ...

    def forget_created(self, target: str, resource: str) -> None:
        """Note that something is no longer there."""
        ...


@dataclass(frozen=True, slots=True)
class Created:
    """A top-level resource on a reference."""

    service: str
    name: str
    region: str = ""
    """Where it is, if that is not the suite's own region."""

    def __str__(self) -> str:
        where = f" {IN_REGION} {self.region}" if self.region else ""
        return f"{self.service} {KINDS[self.service]} {self.name}{where}"


def read_created(text: str) -> Created | None:
    """What a text says of a resource, if it says what one does."""
    service, _, rest = text.partition(" ")
    name, _, region = rest.partition(" ")[2].partition(f" {IN_REGION} ")
    return Created(service, name, region) if service in KINDS and name else None


def command(created: Created, endpoint: Endpoint, *, real: bool) -> str:
    """The command with which a person deletes a resource."""
    at = "" if real else f" --endpoint-url {endpoint.scheme}://{endpoint.host}"
    if created.region:
        at += f" --region {created.region}"
    name = created.name
    match created.service:
        case "s3":
            return f"aws s3 rb s3://{name} --force{at}"
        case "dynamodb":
            return f"aws dynamodb delete-table --table-name {name}{at}"
        case kind:
            where = "" if real else f" --{kind}-endpoint {endpoint.url}"
            return f"az storage {KINDS[kind]} delete --name {name}{where}"


def delete(created: Created, endpoint: Endpoint, send: Send) -> str:
    """Delete a resource with all that is in it; why it is still there, or nothing."""
    try:
        answer = _DELETERS[created.service](
            created.name,
            endpoint,
            lambda request, operation: send(replace(request, region=created.region), operation),
        )
    except LikewiseError as error:
        return error.what
    if answer.status < 300 or answer.status == 404 or b"ResourceNotFound" in answer.body:
        return ""
    return f"{answer.status} {answer.headers.get('x-ms-error-code', '')}".strip()


def _ask(
    service: str, operation: str, send: Send, endpoint: Endpoint, method: str, path: str, **rest: object
) -> Answer:
    headers, query, body = rest.get("headers", {}), rest.get("query", ""), rest.get("body", b"")
    assert isinstance(headers, dict)
    assert isinstance(query, str)
    assert isinstance(body, bytes)
    request = Request(
        service=service,
        method=method,
        endpoint=endpoint,
        path=endpoint.prefix + path,
        query=query,
        headers=headers,
        body=body,
    )
    return send(request, Operation(service, operation))


def _delete_bucket(name: str, endpoint: Endpoint, send: Send) -> Answer:
    where = "/" + quote(name)
    answer = _ask("s3", "DeleteBucket", send, endpoint, "DELETE", where)
    if answer.status != 409:
        return answer
    listed = _ask("s3", "ListMultipartUploads", send, endpoint, "GET", where, query="uploads=")
    for key, upload in _rows(listed.body, ("Upload",), "Key", "UploadId"):
        query = urlencode({"uploadId": upload}, quote_via=quote)
        _ask("s3", "AbortMultipartUpload", send, endpoint, "DELETE", f"{where}/{quote(key)}", query=query)
    before: list[tuple[str, str]] = []
    while True:
        listed = _ask("s3", "ListObjectVersions", send, endpoint, "GET", where, query="versions=")
        found = list(_rows(listed.body, ("Version", "DeleteMarker"), "Key", "VersionId"))
        if not found or found == before:  # what refuses to go would be listed for ever
            break
        before = found
        for key, version in found:
            query = urlencode({"versionId": version}, quote_via=quote) if version else ""
            _ask(
                "s3",
                "DeleteObject",
                send,
                endpoint,
                "DELETE",
                f"{where}/{quote(key)}",
                query=query,
                headers={"x-amz-bypass-governance-retention": "true"} if version else {},
            )
    return _ask("s3", "DeleteBucket", send, endpoint, "DELETE", where)


def _rows(xml: bytes, items: tuple[str, ...], *names: str) -> Iterator[tuple[str, str]]:
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise TargetUnavailable("the bucket cannot be listed", why=str(error)) from error
    for element in root.iter():
        if element.tag.rpartition("}")[2] in items:
            found = {child.tag.rpartition("}")[2]: child.text or "" for child in element}
            yield found.get(names[0], ""), found.get(names[1], "")


def _delete_dynamodb(name: str, endpoint: Endpoint, send: Send) -> Answer:
    headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810.DeleteTable"}
    body = f'{{"TableName":"{name}"}}'.encode()
    for _ in range(PATIENCE):
        answer = _ask("dynamodb", "DeleteTable", send, endpoint, "POST", "/", headers=headers, body=body)
        if b"ResourceInUse" not in answer.body:
            break
        time.sleep(PAUSE)
    return answer


def _delete_container(name: str, endpoint: Endpoint, send: Send) -> Answer:
    where, query = "/" + quote(name), "restype=container"
    answer = _ask("blob", "Container_Delete", send, endpoint, "DELETE", where, query=query)
    if answer.status != 412:
        return answer
    lease = {"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}
    query_lease = "comp=lease&restype=container"
    _ask("blob", "Container_BreakLease", send, endpoint, "PUT", where, query=query_lease, headers=lease)
    return _ask("blob", "Container_Delete", send, endpoint, "DELETE", where, query=query)


def _delete_queue(name: str, endpoint: Endpoint, send: Send) -> Answer:
    return _ask("queue", "Queue_Delete", send, endpoint, "DELETE", "/" + quote(name))


def _delete_table(name: str, endpoint: Endpoint, send: Send) -> Answer:
    headers = {"accept": "application/json;odata=nometadata", "dataserviceversion": "3.0"}
    return _ask("table", "Table_Delete", send, endpoint, "DELETE", f"/Tables('{name}')", headers=headers)


_DELETERS = {
    "s3": _delete_bucket,
    "dynamodb": _delete_dynamodb,
    "blob": _delete_container,
    "queue": _delete_queue,
    "table": _delete_table,
}
