"""Values of AWS in a recording: versions, tokens, ARNs and attributes become the candidate's own."""

from __future__ import annotations

from typing import Any

import pytest

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.arns import Arns
from likewise.cloud.fuzz.corpus.attributes import typed
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step
from likewise.cloud.fuzz.corpus.issued import Issued
from likewise.cloud.fuzz.corpus.names import FreshNames

AT = {"Bucket": "b", "Key": "k"}
REAL = "arn:aws:dynamodb:eu-west-1:000000000000:table/t1"
OWN = "arn:aws:dynamodb:us-east-1:123456789012:table/t1"


def gave(**fields: Any) -> Answer:
    return Answer(success=True, status=200, fields=fields)


def test_a_version_that_was_copied_from_or_read_is_one_that_the_candidate_made() -> None:
    issued = Issued()
    for name in ("one", "two"):
        issued.note(AT, gave(VersionId=name))
    issued.note(AT, Answer(success=False, status=404, fields={"VersionId": "three"}))
    copy = {"Bucket": "b", "Key": "other", "CopySource": "b/k?versionId=REAL1"}
    assert issued.put(copy, was_accepted=False)["CopySource"] == "b/k?versionId=one"
    source = {"Bucket": "b", "Key": "k", "VersionId": "REAL2"}
    assert issued.put({"CopySource": source}, was_accepted=False)["CopySource"]["VersionId"] == "two"
    assert issued.put({**AT, "VersionId": "REAL1"}, was_accepted=True)["VersionId"] == "one"
    for kept in ("null", "two", "REAL3"):
        assert issued.put({**AT, "VersionId": kept}, was_accepted=True)["VersionId"] == kept
    assert not issued.doubts


def test_a_version_in_a_call_whose_outcome_nobody_noted_is_a_doubt() -> None:
    issued = Issued()
    issued.note(AT, gave(VersionId="one"))
    for known in (
        {**AT, "VersionId": "one"},
        {**AT, "VersionId": "null"},
        {**AT, "Key": "z", "VersionId": "x"},
    ):
        assert issued.put(known, was_accepted=False) == known
    assert not issued.doubts
    deleted = {"Bucket": "b", "Delete": {"Objects": [{"Key": "k", "VersionId": "REAL"}]}}
    assert issued.put(deleted, was_accepted=False) == deleted
    assert "never gave" in issued.doubts[0]


def test_a_list_goes_on_where_the_candidate_said() -> None:
    issued = Issued()
    asked = {"Bucket": "b", "ContinuationToken": "REAL"}
    assert issued.put(asked, was_accepted=True) == asked
    assert "ContinuationToken" in issued.doubts[0]
    issued.note({"Bucket": "b"}, gave(NextContinuationToken="first"))
    issued.note({"Bucket": "b"}, gave(NextContinuationToken="second"))
    assert issued.put(asked, was_accepted=True)["ContinuationToken"] == "second"
    assert issued.put(asked, was_accepted=False)["ContinuationToken"] == "second", "so that the next goes on"
    again = {"Bucket": "b", "ContinuationToken": "first"}
    assert issued.put(again, was_accepted=True) == again


def test_an_arn_is_the_candidates_own_with_the_ids_that_it_gave() -> None:
    arns = Arns()
    arns.note(gave(TableDescription={"TableArn": OWN, "LatestStreamArn": f"{OWN}/stream/2024"}))
    arns.note(gave(BackupDetails={"BackupArn": f"{OWN}/backup/01-abc"}))
    sent = arns.put(
        {"RequestItems": {REAL: [{"TableName": f"{REAL}/index/i"}]}, "Arn": f"{REAL}/backup/07-xyz"}
    )
    assert sent == {"RequestItems": {OWN: [{"TableName": f"{OWN}/index/i"}]}, "Arn": f"{OWN}/backup/01-abc"}
    assert arns.put(f"{REAL}/stream/2020-01-01T00:00:00.1") == f"{OWN}/stream/2024"
    assert arns.put(f"{REAL}/backup/08-second") == f"{OWN}/backup/08-second"


def test_an_id_that_the_reference_did_not_know_is_nobodys() -> None:
    arns = Arns()
    arns.note(gave(BackupDetails={"BackupArn": f"{OWN}/backup/01-abc"}))
    assert arns.put(f"{REAL}/backup/07-xyz", is_unknown=True) == f"{OWN}/backup/07-xyz"
    assert arns.put(f"{REAL}/backup/07-xyz") == f"{OWN}/backup/01-abc"
    assert arns.put(f"{REAL}/backup/07-xyz", is_unknown=True) == f"{OWN}/backup/01-abc", "it was known before"
    assert arns.put(f"{OWN}/backup/01-abc") == f"{OWN}/backup/01-abc"
    other = REAL.replace("t1", "t2")
    assert arns.put(other) == other


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ({"Item": {"id": "a", "n": 1.5}}, {"Item": {"id": {"S": "a"}, "n": {"N": "1.5"}}}),
        ({"Item": {"id": {"S": "a"}, "flag": True}}, {"Item": {"id": {"S": "a"}, "flag": {"BOOL": True}}}),
        ({"Keys": [{"id": "a"}]}, {"Keys": [{"id": {"S": "a"}}]}),
        ({"Item": {"id": {"S": "a"}, "b": {}}}, {"Item": {"id": {"S": "a"}, "b": {}}}),
        ({"Item": {"id": {"M": {"Key": {"S": "x"}}}}}, {"Item": {"id": {"M": {"Key": {"S": "x"}}}}}),
        ({"Tags": [{"Key": "a", "Value": "b"}]}, {"Tags": [{"Key": "a", "Value": "b"}]}),
        ({"Item": {"b": {"B": "AAE="}}}, {"Item": {"b": {"B": "AAE="}}}),
    ],
)
@pytest.mark.parametrize("was_accepted", [True, False])
def test_attributes_get_the_types_without_which_they_cannot_be_sent(
    written: Any, sent: Any, was_accepted: bool
) -> None:
    assert typed(written, was_accepted=was_accepted) == sent


def test_a_text_that_is_no_base64_is_bytes_only_where_it_was_accepted() -> None:
    item = {"Item": {"b": {"B": "é!"}, "c": {"BS": ["é!", "AAE="]}}}
    accepted = {"Item": {"b": {"B": "é!".encode()}, "c": {"BS": ["é!".encode(), "AAE="]}}}
    assert typed(item, was_accepted=True) == accepted
    assert typed(item, was_accepted=False) == item


def test_a_table_has_its_fresh_name_before_an_index_and_in_an_arn_that_is_a_key() -> None:
    make = Step(operation="CreateTable", params={"TableName": "T4362f1"})
    names = FreshNames(Case(id="c", service="dynamodb", steps=(make,), recorded=Recorded(ok=True)))
    fresh = names.fresh["T4362f1"]
    assert names.value({"Statement": "select * from T4362f1.by_name"}) == {
        "Statement": f"select * from {fresh}.by_name"
    }
    arn = "arn:aws:dynamodb:us-east-1:1:table/"
    assert names.value({f"{arn}T4362f1": [], "xT4362f1": 1}) == {f"{arn}{fresh}": [], "xT4362f1": 1}
