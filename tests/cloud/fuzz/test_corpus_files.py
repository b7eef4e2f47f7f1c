"""Corpora as files: read what others publish, merge as a union, write no secret, record from a reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Text
from likewise.cloud.fuzz.corpus.cases import Agrees, Case, CorpusUnreadable, Differs, NotComparable, Recorded
from likewise.cloud.fuzz.corpus.reading import read_corpora, read_corpus
from likewise.cloud.fuzz.corpus.replay import Player
from likewise.cloud.fuzz.corpus.traffic import Traffic
from likewise.cloud.fuzz.corpus.writing import case_of, write_corpus
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import Log
from likewise.cloud.targets import Running
from likewise.model import FormatTooNew, Role


def row(id: str = "c", **params: Any) -> dict[str, Any]:
    return {
        "id": id,
        "service": "s3",
        "sequence": [{"op": "CreateBucket", "params": {"Bucket": "b1", **params}}],
        "real_cloud": {"ok": True, "status": 200, "error_code": None, "message": None},
        "note": "n",
    }


def put(path: Path, text: object) -> Path:
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: json.dumps(rows),
        lambda rows: json.dumps({"cases": rows}, indent=2),
        lambda rows: "\n".join(map(json.dumps, rows)),
        lambda rows: json.dumps({"made": "today", "s3": rows, "dynamodb": []}),
        lambda rows: json.dumps({each.pop("id"): each for each in rows}),
    ],
)
def test_cases_are_read_from_a_list_an_object_or_lines(tmp_path: Path, form: Any) -> None:
    found = read_corpus(put(tmp_path / "f", form([row("one"), row("two")])))
    assert [case.id for case in found] == ["one", "two"]
    assert all(isinstance(case, Case) and case.recorded == Recorded(ok=True, status=200) for case in found)


@pytest.mark.parametrize("name", ["Azure Blob Storage", "azure_storage_blob", "azure.blob", "BLOB"])
def test_a_service_is_known_by_any_of_its_names(tmp_path: Path, name: str) -> None:
    http = {"method": "PUT", "path": "/c", "query": "restype=container"}
    unnamed = {"params": {}, "http": http, "real_status": 201}
    (case,) = read_corpus(put(tmp_path / "f", [row() | {"service": name, "sequence": [unnamed]}]))
    assert isinstance(case, Case)
    assert (case.service, case.last.operation, case.unreadable) == ("blob", "PUT", "")


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    source = put(
        tmp_path / "a.json",
        [
            row("one", Body={"__repeat__": "0", "__len__": 9}),
            {
                **row("two"),
                "service": "azure-blob",
                "sequence": [
                    {
                        "op": "x",
                        "params": {"headers": {"If-Match": "*"}},
                        "http": {"method": "PUT", "path": "/c", "query": "a=b", "x-ms-version": "2021-08-06"},
                        "real_status": 412,
                        "real_error_code": "ConditionNotMet",
                    }
                ],
            },
        ],
    )
    first = read_corpus(source)
    write_corpus(tmp_path / "b", first)
    again = read_corpus(tmp_path / "b")
    write_corpus(tmp_path / "c", again)
    assert (tmp_path / "b").read_text() == (tmp_path / "c").read_text()
    assert [case.id for case in again] == ["one", "two"]
    last = again[1]
    assert isinstance(last, Case)
    assert last.service == "blob"
    assert last.steps[0].recorded == Recorded(ok=False, status=412, code="ConditionNotMet")


def test_merging_is_a_union_whatever_the_order(tmp_path: Path) -> None:
    one, two = put(tmp_path / "1", [row("a"), row("b")]), put(tmp_path / "2", [row("b"), row("c")])
    for name, files in (("ab", (one, two)), ("ba", (two, one, one))):
        arguments = ["corpus", "merge", *map(str, files), "--into", str(tmp_path / name), "--json"]
        run = CliRunner().invoke(main, arguments)
        assert json.loads(run.stdout)["entries"] == 3
    assert (tmp_path / "ab").read_bytes() == (tmp_path / "ba").read_bytes()
    again = ["corpus", "merge", str(tmp_path / "ab"), "--into", str(tmp_path / "abab")]
    assert CliRunner().invoke(main, again).exit_code == 0
    assert (tmp_path / "abab").read_bytes() == (tmp_path / "ab").read_bytes()


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    secret = "?sv=2021-08-06&sp=r&sig=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmU%3D"
    write_corpus(tmp_path / "c", read_corpus(put(tmp_path / "a", [row(CopySource=f"https://x/y{secret}")])))
    assert "c2VjcmV0" not in (tmp_path / "c").read_text()


@pytest.mark.parametrize("text", ["", "hello", "[1]", '{"a": 1}', '[{"id": "x"}]', "[", '{"likewise": "x"}'])
def test_what_is_no_corpus_is_said_to_be_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(CorpusUnreadable) as error:
        read_corpus(put(tmp_path / "f", text))
    assert str(tmp_path / "f") in str(error.value)


def test_cases_of_a_service_that_the_candidate_lacks_are_not_comparable(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    case = {"id": "z", "service": "kinesis", "sequence": [{"op": "ListStreams"}], "real_cloud": {"ok": True}}
    path.write_text(json.dumps([case]))
    result = CliRunner().invoke(main, ["corpus", "check", str(path), "--candidate", "moto", "--json"])
    assert [each["verdict"] for each in json.loads(result.stdout)["cases"]] == ["not comparable"]


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatTooNew):
        read_corpus(put(tmp_path / "f", '{"likewise": "corpus", "version": 99}\n'))


def test_a_sequence_of_a_campaign_becomes_a_case() -> None:
    bucket = Name("bucket")
    calls = [
        Call(service="s3", operation="CreateBucket", params={"Bucket": bucket}),
        Call(service="s3", operation="PutObject", params={"Bucket": bucket, "Key": "k", "Body": b"\xff"}),
        Call(
            service="s3",
            operation="CopyObject",
            params={"Bucket": bucket, "CopySource": Text((bucket, "/k?v=", Ref(1, ("Versions", 0, "Id"))))},
        ),
    ]
    refused = Answer(success=False, status=404, code="NoSuchKey", message="gone")
    answers = [Answer(success=True, status=200), None, refused]
    case = case_of("s3", calls, answers, id="x", reference="aws")
    name = case.steps[0].params["Bucket"]
    assert case.steps[1].params["Body"] == {"__b64__": "/w=="}
    assert case.steps[2].params["CopySource"] == f"{name}/k?v=${{2.Versions[0].Id}}"
    assert case.recorded == Recorded(ok=False, status=404, code="NoSuchKey", message="gone")


def test_export_gives_the_published_form(tmp_path: Path) -> None:
    source = put(tmp_path / "a", [row("a")])
    run = CliRunner().invoke(main, ["corpus", "export", str(source)])
    assert json.loads(run.stdout) == [row("a")]


def exchange(
    seq: int, method: str, path: str, *, status: int, body: str = "", answer: str = ""
) -> dict[str, Any]:
    return {
        "run": "r",
        "test": "t",
        "seq": seq,
        "request": {
            "method": method,
            "url": f"https://my-bucket-0123456.s3.amazonaws.com{path}",
            "headers": {
                "Authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20240101/us-east-1/s3/aws4_request"
            },
            "body": body,
        },
        "response": {"status": status, "headers": {"Content-Type": "application/xml"}, "body": answer},
    }


ERROR = "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"
TRAFFIC = [
    exchange(1, "PUT", "/", status=200),
    exchange(2, "PUT", "/k", status=200, body="hello"),
    exchange(3, "GET", "/k", status=200, answer="hello"),
    exchange(4, "GET", "/none", status=404, answer=ERROR),
    exchange(5, "GET", "/none", status=403, answer=ERROR.replace("NoSuchKey", "AccessDenied")),
    exchange(6, "DELETE", "/", status=204),
    exchange(7, "GET", "/k", status=404, answer=ERROR.replace("NoSuchKey", "NoSuchBucket")),
]


def har(rows: list[dict[str, Any]]) -> dict[str, Any]:
    def headers(found: dict[str, str]) -> list[dict[str, str]]:
        return [{"name": name, "value": value} for name, value in found.items()]

    return {
        "log": {
            "entries": [
                {
                    "_test": "t",
                    "request": {
                        "method": each["request"]["method"],
                        "url": each["request"]["url"],
                        "headers": headers(each["request"]["headers"]),
                        "postData": {"text": each["request"]["body"]},
                    },
                    "response": {
                        "status": each["response"]["status"],
                        "headers": headers(each["response"]["headers"]),
                        "content": {"text": each["response"]["body"]},
                    },
                }
                for each in rows
            ]
        }
    }


@pytest.fixture(scope="module")
def moto() -> Iterator[Running]:
    with targets.start(targets.find("moto"), role=Role.CANDIDATE) as running:
        yield running


@pytest.mark.server
@pytest.mark.parametrize("form", ["lines", "har", "corpus"])
def test_every_call_of_recorded_traffic_is_judged(moto: Running, tmp_path: Path, form: str) -> None:
    file = put(tmp_path / "lines", "\n".join(map(json.dumps, TRAFFIC)))
    if form == "har":
        file = put(tmp_path / "f.har", json.dumps(har(TRAFFIC), indent=1))
    if form == "corpus":
        write_corpus(tmp_path / "own", read_corpus(file))
        file = tmp_path / "own"
    found = list(Player([moto]).verdicts(read_corpora([file])))
    kinds = [type(verdict) for verdict in found]
    # A bucket that is not empty is deleted in the recording only: nothing after that counts.
    assert kinds == [Agrees, Agrees, Agrees, Agrees, Differs, Differs, NotComparable], found
    assert found[4].case.endswith("#5:s3.GetObject")


@pytest.mark.server
def test_a_recorded_reference_answers_for_itself(moto: Running, tmp_path: Path) -> None:
    """What a server said is what it says again: a corpus recorded from it agrees with it in all."""
    url = f"s3+{moto.endpoint('s3')}"
    rows = [
        row("fine"),
        {
            **row("missing"),
            "sequence": [
                row()["sequence"][0],
                {"op": "GetObject", "params": {"Bucket": "b1", "Key": "none"}},
            ],
        },
        {**row("unplayable"), "sequence": [{"op": "GetObject", "params": {"Bucket": "${7.x}", "Key": "k"}}]},
    ]
    source, into = put(tmp_path / "a", rows), tmp_path / "b"
    arguments = ["corpus", "record", str(source), "--reference", url, "--into", str(into), "--json"]
    run = CliRunner().invoke(main, arguments)
    assert run.exit_code == 0, run.output
    assert [each["id"] for each in json.loads(run.stdout)["skipped"]] == ["unplayable"]
    cases = {case.id: case for case in read_corpus(into)}
    missing = cases["missing"]
    assert isinstance(missing, Case)
    assert missing.recorded.code == "NoSuchKey"
    assert "127.0.0.1" in missing.reference
    checked = CliRunner().invoke(main, ["corpus", "check", str(into), "--candidate", url, "--json"])
    verdicts = json.loads(checked.stdout)["cases"]
    assert [each["verdict"] for each in verdicts] == ["agrees", "agrees"]
    assert not any(each["message_differs"] for each in verdicts)


def test_traffic_names_its_calls(tmp_path: Path) -> None:
    (found,) = read_corpus(put(tmp_path / "f", "\n".join(map(json.dumps, TRAFFIC))))
    assert isinstance(found, Traffic)
    assert found.case_id(2) == "r/t#3:s3.GetObject"
    assert found.services == {"s3"}


@pytest.mark.server
def test_the_sequences_of_a_campaign_are_recorded_and_agree_with_who_answered(
    moto: Running, tmp_path: Path
) -> None:
    url, into = f"s3+{moto.endpoint('s3')}", tmp_path / "c"
    arguments = ["corpus", "record", "--service", "s3", "--ops", "PutObject,GetObject,DeleteBucket"]
    run = CliRunner().invoke(main, [*arguments, "--sequences", "25", "--reference", url, "--into", str(into)])
    assert run.exit_code == 0, run.output
    checked = CliRunner().invoke(main, ["corpus", "check", str(into), "--candidate", url, "--json"])
    rows = json.loads(checked.stdout)["cases"]
    # A value that was taken out of the file as a secret cannot be sent again.
    rest = [each for each in rows if "as a secret" not in each["reason"]]
    assert len(rest) > 10
    assert [each for each in rest if each["verdict"] != "agrees"] == []


def test_the_findings_of_a_campaign_are_sequences_to_be_recorded(tmp_path: Path) -> None:
    call = Call(service="s3", operation="CreateBucket", params={"Bucket": Name("bucket")})
    finding = Finding(
        service="s3",
        operation="CreateBucket",
        kind="success",
        place="",
        implication="unsafe",
        manifestation="response",
        cause="constraint not checked",
        condition="",
        evidence="",
        reference="400",
        candidate="200",
        shown_by="CreateBucket",
        sequence=(call,),
        hash="0123456789abcdef",
    )
    log = Log(tmp_path / "log.jsonl", header={"service": "s3"})
    log.finding(finding)
    log.close()
    (case,) = read_corpus(tmp_path / "log.jsonl")
    assert isinstance(case, Case)
    assert (case.id, case.steps[0].operation) == ("0123456789abcdef", "CreateBucket")
    assert case.recorded.success is None


def test_a_line_that_is_cut_off_does_not_spoil_the_others(tmp_path: Path) -> None:
    good = json.dumps(row("good"))
    for text in (f"{good}\n{good[:50]}", f"{good[:50]}\n{good}"):
        found = read_corpus(put(tmp_path / "f", text))
        assert sorted(bool(each.unreadable) for each in found if isinstance(each, Case)) == [False, True]
    written = tmp_path / "own"
    write_corpus(written, read_corpus(put(tmp_path / "f", [row("one"), row("two")])))
    written.write_text(written.read_text()[:-30])
    one, broken = read_corpus(written)
    assert isinstance(broken, Case)
    assert (one.id, broken.unreadable[:7]) == ("one", "line 3:")
    merged = ["corpus", "merge", str(written), "--into", str(tmp_path / "merged"), "--json"]
    answer = json.loads(CliRunner().invoke(main, merged).stdout)
    assert answer["entries"] == 1
    assert [each["id"] for each in answer["skipped"]] == ["line 3"]


def test_a_case_that_is_none_does_not_spoil_the_others(tmp_path: Path) -> None:
    rows = [row("good"), {"id": "bad", "service": "s3"}, 7, {**row("worse"), "sequence": [{"params": {}}]}]
    good, *others = read_corpus(put(tmp_path / "f", rows))
    assert isinstance(good, Case)
    assert good.id == "good"
    verdicts = list(Player(()).verdicts(others))
    assert [each.case for each in verdicts] == ["bad", "case 3", "worse"]
    assert all(isinstance(each, NotComparable) and "has no case there" in each.reason for each in verdicts)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sequence": "CreateBucket"}, "its sequence is no list"),
        ({"sequence": ["CreateBucket"]}, "a call is no JSON object"),
        ({"sequence": [{"op": "CreateBucket", "params": "b1"}]}, "params is no JSON object"),
        ({"sequence": [{"op": "GET /", "http": "GET /"}]}, "http is no JSON object"),
        ({"sequence": [{"op": "GET /", "real_status": "fine"}]}, "is no number but 'fine'"),
        ({"real_cloud": "fine"}, "an answer is no JSON object"),
    ],
)
def test_what_is_wrong_with_a_case_is_said(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    (case,) = read_corpus(put(tmp_path / "f", [row("one") | change]))
    assert isinstance(case, Case)
    assert (case.id, words in case.unreadable) == ("one", True), case.unreadable


@pytest.mark.parametrize("name", ["put_object_acl", "PutObjectAcl", "s3.PutObjectAcl", "s3:PutObjectAcl"])
def test_operations_are_known_by_the_name_of_their_method_too(tmp_path: Path, name: str) -> None:
    (case,) = read_corpus(put(tmp_path / "f", [row() | {"sequence": [{"op": name}]}]))
    assert isinstance(case, Case)
    assert case.last.operation == "PutObjectAcl"
    kept = row() | {"service": "azure-blob", "sequence": [{"op": "BlobClient.upload_blob"}]}
    (case,) = read_corpus(put(tmp_path / "g", [kept]))
    assert isinstance(case, Case)
    assert case.last.operation == "BlobClient.upload_blob"
