"""What is recorded of a suite that runs under pytest, and in which worlds."""

from __future__ import annotations

import pytest
from plugin_suites import MOCKED, SERVED, WAITING, Suite

pytest_plugins = ["pytester"]


def test_a_trace_holds_setup_call_and_teardown_of_its_test(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it=MOCKED
        + """
@pytest.fixture
def bucket(aws):
    aws.create_bucket(Bucket="made-first")
    yield "made-first"
    aws.delete_bucket(Bucket="made-first")

def test_one(aws, bucket):
    aws.list_buckets()

def test_two():
    pass
"""
    )
    result = suite.run("--likewise")
    assert result.ret == 0
    one, two = suite.concluded["traces"]
    assert one["test"] == "test_it.py::test_one"
    assert one["operations"] == ["s3.CreateBucket", "s3.ListBuckets", "s3.DeleteBucket"]
    assert two["operations"] == []
    assert suite.concluded["complete"]
    assert suite.concluded["targets"][0].startswith("mock_aws")


@pytest.mark.server
def test_a_fixture_from_an_earlier_test_is_known_as_such(suite: Suite) -> None:
    """Named, needed by another fixture, set up for a class, or asked for while the test runs."""
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
@pytest.fixture(scope="module")
def answer():
    return boto3.client("s3").list_buckets()

@pytest.fixture
def buckets(answer):
    return answer["Buckets"]

def test_first(answer): pass
def test_named(answer): pass
def test_needed(buckets): pass
def test_asked(request): request.getfixturevalue("answer")
def test_other(): boto3.client("s3").list_buckets()

class TestAll:
    @pytest.fixture(autouse=True, scope="class")
    def prepare(self):
        boto3.client("s3").list_buckets()

    def test_one(self): pass
    def test_two(self): pass
"""
    )
    assert suite.run("--likewise", "-p", "no:randomly").ret == 0
    borrowed = {each["test"].rpartition("::")[2]: each["borrowed"] for each in suite.concluded["traces"]}
    lent = [["answer", "test_it.py::test_first"]]
    assert borrowed == {
        "test_first": [],
        "test_named": lent,
        "test_needed": lent,
        "test_asked": lent,
        "test_other": [],
        "test_one": [],
        "test_two": [["prepare", "test_it.py::TestAll::test_one"]],
    }


@pytest.mark.server
def test_what_fixtures_of_several_tests_do_at_their_end_is_known_in_the_last_one(suite: Suite) -> None:
    """Inner ones end first. What a fixture of one test does is its own; who calls nothing is left out."""
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
def call(): boto3.client("s3").list_buckets()

@pytest.fixture(scope="session")
def outer():
    yield
    call()

@pytest.fixture(scope="module")
def inner(outer):
    yield
    call()
    call()

@pytest.fixture(scope="module")
def silent(): yield

@pytest.fixture
def own():
    yield
    call()

def test_first(inner, silent): pass
def test_last(own): call()
"""
    )
    assert suite.run("--likewise", "-p", "no:randomly").ret == 0
    endings = {each["test"].rpartition("::")[2]: each["endings"] for each in suite.concluded["traces"]}
    assert endings == {"test_first": [], "test_last": [["inner", 2], ["outer", 1]]}


def test_only_the_recordings_of_the_last_runs_are_kept(suite: Suite) -> None:
    suite.pytester.makepyfile(test_it="def test_one(): pass")
    with suite.root.joinpath("likewise.toml").open("a") as configuration:
        configuration.write("\nkeep_runs = 1\n")
    kept = []
    for _ in range(2):
        result = suite.run("--likewise")
        assert result.ret == 0
        (folder,) = suite.root.glob(".likewise/recordings/*")
        kept.append(folder.name)
    assert kept[0] != kept[1]
    result.stdout.fnmatch_lines([f"likewise: The recordings of run {kept[0]} are deleted: *keep_runs*"])
    assert suite.root.joinpath(".likewise/.gitignore").exists()


