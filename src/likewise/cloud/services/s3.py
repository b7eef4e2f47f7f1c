"""Amazon S3."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from likewise.cloud.bodies import Mask, Shape
from likewise.cloud.services import generated
from likewise.cloud.services.call import Call, decode, split_url
from likewise.cloud.services.digests import Digests
from likewise.cloud.services.masks import constant, path_of
from likewise.cloud.services.query import semantic_query
from likewise.cloud.services.service import Found, Rule, Service, match, patterns, rules, safe
from likewise.model import Resource, Value

ALIASES = {
    "GetBucketLifecycle": "GetBucketLifecycleConfiguration",
    "PutBucketLifecycle": "PutBucketLifecycleConfiguration",
    "GetBucketNotification": "GetBucketNotificationConfiguration",
    "PutBucketNotification": "PutBucketNotificationConfiguration",
}
"""Deprecated names of requests that look the same on the wire."""

SHARPER = {
    "ListDirectoryBuckets": "GET control",
    "WriteGetObjectResponse": "POST /WriteGetObjectResponse",
    "GetObjectAttributes": "GET object ?attributes",
    "PostObject": "POST bucket",
}
"""Where the model's pattern does not tell operations apart, asks too much, or (forms) has none."""

_STORE = "replace key; read versioning"
_SET = "absorb config"
_GET = "read config"
# Configuration that decides what happens to objects, or who may touch them, changes the bucket itself.
_RULE = "absorb config; write bucket"

