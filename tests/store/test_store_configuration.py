"""The configuration is what the user wrote, or an error that says what to write instead."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from likewise.model import ConfigurationError
from likewise.store import Configuration, load
from likewise.store.configuration import KEYS


def write(root: Path, text: str, *, name: str = "pyproject.toml") -> Path:
    (root / name).write_text(text, encoding="utf-8")
    return root


def tool(root: Path, text: str) -> Path:
    return write(root, f"[project]\nname = 'x'\n[tool.likewise]\n{text}")


def described(configuration: Configuration) -> dict[str, tuple[object, str]]:
    return {key: (value, source) for key, value, source in configuration.describe()}


@pytest.mark.parametrize("text", [None, "", "[tool.other]\na = 1"])
def test_without_any_configuration_there_are_defaults(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        write(tmp_path, text)
    found = load(tmp_path, environment={})
    assert found.candidate is None
    assert (found.policy, found.budget, found.isolation) == ("context", 10_000, "auto")
    assert (found.expiry_days, found.audit_share, found.audit_budget) == (30.0, 0.02, 50)
    assert found.ledger == str(tmp_path / ".likewise" / "ledger.sqlite")
    assert {source for _, source in described(found).values()} == {"default"}


def test_every_key_is_read_and_its_source_named(tmp_path: Path) -> None:
    tool(
        tmp_path,
        """
        candidate = "moto"
        reference = {s3 = "aws", blob = "azure"}
        services = ["s3", "blob"]
        policy = "combined"
        budget = 0
        ledger = "evidence/team.sqlite"
        expiry_days = 7
        audit_share = 0.5
        audit_budget = 3
        isolation = "reset"
        reroute = ["http://localhost:5000"]
        keep_runs = 5
        prices = "prices.toml"
        extra_secrets = ["x-password"]
        discrepant = [" s3.PutObject "]
        seed = -4
        boards = {bench = {kind = "gdb"}}
        """,
    )
    found = load(tmp_path, environment={})
    assert found.boards == {"bench": {"kind": "gdb"}}
    assert (found.candidate, found.reference) == ("moto", {"s3": "aws", "blob": "azure"})
    assert (found.services, found.policy, found.budget) == (("s3", "blob"), "combined", 0)
    assert (found.expiry_days, found.audit_share, found.audit_budget) == (7.0, 0.5, 3)
    assert (found.isolation, found.extra_secrets, found.seed) == ("reset", ("x-password",), -4)
    assert (found.discrepant, found.keep_runs) == (("s3.PutObject",), 5)
    assert found.ledger == str(tmp_path / "evidence" / "team.sqlite")
    assert found.prices == str(tmp_path / "prices.toml")
    sources = {source for _, source in described(found).values()}
    assert sources == {f"{tmp_path / 'pyproject.toml'} [tool.likewise]"}


def test_every_setting_is_a_key_and_every_key_a_setting() -> None:
    settings = {each.name for each in fields(Configuration)} - {"root", "sources"}
    assert settings == set(KEYS)


def test_a_file_of_its_own_counts_as_well(tmp_path: Path) -> None:
    write(tmp_path, 'candidate = "azurite"', name="likewise.toml")
    found = load(tmp_path, environment={})
    assert described(found)["candidate"] == ("azurite", str(tmp_path / "likewise.toml"))


def test_two_places_at_once_are_refused(tmp_path: Path) -> None:
    tool(tmp_path, "budget = 1")
    write(tmp_path, "budget = 2", name="likewise.toml")
    with pytest.raises(ConfigurationError, match="only one of them can count"):
        load(tmp_path, environment={})


@pytest.mark.parametrize(
    ("written", "meant"), [("budgett", "budget"), ("expiry-days", "expiry_days"), ("referense", "reference")]
)
def test_an_unknown_key_is_named_with_the_one_that_was_meant(
    tmp_path: Path, written: str, meant: str
) -> None:
    tool(tmp_path, f"{written} = 3")
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, environment={})
    assert f"unknown key '{written}'" in str(caught.value)
    assert f"Did you mean '{meant}'?" in str(caught.value)
    assert str(tmp_path / "pyproject.toml") in str(caught.value)


def test_a_key_like_no_other_lists_those_there_are(tmp_path: Path) -> None:
    tool(tmp_path, "xyzzy = 3")
    with pytest.raises(ConfigurationError, match=r"Known keys: candidate, reference, .*, seed\."):
        load(tmp_path, environment={})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("candidate = 3", "the name of a target"),
        ("candidate = ''", "the name of a target"),
        ("candidate = {}", "the name of a target"),
        ("reference = {s3 = 3}", "the name of a target"),
        ("services = 's3'", "a list of texts"),
        ("services = [3]", "a list of texts"),
        ("policy = 'contxt'", 'one of "context", "api", "sequence", "combined"'),
        ("policy = ['api']", 'one of "context"'),
        ("budget = '2000'", "a whole number, 0 or more"),
        ("budget = -1", "a whole number, 0 or more"),
        ("budget = true", "a whole number, 0 or more"),
        ("ledger = 1", "a text"),
        ("expiry_days = 0", "a number above 0"),
        ("expiry_days = inf", "a number above 0"),
        ("expiry_days = nan", "a number above 0"),
        ("audit_share = 2", "a number from 0 to 1"),
        ("audit_share = true", "a number from 0 to 1"),
        ("isolation = 'namespace'", 'one of "auto", "reset", "none"'),
        ("seed = 1.5", "a whole number"),
    ],
)
def test_a_wrong_value_says_what_was_expected_and_what_was_found(
    tmp_path: Path, line: str, expected: str
) -> None:
    tool(tmp_path, line)
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, environment={})
    key = line.split()[0]
    assert f"wrong value for '{key}'" in str(caught.value)
    assert f"expected {expected}" in caught.value.why
    assert ", got " in caught.value.why
    assert str(tmp_path / "pyproject.toml") in caught.value.where


def test_what_is_not_toml_is_refused_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, "[tool.likewise\n")
    with pytest.raises(ConfigurationError, match="line 1"):
        load(tmp_path, environment={})
    write(tmp_path, "[tool]\nlikewise = 3")
    with pytest.raises(ConfigurationError, match="expected a table"):
        load(tmp_path, environment={})


def test_the_environment_wins_and_is_named(tmp_path: Path) -> None:
    tool(tmp_path, 'candidate = "moto"\nbudget = 5\nseed = 1')
    found = load(
        tmp_path,
        environment={
            "LIKEWISE_CANDIDATE": "s3=moto, blob=azurite",
            "LIKEWISE_REFERENCE": "http://127.0.0.1:9000/?a=b",
            "LIKEWISE_LEDGER": "postgresql://me:secret@host/db",
            "LIKEWISE_BUDGET": "7",
            "LIKEWISE_SEED": "9",
        },
    )
    assert found.candidate == {"s3": "moto", "blob": "azurite"}
    assert found.reference == "http://127.0.0.1:9000/?a=b"
    assert found.ledger == "postgresql://me:secret@host/db"
    assert (found.budget, found.seed) == (7, 1)
    assert described(found)["budget"] == (7, "LIKEWISE_BUDGET")


def test_an_empty_variable_is_no_value(tmp_path: Path) -> None:
    assert load(tmp_path, environment={"LIKEWISE_BUDGET": ""}).budget == 10_000


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"LIKEWISE_BUDGET: wrong value for 'budget'.*got 'many'"):
        load(tmp_path, environment={"LIKEWISE_BUDGET": "many"})


def test_the_real_environment_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_BUDGET", "12")
    assert load(tmp_path).budget == 12


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host/db",
        "postgresql://me:se:cret@host:5432/db",
        "postgresql://me:s@cret@host/db",
    ],
)
def test_a_password_is_not_shown(tmp_path: Path, url: str) -> None:
    found = load(tmp_path, environment={"LIKEWISE_LEDGER": url})
    shown = str(described(found)["ledger"][0])
    assert "cret" not in shown
    assert shown.startswith("postgresql://me:…@host")


def test_services_follow_from_a_table_of_candidates(tmp_path: Path) -> None:
    tool(tmp_path, 'candidate = {s3 = "moto", blob = "azurite"}\nreference = "aws"')
    found = load(tmp_path, environment={})
    assert found.services == ("s3", "blob")
    assert described(found)["services"][1] == "derived from candidate"
    assert found.target("candidate", "blob") == "azurite"
    assert found.target("candidate", "table") is None
    assert found.target("reference", "blob") == "aws"
