"""Every server that can be installed starts, works with the real SDK, empties itself, and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient
from botocore.config import Config
from botocore.exceptions import ClientError

from likewise.cloud import targets
from likewise.cloud.targets import server as server_module
from likewise.cloud.targets.deferred import Deferred
from likewise.cloud.targets.lending import Loan, borrow, lend
from likewise.cloud.targets.process import Process, _listening, free_ports, is_running
from likewise.cloud.targets.spec import Launch, Plan, PythonPackage, Recipe, Spec
from likewise.model import Role, TargetUnavailable

pytestmark = pytest.mark.server

CASES = [
    (name, service)
    for name, spec in targets.SPECS.items()
    if spec.recipe is not None
    for service in sorted(spec.services)
]


def installed(name: str) -> Spec:
    spec = targets.find(name)
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"{name} is not installed: {targets.install_command(spec)}")
    return spec


def aws(service: str, environment: dict[str, str]) -> Any:
    """A client that knows nothing but the variables of the target."""
    return boto3.client(
        service,
        endpoint_url=environment[f"AWS_ENDPOINT_URL_{service.upper()}"],
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name=environment["AWS_DEFAULT_REGION"],
        config=Config(retries={"max_attempts": 1}, read_timeout=30),
    )


def use_s3(environment: dict[str, str]) -> Callable[[], int]:
    s3 = aws("s3", environment)
    for name in ("one", "two"):
        s3.create_bucket(Bucket=f"box-{name}")
        s3.put_object(Bucket=f"box-{name}", Key="a/key with signs+&.txt", Body=b"content")
        assert s3.get_object(Bucket=f"box-{name}", Key="a/key with signs+&.txt")["Body"].read() == b"content"
    return lambda: len(s3.list_buckets()["Buckets"])


def use_dynamodb(environment: dict[str, str]) -> Callable[[], int]:
    dynamodb = aws("dynamodb", environment)
    for name in ("one", "two"):
        dynamodb.create_table(
            TableName=f"table-{name}",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        dynamodb.get_waiter("table_exists").wait(TableName=f"table-{name}", WaiterConfig={"Delay": 1})
        dynamodb.put_item(TableName=f"table-{name}", Item={"id": {"S": "1"}})
    return lambda: len(dynamodb.list_tables()["TableNames"])


def use_blob(environment: dict[str, str]) -> Callable[[], int]:
    blobs = BlobServiceClient.from_connection_string(environment["AZURE_STORAGE_CONNECTION_STRING"])
    blobs.create_container("plain").upload_blob("a b.txt", b"content")
    blobs.create_container("leased").acquire_lease()
    return lambda: len(list(blobs.list_containers()))


def use_queue(environment: dict[str, str]) -> Callable[[], int]:
    queues = QueueServiceClient.from_connection_string(environment["AZURE_STORAGE_QUEUE_CONNECTION_STRING"])
    for name in ("one", "two"):
        queues.create_queue(f"queue-{name}").send_message("hello")
    return lambda: len(list(queues.list_queues()))


def use_table(environment: dict[str, str]) -> Callable[[], int]:
    tables = TableServiceClient.from_connection_string(environment["AZURE_STORAGE_TABLE_CONNECTION_STRING"])
    for name in ("one", "two"):
        tables.create_table(f"table{name}").create_entity({"PartitionKey": "p", "RowKey": "r"})
    return lambda: len(list(tables.list_tables()))


USES = {"s3": use_s3, "dynamodb": use_dynamodb, "blob": use_blob, "queue": use_queue, "table": use_table}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "service"), CASES)
def test_a_server_starts_works_is_emptied_and_ends(name: str, service: str, cache: Path) -> None:
    spec = installed(name)
    with targets.start(spec, role=Role.REFERENCE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        assert (running.target.name, running.target.role) == (name, Role.REFERENCE)
        assert running.target.version == spec.version
        assert not running.real
        count = USES[service](running.environment())
        assert count() == 2
        assert running.reset()
        assert count() == 0
        count = USES[service](running.environment())
        assert count() == 2
        assert running.is_alive()
        pid = running.pid
    assert not running.is_alive()
    assert not is_running(pid)
    assert list((cache / "runs").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_a_server_listens_on_this_machine_only(name: str, cache: Path) -> None:
    with targets.start(installed(name), role=Role.CANDIDATE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        mine = {
            str(handle.readlink())[8:-1]
            for handle in Path(f"/proc/{running.pid}/fd").iterdir()
            if str(handle.readlink()).startswith("socket:[")
        }
        rows = [
            line.split()
            for table in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{table}").read_text().splitlines()
        ]
        listening = {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in mine}
    assert listening == {"0100007F"}


@pytest.mark.slow
def test_a_verifying_server_refuses_a_wrong_key(cache: Path) -> None:
    with targets.start(installed("seaweedfs"), role=Role.REFERENCE, cache=cache) as running:
        wrong = running.environment() | {"AWS_SECRET_ACCESS_KEY": "wrong"}
        with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
            aws("s3", wrong).list_buckets()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "service"), [case for case in CASES if case[1] not in ("queue", "table")])
def test_several_at_once_do_not_share_anything(name: str, service: str, cache: Path) -> None:
    spec = installed(name)
    with (
        targets.start(spec, role=Role.CANDIDATE, cache=cache) as one,
        targets.start(spec, role=Role.REFERENCE, cache=cache) as other,
    ):
        assert one.endpoint(service) != other.endpoint(service)
        count = USES[service](one.environment())
        other.reset()
        assert count() == 2
        USES[service](other.environment())
        one.reset()
        assert count() == 0


@pytest.mark.slow
def test_a_server_leaves_nothing_outside_its_directory(cache: Path) -> None:
    spec = installed("seaweedfs")
    with targets.start(spec, role=Role.CANDIDATE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        assert any(path.exists() for path in running.plan.litter)
    assert not any(path.exists() for path in running.plan.litter)


def test_stopping_twice_is_stopping_once(cache: Path) -> None:
    running = targets.start(installed("ministack"), role=Role.CANDIDATE, cache=cache)
    running.stop()
    running.stop()
    assert not running.is_alive()


def test_a_server_survives_the_thread_that_started_it(cache: Path) -> None:
    """The leash is tied to a thread, which must not be the one that happened to call."""
    started: list[targets.Running] = []
    spec = installed("ministack")
    thread = threading.Thread(
        target=lambda: started.append(targets.start(spec, role=Role.CANDIDATE, cache=cache))
    )
    thread.start()
    thread.join()
    with started[0] as running:
        assert use_s3(running.environment())() == 2


def test_a_killed_parent_leaves_no_server_behind(cache: Path) -> None:
    installed("ministack")
    code = (
        "import sys, time; from pathlib import Path\n"
        "from likewise.cloud import targets; from likewise.model import Role\n"
        "running = targets.start(targets.find('ministack'), role=Role.CANDIDATE, cache=Path(sys.argv[1]))\n"
        "print(running.pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(cache)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 20
    while _is_working(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_working(pid)
    left = list((cache / "runs").iterdir())
    assert len(left) == 1
    server_module.sweep(cache / "runs")
    assert list((cache / "runs").iterdir()) == []


def _is_working(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_parent_that_just_exits_leaves_no_server_behind(cache: Path) -> None:
    installed("ministack")
    code = (
        "import sys; from pathlib import Path\n"
        "from likewise.cloud import targets; from likewise.model import Role\n"
        "print(targets.start(targets.find('ministack'), role=Role.CANDIDATE, cache=Path(sys.argv[1])).pid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(cache)], capture_output=True, text=True, check=True
    )
    assert not _is_working(int(done.stdout))


def test_a_server_that_dies_is_noticed_and_its_log_stays(cache: Path) -> None:
    running = targets.start(installed("ministack"), role=Role.CANDIDATE, cache=cache)
    assert isinstance(running, targets.Server)
    os.kill(running.pid, signal.SIGKILL)
    while running.is_alive():
        time.sleep(0.01)
    with pytest.raises(TargetUnavailable, match=r"could not be emptied.*exit code -9"):
        running.reset()
    running.stop()
    assert running.log.exists()


def fake(code: str, *, patience: float = 20.0) -> Spec:
    """A server made of a line of Python, in the interpreter that runs already."""

    def plan(launch: Launch) -> Plan:
        (port,) = launch.ports
        url = f"http://127.0.0.1:{port}"
        argv = (sys.executable, "-c", code, str(port), str(launch.directory.parent.parent))
        return Plan(argv=argv, endpoints={"s3": url}, ready=(url,))

    package = PythonPackage(distribution="click", requirements=("click",), module="click", extra="fake")
    recipe = Recipe(package=package, plan=plan, wipe=lambda _: None, patience=patience)
    return Spec(name="fake", services=frozenset({"s3"}), version="1", recipe=recipe)


SERVE = (
    "from http.server import *; "
    "HTTPServer(('127.0.0.1', int(sys.argv[1])), SimpleHTTPRequestHandler).serve_forever()"
)


def test_a_server_that_ends_at_once_is_reported_with_the_end_of_its_log(cache: Path) -> None:
    with pytest.raises(TargetUnavailable) as raised:
        targets.start(
            fake("raise SystemExit('the disk is made of cheese')"), role=Role.CANDIDATE, cache=cache
        )
    assert "did not start (it ended with exit code 1)" in str(raised.value)
    assert "made of cheese" in str(raised.value)
    assert (cache / "logs" / "fake.log").read_text().strip() == "the disk is made of cheese"


def test_a_server_that_never_answers_is_given_up_and_ended(cache: Path) -> None:
    code = "import time, os; print('pid', os.getpid(), flush=True); time.sleep(600)"
    with pytest.raises(TargetUnavailable, match="no answer within 1 s"):
        targets.start(fake(code, patience=1.0), role=Role.CANDIDATE, cache=cache)
    pid = int((cache / "logs" / "fake.log").read_text().split()[1])
    assert not _is_working(pid)


def test_a_port_that_was_taken_in_between_is_exchanged_for_another(cache: Path) -> None:
    """The first start finds its port taken and says so; the second works."""
    code = (
        "import sys, pathlib\n"
        "mark = pathlib.Path(sys.argv[2]) / 'tried'\n"
        "if not mark.exists():\n"
        "    mark.write_text(sys.argv[1])\n"
        "    raise OSError(98, 'Address already in use')\n" + SERVE
    )
    with targets.start(fake(code), role=Role.CANDIDATE, cache=cache) as running:
        assert running.is_alive()
        assert not str(running.endpoint("s3")).endswith(":" + (cache / "tried").read_text())


def test_somebody_elses_answer_is_not_taken_for_the_servers(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process listens on the port that was handed over: its answers must not count."""
    with targets.start(fake("import sys; " + SERVE), role=Role.CANDIDATE, cache=cache) as other:
        port = int(str(other.endpoint("s3")).rpartition(":")[2])
        ports = iter([(port,), free_ports(1)])
        monkeypatch.setattr(server_module, "free_ports", lambda count: next(ports))
        with targets.start(fake("import sys; " + SERVE), role=Role.CANDIDATE, cache=cache) as running:
            assert running.endpoint("s3") != other.endpoint("s3")


