"""Scenarios in pytest: one item each, whatever pytest does with the items."""

from __future__ import annotations

import shutil

import pytest

pytest_plugins = ["pytester"]
pytestmark = [
    pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="needs arm-none-eabi-gcc"),
    pytest.mark.slow,
]

PROGRAM = "int add(int a, int b) { return a + b; }\nint n; int count(void) { return ++n; }\n"
SUITE = """
from likewise.device import Scenario, Step, Suite, dump_callbacks, invoke
STARTS = []

def once(testee):
    open("ran.txt", "a").write("base\\n")

suite = Suite(title="s", scenarios=[
    Scenario("child", "p.c", [Step("sum", invoke("add", 1, 1), expect=2)], depends_on=["base"]),
    Scenario("base", "p.c", [Step("note", once), Step("count", invoke("count"), expect=EXPECTED)]),
    Scenario("odd one", "p.c", [Step("callbacks", dump_callbacks()), Step("sum", invoke("add", 2, 2))]),
])
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".c", p=PROGRAM)
    pytester.makepyprojecttoml("[tool.likewise]\n")
    pytester.makepyfile(test_board=SUITE.replace("EXPECTED", "1"))
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_subprocess("-p", "no:randomly", *arguments)


def test_one_item_a_scenario_and_a_label_for_what_is_unsupported(project: pytest.Pytester) -> None:
    result = run(project, "-v")
    result.stdout.fnmatch_lines(["*::child PASSED*", "*::base PASSED*", "*::odd one UNSUPPORTED*"])
    assert result.ret == 0
    assert (project.path / "ran.txt").read_text() == "base\n", "a dependency runs once"


def test_a_failed_dependency_has_a_label_and_fails_the_run_though_it_was_not_selected(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(test_board=SUITE.replace("EXPECTED", "7"))
    result = run(project, "-k", "child")
    result.stdout.fnmatch_lines(["*1 dependency failed*"])
    assert result.ret == 1
    result = run(project, "-v")
    result.stdout.fnmatch_lines(["*SUBFAIL*count*", "*expected 7, is i32 1*", "*1 dependency failed*"])


def test_workers_share_what_they_ran(project: pytest.Pytester) -> None:
    result = run(project, "-n", "2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*2 passed*1 unsupported*"])
    assert (project.path / "ran.txt").read_text() == "base\n"


def test_plain_tests_with_the_fixture_and_dependencies(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_plain="""
        import pytest
        pytestmark = pytest.mark.likewise_program("p.c")

        @pytest.mark.likewise_depends_on("test_counts")
        def test_after(testee):
            assert testee.invoke("count") == 1, "each test starts from a reset"

        def test_counts(testee):
            assert [testee.invoke("count"), testee.invoke("count")] == [1, 2]

        def test_fails(testee):
            assert testee.invoke("add", 1, 1) == 3

        @pytest.mark.likewise_depends_on("test_fails")
        def test_never(testee):
            pass

        def test_unsupported(testee):
            testee.dump_callbacks()
        """
    )
    result = run(project, "-v", "test_plain.py")
    result.stdout.fnmatch_lines(["*::test_counts PASSED*", "*::test_after PASSED*", "*::test_fails FAILED*"])
    result.stdout.fnmatch_lines(["*::test_unsupported UNSUPPORTED*"])
    result.stdout.fnmatch_lines(["*1 failed, 2 passed*"])
    only = run(project, "-v", "test_plain.py::test_after")
    only.stdout.fnmatch_lines(["*::test_counts PASSED*", "*::test_after PASSED*"])
    spread = run(project, "-n", "2", "test_plain.py")
    spread.stdout.fnmatch_lines(["*1 failed, 2 passed*"])


def test_flakiness_is_analysed(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_board="""
        from likewise.device import Scenario, Step, invoke
        TURNS = []

        def luck(testee):
            TURNS.append(1)
            return len(TURNS) % 3

        wavers = Scenario("wavers", "p.c", [Step("luck", luck, expect=1)])
        """
    )
    result = run(project, "--likewise-analyse", "min=2,max=6")
    said = "*4 of 6 runs failed (66.7%, 95 % interval 30.0% to 90.3%)*'luck' failed in 4 of 6*"
    result.stdout.fnmatch_lines([said])
    assert result.ret == 1
