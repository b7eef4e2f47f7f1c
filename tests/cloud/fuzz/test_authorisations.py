"""Calls by others than the account's owner: what differs over them, and what of that has one cause."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_side import FakeSide, Trick, campaign, failure
from sample_findings import sample_finding

from likewise.cloud.fuzz.authorisations import CANDIDATE, REFUSED, Authorisations
from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.campaign import Campaign
from likewise.cloud.fuzz.catalogue.known import discrepancies
from likewise.cloud.fuzz.differences.causes import AUTHORISATION, OTHER
from likewise.cloud.fuzz.differences.leniency import gathered
from likewise.cloud.fuzz.evidence import IDENTITY, Given, Sample
from likewise.cloud.fuzz.findings import Finding, Tally
from likewise.cloud.fuzz.identities import EVERYBODY, NOBODY, OWNER, Flaw, Identity, Means
from likewise.cloud.fuzz.log import Campaigns, Log, read

FORGED = Identity(flaw=Flaw.WRONG_SECRET)
EXPIRED = Identity(means=Means.ACCOUNT_SAS, flaw=Flaw.EXPIRED)


def refusing(*operations: str, whom: Identity | None = None, code: str = "AccessDenied") -> Trick:
    """Refuse some operations, or all of them, to one caller or to all who should be."""

    def trick(call: Call, *_: object) -> Answer | None:
        is_whom = call.identity == whom if whom else bool(call.identity.flaw)
        is_meant = is_whom and (not operations or call.operation in operations)
        return failure(403, code) if is_meant else None

    return trick


def findings(running: Campaign, log: Path) -> list[Finding]:
    """What a reader is told of a campaign."""
    return ended(running, log).ranked()


def ended(running: Campaign, path: Path) -> Campaigns:
    log = Log(path, header={"service": "s3"})
    try:
        for event in running.run():
            if isinstance(event, Finding):
                log.finding(event)
        log.coverage(running.tally, 0)
    finally:
        log.close()
        running.pair.close()
    return read([path])


def test_a_server_that_asks_nobody_who_they_are_is_one_finding(tmp_path: Path) -> None:
    found = findings(campaign(FakeSide(refusing()), FakeSide(), budget=None), tmp_path / "log.jsonl")
    (only,) = found
    assert (only.implication, only.cause, only.kind) == ("unsafe", AUTHORISATION, "success")
    assert {only.operation, *only.also} == set(campaign(FakeSide(), FakeSide()).cases.operations)
    assert only.identity == NOBODY
    assert "anonymously, or with a wrong secret key" in only.condition
    assert len(only.sequence) <= 2


def test_one_operation_that_nobody_is_kept_from_is_named(tmp_path: Path) -> None:
    reference = FakeSide(refusing())
    candidate = FakeSide(
        lambda call, *_: None if call.operation == "DeleteObject" else refusing()(call, 0, reference)
    )
    (only,) = findings(campaign(reference, candidate, budget=None), tmp_path / "log.jsonl")
    assert (only.operation, only.also) == ("DeleteObject", ())
    assert only.cause == AUTHORISATION


@pytest.mark.parametrize("operation", ["DeleteObject", "ListObjectsV2", "PutObject", "HeadBucket"])
def test_one_operation_that_is_open_to_one_caller_is_named_with_both(tmp_path: Path, operation: str) -> None:
    """Also where neither side asks who calls anything else."""
    reference = FakeSide(refusing(operation, whom=NOBODY))
    (only,) = findings(campaign(reference, FakeSide(), budget=None), tmp_path / "log.jsonl")
    assert (only.operation, only.also) == (operation, ())
    assert only.condition == "only when called anonymously"
    assert only.sequence[-1].identity == NOBODY
    assert all(call.identity == OWNER for call in only.sequence[:-1])


def test_a_caller_whom_only_one_side_lets_in_is_named_whatever_it_calls(tmp_path: Path) -> None:
    strict, lenient = FakeSide(refusing()), FakeSide()
    lenient.trick = lambda call, *_: None if call.identity == FORGED else refusing()(call, 0, strict)
    (only,) = findings(campaign(strict, lenient, budget=None), tmp_path / "log.jsonl")
    assert only.condition == "only when called with a wrong secret key"
    assert len(only.also) >= 5


def test_the_reverse_is_a_false_alarm(tmp_path: Path) -> None:
    candidate = FakeSide(refusing("GetObject", whom=NOBODY))
    (only,) = findings(campaign(FakeSide(), candidate, budget=None), tmp_path / "log.jsonl")
    assert (only.implication, only.cause) == ("false alarm", AUTHORISATION)
    assert "the reference does not ask" in only.evidence


def test_who_may_call_and_is_refused_is_no_matter_of_authorisation(tmp_path: Path) -> None:
    """A presigned address that is as it should be is refused by the candidate."""
    presigned = Identity(means=Means.PRESIGNED)
    candidate = FakeSide(refusing("GetObject", whom=presigned))
    (only,) = findings(campaign(FakeSide(), candidate, budget=None), tmp_path / "log.jsonl")
    assert (only.implication, only.cause) == ("false alarm", OTHER)
    assert only.condition == "only when called by a presigned URL"


def test_what_both_refuse_in_other_words_is_one_finding(tmp_path: Path) -> None:
    reference, candidate = FakeSide(refusing()), FakeSide(refusing(code="SignatureDoesNotMatch"))
    (only,) = findings(campaign(reference, candidate, budget=None), tmp_path / "log.jsonl")
    assert (only.kind, only.implication) == ("error code", "misleading")
    assert len(only.also) >= 5


def test_what_differs_for_the_owner_as_well_is_not_said_to_be_about_the_caller(tmp_path: Path) -> None:
    """It shows first by somebody else, where the object is public; the owner sees it just the same."""

    def trick(call: Call, number: int, side: FakeSide) -> Answer | None:
        answer = side.honest(call)
        is_public = call.operation == "PutObject" and call.params.get("ACL") == "public-read"
        if is_public:
            side.buckets[f"public {call.params['Bucket']}"] = {}
        if call.operation == "GetObject" and f"public {call.params['Bucket']}" in side.buckets:
            return Answer(success=True, status=200, fields={"Body": "something else"})
        return answer

    found = findings(campaign(FakeSide(trick), FakeSide(), budget=None), tmp_path / "log.jsonl")
    assert found
    assert all(each.identity.is_owner for each in found)


def test_denials_of_others_do_not_end_a_campaign() -> None:
    """Nor does what is said of their tokens: the user's own credentials are accepted."""
    sides = FakeSide(refusing(code="ExpiredToken")), FakeSide(refusing(code="ExpiredToken"))
    running = campaign(*sides, budget=None)
    assert [event for event in running.run() if isinstance(event, Finding)] == []
    running.pair.close()
    assert running.pair.reference.denials == 0


