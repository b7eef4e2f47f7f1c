"""The generated test of a finding fails while the two sides differ there, and only there."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest
from sample_findings import sample_finding

from likewise.cloud.fuzz.reproducers import file_name, pytest_file, script


def seen(kind: str, place: str, answer: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the generated test looks at, where a server gives this answer; names carry the run's mark."""
    found = sample_finding(kind=kind, place=place)
    module = ModuleType(file_name(found))
    exec(compile(script(found), "script", "exec"), module.__dict__)
    module.connect = lambda url: url  # type: ignore[attr-defined]
    module.sequence = lambda client, url, mark: answer(mark)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, file_name(found), module)
    test: dict[str, Any] = {}
    exec(compile(pytest_file(found), "test", "exec"), test)
    return test["look"]("url")


def listed(mark: str, **more: Any) -> dict[str, Any]:
    items = [{"Key": f"lw{mark}kb", "At": datetime.now(UTC)}, {"Key": f"lw{mark}ka", "ETag": "1", **more}]
    return {"ok": True, "status": 200, "fields": {"Contents": items}}


@pytest.mark.parametrize(
    ("kind", "place", "expected"),
    [
        ("success", "", True),
        ("status", "status", 200),
        ("error code", "", (200, None)),
        ("missing", "Contents[].ETag", [True, False]),
        ("extra", "Nothing.Inside", [True]),
        ("length", "Contents", [2]),
        ("order", "Contents", ["lwkb", "lwka"]),
        ("value", "Contents[].Key", ["lwkb", "lwka"]),
        ("value", "Contents[].At", ["now", None]),
        ("value", "*[].ETag", [None, "1"]),
        ("type", "Contents[].ETag", ["NoneType", "str"]),
    ],
)
def test_a_generated_test_looks_where_the_finding_is(
    kind: str, place: str, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen(kind, place, listed, monkeypatch) == expected
    elsewhere = seen(kind, place, lambda mark: listed(mark, Owner="somebody"), monkeypatch)
    assert elsewhere == expected, "another place changes nothing"
