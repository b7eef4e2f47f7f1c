"""No test that would end differently on the reference is ever trusted with the candidate's result.

The honest oracle is a plain run of the same suite against the reference, without Likewise.
"""

from __future__ import annotations

import pytest
from soundness_kinds import KINDS, discrepant_operations
from soundness_suites import Begin, Results, Run, Servers

pytestmark = [pytest.mark.server, pytest.mark.slow]

POLICIES = ("context", "api", "sequence", "combined")


def unsound(run: Run, oracle: Results) -> list[str]:
    """The tests that count with another result than the reference's, though nothing is said against it."""
    return [
        f"{test}: {each['standing']} as {each['counts_as']}, on the reference {oracle[test]} "
        f"({each['verdict']['kind']}: {each['verdict']['reason']})"
        for test, each in run.tests.items()
        if each["counts_as"] != oracle[test] and each["standing"] in ("trusted", "proved")
    ]


REFUSED = {"test_dynamodb.py::test_throttled", "test_s3.py::test_tried_twice"}
"""Refused for want of capacity, which says nothing of the test: it stays undecided until it is served."""


def unsettled(run: Run, oracle: Results) -> list[str]:
    """The tests that end differently on the reference and are not reported as such."""
    return [
        f"{test}: {each['standing']} as {each['counts_as']}, on the reference {oracle[test]} {each['notes']} "
        f"({each['verdict']['kind']}: {each['verdict']['reason']})"
        for test, each in run.tests.items()
        if each["candidate"] != oracle[test]
        and (each["standing"] != "discrepant" or each["counts_as"] != oracle[test])
        and not (test in REFUSED and each["standing"] in ("undecided", "discrepant"))
    ]


def test_every_kind_has_a_test_that_can_tell(begin: Begin, candidate: Servers, oracle: Results) -> None:
    """At least twenty kinds over five services; each test of one ends differently, no other does."""
    plain = begin("plain").plain(candidate.environment)
    assert plain.keys() == oracle.keys()
    differing = {test for test in plain if plain[test] != oracle[test]}
    assert differing == {kind.node for kind in KINDS}
    assert len(KINDS) >= 20
    assert len({kind.service for kind in KINDS}) == 5


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_that_differs_is_trusted(
    begin: Begin, candidate: Servers, reference: Servers, oracle: Results, policy: str
) -> None:
    """Cold, warm, and after a change elsewhere in the code, which makes remembered results void."""
    project = begin(policy)
    project.configure(
        candidate=candidate.target,
        reference=reference.target,
        policy=policy,
        discrepant=discrepant_operations(),
    )
    cold = project.run("--likewise-verify")
    assert cold.tests.keys() == oracle.keys()
    assert unsound(cold, oracle) == []
    assert unsettled(cold, oracle) == []
    assert cold.exit_code == pytest.ExitCode.TESTS_FAILED
    warm = project.run("--likewise-verify")
    assert unsound(warm, oracle) == []
    assert unsettled(warm, oracle) == []
    project.root.joinpath("unrelated.py").write_text("CHANGED = True\n")
    changed = project.run()
    assert unsound(changed, oracle) == []
    assert changed.reference_calls == 0


def test_replayed_calls_prove_no_more_than_whole_tests(
    begin: Begin, candidate: Servers, reference: Servers, oracle: Results
) -> None:
    """Wherever calls can be replayed one by one they are, and still nothing that differs is trusted."""
    project = begin("replays")
    project.add_plugin("replays")
    project.configure(candidate=candidate.target, reference=reference.target)
    cold = project.run("--likewise-verify", "-p", "replays")
    assert unsound(cold, oracle) == []
    assert unsettled(cold, oracle) == []
    project.root.joinpath("unrelated.py").write_text("CHANGED = True\n")
    changed = project.run("--likewise-verify", "-p", "replays")
    assert unsound(changed, oracle) == []
    assert unsettled(changed, oracle) == []


def test_two_workers_conclude_the_same(
    begin: Begin, candidate: Servers, reference: Servers, oracle: Results
) -> None:
    """Distributed over two workers, in whatever order."""
    project = begin("workers", "s3", "queue")
    project.configure(candidate=candidate.target, reference=reference.target)
    for _ in ("cold", "warm"):
        run = project.run("--likewise-verify", "-n", "2")
        assert unsound(run, oracle) == []
        assert unsettled(run, oracle) == []


def test_without_a_list_of_discrepant_operations_everything_is_rerun(
    begin: Begin, candidate: Servers, reference: Servers, oracle: Results
) -> None:
    """Nobody has looked yet, so any operation may differ: the `api` policy trusts only what calls nothing."""
    project = begin("unlisted", "queue")
    project.configure(candidate=candidate.target, reference=reference.target, policy="api")
    run = project.run("--likewise-verify")
    assert {test: each["reference"] for test, each in run.tests.items()} == {
        test: oracle[test] for test in run.tests
    }


@pytest.mark.parametrize(
    ("chosen", "status"),
    [
        ("test_passes_there_only or test_innocent_round_trip", pytest.ExitCode.OK),
        ("test_etag_differs or test_innocent_round_trip", pytest.ExitCode.TESTS_FAILED),
    ],
)
def test_the_side_that_counts_gives_the_exit_status(
    begin: Begin, candidate: Servers, reference: Servers, chosen: str, status: pytest.ExitCode
) -> None:
    """A failure of the candidate's alone is none; a failure of the reference's alone is one. Warm too."""
    project = begin("exits", "s3")
    project.configure(candidate=candidate.target, reference=reference.target)
    for _ in ("cold", "warm"):
        run = project.run("--likewise-verify", "-k", chosen)
        assert len(run.tests) == 2
        assert run.exit_code == status


def test_whichever_test_sets_up_a_shared_fixture(
    begin: Begin, candidate: Servers, reference: Servers, oracle: Results
) -> None:
    """The test that looks has the fixture from another one first, and then sets it up by itself."""
    project = begin("order", "s3")
    project.configure(candidate=candidate.target, reference=reference.target)
    tests = ["test_s3.py::test_innocent_upload", "test_s3.py::test_answered_to_an_earlier_test"]
    for order in (tests, tests[::-1]):
        run = project.run("--likewise-verify", "-p", "no:randomly", *order)
        assert list(run.tests) == order
        assert unsound(run, oracle) == []
        assert unsettled(run, oracle) == []
