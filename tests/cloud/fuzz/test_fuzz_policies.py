"""What a campaign found decides which tests are rerun: those that meet the triggering condition."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.cloud import rewriting, targets
from likewise.cloud.fuzz.session import addressed
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role

SUITE = """
import boto3, os, pytest

@pytest.fixture
def store(request):
    s3 = boto3.client("s3")
    bucket = "lw-" + request.node.name.replace("_", "-") + os.urandom(3).hex()
    s3.create_bucket(Bucket=bucket)
    return s3, bucket

def test_plain(store):
    s3, bucket = store
    s3.put_object(Bucket=bucket, Key="a", Body=b"x")

def test_redirected(store):
    s3, bucket = store
    s3.put_object(Bucket=bucket, Key="a", Body=b"x", WebsiteRedirectLocation="/b")

def test_deleted(store):
    s3, bucket = store
    s3.delete_bucket(Bucket=bucket)
"""


@pytest.mark.server
@pytest.mark.slow
def test_only_a_test_inside_the_condition_of_a_finding_is_rerun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = targets.find("moto")
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"moto is not installed: {targets.install_command(spec)}")
    monkeypatch.chdir(tmp_path)
    rule = rewriting.reject_parameter("s3.PutObject", "x-amz-website-redirect-location")
    with (
        targets.start(spec, role=Role.CANDIDATE, services=frozenset({"s3"})) as moto,
        RewritingServer(str(moto.endpoint("s3")), [rule], service="s3") as front,
    ):
        candidate, reference = addressed(moto, "s3"), f"s3+{front.url}"
        (tmp_path / "likewise.toml").write_text(f'candidate = "{candidate}"\nreference = "{reference}"\n')
        (tmp_path / "test_store.py").write_text(SUITE)
        fuzzed = CliRunner().invoke(
            main, ["fuzz", "s3", "--ops", "PutObject", "--budget", "250", "--seed", "2", "--json"]
        )
        assert fuzzed.exit_code == 0, fuzzed.output
        (finding,) = json.loads(fuzzed.stdout)["discrepancies"]
        assert finding["condition"].startswith("only when WebsiteRedirectLocation is given")
        assert [step["op"] for step in finding["sequence"]] == ["CreateBucket", "PutObject"]
        for policy in ("api", "combined"):
            assert _rerun(tmp_path, policy) == {"test_redirected"}


def _rerun(folder: Path, policy: str) -> set[str]:
    """The tests that a run of the suite under a policy wants to see on the reference."""
    options = ("--likewise", f"--likewise-policy={policy}", f"--likewise-json={policy}.json", "-q")
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", *options]
    subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    told = json.loads((folder / f"{policy}.json").read_text())
    return {each["test"].rpartition("::")[2] for each in told["tests"] if each["verdict"]["kind"] == "rerun"}
