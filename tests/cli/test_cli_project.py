"""Commands about the project: config, doctor, scan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from likewise.cloud.targets import doctor
from likewise.cloud.targets.doctor import Finding


def test_config_says_where_each_value_comes_from(
    likewise, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_BUDGET", "7")
    values = json.loads(likewise("config", "--json").stdout)["values"]
    assert values["candidate"] == {"value": "moto", "from": str(project / "likewise.toml")}
    assert values["budget"] == {"value": 7, "from": "LIKEWISE_BUDGET"}
    assert values["policy"] == {"value": "context", "from": "default"}
    lines = [line.split() for line in likewise("config").stdout.splitlines()]
    assert ["candidate", "moto", "likewise.toml"] in lines


def test_config_is_found_from_below(likewise, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "tests" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "tests" / "deep")
    assert json.loads(likewise("config", "--json").stdout)["root"] == str(project)


def test_config_shows_no_password(likewise, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_LEDGER", "postgresql://me:hidden@db/likewise")
    assert "hidden" not in likewise("config").output
    assert "hidden" not in likewise("config", "--json").output


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """A machine on which one server is missing."""
    findings = [
        Finding(name="boto3", state="ready", version="1.43"),
        Finding(name="ministack", state="missing", hint="python -m likewise.cloud.targets install ministack"),
        Finding(name="azurite", state="not needed", hint="python -m likewise.cloud.targets install azurite"),
    ]
    monkeypatch.setattr(doctor, "examine", lambda *_, **__: findings)
    return findings


def test_doctor_gives_the_command_for_what_is_missing(likewise, machine: list[Finding]) -> None:
    text = likewise("doctor", exit_code=1).stdout
    assert "MISSING" in text
    assert text.splitlines()[-1] == "  likewise install ministack"
    machine.pop(1)
    assert "Everything that is needed is here." in likewise("doctor").stdout


def test_doctor_speaks_json(likewise, machine: list[Finding]) -> None:
    found = json.loads(likewise("doctor", "--json", exit_code=1).stdout)
    assert [each["state"] for each in found] == ["ready", "missing", "not needed"]


def test_doctor_asks_for_what_the_configuration_names(likewise, project: Path, monkeypatch) -> None:
    asked: list[frozenset[str] | None] = []
    monkeypatch.setattr(doctor, "examine", lambda *, wanted: _note(asked, wanted))
    (project / "likewise.toml").write_text('candidate = {s3 = "moto", blob = "azurite"}\nreference = "aws"\n')
    likewise("doctor")
    likewise("doctor", "--all")
    assert asked == [frozenset({"moto", "azurite", "aws", "boto3", "azure-storage-blob"}), None]


def _note(asked: list[frozenset[str] | None], wanted: frozenset[str] | None) -> list[Finding]:
    asked.append(wanted)
    return []


def test_install_knows_only_targets(likewise) -> None:
    assert "Did you mean moto?" in likewise("install", "motto", exit_code=2).stderr


def test_scan_of_clean_files_counts_them(likewise, project: Path) -> None:
    (project / ".likewise").mkdir()
    (project / ".likewise" / "a.txt").write_text("harmless")
    assert likewise("scan").stdout == "no secrets in 1 file\n"


def test_scan_finds_a_key_of_this_environment_and_fails(
    likewise, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYq1w2e3")
    (project / "leak.txt").write_text("one\nkey wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzKEYq1w2e3\n")
    result = likewise("scan", "leak.txt", exit_code=1)
    assert "leak.txt" in result.stdout
    assert "wJalr" not in result.output, "the secret itself is not shown"
    found = json.loads(likewise("scan", "leak.txt", "--json", exit_code=1).stdout)
    assert (found["files"], found["leaks"][0]["line"]) == (1, 2)


def test_scan_of_nothing_is_an_error(likewise) -> None:
    assert "there is nothing to scan" in likewise("scan", exit_code=2).stderr


def test_the_footprint_of_a_package_that_nobody_has_is_refused(likewise, project: Path) -> None:
    (project / "test_it.py").write_text("def test_it(): pass\n")
    said = likewise(
        "library", "footprint", "no_such_package", "--", "pytest", "test_it.py", exit_code=2
    ).stderr
    assert "there is no module 'no_such_package'" in said
    assert "name it as it is imported" in said
