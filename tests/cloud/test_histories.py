"""Histories of other recorders are read as runs of tests, or refused with the file and the line."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from likewise.cloud.histories import read_exchanges, read_har
from likewise.decide import Discrepant
from likewise.model import HistoryUnreadable, Returned
from likewise.run import count_context, count_published, opaque
from traffic import draw_script, exchanges

SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=K/20240101/r/s3/aws4_request, Signature=f"}


def row(run: object, test: str, seq: int, method: str, path: str, **more: Any) -> dict[str, Any]:
    return {
        "run": run,
        "test": test,
        "seq": seq,
        "t0": f"2024-01-0{1 + int(str(run))}T00:00:{seq:02}Z",
        "t1": f"2024-01-0{1 + int(str(run))}T00:00:{seq:02}.500Z",
        "request": {"method": method, "url": f"http://127.0.0.1:9000{path}", "headers": SIGNED, "body": None},
        "response": {"status": 200, "headers": {}, "body": None},
        **more,
    }


Write = Callable[..., Path]


@pytest.fixture
def lines(tmp_path: Path) -> Write:
    def write(*rows: object) -> Path:
        path = tmp_path / "history.jsonl"
        path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in rows))
        return path

    return write


def test_runs_are_read_oldest_first_and_calls_in_their_order(lines: Write) -> None:
    path = lines(
        row(1, "t1", 0, "GET", "/bucket/new"),
        row(0, "t1", 1, "GET", "/bucket/second"),
        "",
        row(0, "t1", 0, "GET", "/bucket/first"),
        row(0, "t2", 2, "GET", "/bucket/third"),
    )
    first, second = read_exchanges(path)
    assert [(run.provenance.run, run.calls) for run in (first, second)] == [("0", 3), ("1", 1)]
    assert [trace.test for trace in first.traces] == ["t1", "t2"]
    names = [call.arguments["resource"] for trace in first.traces for call in trace.interactions]
    assert names == [["bucket", "first"], ["bucket", "second"], ["bucket", "third"]]
    call = first.traces[0].interactions[0]
    assert str(call.operation) == "s3.GetObject"
    assert call.ended - call.started == pytest.approx(0.5)


def test_savings_of_a_small_history(lines: Write) -> None:
    """Run 2 does what run 1 did; run 3 reads something else after the same write."""
    calls = [("PUT", "/bucket/a"), ("GET", "/bucket/a"), ("GET", "/bucket/b")]
    rows = [row(run, "t1", seq, *call) for run in (0, 1) for seq, call in enumerate(calls)]
    rows += [
        row(2, "t1", seq, *call) for seq, call in enumerate([*calls[:2], ("HEAD", "/bucket/a"), calls[2]])
    ]
    runs = read_exchanges(lines(*rows))
    context = count_context(runs)
    assert [run.saved for run in context.runs] == [0, 3, 2]
    assert (context.warm.calls, context.warm.saved, context.cold.calls) == (7, 5, 10)
    assert context.tests_only is not None
    assert context.tests_only.saved == 3
    sequence = count_published("sequence", map(opaque, runs), Discrepant(names=None))
    assert [run.saved for run in sequence.runs] == [0, 3, 0]


@pytest.mark.parametrize("service", ["s3", "dynamodb", "blob", "queue", "table"])
def test_generated_traffic_survives_the_file(lines: Write, service: str) -> None:
    """Three runs that differ only in what they made up: all is saved from the second on."""
    script = draw_script(service, 3)
    rows = []
    for run in range(3):
        for seq, each in enumerate(exchanges(service, script, seed=run)):
            rows.append(
                {
                    "run": run,
                    "test": "t1",
                    "seq": seq,
                    "t0": 1e9 + 1000 * run + each.started % 100,
                    "t1": 1e9 + 1000 * run + each.ended % 100,
                    "request": {
                        "method": each.method,
                        "url": each.url,
                        "headers": each.headers,
                        "body": base64.b64encode(each.body or b"").decode(),
                        "encoding": "base64",
                    },
                    "response": {
                        "status": each.status,
                        "headers": each.response_headers,
                        "body": (each.response_body or b"").decode(),
                    },
                }
            )
    found = count_context(read_exchanges(lines(*rows)))
    assert [run.saved for run in found.runs][1:] == [len(script)] * 2
    assert found.warm.share == 1.0


def test_bodies_are_text_or_base64(lines: Write) -> None:
    text, binary = "plain", base64.b64encode(b"\x00\xff" * 200).decode()
    declared = row(0, "t", 0, "PUT", "/bucket/a")
    declared["request"] |= {"body": binary, "encoding": "base64"}
    guessed = row(0, "t", 1, "PUT", "/bucket/a")
    guessed["request"] |= {"body": binary, "headers": {**SIGNED, "Content-Length": "400"}}
    plain = row(0, "t", 2, "PUT", "/bucket/a")
    plain["request"] |= {"body": text}
    (run,) = read_exchanges(lines(declared, guessed, plain))
    bodies = [call.arguments["body"] for call in run.traces[0].interactions]
    assert bodies[0] == bodies[1] != binary
    assert bodies[2] == text


def test_a_call_without_an_answer_may_have_happened(lines: Write) -> None:
    silent = row(0, "t", 0, "PUT", "/bucket/a", response=None)
    (run,) = read_exchanges(lines(silent))
    assert not isinstance(run.traces[0].interactions[0].outcome, Returned)


GOOD = row(0, "t", 0, "GET", "/bucket/a")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{not json", "not JSON"),
        ("[1]", "not an object"),
        ({k: v for k, v in GOOD.items() if k != "run"}, "'run'"),
        ({k: v for k, v in GOOD.items() if k != "test"}, "'test'"),
        ({k: v for k, v in GOOD.items() if k != "response"}, "'response'"),
        ({**GOOD, "request": {"url": "http://h/"}}, "'method'"),
        ({**GOOD, "request": {"method": "GET"}}, "'url'"),
        ({**GOOD, "request": "GET /"}, "not an exchange"),
        ({**GOOD, "request": {"method": 1, "url": "http://h/"}}, "1 is not a text"),
        ({**GOOD, "request": {**GOOD["request"], "headers": ["a"]}}, "not an exchange"),
        ({**GOOD, "request": {**GOOD["request"], "body": {"a": 1}}}, "is not a text"),
        ({**GOOD, "request": {**GOOD["request"], "body": "é", "encoding": "base64"}}, "not an exchange"),
        ({**GOOD, "response": {"status": "soon"}}, "soon"),
        ({**GOOD, "seq": "first"}, "first"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(lines: Write, bad: object, said: str) -> None:
    path = lines(GOOD, "", bad)
    with pytest.raises(HistoryUnreadable) as caught:
        read_exchanges(path)
    assert f"{path} line 3" in str(caught.value)
    assert said in str(caught.value)
    assert "[history-unreadable]" in str(caught.value)


def test_what_is_not_a_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b"\n\xff\xfe\x00")
    with pytest.raises(HistoryUnreadable, match="not a text"):
        read_exchanges(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert read_exchanges(path)[0].calls == 1


def har(*entries: object, pages: object = ()) -> str:
    return json.dumps({"log": {"pages": pages, "entries": entries}})


def entry(method: str, path: str, **more: Any) -> dict[str, Any]:
    return {
        "startedDateTime": "2024-01-01T00:00:00.000Z",
        "time": 250,
        "request": {
            "method": method,
            "url": f"http://127.0.0.1:9000{path}",
            "headers": [{"name": name, "value": value} for name, value in SIGNED.items()],
        },
        "response": {"status": 200, "headers": [], "content": {}},
        **more,
    }


def test_a_har_file_is_a_run_and_its_pages_are_tests(tmp_path: Path) -> None:
    path = tmp_path / "monday.har"
    put = entry("PUT", "/bucket/a", pageref="p1")
    put["request"]["postData"] = {"mimeType": "text/plain", "text": "hello"}
    path.write_text(
        har(
            put,
            entry("GET", "/bucket/a", pageref="p1"),
            entry("GET", "/b"),
            pages=[{"id": "p1", "title": "saves"}],
        )
    )
    run = read_har(path)
    assert run.provenance.run == "monday"
    assert {trace.test: len(trace.interactions) for trace in run.traces} == {"saves": 2, "": 1}
    saves = next(trace for trace in run.traces if trace.test == "saves")
    assert saves.interactions[0].arguments["body"] == "hello"
    assert saves.interactions[0].ended - saves.interactions[0].started == pytest.approx(0.25)


def test_a_har_file_with_empty_members_is_read(tmp_path: Path) -> None:
    path = tmp_path / "h.har"
    bare = entry("GET", "/bucket/a")
    bare["request"]["postData"] = None
    bare["response"] |= {"content": None, "status": 0}
    path.write_text(har(bare))
    assert not isinstance(read_har(path).traces[0].interactions[0].outcome, Returned)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "h.har"),
        ('{"log": 1}', "h.har"),
        ('{"entries": []}', "'log'"),
        (har(entry("GET", "/a"), {"request": {}}), "entry 1"),
        (har(entry("GET", "/a", response={"headers": []})), "'status'"),
    ],
)
def test_what_is_not_a_har_file_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "h.har"
    path.write_text(text)
    with pytest.raises(HistoryUnreadable, match="not a HAR file") as caught:
        read_har(path)
    assert said in str(caught.value)
    assert 'It needs "log" with "entries"' in str(caught.value)
    assert "Error:" not in str(caught.value)
    assert str(path) in str(caught.value)
