"""A project of a user's: a small suite, run as users run it, with trouble on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3

from likewise.cloud import targets
from likewise.cloud.rewriting import RewritingServer
from likewise.cloud.session import read_recording
from likewise.store import open_ledger

ACCESS_KEY, SECRET = "AKIAKINDNESSTESTING1", "a-secret-that-nobody-shares-with-anybody"
CACHE = targets.default_cache()
STEERING = ("PYTEST_", "AWS_", "AZURE_", "LIKEWISE_")
COMMAND = Path(sys.executable).parent / "likewise"

HEAD = """
import os

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

CONFIG = Config(retries={"total_max_attempts": 2, "mode": "standard"}, read_timeout=5)


@pytest.fixture(autouse=True)
def aws(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield


@pytest.fixture
def bucket():
    s3 = boto3.client("s3", config=CONFIG)
    s3.create_bucket(Bucket=BUCKET)
    yield s3
    for each in s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        s3.delete_object(Bucket=BUCKET, Key=each["Key"])
    s3.delete_bucket(Bucket=BUCKET)
"""
"""The head of a suite that brings its emulator itself and leaves nothing behind."""


def suite(*names: str, bucket: str = "kindness-in-a-bucket", more: str = "", own_keys: bool = True) -> str:
    """A suite with one test of a few calls for each name; `more` is said in each of them."""
    head = HEAD if own_keys else HEAD.replace("monkeypatch.setenv(name,", "os.environ.setdefault(name,")
    tests = [
        f"""
def test_{name}(bucket):
    bucket.put_object(Bucket=BUCKET, Key="{name}", Body=b"{name}")
    assert bucket.get_object(Bucket=BUCKET, Key="{name}")["Body"].read() == b"{name}"
    assert bucket.head_object(Bucket=BUCKET, Key="{name}")["ContentLength"] == {len(name)}
{more}"""
        for name in names
    ]
    return f'BUCKET = "{bucket}"\n' + head + "\n".join(tests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run said, and what it concluded where it got that far."""

    exit_code: int
    output: str
    content: dict[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """The output without the breaks of its lines."""
        return " ".join(self.output.split())

    @property
    def reference_calls(self) -> int:
        return int(self.content["spending"]["reference_calls"])

    def standing(self, standing: str) -> list[str]:
        """The tests that stand there, by their short names."""
        found = [each for each in self.content["tests"] if each["standing"] == standing]
        return sorted(each["test"].partition("::test_")[2] for each in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project with a suite."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def ledger(self) -> Path:
        return self.root / ".likewise" / "ledger.sqlite"

    def write(self, content: str, name: str = "test_it.py") -> None:
        self.root.joinpath(name).write_text(content)

    def configure(self, **keys: object) -> None:
        """The project's settings, for S3 and with no audits, which would blur the counts."""
        settings = {
            "candidate": "mock_aws",
            "services": ["s3"],
            "audit_share": 0.0,
            "audit_budget": 0,
            **keys,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        self.root.joinpath("likewise.toml").write_text("\n".join(lines))

    def command(self, *args: str) -> list[str]:
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        return [
            sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider",
            "--likewise", f"--likewise-json={report}", *args,
        ]  # fmt: skip

    def start(self, command: Iterable[str], **more: Any) -> subprocess.Popen[str]:
        """Begin a command, in an environment where nothing of the caller's steers it."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}
        return subprocess.Popen(
            list(command),
            cwd=self.root,
            env={**inherited, "LIKEWISE_CACHE": str(CACHE), "COLUMNS": "110", **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            **more,
        )

    def end(self, process: subprocess.Popen[str]) -> Ran:
        """What the run came to; nothing of ours may show a traceback or stay behind."""
        try:
            output, _ = process.communicate(timeout=120)
        finally:
            if process.poll() is None:
                process.kill()
        report = self.root / "report.json"
        content = json.loads(report.read_text()) if report.exists() else {}
        return Ran(exit_code=process.returncode, output=output, content=content)

    def run(self, *args: str, **more: Any) -> Ran:
        """Run the suite with Likewise."""
        return self.end(self.start(self.command(*args), **more))

    def verify(self, *args: str, **more: Any) -> Ran:
        """Run it and prove on the reference what has to be."""
        return self.run("--likewise-verify", *args, **more)

    def likewise(self, *args: str) -> Ran:
        """Call the `likewise` command."""
        return self.end(self.start([str(COMMAND), *args]))

    def press(self, process: subprocess.Popen[str], *, once: Callable[[], bool]) -> None:
        """Press Ctrl-C as soon as something holds."""
        deadline = time.monotonic() + 60
        while not once() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert once()
        process.send_signal(signal.SIGINT)

    def left(self) -> list[str]:
        """What `likewise clean --list` says is left on the reference."""
        listed = self.likewise("clean", "--list", "--json")
        assert listed.exit_code == 0, listed.output
        return [each["resource"] for each in json.loads(listed.output)]

    def proved(self) -> set[str]:
        """The tests that the ledger has evidence of; reads all of it."""
        with open_ledger(self.ledger, read_only=True) as ledger:
            assert ledger.check() == []
            tests = {attempt for run in self.recorded() for attempt in run}
            return {each.test.partition("::test_")[2] for _, each in ledger.evidence(sorted(tests))}

    def recorded(self) -> list[list[str]]:
        """The tests of every recording, oldest first; all of them must be readable."""
        folders = sorted(self.root.glob(".likewise/recordings/*"))
        found = [read_recording(sorted(folder.glob("*.jsonl"))) for folder in folders]
        return [[trace.test for trace in recording.traces if trace.test] for recording in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A server that nobody resets; `front.rules` is the trouble with it."""

    front: RewritingServer
    below: str

    @property
    def target(self) -> str:
        """As a configuration names it, with the keys that count there."""
        return "s3+dynamodb+" + self.front.url.replace("://", f"://{ACCESS_KEY}:{SECRET}@")

    def client(self, service: str = "s3") -> Any:
        """A client that goes past the trouble."""
        return boto3.client(
            service,
            endpoint_url=self.below,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET,
        )

    def buckets(self) -> list[str]:
        return [each["Name"] for each in self.client().list_buckets()["Buckets"]]
