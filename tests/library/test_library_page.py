"""A comparison as JSON, Markdown, annotations, and what acceptance does to it."""

from __future__ import annotations

import json
from pathlib import Path

from library_traces import call, side, trace

from likewise.library import acceptance, page
from likewise.library.comparison import Comparison, compare


def changed(value: str = "new | `text`", *, line: int = 7) -> Comparison:
    ours = trace(
        call("f", "old", at=line, arguments={"0": 1, "deep": True}),
        call("g", 1, at=9, arguments={"0": "old"}),
    )
    theirs = trace(
        call("f", value, at=line, arguments={"0": 1, "deep": True}),
        call("g", 2, at=9, arguments={"0": value}),
    )
    return compare(side(ours), side(theirs, version="2.0"))


def test_json_has_exactly_the_promised_keys() -> None:
    data = json.loads(json.dumps(page.as_data(changed())))
    assert data == {
        "groups": [
            {
                "operation": "lib.f",
                "kind": "value",
                "at": "client.py:7",
                "tests": 1,
                "downstream": False,
                "reference": "'old'",
                "candidate": "'new | `text`'",
            },
            {
                "operation": "lib.g",
                "kind": "value",
                "at": "client.py:9",
                "tests": 1,
                "downstream": True,
                "reference": "1",
                "candidate": "2",
            },
        ],
        "tests": {
            "common": 1,
            "differing": 1,
            "unstable": 0,
            "failed_reference": 0,
            "failed_candidate": 0,
        },
    }


def test_the_page_is_one_table_a_change_and_folds_the_rest() -> None:
    text = page.as_markdown(changed())
    assert "lib 1.0 → lib 2.0: 1 behavioural change, 1 more group downstream of them" in text
    assert "`` 'new \\| `text`' ``" in text or "``'new \\| `text`'``" in text
    assert "lib.f(1, deep=True)" in text
    assert text.index("lib.f") < text.index("<details>") < text.index("`lib.g`")


def test_annotations_stand_at_the_clients_line() -> None:
    (line,) = page.as_annotations(changed("100% new\nline"))
    assert line.startswith("::warning file=client.py,line=7,title=lib.f%3A another value::")
    assert "100%25 new" in line
    assert "\n" not in line


def test_silence_is_said() -> None:
    same = compare(side(trace(call("f", 1))), side(trace(call("f", 1)), version="2.0"))
    assert "no difference at the boundary" in list(page.as_lines(same))
    assert page.as_data(same)["groups"] == []


def test_an_accepted_change_stays_quiet_until_it_changes_again(tmp_path: Path) -> None:
    first = changed()
    acceptance.write(tmp_path, [acceptance.accept(first.groups[0], reason="wanted")])
    known = acceptance.read(tmp_path)
    assert acceptance.without_accepted(first, known).groups == ()
    assert acceptance.without_accepted(changed(line=70), known).groups == (), "the line may move"
    again = acceptance.without_accepted(changed("newer"), known)
    assert [group.operation for group in again.groups] == ["lib.f", "lib.g"]


def test_acceptances_are_merged(tmp_path: Path) -> None:
    entries = [acceptance.accept(changed(value).groups[0]) for value in ("b", "a")]
    acceptance.write(tmp_path, entries)
    acceptance.write(tmp_path, [*acceptance.read(tmp_path), *entries])
    (one,) = acceptance.read(tmp_path)
    assert len(one.marks) == 2


def test_a_long_value_is_cut_to_where_it_differs() -> None:
    one, other = page.focus("x" * 1000 + "a" + "y" * 1000, "x" * 1000 + "b" + "y" * 1000)
    assert "xa" in one
    assert "xb" in other
    assert len(one) <= page.WIDE