OPERATIONS = rules(
    {
        # the service and its buckets
        "ListBuckets": "read buckets/**",
        "ListDirectoryBuckets": "read buckets/**",
        "CreateBucket": "write bucket; write listed",
        "DeleteBucket": "absorb bucket/**; absorb listed",
        "HeadBucket": "read bucket",
        "GetBucketLocation": "read bucket",
        "CreateSession": "read bucket",
        "WriteGetObjectResponse": "write service/**",
        # objects
        "PutObject": _STORE,
        "PostObject": _STORE,
        "CopyObject": _STORE + "; from source/**",
        "RenameObject": "write key; from source/**; write source; read versioning",
        "GetObject": "read key/**",
        "HeadObject": "read key/**",
        "GetObjectAttributes": "read key/**",
        "GetObjectTorrent": "read key/**",
        "SelectObjectContent": "read key/**",
        "DeleteObject": _STORE,
        "DeleteObjects": "replace each; read versioning",
        "RestoreObject": "write key timed",
        "UpdateObjectEncryption": "write key",
        "GetObjectAcl": "read key",
        "PutObjectAcl": "write key",
        "GetObjectTagging": "read key",
        "PutObjectTagging": "write key",
        "DeleteObjectTagging": "write key",
        "GetObjectLegalHold": "read key",
        "PutObjectLegalHold": "write key",
        "GetObjectRetention": "read key",
        "PutObjectRetention": "write key timed",
        "GetObjectAnnotation": "read key",
        "PutObjectAnnotation": "write key",
        "DeleteObjectAnnotation": "write key",
        "ListObjectAnnotations": "read key",
        # uploads in parts: they stay below the key, for what is made of them depends on them
        "CreateMultipartUpload": "write upload; read versioning",
        "UploadPart": "absorb part",
        "UploadPartCopy": "absorb part; from source/**",
        "ListParts": "read upload/**",
        "CompleteMultipartUpload": "write upload/**; " + _STORE,
        "AbortMultipartUpload": "absorb upload/**",
        # lists
        "ListObjects": "read bucket/**",
        "ListObjectsV2": "read bucket/**",
        "ListObjectVersions": "read bucket/**",
        "ListMultipartUploads": "read bucket/**",
        # configuration that objects depend on
        "PutBucketVersioning": _SET,
        "GetBucketVersioning": _GET,
        "PutBucketPolicy": _RULE,
        "DeleteBucketPolicy": _RULE,
        "GetBucketPolicy": _GET,
        "GetBucketPolicyStatus": _GET,
        "PutBucketAcl": _RULE,
        "GetBucketAcl": _GET,
        "PutBucketAbac": _RULE,
        "GetBucketAbac": _GET,
        "PutBucketEncryption": _RULE,
        "DeleteBucketEncryption": _RULE,
        "GetBucketEncryption": _GET,
        "PutBucketLifecycleConfiguration": "absorb config; write bucket timed",
        "DeleteBucketLifecycle": _RULE,
        "GetBucketLifecycleConfiguration": _GET,
        "PutBucketOwnershipControls": _RULE,
        "DeleteBucketOwnershipControls": _RULE,
        "GetBucketOwnershipControls": _GET,
        "PutPublicAccessBlock": _RULE,
        "DeletePublicAccessBlock": _RULE,
        "GetPublicAccessBlock": _GET,
        "PutObjectLockConfiguration": _RULE,
        "GetObjectLockConfiguration": _GET,
        "PutBucketReplication": "absorb config; write bucket timed",
        "DeleteBucketReplication": _RULE,
        "GetBucketReplication": _GET,
        "PutBucketRequestPayment": _RULE,
        "GetBucketRequestPayment": _GET,
        "PutBucketWebsite": _RULE,
        "DeleteBucketWebsite": _RULE,
        "GetBucketWebsite": _GET,
        "PutBucketCors": _RULE,
        "DeleteBucketCors": _RULE,
        "GetBucketCors": _GET,
        # configuration that objects do not depend on
        "PutBucketTagging": _SET,
        "DeleteBucketTagging": _SET,
        "GetBucketTagging": _GET,
        "PutBucketAccelerateConfiguration": _SET,
        "GetBucketAccelerateConfiguration": _GET,
        "PutBucketLogging": _SET,
        "GetBucketLogging": _GET,
        "PutBucketNotificationConfiguration": _SET,
        "GetBucketNotificationConfiguration": _GET,
        "PutBucketAnalyticsConfiguration": "absorb entry",
        "DeleteBucketAnalyticsConfiguration": "absorb entry",
        "GetBucketAnalyticsConfiguration": "read entry",
        "ListBucketAnalyticsConfigurations": "read config/**",
        "PutBucketIntelligentTieringConfiguration": "absorb entry",
        "DeleteBucketIntelligentTieringConfiguration": "absorb entry",
        "GetBucketIntelligentTieringConfiguration": "read entry",
        "ListBucketIntelligentTieringConfigurations": "read config/**",
        "PutBucketInventoryConfiguration": "absorb entry",
        "DeleteBucketInventoryConfiguration": "absorb entry",
        "GetBucketInventoryConfiguration": "read entry",
        "ListBucketInventoryConfigurations": "read config/**",
        "PutBucketMetricsConfiguration": "absorb entry",
        "DeleteBucketMetricsConfiguration": "absorb entry",
        "GetBucketMetricsConfiguration": "read entry",
        "ListBucketMetricsConfigurations": "read config/**",
        # metadata tables come and go by themselves once asked for
        "CreateBucketMetadataConfiguration": "write tables timed",
        "DeleteBucketMetadataConfiguration": "write tables timed",
        "GetBucketMetadataConfiguration": "read tables",
        "CreateBucketMetadataTableConfiguration": "write tables timed",
        "DeleteBucketMetadataTableConfiguration": "write tables timed",
        "GetBucketMetadataTableConfiguration": "read tables",
        "UpdateBucketMetadataAnnotationTableConfiguration": "write tables timed",
        "UpdateBucketMetadataInventoryTableConfiguration": "write tables timed",
        "UpdateBucketMetadataJournalTableConfiguration": "write tables timed",
    }
)

PATTERNS = patterns(
    (name, SHARPER.get(name, pattern))
    for name, pattern in {**generated.S3, "PostObject": SHARPER["PostObject"]}.items()
    if name not in ALIASES
)

