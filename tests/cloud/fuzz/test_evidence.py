"""What the ledger learns of a campaign covers every call that was seen to differ, whatever was made of it."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fake_side import FakeSide, campaign, failure, success
from observations import Witness, unmarked, witnessed
from sample_findings import sample_finding
from seeds import ALL

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.catalogue.known import conditions, discrepancies
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.evidence import IDENTITY, Evidence, Given, Sample
from likewise.cloud.fuzz.findings import Finding, Tally
from likewise.cloud.fuzz.log import Campaigns, read
from likewise.cloud.fuzz.session import Order, addressed, run_worker
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Difference, Implication, Role

SAMPLE = Sample(
    kind="value",
    place="A",
    reference="1",
    candidate="2",
    implication="wrong result",
    manifestation="response",
)


def seen(differing: list[set[str]], agreeing: list[set[str]]) -> Evidence:
    found = Evidence()
    for each in differing:
        found.differ("Put", Given(each), SAMPLE)
    for each in agreeing:
        found.agree("Put", Given(each))
    return found


def test_a_condition_is_what_every_call_that_differs_has_one_of() -> None:
    assert seen([{"A"}, {"B"}], [set()]).condition("Put") == {"A", "B"}
    assert seen([{"A"}, set()], [set()]).condition("Put") == set(), "a usual call differs as well"


def test_a_condition_is_claimed_only_where_a_call_outside_it_agreed() -> None:
    assert seen([{"A"}], []).condition("Put") == set()
    assert seen([{"A"}], [{"A", "B"}]).condition("Put") == set()
    assert seen([{"A"}], [{"B"}]).condition("Put") == {"A"}


def test_an_argument_that_came_along_is_left_out_only_where_it_was_seen_to_agree() -> None:
    assert seen([{"A", "B"}], [set(), {"B"}]).condition("Put") == {"A", "B"}, "which of them is not known"
    assert seen([{"A", "B"}, {"A"}], [set(), {"B"}]).condition("Put") == {"A"}
    assert seen([{"A", "B", "C"}, {"A", "B"}, {"A"}], [set(), {"B", "C"}]).condition("Put") == {"A"}
    assert seen([{"A", "B"}, {"A"}], [set()]).condition("Put") == {"A", "B"}, "B was never tried alone"


def test_evidence_comes_back_from_a_log_as_it_was() -> None:
    found, again = seen([{"A", "B"}, {"A"}], [set(), {"B"}]), Evidence()
    again.add(found.as_json())
    assert again == found
    older = Tally()
    older.add({key: value for key, value in Tally().as_json().items() if key != "evidence"})
    assert older.evidence == Evidence()


def test_what_a_recorded_call_does_not_show_is_no_condition() -> None:
    found = Evidence()
    found.agree("PutObject", Given())
    for each in ("ACL", "WebsiteRedirectLocation"):
        found.differ("PutObject", Given({each}), SAMPLE)
    assert conditions("s3", "PutObject", found) == {"x-amz-acl", "x-amz-website-redirect-location"}
    found.differ("PutObject", Given({"Metadata"}), SAMPLE)
    assert conditions("s3", "PutObject", found) == {""}, "it has many names"


def done(*sides: FakeSide, operations: tuple[str, ...]) -> tuple[Campaigns, Witness]:
    """What a campaign on two fakes found, as its log would tell."""
    with pytest.MonkeyPatch.context() as patch, witnessed(patch) as witness:
        running = campaign(*sides, budget=900, operations=operations)
        findings = {each.hash: each for each in running.run() if isinstance(each, Finding)}
    tally = running.tally
    tally.evidence = running.inquiry.sightings.evidence()
    return Campaigns(findings=findings, tallies={"s3": tally}), witness


class Grants(FakeSide):
    """Keeps the access rights of buckets, and shows some of those that it was given otherwise."""

    def __init__(self, wrongly: frozenset[str], name: str) -> None:
        super().__init__(self._rights, name)
        self.given: dict[str, str] = {}
        self.wrongly = wrongly

    def _rights(self, call: Call, _: int, __: FakeSide) -> Answer | None:
        bucket = str(call.params.get("Bucket", ""))
        if call.operation not in ("PutBucketAcl", "GetBucketAcl"):
            return None
        if bucket not in self.buckets:
            return failure(404, "NoSuchBucket")
        if call.operation == "PutBucketAcl":
            names = sorted(set(call.params) & (self.wrongly | {"ACL"}))
            self.given[bucket] = " ".join(names)
            return success()
        kept = self.given.get(bucket, "")
        rights = "none" if set(kept.split()) & self.wrongly else "some"
        return success(Grants=[{"Permission": rights}])


def test_the_condition_covers_what_was_explained_by_a_finding_with_another_parameter(tmp_path: Path) -> None:
    """The sides differ over PutBucketAcl by two parameters; one finding says so, of the first of them."""
    wrongly = frozenset({"AccessControlPolicy", "GrantRead"})
    sides = Grants(frozenset(), "one"), Grants(wrongly, "two")
    found, witness = done(*sides, operations=("CreateBucket", "PutBucketAcl", "GetBucketAcl"))
    known = [each for each in discrepancies(found) if each.operation.name == "PutBucketAcl"]
    assert len([each for each in found.findings.values() if each.operation == "PutBucketAcl"]) == 1
    assert {each.condition for each in known} == {"AccessControlPolicy", "x-amz-grant-read"}
    assert unmarked(witness.observations(), known, tmp_path) == []


def test_the_owner_s_calls_are_trusted_only_where_they_were_seen_to_agree() -> None:
    found = Evidence()
    found.differ("GetObject", Given({IDENTITY}), SAMPLE)
    assert conditions("s3", "GetObject", found) == {""}
    found.agree("GetObject", Given())
    assert conditions("s3", "GetObject", found) == {IDENTITY}


def test_what_is_folded_into_another_finding_still_marks_its_operation() -> None:
    head = sample_finding("HeadObject", hash="1" * 16)
    known = discrepancies(Campaigns(folded={head.hash: head}))
    assert [(str(each.operation), each.condition) for each in known] == [("s3.HeadObject", "")]


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.parametrize(
    ("service", "reference", "operations"),
    [
        ("s3", "ministack", ("PutBucketAcl", "CopyObject", "GetObject")),
        ("dynamodb", "dynalite", ("Scan", "UpdateItem", "BatchWriteItem")),
    ],
)
def test_every_call_that_differs_on_two_real_servers_is_marked(
    service: str, reference: str, operations: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("moto", reference):
        if targets.locate(targets.find(name), targets.default_cache()) is None:
            pytest.skip(f"{name} is not installed: {targets.install_command(targets.find(name))}")
    order = Order(service=service, candidate="moto", reference=reference, seed=1, operations=operations)
    with witnessed(monkeypatch) as witness:
        assert left_out(replace(order, budget=600), witness, tmp_path) == []


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.parametrize("service", ["blob", "table"])
def test_every_call_that_a_seeded_difference_changes_is_marked(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = targets.find("azurite")
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"azurite is not installed: {targets.install_command(spec)}")
    rules = [each.rule for each in ALL if (each.service, each.group) == (service, 14)]
    with (
        targets.start(spec, role=Role.CANDIDATE, services=frozenset({service})) as below,
        RewritingServer(str(below.endpoint(service)), rules, service=service) as front,
        witnessed(monkeypatch) as witness,
    ):
        candidate, reference = addressed(below, service), f"{service}+{front.url}"
        order = Order(service=service, candidate=candidate, reference=reference, seed=1, ours=True)
        assert left_out(replace(order, budget=900), witness, tmp_path) == []


def left_out(order: Order, witness: Witness, folder: Path) -> list[str]:
    """What differed in a campaign and would be trusted by what the ledger learns of it."""
    log = folder / "log.jsonl"
    run_worker(replace(order, log=str(log)))
    seen = list(witness.observations())
    assert len(seen) > 20
    return [str(each) for each in unmarked(seen, discrepancies(read([log])), folder)]


def test_what_was_seen_can_be_told_while_others_go_on_noting() -> None:
    """Hands of a campaign are threads; whoever writes the log is another."""
    running = campaign(FakeSide(name="one"), FakeSide(name="two"))
    sightings = running.inquiry.sightings
    put = Call(service="s3", operation="PutObject", params={"Bucket": "b", "Key": "k", "ACL": "private"})
    answers = [success()] * 2

    def note() -> None:
        for number in range(4_000):
            read = Call(service="s3", operation="GetObject", params={f"P{number}": 1})
            gap = Gap(
                operation="GetObject",
                index=1,
                difference=Difference.VALUE,
                place=f"{number}",
                reference="1",
                candidate="2",
                implication=Implication.WRONG_RESULT,
            )
            probe = Probe(call=replace(put, params={**put.params, f"Q{number}": 1}), observers=(read,))
            sightings.see(Case(probes=(probe,)), probe, [gap], (answers, answers))

    busy = threading.Thread(target=note)
    busy.start()
    try:
        while busy.is_alive():
            sightings.evidence()
    finally:
        busy.join()
        running.pair.close()
