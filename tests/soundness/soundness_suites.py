"""A suite of a user's, run as users run it, once with Likewise and once without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from soundness_kinds import ACCESS_KEY, SECRET

from likewise.cloud import targets
from likewise.cloud.targets.running import aws_environment, azure_environment

CACHE = targets.default_cache()
ORDER = os.environ.get("SOUNDNESS_ORDER", "1")
"""The seed that shuffles the suite's tests: what fails in some order fails in it again."""
STEERING = ("PYTEST_", "AWS_", "AZURE_", "LIKEWISE_")
SUITE = Path(__file__).parent / "suite"
AZURE = ("blob", "queue", "table")
SERVICES = ("s3", "dynamodb", *AZURE)
Results = dict[str, str]
"""How each test ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run with Likewise concluded."""

    exit_code: int
    output: str
    content: dict[str, Any]

    @property
    def tests(self) -> dict[str, dict[str, Any]]:
        return {each["test"]: each for each in self.content["tests"]}

    @property
    def reference_calls(self) -> int:
        return int(self.content["spending"]["reference_calls"])

    def standing(self, standing: str) -> list[str]:
        return sorted(test for test, each in self.tests.items() if each["standing"] == standing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project with a suite."""

    root: Path

    def configure(self, **keys: object) -> None:
        lines = [f"{key} = {_toml(value)}" for key, value in keys.items()]
        self.root.joinpath("likewise.toml").write_text("\n".join(lines))

    def add_plugin(self, name: str) -> None:
        shutil.copyfile(SUITE / f"{name}.py", self.root / f"{name}.py")

    def run(self, *args: str) -> Run:
        """Run it with Likewise."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        done = self._pytest("--likewise", f"--likewise-json={report}", *args, environment={})
        assert report.exists(), done.stdout
        return Run(exit_code=done.returncode, output=done.stdout, content=json.loads(report.read_text()))

    def plain(self, environment: Mapping[str, str], *args: str) -> Results:
        """Run it without Likewise, against whatever the environment names."""
        report = self.root / "plain.xml"
        done = self._pytest(f"--junitxml={report}", *args, environment=environment)
        assert report.exists(), done.stdout
        return {_node(case): _result(case) for case in ET.parse(report).iter("testcase")}

    def _pytest(self, *args: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """In a process of its own, where nothing of the caller's steers it."""
        shuffled = [] if "no:randomly" in args else [f"--randomly-seed={ORDER}"]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}
        return subprocess.run(
            [sys.executable, "-m", "pytest", *shuffled, *args],
            cwd=self.root,
            env={**inherited, **environment, "LIKEWISE_CACHE": str(CACHE)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )


Begin = Callable[..., Project]
"""Makes a new project with the suite, or some of its files, in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Where a side answers, service by service."""

    endpoints: dict[str, str]

    @property
    def target(self) -> dict[str, str]:
        """As a configuration names it: one target for AWS, with the keys that count there, one for Azure."""
        aws = self.endpoints["s3"].replace("://", f"://{ACCESS_KEY}:{SECRET}@")
        azure = ",".join(f"{each}+{url}" for each, url in self.endpoints.items() if each in AZURE)
        return {each: azure if each in AZURE else f"s3+dynamodb+{aws}" for each in self.endpoints}

    @property
    def environment(self) -> dict[str, str]:
        """As somebody without Likewise would set it."""
        return aws_environment(self.endpoints, access_key=ACCESS_KEY, secret_key=SECRET) | azure_environment(
            self.endpoints
        )


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {json.dumps(inner)}" for key, inner in value.items()) + "}"
    return json.dumps(value)


def _node(case: ET.Element) -> str:
    file = case.attrib["classname"].replace(".", "/") + ".py"
    return f"{file}::{case.attrib['name']}"


def _result(case: ET.Element) -> str:
    kinds = {child.tag for child in case}
    return "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"


def copy_suite(root: Path, services: Iterable[str]) -> None:
    """The suite's files, under names that pytest collects only there."""
    root.joinpath("pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    shutil.copyfile(SUITE / "shared.py", root / "conftest.py")
    for service in services:
        shutil.copyfile(SUITE / f"{service}.py", root / f"test_{service}.py")


def installed(name: str) -> targets.Spec:
    """A server that is there; the test is skipped where it is not."""
    spec = targets.find(name)
    if targets.locate(spec, CACHE) is None:
        pytest.skip(f"{name} is not installed: {targets.install_command(spec)}")
    return spec
