"""Workers on a Dask cluster: their parts run elsewhere, what they find comes together here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.cloud import targets
from likewise.cloud.fuzz.cluster import Cluster, Part
from likewise.cloud.fuzz.log import read
from likewise.model import ConfigurationError, TargetUnavailable
from likewise.store import open_ledger


def test_lines_that_came_early_are_not_written_twice(tmp_path: Path) -> None:
    part = Part(str(tmp_path / "log"))
    part.take("one")
    part.take("two")
    part.finish(["one", "two", "three"])
    part.take("late")
    assert (tmp_path / "log").read_text().split() == ["one", "two", "three"]


def test_an_executor_that_is_no_cluster_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="dask://HOST:PORT"):
        Cluster("spark://127.0.0.1:1")


def test_a_scheduler_that_is_not_there_is_named() -> None:
    pytest.importorskip("distributed", reason="pip install 'likewise[dask]'")
    with pytest.raises(TargetUnavailable, match="no Dask scheduler answers"):
        Cluster("dask://127.0.0.1:1", patience=1)


@pytest.fixture
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="pip install 'likewise[dask]'")
    for name in ("moto", "ministack"):
        if targets.locate(targets.find(name), targets.default_cache()) is None:
            pytest.skip(f"{name} is not installed: {targets.install_command(targets.find(name))}")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=40
    ) as cluster:
        yield cluster.scheduler_address.removeprefix("tcp://")


@pytest.mark.server
@pytest.mark.slow
def test_a_campaign_on_a_cluster_fills_logs_and_ledger(
    tmp_path: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "likewise.toml").write_text("")
    arguments = ["fuzz", "s3", "--candidate", "moto", "--reference", "ministack", "--seed", "3", "--json"]
    rest = ["--budget", "80", "--workers", "2", "--ops", "GetBucketAcl,GetBucketTagging,HeadBucket"]
    result = CliRunner().invoke(main, [*arguments, *rest, "--executor", f"dask://{scheduler}"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["discrepancies"]
    assert data["operations"] == {"called": 3, "succeeded": 3}
    logs = sorted((tmp_path / ".likewise" / "fuzz").glob("*-w?.jsonl"))
    assert len(logs) == 2
    assert all(read([each]).done for each in logs), "each worker did its part"
    with open_ledger(str(tmp_path / ".likewise" / "ledger.sqlite"), read_only=True) as ledger:
        # What was called to set up the others, and left something else, is marked beside what was found.
        assert set(ledger.discrepant_operations()) >= {each["operation"] for each in data["discrepancies"]}
