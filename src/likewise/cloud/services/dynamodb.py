"""Amazon DynamoDB."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import ClassVar

from likewise.cloud.bodies import Mask
from likewise.cloud.services.call import Call, words
from likewise.cloud.services.expiry import Expiry
from likewise.cloud.services.flow import Sources
from likewise.cloud.services.masks import arn, constant
from likewise.cloud.services.moments import Moments
from likewise.cloud.services.service import Found, Rule, Service, rules
from likewise.model import Effect, Resource, Touch, Value

_REMAKE = "absorb table/* timed; absorb listed"
_ALTER = "write table timed"

OPERATIONS = rules(
    {
        # items
        "GetItem": "read item",
        "PutItem": "absorb item",
        "DeleteItem": "absorb item",
        "UpdateItem": "write item",
        "BatchGetItem": "read each",
        "BatchWriteItem": "replace each",
        "TransactGetItems": "read each",
        "TransactWriteItems": "write each; read checked",
        "Query": "read range/**",
        "Scan": "read table/**",
        "SearchVectors": "read table/**",
        "ExecuteStatement": "write statement/**",
        "BatchExecuteStatement": "write statement/**",
        "ExecuteTransaction": "write statement/**",
        # tables: a status that changes by itself until somebody sees it settled
        "CreateTable": _REMAKE,
        "DeleteTable": _REMAKE,
        "UpdateTable": _ALTER,
        # the count of items and the size stand in a table's description
        "DescribeTable": "look table/**",
        "ListTables": "read tables/**",
        "DescribeLimits": "read service",
        "DescribeEndpoints": "read service",
        # what goes with a table
        "UpdateTimeToLive": "absorb ttl timed; write table timed",
        "DescribeTimeToLive": "read ttl",
        "TagResource": "write tags",
        "UntagResource": "write tags",
        "ListTagsOfResource": "read tags",
        "PutResourcePolicy": "absorb policy; write table",
        "DeleteResourcePolicy": "absorb policy; write table",
        "GetResourcePolicy": "read policy",
        "UpdateContinuousBackups": "absorb continuous timed",
        "DescribeContinuousBackups": "read continuous",
        "UpdateContributorInsights": "absorb insights timed",
        "DescribeContributorInsights": "read insights",
        "ListContributorInsights": "read service/**",
        "EnableKinesisStreamingDestination": "write kinesis timed",
        "DisableKinesisStreamingDestination": "write kinesis timed",
        "UpdateKinesisStreamingDestination": "write kinesis timed",
        "DescribeKinesisStreamingDestination": "read kinesis",
        "UpdateTableReplicaAutoScaling": _ALTER,
        "DescribeTableReplicaAutoScaling": "read table",
        # copies of tables
        "CreateBackup": "from table/**; write backups timed",
        "DeleteBackup": "write backups timed",
        "DescribeBackup": "read backups",
        "ListBackups": "read backups",
        "RestoreTableFromBackup": "from backups; write target/** timed; write listed-target",
        "RestoreTableToPointInTime": "from origin/**; write target/** timed; write listed-target",
        "ExportTableToPointInTime": "from table/**; write exports timed",
        "DescribeExport": "read exports",
        "ListExports": "read exports",
        "ImportTable": "write service/** timed",
        "DescribeImport": "read service",
        "ListImports": "read service",
        # global tables of the first version
        "CreateGlobalTable": "write globals timed; write table timed",
        "UpdateGlobalTable": "write globals timed; write table timed",
        "UpdateGlobalTableSettings": "write globals timed; write table timed",
        "DescribeGlobalTable": "read globals",
        "DescribeGlobalTableSettings": "read globals",
        "ListGlobalTables": "read globals",
    }
)

_ARNS = words(
    """
    TableArn IndexArn LatestStreamArn BackupArn SourceTableArn SourceBackupArn ExportArn ImportArn
    StreamArn GlobalTableArn ResourceArn RestoreTableArn KMSMasterKeyArn ReplicaArn
    """
)
MASKS: dict[str, Mask] = {
    **dict.fromkeys(_ARNS, arn),
    "TableId": constant("table id"),
    "RegionName": constant("region"),
    "Address": constant("endpoint"),
}
"""Members of descriptions that belong to the account. Items are the user's own and are never masked."""

