"""One process of a run: environment, worlds, the recording file, and how everything is put back."""

from __future__ import annotations

import copy
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.model import ServiceModel

from likewise.cloud import session as module
from likewise.cloud.recorder.call import Call
from likewise.cloud.session import ProcessSession, read_recording
from likewise.cloud.side import Side, open_side, plan, services_of
from likewise.cloud.targets import Running
from likewise.model import (
    ConfigurationError,
    Provenance,
    Redaction,
    Result,
    Role,
    Target,
    TargetUnavailable,
    Trace,
)
from likewise.store import Configuration, RecordingWriter


class Fake(Running):
    """A target that only counts."""

    def __init__(self, role: Role = Role.CANDIDATE, *, resettable: bool = True, **variables: str) -> None:
        self.target = Target(name="fake", role=role, version="1")
        self.resets = self.stops = 0
        self.fails = False
        self._resettable, self._variables = resettable, variables

    def endpoint(self, service: str) -> str | None:
        return "http://127.0.0.1:1" if service == "s3" else None

    def environment(self) -> dict[str, str]:
        return {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", **self._variables}

    def cleared(self) -> frozenset[str]:
        return frozenset({"AWS_PROFILE"})

    def reset(self) -> bool:
        if self.fails:
            raise TargetUnavailable("fake could not be emptied", todo="Start it again.")
        self.resets += 1
        return self._resettable

    def is_alive(self) -> bool:
        return True

    def stop(self) -> None:
        self.stops += 1


class Stage:
    """A session on a fake target, with calls that are only counted."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, **keys: Any) -> None:
        self.fake = Fake(resettable=keys.pop("resettable", True))
        monkeypatch.setattr(module, "open_side", lambda *_: Side((self.fake,), role=Role.CANDIDATE))
        configuration = Configuration(root=root, candidate="moto", reference="ministack", **keys)
        self.session = ProcessSession(configuration=configuration, role=Role.CANDIDATE, worker="gw0")
        self.path = root / "recording.jsonl"

    def start(self) -> None:
        self.session.start()
        self.session.record(self.path, Provenance(run="r"))

    def call(self) -> None:
        recorder = self.session._recorder
        assert recorder is not None
        recorder.calls += 1

    def test(self, name: str, *, calls: int = 1) -> None:
        self.session.begin(name)
        for _ in range(calls):
            self.call()
        self.session.end(result=Result.PASSED)

    def worlds(self) -> list[str]:
        self.session.finish()
        return [trace.world for trace in read_recording([self.path]).traces]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.session.stop()


def test_what_the_model_of_a_service_calls_sensitive_is_not_written(stage: Stage) -> None:
    """Whatever that is: here a parameter that no rule of ours knows, as a later model may say."""
    description = copy.deepcopy(botocore.session.get_session().get_service_model("s3")._service_description)
    description["shapes"]["ContentLanguage"]["sensitive"] = True
    operation = ServiceModel(description, "s3").operation_model("PutObject")
    stage.start()
    stage.session.begin("t")
    recorder = stage.session._recorder
    assert recorder is not None
    headers = {"content-language": "the-language-of-birds"}
    call = recorder.opened(lambda *_: Call("PUT", "http://127.0.0.1:1/box/k", headers, operation), None, None)
    assert call is not None
    recorder.answered(call, lambda heard, _: heard.hear(200, {}, b""), None)
    stage.session.end(result=Result.PASSED)
    stage.session.finish()
    assert "PutObject" in stage.path.read_text()
    assert "birds" not in stage.path.read_text()


def test_the_environment_is_set_and_put_back_and_what_tests_changed_stays(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    stage.start()
    assert os.environ["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert "AWS_PROFILE" not in os.environ
    monkeypatch.setenv("OF_A_TEST", "1")
    stage.session.stop()
    assert "AWS_ENDPOINT_URL" not in os.environ
    assert os.environ["AWS_PROFILE"] == "mine"
    assert os.environ["OF_A_TEST"] == "1"
    stage.session.stop()
    assert stage.fake.stops == 1


def test_a_target_is_stopped_when_the_session_cannot_start(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(module, "neutralise_mock_aws", refuse)
    before = dict(os.environ)
    with pytest.raises(RuntimeError):
        stage.session.start()
    assert stage.fake.stops == 1
    assert dict(os.environ) == before


def test_every_test_gets_a_new_world_and_only_used_targets_are_reset(stage: Stage) -> None:
    stage.start()
    for name, calls in [("a", 0), ("b", 2), ("c", 0), ("d", 1)]:
        stage.test(name, calls=calls)
    assert stage.fake.resets == 1, "only before c was there anything to remove"
    assert len(set(stage.worlds())) == 4


def test_state_that_outlives_a_test_keeps_the_world_until_released(stage: Stage) -> None:
    stage.start()
    stage.test("before")
    stage.session.begin("first")
    stage.call()
    stage.session.hold("fixture")
    stage.session.end(result=Result.PASSED)
    stage.test("second")
    stage.session.release("fixture")
    stage.test("after")
    before, first, second, after = stage.worlds()
    assert first == second
    assert len({before, first, after}) == 3


def test_calls_outside_tests_keep_the_world_for_good(stage: Stage) -> None:
    stage.start()
    stage.call()
    stage.test("first")
    stage.test("second")
    assert stage.fake.resets == 0
    assert len(set(stage.worlds())) == 1


@pytest.mark.parametrize(("isolation", "resets", "worlds"), [("none", 0, 1), ("reset", 2, 3)])
def test_the_user_can_overrule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str, resets: int, worlds: int
) -> None:
    stage = Stage(tmp_path, monkeypatch, isolation=isolation)
    stage.start()
    stage.session.hold("fixture")
    for name in "abc":
        stage.test(name)
    assert stage.fake.resets == resets
    assert len(set(stage.worlds())) == worlds
    stage.session.stop()


def test_a_target_that_keeps_its_state_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path, monkeypatch, resettable=False)
    stage.start()
    for name in "abc":
        stage.test(name)
    assert stage.fake.resets == 1
    assert len(set(stage.worlds())) == 1
    stage.session.stop()


def test_a_target_that_cannot_be_emptied_is_an_error_and_the_attempt_is_still_recorded(stage: Stage) -> None:
    stage.start()
    stage.test("a")
    stage.fake.fails = True
    with pytest.raises(TargetUnavailable):
        stage.session.begin("b")
    stage.session.end(result=Result.FAILED)
    stage.session.finish()
    assert [trace.test for trace in read_recording([stage.path]).traces] == ["a", "b"]


def test_secrets_of_the_environment_are_not_written(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz"
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    session = ProcessSession(configuration=stage.session.configuration, role=Role.CANDIDATE)
    session.start()
    session.record(stage.path, Provenance(run="r"))
    session.begin("a")
    session.end(result=Result.FAILED, failure=f"assert '{secret}' == ''")
    session.finish()
    session.stop()
    assert secret not in stage.path.read_text()
    assert "assert" in read_recording([stage.path]).traces[0].failure


def test_a_later_version_of_a_trace_replaces_the_first_and_attempts_are_numbered_through(
    tmp_path: Path,
) -> None:
    def write(name: str, *traces: Trace) -> Path:
        with RecordingWriter(tmp_path / name, Provenance(run="r")) as writer:
            for trace in traces:
                writer.add(Redaction(trace=trace))
        return tmp_path / name

    def trace(test: str, started: float, **more: Any) -> Trace:
        return Trace(test=test, role=Role.CANDIDATE, interactions=(), started=started, **more)

    first = write("gw0.jsonl", trace("a", 1.0), trace("b", 2.0), trace("a", 1.0, unclear=("late",)))
    second = write("gw1.jsonl", trace("a", 3.0))
    found = read_recording([first, second]).traces
    assert [(each.test, each.attempt, each.unclear) for each in found] == [
        ("a", 0, ("late",)),
        ("b", 0, ()),
        ("a", 1, ()),
    ]


def test_targets_by_service_are_started_once_each(tmp_path: Path) -> None:
    configuration = Configuration(
        root=tmp_path,
        candidate={"s3": "moto", "dynamodb": "moto", "queue": "azurite"},
        reference={"s3": "ministack"},
    )
    assert services_of(configuration) == {"s3", "dynamodb", "queue"}
    found = {spec.name: services for spec, services in plan(configuration, Role.CANDIDATE)}
    assert found == {"moto": {"s3", "dynamodb"}, "azurite": {"queue"}}
    with pytest.raises(ConfigurationError, match="no reference is named for dynamodb, queue"):
        plan(configuration, Role.REFERENCE)


@pytest.mark.parametrize(
    ("candidate", "services", "said"),
    [
        ("moto", ["s4"], "there is no service s4. Services are blob"),
        ({"s3": "moto", "dynamo": "moto"}, [], "there is no service dynamo. Services are blob"),
        ("moto", ["blob"], "moto has no blob. Name a target for each service."),
        ("moto", ["s3", "blob"], 'moto has no blob. Write services = ["s3"], or name a target for each'),
    ],
)
def test_services_that_a_target_cannot_have_are_refused_with_what_to_write(
    tmp_path: Path, candidate: Any, services: list[str], said: str
) -> None:
    configuration = Configuration(root=tmp_path, candidate=candidate, services=tuple(services))
    with pytest.raises(ConfigurationError, match=re.escape(said)):
        plan(configuration, Role.CANDIDATE)


def test_the_services_of_the_candidate_are_those_of_the_reference(tmp_path: Path) -> None:
    configuration = Configuration(root=tmp_path, candidate="azurite", reference="azure")
    ((spec, services),) = plan(configuration, Role.REFERENCE)
    assert spec.name == "azure"
    assert services == {"blob", "queue", "table"}


def test_a_suite_that_brings_moto_needs_no_server(tmp_path: Path) -> None:
    configuration = Configuration(root=tmp_path, candidate="mock_aws", reference="aws")
    with open_side(configuration, Role.CANDIDATE) as side:
        assert side.running == ()
        assert side.targets[0].name == "mock_aws"
        assert side.apply({"A": "1"}) == {"A": "1"}
        assert not side.reset()


def test_several_targets_make_one_environment_in_which_the_first_general_endpoint_wins() -> None:
    side = Side((Fake(ONE="1"), Fake(TWO="2", AWS_ENDPOINT_URL="http://second")), role=Role.CANDIDATE)
    environment = side.apply({"AWS_PROFILE": "p", "OTHER": "x"})
    assert environment == {"ONE": "1", "TWO": "2", "OTHER": "x", "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}


def test_targets_outlive_a_session_that_retires(stage: Stage) -> None:
    before = dict(os.environ)
    stage.start()
    stage.test("a")
    side = stage.session.retire()
    assert side is not None
    assert side.running == (stage.fake,)
    assert dict(os.environ) == before
    assert stage.fake.stops == 0
    stage.session.stop()
    assert stage.fake.stops == 1


def test_targets_that_nobody_can_empty_do_not_outlive_their_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, monkeypatch, isolation="none")
    stage.start()
    assert stage.session.retire() is None
    assert stage.fake.stops == 1
