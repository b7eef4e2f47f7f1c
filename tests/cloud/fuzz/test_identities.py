"""Who a call is made by: part of the call wherever it is written, and made by the SDKs' own means."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sample_findings import sample_finding
from seeds.authorisation import AUTHORISATION

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer, Call, Name, Side, resolve
from likewise.cloud.fuzz.catalogue.pages import markdown, text
from likewise.cloud.fuzz.catalogue.reproducers import script
from likewise.cloud.fuzz.corpus.cases import Step
from likewise.cloud.fuzz.corpus.excuses import excuse
from likewise.cloud.fuzz.corpus.reading import read_corpus
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.fuzz.corpus.writing import case_of, write_corpus
from likewise.cloud.fuzz.findings import from_json
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.hints.rights import ACCOUNT, FAMILIES, RIGHTS, SERVICE
from likewise.cloud.fuzz.identities import EVERYBODY, NOBODY, OWNER, Flaw, Identity, Means, identity_of
from likewise.cloud.fuzz.log import Campaigns, read
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.session import Order, addressed, run_worker
from likewise.cloud.fuzz.sides import open_side
from likewise.cloud.fuzz.sides.aws import MADE_UP
from likewise.cloud.fuzz.sides.shared_access import signature, with_wrong_key
from likewise.cloud.fuzz.tasks.callers import rounds
from likewise.cloud.leaks import scan
from likewise.cloud.rewriting import RewritingServer
from likewise.cloud.rewriting.messages import Request
from likewise.cloud.rewriting.rules import Rule
from likewise.cloud.rewriting.signature import is_signed_with
from likewise.model import Role

FORGED = Identity(flaw=Flaw.WRONG_SECRET)
SAS = Identity(means=Means.SERVICE_SAS, flaw=Flaw.EXPIRED, rights="r", scope="blob")
CONNECTION = "AccountName=devstoreaccount1;AccountKey=bGlrZXdpc2U=;BlobEndpoint=http://h/devstoreaccount1"


def planner(service: str) -> Planner:
    return Planner(load(service), hints_of(service))


@pytest.mark.parametrize("identity", [OWNER, EVERYBODY, NOBODY, FORGED, SAS])
def test_an_identity_is_read_back_as_it_was_written(identity: Identity) -> None:
    assert identity_of(identity.as_json()) == identity


def test_a_finding_says_who_called_wherever_it_is_shown() -> None:
    params = {"Bucket": Name("bucket")}
    calls = (
        Call(service="s3", operation="CreateBucket", params=params),
        Call(service="s3", operation="ListObjects", params=params, identity=NOBODY),
    )
    finding = sample_finding(sequence=calls, kind="success", also=("GetObject",))
    again = from_json(finding.as_json())
    assert again == finding
    assert again.identity == NOBODY
    assert [step.get("by") for step in finding.as_json()["sequence"]] == [None, NOBODY.as_json()]
    found = Campaigns(findings={finding.hash: finding})
    assert "ListObjects (anonymously)" in markdown(found)
    assert "so it is with GetObject" in "\n".join(text(found))
    assert 'ask(connect_as(url, "anonymous", "private"), "ListObjects"' in script(finding)


def test_a_reproducer_without_others_says_nothing_of_them() -> None:
    assert "connect_as" not in script(sample_finding())


def test_a_corpus_keeps_who_called(tmp_path: Path) -> None:
    calls = [Call(service="s3", operation="ListBuckets", identity=FORGED)]
    answer = Answer(success=False, status=403, code="SignatureDoesNotMatch")
    case = case_of("s3", calls, [answer], id="one", reference="aws")
    write_corpus(tmp_path / "corpus.jsonl", [case])
    (kept,) = read_corpus(tmp_path / "corpus.jsonl")
    assert kept.last.identity == FORGED  # type: ignore[union-attr]
    assert MADE_UP not in (tmp_path / "corpus.jsonl").read_text()


def test_who_called_is_no_excuse_where_the_file_says_it(tmp_path: Path) -> None:
    """A refusal for want of rights says nothing where it may be the account's; here nobody asked for it."""
    said = Answer(success=False, status=403, code="SignatureDoesNotMatch")
    taken = Answer(success=True, status=200)
    for who, is_excused in ((OWNER, True), (FORGED, False)):
        calls = [Call(service="s3", operation="ListBuckets", identity=who)]
        stage = Played(case_of("s3", calls, [said], id="one", reference="aws"))
        assert (excuse(stage, taken) is not None) == is_excused


