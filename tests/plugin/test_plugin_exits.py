"""The exit status, the messages, and what plain `pytest` is spared."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from plugin_suites import Suite

from likewise.model import NoCalls, Notice, Result, Standing, TestReport, Trust
from likewise.plugin.exits import Tally, exit_status, unproved

pytest_plugins = ["pytester"]

HEAVY = {"boto3", "botocore", "azure", "rich", "jinja2", "sqlite3", "msgspec", "moto", "click"}

TWO = "def test_good(): pass\ndef test_bad(): assert False\n"


def report(test: str, candidate: Result, reference: Result | None = None) -> TestReport:
    return TestReport(
        test=test,
        standing=Standing.PROVED,
        verdict=Trust(reason=NoCalls()),
        candidate=candidate,
        reference=reference,
    )


def tally(*failed: str, collection: int = 0) -> Tally:
    made = Tally()
    for test in failed:
        failure: Any = SimpleNamespace(failed=True, nodeid=test)
        made.add_test(failure)
    for _ in range(collection):
        broken: Any = SimpleNamespace(failed=True)
        made.add_collection(broken)
    return made


@pytest.mark.parametrize("slug", ["target-unavailable", "credentials", "throttled"])
def test_only_undecided_tests_of_a_reference_that_could_not_be_asked_are_unproved(slug: str) -> None:
    undecided = replace(report("a", Result.PASSED), standing=Standing.UNDECIDED)
    proved = report("b", Result.PASSED)
    could_not = Notice(slug=slug, text="…")
    assert unproved([undecided, proved], [could_not]) == 1
    assert unproved([proved], [could_not]) == 0
    assert unproved([undecided], [Notice(slug="budget-reached", text="…")]) == 0


PASSED, FAILED = Result.PASSED, Result.FAILED


@pytest.mark.parametrize(
    ("status", "failures", "reports", "expected"),
    [
        pytest.param(0, tally(), [report("a", PASSED)], 0, id="all trusted"),
        pytest.param(0, tally(), [report("a", PASSED, FAILED)], 1, id="fails on the reference"),
        pytest.param(1, tally("a"), [report("a", FAILED)], 1, id="fails, not proved otherwise"),
        pytest.param(1, tally("a"), [report("a", FAILED, PASSED)], 0, id="false alarm"),
        pytest.param(1, tally("a", "b"), [report("a", FAILED, PASSED)], 1, id="another has no report"),
        pytest.param(
            1, tally("a"), [report("a", FAILED, PASSED), report("b", PASSED, FAILED)], 1, id="one each way"
        ),
        pytest.param(1, tally("a", collection=1), [report("a", FAILED, PASSED)], 1, id="a broken file"),
        pytest.param(2, tally("a"), [report("a", FAILED, PASSED)], 2, id="interrupted"),
        pytest.param(3, tally(), [report("a", PASSED, FAILED)], 3, id="internal error"),
        pytest.param(4, tally(), [], 4, id="usage"),
        pytest.param(5, tally(), [], 5, id="no tests"),
    ],
)
def test_the_side_that_counts_decides(
    status: int, failures: Tally, reports: list[TestReport], expected: int
) -> None:
    got = exit_status(
        status, tally=failures, counted=failures.reports + failures.others, is_whole=True, tests=reports
    )
    assert got == expected


def test_a_failure_that_somebody_else_counted_stays_one() -> None:
    cleared = [report("a", FAILED, PASSED)]
    assert exit_status(1, tally=tally("a"), counted=2, is_whole=True, tests=cleared) == 1
    assert exit_status(1, tally=tally(), counted=0, is_whole=True, tests=[report("a", PASSED)]) == 1


def test_a_run_cut_short_by_a_false_alarm_is_no_success() -> None:
    assert (
        exit_status(1, tally=tally("a"), counted=1, is_whole=False, tests=[report("a", FAILED, PASSED)]) == 1
    )


@pytest.mark.parametrize(
    ("reference", "expected"),
    [({}, 1), ({"bad": "passed"}, 0), ({"bad": "passed", "good": "failed"}, 1), ({"good": "failed"}, 1)],
)
def test_pytest_exits_with_it(suite: Suite, reference: dict[str, str], expected: int) -> None:
    suite.pytester.makepyfile(test_it=TWO)
    suite.order(reference={f"test_it.py::test_{name}": result for name, result in reference.items()})
    assert suite.run("--likewise", "-q").ret == expected


def test_without_tests_nothing_is_concluded(suite: Suite) -> None:
    assert suite.run("--likewise").ret == 5
    assert not suite.is_concluded


def test_options_win_over_the_configuration(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack", policy="api")
    suite.pytester.makepyfile(test_it="def test_it(): pass\n")
    result = suite.run(
        "--likewise",
        "--likewise-candidate=mock_aws",
        "--likewise-policy=sequence",
        "--likewise-budget=7",
        "--likewise-ledger=elsewhere.sqlite",
        "--likewise-both",
    )
    assert result.ret == 0
    concluded = suite.concluded
    assert concluded["candidate"] == "mock_aws"
    assert concluded["policy"] == "sequence"
    assert concluded["budget"] == 7
    assert concluded["both"]
    assert not concluded["verify"]
    assert concluded["ledger"] == str(suite.root / "elsewhere.sqlite")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            {"candidate": "motto", "reference": "moto"},
            "[tool.likewise]: unknown target 'motto'. Did you mean",
        ),
        (
            {"candidate": "moto", "reference": "awz"},
            "[tool.likewise]: unknown target 'awz'. Did you mean aws?",
        ),
        ({"candidate": "s3+http://127.0.0.1:port", "reference": "moto"}, "not an endpoint: s3+http://127"),
        ({"candidate": "s3+http://127.0.0.1:99999", "reference": "moto"}, "not an endpoint: s3+http://127"),
        ({"candidat": "moto"}, "Did you mean 'candidate'?"),
        ({"reference": "moto"}, "no candidate is named"),
        ({"candidate": "moto"}, 'no reference is named. Write reference = "aws"'),
        ({"candidate": "moto", "reference": "seaweedfs"}, "seaweedfs has no dynamodb"),
        ({"candidate": "s3+http://127.0.0.1:9", "reference": "moto"}, "nobody answers"),
    ],
)
def test_a_wrong_configuration_is_a_usage_error_before_any_test(
    suite: Suite, keys: dict[str, str], expected: str
) -> None:
    suite.configure(**keys)
    suite.pytester.makepyfile(test_it="print('collected')\ndef test_it(): pass\n")
    result = suite.run("--likewise")
    assert result.ret == 4
    text = result.stdout.str() + result.stderr.str()
    assert expected in text
    assert "Traceback" not in text
    assert "collected" not in text


def test_ctrl_c_while_servers_start_ends_with_one_message(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="aws")
    suite.pytester.makepyfile(
        interrupting="""
            from likewise.plugin import enabled

            def start(*_):
                raise KeyboardInterrupt

            enabled._start = start
        """,
        test_it="def test_it(): pass\n",
    )
    result = suite.run("--likewise", "-p", "interrupting")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    text = result.stdout.str() + result.stderr.str()
    assert "interrupted while the candidate was started. No test ran." in text
    assert "Traceback" not in text


def test_a_target_that_does_not_start_stops_every_worker_with_the_reason(suite: Suite) -> None:
    suite.configure(candidate="s3+http://127.0.0.1:9", reference="moto")
    suite.pytester.makepyfile(test_it="def test_it(): pass\n")
    result = suite.run("--likewise", "-n", "1")
    text = result.stdout.str() + result.stderr.str()
    assert result.ret == 4
    assert "nobody answers at http://127.0.0.1:9" in text
    assert "Traceback" not in text


def test_an_error_in_the_conclusion_shows_the_results_and_keeps_the_recording(suite: Suite) -> None:
    conftest = suite.root / "conftest.py"
    conftest.write_text(
        conftest.read_text()
        + """
