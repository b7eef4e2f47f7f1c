"""The names that a replayed case creates: fresh ones, put wherever the recorded ones stood."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote

from likewise.cloud.fuzz.corpus.cases import Case, Step
from likewise.cloud.fuzz.corpus.vocabulary import enumerated
from likewise.cloud.replay.names import CREATES, fresh_name
from likewise.model import ReplayImpossible

_MEMBERS = {"CreateBucket": "Bucket", "CreateTable": "TableName", "RestoreTableFromBackup": "TargetTableName"}
_NAMES = {"s3": "Bucket", "dynamodb": "TableName"}
_NUMBERS = frozenset({"N", "NS"})
_METHODS = {
    "create_container": ("container", "name"),
    "create_queue": ("queue", "name"),
    "create_table": ("table", "table_name", "name"),
    "create_table_if_not_exists": ("table", "table_name", "name"),
}
"""Azure's public methods that create, and the parameters that may hold the name."""

_SHORTEST = 3
_SEPARATORS = {"s3": "-", "dynamodb": "_", "blob": "-", "queue": "-", "table": ""}
_VALID = {
    "s3": re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"),
    "dynamodb": re.compile(r"[A-Za-z0-9_.-]{3,255}"),
    "blob": re.compile(r"[a-z0-9](?:-?[a-z0-9]){2,62}"),
    "queue": re.compile(r"[a-z0-9](?:-?[a-z0-9]){2,62}"),
    "table": re.compile(r"[A-Za-z][A-Za-z0-9]{2,62}"),
}


def created(service: str, step: Step) -> str | None:
    """The top-level resource that a step asks to be made."""
    if step.wire is not None:
        return _created_by_request(service, step)
    if service in ("s3", "dynamodb"):
        return _text(step.params.get(_MEMBERS.get(step.operation, "")))
    if step.operation == CREATES[service]:
        return _text(step.params.get("container") or step.params.get("queue") or _table_name(step.params))
    method = step.operation.rpartition(".")[2]
    return next((name for key in _METHODS.get(method, ()) if (name := _text(step.params.get(key)))), None)


def _created_by_request(service: str, step: Step) -> str | None:
    assert step.wire is not None
    parts = [unquote(part) for part in step.wire.path.strip("/").split("/")]
    query = parse_qs(step.wire.query, keep_blank_values=True)
    if service == "table":
        if step.wire.method == "POST" and parts == ["Tables"]:
            try:
                return _text(json.loads(str(step.params.get("body"))).get("TableName"))
            except (ValueError, AttributeError):
                return None
        return None
    if step.wire.method != "PUT" or len(parts) != 1 or not parts[0] or "comp" in query:
        return None
    if service == "blob" and query.get("restype") != ["container"]:
        return None
    return parts[0]


def _table_name(params: Mapping[str, Any]) -> object:
    body = params.get("body")
    inner = body.get("json") if isinstance(body, Mapping) else None
    return inner.get("TableName") if isinstance(inner, Mapping) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value and "${" not in value else None


def _mentioned(case: Case) -> set[str]:
    """Buckets and tables that a case only asks for: a candidate may make them in passing, for other cases."""
    names = (step.params.get(_NAMES.get(case.service, "")) for step in case.steps if step.wire is None)
    return {str(name) for name in names if _text(name) and _VALID[case.service].fullmatch(str(name))}


class FreshNames:
    """The fresh names of one replay of one case, recorded to fresh."""

    def __init__(self, case: Case) -> None:
        salt = secrets.token_hex(8)
        self.fresh: dict[str, str] = {}
        for position, step in enumerate(case.steps):
            name = created(case.service, step)
            if name is not None and name not in self.fresh:
                is_judged = position == len(case.steps) - 1 and not case.recorded.success
                self.fresh[name] = _fresh(case.service, name, salt, is_judged=is_judged)
        for name in _mentioned(case):
            self.fresh.setdefault(name, _fresh(case.service, name, salt, is_judged=True))
        self.fresh = {old: new for old, new in self.fresh.items() if old != new}
        self._words = enumerated(case.service) | _NUMBERS if case.service in _NAMES else frozenset()
        longest = sorted(self.fresh, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest))
        # After a dot, a statement of DynamoDB names an index; a bucket's name goes on.
        after = r"[\w-]" if case.service == "dynamodb" else r"[\w-]|\.\w"
        # A percent-encoded character ends a word as the character itself does. What follows @ or restype=
        # is a word of Azure's.
        before = r"(?:(?<![\w.@-])|(?<=%[0-9A-Fa-f]{2}))(?<!%40)(?<!restype=)"
        # Names of tables are the same in whatever case.
        flags = re.IGNORECASE if case.service == "table" else 0
        self._pattern = re.compile(rf"{before}(?:{pattern})(?!{after})", flags) if longest else None

    @property
    def recorded(self) -> Mapping[str, str]:
        """Fresh to recorded."""
        return {new: old for old, new in self.fresh.items()}

    def text(self, text: str) -> str:
        """A recorded text with fresh names in it."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._renamed(found[0]), text)

    def _renamed(self, name: str) -> str:
        if name in self.fresh:
            return self.fresh[name]
        fresh = next(new for old, new in self.fresh.items() if old.lower() == name.lower())
        return fresh.upper() if name.isupper() else fresh.lower() if name.islower() else fresh

    def value(self, value: Any, place: str = "") -> Any:
        """Recorded parameters with fresh names; a key is a name only if it is nothing else, or an ARN.

        What stands where only words of the service can stand is none, nor is a number.
        """
        if isinstance(value, str):
            return value if place in self._words else self.text(value)
        if isinstance(value, Mapping):
            return {self._key(key): self.value(inner, key) for key, inner in value.items()}
        return [self.value(inner, place) for inner in value] if isinstance(value, list) else value

    def _key(self, key: str) -> str:
        return self.text(key) if key.startswith("arn:") else self.fresh.get(key, key)


def _fresh(service: str, name: str, salt: str, *, is_judged: bool) -> str:
    """A fresh name of the same form; one that stands for any name becomes a usable one.

    Whether a service takes the name may be what a last call is about that was refused: there an odd one
    stays as it is.
    """
    if name.startswith("$"):
        return name
    is_valid = _VALID[service].fullmatch(name) is not None
    if is_judged and not is_valid:
        return name
    try:
        return fresh_name(name, salt)
    except ReplayImpossible:
        if is_judged or not (is_valid or len(name) < _SHORTEST):
            return name
        return f"lw{_SEPARATORS[service]}{secrets.token_hex(6)}"
