"""The few things that nouns can do."""

from __future__ import annotations

import pytest

from likewise import model
from likewise.model import (
    AuditBound,
    Difference,
    Discrepancy,
    Effect,
    HistoryUnreadable,
    Implication,
    Interaction,
    LikewiseError,
    NoCalls,
    Operation,
    Provenance,
    Recording,
    Result,
    Returned,
    Role,
    Standing,
    Target,
    TestReport,
    Touch,
    Trace,
    Trust,
)


def call(*effects: Effect) -> Interaction:
    return Interaction(
        operation=Operation("s3", "PutObject"),
        arguments={},
        outcome=Returned(value=None),
        touches=tuple(Touch(resource=("s3",), effect=effect) for effect in effects),
    )


def test_an_operation_reads_as_one_name() -> None:
    assert str(Operation("s3", "PutObject")) == "s3.PutObject"


@pytest.mark.parametrize(
    ("effects", "writes"),
    [((), False), ((Effect.READ,), False), ((Effect.READ, Effect.WRITE), True), ((Effect.ABSORB,), True)],
)
def test_a_call_is_a_write_if_it_changed_anything(effects: tuple[Effect, ...], writes: bool) -> None:
    assert call(*effects).is_write is writes


def test_a_recording_counts_its_calls() -> None:
    trace = Trace(test="t", role=Role.CANDIDATE, interactions=(call(), call()))
    assert Recording(provenance=Provenance(run="r"), traces=(trace, trace)).calls == 4
    assert trace.is_clear


def test_a_target_is_known_by_name_and_version() -> None:
    assert str(Target(name="moto", role=Role.CANDIDATE, version="5")) == "moto 5"
    assert str(Target(name="aws", role=Role.REFERENCE)) == "aws"


@pytest.mark.parametrize(
    ("clean", "failed", "bound"), [(0, 0, None), (1, 0, 1.0), (3, 0, 1.0), (300, 0, 0.01), (300, 1, None)]
)
def test_clean_audits_bound_the_rate_of_wrong_skips(clean: int, failed: int, bound: float | None) -> None:
    assert AuditBound(clean=clean, failed=failed).bound == bound


def test_the_result_that_counts_is_the_references_where_it_ran() -> None:
    report = TestReport(
        test="t", standing=Standing.TRUSTED, verdict=Trust(reason=NoCalls()), candidate=Result.PASSED
    )
    assert report.counts_as is Result.PASSED
    other = TestReport(
        test="t",
        standing=Standing.DISCREPANT,
        verdict=Trust(reason=NoCalls()),
        candidate=Result.PASSED,
        reference=Result.FAILED,
    )
    assert other.counts_as is Result.FAILED


def test_a_discrepancy_explains_itself_in_one_short_sentence() -> None:
    found = Discrepancy(
        operation=Operation("s3", "GetObject"),
        difference=Difference.VALUE,
        place="body",
        reference="r" * 500,
        candidate=None,
        implication=Implication.WRONG_RESULT,
    )
    text = found.explain()
    assert text.startswith("s3.GetObject: value at body: the reference says rrr")
    assert text.endswith("…, the candidate nothing (wrong result)")
    assert len(text) < 250


def test_an_error_says_what_where_why_and_what_to_do() -> None:
    error = HistoryUnreadable("not JSON", where="a.jsonl line 3", why="a comma", todo="Mend it.")
    assert str(error) == "a.jsonl line 3: not JSON (a comma). Mend it. [history-unreadable]"
    assert str(LikewiseError("gone")) == "gone. [likewise]"


def test_every_error_has_a_slug_of_its_own() -> None:
    errors = [
        thing for thing in vars(model).values() if isinstance(thing, type) and issubclass(thing, Exception)
    ]
    assert len({error.slug for error in errors if issubclass(error, LikewiseError)}) == len(errors)
