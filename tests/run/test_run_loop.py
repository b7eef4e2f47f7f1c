"""The loop proves what it must, once, as cheaply as it can, and never trusts what was not proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from boxes import KINDS, Loop, Suite, get, listed, look_at_the_clock, measure, put

from likewise.model import (
    AllAnswersKnown,
    BudgetReached,
    Decided,
    Difference,
    FixtureInDoubt,
    Flaky,
    Implication,
    NoCalls,
    Notice,
    Operation,
    ReferenceResultKnown,
    Rerun,
    Result,
    ResultsDiffered,
    Role,
    RunFinished,
    Settled,
    Standing,
    Trust,
    UnseenCalls,
    Wavers,
)
from likewise.run import Meter

Make = Callable[[Suite], Loop]


@pytest.fixture
def loop(tmp_path: Path) -> Make:
    return lambda suite: Loop(suite, tmp_path / "ledger.sqlite")


def two() -> Suite:
    return Suite(
        {
            "t1": (put("a", "one"), get("a"), listed(), put("a", "two"), get("a")),
            "t2": (put("b"), get("b"), get("c"), put("c"), get("c"), listed()),
        }
    )


def is_trusted(standing: Standing) -> bool:
    return standing is Standing.TRUSTED


def test_a_cold_run_proves_everything_and_a_warm_one_needs_no_reference_call(loop: Make) -> None:
    runs = loop(two())
    cold = runs.run()
    assert set(cold.standings.values()) == {Standing.PROVED}
    assert cold.reference_calls > 0
    warm = runs.run(code="c2")
    assert set(warm.standings.values()) == {Standing.TRUSTED}
    assert (warm.reference_calls, warm.reference.replays, warm.whole) == (0, [], [])
    verdict = warm.reports["t1"].verdict
    assert isinstance(verdict, Trust)
    assert verdict.reason == AllAnswersKnown(calls=5, since=1010.0)
    assert warm.finished.spending.calls == 11
    assert sum(report.saved for report in warm.finished.tests) == 11


def test_the_ledger_alone_decides_where_the_reference_may_not_be_asked(loop: Make) -> None:
    runs = loop(two())
    first = runs.run(verify=False)
    assert set(first.standings.values()) == {Standing.UNDECIDED}
    runs.run()
    assert set(runs.run(code="c2", verify=False).standings.values()) == {Standing.TRUSTED}


def test_keys_proved_by_one_test_serve_another(loop: Make) -> None:
    """Exact requests are shared; made-up names have to be learned by each test."""
    suite = Suite({"t1": (get("a"), listed())}, shared=True)
    runs = loop(suite)
    runs.run()
    suite.scripts = {"t2": (listed(), get("a"))}
    later = runs.run(code="c2")
    assert later.standings == {"t2": Standing.TRUSTED}
    assert later.reference_calls == 0


def test_after_a_change_only_what_is_new_is_replayed_with_what_it_depends_on(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.scripts["t1"] += (put("d", "new"), get("d"))
    later = runs.run(code="c2")
    assert later.standings == {"t1": Standing.PROVED, "t2": Standing.TRUSTED}
    assert later.whole == []
    (piece,) = later.reference.replays
    assert [call.operation.name for call in piece.calls] == ["put", "get"]
    assert later.reference_calls == 2
    assert later.reports["t1"].reference_calls == 2
    assert later.reference.cleaned == 1
    assert set(runs.run(code="c3").standings.values()) == {Standing.TRUSTED}


@pytest.mark.parametrize("kind", KINDS)
def test_a_reference_that_differs_makes_the_test_discrepant_every_time(loop: Make, kind: str) -> None:
    suite = two()
    suite.wrong = {"b": kind}
    runs = loop(suite)
    for code in ("c1", "c2", "c3"):
        found = runs.run(code=code)
        assert found.standings["t1"] in (Standing.PROVED, Standing.TRUSTED)
        assert found.standings["t2"] is Standing.DISCREPANT, code
        assert found.reports["t2"].discrepancies
        assert found.reports["t2"].counts_as is Result.FAILED


def test_what_differs_is_named_and_says_what_it_means(loop: Make) -> None:
    suite = two()
    suite.wrong = {"b": "refuses"}
    found = loop(suite).run().reports["t2"].discrepancies
    first = min(found, key=lambda each: each.position)
    assert (first.difference, first.implication) == (Difference.SUCCESS, Implication.UNSAFE)
    assert (str(first.operation), first.test, first.position) == ("box.put", "t2", 0)


def test_a_difference_found_by_replay_sends_the_whole_test_to_the_reference(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.wrong = {"d": "answers"}
    suite.scripts["t1"] += (put("d"), get("d"))
    later = runs.run(code="c2")
    assert later.reference.replays
    assert later.whole == ["t1"]
    assert later.standings["t1"] is Standing.DISCREPANT
    (found,) = later.reports["t1"].discrepancies
    assert (found.place, found.reference, found.candidate) == ("text", "wrong", "text")


def test_a_known_difference_is_found_without_any_reference_call(loop: Make) -> None:
    suite = two()
    suite.wrong = {"b": "answers"}
    runs = loop(suite)
    runs.run()
    later = runs.run(code="c2", verify=False)
    assert later.standings == {"t1": Standing.TRUSTED, "t2": Standing.DISCREPANT}
    assert [each.place for each in later.reports["t2"].discrepancies] == ["text"]
    assert later.reference_calls == 0


def test_a_difference_that_the_test_never_looked_at_is_shown_and_does_not_count(loop: Make) -> None:
    suite = Suite({"t1": (put("a"), get("a", looks=False), get("a", looks=False), listed())})
    suite.wrong = {"a": "adds"}
    runs = loop(suite)
    first = runs.run()
    assert first.standings == {"t1": Standing.PROVED}
    assert first.reports["t1"].discrepancies == ()
    later = runs.run(code="c2")
    assert later.standings == {"t1": Standing.TRUSTED}
    assert later.reference_calls == 0
    assert [each.place for each in later.reports["t1"].overlooked] == ["more", "more"]


def test_a_refusal_reaches_the_test_whether_it_looks_or_not(loop: Make) -> None:
    suite = Suite({"t1": (put("a", looks=False), listed())})
    suite.wrong = {"a": "refuses"}
    assert loop(suite).run().standings == {"t1": Standing.DISCREPANT}


def test_what_cannot_be_replayed_is_run_as_a_whole(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.scripts["t1"] += (put("d"), get("d"))
    later = runs.run(code="c2", impossible=True)
    assert later.whole == ["t1"]
    assert later.standings["t1"] is Standing.PROVED
    assert any("cannot be repeated" in note for note in later.reports["t1"].notes)


def test_the_budget_is_kept_and_what_was_proved_before_it_ran_out_is_kept_too(loop: Make) -> None:
    runs = loop(two())
    short = runs.run(budget=5)
    assert short.reference_calls <= 5
    assert sorted(short.standings.values()) == [Standing.PROVED, Standing.UNDECIDED]
    assert any(isinstance(event, Notice) and event.slug == "budget-reached" for event in short.events)
    rest = runs.run(code="c2", budget=6)
    assert rest.standings == {"t1": Standing.TRUSTED, "t2": Standing.PROVED}
    assert runs.run(code="c3", budget=0).standings == {"t1": Standing.TRUSTED, "t2": Standing.TRUSTED}


def test_what_cleaning_up_takes_beyond_the_budget_is_said(loop: Make) -> None:
    runs = loop(two())
    within = runs.run(budget=100, litter=2)
    assert not [event for event in within.events if isinstance(event, Notice)]
    runs.suite.scripts["t1"] += (put("d"), get("d"))
    beyond = runs.run(code="c2", budget=3, litter=3)
    (said,) = [event.text for event in beyond.events if isinstance(event, Notice)]
    assert beyond.standings["t1"] is Standing.PROVED
    assert f"Cleaning up on the reference took 3 of {beyond.reference_calls} calls" in said
    assert f"{beyond.reference_calls - 3} more were made than the budget of 3 allows" in said


def test_the_account_of_a_budget_names_what_cleaning_up_took() -> None:
    meter = Meter(5)
    meter.count(Operation("box", "put"), 2)
    assert meter.account == "the budget of 5 reference calls leaves 3"
    meter.count(Operation("box", "delete"), 2, cleaning=True)
    with pytest.raises(BudgetReached) as refused:
        meter.require(2)
    assert "leaves 1 (4 were made, 2 of them to clean up), 2 are needed" in str(refused.value)


def test_without_a_budget_left_nothing_reaches_the_reference(loop: Make) -> None:
    found = loop(two()).run(budget=0)
    assert set(found.standings.values()) == {Standing.UNDECIDED}
    assert (found.reference_calls, found.whole) == (0, [])


def test_what_the_budget_leaves_out_is_said_with_what_it_needs_and_is_no_saving(loop: Make) -> None:
    suite = two()
    suite.wrong = {"b": "answers"}
    runs = loop(suite)
    runs.run()
    short = runs.run(code="c2", budget=0)
    (said,) = [event.text for event in short.events if isinstance(event, Notice)]
    report = short.reports["t2"]
    assert (report.standing, report.reference) == (Standing.DISCREPANT, None)
    assert f"the budget of 0 reference calls leaves 0, and {report.calls} more are needed" in said
    assert "planned" not in said
    assert short.finished.spending.unsettled == report.calls


def test_evidence_that_expired_is_proved_again(loop: Make) -> None:
    runs = loop(two())
    runs.run(now=1000.0)
    assert set(runs.run(code="c2", now=1500.0).standings.values()) == {Standing.TRUSTED}
    late = runs.run(code="c3", now=2100.0)
    assert set(late.standings.values()) == {Standing.PROVED}
    assert set(runs.run(code="c4", now=2900.0).standings.values()) == {Standing.TRUSTED}


@pytest.mark.parametrize(("wrong", "whole"), [({}, ["t1"]), ({"a": "answers"}, ["t1", "t2"])])
def test_whole_tests_that_ask_the_same_are_run_once_unless_the_answers_differ(
    loop: Make, wrong: dict[str, str], whole: list[str]
) -> None:
    script = put("a", checks=False), get("a", checks=False)
    suite = Suite({"t1": script, "t2": script}, wrong=wrong)
    runs = loop(suite)
    first = runs.run()
    assert first.whole == whole
    assert len(set(first.standings.values())) == 1
    assert runs.run().whole == []


def test_a_test_whose_calls_are_not_all_seen_counts_as_it_ends_on_the_reference(loop: Make) -> None:
    """Never by what was seen of it; once its result is known there, the same code is not asked again."""
    suite = two()
    suite.unseen = frozenset({"t1"})
    runs = loop(suite)
    assert runs.run(verify=False).standings["t1"] is Standing.UNDECIDED
    first = runs.run()
    assert first.standings == {"t1": Standing.PROVED, "t2": Standing.PROVED}
    assert "t1" in first.whole
    again = runs.run(audit=100)
    assert again.reports["t1"].standing is Standing.TRUSTED
    assert isinstance(again.reports["t1"].verdict, Trust)
    assert isinstance(again.reports["t1"].verdict.reason, ReferenceResultKnown)
    assert again.whole == []
    changed = runs.run(code="c2")
    assert changed.whole == ["t1"]
    assert changed.standings == {"t1": Standing.PROVED, "t2": Standing.TRUSTED}


def test_who_builds_on_calls_that_were_not_seen_is_not_trusted_by_his_own(loop: Make) -> None:
    suite = two()
    suite.shared, suite.unseen = True, frozenset({"t1"})
    runs = loop(suite)
    assert set(runs.run().whole) == {"t1", "t2"}
    later = runs.run(code="c2", verify=False)
    assert set(later.standings.values()) == {Standing.UNDECIDED}
    assert "t1 made calls to the same state" in str(later.reports["t2"].verdict)


def test_what_is_in_doubt_as_a_whole_is_repeated_where_it_does_what_it_did_not_before(loop: Make) -> None:
    """In another order a test sets up what others set up so far: what varies in that is not known of it."""
    suite = two()
    suite.shared, suite.unseen = True, frozenset({"t1"})
    runs = loop(suite)
    for _ in range(2):
        runs.run(verify=False)
    suite.scripts["t2"] = (measure(), *suite.scripts["t2"])
    later = runs.run()
    assert "t2" in later.whole
    assert later.reports["t2"].discrepancies == ()


def test_who_comes_after_a_read_that_was_not_seen_is_trusted_by_his_own(loop: Make) -> None:
    suite = two()
    suite.shared, suite.unseen, suite.unseen_writes = True, frozenset({"t1"}), False
    runs = loop(suite)
    assert runs.run().standings == {"t1": Standing.PROVED, "t2": Standing.PROVED}
    later = runs.run(code="c2", verify=False)
    assert later.standings == {"t1": Standing.UNDECIDED, "t2": Standing.TRUSTED}


def test_what_the_candidate_never_answers_alike_is_no_difference_and_never_trusted_by_itself(
    loop: Make,
) -> None:
    runs = loop(Suite({"t1": (put("a"), measure(), get("a"))}))
    first = runs.run()
    assert first.standings == {"t1": Standing.PROVED}
    assert first.whole == ["t1"]
    changed = runs.run(code="c2")
    assert changed.standings == {"t1": Standing.PROVED}
    assert changed.whole == ["t1"]


def test_on_changed_code_differences_are_repeated_on_the_candidate_before_they_are_said(loop: Make) -> None:
    checked = {"t1": (put("a"), measure(), get("a")), "t2": (put("b"), get("b", checks=False))}
    runs = loop(Suite(checked, wrong={"b": "answers"}))
    runs.run()
    changed = runs.run(code="c2", verify=False)
    assert changed.standings == {"t1": Standing.UNDECIDED, "t2": Standing.DISCREPANT}
    assert [len(changed.reports[test].discrepancies) for test in ("t1", "t2")] == [0, 1]
    assert changed.reference.reruns == [(Role.CANDIDATE, ("t2",))]  # that the other varies is known
    assert changed.reference_calls == 0
    assert runs.run(code="c2", verify=False).reference.reruns == []


def test_what_varied_on_one_code_is_not_forgotten_over_many_others(loop: Make) -> None:
    """Each sees the test once; a difference that nobody looks at makes all of them look closely."""
    scripts = {"t1": (put("a"), get("a", looks=False)), "t2": (put("a"), get("a", looks=False), listed())}
    runs = loop(Suite(scripts, wrong={"a": "adds"}))
    runs.run(code="c0")
    later = [runs.run(code=f"c{number}") for number in range(1, 7)]
    assert [each.reference.reruns for each in later] == [[]] * 6
    assert [each.reference_calls for each in later] == [0] * 6


def test_a_result_that_differs_by_what_was_not_seen_is_discrepant_and_not_flaky(loop: Make) -> None:
    suite = two()
    suite.unseen = frozenset({"t1"})
    suite.wavering = {"t1": [Result.PASSED, Result.PASSED, Result.FAILED]}
    assert loop(suite).run().standings["t1"] is Standing.DISCREPANT


def test_an_unclear_test_is_run_as_a_whole_and_stays_undecided_if_it_is_unclear_there(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.unclear = frozenset({"t1"})
    later = runs.run(code="c2")
    assert later.whole == ["t1"]
    assert later.standings == {"t1": Standing.UNDECIDED, "t2": Standing.TRUSTED}
    assert "a call came late" in later.reports["t1"].notes


def test_a_failure_where_all_is_known_needs_no_reference(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.broken = frozenset({"t1"})
    later = runs.run(code="c2")
    assert later.standings["t1"] is Standing.TRUSTED
    assert later.reports["t1"].counts_as is Result.FAILED
    assert later.reference_calls == 0


def test_a_failure_in_a_new_context_is_rerun_before_anybody_worries(loop: Make) -> None:
    suite = Suite({"t1": (put("a"), get("a"))}, broken=frozenset({"t1"}))
    found = loop(suite).run()
    assert found.whole == ["t1"]
    assert found.standings == {"t1": Standing.PROVED}
    assert found.reports["t1"].reference is Result.FAILED


def test_the_result_of_the_same_code_on_the_reference_is_remembered(loop: Make) -> None:
    suite = two()
    suite.wrong = {"b": "answers"}
    runs = loop(suite)
    runs.run()
    again = runs.run()
    assert again.reference_calls == 0
    report = again.reports["t2"]
    assert isinstance(report.verdict, Trust)
    assert isinstance(report.verdict.reason, ReferenceResultKnown)
    assert (report.standing, report.counts_as) == (Standing.DISCREPANT, Result.FAILED)


def test_attempts_that_end_differently_are_flaky_and_never_trusted(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    runs.run()
    suite.wavering = {"t1": [Result.FAILED, Result.PASSED]}
    found = runs.run(code="c2", attempts=2)
    assert found.standings["t1"] is Standing.FLAKY
    assert isinstance(found.reports["t1"].verdict, Flaky)
    assert found.whole == []


def test_a_result_that_changes_when_repeated_is_flaky(loop: Make) -> None:
    suite = two()
    suite.wavering = {"t1": [Result.PASSED, Result.FAILED]}
    found = loop(suite).run()
    assert found.standings["t1"] is Standing.FLAKY
    assert "t1" not in found.whole


def test_equal_answers_and_another_result_are_flaky_not_discrepant(loop: Make) -> None:
    suite = two()
    suite.wavering = {"t1": [Result.PASSED, Result.PASSED, Result.FAILED]}
    found = loop(suite).run()
    assert found.whole == ["t1", "t2"]
    assert found.standings["t1"] is Standing.FLAKY


def test_an_accident_on_the_reference_is_told_from_a_difference_by_running_again(loop: Make) -> None:
    suite = two()
    suite.accidents = {"t1": 1}
    runs = loop(suite)
    found = runs.run()
    assert found.whole == ["t1", "t2", "t1"]
    assert found.standings == {"t1": Standing.FLAKY, "t2": Standing.PROVED}
    assert found.reports["t1"].verdict == Flaky(reason=Wavers(what="failed, then passed on the reference"))
    assert runs.run().whole == ["t1"]
    assert set(runs.run().standings.values()) == {Standing.TRUSTED}


def test_what_breaks_down_twice_on_the_reference_is_reported_with_its_failure(loop: Make) -> None:
    suite = two()
    suite.accidents = {"t1": 9}
    runs = loop(suite)
    for found in (runs.run(), runs.run()):  # the second knows it from the ledger
        report = found.reports["t1"]
        assert (report.standing, report.counts_as) == (Standing.DISCREPANT, Result.FAILED)
        assert report.notes == ("on the reference: port taken",)
    assert found.whole == []


def test_a_test_that_does_not_run_again_is_undecided(loop: Make) -> None:
    suite = two()
    suite.gone = frozenset({"t1"})
    found = loop(suite).run()
    assert found.standings["t1"] is Standing.UNDECIDED
    assert "did not run on the reference" in found.reports["t1"].notes


def test_a_test_without_calls_is_trusted(loop: Make) -> None:
    found = loop(Suite({"t1": ()})).run()
    assert found.standings == {"t1": Standing.TRUSTED}
    assert found.reports["t1"].verdict == Trust(reason=NoCalls())


def test_a_test_is_replayed_with_what_earlier_tests_of_its_world_left(loop: Make) -> None:
    suite = Suite({"t1": (put("a"), put("x"), get("x")), "t2": (get("a"), listed())}, shared=True)
    runs = loop(suite)
    runs.run()
    suite.scripts["t2"] = (get("a"), listed(), put("e"), get("e"))
    later = runs.run(code="c2")
    assert set(later.standings.values()) <= {Standing.PROVED, Standing.TRUSTED}
    assert later.whole == []
    (piece,) = later.reference.replays
    assert [call.arguments["name"] for call in piece.calls] == ["e-shared0", "e-shared0"]


def test_a_test_runs_on_the_reference_after_those_that_it_builds_on(loop: Make) -> None:
    """By itself it would miss what they leave, and fail there for want of it."""
    runs = loop(Suite({"t1": (put("a"),), "t2": (get("a"), measure())}, shared=True))
    assert runs.run().standings == {"t1": Standing.PROVED, "t2": Standing.PROVED}
    changed = runs.run(code="c2")
    assert changed.whole == ["t1", "t2"]
    assert changed.standings == {"t1": Standing.TRUSTED, "t2": Standing.PROVED}


def test_what_was_proved_apart_is_not_proved_together(loop: Make) -> None:
    """To overwrite something, and to look a second time, are questions that nobody has asked yet."""
    suite = Suite(
        {
            "t1": (put("a", "two"), get("a")),
            "t2": (put("a", "one"), get("a")),
            "t3": (put("a", "one"), put("a", "two")),
        },
        exact=True,
    )
    runs = loop(suite)
    runs.run()
    suite.scripts = {
        "t4": (put("a", "one"), put("a", "two"), get("a")),
        "t5": (put("a", "one"), get("a"), get("a")),
    }
    assert set(runs.run(verify=False).standings.values()) == {Standing.UNDECIDED}
    assert set(runs.run().standings.values()) == {Standing.PROVED}


def test_a_difference_in_an_earlier_test_taints_what_builds_on_it(loop: Make) -> None:
    suite = Suite({"t1": (put("a"), put("x"), get("x")), "t2": (get("a"), listed())}, shared=True)
    suite.wrong = {"a": "keeps"}
    runs = loop(suite)
    for code in ("c1", "c2"):
        found = runs.run(code=code)
        assert found.standings["t2"] is not Standing.TRUSTED
        assert found.standings["t2"] is not Standing.PROVED


@pytest.mark.parametrize("wrong", [{}, {"": "off"}])
def test_dates_differ_in_a_fixture_that_another_test_sets_up_now(loop: Make, wrong: dict[str, str]) -> None:
    """Only how far they are off says anything, until it is known what varies."""
    suite = Suite({"t1": (look_at_the_clock(), get("a")), "t2": (get("a"),)}, shared=True)
    suite.wrong = wrong
    runs = loop(suite)
    runs.run()
    suite.scripts = {"t2": (look_at_the_clock(), get("a")), "t1": (get("a"),)}
    assert (runs.run().standings["t2"] is Standing.TRUSTED) == (not wrong)


def test_audits_ask_again_and_bound_the_rate_of_wrong_skips(loop: Make) -> None:
    runs = loop(two())
    runs.run()
    audited = runs.run(code="c2", audit=4)
    assert set(audited.standings.values()) == {Standing.TRUSTED}
    assert len(audited.reference.replays) == 4
    assert audited.finished.audits.clean == 4
    assert audited.finished.audits.bound == pytest.approx(3 / 4)
    assert runs.run(code="c3", audit=4).finished.audits.clean == 8


def test_a_result_from_before_a_failed_audit_counts_no_more(loop: Make) -> None:
    """The reference has changed since: what the same code came to there before says nothing."""
    suite = Suite({"t1": (put("a"), get("a"))}, unclear=frozenset({"t1"}))
    runs = loop(suite)
    assert runs.run(code="c1").whole == ["t1"]
    suite.unclear = frozenset()
    runs.run(code="c2")
    suite.wrong = {"a": "answers"}
    assert runs.run(code="c1", audit=9).standings["t1"] is Standing.DISCREPANT
    assert runs.run(code="c1").standings["t1"] is Standing.DISCREPANT


def test_calls_with_long_histories_are_audited_less_often(loop: Make) -> None:
    """To list is to depend on everything: audits must not cost more than what they check is worth."""
    puts = tuple(put(f"name{number}") for number in range(35))
    runs = loop(Suite({"t0": puts, **{f"t{number}": (listed(),) * 9 for number in range(1, 9)}}, shared=True))
    runs.run()
    audited = runs.run(code="c2", audit=9)
    assert set(audited.standings.values()) == {Standing.TRUSTED}
    assert 0 < audited.finished.audits.clean < 9
    assert 0 < audited.reference_calls <= 9 * 5


def test_audits_cost_what_they_may_on_the_average_of_runs(loop: Make) -> None:
    puts = tuple(put(f"name{number}") for number in range(40))
    runs = loop(Suite({"t0": puts, "t1": (listed(),) * 80}, shared=True))
    runs.run()
    spent = [runs.run(code="c2", audit=1).reference_calls for _ in range(10)]
    assert 0 < sum(spent) <= 10 * 5 * 2


def test_a_test_that_builds_on_others_is_proved_after_them_and_that_only_once(loop: Make) -> None:
    """By itself it would see an empty box there; all of the suite takes 43 calls."""
    puts = tuple(put(f"name{number}") for number in range(40))
    suite = Suite({"t0": puts, "t1": (listed(),)}, shared=True)
    runs = loop(suite)
    runs.run()
    suite.scripts["t1"] = (listed(), put("more"), listed())
    changed = runs.run(code="c2")
    assert changed.whole == ["t0", "t1"]
    assert changed.standings == {"t0": Standing.TRUSTED, "t1": Standing.PROVED}
    assert changed.reference_calls == 43
    assert runs.run(code="c3").reference_calls == 0


def test_a_test_that_builds_on_others_is_undecided_where_the_budget_ends(loop: Make) -> None:
    suite = Suite({"t1": tuple(put(name) for name in "abcdef")}, shared=True)
    runs = loop(suite)
    runs.run()
    suite.scripts["t2"] = (listed(),)
    left = runs.run(code="c2", budget=3)
    assert left.standings == {"t1": Standing.TRUSTED, "t2": Standing.UNDECIDED}
    assert "the budget of reference calls is used up" in left.reports["t2"].notes


def test_a_failed_audit_withdraws_what_it_contradicts(loop: Make) -> None:
    suite = Suite({"t1": (put("a"), get("a"))})
    runs = loop(suite)
    runs.run()
    suite.wrong = {"a": "answers"}
    audited = runs.run(code="c2", audit=9)
    assert audited.standings == {"t1": Standing.DISCREPANT}
    assert audited.finished.audits.failed == 1
    assert audited.finished.audits.bound is None
    after = runs.run(code="c3", verify=False)
    assert after.standings == {"t1": Standing.UNDECIDED}
    verdict = after.reports["t1"].verdict
    assert isinstance(verdict, Rerun)
    assert isinstance(verdict.reason, UnseenCalls)
    assert runs.run(code="c4").standings == {"t1": Standing.DISCREPANT}


def test_an_audit_that_rests_on_a_difference_elsewhere_is_not_clean(loop: Make) -> None:
    """What the audited call builds on went wrong on the reference: that proves nothing good."""
    suite = Suite({"t1": (put("a"),), "t2": (get("a"),)}, shared=True)
    runs = loop(suite)
    runs.run()
    assert set(runs.run(code="c2").standings.values()) == {Standing.TRUSTED}
    suite.wrong = {"a": "refuses"}
    audited = runs.run(code="c3", audit=9)
    assert audited.finished.audits.clean == 0
    assert audited.standings["t2"] is not Standing.TRUSTED


def test_study_mode_runs_everything_on_both_sides(loop: Make) -> None:
    suite = two()
    suite.wrong = {"b": "answers"}
    runs = loop(suite)
    runs.run()
    both = runs.run(code="c2", both=True)
    assert both.whole == ["t1", "t2"]
    assert both.reference.replays == []
    assert both.standings == {"t1": Standing.PROVED, "t2": Standing.DISCREPANT}


def test_events_come_in_order_and_say_where_every_test_stands(loop: Make) -> None:
    found = loop(two()).run()
    decided = [event.test for event in found.events if isinstance(event, Decided)]
    settled = [event.report.test for event in found.events if isinstance(event, Settled)]
    assert decided == settled == ["t1", "t2"]
    assert isinstance(found.events[-1], RunFinished)


def test_the_sequence_policy_trusts_only_the_very_same_sequence(loop: Make) -> None:
    suite = two()
    runs = loop(suite)
    first = runs.run(policy="sequence")
    assert first.whole == ["t1", "t2"]
    assert first.reference.replays == []
    assert set(runs.run(policy="sequence", code="c2").standings.values()) == {Standing.TRUSTED}
    suite.scripts["t1"] += (get("a"),)
    later = runs.run(policy="sequence", code="c3")
    assert later.whole == ["t1"]


def test_the_sequence_policy_takes_other_code_for_the_same_only_where_answers_are_equal(loop: Make) -> None:
    """A test that became stricter does the same and asks more of the answers: how it ended says nothing."""
    suite = Suite({"t1": (put("a"), get("a", looks=False)), "t2": (put("b"),)}, wrong={"a": "adds"})
    runs = loop(suite)
    assert set(runs.run(policy="sequence").standings.values()) == {Standing.PROVED}
    suite.scripts["t1"] = (put("a"), get("a"))
    later = runs.run(policy="sequence", code="c2")
    assert later.whole == ["t1"]
    assert later.standings == {"t1": Standing.DISCREPANT, "t2": Standing.TRUSTED}


def test_the_api_policy_reruns_tests_that_use_discrepant_operations(loop: Make) -> None:
    runs = loop(Suite({"t1": (put("a"), get("a")), "t2": (put("b"),)}))
    found = runs.run(policy="api", discrepant=frozenset({"get"}))
    assert found.whole == ["t1"]
    assert found.standings == {"t1": Standing.PROVED, "t2": Standing.TRUSTED}
    assert runs.run(policy="api", code="c2", discrepant=frozenset({"get"})).whole == ["t1"]
    assert runs.run(policy="combined", code="c2", discrepant=frozenset({"get"})).whole == []


def test_reruns_on_the_candidate_do_not_count_as_reference_calls(loop: Make) -> None:
    found = loop(two()).run()
    roles = [role for role, _ in found.reference.reruns]
    assert roles == [Role.CANDIDATE, Role.REFERENCE]
    assert found.reference_calls == 11


def test_a_result_that_no_answer_explains_is_not_trusted_later(tmp_path: Path) -> None:
    """Every answer is equal, the results are not: until they are, the whole test runs there."""
    passed, failed = Result.PASSED, Result.FAILED
    suite = Suite(
        {"t": (put("a"), get("a"))}, wavering={"t": [passed, passed, failed, passed, passed, passed]}
    )
    runs = Loop(suite, tmp_path / "ledger.sqlite")
    assert runs.run(impossible=True).standings == {"t": Standing.FLAKY}
    left = runs.run(verify=False, code="c2")
    assert left.standings == {"t": Standing.UNDECIDED}
    verdict = left.reports["t"].verdict
    assert isinstance(verdict, Rerun)
    assert verdict.reason == ResultsDiffered(result=failed, when=1010.0)
    settled = runs.run(code="c2")
    assert (settled.standings, settled.whole) == ({"t": Standing.PROVED}, ["t"])
    assert runs.run(verify=False, code="c3").standings == {"t": Standing.TRUSTED}


def test_a_result_that_no_answer_explains_is_remembered_under_another_name(tmp_path: Path) -> None:
    """Whoever renames a test, or moves its file, has settled nothing; one that does something else is new."""
    passed, failed = Result.PASSED, Result.FAILED
    suite = Suite(
        {"t": (put("a"), get("a")), "other": (put("b", "else"),)}, wavering={"t": [passed, passed, failed]}
    )
    runs = Loop(suite, tmp_path / "ledger.sqlite")
    runs.run(impossible=True)
    suite.scripts["renamed"] = suite.scripts.pop("t")
    suite.scripts["alike"] = suite.scripts["other"]
    assert runs.run(code="c2").whole == ["renamed"]
    assert runs.run(verify=False, code="c3").standings["renamed"] is Standing.TRUSTED


@pytest.mark.parametrize("impossible", [True, False])
def test_what_a_fixture_of_an_earlier_test_was_answered_counts_for_the_others(
    loop: Make, impossible: bool
) -> None:
    """A test without calls of its own is trusted as soon as the fixture is, and no sooner."""
    suite = Suite({"t1": (put("a"), get("a")), "t2": ()}, borrows={"t2": "t1"})
    runs = loop(suite)
    first = runs.run(verify=False).reports["t2"].verdict
    assert isinstance(first, Rerun)
    assert first.reason == FixtureInDoubt(
        fixture="shared", test="t1", operations=("box.put", "box.get"), differs=False
    )
    proved = runs.run(impossible=impossible)
    assert (proved.standings["t2"], "t2" in proved.whole) == (Standing.PROVED, False)
    assert runs.run(verify=False).standings["t2"] is Standing.TRUSTED


@pytest.mark.parametrize("policy", ["context", "api"])
def test_a_fixture_that_is_answered_otherwise_makes_the_whole_test_run_there(loop: Make, policy: str) -> None:
    suite = Suite({"t1": (put("a"), get("a")), "t2": ()}, wrong={"a": KINDS[0]}, borrows={"t2": "t1"})
    runs, discrepant = loop(suite), frozenset({"box.get", "box.put"})
    whole = [runs.run(code=code, policy=policy, discrepant=discrepant).whole for code in ("c1", "c2")]
    assert "t2" in whole[0] + whole[1]
    later = runs.run(code="c3", verify=False, policy=policy, discrepant=discrepant)
    assert later.standings["t2"] is Standing.UNDECIDED


@pytest.mark.parametrize("impossible", [True, False])
def test_a_refusal_is_a_difference_whatever_wavers_in_the_answers_of_the_candidate(
    loop: Make, impossible: bool
) -> None:
    suite = Suite({"t": (measure(),)}, wrong={"": "refuses"})
    report = loop(suite).run(impossible=impossible).reports["t"]
    assert report.standing is Standing.DISCREPANT
    assert [each.difference for each in report.discrepancies] == [Difference.SUCCESS]


def test_a_result_counts_for_the_same_code_only_where_it_builds_on_the_same(loop: Make) -> None:
    """By itself a test ends alike on both sides, after another one it does not."""
    suite = Suite({"t2": (listed(),)}, shared=True, wrong={"a": "forgets"})
    runs = loop(suite)
    assert runs.run().standings == {"t2": Standing.PROVED}
    suite.scripts = {"t1": (put("a"),), **suite.scripts}
    later = runs.run()
    assert later.standings["t2"] is Standing.DISCREPANT
    again = runs.run()
    assert (again.standings["t2"], again.reference_calls) == (Standing.DISCREPANT, 0)
    del suite.scripts["t1"]
    assert runs.run().standings == {"t2": Standing.PROVED}, "how it ended after the other says nothing"


def test_a_test_that_builds_on_others_is_not_proved_by_itself(loop: Make) -> None:
    """Alone on the reference it meets another state: what it met here is repeated, whatever that takes."""
    suite = Suite({"t1": tuple(put(name) for name in "abcdef")}, shared=True, wrong={"a": "forgets"})
    runs = loop(suite)
    runs.run()
    suite.scripts["t2"] = (listed(),)
    later = runs.run(code="c2")
    assert later.standings == {"t1": Standing.TRUSTED, "t2": Standing.DISCREPANT}


def chain(wrong: Mapping[str, str]) -> Suite:
    return Suite({"t1": (put("a"),), "t2": (get("a"), put("b", checks=False))}, shared=True, wrong={**wrong})


def test_only_what_a_test_itself_builds_on_is_run_before_it(loop: Make) -> None:
    suite = chain({})
    runs = loop(suite)
    runs.run()
    suite.scripts["t3"] = (get("b", checks=False),)
    later = runs.run(impossible=True)
    assert later.whole == ["t2", "t3"]
    assert later.standings["t3"] is Standing.PROVED


def test_all_that_is_below_is_run_where_a_test_does_not_find_there_what_it_found_here(loop: Make) -> None:
    """The write that the last test builds on is refused there: its result after all others counts."""
    suite = chain({"b": "refuses"})
    runs = loop(suite)
    runs.run()
    suite.scripts["t3"] = (get("b", checks=False),)
    later = runs.run(impossible=True)
    assert later.whole == ["t2", "t3", "t1", "t2", "t3"]
    assert (later.standings["t2"], later.standings["t3"]) == (Standing.DISCREPANT, Standing.PROVED)
    assert runs.run().reference_calls == 0