_owner = constant("owner")
MASKS_SENT: dict[tuple[str, str], Mask] = {("Owner", "ID"): _owner, ("Owner", "DisplayName"): _owner}
MASKS: dict[tuple[str, str], Mask] = {
    **MASKS_SENT,
    ("Initiator", "ID"): _owner,
    ("Initiator", "DisplayName"): _owner,
    ("Grantee", "ID"): _owner,
    ("Grantee", "DisplayName"): _owner,
    ("Error", "Endpoint"): constant("endpoint"),
    ("Error", "Region"): constant("region"),
    ("Error", "AWSAccessKeyId"): constant("identity"),
    ("Error", "StringToSign"): constant("signature"),
    ("Error", "StringToSignBytes"): constant("signature"),
    ("Error", "SignatureProvided"): constant("signature"),
    ("Error", "CanonicalRequest"): constant("signature"),
    ("Error", "CanonicalRequestBytes"): constant("signature"),
    ("CompleteMultipartUploadResult", "Location"): lambda url: _location(url),
}

LISTS = generated.S3_LISTS | {
    "DeleteResult/Error",
    "LifecycleConfiguration/Rule",
    "ListVersionsResult/DeleteMarker",
    "OwnershipControls/Rule",
    "ReplicationConfiguration/Rule",
    "ServerSideEncryptionConfiguration/Rule",
}
"""Elements that repeat, with those that the model's names alone do not tell from single ones."""

_ENCODED = ("Key", "Prefix", "Delimiter", "Marker", "NextMarker", "KeyMarker", "NextKeyMarker", "StartAfter")
_ENCODED_LISTS = ("Contents", "CommonPrefixes", "Version", "DeleteMarker", "Upload")

_BINDING = generated.S3_FLAGS | {"uploadId"}
_CONFIGS = generated.S3_FLAGS - {"delete", "list-type", "session", "uploads", "versions", "location"}

_NODE_OF = {"policyStatus": "policy"}
_VIRTUAL = re.compile(r"^(.+)\.s3(?:[.-]|express-)")
_SIGNED = re.compile(r"Credential=[^,]*/s3(?:express)?/aws4_request|^AWS [^:]+:")