ITEM_OPERATIONS = words(
    """
    GetItem PutItem DeleteItem UpdateItem BatchGetItem BatchWriteItem TransactGetItems TransactWriteItems
    Query Scan SearchVectors ExecuteStatement BatchExecuteStatement ExecuteTransaction
    """
)

_SERVED = ITEM_OPERATIONS - words("SearchVectors ExecuteStatement BatchExecuteStatement ExecuteTransaction")
"""Operations that no table serves before it is active; PartiQL may answer with refusals inside."""

_OWN_NODES = {
    "ttl": "?ttl",
    "tags": "?tags",
    "policy": "?policy",
    "continuous": "?continuous",
    "insights": "?insights",
    "kinesis": "?kinesis",
}
_SHARED_NODES = {"backups": "?backups", "exports": "?exports", "globals": "?globals"}
_STATEMENT = re.compile(
    r'^\s*(select\b.*?\bfrom|insert\s+into|update|delete\s+from|exists\s*\(\s*select\b.*?\bfrom)\s+"?([\w.-]+)"?',
    re.IGNORECASE | re.DOTALL,
)
_EQUALS = re.compile(r"(?:^|[\s(])([#\w.-]+)\s*=\s*(:\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The key attributes of a table. `hash` is empty where the order of two attributes is not known.

    The layout of a table's nodes follows from it, so it stays as first learned until the table is remade.
    """

    hash: str
    others: tuple[str, ...]


class DynamoDB(Service):
    """Tables, partitions, and items below their partition."""

    name = "dynamodb"
    is_regional = True
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]] = OPERATIONS

    def __init__(self) -> None:
        super().__init__()
        self._schemas: dict[str, Schema] = {}
        self._begun: set[str] = set()
        """Tables of which nothing but their making is under way, as far as anybody has seen."""
        self._moments = Moments()
        self._expiry = Expiry()

    def recognises(self, call: Call) -> bool:
        target = call.headers.get("x-amz-target", "")
        if target:
            return target.startswith("DynamoDB_2")
        return "/dynamodb/aws4_request" in call.headers.get("authorization", "")

    def place(self, call: Call) -> None:
        operation = call.headers.get("x-amz-target", "").rpartition(".")[2] or call.hint
        call.operation = operation if operation in OPERATIONS else ""

    def read(self, call: Call) -> None:
        """Name the table, now that the body is known."""
        table = self._table(call)
        call.names = [table] if table else []
        if table and call.operation in ("GetItem", "DeleteItem", "UpdateItem"):
            self._learn_key(table, _member(call.request, "Key"))

    def _table(self, call: Call) -> str:
        for name in ("TableName", "ResourceArn", "TableArn", "GlobalTableName"):
            text = _member(call.request, name)
            if isinstance(text, str):
                return _table_of(text)
        return ""

    def find(self, node: str, call: Call) -> Iterable[Found]:
        root = (self.name,)
        if node == "service":
            return [(root, True)]
        if node == "tables":
            return [((*root, "?tables"), True)]
        if node in _SHARED_NODES:
            return [((*root, _SHARED_NODES[node]), True)]
        if node in ("each", "checked"):
            return list(self._each(call, checked=node == "checked"))
        if node == "statement":
            return list(self._statements(call))
        if node in ("target", "listed-target", "origin"):
            return [self._copied(node, call)]
        if not call.names:
            return [(root, False)]
        table = (*root, call.names[0])
        if node == "listed":
            return [((*root, "?tables", call.names[0]), True)]
        if node in _OWN_NODES:
            return [((*table, _OWN_NODES[node]), True)]
        if node == "item":
            return [self._item(call.names[0], _member(call.request, "Key"), _member(call.request, "Item"))]
        if node == "range":
            return [(self._range(call), True)]
        return [(table, True)]

    def _item(self, table: str, key: Value, item: Value = None) -> Found:
        resource = (self.name, table)
        schema = self._schemas.get(table)
        values = key if isinstance(key, dict) else item
        if schema is None or not isinstance(values, dict):
            return resource, False
        texts = []
        for name in (schema.hash, *schema.others) if schema.hash else schema.others:
            text = _key_text(values.get(name))
            if text is None:
                return resource, False
            texts.append(text)
        return ((*resource, *texts) if schema.hash else (*resource, " ".join(texts))), True

    def _each(self, call: Call, *, checked: bool) -> Iterator[Found]:
        """The items that a batch or a transaction names, or those that it only checks."""
        found = checked
        for action, table, key, item in _batched(call.request):
            found = True
            if (action == "ConditionCheck") is not checked:
                continue
            name = _table_of(table)
            if isinstance(key, dict):
                self._learn_key(name, key)
            yield self._item(name, key, item)
        if not found:
            yield (self.name,), False

    def _statements(self, call: Call) -> Iterator[Found]:
        for text in _statement_texts(call.request):
            match = _STATEMENT.match(text)
            yield ((self.name, match[2]) if match else (self.name,)), True

    def replaces(self, call: Call, resource: Resource) -> bool:
        """A batch may leave some of its writes undone."""
        return isinstance(call.response, dict) and not call.response.get("UnprocessedItems")

    def is_empty(self, call: Call) -> bool:
        """A PartiQL call that only selects changes nothing."""
        if "Statement" not in call.operation and call.operation != "ExecuteTransaction":
            return False
        texts = [*_statement_texts(call.request)]
        return bool(texts) and all(text.lstrip()[:6].lower() in ("select", "exists") for text in texts)

    def _copied(self, node: str, call: Call) -> Found:
        name = _member(call.request, "SourceTableName" if node == "origin" else "TargetTableName")
        if not isinstance(name, str):
            return (self.name,), False
        return ((self.name, "?tables", name) if node == "listed-target" else (self.name, name)), True

    def _range(self, call: Call) -> Resource:
        """One partition where a query on the table itself names it, else the table."""
        table = call.names[0]
        schema = self._schemas.get(table)
        request = call.request
        whole = (self.name, table)
        if not schema or not schema.hash or not isinstance(request, dict) or request.get("IndexName"):
            return whole
        names, values = request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
        for name, value in _EQUALS.findall(str(request.get("KeyConditionExpression", ""))):
            if (_member(names, name) if name.startswith("#") else name) == schema.hash:
                text = _key_text(_member(values, value))
                return (*whole, text) if text is not None else whole
        condition = _member(_member(request, "KeyConditions"), schema.hash)
        listed = _member(condition, "AttributeValueList")
        text = _key_text(listed[0]) if isinstance(listed, list) and len(listed) == 1 else None
        return (*whole, text) if text is not None else whole

    def is_settled(self, call: Call) -> bool:
        if call.is_refused:
            return "ResourceNotFound" in str(_member(call.response, "__type"))
        table = _member(call.response, "Table")
        indexes = _member(table, "GlobalSecondaryIndexes")
        states = [_member(table, "TableStatus")]
        states += [_member(index, "IndexStatus") for index in indexes] if isinstance(indexes, list) else []
        return all(state == "ACTIVE" for state in states)

    def _touches(self, call: Call, sources: Sources) -> Iterable[Touch]:
        """A table that serves an item was made: that is a look at it, too, the first time."""
        found = [*super()._touches(call, sources)]
        if self._begun and call.operation in _SERVED and call.status is not None and not call.is_refused:
            served = {touch.resource[1] for touch in found if len(touch.resource) > 1} & self._begun
            self._begun -= served
            found += [
                Touch(resource=(self.name, table), effect=Effect.READ, timed=True) for table in sorted(served)
            ]
        return self._expiry.timed(call, found)

    def learn(self, call: Call) -> None:
        if call.is_refused:
            return
        self._expiry.learn(call)
        if any(rule.timed for rule in OPERATIONS.get(call.operation, ())):
            # Tables go on to serve while they are altered or deleted: that shows nothing of those.
            made = {call.names[0]} if call.operation == "CreateTable" and call.names else set[str]()
            self._begun = (self._begun if made else set()) | made
        if not call.names:
            return
        table = call.names[0]
        if call.operation == "DescribeTable" and self.is_settled(call):
            self._begun.discard(table)
        if call.operation in ("CreateTable", "DeleteTable"):
            self._schemas.pop(table, None)
        described = call.request if call.operation == "CreateTable" else _member(call.response, "Table")
        schema = _member(described, "KeySchema")
        if not isinstance(schema, list) or table in self._schemas:
            return
        kinds = {str(_member(part, "KeyType")): str(_member(part, "AttributeName")) for part in schema}
        if "HASH" in kinds:
            others = (kinds["RANGE"],) if "RANGE" in kinds else ()
            self._schemas[table] = Schema(hash=kinds["HASH"], others=others)

    def _learn_key(self, table: str, key: Value) -> None:
        """A key names the attributes; which of two comes first it does not say."""
        if table in self._schemas or not isinstance(key, dict) or not key:
            return
        names = tuple(sorted(key))
        if len(names) == 1:
            self._schemas[table] = Schema(hash=names[0], others=())
        elif len(names) == 2:
            self._schemas[table] = Schema(hash="", others=names)

    def mask(self, call: Call) -> None:
        if call.operation not in ITEM_OPERATIONS:
            call.request, call.response = _masked(call.request), _masked(call.response)
            return
        self._moments.learn(call)
        if not call.is_refused:
            self._moments.mark(call)


def _masked(value: Value) -> Value:
    if isinstance(value, dict):
        return {
            name: MASKS[name](inner) if name in MASKS and isinstance(inner, str) else _masked(inner)
            for name, inner in value.items()
        }
    return [_masked(inner) for inner in value] if isinstance(value, list) else value


def _batched(request: Value) -> Iterator[tuple[str, str, Value, Value]]:
    """Action, table, key and item of each part, in any of the four shapes that batches have."""
    tables = _member(request, "RequestItems")
    for table, entry in tables.items() if isinstance(tables, dict) else ():
        keys = _member(entry, "Keys")
        for key in keys if isinstance(keys, list) else ():
            yield "Get", table, key, None
        for write in entry if isinstance(entry, list) else ():
            key = _member(_member(write, "DeleteRequest"), "Key")
            yield "Write", table, key, _member(_member(write, "PutRequest"), "Item")
    parts = _member(request, "TransactItems")
    for part in parts if isinstance(parts, list) else ():
        for action, inner in part.items() if isinstance(part, dict) else ():
            yield action, str(_member(inner, "TableName")), _member(inner, "Key"), _member(inner, "Item")


def _statement_texts(request: Value) -> Iterator[str]:
    single = _member(request, "Statement")
    if isinstance(single, str):
        yield single
    for name in ("Statements", "TransactStatements"):
        several = _member(request, name)
        for entry in several if isinstance(several, list) else ():
            text = _member(entry, "Statement")
            yield text if isinstance(text, str) else ""


def _key_text(value: Value) -> str | None:
    """A key attribute as a node's name; equal numbers have equal names."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    kind, text = next(iter(value.items()))
    if not isinstance(text, str):
        return None
    if kind == "N":
        try:
            text = str(Decimal(text).normalize())
        except InvalidOperation:
            return None
    return f"{kind}:{text}"


def _table_of(name: str) -> str:
    """A table's name from itself or an ARN."""
    return name.partition("table/")[2].partition("/")[0] if name.startswith("arn:") else name


def _member(value: Value, name: str) -> Value:
    return value.get(name) if isinstance(value, dict) else None