def refuse(**_):
    from likewise.model import LedgerCorrupt
    raise LedgerCorrupt("not a ledger", where="ledger.sqlite", todo="Move it away.")
stub.conclude = refuse
"""
    )
    suite.pytester.makepyfile(test_it=TWO)
    result = suite.run("--likewise")
    assert result.ret == 1
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*ledger.sqlite: not a ledger. Move it away. ?ledger-corrupt?", "*2 tests recorded, kept in*"]
    )
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_without_pytests_terminal_all_the_same(suite: Suite) -> None:
    suite.pytester.makepyfile(test_it=TWO)
    suite.order(reference={"test_it.py::test_bad": "passed"})
    result = suite.run("--likewise", "-p", "no:terminal")
    assert result.ret == 0
    assert suite.is_concluded


def test_plain_pytest_imports_nothing_heavy() -> None:
    program = (
        "import sys, pytest; "
        "pytest.main(['--collect-only', '-q', '--noconftest', '-p', 'no:cacheprovider',"
        " '-p', 'likewise.plugin', '--rootdir=/', '-c', '/dev/null', '/dev/null'], plugins=[]); "
        "print('LOADED', *sorted(sys.modules))"
    )
    environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    loaded = done.stdout.partition("LOADED ")[2].split()
    assert "likewise.plugin" in loaded
    assert not HEAVY & {name.partition(".")[0] for name in loaded}
    assert not [name for name in loaded if name.startswith("likewise.") and "plugin" not in name]
