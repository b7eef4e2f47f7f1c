"""`likewise clean` against a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import boto3
import pytest

from likewise.cloud import targets
from likewise.model import Role
from likewise.store import DEFAULT, open_ledger


@pytest.mark.server
def test_leftovers_are_deleted_once_the_user_agrees(likewise, project: Path) -> None:
    with targets.start(targets.find("moto"), role=Role.REFERENCE, services=frozenset({"s3"})) as server:
        url = server.endpoint("s3")
        name = f"s3+{url}"
        (project / "likewise.toml").write_text(
            f'candidate = "moto"\nreference = "{name}"\nservices = ["s3"]\n'
        )
        client: Any = boto3.client(
            "s3",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        for bucket in ("left-over", "not-ours"):
            client.create_bucket(Bucket=bucket)
        client.put_object(Bucket="left-over", Key="a b/c", Body=b"x")
        with open_ledger(DEFAULT) as ledger:
            ledger.remember_created("r1", name, "s3 bucket left-over", "by hand")
        likewise("clean", exit_code=1, answer="n\n")
        assert len(client.list_buckets()["Buckets"]) == 2
        assert "deleted 1 of 1 thing" in likewise("clean", answer="y\n").stdout
        assert [bucket["Name"] for bucket in client.list_buckets()["Buckets"]] == ["not-ours"]
        assert json.loads(likewise("clean", "--json").stdout) == []
