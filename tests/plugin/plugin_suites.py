"""Suites of users, run as users run them: by `pytest` in a process of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

STUB = """
import json
import sys
import types
from pathlib import Path

from likewise.model import (
    AuditBound, Notice, NoCalls, Result, Role, RunFinished, Spending, Standing, TestReport, Trust,
)

HERE = Path(__file__).parent


def plain(recording):
    return {
        "run": recording.provenance.run,
        "code": recording.provenance.code,
        "targets": [str(each) for each in recording.provenance.targets],
        "complete": recording.complete,
        "traces": [
            {
                "test": trace.test,
                "role": trace.role.value,
                "attempt": trace.attempt,
                "world": trace.world,
                "result": trace.result.value,
                "failure": trace.failure,
                "unclear": list(trace.unclear),
                "operations": [str(each.operation) for each in trace.interactions],
                "borrowed": [(each.fixture, each.test) for each in trace.borrowed],
                "endings": [
                    (ending.fixture, sum(ending.since <= call.started <= ending.until
                                         for call in trace.interactions))
                    for ending in trace.endings
                ],
            }
            for trace in recording.traces
        ],
    }


def conclude(*, recording, configuration, root, verify, both, rerunner, emit, opened):
    order = json.loads((HERE / "order.json").read_text())
    told = {"verify": verify, "both": both, "policy": configuration.policy, "budget": configuration.budget,
            "candidate": configuration.candidate, "ledger": configuration.ledger, **plain(recording)}
    told["reruns"] = [
        plain(rerunner.rerun(tests, role=Role(role))) for tests, role in order.get("reruns", [])
    ]
    (HERE / "concluded.json").write_text(json.dumps(told))
    last = {trace.test: trace.result for trace in recording.traces if trace.test}
    reports = tuple(
        TestReport(
            test=test, standing=Standing.PROVED, verdict=Trust(reason=NoCalls()), candidate=result,
            reference=Result(order["reference"][test]) if test in order.get("reference", {}) else None,
        )
        for test, result in last.items()
    )
    spending = Spending(run="r", when=0.0, policy="context", tests=len(reports), calls=recording.calls,
                        reference_calls=0, seconds=0.0, reference_seconds=0.0, money=0.0,
                        reference_money=0.0, by_operation={})
    finished = RunFinished(run="r", spending=spending, tests=reports, audits=AuditBound(clean=0, failed=0))
    emit(finished)
    return finished


stub = types.ModuleType("likewise.cloud.hybrid")
stub.conclude = conclude
sys.modules["likewise.cloud.hybrid"] = stub
"""


@dataclass
class Suite:
    """A project with a suite, whose conclusion is a stub that writes down what it was given."""

    pytester: pytest.Pytester

    @property
    def root(self) -> Path:
        return self.pytester.path

    def configure(self, **keys: str) -> None:
        lines = [f'{key} = "{value}"' for key, value in keys.items()]
        self.root.joinpath("likewise.toml").write_text("\n".join(lines))

    def order(self, **order: Any) -> None:
        self.root.joinpath("order.json").write_text(json.dumps(order))

    def run(self, *args: str, timeout: float = 60) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess("-p", "no:randomly", *args, timeout=timeout)

    @property
    def concluded(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self.root.joinpath("concluded.json").read_text())
        return content

    @property
    def is_concluded(self) -> bool:
        return self.root.joinpath("concluded.json").exists()

    def traces(self, test: str = "") -> list[dict[str, Any]]:
        found = self.concluded["traces"]
        return [each for each in found if each["test"].endswith(test)]


MOCKED = """
import boto3
import pytest
from moto import mock_aws


@pytest.fixture(autouse=True)
def aws(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield boto3.client("s3")
"""
"""The head of a suite that brings moto itself."""

SERVED = """
import boto3
import pytest
"""
"""The head of a suite that takes its emulator from the environment."""

WAITING = """
import os
import time
from pathlib import Path

def wait_for_trace(pattern):
    # Traces are written in the background; a process that is killed takes the last ones with it.
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if any(path.read_bytes().count(b"\\n") > 1 for path in Path(__file__).parent.glob(pattern)):
            return
        time.sleep(0.05)
"""
"""The head of a suite whose process dies, once there is something on disk to survive it."""