def test_results_are_those_of_the_test_and_failures_say_where(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it="""
import pytest

@pytest.fixture
def broken():
    raise ValueError("no fixture")

@pytest.fixture
def breaking():
    yield
    raise ValueError("no way back")

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_skips(): pytest.skip("not here")
def test_set_up(broken): pass
def test_tear_down(breaking): pass
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail(strict=True)
def test_unexpected(): pass
"""
    )
    suite.run("--likewise")
    results = {each["test"].partition("::")[2]: each["result"] for each in suite.concluded["traces"]}
    assert results == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_skips": "skipped",
        "test_set_up": "failed",
        "test_tear_down": "failed",
        "test_expected": "passed",
        "test_unexpected": "failed",
    }
    assert suite.traces("test_fails")[0]["failure"] == "test_it.py:13: assert 1 == 2"
    assert suite.traces("test_tear_down")[0]["failure"] == "test_it.py:10: ValueError: no way back"


def test_each_rerun_of_a_failing_test_is_an_attempt_of_its_own(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it=MOCKED
        + """
times = iter([False, False, True])

def test_third_time_lucky(aws):
    aws.list_buckets()
    assert next(times)
"""
    )
    result = suite.run("--likewise", "--reruns", "2")
    assert result.ret == 0
    traces = suite.concluded["traces"]
    assert [each["attempt"] for each in traces] == [0, 1, 2]
    assert [each["result"] for each in traces] == ["failed", "failed", "passed"]
    assert all(each["operations"] == ["s3.ListBuckets"] for each in traces)


@pytest.mark.server
def test_every_test_gets_an_empty_candidate_and_a_new_world(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
@pytest.mark.parametrize("number", range(3))
def test_alone(number):
    client = boto3.client("s3")
    assert client.list_buckets()["Buckets"] == []
    client.create_bucket(Bucket="the-same-name")
"""
    )
    assert suite.run("--likewise").ret == 0
    assert len({each["world"] for each in suite.concluded["traces"]}) == 3
    assert [each["unclear"] for each in suite.concluded["traces"]] == [[], [], []]


@pytest.mark.server
def test_what_a_wider_fixture_made_stays_until_the_fixture_goes(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
@pytest.fixture(scope="class")
def bucket():
    boto3.client("s3").create_bucket(Bucket="shared-bucket")
    return "shared-bucket"

def test_before():
    boto3.client("s3").create_bucket(Bucket="gone-soon")

class TestShared:
    def test_put(self, bucket):
        boto3.client("s3").put_object(Bucket=bucket, Key="k", Body=b"1")
    def test_get(self, bucket):
        client = boto3.client("s3")
        assert client.get_object(Bucket=bucket, Key="k")["Body"].read() == b"1"
        assert len(client.list_buckets()["Buckets"]) == 1

def test_after():
    assert boto3.client("s3").list_buckets()["Buckets"] == []
"""
    )
    result = suite.run("--likewise")
    assert result.ret == 0
    before, put, get, after = (each["world"] for each in suite.concluded["traces"])
    assert put == get
    assert len({before, put, after}) == 3


