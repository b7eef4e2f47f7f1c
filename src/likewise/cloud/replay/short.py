"""Names too short to be told from other words: they are found by where a request names things.

A longer name is changed wherever it stands as a word. A short one (`test`, `jobs`) may be anybody's word: it
is changed only where the service expects a name, and where it cannot be told whether it is one, nothing is
replayed. Made longer, it is unmistakable in the answers.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from hashlib import blake2b

from likewise.cloud.replay.places import Rewrite
from likewise.cloud.replay.request import Request
from likewise.cloud.services import SERVICES
from likewise.model import Interaction, Value

ADDED = 14
_LETTERS = string.ascii_lowercase + string.digits
_LEAST = 3
"""Shorter names are invalid, and must stay so."""

_NAMED = ("TableName", "GlobalTableName", "SourceTableName", "TargetTableName", "TableArn", "ResourceArn")
"""Members of requests that name a table, by itself or at the end of its ARN."""
_OF_TABLE = re.compile(r"(arn:[^/]*:table/)([^/]+)(.*)", re.DOTALL)
_STATEMENTS = frozenset(["ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"])
_USERS_OWN = frozenset(
    ["CreateBucket", "CompleteMultipartUpload", "DeleteObjects", "PutObjectTagging", "PutBucketTagging"]
)
"""Operations of S3 whose bodies hold keys and texts of the user's, and no names of buckets."""
_CONTENT = {service.name: service.content_sent for service in SERVICES}
_COPIES = ("x-amz-copy-source", "x-ms-copy-source")
_IN_TABLES = re.compile(r"(Tables\((?:'|%27))(\w+)((?:'|%27)\).*)|([^(]+)(.*)", re.DOTALL)

_Segment = Callable[[str, Rewrite], str]
"""Rewrites the name in the first segment of a path."""


def lengthened(name: str, salt: str) -> str:
    """A name that begins like a short one and is nobody's; nothing where that might make it valid."""
    if not (len(name) >= _LEAST and name[-1] in string.ascii_letters + string.digits):
        return ""
    noise = blake2b(f"{salt}\0{name}".encode(), digest_size=ADDED).digest()
    return name + "".join(_LETTERS[byte % len(_LETTERS)] for byte in noise)


def obstacle(call: Interaction, names: Collection[str], *, lists: bool) -> str:
    """Why it cannot be told whether a word in a request is one of these names, or nothing.

    `lists` says whether the call is about the account as a whole.
    """
    pattern = "|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w-])" for name in names)
    words = re.compile(pattern, re.IGNORECASE)
    body = call.wire.get("body")
    content = body.decode(errors="replace") if isinstance(body, bytes) else ""
    if call.operation.service == "dynamodb" and not _is_json(content):
        return "its body is no JSON"
    if lists and (words.search(content) or words.search(str(call.wire.get("url")).partition("?")[2])):
        return "it lists names"
    if not words.search(content):
        return ""
    service, operation = call.operation.service, call.operation.name
    headers = call.wire.get("headers")
    if isinstance(headers, dict) and str(headers.get("content-type", "")).startswith("multipart/"):
        return "it is a batch"
    if service == "s3" and operation not in _USERS_OWN | _CONTENT[service]:
        return "its body may name a bucket"
    return "its statement may name a table" if operation in _STATEMENTS else ""


def _is_json(content: str) -> bool:
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


def placed(request: Request, call: Interaction, names: Mapping[str, str]) -> Request:
    """A request with fresh names where it names what it is about."""
    service = call.operation.service
    if service == "dynamodb":
        return replace(request, body=_in_body(request.body, lambda name: names.get(name, name)))
    if service == "table":
        folded = {name.lower(): new for name, new in names.items()}

        def rewrite(name: str) -> str:
            """Tables are found by any case; a name in another case stays one in another case."""
            return name + folded[name.lower()][len(name) :] if name.lower() in folded else name

        body = request.body if call.operation.name != "Table_Create" else _in_body(request.body, rewrite)
        return replace(request, path=_in_path(request, rewrite, _in_tables), body=body)
    headers = {
        name: _source(text, request, names) if name in _COPIES else text
        for name, text in request.headers.items()
    }
    path = _in_path(request, lambda name: names.get(name, name), _plain)
    return replace(request, path=path, headers=headers)


def _in_path(request: Request, rewrite: Rewrite, segment: _Segment) -> str:
    prefix = request.endpoint.prefix + "/"
    first, gap, rest = request.path.removeprefix(prefix).partition("/")
    return prefix + segment(first, rewrite) + gap + rest


def _plain(segment: str, rewrite: Rewrite) -> str:
    return rewrite(segment)


def _in_tables(segment: str, rewrite: Rewrite) -> str:
    """`name`, `name(PartitionKey=…)` or `Tables('name')`."""
    found = _IN_TABLES.fullmatch(segment)
    if found is None:
        return segment
    if found[1]:
        return found[1] + rewrite(found[2]) + found[3]
    return rewrite(found[4]) + found[5]


def _source(text: str, request: Request, names: Mapping[str, str]) -> str:
    """What a copy is made from: `bucket/key`, or a URL of the same account."""
    base = request.endpoint.url if "://" in text else ""
    if not text.startswith(base):
        return text
    slash = "/" if text.removeprefix(base).startswith("/") else ""
    name, gap, rest = text.removeprefix(base + slash).partition("/")
    return base + slash + names.get(name, name) + gap + rest


def _in_body(body: bytes, rewrite: Rewrite) -> bytes:
    """The names of tables in a request in JSON; items hold what is the user's own."""
    value: Value = json.loads(body)
    if not isinstance(value, dict):
        return body
    new = _named(value, rewrite)
    for member, inner in value.items():
        if member == "RequestItems" and isinstance(inner, dict):
            new[member] = {_table(name, rewrite): each for name, each in inner.items()}
        elif member == "TransactItems" and isinstance(inner, list):
            new[member] = [_actions(each, rewrite) for each in inner]
    return json.dumps(new).encode()


def _actions(part: Value, rewrite: Rewrite) -> Value:
    if not isinstance(part, dict):
        return part
    return {
        action: _named(inner, rewrite) if isinstance(inner, dict) else inner for action, inner in part.items()
    }


def _named(members: Mapping[str, Value], rewrite: Rewrite) -> dict[str, Value]:
    return {
        name: _table(value, rewrite) if name in _NAMED and isinstance(value, str) else value
        for name, value in members.items()
    }


def _table(name: str, rewrite: Rewrite) -> str:
    found = _OF_TABLE.fullmatch(name)
    return found[1] + rewrite(found[2]) + found[3] if found else rewrite(name)