class Played(Stage):
    """A case that somebody has played."""

    doubts: tuple[str, ...] = ()
    texts: Mapping[str, str] = {}

    def send(self, step: Step, *, is_last: bool) -> Answer:
        raise NotImplementedError

    def clean(self) -> None:
        raise NotImplementedError


@pytest.mark.parametrize("service", sorted(FAMILIES))
def test_a_few_operations_are_called_by_everybody_and_all_others_by_fewer(service: str) -> None:
    plan = planner(service)
    found = list(rounds(plan, plan.operations))
    by: dict[str, set[Identity]] = {}
    for _, each in found:
        by.setdefault(each.call.operation, set()).add(each.call.identity)
    assert set(FAMILIES[service]) <= by.keys()
    assert all({NOBODY, FORGED} <= those for those in by.values())
    assert all(len(those) > 2 for name, those in by.items() if name in FAMILIES[service])
    assert all(len(those) > 2 for name, those in by.items() if name not in FAMILIES[service])
    if service in RIGHTS:
        late = {name for name, those in by.items() if any(each.flaw is Flaw.EXPIRED for each in those)}
        assert late == by.keys(), "what is over is over, whatever is called"
    assert all(call.identity.is_owner for _, each in found for call in each.setup)
    states = [state for state, _ in found]
    order = ["by", "by more", "by all", "late", "late more", "late last"]
    assert states == sorted(states, key=order.index), "what tells most comes first"


@pytest.mark.parametrize("service", sorted(RIGHTS))
def test_who_is_not_permitted_yet_comes_last_and_who_is_permitted_after_who_is_not(service: str) -> None:
    """A call that is refused leaves its set-up for the next one."""
    plan = planner(service)
    found: dict[tuple[str, str], list[Flaw]] = {}
    for state, each in rounds(plan, plan.operations):
        found.setdefault((state, each.call.operation), []).append(each.call.identity.flaw)
    last = {name for state, name in found if state == "late last"}
    assert last == {name for state, name in found if state == "late more"} != set()
    for name in last:
        assert {*found["late last", name]} == {Flaw.EARLY}
        assert found["late more", name] == sorted(found["late more", name], reverse=True)
        assert {*found["late more", name]} == {Flaw.RIGHTS, Flaw.NONE}


@pytest.mark.parametrize("service", sorted(RIGHTS))
def test_who_lacks_a_right_has_all_others(service: str) -> None:
    plan = planner(service)
    for _, each in rounds(plan, plan.operations):
        who = each.call.identity
        if who.flaw is Flaw.RIGHTS and each.call.operation not in RIGHTS[service]:
            assert who.rights in ("r", "d"), "who may look may not write, and who may delete may not look"
        elif who.flaw is Flaw.RIGHTS:
            right = RIGHTS[service][each.call.operation]
            needed = right.account if who.means is Means.ACCOUNT_SAS else right.service
            every = ACCOUNT if who.means is Means.ACCOUNT_SAS else SERVICE[right.scope]
            assert set(who.rights) | set(needed) == set(every)
            assert not set(who.rights) & set(needed)


