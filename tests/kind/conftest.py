"""A reference of the user's own, with trouble in front of it, and a project that is proved there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kind_project import CACHE, Project, Reference, suite

from likewise.cloud import targets
from likewise.cloud.rewriting import RewritingServer
from likewise.model import Role


@pytest.fixture(scope="session")
def below() -> Iterator[targets.Running]:
    """The real server behind the reference."""
    with targets.start(targets.find("moto"), role=Role.REFERENCE, cache=CACHE) as running:
        yield running


@pytest.fixture(scope="session")
def front(below: targets.Running) -> Iterator[RewritingServer]:
    """One address for the session: evidence is bound to it."""
    with RewritingServer(below.endpoint("s3") or "") as front:
        yield front


@pytest.fixture
def reference(below: targets.Running, front: RewritingServer) -> Reference:
    """Empty, and without trouble as yet."""
    below.reset()
    front.rules.clear()
    front.hits.clear()
    front.requests.clear()
    front.count = 0
    return Reference(front=front, below=below.endpoint("s3") or "")


@pytest.fixture(scope="session")
def proved(front: RewritingServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger in which the tests one and two are proved."""
    made = begin(tmp_path_factory.mktemp("proved"), front)
    made.write(suite("one", "two"))
    front.rules.clear()
    ran = made.verify()
    assert ran.standing("proved") == ["one", "two"], ran.output
    return made.ledger


@pytest.fixture
def project(tmp_path: Path, proved: Path, reference: Reference) -> Project:
    """A project that is proved on the reference, so far."""
    made = begin(tmp_path, reference.front)
    made.ledger.parent.mkdir()
    shutil.copyfile(proved, made.ledger)
    return made


@pytest.fixture
def bare(tmp_path: Path, reference: Reference) -> Project:
    """A project of which nothing is proved: whole tests have to run."""
    return begin(tmp_path, reference.front)


def begin(root: Path, front: RewritingServer) -> Project:
    root.joinpath("pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    made = Project(root=root)
    made.configure(reference=Reference(front=front, below="").target)
    return made