def test_identities_count_as_classes_in_the_coverage() -> None:
    running = campaign(FakeSide(), FakeSide(), budget=None)
    list(running.run())
    running.pair.close()
    wanted = set().union(*(running.cases.targets(name) for name in running.cases.operations))
    identities = {each for each in wanted if each[1] == "identity"}
    assert {("GetObject", "identity", "anonymous, private")} < identities
    assert identities <= running.tally.targets


def test_an_operation_that_fails_for_its_owner_is_not_called_by_others(tmp_path: Path) -> None:
    """Whatever others are told then, it says nothing about their rights."""

    def trick(call: Call, *_: object) -> Answer | None:
        if call.operation != "ListObjectsV2":
            return None
        return failure(400, "Bad") if call.identity.is_owner else failure(403, "AccessDenied")

    other = FakeSide(lambda call, *_: failure(400, "Bad") if call.operation == "ListObjectsV2" else None)
    assert findings(campaign(FakeSide(trick), other, budget=None), tmp_path / "log.jsonl") == []


def by(operation: str, identity: Identity, **given: str) -> Finding:
    call = Call(service="s3", operation=operation, identity=identity)
    said = {"kind": "success", "reference": "403 AccessDenied", "candidate": "success (200)"}
    name = f"{operation} {identity}"
    usual = {"cause": AUTHORISATION, **said}
    return sample_finding(operation, sequence=(call,), hash=name, **usual | given)