def test_no_signature_is_made_without_a_key() -> None:
    call = Call(service="blob", operation="Blob_Download", params={"container": "c", "blob": "b"})
    with pytest.raises(ValueError, match="no account key"):
        signature(SAS, call, "AccountName=a;SharedAccessSignature=sig", "http://h")
    with pytest.raises(ValueError, match="no account key"):
        with_wrong_key("AccountName=a")


def test_a_signature_for_https_is_no_flaw_where_that_is_spoken() -> None:
    """On the real service it would be right; the emulator beside it must not be blamed for refusing it."""
    call = Call(service="blob", operation="Blob_Download", params={"container": "c", "blob": "b"})
    only = Identity(means=Means.SERVICE_SAS, flaw=Flaw.PROTOCOL, rights="r", scope="blob")
    assert "spr=https" in signature(only, call, CONNECTION, "http://h/devstoreaccount1")
    with pytest.raises(ValueError, match="https"):
        signature(only, call, CONNECTION, "https://devstoreaccount1.blob.core.windows.net")


def test_what_has_expired_has_so_for_years() -> None:
    """No clock decides: a campaign at midnight, or on a slow machine, sees the same."""
    call = Call(service="blob", operation="Blob_Download", params={"container": "c", "blob": "b"})
    first, second = (signature(SAS, call, CONNECTION, "http://h") for _ in range(2))
    assert first == second
    assert "se=2020-01-02" in first


