"""Servers for the whole session: two of each, one of each pair with differences in front."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from soundness_kinds import rules_of
from soundness_suites import AZURE, CACHE, SERVICES, Begin, Project, Results, Servers, copy_suite, installed

from likewise.cloud import targets
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role


@pytest.fixture(scope="session")
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def started(stack: ExitStack, role: Role) -> dict[str, str]:
    running = [
        stack.enter_context(targets.start(installed(each), role=role, cache=CACHE))
        for each in ("moto", "azurite")
    ]
    return {service: str(url) for each in running for service in SERVICES if (url := each.endpoint(service))}


@pytest.fixture(scope="session")
def candidate(stack: ExitStack) -> Servers:
    """Plain moto and Azurite."""
    return Servers(endpoints=started(stack, Role.CANDIDATE))


@pytest.fixture(scope="session")
def reference(stack: ExitStack) -> Servers:
    """Another moto and another Azurite, behind servers that do every kind of thing differently."""
    below = started(stack, Role.REFERENCE)
    aws = stack.enter_context(RewritingServer(below["s3"], rules_of("s3", "dynamodb")))
    found = {"s3": aws.url, "dynamodb": aws.url}
    for service in AZURE:
        server = RewritingServer(below[service], rules_of(service), service=service)
        found[service] = stack.enter_context(server).url
    return Servers(endpoints=found)


@pytest.fixture(scope="session")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Begin:
    """A new project with the suite, or some of its files, in it."""

    def make(name: str, *services: str) -> Project:
        root = tmp_path_factory.mktemp(name)
        copy_suite(root, services or SERVICES)
        return Project(root=root)

    return make


@pytest.fixture(scope="session")
def oracle(begin: Begin, reference: Servers) -> Results:
    """How each test of the suite ends on the reference."""
    return begin("oracle").plain(reference.environment)
