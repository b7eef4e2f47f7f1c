"""How a recorded case is written down, with the verdict that a person gives after looking."""

from __future__ import annotations

from typing import Any, NamedTuple

Call = dict[str, Any]
Said = dict[str, Any]


class CorpusCase(NamedTuple):
    """A sequence, what the cloud said to its last call, the verdict, and words that its reason has."""

    id: str
    service: str
    sequence: list[Call]
    said: Said
    verdict: str
    words: str


def op(name: str, **params: Any) -> Call:
    return {"op": name, "params": params}


OK: Said = {"ok": True}


def accepted(status: int) -> Said:
    return {"ok": True, "status": status}


def refused(status: int, code: str) -> Said:
    return {"ok": False, "status": status, "error_code": code}


SAID = accepted(200)


def agrees(id: str, service: str, *sequence: Call, said: Said = SAID) -> CorpusCase:
    return CorpusCase(id, service, [*sequence], said, "agrees", "")


def differs(id: str, service: str, *sequence: Call, said: Said = SAID, how: str = "") -> CorpusCase:
    return CorpusCase(id, service, [*sequence], said, "differs", how)


def incomparable(id: str, service: str, *sequence: Call, said: Said = SAID, because: str) -> CorpusCase:
    return CorpusCase(id, service, [*sequence], said, "not comparable", because)
