"""The numbers that every report shows."""

from __future__ import annotations

from dataclasses import replace

from runs_by_hand import a_run, differ, discrepant, flaky, proved, spending, trusted, undecided

from likewise.model import AuditBound, Implication, Result
from likewise.report import digest
from likewise.report.groups import collect


def test_undecided_tests_are_grouped_by_reason_most_first() -> None:
    tests = [undecided("a"), undecided("b", unclear=True), undecided("c"), undecided("d")]
    expected = "undecided 4: 3 new calls (run with --likewise-verify), 1 unclear"
    assert digest.undecided_phrase(tests) == expected


def test_all_counts_are_in_one_line() -> None:
    line = digest.counts_line(a_run().tests)
    assert line.startswith("62 tests: 51 trusted, 2 proved now, 4 discrepant, 1 flaky, undecided 4: ")


def test_savings_name_calls_share_money_and_time() -> None:
    line = digest.savings_line(spending(), [trusted("t", calls=840)])
    assert line == "saved 812 of 840 reference calls (96.7 %), about $0.0041 and 61 s; made 28"


def test_amounts_too_small_to_show_read_well() -> None:
    spent = replace(spending(), money=0.0000011, reference_money=0.0000007)
    line = digest.savings_line(spent, [trusted("t", calls=840)])
    assert "(96.7 %), less than $0.000001 and 61 s; made 28" in line
    assert digest.cost_line(spent).endswith("and cost less than $0.000001")


def test_a_slow_candidate_makes_no_savings() -> None:
    spent = replace(spending(), seconds=840.0, reference_seconds=0.1)
    assert digest.savings(spent, [trusted("t", calls=840)]).seconds == 812.0
    assert digest.savings(replace(spent, reference_calls=840), []).seconds == 0.0


def test_nothing_undecided_is_said_like_the_other_counts() -> None:
    assert digest.counts_line([trusted("t")]).endswith("0 flaky, 0 undecided")


def test_calls_of_undecided_and_flaky_tests_are_not_saved() -> None:
    tests = [trusted("t", calls=800), undecided("u", calls=35), flaky("f")]
    found = digest.savings(spending(reference_calls=0), tests)
    assert (found.saved, found.unsettled) == (800, 40)


def test_calls_are_not_saved_where_answers_differ_and_nobody_knows_what_comes_of_it() -> None:
    open_end = replace(discrepant("d"), reference=None)
    found = digest.savings(spending(calls=30, reference_calls=0), [discrepant("d"), open_end])
    assert (found.saved, found.unsettled) == (21, 9)


def test_a_run_that_cost_more_than_it_settled_does_not_claim_savings() -> None:
    line = digest.savings_line(spending(calls=20, reference_calls=28), [])
    assert line == "saved none yet: made 28 reference calls to settle 20"


def test_the_bound_of_the_audits_is_rounded_up() -> None:
    line = digest.audits_line(AuditBound(clean=240, failed=0))
    assert line == "240 clean audits: at most 1.3 % of skipped calls wrong (95 %)"


def test_a_failed_audit_gives_no_bound() -> None:
    assert "at most" not in digest.audits_line(AuditBound(clean=240, failed=1))
    assert digest.audits_line(AuditBound(clean=0, failed=0)) == ""


def test_the_next_step_goes_from_leftovers_over_doubts_to_differences() -> None:
    run = a_run()
    assert "likewise clean" in digest.next_step(run)
    run = replace(run, leftovers=())
    assert "--likewise-verify" in digest.next_step(run)
    settled = replace(
        run, tests=(trusted("a"), discrepant("b", differ(), reference=Result.PASSED), discrepant("c"))
    )
    assert digest.next_step(settled) == "See what it did call by call: likewise explain c"
    assert digest.next_step(replace(run, tests=(trusted("a"), proved("b")))) == ""


def test_differences_come_once_by_operation_most_harmful_first() -> None:
    operations = collect(a_run().tests)
    assert [str(each.operation) for each in operations] == [
        "s3.PutObject",
        "s3.ListObjectsV2",
        "s3.CreateMultipartUpload",
        "dynamodb.PutItem",
    ]
    assert [each.worst for each in operations] == [
        Implication.UNSAFE,
        Implication.WRONG_RESULT,
        Implication.FALSE_ALARM,
        Implication.MISLEADING,
    ]
    assert len(operations[0].groups) == 1
    assert len(operations[0].groups[0].tests) == 2


def test_places_in_a_list_are_one_place() -> None:
    found = collect([discrepant("t", differ(place="Contents[0].Key"), differ(place="Contents[7].Key"))])
    assert [group.place for group in found[0].groups] == ["Contents[].Key"]
    assert found[0].groups[0].count == 2


def test_what_only_tests_with_different_results_saw_comes_first_and_is_marked() -> None:
    common, telling = differ(place="a"), differ(place="b")
    reports = [
        discrepant("fails", common, telling),
        discrepant("passes", common, reference=Result.PASSED),
    ]
    groups = collect(reports)[0].groups
    assert [(group.place, group.is_telling) for group in groups] == [("b", True), ("a", False)]


def test_a_run_without_any_call_says_where_to_look() -> None:
    run = replace(a_run(), tests=(trusted("t", calls=0),), spending=spending(calls=0, reference_calls=0))
    assert digest.next_step(replace(run, leftovers=())).endswith("likewise config")
