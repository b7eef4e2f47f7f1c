"""Targets by name and URL, the passive ones, installing, and what the doctor sees."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from likewise.cloud import targets
from likewise.cloud.targets import doctor, packages
from likewise.cloud.targets.spec import NodePackage, PythonPackage, Recipe, Spec
from likewise.model import ConfigurationError, CredentialsMissing, Role, TargetUnavailable


@pytest.fixture(autouse=True)
def _nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "AZURE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


class TestFinding:
    @pytest.mark.parametrize(
        ("typed", "meant"), [("motto", "moto"), ("AWS", "aws"), ("ministak", "ministack")]
    )
    def test_a_name_mistyped_gets_a_suggestion(self, typed: str, meant: str) -> None:
        with pytest.raises(ConfigurationError, match=rf"Did you mean {meant}\?"):
            targets.find(typed)

    def test_a_name_like_no_other_gets_the_list(self) -> None:
        with pytest.raises(ConfigurationError, match="Targets are moto, ministack"):
            targets.find("xxxxxxxx")

    def test_every_name_is_found_under_itself(self) -> None:
        assert {targets.find(name).name for name in targets.SPECS} == set(targets.SPECS)
        assert {name for name, spec in targets.SPECS.items() if spec.real} == {"aws", "azure"}

    def test_a_service_that_a_target_lacks_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="seaweedfs has no dynamodb"):
            targets.start(
                targets.find("seaweedfs"),
                role=Role.CANDIDATE,
                cache=tmp_path,
                services=frozenset({"dynamodb"}),
            )


class TestUrl:
    def test_services_stand_in_front(self, listener: int) -> None:
        spec = targets.find(f"s3+dynamodb+http://127.0.0.1:{listener}/")
        with targets.start(spec, role=Role.REFERENCE) as running:
            assert running.endpoint("s3") == running.endpoint("dynamodb") == f"http://127.0.0.1:{listener}"
            assert running.endpoint("blob") is None
            assert running.is_alive()
            assert not running.reset()
            assert not running.real

    def test_a_plain_url_needs_services_from_elsewhere(self, listener: int) -> None:
        spec = targets.find(f"http://127.0.0.1:{listener}")
        with pytest.raises(ConfigurationError, match="not said which services"):
            targets.start(spec, role=Role.REFERENCE)
        running = targets.start(spec, role=Role.REFERENCE, services=frozenset({"s3"}))
        assert running.environment()["AWS_ENDPOINT_URL_S3"] == f"http://127.0.0.1:{listener}"
        assert running.endpoint("dynamodb") is None

    def test_keys_in_the_url_are_used_and_never_shown(self, listener: int) -> None:
        spec = targets.find(f"s3+http://ME:se%2Fcret@127.0.0.1:{listener}")
        running = targets.start(spec, role=Role.REFERENCE)
        environment = running.environment()
        assert (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]) == ("ME", "se/cret")
        assert "cret" not in str(running.target) + environment["AWS_ENDPOINT_URL"] + spec.name

    def test_without_keys_the_users_own_serve_else_ones_that_mean_nothing(
        self, listener: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        running = targets.start(targets.find(f"s3+http://127.0.0.1:{listener}"), role=Role.REFERENCE)
        assert running.environment()["AWS_ACCESS_KEY_ID"] == "testing"
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "MINE")
        assert running.environment()["AWS_ACCESS_KEY_ID"] == "MINE"

    def test_keys_serve_the_cloud_in_whose_url_they_stand(self, listener: int) -> None:
        azurite = f"http://127.0.0.1:{listener}/devstoreaccount1"
        spec = targets.find(f"s3+http://ME:secret@127.0.0.1:{listener}, blob+{azurite}")
        environment = targets.start(spec, role=Role.REFERENCE).environment()
        assert (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]) == ("ME", "secret")
        assert environment["AZURE_STORAGE_ACCOUNT"] == "devstoreaccount1"
        assert environment["AZURE_STORAGE_KEY"] != "secret"
        both = f"s3+http://ME:secret@127.0.0.1:{listener}, blob+http://acme:a2V5@127.0.0.1:{listener}/acme"
        environment = targets.start(targets.find(both), role=Role.REFERENCE).environment()
        assert (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]) == ("ME", "secret")
        assert (environment["AZURE_STORAGE_ACCOUNT"], environment["AZURE_STORAGE_KEY"]) == ("acme", "a2V5")

    def test_two_pairs_of_keys_for_one_cloud_are_refused(self, listener: int) -> None:
        host = f"127.0.0.1:{listener}"
        spec = targets.find(f"s3+http://A:first@{host}, dynamodb+http://B:second@{host}")
        with pytest.raises(ConfigurationError, match="two pairs of keys for dynamodb, s3") as refused:
            targets.start(spec, role=Role.REFERENCE)
        assert "first" not in str(refused.value)

    def test_azure_services_on_ports_of_their_own(self, listener: int) -> None:
        base = f"http://127.0.0.1:{listener}/devstoreaccount1"
        running = targets.start(targets.find(f"blob+{base}, queue+{base}"), role=Role.CANDIDATE)
        text = running.environment()["AZURE_STORAGE_CONNECTION_STRING"]
        assert f"BlobEndpoint={base};QueueEndpoint={base};" in text
        assert "AccountName=devstoreaccount1;" in text
        assert "TableEndpoint" not in text

    def test_an_azure_account_without_a_key_is_refused(self, listener: int) -> None:
        running = targets.start(targets.find(f"blob+http://127.0.0.1:{listener}/mine"), role=Role.CANDIDATE)
        with pytest.raises(ConfigurationError, match="AZURE_STORAGE_KEY"):
            running.environment()

    def test_nobody_there(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        with pytest.raises(TargetUnavailable, match=f"nobody answers at http://127.0.0.1:{port}"):
            targets.start(targets.find(f"s3+http://127.0.0.1:{port}"), role=Role.REFERENCE)

    @pytest.mark.parametrize("text", ["ftp://host", "s3+http://", "sqs+http://host"])
    def test_nonsense_is_refused(self, text: str) -> None:
        with pytest.raises(ConfigurationError):
            targets.find(text)


class TestAws:
    def test_no_credentials(self) -> None:
        with pytest.raises(CredentialsMissing, match="aws configure"):
            targets.start(targets.find("aws"), role=Role.REFERENCE)

    def test_credentials_in_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
        running = targets.start(targets.find("aws"), role=Role.REFERENCE)
        assert running.real
        assert not running.reset()
        assert running.endpoint("s3") is None

    def test_a_profile(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "credentials").write_text("[work]\naws_access_key_id = A\naws_secret_access_key = B\n")
        monkeypatch.setenv("AWS_PROFILE", "work")
        targets.start(targets.find("aws"), role=Role.REFERENCE)
        monkeypatch.setenv("AWS_PROFILE", "absent")
        with pytest.raises(CredentialsMissing, match="profile absent"):
            targets.start(targets.find("aws"), role=Role.REFERENCE)

    def test_emulator_endpoints_go_and_credentials_stay(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIA")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
        running = targets.start(targets.find("aws"), role=Role.REFERENCE)
        base = {"AWS_ENDPOINT_URL": "x", "AWS_ENDPOINT_URL_S3": "x", "AWS_PROFILE": "p", "HOME": "h"}
        assert running.apply(base) == {"AWS_PROFILE": "p", "HOME": "h"}


class TestAzure:
    def test_no_credentials(self) -> None:
        with pytest.raises(CredentialsMissing, match="AZURE_STORAGE_CONNECTION_STRING"):
            targets.start(targets.find("azure"), role=Role.REFERENCE)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("UseDevelopmentStorage=true", "an emulator's"),
            ("AccountName=devstoreaccount1;AccountKey=x", "an emulator's"),
            ("AccountName=mine;", "has no key"),
        ],
    )
    def test_a_connection_string_that_will_not_do(
        self, monkeypatch: pytest.MonkeyPatch, text: str, says: str
    ) -> None:
        monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", text)
        with pytest.raises(CredentialsMissing, match=says):
            targets.start(targets.find("azure"), role=Role.REFERENCE)

    def test_a_connection_string(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(
            "AZURE_STORAGE_CONNECTION_STRING", "AccountName=mine;AccountKey=a2V5;EndpointSuffix=core.x"
        )
        monkeypatch.setenv("AZURE_STORAGE_BLOB_ENDPOINT", "http://127.0.0.1:1/devstoreaccount1")
        running = targets.start(targets.find("azure"), role=Role.REFERENCE)
        assert running.real
        assert running.endpoint("queue") == "https://mine.queue.core.x"
        assert running.cleared() == {"AZURE_STORAGE_BLOB_ENDPOINT"}

    def test_an_account_and_a_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "mine")
        monkeypatch.setenv("AZURE_STORAGE_KEY", "a2V5")
        running = targets.start(targets.find("azure"), role=Role.REFERENCE)
        assert running.endpoint("blob") == "https://mine.blob.core.windows.net"


class TestInstalling:
    def absent(self, *, node: bool = False) -> Spec:
        package = (
            NodePackage(distribution="no-such-package-x", entry="cli.js")
            if node
            else PythonPackage(
                distribution="no-such-package-x", requirements=("no-such-package-x==1",), module="x"
            )
        )
        recipe = Recipe(package=package, plan=lambda _: pytest.fail("planned"), wipe=lambda _: None)
        return Spec(name="ghost", services=frozenset({"s3"}), version="1", recipe=recipe)

    def test_what_is_not_installed_says_the_command(self, tmp_path: Path) -> None:
        with pytest.raises(TargetUnavailable, match=r"-m likewise\.cloud\.targets install ghost"):
            targets.start(self.absent(), role=Role.CANDIDATE, cache=tmp_path)

    def test_without_node_it_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(TargetUnavailable, match=r"Install Node\.js"):
            targets.start(self.absent(node=True), role=Role.CANDIDATE, cache=tmp_path)

    def test_half_an_installation_does_not_count(self, tmp_path: Path) -> None:
        """Without the mark that is made last, or with that of other requirements, it is installed anew."""
        spec = targets.find("seaweedfs")
        program = packages.home_of(spec, cache=tmp_path) / "venv" / "bin" / "weed"
        program.parent.mkdir(parents=True)
        program.touch()
        assert targets.locate(spec, tmp_path) is None
        mark = packages.home_of(spec, cache=tmp_path) / "complete"
        mark.write_text(packages._stamp(spec))
        assert targets.locate(spec, tmp_path) is not None
        mark.write_text("something else")
        assert targets.locate(spec, tmp_path) is None

    @pytest.mark.slow
    @pytest.mark.server
    def test_an_installation_that_fails_shows_the_log_and_leaves_nothing_that_counts(
        self, tmp_path: Path
    ) -> None:
        said: list[str] = []
        with pytest.raises(TargetUnavailable, match="exit code 1") as raised:
            targets.install(self.absent(), cache=tmp_path, say=said.append)
        assert "install.log" in str(raised.value)
        assert said[0].startswith("installing ghost 1 into ")
        assert targets.locate(self.absent(), tmp_path) is None

    def test_the_command_refuses_unknown_names(self, tmp_path: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "likewise.cloud.targets",
            "install",
            "motto",
            "--cache",
            str(tmp_path),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "Did you mean moto?" in done.stderr

    def test_the_command_leaves_alone_what_is_there(self, tmp_path: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "likewise.cloud.targets",
            "install",
            "moto",
            "--cache",
            str(tmp_path),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("moto ")
        assert done.stdout.endswith("is installed\n")

    def test_the_cache_is_where_the_user_says(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
        assert targets.default_cache() == tmp_path
        monkeypatch.delenv("LIKEWISE_CACHE")
        assert targets.default_cache() == Path.home() / ".cache" / "likewise"


class TestDoctor:
    def test_every_server_and_sdk_is_looked_at_once(self, tmp_path: Path) -> None:
        names = [finding.name for finding in doctor.examine(tmp_path)]
        assert len(names) == len(set(names))
        servers = {name for name, spec in targets.SPECS.items() if spec.recipe is not None}
        assert servers | {"python", "boto3", "azure-storage-blob", "node", "npm", "psycopg"} <= set(names)

    def test_what_is_missing_comes_with_the_command(self, tmp_path: Path) -> None:
        found = {finding.name: finding for finding in doctor.examine(tmp_path)}
        assert found["boto3"].state == "ready"
        assert found["boto3"].version
        assert found["seaweedfs"].state == "missing"
        assert found["seaweedfs"].hint.endswith("-m likewise.cloud.targets install seaweedfs")

    def test_only_what_is_configured_is_needed(self, tmp_path: Path) -> None:
        found = {finding.name: finding for finding in doctor.examine(tmp_path, wanted=frozenset({"azurite"}))}
        assert found["azurite"].state == "missing"
        assert found["seaweedfs"].state == "not needed"

    def test_a_program_that_does_not_run_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        broken = tmp_path / "node"
        broken.write_text("#!/bin/sh\nexit 3\n")
        broken.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        found = {finding.name: finding for finding in doctor.examine(tmp_path)}
        assert found["node"].state == "missing"
        assert "does not run" in found["node"].hint


def test_emulators_get_no_secret_of_the_users_and_the_users_region(monkeypatch: pytest.MonkeyPatch) -> None:
    from likewise.cloud.targets.running import aws_environment, foreign

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    made = aws_environment({"s3": "http://x"}, access_key="testing", secret_key="testing")
    assert "very-secret" not in made.values()
    assert made["AWS_REGION"] == made["AWS_DEFAULT_REGION"] == "eu-north-1"
    assert {"AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL_DYNAMODB"} <= foreign(frozenset({"s3"}))
    assert not any(name.startswith("AZURE") for name in foreign(frozenset({"s3"})))


def test_a_spec_is_data() -> None:
    assert replace(targets.find("moto"), version="1").version == "1"