class S3(Service):
    """Buckets, objects, uploads below their key, and configuration as nodes of its own."""

    name = "s3"
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]] = OPERATIONS
    content_sent = generated.S3_CONTENT_SENT
    content_received = generated.S3_CONTENT_RECEIVED
    text_received = generated.S3_TEXT_RECEIVED
    shape = Shape(lists=LISTS, masks=MASKS)
    shape_sent = Shape(lists=LISTS, masks=MASKS_SENT)

    def __init__(self) -> None:
        super().__init__()
        self._versioned: set[str] = set()
        self._digests = Digests()

    def recognises(self, call: Call) -> bool:
        host = call.host
        if ".amazonaws.com" in host:
            return host.startswith(("s3.", "s3-", "s3express-")) or _VIRTUAL.match(host) is not None
        signature = call.headers.get("authorization", "")
        if signature:
            return _SIGNED.search(signature) is not None
        if "X-Amz-Credential" in call.query:
            return "/s3/" in call.query["X-Amz-Credential"]
        if "AWSAccessKeyId" in call.query or _VIRTUAL.match(host):
            return True
        answer = call.response_headers
        return (
            any(name.startswith("x-amz-") and name != "x-amz-target" for name in call.headers)
            or "x-amz-id-2" in answer
            or "x-amz-version-id" in answer
            or answer.get("server", "").lower() in ("amazons3", "minio")
            or "x-amz-request-id" in answer
        )

    def place(self, call: Call) -> None:
        path = call.path
        if path == "/WriteGetObjectResponse":
            call.operation = match(PATTERNS, path, call)
            return
        bucket = _bucket_of_host(call.host)
        if bucket:
            key = path[1:]
        else:
            bucket, _, key = path[1:].partition("/")
        call.names = [decode(name) for name in (bucket, key) if name]
        if len(call.names) == 2:
            level = "object"
        elif call.names:
            level = "bucket"
        else:
            level = "control" if "s3express-control" in call.host else "service"
        hint = ALIASES.get(call.hint, call.hint)
        call.operation = hint if hint in OPERATIONS else _matched(level, call)
        if call.operation == "PostObject" and not call.headers.get("content-type", "").startswith(
            "multipart/"
        ):
            call.operation = ""

    def read(self, call: Call) -> None:
        # Long operations answer 200 before they know, and put the error where the result would be.
        if call.operation not in self.content_received and isinstance(call.response, dict):
            call.has_failed = "Error" in call.response

    def find(self, node: str, call: Call) -> Iterable[Found]:
        names = call.names
        if node == "service" or (not names and node not in ("buckets", "source")):
            return [((self.name,), node == "service")]
        if node == "buckets":
            return [((self.name, "?buckets"), True)]
        if node == "source":
            source = call.headers.get("x-amz-copy-source") or call.headers.get("x-amz-rename-source", "")
            return self._source(source, names)
        bucket = names[0]
        if node == "bucket":
            return [((self.name, bucket), True)]
        if node == "listed":
            return [((self.name, "?buckets", bucket), True)]
        if node == "versioning":
            return [((self.name, bucket, "?versioning"), True)]
        if node in ("config", "entry", "tables"):
            return [(self._config(node, call), True)]
        if node == "each":
            return self._each(call)
        return self._below_key(node, call)

    def _below_key(self, node: str, call: Call) -> Iterable[Found]:
        key = call.names[1] if len(call.names) > 1 else _form_key(call)
        if not key:
            return [((self.name, call.names[0]), False)]
        resource: Resource = (self.name, call.names[0], safe(key))
        if node == "key":
            return [(resource, True)]
        upload = call.query.get("uploadId") or _created_upload(call)
        if not upload:
            return [(resource, False)]
        resource = (*resource, "upload:" + upload)
        if node == "part":
            return [((*resource, "part:" + call.query.get("partNumber", "")), True)]
        return [(resource, True)]

    def _config(self, node: str, call: Call) -> Resource:
        bucket = (self.name, call.names[0])
        if node == "tables":
            return (*bucket, "?metadata-tables")
        flag = next((name for name in call.query if name in _CONFIGS), "")
        resource = (*bucket, "?" + _NODE_OF.get(flag, flag))
        return (*resource, call.query.get("id", "")) if node == "entry" else resource

    def _each(self, call: Call) -> list[Found]:
        """What a DeleteObjects names; those that it reports as not deleted keep their history."""
        listed = _member(_member(call.request, "Delete"), "Object")
        keys = [_member(entry, "Key") for entry in listed] if isinstance(listed, list) else []
        if not keys or not all(isinstance(key, str) for key in keys):
            return [((self.name, call.names[0]), False)]
        return [((self.name, call.names[0], safe(str(key))), True) for key in dict.fromkeys(map(str, keys))]

    def _source(self, text: str, names: list[str]) -> list[Found]:
        source = self.copy_source(text)
        if not isinstance(source, list) or not source:
            return []
        if len(source) < 2:
            return [((self.name, names[0]), False)] if names else []
        bucket, key = str(source[0]), str(source[1])
        return [((self.name, bucket, safe(key)), True)]

    def copy_source(self, text: str) -> Value:
        path, _, version = text.partition("?")
        bucket, slash, key = decode(path).lstrip("/").partition("/")
        source: list[Value] = [bucket, key] if slash else [bucket]
        if version:
            source.append(decode(version))
        return source

    def replaces(self, call: Call, resource: Resource) -> bool:
        if resource[1] in self._versioned or "versionId" in call.query:
            return False
        if "x-amz-version-id" in call.response_headers:
            return False
        if call.operation != "DeleteObjects":
            return True
        return _deletes_for_good(call)

    def learn(self, call: Call) -> None:
        if call.is_refused or not call.names:
            return
        bucket = call.names[0]
        self._digests.learn(call, self.copy_source(call.headers.get("x-amz-copy-source", "")))
        if call.response_headers.get("x-amz-version-id", "null") != "null":
            self._versioned.add(bucket)
        if call.operation in ("PutBucketVersioning", "PutObjectLockConfiguration"):
            self._versioned.add(bucket)
        elif call.operation == "GetBucketVersioning":
            if _member(_root(call.response), "Status"):
                self._versioned.add(bucket)
        elif call.operation == "CreateBucket" and "x-amz-bucket-object-lock-enabled" in call.headers:
            self._versioned.add(bucket)
        elif call.operation == "DeleteBucket":
            self._versioned.discard(bucket)

    def mask(self, call: Call) -> None:
        """Lists asked for in URL encoding, as SDKs do, show the keys as everybody else spells them."""
        answer = _root(call.response)
        if isinstance(answer, dict) and answer.get("EncodingType") == "url":
            _decode_members(answer)
            for name in _ENCODED_LISTS:
                entries = answer.get(name)
                for entry in entries if isinstance(entries, list) else ():
                    _decode_members(entry)
        if not call.is_refused:
            self._digests.mark(call, answer)