class Heard:
    """A server that notes what it is asked, in front of a real one."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.rule = Rule(name="hear", matches=lambda _: True, on_request=self._hear)

    def _hear(self, request: Request) -> Request:
        self.requests.append(request)
        return request


def running(name: str, service: str) -> targets.Running:
    spec = targets.find(name)
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"{name} is not installed: {targets.install_command(spec)}")
    return targets.start(spec, role=Role.CANDIDATE, services=frozenset({service}))


@pytest.fixture(scope="module")
def moto() -> Iterator[tuple[Side, Heard]]:
    heard = Heard()
    with (
        running("moto", "s3") as below,
        RewritingServer(str(below.endpoint("s3")), [heard.rule]) as front,
        targets.start(targets.find(f"s3+{front.url}"), role=Role.CANDIDATE) as target,
    ):
        side = open_side(target, "s3")
        make = {"Bucket": "identities", "Key": "key", "Body": b"hello"}
        side.call(Call(service="s3", operation="CreateBucket", params={"Bucket": "identities"}))
        side.call(Call(service="s3", operation="PutObject", params=make))
        yield side, heard


@pytest.mark.server
@pytest.mark.parametrize(
    ("identity", "header", "query"),
    [
        (OWNER, r"Credential=testing/", ""),
        (FORGED, r"Credential=testing/", ""),
        (Identity(flaw=Flaw.UNKNOWN_KEY), r"Credential=LIKEWISE", ""),
        (NOBODY, r"^$", ""),
        (Identity(means=Means.PRESIGNED), r"^$", "X-Amz-Signature"),
    ],
)
def test_a_call_to_s3_is_signed_as_its_identity_says(
    moto: tuple[Side, Heard], identity: Identity, header: str, query: str
) -> None:
    side, heard = moto
    heard.requests.clear()
    before = side.sent
    params = {"Bucket": "identities", "Key": "key"}
    answer = side.call(Call(service="s3", operation="GetObject", params=params, identity=identity))
    (request,) = heard.requests
    assert side.sent == before + 1
    assert re.search(header, request.header("Authorization"))
    assert query in request.target
    assert answer.success == (identity != NOBODY), "moto knows what is public, and verifies no signature"


@pytest.mark.server
@pytest.mark.parametrize("flaw", [Flaw.NONE, Flaw.CHANGED, Flaw.METHOD, Flaw.RESOURCE])
@pytest.mark.parametrize("operation", ["GetObject", "PutObject", "DeleteObject", "ListObjectsV2"])
def test_a_presigned_address_is_right_or_wrong_in_one_way(
    moto: tuple[Side, Heard], operation: str, flaw: Flaw
) -> None:
    side, heard = moto
    heard.requests.clear()
    params: dict[str, Any] = {"Bucket": "identities"}
    params |= {} if operation == "ListObjectsV2" else {"Key": "some key"}
    params |= {"Body": b"hello"} if operation == "PutObject" else {}
    identity = Identity(means=Means.PRESIGNED, flaw=flaw)
    assert side.call(Call(service="s3", operation=operation, params=params, identity=identity)).was_sent
    (request,) = heard.requests
    assert request.operation == f"s3.{operation}"
    assert (b"hello" in request.body) == (operation == "PutObject")
    assert is_signed_with(request, secret="testing") == (flaw is Flaw.NONE)


@pytest.mark.server
def test_the_owner_is_not_disturbed_by_others(moto: tuple[Side, Heard]) -> None:
    side, heard = moto
    call = Call(service="s3", operation="ListBuckets")
    for identity in (NOBODY, FORGED, Identity(means=Means.PRESIGNED), OWNER):
        heard.requests.clear()
        assert side.call(Call(service="s3", operation="ListBuckets", identity=identity)).success
    assert side.call(call).success
    assert all("Credential=testing/" in request.header("Authorization") for request in heard.requests)


@pytest.mark.server
@pytest.mark.parametrize(
    ("service", "operation"),
    [("blob", "Blob_Download"), ("queue", "Messages_Peek"), ("table", "Table_InsertEntity")],
)
def test_azurite_lets_in_whom_it_should_and_nobody_else(service: str, operation: str) -> None:
    """All signatures are what they say they are: Azurite verifies them, only where a client is it ignores."""
    plan = planner(service)
    with running("azurite", service) as target:
        side = open_side(target, service)
        for number, (_, each) in enumerate(rounds(plan, [operation])):
            names = {
                Name(kind): f"box{number}" if kind != "blob" else "thing"
                for kind in ("container", "blob", "queue", "table", "row")
            }
            said = [side.call(resolved(call, names)) for call in (*each.setup, each.call)]
            who = each.call.identity
            assert said[-1].success == (not who.flaw or who.flaw is Flaw.ADDRESS), f"{who}: {said[-1]}"
            assert said[-1].success or said[-1].status == 403


def resolved(call: Call, names: dict[Name, str]) -> Call:
    return replace(call, params=resolve(call.params, names, []))


@pytest.mark.server
@pytest.mark.slow
def test_a_campaign_finds_who_is_let_in_and_writes_down_no_signature(tmp_path: Path) -> None:
    """Seeded differences on Azurite, which refuses all these callers; reproducers show each of them again."""
    seeds = [each for each in AUTHORISATION if each.service == "queue"]
    log = tmp_path / "log.jsonl"
    with (
        running("azurite", "queue") as plain,
        RewritingServer(
            str(plain.endpoint("queue")), [each.rule for each in seeds], service="queue"
        ) as front,
    ):
        order = Order(
            service="queue",
            candidate=addressed(plain, "queue"),
            reference=f"queue+{front.url}",
            seed=7,
            operations=("Queue_Create", "Messages_*", "MessageId_Delete", "Queue_SetAccessPolicy"),
            budget=900,
            log=str(log),
            ours=True,
        )
        run_worker(order)
        found = read([log]).ranked()
        for each in found:
            module: dict[str, Any] = {"__name__": "reproducer"}
            (tmp_path / f"{each.hash}.py").write_text(script(each))
            exec(compile(script(each), "reproducer", "exec"), module)
            said = [
                module["sequence"](module["connect"](url), url, uuid.uuid4().hex[:10])["ok"]
                for url in (front.url, str(plain.endpoint("queue")))
            ]
            assert said == [True, False]
    assert {each.operation for each in found} == {each.operations[0] for each in seeds}
    assert all(len(each.sequence) <= 4 and each.implication == "false alarm" for each in found)
    assert scan([tmp_path]) == []
