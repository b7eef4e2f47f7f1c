"""Calls that were proved apart are not trusted together where only that shows what the reference does."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from soundness_suites import Begin, Servers

from likewise.cloud import rewriting
from likewise.cloud.rewriting import Request, RewritingServer, Rule
from likewise.cloud.rewriting.messages import answer

pytestmark = [pytest.mark.server, pytest.mark.slow]


def shown_once() -> Rule:
    """What is there is shown to the first who asks, and not to the second."""
    asked: Counter[bytes] = Counter()

    def hide(request: Request) -> rewriting.Response | Request:
        asked[request.body] += 1
        hidden = answer(200, b"{}", (("Content-Type", "application/x-amz-json-1.0"),))
        return hidden if asked[request.body] == 2 else request

    return Rule(name="shown_once", matches=rewriting.matching("dynamodb.GetItem"), on_request=hide)


def first_brought_back() -> Rule:
    """Who overwrites what took the place of the first content brings that back."""
    sent: defaultdict[str, list[bytes]] = defaultdict(list)

    def tell(request: Request, response: rewriting.Response) -> rewriting.Response:
        held = sent[request.path]
        if request.method == "PUT":
            held.append(request.body)
        elif len(held) == 3 and b"first" in held[0]:
            return response.with_body(b"first")
        return response

    return Rule(name="first", matches=rewriting.matching("s3.PutObject, s3.GetObject"), on_response=tell)


@pytest.mark.parametrize(
    ("rule", "differing"),
    [
        (
            lambda: rewriting.swallow_write("dynamodb.DeleteItem, s3.DeleteObject"),
            {"test_together.py::test_deleted_item", "test_together.py::test_deleted_object"},
        ),
        (shown_once, {"test_together.py::test_second_look"}),
        (first_brought_back, {"test_together.py::test_overwritten_twice"}),
    ],
    ids=["delete swallowed", "shown once", "first brought back"],
)
def test_what_was_proved_apart_is_not_trusted_together(
    begin: Begin, candidate: Servers, rule: object, differing: set[str]
) -> None:
    assert callable(rule)
    project = begin("together", "parts", "together")
    with RewritingServer(candidate.endpoints["s3"], [rule()]) as server:
        reference = Servers(endpoints=dict.fromkeys(("s3", "dynamodb"), server.url))
        oracle = project.plain(reference.environment)
        assert {test for test, result in oracle.items() if result == "failed"} == differing
        aws = {"services": ["s3", "dynamodb"], "candidate": candidate.target["s3"]}
        project.configure(**aws, reference=reference.target["s3"], audit_share=0.0)
        parts = project.run("--likewise-verify", "-p", "no:randomly", "test_parts.py")
        assert set(parts.standing("proved")) == parts.tests.keys()
        for _ in ("cold", "warm"):
            run = project.run("--likewise-verify", "-p", "no:randomly")
            assert set(run.standing("discrepant")) == differing
            assert {run.tests[test]["counts_as"] for test in differing} == {"failed"}