def test_nothing_of_the_users_environment_reaches_a_server(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    monkeypatch.setenv("MY_TOKEN", "very-secret")
    code = "import os, sys; print(dict(os.environ), sys.stdin.read(), flush=True); " + SERVE
    with targets.start(fake(code), role=Role.CANDIDATE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        log = running.log.read_text()
    assert "PATH" in log
    assert "very-secret" not in log
    assert str(Path.home()) not in log.split("'HOME': '")[1].split("'")[0]


def test_a_process_that_cannot_be_executed_says_why(tmp_path: Path) -> None:
    process = Process(["/absent/program"], environment={}, directory=tmp_path)
    while process.is_alive():
        time.sleep(0.01)
    assert "/absent/program cannot be run: No such file" in process.tail()
    process.stop()


def test_free_ports_differ_and_are_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    assert all(not _listening(port) for port in ports)


def sharing(monkeypatch: pytest.MonkeyPatch, wiped: list[str]) -> Spec:
    """A server that anybody can find by its name, and that says when it was emptied."""
    spec = fake("import sys; " + SERVE)
    assert spec.recipe is not None
    spec = replace(spec, recipe=replace(spec.recipe, wipe=lambda plan: wiped.append(plan.endpoints["s3"])))
    monkeypatch.setattr(targets, "SPECS", {"fake": spec})
    return spec


def test_a_lent_server_is_emptied_used_and_left_to_its_owner(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiped: list[str] = []
    spec = sharing(monkeypatch, wiped)
    with targets.start(spec, role=Role.CANDIDATE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        loan = Loan.from_plain(json.loads(json.dumps(lend(running).to_plain())))
        borrowed = borrow(loan, role=Role.CANDIDATE)
        assert borrowed is not None
        assert wiped == [running.endpoint("s3")]
        assert (borrowed.target, borrowed.environment()) == (running.target, running.environment())
        assert (borrowed.cleared(), borrowed.log) == (running.cleared(), running.log)
        borrowed.stop()
        assert running.is_alive()
        assert borrowed.is_alive()
    assert not borrowed.is_alive()
    assert borrow(loan, role=Role.CANDIDATE) is None


def test_a_server_that_cannot_be_emptied_is_not_borrowed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = sharing(monkeypatch, [])
    assert spec.recipe is not None

    def fails(_: Plan) -> None:
        raise OSError("it is full of eels")

    monkeypatch.setattr(targets, "SPECS", {"fake": replace(spec, recipe=replace(spec.recipe, wipe=fails))})
    with targets.start(spec, role=Role.CANDIDATE, cache=cache) as running:
        assert isinstance(running, targets.Server)
        assert borrow(lend(running), role=Role.CANDIDATE) is None
        assert running.is_alive()


def test_a_deferred_server_starts_when_it_is_called(cache: Path) -> None:
    spec = fake("import sys; " + SERVE)
    with Deferred(spec, role=Role.REFERENCE, cache=cache, services=spec.services) as running:
        assert running.is_alive()
        assert "AWS_PROFILE" in running.cleared()
        assert not (cache / "runs").exists()
        assert running.reset()
        assert running.endpoint("s3") == running.server.endpoint("s3")
        pid = running.server.pid
        assert is_running(pid)
    assert not is_running(pid)
    assert not running.is_alive()


def test_a_deferred_server_that_does_not_start_says_so_when_called(cache: Path) -> None:
    spec = fake("raise SystemExit('no')")
    with Deferred(spec, role=Role.REFERENCE, cache=cache, services=spec.services) as running:
        for _ in range(2):
            with pytest.raises(TargetUnavailable, match="did not start"):
                running.reset()
