"""The ledger gives back what it was given and counts only what stands, on SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from store_samples import (
    AWS,
    GET,
    attempt,
    audit,
    call,
    discrepancy,
    evidence,
    keyed,
    spending,
    trace,
)

from likewise.model import (
    Fingerprint,
    LikewiseError,
    Origin,
    Provenance,
    Role,
    Sketch,
    Target,
    Withdrawal,
)
from likewise.store import Ledger, LedgerAbsent, LedgerUnavailable, merge, open_ledger

ODD = "t::naïve[\x00-\ud800-'\"%s?{among}]"
"""A test's name with everything that a database could trip over."""


def everything(ledger: Ledger) -> dict[str, object]:
    """All that can be seen of a ledger."""
    tests = ["t::a", "t::b", ODD]
    return {
        "runs": ledger.runs(),
        "sketches": ledger.sketches(tests, per_test=99),
        "evidence": list(ledger.evidence(tests)),
        "answers": ledger.answers(["k0", "k1", "k2"], include_withdrawn=True),
        "standing": ledger.answers(["k0", "k1", "k2"]),
        "withdrawals": ledger.withdrawals(["k0", "k1", "k2"]),
        "attempts": ledger.attempts_by_test(tests),
        "discrepancies": ledger.discrepancies(),
        "audits": ledger.audits(),
        "spendings": ledger.spendings(),
        "created": ledger.created(),
        "statistics": ledger.statistics(canonical_version=1, expired_before=150.0),
    }


def fill(ledger: Ledger, *, test: str = "t::a", when: float = 100.0) -> None:
    ledger.add_run(Provenance(run=f"r{when}", started=when, targets=(AWS,), versions={"a": "1"}))
    ledger.add_sketches([Sketch(test=test, run="r", when=when, tokens={"place": ["\ud800", "x"]})])
    ledger.add_evidence(evidence(test, when=when), keyed("k0", "k1"))
    ledger.withdraw(Withdrawal(key="k0", reason="an audit", when=when))
    ledger.add_attempts([attempt(test, when=when)])
    ledger.add_discrepancies("r1", [discrepancy(test)])
    ledger.add_audits([audit(when=when), audit("k2", clean=False)])
    ledger.add_spending(spending(when=when))
    ledger.remember_created("r1", "aws", f"bucket/{when}", "aws s3 rb")


def test_a_new_ledger_is_empty(ledger: Ledger) -> None:
    assert ledger.answers(["k"]) == {}
    assert ledger.runs() == []
    assert ledger.audit_counts() == (0, 0)
    counted = ledger.statistics(canonical_version=1)
    assert (counted.keys, counted.evidence, counted.leftovers) == (0, 0, 0)
    assert ledger.check() == []


def test_what_was_added_is_there_after_opening_again(location: str) -> None:
    with open_ledger(location) as ledger:
        fill(ledger, test=ODD)
        before = everything(ledger)
    with open_ledger(location, read_only=True) as ledger:
        assert everything(ledger) == before
    assert before["sketches"]
    assert before["evidence"]
    assert before["attempts"]


def test_runs_come_oldest_first(ledger: Ledger) -> None:
    for started in (3.0, 1.0, 2.0):
        ledger.add_run(Provenance(run=f"r{started}", started=started))
    assert [run.started for run in ledger.runs()] == [1.0, 2.0, 3.0]


def test_the_latest_sketches_come_first(ledger: Ledger) -> None:
    made = [Sketch(test=test, run=f"r{n}", when=n, tokens={"p": [str(n)]}) for n in range(6) for test in "ab"]
    ledger.add_sketches(made)
    ledger.add_sketches(made)
    found = ledger.sketches(["a", "b", "absent"], per_test=3)
    assert {test: [each.when for each in some] for test, some in found.items()} == {
        "a": [5, 4, 3],
        "b": [5, 4, 3],
    }


