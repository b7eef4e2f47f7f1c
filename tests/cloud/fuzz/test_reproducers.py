"""The generated test of a finding fails while the two sides differ there, and only there."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest
from sample_findings import sample_finding

from likewise.cloud.fuzz.calls import Call, Name, Text
from likewise.cloud.fuzz.catalogue.reproducers import file_name, pytest_file, script


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
        ("missing", "Contents[].ETag", ["absent", "there"]),
        ("extra", "Nothing.Inside", ["absent"]),
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


def calls_of(service: str, *calls: tuple[str, dict[str, Any]], mark: str) -> list[dict[str, Any]]:
    """What a reproducer of some calls asks for, under this mark."""
    made = tuple(Call(service=service, operation=name, params=params) for name, params in calls)
    module: dict[str, Any] = {"__name__": "reproducer"}
    exec(compile(script(sample_finding(service=service, sequence=made)), "reproducer", "exec"), module)
    asked: list[dict[str, Any]] = []
    module["ask"] = lambda _, __, params: asked.append(params)
    module["sequence"](None, "http://127.0.0.1:1", mark)
    return asked


def test_things_inside_are_called_the_same_on_both_sides_as_in_the_campaign() -> None:
    """Servers order and spread things by their names: with others a list might differ by chance."""
    put = ("PutObject", {"Bucket": Name("bucket"), "Key": Text((Name("key"), "/x"))})
    first, second = calls_of("s3", put, mark="one"), calls_of("s3", put, mark="two")
    assert first[0]["Bucket"] != second[0]["Bucket"]
    assert first[0]["Key"] == second[0]["Key"] == "lw0km/x"


def test_a_reproducer_waits_for_a_table_that_is_still_being_made() -> None:
    module: dict[str, Any] = {"__name__": "reproducer"}
    exec(compile(script(sample_finding(service="dynamodb")), "reproducer", "exec"), module)
    asked = []

    class Client:
        def _make_api_call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            asked.append(operation)
            table = {"TableName": "t", "TableStatus": "CREATING" if len(asked) < 3 else "ACTIVE"}
            return {"Table" if operation == "DescribeTable" else "TableDescription": table}

    assert module["ask"](Client(), "CreateTable", {})["fields"]["TableDescription"]["TableName"] == "t"
    assert asked == ["CreateTable", "DescribeTable", "DescribeTable"]


@pytest.mark.parametrize("kind", ["missing", "extra"])
def test_a_generated_test_tells_an_empty_structure_from_a_full_one_and_from_none(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given, said in (({}, "empty"), (None, "absent"), ({"a": 1}, "there"), (0, "there"), ("", "there")):
        answer = {"ok": True, "status": 200, "fields": {"Item": given}}
        assert seen(kind, "Item", lambda mark, answer=answer: answer, monkeypatch) == [said]