def test_two_operations_of_many_stay_two_findings() -> None:
    known = Authorisations()
    for number in range(6):
        known.note(f"Get{number}", NOBODY, ())
    found, folded = gathered([by("Get0", NOBODY), by("Get1", NOBODY)], {"s3": known})
    assert (len(found), folded) == (2, [])


def test_the_same_flaw_by_two_means_is_one_finding_of_an_operation() -> None:
    other = Identity(means=Means.SERVICE_SAS, flaw=Flaw.EXPIRED)
    (only,), folded = gathered([by("Get", EXPIRED), by("Get", other)], {})
    assert len(folded) == 1
    assert "account SAS that has expired, or with a service SAS that has expired" in only.condition


def test_who_is_refused_with_and_without_a_flaw_is_refused_for_the_means() -> None:
    right = Identity(means=Means.ACCOUNT_SAS)
    (only,), _ = gathered([by("Get", EXPIRED), by("Get", right)], {})
    assert only.identity == right


def test_who_takes_the_right_ones_as_the_wrong_ones_asks_nobody_for_a_right() -> None:
    right = Identity(means=Means.ACCOUNT_SAS)
    alone = by("Get", right, cause=OTHER)
    (only,), _ = gathered([by("Get", EXPIRED), alone], {})
    assert (only.identity, only.cause) == (right, AUTHORISATION)
    assert gathered([alone], {})[0] == [alone], "a side may be too strict with who has a right"


def test_all_that_may_be_wrong_with_a_key_is_one_finding_and_two_of_three_are_two() -> None:
    flaws = (Flaw.WRONG_SECRET, Flaw.UNKNOWN_KEY, Flaw.UNKNOWN_TOKEN)
    those = [by("Get", Identity(flaw=flaw)) for flaw in flaws]
    known = Authorisations()
    for each in (NOBODY, *(Identity(means=Means.PRESIGNED, flaw=flaw) for flaw in Flaw if flaw)):
        known.note("Get", each, ())
    assert len(gathered(those, {"s3": known})[0]) == 1
    known.cells["Get", str(Identity(flaw=Flaw.UNKNOWN_TOKEN))] = {REFUSED}
    assert len(gathered(those[:2], {"s3": known})[0]) == 2


def test_a_server_that_breaks_down_does_not_stand_for_one_that_refuses() -> None:
    failing = by("Get", NOBODY, reference="500 InternalError")
    found, _ = gathered([failing, *(by("Get", Identity(flaw=flaw)) for flaw in (Flaw.WRONG_SECRET,))], {})
    assert len(found) == 2


def test_what_was_seen_and_not_looked_into_is_named() -> None:
    known = Authorisations()
    for number in range(9):
        known.note(f"Get{number}", NOBODY, (CANDIDATE,))
    known.note("Get9", NOBODY, (REFUSED,))
    (only,), _ = gathered([by("Get0", NOBODY)], {"s3": known})
    assert only.also == tuple(f"Get{number}" for number in range(1, 9))
    assert "and 0 more" not in only.how
    assert only.how.endswith("Get7, Get8")


def test_the_ledger_hears_of_every_operation_and_only_of_calls_by_others() -> None:
    finding = by("GetObject", EVERYBODY, implication="unsafe")
    tally = Tally()
    sample = Sample(
        kind="success", place="", reference="", candidate="", implication="unsafe", manifestation="response"
    )
    tally.evidence.differ("GetObject", Given({IDENTITY}), sample)
    tally.evidence.agree("GetObject", Given())
    found = Campaigns(findings={finding.hash: finding}, tallies={"s3": tally})
    known = list(discrepancies(found))
    assert [(str(each.operation), each.condition) for each in known] == [("s3.GetObject", "identity")]
