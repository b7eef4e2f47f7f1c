"""Campaigns on real servers: nothing where nothing differs, what was seeded where something does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sample_findings import sample_finding
from seeds.seed import SEEDS, Seed

from likewise.cli import main
from likewise.cloud import rewriting, targets
from likewise.cloud.fuzz.calls import Call, Name
from likewise.cloud.fuzz.catalogue.reproducers import pytest_file, script
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import Order, addressed, run_worker
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role, TargetUnavailable
from likewise.store import open_ledger

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def moto() -> Any:
    spec = targets.find("moto")
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"moto is not installed: {targets.install_command(spec)}")
    with targets.start(spec, role=Role.CANDIDATE) as running:
        yield running


def run(tmp_path: Path, moto: targets.Running, seeds: tuple[Seed, ...], **changes: Any) -> list[Finding]:
    """One campaign: the plain server against itself with these differences in front of it."""
    service = seeds[0].service if seeds else changes.pop("service")
    with RewritingServer(
        str(moto.endpoint(service)), [each.rule for each in seeds], service=service
    ) as front:
        order = Order(
            service=service,
            candidate=addressed(moto, service),
            reference=f"{service}+{front.url}",
            seed=7,
            log=str(tmp_path / "log.jsonl"),
            ours=True,
            **changes,
        )
        run_worker(order)
    return read([tmp_path / "log.jsonl"]).ranked()


def seeds_of(*operations: str) -> tuple[Seed, ...]:
    found = tuple(each for each in SEEDS if each.operations[0] in operations)
    assert len(found) >= len(operations)
    return found


@pytest.mark.parametrize("service", ["s3", "dynamodb"])
def test_one_server_on_both_sides_shows_no_difference(
    tmp_path: Path, moto: targets.Running, service: str
) -> None:
    assert run(tmp_path, moto, (), service=service, budget=120) == []


@pytest.mark.slow
def test_the_benchmark_of_equal_servers_reports_nothing_with_several_workers(moto: targets.Running) -> None:
    script = Path(__file__).parents[3] / "benchmarks" / "fuzz" / "same.py"
    command = [sys.executable, str(script), "--budget", "240", "--workers", "2", "dynamodb:moto"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| dynamodb | moto | 2 | 240 |" in done.stdout


@pytest.mark.slow
def test_seeded_differences_are_found_minimised_and_classified(tmp_path: Path, moto: targets.Running) -> None:
    names = ("GetBucketAcl", "GetBucketCors", "PutBucketWebsite", "GetBucketReplication", "DeleteBucket")
    seeds = seeds_of(*names)
    watched = (*names, "DeleteBucketWebsite", "PutBucketCors")
    found = run(tmp_path, moto, seeds, budget=400, operations=watched)
    assert {each.operation for each in found} == set(names)
    for seed in seeds:
        (fitting, *_) = [each for each in found if each.operation in seed.operations]
        assert len(fitting.sequence) <= 4
        if seed.implication:
            assert fitting.implication.upper().replace(" ", "_") == seed.implication
        if seed.causes:
            assert fitting.cause in seed.causes, fitting
        if seed.manifestations:
            assert fitting.manifestation in seed.manifestations, fitting


SMALL = ("CreateBucket", "HeadBucket", "DeleteBucket")


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rewriting.hang("s3.HeadBucket", seconds=4.0), marks=pytest.mark.slow),
        rewriting.garbage("s3.HeadBucket"),
        rewriting.lose_answer("s3.HeadBucket"),
    ],
    ids=lambda rule: rule.name,
)
def test_a_server_that_hangs_talks_nonsense_or_hangs_up_is_a_finding_and_no_more(
    tmp_path: Path, moto: targets.Running, rule: rewriting.Rule
) -> None:
    seed = Seed(service="s3", category="silence", operations=("HeadBucket",), rule=rule)
    timeout = 1.5 if rule.name == "hang" else 20.0
    found = run(tmp_path, moto, (seed,), budget=40, operations=SMALL, timeout=timeout)
    assert {(each.operation, each.kind, each.cause) for each in found} == {
        ("HeadBucket", "silence", "null reference")
    }


def test_throttling_by_the_server_is_waited_out(
    tmp_path: Path, moto: targets.Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likewise.cloud.fuzz.sides.execution.PAUSES", (0.0, 0.0, 0.0, 0.0))
    seed = Seed(service="s3", category="throttling", operations=(), rule=rewriting.throttle(5))
    assert run(tmp_path, moto, (seed,), budget=120, operations=SMALL) == []


def test_a_server_that_dies_for_good_ends_the_campaign_and_loses_nothing(
    tmp_path: Path, moto: targets.Running
) -> None:
    seeds = (
        *seeds_of("DeleteBucket"),
        Seed(service="s3", category="death", operations=(), rule=rewriting.die_after(150)),
    )
    with pytest.raises(TargetUnavailable, match="no longer answers"):
        run(tmp_path, moto, seeds, budget=400, operations=SMALL)
    kept = read([tmp_path / "log.jsonl"])
    assert "DeleteBucket" in {each.operation for each in kept.ranked()}
    assert kept.done


def test_a_budget_is_kept_and_a_stopped_campaign_resumes(tmp_path: Path, moto: targets.Running) -> None:
    with RewritingServer(str(moto.endpoint("s3")), [], service="s3") as front:
        order = Order(
            service="s3",
            candidate=addressed(moto, "s3"),
            reference=f"s3+{front.url}",
            seed=7,
            log=str(tmp_path / "log.jsonl"),
            budget=60,
            ledger=str(tmp_path / "ledger.sqlite"),
        )
        run_worker(order)
        assert front.count <= 61
        first = read([tmp_path / "log.jsonl"])
        assert first.done
        before = len(first.done)
        again = Order(
            **{name: getattr(order, name) for name in order.__slots__} | {"done": frozenset(first.done)}
        )
        run_worker(again)
        assert len(read([tmp_path / "log.jsonl"]).done) > before
        with open_ledger(str(tmp_path / "ledger.sqlite"), read_only=True) as ledger:
            assert ledger.created() == [], "what was made on somebody's server is gone again"


def test_a_cut_log_keeps_its_whole_lines(tmp_path: Path, moto: targets.Running) -> None:
    run(tmp_path, moto, (), service="s3", budget=40, operations=("CreateBucket", "DeleteBucket"))
    path = tmp_path / "log.jsonl"
    whole = read([path])
    path.write_bytes(path.read_bytes()[:-20])
    assert read([path]).done == whole.done


@pytest.mark.slow
def test_the_command_prints_the_agreed_json_and_fills_the_ledger(
    tmp_path: Path, moto: targets.Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "likewise.toml").write_text("")
    seeds = seeds_of("GetBucketAcl", "GetBucketCors")
    with RewritingServer(str(moto.endpoint("s3")), [each.rule for each in seeds], service="s3") as front:
        arguments = ["fuzz", "s3", "--candidate", addressed(moto, "s3"), "--reference", f"s3+{front.url}"]
        rest = ["--budget", "150", "--seed", "3", "--ops", "GetBucketAcl,GetBucketCors", "--json"]
        result = CliRunner().invoke(main, [*arguments, *rest, "--baseline", "known.json"])
        assert result.exit_code == 0, result.output
        data = json.loads(result.stdout)
        assert set(data) == {"discrepancies", "calls", "pairs", "operations", "seed"}
        assert data["seed"] == 3
        assert data["calls"] <= 150
        assert data["operations"]["called"] >= data["operations"]["succeeded"] > 0
        wanted = "operation kind implication manifestation cause condition sequence hash"
        assert all(" ".join(each) == wanted for each in data["discrepancies"])
        assert {each["operation"] for each in data["discrepancies"]} == {
            "s3.GetBucketAcl",
            "s3.GetBucketCors",
        }
        again = CliRunner().invoke(main, [*arguments, *rest, "--baseline", "known.json"])
        hashes = [each["hash"] for each in data["discrepancies"]]
        assert [each["hash"] for each in json.loads(again.stdout)["discrepancies"]] == hashes
        assert again.exit_code == 0
        (tmp_path / "known.json").write_text('{"version": 1, "findings": {}}')
        new = CliRunner().invoke(main, [*arguments, *rest, "--baseline", "known.json"])
        assert new.exit_code == 1
        _check_reports(tmp_path, front.url, str(moto.endpoint("s3")))
    with open_ledger(str(tmp_path / ".likewise" / "ledger.sqlite"), read_only=True) as ledger:
        assert set(ledger.discrepant_operations()) == {"s3.GetBucketAcl", "s3.GetBucketCors"}


def _check_reports(folder: Path, reference: str, candidate: str) -> None:
    shown = CliRunner().invoke(main, ["discrepancies", "--json", "--reproducers", str(folder / "repro")])
    assert len(json.loads(shown.stdout)["discrepancies"]) >= 2
    assert "# Discrepancies" in CliRunner().invoke(main, ["discrepancies", "--markdown"]).stdout
    assert "<h1>" in CliRunner().invoke(main, ["discrepancies", "--html"]).stdout
    covered = json.loads(CliRunner().invoke(main, ["coverage", "s3", "--json"]).stdout)
    assert covered["totals"]["discrepant"] == 2
    catalogue = json.loads(shown.stdout)["discrepancies"]
    denial = next(each["hash"] for each in catalogue if each["cause"] == "authorisation not enforced")
    (denied,) = (folder / "repro").glob(f"s3_getbucketacl_{denial}.py")
    ran = subprocess.run(
        [sys.executable, str(denied), reference, candidate], capture_output=True, text=True, check=True
    )
    ours, theirs = ran.stdout.splitlines()
    assert ours.startswith("reference: {'ok': False, 'status': 403")
    assert theirs.startswith("candidate: {'ok': True")


def test_a_baseline_that_is_none_is_refused_before_anything_is_called(tmp_path: Path) -> None:
    wrong = tmp_path / "known.json"
    wrong.write_text("0123456789abcdef\n")
    nowhere = ["--candidate", "http://127.0.0.1:9", "--reference", "http://127.0.0.1:9"]
    result = CliRunner().invoke(main, ["fuzz", "s3", *nowhere, "--baseline", str(wrong)])
    assert "not a baseline" in str(result.output) + str(result.exception)
    assert "nobody answers" not in str(result.output) + str(result.exception)


def test_reproducers_are_valid_python() -> None:
    from likewise.cloud.fuzz.grammar import load
    from likewise.cloud.fuzz.hints import hints_of
    from likewise.cloud.fuzz.planning.plans import Planner

    for service in ("s3", "dynamodb", "blob", "queue", "table"):
        planner = Planner(load(service), hints_of(service))
        for operation in planner.operations:
            finding = sample_finding(
                operation, service=service, sequence=planner.plan(operation).calls, candidate='"2"""'
            )
            compile(script(finding), operation, "exec")
            compile(pytest_file(finding), operation, "exec")


def test_a_reproducer_takes_keys_from_the_address_and_calls_the_address_without_them() -> None:
    calls = (Call(service="s3", operation="ListBuckets", params={"Prefix": Name("endpoint")}),)
    finding = sample_finding("ListBuckets", sequence=calls)
    module: dict[str, Any] = {"__name__": "reproducer"}
    exec(compile(script(finding), "reproducer", "exec"), module)
    client = module["connect"]("http://ME:SECRET@127.0.0.1:1")
    assert client.meta.endpoint_url == "http://127.0.0.1:1"
    assert client._request_signer._credentials.access_key == "ME"
    asked: list[dict[str, Any]] = []
    module["ask"] = lambda _, __, params: asked.append(params)
    module["sequence"](client, "http://ME:SECRET@127.0.0.1:1", "mark")
    assert asked == [{"Prefix": "http://127.0.0.1:1"}]
