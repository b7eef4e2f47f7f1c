"""Removing what a campaign made on a server that is not its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call

Ask = Callable[[str, Mapping[str, Any]], Answer]
"""Executes one operation of the service at hand."""

GONE = ("NoSuch", "NotFound")


def made(call: Call) -> Iterator[str]:
    """The names of the top-level things that a call makes if it succeeds."""
    params = call.params
    match call.service, call.operation:
        case "s3", "CreateBucket":
            yield str(params.get("Bucket", ""))
        case "dynamodb", "CreateTable" | "CreateGlobalTable":
            yield str(params.get("TableName") or params.get("GlobalTableName", ""))
        case "dynamodb", "RestoreTableFromBackup" | "RestoreTableToPointInTime":
            yield str(params.get("TargetTableName", ""))
        case "dynamodb", "ImportTable":
            yield str(params.get("TableCreationParameters", {}).get("TableName", ""))
        case "blob", "Container_Create" | "Container_Rename" | "Container_Restore":
            yield str(params.get("container", ""))
        case "queue", "Queue_Create":
            yield str(params.get("queue", ""))
        case "table", "Table_Create":
            body = params.get("body")
            if isinstance(body, Mapping) and isinstance(body.get("json"), Mapping):
                yield str(body["json"].get("TableName", ""))


def remove(service: str, name: str, ask: Ask) -> str:
    """Delete one thing with all that is in it; why it is still there, or nothing."""
    answer = _REMOVERS[service](name, ask)
    if answer.success or answer.status == 404 or any(word in answer.code for word in GONE):
        return ""
    return answer.summary()


def _bucket(name: str, ask: Ask) -> Answer:
    answer = ask("DeleteBucket", {"Bucket": name})
    if answer.success or answer.status not in (403, 409):
        return answer
    # A policy may forbid even its owner to look into a bucket or to empty it, but not to remove the policy.
    listed = ask("ListObjectVersions", {"Bucket": name})
    if 403 in (answer.status, listed.status) or not _empty(name, listed, ask):
        ask("DeleteBucketPolicy", {"Bucket": name})
        _empty(name, ask("ListObjectVersions", {"Bucket": name}), ask)
    listed = ask("ListMultipartUploads", {"Bucket": name})
    for each in listed.fields.get("Uploads", ()):
        ask("AbortMultipartUpload", {"Bucket": name, "Key": each["Key"], "UploadId": each["UploadId"]})
    return ask("DeleteBucket", {"Bucket": name})


def _empty(name: str, listed: Answer, ask: Ask) -> bool:
    """Delete every version that was listed; whether that is allowed."""
    for each in [*listed.fields.get("Versions", ()), *listed.fields.get("DeleteMarkers", ())]:
        version = {"VersionId": each["VersionId"]} if each.get("VersionId") else {}
        answer = ask("DeleteObject", {"Bucket": name, "Key": each["Key"], **version})
        if not answer.success:
            governed = {"BypassGovernanceRetention": True}
            answer = ask("DeleteObject", {"Bucket": name, "Key": each["Key"], **version, **governed})
        if answer.status == 403:
            return False
    return True


def _container(name: str, ask: Ask) -> Answer:
    answer = ask("Container_Delete", {"container": name})
    if answer.status != 412:
        return answer
    ask("Container_BreakLease", {"container": name, "break_period": 0})
    return ask("Container_Delete", {"container": name})


_REMOVERS: dict[str, Callable[[str, Ask], Answer]] = {
    "s3": _bucket,
    "dynamodb": lambda name, ask: ask("DeleteTable", {"TableName": name}),
    "blob": _container,
    "queue": lambda name, ask: ask("Queue_Delete", {"queue": name}),
    "table": lambda name, ask: ask("Table_Delete", {"table": name}),
}