def _matched(level: str, call: Call) -> str:
    """The operation; none where the query asks for something that S3's model does not know."""
    if not call.query:
        return match(PATTERNS, level, call)
    for name in semantic_query(call.query):
        # A signed URL may carry what would otherwise be headers.
        if name not in generated.S3_QUERY and not name.lower().startswith("x-amz-"):
            return ""
    return match(PATTERNS, level, call, binding=_BINDING)


def _decode_members(entry: Value) -> None:
    if isinstance(entry, dict):
        for name in _ENCODED:
            text = entry.get(name)
            if isinstance(text, str):
                entry[name] = decode(text.replace("+", " "))


def _root(document: Value) -> Value:
    """What the only element of a document holds, whatever the server calls it."""
    return next(iter(document.values()), None) if isinstance(document, dict) and len(document) == 1 else None


def _bucket_of_host(host: str) -> str:
    name = host.partition(":")[0]
    if found := _VIRTUAL.match(name):
        return found[1]
    return name.removesuffix(".localhost") if name.endswith(".localhost") and name != "s3.localhost" else ""


def _location(url: str) -> str:
    """Where an object is, in path style and without the host."""
    bucket = _bucket_of_host(split_url(url)[0]) if "://" in url else ""
    return f"/{bucket}{path_of(url)}" if bucket else path_of(url)


def _deletes_for_good(call: Call) -> bool:
    """Whether a DeleteObjects left neither versions nor refusals behind."""
    answer = _member(call.response, "DeleteResult")
    if not isinstance(answer, dict):
        return answer == ""  # asked to be quiet, and nothing went wrong
    deleted = answer.get("Deleted")
    entries = deleted if isinstance(deleted, list) else []
    kept = any(_member(entry, "DeleteMarker") or _member(entry, "VersionId") for entry in entries)
    return "Error" not in answer and not kept


def _created_upload(call: Call) -> str:
    identity = _member(_member(call.response, "InitiateMultipartUploadResult"), "UploadId")
    return identity if isinstance(identity, str) else ""


def _form_key(call: Call) -> str:
    """The key field of a browser's form; one that the file's name completes is not known."""
    for part in call.request if isinstance(call.request, list) else ():
        headers = _member(part, "headers")
        if 'name="key"' in str(_member(headers, "content-disposition")):
            key = _member(part, "body")
            return key if isinstance(key, str) and "${filename}" not in key else ""
    return ""


def _member(value: Value, name: str) -> Value:
    return value.get(name) if isinstance(value, dict) else None
