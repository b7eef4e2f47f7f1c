"""Commands about the ledger: show, stats, merge, savings, clean."""

from __future__ import annotations

import json
from pathlib import Path

from runs_by_hand import NOON, differ, spending

from likewise.model import (
    Audit,
    Evidence,
    Interaction,
    Keyed,
    Operation,
    Origin,
    Provenance,
    Returned,
    Role,
    Target,
    Trace,
    Withdrawal,
)
from likewise.store import DEFAULT, Ledger, open_ledger

PUT = Operation("s3", "PutObject")
REFERENCE = Target(name="ministack", role=Role.REFERENCE, version="1.5.33")


def fill(ledger: Ledger, *, run: str = "r1", key: str = "k1", answer: str = "a1", when: float = NOON) -> None:
    call = Interaction(operation=PUT, arguments={}, outcome=Returned(value={"status": 200}))
    trace = Trace(test="tests/t.py::t", role=Role.REFERENCE, interactions=(call,))
    evidence = Evidence(
        test="tests/t.py::t",
        run=run,
        origin=Origin.SLICE,
        reference=REFERENCE,
        when=when,
        traces=(trace,),
        proved=(0,),
        canonical_version=1,
    )
    keyed = Keyed(position=0, operation=PUT, form="f", key=key, answer=answer)
    ledger.add_run(Provenance(run=run, started=when, targets=(REFERENCE,)))
    ledger.add_evidence(evidence, [keyed])


def test_without_a_ledger_there_is_a_message(likewise) -> None:
    for arguments in (("ledger",), ("ledger", "stats"), ("savings",), ("clean",)):
        assert "[ledger-absent]" in likewise(*arguments, exit_code=2).stderr


def test_stats_count_what_does_not_count(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        fill(ledger, run="r1", key="ambiguous", answer="a")
        fill(ledger, run="r2", key="ambiguous", answer="b")
        fill(ledger, run="r3", key="withdrawn")
        ledger.withdraw(Withdrawal(key="withdrawn", reason="an audit", when=NOON + 1))
        ledger.add_audits([Audit(key="k", operation="s3.PutObject", clean=True, run="r3", when=NOON)])
    found = json.loads(likewise("ledger", "stats", "--json").stdout)
    assert (found["keys"], found["ambiguous"], found["withdrawn"]) == (2, 1, 1)
    assert (found["runs"], found["audits_clean"], found["audits_failed"]) == (3, 1, 0)
    text = likewise("ledger", "stats").stdout
    assert "ambiguous: two different answers, never used" in text
    assert "withdrawn: contradicted, not used" in text


def test_expired_evidence_is_visible(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        fill(ledger, when=1_000_000_000.0)
    assert json.loads(likewise("ledger", "stats", "--json").stdout)["expired"] == 1
    assert "1 expired: too old, not used" in likewise("ledger").stdout


def test_show_names_differing_operations_and_runs(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        fill(ledger)
        ledger.add_discrepancies("r1", [differ(test="tests/t.py::t")])
    text = likewise("ledger", "show").stdout
    assert "s3.PutObject" in text
    assert "r1" in text
    found = json.loads(likewise("ledger", "show", "--json").stdout)
    assert found["discrepant_operations"] == {"s3.PutObject": 1}


def test_merge_is_a_union_and_says_what_was_added(likewise, project: Path) -> None:
    for name, run in (("a.sqlite", "r1"), ("b.sqlite", "r2")):
        with open_ledger(project / name) as ledger:
            fill(ledger, run=run, key=run)
    text = likewise("ledger", "merge", "a.sqlite", "b.sqlite", "--into", "c.sqlite").stdout
    assert "2 runs" in text
    assert "2 evidence" in text
    again = likewise("ledger", "merge", "a.sqlite", "b.sqlite", "--into", "c.sqlite", "--json")
    assert json.loads(again.stdout)["total"] == 0
    with open_ledger(project / "c.sqlite") as ledger:
        assert {run.run for run in ledger.runs()} == {"r1", "r2"}


def test_merging_an_absent_ledger_changes_nothing(likewise, project: Path) -> None:
    likewise("ledger", "merge", "absent.sqlite", "--into", "c.sqlite", exit_code=2)
    assert not (project / "c.sqlite").exists()
    assert not (project / "absent.sqlite").exists()


def test_savings_are_listed_by_run_with_totals(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        ledger.add_spending(spending("r1", calls=100, reference_calls=120, when=NOON))
        ledger.add_spending(spending("r2", calls=100, reference_calls=10, when=NOON + 60))
    found = json.loads(likewise("savings", "--json").stdout)
    assert [run["saved"] for run in found["runs"]] == [-20, 90]
    assert (found["total"]["calls"], found["total"]["saved"]) == (200, 70)
    lines = likewise("savings").stdout.splitlines()
    assert lines[-1].split()[:4] == ["total", "200", "130", "70"]
    assert len(json.loads(likewise("savings", "--last", "1", "--json").stdout)["runs"]) == 1


def test_the_amounts_of_all_runs_add_up_to_the_total(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        ledger.add_spending(spending("r1", calls=100, reference_calls=120, when=NOON))
        ledger.add_spending(spending("r2", calls=100, reference_calls=10, when=NOON + 60))
    first, *_ = likewise("savings").stdout.splitlines()[1:]
    assert first.split()[-3].startswith("-$")
    assert first.split()[-2].startswith("-")


def test_calls_of_undecided_tests_are_no_savings(likewise, project: Path) -> None:
    from dataclasses import replace

    with open_ledger(DEFAULT) as ledger:
        ledger.add_spending(replace(spending(calls=100, reference_calls=0), unsettled=70))
    assert json.loads(likewise("savings", "--json").stdout)["total"]["saved"] == 30


def test_nothing_left_is_said(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        fill(ledger)
    assert "nothing is left" in likewise("clean").stdout


def test_what_is_left_elsewhere_is_listed_with_its_command_and_not_touched(likewise, project: Path) -> None:
    with open_ledger(DEFAULT) as ledger:
        ledger.remember_created("r1", "aws", "s3 bucket left", "aws s3 rb s3://left --force")
    result = likewise("clean", "--yes", exit_code=1)
    assert "aws s3 rb s3://left --force" in result.stdout
    assert "not configured here" in result.stdout
    assert len(json.loads(likewise("clean", "--json").stdout)) == 1
    assert (
        "does not know of 's3 bucket lef'"
        in likewise("clean", "--forget", "s3 bucket lef", exit_code=2).stderr
    )
    likewise("clean", "--forget", "s3 bucket left")
    assert json.loads(likewise("clean", "--list", "--json").stdout) == []
