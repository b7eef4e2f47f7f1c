"""What the three Azure Storage services share: accounts, addresses, batches, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from likewise.cloud.services.call import Call, decode
from likewise.cloud.services.headers import identity
from likewise.cloud.services.service import Found
from likewise.model import Effect, Touch

_HOST = re.compile(r"^([a-z0-9-]+?)(?:-secondary)?\.(?:z\d+\.)?(blob|queue|table)\.")
_PORTS = {"10000": "blob", "10001": "queue", "10002": "table"}
_SERVERS = {"azurite-blob": "blob", "azurite-queue": "queue", "azurite-table": "table"}
_ENTITY = re.compile(r"\((?:PartitionKey=|RowKey=|'|\))", re.IGNORECASE)
BINDING = frozenset({"comp", "restype"})
"""What, in a query, makes a request another operation's."""
EMULATOR = "devstoreaccount1"


def service_of(call: Call) -> str:
    """Which of the three a request is for, or nothing where it is none of them."""
    if call.headers.get("authorization", "").startswith("AWS"):
        return ""
    if found := _HOST.match(call.host):
        return found[2]
    if not _is_azure(call):
        return ""
    by_server = _SERVERS.get(call.response_headers.get("server", "").partition("/")[0].lower())
    if by_server:
        return by_server
    by_port = _PORTS.get(call.host.rpartition(":")[2])
    return by_port or _by_content(call)


def _is_azure(call: Call) -> bool:
    first = call.path[1:].partition("/")[0].removesuffix("-secondary")
    if first == EMULATOR:
        return True
    if any(name.startswith("x-ms-") for name in call.headers):
        return not call.host.endswith((".azure.com", ".dfs.core.windows.net", ".file.core.windows.net"))
    return "sv" in call.query and "sig" in call.query


def _by_content(call: Call) -> str:
    _, rest = split_account(call)
    if "dataserviceversion" in call.headers or "odata" in call.headers.get("accept", ""):
        return "table"
    if rest == "$batch" or rest == "Tables" or _ENTITY.search(decode(rest)):
        return "table"
    if "x-ms-blob-type" in call.headers or call.query.get("restype") in ("container", "account"):
        return "blob"
    segments = rest.split("/")
    if len(segments) in (2, 3) and segments[1] == "messages":
        return "queue"
    if len(segments) == 1 and rest and call.query.get("comp", "metadata") in ("metadata", "acl"):
        return "queue"  # a blob container would say restype=container
    return "blob"


def reads_of_policy(call: Call, found: Iterable[Found]) -> Iterator[Touch]:
    """What a call sees of an access policy: it is for those who come without the account's key."""
    if identity(call) in ("anonymous", "shared access"):
        for resource, _ in found:
            yield Touch(resource=resource, effect=Effect.READ)


def split_account(call: Call) -> tuple[str, str]:
    """The account, from the host's name or the first segment of the path, and the rest of the path."""
    if found := _HOST.match(call.host):
        return found[1], call.path[1:]
    account, _, rest = call.path[1:].partition("/")
    return account.removesuffix("-secondary"), rest


def source_path(url: str) -> list[str]:
    """What a copy source names: container and blob, decoded, then a snapshot or version if it has one."""
    before, _, query = url.partition("?")
    rest = before.partition("://")[2]
    host, _, path = rest.partition("/")
    if not _HOST.match(host.lower()):
        path = path.partition("/")[2]
    container, slash, blob = path.partition("/")
    names = [decode(container), decode(blob)] if slash else ["$root", decode(container)]
    for piece in query.split("&"):
        name, _, text = piece.partition("=")
        if name in ("snapshot", "versionid"):
            names.append(f"{name}={decode(text)}")
    return names