def test_two_sketches_of_the_same_code_come_with_later_ones_of_other_code(ledger: Ledger) -> None:
    codes = ["a", "b", "b", "c", "c", "d", "e", "f"]
    ledger.add_sketches(
        [Sketch(test="t", run=f"r{n}", when=n, code=code, tokens={}) for n, code in enumerate(codes)]
    )
    assert [each.when for each in ledger.sketches(["t"], per_test=3)["t"]] == [7, 6, 5, 4, 3]
    assert [each.when for each in ledger.sketches(["t"])["t"]] == [7, 6, 5, 4, 3]
    assert [each.when for each in ledger.sketches(["t"], per_test=5)["t"]] == [7, 6, 5, 4, 3]


class TestEvidence:
    """What the reference said, and where it can be looked up."""

    def test_the_id_is_of_the_content(self, ledger: Ledger) -> None:
        first = ledger.add_evidence(evidence(), keyed("k0"))
        assert ledger.add_evidence(evidence(), keyed("k0")) == first
        assert ledger.add_evidence(evidence(when=101.0), keyed("k0")) != first
        assert next(identity for identity, _ in ledger.evidence(["t::a"])) == first
        assert len(list(ledger.evidence(["t::a"]))) == 2

    def test_traces_come_back_whole(self, ledger: Ledger) -> None:
        given = evidence(proved=(0, 2))
        identity = ledger.add_evidence(given, keyed("k0", "k1", "k2"))
        assert list(ledger.evidence(["t::a", "t::b"])) == [(identity, given)]
        assert list(ledger.evidence_of([identity, "absent"])) == [(identity, given)]

    def test_only_proved_positions_are_indexed(self, ledger: Ledger) -> None:
        ledger.add_evidence(evidence(proved=(0, 2)), keyed("k0", "k1", "k2"))
        assert ledger.answers(["k0", "k1", "k2"]).keys() == {"k0", "k2"}

    def test_a_position_that_the_last_trace_lacks_is_refused(self, ledger: Ledger) -> None:
        with pytest.raises(ValueError, match="does not have"):
            ledger.add_evidence(evidence(calls=2, proved=(2,)), [])
        assert list(ledger.evidence(["t::a"])) == []

    def test_an_answer_cites_its_evidence(self, ledger: Ledger) -> None:
        board = Target(name="board", role=Role.REFERENCE, version="7")
        given = replace(evidence(ODD, reference=board, when=12.5), origin=Origin.SLICE)
        identity = ledger.add_evidence(given, keyed("k0", "k1", answer="yes"))
        (answer,) = ledger.answers(["k1"])["k1"]
        assert (answer.key, answer.answer, answer.evidence, answer.position) == ("k1", "yes", identity, 1)
        assert (answer.reference, answer.when, answer.origin) == ("board 7", 12.5, Origin.SLICE)

    def test_the_stored_outcome_is_the_references(self, ledger: Ledger) -> None:
        identity = ledger.add_evidence(evidence(proved=(0, 2)), keyed("k0"))
        assert ledger.outcome(identity, 2) == trace().interactions[2]
        for wrong in ((identity, 1), (identity, 99), ("absent", 0)):
            with pytest.raises(LikewiseError, match="no proved call"):
                ledger.outcome(*wrong)

    def test_every_answer_to_a_key_is_there_newest_first(self, ledger: Ledger) -> None:
        for when, answer in ((1.0, "x"), (3.0, "y"), (2.0, "x")):
            ledger.add_evidence(evidence(when=when), keyed("k", answer=answer))
        assert [(each.when, each.answer) for each in ledger.answers(["k"])["k"]] == [
            (3.0, "y"),
            (2.0, "x"),
            (1.0, "x"),
        ]
        assert ledger.statistics(canonical_version=1).ambiguous == 1

    def test_a_position_may_be_keyed_at_several_widths(self, ledger: Ledger) -> None:
        ledger.add_evidence(evidence(), [*keyed("narrow"), *keyed("wide", width=1)])
        assert ledger.answers(["narrow", "wide"]).keys() == {"narrow", "wide"}

    def test_reindexing_replaces_the_keys_and_leaves_the_evidence(self, ledger: Ledger) -> None:
        given = evidence()
        identity = ledger.add_evidence(given, keyed("old"))
        ledger.add_evidence(evidence("t::b"), keyed("other"))
        ledger.reindex(identity, keyed("new"), canonical_version=2)
        assert ledger.answers(["old", "new", "other"]).keys() == {"new", "other"}
        assert list(ledger.evidence(["t::a"])) == [(identity, given)]

    def test_reindexing_does_not_index_what_was_not_proved(self, ledger: Ledger) -> None:
        identity = ledger.add_evidence(evidence(ODD, proved=(1,)), [])
        ledger.reindex(identity, keyed("candidate's", "reference's"))
        assert ledger.answers(["candidate's", "reference's"]).keys() == {"reference's"}

    def test_adding_again_does_not_undo_a_better_index(self, ledger: Ledger) -> None:
        identity = ledger.add_evidence(evidence(), keyed("v1"))
        ledger.reindex(identity, keyed("v2"), canonical_version=2)
        ledger.add_evidence(evidence(), keyed("v1"))
        assert ledger.answers(["v1", "v2"]).keys() == {"v2"}

    def test_reindexing_what_is_not_there_is_an_error(self, ledger: Ledger) -> None:
        with pytest.raises(LikewiseError, match="no evidence absent"):
            ledger.reindex("absent", keyed("k"))

    def test_keys_of_another_canonical_version_are_visible_and_can_be_left_out(self, ledger: Ledger) -> None:
        old = ledger.add_evidence(evidence(version=1), keyed("k"))
        assert ledger.superseded(2) == [old]
        assert ledger.statistics(canonical_version=2).superseded == 1
        assert ledger.answers(["k"], canonical_version=2) == {}
        assert ledger.answers(["k"]).keys() == {"k"}
        ledger.reindex(old, keyed("k"), canonical_version=2)
        assert ledger.superseded(2) == []
        assert ledger.answers(["k"], canonical_version=2).keys() == {"k"}

    def test_what_another_reference_said_can_be_left_out(self, ledger: Ledger) -> None:
        other = Target(name="ministack", role=Role.REFERENCE, version="1")
        ledger.add_evidence(evidence(reference=other), keyed("k", answer="x"))
        ledger.add_evidence(evidence(), keyed("k", answer="y"))
        assert [each.answer for each in ledger.answers(["k"], reference="aws")["k"]] == ["y"]
        assert [each.answer for each in ledger.answers(["k"], reference="ministack 1")["k"]] == ["x"]
        assert len(ledger.answers(["k"])["k"]) == 2
        assert ledger.statistics(canonical_version=1).ambiguous == 0

    def test_many_keys_at_once(self, ledger: Ledger) -> None:
        keys = [f"{number:032x}" for number in range(30_000)]
        big = evidence(calls=1)
        big = replace(
            big, traces=(replace(trace(), interactions=(call(),) * 30_000),), proved=tuple(range(30_000))
        )
        ledger.add_evidence(big, keyed(*keys))
        found = ledger.answers([*keys, "absent"])
        assert found.keys() == set(keys)
        assert found[keys[29_999]][0].position == 29_999