@pytest.mark.server
def test_calls_at_import_keep_the_world_for_all_tests(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
client = boto3.client("s3")
client.create_bucket(Bucket="made-at-import")

def test_one(): client.put_object(Bucket="made-at-import", Key="k", Body=b"")
def test_two(): client.get_object(Bucket="made-at-import", Key="k")
"""
    )
    assert suite.run("--likewise").ret == 0
    outside, one, two = suite.concluded["traces"]
    assert outside["test"] == ""
    assert outside["operations"] == ["s3.CreateBucket"]
    assert outside["world"] == one["world"] == two["world"]


@pytest.mark.server
def test_a_conftest_that_creates_clients_already_meets_the_candidate(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    conftest = suite.root / "conftest.py"
    conftest.write_text(conftest.read_text() + "\nimport boto3\nCLIENT = boto3.client('s3')\n")
    suite.pytester.makepyfile("from conftest import CLIENT\ndef test_it(): CLIENT.list_buckets()\n")
    assert suite.run("--likewise").ret == 0
    assert suite.traces("test_it")[0]["operations"] == ["s3.ListBuckets"]


@pytest.mark.server
@pytest.mark.slow
def test_two_workers_have_a_candidate_each_and_one_conclusion(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
@pytest.mark.parametrize("number", range(6))
def test_alone(number):
    client = boto3.client("s3")
    assert client.list_buckets()["Buckets"] == []
    client.create_bucket(Bucket="the-same-name")
"""
    )
    result = suite.run("--likewise", "-n", "2")
    assert result.ret == 0
    traces = suite.concluded["traces"]
    assert sorted(each["test"] for each in traces) == [f"test_it.py::test_alone[{n}]" for n in range(6)]
    assert {each["world"].partition("/")[0] for each in traces} == {"gw0", "gw1"}
    assert len({each["world"] for each in traces}) == 6
    assert sorted(path.name for path in suite.root.glob(".likewise/recordings/*/*")) == [
        "gw0.jsonl",
        "gw1.jsonl",
    ]


@pytest.mark.slow
def test_what_a_crashed_worker_recorded_is_kept(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it=WAITING
        + """
def test_one(): pass
def test_two():
    wait_for_trace(".likewise/recordings/*/gw0.jsonl")
    os._exit(1)
def test_three(): pass
"""
    )
    result = suite.run("--likewise", "-n", "1")
    assert result.ret == 1
    assert {each["test"] for each in suite.concluded["traces"]} >= {
        "test_it.py::test_one",
        "test_it.py::test_three",
    }
    assert not suite.concluded["complete"]
    result.stdout.fnmatch_lines(["*Worker gw0 ended unexpectedly*"])


def test_an_interrupt_leaves_a_readable_recording_and_says_so(suite: Suite) -> None:
    suite.pytester.makepyfile(
        """
def test_one(): pass
def test_two(): raise KeyboardInterrupt
def test_three(): pass
"""
    )
    result = suite.run("--likewise")
    assert result.ret == 2
    assert not suite.is_concluded
    result.stdout.fnmatch_lines(["*2 tests recorded, kept in .likewise/recordings/*Nothing was decided*"])


@pytest.mark.slow
def test_tests_distributed_by_group_keep_their_names(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it="""
import pytest

@pytest.mark.xdist_group("g")
def test_grouped(): assert False

def test_single(): pass
"""
    )
    suite.order(reference={"test_it.py::test_grouped": "passed"})
    assert suite.run("--likewise", "-n", "1", "--dist", "loadgroup").ret == 0
    assert {each["test"] for each in suite.concluded["traces"]} == {
        "test_it.py::test_grouped",
        "test_it.py::test_single",
    }


def test_the_recorder_parses_nothing_beside_the_tests(suite: Suite) -> None:
    """Where pytest imported it as a plugin it would, and CPython fails where two threads do."""
    suite.pytester.makepyfile(
        test_it=MOCKED
        + """
import ast
import threading

PARSERS = []
parse = ast.parse

def noted(*args, **more):
    PARSERS.append(threading.current_thread().name)
    return parse(*args, **more)

@pytest.fixture(scope="session", autouse=True)
def watched():
    ast.parse = noted
    yield
    ast.parse = parse

def test_one(aws):
    aws.list_buckets()

def test_two():
    for thread in threading.enumerate():
        if thread.name.startswith("likewise"):
            thread.join(0.5)
    assert not [name for name in PARSERS if name != "MainThread"]
"""
    )
    result = suite.run("--likewise")
    assert result.ret == 0
    assert [each["unclear"] for each in suite.concluded["traces"]] == [[], []]
