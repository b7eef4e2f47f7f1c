"""The three published policies, decided as published."""

from __future__ import annotations

from likewise.decide import Discrepant, judge_combined, judge_operations, judge_sequence
from likewise.model import (
    DiscrepantOperations,
    NoDiscrepantOperations,
    Rerun,
    SequenceSeen,
    Trust,
    UnseenSequence,
)

DIFFERS = Discrepant(names=frozenset({"CopyObject", "dynamodb.Scan"}))


def test_a_test_that_uses_no_discrepant_operation_is_trusted() -> None:
    verdict = judge_operations(["s3.PutObject", "s3.GetObject", "s3.PutObject"], DIFFERS)
    assert verdict == Trust(reason=NoDiscrepantOperations(operations=("s3.GetObject", "s3.PutObject")))


def test_one_discrepant_operation_is_enough_by_its_own_name_or_with_its_service() -> None:
    verdict = judge_operations(["s3.CopyObject", "s3.PutObject", "dynamodb.Scan"], DIFFERS)
    assert verdict == Rerun(
        reason=DiscrepantOperations(operations=("dynamodb.Scan", "s3.CopyObject")), whole=True
    )
    assert isinstance(judge_operations(["other.Scan"], DIFFERS), Trust)


def test_where_nobody_looked_any_operation_may_differ() -> None:
    assert isinstance(judge_operations(["s3.PutObject"], Discrepant(names=None)), Rerun)
    assert isinstance(judge_operations([], Discrepant(names=None)), Trust)
    assert isinstance(judge_operations(["s3.PutObject"], Discrepant(names=frozenset())), Trust)


def test_the_same_whole_sequence_is_trusted_and_any_other_is_not() -> None:
    assert judge_sequence(["a", "b"], ["a", "b"]) == Trust(reason=SequenceSeen(sequence="b"))
    assert judge_sequence(["a", "c"], ["a", "b"]) == Rerun(reason=UnseenSequence(first_new=1), whole=True)
    assert judge_sequence(["a"], ["a", "b"]) == Rerun(reason=UnseenSequence(first_new=1), whole=True)
    assert judge_sequence(["a"], None) == Rerun(reason=UnseenSequence(first_new=0), whole=True)
    assert isinstance(judge_sequence([], []), Trust)


def test_only_discrepant_tests_are_subject_to_monitoring() -> None:
    assert isinstance(judge_combined(["s3.PutObject"], DIFFERS, ["new"], None), Trust)
    assert isinstance(judge_combined(["s3.CopyObject"], DIFFERS, ["new"], None), Rerun)
    assert isinstance(judge_combined(["s3.CopyObject"], DIFFERS, ["a"], ["a"]), Trust)