class TestWithdrawal:
    """A withdrawn answer stays visible and does not count."""

    def test_an_answer_no_younger_than_the_withdrawal_does_not_count(self, ledger: Ledger) -> None:
        for when in (1.0, 2.0, 3.0):
            ledger.add_evidence(evidence(when=when), keyed("k"))
        ledger.withdraw(Withdrawal(key="k", reason="an audit failed", when=2.0))
        assert [each.when for each in ledger.answers(["k"])["k"]] == [3.0]
        assert [each.when for each in ledger.answers(["k"], include_withdrawn=True)["k"]] == [3.0, 2.0, 1.0]

    def test_the_latest_withdrawal_is_the_one_that_counts(self, ledger: Ledger) -> None:
        for when in (5.0, 2.0):
            ledger.withdraw(Withdrawal(key="k", reason=str(when), when=when))
        assert ledger.withdrawals(["k", "other"]) == {"k": Withdrawal(key="k", reason="5.0", when=5.0)}
        ledger.add_evidence(evidence(when=4.0), keyed("k"))
        assert ledger.answers(["k"]) == {}
        assert ledger.statistics(canonical_version=1).withdrawn == 1

    def test_a_withdrawn_answer_makes_nothing_ambiguous(self, ledger: Ledger) -> None:
        ledger.add_evidence(evidence(when=1.0), keyed("k", answer="x"))
        ledger.withdraw(Withdrawal(key="k", reason="", when=1.5))
        ledger.add_evidence(evidence(when=2.0), keyed("k", answer="y"))
        assert ledger.statistics(canonical_version=1).ambiguous == 0


