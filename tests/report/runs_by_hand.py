"""Runs made by hand, as reporters see them."""

from __future__ import annotations

from likewise.model import (
    AllAnswersKnown,
    AuditBound,
    CandidateFailed,
    Difference,
    Discrepancy,
    Flaky,
    Implication,
    NoCalls,
    Operation,
    Rerun,
    Result,
    Role,
    RunFinished,
    RunStarted,
    Spending,
    Standing,
    Target,
    TestReport,
    Trust,
    Unclear,
    UnseenCalls,
    Value,
    Wavers,
)

NOON = 1_790_000_000.0
"""2026-09-21, 14:13 UTC."""

STARTED = RunStarted(
    run="r7",
    policy="context",
    targets=(
        Target(name="moto", role=Role.CANDIDATE, version="5.2.5"),
        Target(name="ministack", role=Role.REFERENCE, version="1.5.33"),
    ),
    budget=10_000,
)


def differ(
    operation: str = "s3.PutObject",
    difference: Difference = Difference.SUCCESS,
    place: str = "",
    *,
    reference: Value = "PreconditionFailed: At least one of the pre-conditions did not hold",
    candidate: Value = "success (200)",
    implication: Implication = Implication.UNSAFE,
    test: str = "",
    position: int = 3,
) -> Discrepancy:
    """One difference."""
    service, _, name = operation.partition(".")
    return Discrepancy(
        operation=Operation(service, name),
        difference=difference,
        place=place,
        reference=reference,
        candidate=candidate,
        implication=implication,
        test=test,
        position=position,
    )


def trusted(test: str, calls: int = 12) -> TestReport:
    """A test that the ledger vouches for."""
    verdict = Trust(reason=AllAnswersKnown(calls=calls, since=NOON))
    return TestReport(
        test=test,
        standing=Standing.TRUSTED,
        verdict=verdict,
        candidate=Result.PASSED,
        calls=calls,
        saved=calls,
    )


def undecided(test: str, *, unclear: bool = False, calls: int = 7) -> TestReport:
    """A test of which the ledger knows too little."""
    seen = UnseenCalls(first_new=2, operations=("s3.PutObject",), count=3)
    reason = Unclear(why=("a call came after the test's end",)) if unclear else seen
    return TestReport(
        test=test,
        standing=Standing.UNDECIDED,
        verdict=Rerun(reason=reason),
        candidate=Result.PASSED,
        calls=calls,
    )


def proved(test: str) -> TestReport:
    """A test that a sliced replay proved now."""
    seen = UnseenCalls(first_new=0, operations=("dynamodb.PutItem", "dynamodb.GetItem"), count=2)
    return TestReport(
        test=test,
        standing=Standing.PROVED,
        verdict=Rerun(reason=seen, replay=(0, 1)),
        candidate=Result.PASSED,
        calls=14,
        reference_calls=2,
        saved=12,
    )


def discrepant(test: str, *discrepancies: Discrepancy, reference: Result = Result.FAILED) -> TestReport:
    """A test that ran on both sides."""
    return TestReport(
        test=test,
        standing=Standing.DISCREPANT,
        verdict=Rerun(reason=CandidateFailed(unknown=2), whole=True),
        candidate=Result.PASSED,
        reference=reference,
        calls=9,
        reference_calls=9,
        discrepancies=discrepancies,
    )


def flaky(test: str) -> TestReport:
    """A test that wavers."""
    what = "dynamodb.Query returned 2 items in one attempt and 3 in another"
    return TestReport(
        test=test,
        standing=Standing.FLAKY,
        verdict=Flaky(reason=Wavers(what=what, position=4)),
        candidate=Result.PASSED,
        calls=5,
    )


def spending(run: str = "r7", *, calls: int = 840, reference_calls: int = 28, when: float = NOON) -> Spending:
    """What a run cost."""
    return Spending(
        run=run,
        when=when,
        policy="context",
        tests=60,
        calls=calls,
        reference_calls=reference_calls,
        seconds=calls * 0.075,
        reference_seconds=reference_calls * 0.075,
        money=calls * 0.000005,
        reference_money=reference_calls * 0.000005,
        by_operation={"s3.PutObject": reference_calls // 2, "dynamodb.PutItem": reference_calls // 2},
    )


def a_run() -> RunFinished:
    """A run with everything in it."""
    list_order = differ(
        "s3.ListObjectsV2",
        Difference.ORDER,
        "Contents",
        reference=["a", "b", "c"],
        candidate=["c", "a", "b"],
        implication=Implication.WRONG_RESULT,
        position=6,
    )
    message = differ(
        "dynamodb.PutItem",
        Difference.MESSAGE,
        reference="The conditional request failed",
        candidate="A condition specified in the operation could not be evaluated.",
        implication=Implication.MISLEADING,
        position=2,
    )
    only_here = differ(
        "s3.CreateMultipartUpload",
        reference="success (200)",
        candidate="NotImplemented: A header you provided implies functionality that is not implemented",
        implication=Implication.FALSE_ALARM,
    )
    quiet = TestReport(
        test="tests/test_words.py::test_slug",
        standing=Standing.TRUSTED,
        verdict=Trust(reason=NoCalls()),
        candidate=Result.PASSED,
    )
    return RunFinished(
        run="r7",
        spending=spending(),
        audits=AuditBound(clean=240, failed=0),
        tests=(
            *(trusted(f"tests/test_items.py::test_item[{number}]") for number in range(50)),
            quiet,
            proved("tests/test_orders.py::test_new_order"),
            proved("tests/test_orders.py::test_cancel"),
            discrepant("tests/test_documents.py::test_only_if_absent", differ(), list_order),
            discrepant("tests/test_documents.py::test_overwrite", differ(), reference=Result.PASSED),
            discrepant("tests/test_orders.py::test_twice", message, reference=Result.PASSED),
            discrepant("tests/test_exports.py::test_big_export", only_here, reference=Result.PASSED),
            flaky("tests/test_orders.py::test_worker_race"),
            undecided("tests/test_documents.py::test_new_one"),
            undecided("tests/test_documents.py::test_new_two"),
            undecided("tests/test_documents.py::test_new_three"),
            undecided("tests/test_exports.py::test_background", unclear=True),
        ),
        leftovers=("s3 bucket likewise-7f3a-documents",),
    )