class TestBooks:
    """What happened, in the order in which it happened."""

    def test_attempts(self, ledger: Ledger) -> None:
        ledger.add_attempts([attempt(when=2.0, result="failed"), attempt(when=1.0), attempt("t::b")])
        assert [each.result for each in ledger.attempts("t::a")] == ["passed", "failed"]
        assert ledger.attempts("absent") == []

    def test_discrepancies_with_values_of_every_kind(self, ledger: Ledger) -> None:
        found = [discrepancy(), discrepancy("t::b"), discrepancy("t::b", GET)]
        ledger.add_discrepancies("r1", found)
        ledger.add_discrepancies("r2", found[:1])
        assert sorted(run for run, _ in ledger.discrepancies()) == ["r1", "r1", "r1", "r2"]
        assert [each for _, each in ledger.discrepancies(["t::a"])] == [found[0], found[0]]
        assert ledger.discrepant_operations() == {"s3.PutObject": 2, "s3.GetObject": 1}

    def test_audits(self, ledger: Ledger) -> None:
        ledger.add_audits([audit("a"), audit("b"), audit("c", clean=False), audit("a")])
        assert ledger.audit_counts() == (2, 1)

    def test_spendings(self, ledger: Ledger) -> None:
        ledger.add_spending(spending("r2", when=2.0))
        ledger.add_spending(spending("r1", when=1.0))
        assert ledger.spendings() == [spending("r1", when=1.0), spending("r2", when=2.0)]

    def test_expired_keys_are_counted_by_their_latest_answer(self, ledger: Ledger) -> None:
        ledger.add_evidence(evidence(when=1.0), keyed("old", "renewed"))
        ledger.add_evidence(evidence(when=9.0), keyed("renewed"))
        assert ledger.statistics(canonical_version=1, expired_before=5.0).expired == 1
        assert ledger.statistics(canonical_version=1, expired_before=1.0).expired == 0


class TestCreated:
    """What stands on a reference because of us is never forgotten by accident."""

    def test_what_was_created_is_listed_until_it_is_gone(self, ledger: Ledger) -> None:
        ledger.remember_created("r1", "aws", "bucket/a", "aws s3 rb s3://a")
        ledger.remember_created("r1", "aws", "bucket/b")
        ledger.remember_created("r1", "azure", "bucket/a")
        ledger.forget_created("aws", "bucket/a")
        assert [(each.target, each.resource) for each in ledger.created()] == [
            ("aws", "bucket/b"),
            ("azure", "bucket/a"),
        ]

    def test_created_again_after_it_was_gone_it_is_listed_again(self, ledger: Ledger) -> None:
        ledger.remember_created("r1", "aws", "bucket/a")
        ledger.forget_created("aws", "bucket/a")
        ledger.remember_created("r1", "aws", "bucket/a", "by hand")
        assert [each.hint for each in ledger.created()] == ["by hand"]

    def test_it_is_on_disk_before_the_call_or_not_at_all(self, ledger: Ledger, location: str) -> None:
        with pytest.raises(RuntimeError, match="batch"), ledger.batch():
            ledger.remember_created("r1", "aws", "bucket/a")
        ledger.remember_created("r1", "aws", "bucket/b")
        with open_ledger(location, read_only=True) as other:
            assert [each.resource for each in other.created()] == ["bucket/b"]


class TestMerge:
    """Merging is a union: idempotent, and the order does not matter."""

    @pytest.fixture
    def pair(self, new_location: Callable[[], str]) -> Iterator[tuple[Ledger, Ledger]]:
        with open_ledger(new_location()) as one, open_ledger(new_location()) as other:
            yield one, other

    def test_merging_is_a_union(self, pair: tuple[Ledger, Ledger], new_location: Callable[[], str]) -> None:
        one, other = pair
        fill(one)
        fill(other, test="t::b", when=200.0)
        other.add_evidence(evidence(), keyed("k0", "k1"))
        with open_ledger(new_location()) as both, open_ledger(new_location()) as reverse:
            report = merge(both, one, other)
            assert report.added["evidence"] == 2
            assert report.added["runs"] == 2
            merge(reverse, other)
            merge(reverse, one)
            assert everything(both) == everything(reverse)
            assert len(both.answers(["k1"])["k1"]) == 2
            assert merge(both, one, other, reverse).total == 0
            assert everything(both) == everything(reverse)

    def test_what_was_removed_elsewhere_is_gone_after_a_merge(self, pair: tuple[Ledger, Ledger]) -> None:
        one, other = pair
        one.remember_created("r", "aws", "bucket/a")
        merge(other, one)
        other.forget_created("aws", "bucket/a")
        merge(one, other)
        assert one.created() == []

    def test_the_later_canonical_versions_keys_stay(self, pair: tuple[Ledger, Ledger]) -> None:
        one, other = pair
        identity = one.add_evidence(evidence(), keyed("v1"))
        merge(other, one)
        other.reindex(identity, keyed("v2"), canonical_version=2)
        merge(one, other)
        merge(other, one)
        for each in pair:
            assert each.answers(["v1", "v2"]).keys() == {"v2"}
            assert each.superseded(2) == []

    def test_more_rows_than_fit_in_one_chunk(self, pair: tuple[Ledger, Ledger]) -> None:
        one, other = pair
        one.add_attempts([attempt(when=float(number)) for number in range(1203)])
        with one.batch():
            for number in range(603):
                one.add_evidence(evidence(when=float(number), calls=1), keyed(f"k{number}"))
        report = merge(other, one)
        assert (report.added["attempts"], report.added["evidence"]) == (1203, 603)
        assert len(other.answers([f"k{number}" for number in range(603)])) == 603


class TestTransactions:
    """All of a batch or nothing."""

    def test_an_error_in_a_batch_leaves_nothing_of_it(self, ledger: Ledger) -> None:
        def fail() -> None:
            with ledger.batch():
                ledger.add_attempts([attempt()])
                ledger.add_evidence(evidence(), keyed("k"))
                raise KeyError("midway")

        with pytest.raises(KeyError):
            fail()
        assert ledger.attempts("t::a") == []
        assert ledger.answers(["k"]) == {}
        ledger.add_attempts([attempt()])
        assert len(ledger.attempts("t::a")) == 1

    def test_a_ledger_opened_for_reading_refuses_to_be_written(self, location: str) -> None:
        open_ledger(location).close()
        with open_ledger(location, read_only=True) as ledger:
            with pytest.raises(LedgerUnavailable, match="for reading only"):
                ledger.add_attempts([attempt()])
            assert ledger.attempts("t::a") == []

    def test_reading_where_there_is_no_ledger_makes_none(self, location: str) -> None:
        for _ in range(2):
            with pytest.raises(LedgerAbsent):
                open_ledger(location, read_only=True)


def test_ids_are_fingerprints_of_hexadecimal_digits(ledger: Ledger) -> None:
    identity: Fingerprint = ledger.add_evidence(evidence(), [])
    assert len(identity) == 32
    assert int(identity, 16)
